//! The standard normal distribution, accurate into the far tail.
//!
//! `statrs` 0.19 evaluates the tail and the quantile to about 1e-10, which is not enough for far tails such
//! as 1e-200. The tail therefore uses the complementary error function of `libm` (below one unit in the last
//! place). The quantile starts from `statrs` and is refined with this tail.

use std::cell::Cell;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

use statrs::distribution::{ContinuousCDF, Normal};

/// The probability that a standard normal variable exceeds `z`.
pub fn upper_tail(z: f64) -> f64 {
    0.5 * libm::erfc(z * FRAC_1_SQRT_2)
}

/// `ln(tail(z) exp(z² / 2))`, even if the tail underflows.
pub fn ln_scaled_tail(z: f64) -> f64 {
    if z < 37.0 {
        return upper_tail(z).ln() + 0.5 * z * z;
    }
    // Mills' ratio.
    let r = 1.0 / (z * z);
    let series = 1.0 - r * (1.0 - 3.0 * r * (1.0 - 5.0 * r * (1.0 - 7.0 * r)));
    (series / (z * (2.0 * PI).sqrt())).ln()
}

thread_local! {
    /// A cache per thread of the last probability and its quantile: all intervals of a column share their
    /// level.
    static LAST: Cell<(f64, f64)> = const { Cell::new((f64::NAN, f64::NAN)) };
}

/// The `z` that a standard normal variable exceeds with `probability`, for `0 < probability < 1`.
pub fn upper_quantile(probability: f64) -> f64 {
    if probability > 0.5 {
        return -upper_quantile(1.0 - probability);
    }
    let (last, z) = LAST.get();
    if last == probability {
        return z;
    }
    let z = quantile_of_tail(probability);
    LAST.set((probability, z));
    z
}

/// The quantile of a probability up to 1/2.
fn quantile_of_tail(probability: f64) -> f64 {
    let start = -Normal::standard().inverse_cdf(probability);
    // A Halley step on tail(z) - probability: it cubes the relative error, so one is enough.
    let density = (-0.5 * start * start).exp() / (2.0 * PI).sqrt();
    let newton = (upper_tail(start) - probability) / density;
    start + newton / (1.0 - 0.5 * start * newton)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tails from mpmath at 30 digits.
    #[test]
    fn upper_tail_far_out() {
        for (z, tail) in [
            (0.0, 0.5),
            (1.0, 0.158_655_253_931_457_05),
            (1.959_963_984_540_054, 0.025),
            (5.0, 2.866_515_718_791_939e-7),
            (10.0, 7.619_853_024_160_526e-24),
            (30.0, 4.906_713_927_148_187e-198),
            (-3.0, 0.998_650_101_968_369_9),
        ] {
            let got = upper_tail(z);
            assert!((got / tail - 1.0).abs() < 1e-13, "{z}: {got} against {tail}");
        }
    }

    /// `log(erfcx(z / sqrt(2)) / 2)` of scipy.
    #[test]
    fn scaled_tails() {
        for (z, expected) in [
            (0.0, -std::f64::consts::LN_2),
            (36.999, -4.530_558_588_840_821),
            (37.0, -4.530_585_576_890_593),
            (1e9, -21.642_204_370_151_084),
        ] {
            assert!((ln_scaled_tail(z) - expected).abs() < 1e-12, "{z} {}", ln_scaled_tail(z));
        }
        assert_eq!(ln_scaled_tail(f64::NEG_INFINITY), f64::INFINITY);
        assert!(ln_scaled_tail(f64::NAN).is_nan());
    }

    #[test]
    fn cached_quantile() {
        for probability in [0.025, 0.05, 0.025, 0.025, 0.975, 0.05] {
            let expected = if probability > 0.5 {
                -quantile_of_tail(1.0 - probability)
            } else {
                quantile_of_tail(probability)
            };
            assert_eq!(upper_quantile(probability), expected);
        }
    }

    /// The textbook 1.959963984540054 and a round trip, to a few units in the last place.
    #[test]
    fn upper_quantile_inverts_the_tail() {
        assert!((upper_quantile(0.025) - 1.959_963_984_540_054).abs() < 1e-15);
        assert_eq!(upper_quantile(0.5).abs(), 0.0);
        for exponent in 1..300 {
            let p = 0.4 * f64::powi(10.0, -exponent);
            let z = upper_quantile(p);
            assert!((upper_tail(z) / p - 1.0).abs() < 1e-12, "{p}: {z}");
            assert!((upper_quantile(1.0 - 0.4) + upper_quantile(0.4)).abs() < 1e-15);
        }
    }
}
