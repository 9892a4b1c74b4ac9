//! Converts records to columns: each field to an Arrow array, and a record to a Struct.

use arrow::array::{
    Array, BooleanArray, FixedSizeListArray, LIST_VALUES_NAME, ListArray, PrimitiveArray, StructArray,
    Utf8ViewArray,
};
use arrow::bitmap::Bitmap;
use arrow::datatypes::{ArrowDataType as Dtype, Field};
use arrow::offset::OffsetsBuffer;
use arrow::types::NativeType;

use crate::plugin::arrays::{
    downcast::{NOWHERE, message},
    values::{Values, gathered},
};
use crate::plugin::inputs::{
    dtypes::Dtypes,
    score::{threshold_dtype, thresholds},
};
use crate::states::weight_sums::DECIMALS;
use crate::statistics::kinds::{Column, Field as RecordField, FieldKind, column::Nullable};

/// The dtype of sums of weights, with the maximum precision of a decimal column.
const SUM: Dtype = Dtype::Decimal(38, DECIMALS as usize);

/// The values behind the indices and codes in records.
pub struct Lookups {
    /// The dtypes of the inputs.
    pub dtypes: Dtypes,
    /// The names of the inputs.
    pub names: Vec<String>,
    /// The values of the keys.
    pub keys: Option<Values>,
}

/// The Arrow field of a record field with this name.
pub fn field(name: &str, kind: &FieldKind, dtypes: &Dtypes) -> Field {
    let dtype = match kind {
        FieldKind::Number => Dtype::Float64,
        FieldKind::Count => Dtype::UInt64,
        FieldKind::Mass => dtypes.mass.clone(),
        FieldKind::Sum if dtypes.have_weights() => SUM,
        FieldKind::Squares => SUM,
        FieldKind::Sum => Dtype::UInt64,
        FieldKind::Truth => Dtype::Boolean,
        FieldKind::Threshold => threshold_dtype(&dtypes.score),
        FieldKind::Word | FieldKind::Name => Dtype::Utf8View,
        FieldKind::Key => return Field { name: name.into(), is_nullable: true, ..dtypes.key.clone() },
        FieldKind::Numbers => list_of(Dtype::Float64),
        FieldKind::Records(fields) => list_of(record_dtype(fields, dtypes)),
    };
    Field::new(name.into(), dtype, true)
}

/// The dtype of a whole record.
pub fn record_dtype(fields: &[RecordField], dtypes: &Dtypes) -> Dtype {
    let fields = fields.iter().filter(|field| is_written(field, dtypes));
    Dtype::Struct(fields.map(|each| field(each.name, &each.kind, dtypes)).collect())
}

/// Whether a record field is written: squared weights only if rows have weights.
fn is_written(field: &RecordField, dtypes: &Dtypes) -> bool {
    field.kind != FieldKind::Squares || dtypes.have_weights()
}

/// The dtype of lists of a dtype.
pub fn list_of(item: Dtype) -> Dtype {
    Dtype::LargeList(Box::new(Field::new(LIST_VALUES_NAME, item, true)))
}

/// The dtype of arrays with `each` items of a dtype.
pub fn array_of(item: Dtype, each: usize) -> Dtype {
    Dtype::FixedSizeList(Box::new(Field::new(LIST_VALUES_NAME, item, true)), each)
}

fn bitmap(present: Vec<bool>) -> Option<Bitmap> {
    (!present.is_empty()).then(|| Bitmap::from(present))
}

fn numbers<T: NativeType>(rows: Nullable<T>) -> Box<dyn Array> {
    PrimitiveArray::from_vec(rows.values).with_validity(bitmap(rows.present)).boxed()
}

/// Maps values to words; null for null values and for values without a word.
fn words<'a, T: Copy>(rows: &Nullable<T>, word: impl Fn(T) -> Option<&'a str>) -> Box<dyn Array> {
    let word = |(row, &value): (usize, &T)| word(value).filter(|_| is_present(rows, row));
    Utf8ViewArray::from_slice(rows.values.iter().enumerate().map(word).collect::<Vec<Option<&str>>>()).boxed()
}

fn is_present<T>(rows: &Nullable<T>, row: usize) -> bool {
    rows.present.get(row).copied().unwrap_or(true)
}

