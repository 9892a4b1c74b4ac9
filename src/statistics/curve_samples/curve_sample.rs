//! Curves read at the same places of a sweep, and bands between limits of them.

use rayon::prelude::*;

use super::sweep::{Point, Ray, Sweep};
use crate::math::quantile::mean_and_deviation;

/// The readings of many curves.
#[derive(Clone, Debug)]
pub struct CurveSample {
    /// The readings of all curves at each place of the sweep.
    places: Vec<Vec<f64>>,
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
        let places = first.len();
        let of_place = |place: usize| curves.iter().map(|curve| curve[place]).collect();
        Some(CurveSample { places: (0..places).into_par_iter().map(of_place).collect() })
    }

    /// The number of curves.
    pub fn curves(&self) -> usize {
        self.places.first().map_or(0, Vec::len)
    }

    /// The readings of all curves at each place of the sweep.
    pub fn places(&self) -> &[Vec<f64>] {
        &self.places
    }

    /// The mean of each place.
    pub fn means(&self) -> Vec<f64> {
        self.places.iter().map(|values| mean_and_deviation(values).0).collect()
    }

    /// The standard deviation of each place.
    pub fn deviations(&self) -> Vec<f64> {
        self.places.iter().map(|values| mean_and_deviation(values).1).collect()
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
            let point = |place: usize| {
                let rate = rates[place];
                let [mean, lower, upper] = [means[place], lower[place], upper[place]].map(|tpr| (rate, tpr));
                BandPoint { at: At::Number(rate), mean, lower, upper }
            };
            (0..rates.len()).map(point).collect()
        }
        Sweep::Radial(rays) => radial_band(rays, means, limits),
        Sweep::Threshold(places) => {
            let ((fpr, tpr), (low_fpr, low_tpr), (high_fpr, high_tpr)) = (
                means.split_at(places.len() + 1),
                lower.split_at(places.len() + 1),
                upper.split_at(places.len() + 1),
            );
            let (low_tpr, high_tpr) = (rising(low_tpr, tpr), falling(high_tpr, tpr));
            let (low_fpr, high_fpr) = match corner {
                Corner::Tpr => (fpr.to_vec(), fpr.to_vec()),
                Corner::Box => (rising(low_fpr, fpr), falling(high_fpr, fpr)),
            };
            let point = |place: usize| BandPoint {
                at: At::Score(place.checked_sub(1).map(|place| places[place])),
                mean: (fpr[place], tpr[place]),
                lower: (high_fpr[place], low_tpr[place]),
                upper: (low_fpr[place], high_tpr[place]),
            };
            (0..=places.len()).map(point).collect()
        }
    }
}

/// The points of a band on rays.
fn radial_band(rays: &[Ray], means: &[f64], limits: &Limits) -> Vec<BandPoint> {
    let Limits { lower, upper } = limits;
    let clipped = |place: usize, distance: f64| distance.clamp(0.0, rays[place].longest());
    let mut lower: Vec<f64> = (0..rays.len()).map(|place| clipped(place, lower[place])).collect();
    let mut upper: Vec<f64> = (0..rays.len()).map(|place| clipped(place, upper[place])).collect();
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
    let point = |place: usize| {
        let (ray, mean) = (rays[place], means[place]);
        let [mean, lower, upper] =
            [mean, lower[place].min(mean), upper[place].max(mean)].map(|to| ray.point(to));
        BandPoint { at: At::Number(ray.angle), mean, lower, upper }
    };
    without_rounding((0..rays.len()).map(point).collect())
}

/// Clamps rounded points on rays: all rates are in [0, 1] and non-decreasing.
fn without_rounding(mut points: Vec<BandPoint>) -> Vec<BandPoint> {
    let mut highest = [(0.0f64, 0.0f64); 3];
    for point in &mut points {
        for (highest, of) in highest.iter_mut().zip([&mut point.mean, &mut point.lower, &mut point.upper]) {
            *highest = (of.0.clamp(highest.0, 1.0), of.1.clamp(highest.1, 1.0));
            *of = *highest;
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
    use crate::statistics::curve_samples::sweep::Places;

    #[test]
    fn bands_rise_and_stay_in_the_square() {
        let means = [0.0, 0.3, 0.5, 1.0];
        let limits = Limits { lower: vec![-0.2, 0.2, 0.1, 0.9], upper: vec![0.4, 0.3, 0.8, 1.3] };
        let points = band(&Sweep::at(Places::Rates, 4, 0), &means, &limits, Corner::Tpr);
        let (lower, upper): (Vec<f64>, Vec<f64>) =
            points.iter().map(|point| (point.lower.1, point.upper.1)).unzip();
        assert_eq!((lower, upper), (vec![0.0, 0.2, 0.2, 0.9], vec![0.3, 0.3, 0.8, 1.0]));
        let rays = band(&Sweep::at(Places::Rays, 4, 0), &[1.0, 0.9, 0.9, 1.0], &limits, Corner::Tpr);
        for pair in rays.windows(2) {
            for of in [|point: &BandPoint| point.lower, |point: &BandPoint| point.upper] {
                let (one, other) = (of(&pair[0]), of(&pair[1]));
                assert!(one.0 <= other.0 + 1e-12 && one.1 <= other.1 + 1e-12, "{rays:?}");
            }
        }
    }
}
