//! Values as text, in messages and in casts to String, both as in Polars.

use arrow::array::{
    Array, BinaryArray, BinaryViewArray, BooleanArray, PrimitiveArray, StructArray, Utf8ViewArray,
};
use arrow::datatypes::{ArrowDataType as Dtype, Field, TimeUnit};
use arrow::temporal_conversions::{
    date32_to_date_opt, time64ns_to_time_opt, timestamp_ms_to_datetime_opt, timestamp_ns_to_datetime_opt,
    timestamp_us_to_datetime_opt,
};
use arrow::types::NativeType;
use polars::prelude::pf16;

use super::downcast::downcast;
use super::dtype;
use super::words::Words;

/// A value as in a cast to String.
pub fn cast(field: &Field, array: &dyn Array, row: usize) -> Result<String, String> {
    match array.dtype() {
        Dtype::Float64 => Ok(shortest(value::<f64>(array, row)?, 16, -5)),
        Dtype::Float32 => Ok(shortest(value::<f32>(array, row)?, 13, -6)),
        Dtype::Float16 => Ok(shortest(f32::from(value::<pf16>(array, row)?), 13, -6)),
        Dtype::Timestamp(unit, zone) => {
            let format = match unit {
                TimeUnit::Nanosecond => "%F %T%.9f",
                TimeUnit::Microsecond => "%F %T%.6f",
                TimeUnit::Second | TimeUnit::Millisecond => "%F %T%.3f",
            };
            match (zone, datetime(*unit, value(array, row)?)) {
                (None, Some(datetime)) => Ok(datetime.format(format).to_string()),
                _ => Err(format!("cannot format timezone-naive Datetime with format '{format}%:z'")),
            }
        }
        Dtype::Duration(unit) => {
            Err(format!("casting from Duration('{}') to String not supported", dtype::unit_name(*unit)))
        }
        Dtype::Time64(_) => Ok(time64ns_to_time_opt(value(array, row)?)
            .map_or_else(|| "null".into(), |time| time.format("%T").to_string())),
        Dtype::BinaryView | Dtype::LargeBinary => {
            std::str::from_utf8(bytes(array, row)?).map(str::to_string).map_err(|_| "invalid utf8".into())
        }
        _ => display(field, array, row),
    }
}

/// A value for a message; strings are unquoted.
pub fn display(field: &Field, array: &dyn Array, row: usize) -> Result<String, String> {
    if array.is_null(row) {
        return Ok("null".into());
    }
    macro_rules! plain {
        ($value:ty) => {
            Ok(value::<$value>(array, row)?.to_string())
        };
    }
    match array.dtype() {
        Dtype::Utf8View => Ok(downcast::<Utf8ViewArray>(array)?.value(row).to_string()),
        Dtype::Dictionary(..) => {
            let words = Words::new(array)?;
            Ok(words.words.value(words.codes[row] as usize).to_string())
        }
        Dtype::Boolean => Ok(downcast::<BooleanArray>(array)?.value(row).to_string()),
        Dtype::Int8 => plain!(i8),
        Dtype::Int16 => plain!(i16),
        Dtype::Int32 => plain!(i32),
        Dtype::Int64 => plain!(i64),
        Dtype::Int128 => plain!(i128),
        Dtype::UInt8 => plain!(u8),
        Dtype::UInt16 => plain!(u16),
        Dtype::UInt32 => plain!(u32),
        Dtype::UInt64 => plain!(u64),
        Dtype::UInt128 => plain!(u128),
        Dtype::Float16 => Ok(float(f64::from(value::<pf16>(array, row)?))),
        Dtype::Float32 => Ok(float(f64::from(value::<f32>(array, row)?))),
        Dtype::Float64 => Ok(float(value(array, row)?)),
        Dtype::Decimal(_, decimals) => Ok(decimal(value(array, row)?, *decimals)),
        Dtype::Date32 => Ok(or_null(date32_to_date_opt(value(array, row)?))),
        Dtype::Timestamp(unit, zone) => {
            let utc = or_null(datetime(*unit, value(array, row)?));
            Ok(if zone.is_some() { format!("{utc} UTC") } else { utc })
        }
        Dtype::Time64(_) => Ok(or_null(time64ns_to_time_opt(value(array, row)?))),
        Dtype::Duration(unit) => Ok(duration(value(array, row)?, *unit)),
        Dtype::BinaryView | Dtype::LargeBinary => Ok(binary(bytes(array, row)?)),
        Dtype::Struct(fields) => {
            let values = downcast::<StructArray>(array)?.values();
            let field_texts = fields.iter().zip(values).map(|(field, values)| {
                let text = display(field, values.as_ref(), row)?;
                Ok(if dtype::is_words(field) && values.is_valid(row) { format!("\"{text}\"") } else { text })
            });
            Ok(format!("{{{}}}", field_texts.collect::<Result<Vec<String>, String>>()?.join(",")))
        }
        _ => {
            Err(format!("\"{}\" has dtype {}, whose values have no text", field.name, dtype::display(field)))
        }
    }
}

