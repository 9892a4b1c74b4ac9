//! The scores of positives, in any order.
//!
//! A precision, a distance and a placement each belong to one score. Their sums and maxima need the number of
//! rows above a score, but not the next score, so keys need no sorting.

use super::placements::Placements;
use crate::ranking::tuning::POSITIVES_AT_A_TIME;

/// The score of one or more positives, in a group that [has small classes](super::Ties::has_small_classes).
///
/// Positives with equal scores may be emitted one by one. `pos_above` then also counts those emitted later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PositiveScore {
    /// Positives with this score.
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

/// The scores of some positives, one column per number.
#[derive(Debug, Default)]
pub struct PositiveScores {
    len: usize,
    pos: [u32; POSITIVES_AT_A_TIME],
    pos_above: [u32; POSITIVES_AT_A_TIME],
    neg_above: [u32; POSITIVES_AT_A_TIME],
    tp: [u32; POSITIVES_AT_A_TIME],
    fp: [u32; POSITIVES_AT_A_TIME],
}

impl PositiveScores {
    /// [`PositiveScore::tp`] and [`PositiveScore::fp`] of each.
    pub fn at(&self) -> (&[u32], &[u32]) {
        (&self.tp[..self.len], &self.fp[..self.len])
    }

    /// [`PositiveScore::pos_above`] and [`PositiveScore::neg_above`] of each.
    pub fn above(&self) -> (&[u32], &[u32]) {
        (&self.pos_above[..self.len], &self.neg_above[..self.len])
    }

    /// The same as [`at`](PositiveScores::at) for a full batch in which each score has one positive.
    pub fn at_full(&self) -> Option<(&[u32; POSITIVES_AT_A_TIME], &[u32; POSITIVES_AT_A_TIME])> {
        let is_full = self.len == POSITIVES_AT_A_TIME && self.pos == [1; POSITIVES_AT_A_TIME];
        is_full.then_some((&self.tp, &self.fp))
    }

    /// Iterates over the scores.
    pub fn iter(&self) -> impl Iterator<Item = PositiveScore> + '_ {
        (0..self.len).map(|index| PositiveScore {
            pos: self.pos[index],
            pos_above: self.pos_above[index],
            neg_above: self.neg_above[index],
            tp: self.tp[index],
            fp: self.fp[index],
        })
    }
}

/// A callback for batches of scores of positives.
pub type PositiveSink<'a> = dyn FnMut(&PositiveScores) + 'a;

/// Walks the positives of a part of a group; returns the sums over the placements of all its rows.
pub type WalkPositives<'a> = dyn FnMut(&mut PositiveSink<'_>) -> Placements + 'a;

/// Emits the scores of positives in batches.
pub(in crate::ranking) struct Batches<'a, 'b> {
    scores: PositiveScores,
    take: &'a mut PositiveSink<'b>,
}

impl<'a, 'b> Batches<'a, 'b> {
    /// Batches for this callback.
    pub fn to(take: &'a mut PositiveSink<'b>) -> Self {
        Batches { scores: PositiveScores::default(), take }
    }

    /// Adds the next score.
    #[inline(always)]
    pub fn push(&mut self, score: PositiveScore) {
        let scores = &mut self.scores;
        let index = scores.len;
        scores.pos[index] = score.pos;
        scores.pos_above[index] = score.pos_above;
        scores.neg_above[index] = score.neg_above;
        scores.tp[index] = score.tp;
        scores.fp[index] = score.fp;
        scores.len += 1;
        if scores.len == POSITIVES_AT_A_TIME {
            self.end();
        }
    }

    /// Emits the remaining scores.
    pub fn end(&mut self) {
        (self.take)(&self.scores);
        self.scores.len = 0;
    }
}
