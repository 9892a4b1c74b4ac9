//! How high the points of a curve lie above the diagonal: `tp N - fp P` of P positives and N negatives.
//!
//! The rows come from the lowest score up. Below some score are all rows but those that a point counts, so that its
//! height is the sum of P for each negative below it, less N for each positive. The heights of two ranges of the score,
//! one above the other, follow from those of each: threads divide the ranges.

use crate::ranking::ties::Count;

/// How much the height of a curve grows by a negative, and by a positive. Both classes together have at most 2^32 rows, so
/// that no height is above 2^62.
pub(super) type HeightSteps = [i64; 2];

/// The steps of a curve of so many rows.
pub(super) fn height_steps(rows: Count) -> HeightSteps {
    [rows.pos.cast_signed(), -rows.neg.cast_signed()]
}

/// The heights of the points of some rows in a range of the score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HeightRange {
    /// At the upper end of the range, from that at the lower end.
    end: i64,
    /// The largest of all points, and of the lower end, whose height is 0 here.
    highest: i64,
    /// The smallest.
    lowest: i64,
}

impl HeightRange {
    /// Takes in the next row, which is the only one of its score.
    #[inline(always)]
    pub fn add_row(&mut self, class: usize, steps: HeightSteps) {
        self.add(steps[class]);
    }

    /// Takes in the rows of the next score.
    pub fn add_tie(&mut self, rows: Count, steps: HeightSteps) {
        self.add(rows.neg.cast_signed() * steps[0] + rows.pos.cast_signed() * steps[1]);
    }

    #[inline(always)]
    fn add(&mut self, step: i64) {
        self.end += step;
        self.highest = self.highest.max(self.end);
        self.lowest = self.lowest.min(self.end);
    }

    /// The heights of this range and of the one above it.
    pub fn and_above(self, above: Self) -> Self {
        HeightRange {
            end: self.end + above.end,
            highest: self.highest.max(self.end + above.highest),
            lowest: self.lowest.min(self.end + above.lowest),
        }
    }

    /// The largest `|tp N - fp P|`.
    pub fn farthest(self) -> u128 {
        self.highest.max(-self.lowest).cast_unsigned().into()
    }
}
