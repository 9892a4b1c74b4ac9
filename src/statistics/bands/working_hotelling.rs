//! The band about a binormal curve.

use crate::math::normal::{upper_quantile, upper_tail};
use crate::ranking::ties::{Counts, Ties};
use crate::statistics::curve_samples::{
    curve_sample::{BandAtRates, Limits},
    sweep::even_rates,
};
use crate::statistics::curves::binormal::{Moments, moments};

/// Rates from 0 to 1, the binormal curve there, and the limits of its tpr (Ma and Hall 1993; Demidenko 2012).
///
/// In normal quantiles the curve is the line `a + b z`, where `b = s0 / s1` and `a = (m1 - m0) / s1` from the
/// means and deviations of the classes. In large samples of `n1` positives and `n0` negatives,
/// `Var a = 1 / n1 + b² / n0 + a² / (2 n1)`, `Var b = b² (1 / (2 n1) + 1 / (2 n0))`, and
/// `Cov(a, b) = a b / (2 n1)`. The line lies within `√(χ²(2) Var(a + b z))` of the estimate simultaneously
/// for all `z` (Working and Hotelling 1929). The quantile of χ² with two degrees of freedom is
/// `-2 ln(1 - level)`. `None` if a class has no spread, or if the spreads differ so much that squares exceed
/// the range of floats.
pub fn limits(ties: &Ties<'_>, counts: &Counts, level: f64, n_points: u32) -> Option<BandAtRates> {
    let (n_pos, n_neg) = (ties.n_pos() as f64, ties.n_neg() as f64);
    let Moments { distance, pos, neg } = moments(ties, counts)?;
    let (a, b) = (distance / pos, neg / pos);
    // Squares outside the range of floats give no usable variance.
    if !((a * a).is_finite() && (b * b).is_normal()) {
        return None;
    }
    let var_a = 1.0 / n_pos + b * b / n_neg + a * a / (2.0 * n_pos);
    let var_b = b * b * (0.5 / n_pos + 0.5 / n_neg);
    let covariance = a * b / (2.0 * n_pos);
    let factor = (-2.0 * (1.0 - level).ln()).sqrt();
    let rates = even_rates(n_points);
    let at = |rate: f64| -> [f64; 3] {
        if rate <= 0.0 || rate >= 1.0 {
            return [rate; 3];
        }
        let z = -upper_quantile(rate);
        let half = factor * (var_a + 2.0 * z * covariance + z * z * var_b).max(0.0).sqrt();
        [0.0, -half, half].map(|shift| upper_tail(-(a + b * z + shift)))
    };
    let curve_and_limits: Vec<[f64; 3]> = rates.iter().map(|&rate| at(rate)).collect();
    let column = |index: usize| curve_and_limits.iter().map(|limits| limits[index]).collect::<Vec<f64>>();
    Some((rates, column(0), Limits { lower: column(1), upper: column(2) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::with_ties;

    #[test]
    fn a_line_between_normal_quantiles() {
        let scores: Vec<f64> =
            (0..200).map(|row| f64::from(row % 100) / 10.0 + if row < 100 { 0.0 } else { 3.0 }).collect();
        let labels: Vec<u8> = (0..200).map(|row| u8::from(row >= 100)).collect();
        let (_, means, limits) = with_ties(&labels, &scores, |mut ties| {
            let counts = ties.counts();
            super::limits(&ties, &counts, 0.95, 101)
        })
        .unwrap();
        // Both classes have equal spread: at fpr 1/2 the quantile of the tpr is the standardised distance.
        let a = 3.0 / (9999.0f64 / 12.0 / 100.0).sqrt();
        assert!((means[50] - upper_tail(-a)).abs() < 1e-12, "{} {a}", means[50]);
        let half = ((2.0 + 0.5 * a * a) / 100.0 * -2.0 * 0.05f64.ln()).sqrt();
        assert!((limits.upper[50] - upper_tail(-(a + half))).abs() < 1e-12);
        assert!((limits.lower[50] - upper_tail(-(a - half))).abs() < 1e-12);
        assert_eq!((limits.lower[0], limits.upper[100]), (0.0, 1.0));
        let limits_of = |scores: &[f64]| {
            with_ties(&[1, 1, 0, 0], scores, |mut ties| {
                let counts = ties.counts();
                super::limits(&ties, &counts, 0.95, 101).map(|(_, means, limits)| (means, limits.upper))
            })
        };
        assert!(limits_of(&[2.0, 2.0, 1.0, 0.0]).is_none());
        // No band if the squared slope underflows. Scores that are all subnormal are scaled, so they have a
        // band.
        assert!(limits_of(&[2.0, 1.0, -0.0, 5e-324]).is_none());
        assert!(limits_of(&[2.0, 1.0, 0.0, 1e-200]).is_none());
        assert_eq!(limits_of(&[5e-323, 3e-323, 0.0, 1e-323]), limits_of(&[5.0, 3.0, 0.0, 1.0]));
    }
}
