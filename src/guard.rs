//! Conversion of every failure of an expression to an error with a message.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::front_end::FrontEnd;
use crate::interrupt::{self, Interrupted};

/// Runs the body of an expression, and prefixes any error with the name of the expression. Panics become
/// errors. An interrupt stops the body.
pub fn with_name<T, E: Display>(
    expression: &str,
    front_end: &FrontEnd,
    body: impl FnOnce() -> Result<T, E>,
) -> Result<T, String> {
    let error = match catch_unwind(AssertUnwindSafe(|| interrupt::during(body))) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(error)) => front_end.render(&error.to_string()),
        Err(panic) if panic.is::<Interrupted>() => "interrupted by Ctrl-C".into(),
        Err(panic) => {
            let message = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("no message");
            format!(
                "internal error ({message}). This is a defect of polars-auc: please report it with the query."
            )
        }
    };
    // In a shell there is no function name.
    let error = if expression.is_empty() { error } else { format!("{expression}: {error}") };
    // Polars receives the message as a C string, which ends at a NUL byte; a column name may contain one.
    Err(error.replace('\0', "\\0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_rendered() {
        assert_eq!(with_name("gini", &FrontEnd::Python, || Ok::<_, String>(1)), Ok(1));
        assert_eq!(
            with_name("gini", &FrontEnd::Python, || Err::<(), _>("bad\0label")),
            Err("gini: bad\\0label".into())
        );
        assert_eq!(
            with_name("report\0", &FrontEnd::Python, || Err::<(), _>("bad label")),
            Err("report\\0: bad label".into())
        );
        let panicked = |body: fn()| {
            with_name("gini", &FrontEnd::Python, || {
                body();
                Ok::<_, String>(())
            })
        };
        for body in [(|| panic!("index {}", 7)) as fn(), || panic!("index 7")] {
            let error = panicked(body).unwrap_err();
            assert!(error.starts_with("gini: internal error (index 7). This is a defect"), "{error}");
        }
        // The flag is global, and setting it would stop other tests; tests/python/test_interrupt.py sends
        // signals to separate processes.
        let stopped = panicked(|| std::panic::resume_unwind(Box::new(Interrupted)));
        assert_eq!(stopped, Err("gini: interrupted by Ctrl-C".into()));
        assert!(panicked(|| std::panic::panic_any(7)).unwrap_err().contains("(no message)"));
    }
}
