//! The pickled keyword arguments of a call.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use serde_pickle::{DeOptions, HashableValue, Value};

use crate::front_end::FrontEnd;
use crate::statistics::options::{FromOptions, OptionValue, Options};

/// The keyword arguments of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keywords {
    /// The options of the call.
    pub options: Options,
    /// The roles of the columns, in order.
    pub roles: Roles,
    /// The name of the public function, if it called several expressions.
    pub called: Option<String>,
    /// The front end that displays errors.
    pub front_end: FrontEnd,
}

/// The names of the columns of a call. Scores come first; each of them may represent several columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roles(pub Vec<String>);

/// A statistic with its options, and the roles of the columns.
#[derive(Debug)]
pub struct Arguments<O> {
    /// The statistic.
    pub options: O,
    /// The roles of the columns.
    pub roles: Roles,
}

impl Roles {
    /// Whether a column has a role.
    pub fn has(&self, role: &str) -> bool {
        self.0.iter().any(|other| other == role)
    }

    /// The index of the column with a role, given the number of columns.
    pub fn index(&self, role: &str, columns: usize) -> Option<usize> {
        let from_end = self.0.len() - self.0.iter().position(|other| other == role)?;
        columns.checked_sub(from_end)
    }
}

/// The number of pickled dictionaries cached per thread. Polars plans an expression three times per query,
/// and expressions of several scores have the same arguments.
const REMEMBERED: usize = 8;

/// The maximum size of a cached dictionary in bytes: long lists of thresholds would occupy memory until the
/// thread ends.
const LONGEST_REMEMBERED: usize = 1 << 12;

/// Pickled dictionaries with their parsed arguments.
type Remembered = VecDeque<(Box<[u8]>, Rc<Keywords>)>;

thread_local! {
    /// The cache, newest first.
    static LAST_READ: RefCell<Remembered> = const { RefCell::new(VecDeque::new()) };
}

impl Keywords {
    /// The keyword arguments of a pickled dictionary. For invalid input there are none.
    pub fn new(pickled: &[u8]) -> Rc<Self> {
        let is_same = |(bytes, _): &&(Box<[u8]>, Rc<Self>)| **bytes == *pickled;
        let cached = LAST_READ.with_borrow(|last| last.iter().find(is_same).map(|(_, read)| read.clone()));
        cached.unwrap_or_else(|| {
            let read = Rc::new(Self::read(pickled).unwrap_or_default());
            if pickled.len() <= LONGEST_REMEMBERED {
                LAST_READ.with_borrow_mut(|last| {
                    last.truncate(REMEMBERED - 1);
                    last.push_front((pickled.into(), read.clone()));
                });
            }
            read
        })
    }

    /// Parses a pickled dictionary; `None` if invalid.
    pub fn read(pickled: &[u8]) -> Option<Self> {
        // The parser panics on some invalid input.
        let values = std::panic::catch_unwind(|| serde_pickle::value_from_slice(pickled, DeOptions::new()));
        let Ok(Ok(Value::Dict(values))) = values else { return None };
        let OptionValue::Named(mut values) = from_dict(values) else { return None };
        let roles = match values.remove("roles") {
            Some(OptionValue::List(roles)) => roles.into_iter().filter_map(word).collect(),
            _ => Vec::new(),
        };
        let options = match values.remove("options") {
            Some(OptionValue::Named(values)) => values,
            _ => BTreeMap::new(),
        };
        let front_end = match values.remove("flags") {
            Some(OptionValue::Named(names)) => FrontEnd::Shell(
                names.into_iter().filter_map(|(name, flag)| Some((name, word(flag)?))).collect(),
            ),
            _ => FrontEnd::Python,
        };
        Some(Keywords {
            options: Options { values: options, columns: roles.clone() },
            roles: Roles(roles),
            called: values.remove("called").and_then(word),
            front_end,
        })
    }

    /// The statistic with these options.
    pub fn arguments<O: FromOptions>(&self) -> Result<Arguments<O>, String> {
        Ok(Arguments { options: O::from_options(&self.options)?, roles: self.roles.clone() })
    }
}

fn word(value: OptionValue) -> Option<String> {
    if let OptionValue::Word(word) = value { Some(word) } else { None }
}

fn from_dict(values: BTreeMap<HashableValue, Value>) -> OptionValue {
    let pairs = values.into_iter().filter_map(|(name, value)| match name {
        HashableValue::String(name) => Some((name, option_value(value))),
        _ => None,
    });
    let mut values: BTreeMap<String, OptionValue> = pairs.collect();
    // Python passes other types as a dictionary with one field.
    if values.len() == 1 {
        if let Some(digits) = values.remove("$digits") {
            return word(digits).map_or(OptionValue::Absent, OptionValue::Digits);
        }
        if let Some(display) = values.remove("$other") {
            return word(display).map_or(OptionValue::Absent, OptionValue::Other);
        }
    }
    OptionValue::Named(values)
}

