//! Counts rows directly into the bins of a bounded state, without ranking them.
//!
//! A table has the bins of one partition. When it becomes too full, its rows move to the first partition with
//! few enough bins, and counting continues there. The partition of a subset is never later than the partition
//! of all rows (see `state`). The result therefore equals the state of the ranked rows. For the same reason a
//! table may start with the partition of a sample, which avoids rebuilding it.

use std::convert::Infallible;
use std::ops::Range;

use super::bin_table::{Bin, BinTable};
use super::scale::{Intervals, Resolution};
use super::state::{Limit, State};
use super::tuning::{
    BINS_PER_LIMIT, BOUNDED_LEAST, BOUNDED_ROWS, CACHED_BINS, ROWS_PER_BIN, SAMPLED_PER_BIN,
};
use crate::paths::Path;
use crate::ranking::scores::{Key, Observations, Score, observations::blocks, score_type::ScoreType};
use crate::ranking::ties::{Count, Counts, RowCounts};
use crate::simd::{self, Kernel};

/// Whether there are so many rows per bin that counting is faster than ranking.
pub(super) fn are_many<S>(pieces: &[Observations<'_, S>], limit: Limit) -> bool {
    let rows = pieces.iter().map(|rows| rows.scores.len()).sum::<usize>();
    let times = (limit.max_bins / CACHED_BINS).max(1);
    Path::BoundedState.is_on()
        && rows >= BOUNDED_LEAST
        && (rows / ROWS_PER_BIN) as u64 / times >= limit.max_bins
}

/// The state of unweighted rows in several pieces, limited to a number of bins.
pub(super) fn bounded_state<S: Score>(
    pieces: &[Observations<'_, S>],
    limit: Limit,
    score_type: ScoreType,
) -> State {
    let rows = pieces.iter().map(|rows| rows.scores.len()).sum::<usize>();
    let part_rows = BOUNDED_ROWS.max(ROWS_PER_BIN * limit.max_bins as usize);
    let parts = blocks(pieces, rows.div_ceil(part_rows).max(1));
    let first = first_resolution(pieces, limit, score_type);
    let state = |part: usize| -> Result<State, Infallible> {
        let mut table = Table::new(limit, score_type, first);
        for &rows in &parts[part] {
            table = simd::dispatch(Counting { rows, table });
        }
        Ok(table.state().fitted())
    };
    let size = |parts: Range<usize>| (parts.len() - 1) * part_rows;
    let mut state = match State::merged::<S::Key, Infallible>(0..parts.len(), &size, &state) {
        Ok(Some(state)) => state,
        _ => State::exact(Counts::new(score_type, None), RowCounts::default()),
    };
    let all_rows = pieces.iter().map(|rows| rows.all_rows).sum::<u64>();
    state.rows.n_missing = all_rows - state.rows.n_pos - state.rows.n_neg;
    state
}

/// The partition of a sample from all pieces; the partition of all rows is the same or a later one.
fn first_resolution<S: Score>(
    pieces: &[Observations<'_, S>],
    limit: Limit,
    score_type: ScoreType,
) -> Resolution {
    let rows = pieces.iter().map(|rows| rows.scores.len()).sum::<usize>();
    let words = (SAMPLED_PER_BIN * limit.max_bins as usize).div_ceil(BLOCK);
    let step = BLOCK * (rows / BLOCK).div_ceil(words).max(1);
    let mut table = Table::new(limit, score_type, 0);
    for piece in pieces {
        let rows = piece.scores.len();
        for first in (0..rows).step_by(step) {
            let rows = piece.slice(first, BLOCK.min(rows - first));
            table = simd::dispatch(Counting { rows, table });
        }
    }
    table.state().fitted().resolution
}

/// The bins of the rows so far.
struct Table<K> {
    bins: BinTable<K, u64>,
    resolution: Resolution,
    intervals: Intervals,
    limit: Limit,
    score_type: ScoreType,
    nan: Count,
}

/// Rows whose intervals are computed together.
const BLOCK: usize = 64;

impl<K: Key> Table<K> {
    fn new(limit: Limit, score_type: ScoreType, resolution: Resolution) -> Self {
        // Without a partition the number of bins is unknown; with one it is somewhat above the limit.
        let bins = if resolution == 0 { 0 } else { limit.max_bins as usize };
        let bins = BinTable::new(4 * bins, resolution > 0);
        let intervals = limit.scale.intervals(resolution);
        Table { bins, resolution, intervals, limit, score_type, nan: Count::default() }
    }

    /// Makes room for a block of rows: adds slots or, if there are many bins, moves to a later partition.
    fn make_room(&mut self) {
        if self.bins.has_room(BLOCK) {
            return;
        }
        if self.bins.len() <= BINS_PER_LIMIT * self.limit.max_bins as usize {
            return self.bins.make_room(BLOCK);
        }
        let state = self.state().fitted();
        self.resolution = state.resolution;
        self.intervals = self.limit.scale.intervals(state.resolution);
        self.bins = BinTable::new(self.bins.slots(), state.resolution > 0);
        self.bins.add_state(&state, self.intervals);
    }

    /// The rows so far.
    fn state(&self) -> State {
        let (bins, tied) = self.bins.bins_in_order(self.score_type);
        let Count { pos, neg } = Count::sum(bins.each()).plus(self.nan);
        let rows = RowCounts { n_pos: pos, n_neg: neg, ..RowCounts::default() };
        if self.nan.rows() > 0 {
            return State::nan(self.score_type, rows);
        }
        State { bins, tied, limit: Some(self.limit), resolution: self.resolution, rows, has_nan: false }
    }
}

/// The kernel that counts rows into a table.
struct Counting<'a, S: Score> {
    rows: Observations<'a, S>,
    table: Table<S::Key>,
}

impl<S: Score> Kernel for Counting<'_, S> {
    type Output = Table<S::Key>;

    #[inline(always)]
    fn run(mut self) -> Table<S::Key> {
        let unit = self.table.score_type.unit();
        let mut values = [0.0; BLOCK];
        let mut intervals = [0; BLOCK];
        for word in self.rows.words() {
            if self.table.nan.rows() == 0 {
                self.table.make_room();
            }
            for (value, score) in values.iter_mut().zip(word.scores) {
                *value = score.position() / unit;
            }
            self.table.intervals.fill(&values, &mut intervals);
            for (row, (&score, &interval)) in word.scores.iter().zip(&intervals).enumerate() {
                if !word.is_used(row) {
                    continue;
                }
                let rows = word.masses.get(row).map_or(1, |&count| count as u64);
                let mut count = Count::default();
                count.add(word.class(row) == 1, rows);
                if score.is_nan() || self.table.nan.rows() > 0 {
                    self.table.nan = self.table.nan.plus(count);
                } else {
                    self.table.bins.add(Bin { interval, count, low: score.key(), tied: true });
                }
            }
        }
        self.table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::group::Group;
    use crate::ranking::scores::{Bits, Domain, bits::tests::packed};
    use crate::states::{Scale, state::tests::each};
    use proptest::prelude::*;

    fn agrees<S: Score>(rows: &[(S, bool, bool)], limit: Limit) -> Result<(), TestCaseError> {
        let scores: Vec<S> = rows.iter().map(|row| row.0).collect();
        let labels = packed(rows.iter().map(|row| row.1));
        let valid = packed(rows.iter().map(|row| row.2));
        let bits = |bytes| Bits::new(bytes, 0, rows.len());
        let observations = Observations::new(&scores, bits(&labels), Some(bits(&valid)));
        let mut group = Group::default();
        group.load(observations);
        for pieces in [1, 2, 7] {
            let pieces = if rows.is_empty() { vec![observations] } else { observations.blocks(pieces) };
            let counted = bounded_state(&pieces, limit, ScoreType::new::<S>(Domain::Any));
            prop_assert_eq!(counted.rows, group.row_counts().stored());
            prop_assert_eq!(counted.has_nan, group.has_nan());
            if !counted.has_nan {
                let ranked = group.ties().state().limited(Some(limit));
                prop_assert_eq!(each(&counted), each(&ranked));
                prop_assert_eq!(counted.resolution, ranked.resolution);
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn counted_or_ranked(
            rows in prop::collection::vec((any::<f64>(), -1f64..1.0, any::<bool>(), 0..9, 0..40), 0..3000),
            max_bins in 4u64..60,
            wild in any::<bool>(),
        ) {
            let limit = Limit { max_bins, scale: Scale::Real };
            let score = |wild_score: f64, score: f64| if wild && !wild_score.is_nan() { wild_score } else { score };
            let rows: Vec<(f64, bool, bool)> = rows
                .iter()
                .map(|&(any, score_, label, valid, round)| {
                    (if round == 0 { (score_ * 8.0).round() } else { score(any, score_) }, label, valid > 0)
                })
                .collect();
            agrees(&rows, limit)?;
            let limit = Limit { max_bins, scale: Scale::Probability };
            let shares: Vec<(f64, bool, bool)> = rows.iter().map(|row| (row.0.abs() % 1.0, row.1, row.2)).collect();
            agrees(&shares, limit)?;
            let narrow: Vec<(f32, bool, bool)> = rows.iter().map(|row| (row.0 as f32, row.1, row.2)).collect();
            agrees(&narrow, Limit { max_bins, scale: Scale::Real })?;
            let whole: Vec<(i128, bool, bool)> = rows.iter().map(|row| ((row.0 * 1e30) as i128, row.1, row.2)).collect();
            agrees(&whole, Limit { max_bins, scale: Scale::Real })?;
        }
    }

    /// These fill a table without a partition, and all round to one float. A single chain of slots would take
    /// minutes.
    #[test]
    fn integers_that_round_to_one_float() {
        let rows: Vec<(i128, bool, bool)> =
            (0..300_000).map(|i| ((1 << 100) + i, i % 3 == 0, true)).collect();
        agrees(&rows, Limit { max_bins: 4096, scale: Scale::Real }).unwrap();
    }

    #[test]
    fn a_nan_and_many_parts() {
        let limit = Limit { max_bins: 16, scale: Scale::Real };
        let mut rows: Vec<(f64, bool, bool)> =
            (0..3 * BOUNDED_ROWS + 5).map(|i| ((i as f64).sin(), i % 3 == 0, i % 11 > 0)).collect();
        agrees(&rows, limit).unwrap();
        rows[BOUNDED_ROWS + 1] = (f64::NAN, true, true);
        agrees(&rows, limit).unwrap();
        rows[BOUNDED_ROWS + 1].2 = false;
        agrees(&rows, limit).unwrap();
    }
}
