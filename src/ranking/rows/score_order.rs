//! Rows in ascending order of their scores, each with a payload.
//!
//! The rows of a large group are distributed by score into parts, block by block. Each part is sorted on
//! demand, in the cache of one core unless very many rows share a score. Callers that iterate over parts
//! never need all sorted rows in memory.

use std::ops::Range;

use crate::cache;
use crate::interrupt;
use crate::memory;
use crate::paths::Path;
use crate::ranking::bucket_map::{BucketMap, with_buckets};
use crate::ranking::index::sorting::sort_nearly_sorted;
use crate::ranking::partition::exclusive_prefix_sum;
use crate::ranking::scores::Score;
use crate::ranking::tasks;
use crate::ranking::tuning::{BLOCKS_PER_THREAD, FEW_ROWS, INSERTION_KEYS, MAX_PARTS, PART_ROWS, SHARD_ROWS};
use crate::simd::{self, Kernel};

/// The payload of a row.
pub trait Payload: Copy + Default + Ord + Send + Sync {}

impl<T: Copy + Default + Ord + Send + Sync> Payload for T {}

/// Rows in parts; the scores of each part are below the scores of the next.
pub struct ScoreOrder<S: Score, B> {
    blocks: Vec<Block<S, B>>,
    /// The number of parts.
    pub parts: usize,
    map: BucketMap,
}

/// The rows of a block, partitioned by part.
struct Block<S: Score, B> {
    keys: Vec<S::Key>,
    payload: Vec<B>,
    /// The start of each part, and the end of the last one.
    starts: Vec<usize>,
}

/// Reusable memory for the rows of a part.
pub struct PartMemory<S: Score, B> {
    keys: Vec<S::Key>,
    /// The bucket of each row.
    buckets: Vec<u32>,
    /// The end of each bucket.
    ends: Vec<u32>,
    rows: Vec<(S::Key, B)>,
}

impl<S: Score, B> Default for PartMemory<S, B> {
    fn default() -> Self {
        PartMemory { keys: Vec::new(), buckets: Vec::new(), ends: Vec::new(), rows: Vec::new() }
    }
}

impl<S: Score, B: Payload> ScoreOrder<S, B> {
    /// Distributes rows by score; `payload` returns the payload of each row. Rows with a NaN score may appear
    /// anywhere and do not change the order of the others.
    pub fn new(scores: &[S], payload: impl Fn(usize) -> B + Sync) -> Self {
        if scores.len() < SHARD_ROWS {
            let block = Block {
                keys: scores.iter().map(|score| score.key()).collect(),
                payload: (0..scores.len()).map(payload).collect(),
                starts: vec![0, scores.len()],
            };
            return ScoreOrder { blocks: vec![block], parts: 1, map: BucketMap::default() };
        }
        let parts = (scores.len() / PART_ROWS).clamp(1, MAX_PARTS);
        let map = BucketMap::from_scores(scores, parts);
        let block_rows = scores.len().div_ceil(rayon::current_num_threads() * BLOCKS_PER_THREAD);
        let block = |start: usize| {
            let scores = &scores[start..scores.len().min(start + block_rows)];
            with_buckets!(&map, part => Block::new(scores, parts, |row| payload(start + row), part))
        };
        let blocks = scores.len().div_ceil(block_rows);
        let blocks = tasks::par_map(0..blocks, || (), |(), number| block(number * block_rows));
        ScoreOrder { blocks, parts, map }
    }

    /// The part of each of these scores, which must be the distributed ones; requires several parts.
    pub fn part_of_each(&self, scores: &[S]) -> Vec<u32> {
        let mut parts_of = vec![0; scores.len()];
        with_buckets!(&self.map, part => {
            simd::dispatch(Buckets { scores: scores.iter().copied(), bucket: part, buckets: &mut parts_of });
        });
        parts_of
    }

