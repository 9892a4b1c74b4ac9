//! Weights as floats.

use arrow::bitmap::Bitmap;
use polars::prelude::*;

/// Refuses a dtype that cannot hold weights.
pub fn check(name: &str, dtype: &DataType) -> PolarsResult<()> {
    polars_ensure!(
        dtype.is_primitive_numeric() || dtype.is_decimal() || matches!(dtype, DataType::Boolean | DataType::Null),
        ComputeError: "weight \"{name}\" has dtype {dtype}, but a weight is a number: how many rows a row stands for"
    );
    Ok(())
}

/// The weights, and which of them count: those that are there and are not 0, if not all.
pub fn values(weights: &Series) -> PolarsResult<(Series, Option<Bitmap>)> {
    check(weights.name(), weights.dtype())?;
    let weights = weights.cast(&DataType::Float64)?.rechunk();
    let column = weights.f64()?;
    let array = column.downcast_as_array();
    let values = array.values().as_slice();
    let counts = |weight: &f64| 0.0 < *weight && *weight < f64::INFINITY;
    if values.iter().all(counts) {
        let there = array.validity().cloned();
        return Ok((weights, there));
    }
    // A value under a null may be anything: only those that are there are wrong or 0.
    let wrong = array.iter().flatten().find(|weight| !counts(weight) && **weight != 0.0);
    if let Some(wrong) = wrong {
        polars_bail!(ComputeError:
            "weight \"{}\" holds {wrong:?}, but a weight is finite and not negative: how many rows a row stands for",
            weights.name());
    }
    let counted = array.iter().map(|weight| weight.is_some_and(|weight| *weight > 0.0)).collect();
    Ok((weights, Some(counted)))
}
