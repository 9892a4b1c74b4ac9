//! Monitoring of periods, such as nights: intervals and tests that are valid at all periods simultaneously.

pub mod always_valid;
pub mod always_valid_change;
pub mod normal_mixture;
pub mod period_order;
pub mod periods;

pub use always_valid::AlwaysValid;
pub use always_valid_change::AlwaysValidChange;
pub use period_order::{ORDERED, period_order};