    /// All rows in ascending order of score, then of payload.
    pub fn rows_in_order(&self) -> Vec<(S::Key, B)> {
        let mut all = memory::zeroed_lazily(self.rows(0..self.parts));
        let mut slots = Vec::with_capacity(self.parts);
        let mut rest = &mut all[..];
        for part in 0..self.parts {
            let slot;
            (slot, rest) = rest.split_at_mut(self.rows(part..part + 1));
            slots.push(slot);
        }
        let fill = |memory: &mut PartMemory<S, B>, part: usize, slot: &mut [(S::Key, B)]| {
            self.for_each(part..part + 1, memory, |rows| slot.copy_from_slice(rows));
        };
        if let [slot] = &mut slots[..] {
            fill(&mut PartMemory::default(), 0, slot);
        } else {
            tasks::par_for_each(slots, PartMemory::default, fill);
        }
        all
    }

    /// All parts as at most `max` ranges of parts.
    pub fn ranges(&self, max: usize) -> Vec<Range<usize>> {
        let parts = self.parts.div_ceil(max);
        (0..self.parts).step_by(parts).map(|start| start..self.parts.min(start + parts)).collect()
    }

    /// The number of rows in a range of parts.
    pub fn rows(&self, parts: Range<usize>) -> usize {
        self.blocks.iter().map(|block| block.starts[parts.end] - block.starts[parts.start]).sum()
    }

    /// Passes the rows of a range of parts to `take`, part by part, in ascending order of score, then of
    /// payload.
    pub fn for_each(
        &self,
        parts: Range<usize>,
        memory: &mut PartMemory<S, B>,
        mut take: impl FnMut(&[(S::Key, B)]),
    ) {
        for part in parts {
            interrupt::check();
            let piece = |block: &'_ Block<S, B>| block.starts[part]..block.starts[part + 1];
            let pieces: Vec<(&[S::Key], &[B])> = self
                .blocks
                .iter()
                .map(|block| (&block.keys[piece(block)], &block.payload[piece(block)]))
                .collect();
            take(memory.in_order(&pieces));
        }
    }
}

impl<S: Score, B: Payload> Block<S, B> {
    fn new(
        scores: &[S],
        parts: usize,
        payload_of_row: impl Fn(usize) -> B,
        part: impl Fn(f64) -> u32,
    ) -> Self {
        interrupt::check();
        let mut parts_of = vec![0; scores.len()];
        simd::dispatch(Buckets { scores: scores.iter().copied(), bucket: part, buckets: &mut parts_of });
        let mut starts = vec![0; parts + 1];
        parts_of.iter().for_each(|&part| starts[part as usize] += 1);
        exclusive_prefix_sum(&mut starts);
        let mut next = starts.clone();
        let mut by_part = memory::zeroed_prefaulted(scores.len());
        let mut payload = memory::zeroed_prefaulted(scores.len());
        for (row, (score, part)) in scores.iter().zip(parts_of).enumerate() {
            let next = &mut next[part as usize];
            by_part[*next] = score.key();
            payload[*next] = payload_of_row(row);
            cache::prefetch_next_line(&by_part, *next);
            cache::prefetch_next_line(&payload, *next);
            *next += 1;
        }
        Block { keys: by_part, payload, starts }
    }
}

/// The kernel that computes the buckets of scores.
struct Buckets<'a, I, F> {
    scores: I,
    bucket: F,
    buckets: &'a mut [u32],
}

impl<S: Score, I: Iterator<Item = S>, F: Fn(f64) -> u32> Kernel for Buckets<'_, I, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (row_bucket, score) in self.buckets.iter_mut().zip(self.scores) {
            *row_bucket = (self.bucket)(score.position());
        }
    }
}

