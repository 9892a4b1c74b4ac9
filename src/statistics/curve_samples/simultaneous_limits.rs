//! Components of simultaneous bands: the minimum deviation of a place, and both corners.

use super::curve_sample::Limits;
use crate::math::normal::upper_quantile;
use crate::statistics::inference::interval::tail;

/// Standard deviations of a tpr at several places, bounded below by Wilson's (1927). Wilson's is half the
/// width of his interval for the tpr, divided by the normal quantile.
///
/// Where no resample varies, as behind the lowest positive, the estimated deviation is uninformative.
/// Delaney-Busch (2025) bounded bootstrap bands of ROC curves by the half-width of this interval.
pub fn at_least_wilson(mut deviations: Vec<f64>, tpr: &[f64], n_pos: u64, level: f64) -> Vec<f64> {
    let (z, n) = (upper_quantile(tail(level)), n_pos as f64);
    for (deviation, &tpr) in deviations.iter_mut().zip(tpr) {
        let tpr = tpr.clamp(0.0, 1.0);
        let min = (tpr * (1.0 - tpr) / n + z * z / (4.0 * n * n)).sqrt() / (1.0 + z * z / n);
        *deviation = deviation.max(min);
    }
    deviations
}

/// Limits that include both corners. Resamples begin and end with steps of the sample's height. The curve of
/// a population without such steps passes through (0, 0) and (1, 1). Limits at other places are unchanged.
pub fn from_corner_to_corner(mut limits: Limits) -> Limits {
    if let Some(first) = limits.lower.first_mut() {
        *first = 0.0;
    }
    if let Some(last) = limits.upper.last_mut() {
        *last = 1.0;
    }
    limits
}
