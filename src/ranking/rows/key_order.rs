//! The rows of all keys in ascending order of their scores.
//!
//! The rows of a large group are distributed by score into parts, block by block. Each part is sorted in the
//! cache of one core, when somebody asks for it, so that all rows in order are never in memory.

use std::ops::Range;

use rayon::prelude::*;

use super::codes::Codes;
use crate::cache;
use crate::interrupt;
use crate::memory;
use crate::ranking::order::map::{Map, with_buckets};
use crate::ranking::order::sorting::sort;
use crate::ranking::scores::{
    Score,
    wide::{Work, widest},
};
use crate::ranking::tuning::{BLOCKS_PER_THREAD, MOST_PARTS, PART_ROWS, ROWS_PER_BUCKET, SHARD_ROWS};

/// The code of a row's own key, and its label, as one number that sorts by the key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyAndLabel(u32);

impl KeyAndLabel {
    fn new(key: u32, label: bool) -> Self {
        KeyAndLabel(key << 1 | u32::from(label))
    }

    /// The code of the key.
    pub fn key(self) -> u32 {
        self.0 >> 1
    }

    /// Whether the row is positive.
    pub fn label(self) -> bool {
        self.0 & 1 == 1
    }
}

/// One row: the key of its score, and its own key with its label.
pub type KeyedScore<S> = (<S as Score>::Key, KeyAndLabel);

/// The rows of all keys in parts, each of which has lower scores than the next.
pub struct KeyOrder<S: Score> {
    blocks: Vec<Block<S>>,
    parts: usize,
}

/// The rows of a block, part by part.
struct Block<S: Score> {
    scores: Vec<S::Key>,
    keys: Vec<KeyAndLabel>,
    /// Where each part begins, and where the last one ends.
    starts: Vec<usize>,
}

/// Memory for the rows of a part.
pub struct PartMemory<S: Score> {
    scores: Vec<S::Key>,
    /// The bucket of each row.
    buckets: Vec<u32>,
    /// Where each bucket ends.
    ends: Vec<u32>,
    rows: Vec<KeyedScore<S>>,
}

impl<S: Score> Default for PartMemory<S> {
    fn default() -> Self {
        PartMemory { scores: Vec::new(), buckets: Vec::new(), ends: Vec::new(), rows: Vec::new() }
    }
}

impl<S: Score> KeyOrder<S> {
    /// Distributes rows of scores, none of which is NaN, labels and keys.
    ///
    /// # Panics
    /// If there are different numbers of them, or 2^31 keys or more.
    pub fn of(scores: &[S], labels: &[bool], keys: &Codes) -> Self {
        assert!(scores.len() == labels.len() && scores.len() == keys.of_row.len());
        assert!(keys.distinct < 1 << 31, "a group has fewer than 2^31 keys");
        let of_row = |row: usize| KeyAndLabel::new(keys.of_row[row], labels[row]);
        if scores.len() < SHARD_ROWS {
            let block = Block {
                scores: scores.iter().map(|score| score.key()).collect(),
                keys: (0..scores.len()).map(of_row).collect(),
                starts: vec![0, scores.len()],
            };
            return KeyOrder { blocks: vec![block], parts: 1 };
        }
        let parts = (scores.len() / PART_ROWS).clamp(1, MOST_PARTS);
        let map = Map::of_scores(scores, parts);
        let block_rows = scores.len().div_ceil(rayon::current_num_threads() * BLOCKS_PER_THREAD);
        let block = |start: usize| {
            let scores = &scores[start..scores.len().min(start + block_rows)];
            with_buckets!(&map, part => Block::of(scores, parts, |row| of_row(start + row), part))
        };
        let starts: Vec<usize> = (0..scores.len()).step_by(block_rows).collect();
        KeyOrder { blocks: starts.into_par_iter().map(block).collect(), parts }
    }

    /// All parts as at most so many ranges of parts.
    pub fn ranges(&self, most: usize) -> Vec<Range<usize>> {
        let parts = self.parts.div_ceil(most);
        (0..self.parts).step_by(parts).map(|start| start..self.parts.min(start + parts)).collect()
    }

