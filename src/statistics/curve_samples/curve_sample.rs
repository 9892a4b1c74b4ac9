//! Curves that were read at the same places of a sweep, and the limits between which they lie.

use rayon::prelude::*;

use super::sweep::{Point, Sweep};
use crate::math::normal::upper_quantile;
use crate::math::quantile::{mean_and_deviation, of_unsorted};

/// What the readings of one place are taken to be distributed as (Macskassy, Provost and Littman 2003, section 3.2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Distribution {
    /// Normally: limits are so many standard deviations from the mean.
    Normal,
    /// As the mean of as many trials as there are curves: their variance is `p (1 - p) / curves`.
    Binomial,
    /// As they are: limits are quantiles.
    #[default]
    Empirical,
}

/// The readings of many curves.
#[derive(Clone, Debug)]
pub struct CurveSample {
    /// For each place of the sweep, what was read there, curve by curve.
    places: Vec<Vec<f64>>,
}

/// The limits of each place of a sweep.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The lower ones.
    pub lower: Vec<f64>,
    /// The upper ones.
    pub upper: Vec<f64>,
}

/// A place of a band: a point of the mean curve, and the points of the lower and of the upper curve that belong to it.
#[derive(Clone, Copy, Debug)]
pub struct BandPoint {
    /// The rate, the angle, or the place among the counts; none where nothing is called positive.
    pub at: At,
    /// The mean of the curves.
    pub mean: Point,
    /// Where the band ends below.
    pub lower: Point,
    /// Where the band ends above.
    pub upper: Point,
}

/// Where a sweep stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum At {
    /// At a rate or an angle.
    Number(f64),
    /// At a score, by its place; before the highest one if there is none.
    Score(Option<usize>),
}

/// What of a threshold's two intervals makes the band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corner {
    /// The interval of the tpr, at the mean fpr.
    Tpr,
    /// The corners of the box that both intervals make.
    Box,
}

/// Readings that differ by less are of curves that go through one point, and differ by rounding alone.
pub const ROUNDING: f64 = 1e-12;

impl CurveSample {
    /// From the readings of each curve; none without a curve.
    pub fn new(curves: &[Vec<f64>]) -> Option<CurveSample> {
        let places = curves.first()?.len();
        let of_place = |place: usize| curves.iter().map(|curve| curve[place]).collect();
        Some(CurveSample { places: (0..places).into_par_iter().map(of_place).collect() })
    }

    /// How many curves there are.
    pub fn curves(&self) -> usize {
        self.places.first().map_or(0, Vec::len)
    }

    /// For each place of the sweep, what was read there, curve by curve.
    pub fn places(&self) -> &[Vec<f64>] {
        &self.places
    }

    /// The mean of each place.
    pub fn means(&self) -> Vec<f64> {
        self.places.iter().map(|values| mean_and_deviation(values).0).collect()
    }

    /// The standard deviation of each place; NaN with a single curve.
    pub fn deviations(&self) -> Vec<f64> {
        self.places.iter().map(|values| mean_and_deviation(values).1).collect()
    }

    /// The limits of each place by itself; none with a single curve.
    pub fn pointwise(&self, distribution: Distribution, level: f64) -> Option<Limits> {
        if self.curves() < 2 {
            return None;
        }
        let tail = 0.5 * (1.0 - level);
        let limits = |values: &Vec<f64>| -> (f64, f64) {
            let (mean, deviation) = mean_and_deviation(values);
            let half = match distribution {
                Distribution::Empirical => {
                    let mut values = values.clone();
                    return (of_unsorted(&mut values, tail), of_unsorted(&mut values, 1.0 - tail));
                }
                Distribution::Normal => deviation,
                // The distance from (1, 0) may be above 1, and has no such variance there.
                Distribution::Binomial => {
                    (mean * (1.0 - mean)).max(0.0).sqrt() / (values.len() as f64).sqrt()
                }
            };
            let half = half * upper_quantile(tail);
            (mean - half, mean + half)
        };
        let (lower, upper) = self.places.par_iter().map(limits).unzip();
        Some(Limits { lower, upper })
    }

