//! Two classes of keys, each in pieces: what one pass over them counts.

use crate::ranking::scores::Key;
use crate::ranking::ties::steps::{Above, Tie};
use crate::ranking::tuning::FEW_ROWS;

/// The keys of positives and negatives.
#[derive(Clone, Copy, Debug)]
pub(in crate::ranking) struct Classes<'a, K> {
    pub pos: &'a [&'a [K]],
    pub neg: &'a [&'a [K]],
    pub n_pos: usize,
    pub n_neg: usize,
}

impl<K: Key> Classes<'_, K> {
    /// All rows.
    pub fn rows(&self) -> usize {
        self.n_pos + self.n_neg
    }

    /// Whether pairs of rows are better compared one by one.
    pub fn are_few(&self) -> bool {
        self.rows() < FEW_ROWS || self.n_pos == 0 || self.n_neg == 0
    }

    /// The tie of the row at this rank among these, the highest being at 1, where `above` lies above all of these.
    pub fn at_rank(&self, rank: usize, above: Above) -> Option<Tie> {
        let key = self.highest(rank)?;
        let (pos, neg) = self.count(|other| other == key);
        let (pos_above, neg_above) = self.count(|other| other > key);
        let (pos_above, neg_above) = (above.pos + pos_above, above.neg + neg_above);
        Some(Tie { key: key.wide(), pos, neg, pos_above, neg_above })
    }

    /// Positives and negatives that score as high as a key, or higher.
    pub fn reached(&self, key: K) -> (u64, u64) {
        self.count(|other| other >= key)
    }

    /// Positives and negatives whose keys pass a test.
    fn count(&self, test: impl Fn(K) -> bool) -> (u64, u64) {
        let count = |pieces: &[&[K]]| -> u64 {
            pieces.iter().map(|keys| keys.iter().filter(|&&key| test(key)).count() as u64).sum()
        };
        (count(self.pos), count(self.neg))
    }

    /// The key at this place among all, the highest being at 1.
    pub fn highest(&self, rank: usize) -> Option<K> {
        let mut keys: Vec<K> = self.pos.iter().chain(self.neg).copied().flatten().copied().collect();
        let place = keys.len().checked_sub(rank)?;
        (rank > 0).then(|| *keys.select_nth_unstable(place).1)
    }
}
