//! States: counts that can be stored, merged, and made small.
//!
//! An exact state has a bin for each distinct score. A state with at most so many bins has one for each interval of a
//! partition in which a row lies. Of the partitions of its [`Scale`] it is the first that leaves few enough bins; if the
//! distinct scores are few enough, there is no partition, and the state is exact.
//!
//! Invariants: bins descend by score, none is without a row, and the score of a bin is the lowest of its rows. So every
//! threshold of a state is an observed score, and the rows that reach it are known exactly: only the order within a
//! bin is lost. A bin is `tied` if all its rows share one score; nothing is lost there.
//!
//! Why a state depends on its rows alone, however they were divided and merged. Partitions are nested, so the number of
//! bins never grows from one to the next. A part of the rows has no more bins than all rows in the same partition.
//! Hence the partition that a part has taken is never later than that of all rows, and each bin of a part lies in one bin of
//! the whole. Counts add up, the lowest score of a whole is the lowest of those of its parts, and all rows share
//! one score if the parts' rows do. With several limits the smallest counts: it asks for the latest partition.

use super::fixed_point::Units;
use super::keys::Keys;
use super::row_counts::RowCounts;
use super::scale::{Place, Resolution, Scale};
use super::score_type::ScoreType;
use super::steps::{Above, Runs, Take};
use super::ties::{Source, Steps, Ties};
use super::{Count, Counts, Key};

/// How a state is kept small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The most bins.
    pub max_bins: u64,
    /// Which partitions are taken.
    pub scale: Scale,
}

/// The least number of bins that every state can be made to fit: two sides, and both infinities.
pub const LEAST_BINS: u64 = 4;

/// Counted rows, of scores that may share a bin.
#[derive(Clone, Debug)]
pub struct State {
    /// The bins.
    pub bins: Counts,
    /// Which bins have one score only; empty if all have.
    pub tied: Vec<bool>,
    /// How small the state is kept, if it is.
    pub limit: Option<Limit>,
    /// The partition that the bins belong to; 0 if each has a score of its own.
    pub resolution: Resolution,
    /// Rows, those that were skipped among them, and those of a state without bins because of a NaN.
    pub rows: RowCounts,
    /// Whether a score was NaN. There are no bins then.
    pub has_nan: bool,
}

impl State {
    /// The exact state of counts.
    pub fn exact(bins: Counts, rows: RowCounts) -> Self {
        State { bins, tied: Vec::new(), limit: None, resolution: 0, rows, has_nan: false }
    }

    /// The state of rows of which a score is NaN.
    pub fn nan(score_type: ScoreType, rows: RowCounts) -> Self {
        State { has_nan: true, ..State::exact(Counts::new(score_type, None), rows) }
    }

    /// Whether all rows of a bin share one score.
    pub fn is_tied(&self, bin: usize) -> bool {
        self.tied.is_empty() || self.tied[bin]
    }

    /// The state of all rows of these, which are of one type of score; none only if there are none.
    ///
    /// Neighbours are merged in pairs, and again, so that each bin is moved log n times.
    pub fn merged<K: Key>(states: Vec<State>) -> Option<State> {
        let rows = states.iter().fold(RowCounts::default(), |sum, state| RowCounts {
            n_pos: sum.n_pos + state.rows.n_pos,
            n_neg: sum.n_neg + state.rows.n_neg,
            n_missing: sum.n_missing + state.rows.n_missing,
        });
        let score_type = states.first()?.bins.score_type();
        if states.iter().any(|state| state.has_nan) {
            return Some(State::nan(score_type, rows));
        }
        let limit = states.iter().filter_map(|state| state.limit).min_by_key(|limit| limit.max_bins);
        let resolution = states.iter().map(|state| state.resolution).max()?;
        let mut layers: Vec<Bins<K>> = states.into_iter().map(Bins::of).collect();
        while layers.len() > 1 {
            let mut pairs = layers.into_iter();
            let mut merged = Vec::with_capacity(pairs.len().div_ceil(2));
            while let Some(one) = pairs.next() {
                merged.push(match pairs.next() {
                    Some(other) => Bins::merged(&one, &other),
                    None => one,
                });
            }
            layers = merged;
        }
        let (bins, tied) = layers.pop()?.into_counts(score_type);
        let mut state = State { bins, tied, limit, resolution, rows, has_nan: false };
        if resolution > 0 {
            state.coarsen(resolution);
        }
        Some(state.fitted())
    }

    /// The same with at most so many bins.
    pub fn limited(mut self, limit: Option<Limit>) -> Self {
        if self.has_nan {
            return self;
        }
        self.limit = match (self.limit, limit) {
            (Some(own), Some(other)) => Some(if other.max_bins < own.max_bins { other } else { own }),
            (own, other) => own.or(other),
        };
        self.fitted()
    }

