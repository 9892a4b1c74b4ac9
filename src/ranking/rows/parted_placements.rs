//! Placements in parts: one part for each range of the score, with the classes separate.
//!
//! Rows are divided by score into parts, so that the index of a part stays in L2. In a part the rarer class
//! is indexed. The rows of the other class look up their bounds, which are their placements. The number of
//! rows that look up each bound gives the placements of the rarer class.
//!
//! Threads first partition blocks of rows, and then process each part across all blocks. Every block stores
//! the rows of a part in row order. Iteration over all rows therefore takes the next placement from the part
//! of each row.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::cache;
use crate::interrupt;
use crate::memory;
use crate::ranking::bucket_map::{BucketMap, with_buckets};
use crate::ranking::index::Index;
use crate::ranking::partition::{exclusive_prefix_sum, scatter};
use crate::ranking::scores::{Key, Score};
use crate::ranking::tasks;
use crate::ranking::tuning::{MAX_PARTS, PART_ROWS, SHARD_ROWS, TOGETHER};
use crate::simd::{self, Kernel};

/// Twice the placements of all rows of a score, not divided by the number of rows of the other class.
///
/// A placement counts the negatives below a positive, or the positives above a negative; ties count one half.
#[derive(Debug)]
pub struct PartedPlacements {
    n_pos: usize,
    n_neg: usize,
    /// Twice the Mann-Whitney U: the sum of the positives' values.
    pub twice_u: u128,
    blocks: Vec<Block<u32>>,
}

/// Consecutive rows in partitions: the negatives of part `i` are partition `2 i`, its positives `2 i + 1`.
#[derive(Debug)]
struct Block<T> {
    /// The partition of each row.
    partitions: Vec<u16>,
    /// The values of the rows, partition by partition, in row order within a partition.
    values: Vec<T>,
    /// The start of each partition, and the end of the last one.
    starts: Vec<u32>,
}

/// An iterator over the rows of a block: the class and twice the placement of each.
pub(super) struct BlockRows<'a> {
    pub partitions: &'a [u16],
    twice: &'a [u32],
    /// The next offset of each partition.
    next: Vec<u32>,
}

impl PartedPlacements {
    /// The placements of scores and labels, or `None` if a score is NaN; large inputs use all threads of the
    /// current pool.
    ///
    /// # Panics
    /// Panics if there are 2^31 rows or more, or if the lengths differ.
    pub fn new<S: Score>(scores: &[S], labels: &[bool]) -> Option<Self> {
        assert!(scores.len() == labels.len() && scores.len() < 1 << 31, "a group has fewer than 2^31 rows");
        let parts = (scores.len() / PART_ROWS).clamp(1, MAX_PARTS);
        let map = (parts > 1).then(|| BucketMap::from_scores(scores, parts));
        let divide = |(scores, labels)| Block::new(scores, labels, map.as_ref(), parts);
        let block_rows = scores.len().div_ceil(rayon::current_num_threads()).max(SHARD_ROWS);
        let (twice_u, blocks) = if scores.len() <= block_rows {
            let (twice_u, block) = placed_by_one_thread::<S>(divide((scores, labels))?);
            (twice_u, vec![block])
        } else {
            let rows: Vec<_> = scores.chunks(block_rows).zip(labels.chunks(block_rows)).collect();
            let keys = tasks::par_map(0..rows.len(), || (), |(), block| divide(rows[block]));
            placed_by_all_threads::<S>(keys.into_iter().collect::<Option<_>>()?)
        };
        let n_pos = blocks.iter().map(Block::n_pos).sum();
        Some(PartedPlacements { n_pos, n_neg: scores.len() - n_pos, twice_u, blocks })
    }

    /// The numbers of negatives and positives.
    pub fn classes(&self) -> [usize; 2] {
        [self.n_neg, self.n_pos]
    }

    /// All rows in blocks. Scores with the same number of rows have the same blocks if they were placed in
    /// the same pool.
    pub(super) fn blocks(&self) -> impl ExactSizeIterator<Item = BlockRows<'_>> {
        self.blocks.iter().map(|block| BlockRows {
            partitions: &block.partitions,
            twice: &block.values,
            next: block.starts.clone(),
        })
    }
}

impl BlockRows<'_> {
    /// Calls `visit` with the index and twice the placement of each row in the next range of the block.
    #[inline(always)]
    pub fn each(&mut self, rows: Range<usize>, mut visit: impl FnMut(usize, u32)) {
        let (partitions, twice, next) = (&self.partitions[rows], self.twice, &mut self.next[..]);
        for (row, &partition) in partitions.iter().enumerate() {
            visit(row, next_of(twice, next, partition));
        }
    }
}

/// The next value of a partition; advances its offset.
#[inline(always)]
fn next_of(values: &[u32], next: &mut [u32], partition: u16) -> u32 {
    let next = &mut next[usize::from(partition)];
    let index = *next as usize;
    *next += 1;
    cache::prefetch_next_line(values, index);
    values[index]
}

impl<T> Block<T> {
    fn parts(&self) -> usize {
        self.starts.len() / 2
    }

