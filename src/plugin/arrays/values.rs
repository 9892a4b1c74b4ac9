//! Columns in one chunk: concatenation, gathering, and conversion to floats.

use arrow::array::builder::{ArrayBuilder, ShareStrategy, make_builder};
use arrow::array::{Array, BooleanArray, NullArray, PrimitiveArray, StructArray};
use arrow::bitmap::Bitmap;
use arrow::compute::concatenate::{concatenate_unchecked, concatenate_validities};
use arrow::datatypes::{ArrowDataType as Dtype, Field};
use arrow::types::NativeType;
use polars::prelude::pf16;

use super::downcast::{NOWHERE, downcast, message};
use super::words;

/// A column in one chunk.
#[derive(Clone)]
pub struct Values {
    /// The name and the dtype.
    pub field: Field,
    /// The values.
    pub array: Box<dyn Array>,
}

impl Values {
    /// A column with this name and the dtype of its array.
    pub fn new(name: &str, array: Box<dyn Array>) -> Self {
        Values { field: Field::new(name.into(), array.dtype().clone(), true), array }
    }

    /// The name of the column.
    pub fn name(&self) -> &str {
        &self.field.name
    }

    /// The validity of the values; `None` if all are valid.
    pub fn validity(&self) -> Option<Bitmap> {
        match self.array.dtype() {
            Dtype::Null => Some(Bitmap::new_zeroed(self.array.len())),
            _ => self.array.validity().filter(|validity| validity.unset_bits() > 0).cloned(),
        }
    }

    /// The values as a slice.
    pub fn slice<T: NativeType>(&self) -> Result<&[T], String> {
        Ok(downcast::<PrimitiveArray<T>>(self.array.as_ref())?.values())
    }

    /// The values as floats, rounded as in Polars.
    pub fn floats(&self) -> Result<PrimitiveArray<f64>, String> {
        let array = self.array.as_ref();
        macro_rules! by_dtype {
            ($($dtype:pat => $value:ty, $float:expr;)*) => {
                match array.dtype() {
                    Dtype::Float64 => Ok(downcast::<PrimitiveArray<f64>>(array)?.clone()),
                    Dtype::Null => Ok(PrimitiveArray::new_null(Dtype::Float64, array.len())),
                    Dtype::Boolean => {
                        let truths = downcast::<BooleanArray>(array)?.values().iter();
                        Ok(with_validity(truths.map(|truth| f64::from(u8::from(truth))).collect(), array))
                    }
                    Dtype::Decimal(_, decimals) => {
                        let unit = 10i128.checked_pow(*decimals as u32).unwrap_or(i128::MAX) as f64;
                        let values = self.slice::<i128>()?.iter();
                        Ok(with_validity(values.map(|value| *value as f64 / unit).collect(), array))
                    }
                    $($dtype => {
                        let float: fn(&$value) -> f64 = $float;
                        Ok(with_validity(self.slice::<$value>()?.iter().map(float).collect(), array))
                    })*
                    _ => Err(format!("\"{}\" contains no numbers", self.name())),
                }
            };
        }
        by_dtype! {
            Dtype::Int8 => i8, |value| f64::from(*value);
            Dtype::Int16 => i16, |value| f64::from(*value);
            Dtype::Int32 => i32, |value| f64::from(*value);
            Dtype::Int64 => i64, |value| *value as f64;
            Dtype::Int128 => i128, |value| *value as f64;
            Dtype::UInt8 => u8, |value| f64::from(*value);
            Dtype::UInt16 => u16, |value| f64::from(*value);
            Dtype::UInt32 => u32, |value| f64::from(*value);
            Dtype::UInt64 => u64, |value| *value as f64;
            Dtype::UInt128 => u128, |value| *value as f64;
            Dtype::Float16 => pf16, |value| f64::from(*value);
            Dtype::Float32 => f32, |value| f64::from(*value);
        }
    }
}

fn with_validity<T: NativeType>(values: Vec<T>, like: &dyn Array) -> PrimitiveArray<T> {
    PrimitiveArray::from_vec(values).with_validity(like.validity().cloned())
}

/// Concatenates arrays of one dtype; there must be at least one.
pub fn concatenated(parts: &[Box<dyn Array>]) -> Result<Box<dyn Array>, String> {
    let [first, rest @ ..] = parts else { return Err("a column without chunks".into()) };
    if rest.is_empty() {
        return Ok(first.clone());
    }
    match first.dtype() {
        Dtype::Dictionary(..) => words::concatenated(parts),
        Dtype::Struct(fields) => {
            let structs: Vec<&StructArray> =
                parts.iter().map(|part| downcast(part.as_ref())).collect::<Result<_, _>>()?;
            let field = |index: usize| {
                concatenated(&structs.iter().map(|part| part.values()[index].clone()).collect::<Vec<_>>())
            };
            let values = (0..fields.len()).map(field).collect::<Result<_, _>>()?;
            let rows = structs.iter().map(|part| part.len()).sum();
            structs_of(first.dtype(), rows, values, concatenate_validities(parts))
        }
        _ => concatenate_unchecked(parts).map_err(message),
    }
}

/// The values of these rows, in this order.
pub fn gathered(array: &dyn Array, rows: &[u32]) -> Result<Box<dyn Array>, String> {
    match array.dtype() {
        Dtype::Null => Ok(NullArray::new(Dtype::Null, rows.len()).boxed()),
        Dtype::Dictionary(..) => words::gathered(array, rows),
        Dtype::Struct(_) => {
            let structs = downcast::<StructArray>(array)?;
            let values = structs.values().iter().map(|values| gathered(values.as_ref(), rows));
            let values = values.collect::<Result<_, _>>()?;
            let is_present = |row: &u32| *row != NOWHERE && array.is_valid(*row as usize);
            let validity = Bitmap::from_iter(rows.iter().map(is_present));
            structs_of(array.dtype(), rows.len(), values, Some(validity))
        }
        dtype => {
            let mut builder = make_builder(dtype);
            builder.opt_gather_extend(array, rows, ShareStrategy::Never);
            Ok(ArrayBuilder::freeze(builder))
        }
    }
}

fn structs_of(
    dtype: &Dtype,
    rows: usize,
    values: Vec<Box<dyn Array>>,
    validity: Option<Bitmap>,
) -> Result<Box<dyn Array>, String> {
    Ok(StructArray::try_new(dtype.clone(), rows, values, validity).map_err(message)?.boxed())
}
