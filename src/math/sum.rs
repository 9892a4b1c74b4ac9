//! Sums of floats that lose next to nothing.

/// A sum, and beside it the sum of its rounding errors (Neumaier 1974).
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    /// The sum of numbers.
    pub fn of(values: impl Iterator<Item = f64>) -> f64 {
        let mut all = Sum::default();
        values.for_each(|value| all.add(value));
        all.total()
    }

    /// The sum of numbers, each counted as often as the number beside it says.
    pub fn of_repeated(values: impl Iterator<Item = (f64, f64)>) -> f64 {
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

    /// The sum of all numbers with the other sign.
    pub fn negative(self) -> Sum {
        Sum { sum: -self.sum, lost: -self.lost }
    }

    /// Both sums together.
    pub fn plus(mut self, other: Sum) -> Sum {
        self.add(other.sum);
        self.lost += other.lost;
        self
    }

    /// The quotient of two sums, from both parts of each: a sum of `w x` over the sum of the `w` is exactly x.
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

/// A product, and its rounding error (Dekker 1971).
fn product(a: f64, b: f64) -> (f64, f64) {
    // Each factor is cut into halves of 26 bits, whose products are exact.
    let halves = |x: f64| {
        let stretched = 134_217_729.0 * x;
        let high = stretched - (stretched - x);
        (high, x - high)
    };
    let ((a_high, a_low), (b_high, b_low)) = (halves(a), halves(b));
    let product = a * b;
    (product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low)
}

/// Numbers in ascending order, so that the names of the folds do not change the last bit of a sum.
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
    fn small_numbers_beside_large_ones() {
        assert_eq!(Sum::of([1.0, 1e100, 1.0, -1e100].into_iter()), 2.0);
        assert_eq!(Sum::of_repeated([(0.1, 3.0), (-0.3, 1.0)].into_iter()), 0.1f64.mul_add(3.0, -0.3));
    }

    proptest! {
        /// Means of one number are this number, whatever the weights.
        #[test]
        fn means_of_equal_numbers(x in 0.0..1.0f64, weights in prop::collection::vec(1e-9..1e9f64, 2..50)) {
            let (mut sum, mut all) = (Sum::default(), Sum::default());
            weights.iter().for_each(|&weight| sum.add_product(weight, x));
            weights.iter().for_each(|&weight| all.add(weight));
            prop_assert_eq!(sum.quotient(all), x);
            let (first, others) = weights.split_first().unwrap();
            let of = |weights: &[f64]| weights.iter().fold(Sum::default(), |mut sum, &weight| {
                sum.add_product(weight, x);
                sum
            });
            prop_assert_eq!(of(&[*first]).plus(of(others)).quotient(all), x);
        }

        #[test]
        fn products_lose_nothing(a in -1e9..1e9f64, b in 1u64..1 << 62) {
            let (high, low) = product(a, b as f64);
            prop_assert_eq!(high, a * b as f64);
            prop_assert_eq!(low, a.mul_add(b as f64, -high));
        }
    }
}
