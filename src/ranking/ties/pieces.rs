//! Pieces of a large group's rows: rows of one class in the layout of the ranking.

use crate::cache;
use crate::ranking::scores::Key;
use crate::ranking::tuning::TOGETHER;
use crate::simd::{self, Kernel};

/// Some rows of one class.
#[derive(Clone, Copy, Debug)]
pub(in crate::ranking) struct Piece<'a, K> {
    pub class: usize,
    pub rows: PieceRows<'a, K>,
}

/// The rows of a piece.
#[derive(Clone, Copy, Debug)]
pub(in crate::ranking) enum PieceRows<'a, K> {
    /// Each key is a row.
    Keys(&'a [K]),
    /// Each key is a row with units.
    WithUnits(&'a [(K, u64)]),
    /// Each key is a number of rows.
    WithCounts(&'a [K], &'a [u64]),
}

impl<K: Key> Piece<'_, K> {
    pub fn rows(&self) -> u64 {
        match self.rows {
            PieceRows::Keys(keys) => keys.len() as u64,
            PieceRows::WithUnits(rows) => rows.len() as u64,
            PieceRows::WithCounts(_, rows) => rows.iter().sum(),
        }
    }

    /// Prefetches the keys.
    pub fn prefetch(&self) {
        match self.rows {
            PieceRows::Keys(keys) | PieceRows::WithCounts(keys, _) => cache::prefetch(keys),
            PieceRows::WithUnits(rows) => cache::prefetch(rows),
        }
    }

    /// The lowest and the highest key; the key type's maximum and minimum for an empty piece.
    pub fn ends(&self) -> (K, K) {
        match self.rows {
            PieceRows::Keys(keys) | PieceRows::WithCounts(keys, _) => {
                simd::dispatch(Ends(keys.iter().copied()))
            }
            PieceRows::WithUnits(rows) => simd::dispatch(Ends(rows.iter().map(|row| row.0))),
        }
    }

    /// Calls `add` for each key with its cell (from `cell`), its units and its rows.
    pub fn each_key(&self, cell: impl Fn(K) -> u32, mut add: impl FnMut(usize, K, u64, u64)) {
        match self.rows {
            PieceRows::Keys(keys) => simd::dispatch(EachRow { keys, cell, add }),
            PieceRows::WithUnits(rows) => {
                rows.iter().for_each(|&(key, units)| add(cell(key) as usize, key, units, 1));
            }
            PieceRows::WithCounts(keys, counts) => {
                keys.iter().zip(counts).for_each(|(&key, &n)| add(cell(key) as usize, key, n, n));
            }
        }
    }
}

/// The lowest and the highest of some keys.
struct Ends<I>(I);

impl<K: Key, I: Iterator<Item = K>> Kernel for Ends<I> {
    type Output = (K, K);

    #[inline(always)]
    fn run(self) -> (K, K) {
        self.0.fold((K::NAN, K::default()), |(low, high), key| (low.min(key), high.max(key)))
    }
}

/// The kernel of [`Piece::each_key`] for [`PieceRows::Keys`].
struct EachRow<'a, K, C, A> {
    keys: &'a [K],
    cell: C,
    add: A,
}

impl<K: Key, C: Fn(K) -> u32, A: FnMut(usize, K, u64, u64)> Kernel for EachRow<'_, K, C, A> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let EachRow { keys, cell, mut add } = self;
        // The cells of several keys are computed together, with SIMD if `cell` is one or two operations.
        let mut cells = [0; TOGETHER];
        for keys in keys.chunks(TOGETHER) {
            cells.iter_mut().zip(keys).for_each(|(number, &key)| *number = cell(key));
            cells.iter().zip(keys).for_each(|(&cell, &key)| add(cell as usize, key, 1, 1));
        }
    }
}
