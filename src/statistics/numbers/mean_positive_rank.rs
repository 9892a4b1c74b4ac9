//! The mean rank of the positives.

use crate::math;
use crate::ranking::ties::Ties;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Summary, record};
use crate::statistics::options::from_options;

/// The mean rank of the positives among all rows, from 1 for the lowest score; ties have their mid-rank.
///
/// `(U + P (P + 1) / 2) / P` with Mann-Whitney's U of P positives (Wilcoxon 1945: the rank sum, here divided
/// by P). Counted in integers and rounded once.
#[derive(Clone, Copy, Debug, Default)]
pub struct MeanPositiveRank {}

record! {
    /// The mean rank of one group.
    pub struct MeanPositiveRankRecord {
        /// The mean rank, from (P + 1) / 2 to N + (P + 1) / 2; null with no positives.
        pub mean_positive_rank: Option<f64>,
    }
}

from_options!(|_| MeanPositiveRank {});

impl Summary for MeanPositiveRank {
    type Record = MeanPositiveRankRecord;

    fn evaluate(&self, mut ties: Ties<'_>) -> MeanPositiveRankRecord {
        let n_pos = u128::from(ties.n_pos());
        let mean = (n_pos > 0).then(|| {
            let twice_u = if ties.has_pairs() { ties.twice_u() } else { 0 };
            math::quotient(twice_u + n_pos * (n_pos + 1), 2 * n_pos)
        });
        MeanPositiveRankRecord::new(mean)
    }
}

declaration! {
    /// The mean rank of the positives among all rows: the AUC in units of rows.
    ///
    /// Words: mean rank, average rank of positives.
    MeanPositiveRank {
        label = None, score = None; count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::numbers::RocAuc;
    use crate::statistics::tests::summary;
    use proptest::prelude::*;

    fn mean_positive_rank(labels: &[u8], scores: &[i32]) -> Option<f64> {
        summary(&MeanPositiveRank {}, labels, scores).mean_positive_rank
    }

    #[test]
    fn few_rows() {
        assert_eq!(mean_positive_rank(&[1, 0, 1, 1, 0, 0, 0], &[8, 5, 3, 3, 1, -3, -5]), Some(16.0 / 3.0));
        assert_eq!(mean_positive_rank(&[0, 1], &[7, 7]), Some(1.5));
        assert_eq!(mean_positive_rank(&[1, 1, 1], &[4, 9, 9]), Some(2.0));
        assert_eq!(mean_positive_rank(&[0, 0], &[4, 9]), None);
    }

    proptest! {
        #[test]
        fn by_definition(rows in prop::collection::vec((0u8..2, -4i32..5), 1..40)) {
            let (labels, scores): (Vec<u8>, Vec<i32>) = rows.iter().copied().unzip();
            let (mut twice_ranks, mut n_pos) = (0usize, 0usize);
            for (_, score) in rows.iter().filter(|row| row.0 == 1) {
                let below = scores.iter().filter(|&other| other < score).count();
                let not_above = scores.iter().filter(|&other| other <= score).count();
                twice_ranks += below + not_above + 1;
                n_pos += 1;
            }
            let expected = (n_pos > 0).then(|| twice_ranks as f64 / (2 * n_pos) as f64);
            prop_assert_eq!(mean_positive_rank(&labels, &scores), expected);
            if let Some(auc) = summary(&RocAuc::default(), &labels, &scores).auc {
                let n_neg = (rows.len() - n_pos) as f64;
                let from_rank = (expected.unwrap_or(f64::NAN) - 0.5 * (n_pos as f64 + 1.0)) / n_neg;
                prop_assert!((auc - from_rank).abs() < 1e-13);
            }
        }
    }
}
