//! A group too large for one thread: its rows in shards of score, each of which is ranked alone.
//!
//! The rows are cut into blocks, one task each. A block spreads its rows over shards by one map that
//! all blocks share, and keeps them in memory of its own: no two threads ever write to one place. A
//! shard is then the pieces that all blocks hold of it, brought together by the thread that ranks it,
//! small enough to stay in that core's cache.
//!
//! Invariant: every key of a shard is below every key of the next, and equal keys are in one shard.

use std::ops::Range;

use rayon::prelude::*;

use super::map::{Map, sampled};
use super::piles::Piles;
use super::ties::Above;
use super::{Bits, Key, Score};

/// From this many rows on, a group is ranked by all threads: about where its keys outgrow a core's cache.
pub const SHARD_ROWS: usize = 1 << 17;

/// Rows in a shard, on average: their keys and the copy that is spread fill about half of a 1 MiB cache.
const ROWS_PER_SHARD: usize = 1 << 15;

/// Shards at least: a map with many cells needs some for each of them.
const MIN_SHARDS: usize = 128;

/// Shards at most: with two classes, each is two streams that a block writes to at a time.
const MAX_SHARDS: usize = 512;

/// Blocks for each thread, so that a thread which falls behind can be helped out.
const BLOCKS_PER_THREAD: usize = 4;

/// The keys of a large group.
#[derive(Debug)]
pub struct Shards<K> {
    blocks: Vec<Block<K>>,
    /// Highest first: which shard, and what lies above it.
    order: Vec<(usize, Above)>,
    spread: fn(&mut Piles<K>),
    n_pos: u64,
    n_neg: u64,
    nan: bool,
}

/// The rows of one block, by class and shard.
#[derive(Debug)]
struct Block<K> {
    pos: Vec<K>,
    neg: Vec<K>,
    pos_ends: Vec<u32>,
    neg_ends: Vec<u32>,
    nan: bool,
}

/// The rows between two ends of a shard.
fn piece<'a, K>(keys: &'a [K], ends: &[u32], shard: usize) -> &'a [K] {
    let start = if shard == 0 { 0 } else { ends[shard - 1] };
    &keys[start as usize..ends[shard] as usize]
}

impl<K: Key> Shards<K> {
    /// Parts rows by their labels and scores; rows whose `valid` bit is 0 are skipped.
    pub fn part<S: Score<Key = K>>(scores: &[S], labels: Bits<'_>, valid: Option<Bits<'_>>) -> Self {
        let shards = (scores.len() / ROWS_PER_SHARD).next_power_of_two().clamp(MIN_SHARDS, MAX_SHARDS);
        Self::part_as(scores, labels, valid, BLOCKS_PER_THREAD * rayon::current_num_threads(), shards)
    }

    /// Parts rows in about as many blocks and into as many shards as are asked for.
    pub(super) fn part_as<S: Score<Key = K>>(
        scores: &[S],
        labels: Bits<'_>,
        valid: Option<Bits<'_>>,
        blocks: usize,
        shards: usize,
    ) -> Self {
        let block_rows = scores.len().div_ceil(blocks).max(1);
        let blocks: Vec<Range<usize>> = (0..scores.len())
            .step_by(block_rows)
            .map(|start| start..(start + block_rows).min(scores.len()))
            .collect();
        let map = map(scores, shards);
        let blocks: Vec<Block<K>> = blocks
            .into_par_iter()
            .map(|rows| {
                let labels = labels.slice(rows.start, rows.len());
                let valid = valid.map(|valid| valid.slice(rows.start, rows.len()));
                let scores = &scores[rows];
                match &map {
                    Map::Line(line) => Block::part(scores, labels, valid, shards, |x| line.bucket(x)),
                    Map::Pieces(pieces) => Block::part(scores, labels, valid, shards, |x| pieces.bucket(x)),
                }
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
                above.pos += piece(&block.pos, &block.pos_ends, shard).len() as u64;
                above.neg += piece(&block.neg, &block.neg_ends, shard).len() as u64;
            }
        }
        let nan = blocks.iter().any(|block| block.nan);
        Shards { blocks, order, spread: Piles::spread::<S>, n_pos: above.pos, n_neg: above.neg, nan }
    }

    /// All positives.
    pub fn n_pos(&self) -> u64 {
        self.n_pos
    }

    /// All negatives.
    pub fn n_neg(&self) -> u64 {
        self.n_neg
    }

    /// Whether a score that is not missing is NaN.
    pub fn has_nan(&self) -> bool {
        self.nan
    }

    /// What `ask` says of each shard, from the highest scores down.
    pub fn each<T: Send>(&self, ask: impl Fn(&mut Piles<K>, Above) -> T + Sync) -> Vec<T> {
        self.order
            .par_iter()
            .map_init(Piles::default, |piles, &(shard, above)| {
                piles.collect(
                    self.blocks.iter().map(|block| piece(&block.pos, &block.pos_ends, shard)),
                    self.blocks.iter().map(|block| piece(&block.neg, &block.neg_ends, shard)),
                );
                (self.spread)(piles);
                ask(piles, above)
            })
            .collect()
    }
}

/// The map that suits a sample of scores. Whether a row counts does not matter to it.
fn map<S: Score>(scores: &[S], shards: usize) -> Map {
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
        // One counter for each shard and class, side by side; rows that are not used go to a last one.
        let unused = 2 * shards;
        let mut next = vec![0u32; unused + 1];
        let mut places = Vec::with_capacity(scores.len());
        let mut nan = false;
        for (word, scores) in scores.chunks(64).enumerate() {
            let label = labels.word(word * 64);
            let used = valid.map_or(u64::MAX, |valid| valid.word(word * 64));
            for (row, &score) in scores.iter().enumerate() {
                let there = used >> row & 1 == 1;
                let place = 2 * shard(score.position()) as usize + (label >> row & 1) as usize;
                let place = if there { place } else { unused };
                nan |= there & score.is_nan();
                next[place] += 1;
                places.push(place as u32);
            }
        }
        let mut ends = [Vec::with_capacity(shards), Vec::with_capacity(shards)];
        let mut rows = [0u32; 2];
        for shard in 0..shards {
            for class in 0..2 {
                let start = rows[class];
                rows[class] += std::mem::replace(&mut next[2 * shard + class], start);
                ends[class].push(rows[class]);
            }
        }
        let mut keys = rows.map(|rows| vec![K::default(); rows as usize]);
        for (&score, &place) in scores.iter().zip(&places) {
            let place = place as usize;
            if place < unused {
                let slot = &mut next[place];
                keys[place % 2][*slot as usize] = score.key();
                *slot += 1;
            }
        }
        let ([neg, pos], [neg_ends, pos_ends]) = (keys, ends);
        Block { pos, neg, pos_ends, neg_ends, nan }
    }
}