    /// The number of values that belong to positives.
    fn n_pos(&self) -> usize {
        let partitions = self.starts.windows(2).skip(1).step_by(2);
        partitions.map(|ends| (ends[1] - ends[0]) as usize).sum()
    }

    /// The values of a partition.
    fn partition(&self, partition: usize) -> &[T] {
        &self.values[self.starts[partition] as usize..self.starts[partition + 1] as usize]
    }
}

impl<K: Key> Block<K> {
    /// The keys of a block, partitioned into parts by a map; `None` if a score is NaN.
    fn new<S: Score<Key = K>>(
        scores: &[S],
        labels: &[bool],
        map: Option<&BucketMap>,
        parts: usize,
    ) -> Option<Self> {
        interrupt::check();
        let partitions = match map {
            None => partitions(scores, labels, |_| 0),
            Some(map) => with_buckets!(map, part => partitions(scores, labels, part)),
        }?;
        let mut starts = vec![0u32; 2 * parts + 1];
        partitions.iter().for_each(|&partition| starts[usize::from(partition)] += 1);
        exclusive_prefix_sum(&mut starts);
        let mut keys = memory::zeroed_prefaulted(scores.len());
        let mut offsets = starts.clone();
        for (scores, partitions) in scores.chunks(TOGETHER).zip(partitions.chunks(TOGETHER)) {
            interrupt::check();
            scatter(partitions, scores.iter().map(|score| score.key()), &mut offsets, &mut keys);
        }
        Some(Block { partitions, values: keys, starts })
    }
}

/// The partition of each row by the part of its score, or `None` if a score is NaN.
fn partitions<S: Score>(scores: &[S], labels: &[bool], part: impl Fn(f64) -> u32) -> Option<Vec<u16>> {
    let mut partitions = memory::zeroed_prefaulted(scores.len());
    let has_nan = simd::dispatch(Partitions { scores, labels, part, partitions: &mut partitions });
    (!has_nan).then_some(partitions)
}

/// The kernel of [`partitions`].
struct Partitions<'a, S, F> {
    scores: &'a [S],
    labels: &'a [bool],
    part: F,
    partitions: &'a mut [u16],
}

impl<S: Score, F: Fn(f64) -> u32> Kernel for Partitions<'_, S, F> {
    /// Whether a score is NaN.
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let mut has_nan = false;
        for ((partition, score), &label) in self.partitions.iter_mut().zip(self.scores).zip(self.labels) {
            *partition = 2 * (self.part)(score.position()) as u16 + u16::from(label);
            has_nan |= score.is_nan();
        }
        has_nan
    }
}

/// The rows of a part and class in all blocks: their keys, and the output slots for twice their placements.
struct PartitionRows<'s, 'a, K> {
    keys: &'s [&'a [K]],
    twice: &'s mut [&'a mut [u32]],
    /// Rows of the class in lower parts.
    below: usize,
}

/// Twice the placements of the rows of a block, as a block.
struct Pieces<'a, K> {
    keys: Vec<&'a [K]>,
    twice: Vec<&'a mut [u32]>,
    below: usize,
}

/// Replaces the keys of a block by twice the placements. Also returns the sum over the positives.
fn placed_by_one_thread<S: Score>(keys: Block<S::Key>) -> (u128, Block<u32>) {
    let n_pos = keys.n_pos();
    let mut counts = PairwiseCounts::default();
    let mut twice = memory::zeroed_prefaulted(keys.values.len());
    let mut rest = &mut twice[..];
    let (mut twice_u, mut below) = (0, [0; 2]);
    for part in 0..keys.parts() {
        let [neg, pos] = [keys.partition(2 * part), keys.partition(2 * part + 1)];
        let (twice_neg, twice_pos);
        (twice_neg, rest) = rest.split_at_mut(neg.len());
        (twice_pos, rest) = rest.split_at_mut(pos.len());
        let partitions = [
            PartitionRows { keys: &[neg], twice: &mut [twice_neg], below: below[0] },
            PartitionRows { keys: &[pos], twice: &mut [twice_pos], below: below[1] },
        ];
        twice_u += counts.placements_of_part::<S>(partitions, n_pos);
        below = [below[0] + neg.len(), below[1] + pos.len()];
    }
    (twice_u, Block { partitions: keys.partitions, values: twice, starts: keys.starts })
}

