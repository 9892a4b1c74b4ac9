//! The keys of one group, separate for each class.
//!
//! Rank statistics depend only on pairs of one positive and one negative, so the classes stay separate.
//! Labels need not move with keys, and keys keep their full width.

use crate::ranking::scores::{Key, Observations, Score, observations::rows_of_classes};

/// The keys of one group's positives and negatives. Memory is reused from group to group.
#[derive(Debug, Default)]
pub struct ClassKeys<K> {
    pub(in crate::ranking) pos: KeysOfClass<K>,
    pub(in crate::ranking) neg: KeysOfClass<K>,
    nan: bool,
}

/// The keys of one class.
#[derive(Debug, Default)]
pub(in crate::ranking) struct KeysOfClass<K> {
    /// The keys in use, followed by spare capacity.
    keys: Vec<K>,
    rows: usize,
}

impl<K: Key> KeysOfClass<K> {
    pub(in crate::ranking) fn keys(&self) -> &[K] {
        &self.keys[..self.rows]
    }

    /// Ensures space for `rows` keys and returns it.
    fn room(&mut self, rows: usize) -> &mut [K] {
        self.rows = rows;
        if self.keys.len() < rows {
            self.keys.resize(rows, K::default());
        }
        &mut self.keys[..rows]
    }
}

impl<K: Key> ClassKeys<K> {
    /// Splits rows by their labels.
    pub fn part<S: Score<Key = K>>(&mut self, pieces: &[Observations<'_, S>]) {
        let [n_neg, n_pos] = rows_of_classes(pieces);
        let (pos, neg) = (self.pos.room(n_pos), self.neg.room(n_neg));
        let (mut i, mut j) = (0, 0);
        let mut nan = false;
        for piece in pieces {
            for word in piece.words() {
                nan |= word.has_nan();
                let (pos_bits, neg_bits) = (word.labels & word.used, !word.labels & word.used);
                // Runs of rows of one class are copied 64 at a time.
                if pos_bits == u64::MAX {
                    pos[i..i + 64].iter_mut().zip(word.scores).for_each(|(key, score)| *key = score.key());
                    i += 64;
                    continue;
                }
                if neg_bits == u64::MAX {
                    neg[j..j + 64].iter_mut().zip(word.scores).for_each(|(key, score)| *key = score.key());
                    j += 64;
                    continue;
                }
                // The loops visit the set bits of each class: one loop exit per 64 rows, and no branch per
                // row.
                let mut rows = pos_bits;
                while rows != 0 {
                    pos[i] = word.scores[rows.trailing_zeros() as usize].key();
                    i += 1;
                    rows &= rows - 1;
                }
                let mut rows = neg_bits;
                while rows != 0 {
                    neg[j] = word.scores[rows.trailing_zeros() as usize].key();
                    j += 1;
                    rows &= rows - 1;
                }
            }
        }
        self.nan = nan;
    }

    /// Positives: rows in use whose label is 1.
    pub fn n_pos(&self) -> u64 {
        self.pos.rows as u64
    }

    /// Negatives: rows in use whose label is 0.
    pub fn n_neg(&self) -> u64 {
        self.neg.rows as u64
    }

    /// Whether the score of any row in use is NaN, so that the group cannot be ranked.
    pub fn has_nan(&self) -> bool {
        self.nan
    }
}
