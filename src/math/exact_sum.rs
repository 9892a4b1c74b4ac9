//! Sums of floats without rounding.

use super::sum::Sum;

/// The negated smallest exponent: every float is an integer multiple of `2^-LOWEST`.
const LOWEST: i32 = 1074;

/// 32-bit chunks for every float, with room for carries.
const CHUNKS: usize = 69;

/// The maximum number of additions without overflow of the 64 bits of a chunk.
const MAX_BEFORE_CARRY: u32 = 1 << 29;

/// The exact sum of floats as chunks of an integer (Neal 2015, Fast exact summation using small and large
/// superaccumulators, section 2). The result does not depend on the order of numbers or on a division into
/// parts.
#[derive(Clone, Debug)]
pub struct ExactSum {
    chunks: [i64; CHUNKS],
    /// The range of chunks that may be non-zero.
    used: (usize, usize),
    /// Additions since the last carry propagation.
    additions: u32,
    /// The sum of infinite and NaN summands.
    special: f64,
}

impl Default for ExactSum {
    fn default() -> Self {
        ExactSum { chunks: [0; CHUNKS], used: (CHUNKS, 0), additions: 0, special: 0.0 }
    }
}

impl ExactSum {
    /// Adds a number `times` times.
    #[inline]
    pub fn add(&mut self, number: f64, times: u64) {
        if times == 0 || number == 0.0 {
            return;
        }
        if !number.is_finite() {
            self.special += number;
            return;
        }
        let bits = number.to_bits();
        let (exponent, fraction) = ((bits >> 52) as usize & 0x7ff, bits & ((1 << 52) - 1));
        // A subnormal number has the exponent of the smallest normal one, without the leading bit.
        let (shift, digits) = if exponent == 0 { (0, fraction) } else { (exponent - 1, fraction | 1 << 52) };
        let sign = if number < 0.0 { -1 } else { 1 };
        // The product of 53 and 32 bits, shifted by at most 31, fits 128 bits.
        for (half, times) in [(0, times & 0xffff_ffff), (1, times >> 32)] {
            if times > 0 {
                let product = (u128::from(digits) * u128::from(times)) << (shift % 32);
                self.add_chunks(shift / 32 + half, product, sign);
            }
        }
    }

    /// Adds the exact square of a number `times` times; bits below `2^-1074` are lost.
    #[inline]
    pub fn add_square(&mut self, number: f64, times: u64) {
        let square = number * number;
        self.add(square, times);
        if square.is_finite() {
            self.add(number.mul_add(number, -square), times);
        }
    }

    #[inline]
    fn add_chunks(&mut self, first: usize, mut digits: u128, sign: i64) {
        let mut chunk = first;
        while digits > 0 {
            self.chunks[chunk] += sign * (digits as u32) as i64;
            digits >>= 32;
            chunk += 1;
        }
        self.used = (self.used.0.min(first), self.used.1.max(chunk));
        self.additions += 1;
        if self.additions >= MAX_BEFORE_CARRY {
            self.carry();
        }
    }

    /// Propagates carries beyond 32 bits; only the last chunk may then be negative.
    fn carry(&mut self) {
        let (first, mut end) = self.used;
        let mut carry = 0;
        for chunk in first..end {
            let sum = self.chunks[chunk] + carry;
            self.chunks[chunk] = sum & 0xffff_ffff;
            carry = sum >> 32;
        }
        if carry != 0 && end < CHUNKS {
            self.chunks[end] += carry;
            end += 1;
        }
        self.used = (first, end);
        self.additions = 1;
    }

    /// Adds all numbers of another sum.
    pub fn add_all(&mut self, other: &ExactSum) {
        self.carry();
        let mut other = other.clone();
        other.carry();
        for chunk in other.used.0..other.used.1 {
            self.chunks[chunk] += other.chunks[chunk];
        }
        self.used = (self.used.0.min(other.used.0), self.used.1.max(other.used.1));
        self.special += other.special;
        self.additions += 1;
    }

