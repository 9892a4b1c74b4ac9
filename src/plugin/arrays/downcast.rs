//! What reading and writing any Arrow array needs: its Rust type, the message of an error, and the place of nulls.

use arrow::array::Array;

/// The place that no row has: what is gathered there is null.
pub const NOWHERE: u32 = u32::MAX;

/// An array as what its dtype says it is.
pub fn downcast<A: 'static>(array: &dyn Array) -> Result<&A, String> {
    let other = || format!("values of dtype {:?} came in another layout", array.dtype());
    array.as_any().downcast_ref().ok_or_else(other)
}

/// What is wrong with arrays, in Arrow's words.
pub fn message(error: impl std::fmt::Display) -> String {
    error.to_string()
}
