//! The infinitesimal jackknife: the variance of the area of rows with weights.

use crate::math;
use crate::ranking::ties::Ties;

/// The variance of the area of weighted rows; none if only sums of their weights are known.
///
/// It is the sum of the squared influences of the rows, each times its weight squared: `sum w² (v - auc)² / W²` over
/// positives, whose v is the weighted share of negatives that they beat, plus the same over negatives (Jaeckel 1972;
/// for the concordance, Therneau and Watson 2015). It estimates how the weighted AUC varies if rows are drawn with
/// weights that stand for unequal chances of having been drawn. Weights that stand for repeated rows understate the
/// number of rows, and so overstate the variance.
pub fn variance(ties: &Ties<'_>, auc: f64) -> Option<f64> {
    let (positives, negatives) = (ties.n_pos(), ties.n_neg());
    // The sum goes in the order of the scores, so that it does not depend on the order of the rows.
    let mut variances = (0.0, 0.0);
    for squared in ties.squared_units()? {
        let tie = squared.tie;
        // Sums of weights may take 63 bits: placements are doubled in a wider type.
        let of_pos = 2 * u128::from(negatives - tie.fp()) + u128::from(tie.neg);
        let of_neg = 2 * u128::from(tie.pos_above) + u128::from(tie.pos);
        let beats = math::quotient(of_pos, 2 * u128::from(negatives)) - auc;
        let beaten = math::quotient(of_neg, 2 * u128::from(positives)) - auc;
        variances.0 += squared.pos * beats * beats;
        variances.1 += squared.neg * beaten * beaten;
    }
    Some(variances.0 / (positives as f64).powi(2) + variances.1 / (negatives as f64).powi(2))
}

#[cfg(test)]
mod tests {
    use crate::ranking::group::Group;
    use crate::ranking::scores::{Bits, Observations};
    use crate::statistics::intervals::{RocAucCi, roc_auc_ci::IntervalMethod};
    use crate::statistics::kinds::Summary;

    /// Against the variance by moving every weight a little.
    #[test]
    fn influences() {
        let scores = [5.0, 3.0, 3.0, 2.0, 6.0, 1.0];
        let labels = [0b01_0011u8; 1];
        let weights = [1.0, 2.5, 0.5, 3.0, 1.5, 2.0];
        let auc = |weights: &[f64]| {
            let mut group = Group::default();
            group.load(Observations::new(&scores, Bits::new(&labels, 0, 6), None).with_weights(weights));
            let statistic = RocAucCi { method: IntervalMethod::DeLong, level: 0.9, ..RocAucCi::default() };
            statistic.of_ties(group.ties())
        };
        let record = auc(&weights);
        let step = 1e-5;
        let variance: f64 = (0..6)
            .map(|row| {
                let mut moved = weights;
                moved[row] += step;
                let influence = (auc(&moved).auc.unwrap() - record.auc.unwrap()) / step;
                (weights[row] * influence).powi(2)
            })
            .sum();
        assert!((record.interval.se.unwrap().powi(2) / variance - 1.0).abs() < 1e-4);
        assert_eq!((record.rows.pos, record.rows.neg), (3, 3));
    }
}
