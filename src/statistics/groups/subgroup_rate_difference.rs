//! A rate at a threshold in a subgroup, compared with all other rows.

use super::subgroup_auc::in_subgroup;
use crate::math::normal::upper_tail;
use crate::ranking::ties::Count;
use crate::statistics::decisions::rate::{Rate, threshold};
use crate::statistics::declaration::declaration;
use crate::statistics::inference::two_proportions::{
    Proportion, miettinen_nurminen, miettinen_nurminen_z, newcombe,
};
use crate::statistics::inference::{Alternative, RateInterval};
use crate::statistics::kinds::{Inputs, Joint, KeyInput, KeyKind, Needs, record};
use crate::statistics::options::from_options;
use crate::statistics::rows::Rows;

/// The difference and the ratio of a rate between a subgroup and the background, which is all rows outside
/// it.
#[derive(Clone, Copy, Debug)]
pub struct SubgroupRateDifference {
    /// The threshold from which rows are predicted positive.
    pub at: f64,
    /// The rate.
    pub rate: Rate,
    /// The coverage of the intervals.
    pub level: f64,
}

record! {
    /// The comparison of one group.
    pub struct SubgroupRateRecord {
        /// The rate of the subgroup; null if its denominator is 0.
        pub subgroup_rate: Option<f64>,
        /// The rate of the background.
        pub background_rate: Option<f64>,
        /// - `difference`: `subgroup_rate - background_rate`.
        /// - `difference_lower`, `difference_upper`: its confidence limits by Newcombe.
        pub difference: RateInterval,
        /// - `ratio`: `subgroup_rate / background_rate`; infinite if only the background rate is 0, null if both are
        ///   0.
        /// - `ratio_lower`, `ratio_upper`: its confidence limits by Miettinen and Nurminen.
        pub ratio: RateInterval,
        /// The two-sided p-value of equal rates, by the score test of Miettinen and Nurminen; 1 if both rates are 0
        /// or both are 1.
        pub p_value: Option<f64>,
        /// Whether the smaller rate is at least four fifths of the larger; null where a rate is null.
        pub four_fifths: Option<bool>,
        /// The number of rows in the denominator of the subgroup's rate.
        pub n_subgroup: u64,
        /// The number of rows in the denominator of the background's rate.
        pub n_background: u64,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

from_options!(|options| SubgroupRateDifference {
    at: threshold(options, "at")?,
    rate: options.word("rate")?,
    level: options.level()?,
});

impl Joint for SubgroupRateDifference {
    type Record = SubgroupRateRecord;

    const INPUTS: Inputs = Inputs::scores(Some(1)).keyed(KeyInput::called("subgroup"));

    fn key_kind(&self) -> KeyKind<'_> {
        KeyKind::Truth
    }

    fn needs(&self) -> Needs {
        Needs::VALUES
    }

