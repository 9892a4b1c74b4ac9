//! A block of a large group: rows that one thread partitions, two partitions for each shard.

use crate::interrupt;
use crate::memory;
use crate::ranking::bucket_map::{BucketMap, with_buckets};
use crate::ranking::index::row::Row;
use crate::ranking::partition::{exclusive_prefix_sum, scatter};
use crate::ranking::scores::{Observations, Score};
use crate::ranking::ties::units::Unit;
use crate::ranking::tuning::BLOCKS_PER_THREAD;
use crate::simd::{self, Kernel};

/// The rows of one block: the negatives of shard `i` are partition `2 i`, its positives `2 i + 1`.
#[derive(Debug)]
pub(in crate::ranking) struct Block<R> {
    /// One partition after the other, then rows that are skipped.
    rows: Vec<R>,
    /// Where each partition ends.
    ends: Vec<u32>,
    /// The units of each partition.
    pub units: Vec<u64>,
    /// For either class, the bits that any row has in its units.
    pub any_bits: [u64; 2],
    pub nan: bool,
}

/// Blocks that a large group is cut into.
pub(in crate::ranking) fn blocks() -> usize {
    BLOCKS_PER_THREAD * rayon::current_num_threads()
}

impl<R: Row> Block<R> {
    /// Partitions rows by the shards that a map names, into memory that may have been in use.
    pub fn partition<S: Score<Key = R::Key>>(
        pieces: &[Observations<'_, S>],
        unit_of: [Unit; 2],
        shards: usize,
        map: &BucketMap,
        mut memory: Vec<R>,
    ) -> Self {
        let rows: usize = pieces.iter().map(|rows| rows.scores.len()).sum();
        assert!(u32::try_from(rows).is_ok(), "{rows} rows in one block");
        let mut partitions = vec![0; rows];
        // Rows that are skipped have a partition of their own, the last one.
        let mut counts = vec![0; 2 * shards + 1];
        let nan = with_buckets!(map, shard => simd::dispatch(Histogram {
            pieces,
            shard,
            partitions: &mut partitions,
            counts: &mut counts,
        }));
        let mut units: Vec<u64> = counts.iter().map(|&rows| u64::from(rows)).collect();
        let mut ends = counts;
        exclusive_prefix_sum(&mut ends);
        memory.clear();
        memory::reserve(&mut memory, rows);
        memory.resize(rows, R::default());
        let any_bits = simd::dispatch(Scatter {
            pieces,
            unit_of,
            partitions: &partitions,
            offsets: &mut ends,
            rows: &mut memory,
            units: &mut units,
        });
        units.pop();
        Block { rows: memory, ends, units, any_bits, nan }
    }

    /// The rows of a partition.
    pub fn rows(&self, partition: usize) -> &[R] {
        let start = if partition == 0 { 0 } else { self.ends[partition - 1] };
        &self.rows[start as usize..self.ends[partition] as usize]
    }
}

/// The memory of scores that are not needed any more, for their keys.
pub(in crate::ranking) fn memory_of<S: Score>(mut scores: Vec<S>) -> Vec<S::Key> {
    scores.clear();
    // The standard library collects values of another type in the memory of those that they come from, if they are as large.
    scores.into_iter().map(Score::key).collect()
}

/// The kernel of finding the partition of each row, and the number of rows of each partition.
struct Histogram<'a, 'b, S: Score, F> {
    pieces: &'a [Observations<'b, S>],
    shard: F,
    partitions: &'a mut [u16],
    counts: &'a mut [u32],
}

impl<S: Score, F: Fn(f64) -> u32> Kernel for Histogram<'_, '_, S, F> {
    /// Whether a score that is used is NaN.
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let Histogram { pieces, shard, mut partitions, counts } = self;
        let skipped = (counts.len() - 1) as u16;
        let mut nan = false;
        for word in pieces.iter().flat_map(Observations::words) {
            interrupt::check();
            let of_word;
            (of_word, partitions) = partitions.split_at_mut(word.scores.len());
            for (row, (partition, &score)) in of_word.iter_mut().zip(word.scores).enumerate() {
                *partition = (2 * shard(score.position()) + (word.labels >> row & 1) as u32) as u16;
            }
            if !word.are_all_used() {
                for (_, partition) in of_word.iter_mut().enumerate().filter(|row| !word.is_used(row.0)) {
                    *partition = skipped;
                }
            }
            nan |= word.has_nan();
            for &partition in &*of_word {
                counts[usize::from(partition)] += 1;
            }
        }
        nan
    }
}

/// The kernel of moving rows to their partitions.
struct Scatter<'a, 'b, S: Score, R> {
    pieces: &'a [Observations<'b, S>],
    unit_of: [Unit; 2],
    partitions: &'a [u16],
    /// Where the next row of each partition goes.
    offsets: &'a mut [u32],
    rows: &'a mut [R],
    /// The units of each partition; written if rows have weights.
    units: &'a mut [u64],
}

impl<S: Score, R: Row<Key = S::Key>> Kernel for Scatter<'_, '_, S, R> {
    /// For either class, the bits that any row has in its units.
    type Output = [u64; 2];

    #[inline(always)]
    fn run(self) -> [u64; 2] {
        let Scatter { pieces, unit_of, mut partitions, offsets, rows, units } = self;
        if R::HAS_WEIGHT {
            units.fill(0);
        }
        let mut any_bits = [0; 2];
        let mut payload = [R::Payload::default(); 64];
        for word in pieces.iter().flat_map(Observations::words) {
            interrupt::check();
            let of_word;
            (of_word, partitions) = partitions.split_at(word.scores.len());
            let [neg_bits, pos_bits] = R::fill(&mut payload, &word, unit_of);
            any_bits = [any_bits[0] | neg_bits, any_bits[1] | pos_bits];
            if R::HAS_WEIGHT {
                for (&partition, &payload) in of_word.iter().zip(&payload) {
                    // The weight of a row that is skipped may be any number.
                    let units = &mut units[usize::from(partition)];
                    *units = units.wrapping_add(R::units(payload));
                }
            }
            let of_rows =
                word.scores.iter().zip(&payload).map(|(score, &payload)| R::of(score.key(), payload));
            scatter(of_word, of_rows, offsets, rows);
        }
        any_bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_kept_where_scores_were() {
        let scores = vec![1.5; 1000];
        let place = scores.as_ptr() as usize;
        let keys = memory_of(scores);
        assert_eq!((keys.as_ptr() as usize, keys.len(), keys.capacity()), (place, 0, 1000));
        assert_eq!(memory_of(Vec::<i32>::new()).len(), 0);
    }
}
