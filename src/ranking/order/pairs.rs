//! A few rows, pair by pair: their placements, and their order.
//!
//! Comparing all pairs of a few rows is cheaper than sorting them. It needs no branch that a processor would foretell wrong.

use crate::ranking::index::tally::Place;
use crate::ranking::scores::Key;
use crate::ranking::ties::{placements::Moments, steps::Runs};
use crate::ranking::tuning::{FEW_ROWS, LANES, VERY_FEW_ROWS};
use crate::wide::{Work, widest};

/// 2 if the positive scores higher, 1 if both tie, else 0.
#[inline]
pub(in crate::ranking) fn twice_higher<K: Key>(pos: K, neg: K) -> u64 {
    u64::from(neg < pos) + u64::from(neg <= pos)
}

/// Sums over the places of the indexed rows and of the others, fewer than [`FEW_ROWS`] together. `visit` visits the place
/// of each indexed row.
#[inline(always)]
pub(in crate::ranking) fn place_sums<K: Key>(
    indexed: &[&[K]],
    others: &[&[K]],
    visit: impl FnMut(Place),
) -> [Moments<u128>; 2] {
    let rows = |pieces: &[&[K]]| pieces.iter().map(|piece| piece.len()).sum::<usize>();
    let n_indexed = rows(indexed);
    let n_rows = n_indexed + rows(others);
    // Room that is not needed would have to be cleared.
    if n_rows <= VERY_FEW_ROWS {
        let keys = &together::<K, VERY_FEW_ROWS>([indexed, others])[..n_rows];
        PlaceSums::<K, _, VERY_FEW_ROWS> { keys, n_indexed, visit }.run()
    } else {
        let keys = &together::<K, FEW_ROWS>([indexed, others])[..n_rows];
        widest(PlaceSums::<K, _, FEW_ROWS> { keys, n_indexed, visit })
    }
}

/// The keys of both classes, one after the other.
#[inline(always)]
fn together<K: Key, const ROWS: usize>(classes: [&[&[K]]; 2]) -> [K; ROWS] {
    let mut keys = [K::default(); ROWS];
    let mut rows = 0;
    for piece in classes.into_iter().flatten() {
        keys[rows..rows + piece.len()].copy_from_slice(piece);
        rows += piece.len();
    }
    keys
}

/// The work of [`place_sums`].
struct PlaceSums<'a, K, F, const ROWS: usize> {
    /// Those of the indexed rows, then those of the others.
    keys: &'a [K],
    n_indexed: usize,
    visit: F,
}

impl<K: Key, F: FnMut(Place), const ROWS: usize> Work for PlaceSums<'_, K, F, ROWS> {
    type Output = [Moments<u128>; 2];

    #[inline(always)]
    fn run(mut self) -> [Moments<u128>; 2] {
        let (indexed, others) = self.keys.split_at(self.n_indexed);
        let (mut of_indexed, mut of_others) = (Moments::<u64>::default(), Moments::<u64>::default());
        // Of each other key, twice the indexed keys below it, and once those equal to it.
        let mut places = [0u32; ROWS];
        let places = &mut places[..others.len()];
        for &key in indexed {
            let mut place = Place::default();
            for (&other, twice_below) in others.iter().zip(places.iter_mut()) {
                let (lower, not_above) = (u32::from(other < key), u32::from(other <= key));
                place.others_below += lower;
                place.others_upto += not_above;
                *twice_below += 2 - lower - not_above;
            }
            for &other in indexed {
                place.indexed_below += u32::from(other < key);
                place.indexed_upto += u32::from(other <= key);
            }
            of_indexed.add(1, place.among_others());
            (self.visit)(place);
        }
        for &twice_below in places.iter() {
            of_others.add(1, twice_below.into());
        }
        [of_indexed.wide(), of_others.wide()]
    }
}

/// Walks the distinct scores of fewer than [`FEW_ROWS`] rows from the highest to the lowest.
#[inline]
pub(in crate::ranking) fn for_each<K: Key>(pos: &[K], neg: &[K], runs: &mut Runs<'_, '_>) {
    // Room that is not needed would have to be cleared.
    if pos.len() + neg.len() <= VERY_FEW_ROWS {
        for_each_at::<K, VERY_FEW_ROWS>(pos, neg, places, runs);
    } else {
        for_each_at::<K, FEW_ROWS>(pos, neg, |keys, rows| widest(Places { keys, rows }), runs);
    }
}

/// A score comes after as many rows as have a higher score: so this number is its place.
#[inline(always)]
fn for_each_at<K: Key, const ROWS: usize>(
    pos: &[K],
    neg: &[K],
    places: impl FnOnce(&[K; ROWS], usize) -> [u8; ROWS],
    runs: &mut Runs<'_, '_>,
) {
    let rows = pos.len() + neg.len();
    let mut keys = [K::default(); ROWS];
    keys[..pos.len()].copy_from_slice(pos);
    keys[pos.len()..rows].copy_from_slice(neg);
    let mut key_at = [K::default(); ROWS];
    let mut rows_at = [[0u8; 2]; ROWS];
    for (row, (&key, place)) in keys[..rows].iter().zip(places(&keys, rows)).enumerate() {
        let place = usize::from(place);
        key_at[place] = key;
        rows_at[place][usize::from(row < pos.len())] += 1;
    }
    for (key, [neg, pos]) in key_at.into_iter().zip(rows_at).take(rows) {
        if pos + neg > 0 {
            runs.push(key.wide(), pos.into(), neg.into());
        }
    }
}

/// How many rows have a higher score than each row, by one comparison of each pair.
#[inline(always)]
fn places<K: Key, const ROWS: usize>(keys: &[K; ROWS], rows: usize) -> [u8; ROWS] {
    let mut places = [0; ROWS];
    for (row, &key) in keys[..rows].iter().enumerate() {
        let mut higher = 0;
        for (&other, place) in keys[..row].iter().zip(&mut places) {
            higher += u8::from(other > key);
            *place += u8::from(key > other);
        }
        places[row] = higher;
    }
    places
}

/// How many rows have a higher score than each row, by wide registers: each row is compared with all.
struct Places<'a, K, const ROWS: usize> {
    /// The keys, then lowest keys.
    keys: &'a [K; ROWS],
    rows: usize,
}

impl<K: Key, const ROWS: usize> Work for Places<'_, K, ROWS> {
    type Output = [u8; ROWS];

    #[inline(always)]
    fn run(self) -> [u8; ROWS] {
        let mut places = [0; ROWS];
        // No key is below the lowest, so the last lanes need not be told apart.
        let groups = self.rows.div_ceil(LANES);
        for (place, &key) in places.iter_mut().zip(&self.keys[..self.rows]) {
            let mut higher = [K::Lane::default(); LANES];
            for keys in self.keys.chunks_exact(LANES).take(groups) {
                for (higher, &other) in higher.iter_mut().zip(keys) {
                    *higher += K::Lane::from(other > key);
                }
            }
            *place = higher.into_iter().map(|higher| higher.into() as u8).sum();
        }
        places
    }
}