    /// The sum, rounded once.
    pub fn value(&self) -> f64 {
        if self.special != 0.0 {
            return self.special;
        }
        let mut sum = self.clone();
        sum.carry();
        let is_negative = sum.used.1 > sum.used.0 && sum.chunks[sum.used.1 - 1] < 0;
        if is_negative {
            sum.chunks.iter_mut().for_each(|chunk| *chunk = -*chunk);
            sum.carry();
        }
        let Some(top) = (sum.used.0..sum.used.1).rev().find(|&chunk| sum.chunks[chunk] != 0) else {
            return 0.0;
        };
        let chunk = |below: usize| top.checked_sub(below).map_or(0, |at| sum.chunks[at] as u128);
        let leading = chunk(0) << 64 | chunk(1) << 32 | chunk(2);
        // A sticky bit records non-zero bits below, so that ties are rounded correctly.
        let rest = (0..top.saturating_sub(2)).any(|at| sum.chunks[at] != 0);
        let exponent = 32 * (top as i32 - 2) - LOWEST - 1;
        let value = scaled((leading << 1 | u128::from(rest)) as f64, exponent);
        if is_negative { -value } else { value }
    }

    /// The sum to twice the digits.
    pub fn sum(&self) -> Sum {
        let leading = self.value();
        let mut sum = Sum::from(leading);
        if leading.is_finite() {
            let mut rest = self.clone();
            rest.add(-leading, 1);
            sum.add(rest.value());
        }
        sum
    }
}

/// A number times a power of two, in two steps because the power may exceed the range of floats.
fn scaled(number: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    number * 2f64.powi(half) * 2f64.powi(exponent - half)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sum(numbers: &[(f64, u64)]) -> ExactSum {
        let mut sum = ExactSum::default();
        numbers.iter().for_each(|&(number, times)| sum.add(number, times));
        sum
    }

    #[test]
    fn few_numbers() {
        for (numbers, value) in [
            (&[][..], 0.0),
            (&[(0.1, 1)], 0.1),
            (&[(0.1, 3), (-0.3, 1)], 0.1f64.mul_add(3.0, -0.3)),
            (&[(1.0, 1), (1e100, 1), (1.0, 1), (-1e100, 1)], 2.0),
            (&[(5e-324, 3)], 1.5e-323),
            (&[(1.0, u64::MAX)], u64::MAX as f64),
            (&[(-2.5, 4), (1.0, 1)], -9.0),
            (&[(f64::MAX, 1), (f64::MAX, 1), (-f64::MAX, 1)], f64::MAX),
            (&[(f64::INFINITY, 1), (1.0, 2)], f64::INFINITY),
            // Just above half a unit of the last digit, and a tie that rounds to even.
            (&[(1.0, 1), (f64::EPSILON / 2.0, 1), (1e-300, 1)], 1.0 + f64::EPSILON),
            (&[(1.0, 1), (f64::EPSILON / 2.0, 1)], 1.0),
        ] {
            assert_eq!(sum(numbers).value(), value, "{numbers:?}");
        }
        let mut square = ExactSum::default();
        square.add_square(0.1, 7);
        square.add(-0.1 * 0.1, 7);
        assert_eq!(square.value(), 7.0 * 0.1f64.mul_add(0.1, -0.1 * 0.1));
        assert_eq!(sum(&[(1.0, 1), (1e-20, 1)]).sum().total(), 1.0);
    }

    proptest! {
        /// Compares with integer sums: the numbers are integer multiples of `2^-60`.
        #[test]
        fn independent_of_order_and_parts(
            numbers in prop::collection::vec((-1i64 << 53..1 << 53, 0u32..60, 0u64..5), 0..50),
            cut in 0usize..50,
        ) {
            let floats: Vec<(f64, u64)> =
                numbers.iter().map(|&(digits, bits, times)| (digits as f64 / 2f64.powi(bits as i32), times)).collect();
            let exact: i128 =
                numbers.iter().map(|&(digits, bits, times)| (i128::from(digits) << (60 - bits)) * i128::from(times)).sum();
            let expected = exact as f64 / 2f64.powi(60);
            prop_assert_eq!(sum(&floats).value(), expected);
            let (first, second) = floats.split_at(cut.min(floats.len()));
            let mut joined = sum(second);
            joined.add_all(&sum(first));
            prop_assert_eq!(joined.value(), expected);
            prop_assert_eq!(joined.sum().total(), expected);
        }
    }
}
