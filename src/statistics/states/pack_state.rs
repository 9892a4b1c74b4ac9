//! Conversion of states to bytes and back, in the format of [`packed_state`](crate::states::packed).

use super::roc_state::RocStateRecord;
use crate::ranking::scores::ScoreType;
use crate::ranking::ties::Count;
use crate::states::{State, StoredState, weight_sums::WeightSums};
use crate::statistics::declaration::declaration;
use crate::statistics::options::from_options;

/// The bytes of one state.
#[derive(Clone, Copy, Debug)]
pub struct PackState {
    /// Whether bins of several scores store their lowest score instead of only their interval.
    pub keep_scores: bool,
}

from_options!(|options| PackState { keep_scores: options.flag("keep_scores")? });

impl PackState {
    /// The bytes of a state; `dtype` is the name of the dtype of its scores.
    pub fn bytes(&self, state: StoredState, dtype: &str) -> Vec<u8> {
        match state.into_parts() {
            (_, Some(sums)) => sums.packed(dtype, self.keep_scores),
            (counts, None) => counts.packed(dtype, self.keep_scores),
        }
    }
}

/// The state in the bytes of [`PackState`].
#[derive(Clone, Copy, Debug)]
pub struct UnpackState {
    /// Whether the states have weights.
    pub weights: bool,
}

from_options!(|options| UnpackState { weights: options.flag("weights")? });

impl UnpackState {
    /// The state in these bytes, for scores of this dtype and type; an error gives the reason if they are
    /// invalid. Without bytes the state is unknown.
    pub fn record(
        &self,
        bytes: Option<&[u8]>,
        dtype: &str,
        score_type: ScoreType,
    ) -> Result<RocStateRecord, String> {
        let Some(bytes) = bytes else { return Ok(RocStateRecord::undefined(Count::default())) };
        match self.weights {
            true => State::<WeightSums>::unpacked(bytes, dtype, score_type).map(RocStateRecord::from),
            false => State::<u64>::unpacked(bytes, dtype, score_type).map(RocStateRecord::from),
        }
    }
}

declaration! {
    /// States as bytes, for stores without columns of structs.
    ///
    /// Words: serialize, bytes, store a state, database column.
    PackState {
        state;
        /// Whether bins of several scores keep their lowest score. With False they keep only their interval of the
        /// partition: 3.1 to 4.3 bytes per bin instead of 8.2 to 10.1 (measured for Float64 scores,
        /// `benches/results/states.csv`). Counts, `roc_auc()`, `roc_auc_bounds()` and all other results without
        /// thresholds stay the same. A threshold is then the lowest number of its interval: the same rows reach it,
        /// but it need not be an observed score. Exact states, and bins whose rows share one score, keep their
        /// scores.
        keep_scores: flag = true,
    }
}
