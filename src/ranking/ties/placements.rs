//! Sums over placements.

use super::steps::{Above, Run, Segment, Step};

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

    /// Takes in the segments of a run, where the group has `n_neg` negatives in all; returns what lies above the next run.
    ///
    /// In a run of few rows a placement is told apart from that of its beginning, `a`: the sum of `(a + r)²` is that of
    /// `a² + 2 a r + r²`, and all that differs from row to row fits 64 bits.
    #[inline]
    pub fn add_run(&mut self, run: Run<'_>, n_neg: u64) -> Above {
        let Step { pos, neg, pos_above, neg_above, .. } = run.whole();
        if (pos | neg) >= SHORT_RUN || (n_neg | pos_above) >= FEW_IN_ALL {
            return run.each(|segment| self.add(&segment, n_neg));
        }
        let (mut pos_before, mut neg_before) = (0, 0);
        let (mut of_pos, mut of_neg) = (InRun::default(), InRun::default());
        for rise in run.rises {
            of_pos.add(rise.pos, 2 * neg_before + rise.neg);
            of_neg.add(rise.neg, 2 * pos_before + rise.pos);
            pos_before += rise.pos;
            neg_before += rise.neg;
        }
        let highest = u128::from(2 * (n_neg - neg_above));
        self.sum += highest * u128::from(pos) - u128::from(of_pos.sum);
        self.squares_of_pos += highest * highest * u128::from(pos) + u128::from(of_pos.squares)
            - 2 * highest * u128::from(of_pos.sum);
        let lowest = u128::from(2 * pos_above);
        self.squares_of_neg += lowest * lowest * u128::from(neg)
            + u128::from(of_neg.squares)
            + 2 * lowest * u128::from(of_neg.sum);
        Above { pos: pos_above + pos, neg: neg_above + neg }
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

/// A run has few rows if it has fewer than these of either class: the sum of squares over them then fits 64 bits.
const SHORT_RUN: u64 = 1 << 20;

/// Fewer rows than these in all, and the squares of a run fit 128 bits in any order of addition.
const FEW_IN_ALL: u64 = 1 << 50;

/// Sums over the rows of a class in a run, by how far their placements are from that of the run's beginning.
#[derive(Default)]
struct InRun {
    sum: u64,
    squares: u64,
}

impl InRun {
    #[inline]
    fn add(&mut self, rows: u64, away: u64) {
        let sum = rows * away;
        self.sum += sum;
        self.squares += sum * away;
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
