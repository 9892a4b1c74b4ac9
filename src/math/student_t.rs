//! Student's t distribution, with any positive degrees of freedom.

use std::cell::RefCell;
use std::f64::consts::PI;

use super::normal;

/// From this number of degrees of freedom, Hill's series is used if `t² <= NEAR df`. The continued fraction
/// converges slowly there and loses digits: its error is 3e-13 at 10^4 degrees and t = 1.7.
const MANY_DEGREES: f64 = 400.0;

/// The largest `t² / df` for Hill's series. At 0.18 its error is 3e-12 with 5,000 degrees.
const NEAR: f64 = 0.08;

/// At this relative distance from the quantile, the tail determines the side of a number.
const CLOSE: f64 = 1e-12;

/// From this probability, the tail varies too little relative to its rounding errors.
const NEAR_HALF: f64 = 0.45;

/// The relative step below which the next one is less than a hundredth of [`CLOSE`].
const NEWTON_END: f64 = 1e-7;

/// Few quantiles take more than 8 steps.
const NEWTON_STEPS: usize = 20;

/// The probability that a t variable with `df` degrees of freedom exceeds `t`; NaN if either is NaN.
///
/// Half the regularised incomplete beta function of `df / (df + t²)`. For many degrees of freedom it is the
/// normal tail at Hill's expansion (1970, equation 6). It is accurate to 1e-13 (relative) down to tails of
/// 1e-285.
pub fn upper_tail(t: f64, df: f64) -> f64 {
    StudentT::new(df).upper_tail(t)
}

/// The distribution for fixed degrees of freedom.
#[derive(Clone, Copy)]
struct StudentT {
    df: f64,
    /// `Γ(df / 2 + 1/2) / Γ(df / 2 + 1)`.
    gamma_ratio: f64,
}

impl StudentT {
    fn new(df: f64) -> Self {
        let has_ratio = df > 0.0 && df < f64::INFINITY;
        StudentT { df, gamma_ratio: if has_ratio { gamma_ratio(0.5 * df) } else { f64::NAN } }
    }

    fn upper_tail(self, t: f64) -> f64 {
        let df = self.df;
        if t < 0.0 {
            return 1.0 - self.upper_tail(-t);
        }
        if t == f64::INFINITY {
            return 0.0;
        }
        if t.is_nan() || df.is_nan() || df <= 0.0 {
            return f64::NAN;
        }
        if df == f64::INFINITY {
            return normal::upper_tail(t);
        }
        if df < MANY_DEGREES || t * t > NEAR * df {
            return self.beta_tail(t);
        }
        let a = df - 0.5;
        let b = 48.0 * a * a;
        let squared = a * (t * t / df).ln_1p();
        let third = ((4.0 * squared + 33.0) * squared + 240.0) * squared + 855.0;
        // z = sqrt(squared) (1 + more)
        let more = (squared + 3.0) / b - third / (10.0 * b * (b + 0.8 * squared * squared + 100.0));
        let half_square = 0.5 * squared + 0.5 * squared * more * (2.0 + more);
        // The relative error of the tail is z² times the rounding error of z, which the last factor corrects.
        let u = half_square.sqrt();
        0.5 * libm::erfc(u) * u.mul_add(u, -half_square).exp()
    }

    /// Half of `I_x(df / 2, 1 / 2)` with `x = df / (df + t²)`, for `t >= 0`.
    ///
    /// `I_x(a, b)` is `x^a (1 - x)^b / (a B(a, b))` times a continued fraction (DLMF 8.17.22). The fraction
    /// converges fast below `(a + 1) / (a + b + 2)`; above, it is 1 minus its complement. The power
    /// uses `1 + t²/df`, because the rounding error of x itself would grow with a.
    fn beta_tail(self, t: f64) -> f64 {
        let StudentT { df, gamma_ratio } = self;
        let a = 0.5 * df;
        let squared = t * t;
        let ratio = squared / df;
        // ln(1 + t²/df), even if t² overflows.
        let log = if ratio < f64::INFINITY { ratio.ln_1p() } else { 2.0 * t.ln() - df.ln() };
        let x = df / (df + squared);
        let not_x = if squared < f64::INFINITY { squared / (df + squared) } else { 1.0 };
        let front = (-a * log).exp() * not_x.sqrt() * gamma_ratio / PI.sqrt();
        if x < (a + 1.0) / (a + 2.5) {
            0.5 * front / beta_fraction(a, 0.5, x)
        } else {
            0.5 - front * a / beta_fraction(0.5, a, not_x)
        }
    }

    fn density(self, t: f64) -> f64 {
        let StudentT { df, gamma_ratio } = self;
        let log = (t * t / df).ln_1p();
        0.5 * (df / PI).sqrt() * gamma_ratio * (-0.5 * (df + 1.0) * log).exp()
    }

