//! Folds of a cross-validation.

pub mod cv_loss;
pub mod cv_loss_difference;
pub mod cv_roc_auc;
pub mod cv_roc_auc_clustered;
pub mod cv_roc_auc_difference;
pub mod cv_roc_curve;

pub use cv_loss::CvLoss;
pub use cv_loss_difference::CvLossDifference;
pub use cv_roc_auc::CvRocAuc;
pub use cv_roc_auc_clustered::CvRocAucClustered;
pub use cv_roc_auc_difference::CvRocAucDifference;
pub use cv_roc_curve::CvRocCurve;
