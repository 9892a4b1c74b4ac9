//! Variances of areas, hypotheses, p-values and limits.

pub mod alternative;
pub mod by_cluster;
pub mod by_key;
pub mod clustered_area;
pub mod delong;
pub mod error_method;
pub mod hypothesis;
pub mod interval;
pub mod logit_scale;
pub mod two_proportions;
pub mod weighted_areas;
pub mod weighted_key;
pub mod weighted_keys;
mod weighted_rests;
pub mod wilson_scale;

pub use alternative::Alternative;
pub use by_cluster::{ByCluster, TieShare};
pub use by_key::{Area, rows_by_key};
pub use clustered_area::{ClusteredArea, Residual};
pub use delong::{Areas, Covariances};
pub use error_method::ErrorMethod;
pub use hypothesis::{Hypothesis, NullDistribution, in_standard_errors};
pub use interval::{Estimate, Interval, RateInterval, welch};
pub use logit_scale::LogitScale;
pub use weighted_areas::WeightedAreas;
pub use weighted_key::{WeightedArea, WeightedKey};
pub use weighted_keys::{Together, WeightedKeys};
pub use wilson_scale::{SampleSize, WeightTotals, WilsonDifference, WilsonScale};
