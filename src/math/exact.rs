//! Conversion of integers to floats with a single rounding.
//!
//! Pair counts are exact integers. Their conversion to `f64` is the only place where precision is lost. It
//! rounds once and correctly, so the result depends only on the counts.

/// The correctly rounded `numerator / denominator`.
///
/// `denominator` must not be 0; the quotient may have any size.
///
/// ```
/// assert_eq!(polars_auc::math::quotient(5, 8), 0.625);
/// ```
#[inline]
pub fn quotient(numerator: u128, denominator: u128) -> f64 {
    debug_assert!(denominator > 0);
    const EXACT: u128 = 1 << f64::MANTISSA_DIGITS;
    if numerator <= EXACT && denominator <= EXACT {
        // Both convert exactly, and IEEE division rounds correctly.
        return numerator as u64 as f64 / denominator as u64 as f64;
    }
    quotient_of_digits(numerator, denominator)
}

/// The same for numbers that may not be exact as floats.
fn quotient_of_digits(numerator: u128, denominator: u128) -> f64 {
    if numerator == 0 {
        return 0.0;
    }
    match (u64::try_from(numerator), u64::try_from(denominator)) {
        (Ok(numerator), Ok(denominator)) => short_quotient(numerator, denominator),
        _ => long_quotient(numerator, denominator),
    }
}

/// The same for non-zero 64-bit numbers. One division gives 63 or 64 digits; for the remainder see
/// [`long_quotient`].
fn short_quotient(numerator: u64, denominator: u64) -> f64 {
    let shifts = (numerator.leading_zeros(), denominator.leading_zeros());
    let dividend = u128::from(numerator << shifts.0) << 63;
    let divisor = u128::from(denominator << shifts.1);
    let digits = dividend / divisor;
    let sticky = u64::from(digits * divisor != dividend);
    let exponent = 1023 - 63 + shifts.1 - shifts.0;
    (digits as u64 | sticky) as f64 * f64::from_bits(u64::from(exponent) << 52)
}