    /// The same in the first partition that leaves few enough bins.
    fn fitted(mut self) -> Self {
        let Some(limit) = self.limit else { return self };
        let most = limit.max_bins.max(LEAST_BINS) as usize;
        if self.bins.len() > most {
            let mut borders = self.joins(limit.scale);
            // Of n borders between bins, the `most - 1` that are joined last stay.
            borders.sort_unstable_by_key(|join| std::cmp::Reverse(join.unwrap_or(Resolution::MAX)));
            let resolution = borders[most - 1].unwrap_or(Resolution::MAX);
            self.resolution = self.resolution.max(resolution);
            self.coarsen(self.resolution);
        }
        self
    }

    /// For each border between two neighbouring bins, the first partition that joins them.
    fn joins(&self, scale: Scale) -> Vec<Option<Resolution>> {
        let score_type = self.bins.score_type();
        let places = (0..self.bins.len()).map(|bin| scale.place(score_type.value(self.bins.key(bin))));
        let places: Vec<Place> = places.collect();
        places.windows(2).map(|pair| pair[0].joins(pair[1])).collect()
    }

    /// Joins bins that share an interval of a partition.
    fn coarsen(&mut self, resolution: Resolution) {
        let Some(limit) = self.limit else { return };
        let joins = self.joins(limit.scale);
        let bins = Counts::new(self.bins.score_type(), None);
        let fine = std::mem::replace(&mut self.bins, bins);
        let fine_tied = std::mem::take(&mut self.tied);
        let mut first = 0;
        while first < fine.len() {
            let mut last = first;
            while joins.get(last).is_some_and(|join| join.is_some_and(|join| join <= resolution)) {
                last += 1;
            }
            let Count { pos, neg } = Count::sum(&fine.each()[first..=last]);
            self.bins.push(fine.key(last), pos, neg);
            self.tied.push(first == last && (fine_tied.is_empty() || fine_tied[first]));
            first = last + 1;
        }
    }

    /// Pairs of a positive and a negative of which it is not known which scores higher, or whether they tie.
    pub fn unordered_pairs(&self) -> u128 {
        let blurred = (0..self.bins.len()).filter(|&bin| !self.is_tied(bin));
        blurred
            .map(|bin| self.bins.each()[bin])
            .map(|count| u128::from(count.pos) * u128::from(count.neg))
            .sum()
    }
}

/// Bins on their way from several states into one.
struct Bins<K> {
    keys: Vec<K>,
    counts: Vec<Count>,
    tied: Vec<bool>,
}

impl<K: Key> Bins<K> {
    fn of(state: State) -> Self {
        let (keys, counts) = state.bins.into_parts();
        Bins { keys: keys.into_vec().unwrap_or_default(), counts, tied: state.tied }
    }

    fn is_tied(&self, bin: usize) -> bool {
        self.tied.is_empty() || self.tied[bin]
    }

    fn merged(one: &Self, other: &Self) -> Self {
        let room = one.keys.len().max(other.keys.len());
        let mut keys = Vec::with_capacity(room);
        let mut counts = Vec::with_capacity(room);
        let all_tied = one.tied.is_empty() && other.tied.is_empty();
        let mut tied = Vec::with_capacity(if all_tied { 0 } else { room });
        let (mut own_place, mut other_place) = (0, 0);
        while own_place < one.keys.len() && other_place < other.keys.len() {
            let (own_key, other_key) = (one.keys[own_place], other.keys[other_place]);
            let (own, others) = (own_key >= other_key, other_key >= own_key);
            let mut count = if own { one.counts[own_place] } else { Count::default() };
            if others {
                count = count.plus(other.counts[other_place]);
            }
            keys.push(own_key.max(other_key));
            counts.push(count);
            if !all_tied {
                tied.push((!own || one.is_tied(own_place)) && (!others || other.is_tied(other_place)));
            }
            own_place += usize::from(own);
            other_place += usize::from(others);
        }
        for (rest, from) in [(one, own_place), (other, other_place)] {
            keys.extend_from_slice(&rest.keys[from..]);
            counts.extend_from_slice(&rest.counts[from..]);
            if !all_tied {
                tied.extend((from..rest.keys.len()).map(|bin| rest.is_tied(bin)));
            }
        }
        Bins { keys, counts, tied }
    }

    fn into_counts(self, score_type: ScoreType) -> (Counts, Vec<bool>) {
        let mut keys = Keys::with_capacity(K::WIDTH, self.keys.len());
        self.keys.iter().for_each(|key| keys.push(key.wide()));
        (Counts::from_parts(keys, self.counts, score_type), self.tied)
    }
}

impl Source for State {
    fn totals(&self) -> (u64, u64) {
        (self.rows.n_pos, self.rows.n_neg)
    }

    fn units(&self) -> Option<Units> {
        None
    }

    fn walk(&mut self, _: Steps, take: &mut Take<'_>) {
        let mut memory = Vec::new();
        let mut runs = Runs::new(Above::default(), &mut memory, take);
        for (bin, count) in self.bins.each().iter().enumerate() {
            runs.push(self.bins.key(bin), count.pos, count.neg);
        }
        runs.hand_out();
    }

    fn state(&self) -> Option<&State> {
        Some(self)
    }
}

