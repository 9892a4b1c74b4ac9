//! Counts and rates at a specified threshold.

use super::confusion::{Calls, Confusion};
use super::operating_point::MAX_BETA;
use crate::math::binomial::{clopper_pearson, wilson};
use crate::math::normal::upper_quantile;
use crate::ranking::scores::Number;
use crate::ranking::ties::{Count, Ties};
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{RateInterval, interval::tail};
use crate::statistics::kinds::{Column, Curve, Record, Summary, Threshold, record};
use crate::statistics::options::{from_options, words};

/// Counts and rates of predicting rows positive from a specified threshold on.
#[derive(Clone, Copy, Debug)]
pub struct ConfusionAt {
    /// A row is predicted positive if its score is not below.
    pub threshold: Number,
    /// The options of rates and their intervals.
    pub options: RateOptions,
}

/// The same at several thresholds, in the specified order.
#[derive(Clone, Debug)]
pub struct ConfusionsAt {
    /// The thresholds.
    pub thresholds: Vec<Number>,
    /// The options of rates and their intervals.
    pub options: RateOptions,
}

/// The options of rates and their intervals.
#[derive(Clone, Copy, Debug)]
pub struct RateOptions {
    /// The weight of recall in the F measure.
    pub beta: f64,
    /// The method of the intervals of proportions.
    pub interval: Interval,
    /// Their coverage.
    pub level: f64,
}

/// The method of the interval of a proportion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interval {
    /// By inverting the score test (Wilson 1927).
    #[default]
    Wilson,
    /// By inverting the exact binomial test (Clopper and Pearson 1934).
    ClopperPearson,
}

record! {
    /// The counts and rates of one group. Limits are null with weights, which do not say how many observations there are.
    pub struct ConfusionRecord {
        /// - `threshold`: the lowest value of the score's dtype that is not below `at`; null if there is none. For an
        ///   expression, its value in its own dtype; null if it varies within the group.
        /// - `tp`, `fp`, `tn`, `fn`: the four counts; with weights, the sums of weights (Float64).
        pub calls: Calls,
        /// `tp / P` (recall, sensitivity), with its limits.
        pub tpr: RateInterval,
        /// `fp / N` (1 - specificity), with its limits. All limits are null with weights, which do not give the
        /// number of observations.
        pub fpr: RateInterval,
        /// `tp / (tp + fp)` (positive predictive value), with its limits.
        pub precision: RateInterval,
        /// `tn / (tn + fn)` (negative predictive value), with its limits.
        pub npv: RateInterval,
        /// The positive likelihood ratio `tpr / fpr`, with its limits.
        pub positive_likelihood: RateInterval,
        /// The negative likelihood ratio `(1 - tpr) / (1 - fpr)`, with its limits.
        pub negative_likelihood: RateInterval,
        /// The diagnostic odds ratio `tp tn / (fp fn)`, with its limits. Limits of ratios are null if a count in them
        /// is 0.
        pub odds_ratio: RateInterval,
        /// The share of rows predicted correctly.
        pub accuracy: Option<f64>,
        /// The share of rows predicted incorrectly.
        pub error: Option<f64>,
        /// `(tpr + 1 - fpr) / 2`.
        pub balanced_accuracy: Option<f64>,
        /// `(1 + beta²) precision tpr / (beta² precision + tpr)`.
        pub f: Option<f64>,
        /// Matthews' correlation of labels and predicted classes, -1 to 1.
        pub mcc: Option<f64>,
        /// Cohen's kappa: the agreement of labels and predicted classes beyond chance, at most 1.
        pub kappa: Option<f64>,
        /// The share of rows predicted positive.
        pub predicted_rate: Option<f64>,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

words!(Interval { "wilson" => Wilson, "clopper_pearson" => ClopperPearson });

from_options!(|options| RateOptions {
    interval: options.word("interval")?,
    level: options.level()?,
    beta: options.above_0("beta", MAX_BETA)?,
});

from_options!(|options| ConfusionAt {
    options: RateOptions::from_options(options)?,
    threshold: options.threshold("at")?,
});

from_options!(|options| ConfusionsAt {
    options: RateOptions::from_options(options)?,
    thresholds: options.thresholds("at")?,
});

impl Summary for ConfusionAt {
    type Record = ConfusionRecord;

    const WEIGHTS: bool = true;

    fn evaluate(&self, mut ties: Ties<'_>) -> ConfusionRecord {
        self.options.record(self.threshold, &mut ties)
    }
}

impl Curve for ConfusionsAt {
    type Record = ConfusionRecord;

