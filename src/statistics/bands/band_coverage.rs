//! How much of a curve lies outside a band.

use crate::statistics::curve_samples::sweep::Point;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Curvewise, record};
use crate::statistics::options::from_options;

/// How many curves lie within a band, and how much of the others is outside.
#[derive(Clone, Copy, Debug)]
pub struct BandCoverage {
    /// The share of curves whose epsilon does not exceed the epsilon of the group.
    pub level: f64,
}

record! {
    /// The curves of one group.
    pub struct BandCoverageRecord {
        /// The share of curves that lie entirely within the band.
        pub coverage: Option<f64>,
        /// The smallest value that at least the share `level` of the `epsilons` does not exceed.
        pub epsilon: Option<f64>,
        /// The number of curves compared.
        pub n_curves: u64,
        /// For each curve, the share of its points outside the band, in ascending order.
        pub epsilons: Vec<f64>,
    }
}

from_options!(|options| BandCoverage { level: options.level()? });

impl Curvewise for BandCoverage {
    type Record = BandCoverageRecord;

    const ROLES: &'static [(&'static str, &'static str, &'static [&'static str])] = &[
        ("band", "roc_band", &["lower_fpr", "lower_tpr", "upper_fpr", "upper_tpr"]),
        ("curve", "roc_curve", &["fpr", "tpr"]),
    ];

    fn evaluate(&self, rows: &[Vec<Vec<&[f64]>>]) -> BandCoverageRecord {
        let points = |fields: &[&[f64]]| -> Vec<Point> {
            fields[0].iter().copied().zip(fields[1].iter().copied()).collect()
        };
        let outside = |row: &Vec<Vec<&[f64]>>| {
            let (band, curve) = (&row[0], &row[1]);
            epsilon(&points(&band[..2]), &points(&band[2..]), &points(curve))
        };
        let mut epsilons: Vec<f64> = rows.iter().filter_map(outside).collect();
        epsilons.sort_unstable_by(f64::total_cmp);
        let n = epsilons.len();
        let inside = epsilons.partition_point(|&epsilon| epsilon <= 0.0);
        let reached = (self.level * n as f64).ceil() as usize;
        BandCoverageRecord {
            coverage: (n > 0).then(|| inside as f64 / n as f64),
            epsilon: epsilons.get(reached.clamp(1, n.max(1)) - 1).copied(),
            n_curves: n as u64,
            epsilons,
        }
    }
}

/// Excesses up to this size are rounding errors: limits and curves are both interpolated.
const ROUNDING: f64 = 1e-12;

/// The share of the points of a curve outside the band between a lower and an upper curve; `None` for an
/// empty curve or band. It is the epsilon of Macskassy, Provost and Littman (2003, section 7).
///
/// Points of all three are in order.
///
/// All curves are piecewise linear. A vertical piece of a limit belongs to the band.
fn epsilon(lower: &[Point], upper: &[Point], curve: &[Point]) -> Option<f64> {
    if curve.is_empty() || lower.is_empty() || upper.is_empty() {
        return None;
    }
    let is_inside =
        |&(fpr, tpr): &Point| bottom(lower, fpr) - ROUNDING <= tpr && tpr <= top(upper, fpr) + ROUNDING;
    let outside = curve.iter().filter(|point| !is_inside(point)).count();
    Some(outside as f64 / curve.len() as f64)
}

/// The highest tpr of a curve at an fpr. Before its first point it is the first tpr, and behind its last
/// point 1.
fn top(curve: &[Point], fpr: f64) -> f64 {
    let beyond = curve.partition_point(|point| point.0 <= fpr + ROUNDING);
    match (beyond.checked_sub(1).map(|index| curve[index]), curve.get(beyond)) {
        (Some(from), Some(to)) => between(from, *to, fpr),
        (Some((at, tpr)), None) => {
            if at + ROUNDING < fpr {
                1.0
            } else {
                tpr
            }
        }
        (None, to) => to.map_or(1.0, |to| to.1),
    }
}

