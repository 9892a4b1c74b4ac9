//! The running mean of periods, with limits and a test that are valid at all periods simultaneously.

use super::normal_mixture::NormalMixture;
use super::periods::{Period, ROLES, Sums, periods};
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{Alternative, Hypothesis};
use crate::statistics::kinds::Columnwise;
use crate::statistics::options::from_options;

/// The confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024), proposition 2.5, for
/// the weighted mean of independent estimates with estimated variances. The e-process against a value uses
/// the same [`NormalMixture`].
///
/// The first period with a positive standard error sets the scale of the mixture, which then stays fixed. A
/// result depends only on its period and earlier ones. A period with an estimated standard error of 0 adds no
/// variance, consistent with an unbiased estimate of the sum of variances.
#[derive(Clone, Copy, Debug)]
pub struct AlwaysValid {
    /// The simultaneous coverage of all intervals.
    pub level: f64,
    /// The hypothesis; a mean of one half by default.
    pub test: Hypothesis,
    /// The number of periods, like the first one, after which the interval is tightest for its level.
    pub tightest_at: f64,
}

from_options!(|options| AlwaysValid {
    test: Hypothesis::parse(options, -1.0)?,
    level: options.level()?,
    tightest_at: options.above_0("tightest_at", 1e9)?,
});

/// The logarithm of the level of a test, from a coverage.
pub(super) fn ln_alpha(level: f64) -> f64 {
    (-level).ln_1p()
}

/// The running maximum of the evidence, which bounds a p-value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Largest(f64);

impl Default for Largest {
    fn default() -> Self {
        Largest(f64::NEG_INFINITY)
    }
}

impl Largest {
    /// The evidence after one more period, and the p-value. NaN is preserved.
    pub fn e_and_p(&mut self, ln_evidence: f64) -> [Option<f64>; 2] {
        if !(ln_evidence <= self.0 || self.0.is_nan()) {
            self.0 = ln_evidence;
        }
        let p_value = if self.0 < 0.0 { 1.0 } else { (-self.0).exp() };
        [Some(ln_evidence.exp()), Some(p_value)]
    }
}

impl Columnwise for AlwaysValid {
    const ROLES: &'static [&'static str] = ROLES;
    const FIELDS: &'static [&'static str] = &["estimate", "lower", "upper", "e_value", "p_value"];

    fn evaluate(&self, columns: &[Vec<Option<f64>>]) -> Result<Vec<Vec<Option<f64>>>, String> {
        let mut fields = vec![Vec::with_capacity(columns[0].len()); Self::FIELDS.len()];
        let (mut sums, mut mixture, mut largest) = (Sums::default(), None, Largest::default());
        let mut record = [None; 5];
        for period in periods(columns)? {
            if let Some(period) = period {
                sums.add(period);
                mixture = mixture.or_else(|| self.mixture(period));
                record = self.record(sums, mixture, &mut largest);
            }
            fields.iter_mut().zip(record).for_each(|(field, value)| field.push(value));
        }
        Ok(fields)
    }
}

impl AlwaysValid {
    fn mixture(&self, period: Period) -> Option<NormalMixture> {
        let variance = period.variance();
        (variance != 0.0)
            .then(|| NormalMixture::tightest_at(self.tightest_at * variance, ln_alpha(self.level)))
    }

    fn record(&self, sums: Sums, mixture: Option<NormalMixture>, largest: &mut Largest) -> [Option<f64>; 5] {
        let (mean, variance) = (sums.mean(), sums.variance);
        let Some(mixture) = mixture else { return [Some(mean), None, None, None, None] };
        let margin = sums.mean_variance(mixture.margin(variance, ln_alpha(self.level)).powi(2)).sqrt();
        let [e_value, p_value] = largest.e_and_p(self.ln_evidence(sums, mixture));
        [Some(mean), Some(mean - margin), Some(mean + margin), e_value, p_value]
    }

    /// The logarithm of the evidence for the alternative. With two bounds it is the minimum over both sides.
    fn ln_evidence(&self, sums: Sums, mixture: NormalMixture) -> f64 {
        let Hypothesis { alternative, null, margin } = self.test;
        let null = null.unwrap_or(0.5);
        let higher = |value| mixture.ln_evidence_of_higher(sums.above(value), sums.variance);
        let lower = |value| mixture.ln_evidence_of_higher(-sums.above(value), sums.variance);
        let width = margin.unwrap_or(0.0);
        match alternative {
            Alternative::Greater => higher(null - width),
            Alternative::Less => lower(null + width),
            Alternative::TwoSided if margin.is_some() => higher(null - width).min(lower(null + width)),
            Alternative::TwoSided => mixture.ln_evidence(sums.above(null), sums.variance),
        }
    }
}

