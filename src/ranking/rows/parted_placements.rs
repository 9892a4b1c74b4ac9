//! Placements in parts: those of the rows of each range of the score, class by class, side by side.
//!
//! The rows are divided by score into parts, so that the index of a part stays in the second cache. In a part the rarer
//! class is indexed. The rows of the other class look up their places, which are their placements. How many rows look up
//! each place then gives the placements of the rarer class.
//!
//! Threads take blocks of rows to divide them, and then part after part of all blocks. Every block holds the rows of a part in
//! their order. So whoever goes through all rows finds the placement of the next one as the next of its part.

use rayon::prelude::*;

use crate::cache;
use crate::interrupt;
use crate::memory;
use crate::ranking::order::{
    index::Index,
    map::{Map, with_buckets},
};
use crate::ranking::scores::{
    Key, Score,
    wide::{Work, widest},
};
use crate::ranking::tuning::{MOST_PARTS, PART_ROWS, SHARD_ROWS, TOGETHER};

/// Twice the placements of all rows of a score, ties counting once, not divided by the number of rows of the other class:
/// of a positive the negatives that score lower, of a negative the positives that score higher.
#[derive(Debug)]
pub struct PartedPlacements {
    n_pos: usize,
    n_neg: usize,
    /// Twice the Mann-Whitney U: the sum over the positives.
    pub twice_u: u128,
    blocks: Vec<Block<u32>>,
}

/// Neighbouring rows, divided into streams: the negatives of part `i` are stream `2 i`, its positives `2 i + 1`.
#[derive(Debug)]
struct Block<T> {
    /// The stream that each row is in.
    of_rows: Vec<u16>,
    /// A value for each row: of one stream after the other, in the order of the rows.
    values: Vec<T>,
    /// Where each stream begins, and where the last one ends.
    starts: Vec<u32>,
}

/// The rows of a block, in their order: the class of each, and twice its placement.
pub(super) struct BlockRows<'a> {
    pub streams: &'a [u16],
    twice: &'a [u32],
    /// Where the next row of each stream is.
    next: Vec<u32>,
}

impl PartedPlacements {
    /// The placements of rows of scores and labels, none of the scores NaN; of many rows by all threads of the pool that this
    /// is called in.
    ///
    /// # Panics
    /// If there are 2^31 rows or more, or another number of labels.
    pub fn of<S: Score>(scores: &[S], labels: &[bool]) -> Self {
        assert!(scores.len() == labels.len() && scores.len() < 1 << 31, "a group has fewer than 2^31 rows");
        let n_pos = labels.iter().filter(|&&label| label).count();
        let parts = (scores.len() / PART_ROWS).clamp(1, MOST_PARTS);
        let map = (parts > 1).then(|| Map::of_scores(scores, parts));
        let block_rows = scores.len().div_ceil(rayon::current_num_threads()).max(SHARD_ROWS);
        let rows: Vec<_> = scores.chunks(block_rows).zip(labels.chunks(block_rows)).collect();
        let divide = |(scores, labels)| Block::of(scores, labels, map.as_ref(), parts);
        let keys: Vec<Block<S::Key>> = if rows.len() > 1 {
            rows.into_par_iter().map(divide).collect()
        } else {
            rows.into_iter().map(divide).collect()
        };
        let mut twice: Vec<Vec<u32>> =
            keys.iter().map(|block| memory::default_values(block.values.len())).collect();
        let parts = parts_of(&keys, &mut twice, parts);
        let place = |counts: &mut OneAnother<S::Key>, part: Part<'_, S::Key>| part.place::<S>(counts, n_pos);
        let twice_u = if keys.len() > 1 {
            parts.into_par_iter().map_init(OneAnother::default, place).sum()
        } else {
            let mut counts = OneAnother::default();
            parts.into_iter().map(|part| place(&mut counts, part)).sum()
        };
        let placed = |(block, values): (Block<S::Key>, Vec<u32>)| Block {
            of_rows: block.of_rows,
            values,
            starts: block.starts,
        };
        let blocks = keys.into_iter().zip(twice).map(placed).collect();
        PartedPlacements { n_pos, n_neg: scores.len() - n_pos, twice_u, blocks }
    }

