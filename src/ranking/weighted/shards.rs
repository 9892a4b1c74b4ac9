//! A large group with weights: the units of its pairs, shard by shard.
//!
//! The rarer class is indexed as it is without weights. Its own rows look up their places too, and add their units
//! there. The running sums of these units are the units below each place, which the rows of the other class look up.

use super::rows::WeightedRow;
use crate::ranking::order::{
    index::Index,
    score_ops::ScoreOps,
    shards::{Shard, Shards},
};
use crate::ranking::scores::Key;

/// The memory that counting pairs in a shard needs. It is kept from shard to shard.
#[derive(Debug, Default)]
struct PairMemory<K> {
    index: Index<K>,
    /// For each place among the indexed keys: their units there, then below it.
    below: Vec<u64>,
}

impl<K: Key> Shards<K, u64> {
    /// Twice the pairs in which the positive scores higher, and once those that tie, in products of units.
    pub fn twice_u_of_units(&self) -> u128 {
        let parts = self.each(PairMemory::default, |memory, _, shard, above| {
            let neg_below = self.totals[0] - above.neg - shard.units(0);
            shard.twice_u(memory, self.ops) + 2 * u128::from(shard.units(1)) * u128::from(neg_below)
        });
        parts.into_iter().sum()
    }
}

impl<K: Key> Shard<'_, K, u64> {
    /// All rows, from the highest key down.
    pub fn sorted(&self, rows: &mut Vec<WeightedRow<K>>) {
        rows.clear();
        for class in 0..2 {
            for (keys, units) in self.pieces(class) {
                rows.extend(keys.iter().zip(units).map(|(&key, &units)| (key, units << 1 | class as u64)));
            }
        }
        rows.sort_unstable_by(|a, b| b.cmp(a));
    }

    fn twice_u(&self, memory: &mut PairMemory<K>, ops: ScoreOps<K>) -> u128 {
        let PairMemory { index, below } = memory;
        let keys = |class| -> Vec<&[K]> { self.pieces(class).map(|piece| piece.0).collect() };
        let rows = |keys: &[&[K]]| -> usize { keys.iter().map(|piece| piece.len()).sum() };
        let (neg, pos) = (keys(0), keys(1));
        let (rarer, keys) = if rows(&pos) <= rows(&neg) { (1, pos) } else { (0, neg) };
        (ops.build)(index, &keys);
        below.clear();
        below.resize(rows(&keys) + 1, 0);
        for piece in self.pieces(rarer) {
            (ops.add_units)(index, piece, below);
        }
        let mut before = 0;
        for units in below.iter_mut() {
            before += std::mem::replace(units, before);
        }
        let others = self.pieces(1 - rarer);
        let twice_below: u128 = others.map(|piece| (ops.twice_units_below)(index, piece, below)).sum();
        if rarer == 1 {
            // Each pair counts 2 in all: 2 for the higher score, or 1 for each of two equal scores.
            2 * u128::from(self.units(0)) * u128::from(self.units(1)) - twice_below
        } else {
            twice_below
        }
    }
}
