//! Codes: the rank of each row's score among the distinct scores.
//!
//! Statistics of several columns (two scores, clusters, folds) need the rank of each row. A code is a small
//! integer of one type for every dtype, and all later steps are counting.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::score_order::{PartMemory, Payload, ScoreOrder};
use crate::ranking::scores::Score;
use crate::ranking::tasks;
use crate::ranking::ties::Count;
use crate::ranking::tuning::{FEW_ROWS, PART_ROWS};

/// The ranks of scores among the distinct ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Codes {
    /// For each row, the number of lower distinct scores.
    pub row_codes: Vec<u32>,
    /// The number of distinct scores.
    pub distinct: usize,
}

/// Assigns codes to sorted rows; returns the number of distinct scores.
fn number<K: PartialEq>(rows: &[(K, u32)], mut set_code: impl FnMut(u32, u32)) -> u32 {
    let mut code = 0;
    let mut last = None;
    for (key, row) in rows {
        code += u32::from(last.is_some_and(|last| last != key));
        last = Some(key);
        set_code(*row, code);
    }
    code + u32::from(last.is_some())
}

impl Codes {
    /// The codes of scores; the code of NaN is unspecified. A large group is sorted by all threads of the
    /// current pool.
    ///
    /// # Panics
    /// Panics if there are 2^32 rows or more.
    pub fn new<S: Score>(scores: &[S]) -> Self {
        let rows = u32::try_from(scores.len()).expect("a group has fewer than 2^32 rows");
        if scores.len() < FEW_ROWS {
            let mut sorted: Vec<(S::Key, u32)> =
                scores.iter().map(|score| score.key()).zip(0..rows).collect();
            sorted.sort_unstable();
            let mut row_codes = vec![0; scores.len()];
            let distinct = number(&sorted, |row, code| row_codes[row as usize] = code);
            return Codes { row_codes, distinct: distinct as usize };
        }
        let order = ScoreOrder::new(scores, |row| row as u32);
        let row_codes: Vec<AtomicU32> =
            std::iter::repeat_with(AtomicU32::default).take(scores.len()).collect();
        // All rows of one score are in one part, so the codes of a part follow the codes of the parts below
        // it.
        let in_part = |memory: &mut PartMemory<S, u32>, part: usize| {
            let mut distinct = 0;
            order.for_each(part..part + 1, memory, |rows| {
                // Each row is in exactly one part, and codes are not read while they are written.
                distinct = number(rows, |row, code| row_codes[row as usize].store(code, Relaxed));
            });
            distinct
        };
        if order.parts == 1 {
            let distinct = in_part(&mut PartMemory::default(), 0) as usize;
            return Codes { row_codes: row_codes.into_iter().map(AtomicU32::into_inner).collect(), distinct };
        }
        let part_codes = tasks::par_map(0..order.parts, PartMemory::default, in_part);
        let mut distinct = 0;
        let mut below = Vec::with_capacity(order.parts);
        for codes_of_part in part_codes {
            below.push(distinct);
            distinct += codes_of_part;
        }
        let mut row_codes: Vec<u32> = row_codes.into_iter().map(AtomicU32::into_inner).collect();
        row_codes.par_chunks_mut(PART_ROWS).zip(scores.par_chunks(PART_ROWS)).for_each(|(codes, scores)| {
            for (code, part) in codes.iter_mut().zip(order.part_of_each(scores)) {
                *code += below[part as usize];
            }
        });
        Codes { row_codes, distinct: distinct as usize }
    }

    /// The codes of a subset of rows, in this order; codes are not renumbered.
    pub fn select(&self, rows: &[u32]) -> Self {
        Codes {
            row_codes: rows.iter().map(|&row| self.row_codes[row as usize]).collect(),
            distinct: self.distinct,
        }
    }

    /// The code and the payload of each row, in ascending order. A large group is sorted by all threads of
    /// the current pool.
    pub fn in_order<B: Payload>(&self, payload: impl Fn(usize) -> B + Sync) -> Vec<(u32, B)> {
        ScoreOrder::new(&self.row_codes, payload).rows_in_order()
    }

