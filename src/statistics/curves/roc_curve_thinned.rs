//! The ROC curve with a limited number of points, for plots.

use super::points::Points;
use super::roc_curve::{RocPoint, check_one_curve};
use super::thinning::thin;
use crate::ranking::ties::{Cell, Ties};
use crate::statistics::kinds::{Column, Curve, Record, record};
use crate::statistics::options::from_options;

/// Cells of a large group's outline per requested point.
///
/// Measured on three binormal curves of 10^6 rows. With 16, the stated error of a thousand points is 1.2 to
/// 1.6 times the error of points chosen among all scores (0.0005 and 0.00035). With 8 it is twice that.
const CELLS_PER_POINT: usize = 16;

/// The minimum number of cells, since the height of a cell contributes to the stated error.
const MIN_CELLS: usize = 1 << 14;

/// The maximum number of requested points.
const MAX_POINTS: i128 = 1_000_000_000;

/// The points of the ROC curve with the largest effect on its area, and the error of the lines between them.
///
/// Points are dropped one by one, always the point whose triangle with its neighbours is smallest
/// (Visvalingam and Whyatt 1993). In a group of many rows, only points at the borders of some ten thousand
/// runs of scores are candidates. The stated error then includes the curve between two borders.
#[derive(Clone, Copy, Debug)]
pub struct RocCurveThinned {
    /// The maximum number of points.
    pub max_points: usize,
}

record! {
    /// One point of the curve.
    pub struct ThinnedPoint {
        /// The fields of a point of the whole curve.
        pub point: RocPoint,
        /// The largest vertical distance between the exact curve and the line that ends in this point; only with
        /// `max_points`. The maximum of this field is the error of the drawing.
        pub error: f64,
    }
}

from_options!(check_one_curve, |options| RocCurveThinned {
    max_points: options.integer("max_points", 2..=MAX_POINTS)?,
});

impl Curve for RocCurveThinned {
    type Record = ThinnedPoint;

    const WEIGHTS: bool = true;

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        let Some(mut points) = Points::none_of(&ties) else { return false };
        let cells = ties.outline((CELLS_PER_POINT * self.max_points).max(MIN_CELLS));
        // The largest distance of the curve from the line through a cell; 0 for a cell of one score.
        let mut inside = vec![0.0];
        let (mut fp, mut tp) = (0, 0);
        for Cell { lowest, highest, pos, neg, .. } in cells {
            let before = points.tpr(points.counts().len() - 1);
            (fp, tp) = (fp + neg, tp + pos);
            points.push(lowest, fp, tp);
            let bends = lowest != highest && pos > 0 && neg > 0;
            inside.push(if bends { points.tpr(points.counts().len() - 1) - before } else { 0.0 });
        }
        let indices = thin(points.counts(), self.max_points);
        let mut from = 0;
        for point in indices {
            let error = largest_error(&points, from, point, &inside);
            ThinnedPoint::new(RocPoint::from_points(&points, point), error).append(columns);
            from = point;
        }
        true
    }
}

