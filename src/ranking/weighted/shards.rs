//! A large group with weights: the units of its pairs, shard by shard.
//!
//! The rarer class is indexed as it is without weights, its units with its keys. The rows of the other class look up the
//! units below them.

use super::rows::WeightedRow;
use crate::cache;
use crate::ranking::order::{
    index::Index,
    score_ops::ScoreOps,
    shards::{Shard, Shards},
};
use crate::ranking::scores::Key;

/// Asks for keys and for their units.
fn expect_pair<K>((keys, units): &(&[K], &[u64])) {
    cache::expect(keys);
    cache::expect(units);
}

impl<K: Key> Shards<K, u64> {
    /// Twice the pairs in which the positive scores higher, and once those that tie, in products of units.
    pub fn twice_u_of_units(&self) -> u128 {
        let parts = self.each(Index::default, |index, _, shard, above| {
            let neg_below = self.totals[0] - above.neg - shard.units(0);
            shard.twice_u(index, self.ops) + 2 * u128::from(shard.units(1)) * u128::from(neg_below)
        });
        parts.into_iter().sum()
    }
}

impl<K: Key> Shard<'_, K, u64> {
    /// All rows, from the highest key down.
    pub fn sorted(&self, rows: &mut Vec<WeightedRow<K>>) {
        rows.clear();
        for class in 0..2 {
            let pieces: Vec<_> = self.pieces(class).collect();
            for (keys, units) in cache::in_turn(&pieces, expect_pair) {
                rows.extend(keys.iter().zip(*units).map(|(&key, &units)| (key, units << 1 | class as u64)));
            }
        }
        rows.sort_unstable_by(|a, b| b.cmp(a));
    }

    fn twice_u(&self, index: &mut Index<K>, ops: ScoreOps<K>) -> u128 {
        let rows = |class| self.pieces(class).map(|(keys, _)| keys.len()).sum::<usize>();
        let rarer = if rows(1) <= rows(0) { 1 } else { 0 };
        let [others, rarer_rows] = [1 - rarer, rarer].map(|class| self.pieces(class).collect::<Vec<_>>());
        (ops.build_with_units)(index, &rarer_rows);
        let twice_below: u128 =
            cache::in_turn(&others, expect_pair).map(|&piece| (ops.twice_units_below)(index, piece)).sum();
        if rarer == 1 {
            // Each pair counts 2 in all: 2 for the higher score, or 1 for each of two equal scores.
            2 * u128::from(self.units(0)) * u128::from(self.units(1)) - twice_below
        } else {
            twice_below
        }
    }
}
