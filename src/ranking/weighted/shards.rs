//! A large group with weights: twice the U statistic in units, shard by shard.
//!
//! The rarer class is indexed as for unweighted rows, with units. The rows of the other class look up the
//! units below them.

use super::rows::WeightedRow;
use crate::cache;
use crate::ranking::index::Index;
use crate::ranking::order::{
    kernel_table::KernelTable,
    shards::{Shard, Shards},
};
use crate::ranking::scores::Key;

impl<K: Key> Shards<(K, u64)> {
    /// Over all pairs of rows, the product of units: twice if the positive scores higher, once for a tie.
    pub fn twice_u_of_units(&self) -> u128 {
        let parts = self.each(Index::default, |index, _, shard, above| {
            let neg_below = self.totals[0] - above.neg - shard.units(0);
            shard.twice_u(index, self.kernels) + 2 * u128::from(shard.units(1)) * u128::from(neg_below)
        });
        parts.into_iter().sum()
    }
}

impl<K: Key> Shard<'_, (K, u64)> {
    /// All rows in descending order of keys.
    pub fn sorted(&self, rows: &mut Vec<WeightedRow<K>>) {
        rows.clear();
        for class in 0..2 {
            let pieces: Vec<_> = self.pieces(class).collect();
            for piece in cache::prefetching_next(&pieces, |next| cache::prefetch(next)) {
                rows.extend(piece.iter().map(|&(key, units)| (key, units << 1 | class as u64)));
            }
        }
        rows.sort_unstable_by(|a, b| b.cmp(a));
    }

    fn twice_u(&self, index: &mut Index<K>, kernels: KernelTable<K>) -> u128 {
        let classes = [0, 1].map(|class| self.pieces(class).collect::<Vec<_>>());
        let [neg, pos] =
            [0, 1].map(|class: usize| classes[class].iter().map(|rows| rows.len()).sum::<usize>());
        let rarer = usize::from(pos <= neg);
        (kernels.build_with_units)(index, &classes[rarer]);
        let twice_below = (kernels.twice_units_below)(index, &classes[1 - rarer]);
        if rarer == 1 {
            // Each pair counts 2 in total: 2 for the higher score, or 1 for each of two equal scores.
            2 * u128::from(self.units(0)) * u128::from(self.units(1)) - twice_below
        } else {
            twice_below
        }
    }
}
