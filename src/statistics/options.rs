//! Options of a statistic: their validation and errors.
//!
//! [`FromOptions`] parses the [`Options`] of a statistic, and validates their values and combinations. An
//! [`OptionError`] is a value; each front end renders it.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::ops::RangeInclusive;

use crate::ranking::scores::Number;
pub use crate::statistics::option_value::{LITERAL_BACKTICK, OptionValue};

/// Delimiters of a part of a text that differs between Python and a shell: start, separator and end.
pub const FRONT_END_MARKS: [char; 3] = ['\u{2}', '\u{1f}', '\u{3}'];

/// A placeholder in a text for the name of a score column, by its index: a character for private use.
pub fn score_name(index: usize) -> char {
    char::from_u32(0xF_0000 + index as u32).unwrap_or_default()
}

/// A part of a text that differs between Python and a shell.
pub fn per_front_end(python: impl Display, shell: impl Display) -> String {
    let [begin, between, end] = FRONT_END_MARKS;
    format!("{begin}{python}{between}{shell}{end}")
}

/// An invalid option.
///
/// Texts quote options in backticks: `` `level` ``, or with a value `` `method="bootstrap"` ``. Python
/// renders `method="bootstrap"`, and a shell `--method bootstrap`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OptionError {
    /// The name of the option; empty if the reason contains the names.
    pub option: String,
    /// The reason.
    pub reason: String,
    /// The hint: the suggested replacement.
    pub hint: Option<String>,
}

impl OptionError {
    /// An error for an option, with the reason.
    pub fn new(option: &str, reason: impl Into<String>) -> Self {
        OptionError { option: option.into(), reason: reason.into(), hint: None }
    }

    /// Adds a hint.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        OptionError { hint: Some(hint.into()), ..self }
    }
}

impl Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.option.is_empty() {
            write!(f, "`{}` ", self.option)?;
        }
        f.write_str(&self.reason)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, ". Hint: {hint}"))
    }
}

impl From<String> for OptionError {
    fn from(reason: String) -> Self {
        OptionError::new("", reason)
    }
}

impl From<&str> for OptionError {
    fn from(reason: &str) -> Self {
        OptionError::new("", reason)
    }
}

impl From<OptionError> for String {
    fn from(error: OptionError) -> Self {
        error.to_string()
    }
}

/// An option with a fixed set of words.
pub trait Word: Copy + PartialEq + 'static {
    /// The words, in display order, with their values. The first of several words with one value is its name.
    const WORDS: &'static [(&'static str, Self)];

    /// The name of the value.
    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, value)| *value == self).map_or("", |(word, _)| word)
    }
}

/// Declares the words of an option.
macro_rules! words {
    ($name:ident { $($word:literal => $variant:ident),* $(,)? }) => {
        impl $crate::statistics::options::Word for $name {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, $name::$variant)),*];
        }
    };
}
pub(crate) use words;

/// A statistic, or a part of its options, that is constructed from user options.
pub trait FromOptions: Sized {
    /// The statistic with these options; an error names an invalid option.
    fn from_options(options: &Options) -> Result<Self, OptionError>;
}

/// Declares how each option of a statistic is read:
/// `from_options!(|options| Name { level: options.level()? })`. A function before the first bar first checks
/// the combination of options.
macro_rules! from_options {
    ($($check:path,)? |$options:pat_param| $name:ident { $($field:ident: $value:expr),* $(,)? }) => {
        impl $crate::statistics::options::FromOptions for $name {
            fn from_options(
                options: &$crate::statistics::options::Options,
            ) -> Result<Self, $crate::statistics::options::OptionError> {
                $($check(options)?;)?
                let $options = options;
                Ok($name { $($field: $value),* })
            }
        }
    };
}
pub(crate) use from_options;

/// The options of a call, and the roles of its other columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The options by name.
    pub values: BTreeMap<String, OptionValue>,
    /// The roles of the columns in the call, such as `weight`.
    pub columns: Vec<String>,
}

static ABSENT: OptionValue = OptionValue::Absent;

impl Options {
    /// The nested options with this name.
    pub fn within(&self, name: &str) -> Options {
        let values = match self.value(name) {
            OptionValue::Named(values) => values.clone(),
            _ => BTreeMap::new(),
        };
        Options { values, columns: self.columns.clone() }
    }

    /// Whether a column has this role.
    pub fn has_column(&self, role: &str) -> bool {
        self.columns.iter().any(|column| column == role)
    }

    /// The value of an option.
    pub fn value(&self, name: &str) -> &OptionValue {
        self.values.get(name).unwrap_or(&ABSENT)
    }

    /// Whether an option is present.
    pub fn has(&self, name: &str) -> bool {
        *self.value(name) != OptionValue::Absent
    }

    /// An error with the expected value of an option.
    pub fn must_be(&self, name: &str, expected: impl Display) -> OptionError {
        OptionError::new(name, format!("must {expected}, got {}", self.value(name)))
    }

    /// A word option.
    pub fn word<W: Word>(&self, name: &str) -> Result<W, OptionError> {
        self.word_or(name, "")?
            .ok_or_else(|| self.must_be(name, format_args!("be one of {}", allowed::<W>(""))))
    }

