//! Merges many states into one.
//!
//! Exact states are merged in order, as a balanced binary tree. Each bin is moved log n times, and memory is
//! reused while it is still in the cache.
//!
//! States with a partition share few scores but many intervals. Their bins are collected in a table, and only
//! the bins of the table are sorted.

use std::borrow::Cow;
use std::ops::Range;

use super::bin_table::BinTable;
use super::merged_bins::merged_bins;
use super::scale::Scale;
use super::state::State;
use super::tuning::{MAX_BINS_ALONE, STATES_TOGETHER};
use crate::paths::Path;
use crate::ranking::scores::Key;
use crate::ranking::tasks;
use crate::ranking::ties::{CountValue, Counts, row_counts::RowCounts};

impl<T: CountValue> State<T> {
    /// The state of all rows of many states of one score type; `None` if there are no states. `read` returns
    /// one state, and `bins` returns the number of bins in a range of states.
    pub fn merged<K: Key, E: Send>(
        states: Range<usize>,
        bins: &(impl Fn(Range<usize>) -> usize + Sync),
        read: &(impl Fn(usize) -> Result<State<T>, E> + Sync),
    ) -> Result<Option<State<T>>, E> {
        fn all<T: CountValue, K: Key, E: Send>(
            states: Range<usize>,
            bins: &(impl Fn(Range<usize>) -> usize + Sync),
            read: &(impl Fn(usize) -> Result<State<T>, E> + Sync),
        ) -> Result<State<T>, E> {
            if states.len() == 1 {
                return read(states.start);
            }
            if bins(states.clone()) <= MAX_BINS_ALONE {
                return Ok(State::merge_some::<K>(states.map(read).collect::<Result<_, E>>()?));
            }
            let middle = states.start + states.len() / 2;
            let (one, other) = tasks::join(
                || all::<T, K, E>(states.start..middle, bins, read),
                || all::<T, K, E>(middle..states.end, bins, read),
            );
            Ok(State::sum::<K>(Cow::Owned(one?), &other?))
        }
        if states.is_empty() {
            return Ok(None);
        }
        Ok(Some(all::<T, K, E>(states, bins, read)?.joined()))
    }

    /// The state of the rows of both states.
    pub fn with<K: Key>(&self, other: &Self) -> Self {
        State::sum::<K>(Cow::Borrowed(self), other).fitted()
    }

    /// The rows of one or more states, possibly with too many bins. A single state is returned as it was
    /// read.
    fn merge_some<K: Key>(mut states: Vec<Self>) -> Self {
        if states.len() >= STATES_TOGETHER
            && Path::MergeTable.is_on()
            && let Some(intervals) = states.iter().find_map(Self::partition)
        {
            return Self::in_table::<K>(&states, intervals.scale());
        }
        if states.len() == 1 {
            return states.swap_remove(0);
        }
        let others = states.split_off(states.len() / 2);
        Self::sum::<K>(Cow::Owned(Self::merge_some::<K>(states)), &Self::merge_some::<K>(others))
    }

    /// The rows of both, with one bin for each score, or for each interval of the later partition.
    fn sum<K: Key>(one: Cow<'_, Self>, other: &Self) -> Self {
        let both = one.without_bins(other);
        if both.has_nan {
            return both;
        }
        let (bins, tied) = match both.partition() {
            Some(intervals) => {
                let (one, one_intervals) = one.by_interval(intervals);
                let (other, other_intervals) = other.by_interval(intervals);
                merged_bins::<K, T, true>((&one, &one_intervals), (&other, &other_intervals))
            }
            None if one.has_scores_of(other) => {
                let mut bins = one.into_owned().bins;
                bins.add_each(other.bins.each());
                (bins, Vec::new())
            }
            None => merged_bins::<K, T, false>((&one, &[]), (other, &[])),
        };
        State { bins, tied, ..both }
    }

    /// Whether both have the same scores, each with a separate bin.
    fn has_scores_of(&self, other: &Self) -> bool {
        self.tied.is_empty() && other.tied.is_empty() && self.bins.keys() == other.bins.keys()
    }

    /// The merged fields of both states, except the bins.
    fn without_bins(&self, other: &Self) -> Self {
        let score_type = self.bins.score_type();
        let rows = self.rows.plus(other.rows);
        if self.has_nan || other.has_nan {
            return State::nan(score_type, rows);
        }
        let limit = [self.limit, other.limit].into_iter().flatten().min_by_key(|limit| limit.max_bins);
        let resolution = self.resolution.max(other.resolution);
        State { limit, resolution, ..State::exact(Counts::new(score_type, None), rows) }
    }