    /// The narrowest limits among the `k`-th smallest and the `k`-th largest reading of every place that hold the share
    /// `level` of all curves, each of them whole (Macskassy, Provost and Littman 2003, section 6).
    ///
    /// A curve lies within the limits of `k` if at every place at least `k` readings are not above it, and `k` not
    /// below it. So its own least number decides, and `k` is the quantile of these. `O(p c log c)` for p places and c
    /// curves.
    pub fn optimized(&self, level: f64) -> Option<Limits> {
        if self.curves() < 2 {
            return None;
        }
        let sorted: Vec<Vec<f64>> = self
            .places
            .par_iter()
            .map(|values| {
                let mut sorted = values.clone();
                sorted.sort_unstable_by(f64::total_cmp);
                sorted
            })
            .collect();
        let mut depths = vec![usize::MAX; self.curves()];
        for (values, sorted) in self.places.iter().zip(&sorted) {
            for (depth, value) in depths.iter_mut().zip(values) {
                let not_above = sorted.partition_point(|other| *other <= value + ROUNDING);
                let below = sorted.partition_point(|other| *other < value - ROUNDING);
                *depth = (*depth).min(not_above).min(sorted.len() - below);
            }
        }
        depths.sort_unstable_by(|one, other| other.cmp(one));
        let inside = (level * self.curves() as f64).ceil().max(1.0) as usize;
        // No limits are narrower than the median's.
        let k = depths[inside - 1].min(self.curves().div_ceil(2));
        let limit = |of: fn(&[f64], usize) -> f64| sorted.iter().map(|sorted| of(sorted, k)).collect();
        Some(Limits {
            lower: limit(|sorted, k| sorted[k - 1]),
            upper: limit(|sorted, k| sorted[sorted.len() - k]),
        })
    }
}

