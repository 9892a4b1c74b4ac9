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
        for (value, times) in values {
            let (product, lost) = product(value, times);
            all.add(product);
            all.lost += lost;
        }
        all.total()
    }

    /// Adds a number.
    pub fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        self.lost +=
            if self.sum.abs() >= value.abs() { (self.sum - sum) + value } else { (value - sum) + self.sum };
        self.sum = sum;
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
        #[test]
        fn products_lose_nothing(a in -1e9..1e9f64, b in 1u64..1 << 62) {
            let (high, low) = product(a, b as f64);
            prop_assert_eq!(high, a * b as f64);
            prop_assert_eq!(low, a.mul_add(b as f64, -high));
        }
    }
}
