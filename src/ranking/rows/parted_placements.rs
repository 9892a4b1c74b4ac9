//! Placements in parts: those of the rows of each range of the score, class by class, side by side.
//!
//! The rows are divided by score into parts, so that the index of a part stays in the second cache. In a part the rarer
//! class is indexed. The rows of the other class look up their places, which are their placements. How many rows look up
//! each place then gives the placements of the rarer class.
//!
//! Every part holds its rows in their order. So whoever goes through all rows finds the placement of the next one as the
//! next of its part, and rows can be gone through in blocks, if it is known where each block begins in every part.

use std::ops::Range;

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
use crate::ranking::tuning::{MOST_PARTS, PART_ROWS, SHARD_ROWS};

/// Twice the placements of all rows of a score, ties counting once, not divided by the number of rows of the other class:
/// of a positive the negatives that score lower, of a negative the positives that score higher.
#[derive(Debug)]
pub struct PartedPlacements {
    n_pos: usize,
    n_neg: usize,
    /// Twice the Mann-Whitney U: the sum over the positives.
    pub twice_u: u128,
    /// The stream that each row is in: the negatives of part `i` are stream `2 i`, its positives `2 i + 1`.
    streams: Vec<u16>,
    /// Of one stream after the other, the rows in their order.
    twice: Vec<u32>,
    /// Rows of a block.
    block_rows: usize,
    /// For each block of rows, where the first of its rows in each stream is.
    starts: Vec<Vec<u32>>,
}

/// The rows of a block, in their order: the class of each, and twice its placement.
pub(super) struct BlockRows<'a> {
    pub streams: &'a [u16],
    twice: &'a [u32],
    /// Where the next row of each stream is.
    next: Vec<u32>,
}

impl PartedPlacements {
    /// The placements of rows of scores and labels, none of the scores NaN.
    ///
    /// # Panics
    /// If there are 2^31 rows or more, or another number of labels.
    pub fn of<S: Score>(scores: &[S], labels: &[bool]) -> Self {
        assert!(scores.len() == labels.len() && scores.len() < 1 << 31, "a group has fewer than 2^31 rows");
        let n_pos = labels.iter().filter(|&&label| label).count();
        let parts = ScoreParts::of(scores, labels);
        let mut twice = memory::default_values(scores.len());
        let mut below = Below::default();
        // Of either class, the rows of lower parts.
        let (mut pos_below, mut neg_below) = (0, 0);
        let mut twice_u = 0;
        for part in parts.rows.chunks_exact(2) {
            interrupt::check();
            let [neg, pos] = [&part[0], &part[1]];
            let (neg_keys, pos_keys) = (&parts.keys[neg.clone()], &parts.keys[pos.clone()]);
            let (of_neg, of_pos) = if pos.len() <= neg.len() {
                let (of_pos, of_neg) = below.one_another::<S>(pos_keys, neg_keys);
                (of_neg, of_pos)
            } else {
                below.one_another::<S>(neg_keys, pos_keys)
            };
            // The positives above a negative are all but those below it.
            for (placement, within) in twice[neg.clone()].iter_mut().zip(of_neg) {
                *placement = 2 * (n_pos as u32 - pos_below) - within;
            }
            let mut sum = 0;
            for (placement, within) in twice[pos.clone()].iter_mut().zip(of_pos) {
                *placement = 2 * neg_below + within;
                sum += u64::from(*placement);
            }
            twice_u += u128::from(sum);
            pos_below += pos.len() as u32;
            neg_below += neg.len() as u32;
        }
        let ScoreParts { of_row: streams, block_rows, starts, .. } = parts;
        PartedPlacements { n_pos, n_neg: scores.len() - n_pos, twice_u, streams, twice, block_rows, starts }
    }

    /// Negatives, and positives.
    pub fn classes(&self) -> [usize; 2] {
        [self.n_neg, self.n_pos]
    }