    /// Two close numbers that enclose the quantile of `probability`; `high` is above it.
    ///
    /// Newton's method for the logarithm of the tail as a function of the logarithm of t, which is concave:
    /// each step from above stays above. If it does not converge, the two numbers are 0 and infinity.
    fn close_to_quantile(self, probability: f64, high: f64) -> (f64, f64) {
        let mut t = high;
        let steps = if probability < NEAR_HALF { NEWTON_STEPS } else { 0 };
        for _ in 0..steps {
            let tail = self.upper_tail(t);
            let step = tail / (t * self.density(t)) * (tail / probability).ln();
            t *= step.exp();
            if step.abs() < NEWTON_END {
                let (below, above) = (t * (1.0 - CLOSE), t * (1.0 + CLOSE));
                if self.upper_tail(below) > probability && self.upper_tail(above) <= probability {
                    return (below, above);
                }
                break;
            }
        }
        (0.0, f64::INFINITY)
    }
}

/// The continued fraction `1 + d1 / (1 + d2 / (1 + ...))` of the incomplete beta function (DLMF 8.17.22), by
/// Lentz's method as modified by Thompson and Barnett (1986).
pub(super) fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    // Replaces a denominator of 0.
    const TINY: f64 = 1e-300;
    let not_0 = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut fraction, mut upper, mut lower) = (1.0, 1.0, 0.0);
    // For df < 10^4 about a hundred terms suffice; the bound only guarantees termination.
    for m in 0..10_000 {
        let m = f64::from(m);
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let next = m + 1.0;
        let even = next * (b - next) * x / ((a + 2.0 * next - 1.0) * (a + 2.0 * next));
        let mut change = 1.0;
        for term in [odd, even] {
            lower = 1.0 / not_0(1.0 + term * lower);
            upper = not_0(1.0 + term / upper);
            change = upper * lower;
            fraction *= change;
        }
        if (change - 1.0f64).abs() < f64::EPSILON {
            break;
        }
    }
    fraction
}

/// `Γ(a + 1/2) / Γ(a + 1)`, for positive a.
///
/// From 10 on by its expansion for large a (DLMF 5.11.14), whose next term is below 1e-16; below 10, by
/// recurrence.
fn gamma_ratio(mut a: f64) -> f64 {
    let mut ratio = 1.0;
    while a < 10.0 {
        ratio *= (a + 1.0) / (a + 0.5);
        a += 1.0;
    }
    let w = a + 0.25;
    let s = 1.0 / (w * w);
    let series = [
        -20_898_423.0 / 8_589_934_592.0,
        180_323.0 / 134_217_728.0,
        -671.0 / 524_288.0,
        21.0 / 8192.0,
        -1.0 / 64.0,
    ];
    ratio * (1.0 + s * series.into_iter().fold(0.0, |sum, term| sum * s + term)) / w.sqrt()
}

/// The number of cached quantiles per thread: groups of few rows share few degrees of freedom.
const KEPT_QUANTILES: usize = 64;

/// A probability and degrees of freedom, as bits, with their quantile.
type KeptQuantile = Option<([u64; 2], f64)>;

thread_local! {
    static QUANTILES: RefCell<[KeptQuantile; KEPT_QUANTILES]> = const { RefCell::new([None; KEPT_QUANTILES]) };
}

/// The t that a variable with `df` degrees of freedom exceeds with `probability`, for `0 < probability < 1`.
pub fn upper_quantile(probability: f64, df: f64) -> f64 {
    let key = [probability.to_bits(), df.to_bits()];
    // Consecutive integers have separate slots.
    let slot = df as usize % KEPT_QUANTILES;
    let cached = QUANTILES.with_borrow(|cached| cached[slot].filter(|cached| cached.0 == key));
    if let Some((_, quantile)) = cached {
        return quantile;
    }
    let quantile = inverted_tail(probability, df);
    QUANTILES.with_borrow_mut(|cached| cached[slot] = Some((key, quantile)));
    quantile
}

/// The quantile of a probability.
///
/// Inverts the upper tail by bisection between the normal quantile and a bound that doubles, which works for
/// every shape of the tail.
fn inverted_tail(probability: f64, df: f64) -> f64 {
    if probability.is_nan() || df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    if probability > 0.5 {
        return -inverted_tail(1.0 - probability, df);
    }
    // The tails are heavier than the normal's, so the quantile is farther out.
    let mut low = normal::upper_quantile(probability).max(0.0);
    if df == f64::INFINITY || low == 0.0 {
        return low;
    }
    let distribution = StudentT::new(df);
    let mut high = 2.0 * low;
    while distribution.upper_tail(high) > probability && high < f64::MAX {
        (low, high) = (high, 2.0 * high);
    }
    // Far from the quantile the tail is not needed, so only the last bisections compute it.
    let (below, above) = distribution.close_to_quantile(probability, high);
    halved(low, high, |middle| {
        middle < below || middle <= above && distribution.upper_tail(middle) > probability
    })
}

