//! States: counts that can be stored, merged, and coarsened.
//!
//! An exact state has a bin for each distinct score. A bounded state has a bin for each non-empty interval of
//! a partition. The partition is the first of its [`Scale`] with at most `max_bins` bins. If there are few
//! enough distinct scores, there is no partition, and the state is exact.
//!
//! Invariants: bins descend by score, every bin has rows, and the score of a bin is the lowest score of its
//! rows. Every threshold of a state is thus an observed score, and the number of rows that reach it is exact.
//! Only the order within a bin is lost. A bin is `tied` if all its rows share one score; such a bin loses no
//! information.
//!
//! A state depends only on its rows, however they were divided and merged. Partitions are nested, so the
//! number of bins never increases from one to the next. A subset of the rows has at most as many bins as all
//! rows in the same partition. The partition of a subset is therefore never later than the partition of all
//! rows. Each bin of a subset lies in one bin of the whole. Counts add up, the lowest score is the minimum
//! over subsets, and the rows of a bin share one score if they do in all subsets. With several limits the
//! smallest applies, since it requires the latest partition.

use std::borrow::Cow;
use std::hint::select_unpredictable;
use std::ops::RangeInclusive;

use super::scale::{Intervals, Resolution, Scale};
use crate::ranking::scores::{Key, score_type::ScoreType};
use crate::ranking::ties::{Count, CountValue, Counts, row_counts::RowCounts};
use crate::simd::{self, Kernel};

/// The size limit of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The maximum number of bins.
    pub max_bins: u64,
    /// The scale of the partitions.
    pub scale: Scale,
}

/// The valid range of `max_bins` for users: fewer bins would be uninformative.
pub const LIMITS: RangeInclusive<u64> = 16..=1 << 31;

/// The minimum number of bins that every state can be reduced to: two sides and both infinities.
pub const MIN_BINS: u64 = 4;

/// States whose row counts can be checked against their bins.
pub trait CheckedSums {
    /// Returns an error if the row counts of the state differ from its bins; the state must not have a NaN.
    fn check_sums(&self) -> Result<(), &'static str>;
}

impl CheckedSums for State {
    fn check_sums(&self) -> Result<(), &'static str> {
        let each = self.bins.each();
        let (mut bits, mut pos, mut neg) = (0, 0u64, 0u64);
        for count in each {
            bits |= count.pos | count.neg;
            (pos, neg) = (pos.wrapping_add(count.pos), neg.wrapping_add(count.neg));
        }
        let (pos, neg) = if bits.leading_zeros() > each.len().checked_ilog2().unwrap_or(0) {
            // The sums fit 64 bits: a sum of fewer than 2^m numbers of n bits has at most n + m bits.
            (pos.into(), neg.into())
        } else {
            let sum =
                |rows: fn(&Count) -> u64| each.iter().map(|count| u128::from(rows(count))).sum::<u128>();
            (sum(|count| count.pos), sum(|count| count.neg))
        };
        if (pos, neg) != (self.rows.n_pos.into(), self.rows.n_neg.into()) {
            return Err("has other n_pos and n_neg than its bins together");
        }
        Ok(())
    }
}

/// Whether any bin has no rows: a SIMD loop without early exit.
struct AnyEmpty<'a, T>(&'a [Count<T>]);

impl<T: CountValue> Kernel for AnyEmpty<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        self.0.iter().fold(false, |any, count| any | (*count == Count::default()))
    }
}

/// Counted rows, in bins of one or more scores; with weights of type `T`, their sums.
#[derive(Clone, Debug)]
pub struct State<T = u64> {
    /// The bins.
    pub bins: Counts<T>,
    /// Whether each bin has a single score; empty if all do.
    pub tied: Vec<bool>,
    /// The size limit, if any.
    pub limit: Option<Limit>,
    /// The partition of the bins; 0 if each distinct score has a bin.
    pub resolution: Resolution,
    /// The row counts, including skipped rows; also set if the state has no bins because of a NaN.
    pub rows: RowCounts,
    /// Whether a score was NaN, in which case there are no bins.
    pub has_nan: bool,
}

impl<T: CountValue> State<T> {
    /// The exact state of counts.
    pub fn exact(bins: Counts<T>, rows: RowCounts) -> Self {
        State { bins, tied: Vec::new(), limit: None, resolution: 0, rows: rows.stored(), has_nan: false }
    }

    /// The state of rows with a NaN score.
    pub fn nan(score_type: ScoreType, rows: RowCounts) -> Self {
        State { has_nan: true, ..State::exact(Counts::new(score_type, None), rows) }
    }

