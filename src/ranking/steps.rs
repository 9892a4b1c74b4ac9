//! Steps of the ROC curve, from the highest scores down.

/// Rows that come one after the other in order of score, and how many of either class score higher.
///
/// `S` tells which score they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<S> {
    /// The key of the score.
    pub key: S,
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
pub type Tie<K> = Step<K>;

/// A straight piece of the ROC curve: rows that share one score or one class.
///
/// One class's distinct scores are segments of their own; between two of them, all rows of the other class
/// are one segment without a key, whatever ties there are among them, and even if there are none.
pub type Segment<K> = Step<Option<K>>;

impl<S> Step<S> {
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

    /// A tie as a segment.
    #[inline]
    pub(super) fn into_segment(self) -> Step<Option<S>> {
        let Step { key, pos, neg, pos_above, neg_above } = self;
        Step { key: Some(key), pos, neg, pos_above, neg_above }
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
