//! A number for each row from lists of points: of a band, and of a curve.

use arrow::array::{Array, ListArray, PrimitiveArray, StructArray};
use arrow::datatypes::{ArrowDataType as Dtype, Field};

use super::answer::CALLS;
use super::arrays::downcast;
use super::dtype;
use super::ffi::Input;
use super::keywords::Arguments;
use super::values::{Values, concatenated};
use crate::statistics::Curvewise;

fn checked<C: Curvewise>(inputs: &[&Field]) -> Result<(), String> {
    if inputs.len() != C::ROLES.len() {
        return Err(format!("expected {} columns, got {}", C::ROLES.len(), inputs.len()));
    }
    for (input, (role, maker, names)) in inputs.iter().zip(C::ROLES) {
        let fits = |fields: &[Field]| {
            let is_float = |name: &&str| {
                fields.iter().any(|field| field.name == *name && *field.dtype() == Dtype::Float64)
            };
            names.iter().all(is_float)
        };
        match dtype::listed(input).map(Field::dtype) {
            Ok(Dtype::Struct(fields)) if fits(fields) => {}
            _ => {
                return Err(format!(
                    "{role} \"{}\" has dtype {}, but must be a list of structs with the Float64 fields {}, as {maker} \
                     makes it",
                    input.name,
                    dtype::shown(input),
                    names.join(", ")
                ));
            }
        }
    }
    Ok(())
}

/// The planned field.
pub fn curvewise_field<C: Curvewise>(inputs: &[Field], _: &Arguments<C>) -> Result<Field, String> {
    checked::<C>(&inputs.iter().collect::<Vec<_>>())?;
    Ok(Field::new(inputs[0].name.clone(), Dtype::Float64, true))
}

/// Answers every row; a column of a single row is the same in every row.
pub fn curvewise<C: Curvewise>(inputs: &[Input], call: &Arguments<C>) -> Result<Values, String> {
    CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    checked::<C>(&inputs.iter().map(|input| &input.field).collect::<Vec<_>>())?;
    let rows = if inputs.iter().any(|input| input.len() == 0) {
        0
    } else {
        inputs.iter().map(Input::len).max().unwrap_or(0)
    };
    let columns = inputs.iter().zip(C::ROLES).map(|(input, (role, _, names))| {
        if input.len() != rows && input.len() != 1 {
            return Err(format!("{role} has {} rows but another column has {rows}", input.len()));
        }
        Lists::read(input, names)
    });
    let columns = columns.collect::<Result<Vec<_>, String>>()?;
    let of_row = |row: usize| {
        let lists: Option<Vec<_>> = columns.iter().map(|column| column.of_row(row)).collect();
        call.options.answer(&lists?)
    };
    let array = PrimitiveArray::from((0..rows).map(of_row).collect::<Vec<Option<f64>>>()).boxed();
    Ok(Values::new(&inputs[0].field.name, array))
}

/// A column of lists of structs, field by field.
struct Lists {
    lists: ListArray<i64>,
    fields: Vec<PrimitiveArray<f64>>,
}

impl Lists {
    fn read(input: &Input, names: &[&str]) -> Result<Lists, String> {
        let column = concatenated(&input.chunks)?;
        let lists = downcast::<ListArray<i64>>(column.as_ref())?.clone();
        let structs = downcast::<StructArray>(lists.values().as_ref())?;
        let field = |name: &&str| {
            let place = structs.fields().iter().position(|field| field.name == *name);
            let place = place.ok_or_else(|| format!("no field {name}"))?;
            let numbers = downcast::<PrimitiveArray<f64>>(structs.values()[place].as_ref())?;
            if numbers.null_count() > 0 || structs.null_count() > 0 {
                return Err(format!("\"{}\" holds a point with a null {name}", input.field.name));
            }
            Ok(numbers.clone())
        };
        let fields = names.iter().map(field).collect::<Result<_, String>>()?;
        Ok(Lists { lists, fields })
    }

    /// The fields of a row's points; none of a null.
    fn of_row(&self, row: usize) -> Option<Vec<&[f64]>> {
        let row = if self.lists.len() == 1 { 0 } else { row };
        if !self.lists.is_valid(row) {
            return None;
        }
        let offsets = self.lists.offsets();
        let points = offsets[row] as usize..offsets[row + 1] as usize;
        Some(self.fields.iter().map(|field| &field.values()[points.clone()]).collect())
    }
}
