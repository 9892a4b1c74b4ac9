//! The sums of the weights of a class in a bin: the weights, and their squares.
//!
//! Both are integers in steps of `10^-18`. A weight and its square are rounded to steps once each, so sums
//! are exact in any order. Only intervals need the squares. Squares that overflow become unknown, and the
//! state stays valid without them. Unknown plus anything is unknown.

use std::ops::{Add, AddAssign};

use crate::math;
use crate::ranking::ties::CountValue;

/// Decimal places of sums of weights.
pub const DECIMALS: u32 = 18;

/// The steps of a weight of 1.
pub const ONE: u128 = 10u128.pow(DECIMALS);

/// The maximum total of a class in steps: 38 decimal digits, the limit of decimal columns.
pub const MAX_STEPS: u128 = 10u128.pow(38) - 1;

/// The maximum share of rounding in a class's squared weights for a standard error: its error is then at most
/// half of this share.
const ROUNDED_PART: f64 = 1.0 / (1 << 20) as f64;

/// The sums of the weights of a class in a bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeightSums {
    /// The weights in steps.
    pub steps: u128,
    /// The squared weights.
    pub squares: Squares,
}

impl WeightSums {
    /// The sums of one row with a positive, finite weight.
    pub(super) fn new(weight: f64) -> Self {
        WeightSums { steps: decimal_steps(weight), squares: Squares::new(decimal_steps(weight * weight)) }
    }

    /// Untrusted input: the squares of zero weight are known to be zero.
    pub fn read(steps: u128, squares: Option<u128>) -> Self {
        let unknown = if steps == 0 { Squares::default() } else { Squares::UNKNOWN };
        WeightSums { steps, squares: squares.map_or(unknown, Squares::new) }
    }
}

impl Add for WeightSums {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        WeightSums { steps: self.steps + more.steps, squares: self.squares + more.squares }
    }
}

impl AddAssign for WeightSums {
    fn add_assign(&mut self, more: Self) {
        *self = *self + more;
    }
}

impl From<WeightSums> for u128 {
    fn from(sums: WeightSums) -> u128 {
        sums.steps
    }
}

impl CountValue for WeightSums {}

/// Squared weights in steps, at most [`MAX_STEPS`], or unknown, which compares above all known values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Squares(u128);

impl Squares {
    /// Squares that were not stored, or that overflow.
    pub const UNKNOWN: Self = Squares(u128::MAX);

    /// Squares in steps; unknown above [`MAX_STEPS`].
    pub fn new(steps: u128) -> Self {
        if steps > MAX_STEPS { Squares::UNKNOWN } else { Squares(steps) }
    }

    /// The steps, or `None` if unknown.
    pub fn known(self) -> Option<u128> {
        (self != Squares::UNKNOWN).then_some(self.0)
    }

    /// Whether the squares of this many rows are known, and large enough for rounding errors of half a step
    /// per row to be negligible.
    pub fn are_known_of(self, rows: u64) -> bool {
        let rounding = rows as f64 / 2.0;
        self.known().is_some_and(|steps| rounding <= ROUNDED_PART * steps as f64)
    }

    /// The difference; unknown if either is unknown.
    pub fn without(self, part: Squares) -> Squares {
        self.known().zip(part.known()).map_or(Squares::UNKNOWN, |(all, part)| Squares(all - part))
    }

    /// The sum as a float, rounded once.
    pub fn value(self) -> Option<f64> {
        self.known().map(|steps| math::quotient(steps, ONE))
    }
}

impl AddAssign for Squares {
    fn add_assign(&mut self, more: Self) {
        *self = *self + more;
    }
}

impl From<Squares> for u128 {
    fn from(squares: Squares) -> u128 {
        squares.0
    }
}

impl CountValue for Squares {}

impl Add for Squares {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Squares::new(self.0.saturating_add(more.0))
    }
}

/// The steps of a non-negative number, to the nearest; `u128::MAX` on overflow.
fn decimal_steps(number: f64) -> u128 {
    let bits = number.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7FF) as i32, u128::from(bits & ((1 << 52) - 1)));
    let digits = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    let product = digits * ONE;
    let shift = exponent.max(1) - 1075;
    if shift >= 0 {
        let room = product.leading_zeros() as i32;
        return if shift < room { product << shift } else { u128::MAX };
    }
    // Adds half a step and truncates.
    product.checked_shr((-shift - 1) as u32).map_or(0, |twice| (twice + 1) >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn steps_of_a_weight() {
        for (weight, expected) in [
            (1.0, ONE),
            (0.5, ONE / 2),
            (3.0, 3 * ONE),
            (1e-18, 1),
            (6e-19, 1),
            (4e-19, 0),
            (f64::MIN_POSITIVE, 0),
            (5e-324, 0),
            (2f64.powi(-18), ONE >> 18),
            (0.1, 100_000_000_000_000_006),
            (1e19, 10_000_000_000_000_000_000 * ONE),
            (1e30, u128::MAX),
            (f64::MAX, u128::MAX),
            (f64::INFINITY, u128::MAX),
        ] {
            assert_eq!(decimal_steps(weight), expected, "{weight}");
        }
    }

    #[test]
    fn squares_of_a_weight() {
        for (weight, expected) in [
            (3.0, Some(9 * ONE)),
            (0.5, Some(ONE / 4)),
            (2f64.powi(-9), Some(ONE >> 18)),
            (1e-9, Some(1)),
            (1e-10, Some(0)),
            (9e9, Some(81_000_000_000_000_000_000 * ONE)),
            (1e10, None),
            (f64::MAX, None),
        ] {
            assert_eq!(WeightSums::new(weight).squares.known(), expected, "{weight}");
        }
        assert_eq!(WeightSums::read(0, None), WeightSums::default());
        assert_eq!(WeightSums::read(1, None).squares, Squares::UNKNOWN);
    }

    proptest! {
        /// A sum that reaches 1e20 at any point is unknown at the end, in any order.
        #[test]
        fn sums_in_any_order(squares in prop::collection::vec(prop_oneof![Just(None), (0..=MAX_STEPS).prop_map(Some), (0u128..1000).prop_map(Some)], 0..6)) {
            let sum = |squares: &mut dyn Iterator<Item = &Option<u128>>| {
                squares.fold(Squares::default(), |sum, square| sum + square.map_or(Squares::UNKNOWN, Squares::new))
            };
            let all: Option<u128> = squares.iter().copied().sum();
            let expected = all.filter(|&all| all <= MAX_STEPS);
            prop_assert_eq!(sum(&mut squares.iter()).known(), expected);
            prop_assert_eq!(sum(&mut squares.iter().rev()).known(), expected);
        }
    }
}