/// The offsets of lists.
fn borders(ends: &Nullable<u64>) -> Vec<i64> {
    std::iter::once(0).chain(ends.values.iter().map(|&end| end as i64)).collect()
}

/// One field as an array; thresholds have the dtype of the scores.
pub fn array(column: Column, kind: &FieldKind, lookups: &Lookups) -> Result<Box<dyn Array>, String> {
    match column {
        Column::Number(rows) => Ok(numbers(rows)),
        Column::Mass(rows) if lookups.dtypes.have_weights() => {
            let values = rows.values.into_iter().map(f64::from_bits).collect();
            Ok(numbers(Nullable { values, present: rows.present }))
        }
        Column::Count(rows) | Column::Mass(rows) => Ok(numbers(rows)),
        Column::Sum(rows) if lookups.dtypes.have_weights() => {
            let steps = rows.steps.into_iter().map(|steps| steps as i128).collect();
            Ok(PrimitiveArray::from_vec(steps).to(SUM).boxed())
        }
        Column::Squares(rows) => {
            let steps = rows.values.into_iter().map(|steps| steps as i128).collect();
            Ok(PrimitiveArray::from_vec(steps).to(SUM).with_validity(bitmap(rows.present)).boxed())
        }
        Column::Sum(rows) => Ok(PrimitiveArray::from_vec(rows.counts).boxed()),
        Column::Truth(rows) => {
            let truths = rows.values.into();
            Ok(BooleanArray::try_new(Dtype::Boolean, truths, bitmap(rows.present)).map_err(message)?.boxed())
        }
        Column::Threshold(rows) => thresholds(rows.keys, bitmap(rows.present), &lookups.dtypes.score),
        Column::Word(rows) => Ok(words(&rows, Some)),
        Column::Name(rows) => Ok(words(&rows, |index| lookups.names.get(index as usize).map(String::as_str))),
        Column::Key(rows) => {
            let Some(keys) = &lookups.keys else {
                return Err("a record names keys, but there are none".into());
            };
            let index = |(row, &index): (usize, &u32)| if is_present(&rows, row) { index } else { NOWHERE };
            gathered(keys.array.as_ref(), &rows.values.iter().enumerate().map(index).collect::<Vec<u32>>())
        }
        Column::Numbers(column) => {
            let items = PrimitiveArray::from_vec(column.items).boxed();
            lists(items, borders(&column.ends), column.ends.present)
        }
        Column::Records(column) => {
            let FieldKind::Records(fields) = kind else {
                return Err("records in a field of another kind".into());
            };
            lists(structs(fields, column.items, lookups)?, borders(&column.ends), column.ends.present)
        }
    }
}

/// All fields of a record as one Struct array.
pub fn structs(
    fields: &[RecordField],
    columns: Vec<Column>,
    lookups: &Lookups,
) -> Result<Box<dyn Array>, String> {
    let rows = columns.first().map_or(0, Column::len);
    let written = fields.iter().zip(columns).filter(|(field, _)| is_written(field, &lookups.dtypes));
    let arrays = written.map(|(field, column)| array(column, &field.kind, lookups));
    struct_of(record_dtype(fields, &lookups.dtypes), rows, arrays.collect::<Result<_, _>>()?)
}

/// Fixed-size arrays of `items`, `each` items per row.
pub fn arrays(items: Box<dyn Array>, each: usize, rows: usize) -> Result<Box<dyn Array>, String> {
    let dtype = array_of(items.dtype().clone(), each);
    Ok(FixedSizeListArray::try_new(dtype, rows, items, None).map_err(message)?.boxed())
}

/// Arrays of `rows` rows as one Struct array.
pub fn struct_of(dtype: Dtype, rows: usize, arrays: Vec<Box<dyn Array>>) -> Result<Box<dyn Array>, String> {
    Ok(StructArray::try_new(dtype, rows, arrays, None).map_err(message)?.boxed())
}

/// Lists of `items`: list `i` has the items from `borders[i]` to `borders[i + 1]`, and is null unless
/// `present[i]`.
pub fn lists(items: Box<dyn Array>, borders: Vec<i64>, present: Vec<bool>) -> Result<Box<dyn Array>, String> {
    let dtype = list_of(items.dtype().clone());
    let borders = OffsetsBuffer::try_from(borders).map_err(message)?;
    Ok(ListArray::<i64>::try_new(dtype, borders, items, bitmap(present)).map_err(message)?.boxed())
}
