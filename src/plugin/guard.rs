//! Nothing but a worded error leaves an expression.

use std::panic::{AssertUnwindSafe, catch_unwind};

use polars::prelude::{PolarsError, PolarsResult};

/// Runs an expression's body, and puts the expression's name before whatever goes wrong in it; a panic
/// becomes an error like any other.
pub fn named<T>(expression: &str, body: impl FnOnce() -> PolarsResult<T>) -> PolarsResult<T> {
    let error = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(error)) => error.to_string(),
        Err(panic) => {
            let said = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("no message");
            format!(
                "internal error ({said}). This is a defect of polars-auc: please report it with the query."
            )
        }
    };
    // The message crosses as a C string, which ends at a NUL byte.
    Err(PolarsError::ComputeError(format!("{expression}: {}", error.replace('\0', "\\0")).into()))
}
