//! Intervals of one score.

pub mod bootstrap_ci;
mod curve_sums;
pub mod jackknife;
pub mod partial_placements;
pub mod roc_auc_ci;
pub mod roc_auc_ci_clustered;
pub mod roc_auc_ci_partial;
pub mod roc_summary;
pub mod roc_summary_short;
pub mod summary_of_ranges;

pub use bootstrap_ci::{
    BootstrapAveragePrecision, BootstrapConfusionAt, BootstrapGini, BootstrapKsStatistic,
    BootstrapMeanPositiveRank, BootstrapOperatingPoint, BootstrapRocAuc, BootstrapRocSummary,
};
pub use roc_auc_ci::RocAucCi;
pub use roc_auc_ci_clustered::RocAucCiClustered;
pub use roc_auc_ci_partial::RocAucCiPartial;
pub use roc_summary::RocSummary;
pub use roc_summary_short::RocSummaryShort;
pub use summary_of_ranges::{RangeSums, SummaryOfRanges};
