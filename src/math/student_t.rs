//! Student's t distribution, with any positive degrees of freedom.

use std::f64::consts::FRAC_1_SQRT_2;

use statrs::function::beta::beta_reg;

use super::normal;

/// From here on Hill's series is taken. Against scipy 1.17 at |t| up to 30, the continued fraction of
/// `statrs` is off by 2e-12 (relative) at 10^4 degrees of freedom and by 4e-8 at 10^7; Hill's series by 7e-14.
const MANY_DEGREES: f64 = 1e4;

/// The probability that a t variable with `df` degrees of freedom exceeds `t`; NaN where either is NaN.
///
/// Half the regularised incomplete beta function of `df / (df + t²)` and, for many degrees of freedom, the
/// normal tail at Hill's expansion (1970, equation 6).
pub fn upper_tail(t: f64, df: f64) -> f64 {
    if t < 0.0 {
        return 1.0 - upper_tail(-t, df);
    }
    if t == f64::INFINITY {
        return 0.0;
    }
    if t.is_nan() || df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    if df < MANY_DEGREES {
        // Where t² is too large for a float, the tail is too small for one.
        let x = df / (df + t * t);
        return if x > 0.0 { 0.5 * beta_reg(0.5 * df, 0.5, x) } else { 0.0 };
    }
    if df == f64::INFINITY {
        return normal::upper_tail(t);
    }
    let a = df - 0.5;
    let b = 48.0 * a * a;
    let squared = a * (t * t / df).ln_1p();
    let y = squared.sqrt();
    let third = ((4.0 * squared + 33.0) * squared + 240.0) * squared + 855.0;
    let z = y + y * (squared + 3.0) / b - y * third / (10.0 * b * (b + 0.8 * squared * squared + 100.0));
    0.5 * libm::erfc(z * FRAC_1_SQRT_2)
}

/// The t that a variable with `df` degrees of freedom exceeds with `probability`, for `0 < probability < 1`.
///
/// The tail above is inverted by bisection between the normal quantile and a bound that doubles, which works for every
/// shape of the tail.
pub fn upper_quantile(probability: f64, df: f64) -> f64 {
    if probability.is_nan() || df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    if probability > 0.5 {
        return -upper_quantile(1.0 - probability, df);
    }
    // Heavier tails than the normal's: the quantile lies farther out.
    let mut low = normal::upper_quantile(probability).max(0.0);
    if df == f64::INFINITY || low == 0.0 {
        return low;
    }
    let mut high = 2.0 * low;
    while upper_tail(high, df) > probability && high < f64::MAX {
        (low, high) = (high, 2.0 * high);
    }
    // 53 halvings of an interval of relative width 1 leave neighbours; a few more settle the last bits.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if upper_tail(middle, df) > probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scipy.stats.t.sf, 1.17.1
    #[test]
    fn known_tails() {
        for (t, df, tail) in [
            (1.0, 1.0, 0.250_000_000_000_000_06),
            (2.0, 3.7, 0.060_908_600_952_616_99),
            (4.0, 30.0, 0.000_190_922_818_041_878_2),
            (30.0, 30.0, 3.125_895_815_304_445e-24),
            (-2.0, 106.46, 0.975_976_530_655_621_3),
            (2.0, 1e4, 0.022_763_630_330_717_714),
            (15.0, 1e6, 3.718_132_383_605_24e-51),
        ] {
            let got = upper_tail(t, df);
            assert!((got / tail - 1.0).abs() < 1e-11, "{t} {df}: {got:e} against {tail:e}");
        }
        assert_eq!(upper_tail(f64::INFINITY, 3.0), 0.0);
        assert_eq!(upper_tail(f64::NEG_INFINITY, 3.0), 1.0);
        assert_eq!(upper_tail(1e300, 3.0), 0.0);
        assert_eq!(upper_tail(0.0, 5.0), 0.5);
        assert!(upper_tail(f64::NAN, 5.0).is_nan() && upper_tail(1.0, 0.0).is_nan());
    }

    #[test]
    fn quantiles_invert_tails() {
        // The tables' 2.262 (9 degrees) and 12.706 (1 degree).
        assert!((upper_quantile(0.025, 9.0) - 2.262_157_162_798_205_3).abs() < 1e-12);
        assert!((upper_quantile(0.025, 1.0) - 12.706_204_736_174_705).abs() < 1e-10);
        assert_eq!(upper_quantile(0.5, 4.0), 0.0);
        for df in [0.7, 1.0, 4.2, 60.0, 9_999.0, 10_001.0, 1e8, f64::INFINITY] {
            for p in [1e-12, 1e-4, 0.05, 0.3, 0.49, 0.8] {
                let t = upper_quantile(p, df);
                assert!((upper_tail(t, df) / p - 1.0).abs() < 1e-10, "{df} {p}: {t}");
            }
        }
    }
}
