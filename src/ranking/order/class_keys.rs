//! The keys of one group, each class by itself.
//!
//! Only pairs of one positive and one negative decide a rank statistic, so the classes are kept apart throughout: no
//! label travels with its key, and each key keeps its whole width.

use crate::ranking::scores::{Key, Observations, Score, observations::rows_of_classes};

/// The keys of one group's positives and negatives. Keeps its memory from group to group.
#[derive(Debug, Default)]
pub struct ClassKeys<K> {
    pub(in crate::ranking) pos: KeysOfClass<K>,
    pub(in crate::ranking) neg: KeysOfClass<K>,
    nan: bool,
}

/// The keys of one class.
#[derive(Debug, Default)]
pub(in crate::ranking) struct KeysOfClass<K> {
    /// The keys, then room that was once needed.
    keys: Vec<K>,
    rows: usize,
}

impl<K: Key> KeysOfClass<K> {
    pub(in crate::ranking) fn keys(&self) -> &[K] {
        &self.keys[..self.rows]
    }

    /// Makes room for `rows` keys.
    fn room(&mut self, rows: usize) -> &mut [K] {
        self.rows = rows;
        if self.keys.len() < rows {
            self.keys.resize(rows, K::default());
        }
        &mut self.keys[..rows]
    }
}

impl<K: Key> ClassKeys<K> {
    /// Parts rows by their labels.
    pub fn part<S: Score<Key = K>>(&mut self, pieces: &[Observations<'_, S>]) {
        let [n_neg, n_pos] = rows_of_classes(pieces);
        let (pos, neg) = (self.pos.room(n_pos), self.neg.room(n_neg));
        let (mut i, mut j) = (0, 0);
        let mut nan = false;
        for piece in pieces {
            for word in piece.words() {
                nan |= word.has_nan();
                let (of_pos, of_neg) = (word.labels & word.used, !word.labels & word.used);
                // Rows that come class by class are copied 64 at a time.
                if of_pos == u64::MAX {
                    pos[i..i + 64].iter_mut().zip(word.scores).for_each(|(key, score)| *key = score.key());
                    i += 64;
                    continue;
                }
                if of_neg == u64::MAX {
                    neg[j..j + 64].iter_mut().zip(word.scores).for_each(|(key, score)| *key = score.key());
                    j += 64;
                    continue;
                }
                // The loops visit the set bits of each class, so that there is one end of a loop for 64 rows and no branch
                // for a row.
                let mut rows = of_pos;
                while rows != 0 {
                    pos[i] = word.scores[rows.trailing_zeros() as usize].key();
                    i += 1;
                    rows &= rows - 1;
                }
                let mut rows = of_neg;
                while rows != 0 {
                    neg[j] = word.scores[rows.trailing_zeros() as usize].key();
                    j += 1;
                    rows &= rows - 1;
                }
            }
        }
        self.nan = nan;
    }

    /// Positives: rows that are not missing and whose label is 1.
    pub fn n_pos(&self) -> u64 {
        self.pos.rows as u64
    }

    /// Negatives: rows that are not missing and whose label is 0.
    pub fn n_neg(&self) -> u64 {
        self.neg.rows as u64
    }

    /// Whether a score that is not missing is NaN, and the group therefore cannot be ranked.
    pub fn has_nan(&self) -> bool {
        self.nan
    }
}
