//! The convex hull of the ROC curve.

use super::points::Points;
use super::roc_curve::RocPoint;
use super::thinning::hull;
use crate::ranking::ties::Ties;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Column, Curve, Record};
use crate::statistics::options::from_options;

/// The points of the ROC curve that are optimal for some costs and prevalence: the corners of its upper
/// convex hull, from (0, 0) to (1, 1) (Provost and Fawcett 2001).
#[derive(Clone, Copy, Debug, Default)]
pub struct RocConvexHull {}

from_options!(|_| RocConvexHull {});

impl Curve for RocConvexHull {
    type Record = RocPoint;

    const WEIGHTS: bool = true;

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        let Some(points) = Points::from_ties(&mut ties) else { return false };
        for corner in hull(points.counts()) {
            RocPoint::from_points(&points, corner).append(columns);
        }
        true
    }
}

declaration! {
    /// The thresholds that are best for at least one choice of costs.
    ///
    /// Words: ROC convex hull, ROCCH, optimal thresholds for all costs.
    RocConvexHull {
        label = None, score = None; weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::curve_points;

    #[test]
    fn corners_of_the_hull() {
        let (labels, scores) = ([0, 1, 1, 0, 1, 0], [6u8, 5, 4, 3, 2, 1]);
        let points = curve_points(&RocConvexHull {}, &labels, &scores).unwrap();
        assert_eq!((points.counts("fp"), points.counts("tp")), (&[0, 1, 2, 3][..], &[0, 2, 3, 3][..]));
    }
}
