//! The rows of each key, such as a fold or a segment, as counts by score.
//!
//! The rows of a large group are dealt out by score into parts, block by block, and each part is sorted in the cache of
//! one core. So all keys' scores are in order at once, and each key takes its own from there.

use std::ops::Range;

use rayon::prelude::*;

use super::codes::Codes;
use crate::cache;
use crate::interrupt;
use crate::memory;
use crate::ranking::order::map::{Map, with_buckets};
use crate::ranking::scores::Score;
use crate::ranking::tasks;
use crate::ranking::ties::{Count, Placements, counts::placements};
use crate::ranking::tuning::{BLOCKS_PER_THREAD, MOST_PARTS, PART_ROWS, ROWS_PER_BUCKET, SHARD_ROWS};

/// The rows of one key.
#[derive(Clone, Debug, Default)]
pub struct KeyRows {
    /// The distinct scores as codes, highest first. Of states that are not exact, several bins of a key may have one code:
    /// they lie in one bin of all keys' states together.
    pub codes: Vec<u32>,
    /// How many rows have each.
    pub counts: Vec<Count>,
    /// All positives.
    pub n_pos: u64,
    /// All negatives.
    pub n_neg: u64,
}

/// The code of a row's score, and its label, as one number that sorts by code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeAndLabel(u64);

impl CodeAndLabel {
    /// Of one row.
    pub fn new(code: u32, label: bool) -> Self {
        CodeAndLabel(u64::from(code) << 1 | u64::from(label))
    }

    fn code(self) -> u32 {
        (self.0 >> 1) as u32
    }

    fn is_positive(self) -> bool {
        self.0 & 1 == 1
    }
}

/// The rows of all keys, counted by score.
#[derive(Clone, Debug, Default)]
pub struct CountedKeys {
    /// The rows of each key, by its code.
    pub keys: Vec<KeyRows>,
    /// How many codes scores have.
    pub distinct: usize,
    /// Whether the order of every positive and negative is known, within a key and between keys.
    pub is_exact: bool,
}

/// Parts that are sorted together.
const PARTS_AT_A_TIME: usize = 8;

/// One row: the key of its score, the code of its own key, and its label.
type KeyedScore<S> = (<S as Score>::Key, u32, bool);

/// The rows of a block, part by part.
struct Block<S: Score> {
    rows: Vec<KeyedScore<S>>,
    /// Where each part begins, and where the last one ends.
    starts: Vec<usize>,
}

impl CountedKeys {
    /// Counts rows of scores, labels and keys. A NaN is counted like a number.
    ///
    /// # Panics
    /// If there are different numbers of them.
    pub fn of<S: Score>(scores: &[S], labels: &[bool], keys: &Codes) -> Self {
        assert!(scores.len() == labels.len() && scores.len() == keys.of_row.len());
        let row = |row: usize| (scores[row].key(), keys.of_row[row], labels[row]);
        let mut counted = CountedKeys {
            keys: keys
                .histogram(|_| true)
                .into_iter()
                .map(|rows| KeyRows::with_room(rows as usize))
                .collect(),
            distinct: 0,
            is_exact: true,
        };
        // The map knows nothing of NaN.
        if scores.len() < SHARD_ROWS || scores.iter().any(|score| score.is_nan()) {
            let mut rows: Vec<KeyedScore<S>> = (0..scores.len()).map(row).collect();
            tasks::sort_by(&mut rows, Ord::cmp);
            counted.append::<S>(&rows);
        } else {
            let parts = (scores.len() / PART_ROWS).clamp(1, MOST_PARTS);
            let map = Map::of_scores(scores, parts);
            let blocks = rayon::current_num_threads() * BLOCKS_PER_THREAD;
            let block_rows = scores.len().div_ceil(blocks);
            let deal = |start: usize| {
                let rows = start..scores.len().min(start + block_rows);
                with_buckets!(&map, part => Block::deal(rows, parts, &row, |row| part(scores[row].position())))
            };
            let starts: Vec<usize> = (0..scores.len()).step_by(block_rows).collect();
            let blocks: Vec<Block<S>> = starts.into_par_iter().map(deal).collect();
            let sorted = |part: usize| {
                interrupt::check();
                let of_block = |block: &Block<S>| block.starts[part]..block.starts[part + 1];
                let mut rows = memory::with_room(blocks.iter().map(|block| of_block(block).len()).sum());
                blocks.iter().for_each(|block| rows.extend_from_slice(&block.rows[of_block(block)]));
                in_order::<S>(rows)
            };
            // While one thread counts what has been sorted, others sort what comes next. So few parts are in memory.
            let mut ready: Vec<Vec<KeyedScore<S>>> = Vec::new();
            for from in (0..parts).step_by(PARTS_AT_A_TIME) {
                let next = from..parts.min(from + PARTS_AT_A_TIME);
                let count = || ready.iter().for_each(|rows| counted.append::<S>(rows));
                ready = rayon::join(count, || next.into_par_iter().map(sorted).collect()).1;
            }
            ready.iter().for_each(|rows| counted.append::<S>(rows));
        }
        // From the highest down.
        let turn = |key: &mut KeyRows| {
            key.codes.reverse();
            key.counts.reverse();
        };
        counted.keys.par_iter_mut().for_each(turn);
        counted
    }

