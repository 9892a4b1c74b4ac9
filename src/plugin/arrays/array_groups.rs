//! The rows of columns, group after group: what lists of all groups hold.

use std::sync::OnceLock;

use arrow::array::{Array, BooleanArray, PrimitiveArray};
use arrow::bitmap::Bitmap;
use arrow::datatypes::PhysicalType;
use arrow::types::PrimitiveType;
use polars::prelude::pf16;

use super::{downcast::downcast, values::gathered};
use crate::ranking::rows::RowGroups;

/// Arrays whose rows are in groups.
pub struct ArrayGroups<'a> {
    rows: RowGroups<'a>,
    /// The rows of all groups, for columns that are no numbers.
    order: OnceLock<Vec<u32>>,
}

impl<'a> ArrayGroups<'a> {
    /// Of arrays whose rows are in these groups.
    pub fn of(rows: RowGroups<'a>) -> Self {
        ArrayGroups { rows, order: OnceLock::new() }
    }

    /// Where each group begins, and the last one ends.
    pub fn borders(&self) -> &[usize] {
        self.rows.borders()
    }

    /// The values of a column, group after group; within a group in their order.
    pub fn in_order(&self, array: &dyn Array) -> Result<Box<dyn Array>, String> {
        let validity = array.validity().filter(|validity| validity.unset_bits() > 0);
        let validity = validity.map(|validity| self.bits(validity));
        macro_rules! by_type {
            ($($physical:ident => $value:ty),*) => {
                match array.dtype().to_physical_type() {
                    $(PhysicalType::Primitive(PrimitiveType::$physical) => {
                        let values = downcast::<PrimitiveArray<$value>>(array)?.values();
                        let all = PrimitiveArray::from_vec(self.rows.by_group(values)).to(array.dtype().clone());
                        Ok(all.with_validity(validity).boxed())
                    })*
                    PhysicalType::Boolean => {
                        let truths = self.bits(downcast::<BooleanArray>(array)?.values());
                        Ok(BooleanArray::new(array.dtype().clone(), truths, validity).boxed())
                    }
                    _ => gathered(array, self.order.get_or_init(|| self.rows.by_group(&self.numbers()))),
                }
            };
        }
        by_type!(
            Int8 => i8, Int16 => i16, Int32 => i32, Int64 => i64, Int128 => i128, UInt8 => u8, UInt16 => u16,
            UInt32 => u32, UInt64 => u64, UInt128 => u128, Float16 => pf16, Float32 => f32, Float64 => f64
        )
    }

    fn numbers(&self) -> Vec<u32> {
        let borders = self.rows.borders();
        (0..borders[borders.len() - 1] as u32).collect()
    }

    fn bits(&self, bits: &Bitmap) -> Bitmap {
        Bitmap::from(self.rows.by_group(&bits.iter().collect::<Vec<bool>>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_with_nulls() {
        let groups = ArrayGroups::of(RowGroups::of(vec![1, 0, 1, 0].into(), 2, 1));
        assert_eq!(groups.borders(), [0, 2, 4]);
        let numbers = PrimitiveArray::<i8>::from([Some(1), Some(2), None, Some(4)]);
        let in_order = groups.in_order(&numbers).unwrap();
        assert_eq!(
            in_order.as_any().downcast_ref::<PrimitiveArray<i8>>().unwrap(),
            &PrimitiveArray::from([Some(2), Some(4), Some(1), None])
        );
        let truths = BooleanArray::from([Some(true), None, Some(false), Some(true)]);
        let in_order = groups.in_order(&truths).unwrap();
        let expected = BooleanArray::from([None, Some(true), Some(true), Some(false)]);
        assert_eq!(in_order.as_any().downcast_ref::<BooleanArray>().unwrap(), &expected);
        let words = arrow::array::Utf8ViewArray::from_slice([Some("a"), Some("b"), None, Some("d")]);
        let in_order = groups.in_order(&words).unwrap();
        let expected = arrow::array::Utf8ViewArray::from_slice([Some("b"), Some("d"), Some("a"), None]);
        assert_eq!(in_order.as_any().downcast_ref::<arrow::array::Utf8ViewArray>().unwrap(), &expected);
    }
}
