//! Bytes as the state that [`PackState`](super::PackState) wrote.

use super::roc_state::RocStateRecord;
use crate::ranking::{ScoreType, State};

/// The state of bytes.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
pub struct UnpackState {}

impl UnpackState {
    /// The state of these bytes, whose scores have a dtype of this name and are of this type; an error says why they are
    /// none. Without bytes nothing is known of it.
    pub fn record(
        &self,
        bytes: Option<&[u8]>,
        dtype: &str,
        score_type: ScoreType,
    ) -> Result<RocStateRecord, String> {
        let Some(bytes) = bytes else { return Ok(RocStateRecord::undefined()) };
        State::unpacked(bytes, dtype, score_type).map(RocStateRecord::from)
    }
}