    const WEIGHTS: bool = true;

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        for &threshold in &self.thresholds {
            self.options.record(threshold, &mut ties).append(columns);
        }
        true
    }
}

impl RateOptions {
    fn record(&self, threshold: Number, ties: &mut Ties<'_>) -> ConfusionRecord {
        let key = ties.at_least(threshold);
        let (tp, fp) = key.map_or((0, 0), |key| ties.reached(key));
        let calls = Confusion::all_negative(ties).with(tp, fp);
        let has_counts = calls.units.is_none();
        let share = |value: Option<f64>, successes: u64, trials: u64| {
            let limits = (has_counts && trials > 0).then(|| match self.interval {
                Interval::Wilson => wilson(successes, trials, self.level),
                Interval::ClopperPearson => clopper_pearson(successes, trials, self.level),
            });
            RateInterval::new(value, limits)
        };
        let (tn, fn_) = (calls.n_neg - calls.fp, calls.n_pos - calls.tp);
        // The variance of a logarithm is a sum of reciprocals of counts; a count of 0 has none.
        let ratio = |value: Option<f64>, plus: &[u64], minus: &[u64]| {
            let has_limits = has_counts && plus.iter().all(|&count| count > 0);
            let limits = value.filter(|_| has_limits).map(|ratio| {
                let reciprocals =
                    |counts: &[u64]| counts.iter().map(|&count| 1.0 / count as f64).sum::<f64>();
                let se = (reciprocals(plus) - reciprocals(minus)).max(0.0).sqrt();
                let factor = (upper_quantile(tail(self.level)) * se).exp();
                (ratio / factor, ratio * factor)
            });
            RateInterval::new(value, limits)
        };
        let classes = [calls.n_pos, calls.n_neg];
        ConfusionRecord::new(
            calls.at(key.map(Threshold)),
            share(calls.tpr(), tp, calls.n_pos),
            share(calls.fpr(), fp, calls.n_neg),
            share(calls.precision(), tp, tp + fp),
            share(calls.npv(), tn, tn + fn_),
            ratio(calls.positive_likelihood(), &[tp, fp], &classes),
            ratio(calls.negative_likelihood(), &[fn_, tn], &classes),
            ratio(calls.odds_ratio(), &[tp, fp, tn, fn_], &[]),
            calls.accuracy(),
            calls.error(),
            calls.balanced_accuracy(),
            calls.f(self.beta),
            calls.mcc(),
            calls.kappa(),
            calls.predicted_rate(),
            (&*ties).into(),
        )
    }
}

declaration! {
    /// The confusion matrix at given thresholds, with its rates and their intervals.
    ///
    /// Words: confusion matrix, sensitivity, specificity, precision, recall, PPV, NPV, likelihood ratio, odds ratio, MCC,
    /// Matthews correlation, kappa, balanced accuracy, F-score, Wilson interval.
    ConfusionAt => ConfusionRecord {
        label = None, score = None,
        /// The threshold: a row is predicted positive if `score >= at`. A list of thresholds gives a list of records
        /// in the same order. Numbers are compared with the scores in the dtype of the scores, without rounding: 2.5
        /// on integers means 3 and above. With Decimal scores a float means the decimal as written; with Float scores
        /// a Decimal with fractional digits means the nearest float. An expression gives a threshold for each row or
        /// group, such as `pl.col("cut_off")` or `pl.col("score").quantile(0.9)`. It is compared with the score as
        /// Polars does, and rows where it is null are skipped. Expressions are not supported with `state`.
        at: python("float | Iterable[float] | pl.Expr") = None;
        /// The weight of recall in the F measure, above 0: with 2, recall counts four times as much as precision.
        beta: number = 1.0,
        /// The intervals of tpr, fpr, precision and npv: `"wilson"`, from the score test, or `"clopper_pearson"`,
        /// exact, with a coverage of at least `level` and usually more.
        interval: word<Interval> = "wilson",
        level = 0.95, weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::kinds::Mass;
    use crate::statistics::tests::summary;

    #[test]
    fn between_scores_and_beyond() {
        let at = |threshold: f64| {
            let statistic = ConfusionAt {
                threshold: Number::Float(threshold),
                options: RateOptions { beta: 1.0, interval: Interval::Wilson, level: 0.95 },
            };
            summary(&statistic, &[1, 1, 0, 0, 0], &[3u8, 2, 2, 1, 0])
        };
        let record = at(1.5);
        assert_eq!(
            (record.calls.threshold, record.calls.tp, record.calls.fp),
            (Some(Threshold(2)), Some(Mass(2)), Some(Mass(1)))
        );
        assert_eq!(
            (record.tpr.value, record.fpr.value, record.accuracy),
            (Some(1.0), Some(1.0 / 3.0), Some(0.8))
        );
        assert!(record.fpr.lower < record.fpr.value && record.fpr.value < record.fpr.upper);
        let all_negative = at(300.0);
        assert_eq!(
            (all_negative.calls.threshold, all_negative.calls.tp, all_negative.precision.value),
            (None, Some(Mass(0)), None)
        );
        assert_eq!(at(-1.0).calls.fp, Some(Mass(3)));
        assert_eq!(
            (record.positive_likelihood.value, record.negative_likelihood.value),
            (Some(3.0), Some(0.0))
        );
        assert_eq!((record.odds_ratio.value, record.negative_likelihood.lower), (None, None));
    }

    /// Simel, Samsa and Matchar (1991): the `ln` of a ratio has the variance `1/80 - 1/100 + 1/10 - 1/100`.
    #[test]
    fn likelihood_ratios() {
        let mut rows = Vec::new();
        for (label, score, count) in [(1u8, 1u8, 80), (1, 0, 20), (0, 1, 10), (0, 0, 90)] {
            rows.extend(std::iter::repeat_n((label, score), count));
        }
        let (labels, scores): (Vec<u8>, Vec<u8>) = rows.into_iter().unzip();
        let options = RateOptions { beta: 1.0, interval: Interval::Wilson, level: 0.95 };
        let record = summary(&ConfusionAt { threshold: Number::Float(1.0), options }, &labels, &scores);
        let near =
            |got: Option<f64>, expected: f64| assert!((got.unwrap() - expected).abs() < 5e-3, "{got:?}");
        near(record.positive_likelihood.value, 8.0);
        near(record.positive_likelihood.lower, 4.408);
        near(record.positive_likelihood.upper, 14.520);
        near(record.negative_likelihood.value, 0.222);
        near(record.negative_likelihood.lower, 0.149);
        near(record.negative_likelihood.upper, 0.331);
        near(record.odds_ratio.value, 36.0);
        assert!(
            record.odds_ratio.lower < record.odds_ratio.value
                && record.odds_ratio.value < record.odds_ratio.upper
        );
    }
}
