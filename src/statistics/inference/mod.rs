//! Variances of areas, hypotheses, p-values and limits.

pub mod alternative;
pub mod by_cluster;
pub mod by_key;
pub mod delong;
pub mod error_method;
pub mod hypothesis;
pub mod interval;
pub mod null_distribution;

pub use alternative::Alternative;
pub use error_method::ErrorMethod;
pub use hypothesis::{Hypothesis, in_standard_errors};
pub use interval::{Estimate, Interval, RateInterval, check_level};
pub use null_distribution::NullDistribution;
