//! Two classes of keys, each in pieces, and what is asked of them together.
//!
//! The rarer class is indexed and the other one looks up its place, so that the work on more than half of the
//! rows is the cheaper one. A few rows are compared pair by pair instead.

use rayon::prelude::*;

use super::Key;
use super::index::Index;
use super::score_ops::ScoreOps;
use super::steps::{Above, Runs, Tie};
use super::ties::Indexed;

/// Fewer rows are compared pair by pair.
///
/// Measured, against spreading both classes over buckets: with 40 rows, comparing all pairs takes half as long; with
/// 100 both take as long.
pub(super) const FEW_ROWS: usize = 64;

/// Pieces that are looked up in one go where threads share the work.
const PIECES: usize = 64;

/// The keys of positives and negatives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Classes<'a, K> {
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

    /// Whether pairs of rows are better compared one ops one.
    pub fn are_few(&self) -> bool {
        self.rows() < FEW_ROWS || self.n_pos == 0 || self.n_neg == 0
    }

    /// Twice the Mann-Whitney U of these positives against these negatives.
    pub fn twice_u(&self, index: &mut Index<K>, ops: ScoreOps<K>) -> u64 {
        if self.are_few() {
            return self.twice_u_by_pairs();
        }
        let (indexed, others) = self.indexed(Indexed::Rarer);
        (ops.build)(index, indexed);
        let index = &*index;
        let twice_below = if self.rows() < super::SHARD_ROWS {
            (ops.twice_below)(index, others)
        } else {
            others.par_chunks(PIECES).map(|pieces| (ops.twice_below)(index, pieces)).sum()
        };
        if self.indexes_pos(Indexed::Rarer) {
            // What the negatives are above, the positives lose.
            2 * self.n_pos as u64 * self.n_neg as u64 - twice_below
        } else {
            twice_below
        }
    }

    fn twice_u_by_pairs(&self) -> u64 {
        let mut twice_u = 0;
        for &pos in self.pos.iter().copied().flatten() {
            for &neg in self.neg.iter().copied().flatten() {
                twice_u += super::pairs::won(pos, neg);
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

    /// The tie of the row at this rank among these, the highest being at 1, where `above` lies above all of these.
    pub fn at_rank(&self, rank: usize, above: Above) -> Option<Tie> {
        let key = self.highest(rank)?;
        let count = |pieces: &[&[K]], test: &dyn Fn(K) -> bool| -> u64 {
            pieces.iter().map(|keys| keys.iter().filter(|&&other| test(other)).count() as u64).sum()
        };
        let (higher, equal) = (|other| other > key, |other| other == key);
        Some(Tie {
            key: key.wide(),
            pos: count(self.pos, &equal),
            neg: count(self.neg, &equal),
            pos_above: above.pos + count(self.pos, &higher),
            neg_above: above.neg + count(self.neg, &higher),
        })
    }

    /// Positives and negatives that score as high as a key, or higher.
    pub fn reached(&self, key: K) -> (u64, u64) {
        let count = |pieces: &[&[K]]| -> u64 {
            pieces.iter().map(|keys| keys.iter().filter(|&&other| other >= key).count() as u64).sum()
        };
        (count(self.pos), count(self.neg))
    }

    /// The key at this place among all, the highest being at 1.
    pub fn highest(&self, rank: usize) -> Option<K> {
        let mut keys: Vec<K> = self.pos.iter().chain(self.neg).copied().flatten().copied().collect();
        let place = keys.len().checked_sub(rank)?;
        (rank > 0).then(|| *keys.select_nth_unstable(place).1)
    }

    fn indexes_pos(&self, which: Indexed) -> bool {
        which == Indexed::Positives || self.n_pos <= self.n_neg
    }

    fn indexed(&self, which: Indexed) -> (&[&[K]], &[&[K]]) {
        if self.indexes_pos(which) { (self.pos, self.neg) } else { (self.neg, self.pos) }
    }
}
