//! The connection to Polars: List columns to groups, records to columns, and the table of expressions.
//!
//! The only layer that names polars, arrow or pyo3, and one that holds no formula. Every expression
//! gets List columns with one row a group (the Python side implodes its arguments), is called once for
//! all groups, and answers with exactly one row a group. Inputs and answers are Arrow arrays. They are not turned into
//! columns of Polars, because the code for each of its dtypes would have to be compiled.

mod abi;
mod answers;
mod arrays;
mod expressions;
mod inputs;
mod threads;

/// The extension module: it exists to be loaded by Polars, and tells what it holds.
#[cfg(feature = "python")]
mod python {
    use pyo3::prelude::*;

    /// Memory that the plugin allocates is freed by Polars, and the other way round. With one allocator for both, freed
    /// pages are used again.
    #[global_allocator]
    static ALLOCATOR: pyo3_polars::PolarsAllocator = pyo3_polars::PolarsAllocator::new();

    #[pymodule]
    mod _native {
        use super::*;

        /// The version of the crate, which is the package's.
        #[pymodule_export]
        #[allow(non_upper_case_globals)]
        const __version__: &str = env!("CARGO_PKG_VERSION");

        /// The names of all expressions.
        #[pyfunction]
        fn expressions() -> Vec<&'static str> {
            crate::plugin::expressions::NAMES.to_vec()
        }

        /// How often this process has called an expression: a query should call each of its own once.
        #[pyfunction]
        fn calls() -> usize {
            crate::plugin::ffi::CALLS.load(std::sync::atomic::Ordering::Relaxed)
        }
    }
}
