//! Counted rows as a source of ties.

use std::any::Any;

use super::bounded::{are_many, bounded_state};
use super::state::{Limit, State};
use super::weight_sums::WeightSums;
use crate::ranking::Group;
use crate::ranking::scores::{Key, Observations, Score, observations::Mass, score_type::ScoreType};
use crate::ranking::ties::{
    Placements, Ties,
    source::{Source, SquaredUnits, StepKind},
    steps::Sink,
    units::Units,
};

/// A state, with its exact sums if rows have weights.
#[derive(Debug)]
pub struct StoredState {
    /// The state; for weighted rows, in units.
    pub counts: State,
    sums: Option<Box<State<WeightSums>>>,
}

impl From<State> for StoredState {
    fn from(counts: State) -> Self {
        StoredState { counts, sums: None }
    }
}

impl From<State<WeightSums>> for StoredState {
    fn from(sums: State<WeightSums>) -> Self {
        StoredState { counts: sums.in_units(), sums: Some(Box::new(sums)) }
    }
}

impl StoredState {
    /// The ties of the rows.
    pub fn ties(&mut self) -> Ties<'_> {
        let (score_type, all_rows) = (self.counts.bins.score_type(), self.counts.rows.all());
        Ties::new(self, score_type).with_all_rows(all_rows, None)
    }

    /// Splits into the state and, for weighted rows, its exact sums.
    pub fn into_parts(self) -> (State, Option<State<WeightSums>>) {
        (self.counts, self.sums.map(|sums| *sums))
    }
}

/// The state of rows that need no ranking: weighted rows in one piece, or many unweighted rows if the state
/// is bounded. `None` for other rows; an error if weights cannot be added up.
pub fn unranked_state<S: Score>(
    pieces: &[Observations<'_, S>],
    limit: Option<Limit>,
    score_type: ScoreType,
) -> Result<Option<StoredState>, String> {
    if let [rows] = pieces
        && matches!(rows.mass, Mass::Weights(_))
    {
        return Ok(Some(rows.weighted_state(score_type)?.into()));
    }
    let limit = limit.filter(|&limit| are_many(pieces, limit));
    Ok(limit.map(|limit| bounded_state(pieces, limit, score_type).into()))
}

impl Source for StoredState {
    fn totals(&self) -> (u64, u64) {
        // A state with a NaN has rows but no bins.
        if self.sums.is_some() { self.counts.bins.totals() } else { self.rows() }
    }

    fn rows(&self) -> (u64, u64) {
        (self.counts.rows.n_pos, self.counts.rows.n_neg)
    }

    fn has_nan(&self) -> bool {
        self.counts.has_nan
    }

    fn units(&self) -> Option<Units> {
        self.counts.bins.units()
    }

    fn walk(&mut self, steps: StepKind, take: &mut Sink<'_>) {
        self.counts.bins.walk(steps, take);
    }

    fn twice_u(&mut self) -> Option<u128> {
        self.counts.bins.twice_u()
    }

    fn placements(&mut self) -> Option<Placements> {
        self.counts.bins.placements()
    }

    fn squared_units(&self) -> Option<Vec<SquaredUnits>> {
        self.sums.as_ref()?.squared_units(&self.counts.bins)
    }

    fn origin(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl<K: Key> Group<K> {
    /// Loads rows in several pieces. If only a state is needed, weighted rows are loaded as a state, and so
    /// are many rows for a bounded state. Returns an error if weights cannot be added up.
    ///
    /// # Panics
    /// Panics if rows in several pieces have weights or counts.
    pub fn load_for<S: Score<Key = K>>(
        &mut self,
        pieces: &[Observations<'_, S>],
        state: Option<Option<Limit>>,
    ) -> Result<(), String> {
        let stored = match state {
            Some(limit) => unranked_state(pieces, limit, self.score_type_of::<S>())?,
            None => None,
        };
        match stored {
            Some(state) => self.load_state(state),
            None => self.load_pieces(pieces),
        }
        Ok(())
    }

    /// Loads counted rows.
    pub fn load_state(&mut self, state: impl Into<StoredState>) {
        let state = state.into();
        let (score_type, all_rows) = (state.counts.bins.score_type(), state.counts.rows.all());
        self.load_source(Box::new(state), score_type, all_rows);
    }
}

impl Ties<'_> {
    /// The state behind the ties, if rows were counted; for weighted rows, in units.
    pub fn stored(&self) -> Option<&State> {
        self.origin().map(|state: &StoredState| &state.counts)
    }

    /// The weighted state behind the ties, if rows were counted and had weights.
    pub fn stored_weights(&self) -> Option<&State<WeightSums>> {
        self.origin().and_then(|state: &StoredState| state.sums.as_deref())
    }

    /// All ties as a state: the existing one, or an exact one.
    pub fn state(&mut self) -> State {
        match self.stored() {
            Some(state) => state.clone(),
            None => {
                let rows = self.row_counts();
                State::exact(self.counts(), rows)
            }
        }
    }
}
