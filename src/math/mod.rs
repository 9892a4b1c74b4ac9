//! Arithmetic and distributions for the statistics. Only this layer knows how a number is rounded, and only this one
//! imports a library of distributions.

#![forbid(unsafe_code)]

pub mod binomial;
pub mod chances;
pub mod chi_square;
pub mod exact;
pub mod f_distribution;
pub mod fraction;
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

/// The first number up to `end` of which this is so, as it is of all above; `end` if of none below it.
pub fn first(end: usize, is_so: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, end);
    while low < high {
        let middle = low.midpoint(high);
        if is_so(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::{first, power_of_two};

    #[test]
    fn powers_of_two() {
        assert!((-1022..=1023).all(|exponent| power_of_two(exponent) == f64::powi(2.0, exponent)));
    }

    #[test]
    fn first_numbers() {
        assert_eq!((first(10, |n| n >= 3), first(10, |_| true), first(10, |_| false)), (3, 0, 10));
    }
}
