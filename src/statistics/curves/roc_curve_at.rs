//! The ROC curve at specified rates.

use super::points::Points;
use super::roc_curve::{RocPoint, check_one_curve};
use crate::math::first;
use crate::ranking::ties::Ties;
use crate::statistics::kinds::{Column, Curve, Mass, Record, Threshold, record};
use crate::statistics::options::from_options;

/// Points of the ROC curve at specified false positive or true positive rates, in the specified order.
///
/// Between two points the curve is linear. At an fpr the result is the largest tpr (the top of a vertical
/// step), at a tpr the smallest fpr. An interpolated point has neither threshold nor counts.
#[derive(Clone, Debug)]
pub struct RocCurveAt {
    /// The rates.
    pub at: At,
}

/// The rates of the requested points.
#[derive(Clone, Debug)]
pub enum At {
    /// At these false positive rates.
    Fpr(Vec<f64>),
    /// At these true positive rates.
    Tpr(Vec<f64>),
}

record! {
    /// One point.
    pub struct RocPointAt {
        /// A row is predicted positive if `score >= threshold`; null at (0, 0) and between points.
        pub threshold: Option<Threshold>,
        /// False positives; null between points.
        pub fp: Option<Mass>,
        /// True positives; null between points.
        pub tp: Option<Mass>,
        /// The false positive rate.
        pub fpr: f64,
        /// The true positive rate.
        pub tpr: f64,
    }
}

impl RocPointAt {
    fn from_points(points: &Points, point: usize) -> Self {
        let RocPoint { threshold, fp, tp, fpr, tpr, .. } = RocPoint::from_points(points, point);
        RocPointAt::new(threshold, Some(fp), Some(tp), fpr, tpr)
    }

    /// The point of the curve at an fpr.
    fn at_fpr(points: &Points, at: f64) -> Self {
        // The last point with this fpr or a lower one.
        let here = first(points.counts().len(), |point| points.fpr(point) > at).saturating_sub(1);
        if points.fpr(here) == at || here + 1 == points.counts().len() {
            return Self::from_points(points, here);
        }
        let (from, to) = (points.fpr(here), points.fpr(here + 1));
        let (low, high) = (points.tpr(here), points.tpr(here + 1));
        RocPointAt::new(None, None, None, at, low + (high - low) * ((at - from) / (to - from)))
    }

    /// The point of the curve at a tpr.
    fn at_tpr(points: &Points, at: f64) -> Self {
        // The first point with this tpr or a higher one.
        let here = first(points.counts().len() - 1, |point| points.tpr(point) >= at);
        if points.tpr(here) == at || here == 0 {
            return Self::from_points(points, here);
        }
        let (from, to) = (points.tpr(here - 1), points.tpr(here));
        let (low, high) = (points.fpr(here - 1), points.fpr(here));
        RocPointAt::new(None, None, None, low + (high - low) * ((at - from) / (to - from)), at)
    }
}

from_options!(check_one_curve, |options| RocCurveAt {
    at: match options.has("at_fpr") {
        true => At::Fpr(options.rates("at_fpr")?),
        false => At::Tpr(options.rates("at_tpr")?),
    },
});

impl Curve for RocCurveAt {
    type Record = RocPointAt;

    const WEIGHTS: bool = true;

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        let Some(points) = Points::from_ties(&mut ties) else { return false };
        let (rates, point): (_, fn(&Points, f64) -> RocPointAt) = match &self.at {
            At::Fpr(rates) => (rates, RocPointAt::at_fpr),
            At::Tpr(rates) => (rates, RocPointAt::at_tpr),
        };
        rates.iter().for_each(|&rate| point(&points, rate).append(columns));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::scores::Score;
    use crate::statistics::tests::{PointFields, curve_points};

    /// The points, and their scores.
    fn at(at: At) -> (PointFields, Vec<Option<i16>>) {
        // The curve (0, 1/2), (1/2, 1), (1, 1).
        let points = curve_points(&RocCurveAt { at }, &[1, 1, 0, 0], &[9i16, 7, 7, 4]).unwrap();
        let score = |key: Option<u128>| key.map(|key| i16::from_key(key as u16));
        let scores = points.keys("threshold").into_iter().map(score).collect();
        (points, scores)
    }

    #[test]
    fn at_rates() {
        let (points, scores) = at(At::Fpr(vec![0.0, 0.25, 0.5, 0.75, 1.0]));
        assert_eq!(scores, [Some(9), None, Some(7), None, Some(4)]);
        assert_eq!(points.counts_or_null("fp"), [Some(0), None, Some(1), None, Some(2)]);
        assert_eq!(points.numbers("tpr"), [0.5, 0.75, 1.0, 1.0, 1.0]);
        let (points, scores) = at(At::Tpr(vec![0.0, 0.25, 0.5, 0.75, 1.0]));
        assert_eq!(scores, [None, None, Some(9), None, Some(7)]);
        assert_eq!(points.numbers("fpr"), [0.0, 0.0, 0.0, 0.25, 0.5]);
    }
}
