//! The merged states of sliding windows over states.

use crate::statistics::declaration::declaration;
use crate::statistics::options::from_options;

/// For each state, the state of all rows since the start of its window: see
/// [`moving`](crate::states::moving).
#[derive(Clone, Copy, Debug)]
pub struct RollingMergeStates {}

from_options!(|_| RollingMergeStates {});

declaration! {
    /// The merged states of a moving window, such as the last 28 days, for each row.
    ///
    /// Words: rolling window, moving window, last 28 days, trailing month, sliding window.
    RollingMergeStates {
        /// , such as one for each day. Null states contain no rows.
        state,
        /// The time of each state: a column of dates, datetimes or integers, in any order.
        by: column;
        /// The length of a window: a Polars duration such as `"28d"`, `"1mo"` or `"6h"`, or a `timedelta`, at most
        /// 500 years. For integers, and only for them, an integer above 0 and below 2^63. With older Polars a window
        /// must not start at a local time that clocks skip or repeat.
        window: python("str | int | timedelta"),
        /// The columns of groups with separate windows, such as segments. Null is a group of its own.
        within: python("str | pl.Expr | Iterable[str | pl.Expr]") = (),
    }
}
