//! The grid of an outline: a map of keys to cells.
//!
//! The cells of the first grid divide the range of keys into equal steps. Cells with many rows are then
//! subdivided according to their rows.

use super::pieces::Piece;
use crate::ranking::scores::Key;
use crate::ranking::tuning::FIRST_GRID_BITS;

/// The subdivision of a cell of the first grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cut {
    /// Low bits of a key that the cells drop.
    shift: u32,
    /// Offset from the remaining bits to the number of the cell.
    added: u32,
}

/// A monotone map of keys to cells.
#[derive(Debug)]
pub(super) struct Grid<K> {
    low: K,
    /// Low bits of a key that the first grid drops.
    shift: u32,
    /// The subdivision of each cell of the first grid.
    cuts: Vec<Cut>,
}

impl<K: Key> Grid<K> {
    /// The first grid, from the lowest to the highest key.
    pub fn first(low: K, high: K) -> Self {
        let bits = u128::BITS - high.above(low, 0).leading_zeros();
        let shift = bits.saturating_sub(FIRST_GRID_BITS);
        let cells = high.above(low, shift) as u32 + 1;
        Grid { low, shift, cuts: vec![Cut { shift, added: 0 }; cells as usize] }
    }

    /// The number of cells of the first grid.
    pub fn first_cells(&self) -> usize {
        self.cuts.len()
    }

    /// The grid with cells subdivided so that none has many more than `max` of these rows.
    pub fn cut(self, rows: &[u64], max: u64) -> Self {
        let mut number = 0;
        let cuts = (0u64..).zip(rows).map(|(cell, &rows)| {
            let bits = rows.div_ceil(max).next_power_of_two().ilog2().min(self.shift);
            let first: u32 = number;
            number += 1 << bits;
            // Cell numbers are modulo 2^32, so higher bits of keys and offsets do not matter.
            Cut { shift: self.shift - bits, added: first.wrapping_sub((cell << bits) as u32) }
        });
        Grid { cuts: cuts.collect(), ..self }
    }

    /// The cell of a key in the first grid.
    #[inline]
    fn first_cell(&self, key: K) -> usize {
        key.above(self.low, self.shift) as usize
    }

    #[inline]
    fn cell(&self, key: K) -> u32 {
        let Cut { shift, added } = self.cuts[self.first_cell(key)];
        added.wrapping_add(key.above(self.low, shift) as u32)
    }
}

/// A range of cells of a grid, from one key to another.
#[derive(Debug)]
pub(super) struct Cells<'a, K> {
    grid: &'a Grid<K>,
    /// The numbers of the first and the last cell.
    pub first: u32,
    last: u32,
}

impl<'a, K: Key> Cells<'a, K> {
    /// The cells from the lowest key to the highest one.
    pub fn between(grid: &'a Grid<K>, low: K, high: K) -> Self {
        Cells { grid, first: grid.cell(low), last: grid.cell(high) }
    }

    /// The number of cells.
    pub fn count(&self) -> usize {
        (self.last - self.first) as usize + 1
    }

    /// For each key of a piece in these cells, calls `add` with the relative index of its cell, the key, its
    /// units and its rows.
    pub fn each_key(&self, piece: &Piece<'_, K>, add: impl FnMut(usize, K, u64, u64)) {
        piece.each_key(|key| self.grid.cell(key) - self.first, add);
    }
}