/// Partition point between `low`, where the predicate holds, and `high`, where it does not.
fn halved(mut low: f64, mut high: f64, is_below: impl Fn(f64) -> bool) -> f64 {
    // 53 bisections of an interval of relative width 1 reach adjacent floats; a few more settle the last
    // bits.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if is_below(middle) {
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
    use proptest::prelude::*;

    /// From mpmath at 40 digits and more: half the incomplete beta function by its hypergeometric series.
    #[test]
    fn tails_to_thirteen_digits() {
        for (t, df, tail) in [
            (1e-8, 0.3, 0.499_999_997_706_807_5),
            (4.0, 0.3, 0.230_220_929_539_359_85),
            (1e200, 0.3, 3.495_007_233_838_577e-61),
            (1.7, 1.5, 0.135_331_122_075_520_57),
            (200.0, 1.5, 0.000_133_317_088_049_648_58),
            (2.5, 2.7, 0.048_539_707_221_467_34),
            (1e30, 3.0, 1.102_657_790_843_584e-90),
            (4.0, 7.3, 0.002_381_183_582_163_553_8),
            (1.7, 17.5, 0.053_417_164_782_723_23),
            (200.0, 17.5, 3.803_393_567_615e-31),
            (0.3, 49.9, 0.382_711_682_845_472_8),
            (15.0, 49.9, 2.002_358_556_580_26e-20),
            (1.0, 333.3, 0.159_017_973_909_904_58),
            (30.0, 333.3, 5.140_463_988_447_95e-97),
            (5.653_317_610_041_028, 400.0, 1.498_691_906_428_449_3e-8),
            (5.660_388_679_233_963, 400.0, 1.442_627_465_662_291_3e-8),
            (2.5, 1000.0, 0.006_289_283_900_545_398),
            (15.0, 1000.0, 2.505_119_468_497_824_5e-46),
            (1.7, 5000.0, 0.044_596_559_852_011_11),
            (19.987_496_091_306_685, 5000.0, 7.192_648_687_791_081e-86),
            (20.012_496_096_189_5, 5000.0, 4.521_958_911_212_953e-86),
            (1.75, 9999.5, 0.040_074_492_110_477_13),
            (30.0, 9999.0, 1.024_014_026_093_295_2e-189),
            (1.75, 1e6, 0.040_059_310_208_273_94),
            (36.0, 1e5, 2.705_573_300_289_303_5e-282),
            (5.5, 1e8, 1.898_960_874_224_759_3e-8),
        ] {
            let got = upper_tail(t, df);
            // The documented accuracy. The largest error of 800 such points above 1e-285 is 9e-14, in the far
            // tails.
            assert!((got / tail - 1.0).abs() < 1e-13, "{t} {df}: {got:e} against {tail:e}");
            assert_eq!(upper_tail(-t, df), 1.0 - got);
        }
    }

    #[test]
    fn ends() {
        assert_eq!(upper_tail(f64::INFINITY, 3.0), 0.0);
        assert_eq!(upper_tail(f64::NEG_INFINITY, 3.0), 1.0);
        assert_eq!(upper_tail(1e300, 3.0), 0.0);
        assert_eq!(upper_tail(0.0, 5.0), 0.5);
        assert!(upper_tail(f64::NAN, 5.0).is_nan() && upper_tail(1.0, 0.0).is_nan());
    }

    #[test]
    fn quantiles_invert_tails() {
        // The tabulated 2.262 (9 degrees) and 12.706 (1 degree).
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

    proptest! {
        /// To the last bit, unless numbers overflow.
        #[test]
        fn quantiles_equal_bisection(df in -1.0f64..7.0, p in 0.0f64..0.5, power in 0i32..15, whole in any::<bool>()) {
            let df = 10f64.powf(df);
            let df = if whole { df.ceil() } else { df };
            let p = p * 10f64.powi(-power);
            prop_assume!(p > 0.0);
            let mut low = normal::upper_quantile(p).max(0.0);
            let mut high = 2.0 * low;
            while upper_tail(high, df) > p && high < f64::MAX {
                (low, high) = (high, 2.0 * high);
            }
            prop_assert_eq!(upper_quantile(p, df), halved(low, high, |middle| upper_tail(middle, df) > p));
        }
    }
}
