//! Statistics whose options are still read by serde.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde_pickle::Error;

use crate::statistics::kinds::{FromOptions, OptionError, OptionValue, Options};
use crate::statistics::*;

macro_rules! by_serde {
    ($($name:ty,)*) => {$(
        impl FromOptions for $name {
            fn from_options(options: &Options) -> Result<Self, OptionError> {
                Self::deserialize(Argument(OptionValue::Named(options.values.clone())))
                    .map_err(|error: Error| format!("could not parse kwargs: '{error}'").into())
            }
        }
    )*};
}
by_serde! {
    AdjustPValues,
    AverageRocCurve,
    BandCoverage,
    BrunnerMunzel,
    CompareSegments,
    CompareSegmentsClustered,
    ConcordanceIndex,
    CovariateAdjustedRocCurve,
    CvRocAuc,
    CvRocAucClustered,
    CvRocAucDifference,
    GroupedRocAuc,
    GroupedRocAucDifference,
    HodgesLehmann,
    KruskalWallis,
    MannWhitneyU,
    MrmcRocAuc,
    PackState,
    RankAgreement,
    RocAucBounds,
    RocAucCompare,
    RocAucDifference,
    RocAucDifferencePower,
    RocAucMulticlass,
    RocAucMulticlassCi,
    RocAucOrdinal,
    RocAucOrdinalCi,
    RocAucPower,
    RocAucPowerAuc,
    RocAucPowerLevel,
    RocAucSampleSize,
    RocAucUnpairedDifference,
    RocBand,
    RocBandOfFolds,
    RocCurveDifference,
    RocDifferenceBand,
    RocState,
    SubgroupAuc,
    SubgroupAucCi,
    UnpackState,
}

/// A value of Python.
struct Argument(OptionValue);

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
    fn items(values: Vec<OptionValue>) -> SeqDeserializer<impl Iterator<Item = Argument>, Error> {
        SeqDeserializer::new(values.into_iter().map(Argument))
    }

    fn fields(
        values: BTreeMap<String, OptionValue>,
    ) -> MapDeserializer<'static, impl Iterator<Item = (Argument, Argument)>, Error> {
        MapDeserializer::new(
            values.into_iter().map(|(name, value)| (Argument(OptionValue::Word(name)), Argument(value))),
        )
    }
}

impl<'de> Deserializer<'de> for Argument {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            OptionValue::Absent => visitor.visit_unit(),
            OptionValue::Truth(value) => visitor.visit_bool(value),
            OptionValue::Integer(value) if i64::try_from(value).is_ok() => visitor.visit_i64(value as i64),
            OptionValue::Integer(value) => visitor.visit_i128(value),
            OptionValue::Float(value) => visitor.visit_f64(value),
            OptionValue::Word(value) => visitor.visit_string(value),
            OptionValue::List(values) => visitor.visit_seq(Self::items(values)),
            OptionValue::Named(values) => visitor.visit_map(Self::fields(values)),
            OptionValue::Digits(value) => match (value.parse::<i128>(), value.parse::<u128>()) {
                (Ok(value), _) => visitor.visit_i128(value),
                (_, Ok(value)) => visitor.visit_u128(value),
                _ => Err(error(format!("{value} has more than 128 bits"))),
            },
            OptionValue::Other(_) => Err(error("bytes and sets are no options")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0 == OptionValue::Absent { visitor.visit_none() } else { visitor.visit_some(self) }
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
            OptionValue::Word(name) => visitor.visit_enum(name.into_deserializer()),
            OptionValue::Named(values) => {
                visitor.visit_enum(MapAccessDeserializer::new(Self::fields(values)))
            }
            other => Err(error(format!("{other} names no variant"))),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}
