//! Scores as slices of their native type, and thresholds as values of the scores' dtype.

use arrow::array::{Array, BooleanArray, PrimitiveArray};
use arrow::bitmap::Bitmap;
use arrow::datatypes::{ArrowDataType as Dtype, Field};
use arrow::types::NativeType;
use polars::prelude::pf16;

use crate::plugin::arrays::{
    downcast::{downcast, message},
    dtype,
    values::Values,
};
use crate::ranking::scores::{Bits, Domain, Keys, Score};
use crate::statistics::options::per_front_end;

/// Calls a macro with the native types of rankable scores, each with its dtypes.
macro_rules! with_native_types {
    ($by_type:ident) => {
        $by_type! {
            Dtype::Int32 => i32;
            Dtype::Int64 => i64;
            Dtype::Int128 | Dtype::Decimal(..) => i128;
            Dtype::UInt32 => u32;
            Dtype::UInt64 => u64;
            Dtype::UInt128 => u128;
            Dtype::Float32 => f32;
            Dtype::Float64 => f64;
        }
    };
}

/// Rejects a dtype that cannot contain scores, or another ranked column of this role.
pub fn check(role: &str, name: &str, item: &Field) -> Result<(), String> {
    if dtype::is_numeric(item) {
        return Ok(());
    }
    let hint = if dtype::is_temporal(item) || dtype::is_coded(item) {
        per_front_end(
            format!("to rank by its physical order, write pl.col(\"{name}\").to_physical()"),
            format!("write --{role} \"CAST({name} AS DOUBLE)\""),
        )
    } else if dtype::is_words(item) {
        // A non-numeric text, such as NA, becomes null.
        per_front_end(
            format!("if it contains numbers, write pl.col(\"{name}\").cast(pl.Float64, strict=False)"),
            format!("to read other texts as missing, write --{role} \"TRY_CAST({name} AS DOUBLE)\""),
        )
    } else {
        match item.dtype() {
            Dtype::LargeList(_) | Dtype::List(_) => format!(
                "select one number of each list, as in pl.col(\"{name}\").list.get(1), and leave out implode()"
            ),
            Dtype::FixedSizeList(..) => {
                format!("select one number of each array, as in pl.col(\"{name}\").arr.get(1)")
            }
            Dtype::Struct(fields) if fields.iter().any(|field| field.name == "bins") => {
                format!("it contains states; write state=\"{name}\"")
            }
            Dtype::Struct(_) => format!("select one field, as in pl.col(\"{name}\").struct.field(\"score\")"),
            _ => String::new(),
        }
    };
    let dtype = dtype::display(item);
    let hint = if hint.is_empty() { hint } else { format!(". Hint: {hint}") };
    Err(format!("{role} \"{name}\" has dtype {dtype}, expected numbers or Booleans{hint}"))
}

/// The dtype of thresholds of scores with this dtype, which is the same.
pub fn threshold_dtype(dtype: &Dtype) -> Dtype {
    match dtype {
        // An all-null column has no type.
        Dtype::Null => Dtype::Float64,
        dtype => dtype.clone(),
    }
}

/// The possible values of scores of a dtype, within the type that ranks them.
pub fn domain(dtype: &Dtype) -> Domain {
    fn whole(lowest: impl Into<i128>, highest: impl Into<i128>) -> Domain {
        Domain::Whole { lowest: lowest.into(), highest: highest.into(), decimals: 0 }
    }
    match dtype {
        Dtype::Boolean => whole(0, 1),
        Dtype::Int8 => whole(i8::MIN, i8::MAX),
        Dtype::Int16 => whole(i16::MIN, i16::MAX),
        Dtype::UInt8 => whole(u8::MIN, u8::MAX),
        Dtype::UInt16 => whole(u16::MIN, u16::MAX),
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
/// Boolean, Float16 and integers of 8 and 16 bits are widened, and Decimal is read as integers, all exactly.
/// Ranking code is monomorphised for each remaining type, so fewer types shorten the build.
pub fn rankable(scores: &Values) -> Result<Box<dyn Array>, String> {
    check("score", scores.name(), &scores.field)?;
    let array = scores.array.as_ref();
    Ok(match array.dtype() {
        Dtype::Boolean => from_bits(downcast(array)?).boxed(),
        Dtype::Int8 => widened::<i8>(array)?,
        Dtype::Int16 => widened::<i16>(array)?,
        Dtype::UInt8 => widened::<u8>(array)?,
        Dtype::UInt16 => widened::<u16>(array)?,
        Dtype::Float16 => {
            let wide = scores.slice::<pf16>()?.iter().map(|&score| f32::from(score)).collect();
            PrimitiveArray::from_vec(wide).with_validity(array.validity().cloned()).boxed()
        }
        Dtype::Null => PrimitiveArray::<f64>::new_null(Dtype::Float64, array.len()).boxed(),
        _ => array.to_boxed(),
    })
}

/// 32-bit integers from narrower ones.
fn widened<S: NativeType + Into<i32>>(scores: &dyn Array) -> Result<Box<dyn Array>, String> {
    let scores = downcast::<PrimitiveArray<S>>(scores)?;
    let wide = scores.values().iter().map(|&score| score.into()).collect();
    Ok(PrimitiveArray::<i32>::from_vec(wide).with_validity(scores.validity().cloned()).boxed())
}

/// The eight bits of every byte value as integers, lowest first.
const SPREAD: [[i32; 8]; 256] = {
    let mut spread = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            spread[byte][bit] = (byte >> bit & 1) as i32;
            bit += 1;
        }
        byte += 1;
    }
    spread
};

