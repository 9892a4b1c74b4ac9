//! The keyword arguments of a call, as Python pickled them.
//!
//! The pickle is read into values first, and a statistic's options are taken from those. Were options read from the
//! pickle itself, its whole reader would be compiled once for every type in them.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde_pickle::{DeOptions, Error, HashableValue, Value};

/// The keyword arguments of an expression.
#[derive(serde::Deserialize)]
pub struct Arguments<O> {
    /// The statistic, whose options they are.
    pub options: O,
    /// Whether the last column says how many identical rows each row stands for.
    #[serde(default)]
    pub counted: bool,
    /// Whether the last column says how many rows each row stands for, as a weight.
    #[serde(default)]
    pub weighted: bool,
    /// Whether the only column holds states, and not the scores of rows.
    #[serde(default)]
    pub stated: bool,
}

/// The arguments of a call.
pub fn keywords<T: DeserializeOwned>(kwargs: &[u8]) -> Result<T, String> {
    let message = |error: Error| {
        format!("could not parse kwargs: '{error}'\n\nCheck: registration of kwargs in the plugin.")
    };
    let values = serde_pickle::value_from_slice(kwargs, DeOptions::new()).map_err(message)?;
    T::deserialize(Argument(values)).map_err(message)
}

/// The name of the function that the user called, where that is no expression but made several of them.
pub fn called(kwargs: &[u8]) -> Option<String> {
    // What is no pickle is refused later, where the arguments are read.
    let values = std::panic::catch_unwind(|| serde_pickle::value_from_slice(kwargs, DeOptions::new()));
    let Ok(Ok(Value::Dict(mut values))) = values else { return None };
    match values.remove(&HashableValue::String("called".into()))? {
        Value::String(name) => Some(name),
        _ => None,
    }
}

/// A value of Python.
struct Argument(Value);

impl IntoDeserializer<'_, Error> for Argument {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

fn error(message: impl Display) -> Error {
    serde::de::Error::custom(message)
}

impl Argument {
    fn items(values: Vec<Value>) -> SeqDeserializer<impl Iterator<Item = Argument>, Error> {
        SeqDeserializer::new(values.into_iter().map(Argument))
    }

    fn fields(
        values: BTreeMap<HashableValue, Value>,
    ) -> MapDeserializer<'static, impl Iterator<Item = (Argument, Argument)>, Error> {
        MapDeserializer::new(
            values.into_iter().map(|(name, value)| (Argument(name.into_value()), Argument(value))),
        )
    }
}

impl<'de> Deserializer<'de> for Argument {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::None => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::I64(value) => visitor.visit_i64(value),
            Value::F64(value) => visitor.visit_f64(value),
            Value::String(value) => visitor.visit_string(value),
            Value::List(values) | Value::Tuple(values) => visitor.visit_seq(Self::items(values)),
            Value::Dict(values) => visitor.visit_map(Self::fields(values)),
            // Whole numbers beyond 64 bits.
            Value::Int(value) => match (i128::try_from(&value), u128::try_from(&value)) {
                (Ok(value), _) => visitor.visit_i128(value),
                (_, Ok(value)) => visitor.visit_u128(value),
                _ => Err(error(format!("{value} has more than 128 bits"))),
            },
            Value::Bytes(_) | Value::Set(_) | Value::FrozenSet(_) => {
                Err(error("bytes and sets are no options"))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0 == Value::None { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(name.into_deserializer()),
            Value::Dict(values) => visitor.visit_enum(MapAccessDeserializer::new(Self::fields(values))),
            other => Err(error(format!("{other} names no variant"))),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Level {
        level: f64,
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct All {
        none: Option<u64>,
        some: Option<u64>,
        whole: f64,
        wide: i128,
        widest: u128,
        words: Vec<String>,
        method: Method,
        range: Method,
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Method {
        Plain,
        Range(f64, f64),
    }

    #[test]
    fn every_kind_of_option() {
        // pickle.dumps({"none": None, "some": 3, "whole": 2, "wide": -2**100, "widest": 2**128 - 1,
        //               "words": ["a", "b"], "method": "plain", "range": {"range": [0.5, 1]}}, protocol=5)
        let pickled =
            b"\x80\x05\x95\x93\0\0\0\0\0\0\0}\x94(\x8c\x04none\x94N\x8c\x04some\x94K\x03\x8c\x05whole\x94\
            K\x02\x8c\x04wide\x94\x8a\r\0\0\0\0\0\0\0\0\0\0\0\0\xf0\x8c\x06widest\x94\x8a\x11\xff\xff\
            \xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\x8c\x05words\x94]\x94(\x8c\x01\
            a\x94\x8c\x01b\x94e\x8c\x06method\x94\x8c\x05plain\x94\x8c\x05range\x94}\x94h\x0c]\x94(G?\
            \xe0\0\0\0\0\0\0K\x01esu.";
        let all = All {
            none: None,
            some: Some(3),
            whole: 2.0,
            wide: -(1 << 100),
            widest: u128::MAX,
            words: vec!["a".into(), "b".into()],
            method: Method::Plain,
            range: Method::Range(0.5, 1.0),
        };
        assert_eq!(keywords(pickled), Ok(all));
    }

    #[test]
    fn the_name_that_the_user_called() {
        // pickle.dumps({"called": "report"}, protocol=5)
        let pickled = b"\x80\x05\x95\x16\0\0\0\0\0\0\0}\x94\x8c\x06called\x94\x8c\x06report\x94s.";
        assert_eq!(called(pickled).as_deref(), Some("report"));
        for other in [&b"\x80\x05}."[..], b"", b"called"] {
            assert_eq!(called(other), None);
        }
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        // pickle.dumps({"level": 0.5}, protocol=5)
        let pickled = b"\x80\x05\x95\x15\0\0\0\0\0\0\0}\x94\x8c\x05level\x94G?\xe0\0\0\0\0\0\0s.";
        assert_eq!(keywords(pickled), Ok(Level { level: 0.5 }));
        for bad in [&b""[..], b"\x80\x05}.", b"level", &pickled[..20]] {
            let error = keywords::<Level>(bad).unwrap_err();
            assert!(error.starts_with("could not parse kwargs: '"), "{error}");
        }
    }
}
