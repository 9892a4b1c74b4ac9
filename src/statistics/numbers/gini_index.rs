//! The ranking of a numeric target by a score, such as claims by a risk score.

use crate::ranking::rows::Codes;
use crate::ranking::tasks;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Inputs, Joint, Needs, record};
use crate::statistics::options::from_options;
use crate::statistics::rows::Rows;

/// The Gini index of a numeric target, ordered by a score.
///
/// Rows are ordered by descending score. The curve plots their cumulative share of the target's total against
/// their share of all rows, with ties as straight pieces. The index is twice the area between this curve and
/// the diagonal (Frees, Meyers and Cummings 2011, section 2, without premiums). The normalised index divides
/// it by the index of the target ordered by itself. For a target of 0 and 1 the normalised index is the Gini
/// coefficient `2 AUC - 1`. `O(n log n)`.
#[derive(Clone, Copy, Debug, Default)]
pub struct GiniIndex {
    /// Whether the points of the curve are listed.
    pub points: bool,
}

record! {
    /// One point of the curve.
    pub struct CapturedPoint {
        /// A row belongs to the point if its score is at least this one; null at (0, 0).
        pub score: Option<f64>,
        /// Their share of all rows.
        pub population: f64,
        /// Their share of the target's total.
        pub captured: f64,
    }
}

record! {
    /// The index of one group.
    pub struct GiniIndexRecord {
        /// The Gini index: 0 if the score is uninformative, below 1, negative if the score orders rows the wrong way
        /// round.
        pub gini: Option<f64>,
        /// `gini` divided by the Gini index of the target ordered by itself, at most 1.
        pub normalized: Option<f64>,
        /// With `points=True`, for each distinct score, highest first: `score`, the share of rows that reach it
        /// (`population`), and their share of the total (`captured`, Float64). The first point is (0, 0) with a null
        /// score. Otherwise null.
        pub points: Option<Vec<CapturedPoint>>,
        /// The sum of the target.
        pub total: Option<f64>,
        /// The number of rows used.
        pub n: u64,
    }
}

from_options!(|options| GiniIndex { points: options.flag("points")? });

impl Joint for GiniIndex {
    type Record = GiniIndexRecord;

    /// The score, and the target as a second score.
    const INPUTS: Inputs = Inputs::scores(Some(2)).without_label();

    fn needs(&self) -> Needs {
        Needs { codes: true, values: true, ..Needs::default() }
    }

    fn passes(&self) -> usize {
        8
    }

    fn evaluate(&self, rows: &Rows) -> GiniIndexRecord {
        let targets = &rows.values[1];
        let score_points = points(&rows.scores[0], &rows.values[0], targets);
        let total = score_points.last().map(|point| point.captured);
        let none = GiniIndexRecord { total, n: rows.len as u64, ..GiniIndexRecord::undefined(rows) };
        let Some(total) = total.filter(|&total| total > 0.0) else { return none };
        let gini = index(&score_points, total);
        let target_index = index(&points(&rows.scores[1], targets, targets), total);
        let shares = |point: CapturedPoint| CapturedPoint { captured: point.captured / total, ..point };
        GiniIndexRecord {
            gini: Some(gini),
            normalized: (target_index > 0.0).then(|| gini / target_index),
            points: self.points.then(|| {
                let start = CapturedPoint::new(None, 0.0, 0.0);
                std::iter::once(start).chain(score_points.into_iter().map(shares)).collect()
            }),
            ..none
        }
    }

    fn nan_record(&self, rows: &Rows) -> GiniIndexRecord {
        GiniIndexRecord { n: rows.len as u64, ..GiniIndexRecord::nan(rows) }
    }
}

/// For each distinct score, highest first, the share of rows that reach it and the sum of their targets.
fn points(codes: &Codes, scores: &[f64], targets: &[f64]) -> Vec<CapturedPoint> {
    let mut in_order = codes.in_order(|row| row as u32);
    let target = |row: &(u32, u32)| targets[row.1 as usize];
    let (mut rows, mut captured) = (0, 0.0);
    let point = |tie: &mut [(u32, u32)]| {
        // The sum must not depend on the order of rows.
        tasks::sort_by(tie, |a, b| target(a).total_cmp(&target(b)));
        rows += tie.len();
        captured += tie.iter().map(target).sum::<f64>();
        // 0.0 and -0.0 tie; the result is always 0.0.
        let score = scores[tie[0].1 as usize] + 0.0;
        CapturedPoint::new(Some(score), rows as f64 / targets.len() as f64, captured)
    };
    in_order.chunk_by_mut(|a, b| a.0 == b.0).rev().map(point).collect()
}