/// The same for any size and a non-zero numerator.
fn long_quotient(numerator: u128, denominator: u128) -> f64 {
    // Long division to 64 significant bits. The remainder only decides on which side of a halfway point the
    // quotient lies, so it is folded into the last bit (sticky bit). The conversion of u64 to f64 then rounds
    // once, to nearest, as with all digits.
    let mut digits = numerator / denominator;
    let mut remainder = numerator % denominator;
    let mut exponent = 0i32;
    if digits >= 1 << 64 {
        let excess = 64 - digits.leading_zeros();
        let dropped = digits & ((1 << excess) - 1);
        digits >>= excess;
        exponent = excess as i32;
        remainder |= dropped;
    } else {
        while digits < 1 << 63 {
            // As many further digits at once as fit 64 bits of digits and 128 bits of remainder.
            let missing = digits.leading_zeros() - 64;
            let room = remainder.leading_zeros().min(missing);
            if room > 0 {
                remainder <<= room;
                digits = (digits << room) | (remainder / denominator);
                remainder %= denominator;
                exponent -= room as i32;
            } else {
                // 2^127 <= remainder < denominator, so twice the remainder, with 129 bits, contains the
                // denominator exactly once.
                remainder = (remainder << 1).wrapping_sub(denominator);
                digits = (digits << 1) | 1;
                exponent -= 1;
            }
        }
    }
    let sticky = u64::from(remainder != 0);
    // A ratio of two u128 is within 2^±128, so scaling by a power of two is exact.
    (digits as u64 | sticky) as f64 * f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The correctly rounded quotient of a signed numerator.
pub fn signed_quotient(numerator: i128, denominator: u128) -> f64 {
    let magnitude = quotient(numerator.unsigned_abs(), denominator);
    if numerator < 0 { -magnitude } else { magnitude }
}

/// `a * b - c * d` as an `f64`, exact until one final rounding (to within two units in the last place).
/// Requires `a * b >= c * d`; the products may have 256 bits.
pub fn product_difference(a: u128, b: u128, c: u128, d: u128) -> f64 {
    if (a | b | c | d) >> u64::BITS == 0 {
        let difference = a * b - c * d;
        // A 64-bit conversion is an instruction, a 128-bit conversion is a call. Both round identically.
        return if difference >> u64::BITS == 0 { difference as u64 as f64 } else { difference as f64 };
    }
    let (ab_high, ab_low) = wide_product(a, b);
    let (cd_high, cd_low) = wide_product(c, d);
    let (low, borrow) = ab_low.overflowing_sub(cd_low);
    debug_assert!((ab_high, ab_low) >= (cd_high, cd_low));
    let high = ab_high.wrapping_sub(cd_high).wrapping_sub(u128::from(borrow));
    high as f64 * f64::powi(2.0, 128) + low as f64
}

/// Like [`product_difference`], for either sign.
pub fn signed_product_difference(a: u128, b: u128, c: u128, d: u128) -> f64 {
    if wide_product(a, b) >= wide_product(c, d) {
        product_difference(a, b, c, d)
    } else {
        -product_difference(c, d, a, b)
    }
}

/// The 256-bit product of two 128-bit integers, as (high, low) halves.
fn wide_product(a: u128, b: u128) -> (u128, u128) {
    const HALF: u128 = u64::MAX as u128;
    let (a_high, a_low) = (a >> 64, a & HALF);
    let (b_high, b_low) = (b >> 64, b & HALF);
    let low = a_low * b_low;
    let cross = a_high * b_low + (low >> 64); // at most (2^64-1)^2 + 2^64-1: no overflow
    let cross_too = a_low * b_high + (cross & HALF);
    let high = a_high * b_high + (cross >> 64) + (cross_too >> 64);
    (high, (cross_too << 64) | (low & HALF))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_quotients_are_plain_division() {
        assert_eq!(quotient(5, 8), 0.625);
        assert_eq!(quotient(1, 3), 1.0 / 3.0);
        assert_eq!(signed_quotient(-1, 3), -1.0 / 3.0);
        assert_eq!(quotient(0, u128::MAX), 0.0);
        assert_eq!(quotient(u128::MAX, u128::MAX), 1.0);
    }

    #[test]
    fn large_quotients_round_to_nearest_even() {
        // 1 + 2^-53 lies halfway between 1 and its successor, and 1 is the even one.
        let denominator = 1u128 << 100;
        let half_ulp = 1u128 << 47;
        assert_eq!(quotient(denominator + half_ulp, denominator), 1.0);
        assert_eq!(quotient(denominator + half_ulp + 1, denominator), 1.0 + f64::EPSILON);
        assert_eq!(quotient(denominator + 3 * half_ulp, denominator), 1.0 + 2.0 * f64::EPSILON);
        assert_eq!(quotient(u128::MAX, 1), f64::powi(2.0, 128));
    }

    proptest! {
        #[test]
        fn scaling_both_sides_changes_nothing(n in 0u128..1 << 53, d in 1u128..1 << 53, k in 1u128..1 << 70) {
            prop_assert_eq!(quotient(n * k, d * k), n as f64 / d as f64);
        }

        /// Includes quotients halfway between two floats, and next to that.
        #[test]
        fn short_quotients_are_long_ones(n in 1u64.., d in 1u64.., n_shift in 0u32..63, d_shift in 0u32..63, mantissa in 1u64 << 53..1 << 54, near in -2i64..=2, power in 0u32..12) {
            let (n, d) = ((n >> n_shift).max(1), (d >> d_shift).max(1));
            let halfway = (mantissa << (power % 10)).saturating_add_signed(near);
            for (n, d) in [(n, d), (d, n), (halfway, 1 << power), (halfway, u64::MAX), (n, u64::MAX - u64::from(power)), (u64::MAX, 1), (1, u64::MAX)] {
                prop_assert_eq!(short_quotient(n, d), long_quotient(n.into(), d.into()), "{} {}", n, d);
            }
        }

        #[test]
        fn quotient_brackets_the_ratio(one in 1u128..1 << 120, other in 0u128..1 << 120) {
            let (n, d) = (one.min(other), one.max(other));
            let q = quotient(n, d);
            prop_assert!((0.0..=1.0).contains(&q));
            let relative = (q - n as f64 / d as f64).abs();
            prop_assert!(relative <= 2.0 * f64::EPSILON * q);
        }

        /// One digit at a time, up to 64 digits.
        #[test]
        fn quotient_is_long_division(n in 1u128.., d in 1u128.., n_shift in 0u32..127, d_shift in 0u32..127) {
            let (n, d) = ((n >> n_shift).max(1), (d >> d_shift).max(1));
            let (mut digits, mut remainder, mut exponent) = (n / d, n % d, 0);
            prop_assume!(digits < 1 << 64);
            while digits < 1 << 63 {
                let carry = remainder >> 127 == 1;
                remainder <<= 1;
                digits <<= 1;
                exponent -= 1;
                if carry || remainder >= d {
                    remainder = remainder.wrapping_sub(d);
                    digits |= 1;
                }
            }
            let expected = (digits as u64 | u64::from(remainder != 0)) as f64 * f64::powi(2.0, exponent);
            prop_assert_eq!(quotient(n, d), expected);
        }

        #[test]
        fn product_difference_matches_small_integers(a in 0u64.., b in 0u64.., c in 0u64.., d in 0u64..) {
            let (x, y) = (u128::from(a) * u128::from(b), u128::from(c) * u128::from(d));
            let ((a, b), (c, d)) = if x >= y { ((a, b), (c, d)) } else { ((c, d), (a, b)) };
            let got = product_difference(a.into(), b.into(), c.into(), d.into());
            prop_assert_eq!(got, x.abs_diff(y) as f64);
            prop_assert_eq!(signed_product_difference(a.into(), b.into(), c.into(), d.into()), got);
            prop_assert_eq!(signed_product_difference(c.into(), d.into(), a.into(), b.into()), -got);
        }

        #[test]
        fn wide_product_shifts(a in 0u128.., k in 0u32..128) {
            let (high, low) = wide_product(a, 1 << k);
            prop_assert_eq!(low, a << k);
            prop_assert_eq!(high, if k == 0 { 0 } else { a >> (128 - k) });
        }
    }
}
