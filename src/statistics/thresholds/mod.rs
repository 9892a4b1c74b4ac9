//! Calling rows positive at a threshold.

pub mod confusion;
pub mod confusion_at;
pub mod criterion;
pub mod fraction;
pub mod operating_point;
pub mod rate_at_rate;
pub mod rates_at_rates;
pub mod score_bands;

pub use confusion_at::{ConfusionAt, ConfusionsAt};
pub use operating_point::OperatingPoint;
pub use rate_at_rate::{FprAtTpr, TprAtFpr};
pub use rates_at_rates::{FprAtTprs, TprAtFprs};
