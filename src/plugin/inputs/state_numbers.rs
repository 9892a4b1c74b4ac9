//! The numbers of states: counts of rows, and sums of weights.

use arrow::array::PrimitiveArray;
use arrow::bitmap::Bitmap;
use arrow::datatypes::ArrowDataType as Dtype;

use crate::plugin::arrays::{downcast::downcast, values::Values};
use crate::ranking::ties::row_counts::MAX_ROWS;
use crate::states::weight_sums::{DECIMALS, MAX_STEPS, WeightSums};

/// Sums of weights of bins, which must not be null, and of their squares, which may be.
pub fn bin_weights(
    state: &str,
    column: &Values,
    squares: Option<&Values>,
) -> Result<Vec<WeightSums>, String> {
    if column.array.null_count() > 0 {
        return Err(format!("state \"{state}\" contains a bin with a null"));
    }
    let weights = Steps::new(state, column, "weights")?;
    let squares = squares.filter(|squares| squares.field.dtype() != &Dtype::Null);
    let squares = squares.map(|squares| Steps::new(state, squares, "squared weights")).transpose()?;
    let sums = |bin: usize| {
        let squares = squares.as_ref().map_or(Ok(None), |squares| squares.at(bin))?;
        Ok(WeightSums::read(weights.at(bin)?.unwrap_or_default(), squares))
    };
    (0..column.array.len()).map(sums).collect()
}

/// The steps of decimal numbers.
struct Steps<'a> {
    state: &'a str,
    column: &'a Values,
    /// The kind of the sums.
    summands: &'a str,
    numbers: &'a [i128],
    validity: Option<&'a Bitmap>,
    decimals: usize,
    per_unit: u128,
}

impl<'a> Steps<'a> {
    fn new(state: &'a str, column: &'a Values, summands: &'a str) -> Result<Self, String> {
        let Dtype::Decimal(_, decimals) = *column.field.dtype() else {
            return Err(format!("state \"{state}\" contains {} of another dtype", column.name()));
        };
        let per_unit = 10u128.pow(DECIMALS.saturating_sub(decimals as u32));
        let (numbers, validity) = (column.slice::<i128>()?, column.array.validity());
        Ok(Steps { state, column, summands, numbers, validity, decimals, per_unit })
    }

    /// The steps of a bin; `None` for null.
    fn at(&self, bin: usize) -> Result<Option<u128>, String> {
        if self.validity.is_some_and(|validity| !validity.get_bit(bin)) {
            return Ok(None);
        }
        let number = self.numbers[bin];
        let steps = u128::try_from(number).ok().and_then(|number| number.checked_mul(self.per_unit));
        let steps = steps.filter(|steps| *steps <= MAX_STEPS).ok_or_else(|| {
            let sum = number as f64 / 10f64.powi(self.decimals as i32);
            let (state, field, summands) = (self.state, self.column.name(), self.summands);
            format!(
                "state \"{state}\" contains {field} {sum}, expected a sum of {summands} from 0 to below 1e20"
            )
        });
        steps.map(Some)
    }
}

/// Counts of bins, which must not be null. [`check_counts`] validates them.
pub fn bin_counts(state: &str, column: &Values) -> Result<PrimitiveArray<u64>, String> {
    if column.array.null_count() > 0 {
        return Err(format!("state \"{state}\" contains a bin with a null"));
    }
    let Ok(counts) = downcast::<PrimitiveArray<u64>>(column.array.as_ref()) else {
        let counts = numbers(state, column, None)?.into_iter().map(Option::unwrap_or_default);
        return Ok(PrimitiveArray::from_vec(counts.collect()));
    };
    Ok(counts.clone())
}

/// Rejects counts of the bins of a state that are too large; `field` is the name of their column.
pub fn check_counts(state: &str, field: &str, counts: &[u64]) -> Result<(), String> {
    // The bitwise OR is a fast bound of the maximum, which is computed only if the OR is too large.
    if counts.iter().fold(0, |bits, count| bits | count) > MAX_ROWS
        && let Some(&max) = counts.iter().max()
    {
        whole(state, field, max as f64)?;
    }
    Ok(())
}

/// Counts of states; `None` if the count or its state is null.
pub fn numbers(state: &str, column: &Values, states: Option<&Bitmap>) -> Result<Vec<Option<u64>>, String> {
    let floats = column.floats()?;
    let is_used = |row: usize| states.is_none_or(|states| states.get_bit(row));
    let number = |(row, number): (usize, Option<&f64>)| {
        number.filter(|_| is_used(row)).map(|number| whole(state, column.name(), *number)).transpose()
    };
    floats.iter().enumerate().map(number).collect()
}

fn whole(state: &str, field: &str, number: f64) -> Result<u64, String> {
    if (0.0..=MAX_ROWS as f64).contains(&number) {
        return Ok(number as u64);
    }
    Err(format!("state \"{state}\" contains {field} {number}, expected counts from 0 to 2^42"))
}