    /// Negatives, and positives.
    pub fn classes(&self) -> [usize; 2] {
        [self.n_neg, self.n_pos]
    }

    /// All rows in blocks, which are the same for every score of as many rows that was read in the same pool.
    pub(super) fn blocks(&self) -> impl ExactSizeIterator<Item = BlockRows<'_>> {
        self.blocks.iter().map(|block| BlockRows {
            streams: &block.of_rows,
            twice: &block.values,
            next: block.starts.clone(),
        })
    }
}

impl BlockRows<'_> {
    /// Twice the placement of the next row, which is in this stream.
    #[inline(always)]
    pub fn next(&mut self, stream: u16) -> u32 {
        let next = &mut self.next[usize::from(stream)];
        let place = *next as usize;
        *next += 1;
        cache::expect_next_line(self.twice, place);
        self.twice[place]
    }
}

impl<K: Key> Block<K> {
    /// The keys of rows, divided by a map to so many parts.
    fn of<S: Score<Key = K>>(scores: &[S], labels: &[bool], map: Option<&Map>, parts: usize) -> Self {
        interrupt::check();
        let of_rows = match map {
            None => streams(scores, labels, |_| 0),
            Some(map) => with_buckets!(map, part => streams(scores, labels, part)),
        };
        let mut starts = vec![0u32; 2 * parts + 1];
        of_rows.iter().for_each(|&stream| starts[usize::from(stream) + 1] += 1);
        for stream in 0..2 * parts {
            starts[stream + 1] += starts[stream];
        }
        let mut keys = memory::default_values(scores.len());
        let mut next = starts.clone();
        for (&stream, score) in of_rows.iter().zip(scores) {
            let next = &mut next[usize::from(stream)];
            let place = *next as usize;
            keys[place] = score.key();
            cache::expect_next_line(&keys, place);
            *next += 1;
        }
        Block { of_rows, values: keys, starts }
    }
}

/// The stream of each row, where `part` says the part of a score.
fn streams<S: Score>(scores: &[S], labels: &[bool], part: impl Fn(f64) -> u32) -> Vec<u16> {
    let mut of_rows = memory::default_values(scores.len());
    widest(Streams { scores, labels, part, of_rows: &mut of_rows });
    of_rows
}

/// The work of [`streams`].
struct Streams<'a, S, F> {
    scores: &'a [S],
    labels: &'a [bool],
    part: F,
    of_rows: &'a mut [u16],
}

impl<S: Score, F: Fn(f64) -> u32> Work for Streams<'_, S, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for ((of_row, score), &label) in self.of_rows.iter_mut().zip(self.scores).zip(self.labels) {
            *of_row = 2 * (self.part)(score.position()) as u16 + u16::from(label);
        }
    }
}

/// The rows of a part and class in all blocks: their keys, and the places for twice their placements.
struct Stream<'a, K> {
    keys: Vec<&'a [K]>,
    twice: Vec<&'a mut [u32]>,
    /// Rows of the class in lower parts.
    below: usize,
}

impl<K> Stream<'_, K> {
    fn rows(&self) -> usize {
        self.keys.iter().map(|keys| keys.len()).sum()
    }
}

/// The rows of a part.
struct Part<'a, K> {
    neg: Stream<'a, K>,
    pos: Stream<'a, K>,
}