    /// An optional word.
    pub fn optional_word<W: Word>(&self, name: &str) -> Result<Option<W>, OptionError> {
        // In a shell, None means that the option is absent.
        self.word_or(name, &per_front_end(", None", ""))
    }

    fn word_or<W: Word>(&self, name: &str, none: &str) -> Result<Option<W>, OptionError> {
        let refused = || self.must_be(name, format_args!("be one of {}", allowed::<W>(none)));
        match self.value(name) {
            OptionValue::Absent => Ok(None),
            OptionValue::Word(written) => {
                let known = W::WORDS.iter().find(|(word, _)| word == written);
                known.map(|(_, value)| Some(*value)).ok_or_else(refused)
            }
            _ => Err(refused()),
        }
    }

    /// A boolean option.
    pub fn flag(&self, name: &str) -> Result<bool, OptionError> {
        match self.value(name) {
            OptionValue::Truth(value) => Ok(*value),
            _ => Err(self.must_be(name, "be True or False")),
        }
    }

    /// A number in the open interval from 0 to 1, such as a coverage.
    pub fn between_0_and_1(&self, name: &str) -> Result<f64, OptionError> {
        let number = self.value(name).number();
        if 0.0 < number && number < 1.0 {
            return Ok(number);
        }
        Err(self.must_be(name, "lie between 0 and 1, such as 0.95"))
    }

    /// The coverage of an interval.
    pub fn level(&self) -> Result<f64, OptionError> {
        self.between_0_and_1("level")
    }

    /// A number from 0 to 1.
    pub fn rate(&self, name: &str) -> Result<f64, OptionError> {
        rate(self.value(name)).ok_or_else(|| self.must_be(name, "lie between 0 and 1"))
    }

    /// An optional number from 0 to 1.
    pub fn optional_rate(&self, name: &str) -> Result<Option<f64>, OptionError> {
        if self.has(name) { self.rate(name).map(Some) } else { Ok(None) }
    }

    /// A list of numbers from 0 to 1.
    pub fn rates(&self, name: &str) -> Result<Vec<f64>, OptionError> {
        let values = self.list(name)?;
        let wrong = |value| OptionError::new(name, format!("must lie between 0 and 1, got {value}"));
        values.iter().map(|value| rate(value).ok_or_else(|| wrong(value))).collect()
    }

    /// The values of a list.
    pub fn list(&self, name: &str) -> Result<&[OptionValue], OptionError> {
        match self.value(name) {
            OptionValue::List(values) => Ok(values),
            _ => Err(self.must_be(name, "be a list of numbers, such as [0.05, 0.1]")),
        }
    }

    /// Bounds of the rate `what`, from the options `min_what` and `max_what`, if any.
    pub fn bounds(&self, what: &str) -> Result<Option<(f64, f64)>, OptionError> {
        let names = [format!("min_{what}"), format!("max_{what}")];
        if !names.iter().any(|name| self.has(name)) {
            return Ok(None);
        }
        let low = self.optional_rate(&names[0])?.unwrap_or(0.0);
        let high = self.optional_rate(&names[1])?.unwrap_or(1.0);
        if low < high {
            return Ok(Some((low, high)));
        }
        let (min, max) = (self.value(&names[0]), self.value(&names[1]));
        Err(OptionError::new(&names[0], format!("must be below `{}`, got {min} and {max}", names[1])))
    }

    /// An integer in a range.
    pub fn integer<T: TryFrom<i128>>(
        &self,
        name: &str,
        range: RangeInclusive<i128>,
    ) -> Result<T, OptionError> {
        let integer = match self.value(name) {
            OptionValue::Integer(value) if range.contains(value) => T::try_from(*value).ok(),
            _ => None,
        };
        let expected = || format!("be an integer from {} to {}", range.start(), range.end());
        integer.ok_or_else(|| self.must_be(name, expected()))
    }

    /// An optional integer in a range.
    pub fn optional_integer<T: TryFrom<i128>>(
        &self,
        name: &str,
        range: RangeInclusive<i128>,
    ) -> Result<Option<T>, OptionError> {
        if self.has(name) { self.integer(name, range).map(Some) } else { Ok(None) }
    }

    /// A positive number, with an upper limit against typing errors.
    pub fn above_0(&self, name: &str, max: f64) -> Result<f64, OptionError> {
        let (number, min) = (self.value(name).number(), 1.0 / max);
        if (min..=max).contains(&number) {
            return Ok(number);
        }
        Err(self.must_be(name, format_args!("be a number above 0, from {min:e} to {max:e}")))
    }

    /// A number with all of its digits, such as a threshold.
    pub fn threshold(&self, name: &str) -> Result<Number, OptionError> {
        threshold(self.value(name)).ok_or_else(|| self.must_be(name, "be a number"))
    }

    /// A list of such numbers.
    pub fn thresholds(&self, name: &str) -> Result<Vec<Number>, OptionError> {
        let wrong = |value| OptionError::new(name, format!("must be a number, got {value}"));
        self.list(name)?.iter().map(|value| threshold(value).ok_or_else(|| wrong(value))).collect()
    }
}