/// The largest vertical distance between the line from one point to another and the curve.
fn largest_error(points: &Points, from: usize, to: usize, inside: &[f64]) -> f64 {
    let at = |point: usize| (points.fpr(point), points.tpr(point));
    let ((x0, y0), (x1, y1)) = (at(from), at(to));
    let off = |point: usize| {
        let (x, y) = at(point);
        // On a vertical line the curve is exact.
        if point == from || point == to || x1 == x0 {
            return 0.0;
        }
        (y - (y0 + (y1 - y0) * ((x - x0) / (x1 - x0)))).abs()
    };
    let mut before = 0.0f64;
    let mut error = 0.0f64;
    for (point, inside) in inside.iter().enumerate().take(to + 1).skip(from + 1) {
        // Between points both are lines, so the maximum distance is at an end.
        let here = off(point);
        error = error.max(before.max(here) + inside);
        before = here;
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::group::{Group, Strategy};
    use crate::ranking::scores::{Bits, Domain, Observations, Score};
    use crate::statistics::tests::points_of_ties;
    use proptest::prelude::*;

    /// (fp, tp, error) of each point.
    type PointsWithErrors = Vec<(u64, u64, f64)>;

    fn thin<S: Score>(group: &mut Group<S::Key>, max_points: usize) -> PointsWithErrors {
        let points = points_of_ties(&RocCurveThinned { max_points }, group.ties()).unwrap();
        let counts = points.counts("fp").iter().zip(points.counts("tp")).zip(points.numbers("error"));
        counts.map(|((&fp, &tp), &error)| (fp, tp, error)).collect()
    }

    /// The largest vertical distance at any point of the whole curve.
    fn error_by_definition(points: &PointsWithErrors, all: &[(u64, u64)]) -> f64 {
        let (_, n_pos) = all[all.len() - 1];
        let y = |count: u64| count as f64 / n_pos as f64;
        let mut worst = 0.0f64;
        for pair in points.windows(2) {
            let ((x0, y0, _), (x1, y1, _)) = (pair[0], pair[1]);
            for &(fp, tp) in all.iter().filter(|point| x0 < point.0 && point.0 < x1) {
                let line = y(y0) + (y(y1) - y(y0)) * ((fp - x0) as f64 / (x1 - x0) as f64);
                worst = worst.max((y(tp) - line).abs());
            }
        }
        worst
    }

    fn all_points<S: Score>(group: &mut Group<S::Key>) -> Vec<(u64, u64)> {
        Points::from_ties(&mut group.ties()).unwrap().counts().to_vec()
    }

    proptest! {
        #[test]
        fn few_rows_are_exact(rows in proptest::collection::vec((any::<bool>(), 0u8..40), 2..120), max_points in 2usize..20) {
            let mut labels = vec![0u8; rows.len() / 8 + 1];
            rows.iter().enumerate().filter(|(row, (label, _))| *row == 0 || (*label && *row > 1)).for_each(|(row, _)| labels[row / 8] |= 1 << (row % 8));
            let scores: Vec<u8> = rows.iter().map(|row| row.1).collect();
            let mut group = Group::default();
            group.load(Observations::new(&scores, Bits::new(&labels, 0, rows.len()), None));
            let thinned = thin::<u8>(&mut group, max_points);
            let all = all_points::<u8>(&mut group);
            prop_assert!(thinned.len() <= max_points);
            let worst = thinned.iter().map(|point| point.2).fold(0.0, f64::max);
            // At a vertical step the line may pass below its top and above its foot. The stated error covers
            // both.
            prop_assert!(worst >= error_by_definition(&thinned, &all) - 1e-15);
        }
    }

    /// A group large enough for an outline, in several row orders and ranking strategies.
    #[test]
    fn many_rows() {
        let n = 300_000u64;
        let uniform = |row: u64| (row.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11) as f64 / (1u64 << 53) as f64;
        let labels = vec![0b0010_0101u8; n as usize / 8];
        let labels = Bits::new(&labels, 0, n as usize);
        let scores: Vec<f64> = (0..n)
            .map(|row| {
                let label = labels.word(row as usize) & 1;
                (uniform(row) + uniform(row * 7 + 3) + 0.3 * label as f64).ln()
            })
            .collect();
        let mut group = Group::default();
        group.load(Observations::new(&scores, labels, None));
        let thinned = thin::<f64>(&mut group, 200);
        assert_eq!(thinned.len(), 200);
        let all = all_points::<f64>(&mut group);
        let stated = thinned.iter().map(|point| point.2).fold(0.0, f64::max);
        let worst = error_by_definition(&thinned, &all);
        assert!(worst <= stated && stated < 2.0 * worst, "{worst} {stated}");
        let mut exact = Group::new(Strategy::ClassKeys, Domain::Any);
        exact.load(Observations::new(&scores, labels, None));
        let best = error_by_definition(&thin::<f64>(&mut exact, 200), &all);
        assert!(worst < 1.2 * best, "{worst} {best}");
    }
}
