//! Compensated and reproducible sums of floats.

use crate::interrupt;
use crate::simd::{self, Kernel};

/// A sum, with the sum of its rounding errors (Neumaier 1974).
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    /// The sum of numbers.
    pub fn sum(values: impl Iterator<Item = f64>) -> f64 {
        let mut all = Sum::default();
        values.for_each(|value| all.add(value));
        all.total()
    }

    /// The sum of numbers times their counts.
    pub fn sum_repeated(values: impl Iterator<Item = (f64, f64)>) -> f64 {
        let mut all = Sum::default();
        values.for_each(|(value, times)| all.add_product(value, times));
        all.total()
    }

    /// Adds a number.
    pub fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        self.lost +=
            if self.sum.abs() >= value.abs() { (self.sum - sum) + value } else { (value - sum) + self.sum };
        self.sum = sum;
    }

    /// Adds the exact product of two numbers.
    pub fn add_product(&mut self, a: f64, b: f64) {
        let (product, lost) = product(a, b);
        self.add(product);
        self.lost += lost;
    }

    /// The negated sum.
    pub fn negative(self) -> Sum {
        Sum { sum: -self.sum, lost: -self.lost }
    }

    /// The sum times a number.
    pub fn times(self, factor: f64) -> Sum {
        let mut product = Sum::default();
        product.add_product(self.sum, factor);
        product.add(self.lost * factor);
        product
    }

    /// The square of the sum.
    pub fn squared(self) -> Sum {
        let mut square = self.times(self.sum);
        square.add(self.sum * self.lost);
        square
    }

    /// The sum after an exact linear map, such as a change of unit.
    pub fn map(self, f: impl Fn(f64) -> f64) -> Sum {
        Sum { sum: f(self.sum), lost: f(self.lost) }
    }

    /// The sum of both sums.
    pub fn plus(mut self, other: Sum) -> Sum {
        self.add(other.sum);
        self.lost += other.lost;
        self
    }

    /// The quotient of two sums, from both parts of each: a sum of `w x` divided by the sum of `w` is exactly
    /// x.
    pub fn quotient(self, divisor: Sum) -> f64 {
        let quotient = self.total() / divisor.total();
        let (high, low) = product(quotient, divisor.sum);
        let rest = ((self.sum - high) - low) + (self.lost - quotient * divisor.lost);
        if rest.is_finite() { quotient + rest / divisor.total() } else { quotient }
    }

    /// The sum of all numbers so far.
    pub fn total(&self) -> f64 {
        self.sum + self.lost
    }
}

impl From<f64> for Sum {
    fn from(number: f64) -> Sum {
        Sum { sum: number, lost: 0.0 }
    }
}

/// A product, and its rounding error (Dekker 1971).
fn product(a: f64, b: f64) -> (f64, f64) {
    // Each factor is split into halves of 26 bits, whose products are exact.
    let halves = |x: f64| {
        let stretched = 134_217_729.0 * x;
        let high = stretched - (stretched - x);
        (high, x - high)
    };
    let ((a_high, a_low), (b_high, b_low)) = (halves(a), halves(b));
    let product = a * b;
    (product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low)
}

/// The sum of `len` numbers of at most `bound`, independent of their order (pre-rounding: Demmel and Nguyen
/// 2013, Fast reproducible floating-point summation).
///
/// A power of two of at least twice the maximum sum is added to each number and subtracted again. The result
/// is a multiple of `2^-53` of that power, so these leading bits sum exactly. The remainders follow in the
/// same way, with a power that is smaller by `53 - log2(2 n)` bits. For 2^20 numbers, no bit above `2^-96` of
/// the bound is lost.
pub fn reproducible_sum(len: usize, bound: f64, number: impl Fn(usize) -> f64) -> f64 {
    interrupt::check();
    if bound == 0.0 {
        return 0.0;
    }
    let twice_n = (2 * len).next_power_of_two() as f64;
    let mut powers = [2f64.powi(bound.log2().ceil() as i32) * twice_n; PARTS];
    for part in 1..PARTS {
        powers[part] = powers[part - 1] * twice_n * (f64::EPSILON / 2.0);
    }
    simd::dispatch(LeadingBits { len, powers, number })
}

/// The kernel of [`reproducible_sum`]. Exact sums are independent of the order, so several run in parallel.
struct LeadingBits<F> {
    len: usize,
    powers: [f64; PARTS],
    number: F,
}

impl<F: Fn(usize) -> f64> Kernel for LeadingBits<F> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let mut sums = [[0.0; LANES]; PARTS];
        each_of_lanes(self.len, self.number, |mut rests| {
            for (sums, power) in sums.iter_mut().zip(self.powers) {
                for (sum, rest) in sums.iter_mut().zip(&mut rests) {
                    let leading = (*rest + power) - power;
                    *sum += leading;
                    *rest -= leading;
                }
            }
        });
        sums.iter().rev().map(|lanes| lanes.iter().sum::<f64>()).sum()
    }
}

