//! Functions of whole columns: from columns of numbers to columns, row by row.

use arrow::array::PrimitiveArray;
use arrow::datatypes::{ArrowDataType as Dtype, Field};

use super::columns;
use crate::plugin::abi::{arguments::Arguments, ffi::Input};
use crate::plugin::arrays::{
    dtype,
    values::{Values, concatenated},
};
use crate::statistics::kinds::Columnwise;

/// A column of numbers, some of which may be missing.
type Numbers = Vec<Option<f64>>;

/// What makes the columns of the answer of those that are given.
type Function<'a> = &'a dyn Fn(&[Numbers]) -> Result<Vec<Numbers>, String>;

fn checked(roles: &[&str], inputs: &[&Field]) -> Result<(), String> {
    if inputs.len() != roles.len() {
        return Err(format!("expected {} columns, got {}", roles.len(), inputs.len()));
    }
    for (role, input) in roles.iter().zip(inputs) {
        if !dtype::is_numeric(input) || *input.dtype() == Dtype::Boolean {
            let dtype = dtype::shown(input);
            return Err(format!("{role} \"{}\" has dtype {dtype}, but must be a number", input.name));
        }
    }
    Ok(())
}

fn dtype_of(fields: &[&str]) -> Dtype {
    match fields {
        [_] => Dtype::Float64,
        fields => Dtype::Struct(
            fields.iter().map(|name| Field::new((*name).into(), Dtype::Float64, true)).collect(),
        ),
    }
}

/// The planned field of a function of columns.
pub fn columnwise_field<C: Columnwise>(inputs: &[Field], _: &Arguments<C>) -> Result<Field, String> {
    checked(C::ROLES, &inputs.iter().collect::<Vec<_>>())?;
    Ok(Field::new(inputs[0].name.clone(), dtype_of(C::FIELDS), true))
}

/// Answers every row.
pub fn columnwise<C: Columnwise>(inputs: &[Input], call: &Arguments<C>) -> Result<Values, String> {
    answered(inputs, C::ROLES, C::FIELDS, &|columns| call.options.answer(columns))
}

fn answered(inputs: &[Input], roles: &[&str], fields: &[&str], answer: Function) -> Result<Values, String> {
    checked(roles, &inputs.iter().map(|input| &input.field).collect::<Vec<_>>())?;
    // A column of a single row beside longer ones is the same in every row.
    let rows = if inputs.iter().any(|input| input.len() == 0) {
        0
    } else {
        inputs.iter().map(Input::len).max().unwrap_or(0)
    };
    let columns = inputs.iter().zip(roles).map(|(input, role)| numbers(input, role, rows));
    let answers = answer(&columns.collect::<Result<Vec<_>, String>>()?)?;
    let mut arrays =
        answers.into_iter().map(|numbers| PrimitiveArray::from(numbers).boxed()).collect::<Vec<_>>();
    let array = match (fields, arrays.pop()) {
        ([_], Some(array)) => array,
        (_, last) => {
            arrays.extend(last);
            columns::struct_of(dtype_of(fields), rows, arrays)?
        }
    };
    Ok(Values::new(&inputs[0].field.name, array))
}

/// The numbers of a column for so many rows.
fn numbers(input: &Input, role: &str, rows: usize) -> Result<Numbers, String> {
    if input.len() != rows && input.len() != 1 {
        return Err(format!("{role} has {} rows but another column has {rows}", input.len()));
    }
    let values = Values { field: input.field.clone(), array: concatenated(&input.chunks)? };
    let numbers: Numbers = values.floats()?.iter().map(|number| number.copied()).collect();
    Ok(if numbers.len() == rows { numbers } else { vec![numbers[0]; rows] })
}
