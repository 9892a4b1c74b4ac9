//! Counts that are kept, merged and packed.

pub(super) mod bin_table;
pub(super) mod bounded;
mod merged;
mod merged_bins;
pub mod moving;
pub mod packed;
pub mod scale;
pub mod state;
pub(super) mod stored;
pub mod weight_sums;
pub mod weighted;

pub use scale::Scale;
pub use state::{Limit, State};
pub use stored::StoredState;
