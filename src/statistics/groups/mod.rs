//! Segments, subgroups, users and strata.

pub mod compare_segments;
pub mod compare_segments_clustered;
pub mod compare_segments_of_states;
pub mod covariate_adjusted_roc_curve;
pub mod grouped_roc_auc;
pub mod grouped_roc_auc_difference;
pub mod roc_summary_of_segments;
pub mod segment_areas;
pub mod shared_clusters;
pub mod subgroup_auc;
pub mod subgroup_auc_ci;
pub mod subgroup_rate_difference;
pub mod weighted_segments;
pub mod within_segments;

pub use compare_segments::CompareSegments;
pub use compare_segments_clustered::CompareSegmentsClustered;
pub use compare_segments_of_states::CompareSegmentsOfStates;
pub use covariate_adjusted_roc_curve::CovariateAdjustedRocCurve;
pub use grouped_roc_auc::GroupedRocAuc;
pub use grouped_roc_auc_difference::GroupedRocAucDifference;
pub use roc_summary_of_segments::RocSummaryOfSegments;
pub use subgroup_auc::SubgroupAuc;
pub use subgroup_auc_ci::SubgroupAucCi;
pub use subgroup_rate_difference::SubgroupRateDifference;