    /// Validates a state that another program wrote; returns an error with the reason. `scale` is the scale
    /// of the states that it is merged with, which must contain its scores.
    pub fn checked(mut self, scale: Option<Scale>) -> Result<Self, &'static str>
    where
        Self: CheckedSums,
    {
        let bins = &self.bins;
        if self.has_nan {
            return if bins.is_empty() { Ok(self) } else { Err("has both a NaN and bins") };
        }
        if simd::dispatch(AnyEmpty(bins.each())) {
            return Err("has a bin without a row");
        }
        if !bins.keys().descend() {
            return Err(
                "has bins that are not in order: the highest score comes first, and none comes twice",
            );
        }
        // Keys of NaN are above or below all others.
        let ends = [0, bins.len().saturating_sub(1)].map(|bin| bins.value(bin));
        if ends.into_iter().flatten().any(f64::is_nan) {
            return Err("has a bin whose score is NaN");
        }
        if self.tied.iter().all(|&tied| tied) {
            self.tied = Vec::new();
        }
        if self.resolution == 0 && !self.tied.is_empty() {
            return Err("has a bin of several scores, but no resolution");
        }
        if !ends.into_iter().flatten().all(|value| scale.is_none_or(|scale| scale.holds(value))) {
            return Err("is of probabilities, but has a score that is below 0 or above 1");
        }
        self.check_sums()?;
        Ok(self)
    }

    /// Whether all rows of a bin share one score.
    pub fn is_tied(&self, bin: usize) -> bool {
        self.tied.is_empty() || self.tied[bin]
    }

    /// Merges bins of one interval, then applies the limit.
    pub(super) fn joined(self) -> Self {
        match self.partition().map(|intervals| self.by_interval(intervals).0) {
            Some(Cow::Owned(joined)) => joined.fitted(),
            _ => self.fitted(),
        }
    }

    /// The intervals of the partition of its bins; `None` if each score has a separate bin.
    pub(super) fn partition(&self) -> Option<Intervals> {
        let limit = self.limit.filter(|_| self.resolution > 0)?;
        Some(limit.scale.intervals(self.resolution))
    }

    /// The state with one bin for each interval of a partition, at least as coarse as its current one; also
    /// the interval of each bin.
    pub(super) fn by_interval(&self, intervals: Intervals) -> (Cow<'_, Self>, Vec<u64>) {
        let bin_intervals = intervals.assign(&self.bins.score_type().values(self.bins.keys()));
        let is_joined = |bin: usize| bin_intervals[bin] == bin_intervals[bin - 1];
        // No early exit, so that several comparisons run at once. Joins are rare.
        if !(1..bin_intervals.len()).fold(false, |any, bin| any | is_joined(bin)) {
            return (Cow::Borrowed(self), bin_intervals);
        }
        let (state, lowest) = self.coarsened(is_joined);
        (Cow::Owned(state), lowest.iter().map(|&bin| bin_intervals[bin]).collect())
    }

    /// The keys and the counts of the bins.
    pub(super) fn columns<K: Key>(&self) -> (&[K], &[Count<T>]) {
        (self.bins.keys().slice().unwrap_or_default(), self.bins.each())
    }

    /// The state with at most this many bins. An existing limit keeps its scale.
    pub fn limited(mut self, limit: Option<Limit>) -> Self {
        if self.has_nan {
            return self;
        }
        self.limit = match (self.limit, limit) {
            (Some(first), Some(other)) => {
                Some(Limit { max_bins: first.max_bins.min(other.max_bins), scale: first.scale })
            }
            (first, other) => first.or(other),
        };
        self.fitted()
    }

    /// The state in the first partition with few enough bins.
    pub(crate) fn fitted(mut self) -> Self {
        let Some(limit) = self.limit else { return self };
        let max = limit.max_bins.max(MIN_BINS) as usize;
        if self.bins.len() > max {
            let joins = self.common_resolution(limit.scale);
            // Of n borders between bins, the `most - 1` that are merged last remain.
            let mut borders = joins.clone();
            let (_, first_joined, _) = borders.select_nth_unstable_by(max - 1, |one, other| other.cmp(one));
            self.resolution = self.resolution.max(*first_joined);
            let resolution = self.resolution;
            return self.coarsened(|bin| joins[bin - 1] <= resolution).0;
        }
        self
    }

    /// For each border between neighbouring bins, the first partition that merges them.
    fn common_resolution(&self, scale: Scale) -> Vec<Resolution> {
        let positions = scale.positions(&self.bins.score_type().values(self.bins.keys()));
        positions
            .windows(2)
            .map(|pair| pair[0].common_resolution(pair[1]).unwrap_or(Resolution::MAX))
            .collect()
    }

