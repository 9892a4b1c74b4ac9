//! Decisions based on a score: average precision, equal error rate, net benefit.

pub mod average_precision_ci;
pub mod average_precision_difference;
pub mod bedroc;
pub mod discrimination_slope;
pub mod enrichment_factor;
pub mod equal_error_rate;
pub mod h_measure;
pub mod log_auc;
pub mod mcnemar;
pub mod net_benefit;
pub mod net_benefit_band;
pub mod net_benefit_difference;
pub mod paired_difference;
pub mod rate;

pub use average_precision_ci::AveragePrecisionCi;
pub use average_precision_difference::AveragePrecisionDifference;
pub use bedroc::Bedroc;
pub use discrimination_slope::{DiscriminationSlope, DiscriminationSlopeDifference};
pub use enrichment_factor::EnrichmentFactor;
pub use equal_error_rate::EqualErrorRate;
pub use h_measure::HMeasure;
pub use log_auc::LogAuc;
pub use mcnemar::McNemar;
pub use net_benefit::NetBenefit;
pub use net_benefit_difference::NetBenefitDifference;
