//! Sums over placements.

use std::ops::{Add, AddAssign, Mul};

use super::steps::{Above, Run, Segment, Step};

/// Sums over placements, as integers.
///
/// The placement of a positive is counted as twice the negatives with a lower score, plus the negatives with
/// the same score. The placement of a negative is counted as twice the positives with a higher score, plus
/// the positives with the same score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placements {
    /// The sum of all placements of one class: twice the Mann-Whitney U, for either class.
    pub sum: u128,
    /// The sum of the squared placements of positives.
    pub squares_of_pos: u128,
    /// The sum of the squared placements of negatives.
    pub squares_of_neg: u128,
}

impl Placements {
    /// The sum of two sums.
    pub fn plus(self, more: Self) -> Self {
        Placements {
            sum: self.sum + more.sum,
            squares_of_pos: self.squares_of_pos + more.squares_of_pos,
            squares_of_neg: self.squares_of_neg + more.squares_of_neg,
        }
    }

    /// Adds the rows of a segment; `n_neg` is the number of negatives in the group.
    #[inline]
    pub fn add(&mut self, segment: &Segment, n_neg: u64) {
        self.add_pos(segment.pos, segment.placement_of_pos(n_neg));
        self.add_neg(segment.neg, segment.placement_of_neg());
    }

    /// Adds the segments of a run, whose total is `whole`; `n_neg` is the number of negatives in the group.
    /// Returns the counts above the next run.
    ///
    /// In a short run, placements are relative to the start of the run, `a`. The sum of `(a + r)²` is the sum
    /// of `a² + 2 a r + r²`. All terms that vary by row fit 64 bits.
    #[inline]
    pub fn add_run(&mut self, run: Run<'_>, whole: &Step, n_neg: u64) -> Above {
        let &Step { pos, neg, pos_above, neg_above, .. } = whole;
        if (pos | neg) >= SHORT_RUN || (n_neg | pos_above) >= FEW_IN_ALL {
            return run.each(|segment| self.add(&segment, n_neg));
        }
        let (mut pos_before, mut neg_before) = (0, 0);
        let (mut pos_moments, mut neg_moments) = (Moments::<u64>::default(), Moments::default());
        for rise in run.deltas {
            pos_moments.add(rise.pos, 2 * neg_before + rise.neg);
            neg_moments.add(rise.neg, 2 * pos_before + rise.pos);
            pos_before += rise.pos;
            neg_before += rise.neg;
        }
        self.add_moments(
            pos_moments.wide().below(2 * (n_neg - neg_above)),
            neg_moments.wide().above(2 * pos_above),
        );
        Above { pos: pos_above + pos, neg: neg_above + neg }
    }

    /// Adds rows by the moments of their placements.
    pub(in crate::ranking) fn add_moments(&mut self, pos_moments: Moments<u128>, neg_moments: Moments<u128>) {
        self.sum += pos_moments.sum;
        self.squares_of_pos += pos_moments.squares;
        self.squares_of_neg += neg_moments.squares;
    }

    /// Adds `rows` positives with one placement.
    #[inline]
    pub(in crate::ranking) fn add_pos(&mut self, rows: u64, placement: u64) {
        self.sum += u128::from(rows) * u128::from(placement);
        self.squares_of_pos += squares(rows, placement);
    }

    /// Adds `rows` negatives with one placement.
    #[inline]
    pub(in crate::ranking) fn add_neg(&mut self, rows: u64, placement: u64) {
        self.squares_of_neg += squares(rows, placement);
    }
}

/// A run is short if it has fewer than this number of rows of each class. The sum of the squares of the
/// relative placements then fits 64 bits.
const SHORT_RUN: u64 = 1 << 20;

/// Below this number of rows in total, the squares of a run fit 128 bits in any order of addition.
const FEW_IN_ALL: u64 = 1 << 40;

/// The number of rows of a class, and the sums of a value and of its square.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::ranking) struct Moments<T> {
    pub rows: T,
    pub sum: T,
    pub squares: T,
}

/// The number type of moments.
pub(in crate::ranking) trait MomentNumber:
    Copy + Default + AddAssign + Add<Output = Self> + Mul<Output = Self>
{
}

impl MomentNumber for u64 {}
impl MomentNumber for u128 {}

impl<T: MomentNumber> Moments<T> {
    /// Adds `rows` rows with one value.
    #[inline]
    pub fn add(&mut self, rows: T, number: T) {
        let sum = rows * number;
        self.rows += rows;
        self.sum += sum;
        self.squares += sum * number;
    }
}

impl Moments<u64> {
    /// The same, widened.
    pub fn wide(self) -> Moments<u128> {
        Moments { rows: self.rows.into(), sum: self.sum.into(), squares: self.squares.into() }
    }
}

impl Moments<u128> {
    /// The moments of `highest - value`; no value exceeds `highest`.
    pub fn below(self, highest: u64) -> Self {
        let (Moments { rows, sum, squares }, highest) = (self, u128::from(highest));
        let sum_below = highest * rows - sum;
        Moments { rows, sum: sum_below, squares: squares + highest * sum_below - highest * sum }
    }

    /// The moments of `lowest + value`.
    pub fn above(self, lowest: u64) -> Self {
        let (Moments { rows, sum, squares }, lowest) = (self, u128::from(lowest));
        let sum_above = lowest * rows + sum;
        Moments { rows, sum: sum_above, squares: squares + lowest * (sum_above + sum) }
    }
}

/// `rows * placement²`.
#[inline]
pub fn squares(rows: u64, placement: u64) -> u128 {
    match placement.checked_mul(placement) {
        // In groups of fewer than 2^31 rows the square fits 64 bits, which saves three of four
        // multiplications.
        Some(square) => u128::from(rows) * u128::from(square),
        None => u128::from(rows) * (u128::from(placement) * u128::from(placement)),
    }
}