    /// Counts rows that are in ascending order, and whose scores are all higher than those before.
    fn append<S: Score>(&mut self, rows: &[KeyedScore<S>]) {
        for tie in rows.chunk_by(|a, b| a.0 == b.0) {
            let code = self.distinct as u32;
            self.distinct += 1;
            for rows in tie.chunk_by(|a, b| a.1 == b.1) {
                let pos = rows.iter().filter(|row| row.2).count() as u64;
                self.keys[rows[0].1 as usize].push(code, Count { pos, neg: rows.len() as u64 - pos });
            }
        }
    }
}

/// Rows in order: they are spread over buckets of a few rows each, and each bucket is sorted.
fn in_order<S: Score>(rows: Vec<KeyedScore<S>>) -> Vec<KeyedScore<S>> {
    let keys: Vec<S::Key> = rows.iter().map(|row| row.0).collect();
    let buckets = (rows.len() / ROWS_PER_BUCKET).max(1);
    let map = Map::of_keys::<S>(&[&keys], keys.len(), buckets);
    let buckets_of: Vec<u32> = with_buckets!(&map, bucket => {
        keys.iter().map(|&key| bucket(S::from_key(key).position())).collect()
    });
    let mut ends = vec![0u32; buckets];
    buckets_of.iter().for_each(|&bucket| ends[bucket as usize] += 1);
    let mut before = 0;
    for end in &mut ends {
        before += std::mem::replace(end, before);
    }
    let mut spread = rows.clone();
    for (row, bucket) in rows.into_iter().zip(buckets_of) {
        let end = &mut ends[bucket as usize];
        spread[*end as usize] = row;
        *end += 1;
    }
    let mut start = 0;
    for end in ends {
        spread[start..end as usize].sort_unstable();
        start = end as usize;
    }
    spread
}

impl<S: Score> Block<S> {
    fn deal(
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
        let mut dealt = memory::default_values(rows.len());
        for (&part, place) in of_row.iter().zip(rows) {
            let next = &mut next[usize::from(part)];
            dealt[*next] = row(place);
            cache::expect_next_line(&dealt, *next);
            *next += 1;
        }
        Block { rows: dealt, starts }
    }
}

impl KeyRows {
    fn with_room(scores: usize) -> Self {
        KeyRows { codes: memory::with_room(scores), counts: memory::with_room(scores), n_pos: 0, n_neg: 0 }
    }

    fn push(&mut self, code: u32, count: Count) {
        self.codes.push(code);
        self.counts.push(count);
        self.n_pos += count.pos;
        self.n_neg += count.neg;
    }

    /// Counts the rows of a key.
    pub fn of(mut members: Vec<CodeAndLabel>) -> Self {
        tasks::sort_by(&mut members, |a, b| b.cmp(a));
        let ties = || members.chunk_by(|a, b| a.code() == b.code());
        let distinct = ties().count();
        let mut of_key = KeyRows::with_room(distinct);
        for tie in ties() {
            let pos = tie.iter().filter(|row| row.is_positive()).count() as u64;
            of_key.push(tie[0].code(), Count { pos, neg: tie.len() as u64 - pos });
        }
        of_key
    }

