//! Heights of the points of a curve above the diagonal: `tp N - fp P` for P positives and N negatives.
//!
//! Rows are visited from the lowest score up. All rows below a score are outside the point's counts. The
//! height is therefore P for each negative below, minus N for each positive below. The heights of two
//! adjacent ranges of the score follow from the heights of each, so threads process ranges in parallel.

use crate::ranking::ties::Count;

/// The change of the height at a negative, and at a positive. Both classes together have at most 2^32 rows,
/// so heights are at most 2^62.
pub(super) type HeightSteps = [i64; 2];

/// The steps for these numbers of rows.
pub(super) fn height_steps(rows: Count) -> HeightSteps {
    [rows.pos.cast_signed(), -rows.neg.cast_signed()]
}

/// The heights of the points in a range of the score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HeightRange {
    /// The height at the upper end, relative to the lower end.
    end: i64,
    /// The largest height of all points, including the lower end at 0.
    highest: i64,
    /// The smallest height, likewise.
    lowest: i64,
}

impl HeightRange {
    /// Adds the next row, the only row of its score.
    #[inline(always)]
    pub fn add_row(&mut self, class: usize, steps: HeightSteps) {
        self.add(steps[class]);
    }

    /// Adds the rows of the next score.
    pub fn add_tie(&mut self, rows: Count, steps: HeightSteps) {
        self.add(rows.neg.cast_signed() * steps[0] + rows.pos.cast_signed() * steps[1]);
    }

    #[inline(always)]
    fn add(&mut self, step: i64) {
        self.end += step;
        self.highest = self.highest.max(self.end);
        self.lowest = self.lowest.min(self.end);
    }

    /// Combines this range with the range above it.
    pub fn and_above(self, above: Self) -> Self {
        HeightRange {
            end: self.end + above.end,
            highest: self.highest.max(self.end + above.highest),
            lowest: self.lowest.min(self.end + above.lowest),
        }
    }

    /// The largest `|tp N - fp P|`.
    pub fn ks_distance(self) -> u128 {
        self.highest.max(-self.lowest).cast_unsigned().into()
    }
}
