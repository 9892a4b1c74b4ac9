//! An expression fails with an error that has a message, and with nothing else.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::front_end::FrontEnd;
use crate::interrupt::{self, Interrupted};

/// Runs an expression's body, and puts the expression's name before whatever goes wrong in it; a panic
/// becomes an error like any other. An interrupt stops the body.
pub fn with_name<T, E: Display>(
    expression: &str,
    edge: &FrontEnd,
    body: impl FnOnce() -> Result<T, E>,
) -> Result<T, String> {
    let error = match catch_unwind(AssertUnwindSafe(|| interrupt::during(body))) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(error)) => edge.render(&error.to_string()),
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
    // In a shell the user called no function.
    let error = if expression.is_empty() { error } else { format!("{expression}: {error}") };
    // The message crosses to Polars as a C string, which ends at a NUL byte; a name may hold one as well.
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
        // The flag belongs to the whole process, and to set it would stop other tests: tests/python/test_interrupt.py
        // sends signals to processes of their own.
        let stopped = panicked(|| std::panic::resume_unwind(Box::new(Interrupted)));
        assert_eq!(stopped, Err("gini: interrupted by Ctrl-C".into()));
        assert!(panicked(|| std::panic::panic_any(7)).unwrap_err().contains("(no message)"));
    }
}
