//! Counts that can be stored, merged and packed. A state is exact, or has bins of a scale.

#![deny(unsafe_code)]

mod bin_table;
mod bounded;
mod merged;
mod merged_bins;
pub mod moving;
pub mod packed;
pub mod scale;
pub mod state;
mod stored;
mod tuning;
pub mod weight_sums;
pub mod weighted;

pub use scale::Scale;
pub use state::{Limit, State};
pub use stored::{StoredState, unranked_state};
