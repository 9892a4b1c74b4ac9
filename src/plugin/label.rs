//! Labels, and other columns of truth values, as bits.

use arrow::bitmap::Bitmap;
use polars::prelude::*;

/// Says what a label may be, and how to write one that is something else.
fn refused(role: &str, name: &str, got: String, example: &str) -> PolarsError {
    let (meant, order) =
        if role == "label" { ("positive class", "label, score") } else { (role, "label, score, ...") };
    polars_err!(ComputeError:
        "{role} \"{name}\" {got}, but a {role} is Boolean, or an integer or float column that holds only 0 and 1. \
         Name the {meant} instead: pl.col(\"{name}\") == {example}; arguments come as ({order})")
}

/// Refuses a dtype that cannot hold labels.
pub fn check(role: &str, name: &str, dtype: &DataType) -> PolarsResult<()> {
    match dtype {
        DataType::Boolean | DataType::Null => Ok(()),
        dtype if dtype.is_integer() || dtype.is_float() => Ok(()),
        dtype => {
            let example = if dtype.is_string() || dtype.is_categorical() || dtype.is_enum() {
                "\"bad\""
            } else {
                "..."
            };
            Err(refused(role, name, format!("has dtype {dtype}"), example))
        }
    }
}

/// The labels' truth values, and which of them are there.
pub fn bits(role: &str, labels: &Series) -> PolarsResult<(Bitmap, Option<Bitmap>)> {
    check(role, labels.name(), labels.dtype())?;
    let labels = match labels.dtype() {
        DataType::Null => labels.cast(&DataType::Boolean)?,
        DataType::Float16 => labels.cast(&DataType::Float32)?,
        _ => labels.clone(),
    };
    if let Ok(labels) = labels.bool() {
        let labels = labels.rechunk();
        let array = labels.downcast_as_array();
        return Ok((array.values().clone(), array.validity().cloned()));
    }
    macro_rules! by_dtype {
        ($($dtype:ident $physical:ident: $zero:literal, $one:literal;)*) => {
            match labels.dtype() {
                $(DataType::$dtype => {
                    let column = labels.$physical()?.rechunk();
                    let array = column.downcast_as_array();
                    let values = array.values().as_slice();
                    let one_or_zero = |value: &_| *value == $one || *value == $zero;
                    if !values.iter().all(one_or_zero) {
                        // A value under a null may be anything: look again, at those that are there.
                        let wrong = array.iter().flatten().find(|value| !one_or_zero(value));
                        if let Some(wrong) = wrong {
                            return Err(refused(role, labels.name(), format!("holds {wrong}"), "..."));
                        }
                    }
                    Ok((values.iter().map(|value| *value == $one).collect(), array.validity().cloned()))
                })*
                dtype => Err(refused(role, labels.name(), format!("has dtype {dtype}"), "...")),
            }
        };
    }
    by_dtype! {
        Int8 i8: 0, 1;
        Int16 i16: 0, 1;
        Int32 i32: 0, 1;
        Int64 i64: 0, 1;
        Int128 i128: 0, 1;
        UInt8 u8: 0, 1;
        UInt16 u16: 0, 1;
        UInt32 u32: 0, 1;
        UInt64 u64: 0, 1;
        UInt128 u128: 0, 1;
        Float32 f32: 0.0, 1.0;
        Float64 f64: 0.0, 1.0;
    }
}
