//! Two classes of keys, each in pieces: what one pass over them counts, and what comparing them with each other says.
//!
//! For pairs the rarer class is indexed and the other class looks up its places, so that the work on more than half of the
//! rows is the cheaper one. A few rows are compared pair by pair instead.

use rayon::prelude::*;

use super::index::Index;
use super::pairs::twice_higher;
use super::score_ops::ScoreOps;
use crate::ranking::scores::Key;
use crate::ranking::ties::{
    source::Indexed,
    steps::{Above, Runs, Tie},
};
use crate::ranking::tuning::{FEW_ROWS, PIECES_PER_TASK, SHARD_ROWS};

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

    /// Twice the Mann-Whitney U of these positives against these negatives.
    pub fn twice_u(&self, index: &mut Index<K>, ops: ScoreOps<K>) -> u64 {
        if self.are_few() {
            return self.twice_u_by_pairs();
        }
        let (indexed, others) = self.indexed(Indexed::Rarer);
        (ops.build)(index, indexed);
        let index = &*index;
        let twice_below = if self.rows() < SHARD_ROWS {
            (ops.twice_below)(index, others)
        } else {
            others.par_chunks(PIECES_PER_TASK).map(|pieces| (ops.twice_below)(index, pieces)).sum()
        };
        if self.indexes_pos(Indexed::Rarer) {
            // Each pair counts 2 in all: 2 for the higher score, or 1 for each of two equal scores.
            2 * self.n_pos as u64 * self.n_neg as u64 - twice_below
        } else {
            twice_below
        }
    }

    fn twice_u_by_pairs(&self) -> u64 {
        let mut twice_u = 0;
        for &pos in self.pos.iter().copied().flatten() {
            for &neg in self.neg.iter().copied().flatten() {
                twice_u += twice_higher(pos, neg);
            }
        }
        twice_u
    }

    /// Walks the segments of the curve from the highest scores down.
    pub fn for_each_segment(
        &self,
        index: &mut Index<K>,
        ops: ScoreOps<K>,
        which: Indexed,
        runs: &mut Runs<'_, '_>,
    ) {
        let (indexed, others) = self.indexed(which);
        (ops.build)(index, indexed);
        index.order();
        (ops.tally)(index, others);
        index.for_each_segment(self.indexes_pos(which), runs);
    }

    fn indexes_pos(&self, which: Indexed) -> bool {
        which == Indexed::Positives || self.n_pos <= self.n_neg
    }

    fn indexed(&self, which: Indexed) -> (&[&[K]], &[&[K]]) {
        if self.indexes_pos(which) { (self.pos, self.neg) } else { (self.neg, self.pos) }
    }
}
