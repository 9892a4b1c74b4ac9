//! The entry points for Polars, and the exchange of options and columns.

pub(super) mod arguments;
pub(super) mod ffi;
