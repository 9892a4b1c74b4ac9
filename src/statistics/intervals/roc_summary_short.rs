//! The statistics of a group in a report.

use super::roc_auc_ci::RocAucCi;
use crate::math;
use crate::ranking::ties::{Count, Placements, RowCounts, Ties};
use crate::statistics::inference::{Interval, RateInterval};
use crate::statistics::kinds::{Summary, record};
use crate::statistics::numbers::KsStatistic;
use crate::statistics::options::{OptionError, from_options};
use crate::statistics::resampling::Resampling;
use crate::statistics::thresholds::confusion::Confusion;

/// AUC with its interval, KS distance and Gini coefficient, as in [`RocSummary`](super::RocSummary) but
/// without the average precision and the best threshold.
///
/// These statistics need no sort of a large group, and the record has no field of the dtype of the scores.
#[derive(Clone, Copy, Debug, Default)]
pub struct RocSummaryShort {
    /// The method of the interval.
    pub ci: RocAucCi,
}

record! {
    /// The numbers of one group, in the order of the columns of a report; see
    /// [`RocSummaryRecord`](super::roc_summary::RocSummaryRecord).
    pub struct ShortSummaryRecord {
        /// The number of rows used.
        pub n: u64,
        /// The number of positives used.
        pub n_pos: u64,
        /// The number of rows skipped.
        pub n_missing: u64,
        /// The number of skipped rows with a score but no label; null for states.
        pub n_unlabelled: Option<u64>,
        /// The share of positives among the rows used; null with no rows.
        pub prevalence: Option<f64>,
        /// The AUC; null, like most numbers here, with no positives or no negatives.
        pub auc: Option<f64>,
        /// Its standard error and confidence limits; null also with fewer than two positives or fewer than two
        /// negatives.
        pub interval: Interval,
        /// `max |tpr - fpr|`.
        pub ks: Option<f64>,
        /// `2 AUC - 1`, with the limits `2 lower - 1` and `2 upper - 1`.
        pub gini: RateInterval,
    }
}

from_options!(|options| RocSummaryShort { ci: RocAucCi::parse(options, "ci", options.word("ci")?)? });

impl Summary for RocSummaryShort {
    type Record = ShortSummaryRecord;

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

    fn evaluate(&self, mut ties: Ties<'_>) -> ShortSummaryRecord {
        let rows = ties.row_counts();
        let mut record = ShortSummaryRecord::undefined(Count::from(&ties)).with_counts(rows);
        if rows.have_weights {
            let all = Confusion::all_negative(&ties);
            record.prevalence = all.with(ties.n_pos(), ties.n_neg()).precision();
        }
        if !ties.has_pairs() {
            return record;
        }
        let (placements, ks_distance) = placements_and_ks_distance(&mut ties);
        record.with_areas(ties.pairs(), &placements, ks_distance, |auc| {
            self.ci.interval_of(auc, &placements, &mut ties).0
        })
    }

    fn nan_record(&self, rows: RowCounts) -> ShortSummaryRecord {
        ShortSummaryRecord::with_nan(rows)
    }
}

/// The sums over placements, and the largest `|tp N - fp P|`. The squares are left out for weighted rows.
fn placements_and_ks_distance(ties: &mut Ties<'_>) -> (Placements, u128) {
    if !ties.has_small_classes() {
        let placements = match ties.units() {
            Some(_) => Placements { sum: ties.twice_u(), ..Placements::default() },
            None => ties.placements(),
        };
        return (placements, KsStatistic::default().ks_distance(ties).distance);
    }
    let (placements, ks_distance) = ties.placements_and_ks_distance();
    (placements, ks_distance.into())
}

impl ShortSummaryRecord {
    /// The record of rows with a NaN score.
    pub(in crate::statistics) fn with_nan(rows: RowCounts) -> Self {
        ShortSummaryRecord::nan(Count::from(rows)).with_counts(rows)
    }

    /// The record of unweighted rows, from their sums over placements and the largest `|tp N - fp P|`, if the
    /// interval needs only these.
    pub(in crate::statistics) fn from_sums(
        rows: RowCounts,
        placements: &Placements,
        ks_distance: u128,
        ci: &RocAucCi,
    ) -> Self {
        let count = Count::from(rows);
        let record = ShortSummaryRecord::undefined(count).with_counts(rows);
        if count.pos == 0 || count.neg == 0 {
            return record;
        }
        let pairs = u128::from(count.pos) * u128::from(count.neg);
        record.with_areas(pairs, placements, ks_distance, |auc| ci.placement_interval(auc, placements, count))
    }