    /// The rows of states of a scale, some with a partition, with one bin for each interval.
    fn in_table<K: Key>(states: &[Self], scale: Scale) -> Self {
        let score_type = states[0].bins.score_type();
        let nothing = State::exact(Counts::new(score_type, None), RowCounts::default());
        let all = states.iter().fold(nothing, |all, state| all.without_bins(state));
        if all.has_nan {
            return all;
        }
        let intervals = scale.intervals(all.resolution);
        let mut table = BinTable::<K, T>::new(0, true);
        states.iter().for_each(|state| table.add_state(state, intervals));
        let (bins, tied) = table.bins_in_order(score_type);
        State { bins, tied, ..all }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::group::tests::group_of;
    use crate::ranking::scores::Domain;
    use crate::states::{Limit, state::tests::each};
    use proptest::prelude::*;

    /// States of rows with optional limits, of various sizes.
    fn states(parts: &[Vec<(i32, bool)>], limits: &[Option<u64>]) -> Vec<State> {
        let state = |(rows, max_bins): (&Vec<(i32, bool)>, &Option<u64>)| {
            let rows: Vec<(f64, bool)> = rows.iter().map(|row| (f64::from(row.0) / 64.0, row.1)).collect();
            let limit = max_bins.map(|max_bins| Limit { max_bins, scale: Scale::Real });
            group_of(&rows, Domain::Any).ties().state().limited(limit)
        };
        parts.iter().zip(limits).map(state).collect()
    }

    fn merged(states: &[State]) -> State {
        let bins = |range: Range<usize>| states[range].iter().map(|state| state.bins.len()).sum();
        State::merged::<u64, ()>(0..states.len(), &bins, &|index| Ok(states[index].clone())).unwrap().unwrap()
    }

    fn assert_same(one: &State, other: &State) {
        assert_eq!(each(one), each(other));
        assert_eq!((one.rows, one.resolution, one.limit), (other.rows, other.resolution, other.limit));
    }

    proptest! {
        /// Compares with a sequential merge.
        #[test]
        fn equals_sequential_merge(
            parts in prop::collection::vec(prop::collection::vec((-300i32..300, any::<bool>()), 0..60), 1..24),
            limits in prop::collection::vec(prop::option::of(4u64..40), 24),
        ) {
            let states = states(&parts, &limits);
            let one_by_one = states[1..].iter().fold(states[0].clone().joined(), |all, state| all.with::<u64>(state));
            assert_same(&merged(&states), &one_by_one);
        }
    }

    /// Input from another writer: bins that share an interval of the partition.
    #[test]
    fn unmerged_bins() {
        let rows = |from: i32| (from..from + 40).map(|row| (row * row, row % 3 == 0)).collect::<Vec<_>>();
        let [mut one, mut other] = [rows(0), rows(7)].map(|rows| states(&[rows], &[None]).remove(0));
        let limit = Some(Limit { max_bins: 1 << 10, scale: Scale::Real });
        let resolution = one.clone().limited(Some(Limit { max_bins: 9, scale: Scale::Real })).resolution;
        for state in [&mut one, &mut other] {
            (state.limit, state.resolution) = (limit, resolution);
        }
        let joined = one.clone().joined();
        assert!(joined.bins.len() < 12);
        assert_same(&one.with::<u64>(&other), &joined.with::<u64>(&other.clone().joined()));
        assert_same(&merged(&[one.clone()]), &joined);
        let expected = states(&[[rows(0), rows(7)].concat()], &[None]).remove(0);
        assert_same(&one.with::<u64>(&other), &State { limit, resolution, ..expected }.joined());
    }

    /// Enough bins for several threads, with mostly shared scores or few.
    #[test]
    fn many_bins() {
        let mixed = |row: usize| (row as u32).wrapping_mul(0x9E37_79B1) >> 8;
        for (scores, max_bins) in [(2_000, None), (1 << 24, None), (1 << 24, Some(3_000))] {
            let rows = |part: usize| {
                let score = |row| (mixed(5_000 * part + row) % scores) as i32 - scores as i32 / 2;
                let row = |row| (score(row), mixed(row * 3) % 3 == 0);
                (0..5_000).map(row).collect::<Vec<_>>()
            };
            let parts: Vec<_> = (0..20).map(rows).collect();
            let states = states(&parts, &[max_bins; 20]);
            let whole = self::states(&[parts.concat()], &[max_bins]);
            assert_same(&merged(&states), &whole[0]);
        }
    }
}
