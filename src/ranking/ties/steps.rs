//! Steps of the ROC curve, highest scores first.

use crate::ranking::tuning::TOGETHER;

/// Consecutive rows in order of score, with the counts of each class above them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The widened key of the score: see [`Key::wide`](crate::ranking::Key::wide).
    pub key: u128,
    /// Positives of the step.
    pub pos: u64,
    /// Negatives of the step.
    pub neg: u64,
    /// Positives with a higher score.
    pub pos_above: u64,
    /// Negatives with a higher score.
    pub neg_above: u64,
}

/// One distinct score and its rows.
pub type Tie = Step;

/// A straight piece of the ROC curve: rows of one score or of one class.
///
/// Each distinct score of the indexed class is a segment. Between two of them, all rows of the other class
/// form one segment, even if they contain ties. Such a segment may be empty, and its key is 0 and unused.
pub type Segment = Step;

impl Step {
    /// True positives if the step's lowest score is the threshold: positives with this score or a higher one.
    #[inline]
    pub fn tp(&self) -> u64 {
        self.pos_above + self.pos
    }

    /// False positives if the step's lowest score is the threshold: negatives with this score or a higher
    /// one.
    #[inline]
    pub fn fp(&self) -> u64 {
        self.neg_above + self.neg
    }

    /// For each positive of the step: twice the negatives that score lower, plus the negatives that tie.
    /// `n_neg` is the number of negatives in the group.
    #[inline]
    pub fn placement_of_pos(&self, n_neg: u64) -> u64 {
        2 * (n_neg - self.fp()) + self.neg
    }

    /// For each negative of the step: twice the positives that score higher, plus the positives that tie.
    #[inline]
    pub fn placement_of_neg(&self) -> u64 {
        2 * self.pos_above + self.pos
    }

    /// The contribution of the step's positives to twice the Mann-Whitney U.
    #[inline]
    pub fn twice_u(&self, n_neg: u64) -> u128 {
        u128::from(self.pos) * u128::from(self.placement_of_pos(n_neg))
    }
}

/// The number of rows of each class above a score.
#[derive(Clone, Copy, Debug, Default)]
pub struct Above {
    /// Positives.
    pub pos: u64,
    /// Negatives.
    pub neg: u64,
}

/// A step without the counts above it, at half the size.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepDelta {
    key: u128,
    pub(super) pos: u64,
    pub(super) neg: u64,
}

/// Consecutive steps.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    above: Above,
    pub(super) deltas: &'a [StepDelta],
}

impl Run<'_> {
    /// One step as a run.
    pub(super) fn with_step<T>(step: Step, evaluate: impl FnOnce(Run<'_>) -> T) -> T {
        let Step { key, pos, neg, pos_above, neg_above } = step;
        evaluate(Run {
            above: Above { pos: pos_above, neg: neg_above },
            deltas: &[StepDelta { key, pos, neg }],
        })
    }

    /// The number of steps.
    pub fn number(&self) -> usize {
        self.deltas.len()
    }

    /// The keys of the steps.
    pub(super) fn keys(&self) -> impl Iterator<Item = u128> {
        self.deltas.iter().map(|delta| delta.key)
    }

    /// The positives and the negatives of the steps.
    pub(super) fn rows(&self) -> impl Iterator<Item = (u64, u64)> {
        self.deltas.iter().map(|delta| (delta.pos, delta.neg))
    }

    /// The counts above the next run.
    pub(super) fn below(&self) -> Above {
        let whole = self.whole();
        Above { pos: whole.tp(), neg: whole.fp() }
    }

    /// All rows of the run as one step without a key.
    #[inline]
    pub fn whole(&self) -> Step {
        let (pos, neg) =
            self.deltas.iter().fold((0, 0), |rows, delta| (rows.0 + delta.pos, rows.1 + delta.neg));
        Step { key: 0, pos, neg, pos_above: self.above.pos, neg_above: self.above.neg }
    }

    /// Visits each step; returns the counts above the next run.
    #[inline]
    pub fn each(self, mut visit: impl FnMut(Step)) -> Above {
        let Above { mut pos, mut neg } = self.above;
        for delta in self.deltas {
            visit(Step { key: delta.key, pos: delta.pos, neg: delta.neg, pos_above: pos, neg_above: neg });
            pos += delta.pos;
            neg += delta.neg;
        }
        Above { pos, neg }
    }
}

/// A callback that takes a run of steps and returns the counts above the next run.
pub type Sink<'a> = dyn FnMut(Run<'_>) -> Above + 'a;

/// Emits steps in runs.
pub(in crate::ranking) struct Runs<'a, 'b> {
    above: Above,
    deltas: &'a mut [StepDelta],
    len: usize,
    take: &'a mut Sink<'b>,
}

impl Runs<'_, '_> {
    /// Emits the steps that `push` pushes, all below `above`; `deltas` is scratch memory.
    pub fn emit(
        above: Above,
        deltas: &mut Vec<StepDelta>,
        take: &mut Sink<'_>,
        push: impl FnOnce(&mut Runs<'_, '_>),
    ) {
        deltas.resize(TOGETHER, StepDelta::default());
        let mut runs = Runs { above, deltas, len: 0, take };
        push(&mut runs);
        runs.end_run();
    }

    /// Adds the next step with the rows of either class.
    #[inline]
    pub fn push(&mut self, key: u128, pos: u64, neg: u64) {
        if self.len == self.deltas.len() {
            self.end_run();
        }
        self.deltas[self.len] = StepDelta { key, pos, neg };
        self.len += 1;
    }

    fn end_run(&mut self) {
        if self.len > 0 {
            self.above = (self.take)(Run { above: self.above, deltas: &self.deltas[..self.len] });
            self.len = 0;
        }
    }
}
