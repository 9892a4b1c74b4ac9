//! Placements of a few rows, pair by pair.
//!
//! Comparing all pairs of a small group is cheaper than bringing it into any order.

use super::classes::Classes;
use super::tuning::FEW_ROWS;
use super::{Key, Segment};

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
    fn add_pos(&mut self, rows: u64, placement: u64) {
        self.sum += u128::from(rows) * u128::from(placement);
        self.squares_of_pos += squares(rows, placement);
    }

    /// Takes in `rows` negatives of one placement.
    #[inline]
    fn add_neg(&mut self, rows: u64, placement: u64) {
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

/// 2 if the positive scores higher, 1 if both tie, else 0.
#[inline]
pub(super) fn twice_win<K: Key>(pos: K, neg: K) -> u64 {
    u64::from(neg < pos) + u64::from(neg <= pos)
}

/// The sums over the placements of a whole group that [is of few rows](Classes::are_few).
pub(super) fn placements<K: Key>(group: &Classes<'_, K>) -> Placements {
    let mut sums = Placements::default();
    let mut lost = [0; FEW_ROWS];
    if group.n_pos == 0 || group.n_neg == 0 {
        return sums;
    }
    let lost = &mut lost[..group.n_neg];
    for &pos in group.pos.iter().copied().flatten() {
        let mut placement = 0;
        for (&neg, lost) in group.neg.iter().copied().flatten().zip(lost.iter_mut()) {
            let twice = twice_win(pos, neg);
            placement += twice;
            *lost += twice;
        }
        sums.add_pos(1, placement);
    }
    for &placement in lost.iter() {
        sums.add_neg(1, placement);
    }
    sums
}
