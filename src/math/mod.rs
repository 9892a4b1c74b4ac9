//! Arithmetic and distributions for the statistics. Only this layer implements rounding, and only this one
//! imports a library of distributions.

#![forbid(unsafe_code)]

pub mod binomial;
pub mod chances;
pub mod chi_square;
pub mod exact;
pub mod exact_sum;
pub mod f_distribution;
pub mod kolmogorov;
pub mod mean;
pub mod normal;
pub mod products;
pub mod quantile;
pub mod random;
pub mod student_t;
pub mod sum;
pub mod symmetric;

pub use chances::Chances;
pub use exact::{product_difference, quotient, signed_product_difference, signed_quotient};
pub use products::Products;
pub use random::Stream;

/// `2^exponent`, for an exponent of normal floats.
pub fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((f64::MAX_EXP - 1 + exponent) as u64) << (f64::MANTISSA_DIGITS - 1))
}

/// The exponent of a positive normal float: of the largest power of two that does not exceed it.
pub fn exponent(number: f64) -> i32 {
    (number.to_bits() >> (f64::MANTISSA_DIGITS - 1)) as i32 - (f64::MAX_EXP - 1)
}

/// Partition point: the first number below `end` for which the predicate holds; `end` if there is none. The
/// predicate must also hold for all larger numbers.
pub fn first(end: usize, predicate: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, end);
    while low < high {
        let middle = low.midpoint(high);
        if predicate(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

/// The maximum number of steps; bisection alone would take 53 for a bracket of relative width 1.
const MAX_STEPS: usize = 100;

/// A root of a function that is at most 0 at `low` and at least 0 at `high`, to the last bits; NaN if the
/// function is NaN.
///
/// Each step is an inverse quadratic interpolation if its points are close enough to a parabola, and
/// otherwise a bisection (Chandrupatla 1997).
pub fn root(low: f64, high: f64, function: impl Fn(f64) -> f64) -> f64 {
    let (mut a, mut b) = (high, low);
    let (mut at_a, mut at_b) = (function(a), function(b));
    if at_a.is_nan() || at_b.is_nan() {
        return f64::NAN;
    }
    if at_b >= 0.0 {
        return b;
    }
    if at_a <= 0.0 {
        return a;
    }
    let mut share = 0.5;
    for _ in 0..MAX_STEPS {
        // `c` is the end of the bracket that the last step replaced.
        let x = a + share * (b - a);
        let at_x = function(x);
        if at_x.is_nan() {
            return f64::NAN;
        }
        let (c, at_c);
        if (at_x > 0.0) == (at_a > 0.0) {
            (c, at_c) = (a, at_a);
        } else {
            (c, at_c) = (b, at_b);
            (b, at_b) = (a, at_a);
        }
        (a, at_a) = (x, at_x);
        let best = if at_a.abs() < at_b.abs() { a } else { b };
        let tolerance = 2.0 * f64::EPSILON * best.abs() + f64::MIN_POSITIVE;
        let min_share = tolerance / (b - a).abs();
        if min_share > 0.5 || at_a == 0.0 {
            return best;
        }
        let xi = (a - b) / (c - b);
        let phi = (at_a - at_b) / (at_c - at_b);
        let is_parabola = phi * phi < xi && (1.0 - phi).powi(2) < 1.0 - xi;
        share = if is_parabola {
            at_a / (at_b - at_a) * at_c / (at_b - at_c)
                + (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
        } else {
            0.5
        };
        share = share.clamp(min_share, 1.0 - min_share);
    }
    if at_a.abs() < at_b.abs() { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::{exponent, first, power_of_two, root};

    #[test]
    fn powers_of_two() {
        assert!((-1022..=1023).all(|exponent| power_of_two(exponent) == f64::powi(2.0, exponent)));
        assert!((-1022..=1023).all(|power| exponent(power_of_two(power)) == power));
        assert_eq!((exponent(0.75), exponent(3.0)), (-1, 1));
    }

    #[test]
    fn first_numbers() {
        assert_eq!((first(10, |n| n >= 3), first(10, |_| true), first(10, |_| false)), (3, 0, 10));
    }

    #[test]
    fn roots() {
        let close = |got: f64, expected: f64| assert!((got - expected).abs() <= 1e-15 * expected, "{got}");
        close(root(0.0, 2.0, |x| x * x - 2.0), 2f64.sqrt());
        close(root(0.0, 10.0, |x| x.exp() - 5.0), 5f64.ln());
        close(root(0.0, 1.0, |x| (x - 0.001).powi(3)), 0.001);
        assert_eq!((root(3.0, 4.0, |x| x - 3.0), root(3.0, 4.0, |x| x - 4.0)), (3.0, 4.0));
        assert!(root(0.0, 1.0, |_| f64::NAN).is_nan());
    }
}
