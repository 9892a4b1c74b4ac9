//! Sources of ties: ranked rows, or stored counts.

use std::any::Any;
use std::fmt::Debug;

use super::outline::Cell;
use super::placements::Placements;
use super::positives::WalkPositives;
use super::steps::{Sink, Step, Tie};
use super::units::Units;

/// The indexed class, each of whose distinct scores is a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexed {
    /// The class with fewer rows.
    Rarer,
    /// The positives.
    Positives,
}

/// The steps of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// All ties.
    Ties,
    /// The segments of the curve; rows of one class between two scores of the other are unordered.
    Segments(Indexed),
}

/// Walks a part of a group and passes steps to a sink.
pub type Walk<'a> = dyn FnMut(&mut Sink<'_>) + 'a;

/// A tie with the sum of squared units for either class.
#[derive(Clone, Copy, Debug)]
pub struct SquaredUnits {
    /// The tie.
    pub tie: Tie,
    /// The sum for positives.
    pub pos: f64,
    /// The sum for negatives.
    pub neg: f64,
}

/// A source of ties. Default methods fall back to a walk over all ties.
pub trait Source: Debug {
    /// The numbers of positives and negatives; with weights, their units.
    fn totals(&self) -> (u64, u64);

    /// Rows of positives and of negatives, independent of weights.
    fn rows(&self) -> (u64, u64) {
        self.totals()
    }

    /// Whether the score of any row in use is NaN, so that the ties are invalid.
    fn has_nan(&self) -> bool {
        false
    }

    /// The units of positives and negatives; `None` if they are counted as rows.
    fn units(&self) -> Option<Units> {
        None
    }

    /// The parts in which the group is walked, highest scores first; each part is one step without a key.
    /// `None` if one thread walks the whole group.
    fn parts(&self) -> Option<Vec<Step>> {
        None
    }

    /// Walks a group without parts.
    fn walk(&mut self, steps: StepKind, take: &mut Sink<'_>);

    /// Walks the parts at these indices on all threads. `part` is called with the index of each part, and
    /// `done` with the indices of finished parts, in order.
    fn walk_parts(
        &self,
        _steps: StepKind,
        _numbers: &[usize],
        _part: &(dyn Fn(usize, &mut Walk<'_>) + Sync),
        _done: &mut dyn FnMut(usize),
    ) {
    }

    /// As [`Ties::twice_u`].
    fn twice_u(&mut self) -> Option<u128> {
        None
    }

    /// As [`Ties::twice_u_and_cubes`].
    fn twice_u_and_cubes(&mut self) -> Option<(u128, u128)> {
        None
    }

    /// As [`Ties::placements`].
    fn placements(&mut self) -> Option<Placements> {
        None
    }

    /// As [`Ties::placements_and_ks_distance`].
    fn placements_and_ks_distance(&mut self) -> Option<(Placements, u64)> {
        None
    }

    /// Walks the scores of positives in any order, if the source supports it: `part` is called with each part
    /// of the group, on any thread. With `sums` each walk returns the sums over the placements of the part.
    fn walk_positives(&mut self, _sums: bool, _part: &(dyn Fn(&mut WalkPositives<'_>) + Sync)) -> bool {
        false
    }

    /// As [`Ties::reached`].
    fn reached(&mut self, _key: u128) -> Option<(u64, u64)> {
        None
    }

    /// As [`Ties::at_rank`], if the source has a faster method than a walk.
    fn at_rank(&mut self, _rank: u64) -> Option<Option<Tie>> {
        None
    }

    /// As [`Ties::threshold`], if the source has a faster method than a walk.
    fn threshold(&mut self, _rank: u64) -> Option<Option<u128>> {
        None
    }

    /// The key of the positive at this rank among positives (the highest is 1), if the source has a faster
    /// method than a walk.
    fn positive_at(&mut self, _rank: u64) -> Option<Option<u128>> {
        None
    }

    /// The origin of the ties, if it has more than ties, for a downcast.
    fn origin(&self) -> Option<&dyn Any> {
        None
    }

    /// As [`Ties::squared_units`].
    fn squared_units(&self) -> Option<Vec<SquaredUnits>> {
        None
    }

    /// As [`Ties::outline`].
    fn outline(&self, _cells: usize) -> Option<Vec<Cell<u128>>> {
        None
    }
}
