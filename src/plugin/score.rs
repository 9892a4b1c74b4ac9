//! Scores as slices of their own type, and thresholds as values of the scores' dtype.

use arrow::array::{Array, BooleanArray, PrimitiveArray};
use arrow::bitmap::Bitmap;
use arrow::datatypes::{ArrowDataType as Dtype, Field};
use arrow::types::NativeType;
use polars::prelude::pf16;

use super::dtype;
use super::values::{Values, held, worded};
use crate::ranking::{Bits, Domain, Key, Keys, Score};

/// Refuses a dtype that cannot hold scores.
pub fn check(name: &str, item: &Field) -> Result<(), String> {
    if dtype::is_numeric(item) {
        return Ok(());
    }
    let hint = if dtype::is_temporal(item) || dtype::is_coded(item) {
        format!(" To rank by its physical order, write pl.col(\"{name}\").to_physical()")
    } else if dtype::is_words(item) {
        format!(" If it holds numbers, write pl.col(\"{name}\").cast(pl.Float64)")
    } else {
        match item.dtype() {
            Dtype::LargeList(_) | Dtype::List(_) => format!(
                " Take one number of each list, as in pl.col(\"{name}\").list.get(1), and leave out implode()"
            ),
            Dtype::FixedSizeList(..) => {
                format!(" Take one number of each array, as in pl.col(\"{name}\").arr.get(1)")
            }
            Dtype::Struct(_) => format!(" Take one field, as in pl.col(\"{name}\").struct.field(\"score\")"),
            _ => String::new(),
        }
    };
    let dtype = dtype::shown(item);
    Err(format!("score \"{name}\" has dtype {dtype}, but a score is a number or a Boolean.{hint}"))
}

/// The dtype of thresholds of scores of this dtype: its own.
pub fn threshold_dtype(dtype: &Dtype) -> Dtype {
    match dtype {
        // A column without a single value has no type to keep.
        Dtype::Null => Dtype::Float64,
        dtype => dtype.clone(),
    }
}

/// Which numbers of the type that ranks them scores of a dtype can be.
pub fn domain(dtype: &Dtype) -> Domain {
    match dtype {
        Dtype::Boolean => Domain::Whole { lowest: 0, highest: 1, decimals: 0 },
        Dtype::Decimal(precision, scale) => {
            let highest = 10i128.checked_pow(*precision as u32).map_or(i128::MAX, |power| power - 1);
            Domain::Whole { lowest: -highest, highest, decimals: *scale as u32 }
        }
        Dtype::Float16 => Domain::Half,
        _ => Domain::Any,
    }
}

/// Scores in the type that ranks them: the same numbers in the same order.
///
/// Only three dtypes change: Boolean and Float16 widen, and Decimal shows its integers, all exactly.
pub fn rankable(scores: &Values) -> Result<Box<dyn Array>, String> {
    check(scores.name(), &scores.field)?;
    let array = scores.array.as_ref();
    Ok(match array.dtype() {
        Dtype::Boolean => from_bits(held(array)?).boxed(),
        Dtype::Float16 => {
            let wide = scores.slice::<pf16>()?.iter().map(|&score| f32::from(score)).collect();
            PrimitiveArray::from_vec(wide).with_validity(array.validity().cloned()).boxed()
        }
        Dtype::Null => PrimitiveArray::<f64>::new_null(Dtype::Float64, array.len()).boxed(),
        _ => array.to_boxed(),
    })
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
fn from_bits(scores: &BooleanArray) -> PrimitiveArray<u8> {
    let (bytes, start, rows) = scores.values().as_slice();
    let bits = Bits::new(bytes, start, rows);
    let mut values = Vec::with_capacity(rows + 64);
    for first in (0..rows).step_by(64) {
        values.extend(bits.word(first).to_le_bytes().into_iter().flat_map(|byte| SPREAD[byte as usize]));
    }
    values.truncate(rows);
    PrimitiveArray::from_vec(values).with_validity(scores.validity().cloned())
}

/// Thresholds, which are scores of this dtype by their keys, as values of the dtype.
///
/// What [`rankable`] widened is narrowed again: every threshold is a score that was there.
pub fn thresholds(keys: Keys, there: Option<Bitmap>, dtype: &Dtype) -> Result<Box<dyn Array>, String> {
    /// Keys as scores of a type; no statistic changes the width that the columns were made with.
    fn scores<S: Native>(keys: Keys) -> Result<Vec<S>, String> {
        let keys = <S::Key as Key>::of(keys).ok_or("thresholds of another width than the scores")?;
        Ok(keys.into_iter().map(S::from_key).collect())
    }
    macro_rules! by_type {
        ($($($dtype:pat_param)|+ => $score:ty;)*) => {
            match dtype {
                Dtype::Boolean => {
                    let truths = scores::<u8>(keys)?.into_iter().map(|score| score != 0).collect();
                    Ok(BooleanArray::try_new(Dtype::Boolean, truths, there).map_err(worded)?.boxed())
                }
                Dtype::Float16 => {
                    let halves = scores::<f32>(keys)?.into_iter().map(pf16::from).collect();
                    Ok(PrimitiveArray::<pf16>::from_vec(halves).with_validity(there).boxed())
                }
                $($($dtype)|+ => {
                    let scores = scores::<$score>(keys)?;
                    let array = PrimitiveArray::try_new(threshold_dtype(dtype), scores.into(), there);
                    Ok(array.map_err(worded)?.boxed())
                })*
                other => Err(format!("thresholds of dtype {other:?} are unknown")),
            }
        };
    }
    by_type! {
        Dtype::Int8 => i8;
        Dtype::Int16 => i16;
        Dtype::Int32 => i32;
        Dtype::Int64 => i64;
        Dtype::Int128 | Dtype::Decimal(..) => i128;
        Dtype::UInt8 => u8;
        Dtype::UInt16 => u16;
        Dtype::UInt32 => u32;
        Dtype::UInt64 => u64;
        Dtype::UInt128 => u128;
        Dtype::Float32 => f32;
        Dtype::Float64 | Dtype::Null => f64;
    }
}

/// A Rust type that rankable scores are held in.
pub trait Native: Score + NativeType {}

macro_rules! native {
    ($($score:ty)*) => {$(impl Native for $score {})*};
}
native!(i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64);

/// Something to be done with scores of whichever type they turn out to have.
pub trait WithScores {
    /// What comes of it.
    type Output;

    /// Does it.
    fn with<S: Native>(self, scores: &[S]) -> Result<Self::Output, String>;
}

/// Does `what` with rankable scores in their own type.
pub fn dispatch<W: WithScores>(scores: &dyn Array, what: W) -> Result<W::Output, String> {
    macro_rules! by_type {
        ($($($dtype:pat_param)|+ => $score:ty;)*) => {
            match scores.dtype() {
                $($($dtype)|+ => what.with::<$score>(held::<PrimitiveArray<$score>>(scores)?.values()),)*
                other => Err(format!("scores of dtype {other:?} cannot be ranked")),
            }
        };
    }
    by_type! {
        Dtype::Int8 => i8;
        Dtype::Int16 => i16;
        Dtype::Int32 => i32;
        Dtype::Int64 => i64;
        Dtype::Int128 | Dtype::Decimal(..) => i128;
        Dtype::UInt8 => u8;
        Dtype::UInt16 => u16;
        Dtype::UInt32 => u32;
        Dtype::UInt64 => u64;
        Dtype::UInt128 => u128;
        Dtype::Float32 => f32;
        Dtype::Float64 => f64;
    }
}
