//! Statistics with one record per group.

use super::record::{Record, Value};
use crate::ranking::ties::{RowCounts, Ties};
use crate::states::Limit;
use crate::statistics::options::OptionError;
use crate::statistics::resampling::bootstrap::Resampling;

/// A statistic with one record per group.
pub trait Summary: Sync {
    /// The record of a group.
    type Record: Record;

    /// Whether rows may have weights. Ties then count units: see [`Ties::units`].
    const WEIGHTS: bool = false;

    /// Rejects options that need the weight of each row, for states that have only sums of weights.
    fn check_sums_of_weights(&self) -> Result<(), OptionError> {
        Ok(())
    }

    /// Checks the rows of a group, if the options support only some rows.
    fn check_ties(&self, _ties: &mut Ties<'_>) -> Result<(), String> {
        Ok(())
    }

    /// If the statistic needs only a state of the rows: the limit of its size, or no limit for an exact
    /// state.
    fn state(&self) -> Option<Option<Limit>> {
        None
    }

    /// The resampling of rows, if any.
    fn resampling(&self) -> Option<Resampling> {
        None
    }

    /// The alternative statistic for groups of 2^31 rows or more, if this one resamples rows one by one.
    fn for_large_groups(&self) -> Option<&'static str> {
        None
    }

    /// The record of a group. Undefined fields are `None`.
    fn evaluate(&self, ties: Ties<'_>) -> Self::Record;

    /// The record of a group with a NaN score: numbers that depend on ranks are NaN.
    fn nan_record(&self, rows: RowCounts) -> Self::Record {
        Value::nan(rows.into())
    }
}
