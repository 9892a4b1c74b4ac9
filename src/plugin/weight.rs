//! Weights as floats.

use arrow::bitmap::Bitmap;
use polars::prelude::*;
use pyo3_polars::export::polars_core::runtime::RAYON;
use rayon::prelude::*;

/// A sum of larger weights could leave the range of floats.
const MOST: f64 = 1e290;

/// Weights that one task checks.
const TASK_ROWS: usize = 1 << 16;

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
    let counts = |weight: &f64| (0.0 < *weight) & (*weight <= MOST);
    // Without a way out in the middle, and by all threads: the check of very many weights would else be felt.
    let all_count = |weights: &[f64]| weights.iter().fold(true, |all, weight| all & counts(weight));
    let fine = if values.len() < TASK_ROWS {
        all_count(values)
    } else {
        RAYON.install(|| values.par_chunks(TASK_ROWS).all(all_count))
    };
    if fine {
        let there = array.validity().cloned();
        return Ok((weights, there));
    }
    // A value under a null may be anything: only those that are there are wrong or 0.
    let wrong = array.iter().flatten().find(|weight| !counts(weight) && **weight != 0.0);
    if let Some(wrong) = wrong {
        polars_bail!(ComputeError:
            "weight \"{}\" holds {wrong:?}, but a weight is finite and not negative, and at most {MOST:e}: how many rows a row stands for",
            weights.name());
    }
    let counted = array.iter().map(|weight| weight.is_some_and(|weight| *weight > 0.0)).collect();
    Ok((weights, Some(counted)))
}
