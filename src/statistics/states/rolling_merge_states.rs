//! The merged states of windows that move over states.

use crate::statistics::options::from_options;

/// For each state, the state of all rows since the start of its window: see
/// [`moving`](crate::states::moving).
#[derive(Clone, Copy, Debug)]
pub struct RollingMergeStates {}

from_options!(|_| RollingMergeStates {});
