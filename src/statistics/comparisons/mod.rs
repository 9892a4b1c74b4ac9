//! Comparisons of two or more scores, or of areas.

pub mod adjust_p_values;
pub mod mrmc_roc_auc;
pub mod population_stability;
pub mod roc_auc_compare;
pub mod roc_auc_difference;
pub mod roc_auc_unpaired_difference;
pub mod roc_curve_difference;

pub use adjust_p_values::{AdjustPValues, Adjustment};
pub use mrmc_roc_auc::MrmcRocAuc;
pub use population_stability::PopulationStability;
pub use roc_auc_compare::RocAucCompare;
pub use roc_auc_difference::RocAucDifference;
pub use roc_auc_unpaired_difference::RocAucUnpairedDifference;
pub use roc_curve_difference::RocCurveDifference;
