//! Helpers for any Arrow array: downcasts, error messages, and the index of nulls.

use arrow::array::Array;

/// An index outside any array: gathering it gives null.
pub const NOWHERE: u32 = u32::MAX;

/// Downcasts an array to the Rust type of its dtype.
pub fn downcast<A: 'static>(array: &dyn Array) -> Result<&A, String> {
    let other = || format!("values of dtype {:?} came in another layout", array.dtype());
    array.as_any().downcast_ref().ok_or_else(other)
}

/// The error message of Arrow.
pub fn message(error: impl std::fmt::Display) -> String {
    error.to_string()
}
