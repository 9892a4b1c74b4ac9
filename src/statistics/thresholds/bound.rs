//! A threshold as a user writes it: a number that need not fit a float.

use crate::ranking::scores::Number;

/// A threshold as a user writes it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Bound {
    /// A float.
    Float(f64),
    /// A whole number in digits, of any size.
    Integer(String),
    /// A decimal fraction in digits.
    Decimal(String),
}

impl Bound {
    /// The number, or what is wrong with it.
    pub fn number(&self) -> Result<Number, String> {
        match self {
            Bound::Float(number) if !number.is_nan() => Ok(Number::Float(*number)),
            Bound::Float(number) => Err(format!("a threshold must be a number, got {number}")),
            Bound::Integer(digits) | Bound::Decimal(digits) => {
                Number::of_digits(digits).ok_or_else(|| format!("a threshold must be a number, got {digits}"))
            }
        }
    }
}
