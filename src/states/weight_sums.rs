//! What a state keeps of the weights of a class in a bin: their sum, and the sum of their squares.
//!
//! Both are whole numbers of steps of `10^-18`. A weight and its square are each rounded to steps once, by themselves, so
//! sums are exact in any order. Only intervals need the squares. So squares that cannot be added up are unknown, and the
//! state is right without them; what is unknown stays so, whatever is added.

use std::ops::{Add, AddAssign};

use crate::math;
use crate::ranking::ties::counts::CountValue;

/// Decimal places of sums of weights.
pub const DECIMALS: u32 = 18;

/// The steps of a weight of 1.
pub const ONE: u128 = 10u128.pow(DECIMALS);

/// The most steps of all weights of a class together: 38 decimal digits, which is what decimal columns hold.
pub const MOST_STEPS: u128 = 10u128.pow(38) - 1;

/// The largest part of a class's squared weights that their roundings may be, for a standard error to be known: it is then
/// off by half of that at most.
const ROUNDED_PART: f64 = 1.0 / (1 << 20) as f64;

/// The sums of the weights of a class in a bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeightSums {
    /// Steps of the weights.
    pub steps: u128,
    /// Of the weights' squares.
    pub squares: Squares,
}

impl WeightSums {
    /// Those of one row, whose weight is finite and above 0.
    pub(super) fn of(weight: f64) -> Self {
        WeightSums { steps: decimal_steps(weight), squares: Squares::new(decimal_steps(weight * weight)) }
    }

    /// What was read, where anything may have been written: without weight nothing is unknown.
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

/// Steps of squared weights, at most [`MOST_STEPS`]; or unknown, which is above all that are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Squares(u128);

impl Squares {
    /// Of squares that were not kept, or add up to more than a state has room for.
    pub const UNKNOWN: Self = Squares(u128::MAX);

    /// So many steps, or unknown if they are too many.
    pub fn new(steps: u128) -> Self {
        if steps > MOST_STEPS { Squares::UNKNOWN } else { Squares(steps) }
    }

    /// The steps, if they are known.
    pub fn known(self) -> Option<u128> {
        (self != Squares::UNKNOWN).then_some(self.0)
    }

    /// Whether the squares of so many rows are known, and so large that their roundings of at most half a step each do not
    /// matter.
    pub fn are_known_of(self, rows: u64) -> bool {
        let rounding = rows as f64 / 2.0;
        self.known().is_some_and(|steps| rounding <= ROUNDED_PART * steps as f64)
    }

    /// What is left without a part; of unknown squares nothing is.
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

/// The steps of a number that is finite, or infinite, and not negative: the nearest number of them, or `u128::MAX` if they
/// are too many.
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
    // Half a step more, and then whole steps only.
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
            assert_eq!(WeightSums::of(weight).squares.known(), expected, "{weight}");
        }
        assert_eq!(WeightSums::read(0, None), WeightSums::default());
        assert_eq!(WeightSums::read(1, None).squares, Squares::UNKNOWN);
    }

    proptest! {
        /// What reaches 1e20 on the way is unknown at the end, in any order.
        #[test]
        fn sums_in_any_order(squares in prop::collection::vec(prop_oneof![Just(None), (0..=MOST_STEPS).prop_map(Some), (0u128..1000).prop_map(Some)], 0..6)) {
            let sum = |squares: &mut dyn Iterator<Item = &Option<u128>>| {
                squares.fold(Squares::default(), |sum, square| sum + square.map_or(Squares::UNKNOWN, Squares::new))
            };
            let all: Option<u128> = squares.iter().copied().sum();
            let expected = all.filter(|&all| all <= MOST_STEPS);
            prop_assert_eq!(sum(&mut squares.iter()).known(), expected);
            prop_assert_eq!(sum(&mut squares.iter().rev()).known(), expected);
        }
    }
}
