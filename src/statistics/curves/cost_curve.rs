//! The cost curve.

use super::points::Points;
use super::thinning::hull;
use crate::ranking::ties::Ties;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Column, Curve, Record, Threshold, record};
use crate::statistics::options::from_options;

/// The lowest expected cost over all thresholds, for all costs and prevalences (Drummond and Holte 2006).
///
/// The probability cost is `pc = cost prevalence / (cost prevalence + 1 - prevalence)`, where a false
/// negative costs `cost` times a false positive. Costs and prevalence matter only through it. A threshold's
/// expected cost, as a share of the maximum, is the line `(1 - tpr) pc + fpr (1 - pc)`. The curve is the
/// lower envelope of these lines; its corners are where two neighbours on the convex hull have equal costs.
#[derive(Clone, Copy, Debug, Default)]
pub struct CostCurve {}

record! {
    /// One corner of the curve.
    pub struct CostPoint {
        /// `cost p / (cost p + 1 - p)`, ascending from 0 to 1. p is the share of positives, and `cost` the cost of a
        /// false negative if a false positive costs 1.
        pub probability_cost: f64,
        /// The lowest expected cost per row, as a share of the largest possible cost; 0 to 1/2.
        pub expected_cost: f64,
        /// The best threshold from this corner to the next; null if it is best to predict no row positive.
        pub threshold: Option<Threshold>,
        /// The false positive rate at this threshold.
        pub fpr: f64,
        /// The true positive rate at this threshold.
        pub tpr: f64,
    }
}

from_options!(|_| CostCurve {});

impl Curve for CostCurve {
    type Record = CostPoint;

    const WEIGHTS: bool = true;

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        let Some(points) = Points::from_ties(&mut ties) else { return false };
        let corners = hull(points.counts());
        let mut push = |probability: f64, corner: usize| {
            let (fpr, tpr) = (points.fpr(corner), points.tpr(corner));
            let cost = (1.0 - tpr) * probability + fpr * (1.0 - probability);
            CostPoint::new(probability, cost, points.threshold(corner), fpr, tpr).append(columns);
        };
        // All points at fpr 0 have zero cost at probability cost 0. The highest of them is optimal everywhere
        // else.
        let first = usize::from(corners.len() > 1 && points.fpr(corners[1]) == 0.0);
        push(0.0, corners[first]);
        for pair in corners[first..].windows(2) {
            let rise = points.tpr(pair[1]) - points.tpr(pair[0]);
            let run = points.fpr(pair[1]) - points.fpr(pair[0]);
            // Two points with the same tpr have equal costs only at probability cost 1.
            if rise > 0.0 {
                push(run / (run + rise), pair[1]);
            }
        }
        let last = corners.iter().copied().find(|&corner| points.tpr(corner) == 1.0);
        push(1.0, last.unwrap_or_default());
        true
    }
}

declaration! {
    /// The lowest expected cost, for all costs and prevalences.
    ///
    /// Words: cost curve, Drummond and Holte, expected cost, misclassification cost.
    CostCurve => CostPoint {
        label = None, score = None; weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::curve_points;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lowest_of_all_lines(rows in proptest::collection::vec((0u8..2, 0u8..9), 2..40)) {
            let (labels, scores): (Vec<u8>, Vec<u8>) = rows.into_iter().unzip();
            let Some(points) = curve_points(&CostCurve {}, &labels, &scores) else { return Ok(()) };
            let (at, cost) = (points.numbers("probability_cost"), points.numbers("expected_cost"));
            let count = |label: u8, min: u8| labels.iter().zip(&scores).filter(|row| *row.0 == label && *row.1 >= min).count() as f64;
            let lowest = |pc: f64| (0..=9).map(|min| (1.0 - count(1, min) / count(1, 0)) * pc + count(0, min) / count(0, 0) * (1.0 - pc)).fold(f64::INFINITY, f64::min);
            prop_assert!(at.windows(2).all(|pair| pair[0] <= pair[1]) && at[0] == 0.0 && at[at.len() - 1] == 1.0);
            for (pair, costs) in at.windows(2).zip(cost.windows(2)) {
                for part in [0.0, 0.3, 1.0] {
                    let (pc, line) = (pair[0] + part * (pair[1] - pair[0]), costs[0] + part * (costs[1] - costs[0]));
                    prop_assert!((line - lowest(pc)).abs() < 1e-12, "{} {} {}", pc, line, lowest(pc));
                }
            }
        }
    }
}
