//! Columns as lists, one for each group: what Polars' `group_by(keys).agg(pl.all())` answers, for all columns at once.
//!
//! Expressions on frames take their lists from here. Polars would make the lists of each column by itself.

use arrow::array::{Array, LIST_VALUES_NAME, ListArray, StructArray};
use arrow::datatypes::{ArrowDataType as Dtype, Field};
use arrow::offset::OffsetsBuffer;
use polars_core::runtime::RAYON;
use rayon::prelude::*;

use super::conversion::Conversion;
use crate::plugin::abi::ffi::Input;
use crate::plugin::arrays::{
    array_groups::ArrayGroups,
    downcast::message,
    values::{Values, concatenated},
};
use crate::plugin::inputs::keys::{self, KeyCodes};
use crate::ranking::rows::RowGroups;
use crate::statistics::kinds::KeyKind;
use crate::statistics::options::from_options;

/// For each distinct key, in the order of a table whose nulls come last, the key and a list of what each other column has
/// in its rows.
#[derive(Clone, Copy, Debug)]
pub struct GroupLists {}

from_options!(|_| GroupLists {});

impl Conversion for GroupLists {
    fn field(&self, inputs: &[Field]) -> Result<Field, String> {
        let [by, columns @ ..] = inputs else { return Err("expected keys and columns".into()) };
        keys::check("by", &by.name, by)?;
        let lists = columns.iter().map(|column| Field::new(column.name.clone(), list_of(column), true));
        let dtype = Dtype::Struct(std::iter::once(by.clone()).chain(lists).collect());
        Ok(Field::new(by.name.clone(), dtype, true))
    }

    fn column(&self, inputs: &[Input]) -> Result<Values, String> {
        let field = self.field(&inputs.iter().map(|input| input.field.clone()).collect::<Vec<_>>())?;
        if let Some(other) = inputs.iter().find(|input| input.len() != inputs[0].len()) {
            let (name, rows, all) = (&other.field.name, other.len(), inputs[0].len());
            return Err(format!(
                "\"{name}\" has {rows} rows, but by has {all}; give columns of the same rows"
            ));
        }
        let KeyCodes { codes, values, .. } = key_codes(&inputs[0])?;
        let groups = values.array.len();
        let threads = RAYON.current_num_threads();
        let lists = RAYON.install(|| {
            let groups = ArrayGroups::of(RowGroups::of(codes.into(), groups, threads));
            let borders: Vec<i64> = groups.borders().iter().map(|&border| border as i64).collect();
            let borders = OffsetsBuffer::try_from(borders).map_err(message)?;
            inputs[1..].par_iter().map(|input| list(input, &groups, &borders)).collect::<Result<Vec<_>, _>>()
        })?;
        let arrays = std::iter::once(values.array).chain(lists).collect();
        let array = StructArray::try_new(field.dtype.clone(), groups, arrays, None).map_err(message)?.boxed();
        Ok(Values { field, array })
    }
}

/// The groups of rows. Chunks of keys are joined, and are freed at the end.
fn key_codes(by: &Input) -> Result<KeyCodes, String> {
    let rows = Values { field: by.field.clone(), array: concatenated(&by.chunks)? };
    KeyCodes::read("by", &rows, KeyKind::MissingLast)
}

fn list(
    input: &Input,
    groups: &ArrayGroups<'_>,
    borders: &OffsetsBuffer<i64>,
) -> Result<Box<dyn Array>, String> {
    let rows = groups.in_order(&input.chunks)?;
    let list = ListArray::<i64>::try_new(list_of(&input.field), borders.clone(), rows, None);
    Ok(list.map_err(message)?.boxed())
}

fn list_of(column: &Field) -> Dtype {
    Dtype::LargeList(Box::new(Field { name: LIST_VALUES_NAME, is_nullable: true, ..column.clone() }))
}
