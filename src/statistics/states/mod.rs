//! States as results: counted rows that can be merged later.

pub mod pack_state;
pub mod roc_auc_bounds;
pub mod roc_state;
pub mod roc_summary_bounded;
pub mod rolling_merge_states;

pub use pack_state::{PackState, UnpackState};
pub use roc_auc_bounds::RocAucBounds;
pub use roc_state::{MergeStates, RocState};
pub use roc_summary_bounded::RocSummaryBounded;
pub use rolling_merge_states::RollingMergeStates;
