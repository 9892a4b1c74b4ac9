//! Statistics that answer each group with one record.

use super::record::{Record, Value};
use crate::ranking::states::Limit;
use crate::ranking::ties::{RowCounts, Ties};
use crate::statistics::resampling::bootstrap::Resampling;

/// Which optional columns were given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Weights of the rows.
    pub weight: bool,
    /// States of rows with weights, which have no more than sums of them.
    pub sums_of_weights: bool,
}

/// A statistic that answers each group with one record.
pub trait Summary: Sync {
    /// What a group is answered with.
    type Record: Record;

    /// Whether rows may have weights. The ties then count units: see [`Ties::units`].
    const WEIGHTS: bool = false;

    /// Whether the statistic needs the weight of each row, which a state does not have.
    const ROW_WEIGHTS: bool = false;

    /// Says what is wrong with the options beside the columns that were given, in words that name the option and what
    /// it may be.
    fn check(&self, _given: Given) -> Result<(), String> {
        Ok(())
    }

    /// Says what is wrong with the rows of a group, where options ask for rows of some kind.
    fn check_ties(&self, _ties: &mut Ties<'_>) -> Result<(), String> {
        Ok(())
    }

    /// How small the state of the rows may be, if a state is all that the statistic needs; within, none if it must be
    /// exact.
    fn state(&self) -> Option<Option<Limit>> {
        None
    }

    /// How rows are drawn with replacement, if the statistic draws any.
    fn resampling(&self) -> Option<Resampling> {
        None
    }

    /// The answer for a group; `None` in a field says that it is undefined there.
    fn of_ties(&self, ties: Ties<'_>) -> Self::Record;

    /// The answer for a group that holds a NaN score: NaN wherever a number would depend on ranks.
    fn of_nan(&self, rows: RowCounts) -> Self::Record {
        Value::nan(rows.into())
    }
}
