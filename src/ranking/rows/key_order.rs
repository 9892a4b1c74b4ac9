//! The rows of all keys in ascending order of their scores.
//!
//! The rows of a large group are distributed by score into parts, block by block. Each part is sorted in the cache of one
//! core, when somebody asks for it, so that all rows in order are never in memory.

use std::ops::Range;

use rayon::prelude::*;

use super::codes::Codes;
use crate::cache;
use crate::interrupt;
use crate::memory;
use crate::ranking::order::map::{Map, with_buckets};
use crate::ranking::scores::Score;
use crate::ranking::tuning::{BLOCKS_PER_THREAD, MOST_PARTS, PART_ROWS, ROWS_PER_BUCKET, SHARD_ROWS};

/// One row: the key of its score, the code of its own key, and its label.
pub type KeyedScore<S> = (<S as Score>::Key, u32, bool);

/// The rows of all keys in parts, each of which has lower scores than the next.
pub struct KeyOrder<S: Score> {
    blocks: Vec<Block<S>>,
    parts: usize,
}

/// The rows of a block, part by part.
struct Block<S: Score> {
    rows: Vec<KeyedScore<S>>,
    /// Where each part begins, and where the last one ends.
    starts: Vec<usize>,
}

/// Memory for the rows of a part.
pub struct PartMemory<S: Score> {
    keys: Vec<S::Key>,
    /// The bucket of each row.
    buckets: Vec<u32>,
    /// Where each bucket ends.
    ends: Vec<u32>,
    rows: Vec<KeyedScore<S>>,
}

impl<S: Score> Default for PartMemory<S> {
    fn default() -> Self {
        PartMemory { keys: Vec::new(), buckets: Vec::new(), ends: Vec::new(), rows: Vec::new() }
    }
}

impl<S: Score> KeyOrder<S> {
    /// Distributes rows of scores, none of which is NaN, labels and keys.
    ///
    /// # Panics
    /// If there are different numbers of them.
    pub fn of(scores: &[S], labels: &[bool], keys: &Codes) -> Self {
        assert!(scores.len() == labels.len() && scores.len() == keys.of_row.len());
        let row = |row: usize| (scores[row].key(), keys.of_row[row], labels[row]);
        if scores.len() < SHARD_ROWS {
            let rows = (0..scores.len()).map(row).collect();
            return KeyOrder { blocks: vec![Block { rows, starts: vec![0, scores.len()] }], parts: 1 };
        }
        let parts = (scores.len() / PART_ROWS).clamp(1, MOST_PARTS);
        let map = Map::of_scores(scores, parts);
        let block_rows = scores.len().div_ceil(rayon::current_num_threads() * BLOCKS_PER_THREAD);
        let block = |start: usize| {
            let rows = start..scores.len().min(start + block_rows);
            with_buckets!(&map, part => Block::of(rows, parts, &row, |row| part(scores[row].position())))
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

    /// Gives the rows of a range of parts to `take`, part by part, in ascending order of their scores, and of their keys
    /// within a score.
    pub fn for_each(
        &self,
        parts: Range<usize>,
        memory: &mut PartMemory<S>,
        mut take: impl FnMut(&[KeyedScore<S>]),
    ) {
        for part in parts {
            interrupt::check();
            let pieces: Vec<&[KeyedScore<S>]> = self
                .blocks
                .iter()
                .map(|block| &block.rows[block.starts[part]..block.starts[part + 1]])
                .collect();
            take(memory.in_order(&pieces));
        }
    }
}

impl<S: Score> Block<S> {
    fn of(
        rows: Range<usize>,
        parts: usize,
        row: &impl Fn(usize) -> KeyedScore<S>,
        part: impl Fn(usize) -> u32,
    ) -> Self {
        interrupt::check();
        let of_row: Vec<u16> = rows.clone().map(|row| part(row) as u16).collect();
        let mut starts = vec![0; parts + 1];
        of_row.iter().for_each(|&part| starts[usize::from(part) + 1] += 1);
        for part in 0..parts {
            starts[part + 1] += starts[part];
        }
        let mut next = starts.clone();
        let mut by_part = memory::default_values(rows.len());
        for (&part, place) in of_row.iter().zip(rows) {
            let next = &mut next[usize::from(part)];
            by_part[*next] = row(place);
            cache::expect_next_line(&by_part, *next);
            *next += 1;
        }
        Block { rows: by_part, starts }
    }
}

impl<S: Score> PartMemory<S> {
    /// The rows of these pieces in order: they are spread over buckets of a few rows each, and each bucket is sorted.
    fn in_order(&mut self, pieces: &[&[KeyedScore<S>]]) -> &[KeyedScore<S>] {
        let PartMemory { keys, buckets, ends, rows } = self;
        keys.clear();
        pieces.iter().for_each(|piece| keys.extend(piece.iter().map(|row| row.0)));
        let number = (keys.len() / ROWS_PER_BUCKET).max(1);
        let map = Map::of_keys::<S>(&[keys], keys.len(), number);
        buckets.clear();
        with_buckets!(&map, bucket => {
            buckets.extend(keys.iter().map(|&key| bucket(S::from_key(key).position())));
        });
        ends.clear();
        ends.resize(number, 0);
        buckets.iter().for_each(|&bucket| ends[bucket as usize] += 1);
        let mut before = 0;
        for end in ends.iter_mut() {
            before += std::mem::replace(end, before);
        }
        if rows.len() < keys.len() {
            rows.resize(keys.len(), Default::default());
        }
        for (&row, &bucket) in pieces.iter().copied().flatten().zip(&*buckets) {
            let end = &mut ends[bucket as usize];
            rows[*end as usize] = row;
            *end += 1;
        }
        let mut start = 0;
        for &end in &*ends {
            rows[start..end as usize].sort_unstable();
            start = end as usize;
        }
        &rows[..keys.len()]
    }
}
