//! The precision-recall curve.

use crate::ranking::ties::Ties;
use crate::statistics::kinds::{
    Curve,
    column::Column,
    options::no_options,
    record::{Mass, Record, Threshold, record},
};
use crate::statistics::thresholds::confusion::Confusion;

/// Precision and recall at every distinct score, highest first.
///
/// It starts where nothing is called positive: recall 0, and a precision of 1 by convention. Without negatives all
/// precisions are 1; without positives there is no curve.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrCurve {}

record! {
    /// One point of the curve.
    pub struct PrPoint {
        /// Rows with this score or a higher one are called positive; null at the start.
        pub threshold: Option<Threshold>,
        /// Negatives called positive.
        pub fp: Mass,
        /// Positives called positive.
        pub tp: Mass,
        /// `tp / (tp + fp)`.
        pub precision: f64,
        /// `tp / P`: the tpr.
        pub recall: f64,
    }
}

no_options!(PrCurve);

impl Curve for PrCurve {
    type Record = PrPoint;

    const WEIGHTS: bool = true;

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        if ties.n_pos() == 0 {
            return false;
        }
        let all = Confusion::nobody(&ties);
        let point = |threshold, calls: Confusion| {
            let [tp, fp, ..] = calls.masses();
            let (precision, recall) = (calls.precision().unwrap_or(1.0), calls.tpr().unwrap_or_default());
            PrPoint::new(threshold, fp, tp, precision, recall)
        };
        point(None, all).append(columns);
        let width = ties.score_type().width();
        ties.fold_into(
            columns,
            || Column::all_of(PrPoint::FIELDS, width, 0),
            |columns, tie| {
                point(Some(Threshold(tie.key)), all.with(tie.tp(), tie.fp())).append(columns);
            },
            Column::extend_all,
        );
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::scores::Width;
    use crate::statistics::tests::with_ties;

    #[test]
    fn precision_and_recall() {
        let mut columns = Column::all_of(PrPoint::FIELDS, Width::W128, 0);
        assert!(with_ties(&[1, 0, 1, 1, 0], &[3u8, 2, 2, 2, 1], |ties| PrCurve {}.points(ties, &mut columns)));
        let [_, _, _, Column::Number(precision), Column::Number(recall)] = &columns[..] else {
            panic!("the fields of a point")
        };
        assert_eq!(precision.values, [1.0, 1.0, 0.75, 0.6]);
        assert_eq!(recall.values, [0.0, 1.0 / 3.0, 1.0, 1.0]);
        assert!(!with_ties(&[0, 0], &[3u8, 2], |ties| PrCurve {}.points(ties, &mut columns)));
    }

    /// As sklearn.metrics.precision_recall_curve([1, 1, 1], [3, 2, 2]), in the opposite order.
    #[test]
    fn without_negatives_precision_is_1() {
        let mut columns = Column::all_of(PrPoint::FIELDS, Width::W128, 0);
        assert!(with_ties(&[1, 1, 1], &[3u8, 2, 2], |ties| PrCurve {}.points(ties, &mut columns)));
        let [_, _, _, Column::Number(precision), Column::Number(recall)] = &columns[..] else {
            panic!("the fields of a point")
        };
        assert_eq!(precision.values, [1.0, 1.0, 1.0]);
        assert_eq!(recall.values, [0.0, 1.0 / 3.0, 1.0]);
    }
}
