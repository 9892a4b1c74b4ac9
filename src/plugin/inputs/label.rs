//! Labels, and other boolean columns, as bits.

use std::cmp::Ordering;

use arrow::array::{BooleanArray, PrimitiveArray};
use arrow::bitmap::Bitmap;
use arrow::datatypes::{ArrowDataType as Dtype, Field};
use polars::prelude::pf16;

use crate::plugin::arrays::{downcast::downcast, dtype, values::Values};
use crate::statistics::options::per_front_end;

/// A label with more distinct values is probably a score.
const MAX_VALUES: usize = 10;

/// The error for an invalid label, with a comparison as the hint.
fn refused(role: &str, name: &str, got: &str, python: &str, sql: &str) -> String {
    let (meant, order) =
        if role == "label" { ("positive class", "label, score") } else { (role, "label, score, ...") };
    let python = format!("{python}; the order of arguments is ({order})");
    format!("{}. Hint: name the {meant}: {}", expected(role, name, got), per_front_end(python, sql))
}

/// The actual and the valid values of a label.
fn expected(role: &str, name: &str, got: &str) -> String {
    format!("{role} \"{name}\" {got}, expected Booleans, or integers or floats that are all 0 or 1")
}

/// The distinct values in order with their numbers of rows, at most [`MAX_VALUES`] + 1.
fn counted<T: PartialEq + ToString>(values: impl Iterator<Item = T>) -> Vec<(String, usize)> {
    let mut counts: Vec<(T, usize)> = Vec::new();
    for value in values {
        match counts.iter_mut().find(|(one, _)| *one == value) {
            Some((_, rows)) => *rows += 1,
            None => counts.push((value, 1)),
        }
        if counts.len() > MAX_VALUES {
            break;
        }
    }
    in_order(counts.into_iter().map(|(value, rows)| (value.to_string(), rows)).collect())
}

/// Sorts texts of numbers by number, without NaN. Numbers that are equal as floats keep their order.
fn in_order(counts: Vec<(String, usize)>) -> Vec<(String, usize)> {
    let number = |text: &str| text.parse().unwrap_or(f64::NAN);
    let mut counts: Vec<_> = counts.into_iter().map(|count| (number(&count.0), count)).collect();
    counts.retain(|(number, _)| !number.is_nan());
    counts.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    counts.into_iter().map(|(_, count)| count).collect()
}

/// The error for a numeric label with values other than 0 and 1. The hint has both comparisons, since either
/// value may be the positive one. In all hints, rows with a null or NaN label belong to neither class.
fn other_values(role: &str, name: &str, wrong: &str, values: &[(String, usize)], is_float: bool) -> String {
    let got = format!("contains {wrong}");
    let is_a_score =
        values.len() > MAX_VALUES || values.iter().any(|(value, _)| value.parse::<i128>().is_err());
    if role == "label" && is_a_score {
        let swapped = per_front_end(
            "it looks like a score; the order of arguments is (label, score)",
            "it looks like a score; check --label and --score",
        );
        return format!("{}. Hint: {swapped}", expected(role, name, &got));
    }
    let listed = values.iter().map(|(value, _)| value.as_str()).collect::<Vec<_>>().join(", ");
    let column = if is_float { ".fill_nan(None)" } else { "" };
    let python = |value: &str| format!("pl.col(\"{name}\"){column} == {value}");
    let sql = |value: &str| {
        let negative = match values {
            [(one, _), (other, _)] => format!("= {}", if value == one { other } else { one }),
            _ => format!("IN ({listed})"),
        };
        format!("--{role} \"CASE WHEN {name} = {value} THEN TRUE WHEN {name} {negative} THEN FALSE END\"")
    };
    let words = |write: &dyn Fn(&str) -> String| match values {
        [(one, _)] => write(one),
        [(one, rows), (other, others)] => {
            let which = match rows.cmp(others) {
                Ordering::Less => format!(" ({one} is the rarer)"),
                Ordering::Equal => String::new(),
                Ordering::Greater => format!(" ({other} is the rarer)"),
            };
            format!("{} or {}{which}", write(one), write(other))
        }
        _ => format!("{} with one of {listed}", write("...")),
    };
    refused(role, name, &got, &words(&python), &words(&sql))
}

/// The error for a label with NaN. The hint excludes such rows, which a comparison would turn into negatives.
fn not_a_number(role: &str, name: &str) -> String {
    // In SQL NaN compares above every number.
    let hint =
        per_front_end(format!("pl.col(\"{name}\").fill_nan(None)"), format!("--where \"{name} <= 1\""));
    format!("{}. Hint: to leave out such rows, write {hint}", expected(role, name, "contains NaN"))
}

/// Rejects a dtype that cannot contain labels.
pub fn check(role: &str, name: &str, item: &Field) -> Result<(), String> {
    if dtype::is_number(item) || matches!(item.dtype(), Dtype::Boolean | Dtype::Null) {
        return Ok(());
    }
    Err(other_dtype(role, name, item))
}

/// The error for a label of another dtype.
fn other_dtype(role: &str, name: &str, item: &Field) -> String {
    let got = format!("has dtype {}", dtype::display(item));
    // The words are unknown before rows are read. Words other than the two, such as NA, are an error in
    // Python, and null in SQL.
    let python = if dtype::is_words(item) {
        format!(
            "pl.col(\"{name}\").replace_strict({{\"...\": True, \"...\": False}}, return_dtype=pl.Boolean), with \
             the values of pl.col(\"{name}\").unique()"
        )
    } else {
        format!("pl.col(\"{name}\") == ...")
    };
    let sql = format!("--{role} \"CASE WHEN {name} = '...' THEN TRUE WHEN {name} = '...' THEN FALSE END\"");
    refused(role, name, &got, &python, &sql)
}

/// The labels as bits, and their validity.
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
                        // Values under a null are unspecified, so a second pass skips the nulls.
                        let present = || array.iter().flatten();
                        if let Some(wrong) = present().find(|value| !one_or_zero(value)) {
                            let wrong = wrong.to_string();
                            return Err(if wrong == "NaN" {
                                not_a_number(role, labels.name())
                            } else {
                                {
                                    let is_float = matches!(array.dtype(), Dtype::Float16 | Dtype::Float32 | Dtype::Float64);
                                    other_values(role, labels.name(), &wrong, &counted(present().copied()), is_float)
                                }
                            });
                        }
                    }
                    Ok((values.iter().map(|value| *value == $one).collect(), array.validity().cloned()))
                })*
                _ => Err(other_dtype(role, labels.name(), &labels.field)),
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
