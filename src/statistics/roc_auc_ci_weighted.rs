//! The interval of the area under the ROC curve of rows with weights.

use super::Summary;
use super::roc_auc_ci::{Method, RocAucCi, RocAucCiRecord};
use crate::math;
use crate::ranking::Ties;

/// The AUC of weighted rows with an interval by the infinitesimal jackknife.
///
/// The variance is the sum of the squared influences of the rows, each times its weight squared:
/// `sum w² (v - auc)² / W²` over positives, whose v is the weighted share of negatives that they beat, plus the same
/// over negatives (Jaeckel 1972; for the concordance, Therneau and Watson 2015). It estimates how the weighted AUC varies
/// if rows are drawn with weights that stand for unequal chances of having been drawn. Weights that stand for
/// repeated rows understate the number of rows, and so overstate the variance.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
pub struct RocAucCiWeighted {
    /// The scale that the interval is normal on: the area's own, or its logit.
    pub method: Method,
    /// The interval's coverage.
    pub level: f64,
}

impl RocAucCiWeighted {
    fn interval(&self) -> RocAucCi {
        RocAucCi { method: self.method, level: self.level, ..RocAucCi::default() }
    }
}

impl Summary for RocAucCiWeighted {
    type Record = RocAucCiRecord;

    const WEIGHTS: bool = true;

    fn check(&self) -> Result<(), String> {
        match self.method {
            Method::DeLong | Method::Logit => self.interval().check(),
            method => Err(format!("method {method:?} knows no weights")),
        }
    }

    fn of_ties(&self, mut ties: Ties<'_>) -> RocAucCiRecord {
        let (n_pos, n_neg) = ties.rows();
        if !ties.has_pairs() {
            return RocAucCiRecord { n_pos, n_neg, ..RocAucCiRecord::undefined() };
        }
        let auc = math::quotient(ties.twice_u(), 2 * ties.pairs());
        let (positives, negatives) = (ties.n_pos(), ties.n_neg());
        // One after the other in order of score, which is the same however the rows came.
        let mut variances = (0.0, 0.0);
        for squared in ties.squared() {
            let tie = squared.tie;
            let won = 2 * u128::from(negatives - tie.fp()) + u128::from(tie.neg);
            let lost = 2 * u128::from(tie.pos_above) + u128::from(tie.pos);
            let beats = math::quotient(won, 2 * u128::from(negatives)) - auc;
            let beaten = math::quotient(lost, 2 * u128::from(positives)) - auc;
            variances.0 += squared.pos * beats * beats;
            variances.1 += squared.neg * beaten * beaten;
        }
        let variance = variances.0 / (positives as f64).powi(2) + variances.1 / (negatives as f64).powi(2);
        if n_pos < 2 || n_neg < 2 {
            return RocAucCiRecord { auc: Some(auc), n_pos, n_neg, ..RocAucCiRecord::undefined() };
        }
        let (se, lower, upper) = self.interval().around(auc, variance.sqrt(), n_pos, n_neg);
        RocAucCiRecord {
            auc: Some(auc),
            se: Some(se),
            lower: Some(lower),
            upper: Some(upper),
            n_pos,
            n_neg,
            ..RocAucCiRecord::undefined()
        }
    }

    fn of_nan(&self, n_pos: u64, n_neg: u64) -> RocAucCiRecord {
        RocAucCiRecord { n_pos, n_neg, ..RocAucCiRecord::nan() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::{Bits, Group};

    /// Against the variance by moving every weight a little.
    #[test]
    fn influences() {
        let scores = [5.0, 3.0, 3.0, 2.0, 6.0, 1.0];
        let labels = [0b01_0011u8; 1];
        let weights = [1.0, 2.5, 0.5, 3.0, 1.5, 2.0];
        let auc = |weights: &[f64]| {
            let mut group = Group::default();
            group.load_weighted(&scores, Bits::new(&labels, 0, 6), weights, None);
            let statistic = RocAucCiWeighted { method: Method::DeLong, level: 0.9 };
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
        assert!((record.se.unwrap().powi(2) / variance - 1.0).abs() < 1e-4);
        assert_eq!((record.n_pos, record.n_neg), (3, 3));
        for method in [Method::Bootstrap, Method::HanleyMcneil] {
            assert!(RocAucCiWeighted { method, level: 0.9 }.check().is_err());
        }
    }
}