    /// A coarser state, and the last original bin of each new bin. `is_joined` is true if a bin is merged
    /// with the previous one.
    fn coarsened(&self, is_joined: impl Fn(usize) -> bool) -> (Self, Vec<usize>) {
        let fine = self.bins.each();
        let mut counts = vec![Count::default(); fine.len()];
        let mut lowest = vec![0; fine.len()];
        let mut tied = vec![false; fine.len()];
        let mut end = 0;
        // A branch on the merge would often be mispredicted.
        for (bin, &count) in fine.iter().enumerate() {
            let joined = bin > 0 && is_joined(bin);
            let index = end - usize::from(joined);
            counts[index] = select_unpredictable(joined, counts[index], Count::default()).plus(count);
            lowest[index] = bin;
            tied[index] = !joined & self.is_tied(bin);
            end = index + 1;
        }
        counts.truncate(end);
        lowest.truncate(end);
        tied.truncate(end);
        let bins = Counts::from_parts(self.bins.keys().gather(&lowest), counts, self.bins.score_type());
        (State { bins, tied, ..*self }, lowest)
    }
}

impl<T: CountValue> State<T> {
    /// Combines two samples: the rows of one become the positives, and the rows of the other the negatives.
    pub fn from_samples<K: Key>(positive: Self, negative: Self) -> Self {
        fn class_count<T: CountValue>(is_positive: bool, rows: T) -> Count<T> {
            let mut count = Count::default();
            count.add(is_positive, rows);
            count
        }
        let mut samples = [positive, negative];
        for (sample, is_positive) in samples.iter_mut().zip([true, false]) {
            let counts =
                sample.bins.each().iter().map(|count| class_count(is_positive, count.rows())).collect();
            sample.bins = Counts::from_parts(sample.bins.keys().clone(), counts, sample.bins.score_type());
            let Count { pos, neg } = class_count(is_positive, sample.rows.n_pos + sample.rows.n_neg);
            sample.rows = RowCounts { n_pos: pos, n_neg: neg, ..sample.rows };
        }
        let [positive, negative] = samples;
        positive.with::<K>(&negative)
    }
}

