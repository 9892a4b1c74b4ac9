//! The points of a ROC curve, as counts.

use crate::math;
use crate::ranking::scores::Keys;
use crate::ranking::ties::{Ties, Units, counts::steps};
use crate::statistics::kinds::{Mass, Threshold};

/// The points of a curve from (0, 0) on, one for each distinct score or for some of them.
#[derive(Clone, Debug)]
pub struct Points {
    /// The score of every point but the first: rows with this score or a higher one are called positive.
    keys: Keys,
    /// Negatives and positives called positive; none at the first point.
    counts: Vec<(u64, u64)>,
    n_pos: u64,
    n_neg: u64,
    units: Option<Units>,
}

impl Points {
    /// The point of every distinct score; nothing without a positive or without a negative.
    pub fn of_ties(ties: &mut Ties<'_>) -> Option<Self> {
        let mut points = Points::none_of(ties)?;
        let (keys, counts) = ties.counts().into_parts();
        points.keys = keys;
        points.counts.extend(steps(&counts).map(|step| (step.fp(), step.tp())));
        Some(points)
    }

    /// The first point alone; nothing without a positive or without a negative.
    pub fn none_of(ties: &Ties<'_>) -> Option<Self> {
        let (n_pos, n_neg, units) = (ties.n_pos(), ties.n_neg(), ties.units());
        let keys = Keys::with_capacity(ties.score_type().width(), 0);
        ties.has_pairs().then(|| Points { keys, counts: vec![(0, 0)], n_pos, n_neg, units })
    }

    /// Appends a point.
    pub fn push(&mut self, key: u128, fp: u64, tp: u64) {
        self.keys.push(key);
        self.counts.push((fp, tp));
    }

    /// Negatives and positives called positive at each point.
    pub fn counts(&self) -> &[(u64, u64)] {
        &self.counts
    }

    /// The score of a point; none of the first.
    pub fn threshold(&self, point: usize) -> Option<Threshold> {
        point.checked_sub(1).map(|place| Threshold(self.keys.at(place)))
    }

    /// Negatives called positive.
    pub fn fp(&self, point: usize) -> Mass {
        Mass::of(self.counts[point].0, self.units.map(|units| units.neg))
    }

    /// Positives called positive.
    pub fn tp(&self, point: usize) -> Mass {
        Mass::of(self.counts[point].1, self.units.map(|units| units.pos))
    }

    /// The share of negatives called positive.
    pub fn fpr(&self, point: usize) -> f64 {
        math::quotient(self.counts[point].0.into(), self.n_neg.into())
    }

    /// The share of positives called positive.
    pub fn tpr(&self, point: usize) -> f64 {
        math::quotient(self.counts[point].1.into(), self.n_pos.into())
    }
}
