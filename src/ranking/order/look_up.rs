//! Ranks two classes of keys by look-ups.
//!
//! The rarer class is indexed, and the other class looks up its bounds: most rows get the cheaper operation.
//! A few rows are compared pair by pair.

use rayon::prelude::*;

use super::classes::Classes;
use super::kernel_table::KernelTable;
use super::pairs::{self, twice_higher};
use crate::paths::Path;
use crate::ranking::index::{
    Index,
    rank_histogram::{RankHistogram, Ranks},
};
use crate::ranking::scores::Key;
use crate::ranking::ties::{
    Placements,
    duplicates::{self, Duplicates},
    placements::Moments,
    positives::{Batches, PositiveScore, PositiveSink},
    source::Indexed,
    steps::{Above, Runs},
};
use crate::ranking::tuning::{FEW_ROWS, PARALLEL_ROWS, SHARD_ROWS};

impl<K: Key> Classes<'_, K> {
    /// Twice the Mann-Whitney U of the positives against the negatives.
    pub fn twice_u(&self, index: &mut Index<K>, kernels: KernelTable<K>) -> u64 {
        if self.are_few() {
            return self.twice_u_by_pairs();
        }
        self.twice_u_of(self.below_and_equal(index, kernels))
    }

    /// Twice U, and the sum of `t³ - t` over the distinct scores, where `t` is the number of rows of a score.
    pub fn twice_u_and_cubes(
        &self,
        index: &mut Index<K>,
        duplicates: &mut Duplicates<K>,
        kernels: KernelTable<K>,
    ) -> (u64, u128) {
        let both = [self.pos, self.neg];
        let (twice_u, keys) = if self.are_few() {
            (self.twice_u_by_pairs(), duplicates.find(&both))
        } else {
            let [below, equal] = self.below_and_equal(index, kernels);
            // If no other key equals an indexed key, and all indexed keys are distinct, ties occur only among
            // the other keys.
            let (_, others) = self.indexed(Indexed::Rarer);
            let only_others = equal == 0 && !index.has_equal_keys();
            let keys = if only_others { duplicates.find(&[others]) } else { duplicates.find(&both) };
            (self.twice_u_of([below, equal]), keys)
        };
        (kernels.sort)(index, &[keys]);
        (twice_u, duplicates::cubes(index.keys()))
    }

    /// Totals over the keys of the more frequent class: the indexed keys below each, and equal to it.
    fn below_and_equal(&self, index: &mut Index<K>, kernels: KernelTable<K>) -> [u64; 2] {
        let (indexed, others) = self.indexed(Indexed::Rarer);
        (kernels.build)(index, indexed);
        let index = &*index;
        if self.rows() < SHARD_ROWS {
            return (kernels.below_and_equal)(index, others);
        }
        let parts: Vec<&[K]> = others.iter().flat_map(|piece| piece.chunks(PARALLEL_ROWS)).collect();
        let parts = parts.par_iter().map(|&part| (kernels.below_and_equal)(index, &[part]));
        parts.reduce(Default::default, |sums, part| [sums[0] + part[0], sums[1] + part[1]])
    }

    /// Twice U from [`Classes::below_and_equal`].
    fn twice_u_of(&self, [below, equal]: [u64; 2]) -> u64 {
        let twice_below = 2 * below + equal;
        if self.indexes_pos(Indexed::Rarer) {
            // Each pair counts 2 in total: 2 for the higher score, or 1 for each of two equal scores.
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

    /// Visits the segments of the curve, highest scores first.
    pub fn for_each_segment(
        &self,
        histogram: &mut RankHistogram<K>,
        kernels: KernelTable<K>,
        which: Indexed,
        runs: &mut Runs<'_, '_>,
    ) {
        let (indexed, others) = self.indexed(which);
        (kernels.build)(&mut histogram.index, indexed);
        histogram.count(kernels.look_up, others);
        histogram.index.order();
        histogram.for_each_segment(self.indexes_pos(which), runs);
    }

    /// Sums over the placements of these rows; `above` counts the rows above them, and `n_neg` all negatives
    /// of the group.
    pub fn placements(
        &self,
        histogram: &mut RankHistogram<K>,
        kernels: KernelTable<K>,
        above: Above,
        n_neg: u64,
    ) -> Placements {
        let which = Indexed::Rarer;
        self.placements_of(self.midrank_sums::<true>(histogram, kernels, which, |_| {}), which, above, n_neg)
    }

    /// Emits the scores of the positives among these rows in any order; `above` counts the rows above them,
    /// and `n_neg` all negatives of the group. With `sums` it returns the sums over the placements of these
    /// rows, otherwise zeros.
    pub fn positives(
        &self,
        sums: bool,
        histogram: &mut RankHistogram<K>,
        kernels: KernelTable<K>,
        above: Above,
        n_neg: u64,
        take: &mut PositiveSink<'_>,
    ) -> Placements {
        let (pos_upto, neg_upto) =
            ((above.pos as usize + self.n_pos) as u32, (above.neg as usize + self.n_neg) as u32);
        let mut batches = Batches::to(take);
        let which = Indexed::Positives;
        let push = |ranks: Ranks| {
            batches.push(PositiveScore {
                pos: 1,
                pos_above: pos_upto - ranks.indexed_upper,
                neg_above: neg_upto - ranks.others_upper,
                tp: pos_upto - ranks.indexed_lower,
                fp: neg_upto - ranks.others_lower,
            });
        };
        if !sums {
            self.midrank_sums::<false>(histogram, kernels, which, push);
            batches.end();
            return Placements::default();
        }
        let sums = self.midrank_sums::<true>(histogram, kernels, which, push);
        batches.end();
        self.placements_of(sums, which, above, n_neg)
    }

    /// Sums over the placements of these rows, and the largest `|tp N - fp P|` at their scores and below all
    /// of them. `above` counts the rows above these. `totals` are the negatives and positives of the group,
    /// each below [`SMALL_CLASS`](crate::ranking::ties::SMALL_CLASS).
    pub fn placements_and_ks_distance(
        &self,
        histogram: &mut RankHistogram<K>,
        kernels: KernelTable<K>,
        above: Above,
        totals: [u64; 2],
    ) -> (Placements, u64) {
        let below = [totals[0] - above.neg - self.n_neg as u64, totals[1] - above.pos - self.n_pos as u64];
        let indexed_first = |[neg, pos]: [u64; 2]| {
            let (neg, pos) = (neg as i64, pos as i64);
            if self.indexes_pos(Indexed::Rarer) { (pos, neg) } else { (neg, pos) }
        };
        let ((n_indexed, n_others), (indexed_lower, others_lower)) =
            (indexed_first(totals), indexed_first(below));
        let height = |indexed: i64, others: i64| others * n_indexed - indexed * n_others;
        let lower_end = height(indexed_lower, others_lower);
        let height_at = |indexed: u32, others: u32| lower_end + height(indexed.into(), others.into());
        // From the lowest score up, the height falls at an indexed key and otherwise rises. If equal keys are
        // visited one by one, the points between them are never the farthest. They count the same number of
        // other keys and an intermediate number of indexed keys.
        let (mut lowest, mut highest) = (lower_end, lower_end);
        let sums = self.midrank_sums::<true>(histogram, kernels, Indexed::Rarer, |ranks| {
            highest = highest.max(height_at(ranks.indexed_lower, ranks.others_lower));
            lowest = lowest.min(height_at(ranks.indexed_upper, ranks.others_upper));
        });
        (self.placements_of(sums, Indexed::Rarer, above, totals[0]), highest.max(-lowest).unsigned_abs())
    }

    /// The moments of the ranks of the indexed rows and of the others. `visit` visits the ranks of the
    /// indexed keys.
    #[inline(always)]
    fn midrank_sums<const SUMS: bool>(
        &self,
        histogram: &mut RankHistogram<K>,
        kernels: KernelTable<K>,
        which: Indexed,
        visit: impl FnMut(Ranks),
    ) -> [Moments<u128>; 2] {
        let (indexed, others) = self.indexed(which);
        if self.rows() < FEW_ROWS && Path::Pairs.is_on() {
            return pairs::midrank_sums(indexed, others, visit);
        }
        (kernels.build)(&mut histogram.index, indexed);
        histogram.count(kernels.look_up, others);
        if which == Indexed::Positives && histogram.index.has_equal_keys() {
            histogram.index.order();
            return histogram.each_rank::<true, SUMS>(visit);
        }
        histogram.each_rank::<false, SUMS>(visit)
    }

    /// Sums over placements from the ranks of both classes.
    fn placements_of(
        &self,
        [indexed, others]: [Moments<u128>; 2],
        which: Indexed,
        above: Above,
        n_neg: u64,
    ) -> Placements {
        // For a positive, twice the negatives below these rows. For a negative, twice the positives that are
        // not below it.
        let (neg_below, pos_upto) =
            (2 * (n_neg - above.neg - self.n_neg as u64), 2 * (above.pos + self.n_pos as u64));
        let mut placements = Placements::default();
        if self.indexes_pos(which) {
            placements.add_moments(indexed.above(neg_below), others.below(pos_upto));
        } else {
            placements.add_moments(others.above(neg_below), indexed.below(pos_upto));
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
