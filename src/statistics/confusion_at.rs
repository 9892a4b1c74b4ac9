//! Counts and rates at a given threshold.

use super::confusion::Confusion;
use super::operating_point::MOST_BETA;
use super::record::{Mass, Threshold, record};
use super::roc_curve_at::Bound;
use super::{Given, Summary, check_level};
use crate::math::binomial::{clopper_pearson, wilson};
use crate::ranking::{RowCounts, Ties};

/// Counts and rates of calling rows positive from a given threshold on.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
pub struct ConfusionAt {
    /// A row is called positive if its score is not below.
    pub threshold: Bound,
    /// The weight of recall in the F measure.
    pub beta: f64,
    /// How the intervals of tpr and fpr are made.
    pub interval: Interval,
    /// Their coverage.
    pub level: f64,
}

/// How the interval of a share is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Interval {
    /// By inverting the score test (Wilson 1927).
    #[default]
    Wilson,
    /// By inverting the exact binomial test (Clopper and Pearson 1934).
    ClopperPearson,
}

record! {
    /// The counts and rates of one group.
    pub struct ConfusionRecord {
        /// The lowest possible score that is not below the threshold; null if no score is so high.
        pub threshold: Option<Threshold>,
        /// Positives called positive.
        pub tp: Option<Mass>,
        /// Negatives called positive.
        pub fp: Option<Mass>,
        /// Negatives called negative.
        pub tn: Option<Mass>,
        /// Positives called negative.
        pub r#fn: Option<Mass>,
        /// `tp / P`: recall, sensitivity.
        pub tpr: Option<f64>,
        /// Limits of its interval.
        pub tpr_lower: Option<f64>,
        /// The upper one.
        pub tpr_upper: Option<f64>,
        /// `fp / N`: 1 - specificity.
        pub fpr: Option<f64>,
        /// Limits of its interval.
        pub fpr_lower: Option<f64>,
        /// The upper one.
        pub fpr_upper: Option<f64>,
        /// `tp / (tp + fp)`.
        pub precision: Option<f64>,
        /// `tn / (tn + fn)`.
        pub npv: Option<f64>,
        /// `(tp + tn) / (P + N)`.
        pub accuracy: Option<f64>,
        /// `1 - accuracy`.
        pub error: Option<f64>,
        /// `(tpr + 1 - fpr) / 2`.
        pub balanced_accuracy: Option<f64>,
        /// The F measure.
        pub f: Option<f64>,
        /// Matthews' correlation.
        pub mcc: Option<f64>,
        /// Cohen's kappa.
        pub kappa: Option<f64>,
        /// `(tp + fp) / (P + N)`.
        pub predicted_rate: Option<f64>,
        /// Positives that were used.
        pub n_pos: u64,
        /// Negatives that were used.
        pub n_neg: u64,
    }
}

impl Summary for ConfusionAt {
    type Record = ConfusionRecord;

    const WEIGHTS: bool = true;

    fn check(&self, _: Given) -> Result<(), String> {
        self.threshold.number()?;
        if !(0.0 < self.beta && self.beta <= MOST_BETA) {
            return Err(format!(
                "beta must be a number above 0 and not above {MOST_BETA}, got {}",
                self.beta
            ));
        }
        check_level(self.level)
    }

    fn of_ties(&self, mut ties: Ties<'_>) -> ConfusionRecord {
        let (n_pos, n_neg) = ties.rows();
        let key = self.threshold.number().ok().and_then(|number| ties.at_least(number));
        let nobody = Confusion::nobody(&ties);
        let (tp, fp) = key.map_or((0, 0), |key| ties.reached(key));
        let calls = nobody.with(tp, fp);
        // Weights do not say how many observations there are.
        let limits = |successes: u64, trials: u64| {
            (calls.units.is_none() && trials > 0).then(|| match self.interval {
                Interval::Wilson => wilson(successes, trials, self.level),
                Interval::ClopperPearson => clopper_pearson(successes, trials, self.level),
            })
        };
        let (of_tpr, of_fpr) = (limits(calls.tp, calls.n_pos), limits(calls.fp, calls.n_neg));
        let [tp, fp, tn, fn_] = calls.masses().map(Some);
        ConfusionRecord::new(
            key.map(Threshold),
            tp,
            fp,
            tn,
            fn_,
            calls.tpr(),
            of_tpr.map(|limits| limits.0),
            of_tpr.map(|limits| limits.1),
            calls.fpr(),
            of_fpr.map(|limits| limits.0),
            of_fpr.map(|limits| limits.1),
            calls.precision(),
            calls.npv(),
            calls.accuracy(),
            calls.error(),
            calls.balanced_accuracy(),
            calls.f(self.beta),
            calls.mcc(),
            calls.kappa(),
            calls.predicted_rate(),
            n_pos,
            n_neg,
        )
    }

    fn of_nan(&self, RowCounts { n_pos, n_neg, .. }: RowCounts) -> ConfusionRecord {
        ConfusionRecord { n_pos, n_neg, ..ConfusionRecord::nan() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;

    #[test]
    fn between_scores_and_beyond() {
        let at = |threshold: f64| {
            let statistic = ConfusionAt {
                threshold: Bound::Float(threshold),
                beta: 1.0,
                interval: Interval::Wilson,
                level: 0.95,
            };
            summary(&statistic, &[1, 1, 0, 0, 0], &[3u8, 2, 2, 1, 0])
        };
        let record = at(1.5);
        assert_eq!(
            (record.threshold, record.tp, record.fp),
            (Some(Threshold(2)), Some(Mass(2)), Some(Mass(1)))
        );
        assert_eq!((record.tpr, record.fpr, record.accuracy), (Some(1.0), Some(1.0 / 3.0), Some(0.8)));
        assert!(record.fpr_lower < record.fpr && record.fpr < record.fpr_upper);
        let nobody = at(300.0);
        assert_eq!((nobody.threshold, nobody.tp, nobody.precision), (None, Some(Mass(0)), None));
        assert_eq!(at(-1.0).fp, Some(Mass(3)));
    }
}
