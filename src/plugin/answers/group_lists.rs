//! Columns as lists per group, like Polars' `group_by(keys).agg(pl.all())`, for all columns at once.
//!
//! Functions on frames get their lists from here. Polars would build the lists of each column separately.

use arrow::array::{LIST_VALUES_NAME, ListArray, StructArray};
use arrow::datatypes::{ArrowDataType as Dtype, Field};
use arrow::offset::OffsetsBuffer;
use polars_core::runtime::RAYON;

use super::conversion::Conversion;
use crate::plugin::abi::ffi::Input;
use crate::plugin::arrays::{
    array_groups::ArrayGroups,
    downcast::message,
    values::{Values, concatenated},
};
use crate::plugin::inputs::keys::{self, KeyCodes};
use crate::plugin::threads::Threads;
use crate::ranking::rows::RowGroups;
use crate::ranking::tasks::{self, Pool};
use crate::statistics::kinds::KeyKind;
use crate::statistics::options::from_options;

/// For each distinct key, sorted with nulls last: the key, and the list of each other column's values in its
/// rows.
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
        let [by, columns @ ..] = inputs else { return Err("expected keys and columns".into()) };
        let KeyCodes { codes, values, .. } = key_codes(by)?;
        let groups = values.array.len();
        let lists = lists(codes, groups, &columns.iter().collect::<Vec<_>>())?;
        let arrays = std::iter::once(values.array).chain(lists.into_iter().map(ListArray::boxed)).collect();
        let array = StructArray::try_new(field.dtype.clone(), groups, arrays, None).map_err(message)?.boxed();
        Ok(Values { field, array })
    }
}

/// The group of each row. Chunks of keys are concatenated, and freed at the end.
pub(super) fn key_codes(by: &Input) -> Result<KeyCodes, String> {
    let rows = Values { field: by.field.clone(), array: concatenated(&by.chunks)? };
    KeyCodes::read("by", &rows, KeyKind::MissingLast)
}

/// For each column a list per group, from the group of each row.
pub(super) fn lists(
    codes: Vec<u32>,
    groups: usize,
    columns: &[&Input],
) -> Result<Vec<ListArray<i64>>, String> {
    if let Some(other) = columns.iter().find(|column| column.len() != codes.len()) {
        let (name, rows, all) = (&other.field.name, other.len(), codes.len());
        return Err(format!(
            "\"{name}\" has {rows} rows, but by has {all}. Hint: give columns of the same rows"
        ));
    }
    let threads = RAYON.current_num_threads();
    Threads.install(|| {
        let groups = ArrayGroups::new(RowGroups::new(codes.into(), groups, threads));
        let borders: Vec<i64> = groups.borders().iter().map(|&border| border as i64).collect();
        let borders = OffsetsBuffer::try_from(borders).map_err(message)?;
        let list = |column: &&Input| {
            let rows = groups.in_order(&column.chunks)?;
            ListArray::try_new(list_of(&column.field), borders.clone(), rows, None).map_err(message)
        };
        tasks::par_map_items(columns, list).into_iter().collect()
    })
}

fn list_of(column: &Field) -> Dtype {
    Dtype::LargeList(Box::new(Field { name: LIST_VALUES_NAME, is_nullable: true, ..column.clone() }))
}