    /// The positives and negatives of each score, highest first; scores without rows are included.
    pub fn counts(&self, labels: &[bool]) -> Vec<Count> {
        let mut counts = vec![Count::default(); self.distinct];
        for (&code, &label) in self.row_codes.iter().zip(labels) {
            counts[self.descending(code)].add(label, 1);
        }
        counts
    }

    /// The index of a code in descending order; the highest score has index 0.
    pub fn descending(&self, code: u32) -> usize {
        self.distinct - 1 - code as usize
    }

    /// For each code, the number of rows that satisfy a predicate.
    pub fn histogram(&self, count: impl Fn(usize) -> bool) -> Vec<u32> {
        let mut counts = vec![0; self.distinct];
        for (row, &code) in self.row_codes.iter().enumerate() {
            counts[code as usize] += u32::from(count(row));
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::tuning::SHARD_ROWS;
    use proptest::prelude::*;

    #[test]
    fn descending() {
        let codes = Codes::new(&[0.5, -0.0, f64::INFINITY, 0.0, 0.5]);
        assert_eq!(codes, Codes { row_codes: vec![1, 0, 2, 0, 1], distinct: 3 });
        assert_eq!(codes.histogram(|row| row != 1), [1, 2, 1]);
        assert_eq!(codes.select(&[2, 0]).row_codes, [2, 1]);
        assert_eq!(Codes::new::<i64>(&[]), Codes::default());
    }

    fn are_ranks_among_the_distinct<S: Score + Ord + std::fmt::Debug>(scores: &[S]) {
        let codes = Codes::new(scores);
        let distinct = Vec::from_iter(std::collections::BTreeSet::from_iter(scores));
        assert_eq!(codes.distinct, distinct.len());
        for (score, &code) in scores.iter().zip(&codes.row_codes) {
            assert_eq!(distinct[code as usize], score);
        }
    }

    proptest! {
        #[test]
        fn codes_count_lower_scores(scores in proptest::collection::vec(-9i16..9, 0..200)) {
            are_ranks_among_the_distinct(&scores);
        }
    }

    #[test]
    fn large_groups() {
        let scores: Vec<u32> =
            (0..SHARD_ROWS as u32 + 5).map(|row| row.wrapping_mul(0x9E37_79B1) >> 12).collect();
        are_ranks_among_the_distinct(&scores);
        // Most rows share one score.
        let scores: Vec<u32> = scores.into_iter().map(|score| score.max(900_000)).collect();
        are_ranks_among_the_distinct(&scores);
    }

    #[test]
    fn in_order_of_neighbours() {
        for rows in [60, 3000, SHARD_ROWS as u32 + 5] {
            let scores: Vec<u32> = (0..rows).map(|row| row.wrapping_mul(0x9E37_79B1) >> 20).collect();
            let codes = Codes::new(&scores);
            let payload = |row: usize| (row.is_multiple_of(3), rows - row as u32);
            let mut expected: Vec<_> =
                codes.row_codes.iter().enumerate().map(|(row, &code)| (code, payload(row))).collect();
            expected.sort();
            assert!(codes.in_order(payload) == expected);
        }
    }

    #[test]
    fn nan_has_a_separate_code() {
        for rows in [40, 500, SHARD_ROWS + 5] {
            let mut scores: Vec<f64> = (0..rows).map(|row| (row * 7 % 13) as f64).collect();
            scores[rows / 2] = f64::NAN;
            let codes = Codes::new(&scores);
            assert_eq!(codes.distinct, 14);
            // Other codes have the order of their scores.
            let with_code = scores.iter().zip(codes.row_codes).filter(|row| !row.0.is_nan());
            let mut others: Vec<(u64, u32)> = with_code.map(|(&score, code)| (score as u64, code)).collect();
            others.sort();
            others.dedup();
            assert!(others.len() == 13 && others.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1));
        }
    }
}
