//! The representation of a row in a large group during partitioning: its key, or its key and its units.

use std::fmt::Debug;
use std::hint::select_unpredictable;

use crate::ranking::scores::{Key, Score, observations::Word};
use crate::ranking::ties::{
    pieces::{Piece, PieceRows},
    units::Unit,
};

/// A row to be partitioned: a key for unweighted rows, or a key and the units of its weight.
pub(in crate::ranking) trait Row: Copy + Debug + Default + Send + Sync + 'static {
    type Key: Key;

    /// The data of a row besides its key.
    type Payload: Copy + Default;

    /// Whether rows have weights. Otherwise each row is one unit.
    const HAS_WEIGHT: bool;

    /// The row with this key and payload.
    fn new(key: Self::Key, payload: Self::Payload) -> Self;

    fn key(self) -> Self::Key;

    /// The units of a row with this payload.
    fn units(payload: Self::Payload) -> u64;

    /// Fills the payloads of rows; the weights of either class are counted in `units`. Returns, for each
    /// class, the bitwise OR of the units.
    fn fill<S: Score>(payload: &mut [Self::Payload; 64], rows: &Word<'_, S>, units: [Unit; 2]) -> [u64; 2];

    /// Rows of one class as a piece of an outline.
    fn piece(class: usize, rows: &[Self]) -> Piece<'_, Self::Key>;
}

impl<K: Key> Row for K {
    type Key = K;
    type Payload = ();

    const HAS_WEIGHT: bool = false;

    #[inline(always)]
    fn new(key: K, (): ()) -> Self {
        key
    }

    #[inline(always)]
    fn key(self) -> K {
        self
    }

    #[inline(always)]
    fn units((): ()) -> u64 {
        1
    }

    #[inline(always)]
    fn fill<S: Score>(_: &mut [(); 64], _: &Word<'_, S>, _: [Unit; 2]) -> [u64; 2] {
        [1; 2]
    }

    fn piece(class: usize, rows: &[K]) -> Piece<'_, K> {
        Piece { class, rows: PieceRows::Keys(rows) }
    }
}

impl<K: Key> Row for (K, u64) {
    type Key = K;
    type Payload = u64;

    const HAS_WEIGHT: bool = true;

    #[inline(always)]
    fn new(key: K, units: u64) -> Self {
        (key, units)
    }

    #[inline(always)]
    fn key(self) -> K {
        self.0
    }

    #[inline(always)]
    fn units(units: u64) -> u64 {
        units
    }

    #[inline(always)]
    fn fill<S: Score>(payload: &mut [u64; 64], rows: &Word<'_, S>, [neg, pos]: [Unit; 2]) -> [u64; 2] {
        // Masks instead of branches, so that the loop is vectorised.
        let mut are_small = true;
        for (row, (units, &weight)) in payload.iter_mut().zip(rows.masses).enumerate() {
            let unit = select_unpredictable(rows.labels >> row & 1 == 1, pos, neg);
            let is_small;
            (*units, is_small) = unit.small_units(weight);
            are_small &= is_small;
        }
        if !are_small {
            fill_large(payload, rows.masses, rows.labels, [neg, pos]);
        }
        let mut any = [0; 2];
        for (row, units) in payload.iter().enumerate() {
            let (is_pos, is_used) = (rows.labels >> row & 1, rows.used >> row & 1);
            let used = units & is_used.wrapping_neg();
            any[0] |= used & is_pos.wrapping_sub(1);
            any[1] |= used & is_pos.wrapping_neg();
        }
        any
    }

    fn piece(class: usize, rows: &[Self]) -> Piece<'_, K> {
        Piece { class, rows: PieceRows::WithUnits(rows) }
    }
}

/// Fills the units of rows, some of which may be 2^52 or more.
#[cold]
fn fill_large(units: &mut [u64; 64], weights: &[f64], labels: u64, unit_of: [Unit; 2]) {
    for (row, (units, &weight)) in units.iter_mut().zip(weights).enumerate() {
        *units = unit_of[(labels >> row & 1) as usize].units(weight);
    }
}
