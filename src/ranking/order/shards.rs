//! A group too large for one thread: its rows in shards of score, each of which is ranked alone.
//!
//! The rows are cut into blocks, one task each. A block spreads its rows over shards by a map that all blocks share.
//! Each block has memory of its own, so no two threads write to the same place. A shard is made of the pieces that all
//! blocks have of it. One thread ranks a shard, which is small enough to stay in the cache of its core.
//!
//! Invariant: every key of a shard is below every key of the next, and equal keys are in one shard.

use std::ops::Range;

use rayon::prelude::*;

use super::class_keys::{ClassKeys, nan_among};
use super::classes::Classes;
use super::index::Index;
use super::map::{Map, sampled, with_buckets};
use super::one_thread::WalkMemory;
use super::score_ops::ScoreOps;
use super::streams::Streams;
use crate::ranking::scores::{Bits, Key, Score};
use crate::ranking::tasks;
use crate::ranking::ties::{
    duplicates::Duplicates,
    outline::{self, Beside, Cell, Piece},
    source::{Source, Steps, Walk},
    steps::{Above, Runs, Take, Tie},
};
use crate::ranking::tuning::{
    BLOCKS_PER_THREAD, INDEXED_BYTES, MAX_SHARDS, MIN_SHARDS, SHARD_ROWS, SHARDS_AT_A_TIME,
};

/// The keys of a large group.
#[derive(Debug)]
pub struct Shards<K> {
    blocks: Vec<Block<K>>,
    /// Highest first: which shard, and what lies above it.
    order: Vec<(usize, Above)>,
    ops: ScoreOps<K>,
    n_pos: u64,
    n_neg: u64,
    nan: bool,
}

/// The rows of one block: two streams for each shard, negatives and positives.
#[derive(Debug)]
struct Block<K> {
    streams: Streams<K>,
    nan: bool,
}

impl<K: Key> Shards<K> {
    /// Parts rows by their labels and scores; rows whose `valid` bit is 0 are skipped.
    pub fn part<S: Score<Key = K>>(scores: &[S], labels: Bits<'_>, valid: Option<Bits<'_>>) -> Self {
        let n_pos = labels.count(valid);
        let shards = shards_for::<K>(n_pos.min(scores.len() - n_pos));
        Self::part_as(scores, labels, valid, blocks(), shards)
    }

    /// Parts rows in about as many blocks and into as many shards as are asked for.
    pub(in crate::ranking) fn part_as<S: Score<Key = K>>(
        scores: &[S],
        labels: Bits<'_>,
        valid: Option<Bits<'_>>,
        blocks: usize,
        shards: usize,
    ) -> Self {
        let block_rows = scores.len().div_ceil(blocks).max(1);
        let map = map(scores, shards);
        let blocks: Vec<Block<K>> = scores
            .par_chunks(block_rows)
            .enumerate()
            .map(|(block, scores)| {
                let labels = labels.slice(block * block_rows, scores.len());
                let valid = valid.map(|valid| valid.slice(block * block_rows, scores.len()));
                with_buckets!(&map, bucket => Block::part(scores, labels, valid, shards, bucket))
            })
            .collect();
        Self::ordered::<S>(blocks, shards)
    }

    fn ordered<S: Score<Key = K>>(blocks: Vec<Block<K>>, shards: usize) -> Self {
        let mut above = Above::default();
        let mut order = Vec::with_capacity(shards);
        for shard in (0..shards).rev() {
            order.push((shard, above));
            for block in &blocks {
                above.pos += block.rows(shard, true);
                above.neg += block.rows(shard, false);
            }
        }
        let nan = blocks.iter().any(|block| block.nan);
        Shards { blocks, order, ops: ScoreOps::of::<S>(), n_pos: above.pos, n_neg: above.neg, nan }
    }

    /// Whether a score that is not missing is NaN.
    pub fn has_nan(&self) -> bool {
        self.nan
    }

