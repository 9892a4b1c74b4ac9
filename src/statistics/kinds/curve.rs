//! Statistics with a list of records per group, such as the points of a curve.

use super::column::Column;
use super::record::Record;
use crate::ranking::ties::Ties;
use crate::statistics::options::OptionError;

/// A statistic with a list of records per group. The result of a group with a NaN score is null.
pub trait Curve: Sync {
    /// One point.
    type Record: Record;

    /// Whether rows may have weights. Ties then count units: see [`Ties::units`].
    const WEIGHTS: bool = false;

    /// Rejects options that need the weight of each row, for states that have only sums of weights.
    fn check_sums_of_weights(&self) -> Result<(), OptionError> {
        Ok(())
    }

    /// The approximate number of passes over the rows of a group.
    fn passes(&self) -> usize {
        1
    }

    /// The alternative statistic for groups of 2^31 rows or more, if this one resamples rows one by one.
    fn for_large_groups(&self) -> Option<&'static str> {
        None
    }

    /// Checks the rows of a group, if the statistic supports only some.
    fn check_ties(&self, _ties: &mut Ties<'_>) -> Result<(), String> {
        Ok(())
    }

    /// Appends the points of a group in order. Returns `false`, before appending any, if the curve is
    /// undefined.
    fn points(&self, ties: Ties<'_>, columns: &mut Vec<Column>) -> bool;
}
