//! The numbers of states: counts of rows, and sums of weights.

use arrow::array::PrimitiveArray;
use arrow::bitmap::Bitmap;
use arrow::datatypes::ArrowDataType as Dtype;

use crate::plugin::arrays::{downcast::downcast, values::Values};
use crate::ranking::states::weight_sums::{DECIMALS, MOST_STEPS, WeightSums};
use crate::ranking::ties::row_counts::MOST_ROWS;

/// Sums of weights of bins, which all must be there, and of their squares, which need not.
pub fn bin_weights(
    state: &str,
    column: &Values,
    squares: Option<&Values>,
) -> Result<Vec<WeightSums>, String> {
    if column.array.null_count() > 0 {
        return Err(format!("state \"{state}\" holds a bin with a null"));
    }
    let squares = match squares.filter(|squares| squares.field.dtype() != &Dtype::Null) {
        Some(squares) => steps(state, squares, "squared weights")?,
        None => vec![None; column.array.len()],
    };
    let weights = steps(state, column, "weights")?.into_iter().map(Option::unwrap_or_default);
    Ok(weights.zip(squares).map(|(weights, squares)| WeightSums::read(weights, squares)).collect())
}

/// The steps of decimal numbers, which are sums of what `of` says.
fn steps(state: &str, column: &Values, of: &str) -> Result<Vec<Option<u128>>, String> {
    let Dtype::Decimal(_, decimals) = column.field.dtype() else {
        return Err(format!("state \"{state}\" holds {} of another dtype", column.name()));
    };
    let steps_per_unit = 10u128.pow(DECIMALS.saturating_sub(*decimals as u32));
    let steps = |(row, &sum): (usize, &i128)| {
        if column.array.is_null(row) {
            return Ok(None);
        }
        let steps = u128::try_from(sum).ok().and_then(|sum| sum.checked_mul(steps_per_unit));
        let steps = steps.filter(|steps| *steps <= MOST_STEPS).ok_or_else(|| {
            let unit = 10f64.powi(*decimals as i32);
            let (field, sum) = (column.name(), sum as f64 / unit);
            format!("state \"{state}\" holds {field} {sum}, but a sum of {of} is not negative and below 1e20")
        });
        steps.map(Some)
    };
    column.slice::<i128>()?.iter().enumerate().map(steps).collect()
}

/// Counts of bins, which all must be there.
pub fn bin_counts(state: &str, column: &Values) -> Result<PrimitiveArray<u64>, String> {
    if column.array.null_count() > 0 {
        return Err(format!("state \"{state}\" holds a bin with a null"));
    }
    let Ok(counts) = downcast::<PrimitiveArray<u64>>(column.array.as_ref()) else {
        let counts = numbers(state, column, None)?.into_iter().map(Option::unwrap_or_default);
        return Ok(PrimitiveArray::from_vec(counts.collect()));
    };
    if let Some(&most) = counts.values().iter().max() {
        whole(state, column, most as f64)?;
    }
    Ok(counts.clone())
}

/// Counts of states, each as a whole number if it and its state are there.
pub fn numbers(state: &str, column: &Values, states: Option<&Bitmap>) -> Result<Vec<Option<u64>>, String> {
    let floats = column.floats()?;
    let is_used = |row: usize| states.is_none_or(|states| states.get_bit(row));
    let number = |(row, number): (usize, Option<&f64>)| {
        number.filter(|_| is_used(row)).map(|number| whole(state, column, *number)).transpose()
    };
    floats.iter().enumerate().map(number).collect()
}

fn whole(state: &str, column: &Values, number: f64) -> Result<u64, String> {
    if (0.0..=MOST_ROWS as f64).contains(&number) {
        return Ok(number as u64);
    }
    Err(format!("state \"{state}\" holds {} {number}, but a count is from 0 to 2^42", column.name()))
}