    fn evaluate(&self, rows: &Rows) -> SubgroupRateRecord {
        let mut counts = [Proportion { successes: 0, trials: 0 }; 2];
        for ((inside, &label), &score) in in_subgroup(rows).zip(&rows.labels).zip(&rows.values[0]) {
            if let Some(counted) = self.rate.outcome(label, score >= self.at) {
                let count = &mut counts[usize::from(inside)];
                count.trials += 1;
                count.successes += u64::from(counted);
            }
        }
        let [background, subgroup] = counts;
        let share = |proportion: Proportion| (proportion.trials > 0).then(|| proportion.share());
        let undefined = SubgroupRateRecord {
            subgroup_rate: share(subgroup),
            background_rate: share(background),
            n_subgroup: subgroup.trials,
            n_background: background.trials,
            ..SubgroupRateRecord::undefined(rows)
        };
        let (Some(a), Some(b)) = (share(subgroup), share(background)) else { return undefined };
        let z = miettinen_nurminen_z(subgroup, background, 1.0);
        let has_success = subgroup.successes + background.successes > 0;
        let limits = has_success.then(|| miettinen_nurminen(subgroup, background, self.level));
        SubgroupRateRecord {
            difference: RateInterval::new(Some(a - b), Some(newcombe(subgroup, background, self.level))),
            ratio: RateInterval::new(has_success.then(|| a / b), limits),
            p_value: Some(Alternative::TwoSided.p_value(z, upper_tail)),
            four_fifths: Some(is_four_fifths(subgroup, background)),
            ..undefined
        }
    }
}

/// Whether the smaller of two rates is at least four fifths of the larger, in integers. A lower ratio is
/// regarded as evidence of adverse impact (Uniform Guidelines on Employee Selection Procedures 1978, section
/// 4D).
fn is_four_fifths(a: Proportion, b: Proportion) -> bool {
    let product = |proportion: Proportion, other: Proportion| {
        u128::from(proportion.successes) * u128::from(other.trials)
    };
    let (one, two) = (product(a, b), product(b, a));
    5 * one.min(two) >= 4 * one.max(two)
}

declaration! {
    /// The difference and the ratio of a rate at a threshold between a subgroup and all other rows, with their
    /// intervals.
    ///
    /// Words: fairness, demographic parity, equal opportunity, equalized odds, disparate impact, four-fifths rule, risk ratio.
    SubgroupRateDifference => SubgroupRateRecord {
        label, score,
        /// Whether each row belongs to the subgroup; all other rows are the background. Boolean, such as
        /// `pl.col("country") == "NO"`, or an integer or float column that contains only 0 and 1.
        subgroup: column;
        /// The threshold: a row is predicted positive if `score >= at`.
        at: number,
        /// The rate compared: `"tpr"`, the share of positives predicted positive; `"fpr"`, the share of negatives
        /// predicted positive; `"ppv"`, the share of positives among the rows predicted positive; `"selection_rate"`,
        /// the share of all rows predicted positive; or `"accuracy"`.
        rate: word<Rate> = "tpr",
        level = 0.95, count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::rows_of;

    fn compute(rate: Rate) -> SubgroupRateRecord {
        let labels = [1, 1, 1, 0, 1, 1, 0, 0];
        let scores = [0.9, 0.6, 0.1, 0.7, 0.8, 0.2, 0.1, 0.5];
        let rows = rows_of(&labels, &[&scores], &[1, 1, 1, 1, 0, 0, 0, 0]);
        let statistic = SubgroupRateDifference { at: 0.5, rate, level: 0.95 };
        statistic.evaluate(&Rows { key_codes: vec![0, 1], ..rows })
    }

    #[test]
    fn few_rows() {
        let tpr = compute(Rate::Tpr);
        assert_eq!((tpr.subgroup_rate, tpr.background_rate), (Some(2.0 / 3.0), Some(0.5)));
        assert_eq!((tpr.ratio.value, tpr.four_fifths), (Some(4.0 / 3.0), Some(false)));
        assert_eq!((tpr.n_subgroup, tpr.n_background), (3, 2));
        assert!(tpr.difference.lower < Some(0.0) && tpr.ratio.upper > Some(2.0));
        let rate = compute(Rate::SelectionRate);
        assert_eq!((rate.subgroup_rate, rate.background_rate), (Some(0.75), Some(0.5)));
        let ppv = compute(Rate::Ppv);
        assert_eq!(
            (ppv.subgroup_rate, ppv.background_rate, ppv.n_background),
            (Some(2.0 / 3.0), Some(0.5), 2)
        );
        let accuracy = compute(Rate::Accuracy);
        assert_eq!((accuracy.subgroup_rate, accuracy.background_rate), (Some(0.5), Some(0.5)));
        assert_eq!((accuracy.p_value, accuracy.four_fifths), (Some(1.0), Some(true)));
    }

    #[test]
    fn no_background() {
        let rows = rows_of(&[1, 0], &[&[2.0, 1.0]], &[1, 1]);
        let statistic = SubgroupRateDifference { at: 1.5, rate: Rate::Fpr, level: 0.95 };
        let record = statistic.evaluate(&Rows { key_codes: vec![1], ..rows });
        assert_eq!((record.subgroup_rate, record.background_rate), (Some(0.0), None));
        assert_eq!((record.difference.value, record.four_fifths, record.n_subgroup), (None, None, 1));
    }

    #[test]
    fn exactly_four_fifths() {
        let proportion = |successes, trials| Proportion { successes, trials };
        assert!(
            is_four_fifths(proportion(4, 10), proportion(5, 10))
                && is_four_fifths(proportion(1, 2), proportion(2, 5))
        );
        assert!(
            !is_four_fifths(proportion(39, 100), proportion(5, 10))
                && is_four_fifths(proportion(0, 3), proportion(0, 4))
        );
    }
}
