//! The infinitesimal jackknife: the variance of the area of weighted rows.

use crate::math;
use crate::ranking::ties::{Count, Ties};
use crate::statistics::inference::{SampleSize, WeightTotals};

/// The variance of the area of weighted rows, and their effective numbers; `None` if squared weights are
/// unknown, as in some states.
///
/// It is the sum of the squared influences of the rows: `sum w² (v - auc)² / W²` over positives, plus the
/// same over negatives. Here v is the weighted share of the other class that a row beats, or that beats it
/// (Jaeckel 1972; for the concordance, Therneau and Watson 2015). It estimates the variance of the weighted
/// AUC for weights that correct for unequal sampling probabilities. For weights that stand for repeated rows,
/// it understates the number of rows and overstates the variance.
pub fn variance(ties: &Ties<'_>, auc: f64) -> Option<(f64, SampleSize)> {
    let (positives, negatives) = (ties.n_pos(), ties.n_neg());
    // Summation in score order, so that the result does not depend on the row order.
    let (mut variances, mut squares) = ((0.0, 0.0), Count { pos: 0.0, neg: 0.0 });
    for squared in ties.squared_units()? {
        let tie = squared.tie;
        // Sums of weights may take 63 bits, so placements are doubled in a wider type.
        let twice_beaten = 2 * u128::from(negatives - tie.fp()) + u128::from(tie.neg);
        let twice_beating = 2 * u128::from(tie.pos_above) + u128::from(tie.pos);
        let beats = math::quotient(twice_beaten, 2 * u128::from(negatives)) - auc;
        let beaten = math::quotient(twice_beating, 2 * u128::from(positives)) - auc;
        variances.0 += squared.pos * beats * beats;
        variances.1 += squared.neg * beaten * beaten;
        squares.pos += squared.pos;
        squares.neg += squared.neg;
    }
    let sums = Count { pos: positives as f64, neg: negatives as f64 };
    let variance = variances.0 / sums.pos.powi(2) + variances.1 / sums.neg.powi(2);
    Some((variance, SampleSize::from_weights(WeightTotals { sums, squares })))
}

#[cfg(test)]
mod tests {
    use crate::ranking::group::Group;
    use crate::ranking::scores::{Bits, Observations, bits::tests::packed};
    use crate::statistics::intervals::roc_auc_ci::{RocAucCiRecord, tests::NINETY_FIVE};
    use crate::statistics::kinds::Summary;
    use proptest::prelude::*;

    /// The interval of weighted rows, from the rows and from their state.
    fn records(scores: &[f64], labels: &[u8], weights: &[f64]) -> [RocAucCiRecord; 2] {
        let rows = Observations::new(scores, Bits::new(labels, 0, scores.len()), None).with_weights(weights);
        let (mut live, mut stored) = (Group::default(), Group::<u64>::default());
        live.load(rows);
        stored.load_for(&[rows], Some(None)).unwrap();
        [NINETY_FIVE.evaluate(live.ties()), NINETY_FIVE.evaluate(stored.ties())]
    }

    /// The definition: the derivative of the area by each weight, times the weight.
    fn by_definition(rows: &[(f64, bool, f64)]) -> f64 {
        let total = |class| rows.iter().filter(|row| row.1 == class).map(|row| row.2).sum::<f64>();
        let wins = |p: f64, n: f64| {
            if p > n {
                1.0
            } else if p == n {
                0.5
            } else {
                0.0
            }
        };
        let class_rows = |class| rows.iter().filter(move |row| row.1 == class);
        let area: f64 =
            class_rows(true).flat_map(|p| class_rows(false).map(move |n| p.2 * n.2 * wins(p.0, n.0))).sum();
        let area = area / total(true) / total(false);
        let influence = |row: &(f64, bool, f64)| {
            let beats: f64 = class_rows(!row.1)
                .map(|n| n.2 * if row.1 { wins(row.0, n.0) } else { wins(n.0, row.0) })
                .sum();
            row.2 * (beats / total(!row.1) - area) / total(row.1)
        };
        rows.iter().map(|row| influence(row).powi(2)).sum()
    }

    /// Compares with the variance from small changes of every weight.
    #[test]
    fn influences() {
        let scores = [5.0, 3.0, 3.0, 2.0, 6.0, 1.0];
        let labels = [0b01_0011u8; 1];
        let weights = [1.0, 2.5, 0.5, 3.0, 1.5, 2.0];
        let evaluate = |weights: &[f64]| records(&scores, &labels, weights);
        let record = evaluate(&weights);
        assert_eq!(record[0], record[1]);
        let step = 1e-5;
        for (kind, record) in record.iter().enumerate() {
            let variance: f64 = (0..6)
                .map(|row| {
                    let mut moved = weights;
                    moved[row] += step;
                    let influence = (evaluate(&moved)[kind].auc.unwrap() - record.auc.unwrap()) / step;
                    (weights[row] * influence).powi(2)
                })
                .sum();
            assert!((record.interval.se.unwrap().powi(2) / variance - 1.0).abs() < 1e-4);
            assert_eq!((record.rows.pos, record.rows.neg), (3, 3));
        }
    }

    proptest! {
        #[test]
        fn definition_from_rows_and_from_states(
            rows in prop::collection::vec((-3i8..3, any::<bool>(), prop_oneof![Just(1.0), 1e-3f64..1e3]), 4..40),
            short in any::<bool>(),
        ) {
            let rows: Vec<(f64, bool, f64)> = rows.into_iter().map(|row| {
                // Multiples of 2^-9.
                let weight = if short { (row.2 * 512.0).ceil() / 512.0 } else { row.2 };
                (row.0.into(), row.1, weight)
            }).collect();
            let scores: Vec<f64> = rows.iter().map(|row| row.0).collect();
            let weights: Vec<f64> = rows.iter().map(|row| row.2).collect();
            let labels = packed(rows.iter().map(|row| row.1));
            let [live, stored] = records(&scores, &labels, &weights);
            let is_known = live.rows.pos > 1 && live.rows.neg > 1;
            prop_assert_eq!((live.interval.se.is_some(), stored.interval.se.is_some()), (is_known, is_known));
            if short {
                prop_assert_eq!(&live, &stored);
            }
            if is_known {
                let expected = by_definition(&rows);
                for record in [live, stored] {
                    // The error of squares of at least 1e-6 is half of 1e-18 each; the oracle sums floats.
                    let off = (record.interval.se.unwrap().powi(2) - expected).abs();
                    prop_assert!(off <= 1e-12 * expected + 1e-14, "{off:e} of {expected:e}");
                }
            }
        }
    }
}
