//! Fisher's F distribution, with any positive degrees of freedom.

use super::chi_square;
use super::student_t::beta_fraction;

/// From this half of the denominator's degrees of freedom on, the series is used if the conditions below
/// hold.
const MANY: f64 = 100.0;

/// The maximum number of terms of the series; about ten are needed.
const TERMS: usize = 24;

/// The probability that an F variable with `df1` and `df2` degrees of freedom exceeds `f`; NaN if any is NaN.
/// The limit for infinite `df2` is chi-square divided by `df1`.
///
/// The regularised incomplete beta function `I_x(a, b)` with `a = df2 / 2`, `b = df1 / 2` and
/// `x = df2 / (df2 + df1 f)`. For few degrees of freedom it is a continued fraction (DLMF 8.17.22), for many
/// a series of incomplete gamma functions. Within 1e-12 (relative) of mpmath for `df1` up to 100, down to
/// tails of 1e-250.
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
    // The largest relevant u in the integral below, and the size of its factor for that u.
    let u = log.max((b + 10.0) / a);
    if df2 == f64::INFINITY || (a >= MANY && u <= 1.0 && b * u * u <= 12.0) {
        by_gammas(a, b, log, f)
    } else {
        by_fraction(a, b, f)
    }
}

/// `I_x(a, b)` for large a, with `log` equal to `-ln x`.
///
/// With `t = exp(-u)` the integral of `t^(a - 1) (1 - t)^(b - 1)` from 0 to x becomes the integral of
/// `exp(-v u) u^(b - 1) s(u)` from `-ln x` to infinity. Here `v = a + (b - 1) / 2` and
/// `s(u) = (sinh(u / 2) / (u / 2))^(b - 1)`. Expanding s in powers of u gives incomplete gamma functions.
fn by_gammas(a: f64, b: f64, log: f64, f: f64) -> f64 {
    if a == f64::INFINITY {
        return chi_square::upper_tail(2.0 * b * f, 2.0 * b);
    }
    let v = a + 0.5 * (b - 1.0);
    let z = v * log;
    // sinh(u / 2) / (u / 2) in powers of u², and then its power (Euler's recurrence).
    let mut sinh_terms = [1.0; TERMS];
    let mut powers = [1.0; TERMS];
    // Γ(b + 2k, z) / Γ(b), from one k to the next by Γ(s + 1, z) = s Γ(s, z) + z^s exp(-z).
    let mut gamma = chi_square::upper_tail(2.0 * z, 2.0 * b);
    let mut step = (b * z.ln() - z - libm::lgamma(b)).exp();
    let mut sum = gamma;
    let mut scale = 1.0;
    for k in 1..TERMS {
        let at = k as f64;
        sinh_terms[k] = sinh_terms[k - 1] / (8.0 * at * (2.0 * at + 1.0));
        powers[k] = (1..=k)
            .map(|j| ((b - 1.0) * j as f64 - (k - j) as f64) * sinh_terms[j] * powers[k - j])
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

/// `I_x(a, b)` by the continued fraction, or 1 minus its complement.
///
/// The factor `x^a (1 - x)^b / B(a, b)` is a binomial probability in Loader's form (2000). It uses the
/// deviations of a and b from `n x` and `n (1 - x)`, with `n = a + b`, so that no large logarithms cancel.
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

/// `ln Γ(z) - ln(√(2π / z) (z / e)^z)`: the error of Stirling's formula.
///
/// From 15 on, five terms of its series (DLMF 5.11.1) have an error below 1e-16; below 15, by recurrence.
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

    /// The continued fraction DLMF 8.17.22 in 50 digits by mpmath.
    #[test]
    fn any_degrees_of_freedom() {
        for (f, df1, df2, tail) in [
            (13.46234527718785, 2.0, 0.5, 0.36745745864123636),
            (77.81739544161337, 20.0, 0.5, 0.2600188282483904),
            (123.10610099584324, 100.0, 1.0, 0.07163430420017887),
            (0.9, 100.0, 1.0, 0.7056192372326442),
            (3.0, 99.0, 2.0, 0.28266764635451114),
            (164.08142326924553, 1.0, 2.0, 0.006039380060892042),
            (1.1, 4.0, 3.3, 0.4800419294126657),
            (1.5, 2.0, 3.3, 0.34406151252098593),
            (178.9876082438272, 10.0, 7.0, 1.8327278195421687e-07),
            (13.622398463573688, 99.0, 7.0, 0.00065182614225385),
            (0.9, 10.0, 15.0, 0.5553724549805726),
            (1.5, 10.0, 15.0, 0.2314448667379354),
            (1.1, 50.0, 40.0, 0.3804991946826366),
            (0.9, 7.0, 40.0, 0.5159993718381117),
            (191.21742633280255, 20.0, 40.0, 1.8264407916665682e-33),
            (0.9, 2.0, 99.0, 0.40986968044508754),
            (15.1296661923353, 10.0, 99.0, 4.921472771373767e-16),
            (783.7186863930777, 1.0, 99.0, 7.835245194307479e-49),
            (1.0, 7.0, 150.0, 0.4336212571156994),
            (541.8831178890553, 7.0, 150.0, 4.654475511952129e-103),
            (343.22728014287094, 99.0, 150.0, 8.48698046826362e-143),
            (0.9, 100.0, 199.0, 0.7203697087964027),
            (1.0, 100.0, 199.0, 0.49235960584600313),
            (242.23213939262757, 1.0, 199.0, 2.964346213877408e-36),
            (0.9, 99.0, 200.0, 0.7196878936749697),
            (0.9, 10.0, 200.0, 0.5341988440044333),
            (234.42775704511786, 7.0, 200.0, 9.363521193557525e-93),
            (1.5, 99.0, 201.0, 0.008247709445069204),
            (17.935066825641382, 100.0, 201.0, 3.2667217569481594e-63),
            (284.29488388105085, 5.0, 201.0, 4.4744552582142114e-89),
            (1.1, 33.0, 260.0, 0.33149562724486104),
            (1.0, 2.0, 260.0, 0.3692898444633629),
            (132.2051719528417, 10.0, 260.0, 7.033321576385092e-96),
            (1.0, 1.0, 500.0, 0.3177942072606084),
            (0.9, 1.0, 500.0, 0.343240003976927),
            (431.1568345053856, 1.0, 500.0, 1.604081397124001e-69),
            (1.5, 99.0, 1000.0, 0.001777747390796818),
            (1.0, 33.0, 1000.0, 0.46883548677261255),
            (229.0564848972868, 1.0, 1000.0, 9.524730731511326e-47),
            (3.0, 7.0, 5000.0, 0.0038200554262889526),
            (11.138002953930616, 100.0, 5000.0, 2.3848716695999394e-151),
            (129.71627863775697, 4.0, 5000.0, 1.491248859782009e-105),
            (1.0, 10.0, 10000.0, 0.4405809705323654),
            (1.0, 1.0, 10000.0, 0.31733470433042915),
            (58.69515395844286, 20.0, 10000.0, 8.126749836277839e-223),
            (0.3, 4.0, 1e5, 0.8780978274752791),
            (1.1, 10.0, 1e5, 0.3575308567097735),
            (149.33772337289878, 7.0, 1e5, 2.7873640143334722e-220),
            (10.397489760660761, 33.0, 1e6, 2.9021104006468843e-53),
            (0.9, 4.0, 1e6, 0.4628373154743765),
            (195.28220887266804, 5.0, 1e6, 9.73750014831245e-209),
            (0.9, 4.0, 6e7, 0.46283689416135404),
            (3.0, 100.0, 6e7, 7.413367025330616e-22),
            (125.32028577808117, 2.0, 6e7, 3.7515012333403464e-55),
            (3.0, 10.0, 1e8, 0.0008566422754591928),
            (215.15061661832027, 4.0, 1e8, 5.729674513069188e-185),
            (154.44968257828327, 1.0, 1e8, 1.8470667439826666e-35),
            (0.9, 10.0, 1e9, 0.5321035768017826),
            (0.9, 50.0, 1e9, 0.6737931101449179),
            (7.386104465619103, 33.0, 1e9, 5.584580461267003e-34),
            (0.9, 2.0, f64::INFINITY, 0.4065696597405991),
            (1.1, 3.0, f64::INFINITY, 0.3476426447322745),
            (12.983200959495761, 50.0, f64::INFINITY, 3.539574283378901e-105),
        ] {
            let got = upper_tail(f, df1, df2);
            assert!((got / tail - 1.0).abs() < 1e-12, "{f} {df1} {df2}: {got} {tail}");
        }
    }

    #[test]
    fn one_degree_is_student_t() {
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
