//! What Polars calls, and how it passes options and columns.

pub(super) mod arguments;
mod by_serde;
pub(super) mod ffi;
