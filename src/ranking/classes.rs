//! One pile of keys for each class.
//!
//! Only pairs of one positive and one negative decide a rank statistic, so the classes are parted
//! first and sorted apart: no label has to travel with its key, each key keeps its whole width, and
//! the two piles together take the room of the scores alone.

use rayon::prelude::*;

use super::{Bits, Key, Score, Ties};

/// From this many rows on, one group's piles are sorted by all threads.
///
/// Measured with `benches/kernel.rs` on 2 cores: below about 3e4 rows the hand-over to other threads
/// costs more than it saves.
pub const PARALLEL_ROWS: usize = 1 << 15;

/// The keys of one group's positives and negatives. Keeps its memory from group to group.
#[derive(Default, Debug)]
pub struct Classes<K> {
    pos: Vec<K>,
    neg: Vec<K>,
    n_pos: usize,
    n_neg: usize,
    nan: bool,
}

impl<K: Key> Classes<K> {
    /// Parts the rows by their labels; rows whose `valid` bit is 0 are skipped.
    ///
    /// # Panics
    /// If `labels` or `valid` have another length than `scores`.
    pub fn part<S: Score<Key = K>>(&mut self, scores: &[S], labels: Bits<'_>, valid: Option<Bits<'_>>) {
        let rows = scores.len();
        assert!(labels.len() == rows && valid.is_none_or(|valid| valid.len() == rows));
        self.n_pos = labels.count(valid);
        self.n_neg = valid.map_or(rows, |valid| valid.count(None)) - self.n_pos;
        // Every key is written to both piles and only the pile it belongs to moves on, so that the
        // loop has no branch to mispredict. The last write may fall one past the end.
        self.pos.resize(self.pos.len().max(self.n_pos + 1), K::default());
        self.neg.resize(self.neg.len().max(self.n_neg + 1), K::default());
        let (pos, neg) = (&mut self.pos[..=self.n_pos], &mut self.neg[..=self.n_neg]);
        let (mut i, mut j) = (0, 0);
        let mut nan = false;
        for (word, scores) in scores.chunks(64).enumerate() {
            let label = labels.word(word * 64);
            let used = valid.map_or(u64::MAX, |valid| valid.word(word * 64));
            for (row, &score) in scores.iter().enumerate() {
                let key = score.key();
                let used = (used >> row & 1) as usize;
                let positive = (label >> row & 1) as usize & used;
                nan |= score.is_nan() & (used == 1);
                pos[i] = key;
                neg[j] = key;
                i += positive;
                j += used - positive;
            }
        }
        self.nan = nan;
    }

    /// Positives: rows that are not missing and whose label is 1.
    pub fn n_pos(&self) -> u64 {
        self.n_pos as u64
    }

    /// Negatives: rows that are not missing and whose label is 0.
    pub fn n_neg(&self) -> u64 {
        self.n_neg as u64
    }

    /// Whether a score that is not missing is NaN, and the group therefore cannot be ranked.
    pub fn has_nan(&self) -> bool {
        self.nan
    }

    /// Sorts both piles and gives the ties.
    pub fn rank(&mut self) -> Ties<'_, K> {
        let (pos, neg) = (&mut self.pos[..self.n_pos], &mut self.neg[..self.n_neg]);
        if pos.len() + neg.len() < PARALLEL_ROWS {
            pos.sort_unstable();
            neg.sort_unstable();
        } else {
            rayon::join(|| pos.par_sort_unstable(), || neg.par_sort_unstable());
        }
        Ties::new(pos, neg)
    }

    /// Gives memory back when far more is held than a group of `rows` rows needs.
    pub fn shrink(&mut self, rows: usize) {
        self.pos.truncate(rows);
        self.pos.shrink_to(rows);
        self.neg.truncate(rows);
        self.neg.shrink_to(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packed(truths: &[bool]) -> Vec<u8> {
        let mut bytes = vec![0; truths.len() / 8 + 1];
        for (row, _) in truths.iter().enumerate().filter(|(_, truth)| **truth) {
            bytes[row / 8] |= 1 << (row % 8);
        }
        bytes
    }

    proptest! {
        #[test]
        fn piles_hold_the_used_rows(rows in proptest::collection::vec((-3i64..3, any::<bool>(), any::<bool>()), 0..200)) {
            let scores: Vec<i64> = rows.iter().map(|row| row.0).collect();
            let labels = packed(&rows.iter().map(|row| row.1).collect::<Vec<_>>());
            let valid = packed(&rows.iter().map(|row| row.2).collect::<Vec<_>>());
            let mut classes = Classes::default();
            let bits = |bytes| Bits::new(bytes, 0, rows.len());
            classes.part(&[7i64; 50], Bits::new(&[255; 8], 3, 50), None); // memory from before
            classes.part(&scores, bits(&labels), Some(bits(&valid)));
            let pile = |class| {
                let mut keys: Vec<u64> = rows.iter().filter(|row| row.2 && row.1 == class).map(|row| row.0.key()).collect();
                keys.sort();
                keys
            };
            prop_assert_eq!(classes.n_pos() as usize, pile(true).len());
            prop_assert_eq!(classes.n_neg() as usize, pile(false).len());
            let ties = classes.rank();
            prop_assert_eq!(ties.piles(), (&pile(true)[..], &pile(false)[..]));
        }
    }

    #[test]
    fn a_nan_counts_only_where_it_is_used() {
        let scores = [f64::NAN, 1.0];
        let mut classes = Classes::default();
        classes.part(&scores, Bits::new(&[0b01], 0, 2), None);
        assert!(classes.has_nan());
        classes.part(&scores, Bits::new(&[0b01], 0, 2), Some(Bits::new(&[0b10], 0, 2)));
        assert!(!classes.has_nan());
    }

    #[test]
    fn many_rows_sort_like_few() {
        let scores: Vec<u32> = (0..2 * PARALLEL_ROWS as u32).map(|i| i.wrapping_mul(2_654_435_769)).collect();
        let labels = vec![0b0011_0101; scores.len() / 8];
        let mut classes = Classes::default();
        classes.part(&scores, Bits::new(&labels, 0, scores.len()), None);
        let ties = classes.rank();
        assert!(ties.piles().0.is_sorted() && ties.piles().1.is_sorted());
        assert_eq!(ties.n_pos() + ties.n_neg(), scores.len() as u64);
    }
}
