//! Common statistics of a group, from one walk.

use super::curve_sums::CurveSums;
use super::roc_auc_ci::RocAucCi;
use super::roc_summary_short::{ShortSummaryRecord, share_of_positives};
use crate::ranking::ties::{Count, RowCounts, Ties};
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{Interval, RateInterval};
use crate::statistics::kinds::{Summary, Threshold, record};
use crate::statistics::numbers::average_precision::{mean_precision, one_class_precision};
use crate::statistics::options::{OptionError, from_options};
use crate::statistics::resampling::Resampling;
use crate::statistics::thresholds::confusion::Confusion;

/// AUC with its interval, Gini coefficient, KS distance, average precision and best threshold.
///
/// Each number equals its separate statistic. The rows are ranked only once. The average precision is
/// `sum (tpr_i - tpr_(i-1)) precision_i` over the distinct scores, without interpolation (Manning, Raghavan
/// and Schütze 2008, section 8.4). The best threshold maximises `tpr - fpr` (Youden 1950); the highest of
/// several.
#[derive(Clone, Copy, Debug, Default)]
pub struct RocSummary {
    /// The method of the interval.
    pub ci: RocAucCi,
}

record! {
    /// The numbers of one group.
    pub struct RocSummaryRecord {
        /// The AUC, as in `roc_auc()`.
        pub auc: Option<f64>,
        /// Its standard error and confidence limits, as in `roc_auc_ci()`.
        pub interval: Interval,
        /// - `gini`: the Gini coefficient, as in `gini()`.
        /// - `gini_lower`, `gini_upper`: its confidence limits, `2 lower - 1` and `2 upper - 1`.
        pub gini: RateInterval,
        /// The Kolmogorov-Smirnov distance, as in `ks_statistic()`.
        pub ks: Option<f64>,
        /// The average precision, as in `average_precision()`; 1 with no negatives.
        pub average_precision: Option<f64>,
        /// The score with the largest `tpr - fpr`, the highest of several: a row is predicted positive if `score >=
        /// best_threshold`.
        pub best_threshold: Option<Threshold>,
        /// `n_pos / n`; with weights, the positives' share of all weights, which is NaN if a score is NaN.
        pub prevalence: Option<f64>,
        /// The number of rows used.
        pub n: u64,
        /// The number of rows skipped because the label or the score is null.
        pub n_missing: u64,
        /// The number of skipped rows with a score but no label, such as new rows with an unknown outcome; null with
        /// `state`, because states do not count them separately.
        pub n_unlabelled: Option<u64>,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

from_options!(|options| RocSummary { ci: RocAucCi::parse(options, "ci", options.word("ci")?)? });

impl Summary for RocSummary {
    type Record = RocSummaryRecord;

    const WEIGHTS: bool = true;

    fn check_sums_of_weights(&self) -> Result<(), OptionError> {
        self.ci.check_weights("ci", "does not support weights, but the states have weights")
    }

    fn resampling(&self) -> Option<Resampling> {
        self.ci.resampling()
    }

    fn for_large_groups(&self) -> Option<&'static str> {
        self.ci.for_large_groups()
    }

    fn evaluate(&self, mut ties: Ties<'_>) -> RocSummaryRecord {
        let (n_pos, n_neg) = (ties.n_pos(), ties.n_neg());
        let all = Confusion::all_negative(&ties);
        let has_weights = ties.units().is_some();
        let mut record = RocSummaryRecord::undefined(&ties).with_counts(ties.row_counts());
        if has_weights {
            record.prevalence = all.with(n_pos, n_neg).precision();
        }
        if !ties.has_pairs() {
            return RocSummaryRecord { average_precision: one_class_precision(n_pos), ..record };
        }
        let curve = CurveSums::new(&mut ties, &all);
        let short = ShortSummaryRecord::undefined(record.rows).with_areas(
            ties.pairs(),
            &curve.placements,
            curve.ks_distance,
            |auc| self.ci.interval_of(auc, &curve.placements, &mut ties).0,
        );
        RocSummaryRecord {
            auc: short.auc,
            interval: short.interval,
            gini: short.gini,
            ks: short.ks,
            average_precision: Some(mean_precision(curve.precisions, n_pos)),
            best_threshold: curve.best.map(Threshold),
            ..record
        }
    }

