//! Calibration: the accuracy of scores as probabilities.

pub mod bins;
pub mod brier_score;
pub mod calibration_by_grade;
pub mod calibration_curve;
pub mod calibration_error;
pub mod calibration_summary;
pub mod isotonic;
pub mod isotonic_bands;
pub mod log_loss;
pub mod loss;
pub mod loss_difference;
pub mod masses;
pub mod recalibration;

pub use brier_score::BrierScore;
pub use calibration_by_grade::CalibrationByGrade;
pub use calibration_curve::CalibrationCurve;
pub use calibration_error::CalibrationError;
pub use calibration_summary::CalibrationSummary;
pub use log_loss::LogLoss;
pub use loss_difference::{BrierScoreDifference, LogLossDifference};
