//! The points of a curve: as counts, and as records in columns.

use crate::math;
use crate::ranking::scores::Keys;
use crate::ranking::ties::{Ties, Units, counts::steps};
use crate::statistics::kinds::{Column, Mass, Record, Threshold, record};
use crate::statistics::thresholds::confusion::Confusion;

record! {
    /// A point of a curve that need not be at a score.
    pub struct RatePoint {
        /// The false positive rate.
        pub fpr: f64,
        /// The true positive rate there.
        pub tpr: f64,
    }
}

/// Appends a point with no rows predicted positive, and one for every distinct score, highest first.
///
/// Points are written directly into the columns, so that a long curve is not in memory twice.
pub fn append_points<R: Record>(
    ties: &mut Ties<'_>,
    columns: &mut Vec<Column>,
    point: impl Fn(Option<Threshold>, Confusion) -> R + Sync,
) {
    let all_negative = Confusion::all_negative(ties);
    Column::reserve_all(columns, ties.max_distinct() + 1);
    point(None, all_negative).append(columns);
    let (width, part_capacity) = (ties.score_type().width(), ties.max_distinct_of_part());
    ties.fold_runs_into(
        columns,
        || Column::all_of(R::FIELDS, width, part_capacity),
        |columns, run| {
            let mut points = Vec::with_capacity(run.number());
            let below = run.each(|tie| {
                points.push(point(Some(Threshold(tie.key)), all_negative.with(tie.tp(), tie.fp())));
            });
            R::append_all(points, columns);
            below
        },
        Column::extend_all,
    );
}

/// The points of a curve from (0, 0): one for each distinct score or for some of them.
#[derive(Clone, Debug)]
pub struct Points {
    /// The score of every point but the first: rows with this score or a higher one are predicted positive.
    keys: Keys,
    /// Negatives and positives predicted positive; 0 at the first point.
    counts: Vec<(u64, u64)>,
    n_pos: u64,
    n_neg: u64,
    units: Option<Units>,
}

impl Points {
    /// The points of all distinct scores; `None` without positives or negatives.
    pub fn from_ties(ties: &mut Ties<'_>) -> Option<Self> {
        let mut points = Points::none_of(ties)?;
        let (keys, counts) = ties.counts().into_parts();
        points.keys = keys;
        points.counts.extend(steps(&counts).map(|step| (step.fp(), step.tp())));
        Some(points)
    }

    /// Only the first point; `None` without positives or negatives.
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

    /// Negatives and positives predicted positive at each point.
    pub fn counts(&self) -> &[(u64, u64)] {
        &self.counts
    }

    /// The score of a point; `None` for the first.
    pub fn threshold(&self, point: usize) -> Option<Threshold> {
        point.checked_sub(1).map(|index| Threshold(self.keys.at(index)))
    }

    /// Negatives predicted positive.
    pub fn fp(&self, point: usize) -> Mass {
        Mass::new(self.counts[point].0, self.units.map(|units| units.neg))
    }

    /// Positives predicted positive.
    pub fn tp(&self, point: usize) -> Mass {
        Mass::new(self.counts[point].1, self.units.map(|units| units.pos))
    }

    /// The share of negatives predicted positive.
    pub fn fpr(&self, point: usize) -> f64 {
        math::quotient(self.counts[point].0.into(), self.n_neg.into())
    }

    /// The share of positives predicted positive.
    pub fn tpr(&self, point: usize) -> f64 {
        math::quotient(self.counts[point].1.into(), self.n_pos.into())
    }
}
