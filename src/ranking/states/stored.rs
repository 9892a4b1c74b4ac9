//! Ties that come from counts that were stored: the state behind them.

use super::state::State;
use super::weighted::WeightedState;
use crate::ranking::ties::Ties;

impl Ties<'_> {
    /// The state that the ties come from, if rows were counted earlier; of rows with weights the one in their units.
    pub fn stored(&self) -> Option<&State> {
        self.origin().or_else(|| self.stored_weights().map(WeightedState::in_units))
    }

    /// The state with weights that the ties come from, if rows were counted earlier and had weights.
    pub fn stored_weights(&self) -> Option<&WeightedState> {
        self.origin()
    }

    /// All ties as a state: the one that they come from, or an exact one.
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