    /// All rows in blocks, which are the same for every score of as many rows that was read in the same pool.
    pub(super) fn blocks(&self) -> impl ExactSizeIterator<Item = BlockRows<'_>> {
        let blocks = self.streams.chunks(self.block_rows).zip(&self.starts);
        blocks.map(|(streams, starts)| BlockRows { streams, twice: &self.twice, next: starts.clone() })
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

/// Rows parted by score and class: of part `i` the negatives are stream `2 i`, the positives stream `2 i + 1`.
struct ScoreParts<K> {
    /// The stream that each row is in.
    of_row: Vec<u16>,
    /// The keys of one stream after the other, each in the order of its rows.
    keys: Vec<K>,
    /// For each stream, where its keys are, lowest scores first.
    rows: Vec<Range<usize>>,
    /// Rows of a block: there is one block for each thread of the pool.
    block_rows: usize,
    /// For each block of rows, where the first key of its rows in each stream is.
    starts: Vec<Vec<u32>>,
}

impl<K: Key> ScoreParts<K> {
    fn of<S: Score<Key = K>>(scores: &[S], labels: &[bool]) -> Self {
        let n_parts = (scores.len() / PART_ROWS).clamp(1, MOST_PARTS);
        let of_row = if n_parts == 1 {
            streams(scores, labels, |_| 0)
        } else {
            with_buckets!(&Map::of_scores(scores, n_parts), part => streams(scores, labels, part))
        };
        let mut starts = vec![vec![0u32; 2 * n_parts]];
        let block_rows = scores.len().div_ceil(rayon::current_num_threads()).max(SHARD_ROWS);
        for rows in of_row.chunks(block_rows) {
            let mut counts = vec![0; 2 * n_parts];
            rows.iter().for_each(|&stream| counts[usize::from(stream)] += 1);
            starts.push(counts);
        }
        // A stream begins behind the one before it, and a block behind the one before it in the same stream.
        let (mut rows, mut end) = (Vec::with_capacity(2 * n_parts), 0);
        for stream in 0..2 * n_parts {
            let start = end;
            for block in &mut starts {
                end += block[stream];
                block[stream] = end;
            }
            rows.push(start as usize..end as usize);
        }
        starts.pop();
        let mut keys = memory::default_values(scores.len());
        let mut next: Vec<usize> = rows.iter().map(|rows: &Range<usize>| rows.start).collect();
        for (&stream, score) in of_row.iter().zip(scores) {
            let next = &mut next[usize::from(stream)];
            keys[*next] = score.key();
            cache::expect_next_line(&keys, *next);
            *next += 1;
        }
        ScoreParts { of_row, keys, rows, block_rows, starts }
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

/// Counts the rows of one class below those of the other. Keeps its memory from part to part.
#[derive(Default)]
struct Below<K> {
    index: Index<K>,
    more: Vec<u32>,
    of_indexed: Vec<u32>,
    of_others: Vec<u32>,
}

impl<K: Key> Below<K> {
    /// For each indexed key twice the other keys below it, those equal to it once; and for each of the others the
    /// same of the indexed ones.
    fn one_another<S: Score<Key = K>>(&mut self, indexed: &[K], others: &[K]) -> (&[u32], &[u32]) {
        let Below { index, more, of_indexed, of_others } = self;
        index.build::<S>(&[indexed]);
        // `more[i]` is twice the number of other rows that are below indexed key i but not below key i - 1. A row between
        // two keys counts twice for the higher key. A row that ties with a key counts once for that key, and once for the
        // next. (Equal keys all have the place of the first of them.)
        more.clear();
        more.resize(indexed.len() + 2, 0);
        of_others.clear();
        of_others.reserve(others.len());
        index.look_up::<S>(others, &mut |places| {
            for &(below, not_above) in places {
                of_others.push(below + not_above);
                let tied = u32::from(below != not_above);
                more[below as usize] += 2 - tied;
                more[below as usize + 1] += tied;
            }
        });
        let mut sum = 0;
        for more in more.iter_mut() {
            sum += *more;
            *more = sum;
        }
        of_indexed.clear();
        of_indexed.reserve(indexed.len());
        index.look_up::<S>(indexed, &mut |places| {
            of_indexed.extend(places.iter().map(|&(below, _)| more[below as usize]));
        });
        (of_indexed, of_others)
    }
}
