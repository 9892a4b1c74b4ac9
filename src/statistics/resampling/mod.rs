//! Bootstrap draws, what is measured of each, and limits from them.

pub mod bca;
pub mod bootstrap;
pub mod measure;
pub mod redraw;

pub use bootstrap::Resampling;
pub use measure::Measure;
pub use redraw::{Draw, Redraw};
