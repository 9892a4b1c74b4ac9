//! A large group with weights: its rows in shards of score, as in `shards`, each key with its weight beside it.
//!
//! The rarer class is indexed as it is without weights. Its own rows look up their places too, and add their units
//! there. The running sums of these units are the units below each place, which the rows of the other class look up.

use rayon::prelude::*;

use super::rows::WeightedRow;
use crate::ranking::order::{
    class_keys::nan_among,
    index::Index,
    map::{Map, with_buckets},
    score_ops::ScoreOps,
    shards::{blocks, map, shards_for},
    streams::Streams,
};
use crate::ranking::scores::{Bits, Key, Score};
use crate::ranking::tasks;
use crate::ranking::ties::{
    outline::{Beside, Piece},
    steps::Above,
    units::Unit,
};

/// The keys and units of a large group.
#[derive(Debug)]
pub(in crate::ranking) struct WeightedShards<K> {
    blocks: Vec<WeightedBlock<K>>,
    /// Highest first: which shard, and the units above it.
    order: Vec<(usize, Above)>,
    totals: [u64; 2],
    nan: bool,
}

/// The rows of one block: two streams for each shard, negatives and positives.
#[derive(Debug)]
struct WeightedBlock<K> {
    streams: Streams<K, u64>,
    /// The units of each stream.
    units: Vec<u64>,
    /// For either class, the bits that any row has in its units.
    any: [u64; 2],
    nan: bool,
}

/// The rows of one shard.
pub(in crate::ranking) struct Shard<'a, K> {
    /// Pieces of negatives and of positives: keys, and their units.
    classes: [Vec<(&'a [K], &'a [u64])>; 2],
    units: [u64; 2],
}

/// The memory that counting pairs in a shard needs. It is kept from shard to shard.
#[derive(Debug, Default)]
struct PairMemory<K> {
    index: Index<K>,
    /// For each place among the indexed keys: their units there, then below it.
    below: Vec<u64>,
}

impl<K: Key> WeightedShards<K> {
    /// Parts rows by their labels and scores; rows whose `valid` bit is 0 are skipped.
    pub fn part<S: Score<Key = K>>(
        scores: &[S],
        labels: Bits<'_>,
        weights: &[f64],
        valid: Option<Bits<'_>>,
        units: [Unit; 2],
    ) -> Self {
        let n_pos = labels.count(valid);
        let shards = shards_for::<K>(n_pos.min(scores.len() - n_pos));
        let block_rows = scores.len().div_ceil(blocks()).max(1);
        let map = map(scores, shards);
        let blocks: Vec<WeightedBlock<K>> = scores
            .par_chunks(block_rows)
            .zip(weights.par_chunks(block_rows))
            .enumerate()
            .map(|(block, rows)| {
                let labels = labels.slice(block * block_rows, rows.0.len());
                let valid = valid.map(|valid| valid.slice(block * block_rows, rows.0.len()));
                with_buckets!(&map, bucket => WeightedBlock::part(rows, labels, valid, units, shards, bucket))
            })
            .collect();
        let mut above = Above::default();
        let mut order = Vec::with_capacity(shards);
        for shard in (0..shards).rev() {
            order.push((shard, above));
            for block in &blocks {
                above.neg += block.units[2 * shard];
                above.pos += block.units[2 * shard + 1];
            }
        }
        let nan = blocks.iter().any(|block| block.nan);
        WeightedShards { blocks, order, totals: [above.neg, above.pos], nan }
    }

    /// Units of negatives and of positives.
    pub fn totals(&self) -> [u64; 2] {
        self.totals
    }

    /// Whether a score that is not missing is NaN.
    pub fn has_nan(&self) -> bool {
        self.nan
    }

    /// Low bits that no negative and no positive has in its units.
    pub fn empty_bits(&self) -> [u32; 2] {
        [0, 1].map(|class| {
            let any = self.blocks.iter().fold(0, |any, block| any | block.any[class]);
            any.trailing_zeros() % u64::BITS
        })
    }

    /// The number of shards.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// The results of `ask` for each shard, from the highest scores down. `ask` gets memory that `work` made for its
    /// thread, the place of the shard, its rows, and the units above it.
    pub fn each<W, T: Send>(
        &self,
        work: impl Fn() -> W + Sync + Send,
        ask: impl Fn(&mut W, usize, &Shard<'_, K>, Above) -> T + Sync,
    ) -> Vec<T> {
        tasks::each(0..self.order.len(), work, |work, place| {
            let (shard, above) = self.order[place];
            ask(work, place, &self.shard(shard), above)
        })
    }

    fn shard(&self, shard: usize) -> Shard<'_, K> {
        Shard {
            classes: [0, 1].map(|class| {
                self.blocks.iter().flat_map(|block| block.streams.pairs(2 * shard + class)).collect()
            }),
            units: [0, 1].map(|class| self.blocks.iter().map(|block| block.units[2 * shard + class]).sum()),
        }
    }

