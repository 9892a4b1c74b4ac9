//! Limits that are for a sample of curves as a whole, from all places of a sweep together.

use rayon::prelude::*;

use super::curve_sample::{CurveSample, Limits, ROUNDING};
use crate::math::normal::upper_quantile;

/// The mean curve and so many standard deviations to either side, as many as the share `level` of the curves are from
/// the mean where they are farthest from it: the sup-t band (Montiel Olea and Plagborg-Møller 2019). The places go from
/// rate 0 to rate 1. None with a single curve.
/// The deviations are [`at_least_wilson`].
pub fn sup_t(sample: &CurveSample, level: f64, n_pos: u64) -> Option<Limits> {
    if sample.curves() < 2 {
        return None;
    }
    let center = sample.means();
    let spread = at_least_wilson(sample.deviations(), &center, n_pos, level);
    let mut reaches = vec![0.0f64; sample.curves()];
    for (place, values) in sample.places().iter().enumerate() {
        for (reach, value) in reaches.iter_mut().zip(values) {
            *reach = reach.max((value - center[place]).abs() / spread[place]);
        }
    }
    let reach = reach(reaches, level);
    let limit =
        |side: f64| center.iter().zip(&spread).map(|(mean, spread)| mean + side * reach * spread).collect();
    Some(from_corner_to_corner(Limits { lower: limit(-1.0), upper: limit(1.0) }))
}

/// The number that a further one of these would exceed with the probability `1 - level`, or the largest.
pub fn reach(mut each: Vec<f64>, level: f64) -> f64 {
    each.sort_unstable_by(f64::total_cmp);
    let rank = (level * (each.len() + 1) as f64).ceil() as usize;
    each[rank.clamp(1, each.len()) - 1]
}

/// Standard deviations of a tpr at several places, none less than Wilson's (1927): half the width of his interval of the tpr
/// with so many positives, divided by the normal quantile.
///
/// Where no resample varies, as behind the lowest positive, their deviation says nothing about the population. Delaney-Busch
/// (2025) gave bootstrap bands of ROC curves a floor from this interval, its half width itself.
pub fn at_least_wilson(mut deviations: Vec<f64>, tpr: &[f64], n_pos: u64, level: f64) -> Vec<f64> {
    let (z, n) = (upper_quantile(0.5 * (1.0 - level)), n_pos as f64);
    for (deviation, &tpr) in deviations.iter_mut().zip(tpr) {
        let tpr = tpr.clamp(0.0, 1.0);
        let least = (tpr * (1.0 - tpr) / n + z * z / (4.0 * n * n)).sqrt() / (1.0 + z * z / n);
        *deviation = deviation.max(least);
    }
    deviations
}

/// Limits that hold both corners. Resamples begin and end with the steps of a sample, as high as these are, but the curve of
/// a population without such steps goes through (0, 0) and (1, 1). No other place has limits from there.
pub fn from_corner_to_corner(mut limits: Limits) -> Limits {
    if let Some(first) = limits.lower.first_mut() {
        *first = 0.0;
    }
    if let Some(last) = limits.upper.last_mut() {
        *last = 1.0;
    }
    limits
}

