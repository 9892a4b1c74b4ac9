//! A fold over the scores of positives, whose order does not matter.
//!
//! A precision, a distance and a placement are each of one score, and so are sums and maxima of them. Such a fold needs
//! to know how many rows lie above a score, and not which score comes next: no key is put in order for it.

use std::sync::{Mutex, PoisonError};

use super::placements::Placements;
use super::source::Indexed;
use super::ties::Ties;
use crate::ranking::tuning::TOGETHER;

/// The score of one or several positives.
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
    scores: [PositiveScore; TOGETHER],
    len: usize,
    take: &'a mut TakePositives<'b>,
}

impl<'a, 'b> Batches<'a, 'b> {
    pub fn to(take: &'a mut TakePositives<'b>) -> Self {
        Batches { scores: [PositiveScore::default(); TOGETHER], len: 0, take }
    }

    #[inline(always)]
    pub fn push(&mut self, score: PositiveScore) {
        self.scores[self.len] = score;
        self.len += 1;
        if self.len == TOGETHER {
            self.end();
        }
    }

    pub fn end(&mut self) {
        (self.take)(&self.scores[..self.len]);
        self.len = 0;
    }
}

impl Ties<'_> {
    /// Folds the scores of positives in any order: `step` takes some of them into a result, and `join` joins two results.
    /// The group [has small classes](Self::has_small_classes).
    pub fn fold_positives<T: Default + Send>(
        &mut self,
        step: impl Fn(&mut T, &[PositiveScore]) + Sync,
        join: impl Fn(&mut T, T) + Sync,
    ) -> T {
        self.fold_positives_and(false, step, join).0
    }

    /// The same, and the sums over the placements of all rows.
    pub fn fold_positives_and_placements<T: Default + Send>(
        &mut self,
        step: impl Fn(&mut T, &[PositiveScore]) + Sync,
        join: impl Fn(&mut T, T) + Sync,
    ) -> (T, Placements) {
        self.fold_positives_and(true, step, join)
    }

    fn fold_positives_and<T: Default + Send>(
        &mut self,
        sums: bool,
        step: impl Fn(&mut T, &[PositiveScore]) + Sync,
        join: impl Fn(&mut T, T) + Sync,
    ) -> (T, Placements) {
        debug_assert!(self.has_small_classes());
        let joined = |all: &mut (T, Placements), more: (T, Placements)| {
            join(&mut all.0, more.0);
            all.1 = all.1.plus(more.1);
        };
        let all = Mutex::new((T::default(), Placements::default()));
        let is_walked = self.source.walk_positives(sums, &|walk| {
            let mut part = T::default();
            let placements = walk(&mut |scores| step(&mut part, scores));
            joined(&mut all.lock().unwrap_or_else(PoisonError::into_inner), (part, placements));
        });
        if is_walked {
            return all.into_inner().unwrap_or_else(PoisonError::into_inner);
        }
        let n_neg = self.n_neg();
        self.fold_runs(
            Indexed::Positives,
            |(part, placements): &mut (T, Placements), run| {
                if sums {
                    placements.add_run(run, &run.whole(), n_neg);
                }
                let mut take = |scores: &[PositiveScore]| step(part, scores);
                let mut batches = Batches::to(&mut take);
                let above = run.each(|segment| {
                    if segment.pos > 0 {
                        let [pos, pos_above, neg_above, tp, fp] =
                            [segment.pos, segment.pos_above, segment.neg_above, segment.tp(), segment.fp()]
                                .map(|rows| rows as u32);
                        batches.push(PositiveScore { pos, pos_above, neg_above, tp, fp });
                    }
                });
                batches.end();
                above
            },
            joined,
        )
    }
}
