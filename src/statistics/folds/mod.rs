//! Folds of a cross-validation.

pub mod average_roc_curve;
pub mod cv_roc_auc;
pub mod cv_roc_auc_clustered;
pub mod cv_roc_auc_difference;

pub use average_roc_curve::AverageRocCurve;
pub use cv_roc_auc::CvRocAuc;
pub use cv_roc_auc_clustered::CvRocAucClustered;
pub use cv_roc_auc_difference::CvRocAucDifference;
