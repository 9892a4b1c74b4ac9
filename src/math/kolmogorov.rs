//! The limiting distribution of the Kolmogorov-Smirnov statistic.

use std::f64::consts::PI;

/// The probability that the scaled two-sided distance `sqrt(m n / (m + n)) D` exceeds `distance`, for large
/// samples from one continuous distribution.
///
/// `2 sum (-1)^(k-1) exp(-2 k² x²)` (Kolmogorov 1933). Below 1 the equal theta series
/// `1 - sqrt(2 pi)/x sum exp(-(2k-1)² pi² / (8 x²))` is used, which converges there within a few terms.
pub fn upper_tail(distance: f64) -> f64 {
    if distance <= 0.0 {
        return 1.0;
    }
    if distance < 1.0 {
        let mut sum = 0.0;
        for odd in (1..).step_by(2).map(f64::from) {
            let term = (-odd * odd * PI * PI / (8.0 * distance * distance)).exp();
            sum += term;
            if term <= sum * f64::EPSILON {
                break;
            }
        }
        return 1.0 - (2.0 * PI).sqrt() / distance * sum;
    }
    let mut tail = 0.0;
    let mut sign = 2.0;
    for k in (1..).map(f64::from) {
        let term = (-2.0 * k * k * distance * distance).exp();
        tail += sign * term;
        sign = -sign;
        if term <= tail * f64::EPSILON {
            break;
        }
    }
    tail
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scipy.stats.kstwobign.sf
    #[test]
    fn known_tails() {
        for (x, tail) in [
            (0.2, 0.999_999_999_999_495),
            (0.5, 0.963_945_243_664_875_1),
            (0.999_999, 0.270_000_743_627_456_46),
            (1.0, 0.269_999_671_677_354_6),
            (1.358_098_639_322_595_3, 0.049_999_999_999_987_85),
            (3.0, 3.045_995_948_942_526e-8),
            (8.0, 5.144_418_745_284_83e-56),
        ] {
            let got = upper_tail(x);
            assert!((got / tail - 1.0).abs() < 1e-9, "{x}: {got} against {tail}");
        }
        assert_eq!(upper_tail(0.0), 1.0);
        assert_eq!(upper_tail(40.0), 0.0);
    }
}