fn value<T: NativeType>(array: &dyn Array, row: usize) -> Result<T, String> {
    Ok(downcast::<PrimitiveArray<T>>(array)?.value(row))
}

fn bytes(array: &dyn Array, row: usize) -> Result<&[u8], String> {
    match array.dtype() {
        Dtype::LargeBinary => Ok(downcast::<BinaryArray<i64>>(array)?.value(row)),
        _ => Ok(downcast::<BinaryViewArray>(array)?.value(row)),
    }
}

fn or_null(value: Option<impl std::fmt::Display>) -> String {
    value.map_or_else(|| "null".into(), |value| value.to_string())
}

/// A float with at most six decimals, and with an exponent if it is very large or very small.
fn float(value: f64) -> String {
    const LARGE: f64 = 999_999.0;
    const SMALL: f64 = 0.000_001;
    let plain = value.to_string();
    if value.fract() == 0.0 && value.abs() < LARGE {
        format!("{value:.1}")
    } else if plain.len() > 9 && !(SMALL..=LARGE).contains(&value.abs()) {
        format!("{value:.4e}")
    } else if plain.len() > 9 {
        let digits = format!("{value:.6}");
        let digits = digits.trim_end_matches('0');
        if digits.ends_with('.') { format!("{digits}0") } else { digits.to_string() }
    } else if value.fract() == 0.0 {
        format!("{value:e}")
    } else {
        plain
    }
}

