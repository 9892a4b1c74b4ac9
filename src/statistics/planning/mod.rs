//! Power and sample size.

pub mod power;
pub mod roc_auc_difference_power;

pub use power::{RocAucPower, RocAucPowerAuc, RocAucPowerLevel, RocAucSampleSize};
pub use roc_auc_difference_power::RocAucDifferencePower;
