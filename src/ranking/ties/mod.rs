//! The input of statistics: ties, the steps of a walk over them, counts, units of weights.

pub mod count;
pub mod counts;
pub(super) mod duplicates;
mod fold;
mod grid;
pub mod outline;
pub(super) mod pieces;
pub mod placements;
pub mod positives;
pub mod row_counts;
pub(crate) mod source;
pub(crate) mod steps;
#[expect(clippy::module_inception, reason = "the folder has the name of its main type")]
pub mod ties;
pub mod units;

pub use count::{Count, CountValue};
pub use counts::{CountColumns, Counts};
pub use outline::Cell;
pub use placements::Placements;
pub use positives::{PositiveScore, PositiveScores};
pub use row_counts::RowCounts;
pub use source::{Indexed, SquaredUnits, StepKind};
pub use steps::{Above, Run, Segment, Step, Tie};
pub use ties::{SMALL_CLASS, Ties};
pub use units::{Unit, Units, unit_of_all};
