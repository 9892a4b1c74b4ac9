//! Steps of the ROC curve, from the highest scores down.

/// Steps that are handed out at once.
///
/// One call through a pointer for so many steps costs nothing beside them; 3 KiB of steps stay in the first cache.
const RUN: usize = 64;

/// Rows that come one after the other in order of score, and how many of either class score higher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The key of the score, widened: see [`Key::wide`](super::Key::wide).
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

/// One distinct score and the rows that share it.
pub type Tie = Step;

/// A straight piece of the ROC curve: rows that share one score or one class.
///
/// The distinct scores of one class, the indexed one, are segments of their own. Between two of them, all rows of the
/// other class are one segment, whatever ties there are among them, and even if there are none: its key is 0 and says
/// nothing.
pub type Segment = Step;

impl Step {
    /// True positives when the step's lowest score is the threshold: positives with this score or a higher one.
    #[inline]
    pub fn tp(&self) -> u64 {
        self.pos_above + self.pos
    }

    /// False positives when the step's lowest score is the threshold: negatives with this score or a higher one.
    #[inline]
    pub fn fp(&self) -> u64 {
        self.neg_above + self.neg
    }

    /// For each positive of the step, where the group has `n_neg` negatives in all: twice the negatives that score lower,
    /// and those that tie once.
    #[inline]
    pub fn placement_of_pos(&self, n_neg: u64) -> u64 {
        2 * (n_neg - self.fp()) + self.neg
    }

    /// For each negative of the step: twice the positives that score higher, and those that tie once.
    #[inline]
    pub fn placement_of_neg(&self) -> u64 {
        2 * self.pos_above + self.pos
    }

    /// What the step's positives add to twice the Mann-Whitney U.
    #[inline]
    pub fn twice_u(&self, n_neg: u64) -> u128 {
        u128::from(self.pos) * u128::from(self.placement_of_pos(n_neg))
    }
}

/// Rows with higher scores than those in question.
#[derive(Clone, Copy, Debug, Default)]
pub struct Above {
    /// Positives.
    pub pos: u64,
    /// Negatives.
    pub neg: u64,
}

/// What takes steps in, some at a time.
pub type Take<'a> = dyn FnMut(&[Step]) + 'a;

/// Hands out steps in runs, and counts what lies above the next one.
pub(super) struct Runs<'a, 'b> {
    above: Above,
    steps: &'a mut Vec<Step>,
    take: &'a mut Take<'b>,
}

impl<'a, 'b> Runs<'a, 'b> {
    /// From the rows below `above` on; `steps` is memory to work with.
    pub fn new(above: Above, steps: &'a mut Vec<Step>, take: &'a mut Take<'b>) -> Self {
        steps.clear();
        steps.reserve(RUN);
        Runs { above, steps, take }
    }

    /// The next step: so many rows of either class.
    #[inline]
    pub fn push(&mut self, key: u128, pos: u64, neg: u64) {
        let Above { pos: pos_above, neg: neg_above } = self.above;
        self.steps.push(Step { key, pos, neg, pos_above, neg_above });
        self.above = Above { pos: pos_above + pos, neg: neg_above + neg };
        if self.steps.len() >= RUN {
            self.hand_out();
        }
    }

    /// Hands out what is left.
    pub fn hand_out(&mut self) {
        if !self.steps.is_empty() {
            (self.take)(self.steps);
            self.steps.clear();
        }
    }
}
