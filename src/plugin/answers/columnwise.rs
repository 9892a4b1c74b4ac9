//! Functions of whole columns: numeric columns in, columns out, row by row.

use arrow::array::{Array, PrimitiveArray};
use arrow::datatypes::{ArrowDataType as Dtype, Field};

use super::columns;
use crate::plugin::abi::{arguments::Arguments, ffi::Input};
use crate::plugin::arrays::{
    dtype,
    values::{Values, concatenated},
};
use crate::statistics::kinds::Columnwise;

/// A nullable column of numbers.
type Numbers = Vec<Option<f64>>;

/// A function from input columns to result columns.
type Function<'a> = &'a dyn Fn(&[Numbers]) -> Result<Vec<Numbers>, String>;

fn checked(roles: &[&str], inputs: &[&Field]) -> Result<(), String> {
    if inputs.len() != roles.len() {
        return Err(format!("expected {} columns, got {}", roles.len(), inputs.len()));
    }
    for (role, input) in roles.iter().zip(inputs) {
        if !dtype::is_numeric(input) || *input.dtype() == Dtype::Boolean {
            let dtype = dtype::display(input);
            return Err(format!("{role} \"{}\" has dtype {dtype}, expected numbers", input.name));
        }
    }
    Ok(())
}

fn dtype_of(fields: &[&str], counts: &[&str]) -> Dtype {
    let number = |name| if counts.contains(name) { Dtype::UInt64 } else { Dtype::Float64 };
    match fields {
        [name] => number(name),
        fields => {
            Dtype::Struct(fields.iter().map(|name| Field::new((*name).into(), number(name), true)).collect())
        }
    }
}

/// The column for a field of this dtype.
fn column(numbers: Numbers, dtype: &Dtype) -> Box<dyn Array> {
    if *dtype == Dtype::UInt64 {
        let counts = numbers.into_iter().map(|number| number.map(|number| number as u64));
        return PrimitiveArray::from_iter(counts).boxed();
    }
    PrimitiveArray::from(numbers).boxed()
}

/// The planned field of a function of columns.
pub fn columnwise_field<C: Columnwise>(inputs: &[Field], _: &Arguments<C>) -> Result<Field, String> {
    checked(C::ROLES, &inputs.iter().collect::<Vec<_>>())?;
    Ok(Field::new(inputs[0].name.clone(), dtype_of(C::FIELDS, C::COUNTS), true))
}

/// Evaluates every row.
pub fn columnwise<C: Columnwise>(inputs: &[Input], call: &Arguments<C>) -> Result<Values, String> {
    let dtype = dtype_of(C::FIELDS, C::COUNTS);
    evaluate(inputs, C::ROLES, dtype, &|columns| call.options.evaluate(columns))
}

fn evaluate(inputs: &[Input], roles: &[&str], dtype: Dtype, function: Function) -> Result<Values, String> {
    checked(roles, &inputs.iter().map(|input| &input.field).collect::<Vec<_>>())?;
    // A single-row column is broadcast to the length of the others.
    let rows = if inputs.iter().any(|input| input.len() == 0) {
        0
    } else {
        inputs.iter().map(Input::len).max().unwrap_or(0)
    };
    let columns = inputs.iter().zip(roles).map(|(input, role)| numbers(input, role, rows));
    let results = function(&columns.collect::<Result<Vec<_>, String>>()?)?;
    let mut results = results.into_iter();
    let array = match &dtype {
        Dtype::Struct(fields) => {
            let arrays =
                results.zip(fields.clone()).map(|(numbers, field)| column(numbers, field.dtype())).collect();
            columns::struct_of(dtype, rows, arrays)?
        }
        dtype => column(results.next().unwrap_or_default(), dtype),
    };
    Ok(Values::new(&inputs[0].field.name, array))
}

/// The numbers of a column, broadcast to `rows` rows.
fn numbers(input: &Input, role: &str, rows: usize) -> Result<Numbers, String> {
    if input.len() != rows && input.len() != 1 {
        return Err(format!("{role} has {} rows but another column has {rows}", input.len()));
    }
    let values = Values { field: input.field.clone(), array: concatenated(&input.chunks)? };
    let numbers: Numbers = values.floats()?.iter().map(|number| number.copied()).collect();
    Ok(if numbers.len() == rows { numbers } else { vec![numbers[0]; rows] })
}