    /// Adds the fields that depend only on the counts of rows.
    fn with_counts(self, rows: RowCounts) -> Self {
        let RowCounts { n_pos, n_neg, n_missing, n_unlabelled, .. } = rows;
        let prevalence = share_of_positives(rows);
        ShortSummaryRecord { prevalence, n: n_pos + n_neg, n_pos, n_missing, n_unlabelled, ..self }
    }

    /// Adds the fields that depend on the sums over placements and the largest `|tp N - fp P|`. `interval`
    /// returns the interval of an AUC.
    pub(super) fn with_areas(
        self,
        pairs: u128,
        placements: &Placements,
        ks_distance: u128,
        interval: impl FnOnce(f64) -> Interval,
    ) -> Self {
        let surplus = placements.sum.cast_signed() - pairs.cast_signed();
        let auc = math::quotient(placements.sum, 2 * pairs);
        let interval = interval(auc);
        let limits = interval.lower.zip(interval.upper);
        let gini = Some(math::signed_quotient(surplus, pairs));
        ShortSummaryRecord {
            auc: Some(auc),
            interval,
            ks: Some(math::quotient(ks_distance, pairs)),
            gini: RateInterval::new(
                gini,
                limits.map(|(lower, upper)| (2.0 * lower - 1.0, 2.0 * upper - 1.0)),
            ),
            ..self
        }
    }
}

/// The share of positives: `None` without rows, and NaN for weighted rows, because the weights are
/// unavailable here.
pub(super) fn share_of_positives(rows: RowCounts) -> Option<f64> {
    let n = rows.n_pos + rows.n_neg;
    let share = || if rows.have_weights { f64::NAN } else { math::quotient(rows.n_pos.into(), n.into()) };
    (n > 0).then(share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::scores::{Bits, Domain, Observations, bits::tests::packed};
    use crate::ranking::{Group, SHARD_ROWS, Strategy};
    use crate::statistics::intervals::RocSummary;
    use crate::statistics::tests::summary;
    use proptest::prelude::*;

    /// The common fields of both summaries.
    fn assert_same(short: &ShortSummaryRecord, whole: &super::super::roc_summary::RocSummaryRecord) {
        let counts = (short.n, short.n_pos, short.n_missing, short.n_unlabelled);
        assert_eq!(counts, (whole.n, whole.rows.pos, whole.n_missing, whole.n_unlabelled));
        assert_eq!((short.prevalence, short.auc, short.gini), (whole.prevalence, whole.auc, whole.gini));
        assert_eq!((short.interval, short.ks), (whole.interval, whole.ks));
    }

    proptest! {
        #[test]
        fn equals_the_whole_summary(rows in proptest::collection::vec((0u8..2, -9i8..9), 0..150)) {
            let (labels, scores): (Vec<u8>, Vec<i8>) = rows.into_iter().unzip();
            let whole = summary(&RocSummary::default(), &labels, &scores);
            assert_same(&summary(&RocSummaryShort::default(), &labels, &scores), &whole);
        }
    }

    /// Groups in shards: either class is the rarer one, and the maximum is above or below the diagonal.
    #[test]
    fn large_groups() {
        let mixed = |row: usize| (row as u32).wrapping_mul(0x9E37_79B1) >> 7;
        for (share, slope) in [(2, 300), (8, 300), (8, -300)] {
            let rows = 0..SHARD_ROWS + 99;
            let labels: Vec<bool> = rows.clone().map(|row| mixed(row) % 10 < share).collect();
            let score = |row: usize| i64::from(mixed(row * 3) % 1000) + i64::from(labels[row]) * slope;
            let scores: Vec<i64> = rows.map(score).collect();
            let bytes = packed(labels.iter().copied());
            let mut group = Group::new(Strategy::Shards, Domain::Any);
            group.load(Observations::new(&scores, Bits::new(&bytes, 0, labels.len()), None));
            let short = RocSummaryShort::default().evaluate(group.ties());
            assert_same(&short, &RocSummary::default().evaluate(group.ties()));
        }
    }
}
