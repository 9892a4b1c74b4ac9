//! Finds scores that several rows share, without sorting the rows.
//!
//! A Bloom filter with one hash: every key sets a bit. If the bit was already set, the key may equal another
//! key with that bit. Only keys with such bits need sorting. If scores are distinct, these are few.

use crate::cache;
use crate::ranking::scores::Key;
use crate::ranking::tuning::{BITS_PER_ROW, TOGETHER, TWICE_WORDS};
use crate::simd::{self, Kernel};

/// Finds keys that may be equal to others. Memory is reused.
#[derive(Debug, Default)]
pub(in crate::ranking) struct Duplicates<K> {
    filter: BloomFilter,
    keys: Vec<K>,
}

/// A Bloom filter with one hash, and a second, smaller one.
#[derive(Debug, Default)]
struct BloomFilter {
    /// The bits of all keys.
    seen: Vec<u64>,
    /// The bits set by more than one key. Many bits of `seen` share one here, so that all of them stay in L1.
    seen_twice: Vec<u64>,
    /// The shift of a hash to its bit number.
    shift: u32,
}

impl BloomFilter {
    /// Clears all bits and resizes for this number of keys.
    fn clear(&mut self, rows: usize) {
        let words = (rows * BITS_PER_ROW / 64).next_power_of_two();
        // The lowest six bits of the bit number are the index in a word; the others are the number of the
        // word.
        self.shift = u64::BITS - words.ilog2() - 6;
        self.seen.clear();
        self.seen.resize(words, 0);
        self.seen_twice.clear();
        self.seen_twice.resize(TWICE_WORDS, 0);
    }

    /// Sets the bits of keys. Returns whether any bit was already set.
    #[inline(always)]
    fn mark<K: Key>(&mut self, keys: &[K]) -> bool {
        let BloomFilter { seen, seen_twice, shift } = self;
        let (seen, seen_twice) = (&mut seen[..], &mut seen_twice[..TWICE_WORDS]);
        let mut any = 0;
        let mut bits = [0; TOGETHER];
        for keys in keys.chunks(TOGETHER) {
            for &bit in bits_of(&mut bits, keys, *shift) {
                let (word, mark) = (&mut seen[(bit / 64) as usize], 1 << (bit % 64));
                let seen_before = *word & mark;
                seen_twice[(bit / 64) as usize % TWICE_WORDS] |= seen_before;
                any |= seen_before;
                *word |= mark;
            }
        }
        any != 0
    }

    /// Appends the keys whose bits other keys may have set.
    #[inline(always)]
    fn possible_duplicates<K: Key>(&self, keys: &[K], to: &mut Vec<K>) {
        let seen_twice = &self.seen_twice[..TWICE_WORDS];
        let mut bits = [0; TOGETHER];
        for keys in keys.chunks(TOGETHER) {
            // Most keys are dropped. Each key is written over the last dropped one, without a branch that
            // would be mispredicted.
            let before = to.len();
            to.extend_from_slice(keys);
            let (kept_keys, mut kept) = (&mut to[before..], 0);
            for (&key, &bit) in keys.iter().zip(bits_of(&mut bits, keys, self.shift)) {
                kept_keys[kept] = key;
                kept += (seen_twice[(bit / 64) as usize % TWICE_WORDS] >> (bit % 64) & 1) as usize;
            }
            to.truncate(before + kept);
        }
    }
}

/// The bit numbers of at most [`TOGETHER`] keys.
#[inline(always)]
fn bits_of<'a, K: Key>(bits: &'a mut [u32; TOGETHER], keys: &[K], shift: u32) -> &'a [u32] {
    for (bit, &key) in bits.iter_mut().zip(keys) {
        *bit = (key.hash() >> shift) as u32;
    }
    &bits[..keys.len()]
}

impl<K: Key> Duplicates<K> {
    /// All keys in `pieces` that have an equal key, and some false positives, unsorted.
    pub fn find(&mut self, pieces: &[&[&[K]]]) -> &[K] {
        simd::dispatch(Find { duplicates: self, pieces });
        &self.keys
    }
}

/// The kernel of [`Duplicates::find`].
struct Find<'a, K> {
    duplicates: &'a mut Duplicates<K>,
    pieces: &'a [&'a [&'a [K]]],
}

impl<K: Key> Kernel for Find<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let all = || self.pieces.iter().flat_map(|pieces| cache::prefetched_chunks(pieces, TOGETHER));
        let rows: usize = self.pieces.iter().copied().flatten().map(|piece| piece.len()).sum();
        let Duplicates { filter, keys } = self.duplicates;
        keys.clear();
        filter.clear(rows);
        let mut any = false;
        for piece in all() {
            any |= filter.mark(piece);
        }
        if !any {
            return;
        }
        for piece in all() {
            filter.possible_duplicates(piece, keys);
        }
    }
}

/// The sum of `t³ - t` over distinct keys, where `t` is the multiplicity of each; keys are sorted.
pub(in crate::ranking) fn cubes<K: Key>(keys: &[K]) -> u128 {
    keys.chunk_by(PartialEq::eq).map(|shared| cube(shared.len() as u64)).sum()
}

/// `t³ - t`.
pub(in crate::ranking) fn cube(t: u64) -> u128 {
    let t = u128::from(t);
    t * t * t - t
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cubes_of<K: Key>(duplicates: &mut Duplicates<K>, pieces: &[&[&[K]]]) -> u128 {
        let mut keys = duplicates.find(pieces).to_vec();
        keys.sort_unstable();
        cubes(&keys)
    }

    proptest! {
        #[test]
        fn by_definition(pos in proptest::collection::vec(0u32..400, 0..300), neg in proptest::collection::vec(0u32..400, 0..300)) {
            let shared_by = |key| pos.iter().chain(&neg).filter(|&&other| other == key).count() as u64;
            let expected: u128 = (0..400).map(shared_by).filter(|&t| t > 0).map(cube).sum();
            let (head, tail) = pos.split_at(pos.len() / 3);
            let mut duplicates = Duplicates::default();
            duplicates.find(&[&[&[7; 2000]]]); // memory from before
            prop_assert_eq!(cubes_of(&mut duplicates, &[&[head, tail], &[&neg]]), expected);
        }
    }

    /// Many distinct keys and some shared keys.
    #[test]
    fn many_keys() {
        let mut duplicates = Duplicates::default();
        for shared in [0, 7, 5_000, 40_000] {
            let distinct = 60_000 - shared;
            let keys: Vec<u64> =
                (0..60_000u64).map(|row| (row % distinct).wrapping_mul(0xD6E8_FEB8_6659_FD93)).collect();
            let rows_of = |key: u64| 60_000 / distinct + u64::from(key < 60_000 % distinct);
            let expected: u128 = (0..distinct).map(|key| cube(rows_of(key))).sum();
            assert_eq!(cubes_of(&mut duplicates, &[&[&keys]]), expected, "{shared}");
        }
    }
}
