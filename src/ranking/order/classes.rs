//! Two classes of keys in pieces, with counts and selections in one pass.

use crate::paths::Path;
use crate::ranking::scores::Key;
use crate::ranking::ties::steps::{Above, Runs, Tie};
use crate::ranking::tuning::{EQUAL_STEPS, FEW_ROWS};

/// The keys of positives and negatives.
#[derive(Clone, Copy, Debug)]
pub(in crate::ranking) struct Classes<'a, K> {
    pub pos: &'a [&'a [K]],
    pub neg: &'a [&'a [K]],
    pub n_pos: usize,
    pub n_neg: usize,
}

impl<K: Key> Classes<'_, K> {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.n_pos + self.n_neg
    }

    /// Whether pairwise comparison is faster than an index.
    pub fn are_few(&self) -> bool {
        (self.rows() < FEW_ROWS && Path::Pairs.is_on()) || self.n_pos == 0 || self.n_neg == 0
    }

    /// The tie of the row at this rank (the highest row is 1); `above` counts the rows above all of these.
    pub fn at_rank(&self, rank: usize, above: Above) -> Option<Tie> {
        let key = self.highest(rank)?;
        let (pos, neg) = self.count(|other| other == key);
        let (pos_above, neg_above) = self.count(|other| other > key);
        let (pos_above, neg_above) = (above.pos + pos_above, above.neg + neg_above);
        Some(Tie { key: key.wide(), pos, neg, pos_above, neg_above })
    }

    /// Positives and negatives with this key or a higher one.
    pub fn reached(&self, key: K) -> (u64, u64) {
        self.count(|other| other >= key)
    }

    /// Positives and negatives whose keys satisfy a predicate.
    fn count(&self, test: impl Fn(K) -> bool) -> (u64, u64) {
        let count = |pieces: &[&[K]]| -> u64 {
            pieces.iter().map(|keys| keys.iter().filter(|&&key| test(key)).count() as u64).sum()
        };
        (count(self.pos), count(self.neg))
    }

    /// The key at this rank among all rows (the highest row is 1).
    pub fn highest(&self, rank: usize) -> Option<K> {
        highest(self.pos.iter().chain(self.neg), self.rows(), rank)
    }

    /// The key at this rank among positives.
    pub fn highest_positive(&self, rank: usize) -> Option<K> {
        highest(self.pos.iter(), self.n_pos, rank)
    }
}

/// The key at this rank among `rows` keys in pieces (the highest is 1).
fn highest<'a, K: Key>(pieces: impl Iterator<Item = &'a &'a [K]>, rows: usize, rank: usize) -> Option<K> {
    let index = rows.checked_sub(rank).filter(|_| rank > 0)?;
    let keys = pieces.copied().flatten().copied();
    let select = |keys: &mut [K]| *keys.select_nth_unstable(index).1;
    if rows < FEW_ROWS {
        // A few keys fit on the stack.
        let mut few = [K::default(); FEW_ROWS];
        few.iter_mut().zip(keys).for_each(|(slot, key)| *slot = key);
        return Some(select(&mut few[..rows]));
    }
    Some(select(&mut keys.collect::<Vec<K>>()))
}

/// Merges the ascending keys of two classes and visits the distinct scores, highest first.
pub(in crate::ranking) fn for_each_tie<K: Key>(mut pos: &[K], mut neg: &[K], runs: &mut Runs<'_, '_>) {
    while let Some(key) = highest_of(pos, neg) {
        let (pos_below, neg_below) = (without(pos, key), without(neg, key));
        let count = |all: &[K], below: &[K]| (all.len() - below.len()) as u64;
        runs.push(key.wide(), count(pos, pos_below), count(neg, neg_below));
        (pos, neg) = (pos_below, neg_below);
    }
}

/// The highest key of two classes in ascending order.
#[inline]
fn highest_of<K: Key>(pos: &[K], neg: &[K]) -> Option<K> {
    match (pos.last(), neg.last()) {
        (Some(&pos), Some(&neg)) => Some(pos.max(neg)),
        (Some(&one), None) | (None, Some(&one)) => Some(one),
        (None, None) => None,
    }
}

/// Ascending keys without a suffix of keys equal to `key`.
#[inline]
fn without<K: Key>(keys: &[K], key: K) -> &[K] {
    let mut end = keys.len();
    while end > 0 && keys[end - 1] == key {
        end -= 1;
        if keys.len() - end == EQUAL_STEPS {
            return &keys[..keys[..end].partition_point(|&other| other < key)];
        }
    }
    &keys[..end]
}