/// The lowest tpr of a curve at an fpr. Before its first point it is 0, and behind its last point the last
/// tpr.
fn bottom(curve: &[Point], fpr: f64) -> f64 {
    let reached = curve.partition_point(|point| point.0 < fpr - ROUNDING);
    match (reached.checked_sub(1).map(|index| curve[index]), curve.get(reached)) {
        (Some(from), Some(to)) => between(from, *to, fpr),
        (Some((_, tpr)), None) => tpr,
        (None, Some(&(at, tpr))) => {
            if fpr < at - ROUNDING {
                0.0
            } else {
                tpr
            }
        }
        (None, None) => 0.0,
    }
}

/// Interpolates the tpr between two points at an fpr; exact at both ends.
fn between(from: Point, to: Point, fpr: f64) -> f64 {
    let share = ((fpr - from.0) / (to.0 - from.0)).clamp(0.0, 1.0);
    from.1 + (to.1 - from.1) * share
}

declaration! {
    /// The share of curves that lie entirely within a band, and the share of each curve that lies outside.
    ///
    /// Words: coverage of a band, containment, epsilon.
    BandCoverage => BandCoverageRecord {
        /// A column of bands from `roc_band()`, the same band in all rows of a group.
        band: column,
        /// A column of curves, one per row: lists of structs with `fpr` and `tpr` (Float64), as returned by
        /// `roc_curve()`.
        curve: column;
        /// For `epsilon`, it is the share of curves.
        level = 0.95,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_outside() {
        let lower = [(0.0, 0.0), (0.5, 0.5), (0.5, 0.6), (1.0, 0.9)];
        let upper = [(0.0, 0.2), (0.25, 0.6), (0.25, 0.8), (1.0, 1.0)];
        for (point, is_inside) in [
            ((0.0, 0.2), true),
            ((0.0, 0.21), false),
            ((0.25, 0.8), true),
            ((0.125, 0.4), true),
            ((0.125, 0.41), false),
            ((0.5, 0.5), true),
            ((0.5, 0.49), false),
            ((0.75, 0.75), true),
            ((0.75, 0.74), false),
            ((1.0, 1.0), true),
            ((0.6, f64::NAN), false),
        ] {
            assert_eq!(epsilon(&lower, &upper, &[point]), Some(f64::from(u8::from(!is_inside))), "{point:?}");
        }
        assert_eq!(epsilon(&lower, &upper, &[(0.0, 0.0), (0.0, 0.9), (0.5, 0.7), (1.0, 1.0)]), Some(0.25));
        assert_eq!(epsilon(&lower, &upper, &[]), None);
        assert_eq!(epsilon(&[], &[], &[(0.0, 0.0)]), None);
    }

    #[test]
    fn curves_of_a_group() {
        let curve = |fpr, tpr| -> Vec<Vec<&[f64]>> {
            vec![vec![&[0.0, 1.0][..], &[0.0, 1.0], &[0.0, 1.0], &[0.5, 1.0]], vec![fpr, tpr]]
        };
        let rows = [
            curve(&[0.0, 0.5], &[0.2, 0.7]),
            curve(&[0.0, 0.5], &[0.6, 0.7]),
            curve(&[0.0, 0.5], &[0.6, 0.1]),
            curve(&[], &[]),
        ];
        let compute = |level, rows: &[_]| BandCoverage { level }.evaluate(rows);
        let record = compute(0.6, &rows);
        assert_eq!((record.coverage, record.epsilon, record.n_curves), (Some(1.0 / 3.0), Some(0.5), 3));
        assert_eq!(record.epsilons, [0.0, 0.5, 1.0]);
        assert_eq!((compute(0.2, &rows).epsilon, compute(0.7, &rows).epsilon), (Some(0.0), Some(1.0)));
        assert_eq!(compute(0.5, &[]), BandCoverageRecord::undefined(crate::ranking::Count::default()));
    }

    #[test]
    fn beyond_the_ends_of_a_limit() {
        let (lower, upper) = ([(0.3, 0.0), (0.8, 0.7)], [(0.1, 0.5), (0.6, 1.0)]);
        assert_eq!(epsilon(&lower, &upper, &[(0.05, 0.5), (0.2, 0.0), (0.9, 0.7), (0.9, 1.0)]), Some(0.0));
        assert_eq!(epsilon(&lower, &upper, &[(0.05, 0.6), (0.9, 0.6)]), Some(1.0));
    }
}
