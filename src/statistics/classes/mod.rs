//! More than two classes.

pub mod class_components;
pub mod class_pairs;
pub mod roc_auc_multiclass;
pub mod roc_auc_multiclass_ci;
pub mod roc_auc_ordinal;
pub mod roc_auc_ordinal_ci;

pub use roc_auc_multiclass::RocAucMulticlass;
pub use roc_auc_multiclass_ci::RocAucMulticlassCi;
pub use roc_auc_ordinal::RocAucOrdinal;
pub use roc_auc_ordinal_ci::RocAucOrdinalCi;
