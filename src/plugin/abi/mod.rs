//! What Polars calls, and how it passes options and columns.

pub(super) mod arguments;
pub(super) mod ffi;
