//! Counts: the number of identical rows that each row represents.

use arrow::array::{Array, PrimitiveArray};
use arrow::bitmap::Bitmap;
use arrow::datatypes::{ArrowDataType as Dtype, Field};

use crate::plugin::arrays::{dtype, values::Values};
use crate::ranking::ties::row_counts::MAX_ROWS;
use crate::statistics::options::per_front_end;

/// The maximum number of rows of a group that are materialised one by one.
const MAX_REPEATED_ROWS: u64 = (1 << 31) - 1;

/// Rejects a dtype that cannot contain counts.
pub fn check(name: &str, item: &Field) -> Result<(), String> {
    let whole = !matches!(item.dtype(), Dtype::Float16 | Dtype::Float32 | Dtype::Float64);
    if dtype::is_number(item) && whole || matches!(item.dtype(), Dtype::Null) {
        return Ok(());
    }
    let cast = per_front_end(
        format!("pl.col(\"{name}\").cast(pl.UInt64)"),
        format!("--count \"CAST({name} AS BIGINT)\""),
    );
    Err(format!(
        "count \"{name}\" has dtype {}, expected integers: the number of identical rows. Hint: for whole numbers of another \
         dtype write {cast}",
        dtype::display(item)
    ))
}

/// The counts, and a mask of the rows in use, unless all are in use. A row is in use if its count is neither
/// null nor 0.
pub fn values(counts: &Values) -> Result<(PrimitiveArray<f64>, Option<Bitmap>), String> {
    check(counts.name(), &counts.field)?;
    let array = counts.floats()?;
    let present = || array.iter().flatten();
    if let Some(wrong) = present().find(|count| !(0.0..=MAX_ROWS as f64).contains(*count)) {
        return Err(format!("count \"{}\" contains {wrong}, expected counts from 0 to 2^42", counts.name()));
    }
    // Sums of integers are exact up to 2^53; larger sums are inexact but still above the limit.
    if present().sum::<f64>() > MAX_ROWS as f64 {
        return Err(format!("count \"{}\" adds up to more than 2^42 rows", counts.name()));
    }
    let used = (present().any(|count| *count == 0.0) || array.null_count() > 0)
        .then(|| array.iter().map(|count| count.is_some_and(|count| *count > 0.0)).collect());
    Ok((array, used))
}

/// Rejects a group with too many rows to materialise.
pub fn check_repeated_rows(rows: u64) -> Result<(), String> {
    if rows <= MAX_REPEATED_ROWS {
        return Ok(());
    }
    Err(format!(
        "a group has {rows} rows, expected at most 2^31 - 1: this function needs memory for each row"
    ))
}

/// The number of represented rows; a missing count is one missing row.
pub fn rows(counts: &PrimitiveArray<f64>, range: std::ops::Range<usize>) -> u64 {
    let rows = |row: usize| if counts.is_valid(row) { counts.value(row) as u64 } else { 1 };
    range.map(rows).sum()
}
