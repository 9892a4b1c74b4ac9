//! The detection error tradeoff curve.

use super::points::append_points;
use crate::ranking::ties::Ties;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Column, Curve, Mass, Threshold, record};
use crate::statistics::options::from_options;

/// Both error rates of the rows predicted positive, at every distinct score.
///
/// It starts with no rows predicted positive, so that every positive is missed, and ends with all rows called
/// positive. Martin et al. (1997) plot both rates on normal scales. The points are those of the ROC curve,
/// with `fnr = 1 - tpr` computed from the counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct DetCurve {}

record! {
    /// One point of the curve.
    pub struct DetPoint {
        /// A row is predicted positive if `score >= threshold`; null in element 0.
        pub threshold: Option<Threshold>,
        /// False positives; with weights, the sum of their weights.
        pub fp: Mass,
        /// False negatives; with weights, the sum of their weights.
        pub r#fn: Mass,
        /// `fp` as a share of all negatives.
        pub fpr: f64,
        /// `fn` as a share of all positives.
        pub fnr: f64,
    }
}

from_options!(|_| DetCurve {});

impl Curve for DetCurve {
    type Record = DetPoint;

    const WEIGHTS: bool = true;

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        if !ties.has_pairs() {
            return false;
        }
        append_points(&mut ties, columns, |threshold, calls| {
            let [_, fp, _, missed] = calls.masses();
            let (fpr, fnr) = (calls.fpr().unwrap_or_default(), calls.fnr().unwrap_or_default());
            DetPoint::new(threshold, fp, missed, fpr, fnr)
        });
        true
    }
}

declaration! {
    /// The detection error tradeoff curve, with one point for each distinct score.
    ///
    /// Words: DET curve, detection error tradeoff, equal error rate, false negative rate, biometrics.
    DetCurve => DetPoint {
        label = None, score = None; weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::curve_points;

    #[test]
    fn both_errors() {
        let points = curve_points(&DetCurve {}, &[1, 0, 1, 1, 0], &[3u8, 2, 2, 2, 1]).unwrap();
        assert_eq!(points.keys("threshold"), [None, Some(3), Some(2), Some(1)]);
        assert_eq!((points.counts("fp"), points.counts("fn")), (&[0, 0, 1, 2][..], &[3, 2, 0, 0][..]));
        assert_eq!(points.numbers("fpr"), [0.0, 0.0, 0.5, 1.0]);
        assert_eq!(points.numbers("fnr"), [1.0, 2.0 / 3.0, 0.0, 0.0]);
        assert!(curve_points(&DetCurve {}, &[1, 1], &[1u8, 2]).is_none());
    }
}
