//! Weights as floats.

use arrow::array::PrimitiveArray;
use arrow::bitmap::Bitmap;
use arrow::datatypes::Field;
use polars_core::runtime::RAYON;
use rayon::prelude::*;

use crate::plugin::arrays::{dtype, values::Values};
use crate::statistics::options::per_front_end;

/// A sum of larger weights could leave the range of floats.
const MOST: f64 = 1e290;

/// Weights that one task checks.
const TASK_ROWS: usize = 1 << 16;

/// Refuses a dtype that cannot hold weights.
pub fn check(name: &str, item: &Field) -> Result<(), String> {
    if dtype::is_numeric(item) {
        return Ok(());
    }
    let hint = if dtype::is_words(item) && !dtype::is_coded(item) {
        per_front_end(
            format!(". Hint: if it holds numbers, write pl.col(\"{name}\").cast(pl.Float64, strict=False)"),
            format!(". Hint: to read other texts as missing, write --weight \"TRY_CAST({name} AS DOUBLE)\""),
        )
    } else {
        String::new()
    };
    Err(format!("weight \"{name}\" has dtype {}, expected numbers{hint}", dtype::display(item)))
}

/// The weights, and which of them count: those that are neither null nor 0, if not all.
pub fn values(weights: &Values) -> Result<(PrimitiveArray<f64>, Option<Bitmap>), String> {
    check(weights.name(), &weights.field)?;
    let array = weights.floats()?;
    let values = array.values().as_slice();
    let counts = |weight: &f64| (0.0 < *weight) & (*weight <= MOST);
    // The loop has no early exit, and all threads share it, so that checking very many weights takes little time.
    let all_count = |weights: &[f64]| weights.iter().fold(true, |all, weight| all & counts(weight));
    let fine = if values.len() < TASK_ROWS {
        all_count(values)
    } else {
        RAYON.install(|| values.par_chunks(TASK_ROWS).all(all_count))
    };
    if fine {
        let validity = array.validity().cloned();
        return Ok((array, validity));
    }
    // A value under a null may be anything, so only the other values can be wrong or 0.
    let wrong = array.iter().flatten().find(|weight| !counts(weight) && **weight != 0.0);
    if let Some(wrong) = wrong {
        return Err(format!(
            "weight \"{}\" holds {wrong:?}, expected numbers from 0 to {MOST:e}",
            weights.name()
        ));
    }
    let used = array.iter().map(|weight| weight.is_some_and(|weight| *weight > 0.0)).collect();
    Ok((array, Some(used)))
}
