//! Fisher's F distribution, with any positive degrees of freedom.

use super::chi_square;
use super::student_t::beta_fraction;

/// From so many degrees of freedom of the denominator on, halved, the series is taken where the rows below allow it.
const MANY: f64 = 100.0;

/// Terms of the series at most; where it is taken, some ten are needed.
const TERMS: usize = 24;

/// The probability that an F variable with `df1` and `df2` degrees of freedom exceeds `f`; NaN where any is NaN. The limit
/// for infinite `df2` is chi-square, divided by `df1`.
///
/// The regularised incomplete beta function `I_x(a, b)` of `a = df2 / 2`, `b = df1 / 2` and `x = df2 / (df2 + df1 f)`: a
/// continued fraction (DLMF 8.17.22) for few degrees of freedom, a series of incomplete gamma functions for many. Within
/// 1e-12 (relative) of mpmath for `df1` up to 100, down to tails of 1e-250.
pub fn upper_tail(f: f64, df1: f64, df2: f64) -> f64 {
    if f.is_nan() || df1.is_nan() || df2.is_nan() || df1 <= 0.0 || df2 <= 0.0 {
        return f64::NAN;
    }
    if f <= 0.0 {
        return 1.0;
    }
    if f == f64::INFINITY {
        return 0.0;
    }
    let (a, b) = (0.5 * df2, 0.5 * df1);
    let log = (f * b / a).ln_1p();
    // The largest u in the integral below that counts, and the size of its factor for that u.
    let u = log.max((b + 10.0) / a);
    if df2 == f64::INFINITY || (a >= MANY && u <= 1.0 && b * u * u <= 12.0) {
        by_gammas(a, b, log, f)
    } else {
        by_fraction(a, b, f)
    }
}

/// `I_x(a, b)` for large a, with `-ln x` as `log`.
///
/// With `t = exp(-u)` the integral of `t^(a - 1) (1 - t)^(b - 1)` from 0 to x is that of `exp(-v u) u^(b - 1) s(u)` from
/// `-ln x` to infinity, where `v = a + (b - 1) / 2` and `s(u) = (sinh(u / 2) / (u / 2))^(b - 1)`. The powers of u in s give
/// incomplete gamma functions.
fn by_gammas(a: f64, b: f64, log: f64, f: f64) -> f64 {
    if a == f64::INFINITY {
        return chi_square::upper_tail(2.0 * b * f, 2.0 * b);
    }
    let v = a + 0.5 * (b - 1.0);
    let z = v * log;
    // sinh(u / 2) / (u / 2) in powers of u², and then its power (Euler's recurrence).
    let mut of_sinh = [1.0; TERMS];
    let mut powers = [1.0; TERMS];
    // Γ(b + 2k, z) / Γ(b), from one k to the next by Γ(s + 1, z) = s Γ(s, z) + z^s exp(-z).
    let mut gamma = chi_square::upper_tail(2.0 * z, 2.0 * b);
    let mut step = (b * z.ln() - z - libm::lgamma(b)).exp();
    let mut sum = gamma;
    let mut scale = 1.0;
    for k in 1..TERMS {
        let at = k as f64;
        of_sinh[k] = of_sinh[k - 1] / (8.0 * at * (2.0 * at + 1.0));
        powers[k] = (1..=k)
            .map(|j| ((b - 1.0) * j as f64 - (k - j) as f64) * of_sinh[j] * powers[k - j])
            .sum::<f64>()
            / at;
        for s in [b + 2.0 * at - 2.0, b + 2.0 * at - 1.0] {
            gamma = s * gamma + step;
            step *= z;
        }
        scale /= v * v;
        let term = powers[k] * gamma * scale;
        sum += term;
        if term.abs() <= 0.1 * f64::EPSILON * sum {
            break;
        }
    }
    // Γ(a + b) / Γ(a) / v^b, which is near 1.
    let front =
        (a - 0.5) * (b / a).ln_1p() + b * ((a + b) / v).ln() - b + stirling_error(a + b) - stirling_error(a);
    (front.exp() * sum).min(1.0)
}