    /// How many rows a range of parts has.
    pub fn rows(&self, parts: Range<usize>) -> usize {
        self.blocks.iter().map(|block| block.starts[parts.end] - block.starts[parts.start]).sum()
    }

    /// Gives the rows of a range of parts to `take`, part by part, in ascending order of their scores, and of their
    /// keys within a score.
    pub fn for_each(
        &self,
        parts: Range<usize>,
        memory: &mut PartMemory<S>,
        mut take: impl FnMut(&[KeyedScore<S>]),
    ) {
        for part in parts {
            interrupt::check();
            let piece = |block: &'_ Block<S>| block.starts[part]..block.starts[part + 1];
            let pieces: Vec<(&[S::Key], &[KeyAndLabel])> = self
                .blocks
                .iter()
                .map(|block| (&block.scores[piece(block)], &block.keys[piece(block)]))
                .collect();
            take(memory.in_order(&pieces));
        }
    }
}

impl<S: Score> Block<S> {
    fn of(
        scores: &[S],
        parts: usize,
        of_row: impl Fn(usize) -> KeyAndLabel,
        part: impl Fn(f64) -> u32,
    ) -> Self {
        interrupt::check();
        let mut parts_of = vec![0; scores.len()];
        widest(Buckets { scores: scores.iter().copied(), bucket: part, of_rows: &mut parts_of });
        let mut starts = vec![0; parts + 1];
        parts_of.iter().for_each(|&part| starts[part as usize + 1] += 1);
        for part in 0..parts {
            starts[part + 1] += starts[part];
        }
        let mut next = starts.clone();
        let mut by_part = memory::default_values(scores.len());
        let mut keys = memory::default_values(scores.len());
        for (row, (score, part)) in scores.iter().zip(parts_of).enumerate() {
            let next = &mut next[part as usize];
            by_part[*next] = score.key();
            keys[*next] = of_row(row);
            cache::expect_next_line(&by_part, *next);
            cache::expect_next_line(&keys, *next);
            *next += 1;
        }
        Block { scores: by_part, keys, starts }
    }
}

/// The work of finding the buckets of scores.
struct Buckets<'a, I, F> {
    scores: I,
    bucket: F,
    of_rows: &'a mut [u32],
}

impl<S: Score, I: Iterator<Item = S>, F: Fn(f64) -> u32> Work for Buckets<'_, I, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (of_row, score) in self.of_rows.iter_mut().zip(self.scores) {
            *of_row = (self.bucket)(score.position());
        }
    }
}

impl<S: Score> PartMemory<S> {
    /// The rows of these pieces in order: they are spread over buckets of a few rows each, and each bucket is sorted.
    fn in_order(&mut self, pieces: &[(&[S::Key], &[KeyAndLabel])]) -> &[KeyedScore<S>] {
        let PartMemory { scores, buckets, ends, rows } = self;
        scores.clear();
        pieces.iter().for_each(|piece| scores.extend_from_slice(piece.0));
        let number = (scores.len() / ROWS_PER_BUCKET).max(1);
        let map = Map::of_keys::<S>(&[scores], scores.len(), number);
        buckets.resize(scores.len(), 0);
        with_buckets!(&map, bucket => {
            let scores = scores.iter().map(|&key| S::from_key(key));
            widest(Buckets { scores, bucket, of_rows: buckets });
        });
        ends.clear();
        ends.resize(number, 0);
        buckets.iter().for_each(|&bucket| ends[bucket as usize] += 1);
        let mut before = 0;
        for end in ends.iter_mut() {
            before += std::mem::replace(end, before);
        }
        if rows.len() < scores.len() {
            rows.resize(scores.len(), Default::default());
        }
        let keys = pieces.iter().flat_map(|piece| piece.1);
        for ((&score, &key), &bucket) in scores.iter().zip(keys).zip(&*buckets) {
            let end = &mut ends[bucket as usize];
            rows[*end as usize] = (score, key);
            *end += 1;
        }
        let mut start = 0;
        for &end in &*ends {
            sort(&mut rows[start..end as usize]);
            start = end as usize;
        }
        &rows[..scores.len()]
    }
}
