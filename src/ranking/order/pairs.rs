//! A few rows, pair by pair: their placements, and their order.
//!
//! Comparing all pairs of a few rows is cheaper than sorting them. It needs no branch that a processor would foretell wrong.

use super::classes::Classes;
use crate::ranking::scores::{
    Key,
    wide::{Work, widest},
};
use crate::ranking::ties::{Placements, steps::Runs};
use crate::ranking::tuning::{FEW_ROWS, LANES, VERY_FEW_ROWS};

/// 2 if the positive scores higher, 1 if both tie, else 0.
#[inline]
pub(in crate::ranking) fn twice_higher<K: Key>(pos: K, neg: K) -> u64 {
    u64::from(neg < pos) + u64::from(neg <= pos)
}

/// The sums over the placements of a whole group that [is of few rows](Classes::are_few).
pub(in crate::ranking) fn placements<K: Key>(group: &Classes<'_, K>) -> Placements {
    let mut sums = Placements::default();
    let mut of_neg = [0; FEW_ROWS];
    if group.n_pos == 0 || group.n_neg == 0 {
        return sums;
    }
    let of_neg = &mut of_neg[..group.n_neg];
    for &pos in group.pos.iter().copied().flatten() {
        let mut placement = 0;
        for (&neg, of_neg) in group.neg.iter().copied().flatten().zip(of_neg.iter_mut()) {
            let twice = twice_higher(pos, neg);
            placement += twice;
            *of_neg += twice;
        }
        sums.add_pos(1, placement);
    }
    for &placement in of_neg.iter() {
        sums.add_neg(1, placement);
    }
    sums
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
