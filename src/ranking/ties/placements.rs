//! Sums over placements.

use super::steps::Segment;

/// Sums over placements, in integers.
///
/// The placement of a positive is counted here as the number of negatives with a lower score, twice, plus the number of
/// negatives with the same score. The placement of a negative is counted as the number of positives with a higher
/// score, twice, plus the number of positives with the same score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placements {
    /// The sum of all placements of one class: twice the Mann-Whitney U, whichever class is summed.
    pub sum: u128,
    /// The sum of the squared placements of positives.
    pub squares_of_pos: u128,
    /// The sum of the squared placements of negatives.
    pub squares_of_neg: u128,
}

impl Placements {
    /// The sums over both.
    pub fn plus(self, more: Self) -> Self {
        Placements {
            sum: self.sum + more.sum,
            squares_of_pos: self.squares_of_pos + more.squares_of_pos,
            squares_of_neg: self.squares_of_neg + more.squares_of_neg,
        }
    }

    /// Takes in the rows of a segment, where the group has `n_neg` negatives in all.
    #[inline]
    pub fn add(&mut self, segment: &Segment, n_neg: u64) {
        self.add_pos(segment.pos, segment.placement_of_pos(n_neg));
        self.add_neg(segment.neg, segment.placement_of_neg());
    }

    /// Takes in `rows` positives of one placement.
    #[inline]
    pub(in crate::ranking) fn add_pos(&mut self, rows: u64, placement: u64) {
        self.sum += u128::from(rows) * u128::from(placement);
        self.squares_of_pos += squares(rows, placement);
    }

    /// Takes in `rows` negatives of one placement.
    #[inline]
    pub(in crate::ranking) fn add_neg(&mut self, rows: u64, placement: u64) {
        self.squares_of_neg += squares(rows, placement);
    }
}

/// `rows * placement²`.
#[inline]
pub fn squares(rows: u64, placement: u64) -> u128 {
    match placement.checked_mul(placement) {
        // In groups of fewer than 2^31 rows the square fits 64 bits, which saves three of four multiplications.
        Some(square) => u128::from(rows) * u128::from(square),
        None => u128::from(rows) * (u128::from(placement) * u128::from(placement)),
    }
}
