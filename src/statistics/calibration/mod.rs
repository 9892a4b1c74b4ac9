//! Whether scores are right as probabilities.

pub mod brier_score;
pub mod isotonic;
pub mod log_loss;
pub mod loss;
pub mod loss_difference;
pub mod probability;

pub use brier_score::BrierScore;
pub use log_loss::LogLoss;
pub use loss_difference::{BrierScoreDifference, LogLossDifference};
