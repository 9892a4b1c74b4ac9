//! A block of a large group: rows partitioned by one thread, with two partitions per shard.

use crate::interrupt;
use crate::memory;
use crate::ranking::bucket_map::{BucketMap, with_buckets};
use crate::ranking::index::row::Row;
use crate::ranking::partition::{exclusive_prefix_sum, scatter};
use crate::ranking::scores::{Observations, Score};
use crate::ranking::ties::units::Unit;
use crate::ranking::tuning::{BLOCKS_PER_THREAD, PARTITIONED_ROWS};
use crate::simd::{self, Kernel};

/// The rows of one block: the negatives of shard `i` are partition `2 i`, its positives `2 i + 1`.
#[derive(Debug)]
pub(in crate::ranking) struct Block<R> {
    /// The rows of each batch of [`PARTITIONED_ROWS`], partition by partition; skipped rows last.
    rows: Vec<R>,
    /// The end of each partition in each batch.
    ends: Vec<u32>,
    /// The units of each partition.
    pub units: Vec<u64>,
    /// For each class, the bitwise OR of the units of its rows.
    pub any_bits: [u64; 2],
    pub nan: bool,
}

/// The number of blocks of a large group.
pub(in crate::ranking) fn blocks() -> usize {
    BLOCKS_PER_THREAD * rayon::current_num_threads()
}

impl<R: Row> Block<R> {
    /// Partitions rows by the shard that a map assigns; the memory may be reused.
    pub fn partition<S: Score<Key = R::Key>>(
        pieces: &[Observations<'_, S>],
        unit_of: [Unit; 2],
        shards: usize,
        map: &BucketMap,
        mut memory: Vec<R>,
    ) -> Self {
        let rows: usize = pieces.iter().map(|rows| rows.scores.len()).sum();
        assert!(u32::try_from(rows).is_ok(), "{rows} rows in one block");
        memory.clear();
        memory::reserve(&mut memory, rows);
        let n_partitions = 2 * shards;
        let mut block = Block {
            rows: memory,
            ends: Vec::with_capacity((rows / PARTITIONED_ROWS + 1) * (n_partitions + 1)),
            units: vec![0; n_partitions],
            any_bits: [0; 2],
            nan: false,
        };
        let mut partitions = Vec::new();
        for rows in pieces.iter().flat_map(|rows| rows.blocks_of(PARTITIONED_ROWS)) {
            block.add(&rows, unit_of, map, &mut partitions);
        }
        block
    }

    /// Adds a batch of rows that stays in the cache from the histogram to the scatter.
    fn add<S: Score<Key = R::Key>>(
        &mut self,
        rows: &Observations<'_, S>,
        unit_of: [Unit; 2],
        map: &BucketMap,
        partitions: &mut Vec<u16>,
    ) {
        partitions.clear();
        partitions.resize(rows.scores.len(), 0);
        let (start, first) = (self.rows.len(), self.ends.len());
        // Skipped rows have the last partition.
        self.ends.resize(first + self.units.len() + 1, 0);
        let offsets = &mut self.ends[first..];
        self.nan |= with_buckets!(map, shard => simd::dispatch(Histogram { rows, shard, partitions, counts: offsets }));
        if !R::HAS_WEIGHT {
            self.units.iter_mut().zip(&*offsets).for_each(|(units, &rows)| *units += u64::from(rows));
        }
        exclusive_prefix_sum(offsets);
        self.rows.resize(start + rows.scores.len(), R::default());
        let bits = simd::dispatch(Scatter {
            rows,
            unit_of,
            partitions,
            offsets,
            to: &mut self.rows[start..],
            units: &mut self.units,
        });
        self.any_bits = [0, 1].map(|class| self.any_bits[class] | bits[class]);
        offsets.iter_mut().for_each(|end| *end += start as u32);
    }

    /// The rows of a partition, in pieces.
    pub fn rows(&self, partition: usize) -> impl Iterator<Item = &[R]> {
        let ends = (partition..self.ends.len()).step_by(self.units.len() + 1);
        ends.map(|end| {
            let start = if end == 0 { 0 } else { self.ends[end - 1] };
            &self.rows[start as usize..self.ends[end] as usize]
        })
    }
}

/// Reuses the memory of scores for their keys.
pub(in crate::ranking) fn memory_of<S: Score>(mut scores: Vec<S>) -> Vec<S::Key> {
    scores.clear();
    // The standard library collects in place if both types have the same size.
    scores.into_iter().map(Score::key).collect()
}

/// The kernel that computes the partition of each row and the histogram of partitions.
struct Histogram<'a, 'b, S: Score, F> {
    rows: &'a Observations<'b, S>,
    shard: F,
    partitions: &'a mut [u16],
    counts: &'a mut [u32],
}

impl<S: Score, F: Fn(f64) -> u32> Kernel for Histogram<'_, '_, S, F> {
    /// Whether the score of any row in use is NaN.
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let Histogram { rows, shard, partitions, counts } = self;
        let skipped = (counts.len() - 1) as u16;
        let mut nan = false;
        for (word, word_partitions) in rows.words().zip(partitions.chunks_mut(64)) {
            interrupt::check();
            for (row, (partition, &score)) in word_partitions.iter_mut().zip(word.scores).enumerate() {
                *partition = (2 * shard(score.position()) + (word.labels >> row & 1) as u32) as u16;
            }
            if !word.are_all_used() {
                for (_, partition) in
                    word_partitions.iter_mut().enumerate().filter(|row| !word.is_used(row.0))
                {
                    *partition = skipped;
                }
            }
            nan |= word.has_nan();
            for &partition in &*word_partitions {
                counts[usize::from(partition)] += 1;
            }
        }
        nan
    }
}

