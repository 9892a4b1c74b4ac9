//! Where ties come from: rows that were ranked in one way or another, or counts that were stored.

use std::any::Any;
use std::fmt::Debug;

use super::outline::Cell;
use super::placements::Placements;
use super::positives::WalkPositives;
use super::steps::{Sink, Step, Tie};
use super::units::Units;

/// Which class is indexed: each of its distinct scores is a segment of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexed {
    /// The one with fewer rows.
    Rarer,
    /// The positives.
    Positives,
}

/// The steps of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// All ties.
    Ties,
    /// The segments of the curve, without order among the rows of one class between two scores of the other.
    Segments(Indexed),
}

/// Walks a part of a group, handing steps to what takes them.
pub type Walk<'a> = dyn FnMut(&mut Sink<'_>) + 'a;

/// A tie, and for either class the sum of its squared units.
#[derive(Clone, Copy, Debug)]
pub struct SquaredUnits {
    /// The tie.
    pub tie: Tie,
    /// Of its positives' units.
    pub pos: f64,
    /// Of its negatives' units.
    pub neg: f64,
}

/// Where ties come from. What a source does not implement is found by a walk over all ties.
pub trait Source: Debug {
    /// How many positives and negatives there are; with weights, their units.
    fn totals(&self) -> (u64, u64);

    /// Rows of positives and of negatives, whatever they weigh.
    fn rows(&self) -> (u64, u64) {
        self.totals()
    }

    /// Whether a score that is not missing is NaN, and the ties are therefore not those of the rows.
    fn has_nan(&self) -> bool {
        false
    }

    /// What positives and negatives are counted in; none if they are counted as rows.
    fn units(&self) -> Option<Units> {
        None
    }

    /// The parts in which the group is walked, the highest scores first: of each, all its rows as one step without a key.
    /// None if one thread walks the group as a whole.
    fn parts(&self) -> Option<Vec<Step>> {
        None
    }

    /// Walks a group that has no parts.
    fn walk(&mut self, steps: StepKind, take: &mut Sink<'_>);

    /// Walks the parts of these numbers on all threads: `part` is called with the number of each part, and `done` with the
    /// numbers of the parts that have been walked, in order.
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

    /// As [`Ties::placements_and_farthest`].
    fn placements_and_farthest(&mut self) -> Option<(Placements, u64)> {
        None
    }

    /// Walks the scores of positives in any order, if the source knows a way without order: `part` is called with each part
    /// of the group, on any thread. With `sums` each walk returns the sums over the placements of the part.
    fn walk_positives(&mut self, _sums: bool, _part: &(dyn Fn(&mut WalkPositives<'_>) + Sync)) -> bool {
        false
    }

    /// As [`Ties::reached`].
    fn reached(&mut self, _key: u128) -> Option<(u64, u64)> {
        None
    }

    /// As [`Ties::at_rank`], where the source knows a way that is shorter than a walk.
    fn at_rank(&mut self, _rank: u64) -> Option<Option<Tie>> {
        None
    }

    /// As [`Ties::threshold`], where the source knows a way that is shorter than a walk.
    fn threshold(&mut self, _rank: u64) -> Option<Option<u128>> {
        None
    }

    /// The key of the positive at this rank among positives, the highest being at 1, where the source knows a way that is
    /// shorter than a walk.
    fn positive_at(&mut self, _rank: u64) -> Option<Option<u128>> {
        None
    }

    /// What the ties come from, if it is more than ties: whoever made it knows its type.
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
