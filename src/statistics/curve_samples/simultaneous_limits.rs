//! Parts of bands for whole curves: the quantile of distances, the least deviation of a place, and both corners.

use super::curve_sample::Limits;
use crate::math::normal::upper_quantile;
use crate::statistics::inference::interval::tail;

/// The quantile of these numbers that one more number would exceed with the probability `1 - level`; at most the largest.
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
    let (z, n) = (upper_quantile(tail(level)), n_pos as f64);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reach_is_the_quantile_for_one_more() {
        let each: Vec<f64> = (1..=99).rev().map(f64::from).collect();
        assert_eq!((reach(each.clone(), 0.95), reach(each.clone(), 0.5)), (95.0, 50.0));
        assert_eq!((reach(vec![2.0, 1.0], 0.99), reach(vec![2.0, 1.0], 0.01)), (2.0, 1.0));
    }
}