    /// Twice the pairs that positives win, in products of units.
    pub fn twice_u(&self, ops: ScoreOps<K>) -> u128 {
        let parts = self.each(PairMemory::default, |room, _, shard, above| {
            let neg_below = self.totals[0] - above.neg - shard.units[0];
            shard.twice_u(room, ops) + 2 * u128::from(shard.units[1]) * u128::from(neg_below)
        });
        parts.into_iter().sum()
    }
}

impl<K: Key> Shard<'_, K> {
    /// All rows, from the highest key down.
    pub fn sorted(&self, rows: &mut Vec<WeightedRow<K>>) {
        rows.clear();
        for (label, pieces) in (0..).zip(&self.classes) {
            for (keys, units) in pieces {
                rows.extend(keys.iter().zip(*units).map(|(&key, &units)| (key, units << 1 | label)));
            }
        }
        rows.sort_unstable_by(|a, b| b.cmp(a));
    }

    /// All pieces with their class.
    pub fn pieces(&self) -> Vec<Piece<'_, K>> {
        let of = |class: usize| {
            self.classes[class].iter().map(move |&(keys, units)| Piece {
                class,
                keys,
                beside: Beside::Units(units),
            })
        };
        of(0).chain(of(1)).collect()
    }

    fn rows(&self, class: usize) -> usize {
        self.classes[class].iter().map(|piece| piece.0.len()).sum()
    }

    fn twice_u(&self, room: &mut PairMemory<K>, ops: ScoreOps<K>) -> u128 {
        let PairMemory { index, below } = room;
        let rarer = usize::from(self.rows(1) <= self.rows(0));
        let keys: Vec<&[K]> = self.classes[rarer].iter().map(|piece| piece.0).collect();
        (ops.build)(index, &keys);
        below.clear();
        below.resize(self.rows(rarer) + 1, 0);
        for &piece in &self.classes[rarer] {
            (ops.add_units)(index, piece, below);
        }
        let mut before = 0;
        for units in below.iter_mut() {
            before += std::mem::replace(units, before);
        }
        let others = self.classes[1 - rarer].iter();
        let twice_below: u128 = others.map(|&piece| (ops.twice_units_below)(index, piece, below)).sum();
        if rarer == 1 {
            // Each pair counts 2 in all: 2 for the higher score, or 1 for each of two equal scores.
            2 * u128::from(self.units[0]) * u128::from(self.units[1]) - twice_below
        } else {
            twice_below
        }
    }
}

impl<K: Key> WeightedBlock<K> {
    fn part<S: Score<Key = K>>(
        rows: (&[S], &[f64]),
        labels: Bits<'_>,
        valid: Option<Bits<'_>>,
        units: [Unit; 2],
        shards: usize,
        shard: impl Fn(f64) -> u32,
    ) -> Self {
        let (scores, weights) = rows;
        let mut streams = Streams::new(2 * shards, scores.len());
        let mut nan = false;
        // First the shards of 64 rows and their units, then the rows, as without weights.
        let (mut places, mut weighted) = ([0u32; 64], [0u64; 64]);
        for (word, (scores, weights)) in scores.chunks(64).zip(weights.chunks(64)).enumerate() {
            let label = labels.word(word * 64);
            for (row, (place, &score)) in places.iter_mut().zip(scores).enumerate() {
                *place = 2 * shard(score.position()) + (label >> row & 1) as u32;
            }
            for (row, (here, &weight)) in weighted.iter_mut().zip(weights).enumerate() {
                *here = units[(label >> row & 1) as usize].units(weight);
            }
            let used = valid.map_or(u64::MAX, |valid| valid.word(word * 64));
            nan |= nan_among(scores, used);
            let rows = places.iter().zip(&weighted).zip(scores);
            if used.count_ones() as usize >= scores.len() {
                for ((&place, &units), &score) in rows {
                    streams.push(place as usize, score.key(), units);
                }
            } else {
                for (row, ((&place, &units), &score)) in rows.enumerate() {
                    if used >> row & 1 == 1 {
                        streams.push(place as usize, score.key(), units);
                    }
                }
            }
        }
        let mut any = [0; 2];
        let mut sums = vec![0u64; 2 * shards];
        for (stream, sum) in sums.iter_mut().enumerate() {
            for units in streams.pairs(stream).flat_map(|piece| piece.1) {
                *sum += units;
                any[stream % 2] |= units;
            }
        }
        WeightedBlock { streams, units: sums, any, nan }
    }
}
