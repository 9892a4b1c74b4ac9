//! The Kruskal-Wallis test.

use crate::math;
use crate::math::chi_square;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Inputs, Joint, KeyInput, record};
use crate::statistics::options::from_options;
use crate::statistics::rows::Rows;

/// The rank test of equal distributions of several samples.
///
/// `H = 12 / (n (n + 1)) sum(R² / m) - 3 (n + 1)` over samples of m rows with sum R of mid-ranks, divided by
/// `1 - sum(t³ - t) / (n³ - n)` over ties of t rows. It is compared with chi-square, with one degree of
/// freedom fewer than samples (Kruskal and Wallis 1952). For two samples H is the square of the Mann-Whitney
/// z.
#[derive(Clone, Copy, Debug, Default)]
pub struct KruskalWallis {}

record! {
    /// The test of one group.
    pub struct KruskalWallisRecord {
        /// H, corrected for ties.
        pub statistic: Option<f64>,
        /// The number of samples minus 1.
        pub df: Option<u64>,
        /// The p-value, by the chi-square distribution.
        pub p_value: Option<f64>,
        /// The number of samples used.
        pub n_samples: u64,
        /// The number of rows used.
        pub n: u64,
    }
}

from_options!(|_| KruskalWallis {});

impl Joint for KruskalWallis {
    type Record = KruskalWallisRecord;

    const INPUTS: Inputs = Inputs::scores(Some(1)).without_label().keyed(KeyInput::called("sample"));

    fn evaluate(&self, rows: &Rows) -> KruskalWallisRecord {
        let (n, samples) = (rows.len as u128, rows.keys.distinct);
        let codes = &rows.scores[0];
        let counts = codes.histogram(|_| true);
        // Twice the mid-rank of a tie: the sum of the ranks of its first and its last row.
        let mut below = 0;
        let twice_ranks: Vec<u64> = counts
            .iter()
            .map(|&count| {
                let twice = 2 * below + u64::from(count) + 1;
                below += u64::from(count);
                twice
            })
            .collect();
        let mut sums = vec![(0u128, 0u64); samples];
        for (&code, &sample) in codes.row_codes.iter().zip(&rows.keys.row_codes) {
            let (sum, rows) = &mut sums[sample as usize];
            *sum += u128::from(twice_ranks[code as usize]);
            *rows += 1;
        }
        let cubes: u128 = counts.iter().map(|&count| u128::from(count).pow(3) - u128::from(count)).sum();
        let untied = if n > 1 { math::quotient(n * n * n - n - cubes, n * n * n - n) } else { 0.0 };
        if samples < 2 || untied == 0.0 {
            return with_sizes(KruskalWallisRecord::undefined(rows), rows);
        }
        // The distance of each sum from its expectation is an integer, so there is no cancellation.
        let between: f64 = sums
            .iter()
            .map(|&(sum, rows)| {
                let expected = u128::from(rows) * (n + 1);
                (sum.abs_diff(expected) as f64).powi(2) / (4.0 * rows as f64)
            })
            .sum();
        let statistic = 12.0 * between / (n as f64 * (n + 1) as f64) / untied;
        let df = samples as u64 - 1;
        let p_value = chi_square::upper_tail(statistic, df as f64);
        KruskalWallisRecord::new(Some(statistic), Some(df), Some(p_value), samples as u64, n as u64)
    }

    fn nan_record(&self, rows: &Rows) -> KruskalWallisRecord {
        with_sizes(KruskalWallisRecord::nan(rows), rows)
    }
}

/// A record with the numbers of samples and rows.
fn with_sizes(record: KruskalWallisRecord, rows: &Rows) -> KruskalWallisRecord {
    KruskalWallisRecord { n_samples: rows.keys.distinct as u64, n: rows.len as u64, ..record }
}

declaration! {
    /// The Kruskal-Wallis rank test of two or more samples.
    ///
    /// Words: Kruskal-Wallis, rank test of several samples, one-way ANOVA on ranks.
    KruskalWallis => KruskalWallisRecord {
        /// The sample of each row: any dtype except lists, any number of samples.
        sample: column,
        /// Any numeric or Boolean column.
        score: column,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::rows::Codes;

    fn compute(samples: &[u32], scores: &[f64]) -> KruskalWallisRecord {
        KruskalWallis {}.evaluate(&Rows {
            len: scores.len(),
            scores: vec![Codes::new(scores)],
            keys: Codes::new(samples),
            ..Rows::default()
        })
    }

    /// scipy.stats.kruskal([1, 1, 1], [2, 2, 2], [2, 2]), its documentation's example with ties: statistic
    /// 7.0, p-value 0.030197383422318501.
    #[test]
    fn ties() {
        let record = compute(&[0, 0, 0, 1, 1, 1, 2, 2], &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0]);
        assert!((record.statistic.unwrap() - 7.0).abs() < 1e-13, "{record:?}");
        assert!((record.p_value.unwrap() - 0.030_197_383_422_318_5).abs() < 1e-14);
        assert_eq!((record.df, record.n_samples, record.n), (Some(2), 3, 8));
    }

    #[test]
    fn nothing_to_test() {
        assert_eq!(compute(&[4, 4], &[1.0, 2.0]).statistic, None);
        assert_eq!(compute(&[4, 5], &[2.0, 2.0]).p_value, None);
        assert_eq!(compute(&[], &[]).n_samples, 0);
    }
}