impl Ties<'_> {
    /// All ties as a state: the one that they come from, or an exact one.
    pub fn state(&mut self) -> State {
        match self.stored() {
            Some(state) => state.clone(),
            None => {
                let rows = self.row_counts();
                State::exact(self.counts(), rows)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::bits::tests::packed;
    use crate::ranking::{Bits, Group, Placements};
    use proptest::prelude::*;

    fn state(rows: &[(f64, bool)], limit: Option<Limit>) -> State {
        let scores: Vec<f64> = rows.iter().map(|row| row.0).collect();
        let labels = packed(rows.iter().map(|row| row.1));
        let mut group = Group::default();
        group.load(&scores, Bits::new(&labels, 0, rows.len()), None);
        group.ties().state().limited(limit)
    }

    fn each(state: &State) -> Vec<(u128, Count, bool)> {
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
        fn parts_make_the_whole(rows in rows(), parts in prop::collection::vec(0usize..5, 120), max_bins in 4u64..40) {
            let limit = Some(Limit { max_bins, scale: Scale::Real });
            let whole = state(&rows, limit);
            prop_assert!(whole.bins.len() as u64 <= max_bins);
            let part = |number| -> Vec<(f64, bool)> {
                rows.iter().zip(&parts).filter(|(_, part)| **part == number).map(|(row, _)| *row).collect()
            };
            let states: Vec<State> = (0..5).map(|number| state(&part(number), limit)).collect();
            let [a, b, c, d, e] = &states[..] else { unreachable!() };
            let pair = |one: &State, other: &State| State::merged::<u64>(vec![one.clone(), other.clone()]).unwrap();
            let trees = [
                State::merged::<u64>(states.clone()).unwrap(),
                pair(&pair(a, b), &pair(&pair(c, d), e)),
                pair(e, &pair(d, &pair(c, &pair(b, a)))),
                State::merged::<u64>((0..5).map(|number| state(&part(number), None)).collect()).unwrap().limited(limit),
            ];
            for tree in trees {
                prop_assert_eq!(each(&tree), each(&whole));
                prop_assert_eq!(tree.resolution, whole.resolution);
                prop_assert_eq!(tree.rows, whole.rows);
            }
        }

        #[test]
        fn answers_of_an_exact_state_are_those_of_the_rows(rows in rows()) {
            let scores: Vec<f64> = rows.iter().map(|row| row.0).collect();
            let labels = packed(rows.iter().map(|row| row.1));
            let mut group = Group::default();
            group.load(&scores, Bits::new(&labels, 0, rows.len()), None);
            let mut stored = Group::<u64>::default();
            stored.load_state(group.ties().state());
            prop_assert_eq!(stored.row_counts(), group.row_counts());
            prop_assert_eq!(stored.ties().twice_u(), group.ties().twice_u());
            prop_assert_eq!(stored.ties().twice_u_and_cubes(), group.ties().twice_u_and_cubes());
            let sums: [Placements; 2] = [stored.ties().placements(), group.ties().placements()];
            prop_assert_eq!(sums[0], sums[1]);
            prop_assert_eq!(stored.ties().at_rank(7), group.ties().at_rank(7));
        }

        #[test]
        fn the_order_is_lost_within_bins_only(rows in rows()) {
            let exact = state(&rows, None);
            let coarse = state(&rows, Some(Limit { max_bins: 8, scale: Scale::Real }));
            prop_assert_eq!(exact.unordered_pairs(), 0);
            let score_type = exact.bins.score_type();
            let twice_u = |mut state: State| Ties::of(&mut state, score_type).twice_u();
            let off = twice_u(exact).abs_diff(twice_u(coarse.clone()));
            prop_assert!(off <= coarse.unordered_pairs());
        }
    }

    #[test]
    fn every_limit_can_be_kept() {
        let ends = [f64::NEG_INFINITY, f64::MIN, -1.0, 0.0, 1.0, f64::MAX, f64::INFINITY];
        let rows: Vec<(f64, bool)> = ends.iter().map(|&score| (score, score > 0.0)).collect();
        let fitted = state(&rows, Some(Limit { max_bins: 4, scale: Scale::Real }));
        assert_eq!(fitted.bins.len(), 4);
        assert_eq!(each(&fitted).iter().map(|bin| bin.2).collect::<Vec<_>>(), [true, false, false, true]);
    }

    #[test]
    fn a_nan_leaves_counts_of_rows() {
        let rows = RowCounts { n_pos: 2, n_neg: 3, n_missing: 1 };
        let some = state(&[(1.0, true)], None);
        let nan = State::nan(some.bins.score_type(), rows);
        let merged = State::merged::<u64>(vec![some, nan]).unwrap();
        assert!(merged.has_nan && merged.bins.is_empty());
        assert_eq!(merged.rows, RowCounts { n_pos: 3, ..rows });
        assert!(merged.limited(Some(Limit { max_bins: 4, scale: Scale::Real })).limit.is_none());
        assert!(State::merged::<u64>(Vec::new()).is_none());
    }
}
