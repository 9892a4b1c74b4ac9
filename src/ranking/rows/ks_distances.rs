//! How high the points of a curve lie above the diagonal: `tp N - fp P` of P positives and N negatives.
//!
//! The rows come from the lowest score up. Below some score are all rows but those that a point counts, so that its
//! height is the sum of P for each negative below it, less N for each positive. The KS distances of two ranges of the score,
//! one above the other, follow from those of each: threads divide the ranges.

use crate::ranking::ties::Count;

/// How much the height of a curve grows by a negative, and by a positive. Both classes together have at most 2^32 rows, so
/// that no height is above 2^62.
pub(super) type Steps = [i64; 2];

/// The steps of a curve of so many rows.
pub(super) fn steps(rows: Count) -> Steps {
    [rows.pos.cast_signed(), -rows.neg.cast_signed()]
}

/// The KS distances of the points of some rows in a range of the score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct KsDistances {
    /// From the point at the lower end of the range to that at the upper one.
    last: i64,
    /// The largest of all points, and of the lower end, whose height is 0 here.
    highest: i64,
    /// The smallest.
    lowest: i64,
}

impl KsDistances {
    /// Takes in the next row, which is the only one of its score.
    #[inline(always)]
    pub fn add_row(&mut self, class: usize, steps: Steps) {
        self.add(steps[class]);
    }

    /// Takes in the rows of the next score.
    pub fn add_tie(&mut self, rows: Count, steps: Steps) {
        self.add(rows.neg.cast_signed() * steps[0] + rows.pos.cast_signed() * steps[1]);
    }

    #[inline(always)]
    fn add(&mut self, step: i64) {
        self.last += step;
        self.highest = self.highest.max(self.last);
        self.lowest = self.lowest.min(self.last);
    }

    /// The KS distances of this range and of the one above it.
    pub fn and_above(self, above: Self) -> Self {
        KsDistances {
            last: self.last + above.last,
            highest: self.highest.max(self.last + above.highest),
            lowest: self.lowest.min(self.last + above.lowest),
        }
    }

    /// The largest `|tp N - fp P|`.
    pub fn farthest(self) -> u128 {
        self.highest.max(-self.lowest).cast_unsigned().into()
    }
}
