//! Statistics that answer each group with a list of records, such as the points of a curve.

use super::column::Column;
use super::record::Record;
use super::summary::Given;
use crate::ranking::ties::Ties;

/// A statistic that answers each group with a list of records. A group that holds a NaN score is
/// answered with null.
pub trait Curve: Sync {
    /// One point.
    type Record: Record;

    /// Whether rows may have weights. The ties then count units: see [`Ties::units`].
    const WEIGHTS: bool = false;

    /// Checks the options, which may depend on the columns of the call. The error names the option and the values that it
    /// may have.
    fn check(&self, _given: Given) -> Result<(), String> {
        Ok(())
    }

    /// About how often the statistic goes through the rows of a group.
    fn passes(&self) -> usize {
        1
    }

    /// Appends the points of a group in order, or returns `false`, before appending any, where the curve
    /// is undefined.
    fn points(&self, ties: Ties<'_>, columns: &mut Vec<Column>) -> bool;
}