/// `I_x(a, b)` by the continued fraction, or 1 less its complement.
///
/// The power in front, `x^a (1 - x)^b / B(a, b)`, is that of a binomial probability, in Loader's form (2000): as the
/// distances of a and b from `n x` and `n (1 - x)`, with `n = a + b`, so that no large logarithms cancel.
fn by_fraction(a: f64, b: f64, f: f64) -> f64 {
    let n = a + b;
    // a + b f, which is a / x.
    let whole = a + b * f;
    if whole == f64::INFINITY {
        return 0.0;
    }
    let (x, not_x) = (a / whole, b * f / whole);
    let distance = deviance(a, n * x, b * (f - 1.0) / n) + deviance(b, n * not_x, a * (1.0 - f) / (n * f));
    let error = stirling_error(n) - stirling_error(a) - stirling_error(b);
    let front = (a / n * b / std::f64::consts::TAU).sqrt() * (error - distance).exp();
    if x < (a + 1.0) / (n + 2.0) {
        front / (a * beta_fraction(a, b, x))
    } else {
        1.0 - front / (b * beta_fraction(b, a, not_x))
    }
}

/// `x ln(x / mean) + mean - x`, where `surplus` is `x / mean - 1`.
fn deviance(x: f64, mean: f64, surplus: f64) -> f64 {
    if surplus.abs() > 0.2 {
        return x * (x / mean).ln() + mean - x;
    }
    // ln(x / mean) = 2 artanh(v)
    let v = surplus / (2.0 + surplus);
    let (mut power, mut rest) = (v, 0.0);
    for odd in (3..40).step_by(2) {
        power *= v * v;
        rest += power / f64::from(odd);
    }
    mean * surplus * v + 2.0 * x * rest
}

/// `ln Γ(z) - ln(√(2π / z) (z / e)^z)`: what Stirling's formula lacks.
///
/// Five terms of its series (DLMF 5.11.1) from 15 on, where they leave less than 1e-16; below, by recurrence.
fn stirling_error(mut z: f64) -> f64 {
    let mut error = 0.0;
    while z < 15.0 {
        error += (z + 0.5) * (1.0 / z).ln_1p() - 1.0;
        z += 1.0;
    }
    let s = 1.0 / (z * z);
    let series = [1.0 / 1188.0, -1.0 / 1680.0, 1.0 / 1260.0, -1.0 / 360.0, 1.0 / 12.0];
    error + series.into_iter().fold(0.0, |sum, term| sum * s + term) / z
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::student_t;

    /// scipy.stats.f.sf
    #[test]
    fn tails() {
        for (f, df1, df2, tail) in [
            (4.484854, 1.0, 15.06611, 0.05123303576804349),
            (3.2, 2.0, 7.5, 0.09889497767641778),
            (0.7, 3.0, 40.0, 0.5576096328627151),
            (25.0, 4.0, 11.3, 1.481971153763731e-05),
            (3.0, 1.0, 1e4, 0.08329535272931846),
            (1.02, 20.0, 1e4, 0.43332056185903045),
            (120.0, 3.0, 1e4, 2.3706536369630233e-76),
            (450.0, 1.0, 5000.0, 1.063704683402955e-95),
        ] {
            let got = upper_tail(f, df1, df2);
            assert!((got / tail - 1.0).abs() < 1e-11, "{got} {tail}");
        }
    }

    #[test]
    fn of_one_degree_it_is_students() {
        for (t, df) in [(0.3, 2.5), (2.1, 15.06), (9.0, 3.0), (4.0, 800.0)] {
            let (got, expected) = (upper_tail(t * t, 1.0, df), 2.0 * student_t::upper_tail(t, df));
            assert!((got / expected - 1.0).abs() < 1e-11, "{got} {expected}");
        }
    }

    #[test]
    fn ends() {
        assert_eq!((upper_tail(0.0, 2.0, 3.0), upper_tail(f64::INFINITY, 2.0, 3.0)), (1.0, 0.0));
        assert!(upper_tail(f64::NAN, 1.0, 2.0).is_nan() && upper_tail(1.0, 0.0, 2.0).is_nan());
    }
}
