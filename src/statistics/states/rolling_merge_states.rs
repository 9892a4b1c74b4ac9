//! The merged states of sliding windows over states.

use crate::statistics::declaration::declaration;
use crate::statistics::options::from_options;

/// For each state, the state of all rows since the start of its window: see
/// [`moving`](crate::states::moving).
#[derive(Clone, Copy, Debug)]
pub struct RollingMergeStates {}

from_options!(|_| RollingMergeStates {});

declaration! {
    /// The state of the last 28 days, or of another window, for each row.
    ///
    /// Words: rolling window, moving window, last 28 days, trailing month, sliding window.
    RollingMergeStates {
        /// , such as one for each day. Null states hold no rows.
        state,
        /// When each state is of: a column of dates, datetimes or integers, in any order.
        by: column;
        /// How long a window is: a length of time in the words of Polars, such as `"28d"`, `"1mo"` or `"6h"`, or a `timedelta`,
        /// of at most 500 years; for integers, and only for them, a whole number above 0 and below 2^63. With older Polars it
        /// must not start at a local time that clocks skip or repeat.
        window: python("str | int | timedelta"),
        /// The columns of groups whose windows are apart, such as segments. Null is a group of its own.
        within: python("str | pl.Expr | Iterable[str | pl.Expr]") = (),
    }
}
