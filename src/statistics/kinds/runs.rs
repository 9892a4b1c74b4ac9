//! A selection of rows from several parts, in any order.
//!
//! Consecutive rows of a part are copied together. Threads of a pool share the copying, since page faults
//! dominate its time.

use std::ops::{Deref, Range};

use rayon::prelude::*;

use super::column::Nullable;
use crate::memory;
use crate::ranking::tasks;

/// Fewer values are copied by one thread: waking another one takes about as long.
const FEWEST_SHARED: usize = 1 << 15;

/// Rows copied from each sequence in turn; a block of them stays in the cache.
const ROWS_IN_TURN: usize = 1 << 10;

/// A selection of rows from several parts, in output order.
#[derive(Debug)]
pub struct Runs(Order);

#[derive(Debug)]
enum Order {
    Runs(Vec<Run>),
    InTurn(InTurn),
}

/// All rows of `sequences` sequences of `rows` rows, which are concatenated over the parts, transposed: the
/// first row of each sequence, then the second, and so on.
#[derive(Clone, Copy, Debug)]
struct InTurn {
    sequences: usize,
    rows: usize,
}

impl Default for Runs {
    fn default() -> Self {
        Runs(Order::Runs(Vec::new()))
    }
}

/// The items of the selected rows, which are lists.
#[derive(Debug)]
pub struct Items {
    /// The items.
    pub runs: Runs,
    /// The end of each row's items.
    pub ends: Vec<u64>,
}

/// Consecutive rows of a part.
#[derive(Debug)]
struct Run {
    part: usize,
    rows: Range<usize>,
    /// The cumulative number of rows up to the end of this run.
    end: usize,
}

impl Runs {
    /// Rows in an order, each as an index into the rows of all parts, which have these numbers of rows.
    pub fn in_order(rows_of_parts: &[usize], order: impl Iterator<Item = usize>) -> Self {
        let mut runs = Vec::new();
        let ends = ends(rows_of_parts.iter().copied());
        for row in order {
            let part = ends.partition_point(|&end| end <= row);
            let row = row + rows_of_parts[part] - ends[part];
            push(&mut runs, part, row..row + 1);
        }
        Runs(Order::Runs(runs))
    }

    /// All rows of `sequences` sequences of `rows` rows, which are concatenated over the parts, transposed:
    /// the first row of each sequence, then the second, and so on.
    pub fn in_turn(sequences: usize, rows: usize) -> Self {
        Runs(Order::InTurn(InTurn { sequences, rows }))
    }

    fn len(&self) -> usize {
        match &self.0 {
            Order::Runs(runs) => end_of(runs),
            Order::InTurn(InTurn { sequences, rows }) => sequences * rows,
        }
    }

    /// The items of these rows, which are lists; `ends` are the ends of each part's lists.
    pub fn items(&self, ends: &[Nullable<u64>]) -> Items {
        let runs = match &self.0 {
            Order::Runs(runs) => runs,
            Order::InTurn(InTurn { sequences, rows }) => {
                let sizes: Vec<usize> = ends.iter().map(|ends| ends.values.len()).collect();
                let order = (0..sequences * rows).map(|row| row % sequences * rows + row / sequences);
                return Runs::in_order(&sizes, order).items(ends);
            }
        };
        let (mut items, mut ends_of_rows) = (Vec::new(), Vec::with_capacity(end_of(runs)));
        for run in runs {
            let ends = &ends[run.part].values;
            let start = if run.rows.start == 0 { 0 } else { ends[run.rows.start - 1] };
            let before = end_of(&items) as u64;
            ends_of_rows.extend(ends[run.rows.clone()].iter().map(|end| before + end - start));
            push(&mut items, run.part, start as usize..ends[run.rows.end - 1] as usize);
        }
        Items { runs: Runs(Order::Runs(items)), ends: ends_of_rows }
    }

    /// The values of these rows, from one value per row of each part.
    pub fn gather<T: Copy + Default + Send + Sync>(&self, parts: &[impl Deref<Target = [T]>]) -> Vec<T> {
        let mut values = memory::zeroed_lazily(self.len());
        let parts = parts.iter().map(|part| &**part).collect::<Vec<_>>();
        match &self.0 {
            Order::Runs(runs) => copy(runs, 0, &parts, &mut values),
            Order::InTurn(in_turn) => copy_in_turn(&parts, *in_turn, &mut values),
        }
        values
    }
}

/// The number of rows in these runs.
fn end_of(runs: &[Run]) -> usize {
    runs.last().map_or(0, |run| run.end)
}

/// Appends rows of a part, possibly by extending the last run.
fn push(runs: &mut Vec<Run>, part: usize, rows: Range<usize>) {
    let end = end_of(runs) + rows.len();
    match runs.last_mut() {
        _ if rows.is_empty() => {}
        Some(last) if last.part == part && last.rows.end == rows.start => {
            (last.rows.end, last.end) = (rows.end, end);
        }
        _ => runs.push(Run { part, rows, end }),
    }
}

/// Copies the values of runs, after `before` rows.
fn copy<T: Copy + Send + Sync>(runs: &[Run], before: usize, parts: &[&[T]], values: &mut [T]) {
    if values.len() > FEWEST_SHARED && runs.len() > 1 && tasks::in_pool() {
        let half = before + values.len() / 2;
        let middle = runs.partition_point(|run| run.end <= half).clamp(1, runs.len() - 1);
        let (high, low) = (&runs[..middle], &runs[middle..]);
        let end = high[middle - 1].end;
        let (high_values, low_values) = values.split_at_mut(end - before);
        tasks::join(|| copy(high, before, parts, high_values), || copy(low, end, parts, low_values));
        return;
    }
    let mut rest = values;
    for run in runs {
        let (here, after) = rest.split_at_mut(run.rows.len());
        here.copy_from_slice(&parts[run.part][run.rows.clone()]);
        rest = after;
    }
}

/// Copies and transposes the values of `sequences` sequences of `rows` rows, which are concatenated over the
/// parts.
fn copy_in_turn<T: Copy + Send + Sync>(parts: &[&[T]], InTurn { sequences, rows }: InTurn, values: &mut [T]) {
    let ends = ends(parts.iter().map(|part| part.len()));
    let copy_block = |(block, values): (usize, &mut [T])| {
        for sequence in 0..sequences {
            let first = sequence * rows + block * ROWS_IN_TURN;
            let all = first..first + values.len() / sequences;
            let mut slots = values[sequence..].iter_mut().step_by(sequences);
            let mut part = ends.partition_point(|&end| end <= first);
            let mut done = first;
            while done < all.end {
                let start = ends[part] - parts[part].len();
                let upto = all.end.min(ends[part]);
                for (&value, slot) in parts[part][done - start..upto - start].iter().zip(&mut slots) {
                    *slot = value;
                }
                (done, part) = (upto, part + 1);
            }
        }
    };
    let block = (ROWS_IN_TURN * sequences).max(1);
    if values.len() > FEWEST_SHARED && tasks::in_pool() {
        values.par_chunks_mut(block).enumerate().for_each(copy_block);
    } else {
        values.chunks_mut(block).enumerate().for_each(copy_block);
    }
}

/// The end of each part with these sizes.
fn ends(sizes: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut end = 0;
    sizes
        .map(|size| {
            end += size;
            end
        })
        .collect()
}