/// Twice the area between the curve and the diagonal.
fn index(points: &[CapturedPoint], total: f64) -> f64 {
    let (mut population, mut captured, mut twice) = (0.0, 0.0, 0.0);
    for point in points {
        twice += (point.population - population) * (point.captured + captured) / total;
        (population, captured) = (point.population, point.captured);
    }
    twice - 1.0
}

declaration! {
    /// The Gini index of a numeric target: how well a score ranks rows with a large target first, such as policies
    /// with large claims.
    ///
    /// Words: Gini index, Lorenz curve, concentration index, claims, insurance pricing.
    GiniIndex => GiniIndexRecord {
        /// Any numeric or Boolean column, such as the cost of a policy's claims.
        target: column,
        /// Any numeric or Boolean column; higher means a larger target.
        score: column;
        /// Whether to list the points of the curve.
        points: flag = false,
        count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::rows::Codes;
    use crate::statistics::numbers::Gini;
    use crate::statistics::tests::summary;
    use proptest::prelude::*;

    fn compute(scores: &[f64], targets: &[f64]) -> GiniIndexRecord {
        GiniIndex { points: true }.evaluate(&Rows {
            len: scores.len(),
            scores: [scores, targets].map(Codes::new).into(),
            values: vec![scores.to_vec(), targets.to_vec()],
            ..Rows::default()
        })
    }

    #[test]
    fn claims() {
        let record = compute(&[4.0, 3.0, 2.0, 1.0], &[6.0, 0.0, 2.0, 0.0]);
        // The curve (1/4, 3/4), (1/2, 3/4), (3/4, 1), (1, 1).
        let points = record.points.unwrap();
        let captured: Vec<f64> = points.iter().map(|point| point.captured).collect();
        assert_eq!(captured, [0.0, 0.75, 0.75, 1.0, 1.0]);
        assert_eq!((points[0].score, points[1].score, points[2].population), (None, Some(4.0), 0.5));
        assert!((record.gini.unwrap() - 0.5).abs() < 1e-15);
        assert!((record.normalized.unwrap() - 0.5 / 0.625).abs() < 1e-15);
        assert_eq!((record.total, record.n), (Some(8.0), 4));
    }

    #[test]
    fn ties_and_nothing_to_order() {
        let tied = compute(&[1.0; 4], &[6.0, 0.0, 2.0, 0.0]);
        assert_eq!((tied.gini, tied.normalized), (Some(0.0), Some(0.0)));
        assert_eq!(compute(&[1.0, 2.0], &[3.0, 3.0]).normalized, None);
        for targets in [&[0.0, 0.0][..], &[1.0, -1.0], &[]] {
            let record = compute(&[1.0, 2.0][..targets.len()], targets);
            assert_eq!((record.gini, record.points), (None, None));
        }
    }

    #[test]
    fn zeros_of_either_sign_are_one_score() {
        for scores in [[0.0, -0.0, 1.0], [-0.0, 0.0, 1.0]] {
            let points = compute(&scores, &[1.0, 2.0, 3.0]).points.unwrap();
            assert_eq!(points[2].score.map(f64::to_bits), Some(0), "{scores:?}");
        }
    }

    proptest! {
        #[test]
        fn binary_target_is_gini(rows in prop::collection::vec((0u8..2, 0u8..9), 2..60)) {
            let (labels, scores): (Vec<u8>, Vec<u8>) = rows.into_iter().unzip();
            let floats = |values: &[u8]| values.iter().map(|&value| value.into()).collect::<Vec<f64>>();
            let record = compute(&floats(&scores), &floats(&labels));
            match summary(&Gini {}, &labels, &scores).gini {
                Some(gini) => prop_assert!((record.normalized.unwrap() - gini).abs() < 1e-12),
                None => prop_assert_eq!(record.normalized, None),
            }
        }
    }
}
