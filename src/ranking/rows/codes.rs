//! Codes: the place of each row's score among the distinct scores, row by row.
//!
//! Statistics of several columns at once (two scores, clusters, folds) need the place of each row. With its place
//! instead of its score a row is a small integer of one type, for every dtype, and all that follows is counting.

use crate::ranking::scores::Score;
use crate::ranking::tasks;
use crate::ranking::ties::Count;

/// The places of scores among the distinct ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Codes {
    /// For each row: how many distinct scores are lower.
    pub of_row: Vec<u32>,
    /// The number of distinct scores.
    pub distinct: usize,
}

impl Codes {
    /// The codes of scores (of NaN: any). A large group is sorted by all threads of the pool
    /// that this is called in.
    ///
    /// # Panics
    /// If there are 2^32 rows or more.
    pub fn of<S: Score>(scores: impl ExactSizeIterator<Item = S>) -> Self {
        let rows = u32::try_from(scores.len()).expect("a group has fewer than 2^32 rows");
        let mut sorted: Vec<(S::Key, u32)> = scores.map(Score::key).zip(0..rows).collect();
        // Equal scores get equal codes, so the order among their rows changes nothing.
        tasks::sort_by(&mut sorted, Ord::cmp);
        let mut of_row = vec![0; sorted.len()];
        let mut code = 0u32;
        let mut last = sorted.first().map(|row| row.0);
        for (key, row) in sorted {
            if last != Some(key) {
                code += 1;
                last = Some(key);
            }
            of_row[row as usize] = code;
        }
        let distinct = if of_row.is_empty() { 0 } else { code as usize + 1 };
        Codes { of_row, distinct }
    }

    /// The codes of these rows only, in this order; the codes are not renumbered, even if some have no row.
    pub fn taken(&self, rows: &[u32]) -> Self {
        Codes { of_row: rows.iter().map(|&row| self.of_row[row as usize]).collect(), distinct: self.distinct }
    }

    /// How many positives and negatives have each score, the highest first; scores without a row are included.
    pub fn counts(&self, labels: &[bool]) -> Vec<Count> {
        let mut counts = vec![Count::default(); self.distinct];
        for (&code, &label) in self.of_row.iter().zip(labels) {
            counts[self.place(code)].add(label, 1);
        }
        counts
    }

    /// The place of a code among all, the highest score at 0.
    pub fn place(&self, code: u32) -> usize {
        self.distinct - 1 - code as usize
    }

    /// How many of the rows that `count` says to count have each code.
    pub fn histogram(&self, count: impl Fn(usize) -> bool) -> Vec<u32> {
        let mut counts = vec![0; self.distinct];
        for (row, &code) in self.of_row.iter().enumerate() {
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
    fn places() {
        let codes = Codes::of([0.5, -0.0, f64::INFINITY, 0.0, 0.5].into_iter());
        assert_eq!(codes, Codes { of_row: vec![1, 0, 2, 0, 1], distinct: 3 });
        assert_eq!(codes.histogram(|row| row != 1), [1, 2, 1]);
        assert_eq!(codes.taken(&[2, 0]).of_row, [2, 1]);
        assert_eq!(Codes::of(std::iter::empty::<i64>()), Codes::default());
    }

    fn are_places_among_the_distinct<S: Score + Ord + std::fmt::Debug>(scores: &[S]) {
        let codes = Codes::of(scores.iter().copied());
        let distinct = Vec::from_iter(std::collections::BTreeSet::from_iter(scores));
        assert_eq!(codes.distinct, distinct.len());
        for (score, &code) in scores.iter().zip(&codes.of_row) {
            assert_eq!(distinct[code as usize], score);
        }
    }

    proptest! {
        #[test]
        fn as_many_lower_scores(scores in proptest::collection::vec(-9i16..9, 0..80)) {
            are_places_among_the_distinct(&scores);
        }
    }

    #[test]
    fn large_groups() {
        let scores: Vec<u32> =
            (0..SHARD_ROWS as u32 + 5).map(|row| row.wrapping_mul(0x9E37_79B1) >> 12).collect();
        are_places_among_the_distinct(&scores);
    }
}
