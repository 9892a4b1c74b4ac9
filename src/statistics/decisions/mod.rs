//! Whether acting on a score is worth it.

pub mod average_precision_ci;
pub mod average_precision_difference;
pub mod discrimination_slope;
pub mod equal_error_rate;
pub mod net_benefit;
pub mod net_benefit_difference;
pub mod paired_difference;

pub use average_precision_ci::AveragePrecisionCi;
pub use average_precision_difference::AveragePrecisionDifference;
pub use discrimination_slope::{DiscriminationSlope, DiscriminationSlopeDifference};
pub use equal_error_rate::EqualErrorRate;
pub use net_benefit::NetBenefit;
pub use net_benefit_difference::NetBenefitDifference;
