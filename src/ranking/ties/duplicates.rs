//! Scores that several rows share, without bringing the rows into any order.
//!
//! Every key marks the cell of its hash. If a key finds its cell marked, it may share its score with another key of
//! that cell. Only the keys of such cells go to a second round, with another hash, and what that leaves is sorted. Where
//! scores are distinct, it leaves hardly any.

use crate::cache;
use crate::ranking::scores::Key;
use crate::ranking::tuning::{AGAIN_WORDS, CHUNK, MARKS_PER_ROW, SECOND_ROUND_KEYS};

/// Finds the keys that may be equal to others. Keeps its memory from use to use.
#[derive(Debug, Default)]
pub(in crate::ranking) struct Duplicates<K> {
    marks: Marks,
    keys: Vec<K>,
}

/// Marks of cells.
#[derive(Debug, Default)]
struct Marks {
    /// Cells with a key.
    met: Vec<u64>,
    /// Cells with more than one; many cells share a mark here, so that all marks stay in the first cache.
    again: Vec<u64>,
    /// Of a hash, to the number of its cell.
    shift: u32,
}

impl Marks {
    /// Removes all marks, and makes cells for so many hashes.
    fn clear(&mut self, rows: usize) {
        let words = (rows * MARKS_PER_ROW / 64).next_power_of_two();
        // The lowest six bits of the cell's number are its place in the word, and the others are the number of the
        // word.
        self.shift = u64::BITS - words.ilog2() - 6;
        self.met.clear();
        self.met.resize(words, 0);
        self.again.clear();
        self.again.resize(AGAIN_WORDS, 0);
    }

    /// Marks the cells of keys. Returns whether any cell had been marked.
    #[inline(always)]
    fn mark<K: Key>(&mut self, keys: &[K], hash: impl Fn(K) -> u64) -> bool {
        let (met, again, shift) = (&mut self.met[..], &mut self.again[..], self.shift);
        let mut any = false;
        for &key in keys {
            let cell = hash(key) >> shift;
            let (word, mark) = (&mut met[(cell / 64) as usize], 1 << (cell % 64));
            if *word & mark != 0 {
                any = true;
                again[(cell / 64) as usize % AGAIN_WORDS] |= mark;
            }
            *word |= mark;
        }
        any
    }

    /// Whether the cell of a hash may have been marked by others.
    #[inline(always)]
    fn may_be_met_again(&self, hash: u64) -> bool {
        let cell = hash >> self.shift;
        self.again[(cell / 64) as usize % AGAIN_WORDS] >> (cell % 64) & 1 == 1
    }
}

/// The hash of the second round. Its high bits depend on the low bits of the first hash, which did not choose the first
/// cell.
fn second_hash(hash: u64) -> u64 {
    hash.rotate_left(u32::BITS).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

impl<K: Key> Duplicates<K> {
    /// The sum of `t³ - t` over the distinct scores of all keys in `pieces`, each shared by t of them.
    pub fn cubes(&mut self, pieces: &[&[&[K]]]) -> u128 {
        let all = || pieces.iter().flat_map(|pieces| cache::ahead(pieces, CHUNK));
        let rows: usize = pieces.iter().copied().flatten().map(|piece| piece.len()).sum();
        let Duplicates { marks, keys } = self;
        marks.clear(rows);
        let mut any = false;
        for piece in all() {
            any |= marks.mark(piece, K::hash);
        }
        if !any {
            return 0;
        }
        keys.clear();
        for piece in all() {
            keys.extend(piece.iter().filter(|key| marks.may_be_met_again(key.hash())));
        }
        // If most keys are left, they do share their scores, and another round would leave them as well.
        if (SECOND_ROUND_KEYS..rows / 2).contains(&keys.len()) {
            marks.clear(keys.len());
            if !marks.mark(keys, |key| second_hash(key.hash())) {
                return 0;
            }
            keys.retain(|key| marks.may_be_met_again(second_hash(key.hash())));
        }
        keys.sort_unstable();
        keys.chunk_by(PartialEq::eq).map(|shared| cube(shared.len() as u64)).sum()
    }
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

    proptest! {
        #[test]
        fn by_definition(pos in proptest::collection::vec(0u32..400, 0..300), neg in proptest::collection::vec(0u32..400, 0..300)) {
            let shared_by = |key| pos.iter().chain(&neg).filter(|&&other| other == key).count() as u64;
            let expected: u128 = (0..400).map(shared_by).filter(|&t| t > 0).map(cube).sum();
            let (head, tail) = pos.split_at(pos.len() / 3);
            let mut duplicates = Duplicates::default();
            duplicates.cubes(&[&[&[7; 2000]]]); // memory from before
            prop_assert_eq!(duplicates.cubes(&[&[head, tail], &[&neg]]), expected);
        }
    }

    /// Many distinct keys and some that are shared, so that there is a second round.
    #[test]
    fn in_two_rounds() {
        let mut duplicates = Duplicates::default();
        for shared in [0, 7, 5_000, 40_000] {
            let distinct = 60_000 - shared;
            let keys: Vec<u64> =
                (0..60_000u64).map(|row| (row % distinct).wrapping_mul(0xD6E8_FEB8_6659_FD93)).collect();
            let rows_of = |key: u64| 60_000 / distinct + u64::from(key < 60_000 % distinct);
            let expected: u128 = (0..distinct).map(|key| cube(rows_of(key))).sum();
            assert_eq!(duplicates.cubes(&[&[&keys]]), expected, "{shared}");
        }
    }
}