    /// The results of `ask` for each shard, from the highest scores down; `work` makes the memory that each thread
    /// uses.
    fn each<W, T: Send>(
        &self,
        work: impl Fn() -> W + Sync + Send,
        ask: impl Fn(&mut W, &Classes<'_, K>, Above) -> T + Sync,
    ) -> Vec<T> {
        self.each_of(0..self.order.len(), &work, &ask)
    }

    /// The results of `ask` for each shard and its place, from the highest scores down.
    fn each_numbered<T: Send>(&self, ask: impl Fn(usize, &Classes<'_, K>) -> T + Sync) -> Vec<T> {
        let all = 0..self.order.len();
        tasks::each(all, || (), |(), place| self.with(self.order[place].0, |classes| ask(place, classes)))
    }

    fn each_of<W, T: Send>(
        &self,
        places: Range<usize>,
        work: &(impl Fn() -> W + Sync + Send),
        ask: &(impl Fn(&mut W, &Classes<'_, K>, Above) -> T + Sync),
    ) -> Vec<T> {
        tasks::each(places, work, |work, place| {
            let (shard, above) = self.order[place];
            self.with(shard, |classes| ask(work, classes, above))
        })
    }

    /// Twice the U of a shard's positives against all negatives of the group.
    fn twice_u_of(&self, index: &mut Index<K>, classes: &Classes<'_, K>, above: Above) -> u128 {
        let neg_below = self.n_neg - above.neg - classes.n_neg as u64;
        u128::from(classes.twice_u(index, self.ops)) + 2 * classes.n_pos as u128 * u128::from(neg_below)
    }

    /// Asks the shard of the row at a rank, the highest row being at 1, with that row's rank in the shard.
    fn with_rank<T>(
        &self,
        rank: u64,
        ask: impl FnOnce(&Classes<'_, K>, usize, Above) -> Option<T>,
    ) -> Option<T> {
        let begins_above = |(_, above): &(usize, Above)| above.pos + above.neg < rank;
        let (shard, above) = self.order[self.order.partition_point(begins_above).checked_sub(1)?];
        self.with(shard, |classes| ask(classes, (rank - above.pos - above.neg) as usize, above))
    }

    fn with<T>(&self, shard: usize, ask: impl FnOnce(&Classes<'_, K>) -> T) -> T {
        let pieces = |class: usize| -> Vec<&[K]> {
            self.blocks.iter().flat_map(|block| block.streams.pieces(2 * shard + class)).collect()
        };
        let (neg, pos) = (pieces(0), pieces(1));
        let rows = |pieces: &[&[K]]| pieces.iter().map(|piece| piece.len()).sum();
        ask(&Classes { n_pos: rows(&pos), n_neg: rows(&neg), pos: &pos, neg: &neg })
    }
}

/// What a thread keeps from shard to shard.
#[derive(Debug, Default)]
struct ThreadMemory<K> {
    class_keys: ClassKeys<K>,
    room: WalkMemory<K>,
}

impl<K: Key> Source for Shards<K> {
    fn totals(&self) -> (u64, u64) {
        (self.n_pos, self.n_neg)
    }

    fn parts(&self) -> Option<usize> {
        Some(self.order.len())
    }

    // A group in shards has parts.
    fn walk(&mut self, _: Steps, _: &mut Take<'_>) {}

    fn walk_parts(
        &self,
        steps: Steps,
        part: &(dyn Fn(usize, &mut Walk<'_>) + Sync),
        done: &mut dyn FnMut(usize),
    ) {
        let ask = |room: &mut ThreadMemory<K>, place: usize| {
            let (shard, above) = self.order[place];
            self.with(shard, |classes| {
                let ThreadMemory { class_keys, room: WalkMemory { index, rises: memory } } = &mut *room;
                part(place, &mut |take| match steps {
                    Steps::Ties => {
                        class_keys.collect(classes);
                        (self.ops.spread)(class_keys);
                        let mut runs = Runs::new(above, memory, take);
                        class_keys.for_each(&mut runs);
                        runs.hand_out();
                    }
                    Steps::Segments(indexed) => {
                        let mut runs = Runs::new(above, memory, take);
                        classes.for_each_segment(index, self.ops, indexed, &mut runs);
                        runs.hand_out();
                    }
                });
            });
        };
        // An answer made of ties may be as large as the ties, so the answers of all shards are never kept at once.
        let at_a_time = match steps {
            Steps::Ties => SHARDS_AT_A_TIME * rayon::current_num_threads(),
            Steps::Segments(_) => self.order.len().max(1),
        };
        for first in (0..self.order.len()).step_by(at_a_time) {
            let some = first..self.order.len().min(first + at_a_time);
            tasks::each(some.clone(), ThreadMemory::default, ask);
            some.for_each(&mut *done);
        }
    }

    fn twice_u(&mut self) -> Option<u128> {
        let parts = self.each(Index::default, |index, classes, above| self.twice_u_of(index, classes, above));
        Some(parts.into_iter().sum())
    }

    fn twice_u_and_cubes(&mut self) -> Option<(u128, u128)> {
        let parts = self.each(<(Index<K>, Duplicates<K>)>::default, |(index, duplicates), classes, above| {
            let cubes = duplicates.cubes(&[classes.pos, classes.neg]);
            (self.twice_u_of(index, classes, above), cubes)
        });
        Some(parts.into_iter().fold((0, 0), |sums, part| (sums.0 + part.0, sums.1 + part.1)))
    }

    fn reached(&mut self, key: u128) -> Option<(u64, u64)> {
        let parts = self.each(|| (), |(), classes, _| classes.reached(K::narrow(key)));
        Some(parts.into_iter().fold((0, 0), |sums, part| (sums.0 + part.0, sums.1 + part.1)))
    }

    fn at_rank(&mut self, rank: u64) -> Option<Option<Tie>> {
        // Rows of one score are all in one shard.
        Some(self.with_rank(rank, |classes, rank, above| classes.at_rank(rank, above)))
    }

    fn threshold(&mut self, rank: u64) -> Option<Option<u128>> {
        Some(self.with_rank(rank, |classes, rank, _| classes.highest(rank)).map(K::wide))
    }

    fn outline(&self, cells: usize) -> Option<Vec<Cell<u128>>> {
        if self.n_pos + self.n_neg < SHARD_ROWS as u64 {
            return None;
        }
        let each = |ask: &outline::Ask<'_, K>| {
            self.each_numbered(|place, classes| {
                let of = |class, keys| Piece { class, keys, beside: Beside::Nothing };
                let neg = classes.neg.iter().map(|&keys| of(0, keys));
                let pos = classes.pos.iter().map(|&keys| of(1, keys));
                ask(place, &neg.chain(pos).collect::<Vec<_>>())
            })
        };
        outline::outline(each, cells)
    }
}

/// Shards for so many rows that are indexed.
pub(in crate::ranking) fn shards_for<K>(indexed: usize) -> usize {
    (indexed * size_of::<K>() / INDEXED_BYTES).next_power_of_two().clamp(MIN_SHARDS, MAX_SHARDS)
}

/// Blocks that a large group is cut into.
pub(in crate::ranking) fn blocks() -> usize {
    BLOCKS_PER_THREAD * rayon::current_num_threads()
}

/// The map that suits a sample of scores. Rows that are skipped may be in the sample.
pub(in crate::ranking) fn map<S: Score>(scores: &[S], shards: usize) -> Map {
    let positions = sampled(scores.len()).map(|row| scores[row].position());
    let mut sample: Vec<f64> = positions.filter(|position| !position.is_nan()).collect();
    Map::fitting(&mut sample, shards)
}

impl<K: Key> Block<K> {
    fn part<S: Score<Key = K>>(
        scores: &[S],
        labels: Bits<'_>,
        valid: Option<Bits<'_>>,
        shards: usize,
        shard: impl Fn(f64) -> u32,
    ) -> Self {
        let mut streams = Streams::new(2 * shards, scores.len());
        let mut nan = false;
        // The first loop finds the shards of 64 rows, and the second one moves the rows. Two short loops whose values
        // stay in registers take half the time of one long loop.
        let mut places = [0u32; 64];
        for (word, scores) in scores.chunks(64).enumerate() {
            let label = labels.word(word * 64);
            for (row, (place, &score)) in places.iter_mut().zip(scores).enumerate() {
                *place = 2 * shard(score.position()) + (label >> row & 1) as u32;
            }
            let used = valid.map_or(u64::MAX, |valid| valid.word(word * 64));
            nan |= nan_among(scores, used);
            if used.count_ones() as usize >= scores.len() {
                for (&place, &score) in places.iter().zip(scores) {
                    streams.push(place as usize, score.key(), ());
                }
            } else {
                for (row, (&place, &score)) in places.iter().zip(scores).enumerate() {
                    if used >> row & 1 == 1 {
                        streams.push(place as usize, score.key(), ());
                    }
                }
            }
        }
        Block { streams, nan }
    }

    fn rows(&self, shard: usize, positive: bool) -> u64 {
        self.streams.pieces(2 * shard + usize::from(positive)).map(|piece| piece.len() as u64).sum()
    }
}
