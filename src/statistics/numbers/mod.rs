//! Single numbers of one score.

pub mod average_precision;
pub mod exact_ks;
pub mod gini;
pub mod gini_index;
pub mod ks_statistic;
pub mod mean_positive_rank;
pub mod partial_area;
pub mod roc_auc;
pub mod unlabelled_roc_auc;

pub use average_precision::AveragePrecision;
pub use gini::Gini;
pub use gini_index::GiniIndex;
pub use ks_statistic::KsStatistic;
pub use mean_positive_rank::MeanPositiveRank;
pub use roc_auc::RocAuc;
pub use unlabelled_roc_auc::UnlabelledRocAuc;
