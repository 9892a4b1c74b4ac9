//! Venkatraman's test of two whole ROC curves.

use crate::math::Stream;
use crate::ranking::rows::Codes;
use crate::ranking::ties::Count;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Inputs, Joint, record};
use crate::statistics::options::from_options;
use crate::statistics::resampling::{Resampling, bootstrap::MAX_RESAMPLES};
use crate::statistics::rows::Rows;

/// The permutation test of equal ROC curves of two scores of the same rows (Venkatraman and Begg 1996).
///
/// Ranks of each score are 1 to n, with ties in random order. An error is a positive ranked at most k, or a
/// negative ranked above k. `E` sums, over thresholds k from 1 to n - 1, the absolute difference between the
/// errors of the two scores. Under the null hypothesis the two ranks of a row are exchangeable. Each
/// replicate exchanges the ranks of every row with probability 1/2, and ranks both scores again with ties in
/// random order. The p-value is the share of replicates whose E is at least the observed one. The test can
/// detect curves that cross and have equal areas. `O(n)` per replicate, after one sort.
#[derive(Clone, Copy, Debug)]
pub struct RocCurveDifference {
    /// The number of permutations and the seed.
    pub resampling: Resampling,
}

record! {
    /// The test of one group.
    pub struct RocCurveDifferenceRecord {
        /// The absolute difference between the numbers of errors of the two scores, summed over all numbers of rows
        /// predicted positive.
        pub statistic: Option<f64>,
        /// The share of permutations with a statistic at least as large.
        pub p_value: Option<f64>,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

from_options!(|options| RocCurveDifference {
    resampling: Resampling {
        n_resamples: options.integer("n_permutations", 2..=MAX_RESAMPLES.into())?,
        seed: options.integer("seed", 0..=i64::MAX.into())?,
    }
});

impl Joint for RocCurveDifference {
    type Record = RocCurveDifferenceRecord;

    const INPUTS: Inputs = Inputs::scores(Some(2));

    fn passes(&self) -> usize {
        4 * self.resampling.n_resamples as usize
    }

    fn evaluate(&self, rows: &Rows) -> RocCurveDifferenceRecord {
        let count = Count::from(rows);
        if count.pos == 0 || count.neg == 0 {
            return RocCurveDifferenceRecord::undefined(count);
        }
        let rows = rows.in_canonical_order();
        // This stream number follows the numbers of all replicates, so no replicate uses it.
        let mut stream = Stream::new(self.resampling.seed, u64::MAX);
        let ranks: Vec<(u32, u32)> = {
            let a = ranks_of(&rows.scores[0], &mut stream);
            let b = ranks_of(&rows.scores[1], &mut stream);
            a.into_iter().zip(b).collect()
        };
        let mut memory = Permutation::with_rows(rows.len);
        let observed = memory.errors(&rows.labels, &ranks, |_| false, &mut stream);
        let at_least = self
            .resampling
            .each(
                || Permutation::with_rows(rows.len),
                |memory, mut stream| {
                    let exchanges: Vec<u64> = (0..rows.len.div_ceil(64)).map(|_| stream.bits()).collect();
                    let exchange = |row: usize| exchanges[row / 64] >> (row % 64) & 1 == 1;
                    let distance = memory.errors(&rows.labels, &ranks, exchange, &mut stream);
                    u32::from(distance >= observed)
                },
            )
            .into_iter()
            .map(u64::from)
            .sum::<u64>();
        let p_value = at_least as f64 / f64::from(self.resampling.n_resamples);
        RocCurveDifferenceRecord::new(Some(observed as f64), Some(p_value), count)
    }
}

/// Random bits from a stream.
#[derive(Default)]
struct Coins {
    bits: u64,
    left: u32,
}

impl Coins {
    #[inline]
    fn next(&mut self, stream: &mut Stream) -> bool {
        if self.left == 0 {
            (self.bits, self.left) = (stream.bits(), 64);
        }
        let coin = self.bits & 1 == 1;
        self.bits >>= 1;
        self.left -= 1;
        coin
    }
}

/// Ranks from 0, lowest score first, ties in random order.
fn ranks_of(codes: &Codes, stream: &mut Stream) -> Vec<u32> {
    let mut by_code: Vec<u32> = (0..codes.row_codes.len() as u32).collect();
    stream.shuffle(&mut by_code);
    by_code.sort_by_key(|&row| codes.row_codes[row as usize]);
    let mut ranks = vec![0; by_code.len()];
    for (rank, row) in (0..).zip(by_code) {
        ranks[row as usize] = rank;
    }
    ranks
}

/// Scratch memory for the ranks of a permutation.
struct Permutation {
    /// For either score and each old rank: the number of rows (up to two) that now have this rank, and of
    /// positives among them.
    at_rank: [Vec<(u8, u8)>; 2],
}

impl Permutation {
    fn with_rows(rows: usize) -> Self {
        Permutation { at_rank: [vec![(0, 0); rows], vec![(0, 0); rows]] }
    }