/// Booleans as 0 and 1, eight at a time.
fn from_bits(scores: &BooleanArray) -> PrimitiveArray<i32> {
    let (bytes, start, rows) = scores.values().as_slice();
    let bits = Bits::new(bytes, start, rows);
    let mut values = Vec::with_capacity(rows + 64);
    for first in (0..rows).step_by(64) {
        values.extend(bits.word(first).to_le_bytes().into_iter().flat_map(|byte| SPREAD[byte as usize]));
    }
    values.truncate(rows);
    PrimitiveArray::from_vec(values).with_validity(scores.validity().cloned())
}

/// Converts the keys of thresholds to values of the scores' dtype.
///
/// Values that [`rankable`] widened are narrowed again, which is exact because every threshold is an observed
/// score.
pub fn thresholds(keys: Keys, validity: Option<Bitmap>, dtype: &Dtype) -> Result<Box<dyn Array>, String> {
    /// Keys as scores of a type; statistics do not change the width of the column.
    fn scores<S: Native>(keys: Keys) -> Result<Vec<S>, String> {
        let keys = keys.into_vec::<S::Key>().ok_or("thresholds of another width than the scores")?;
        Ok(keys.into_iter().map(S::from_key).collect())
    }
    macro_rules! narrowed {
        ($score:ty) => {{
            let narrow: Vec<$score> = scores::<i32>(keys)?.into_iter().map(|score| score as $score).collect();
            Ok(PrimitiveArray::from_vec(narrow).with_validity(validity).boxed())
        }};
    }
    let dtype = &threshold_dtype(dtype);
    macro_rules! by_type {
        ($($($dtype:pat_param)|+ => $score:ty;)*) => {
            match dtype {
                Dtype::Boolean => {
                    let truths = scores::<i32>(keys)?.into_iter().map(|score| score != 0).collect();
                    Ok(BooleanArray::try_new(Dtype::Boolean, truths, validity).map_err(message)?.boxed())
                }
                Dtype::Float16 => {
                    let halves = scores::<f32>(keys)?.into_iter().map(pf16::from).collect();
                    Ok(PrimitiveArray::<pf16>::from_vec(halves).with_validity(validity).boxed())
                }
                $($($dtype)|+ => {
                    let scores = scores::<$score>(keys)?;
                    let array = PrimitiveArray::try_new(dtype.clone(), scores.into(), validity);
                    Ok(array.map_err(message)?.boxed())
                })*
                Dtype::Int8 => narrowed!(i8),
                Dtype::Int16 => narrowed!(i16),
                Dtype::UInt8 => narrowed!(u8),
                Dtype::UInt16 => narrowed!(u16),
                other => Err(format!("thresholds of dtype {other:?} are unknown")),
            }
        };
    }
    with_native_types!(by_type)
}

/// A native type of rankable scores.
pub trait Native: Score + NativeType {}

macro_rules! native {
    ($($($dtype:pat_param)|+ => $score:ty;)*) => {$(impl Native for $score {})*};
}
with_native_types!(native);

/// A function that is generic over the type of scores.
pub trait WithScores {
    /// The result.
    type Output;

    /// Calls the function.
    fn with<S: Native>(self, scores: &[S]) -> Result<Self::Output, String>;
}

/// Calls `what` with rankable scores in their native type.
pub fn dispatch<W: WithScores>(scores: &dyn Array, what: W) -> Result<W::Output, String> {
    macro_rules! by_type {
        ($($($dtype:pat_param)|+ => $score:ty;)*) => {
            match scores.dtype() {
                $($($dtype)|+ => what.with::<$score>(downcast::<PrimitiveArray<$score>>(scores)?.values()),)*
                other => Err(format!("scores of dtype {other:?} cannot be ranked")),
            }
        };
    }
    with_native_types!(by_type)
}
