//! The band from ellipses of both rates at thresholds.

use crate::statistics::curve_samples::{
    curve_sample::{At, BandPoint, CurveSample, ROUNDING, highest_so_far, lowest_from_here},
    sweep::Point,
};

/// The band of curves read at thresholds: the envelope of their ellipses.
///
/// At a threshold both rates are modelled as jointly normal, with the means, variances and covariance of the
/// curves. Their ellipse contains all points within the Mahalanobis distance `√(-2 ln(1 - level))`, the root
/// of the chi-square quantile with two degrees of freedom. Its probability is `level`. The envelope of many
/// ellipses touches each approximately where its extent at right angles to the curve is largest. Demidenko
/// (2012) does the same for a binormal curve. The direction of the curve is the chord from the previous
/// threshold to the next one.
pub fn band(sample: &CurveSample, indices: &[usize], level: f64) -> Vec<BandPoint> {
    let means = sample.means();
    let (fpr, tpr) = means.split_at(indices.len() + 1);
    let (fprs, tprs) = sample.positions().split_at(indices.len() + 1);
    let radius = (-2.0 * (1.0 - level).ln()).sqrt();
    let last = indices.len();
    // The extent of a threshold's ellipse, to the right and down.
    let extent = |index: usize| -> Point {
        let (before, after) = (index.saturating_sub(1), (index + 1).min(last));
        let (mut along, mut up) = (fpr[after] - fpr[before], tpr[after] - tpr[before]);
        if along.max(up) < ROUNDING {
            // If all curves are constant here, there is no direction.
            (along, up) = (1.0, 1.0);
        }
        let part = |one: &[f64], other: &[f64], means: Point| {
            let sum: f64 = one.iter().zip(other).map(|(a, b)| (a - means.0) * (b - means.1)).sum();
            sum / (sample.curves() - 1) as f64
        };
        let (neg, pos) = (&fprs[index], &tprs[index]);
        let var_fpr = part(neg, neg, (fpr[index], fpr[index]));
        let var_tpr = part(pos, pos, (tpr[index], tpr[index]));
        let covariance = part(neg, pos, (fpr[index], tpr[index]));
        let (right, down) = (var_fpr * up - covariance * along, var_tpr * along - covariance * up);
        let square = up * right + along * down;
        if square <= 0.0 {
            return (0.0, 0.0);
        }
        // A covariance moves the point along the curve, but never to its other side.
        let scale = radius / square.sqrt();
        ((scale * right).max(0.0), (scale * down).max(0.0))
    };
    let extents: Vec<Point> = (0..=last).map(extent).collect();
    let corner = |side: f64| -> Vec<Point> {
        let end = |index: usize| (fpr[index] + side * extents[index].0, tpr[index] - side * extents[index].1);
        (0..=last).map(end).collect()
    };
    let (lower, upper) = (corner(1.0), corner(-1.0));
    // Ellipses have different extents. Both limits are made monotone such that they cut off no part of any
    // ellipse.
    let lower_fpr = highest_so_far(lower.iter().map(|point| point.0.min(1.0)));
    let upper_tpr = highest_so_far(upper.iter().map(|point| point.1.min(1.0)));
    let lower_tpr = lowest_from_here(lower.iter().map(|point| point.1.max(0.0)));
    let upper_fpr = lowest_from_here(upper.iter().map(|point| point.0.max(0.0)));
    let point = |index: usize| BandPoint {
        at: At::Score(index.checked_sub(1).map(|index| indices[index])),
        mean: (fpr[index], tpr[index]),
        lower: (lower_fpr[index], lower_tpr[index]),
        upper: (upper_fpr[index], upper_tpr[index]),
    };
    (0..=last).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_ellipses() {
        // Rates of 0.4 and 0.6 with deviations of 0.1 and 0.2, and no covariance; the curve has a slope of 45
        // degrees.
        let (a, b) = (0.1 * 0.75f64.sqrt(), 0.2 * 0.75f64.sqrt());
        let curve = |f: f64, t: f64| vec![0.0, 0.4 + f, 1.0, 0.0, 0.6 + t, 1.0];
        let sample = CurveSample::new(&[curve(a, b), curve(-a, b), curve(a, -b), curve(-a, -b)]).unwrap();
        let points = band(&sample, &[0, 1], 0.5);
        let radius = (2.0 * 2f64.ln()).sqrt();
        let norm = 0.05f64.sqrt();
        let near = |got: f64, expected: f64| assert!((got - expected).abs() < 1e-12, "{got} {expected}");
        near(points[1].lower.0, 0.4 + radius * 0.01 / norm);
        near(points[1].lower.1, 0.6 - radius * 0.04 / norm);
        near(points[1].upper.0, 0.4 - radius * 0.01 / norm);
        near(points[1].upper.1, 0.6 + radius * 0.04 / norm);
        assert_eq!((points[0].lower, points[0].at), ((0.0, 0.0), At::Score(None)));
        assert_eq!((points[2].upper, points[2].at), ((1.0, 1.0), At::Score(Some(1))));
    }
}
