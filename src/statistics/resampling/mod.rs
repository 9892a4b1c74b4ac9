//! Bootstrap resamples, the measure of each, and BCa limits.

pub mod bca;
pub mod bootstrap;
pub mod measure;
pub mod redraw;

pub use bootstrap::Resampling;
pub use measure::Measure;
pub use redraw::{Draw, Redraw};