/// The kernel that moves rows to their partitions.
struct Scatter<'a, 'b, S: Score, R> {
    rows: &'a Observations<'b, S>,
    unit_of: [Unit; 2],
    partitions: &'a [u16],
    /// The next offset of each partition.
    offsets: &'a mut [u32],
    to: &'a mut [R],
    /// The units of each partition; updated only if rows have weights.
    units: &'a mut [u64],
}

impl<S: Score, R: Row<Key = S::Key>> Kernel for Scatter<'_, '_, S, R> {
    /// For each class, the bitwise OR of the units of its rows.
    type Output = [u64; 2];

    #[inline(always)]
    fn run(self) -> [u64; 2] {
        let Scatter { rows, unit_of, partitions, offsets, to, units } = self;
        let mut any_bits = [0; 2];
        let mut payload = [R::Payload::default(); 64];
        for (word, word_partitions) in rows.words().zip(partitions.chunks(64)) {
            interrupt::check();
            let [neg_bits, pos_bits] = R::fill(&mut payload, &word, unit_of);
            any_bits = [any_bits[0] | neg_bits, any_bits[1] | pos_bits];
            if R::HAS_WEIGHT {
                for (&partition, &payload) in word_partitions.iter().zip(&payload) {
                    // Skipped rows have no slot.
                    if let Some(units) = units.get_mut(usize::from(partition)) {
                        *units += R::units(payload);
                    }
                }
            }
            let moved_rows =
                word.scores.iter().zip(&payload).map(|(score, &payload)| R::new(score.key(), payload));
            scatter(word_partitions, moved_rows, offsets, to);
        }
        any_bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_reuse_the_memory_of_scores() {
        let scores = vec![1.5; 1000];
        let start = scores.as_ptr() as usize;
        let keys = memory_of(scores);
        assert_eq!((keys.as_ptr() as usize, keys.len(), keys.capacity()), (start, 0, 1000));
        assert_eq!(memory_of(Vec::<i32>::new()).len(), 0);
    }
}