fn allowed<W: Word>(none: &str) -> String {
    let mut seen: Vec<(W, &str)> = Vec::new();
    for &(word, value) in W::WORDS {
        if !seen.iter().any(|(other, _)| *other == value) {
            seen.push((value, word));
        }
    }
    seen.iter().map(|(_, word)| format!("'{word}'")).collect::<Vec<_>>().join(", ") + none
}

fn rate(value: &OptionValue) -> Option<f64> {
    Some(value.number()).filter(|number| (0.0..=1.0).contains(number))
}

fn threshold(value: &OptionValue) -> Option<Number> {
    match value {
        OptionValue::Integer(value) => Some(Number::Integer(*value)),
        OptionValue::Digits(digits) => Number::from_digits(digits),
        OptionValue::Float(value) if value.fract() == 0.0 => Number::from_digits(&format!("{value:.0}")),
        OptionValue::Float(value) if !value.is_nan() => Some(Number::Float(*value)),
        _ => None,
    }
}

#[cfg(test)]
pub(in crate::statistics) mod tests {
    use super::*;

    /// Options with these names and values.
    pub fn options<const N: usize>(values: [(&str, OptionValue); N]) -> Options {
        Options { values: values.map(|(name, value)| (name.into(), value)).into(), columns: Vec::new() }
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Side {
        Left,
        Right,
    }
    words!(Side { "left" => Left, "right" => Right, "l" => Left });

    #[test]
    fn thresholds_keep_their_digits() {
        let digits = OptionValue::Digits("0.1".into());
        for (value, number) in [
            (OptionValue::Integer(1 << 100), Number::Integer(1 << 100)),
            (OptionValue::Float(-2.0), Number::Integer(-2)),
            (OptionValue::Float(0.5), Number::Float(0.5)),
            (OptionValue::Float(f64::INFINITY), Number::Float(f64::INFINITY)),
            (digits, Number::Decimal { digits: 1, decimals: 1 }),
        ] {
            assert_eq!(options([("at", value.clone())]).threshold("at"), Ok(number));
            assert_eq!(options([("at", OptionValue::List(vec![value]))]).thresholds("at"), Ok(vec![number]));
        }
        for wrong in [OptionValue::Absent, OptionValue::Truth(true), OptionValue::Float(f64::NAN)] {
            assert!(options([("at", wrong.clone())]).threshold("at").is_err());
            let error =
                options([("at", OptionValue::List(vec![wrong.clone()]))]).thresholds("at").unwrap_err();
            assert_eq!(error.to_string(), format!("`at` must be a number, got {wrong}"));
        }
    }

    #[test]
    fn validation() {
        let word = |text: &str| OptionValue::Word(text.into());
        let all = options([
            ("side", word("l")),
            ("other", word("up")),
            ("level", OptionValue::Integer(1)),
            ("n", OptionValue::Integer(7)),
            ("flag", OptionValue::Integer(1)),
            ("min_fpr", OptionValue::Float(0.5)),
            ("max_fpr", OptionValue::Float(0.25)),
            ("min_tpr", OptionValue::Float(0.25)),
        ]);
        assert_eq!(all.word("side"), Ok(Side::Left));
        assert_eq!(all.optional_word::<Side>("none"), Ok(None));
        let reason = |error: OptionError| error.to_string();
        assert_eq!(
            reason(all.word::<Side>("other").unwrap_err()),
            "`other` must be one of 'left', 'right', got 'up'"
        );
        assert_eq!(
            reason(all.optional_word::<Side>("other").unwrap_err()),
            "`other` must be one of 'left', 'right'\u{2}, None\u{1f}\u{3}, got 'up'"
        );
        assert_eq!(
            reason(all.word::<Side>("none").unwrap_err()),
            "`none` must be one of 'left', 'right', got None"
        );
        assert_eq!(reason(all.level().unwrap_err()), "`level` must lie between 0 and 1, such as 0.95, got 1");
        assert_eq!(all.integer::<u32>("n", 2..=7), Ok(7));
        assert_eq!(
            reason(all.integer::<u32>("n", 2..=6).unwrap_err()),
            "`n` must be an integer from 2 to 6, got 7"
        );
        assert_eq!(reason(all.flag("flag").unwrap_err()), "`flag` must be True or False, got 1");
        assert_eq!(
            reason(all.bounds("fpr").unwrap_err()),
            "`min_fpr` must be below `max_fpr`, got 0.5 and 0.25"
        );
        assert_eq!(all.bounds("tpr"), Ok(Some((0.25, 1.0))));
        assert!(all.list("n").is_err(), "a number is no list");
        assert_eq!(
            reason(all.above_0("none", 1e9).unwrap_err()),
            "`none` must be a number above 0, from 1e-9 to 1e9, got None"
        );
        assert_eq!(Side::Right.word(), "right");
        assert_eq!(
            reason(OptionError::new("a", "is wrong").hint("write `b=1`")),
            "`a` is wrong. Hint: write `b=1`"
        );
    }
}
