//! The power of the paired test of two scores, and its required rows.

use super::power::{Plan, ratio_of};
use crate::math::normal::{upper_quantile, upper_tail};
use crate::ranking::ties::Count;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::Areas;
use crate::statistics::kinds::{Inputs, Joint, Needs, record};
use crate::statistics::options::from_options;
use crate::statistics::rows::Rows;

/// The power of the paired comparison of two scores, and the required rows, from a pilot sample.
///
/// `sqrt(P / P0) |difference| = (z_alpha + z_power) sqrt(V)` with the pilot's P0 positives and V its variance
/// of the difference (DeLong, DeLong and Clarke-Pearson 1988), as in the test itself. The ratio of negatives
/// to positives is constant. With another ratio, `V = S10 / P + S01 / N` of the pilot is evaluated at P
/// positives and `ratio P` negatives: `P = ((z_alpha + z_power) / difference)² (S10 + S01 / ratio)`.
///
/// Obuchowski and McClish (1997, equation 4) use a separate variance for equal areas. If both areas have the
/// mean of the two variances, `V0 = 2 ((Var A_a + Var A_b) / 2 - Cov)` equals V. With the first one's
/// variance for both, V0 depends on the order of the scores, and may be negative.
#[derive(Clone, Copy, Debug)]
pub struct RocAucDifferencePower {
    /// The test.
    pub plan: Plan,
    /// The required power.
    pub power: f64,
    /// Negatives per positive; the pilot's ratio by default.
    pub ratio: Option<f64>,
}

record! {
    /// The power of one group.
    pub struct RocAucDifferencePowerRecord {
        /// The first AUC minus the second.
        pub difference: Option<f64>,
        /// The power of the test with the rows of the pilot sample, if this is the true difference.
        pub power: Option<f64>,
        /// The number of positives that the test needs for the given power, not rounded; null where `power` is null,
        /// and if the AUCs are equal.
        pub needed_pos: Option<f64>,
        /// The number of negatives that the test needs, in the ratio of the pilot sample or `ratio`.
        pub needed_neg: Option<f64>,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

from_options!(|options| RocAucDifferencePower {
    plan: Plan::from_options(options)?,
    power: options.between_0_and_1("power")?,
    ratio: options.has("ratio").then(|| ratio_of(options)).transpose()?,
});

impl Joint for RocAucDifferencePower {
    type Record = RocAucDifferencePowerRecord;

    const INPUTS: Inputs = Inputs::scores(Some(2));

    fn needs(&self) -> Needs {
        Needs::PLACEMENTS
    }

    fn evaluate(&self, rows: &Rows) -> RocAucDifferencePowerRecord {
        let Some(areas) = Areas::new(rows) else { return RocAucDifferencePowerRecord::undefined(rows) };
        let (n_pos, n_neg) = (areas.n_pos, areas.n_neg);
        let difference = areas.difference(0, 1);
        let Some((pos_part, neg_part)) =
            areas.parts_of_difference(0, 1).filter(|parts| parts.0 + parts.1 > 0.0)
        else {
            return RocAucDifferencePowerRecord {
                difference: Some(difference),
                ..RocAucDifferencePowerRecord::undefined(rows)
            };
        };
        let variance = pos_part + neg_part;
        let (se, critical) = (variance.sqrt(), self.plan.critical());
        let power = upper_tail(critical - difference.abs() / se);
        let quantiles = critical + upper_quantile(1.0 - self.power);
        let needed = (difference != 0.0).then(|| match self.ratio {
            None => {
                let times = (quantiles * se / difference).powi(2);
                (times * n_pos as f64, times * n_neg as f64)
            }
            Some(ratio) => {
                let variance_of_one = pos_part * n_pos as f64 + neg_part * n_neg as f64 / ratio;
                let needed = (quantiles / difference).powi(2) * variance_of_one;
                (needed, ratio * needed)
            }
        });
        let (needed_pos, needed_neg) = needed.unzip();
        RocAucDifferencePowerRecord::new(Some(difference), Some(power), needed_pos, needed_neg, rows.into())
    }
}

declaration! {
    /// The power of the comparison of two scores, and the numbers of rows that it needs, from a pilot sample.
    ///
    /// Words: power of a comparison, sample size of a paired comparison, pilot study.
    RocAucDifferencePower => RocAucDifferencePowerRecord {
        label, score_a, score_b;
        /// The power: the probability that the test rejects, between 0 and 1.
        power: number = 0.8,
        /// The number of negatives per positive among the rows needed; by default the ratio of the pilot sample.
        ratio: number = None,
        /// `"greater"` and `"less"` both mean a one-sided test in the direction of the effect.
        alternative = "two-sided",
        alpha = 0.05,
        count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::inference::Alternative;
    use crate::statistics::tests::{rows_of, three_scores};

    const TWO_SIDED: Plan = Plan { alpha: 0.05, alternative: Alternative::TwoSided };

    #[test]
    fn paired() {
        let (labels, [a, b, _]) = three_scores();
        let statistic = RocAucDifferencePower { plan: TWO_SIDED, power: 0.8, ratio: None };
        let record = statistic.evaluate(&rows_of(&labels, &[&a, &b], &[]));
        // The pilot's number of rows has the pilot's power.
        let here = RocAucDifferencePower { power: record.power.unwrap(), ..statistic };
        let needed = here.evaluate(&rows_of(&labels, &[&a, &b], &[]));
        assert!((needed.needed_pos.unwrap() - 36.0).abs() < 1e-9, "{needed:?}");
        // The default ratio is the pilot's.
        let ratio = |ratio| RocAucDifferencePower { ratio: Some(ratio), ..statistic };
        let same = ratio(1.5).evaluate(&rows_of(&labels, &[&a, &b], &[]));
        assert!((same.needed_pos.unwrap() / record.needed_pos.unwrap() - 1.0).abs() < 1e-12);
        let more = ratio(6.0).evaluate(&rows_of(&labels, &[&a, &b], &[]));
        assert!(more.needed_pos.unwrap() < same.needed_pos.unwrap(), "{more:?} {same:?}");
        assert!((more.needed_neg.unwrap() / more.needed_pos.unwrap() - 6.0).abs() < 1e-12);
        assert_eq!(more.power, record.power);
        // The order of the scores does not matter, even if the variance of the first is below the covariance.
        let labels = [0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0];
        let a = [-1.0, 2.0, 4.0, 9.0, 8.0, 12.0, 6.0, 5.0, 1.0, -7.0, 1.0, -1.0];
        let b = [0.0, 6.0, 8.0, 8.0, 5.0, -2.0, 9.0, 4.0, 0.0, -3.0, 2.0, 3.0];
        let record = statistic.evaluate(&rows_of(&labels, &[&a, &b], &[]));
        let swapped = statistic.evaluate(&rows_of(&labels, &[&b, &a], &[]));
        assert_eq!((record.power, record.needed_pos), (swapped.power, swapped.needed_pos));
        assert!(record.power.unwrap() < 0.5 && record.needed_pos.unwrap() > 10.0, "{record:?}");
        let alike = statistic.evaluate(&rows_of(&labels, &[&a, &a], &[]));
        assert_eq!((alike.difference, alike.power, alike.needed_pos), (Some(0.0), None, None));
    }
}
