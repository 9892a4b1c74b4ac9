//! Arrow arrays of any dtype: values, dictionaries, text, booleans.

pub(super) mod array_groups;
pub(super) mod distinct;
pub(super) mod downcast;
pub(super) mod dtype;
pub(super) mod text;
pub(super) mod unpack_bits;
pub(super) mod values;
pub(super) mod words;
