//! Curves read at the same places of a sweep, and bands between limits of them.

use rayon::prelude::*;

use super::sweep::{Point, Ray, Sweep};
use crate::math::quantile::mean_and_deviation;

/// The readings of many curves.
#[derive(Clone, Debug)]
pub struct CurveSample {
    /// The readings of all curves at each place of the sweep.
    positions: Vec<Vec<f64>>,
}

/// The limits of each place of a sweep.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The lower limits.
    pub lower: Vec<f64>,
    /// The upper limits.
    pub upper: Vec<f64>,
}

/// The rates of a band, the tpr of the curve at each rate, and the limits of the tpr.
pub type BandAtRates = (Vec<f64>, Vec<f64>, Limits);

/// A place of a band: a point of the mean curve, and the corresponding points of the lower and the upper
/// curve.
#[derive(Clone, Copy, Debug)]
pub struct BandPoint {
    /// The rate, the angle, or the index among the counts.
    pub at: At,
    /// The mean of the curves.
    pub mean: Point,
    /// The lower limit.
    pub lower: Point,
    /// The upper limit.
    pub upper: Point,
}

/// A place of a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum At {
    /// A rate or an angle.
    Number(f64),
    /// The index of a score; `None` before the highest score.
    Score(Option<usize>),
}

/// The limits that a threshold band uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corner {
    /// The interval of the tpr, at the mean fpr.
    Tpr,
    /// The corners of the box of both intervals.
    Box,
}

/// Smaller differences between readings are rounding errors of curves through one point.
pub const ROUNDING: f64 = 1e-12;

impl CurveSample {
    /// From the readings of each curve; `None` with fewer than two curves, which have no variance.
    pub fn new(curves: &[Vec<f64>]) -> Option<CurveSample> {
        let [first, _, ..] = curves else { return None };
        let n_positions = first.len();
        let values_at = |index: usize| curves.iter().map(|curve| curve[index]).collect();
        Some(CurveSample { positions: (0..n_positions).into_par_iter().map(values_at).collect() })
    }

    /// The number of curves.
    pub fn curves(&self) -> usize {
        self.positions.first().map_or(0, Vec::len)
    }

    /// The readings of all curves at each place of the sweep.
    pub fn positions(&self) -> &[Vec<f64>] {
        &self.positions
    }

    /// The mean of each place.
    pub fn means(&self) -> Vec<f64> {
        self.positions.iter().map(|values| mean_and_deviation(values).0).collect()
    }

    /// The standard deviation of each place.
    pub fn deviations(&self) -> Vec<f64> {
        self.positions.iter().map(|values| mean_and_deviation(values).1).collect()
    }
}

/// The points of a band in order, from the means and limits of a sweep.
///
/// Curves are monotone, so a limit at one place also holds at others. Lower limits hold to the right, and
/// upper limits to the left. The band is tightened accordingly, and still contains every curve between the
/// limits.
pub fn band(sweep: &Sweep, means: &[f64], limits: &Limits, corner: Corner) -> Vec<BandPoint> {
    let Limits { lower, upper } = limits;
    match sweep {
        Sweep::Vertical(rates) => {
            let (lower, upper) = (rising(lower, means), falling(upper, means));
            let point = |index: usize| {
                let rate = rates[index];
                let [mean, lower, upper] = [means[index], lower[index], upper[index]].map(|tpr| (rate, tpr));
                BandPoint { at: At::Number(rate), mean, lower, upper }
            };
            (0..rates.len()).map(point).collect()
        }
        Sweep::Radial(rays) => radial_band(rays, means, limits),
        Sweep::Threshold(indices) => {
            let ((fpr, tpr), (low_fpr, low_tpr), (high_fpr, high_tpr)) = (
                means.split_at(indices.len() + 1),
                lower.split_at(indices.len() + 1),
                upper.split_at(indices.len() + 1),
            );
            let (low_tpr, high_tpr) = (rising(low_tpr, tpr), falling(high_tpr, tpr));
            let (low_fpr, high_fpr) = match corner {
                Corner::Tpr => (fpr.to_vec(), fpr.to_vec()),
                Corner::Box => (rising(low_fpr, fpr), falling(high_fpr, fpr)),
            };
            let point = |index: usize| BandPoint {
                at: At::Score(index.checked_sub(1).map(|index| indices[index])),
                mean: (fpr[index], tpr[index]),
                lower: (high_fpr[index], low_tpr[index]),
                upper: (low_fpr[index], high_tpr[index]),
            };
            (0..=indices.len()).map(point).collect()
        }
    }
}

