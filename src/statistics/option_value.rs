//! The value of an option, as the user wrote it, and its Python representation.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

/// An integer with more bits is displayed by its size.
const MAX_BITS: u32 = 128;

/// Replaces a backtick in user text, which does not quote an option.
pub const LITERAL_BACKTICK: &str = "\u{1}";

/// The value of an option, as the user wrote it.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum OptionValue {
    /// The option is absent.
    #[default]
    Absent,
    /// A boolean.
    Truth(bool),
    /// An integer.
    Integer(i128),
    /// The digits of a number that exceeds both 128-bit integers and floats.
    Digits(String),
    /// A float.
    Float(f64),
    /// A word.
    Word(String),
    /// A list.
    List(Vec<OptionValue>),
    /// Options by name.
    Named(BTreeMap<String, OptionValue>),
    /// Any other value, by its Python representation.
    Other(String),
}

impl OptionValue {
    /// The value as a float; NaN if it is not a number.
    pub fn number(&self) -> f64 {
        match self {
            OptionValue::Integer(value) => *value as f64,
            OptionValue::Float(value) => *value,
            OptionValue::Digits(digits) => digits.parse().unwrap_or(f64::NAN),
            _ => f64::NAN,
        }
    }
}

impl Display for OptionValue {
    /// Formats the value in Python syntax.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValue::Absent => f.write_str("None"),
            OptionValue::Truth(value) => f.write_str(if *value { "True" } else { "False" }),
            OptionValue::Integer(value) => value.fmt(f),
            OptionValue::Digits(digits) => {
                let bits = (digits.len() as f64 * std::f64::consts::LOG2_10).ceil() as u32;
                if bits > MAX_BITS && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
                    write!(f, "an integer of {} digits", digits.trim_start_matches('-').len())
                } else {
                    f.write_str(digits)
                }
            }
            OptionValue::Float(value) if value.is_nan() => f.write_str("nan"),
            OptionValue::Float(value) => {
                let text = format!("{value:?}");
                match text.split_once('e') {
                    // Python writes exponents with a sign and at least two digits.
                    Some((digits, power)) => {
                        let (sign, power) =
                            power.strip_prefix('-').map_or(('+', power), |power| ('-', power));
                        write!(f, "{}e{sign}{power:0>2}", digits.trim_end_matches(".0"))
                    }
                    None => f.write_str(&text),
                }
            }
            OptionValue::Word(word) => {
                let word = word.escape_debug().to_string().replace("\\\"", "\"");
                write!(f, "'{}'", word.replace('`', LITERAL_BACKTICK))
            }
            OptionValue::List(values) => {
                f.write_str("[")?;
                for (index, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if index > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
            OptionValue::Named(values) => {
                f.write_str("{")?;
                for (index, (name, value)) in values.iter().enumerate() {
                    write!(f, "{}'{name}': {value}", if index > 0 { ", " } else { "" })?;
                }
                f.write_str("}")
            }
            OptionValue::Other(display) => f.write_str(&display.replace('`', LITERAL_BACKTICK)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn python_representation() {
        let word = |text: &str| OptionValue::Word(text.into());
        for (value, display) in [
            (OptionValue::Absent, "None"),
            (OptionValue::Truth(true), "True"),
            (OptionValue::Integer(-3), "-3"),
            (OptionValue::Digits("9".repeat(50)), "an integer of 50 digits"),
            (OptionValue::Float(1.0), "1.0"),
            (OptionValue::Float(1e-5), "1e-05"),
            (OptionValue::Float(1.5e300), "1.5e+300"),
            (OptionValue::Float(f64::NEG_INFINITY), "-inf"),
            (OptionValue::Float(f64::NAN), "nan"),
            (word("a \"b\""), "'a \"b\"'"),
            (OptionValue::List(vec![word("a"), OptionValue::Float(0.5)]), "['a', 0.5]"),
        ] {
            assert_eq!(value.to_string(), display);
        }
    }
}