/// Bytes in Python syntax, truncated.
fn binary(bytes: &[u8]) -> String {
    const MAX_BYTES: usize = 60;
    let mut text = String::from("b\"");
    for &byte in bytes.iter().take(MAX_BYTES) {
        if byte.is_ascii_alphanumeric() || byte.is_ascii_punctuation() {
            text.push(byte.into());
        } else {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text.push_str(if bytes.len() > MAX_BYTES { "\"…" } else { "\"" });
    text
}

/// The shortest digits that round-trip. An exponent is used if the decimal point is more than `max` places
/// behind the first digit, or `min` places before it.
fn shortest(value: impl std::fmt::LowerExp + std::fmt::Display, max: i32, min: i32) -> String {
    let exponential = format!("{value:e}");
    let Some((digits, exponent)) = exponential.split_once('e') else {
        return exponential;
    };
    let whole_digits = exponent.parse::<i32>().map_or(0, |exponent| exponent + 1);
    if min < whole_digits && whole_digits <= max {
        let plain = format!("{value}");
        if plain.contains('.') { plain } else { format!("{plain}.0") }
    } else if whole_digits > 0 {
        format!("{digits}e+{exponent}")
    } else {
        exponential
    }
}

fn decimal(value: i128, decimals: usize) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", value.unsigned_abs(), width = decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

fn datetime(unit: TimeUnit, value: i64) -> Option<chrono::NaiveDateTime> {
    match unit {
        TimeUnit::Nanosecond => timestamp_ns_to_datetime_opt(value),
        TimeUnit::Microsecond => timestamp_us_to_datetime_opt(value),
        TimeUnit::Second | TimeUnit::Millisecond => timestamp_ms_to_datetime_opt(value),
    }
}

/// Days, hours, minutes and seconds, each unless 0, and the rest in the largest unit that divides it.
fn duration(value: i64, unit: TimeUnit) -> String {
    let (second, units): (i64, &[&str]) = match unit {
        TimeUnit::Nanosecond => (1_000_000_000, &["ns", "µs", "ms"]),
        TimeUnit::Microsecond => (1_000_000, &["µs", "ms"]),
        TimeUnit::Second | TimeUnit::Millisecond => (1_000, &["ms"]),
    };
    let mut rest = value;
    let mut parts = Vec::new();
    for (seconds, name) in [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")] {
        let whole = rest / (seconds * second);
        rest %= seconds * second;
        if whole != 0 {
            parts.push(format!("{whole}{name}"));
        }
    }
    if rest != 0 || parts.is_empty() {
        let mut units = units.iter();
        let mut name = units.next().copied().unwrap_or_default();
        for larger in units {
            if rest == 0 || rest % 1_000 != 0 {
                break;
            }
            rest /= 1_000;
            name = larger;
        }
        parts.push(format!("{rest}{name}"));
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (float, expected) in [
            (1e-5, "0.00001"),
            (1e-6, "1e-6"),
            (1e15, "1000000000000000.0"),
            (1.5e16, "1.5e+16"),
            (-2.5e20, "-2.5e+20"),
            (0.1, "0.1"),
            (5e-324, "5e-324"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
            (-0.0, "-0.0"),
        ] {
            assert_eq!(shortest(float, 16, -5), expected);
        }
        let floats = [1e-6f32, 1e-7, 1e12, 1.5e13, 16_777_216.0];
        let expected = ["0.000001", "1e-7", "1000000000000.0", "1.5e+13", "16777216.0"];
        assert_eq!(floats.map(|value| shortest(value, 13, -6)), expected);
        assert_eq!(
            [(150, 2), (-25, 2), (-25, 0), (7, 3)].map(|(value, decimals)| decimal(value, decimals)),
            ["1.50", "-0.25", "-25", "0.007"]
        );
    }

    #[test]
    fn message_format() {
        for (value, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1e-5, "0.00001"),
            (0.1, "0.1"),
            (1.5, "1.5"),
            (123_456.789, "123456.789"),
            (1e15, "1.0000e15"),
            (1e16, "1.0000e16"),
            (1e-7, "0.0000001"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
            (0.099_975_586, "0.099976"),
            (1.0 / 3.0, "0.333333"),
            (12.000_000_000_1, "12.0"),
            (1e6, "1e6"),
        ] {
            assert_eq!(float(value), expected);
        }
        assert_eq!(binary(b"a\xff\0"), "b\"a\\xff\\x00\"");
        assert_eq!(binary(&[b'a'; 61]), format!("b\"{}\"…", "a".repeat(60)));
    }

    #[test]
    fn durations() {
        use TimeUnit::{Microsecond, Millisecond, Nanosecond};
        let day = 86_400_000_000;
        assert_eq!(duration(day + 5_000_007, Microsecond), "1d 5s 7µs");
        assert_eq!(duration(-2 * day, Microsecond), "-2d");
        assert_eq!(duration(7_000_000, Nanosecond), "7ms");
        assert_eq!(duration(7_001_000, Nanosecond), "7001µs");
        assert_eq!(
            [Nanosecond, Microsecond, Millisecond].map(|unit| duration(0, unit)),
            ["0ns", "0µs", "0ms"]
        );
    }
}