/// The parts of all blocks, of which each has its keys and places for twice the placements.
fn parts_of<'a, K>(keys: &'a [Block<K>], twice: &'a mut [Vec<u32>], parts: usize) -> Vec<Part<'a, K>> {
    let mut rest: Vec<&'a mut [u32]> = twice.iter_mut().map(Vec::as_mut_slice).collect();
    let mut below = [0; 2];
    let mut stream_of = |stream: usize| {
        let mut own = Stream { keys: Vec::new(), twice: Vec::new(), below: below[stream % 2] };
        for (block, rest) in keys.iter().zip(&mut rest) {
            let rows = block.starts[stream] as usize..block.starts[stream + 1] as usize;
            let (here, after) = std::mem::take(rest).split_at_mut(rows.len());
            own.keys.push(&block.values[rows]);
            own.twice.push(here);
            *rest = after;
        }
        below[stream % 2] += own.rows();
        own
    };
    (0..parts).map(|part| Part { neg: stream_of(2 * part), pos: stream_of(2 * part + 1) }).collect()
}

impl<K: Key> Part<'_, K> {
    /// Writes twice the placements of all rows, and returns the sum of those of the positives; there are `n_pos` in all.
    fn place<S: Score<Key = K>>(self, counts: &mut OneAnother<K>, n_pos: usize) -> u128 {
        interrupt::check();
        let Part { mut neg, mut pos } = self;
        let neg_below = 2 * neg.below as u32;
        let of_each_pos = |within| neg_below + within;
        // The positives above a negative are all but those below it.
        let pos_from_here = 2 * (n_pos - pos.below) as u32;
        let of_each_neg = |within| pos_from_here - within;
        if pos.rows() <= neg.rows() {
            counts.place::<S>(&mut pos, of_each_pos, &mut neg, of_each_neg);
        } else {
            counts.place::<S>(&mut neg, of_each_neg, &mut pos, of_each_pos);
        }
        let sum = |twice: &[u32]| twice.iter().map(|&twice| u64::from(twice)).sum::<u64>();
        pos.twice.iter().map(|twice| u128::from(sum(twice))).sum()
    }
}

/// Counts the rows of one class below those of the other. Keeps its memory from part to part.
#[derive(Default)]
struct OneAnother<K> {
    index: Index<K>,
    /// For each indexed key, what it has more than the one before: twice the other keys below it, those equal to it once.
    more: Vec<u32>,
}

impl<K: Key> OneAnother<K> {
    /// Writes for each indexed key what `of_each_indexed` makes of twice the other keys below it, those equal to it counting
    /// once; and for each of the others what `of_each_other` makes of the same of the indexed ones.
    fn place<S: Score<Key = K>>(
        &mut self,
        indexed: &mut Stream<'_, K>,
        of_each_indexed: impl Fn(u32) -> u32,
        others: &mut Stream<'_, K>,
        of_each_other: impl Fn(u32) -> u32,
    ) {
        let OneAnother { index, more } = self;
        index.build::<S>(&indexed.keys);
        more.clear();
        more.resize(indexed.rows() + 1, 0);
        let mut pieces = others.twice.iter_mut().flat_map(|twice| twice.chunks_mut(TOGETHER));
        index.look_up::<S>(&others.keys, |places| {
            // An other key counts once for all indexed keys that are not below it, and once more for those above it.
            let mut ties = 0;
            for (twice, &(below, upto)) in pieces.next().unwrap_or_default().iter_mut().zip(places) {
                *twice = of_each_other(below + upto);
                ties |= below ^ upto;
            }
            if ties == 0 {
                places.iter().for_each(|&(below, _)| more[below as usize] += 2);
            } else {
                for &(below, upto) in places {
                    more[below as usize] += 1;
                    more[upto as usize] += 1;
                }
            }
        });
        let mut sum = 0;
        for more in more.iter_mut() {
            sum += *more;
            *more = sum;
        }
        let mut pieces = indexed.twice.iter_mut().flat_map(|twice| twice.chunks_mut(TOGETHER));
        index.look_up::<S>(&indexed.keys, |places| {
            for (twice, &(below, _)) in pieces.next().unwrap_or_default().iter_mut().zip(places) {
                *twice = of_each_indexed(more[below as usize]);
            }
        });
    }
}
