//! Comparisons of two or more scores, or of areas.

pub mod adjust_p_values;
mod area_table;
pub mod compare_scores;
pub mod mrmc_roc_auc;
pub mod population_stability;
pub mod population_stability_reference;
pub mod population_stability_table;
pub mod roc_auc_difference;
pub mod roc_curve_difference;
pub mod unpaired_roc_auc_difference;

pub use adjust_p_values::{AdjustPValues, Adjustment};
pub use compare_scores::CompareScores;
pub use mrmc_roc_auc::MrmcRocAuc;
pub use population_stability::PopulationStability;
pub use population_stability_reference::PopulationStabilityReference;
pub use population_stability_table::PopulationStabilityTable;
pub use roc_auc_difference::RocAucDifference;
pub use roc_curve_difference::RocCurveDifference;
pub use unpaired_roc_auc_difference::UnpairedRocAucDifference;
