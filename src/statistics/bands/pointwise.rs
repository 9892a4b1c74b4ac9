//! Pointwise bands: vertical, by threshold, and radial.

use rayon::prelude::*;

use crate::math::normal::upper_quantile;
use crate::math::quantile::{mean_and_deviation, unsorted_quantile};
use crate::statistics::curve_samples::curve_sample::{CurveSample, Limits};
use crate::statistics::inference::interval::tail;

/// The assumed distribution of the readings at a place (Macskassy, Provost and Littman 2003, section 3.2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distribution {
    /// Normal: limits are multiples of the standard deviation from the mean.
    Normal,
    /// The mean of as many trials as there are curves, with variance `p (1 - p) / curves`.
    Binomial,
    /// Empirical: limits are quantiles.
    #[default]
    Empirical,
}

/// The limits of each place separately.
pub fn limits(sample: &CurveSample, distribution: Distribution, level: f64) -> Limits {
    let tail = tail(level);
    let limits = |values: &Vec<f64>| -> (f64, f64) {
        let (mean, deviation) = mean_and_deviation(values);
        let half = match distribution {
            Distribution::Empirical => {
                let mut values = values.clone();
                return (unsorted_quantile(&mut values, tail), unsorted_quantile(&mut values, 1.0 - tail));
            }
            Distribution::Normal => deviation,
            // The distance from (1, 0) may exceed 1, where this variance is undefined.
            Distribution::Binomial => (mean * (1.0 - mean)).max(0.0).sqrt() / (values.len() as f64).sqrt(),
        };
        let half = half * upper_quantile(tail);
        (mean - half, mean + half)
    };
    let (lower, upper) = sample.positions().par_iter().map(limits).unzip();
    Limits { lower, upper }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointwise_limits() {
        let sample = CurveSample::new(&[0.2, 0.4, 0.6].map(|rate| vec![rate, 1.0])).unwrap();
        let normal = limits(&sample, Distribution::Normal, 0.95);
        assert!((normal.upper[0] - (0.4 + 1.959_963_984_540_054 * 0.2)).abs() < 1e-15);
        assert_eq!((normal.lower[1], normal.upper[1]), (1.0, 1.0));
        let binomial = limits(&sample, Distribution::Binomial, 0.95);
        assert!((binomial.lower[0] - (0.4 - 1.959_963_984_540_054 * (0.24f64 / 3.0).sqrt())).abs() < 1e-15);
        let empirical = limits(&sample, Distribution::Empirical, 0.5);
        assert!((empirical.lower[0] - 0.3).abs() < 1e-15 && (empirical.upper[0] - 0.5).abs() < 1e-15);
        assert!(CurveSample::new(&[]).is_none() && CurveSample::new(&[vec![0.5]]).is_none());
    }
}
