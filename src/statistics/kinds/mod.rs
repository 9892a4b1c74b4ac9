//! Kinds of statistics: one record per group, a curve, several columns row by row, whole columns; and
//! records.

pub mod column;
pub mod columnwise;
pub mod curve;
pub mod curvewise;
pub mod joint;
pub mod parts;
pub mod record;
pub mod runs;
pub mod summary;

pub use column::{Column, Field, FieldKind};
pub use columnwise::{Columnwise, map_rows};
pub use curve::Curve;
pub use curvewise::Curvewise;
pub use joint::{Inputs, Joint, KeyInput, KeyKind, Needs};
pub(crate) use record::record;
pub use record::{KeyCode, Mass, Name, Record, Threshold, Value};
pub use runs::Runs;
pub use summary::Summary;
