//! The ROC curve at specified thresholds.

use super::roc_curve::check_one_curve;
use crate::ranking::scores::Number;
use crate::ranking::ties::Ties;
use crate::statistics::kinds::{Column, Curve, Mass, Record, Threshold, record};
use crate::statistics::options::from_options;
use crate::statistics::thresholds::confusion::Confusion;

/// Points of the ROC curve at specified thresholds, in this order, with all four counts.
///
/// A threshold is rounded up to the next value of the scores' type. `O(n)` per threshold.
#[derive(Clone, Debug)]
pub struct RocCurveAtThreshold {
    /// The thresholds.
    pub thresholds: Vec<Number>,
}

record! {
    /// One point.
    pub struct RocPointAtThreshold {
        /// A row is predicted positive if `score >= threshold`; null if no value of the dtype is that high.
        pub threshold: Option<Threshold>,
        /// False positives.
        pub fp: Mass,
        /// True positives.
        pub tp: Mass,
        /// The false positive rate.
        pub fpr: Option<f64>,
        /// The true positive rate.
        pub tpr: Option<f64>,
        /// True negatives; only with `at_threshold`.
        pub tn: Mass,
        /// False negatives; only with `at_threshold`.
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
    use crate::statistics::tests::curve_points;

    #[test]
    fn at_thresholds() {
        let thresholds =
            vec![Number::Float(7.5), Number::Integer(7), Number::Float(-1e9), Number::Float(1e9)];
        let statistic = RocCurveAtThreshold { thresholds };
        let points = curve_points(&statistic, &[1, 1, 0, 0], &[9i16, 7, 7, 4]).unwrap();
        let score = |key: Option<u128>| key.map(|key| i16::from_key(key as u16));
        let thresholds: Vec<Option<i16>> = points.keys("threshold").into_iter().map(score).collect();
        assert_eq!(thresholds, [Some(8), Some(7), Some(i16::MIN), None]);
        assert_eq!((points.counts("fp"), points.counts("tp")), (&[0, 1, 2, 0][..], &[1, 2, 2, 0][..]));
        assert_eq!((points.counts("tn"), points.counts("fn")), (&[2, 1, 0, 2][..], &[1, 0, 0, 2][..]));
        assert_eq!(points.numbers("fpr"), [0.0, 0.5, 1.0, 0.0]);
        assert_eq!(points.numbers("tpr"), [0.5, 1.0, 1.0, 0.0]);
    }
}
