//! Statistics of bands and curves: from List columns of points to records.

use arrow::array::{Array, ListArray, PrimitiveArray, StructArray};
use arrow::bitmap::Bitmap;
use arrow::datatypes::{ArrowDataType as Dtype, Field};

use super::columns::{self, Lookups};
use crate::plugin::abi::{arguments::Arguments, ffi::Input};
use crate::plugin::arrays::{downcast::downcast, dtype, values::Values};
use crate::plugin::inputs::{dtypes::Dtypes, groups::same_groups};
use crate::ranking::scores::Width;
use crate::statistics::kinds::{Column, Curvewise, Record};

/// The dtypes of a statistic without scores and keys in its record.
fn dtypes() -> Dtypes {
    Dtypes::from_score(Dtype::Float64, false)
}

fn checked<C: Curvewise>(inputs: &[&Field]) -> Result<(), String> {
    if inputs.len() != C::ROLES.len() {
        return Err(format!("expected {} columns, got {}", C::ROLES.len(), inputs.len()));
    }
    for (input, (role, maker, names)) in inputs.iter().zip(C::ROLES) {
        let item = dtype::listed(input)?;
        let fits = |fields: &[Field]| {
            let is_float = |name: &&str| {
                fields.iter().any(|field| field.name == *name && *field.dtype() == Dtype::Float64)
            };
            names.iter().all(is_float)
        };
        match dtype::listed(item).map(Field::dtype) {
            Ok(Dtype::Struct(fields)) if fits(fields) => {}
            _ => {
                return Err(format!(
                    "{role} \"{}\" has dtype {}, expected lists of structs with the Float64 fields {}, as {maker} \
                     makes it",
                    input.name,
                    dtype::display(item),
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
    Ok(Field::new(inputs[0].name.clone(), columns::record_dtype(C::Record::FIELDS, &dtypes()), true))
}

/// Returns a record per group.
pub fn curvewise<C: Curvewise>(inputs: &[Input], call: &Arguments<C>) -> Result<Values, String> {
    checked::<C>(&inputs.iter().map(|input| &input.field).collect::<Vec<_>>())?;
    let (read, borders) = same_groups(&inputs.iter().collect::<Vec<_>>(), |input| C::ROLES[input].0)?;
    let lists = read.iter().zip(C::ROLES).map(|(column, (_, _, names))| Lists::read(column, names));
    let lists = lists.collect::<Result<Vec<_>, String>>()?;
    let mut filled = Column::all_of(C::Record::FIELDS, Width::W8, borders.len() - 1);
    for rows in borders.windows(2) {
        let mut group_curves = Vec::with_capacity(rows[1] - rows[0]);
        for row in rows[0]..rows[1] {
            let points = lists.iter().map(|column| column.points(row)).collect::<Result<Vec<_>, String>>()?;
            group_curves.extend(points.into_iter().collect::<Option<Vec<_>>>());
        }
        call.options.evaluate(&group_curves).append(&mut filled);
    }
    let lookups = Lookups { dtypes: dtypes(), names: Vec::new(), keys: None };
    let array = columns::structs(C::Record::FIELDS, filled, &lookups)?;
    Ok(Values::new(&inputs[0].field.name, array))
}

/// A column of lists of structs, field by field.
struct Lists<'a> {
    name: &'a str,
    lists: ListArray<i64>,
    structs: Option<Bitmap>,
    fields: Vec<PrimitiveArray<f64>>,
}

impl<'a> Lists<'a> {
    fn read(column: &'a Values, names: &[&str]) -> Result<Lists<'a>, String> {
        let lists = downcast::<ListArray<i64>>(column.array.as_ref())?.clone();
        let structs = downcast::<StructArray>(lists.values().as_ref())?;
        let field = |name: &&str| {
            let index = structs.fields().iter().position(|field| field.name == *name);
            let index = index.ok_or_else(|| format!("no field {name}"))?;
            Ok(downcast::<PrimitiveArray<f64>>(structs.values()[index].as_ref())?.clone())
        };
        let fields = names.iter().map(field).collect::<Result<_, String>>()?;
        Ok(Lists { name: column.name(), structs: structs.validity().cloned(), fields, lists })
    }

    /// The fields of a row's points; `None` for null.
    fn points(&self, row: usize) -> Result<Option<Vec<&[f64]>>, String> {
        if !self.lists.is_valid(row) {
            return Ok(None);
        }
        let offsets = self.lists.offsets();
        let (first, points) = (offsets[row] as usize, (offsets[row + 1] - offsets[row]) as usize);
        let has_null = |validity: Option<&Bitmap>| {
            validity.is_some_and(|validity| validity.null_count_range(first, points) > 0)
        };
        // Only points within this row matter, and not those under a null list.
        if has_null(self.structs.as_ref()) || self.fields.iter().any(|field| has_null(field.validity())) {
            return Err(format!("\"{}\" contains a point with a null", self.name));
        }
        Ok(Some(self.fields.iter().map(|field| &field.values()[first..first + points]).collect()))
    }
}
