//! The grid of an outline, which gives each key its cell.
//!
//! The first grid has equal steps over the range of keys. Steps with many rows are then cut again, into as many parts as their
//! rows need.

use super::pieces::Piece;
use crate::ranking::scores::Key;
use crate::ranking::tuning::FIRST_GRID_BITS;

/// How a step of the first grid is cut: how many bits of a key its parts drop, and what is added to the bits that are left,
/// which gives the number of the part.
type Parts = (u32, u32);

/// The grid that gives each key its cell. Cells are in the order of keys.
#[derive(Debug)]
pub(super) struct Grid<K> {
    low: K,
    /// Bits of a key that the first grid drops.
    shift: u32,
    /// The parts of each cell of the first grid.
    parts: Vec<Parts>,
}

impl<K: Key> Grid<K> {
    /// The first grid, for keys from the lowest to the highest one.
    pub fn first(low: K, high: K) -> Self {
        let bits = u128::BITS - high.above(low, 0).leading_zeros();
        let shift = bits.saturating_sub(FIRST_GRID_BITS);
        let cells = high.above(low, shift) as u32 + 1;
        Grid { low, shift, parts: vec![(shift, 0); cells as usize] }
    }

    /// How many cells the first grid has.
    pub fn steps(&self) -> usize {
        self.parts.len()
    }

    /// The same with cells cut so that none has many more than `most` of these rows.
    pub fn cut(self, rows: &[u64], most: u64) -> Self {
        let mut number = 0;
        let parts = (0u64..).zip(rows).map(|(cell, &rows)| {
            let bits = rows.div_ceil(most).next_power_of_two().ilog2().min(self.shift);
            let first: u32 = number;
            number += 1 << bits;
            // Numbers of parts have 32 bits, so it does not matter that the bits of a key, and so what is added, may have more.
            (self.shift - bits, first.wrapping_sub((cell << bits) as u32))
        });
        Grid { parts: parts.collect(), ..self }
    }

    #[inline]
    fn step(&self, key: K) -> usize {
        key.above(self.low, self.shift) as usize
    }

    #[inline]
    fn cell(&self, key: K) -> u32 {
        number(key, self.low, self.parts[self.step(key)])
    }
}

/// The number of the part that a key lies in.
#[inline(always)]
fn number<K: Key>(key: K, low: K, (shift, added): Parts) -> u32 {
    added.wrapping_add(key.above(low, shift) as u32)
}

/// The cells of a grid from that of one key to that of another.
#[derive(Debug)]
pub(super) struct Cells<'a, K> {
    grid: &'a Grid<K>,
    /// The numbers of the first and of the last one.
    pub first: u32,
    pub last: u32,
    /// The parts of all steps here, if they are the same: then no key needs to ask for those of its own step.
    same: Option<Parts>,
}

impl<'a, K: Key> Cells<'a, K> {
    /// The cells from the lowest key to the highest one.
    pub fn between(grid: &'a Grid<K>, low: K, high: K) -> Self {
        let parts = &grid.parts[grid.step(low)..=grid.step(high)];
        let same = parts.iter().all(|of_step| *of_step == parts[0]).then(|| parts[0]);
        Cells { grid, first: grid.cell(low), last: grid.cell(high), same }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        (self.last - self.first) as usize + 1
    }

    /// Calls `add` for each key of a piece that lies in these cells: with the place of its cell among them, the key, its units
    /// and its rows.
    pub fn each_key(&self, piece: &Piece<'_, K>, add: impl FnMut(usize, K, u64, u64)) {
        let (grid, low, first) = (self.grid, self.grid.low, self.first);
        match self.same {
            Some((shift, added)) => {
                let from_here = (shift, added.wrapping_sub(first));
                piece.each_key(|key| number(key, low, from_here), add);
            }
            None => piece.each_key(|key| grid.cell(key) - first, add),
        }
    }
}
