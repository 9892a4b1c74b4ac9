//! Records to Polars columns.

use arrow::bitmap::Bitmap;
use arrow::offset::OffsetsBuffer;
use polars::prelude::*;

use super::score::{Held, threshold_dtype};
use crate::statistics::record::Nullable;
use crate::statistics::{Column, Field as RecordField, Kind};

/// The dtype of a record field, for scores of dtype `score`.
fn field_dtype(kind: Kind, score: &DataType) -> DataType {
    match kind {
        Kind::Number => DataType::Float64,
        Kind::Count => DataType::UInt64,
        Kind::Threshold => threshold_dtype(score),
    }
}

/// The dtype of a whole record, for scores of dtype `score`.
pub fn record_dtype(fields: &[RecordField], score: &DataType) -> DataType {
    let field = |field: &RecordField| Field::new(field.name.into(), field_dtype(field.kind, score));
    DataType::Struct(fields.iter().map(field).collect())
}

fn bitmap(present: Vec<bool>) -> Option<Bitmap> {
    (!present.is_empty()).then(|| Bitmap::from(present))
}

fn chunked<T: PolarsNumericType>(name: &str, rows: Nullable<T::Native>) -> ChunkedArray<T> {
    ChunkedArray::from_vec_validity(name.into(), rows.values, bitmap(rows.present))
}

/// One field as a Series; thresholds in the dtype the scores came in.
pub fn series<S: Held>(name: &str, column: Column<S::Key>, score: &DataType) -> PolarsResult<Series> {
    match column {
        Column::Number(rows) => Ok(chunked::<Float64Type>(name, rows).into_series()),
        Column::Count(rows) => Ok(chunked::<UInt64Type>(name, rows).into_series()),
        Column::Threshold(rows) => {
            let values = rows.values.into_iter().map(S::from_key).collect();
            let scores = chunked::<S::Column>(name, Nullable { values, present: rows.present }).into_series();
            match score {
                // What `rankable` widened is narrowed again: every threshold is a score that was there.
                DataType::Decimal(precision, scale) => {
                    Ok(scores.i128()?.clone().into_decimal(*precision, *scale)?.into_series())
                }
                score => scores.cast(&threshold_dtype(score)),
            }
        }
    }
}

/// All fields of a record as one Struct column.
pub fn structs<S: Held>(
    name: PlSmallStr,
    fields: &[RecordField],
    columns: Vec<Column<S::Key>>,
    score: &DataType,
) -> PolarsResult<Series> {
    let rows = columns.first().map_or(0, Column::len);
    let columns = fields
        .iter()
        .zip(columns)
        .map(|(field, column)| series::<S>(field.name, column, score))
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
