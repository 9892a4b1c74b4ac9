//! The ROC curve.

use super::Curve;
use super::record::{Threshold, record};
use crate::math;
use crate::ranking::{Key, Ties};

/// The ROC curve: counts and rates of the rows called positive, at every distinct score.
///
/// It starts at (0, 0), where nothing is called positive and there is no threshold, and then takes one
/// step for each distinct score, highest first: up by its positives, right by its negatives, both at
/// once where they tie (Fawcett 2006, algorithm 1). It ends at (1, 1). The counts are the unnormalised
/// steps of Komarek (2004, section 5.1.4).
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
pub struct RocCurve {}

record! {
    /// One point of the curve.
    pub struct RocPoint<K> {
        /// Rows with this score or a higher one are called positive; null at (0, 0).
        pub threshold: Option<Threshold<K>>,
        /// Negatives called positive.
        pub fp: u64,
        /// Positives called positive.
        pub tp: u64,
        /// `fp / N`.
        pub fpr: f64,
        /// `tp / P`.
        pub tpr: f64,
    }
}

impl Curve for RocCurve {
    type Record<K: Key> = RocPoint<K>;

    fn points<K: Key>(&self, ties: Ties<'_, K>, mut point: impl FnMut(RocPoint<K>)) -> bool {
        if !ties.has_pairs() {
            return false;
        }
        let share = |count: u64, all: u64| math::quotient(count.into(), all.into());
        point(RocPoint::new(None, 0, 0, 0.0, 0.0));
        ties.for_each(|tie| {
            let (fpr, tpr) = (share(tie.fp(), ties.n_neg()), share(tie.tp(), ties.n_pos()));
            point(RocPoint::new(Some(Threshold(tie.key)), tie.fp(), tie.tp(), fpr, tpr));
        });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Score;
    use crate::statistics::tests::with_ties;

    fn curve<S: Score>(labels: &[u8], scores: &[S]) -> Option<Vec<RocPoint<S::Key>>> {
        let mut points = Vec::new();
        let defined = with_ties(labels, scores, |ties| RocCurve {}.points(ties, |point| points.push(point)));
        assert!(defined || points.is_empty());
        defined.then_some(points)
    }

    /// The twenty rows of Fawcett's figure, scores 0.9 down to 0.1, as (fp, tp).
    #[test]
    fn twenty_rows() {
        let labels = [1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0];
        let scores = [
            0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.52, 0.51, 0.505, 0.4, 0.39, 0.38, 0.37, 0.36, 0.35, 0.34,
            0.33, 0.30, 0.1,
        ];
        let points = curve(&labels, &scores).unwrap();
        assert_eq!(points.len(), 21);
        let steps: Vec<(u64, u64)> = points.iter().map(|point| (point.fp, point.tp)).collect();
        assert_eq!(steps[..7], [(0, 0), (0, 1), (0, 2), (1, 2), (1, 3), (1, 4), (1, 5)]);
        assert_eq!(steps[20], (10, 10));
        assert_eq!(points[0].threshold, None);
        assert_eq!(points[6].threshold, Some(Threshold(0.54f64.key())));
        assert_eq!((points[6].fpr, points[6].tpr), (0.1, 0.5));
    }

    #[test]
    fn ties_are_one_step() {
        let points = curve(&[1, 0, 1, 1, 0], &[3u8, 2, 2, 2, 1]).unwrap();
        let steps: Vec<(u64, u64)> = points.iter().map(|point| (point.fp, point.tp)).collect();
        assert_eq!(steps, [(0, 0), (0, 1), (1, 3), (2, 3)]);
        assert!(curve(&[1, 1], &[1u8, 2]).is_none());
    }
}