    /// The sums over the placements of these rows among themselves; 0 without a positive or without a negative.
    pub fn placements(&self) -> Placements {
        if self.n_pos > 0 && self.n_neg > 0 { placements(&self.counts) } else { Placements::default() }
    }

    /// Joins the counts of one code, so that each code is there once.
    pub fn join_codes(&mut self) {
        let mut last = 0;
        for next in 1..self.codes.len() {
            let count = self.counts[next];
            if self.codes[next] == self.codes[last] {
                self.counts[last] = self.counts[last].plus(count);
            } else {
                last += 1;
                self.codes[last] = self.codes[next];
                self.counts[last] = count;
            }
        }
        self.codes.truncate(last + 1);
        self.counts.truncate(last + 1);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Against codes of all scores, row by row.
    fn check<S: Score + PartialEq>(rows: &[(S, bool, u32)]) {
        let scores: Vec<S> = rows.iter().map(|row| row.0).collect();
        let labels: Vec<bool> = rows.iter().map(|row| row.1).collect();
        let keys = Codes::of(rows.iter().map(|row| row.2).collect::<Vec<_>>().into_iter());
        let codes = Codes::of(scores.iter().copied());
        let counted = CountedKeys::of(&scores, &labels, &keys);
        assert_eq!((counted.distinct, counted.keys.len()), (codes.distinct, keys.distinct));
        let mut members = vec![Vec::new(); keys.distinct];
        for (row, &label) in labels.iter().enumerate() {
            members[keys.of_row[row] as usize].push(CodeAndLabel::new(codes.of_row[row], label));
        }
        for (members, of_key) in members.into_iter().zip(&counted.keys) {
            let expected = KeyRows::of(members);
            assert_eq!((&of_key.codes, &of_key.counts), (&expected.codes, &expected.counts));
            assert_eq!((of_key.n_pos, of_key.n_neg), (expected.n_pos, expected.n_neg));
        }
    }

    proptest! {
        #[test]
        fn as_by_codes(rows in proptest::collection::vec((-9i16..9, any::<bool>(), 0u32..5), 0..80)) {
            check(&rows);
        }
    }

    #[test]
    fn large_groups_in_parts() {
        let mixed = |row: u32| row.wrapping_mul(0x9E37_79B1);
        let rows = SHARD_ROWS as u32 + 5;
        check(&(0..rows).map(|row| (mixed(row) >> 12, mixed(row) & 8 == 0, row % 7)).collect::<Vec<_>>());
        let float = |row: u32| if row.is_multiple_of(5) { 0.0 } else { f64::from(mixed(row)).powi(3) };
        check(&(0..rows).map(|row| (float(row), row % 3 == 0, mixed(row) % 3000)).collect::<Vec<_>>());
    }

    /// A NaN is like a number, and no row is lost.
    #[test]
    fn large_groups_with_nan() {
        let score = |row: u32| if row == 77 { f64::NAN } else { f64::from(row / 3) };
        let scores: Vec<f64> = (0..SHARD_ROWS as u32).map(score).collect();
        let keys = Codes { of_row: (0..SHARD_ROWS as u32).map(|row| row % 2).collect(), distinct: 2 };
        let counted = CountedKeys::of(&scores, &vec![true; SHARD_ROWS], &keys);
        assert_eq!(counted.keys.iter().map(|key| key.n_pos).sum::<u64>(), SHARD_ROWS as u64);
    }

    #[test]
    fn bins_of_one_code_are_joined() {
        let count = |pos, neg| Count { pos, neg };
        let counts = vec![count(1, 0), count(0, 2), count(3, 1), count(0, 1)];
        let mut key = KeyRows { codes: vec![7, 5, 5, 2], counts, n_pos: 4, n_neg: 4 };
        key.join_codes();
        assert_eq!((&key.codes[..], key.n_pos, key.n_neg), (&[7, 5, 2][..], 4, 4));
        assert_eq!(key.counts, [count(1, 0), count(3, 3), count(0, 1)]);
        let mut none = KeyRows { codes: Vec::new(), counts: Vec::new(), n_pos: 0, n_neg: 0 };
        none.join_codes();
        assert!(none.codes.is_empty());
        assert_eq!(KeyRows { n_neg: 0, ..key.clone() }.placements(), Placements::default());
    }
}
