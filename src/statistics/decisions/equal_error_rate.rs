//! The equal error rate.

use crate::ranking::ties::{Count, Ties};
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Summary, Threshold, record};
use crate::statistics::options::from_options;

/// The error rate at which fpr and fnr are equal.
#[derive(Clone, Copy, Debug)]
pub struct EqualErrorRate {}

record! {
    /// The equal error rate of one group.
    pub struct EqualErrorRecord {
        /// The rate, from 0 to 1; null with no positives or no negatives.
        pub equal_error_rate: Option<f64>,
        /// The score at which the curve reaches the rate: with `score >= threshold` predicted positive, the fnr is at
        /// most the rate and the fpr at least the rate.
        pub threshold: Option<Threshold>,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

from_options!(|_| EqualErrorRate {});

impl Summary for EqualErrorRate {
    type Record = EqualErrorRecord;

    const WEIGHTS: bool = true;

    fn evaluate(&self, mut ties: Ties<'_>) -> EqualErrorRecord {
        let undefined = EqualErrorRecord::undefined(Count::from(&ties));
        if !ties.has_pairs() {
            return undefined;
        }
        let all = [ties.n_pos(), ties.n_neg()].map(u128::from);
        // Whether tpr + fpr >= 1, in integers.
        let reaches =
            |pos: u64, neg: u64| u128::from(pos) * all[1] + u128::from(neg) * all[0] >= all[0] * all[1];
        let counts = ties.counts();
        let mut above = Count::default();
        for (index, &rows) in counts.each().iter().enumerate() {
            let reach = above.plus(rows);
            if reaches(reach.pos, reach.neg) {
                return EqualErrorRecord {
                    equal_error_rate: Some(rate(above, reach, all)),
                    threshold: Some(Threshold(counts.key(index))),
                    ..undefined
                };
            }
            above = reach;
        }
        undefined
    }
}

/// The fpr where `tpr = 1 - fpr` on the line between two points of the curve; arguments are the counts above
/// a score and up to it.
fn rate(above: Count, reach: Count, [n_pos, n_neg]: [u128; 2]) -> f64 {
    let sum = |count: Count| u128::from(count.pos) * n_neg + u128::from(count.neg) * n_pos;
    let (before, step) = (sum(above), sum(reach) - sum(above));
    let share = (n_pos * n_neg - before) as f64 / step as f64;
    (above.neg as f64 + share * (reach.neg - above.neg) as f64) / n_neg as f64
}

declaration! {
    /// The equal error rate, at which fpr and fnr are equal, with its threshold.
    ///
    /// Words: equal error rate, EER, crossover error rate, biometrics.
    EqualErrorRate => EqualErrorRecord {
        label = None, score = None;
        weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;

    #[test]
    fn few_rows() {
        let compute =
            |labels: &[u8], scores: &[f64]| summary(&EqualErrorRate {}, labels, scores).equal_error_rate;
        assert_eq!(compute(&[1, 0, 1, 1, 0, 0], &[6.0, 5.0, 4.0, 3.0, 2.0, 1.0]), Some(1.0 / 3.0));
        assert_eq!(compute(&[1, 1, 0], &[3.0, 2.0, 1.0]), Some(0.0));
        assert_eq!(compute(&[0, 1], &[3.0, 2.0]), Some(1.0));
        // Ties are a straight line.
        assert_eq!(compute(&[0, 1], &[3.0, 3.0]), Some(0.5));
        assert_eq!(compute(&[1, 1], &[3.0, 2.0]), None);
    }
}
