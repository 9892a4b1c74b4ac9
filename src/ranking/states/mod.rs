//! Counts that are kept, merged and packed.

pub(super) mod bounded;
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
