//! Points of curves, and tables of bands of scores.

pub mod binormal;
pub mod calibrated_gains_table;
pub mod cap_curve;
pub mod cost_curve;
pub mod det_curve;
pub mod gains_table;
pub mod points;
pub mod pr_curve;
pub mod roc_convex_hull;
pub mod roc_curve;
pub mod roc_curve_at;
pub mod roc_curve_at_threshold;
pub mod roc_curve_thinned;
pub mod thinning;
pub mod tournament_tree;

pub use binormal::{BinormalRocAuc, BinormalRocCurve};
pub use calibrated_gains_table::CalibratedGainsTable;
pub use cap_curve::CapCurve;
pub use cost_curve::CostCurve;
pub use det_curve::DetCurve;
pub use gains_table::GainsTable;
pub use pr_curve::PrCurve;
pub use roc_convex_hull::RocConvexHull;
pub use roc_curve::RocCurve;
pub use roc_curve_at::RocCurveAt;
pub use roc_curve_at_threshold::RocCurveAtThreshold;
pub use roc_curve_thinned::RocCurveThinned;
