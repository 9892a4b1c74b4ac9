//! The detection error tradeoff curve.

use super::points::append_points;
use crate::ranking::ties::Ties;
use crate::statistics::kinds::{Column, Curve, Mass, Threshold, record};
use crate::statistics::options::from_options;

/// Both errors of the rows called positive, at every distinct score.
///
/// It starts where nothing is called positive, so that every positive is missed, and ends where everything is
/// (Martin et al. 1997, who draw both rates on normal scales). The points are those of the ROC curve with
/// `fnr = 1 - tpr`, taken from the counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct DetCurve {}

record! {
    /// One point of the curve.
    pub struct DetPoint {
        /// Rows with this score or a higher one are called positive; null where nothing is.
        pub threshold: Option<Threshold>,
        /// Negatives called positive.
        pub fp: Mass,
        /// Positives called negative.
        pub r#fn: Mass,
        /// `fp / N`.
        pub fpr: f64,
        /// `fn / P`.
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