impl<S: Score, B: Payload> PartMemory<S, B> {
    /// The sorted rows of these pieces: a bucket scatter, followed by a sort of nearly sorted rows.
    fn in_order(&mut self, pieces: &[(&[S::Key], &[B])]) -> &[(S::Key, B)] {
        let PartMemory { keys, buckets, ends, rows } = self;
        let payload = || pieces.iter().flat_map(|piece| piece.1.iter().copied());
        keys.clear();
        pieces.iter().for_each(|piece| keys.extend_from_slice(piece.0));
        if keys.len() < FEW_ROWS || !Path::ScoreBuckets.is_on() {
            rows.clear();
            rows.extend(keys.iter().copied().zip(payload()));
            rows.sort_unstable();
            return rows;
        }
        // As many buckets as rows. Measured on comparisons of 20 segments of 10^7 rows: 1/5 less time than
        // with ten rows per bucket.
        let number = keys.len();
        let map = BucketMap::from_keys::<S, _>(&[keys], |key| key, keys.len(), number);
        buckets.resize(keys.len(), 0);
        with_buckets!(&map, bucket => {
            let scores = keys.iter().map(|&key| S::from_key(key));
            simd::dispatch(Buckets { scores, bucket, buckets });
        });
        ends.clear();
        ends.resize(number, 0);
        buckets.iter().for_each(|&bucket| ends[bucket as usize] += 1);
        exclusive_prefix_sum(ends);
        if rows.len() < keys.len() {
            rows.resize(keys.len(), Default::default());
        }
        for ((&key, payload), &bucket) in keys.iter().zip(payload()).zip(&*buckets) {
            let end = &mut ends[bucket as usize];
            rows[*end as usize] = (key, payload);
            *end += 1;
        }
        // The start of the buckets that are sorted together. No row passes a row of another bucket, except
        // NaN. At most `INSERTION_KEYS` rows are NaN here, because all NaN are in one bucket.
        let (mut together, mut start) = (0, 0);
        for end in ends.iter().map(|&end| end as usize) {
            if end - start > INSERTION_KEYS {
                sort_nearly_sorted(&mut rows[together..start]);
                let bucket = &mut rows[start..end];
                // All rows of one score are in one bucket, possibly nearly all rows.
                if bucket.len() < SHARD_ROWS {
                    bucket.sort_unstable();
                } else {
                    tasks::sort_by(bucket, Ord::cmp);
                }
                together = end;
            }
            start = end;
        }
        sort_nearly_sorted(&mut rows[together..start]);
        &rows[..keys.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Compares with the definition; NaN may be anywhere.
    fn are_in_order(scores: &[f64], memory: &mut PartMemory<f64, u32>) {
        let payload = |row: usize| (row * 7919 % 601) as u32;
        let is_number = |row: &(u64, u32)| !f64::from_key(row.0).is_nan();
        let keys = scores.iter().enumerate().map(|(row, score)| (score.key(), payload(row)));
        let mut expected: Vec<(u64, u32)> = keys.filter(is_number).collect();
        expected.sort();
        let order = ScoreOrder::new(scores, payload);
        let mut rows = Vec::new();
        order.for_each(0..order.parts, memory, |part_rows| {
            rows.extend(part_rows.iter().copied().filter(is_number))
        });
        assert!(rows == expected);
        let mut all = order.rows_in_order();
        all.retain(is_number);
        assert!(all == expected);
    }

    /// Scores of one kind: uniform, over many powers of two, clustered, tied, or mixed.
    fn scores(kind: u32, number: u64) -> f64 {
        let even = (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11) as f64 / (1u64 << 53) as f64;
        match kind {
            0 => even,
            1 => (200.0 * even - 100.0).exp2(),
            2 => (even * 8.0).floor() + even * 1e-9,
            3 => (even * 40.0).floor(),
            _ => scores((number % 4) as u32, number / 4),
        }
    }

    proptest! {
        #[test]
        fn rows_of_any_scores_are_in_order(kind in 0u32..5, first in 0u64..1000, rows in 0u64..5000, nan in 0usize..14, every in 1usize..400) {
            let mut scores: Vec<f64> = (first..first + rows).map(|number| scores(kind, number)).collect();
            scores.iter_mut().step_by(every).take(nan).for_each(|score| *score = f64::NAN);
            are_in_order(&scores, &mut PartMemory::default());
        }
    }

    /// Several parts, one with most rows and a single score; the memory is reused for fewer rows.
    #[test]
    fn rows_of_several_parts_are_in_order() {
        let mut memory = PartMemory::default();
        for rows in [2 * SHARD_ROWS as u64 + 9, SHARD_ROWS as u64 + 1, 70] {
            let scores: Vec<f64> =
                (0..rows).map(|number| scores(number.min(4) as u32, number).max(0.4)).collect();
            are_in_order(&scores, &mut memory);
        }
    }
}
