//! Labels, and other columns of truth values, as bits.

use arrow::array::{BooleanArray, PrimitiveArray};
use arrow::bitmap::Bitmap;
use arrow::datatypes::{ArrowDataType as Dtype, Field};
use polars::prelude::pf16;

use crate::plugin::arrays::{downcast::downcast, dtype, values::Values};
use crate::statistics::options::either;

/// A positive class that is a word, in SQL.
const WORDS_IN_SQL: &str = "outcome = 'bad'";

/// Says what a label may be, and how to write one that is something else: equal to a value, in Python and in SQL.
fn refused(role: &str, name: &str, got: String, (python, sql): (&str, &str)) -> String {
    let (meant, order) =
        if role == "label" { ("positive class", "label, score") } else { (role, "label, score, ...") };
    let python = format!(" instead: pl.col(\"{name}\") == {python}; arguments come as ({order})");
    let instead = either(python, format!(", as in --{role} \"{sql}\""));
    format!(
        "{role} \"{name}\" {got}, but a {role} is Boolean, or an integer or float column that holds only 0 and 1. \
         Name the {meant}{instead}"
    )
}

/// Says how to leave out rows whose label is NaN: a comparison would make them negatives.
fn not_a_number(role: &str, name: &str) -> String {
    // In SQL NaN compares as larger than every number.
    let instead =
        either(format!("write pl.col(\"{name}\").fill_nan(None)"), format!("write --where \"{name} <= 1\""));
    format!(
        "{role} \"{name}\" holds NaN, which says nothing of a row, but a {role} is Boolean, or an integer or float \
         column that holds only 0 and 1. To leave such rows out, {instead}"
    )
}

/// Refuses a dtype that cannot hold labels.
pub fn check(role: &str, name: &str, item: &Field) -> Result<(), String> {
    if dtype::is_number(item) || matches!(item.dtype(), Dtype::Boolean | Dtype::Null) {
        return Ok(());
    }
    let got = format!("has dtype {}", dtype::shown(item));
    if !dtype::is_words(item) {
        return Err(refused(role, name, got, ("...", WORDS_IN_SQL)));
    }
    // Which words there are is known only when rows are read.
    let python = format!("\"...\", with one of the values of pl.col(\"{name}\").unique()");
    Err(refused(role, name, got, (&python, WORDS_IN_SQL)))
}

/// The labels' truth values, and which of them are there.
pub fn bits(role: &str, labels: &Values) -> Result<(Bitmap, Option<Bitmap>), String> {
    check(role, labels.name(), &labels.field)?;
    let array = labels.array.as_ref();
    macro_rules! by_dtype {
        ($($dtype:ident => $label:ty: $zero:expr, $one:expr;)*) => {
            match array.dtype() {
                Dtype::Null => {
                    let none = Bitmap::new_zeroed(array.len());
                    Ok((none.clone(), Some(none)))
                }
                Dtype::Boolean => {
                    let truths = downcast::<BooleanArray>(array)?;
                    Ok((truths.values().clone(), truths.validity().cloned()))
                }
                $(Dtype::$dtype => {
                    let array = downcast::<PrimitiveArray<$label>>(array)?;
                    let values = array.values().as_slice();
                    let one_or_zero = |value: &$label| *value == $one || *value == $zero;
                    if !values.iter().all(one_or_zero) {
                        // A value under a null may be anything, so a second look leaves out the nulls.
                        let wrong = array.iter().flatten().find(|value| !one_or_zero(value));
                        if let Some(wrong) = wrong {
                            let wrong = wrong.to_string();
                            return Err(if wrong == "NaN" {
                                not_a_number(role, labels.name())
                            } else {
                                let sql = format!("{} = {wrong}", labels.name());
                                refused(role, labels.name(), format!("holds {wrong}"), ("...", &sql))
                            });
                        }
                    }
                    Ok((values.iter().map(|value| *value == $one).collect(), array.validity().cloned()))
                })*
                _ => Err(refused(role, labels.name(), format!("has dtype {}", dtype::shown(&labels.field)), ("...", WORDS_IN_SQL))),
            }
        };
    }
    by_dtype! {
        Int8 => i8: 0, 1;
        Int16 => i16: 0, 1;
        Int32 => i32: 0, 1;
        Int64 => i64: 0, 1;
        Int128 => i128: 0, 1;
        UInt8 => u8: 0, 1;
        UInt16 => u16: 0, 1;
        UInt32 => u32: 0, 1;
        UInt64 => u64: 0, 1;
        UInt128 => u128: 0, 1;
        Float16 => pf16: pf16::from(false), pf16::from(true);
        Float32 => f32: 0.0, 1.0;
        Float64 => f64: 0.0, 1.0;
    }
}
