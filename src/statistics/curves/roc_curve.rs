//! The ROC curve.

use super::points::{Points, append_points};
use super::thinning::corners;
use crate::ranking::ties::Ties;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Column, Curve, Mass, Record, Threshold, record};
use crate::statistics::options::{OptionError, Options, from_options};

/// The ROC curve: counts and rates of the rows predicted positive, at every distinct score.
///
/// It starts at (0, 0), where no rows are predicted positive and there is no threshold. Each distinct score,
/// highest first, is one step: up by its positives, right by its negatives, diagonal for ties (Fawcett 2006,
/// algorithm 1). It ends at (1, 1). The counts are the unnormalised steps of Komarek (2004, section 5.1.4).
#[derive(Clone, Copy, Debug, Default)]
pub struct RocCurve {
    /// Whether collinear points are dropped.
    pub drop_intermediate: bool,
}

record! {
    /// One point of the curve.
    pub struct RocPoint {
        /// A row is predicted positive if `score >= threshold`; null in element 0.
        pub threshold: Option<Threshold>,
        /// False positives; with weights, the sum of their weights.
        pub fp: Mass,
        /// True positives; with weights, the sum of their weights.
        pub tp: Mass,
        /// `fp` as a share of all negatives.
        pub fpr: f64,
        /// `tp` as a share of all positives.
        pub tpr: f64,
    }
}

/// Whether collinear points are dropped; rejects options that request different curves.
pub(super) fn check_one_curve(options: &Options) -> Result<bool, OptionError> {
    let drop_intermediate = options.flag("drop_intermediate")?;
    let mut options_in_use: Vec<&str> =
        if drop_intermediate { vec!["drop_intermediate"] } else { Vec::new() };
    options_in_use
        .extend(["at_fpr", "at_tpr", "at_threshold", "max_points"].iter().filter(|name| options.has(name)));
    match options_in_use[..] {
        [first, ref more @ ..] if !more.is_empty() => {
            let and_more: String = more.iter().map(|name| format!("and `{name}` ")).collect();
            Err(OptionError::new(first, format!("{and_more}ask for different curves"))
                .hint("give one of them"))
        }
        _ => Ok(drop_intermediate),
    }
}

from_options!(|options| RocCurve { drop_intermediate: check_one_curve(options)? });

impl RocPoint {
    /// A point of a curve.
    pub(in crate::statistics) fn from_points(points: &Points, point: usize) -> Self {
        RocPoint::new(
            points.threshold(point),
            points.fp(point),
            points.tp(point),
            points.fpr(point),
            points.tpr(point),
        )
    }
}

impl Curve for RocCurve {
    type Record = RocPoint;

    const WEIGHTS: bool = true;

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        if self.drop_intermediate {
            let Some(points) = Points::from_ties(&mut ties) else { return false };
            corners(points.counts())
                .into_iter()
                .for_each(|point| RocPoint::from_points(&points, point).append(columns));
            return true;
        }
        if !ties.has_pairs() {
            return false;
        }
        append_points(&mut ties, columns, |threshold, calls| {
            let [tp, fp, ..] = calls.masses();
            let (fpr, tpr) = (calls.fpr().unwrap_or_default(), calls.tpr().unwrap_or_default());
            RocPoint::new(threshold, fp, tp, fpr, tpr)
        });
        true
    }
}

declaration! {
    /// The ROC curve: a point for each distinct score, points at given rates or thresholds, or a limited number of
    /// points for a drawing.
    ///
    /// Words: ROC curve, receiver operating characteristic, TPR and FPR, sensitivity and specificity of all thresholds.
    RocCurve => RocPoint, super::roc_curve_at_threshold::RocPointAtThreshold, super::roc_curve_thinned::ThinnedPoint {
        label = None, score = None; weight = None,
        /// Whether to omit points on the straight line between their neighbours; the curve and its area stay the
        /// same.
        drop_intermediate: flag = false,
        /// Returns only the points at these rates, in this order.
        at_fpr: numbers = None,
        at_tpr: numbers = None,
        /// Returns only the points at these thresholds, in this order. They are compared with the scores in the dtype
        /// of the scores, without rounding: 2.5 on integers means 3 and above, as in `confusion_at()`.
        at_threshold: numbers = None,
        /// The largest number of points, 2 or more. Points whose removal changes the area least are omitted.
        /// `drop_intermediate=False`, the rates, the thresholds and `max_points` are mutually exclusive.
        max_points: integer = None,
        count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::scores::Score;
    use crate::statistics::tests::curve_points;

    /// The threshold keys, and the points as (fp, tp).
    type Points = (Vec<Option<u128>>, Vec<(u64, u64)>);

    fn curve<S: Score>(labels: &[u8], scores: &[S]) -> Option<Points> {
        let points = curve_points(&RocCurve::default(), labels, scores)?;
        let fp = points.counts("fp").iter().copied();
        Some((points.keys("threshold"), fp.zip(points.counts("tp").iter().copied()).collect()))
    }

    /// The twenty rows of Fawcett's figure, scores 0.9 down to 0.1, as (fp, tp).
    #[test]
    fn twenty_rows() {
        let labels = [1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0];
        let scores = [
            0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.52, 0.51, 0.505, 0.4, 0.39, 0.38, 0.37, 0.36, 0.35, 0.34,
            0.33, 0.30, 0.1,
        ];
        let (thresholds, steps) = curve(&labels, &scores).unwrap();
        assert_eq!(steps.len(), 21);
        assert_eq!(steps[..7], [(0, 0), (0, 1), (0, 2), (1, 2), (1, 3), (1, 4), (1, 5)]);
        assert_eq!(steps[20], (10, 10));
        assert_eq!((thresholds[0], thresholds[6]), (None, Some(0.54f64.key().into())));
    }

    #[test]
    fn ties_are_one_step() {
        let (_, steps) = curve(&[1, 0, 1, 1, 0], &[3u8, 2, 2, 2, 1]).unwrap();
        assert_eq!(steps, [(0, 0), (0, 1), (1, 3), (2, 3)]);
        assert!(curve(&[1, 1], &[1u8, 2]).is_none());
    }
}
