//! Scores as slices of their own type.

use polars::prelude::*;

use crate::ranking::number::Kind;
use crate::ranking::{Bits, Score};

/// Refuses a dtype that cannot hold scores.
pub fn check(name: &str, dtype: &DataType) -> PolarsResult<()> {
    if dtype.is_primitive_numeric()
        || dtype.is_decimal()
        || matches!(dtype, DataType::Boolean | DataType::Null)
    {
        return Ok(());
    }
    let hint = if dtype.is_temporal() || dtype.is_categorical() || dtype.is_enum() {
        format!(" To rank by its physical order, write pl.col(\"{name}\").to_physical()")
    } else if dtype.is_string() {
        format!(" If it holds numbers, write pl.col(\"{name}\").cast(pl.Float64)")
    } else {
        String::new()
    };
    Err(
        polars_err!(ComputeError: "score \"{name}\" has dtype {dtype}, but a score is a number or a Boolean.{hint}"),
    )
}

/// The dtype of thresholds of scores of this dtype: its own.
pub fn threshold_dtype(dtype: &DataType) -> DataType {
    match dtype {
        // A column without a single value has no type to keep.
        DataType::Null => DataType::Float64,
        dtype => dtype.clone(),
    }
}

/// Which numbers of the type that ranks them scores of a dtype can be.
pub fn kind(dtype: &DataType) -> Kind {
    match dtype {
        DataType::Boolean => Kind::Whole { lowest: 0, highest: 1, decimals: 0 },
        DataType::Decimal(precision, scale) => {
            let highest = 10i128.checked_pow(*precision as u32).map_or(i128::MAX, |power| power - 1);
            Kind::Whole { lowest: -highest, highest, decimals: *scale as u32 }
        }
        DataType::Float16 => Kind::Half,
        _ => Kind::Any,
    }
}

/// Scores in the type that ranks them: the same numbers in the same order, in one chunk.
///
/// Only three dtypes change: Boolean and Float16 widen, and Decimal shows its integers, all exactly.
pub fn rankable(scores: &Series) -> PolarsResult<Series> {
    check(scores.name(), scores.dtype())?;
    let scores = match scores.dtype() {
        DataType::Boolean => from_bits(scores.bool()?),
        DataType::Float16 => scores.cast(&DataType::Float32)?,
        DataType::Null => scores.cast(&DataType::Float64)?,
        DataType::Decimal(..) => scores.to_physical_repr().into_owned(),
        _ => scores.clone(),
    };
    Ok(scores.rechunk())
}

/// The eight bits of every byte as bytes, the lowest first.
const SPREAD: [[u8; 8]; 256] = {
    let mut spread = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            spread[byte][bit] = (byte >> bit & 1) as u8;
            bit += 1;
        }
        byte += 1;
    }
    spread
};

/// Truth values as 0 and 1: what a cast does, eight at a time.
fn from_bits(scores: &BooleanChunked) -> Series {
    let scores = scores.rechunk();
    let array = scores.downcast_as_array();
    let (bytes, start, rows) = array.values().as_slice();
    let bits = Bits::new(bytes, start, rows);
    let mut values = Vec::with_capacity(rows + 64);
    for first in (0..rows).step_by(64) {
        values.extend(bits.word(first).to_le_bytes().into_iter().flat_map(|byte| SPREAD[byte as usize]));
    }
    values.truncate(rows);
    UInt8Chunked::from_vec_validity(scores.name().clone(), values, array.validity().cloned()).into_series()
}

/// A Rust type that rankable scores are held in.
pub trait Held: Score + NumericNative {
    /// The Polars type of such a column.
    type Column: PolarsNumericType<Native = Self>;
}

macro_rules! held {
    ($($score:ty => $column:ty),* $(,)?) => {$(
        impl Held for $score {
            type Column = $column;
        }
    )*};
}
held! {
    i8 => Int8Type, i16 => Int16Type, i32 => Int32Type, i64 => Int64Type, i128 => Int128Type,
    u8 => UInt8Type, u16 => UInt16Type, u32 => UInt32Type, u64 => UInt64Type, u128 => UInt128Type,
    f32 => Float32Type, f64 => Float64Type,
}

/// Something to be done with scores of whichever type they turn out to have.
pub trait WithScores {
    /// What comes of it.
    type Output;

    /// Does it.
    fn with<S: Held>(self, scores: &ChunkedArray<S::Column>) -> PolarsResult<Self::Output>;
}

/// Does `what` with rankable scores in their own type.
pub fn dispatch<W: WithScores>(scores: &Series, what: W) -> PolarsResult<W::Output> {
    match scores.dtype() {
        DataType::Int8 => what.with::<i8>(scores.i8()?),
        DataType::Int16 => what.with::<i16>(scores.i16()?),
        DataType::Int32 => what.with::<i32>(scores.i32()?),
        DataType::Int64 => what.with::<i64>(scores.i64()?),
        DataType::Int128 => what.with::<i128>(scores.i128()?),
        DataType::UInt8 => what.with::<u8>(scores.u8()?),
        DataType::UInt16 => what.with::<u16>(scores.u16()?),
        DataType::UInt32 => what.with::<u32>(scores.u32()?),
        DataType::UInt64 => what.with::<u64>(scores.u64()?),
        DataType::UInt128 => what.with::<u128>(scores.u128()?),
        DataType::Float32 => what.with::<f32>(scores.f32()?),
        DataType::Float64 => what.with::<f64>(scores.f64()?),
        dtype => Err(
            polars_err!(ComputeError: "score \"{}\" has dtype {dtype}, which cannot be ranked", scores.name()),
        ),
    }
}