    /// E after exchanging the two ranks of the rows for which `exchange` is true.
    fn errors(
        &mut self,
        labels: &[bool],
        ranks: &[(u32, u32)],
        exchange: impl Fn(usize) -> bool,
        stream: &mut Stream,
    ) -> u64 {
        for at_rank in &mut self.at_rank {
            at_rank.fill((0, 0));
        }
        for (row, (&label, &(a, b))) in labels.iter().zip(ranks).enumerate() {
            let (a, b) = if exchange(row) { (b, a) } else { (a, b) };
            for (at_rank, rank) in self.at_rank.iter_mut().zip([a, b]) {
                let (rows, pos) = &mut at_rank[rank as usize];
                *rows += 1;
                *pos += u8::from(label);
            }
        }
        // Both scores have the same number of rows at each threshold, so errors differ by twice the
        // positives.
        let [a, b] = &self.at_rank;
        let (mut labels_a, mut labels_b) = (LabelsByRank::new(a), LabelsByRank::new(b));
        let mut coins = Coins::default();
        let mut coin = || coins.next(stream);
        let (mut surplus, mut sum) = (0i64, 0u64);
        for _ in 0..labels.len() {
            surplus += i64::from(labels_a.positive(&mut coin)) - i64::from(labels_b.positive(&mut coin));
            sum += 2 * surplus.unsigned_abs();
        }
        sum
    }
}

/// Iterates over the rows of one score in their new order.
struct LabelsByRank<'a> {
    at_rank: std::slice::Iter<'a, (u8, u8)>,
    /// The label of the second of two rows with one rank.
    second: Option<bool>,
}

impl<'a> LabelsByRank<'a> {
    fn new(at_rank: &'a [(u8, u8)]) -> Self {
        LabelsByRank { at_rank: at_rank.iter(), second: None }
    }

    /// Whether the next row is positive.
    #[inline]
    fn positive(&mut self, coin: &mut impl FnMut() -> bool) -> bool {
        if let Some(second) = self.second.take() {
            return second;
        }
        for &(rows, pos) in self.at_rank.by_ref() {
            match (rows, pos) {
                (0, _) => {}
                (1, pos) => return pos == 1,
                (_, 1) => {
                    let first = coin();
                    self.second = Some(!first);
                    return first;
                }
                (_, pos) => {
                    self.second = Some(pos == 2);
                    return pos == 2;
                }
            }
        }
        false
    }
}

declaration! {
    /// Venkatraman's test that two ROC curves are equal everywhere.
    ///
    /// Words: Venkatraman, permutation test of curves, equality of ROC curves.
    RocCurveDifference => RocCurveDifferenceRecord {
        label, score_a, score_b;
        /// The number of permutations, from 2 to 10^7.
        n_permutations: integer = 2000,
        /// It also breaks ties.
        seed = 0, count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::rows_of;

    const TEST: RocCurveDifference =
        RocCurveDifference { resampling: Resampling { n_resamples: 2000, seed: 11 } };

    /// The definition: errors at each threshold.
    fn by_definition(labels: &[u8], a: &[f64], b: &[f64]) -> u64 {
        let rank = |scores: &[f64], score: f64| scores.iter().filter(|&&other| other <= score).count();
        (1..labels.len())
            .map(|k| {
                let errors = |scores: &[f64]| {
                    labels
                        .iter()
                        .zip(scores)
                        .filter(|(label, score)| (**label == 1) == (rank(scores, **score) <= k))
                        .count()
                };
                errors(a).abs_diff(errors(b)) as u64
            })
            .sum()
    }

    fn sample(rows: u32) -> (Vec<u8>, Vec<f64>, Vec<f64>) {
        let labels = (0..rows).map(|row| u8::from(row % 3 == 0)).collect();
        let scattered = |seed: u64| move |row: u32| Stream::new(seed, row.into()).bits() as f64;
        (labels, (0..rows).map(scattered(1)).collect(), (0..rows).map(scattered(2)).collect())
    }

    #[test]
    fn distance_of_curves() {
        for rows in [3, 10, 57] {
            let (labels, a, b) = sample(rows);
            let record = TEST.evaluate(&rows_of(&labels, &[&a, &b], &[]));
            assert_eq!(record.statistic, Some(by_definition(&labels, &a, &b) as f64), "{rows}");
        }
    }

    #[test]
    fn even_scores_do_not_differ() {
        let (labels, a, b) = sample(200);
        let record = TEST.evaluate(&rows_of(&labels, &[&a, &b], &[]));
        assert!(record.p_value.unwrap() > 0.05, "{record:?}");
        let same = TEST.evaluate(&rows_of(&labels, &[&a, &a], &[]));
        assert_eq!((same.statistic, same.p_value), (Some(0.0), Some(1.0)));
    }

    /// Two curves that cross in the middle: their areas are equal, but the curves differ.
    #[test]
    fn crossing_curves_differ() {
        let rows = 400;
        let labels: Vec<u8> = (0..rows).map(|row| u8::from(row % 2 == 0)).collect();
        let wide = |row: u32| {
            let position = f64::from((row * 61) % 400) - 199.5;
            if row.is_multiple_of(2) { 3.0 * position } else { position }
        };
        let narrow = |row: u32| {
            let position = f64::from((row * 61) % 400) - 199.5;
            if row.is_multiple_of(2) { position } else { 3.0 * position }
        };
        let a: Vec<f64> = (0..rows).map(wide).collect();
        let b: Vec<f64> = (0..rows).map(narrow).collect();
        let record = TEST.evaluate(&rows_of(&labels, &[&a, &b], &[]));
        assert!(record.p_value.unwrap() < 0.01, "{record:?}");
        assert_eq!(TEST.evaluate(&rows_of(&[1, 1], &[&[1.0, 2.0], &[2.0, 1.0]], &[])).statistic, None);
    }
}
