//! The positives and negatives with one score.

use std::fmt::Debug;
use std::ops::{Add, AddAssign};

/// The number type of counts: 64-bit rows or units, or the sums of weights of a
/// [state](crate::states::State).
pub trait CountValue:
    Add<Output = Self> + AddAssign + Copy + Debug + Default + Into<u128> + PartialEq + Send + Sync + 'static
{
}

impl CountValue for u64 {}

/// The rows of either class with one score; with weights, their units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count<T = u64> {
    /// Positives.
    pub pos: T,
    /// Negatives.
    pub neg: T,
}

impl<T: Add<Output = T> + Copy> Count<T> {
    /// All rows.
    pub fn rows(self) -> T {
        self.pos + self.neg
    }

    /// The sum of two counts.
    pub fn plus(self, more: Self) -> Self {
        Count { pos: self.pos + more.pos, neg: self.neg + more.neg }
    }
}

impl<T: CountValue> Count<T> {
    /// Adds rows of a class.
    #[inline]
    pub fn add(&mut self, positive: bool, rows: T) {
        *(if positive { &mut self.pos } else { &mut self.neg }) += rows;
    }

    /// The sum of counts.
    pub fn sum<'a>(counts: impl IntoIterator<Item = &'a Self>) -> Self {
        counts.into_iter().fold(Count::default(), |sum, &count| sum.plus(count))
    }
}
