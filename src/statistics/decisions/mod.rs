//! Decisions based on a score: average precision, equal error rate, net benefit.

pub mod average_precision_ci;
pub mod equal_error_rate;
pub mod net_benefit;

pub use average_precision_ci::AveragePrecisionCi;
pub use equal_error_rate::EqualErrorRate;
pub use net_benefit::NetBenefit;
