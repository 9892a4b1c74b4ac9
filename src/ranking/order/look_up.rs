//! Two classes of keys against each other.
//!
//! The rarer class is indexed and the other class looks up its places, so that the work on more than half of the rows
//! is the cheaper one. A few rows are compared pair by pair instead.

use rayon::prelude::*;

use super::classes::Classes;
use super::index::Index;
use super::pairs::twice_higher;
use super::score_ops::ScoreOps;
use crate::ranking::scores::Key;
use crate::ranking::ties::{
    Placements,
    placements::SHORT_RUN,
    source::Indexed,
    steps::{Above, Runs},
};
use crate::ranking::tuning::{PIECES_PER_TASK, SHARD_ROWS};

impl<K: Key> Classes<'_, K> {
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

    /// Sums over the placements of these rows, where `above` lies above them and the group has `n_neg` negatives in all.
    pub fn placements(&self, index: &mut Index<K>, ops: ScoreOps<K>, above: Above, n_neg: u64) -> Placements {
        let (indexed, others) = self.indexed(Indexed::Rarer);
        (ops.build)(index, indexed);
        index.order();
        (ops.tally)(index, others);
        let (of_indexed, of_others) = if self.rows() < SHORT_RUN as usize {
            let (of_indexed, of_others) = index.places::<u64>();
            (of_indexed.wide(), of_others.wide())
        } else {
            index.places()
        };
        // Of a positive, twice the negatives below these rows; of a negative, twice the positives that are not below it.
        let (neg_below, pos_upto) =
            (2 * (n_neg - above.neg - self.n_neg as u64), 2 * (above.pos + self.n_pos as u64));
        let mut placements = Placements::default();
        if self.indexes_pos(Indexed::Rarer) {
            placements.add_moments(of_indexed.above(neg_below), of_others.below(pos_upto));
        } else {
            placements.add_moments(of_others.above(neg_below), of_indexed.below(pos_upto));
        }
        placements
    }

    fn indexes_pos(&self, which: Indexed) -> bool {
        which == Indexed::Positives || self.n_pos <= self.n_neg
    }

    fn indexed(&self, which: Indexed) -> (&[&[K]], &[&[K]]) {
        if self.indexes_pos(which) { (self.pos, self.neg) } else { (self.neg, self.pos) }
    }
}