declaration! {
    /// The mean AUC of the periods so far, with an interval (a confidence sequence) and a test that are valid at all
    /// periods jointly.
    ///
    /// Words: confidence sequence, anytime-valid, always-valid p-value, e-value, e-process, sequential test, peeking,
    /// optional stopping, nightly check.
    AlwaysValid {
        /// The AUC of each period and its standard error, as returned by `roc_auc_ci()`. Periods must contain
        /// different rows. Differences of AUCs are supported, such as the results of `roc_auc_difference()`. AUCs are
        /// from -1 to 1, and standard errors from 0 to 2.
        auc: column,
        se: column;
        /// The numbers of positives and negatives of each AUC, 1 or more, both or none. Always pass them for AUCs:
        /// standard errors then have a floor, so the error rate also holds for periods with few positives. Not for
        /// differences: a negative AUC is refused with them.
        n_pos: column = None,
        n_neg: column = None,
        /// The weight of each period, such as `n_pos * n_neg / (n_pos + n_neg)`: 0, or from 1e-100 to 1e100; equal
        /// weights by default. It must not depend on the AUC of its period. `1 / se**2` does, because a higher AUC
        /// has a smaller standard error, and biases the mean.
        weight: column = None,
        /// It applies to the intervals of all periods jointly.
        level = 0.95,
        /// The interval is always two-sided.
        alternative = "two-sided",
        /// 0.5 by default. For differences use 0.
        null = None, margin = None,
        /// The number of periods after which the interval is narrowest relative to other always-valid intervals. Any
        /// value is valid; larger values give wider intervals at the start. The default of 28 nights is four weeks.
        tightest_at: number = 28,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::monitoring::periods::without_counts;

    const BELOW: AlwaysValid = AlwaysValid {
        level: 0.95,
        test: Hypothesis { alternative: Alternative::Less, null: Some(0.8), margin: None },
        tightest_at: 28.0,
    };

    fn columns(rows: &[(Option<f64>, Option<f64>)]) -> [Vec<Option<f64>>; 5] {
        without_counts([
            rows.iter().map(|row| row.0).collect(),
            rows.iter().map(|row| row.1).collect(),
            vec![Some(1.0); rows.len()],
        ])
    }

    #[test]
    fn missing_periods_are_ignored() {
        let rows = [(None, Some(0.1)), (Some(0.7), Some(0.02)), (Some(0.1), None), (Some(0.75), Some(0.03))];
        let [estimate, lower, upper, e_value, p_value] =
            BELOW.evaluate(&columns(&rows)).unwrap().try_into().unwrap();
        assert_eq!(estimate, [None, Some(0.7), Some(0.7), Some(0.725)]);
        assert_eq!((lower[1], upper[1], e_value[1]), (lower[2], upper[2], e_value[2]));
        assert!(p_value[3].unwrap() <= p_value[1].unwrap());
    }

    #[test]
    fn without_an_error_no_limit() {
        let results = BELOW.evaluate(&columns(&[(Some(1.0), Some(0.0)), (Some(0.9), Some(0.02))])).unwrap();
        let row = |row: usize| results.iter().map(|field| field[row]).collect::<Vec<_>>();
        assert_eq!(row(0), [Some(1.0), None, None, None, None]);
        assert_eq!(row(1)[0], Some(0.95));
        assert!(row(1).iter().all(|field| field.is_some_and(f64::is_finite)));
    }

    #[test]
    fn nan_is_preserved() {
        for rows in [(f64::NAN, 0.1), (0.5, f64::NAN)] {
            let results =
                BELOW.evaluate(&columns(&[(Some(rows.0), Some(rows.1)), (Some(0.5), Some(0.1))])).unwrap();
            assert!(results.iter().skip(1).all(|field| field[1].unwrap().is_nan()), "{results:?}");
        }
    }

    #[test]
    fn invalid_numbers_are_rejected() {
        for (index, wrong) in
            [(0, 70.0), (1, -0.1), (1, 2.5), (1, f64::INFINITY), (2, 1e-200), (2, -1.0), (2, f64::NAN)]
        {
            let mut columns = columns(&[(Some(0.5), Some(0.1))]);
            columns[index][0] = Some(wrong);
            assert!(
                BELOW.evaluate(&columns).unwrap_err().contains(&format!("{} contains {wrong}", ROLES[index]))
            );
        }
    }
}
