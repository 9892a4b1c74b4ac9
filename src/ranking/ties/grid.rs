//! The grid of an outline, which gives each key its cell.
//!
//! The cells of the first grid are equal steps over the range of keys. Those with many rows are then cut again, into as many cells
//! as their rows need.

use super::pieces::Piece;
use crate::ranking::scores::Key;
use crate::ranking::tuning::FIRST_GRID_BITS;

/// How a cell of the first grid is cut into the cells of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cut {
    /// Bits of a key that the cells drop.
    shift: u32,
    /// What is added to the bits that are left, which gives the number of the cell.
    added: u32,
}

/// The grid that gives each key its cell. Cells are in the order of keys.
#[derive(Debug)]
pub(super) struct Grid<K> {
    low: K,
    /// Bits of a key that the first grid drops.
    shift: u32,
    /// The cut of each cell of the first grid.
    cuts: Vec<Cut>,
}

impl<K: Key> Grid<K> {
    /// The first grid, for keys from the lowest to the highest one.
    pub fn first(low: K, high: K) -> Self {
        let bits = u128::BITS - high.above(low, 0).leading_zeros();
        let shift = bits.saturating_sub(FIRST_GRID_BITS);
        let cells = high.above(low, shift) as u32 + 1;
        Grid { low, shift, cuts: vec![Cut { shift, added: 0 }; cells as usize] }
    }

    /// How many cells the first grid has.
    pub fn first_cells(&self) -> usize {
        self.cuts.len()
    }

    /// The same with cells cut so that none has many more than `most` of these rows.
    pub fn cut(self, rows: &[u64], most: u64) -> Self {
        let mut number = 0;
        let cuts = (0u64..).zip(rows).map(|(cell, &rows)| {
            let bits = rows.div_ceil(most).next_power_of_two().ilog2().min(self.shift);
            let first: u32 = number;
            number += 1 << bits;
            // Numbers of cells have 32 bits, so it does not matter that the bits of a key, and so what is added, may have more.
            Cut { shift: self.shift - bits, added: first.wrapping_sub((cell << bits) as u32) }
        });
        Grid { cuts: cuts.collect(), ..self }
    }

    /// The cell of the first grid that a key lies in.
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

/// The cells of a grid from that of one key to that of another.
#[derive(Debug)]
pub(super) struct Cells<'a, K> {
    grid: &'a Grid<K>,
    /// The numbers of the first and of the last one.
    pub first: u32,
    last: u32,
}

impl<'a, K: Key> Cells<'a, K> {
    /// The cells from the lowest key to the highest one.
    pub fn between(grid: &'a Grid<K>, low: K, high: K) -> Self {
        Cells { grid, first: grid.cell(low), last: grid.cell(high) }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        (self.last - self.first) as usize + 1
    }

    /// Calls `add` for each key of a piece that lies in these cells: with the index of its cell among them, the key, its units
    /// and its rows.
    pub fn each_key(&self, piece: &Piece<'_, K>, add: impl FnMut(usize, K, u64, u64)) {
        piece.each_key(|key| self.grid.cell(key) - self.first, add);
    }
}
