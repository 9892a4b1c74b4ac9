//! The connection to Polars: List columns to groups, records to columns, and the table of expressions.
//!
//! This is the only layer that uses polars, arrow or pyo3, and it contains no formula. Every expression takes
//! List columns with one row per group (the Python side implodes its arguments). It is called once for all
//! groups, and returns exactly one row per group. Inputs and results are Arrow arrays. They are not converted
//! to Polars columns, which would require compiling the code for each dtype.

mod abi;
mod answers;
mod arrays;
mod batches;
#[cfg(feature = "python")]
mod declarations;
mod expressions;
mod inputs;
mod threads;

/// The extension module, which Polars loads, and functions about its contents.
#[cfg(feature = "python")]
mod python {
    use std::collections::BTreeMap;

    use pyo3::prelude::*;

    use super::abi::arguments::Keywords;
    use super::declarations::Declarations;
    use crate::front_end::FrontEnd;

    /// Memory that the plugin allocates is freed by Polars, and vice versa. With a shared allocator, freed
    /// pages are reused.
    #[global_allocator]
    static ALLOCATOR: pyo3_polars::PolarsAllocator = pyo3_polars::PolarsAllocator::new();

    #[pymodule]
    mod _native {
        use super::*;

        /// The version of the crate and of the package.
        #[pymodule_export]
        #[allow(non_upper_case_globals)]
        const __version__: &str = env!("CARGO_PKG_VERSION");

        /// The declarations, for `tests/python/package/generate.py` and the package.
        #[pyfunction]
        fn declarations() -> Declarations {
            Declarations::new()
        }

        /// Validates the options of an expression, from its pickled keyword arguments. Returns the invalid
        /// option, the reason and the hint; `None` if all are valid.
        #[pyfunction]
        fn check(name: &str, keywords: &[u8]) -> Option<(String, String, Option<String>)> {
            let Some(Keywords { options, .. }) = Keywords::read(keywords) else {
                return Some((String::new(), "the options cannot be read".into(), None));
            };
            let error = crate::plugin::expressions::check(name, &options).err()?;
            Some((error.option, error.reason, error.hint))
        }

        /// Renders a text with options in backticks for Python, or for a shell with its `flags`.
        #[pyfunction]
        #[pyo3(signature = (text, flags=None))]
        fn render(text: &str, flags: Option<BTreeMap<String, String>>) -> String {
            flags.map_or(FrontEnd::Python, FrontEnd::Shell).render(text)
        }

        /// The ranks of distinct names of periods in chronological order; an error gives the reason if they
        /// cannot be ordered.
        #[pyfunction]
        fn period_order(names: Vec<String>) -> Result<Vec<u32>, pyo3::PyErr> {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            crate::statistics::monitoring::period_order(&names).map_err(|reason| {
                let ordered = crate::statistics::monitoring::ORDERED;
                pyo3::exceptions::PyValueError::new_err(format!("{reason}; {ordered}"))
            })
        }

        /// Begins a collection of batches, and returns its number.
        #[pyfunction]
        fn begin_batches() -> u64 {
            crate::plugin::batches::begin()
        }

        /// The number of groups of a collection of batches.
        #[pyfunction]
        fn groups_of_batches(number: u64) -> PyResult<usize> {
            let groups = crate::plugin::answers::batch_summaries::number_of_groups(number);
            groups.map_err(pyo3::exceptions::PyValueError::new_err)
        }

        /// Ends a collection of batches, and frees its memory.
        #[pyfunction]
        fn end_batches(number: u64) {
            crate::plugin::batches::end(number);
        }

        /// The number of expression calls in this process; a query should make one call per expression.
        #[pyfunction]
        fn calls() -> usize {
            crate::plugin::abi::ffi::CALLS.load(std::sync::atomic::Ordering::Relaxed)
        }
    }
}
