//! Weights as floats.

use arrow::array::PrimitiveArray;
use arrow::bitmap::Bitmap;
use arrow::datatypes::Field;
use polars_core::runtime::RAYON;
use rayon::prelude::*;

use crate::plugin::arrays::{dtype, values::Values};
use crate::statistics::options::per_front_end;

/// The maximum weight: a sum of larger ones could exceed the range of floats.
const MAX: f64 = 1e290;

/// The number of weights that one task checks.
const TASK_ROWS: usize = 1 << 16;

/// Rejects a dtype that cannot contain weights.
pub fn check(name: &str, item: &Field) -> Result<(), String> {
    if dtype::is_numeric(item) {
        return Ok(());
    }
    let hint = if dtype::is_words(item) && !dtype::is_coded(item) {
        per_front_end(
            format!(
                ". Hint: if it contains numbers, write pl.col(\"{name}\").cast(pl.Float64, strict=False)"
            ),
            format!(". Hint: to read other texts as missing, write --weight \"TRY_CAST({name} AS DOUBLE)\""),
        )
    } else {
        String::new()
    };
    Err(format!("weight \"{name}\" has dtype {}, expected numbers{hint}", dtype::display(item)))
}

/// The weights, and the mask of rows in use (neither null nor 0), if not all are.
pub fn values(weights: &Values) -> Result<(PrimitiveArray<f64>, Option<Bitmap>), String> {
    check(weights.name(), &weights.field)?;
    let array = weights.floats()?;
    let values = array.values().as_slice();
    let counts = |weight: &f64| (0.0 < *weight) & (*weight <= MAX);
    // The loop has no early exit and runs on all threads, so that very many weights are checked quickly.
    let all_count = |weights: &[f64]| weights.iter().fold(true, |all, weight| all & counts(weight));
    let all_valid = if values.len() < TASK_ROWS {
        all_count(values)
    } else {
        RAYON.install(|| values.par_chunks(TASK_ROWS).all(all_count))
    };
    if all_valid {
        let validity = array.validity().cloned();
        return Ok((array, validity));
    }
    // Values under a null are unspecified, so only the other values can be invalid or 0.
    let wrong = array.iter().flatten().find(|weight| !counts(weight) && **weight != 0.0);
    if let Some(wrong) = wrong {
        return Err(format!(
            "weight \"{}\" contains {wrong:?}, expected numbers from 0 to {MAX:e}",
            weights.name()
        ));
    }
    let used = array.iter().map(|weight| weight.is_some_and(|weight| *weight > 0.0)).collect();
    Ok((array, Some(used)))
}
