//! Conversions of columns to another dtype with the same values: states as bytes, rows as lists.

use arrow::datatypes::Field;

use crate::plugin::abi::{arguments::Arguments, ffi::Input};
use crate::plugin::arrays::values::Values;

/// A conversion of columns to another dtype.
pub trait Conversion {
    /// The planned field.
    fn field(&self, inputs: &[Field]) -> Result<Field, String>;

    /// Converts the columns.
    fn column(&self, inputs: &[Input]) -> Result<Values, String>;
}

/// The planned field of a conversion.
pub fn conversion_field<C: Conversion>(inputs: &[Field], call: &Arguments<C>) -> Result<Field, String> {
    call.options.field(inputs)
}

/// Converts the columns.
pub fn conversion<C: Conversion>(inputs: &[Input], call: &Arguments<C>) -> Result<Values, String> {
    call.options.column(inputs)
}
