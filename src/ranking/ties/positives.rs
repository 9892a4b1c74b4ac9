//! The scores of positives, in any order.
//!
//! A precision, a distance and a placement are each of one score. Their sums and maxima need to know how many rows lie above a
//! score, and not which score comes next: no key is put in order for them.

use super::placements::Placements;
use crate::ranking::tuning::POSITIVES_AT_A_TIME;

/// The score of one or several positives, in a group that [has small classes](super::Ties::has_small_classes).
///
/// Positives that share a score may come one by one. Then `pos_above` also counts those of them that come later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PositiveScore {
    /// Positives that have it.
    pub pos: u32,
    /// Positives with a higher score.
    pub pos_above: u32,
    /// Negatives with a higher score.
    pub neg_above: u32,
    /// Positives with this score or a higher one.
    pub tp: u32,
    /// Negatives with this score or a higher one.
    pub fp: u32,
}

/// What takes the scores of positives in, some at a time.
pub type TakePositives<'a> = dyn FnMut(&[PositiveScore]) + 'a;

/// Walks the positives of a part of a group, and returns the sums over the placements of all its rows.
pub type WalkPositives<'a> = dyn FnMut(&mut TakePositives<'_>) -> Placements + 'a;

/// Hands out the scores of positives, some at a time.
pub(in crate::ranking) struct Batches<'a, 'b> {
    scores: [PositiveScore; POSITIVES_AT_A_TIME],
    len: usize,
    take: &'a mut TakePositives<'b>,
}

impl<'a, 'b> Batches<'a, 'b> {
    /// To what takes them in.
    pub fn to(take: &'a mut TakePositives<'b>) -> Self {
        Batches { scores: [PositiveScore::default(); POSITIVES_AT_A_TIME], len: 0, take }
    }

    /// The next score.
    #[inline(always)]
    pub fn push(&mut self, score: PositiveScore) {
        self.scores[self.len] = score;
        self.len += 1;
        if self.len == POSITIVES_AT_A_TIME {
            self.end();
        }
    }

    /// Hands out the scores that are left.
    pub fn end(&mut self) {
        (self.take)(&self.scores[..self.len]);
        self.len = 0;
    }
}