/// The points of a band from the means and limits of a sweep, in order.
///
/// A curve never falls, so that its limits at one place hold at others: from the left a lower limit, and from the right an
/// upper one. They are drawn together accordingly, and no curve that lay between them is lost.
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
        Sweep::Radial(rays) => {
            let clipped = |place: usize, distance: f64| distance.clamp(0.0, rays[place].longest());
            let mut lower: Vec<f64> = (0..rays.len()).map(|place| clipped(place, lower[place])).collect();
            let mut upper: Vec<f64> = (0..rays.len()).map(|place| clipped(place, upper[place])).collect();
            let (fpr, tpr) = (
                |ray: usize, distance: f64| 1.0 - rays[ray].point(distance).0,
                |ray: usize, distance: f64| rays[ray].point(distance).1,
            );
            let along_fpr = |ray: usize, specificity: f64| specificity / fpr(ray, 1.0);
            let along_tpr = |ray: usize, height: f64| height / tpr(ray, 1.0);
            // The first ray has no height and the last one no width.
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

/// Points on rays, which are rounded: no rate is beyond 0 or 1, or below the one before.
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

/// Lower limits of rates that rise from place to place, not above their means.
fn rising(limits: &[f64], means: &[f64]) -> Vec<f64> {
    let mut highest = 0.0f64;
    let risen = limits.iter().map(|&limit| {
        highest = highest.max(limit);
        highest
    });
    risen.zip(means).map(|(limit, &mean)| limit.min(mean)).collect()
}

/// Upper limits of rates that rise from place to place, not below their means.
fn falling(limits: &[f64], means: &[f64]) -> Vec<f64> {
    let mut lowest = 1.0f64;
    let mut fallen: Vec<f64> = limits
        .iter()
        .zip(means)
        .rev()
        .map(|(&limit, &mean)| {
            lowest = lowest.min(limit);
            lowest.max(mean)
        })
        .collect();
    fallen.reverse();
    fallen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(curves: &[&[f64]]) -> CurveSample {
        CurveSample::new(&curves.iter().map(|curve| curve.to_vec()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn pointwise_limits() {
        let sample = sample(&[&[0.2, 1.0], &[0.4, 1.0], &[0.6, 1.0]]);
        let normal = sample.pointwise(Distribution::Normal, 0.95).unwrap();
        assert!((normal.upper[0] - (0.4 + 1.959_963_984_540_054 * 0.2)).abs() < 1e-15);
        assert_eq!((normal.lower[1], normal.upper[1]), (1.0, 1.0));
        let binomial = sample.pointwise(Distribution::Binomial, 0.95).unwrap();
        assert!((binomial.lower[0] - (0.4 - 1.959_963_984_540_054 * (0.24f64 / 3.0).sqrt())).abs() < 1e-15);
        let empirical = sample.pointwise(Distribution::Empirical, 0.5).unwrap();
        assert!((empirical.lower[0] - 0.3).abs() < 1e-15 && (empirical.upper[0] - 0.5).abs() < 1e-15);
        assert!(CurveSample::new(&[]).is_none());
        assert!(self::sample(&[&[0.5]]).pointwise(Distribution::Normal, 0.95).is_none());
    }

    /// The greedy procedure of the paper, word by word.
    fn greedily(curves: &[Vec<f64>], level: f64) -> (Vec<f64>, Vec<f64>) {
        let (n, places) = (curves.len(), curves[0].len());
        let sorted: Vec<Vec<f64>> = (0..places)
            .map(|place| {
                let mut values: Vec<f64> = curves.iter().map(|curve| curve[place]).collect();
                values.sort_unstable_by(f64::total_cmp);
                values
            })
            .collect();
        let limits = |outer: usize| -> (Vec<f64>, Vec<f64>) {
            (sorted.iter().map(|s| s[outer]).collect(), sorted.iter().map(|s| s[n - 1 - outer]).collect())
        };
        let mut last = limits(0);
        for outer in 0..n.div_ceil(2) {
            let (lower, upper) = limits(outer);
            let inside = curves
                .iter()
                .filter(|curve| {
                    (0..places).all(|place| (lower[place]..=upper[place]).contains(&curve[place]))
                })
                .count();
            if (inside as f64) < level * n as f64 {
                break;
            }
            last = (lower, upper);
        }
        last
    }

    #[test]
    fn optimized_limits_are_those_of_the_greedy_procedure() {
        let mut stream = crate::math::Stream::new(5, 0);
        for case in 0..200 {
            let (n, places) = (2 + case % 60, 1 + case % 7);
            // Few distinct values, so that many tie.
            let curves: Vec<Vec<f64>> =
                (0..n).map(|_| (0..places).map(|_| f64::from(stream.index(12)) / 11.0).collect()).collect();
            for level in [0.5, 0.8, 0.95] {
                let limits = CurveSample::new(&curves).unwrap().optimized(level).unwrap();
                assert_eq!(
                    (limits.lower, limits.upper),
                    greedily(&curves, level),
                    "{case} {level} {curves:?}"
                );
            }
        }
    }

    /// All three curves go through 0.3, but for the last bit.
    #[test]
    fn rounding_tells_no_curves_apart() {
        let of = |off: f64| {
            let curves = [vec![0.3, 0.4], vec![0.3 + off, 0.5], vec![0.3 - off, 0.6]];
            CurveSample::new(&curves).unwrap().optimized(0.3).unwrap()
        };
        assert_eq!((of(0.0).lower[1], of(0.0).upper[1]), (0.5, 0.5));
        assert_eq!((of(1e-16).lower[1], of(1e-16).upper[1]), (0.5, 0.5));
    }

    #[test]
    fn bands_rise_and_stay_in_the_square() {
        let means = [0.0, 0.3, 0.5, 1.0];
        let limits = Limits { lower: vec![-0.2, 0.2, 0.1, 0.9], upper: vec![0.4, 0.3, 0.8, 1.3] };
        let points = band(&Sweep::vertical(4), &means, &limits, Corner::Tpr);
        let (lower, upper): (Vec<f64>, Vec<f64>) =
            points.iter().map(|point| (point.lower.1, point.upper.1)).unzip();
        assert_eq!((lower, upper), (vec![0.0, 0.2, 0.2, 0.9], vec![0.3, 0.3, 0.8, 1.0]));
        let rays = band(&Sweep::radial(4), &[1.0, 0.9, 0.9, 1.0], &limits, Corner::Tpr);
        for pair in rays.windows(2) {
            for of in [|point: &BandPoint| point.lower, |point: &BandPoint| point.upper] {
                let (one, other) = (of(&pair[0]), of(&pair[1]));
                assert!(one.0 <= other.0 + 1e-12 && one.1 <= other.1 + 1e-12, "{rays:?}");
            }
        }
    }
}
