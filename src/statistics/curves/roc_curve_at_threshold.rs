//! The ROC curve at thresholds that are given.

use super::roc_curve::check_one_curve;
use crate::ranking::scores::Number;
use crate::ranking::ties::Ties;
use crate::statistics::kinds::{Column, Curve, Mass, Record, Threshold, record};
use crate::statistics::options::from_options;
use crate::statistics::thresholds::confusion::Confusion;

/// Points of the ROC curve at given thresholds, in the order given, with all four counts.
///
/// A threshold is the lowest value of the scores' type that is not below the number. `O(n)` for each.
#[derive(Clone, Debug)]
pub struct RocCurveAtThreshold {
    /// The thresholds.
    pub thresholds: Vec<Number>,
}

record! {
    /// One point.
    pub struct RocPointAtThreshold {
        /// Rows with this score or a higher one are called positive; null if no score of the type is so high.
        pub threshold: Option<Threshold>,
        /// Negatives called positive.
        pub fp: Mass,
        /// Positives called positive.
        pub tp: Mass,
        /// The false positive rate.
        pub fpr: Option<f64>,
        /// The true positive rate.
        pub tpr: Option<f64>,
        /// Negatives called negative.
        pub tn: Mass,
        /// Positives called negative.
        pub r#fn: Mass,
    }
}

from_options!(check_one_curve, |options| RocCurveAtThreshold {
    thresholds: options.thresholds("at_threshold")?,
});

impl Curve for RocCurveAtThreshold {
    type Record = RocPointAtThreshold;

    const WEIGHTS: bool = true;

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        if !ties.has_pairs() {
            return false;
        }
        let all_negative = Confusion::all_negative(&ties);
        for &threshold in &self.thresholds {
            let key = ties.at_least(threshold);
            let confusion = key.map_or(all_negative, |key| {
                let (tp, fp) = ties.reached(key);
                all_negative.with(tp, fp)
            });
            let [tp, fp, tn, fn_] = confusion.masses();
            RocPointAtThreshold::new(key.map(Threshold), fp, tp, confusion.fpr(), confusion.tpr(), tn, fn_)
                .append(columns);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::scores::Score;
    use crate::statistics::tests::curve_columns;

    #[test]
    fn at_thresholds() {
        let thresholds =
            vec![Number::Float(7.5), Number::Integer(7), Number::Float(-1e9), Number::Float(1e9)];
        let statistic = RocCurveAtThreshold { thresholds };
        let columns = curve_columns(&statistic, &[1, 1, 0, 0], &[9i16, 7, 7, 4]).unwrap();
        let [Column::Threshold(keys), fp, tp, Column::Number(fpr), Column::Number(tpr), tn, missed] =
            &columns[..]
        else {
            panic!("the fields of a point")
        };
        let masses = |column: &Column| -> Vec<u64> {
            let Column::Mass(rows) = column else { panic!("counts") };
            rows.values.clone()
        };
        assert_eq!(keys.present, [true, true, true, false]);
        let thresholds: Vec<i16> = (0..3).map(|row| i16::from_key(keys.keys.at(row) as u16)).collect();
        assert_eq!(thresholds, [8, 7, i16::MIN]);
        assert_eq!((masses(fp), masses(tp)), (vec![0, 1, 2, 0], vec![1, 2, 2, 0]));
        assert_eq!((masses(tn), masses(missed)), (vec![2, 1, 0, 2], vec![1, 0, 0, 2]));
        assert_eq!(
            (&fpr.values[..], &tpr.values[..]),
            (&[0.0, 0.5, 1.0, 0.0][..], &[0.5, 1.0, 1.0, 0.0][..])
        );
    }
}
