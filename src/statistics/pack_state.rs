//! A state as bytes, in the format of [`packed_state`](crate::ranking::packed_state).

use crate::ranking::State;

/// The bytes of one state.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
pub struct PackState {
    /// Whether bins of several scores keep their lowest score, and not only their interval.
    pub keep_scores: bool,
}

impl PackState {
    /// The bytes of a state, whose scores have a dtype of this name.
    pub fn bytes(&self, state: &State, dtype: &str) -> Vec<u8> {
        state.packed(dtype, self.keep_scores)
    }
}
