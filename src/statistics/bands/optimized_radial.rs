//! The narrowest band on rays that contains whole curves.

use rayon::prelude::*;

use crate::statistics::curve_samples::curve_sample::{CurveSample, Limits, ROUNDING};

/// The narrowest limits that contain the share `level` of whole curves (Macskassy, Provost and Littman 2003,
/// section 6). Candidates are the `k`-th smallest and the `k`-th largest readings of every place.
///
/// A curve lies within the limits of `k` if, at every place, at least `k` readings are not above it and `k`
/// are not below it. Each curve thus has a maximum `k`, and the result is a quantile of these. `O(p c log c)`
/// for p places and c curves.
pub fn limits(sample: &CurveSample, level: f64) -> Limits {
    let sorted: Vec<Vec<f64>> = sample
        .positions()
        .par_iter()
        .map(|values| {
            let mut sorted = values.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            sorted
        })
        .collect();
    let mut depths = vec![usize::MAX; sample.curves()];
    for (values, sorted) in sample.positions().iter().zip(&sorted) {
        for (depth, value) in depths.iter_mut().zip(values) {
            let not_above = sorted.partition_point(|other| *other <= value + ROUNDING);
            let below = sorted.partition_point(|other| *other < value - ROUNDING);
            *depth = (*depth).min(not_above).min(sorted.len() - below);
        }
    }
    depths.sort_unstable_by(|one, other| other.cmp(one));
    let inside = (level * sample.curves() as f64).ceil().max(1.0) as usize;
    // No limits are narrower than at the median.
    let k = depths[inside - 1].min(sample.curves().div_ceil(2));
    let limit = |f: fn(&[f64], usize) -> f64| sorted.iter().map(|sorted| f(sorted, k)).collect();
    Limits { lower: limit(|sorted, k| sorted[k - 1]), upper: limit(|sorted, k| sorted[sorted.len() - k]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The greedy procedure of the paper, implemented literally.
    fn greedily(curves: &[Vec<f64>], level: f64) -> (Vec<f64>, Vec<f64>) {
        let (n, n_positions) = (curves.len(), curves[0].len());
        let sorted: Vec<Vec<f64>> = (0..n_positions)
            .map(|index| {
                let mut values: Vec<f64> = curves.iter().map(|curve| curve[index]).collect();
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
                    (0..n_positions).all(|index| (lower[index]..=upper[index]).contains(&curve[index]))
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
    fn limits_equal_the_greedy_procedure() {
        let mut stream = crate::math::Stream::new(5, 0);
        for case in 0..200 {
            let (n, n_positions) = (2 + case % 60, 1 + case % 7);
            // Few distinct values, for many ties.
            let curves: Vec<Vec<f64>> = (0..n)
                .map(|_| (0..n_positions).map(|_| f64::from(stream.index(12)) / 11.0).collect())
                .collect();
            for level in [0.5, 0.8, 0.95] {
                let limits = super::limits(&CurveSample::new(&curves).unwrap(), level);
                assert_eq!(
                    (limits.lower, limits.upper),
                    greedily(&curves, level),
                    "{case} {level} {curves:?}"
                );
            }
        }
    }

    /// All three curves pass through 0.3, up to the last bit.
    #[test]
    fn rounding_separates_no_curves() {
        let compute = |off: f64| {
            let curves = [vec![0.3, 0.4], vec![0.3 + off, 0.5], vec![0.3 - off, 0.6]];
            limits(&CurveSample::new(&curves).unwrap(), 0.3)
        };
        assert_eq!((compute(0.0).lower[1], compute(0.0).upper[1]), (0.5, 0.5));
        assert_eq!((compute(1e-16).lower[1], compute(1e-16).upper[1]), (0.5, 0.5));
    }
}
