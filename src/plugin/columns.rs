//! Records to Polars columns.

use arrow::bitmap::Bitmap;
use arrow::offset::OffsetsBuffer;
use polars::prelude::*;

use super::score::{Held, threshold_dtype};
use crate::statistics::record::Nullable;
use crate::statistics::{Column, Field as RecordField, Kind};

/// The dtypes that fields take from the inputs.
#[derive(Clone)]
pub struct Dtypes {
    /// Of the score.
    pub score: DataType,
    /// Of the key.
    pub key: DataType,
    /// Of a mass: a count, or a sum of weights.
    pub mass: DataType,
}

impl Dtypes {
    /// Those of a statistic without keys.
    pub fn of_score(score: DataType, weighted: bool) -> Self {
        let mass = if weighted { DataType::Float64 } else { DataType::UInt64 };
        Dtypes { score, key: DataType::Null, mass }
    }
}

/// What records name by a number.
pub struct Told {
    /// The dtypes of the inputs.
    pub dtypes: Dtypes,
    /// The names of the inputs.
    pub names: Vec<PlSmallStr>,
    /// The values of the keys.
    pub keys: Option<Series>,
}

/// The dtype of a record field.
pub fn field_dtype(kind: &Kind, dtypes: &Dtypes) -> DataType {
    match kind {
        Kind::Number => DataType::Float64,
        Kind::Count => DataType::UInt64,
        Kind::Mass => dtypes.mass.clone(),
        Kind::Threshold => threshold_dtype(&dtypes.score),
        Kind::Word | Kind::Name => DataType::String,
        Kind::Key => dtypes.key.clone(),
        Kind::Numbers => DataType::List(Box::new(DataType::Float64)),
        Kind::Records(fields) => DataType::List(Box::new(record_dtype(fields, dtypes))),
    }
}

/// The dtype of a whole record.
pub fn record_dtype(fields: &[RecordField], dtypes: &Dtypes) -> DataType {
    let field = |field: &RecordField| Field::new(field.name.into(), field_dtype(&field.kind, dtypes));
    DataType::Struct(fields.iter().map(field).collect())
}

fn bitmap(present: Vec<bool>) -> Option<Bitmap> {
    (!present.is_empty()).then(|| Bitmap::from(present))
}

fn chunked<T: PolarsNumericType>(name: &str, rows: Nullable<T::Native>) -> ChunkedArray<T> {
    ChunkedArray::from_vec_validity(name.into(), rows.values, bitmap(rows.present))
}

/// Words for numbers; a number is missing where `rows` says so.
fn strings(name: &str, rows: Nullable<u32>, word: impl Fn(u32) -> Option<PlSmallStr>) -> Series {
    let there = |row: usize| rows.present.get(row).copied().unwrap_or(true);
    let words = rows.values.iter().enumerate().map(|(row, &value)| word(value).filter(|_| there(row)));
    StringChunked::from_iter_options(name.into(), words).into_series()
}

/// Where lists begin and end, as offsets.
fn borders(ends: &Nullable<u64>) -> Vec<i64> {
    std::iter::once(0).chain(ends.values.iter().map(|&end| end as i64)).collect()
}

/// One field as a Series; thresholds in the dtype the scores came in.
pub fn series<S: Held>(name: &str, column: Column<S::Key>, kind: &Kind, told: &Told) -> PolarsResult<Series> {
    match column {
        Column::Number(rows) => Ok(chunked::<Float64Type>(name, rows).into_series()),
        Column::Count(rows) => Ok(chunked::<UInt64Type>(name, rows).into_series()),
        Column::Mass(rows) if told.dtypes.mass == DataType::Float64 => {
            let values = rows.values.into_iter().map(f64::from_bits).collect();
            Ok(chunked::<Float64Type>(name, Nullable { values, present: rows.present }).into_series())
        }
        Column::Mass(rows) => Ok(chunked::<UInt64Type>(name, rows).into_series()),
        Column::Threshold(rows) => {
            let values = rows.values.into_iter().map(S::from_key).collect();
            let scores = chunked::<S::Column>(name, Nullable { values, present: rows.present }).into_series();
            match &told.dtypes.score {
                // What `rankable` widened is narrowed again: every threshold is a score that was there.
                DataType::Decimal(precision, scale) => {
                    Ok(scores.i128()?.clone().into_decimal(*precision, *scale)?.into_series())
                }
                score => scores.cast(&threshold_dtype(score)),
            }
        }
        Column::Word(rows) => {
            let there = |row: usize| rows.present.get(row).copied().unwrap_or(true);
            let words = rows.values.iter().enumerate().map(|(row, word)| there(row).then_some(*word));
            let words: StringChunked = words.collect_ca(name.into());
            Ok(words.into_series())
        }
        Column::Name(rows) => Ok(strings(name, rows, |place| told.names.get(place as usize).cloned())),
        Column::Key(rows) => {
            let Some(keys) = &told.keys else {
                polars_bail!(ComputeError: "a record names keys, but there are none");
            };
            let there = |row: usize| rows.present.get(row).copied().unwrap_or(true);
            let places =
                rows.values.iter().enumerate().map(|(row, &place)| there(row).then_some(place as IdxSize));
            let places: IdxCa = places.collect_ca(PlSmallStr::EMPTY);
            Ok(keys.take(&places)?.with_name(name.into()))
        }
        Column::Numbers(column) => {
            let items = Float64Chunked::from_vec(PlSmallStr::EMPTY, column.items).into_series();
            lists(name.into(), items, borders(&column.ends), column.ends.present)
        }
        Column::Records(column) => {
            let Kind::Records(fields) = kind else {
                polars_bail!(ComputeError: "records in a field of another kind");
            };
            let items = structs::<S>(PlSmallStr::EMPTY, fields, column.items, told)?;
            lists(name.into(), items, borders(&column.ends), column.ends.present)
        }
    }
}

/// All fields of a record as one Struct column.
pub fn structs<S: Held>(
    name: PlSmallStr,
    fields: &[RecordField],
    columns: Vec<Column<S::Key>>,
    told: &Told,
) -> PolarsResult<Series> {
    let rows = columns.first().map_or(0, Column::len);
    let columns = fields
        .iter()
        .zip(columns)
        .map(|(field, column)| series::<S>(field.name, column, &field.kind, told))
        .collect::<PolarsResult<Vec<_>>>()?;
    Ok(StructChunked::from_series(name, rows, columns.iter())?.into_series())
}

/// A column of lists of `items`: list `i` holds the items from `borders[i]` to `borders[i + 1]`, and is
/// null unless `present[i]`.
pub fn lists(name: PlSmallStr, items: Series, borders: Vec<i64>, present: Vec<bool>) -> PolarsResult<Series> {
    // Lists of nothing first, for which Polars has a checked constructor; then the items in their place.
    let nothing = arrow::array::UInt8Array::new_null(ArrowDataType::UInt8, items.len());
    let array = arrow::array::ListArray::<i64>::try_new(
        arrow::array::ListArray::<i64>::default_datatype(ArrowDataType::UInt8),
        OffsetsBuffer::try_from(borders)?,
        nothing.boxed(),
        bitmap(present),
    )?;
    let lists = ListChunked::with_chunk(name, array);
    Ok(lists.apply_to_inner(&|_| Ok(items.clone()))?.into_series())
}
