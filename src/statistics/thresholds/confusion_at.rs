//! Counts and rates at a given threshold.

use super::confusion::Confusion;
use super::operating_point::MOST_BETA;
use crate::math::binomial::{clopper_pearson, wilson};
use crate::math::normal::upper_quantile;
use crate::ranking::scores::Number;
use crate::ranking::ties::{RowCounts, Ties};
use crate::statistics::kinds::{
    Curve, FromOptions, OptionError, Options, Summary,
    column::Column,
    options::words,
    record::{Mass, Record, Threshold, record},
};

/// Counts and rates of calling rows positive from a given threshold on.
#[derive(Clone, Copy, Debug)]
pub struct ConfusionAt {
    /// A row is called positive if its score is not below.
    pub threshold: Number,
    /// How rates and their intervals are made.
    pub options: RateOptions,
}

/// The same at several thresholds, in the order given.
#[derive(Clone, Debug)]
pub struct ConfusionsAt {
    /// The thresholds.
    pub thresholds: Vec<Number>,
    /// How rates and their intervals are made.
    pub options: RateOptions,
}

/// How rates and their intervals are made.
#[derive(Clone, Copy, Debug)]
pub struct RateOptions {
    /// The weight of recall in the F measure.
    pub beta: f64,
    /// How the intervals of shares are made.
    pub interval: Interval,
    /// Their coverage.
    pub level: f64,
}

/// How the interval of a share is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
        /// Limits of its interval.
        pub precision_lower: Option<f64>,
        /// The upper one.
        pub precision_upper: Option<f64>,
        /// `tn / (tn + fn)`.
        pub npv: Option<f64>,
        /// Limits of its interval.
        pub npv_lower: Option<f64>,
        /// The upper one.
        pub npv_upper: Option<f64>,
        /// `tpr / fpr`: how much more often a positive is called positive.
        pub positive_likelihood: Option<f64>,
        /// Limits of its interval.
        pub positive_likelihood_lower: Option<f64>,
        /// The upper one.
        pub positive_likelihood_upper: Option<f64>,
        /// `(1 - tpr) / (1 - fpr)`: how much more often a positive is called negative.
        pub negative_likelihood: Option<f64>,
        /// Limits of its interval.
        pub negative_likelihood_lower: Option<f64>,
        /// The upper one.
        pub negative_likelihood_upper: Option<f64>,
        /// `tp tn / (fp fn)`: the diagnostic odds ratio.
        pub odds_ratio: Option<f64>,
        /// Limits of its interval.
        pub odds_ratio_lower: Option<f64>,
        /// The upper one.
        pub odds_ratio_upper: Option<f64>,
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

words!(Interval { "wilson" => Wilson, "clopper_pearson" => ClopperPearson });

impl FromOptions for RateOptions {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        Ok(RateOptions {
            interval: options.word("interval")?,
            level: options.level()?,
            beta: options.above_0("beta", MOST_BETA)?,
        })
    }
}

impl FromOptions for ConfusionAt {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let rates = RateOptions::from_options(options)?;
        Ok(ConfusionAt { threshold: options.threshold("at")?, options: rates })
    }
}

impl FromOptions for ConfusionsAt {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let rates = RateOptions::from_options(options)?;
        Ok(ConfusionsAt { thresholds: options.thresholds("at")?, options: rates })
    }
}

impl Summary for ConfusionAt {
    type Record = ConfusionRecord;

    const WEIGHTS: bool = true;

    fn of_ties(&self, mut ties: Ties<'_>) -> ConfusionRecord {
        self.options.record(self.threshold, &mut ties)
    }

    fn of_nan(&self, RowCounts { n_pos, n_neg, .. }: RowCounts) -> ConfusionRecord {
        ConfusionRecord { n_pos, n_neg, ..ConfusionRecord::nan() }
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
    /// The counts and rates at a threshold.
    fn record(&self, threshold: Number, ties: &mut Ties<'_>) -> ConfusionRecord {
        let (n_pos, n_neg) = ties.rows();
        let key = ties.at_least(threshold);
        let nobody = Confusion::nobody(ties);
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
        let (not_n, not_p) = (calls.n_neg - calls.fp, calls.n_pos - calls.tp);
        let of_precision = limits(calls.tp, calls.tp + calls.fp);
        let of_npv = limits(not_n, not_n + not_p);
        let has_counts = calls.units.is_none();
        // The variance of a logarithm is a sum of reciprocals of counts, and one of 0 has none.
        let around = |ratio: Option<f64>, plus: &[u64], minus: &[u64]| {
            let known = has_counts && plus.iter().all(|&count| count > 0);
            let ratio = ratio.filter(|_| known)?;
            let reciprocals = |counts: &[u64]| counts.iter().map(|&count| 1.0 / count as f64).sum::<f64>();
            let se = (reciprocals(plus) - reciprocals(minus)).max(0.0).sqrt();
            let factor = (upper_quantile(0.5 * (1.0 - self.level)) * se).exp();
            Some((ratio / factor, ratio * factor))
        };
        let [positive, negative, odds] =
            [calls.positive_likelihood(), calls.negative_likelihood(), calls.odds_ratio()];
        let classes = [calls.n_pos, calls.n_neg];
        let of_positive = around(positive, &[calls.tp, calls.fp], &classes);
        let of_negative = around(negative, &[not_p, not_n], &classes);
        let of_odds = around(odds, &[calls.tp, calls.fp, not_n, not_p], &[]);
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
            of_precision.map(|limits| limits.0),
            of_precision.map(|limits| limits.1),
            calls.npv(),
            of_npv.map(|limits| limits.0),
            of_npv.map(|limits| limits.1),
            positive,
            of_positive.map(|limits| limits.0),
            of_positive.map(|limits| limits.1),
            negative,
            of_negative.map(|limits| limits.0),
            of_negative.map(|limits| limits.1),
            odds,
            of_odds.map(|limits| limits.0),
            of_odds.map(|limits| limits.1),
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
}

#[cfg(test)]
mod tests {
    use super::*;
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
            (record.threshold, record.tp, record.fp),
            (Some(Threshold(2)), Some(Mass(2)), Some(Mass(1)))
        );
        assert_eq!((record.tpr, record.fpr, record.accuracy), (Some(1.0), Some(1.0 / 3.0), Some(0.8)));
        assert!(record.fpr_lower < record.fpr && record.fpr < record.fpr_upper);
        let nobody = at(300.0);
        assert_eq!((nobody.threshold, nobody.tp, nobody.precision), (None, Some(Mass(0)), None));
        assert_eq!(at(-1.0).fp, Some(Mass(3)));
        assert_eq!((record.positive_likelihood, record.negative_likelihood), (Some(3.0), Some(0.0)));
        assert_eq!((record.odds_ratio, record.negative_likelihood_lower), (None, None));
    }

    /// Simel, Samsa and Matchar (1991): `ln` of a ratio has the variance `1/80 - 1/100 + 1/10 - 1/100`.
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
        near(record.positive_likelihood, 8.0);
        near(record.positive_likelihood_lower, 4.408);
        near(record.positive_likelihood_upper, 14.520);
        near(record.negative_likelihood, 0.222);
        near(record.negative_likelihood_lower, 0.149);
        near(record.negative_likelihood_upper, 0.331);
        near(record.odds_ratio, 36.0);
        assert!(record.odds_ratio_lower < record.odds_ratio && record.odds_ratio < record.odds_ratio_upper);
    }
}
