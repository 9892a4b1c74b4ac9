//! Statistics that answer each group with one record.

use super::record::{Record, Value};
use crate::ranking::ties::{RowCounts, Ties};
use crate::states::Limit;
use crate::statistics::options::OptionError;
use crate::statistics::resampling::bootstrap::Resampling;

/// A statistic that answers each group with one record.
pub trait Summary: Sync {
    /// The record of a group.
    type Record: Record;

    /// Whether rows may have weights. The ties then count units: see [`Ties::units`].
    const WEIGHTS: bool = false;

    /// Refuses options that need the weight of each row, of states that have only sums of weights.
    fn check_sums_of_weights(&self) -> Result<(), OptionError> {
        Ok(())
    }

    /// Checks the rows of a group, if the options are for some kinds of rows only.
    fn check_ties(&self, _ties: &mut Ties<'_>) -> Result<(), String> {
        Ok(())
    }

    /// If a state of the rows is enough for the statistic: the limit of its size, or no limit if it must be exact.
    fn state(&self) -> Option<Option<Limit>> {
        None
    }

    /// How the statistic resamples rows, if it does.
    fn resampling(&self) -> Option<Resampling> {
        None
    }

    /// Which statistic serves groups of 2^31 rows or more, if this one draws rows one by one.
    fn for_large_groups(&self) -> Option<&'static str> {
        None
    }

    /// The record of a group. A field that is undefined there is `None`.
    fn of_ties(&self, ties: Ties<'_>) -> Self::Record;

    /// The record of a group that has a NaN score: numbers that would depend on ranks are NaN.
    fn of_nan(&self, rows: RowCounts) -> Self::Record {
        Value::nan(rows.into())
    }
}