    fn nan_record(&self, rows: RowCounts) -> RocSummaryRecord {
        RocSummaryRecord::nan(rows).with_counts(rows)
    }
}

impl RocSummaryRecord {
    /// Adds the fields that depend only on the counts of rows.
    fn with_counts(self, rows: RowCounts) -> Self {
        let RowCounts { n_pos, n_neg, n_missing, n_unlabelled, .. } = rows;
        let prevalence = share_of_positives(rows);
        RocSummaryRecord { prevalence, n: n_pos + n_neg, n_missing, n_unlabelled, ..self }
    }
}

declaration! {
    /// The most common measures of a score in one pass: AUC with its interval, Gini, KS, average precision, best
    /// threshold, prevalence.
    ///
    /// Words: summary of a score, all metrics at once, prevalence.
    RocSummary => RocSummaryRecord {
        label = None, score = None;
        /// The method of the interval: see `roc_auc_ci()`.
        ci: word<super::roc_auc_ci::IntervalMethod> = "wilson",
        level = 0.95,
        /// The bootstrap limits, the number of resamples and the seed: see `roc_auc_ci()`.
        interval: word<super::roc_auc_ci::BootstrapInterval> = None,
        n_resamples: integer = None,
        seed: integer = None,
        weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::scores::Score;
    use crate::statistics::numbers::{Gini, KsStatistic};
    use crate::statistics::tests::summary;
    use proptest::prelude::*;

    /// sklearn.metrics.average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    #[test]
    fn four_rows() {
        let record = summary(&RocSummary::default(), &[0, 0, 1, 1], &[0.1, 0.4, 0.35, 0.8]);
        assert_eq!((record.auc, record.gini.value, record.ks), (Some(0.75), Some(0.5), Some(0.5)));
        assert!((record.average_precision.unwrap() - 0.833_333_333_333_333_3).abs() < 1e-15);
        assert_eq!(record.best_threshold, Some(Threshold(0.8f64.key().into())), "the higher of 0.8 and 0.35");
    }

    #[test]
    fn edges() {
        let reversed = summary(&RocSummary::default(), &[1, 0, 0], &[1u8, 2, 3]);
        assert_eq!((reversed.auc, reversed.interval.se, reversed.ks), (Some(0.0), None, Some(1.0)));
        assert_eq!(
            reversed.best_threshold,
            Some(Threshold(1)),
            "everything predicted positive is as good as nothing"
        );
        let alone = summary(&RocSummary::default(), &[1, 1], &[1u8, 2]);
        assert_eq!((alone.auc, alone.average_precision, alone.rows.pos), (None, Some(1.0), 2));
    }

    proptest! {
        #[test]
        fn equals_each_statistic(rows in proptest::collection::vec((0u8..2, -9i8..9), 0..150)) {
            let (labels, scores): (Vec<u8>, Vec<i8>) = rows.into_iter().unzip();
            let record = summary(&RocSummary::default(), &labels, &scores);
            let ci = summary(&RocAucCi::default(), &labels, &scores);
            prop_assert_eq!((record.auc, record.interval.se, record.interval.lower, record.interval.upper), (ci.auc, ci.interval.se, ci.interval.lower, ci.interval.upper));
            prop_assert_eq!((record.n, record.n_missing), (labels.len() as u64, 0));
            prop_assert_eq!(record.gini.value, summary(&Gini {}, &labels, &scores).gini);
            let on_scale_of_gini = |limit: Option<f64>| limit.map(|limit| 2.0 * limit - 1.0);
            let limits = [ci.interval.lower, ci.interval.upper].map(on_scale_of_gini);
            prop_assert_eq!([record.gini.lower, record.gini.upper], limits);
            prop_assert_eq!(record.ks, summary(&KsStatistic::default(), &labels, &scores).ks);
        }
    }
}