/// From the least to the greatest reading of the share `level` of the curves that are the deepest: their central region (Sun
/// and Genton 2011). None with a single curve.
///
/// The depth of a curve is the modified band depth of López-Pintado and Romo (2009), of pairs: for how many pairs
/// of curves, summed over the places, it is between both. At a place these are all pairs without those that are both above
/// or both below it (Sun, Genton and Nychka 2012). Curves that are as deep as the last one are kept as well.
/// `O(p c log c)` for p places and c curves.
pub fn central_region(sample: &CurveSample, level: f64) -> Option<Limits> {
    let curves = sample.curves();
    if curves < 2 {
        return None;
    }
    let pairs = |curves: usize| curves as u128 * (curves as u128).saturating_sub(1) / 2;
    let at_place = |values: &Vec<f64>| -> Vec<u128> {
        let mut sorted = values.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let between = |value: &f64| {
            let below = sorted.partition_point(|other| *other < value - ROUNDING);
            let above = curves - sorted.partition_point(|other| *other <= value + ROUNDING);
            pairs(curves) - pairs(below) - pairs(above)
        };
        values.iter().map(between).collect()
    };
    let depths = sample.places().par_iter().map(at_place).reduce(
        || vec![0; curves],
        |one, other| one.iter().zip(other).map(|(one, other)| one + other).collect(),
    );
    let mut sorted = depths.clone();
    sorted.sort_unstable_by(|one, other| other.cmp(one));
    let inside = (level * curves as f64).ceil().max(1.0) as usize;
    let least = sorted[inside.min(curves) - 1];
    let region = |values: &Vec<f64>| {
        let kept = values.iter().zip(&depths).filter(|(_, depth)| **depth >= least);
        kept.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (&value, _)| {
            (low.min(value), high.max(value))
        })
    };
    let (lower, upper) = sample.places().par_iter().map(region).unzip();
    Some(Limits { lower, upper })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Stream;

    fn sample(curves: &[Vec<f64>]) -> CurveSample {
        CurveSample::new(curves).unwrap()
    }

    /// All curves but one are within the limits, and the one that is farthest away is not.
    #[test]
    fn the_farthest_curves_are_left_out() {
        let curves: Vec<Vec<f64>> =
            (0..9).map(|curve| vec![0.1, 0.5 + 0.01 * f64::from(curve), 0.7, 0.9]).collect();
        let limits = sup_t(&sample(&curves), 0.8, 10).unwrap();
        // The eighth of nine: both outermost curves are equally far away.
        assert!(
            (limits.lower[1] - 0.5).abs() < 1e-12 && (limits.upper[1] - 0.58).abs() < 1e-12,
            "{limits:?}"
        );
        // Nothing varies at the other places, where the deviation is Wilson's.
        let z = upper_quantile(0.1);
        let least = |share: f64| (share * (1.0 - share) / 10.0 + z * z / 400.0).sqrt() / (1.0 + z * z / 10.0);
        let reach = 0.04 / least(0.54);
        assert!((limits.upper[2] - 0.7 - reach * least(0.7)).abs() < 1e-12, "{limits:?}");
        assert!((limits.lower[3] - 0.9 + reach * least(0.9)).abs() < 1e-12, "{limits:?}");
        assert_eq!((limits.lower[0], limits.upper[3]), (0.0, 1.0));
        assert!(sup_t(&sample(&curves[..1]), 0.8, 10).is_none());
    }

    #[test]
    fn a_reach_is_the_quantile_for_one_more() {
        let each: Vec<f64> = (1..=99).rev().map(f64::from).collect();
        assert_eq!((reach(each.clone(), 0.95), reach(each.clone(), 0.5)), (95.0, 50.0));
        assert_eq!((reach(vec![2.0, 1.0], 0.99), reach(vec![2.0, 1.0], 0.01)), (2.0, 1.0));
    }

    /// Pair by pair, as the depth is defined.
    fn depth(curves: &[Vec<f64>], which: usize) -> usize {
        let mut found = 0;
        for place in 0..curves[0].len() {
            for one in 0..curves.len() {
                for other in 0..one {
                    let (a, b) = (curves[one][place], curves[other][place]);
                    found += usize::from((a.min(b)..=a.max(b)).contains(&curves[which][place]));
                }
            }
        }
        found
    }

    #[test]
    fn central_regions_are_of_the_deepest_curves() {
        let mut stream = Stream::new(3, 1);
        for case in 0..60 {
            let (n, places) = (2 + case % 12, 1 + case % 4);
            // Few distinct values, so that many tie.
            let curves: Vec<Vec<f64>> =
                (0..n).map(|_| (0..places).map(|_| f64::from(stream.index(7)) / 6.0).collect()).collect();
            for level in [0.2, 0.5, 0.9] {
                let depths: Vec<usize> = (0..n).map(|which| depth(&curves, which)).collect();
                let mut sorted = depths.clone();
                sorted.sort_unstable();
                let least = sorted[n - (level * n as f64).ceil() as usize];
                let limits = central_region(&sample(&curves), level).unwrap();
                for place in 0..places {
                    let kept: Vec<f64> = (0..n)
                        .filter(|&which| depths[which] >= least)
                        .map(|which| curves[which][place])
                        .collect();
                    let ends = kept
                        .iter()
                        .fold((1.0f64, 0.0f64), |(low, high), &value| (low.min(value), high.max(value)));
                    assert_eq!((limits.lower[place], limits.upper[place]), ends, "{case} {level} {curves:?}");
                }
            }
        }
        assert!(central_region(&sample(&[vec![0.5]]), 0.5).is_none());
    }
}
