//! Losses of probabilities, of one score or of several scores of the same rows.

pub mod loss;
pub mod probability;
pub mod row_losses;

pub use loss::{LOGARITHMIC, Loss, LossName, SQUARED};
pub use row_losses::RowLosses;
