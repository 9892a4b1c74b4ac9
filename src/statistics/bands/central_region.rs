//! The band spanned by the deepest curves.

use rayon::prelude::*;

use crate::statistics::curve_samples::curve_sample::{CurveSample, Limits, ROUNDING};

/// The range of the deepest curves, the share `level` of all: their central region (Sun and Genton 2011).
///
/// Depth is the modified band depth of López-Pintado and Romo (2009) for pairs: the number of pairs of curves
/// that enclose a curve, summed over places. At each place these are all pairs except pairs above it and
/// pairs below it (Sun, Genton and Nychka 2012). Curves tied with the last one are included. `O(p c log c)`
/// for p places and c curves.
pub fn limits(sample: &CurveSample, level: f64) -> Limits {
    let curves = sample.curves();
    let pairs = |curves: usize| curves as u128 * (curves as u128).saturating_sub(1) / 2;
    let depths_at = |values: &Vec<f64>| -> Vec<u128> {
        let mut sorted = values.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let between = |value: &f64| {
            let below = sorted.partition_point(|other| *other < value - ROUNDING);
            let above = curves - sorted.partition_point(|other| *other <= value + ROUNDING);
            pairs(curves) - pairs(below) - pairs(above)
        };
        values.iter().map(between).collect()
    };
    let depths = sample.positions().par_iter().map(depths_at).reduce(
        || vec![0; curves],
        |one, other| one.iter().zip(other).map(|(one, other)| one + other).collect(),
    );
    let mut sorted = depths.clone();
    sorted.sort_unstable_by(|one, other| other.cmp(one));
    let inside = (level * curves as f64).ceil().max(1.0) as usize;
    let min = sorted[inside.min(curves) - 1];
    let region = |values: &Vec<f64>| {
        let kept = values.iter().zip(&depths).filter(|(_, depth)| **depth >= min);
        kept.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (&value, _)| {
            (low.min(value), high.max(value))
        })
    };
    let (lower, upper) = sample.positions().par_iter().map(region).unzip();
    Limits { lower, upper }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Stream;

    /// The definition of the depth, pair by pair.
    fn depth(curves: &[Vec<f64>], which: usize) -> usize {
        let mut found = 0;
        for index in 0..curves[0].len() {
            for one in 0..curves.len() {
                for other in 0..one {
                    let (a, b) = (curves[one][index], curves[other][index]);
                    found += usize::from((a.min(b)..=a.max(b)).contains(&curves[which][index]));
                }
            }
        }
        found
    }

    #[test]
    fn central_region_contains_the_deepest_curves() {
        let mut stream = Stream::new(3, 1);
        for case in 0..60 {
            let (n, n_positions) = (2 + case % 12, 1 + case % 4);
            // Few distinct values, for many ties.
            let curves: Vec<Vec<f64>> = (0..n)
                .map(|_| (0..n_positions).map(|_| f64::from(stream.index(7)) / 6.0).collect())
                .collect();
            for level in [0.2, 0.5, 0.9] {
                let depths: Vec<usize> = (0..n).map(|which| depth(&curves, which)).collect();
                let mut sorted = depths.clone();
                sorted.sort_unstable();
                let min = sorted[n - (level * n as f64).ceil() as usize];
                let limits = super::limits(&CurveSample::new(&curves).unwrap(), level);
                for index in 0..n_positions {
                    let kept: Vec<f64> = (0..n)
                        .filter(|&which| depths[which] >= min)
                        .map(|which| curves[which][index])
                        .collect();
                    let ends = kept
                        .iter()
                        .fold((1.0f64, 0.0f64), |(low, high), &value| (low.min(value), high.max(value)));
                    assert_eq!((limits.lower[index], limits.upper[index]), ends, "{case} {level} {curves:?}");
                }
            }
        }
    }
}