impl State {
    /// Pairs of a positive and a negative in one bin of several scores, whose order is unknown.
    pub fn unordered_pairs(&self) -> u128 {
        let untied_bins = (0..self.bins.len()).filter(|&bin| !self.is_tied(bin));
        untied_bins
            .map(|bin| self.bins.each()[bin])
            .map(|count| u128::from(count.pos) * u128::from(count.neg))
            .sum()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::ranking::group::{Group, tests::group_of};
    use crate::ranking::scores::Domain;
    use crate::ranking::ties::Placements;
    use proptest::prelude::*;
    use std::ops::Range;

    fn state(rows: &[(f64, bool)], limit: Option<Limit>) -> State {
        group_of(rows, Domain::Any).ties().state().limited(limit)
    }

    fn merged(states: &[State]) -> State {
        let bins = |range: Range<usize>| states[range].iter().map(|state| state.bins.len()).sum();
        State::merged::<u64, ()>(0..states.len(), &bins, &|state| Ok(states[state].clone())).unwrap().unwrap()
    }

    /// For each bin: its key, its rows, and whether these have one score.
    pub fn each<T: CountValue>(state: &State<T>) -> Vec<(u128, Count<T>, bool)> {
        let bin = |bin| (state.bins.key(bin), state.bins.each()[bin], state.is_tied(bin));
        (0..state.bins.len()).map(bin).collect()
    }

    fn rows() -> impl Strategy<Value = Vec<(f64, bool)>> {
        let score = prop_oneof![
            (-20i32..20).prop_map(|n| f64::from(n) / 8.0),
            -1f64..1.0,
            any::<f64>().prop_filter("not NaN", |score| !score.is_nan()),
            Just(f64::INFINITY)
        ];
        prop::collection::vec((score, any::<bool>()), 0..120)
    }

    proptest! {
        #[test]
        fn merged_parts_equal_the_whole(rows in rows(), parts in prop::collection::vec(0usize..5, 120), max_bins in 4u64..40) {
            let limit = Some(Limit { max_bins, scale: Scale::Real });
            let whole = state(&rows, limit);
            prop_assert!(whole.bins.len() as u64 <= max_bins);
            let part = |number| -> Vec<(f64, bool)> {
                rows.iter().zip(&parts).filter(|(_, part)| **part == number).map(|(row, _)| *row).collect()
            };
            let states: Vec<State> = (0..5).map(|number| state(&part(number), limit)).collect();
            let [a, b, c, d, e] = &states[..] else { unreachable!() };
            let pair = |one: &State, other: &State| merged(&[one.clone(), other.clone()]);
            let trees = [
                merged(&states),
                pair(&pair(a, b), &pair(&pair(c, d), e)),
                pair(e, &pair(d, &pair(c, &pair(b, a)))),
                merged(&(0..5).map(|number| state(&part(number), None)).collect::<Vec<_>>()).limited(limit),
            ];
            for tree in trees {
                prop_assert_eq!(each(&tree), each(&whole));
                prop_assert_eq!(tree.resolution, whole.resolution);
                prop_assert_eq!(tree.rows, whole.rows);
            }
        }

        #[test]
        fn exact_state_equals_rows(rows in rows()) {
            let mut group = group_of(&rows, Domain::Any);
            let mut stored = Group::<u64>::default();
            stored.load_state(group.ties().state());
            prop_assert_eq!(stored.row_counts(), group.row_counts().stored());
            prop_assert_eq!(stored.ties().twice_u(), group.ties().twice_u());
            prop_assert_eq!(stored.ties().twice_u_and_cubes(), group.ties().twice_u_and_cubes());
            let sums: [Placements; 2] = [stored.ties().placements(), group.ties().placements()];
            prop_assert_eq!(sums[0], sums[1]);
            prop_assert_eq!(stored.ties().at_rank(7), group.ties().at_rank(7));
        }

        #[test]
        fn order_is_lost_only_within_bins(rows in rows()) {
            let exact = state(&rows, None);
            let coarse = state(&rows, Some(Limit { max_bins: 8, scale: Scale::Real }));
            prop_assert_eq!(exact.unordered_pairs(), 0);
            let twice_u = |mut state: State| state.bins.ties().twice_u();
            let off = twice_u(exact).abs_diff(twice_u(coarse.clone()));
            prop_assert!(off <= coarse.unordered_pairs());
        }
    }

    #[test]
    fn two_samples() {
        let limit = |max_bins| Some(Limit { max_bins, scale: Scale::Real });
        let scores = |from: i32| (0..9).map(move |row| (f64::from(from + row), row % 2 == 0));
        let (one, other): (Vec<_>, Vec<_>) = (scores(0).collect(), scores(4).collect());
        let relabelled =
            |rows: &[(f64, bool)], label| rows.iter().map(|row| (row.0, label)).collect::<Vec<_>>();
        let rows = [relabelled(&one, true), relabelled(&other, false)].concat();
        for max_bins in [64, 8] {
            let both =
                State::from_samples::<u64>(state(&one, limit(max_bins)), state(&other, limit(max_bins)));
            let expected = state(&rows, limit(max_bins));
            assert_eq!(each(&both), each(&expected));
            assert_eq!((both.rows, both.resolution), (expected.rows, expected.resolution));
        }
    }

    #[test]
    fn counts_that_overflow_64_bits() {
        let mut counts = state(&[(1.0, true), (0.0, true)], None);
        let half = Count { pos: 1 << 63, neg: 0 };
        counts.bins = Counts::from_parts(counts.bins.keys().clone(), vec![half; 2], counts.bins.score_type());
        counts.rows.n_pos = 0;
        assert!(counts.check_sums().is_err());
        let quarter = Count { pos: 1 << 62, neg: 0 };
        counts.bins =
            Counts::from_parts(counts.bins.keys().clone(), vec![quarter; 2], counts.bins.score_type());
        counts.rows.n_pos = 1 << 63;
        assert!(counts.check_sums().is_ok());
    }

    #[test]
    fn every_limit_is_satisfiable() {
        let ends = [f64::NEG_INFINITY, f64::MIN, -1.0, 0.0, 1.0, f64::MAX, f64::INFINITY];
        let rows: Vec<(f64, bool)> = ends.iter().map(|&score| (score, score > 0.0)).collect();
        let fitted = state(&rows, Some(Limit { max_bins: 4, scale: Scale::Real }));
        assert_eq!(fitted.bins.len(), 4);
        assert_eq!(each(&fitted).iter().map(|bin| bin.2).collect::<Vec<_>>(), [true, false, false, true]);
    }

    #[test]
    fn nan_keeps_row_counts() {
        let rows = RowCounts { n_pos: 2, n_neg: 3, n_missing: 1, ..RowCounts::default() };
        let some = state(&[(1.0, true)], None);
        let nan = State::nan(some.bins.score_type(), rows);
        let merged = merged(&[some, nan]);
        assert!(merged.has_nan && merged.bins.is_empty());
        assert_eq!(merged.rows, RowCounts { n_pos: 3, ..rows });
        assert!(merged.limited(Some(Limit { max_bins: 4, scale: Scale::Real })).limit.is_none());
        let none = State::<u64>::merged::<u64, ()>(0..0, &|_| 0, &|_| Err(()));
        assert!(none.is_ok_and(|state| state.is_none()));
    }
}
