//! More than two classes.

pub mod class_components;
pub mod class_pairs;
pub mod multiclass_roc_auc;
pub mod multiclass_roc_auc_ci;
pub mod ordinal_roc_auc;
pub mod ordinal_roc_auc_ci;

pub use multiclass_roc_auc::MulticlassRocAuc;
pub use multiclass_roc_auc_ci::MulticlassRocAucCi;
pub use ordinal_roc_auc::OrdinalRocAuc;
pub use ordinal_roc_auc_ci::OrdinalRocAucCi;
