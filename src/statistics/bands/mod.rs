//! Confidence bands about a curve.

pub mod band_coverage;
pub mod central_region;
pub mod envelope;
pub mod fixed_width;
pub mod likelihood;
pub mod optimized_radial;
pub mod order_statistics;
pub mod pointwise;
pub mod regional;
pub mod roc_band;
pub mod roc_band_of_folds;
pub mod roc_difference_band;
pub mod smoothed_bootstrap;
pub mod threshold_ellipses;
pub mod working_hotelling;

pub use band_coverage::BandCoverage;
pub use roc_band::RocBand;
pub use roc_band_of_folds::RocBandOfFolds;
pub use roc_difference_band::RocDifferenceBand;