fn option_value(value: Value) -> OptionValue {
    match value {
        Value::None => OptionValue::Absent,
        Value::Bool(value) => OptionValue::Truth(value),
        Value::I64(value) => OptionValue::Integer(value.into()),
        Value::Int(value) => i128::try_from(&value)
            .map_or_else(|_| OptionValue::Digits(value.to_string()), OptionValue::Integer),
        Value::F64(value) => OptionValue::Float(value),
        Value::String(word) => OptionValue::Word(word),
        Value::List(values) | Value::Tuple(values) => {
            OptionValue::List(values.into_iter().map(option_value).collect())
        }
        Value::Dict(values) => from_dict(values),
        Value::Bytes(_) | Value::Set(_) | Value::FrozenSet(_) => OptionValue::Other(value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_option() {
        // pickle.dumps({"options": {"none": None, "some": 3, "whole": 2.0, "wide": -2**100, "widest": 2**128 - 1,
        //     "words": ["a", "b"], "flag": True, "fraction": {"$digits": "0.1"}}, "roles": ["score", "label"],
        //     "called": "report", "flags": {"seed": "--seed"}}, protocol=5)
        let pickled = b"\x80\x05\x95\xea\0\0\0\0\0\0\0}\x94(\x8c\x07options\x94}\x94(\x8c\x04none\x94N\x8c\x04some\x94K\x03\
            \x8c\x05whole\x94G@\0\0\0\0\0\0\0\x8c\x04wide\x94\x8a\r\0\0\0\0\0\0\0\0\0\0\0\0\xf0\x8c\x06widest\x94\x8a\x11\
            \xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\x8c\x05words\x94]\x94(\x8c\x01a\x94\x8c\
            \x01b\x94e\x8c\x04flag\x94\x88\x8c\x08fraction\x94}\x94\x8c\x07$digits\x94\x8c\x030.1\x94su\x8c\x05roles\x94]\
            \x94(\x8c\x05score\x94\x8c\x05label\x94e\x8c\x06called\x94\x8c\x06report\x94\x8c\x05flags\x94}\x94\x8c\x04seed\
            \x94\x8c\x06--seed\x94su.";
        let keywords = Keywords::new(pickled);
        let word = |text: &str| OptionValue::Word(text.into());
        for (name, value) in [
            ("none", OptionValue::Absent),
            ("some", OptionValue::Integer(3)),
            ("whole", OptionValue::Float(2.0)),
            ("wide", OptionValue::Integer(-(1 << 100))),
            ("widest", OptionValue::Digits(u128::MAX.to_string())),
            ("words", OptionValue::List(vec![word("a"), word("b")])),
            ("flag", OptionValue::Truth(true)),
            ("fraction", OptionValue::Digits("0.1".into())),
        ] {
            assert_eq!(*keywords.options.value(name), value, "{name}");
        }
        assert_eq!(keywords.roles, Roles(vec!["score".into(), "label".into()]));
        assert_eq!(keywords.options.columns, ["score", "label"]);
        assert_eq!(keywords.called.as_deref(), Some("report"));
        assert_eq!(keywords.front_end, FrontEnd::Shell([("seed".into(), "--seed".into())].into()));
        for bad in [&b""[..], b"\x80\x05}.", b"level", &pickled[..20]] {
            assert_eq!(*Keywords::new(bad), Keywords::default());
        }
        assert!(Rc::ptr_eq(&keywords, &Keywords::new(pickled)));
    }

    #[test]
    fn cached_arguments() {
        let numbers = || 0..=REMEMBERED;
        // pickle.dumps({"called": word}, protocol=2)
        let pickled = |word: &str| {
            let length = (word.len() as u32).to_le_bytes();
            [&b"\x80\x02}q\x00X\x06\0\0\0calledq\x01X"[..], &length, word.as_bytes(), b"q\x02s."].concat()
        };
        let read_keywords = |number: usize| Keywords::new(&pickled(&number.to_string()));
        let read: Vec<_> = numbers().map(read_keywords).collect();
        for (number, keywords) in numbers().zip(&read) {
            assert_eq!(keywords.called, Some(number.to_string()));
        }
        for number in numbers().rev() {
            assert_eq!(read_keywords(number), read[number]);
            assert_eq!(Rc::ptr_eq(&read_keywords(number), &read[number]), number > 0);
        }
        let long = "a".repeat(LONGEST_REMEMBERED);
        let long_keywords = || Keywords::new(&pickled(&long));
        assert_eq!(long_keywords().called.as_ref(), Some(&long));
        assert!(!Rc::ptr_eq(&long_keywords(), &long_keywords()));
    }

    #[test]
    fn indices_are_counted_from_the_end() {
        let roles = Roles(["score", "label", "count"].map(Into::into).into());
        assert_eq!((roles.index("label", 3), roles.index("count", 5)), (Some(1), Some(4)));
        assert_eq!((roles.index("weight", 3), roles.index("score", 2)), (None, None));
    }
}
