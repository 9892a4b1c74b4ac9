//! The precision-recall curve.

use super::points::append_points;
use crate::ranking::ties::Ties;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Column, Curve, Mass, Threshold, record};
use crate::statistics::options::from_options;

/// Precision and recall at every distinct score, highest first.
///
/// It starts with no rows predicted positive: recall 0, and a precision of 1 by convention. Without negatives
/// all precisions are 1; without positives there is no curve.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrCurve {}

record! {
    /// One point of the curve.
    pub struct PrPoint {
        /// A row is predicted positive if `score >= threshold`; null in element 0.
        pub threshold: Option<Threshold>,
        /// False positives; with weights, the sum of their weights.
        pub fp: Mass,
        /// True positives; with weights, the sum of their weights.
        pub tp: Mass,
        /// `tp / (tp + fp)`.
        pub precision: f64,
        /// `tp / P`, the tpr.
        pub recall: f64,
    }
}

from_options!(|_| PrCurve {});

impl Curve for PrCurve {
    type Record = PrPoint;

    const WEIGHTS: bool = true;

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        if ties.n_pos() == 0 {
            return false;
        }
        append_points(&mut ties, columns, |threshold, calls| {
            let [tp, fp, ..] = calls.masses();
            let (precision, recall) = (calls.precision().unwrap_or(1.0), calls.tpr().unwrap_or_default());
            PrPoint::new(threshold, fp, tp, precision, recall)
        });
        true
    }
}

declaration! {
    /// The precision-recall curve.
    ///
    /// Words: precision-recall curve, PR curve, precision and recall of all thresholds.
    PrCurve => PrPoint {
        label = None, score = None; weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::curve_points;

    #[test]
    fn precision_and_recall() {
        let points = curve_points(&PrCurve {}, &[1, 0, 1, 1, 0], &[3u8, 2, 2, 2, 1]).unwrap();
        assert_eq!(points.numbers("precision"), [1.0, 1.0, 0.75, 0.6]);
        assert_eq!(points.numbers("recall"), [0.0, 1.0 / 3.0, 1.0, 1.0]);
        assert!(curve_points(&PrCurve {}, &[0, 0], &[3u8, 2]).is_none());
    }

    /// As sklearn.metrics.precision_recall_curve([1, 1, 1], [3, 2, 2]), in reverse order.
    #[test]
    fn without_negatives_precision_is_1() {
        let points = curve_points(&PrCurve {}, &[1, 1, 1], &[3u8, 2, 2]).unwrap();
        assert_eq!(points.numbers("precision"), [1.0, 1.0, 1.0]);
        assert_eq!(points.numbers("recall"), [0.0, 1.0 / 3.0, 1.0]);
    }
}