/// The largest absolute value of `len` numbers; 0 for no numbers.
pub fn largest_magnitude(len: usize, number: impl Fn(usize) -> f64) -> f64 {
    simd::dispatch(LargestMagnitude { len, number })
}

/// The kernel of [`largest_magnitude`].
struct LargestMagnitude<F> {
    len: usize,
    number: F,
}

impl<F: Fn(usize) -> f64> Kernel for LargestMagnitude<F> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let mut largest = [0.0f64; LANES];
        each_of_lanes(self.len, self.number, |numbers| {
            for (largest, number) in largest.iter_mut().zip(numbers) {
                *largest = if number.abs() > *largest { number.abs() } else { *largest };
            }
        });
        largest.into_iter().fold(0.0, f64::max)
    }
}

/// Visits `len` numbers, [`LANES`] at a time; the remainder is passed one number at a time, padded with
/// zeros.
#[inline(always)]
fn each_of_lanes(len: usize, number: impl Fn(usize) -> f64, mut visit: impl FnMut([f64; LANES])) {
    let whole = len / LANES * LANES;
    (0..whole).step_by(LANES).for_each(|start| visit(std::array::from_fn(|lane| number(start + lane))));
    (whole..len)
        .for_each(|index| visit(std::array::from_fn(|lane| if lane == 0 { number(index) } else { 0.0 })));
}

/// The number of rounds that extract leading bits.
const PARTS: usize = 3;

/// The number of lanes: two AVX2 registers.
const LANES: usize = 8;

/// Sorts numbers, so that the names of folds do not affect the rounding of a sum.
pub fn in_order(numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn no_numbers_and_the_smallest() {
        for (number, len) in [(1.0, 0), (0.0, 3), (5e-324, 3), (0.1, 1)] {
            assert_eq!(reproducible_sum(len, number, |_| number), number * len as f64);
        }
    }

    #[test]
    fn small_numbers_with_large_ones() {
        assert_eq!(Sum::sum([1.0, 1e100, 1.0, -1e100].into_iter()), 2.0);
        assert_eq!(Sum::sum_repeated([(0.1, 3.0), (-0.3, 1.0)].into_iter()), 0.1f64.mul_add(3.0, -0.3));
    }

    proptest! {
        /// Compares with integer sums, which are exact: the numbers are integer multiples of `2^-60`.
        #[test]
        fn independent_of_order(numbers in prop::collection::vec((-1i64 << 53..1 << 53, 0u32..60), 0..50), start in 0usize..50) {
            let floats: Vec<f64> = numbers.iter().map(|&(digits, bits)| digits as f64 / 2f64.powi(bits as i32)).collect();
            let exact: i128 = numbers.iter().map(|&(digits, bits)| i128::from(digits) << (60 - bits)).sum();
            let mut turned = floats.clone();
            turned.rotate_left(start.min(floats.len()));
            turned.reverse();
            let bound = 2f64.powi(53);
            let sum = reproducible_sum(floats.len(), bound, |index| floats[index]);
            prop_assert_eq!(sum.to_bits(), reproducible_sum(floats.len(), bound, |index| turned[index]).to_bits());
            // The parts add up with one rounding each.
            let expected = exact as f64 / 2f64.powi(60);
            prop_assert!((sum - expected).abs() <= 2.0 * f64::EPSILON * expected.abs(), "{} {}", sum, expected);
        }

        /// The mean of equal numbers is that number, whatever the weights.
        #[test]
        fn means_of_equal_numbers(x in 0.0..1.0f64, weights in prop::collection::vec(1e-9..1e9f64, 2..50)) {
            let (mut sum, mut all) = (Sum::default(), Sum::default());
            weights.iter().for_each(|&weight| sum.add_product(weight, x));
            weights.iter().for_each(|&weight| all.add(weight));
            prop_assert_eq!(sum.quotient(all), x);
            let (first, others) = weights.split_first().unwrap();
            let total = |weights: &[f64]| weights.iter().fold(Sum::default(), |mut sum, &weight| {
                sum.add_product(weight, x);
                sum
            });
            prop_assert_eq!(total(&[*first]).plus(total(others)).quotient(all), x);
        }

        #[test]
        fn products_are_exact(a in -1e9..1e9f64, b in 1u64..1 << 62) {
            let (high, low) = product(a, b as f64);
            prop_assert_eq!(high, a * b as f64);
            prop_assert_eq!(low, a.mul_add(b as f64, -high));
        }
    }
}
