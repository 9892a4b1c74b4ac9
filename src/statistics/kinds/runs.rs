//! Some rows of several parts, in any order.
//!
//! Neighbouring rows of a part are copied together. Threads of a pool share what is to be copied, since most of the time
//! goes into new pages of memory.

use std::ops::{Deref, Range};

use super::column::Nullable;
use crate::memory;
use crate::ranking::tasks;

/// Fewer values are copied by one thread: waking another one takes about as long.
const FEWEST_SHARED: usize = 1 << 15;

/// Some rows of several parts, in the order in which they are wanted.
#[derive(Debug, Default)]
pub struct Runs(Vec<Run>);

/// The items of some rows, which are lists.
#[derive(Debug)]
pub struct Items {
    /// The items.
    pub runs: Runs,
    /// Where the items of each row end.
    pub ends: Vec<u64>,
}

/// Neighbouring rows of a part.
#[derive(Debug)]
struct Run {
    part: usize,
    rows: Range<usize>,
    /// How many rows there are up to the end of this run.
    end: usize,
}

impl Runs {
    /// Rows in an order, each by its number among the rows of all parts, which have so many rows each.
    pub fn in_order(rows_of_parts: &[usize], order: impl Iterator<Item = usize>) -> Self {
        let mut runs = Runs::default();
        let mut end = 0;
        let ends: Vec<usize> = rows_of_parts
            .iter()
            .map(|rows| {
                end += rows;
                end
            })
            .collect();
        for row in order {
            let part = ends.partition_point(|&end| end <= row);
            let row = row + rows_of_parts[part] - ends[part];
            runs.push(part, row..row + 1);
        }
        runs
    }

    /// The number of rows.
    fn len(&self) -> usize {
        self.0.last().map_or(0, |run| run.end)
    }

    fn push(&mut self, part: usize, rows: Range<usize>) {
        let end = self.len() + rows.len();
        match self.0.last_mut() {
            _ if rows.is_empty() => {}
            Some(last) if last.part == part && last.rows.end == rows.start => {
                (last.rows.end, last.end) = (rows.end, end);
            }
            _ => self.0.push(Run { part, rows, end }),
        }
    }

    /// The items of these rows, which are lists; `ends` says where those of a part end among its items.
    pub fn items(&self, ends: &[Nullable<u64>]) -> Items {
        let mut items = Items { runs: Runs::default(), ends: Vec::with_capacity(self.len()) };
        for run in &self.0 {
            let ends = &ends[run.part].values;
            let start = if run.rows.start == 0 { 0 } else { ends[run.rows.start - 1] };
            let before = items.runs.len() as u64;
            items.ends.extend(ends[run.rows.clone()].iter().map(|end| before + end - start));
            items.runs.push(run.part, start as usize..ends[run.rows.end - 1] as usize);
        }
        items
    }

    /// The values of these rows, where each part has a value for each of its rows.
    pub fn of<T: Copy + Default + Send + Sync>(&self, parts: &[impl Deref<Target = [T]>]) -> Vec<T> {
        let mut values = memory::default_values(self.len());
        copy(&self.0, 0, &parts.iter().map(|part| &**part).collect::<Vec<_>>(), &mut values);
        values
    }
}

/// Copies the values of runs, before which there are `before` rows.
fn copy<T: Copy + Send + Sync>(runs: &[Run], before: usize, parts: &[&[T]], values: &mut [T]) {
    if values.len() > FEWEST_SHARED && runs.len() > 1 && tasks::in_pool() {
        let half = before + values.len() / 2;
        let middle = runs.partition_point(|run| run.end <= half).clamp(1, runs.len() - 1);
        let (high, low) = (&runs[..middle], &runs[middle..]);
        let end = high[middle - 1].end;
        let (of_high, of_low) = values.split_at_mut(end - before);
        rayon::join(|| copy(high, before, parts, of_high), || copy(low, end, parts, of_low));
        return;
    }
    let mut rest = values;
    for run in runs {
        let (here, after) = rest.split_at_mut(run.rows.len());
        here.copy_from_slice(&parts[run.part][run.rows.clone()]);
        rest = after;
    }
}
