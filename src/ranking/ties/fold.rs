//! Folds over the ties of a group, the segments of its curve, or the scores of its positives.
//!
//! A large group is walked in parts by all threads. Each part has a separate result, and results are joined
//! from the highest scores down.

use std::sync::{Mutex, PoisonError};

use super::placements::Placements;
use super::positives::{Batches, PositiveScore, PositiveScores};
use super::source::{Indexed, StepKind};
use super::steps::{Above, Run, Step, Tie};
use super::ties::Ties;
use crate::paths::Path;

impl Ties<'_> {
    /// Folds the distinct scores, highest first: `step` adds a score to a result, and `join` appends the
    /// result of lower scores.
    ///
    /// `step` must not depend on the start of the fold; each tie has the counts above it.
    pub fn fold<T: Default + Send>(
        &mut self,
        step: impl Fn(&mut T, Tie) + Sync,
        join: impl Fn(&mut T, T),
    ) -> T {
        self.fold_pruned(StepKind::Ties, |_| true, step, join)
    }

    /// Like [`fold`](Ties::fold) into an existing result, one run at a time: `run` returns the counts above
    /// the next run. Parts that are joined to the result begin with `start()`.
    pub fn fold_runs_into<T: Send>(
        &mut self,
        result: &mut T,
        start: impl Fn() -> T + Sync,
        run: impl Fn(&mut T, Run<'_>) -> Above + Sync,
        join: impl Fn(&mut T, T),
    ) {
        self.fold_steps(StepKind::Ties, &|_| true, result, start, run, join);
    }

    /// Folds ties or segments of the curve like [`fold`](Ties::fold), but only where a statistic needs them.
    /// The rows of one class within a segment are unordered. A large group is walked in parts. All rows of an
    /// unneeded part become one step without a key.
    ///
    /// The largest distance of a curve, or the area of a small range, depends on few parts of a group.
    pub fn fold_pruned<T: Default + Send>(
        &mut self,
        steps: StepKind,
        needed: impl Fn(&Step) -> bool,
        step: impl Fn(&mut T, Step) + Sync,
        join: impl Fn(&mut T, T),
    ) -> T {
        let mut result = T::default();
        self.fold_steps(
            steps,
            &|step| needed(step) || !Path::PrunedFold.is_on(),
            &mut result,
            T::default,
            by_step(step),
            join,
        );
        result
    }

    /// Folds the segments of the curve, one run at a time: `run` returns the counts above the next run.
    pub fn fold_runs<T: Default + Send>(
        &mut self,
        indexed: Indexed,
        run: impl Fn(&mut T, Run<'_>) -> Above + Sync,
        join: impl Fn(&mut T, T),
    ) -> T {
        let mut result = T::default();
        self.fold_steps(StepKind::Segments(indexed), &|_| true, &mut result, T::default, run, join);
        result
    }

    /// Folds the scores of positives in any order: `step` adds some of them to a result, and `join` joins two
    /// results. Requires a group that [has small classes](Self::has_small_classes).
    pub fn fold_positives<T: Default + Send>(
        &mut self,
        step: impl Fn(&mut T, &PositiveScores) + Sync,
        join: impl Fn(&mut T, T) + Sync,
    ) -> T {
        self.fold_positives_and(false, step, join).0
    }

    /// The same, with the sums over the placements of all rows.
    pub fn fold_positives_and_placements<T: Default + Send>(
        &mut self,
        step: impl Fn(&mut T, &PositiveScores) + Sync,
        join: impl Fn(&mut T, T) + Sync,
    ) -> (T, Placements) {
        self.fold_positives_and(true, step, join)
    }

    fn fold_positives_and<T: Default + Send>(
        &mut self,
        sums: bool,
        step: impl Fn(&mut T, &PositiveScores) + Sync,
        join: impl Fn(&mut T, T) + Sync,
    ) -> (T, Placements) {
        debug_assert!(self.has_small_classes());
        let joined = |all: &mut (T, Placements), more: (T, Placements)| {
            join(&mut all.0, more.0);
            all.1 = all.1.plus(more.1);
        };
        let all = Mutex::new((T::default(), Placements::default()));
        let is_walked = Path::Positives.is_on()
            && self.source.walk_positives(sums, &|walk| {
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
                let mut take = |scores: &PositiveScores| step(part, scores);
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

    /// The parts of a large group's walk, highest scores first; each part is one step without a key. Empty
    /// for other groups.
    pub fn parts(&self) -> Vec<Step> {
        self.source.parts().unwrap_or_default()
    }

    fn fold_steps<T: Send>(
        &mut self,
        steps: StepKind,
        needed: &dyn Fn(&Step) -> bool,
        result: &mut T,
        start: impl Fn() -> T + Sync,
        run: impl Fn(&mut T, Run<'_>) -> Above + Sync,
        join: impl Fn(&mut T, T),
    ) {
        let Some(parts) = self.source.parts() else {
            self.source.walk(steps, &mut |steps| run(result, steps));
            return;
        };
        // Each slot belongs to one part, so its lock is free and not poisoned.
        let slots: Vec<Mutex<Option<T>>> = parts.iter().map(|_| Mutex::new(None)).collect();
        let slot = |number: usize| slots[number].lock().unwrap_or_else(PoisonError::into_inner);
        let (walked, whole): (Vec<usize>, Vec<usize>) =
            (0..parts.len()).partition(|&number| needed(&parts[number]));
        for number in whole {
            let mut part = start();
            Run::with_step(parts[number], |step| run(&mut part, step));
            *slot(number) = Some(part);
        }
        let mut joined = 0;
        let mut join_upto = |end: usize| {
            (joined..end).filter_map(|number| slot(number).take()).for_each(|part| join(result, part));
            joined = end;
        };
        self.source.walk_parts(
            steps,
            &walked,
            &|number, walk| {
                let mut part = start();
                walk(&mut |steps| run(&mut part, steps));
                *slot(number) = Some(part);
            },
            &mut |number| join_upto(number + 1),
        );
        join_upto(parts.len());
    }
}

/// Visits the steps of a run one by one.
fn by_step<T>(step: impl Fn(&mut T, Step) + Sync) -> impl Fn(&mut T, Run<'_>) -> Above + Sync {
    move |result, run| run.each(|one| step(result, one))
}
