//! Statistics that answer each group with a list of records, such as the points of a curve.

use super::column::Column;
use super::record::Record;
use crate::ranking::ties::Ties;
use crate::statistics::options::OptionError;

/// A statistic that answers each group with a list of records. A group that holds a NaN score is
/// answered with null.
pub trait Curve: Sync {
    /// One point.
    type Record: Record;

    /// Whether rows may have weights. The ties then count units: see [`Ties::units`].
    const WEIGHTS: bool = false;

    /// Refuses options that need the weight of each row, of states that have only sums of weights.
    fn check_sums_of_weights(&self) -> Result<(), OptionError> {
        Ok(())
    }

    /// About how often the statistic goes through the rows of a group.
    fn passes(&self) -> usize {
        1
    }

    /// Which statistic serves groups of 2^31 rows or more, if this one draws rows one by one.
    fn for_large_groups(&self) -> Option<&'static str> {
        None
    }

    /// Checks the rows of a group, if the statistic is for some kinds of rows only.
    fn check_ties(&self, _ties: &mut Ties<'_>) -> Result<(), String> {
        Ok(())
    }

    /// Appends the points of a group in order, or returns `false`, before appending any, where the curve
    /// is undefined.
    fn points(&self, ties: Ties<'_>, columns: &mut Vec<Column>) -> bool;
}