/// The points of a band on rays.
fn radial_band(rays: &[Ray], means: &[f64], limits: &Limits) -> Vec<BandPoint> {
    let Limits { lower, upper } = limits;
    let clipped = |index: usize, distance: f64| distance.clamp(0.0, rays[index].longest());
    let mut lower: Vec<f64> = (0..rays.len()).map(|index| clipped(index, lower[index])).collect();
    let mut upper: Vec<f64> = (0..rays.len()).map(|index| clipped(index, upper[index])).collect();
    let (fpr, tpr) = (
        |ray: usize, distance: f64| 1.0 - rays[ray].point(distance).0,
        |ray: usize, distance: f64| rays[ray].point(distance).1,
    );
    let along_fpr = |ray: usize, specificity: f64| specificity / fpr(ray, 1.0);
    let along_tpr = |ray: usize, height: f64| height / tpr(ray, 1.0);
    // The first ray is horizontal and the last one vertical.
    for ray in 1..rays.len() {
        lower[ray] = lower[ray].max(along_tpr(ray, tpr(ray - 1, lower[ray - 1])));
    }
    for ray in (0..rays.len() - 1).rev() {
        lower[ray] = lower[ray].max(along_fpr(ray, fpr(ray + 1, lower[ray + 1])));
    }
    for ray in (1..rays.len() - 1).rev() {
        upper[ray] = upper[ray].min(along_tpr(ray, tpr(ray + 1, upper[ray + 1])));
    }
    for ray in 1..rays.len() - 1 {
        upper[ray] = upper[ray].min(along_fpr(ray, fpr(ray - 1, upper[ray - 1])));
    }
    let point = |index: usize| {
        let (ray, mean) = (rays[index], means[index]);
        let [mean, lower, upper] =
            [mean, lower[index].min(mean), upper[index].max(mean)].map(|to| ray.point(to));
        BandPoint { at: At::Number(ray.angle), mean, lower, upper }
    };
    without_rounding((0..rays.len()).map(point).collect())
}

/// Clamps rounded points on rays: all rates are in [0, 1] and non-decreasing.
fn without_rounding(mut points: Vec<BandPoint>) -> Vec<BandPoint> {
    let mut highest = [(0.0f64, 0.0f64); 3];
    for point in &mut points {
        for (highest, limit) in highest.iter_mut().zip([&mut point.mean, &mut point.lower, &mut point.upper])
        {
            *highest = (limit.0.clamp(highest.0, 1.0), limit.1.clamp(highest.1, 1.0));
            *limit = *highest;
        }
    }
    points
}

/// Non-decreasing lower limits of rates, not above their means.
fn rising(limits: &[f64], means: &[f64]) -> Vec<f64> {
    let rising = highest_so_far(limits.iter().copied());
    rising.iter().zip(means).map(|(limit, &mean)| limit.min(mean)).collect()
}

/// Non-decreasing upper limits of rates, not below their means.
fn falling(limits: &[f64], means: &[f64]) -> Vec<f64> {
    let fallen = lowest_from_here(limits.iter().copied());
    fallen.iter().zip(means).map(|(limit, &mean)| limit.max(mean)).collect()
}

/// The running maximum of rates, at least 0.
pub fn highest_so_far(rates: impl Iterator<Item = f64>) -> Vec<f64> {
    so_far(rates, 0.0, f64::max)
}

/// The running minimum of rates from the end, at most 1.
pub fn lowest_from_here(rates: impl DoubleEndedIterator<Item = f64>) -> Vec<f64> {
    let mut lowest = so_far(rates.rev(), 1.0, f64::min);
    lowest.reverse();
    lowest
}

fn so_far(rates: impl Iterator<Item = f64>, mut extreme: f64, join: fn(f64, f64) -> f64) -> Vec<f64> {
    rates
        .map(|rate| {
            extreme = join(extreme, rate);
            extreme
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::curve_samples::sweep::Positions;

    #[test]
    fn bands_rise_and_stay_in_the_square() {
        let means = [0.0, 0.3, 0.5, 1.0];
        let limits = Limits { lower: vec![-0.2, 0.2, 0.1, 0.9], upper: vec![0.4, 0.3, 0.8, 1.3] };
        let points = band(&Sweep::at(Positions::Rates, 4, 0), &means, &limits, Corner::Tpr);
        let (lower, upper): (Vec<f64>, Vec<f64>) =
            points.iter().map(|point| (point.lower.1, point.upper.1)).unzip();
        assert_eq!((lower, upper), (vec![0.0, 0.2, 0.2, 0.9], vec![0.3, 0.3, 0.8, 1.0]));
        let rays = band(&Sweep::at(Positions::Rays, 4, 0), &[1.0, 0.9, 0.9, 1.0], &limits, Corner::Tpr);
        for pair in rays.windows(2) {
            for limit in [|point: &BandPoint| point.lower, |point: &BandPoint| point.upper] {
                let (one, other) = (limit(&pair[0]), limit(&pair[1]));
                assert!(one.0 <= other.0 + 1e-12 && one.1 <= other.1 + 1e-12, "{rays:?}");
            }
        }
    }
}