/// The same for several blocks; all threads of the current pool process parts.
fn placed_by_all_threads<S: Score>(keys: Vec<Block<S::Key>>) -> (u128, Vec<Block<u32>>) {
    let n_pos = keys.iter().map(Block::n_pos).sum();
    let mut twice: Vec<Vec<u32>> =
        keys.iter().map(|block| memory::zeroed_lazily(block.values.len())).collect();
    let mut rest: Vec<&mut [u32]> = twice.iter_mut().map(Vec::as_mut_slice).collect();
    let mut below = [0; 2];
    let mut pieces_of = |partition: usize| {
        let mut pieces = Pieces { keys: Vec::new(), twice: Vec::new(), below: below[partition % 2] };
        for (block, rest) in keys.iter().zip(&mut rest) {
            let block_keys = block.partition(partition);
            let (twice, after) = std::mem::take(rest).split_at_mut(block_keys.len());
            *rest = after;
            pieces.keys.push(block_keys);
            pieces.twice.push(twice);
            below[partition % 2] += block_keys.len();
        }
        pieces
    };
    // Each part is processed by one thread, so its lock is free and not poisoned.
    let parts: Vec<Mutex<[Pieces<'_, S::Key>; 2]>> = (0..keys.first().map_or(0, Block::parts))
        .map(|part| Mutex::new([pieces_of(2 * part), pieces_of(2 * part + 1)]))
        .collect();
    let placements = |counts: &mut PairwiseCounts<S::Key>, part: usize| {
        let mut part = parts[part].lock().unwrap_or_else(PoisonError::into_inner);
        let partitions = part.each_mut().map(|pieces| PartitionRows {
            keys: &pieces.keys,
            twice: &mut pieces.twice,
            below: pieces.below,
        });
        counts.placements_of_part::<S>(partitions, n_pos)
    };
    let twice_u = tasks::par_map(0..parts.len(), PairwiseCounts::default, placements).into_iter().sum();
    drop(parts);
    let placed = |(keys, values): (Block<S::Key>, Vec<u32>)| Block {
        partitions: keys.partitions,
        values,
        starts: keys.starts,
    };
    (twice_u, keys.into_iter().zip(twice).map(placed).collect())
}

/// Counts the rows of one class below each row of the other. Memory is reused from part to part.
#[derive(Default)]
struct PairwiseCounts<K> {
    index: Index<K>,
    /// A difference array over the indexed keys. Its prefix sum is twice the other keys below each, plus the
    /// other keys equal to it.
    differences: Vec<u32>,
}

impl<K: Key> PairwiseCounts<K> {
    /// Writes twice the placements of all rows of a part. Returns the sum over its positives; `n_pos` is the
    /// number of positives in all parts.
    fn placements_of_part<S: Score<Key = K>>(
        &mut self,
        [neg, pos]: [PartitionRows<'_, '_, K>; 2],
        n_pos: usize,
    ) -> u128 {
        interrupt::check();
        let rows = |partition: &PartitionRows<'_, '_, K>| {
            partition.keys.iter().map(|keys| keys.len()).sum::<usize>()
        };
        if rows(&pos) <= rows(&neg) {
            self.count::<S>((pos.keys, pos.twice), (neg.keys, neg.twice));
        } else {
            self.count::<S>((neg.keys, neg.twice), (pos.keys, pos.twice));
        }
        // Twice the positives above a negative, with ties as one half, is the complement of twice the
        // positives below it.
        let pos_from_here = 2 * (n_pos - pos.below) as u32;
        for twice in neg.twice {
            twice.iter_mut().for_each(|twice| *twice = pos_from_here - *twice);
        }
        let neg_below = 2 * neg.below as u32;
        let mut sum = 0;
        for twice in pos.twice {
            twice.iter_mut().for_each(|twice| *twice += neg_below);
            sum += u128::from(twice.iter().map(|&twice| u64::from(twice)).sum::<u64>());
        }
        sum
    }

    /// For each key of either class, writes twice the keys of the other class below it, plus the keys equal
    /// to it.
    fn count<S: Score<Key = K>>(
        &mut self,
        (indexed, twice_indexed): (&[&[K]], &mut [&mut [u32]]),
        (others, twice_others): (&[&[K]], &mut [&mut [u32]]),
    ) {
        let PairwiseCounts { index, differences } = self;
        index.build::<S>(indexed);
        differences.clear();
        differences.resize(index.keys().len() + 1, 0);
        // Look-ups arrive in the same pieces as the output.
        let mut written = twice_others.iter_mut().flat_map(|twice| twice.chunks_mut(TOGETHER));
        index.look_up::<S>(others, &mut |bounds| {
            // Each other key counts once for all indexed keys not below it, and once more for all indexed
            // keys above it.
            let key_bounds = bounds.lower.iter().zip(bounds.upper);
            for (twice, (&lower, &upper)) in written.next().unwrap_or_default().iter_mut().zip(key_bounds) {
                *twice = lower + upper;
            }
            if bounds.any_equal {
                for &bound in bounds.lower.iter().chain(bounds.upper) {
                    differences[bound as usize] += 1;
                }
            } else {
                bounds.lower.iter().for_each(|&lower| differences[lower as usize] += 2);
            }
        });
        debug_assert!(written.next().is_none());
        let mut sum = 0;
        for difference in differences.iter_mut() {
            sum += *difference;
            *difference = sum;
        }
        let mut written = twice_indexed.iter_mut().flat_map(|twice| twice.chunks_mut(TOGETHER));
        index.look_up::<S>(indexed, &mut |bounds| {
            for (twice, &lower) in written.next().unwrap_or_default().iter_mut().zip(bounds.lower) {
                *twice = differences[lower as usize];
            }
        });
        debug_assert!(written.next().is_none());
    }
}
