//! Columns partitioned by group: the items of one list per group.

use std::sync::OnceLock;

use arrow::array::{Array, BooleanArray, PrimitiveArray};
use arrow::bitmap::Bitmap;
use arrow::compute::concatenate::concatenate_validities;
use arrow::datatypes::PhysicalType;
use arrow::types::PrimitiveType;
use polars::prelude::pf16;

use super::{
    downcast::downcast,
    unpack_bits::unpack_bits,
    values::{concatenated, gathered},
};
use crate::ranking::rows::RowGroups;
use crate::ranking::scores::Bits;

/// Arrays with the group of each row.
pub struct ArrayGroups<'a> {
    rows: RowGroups<'a>,
    /// The row indices of all groups, for non-numeric columns.
    order: OnceLock<Vec<u32>>,
}

impl<'a> ArrayGroups<'a> {
    /// For arrays whose rows are in these groups.
    pub fn new(rows: RowGroups<'a>) -> Self {
        ArrayGroups { rows, order: OnceLock::new() }
    }

    /// The start of each group, and the end of the last one.
    pub fn borders(&self) -> &[usize] {
        self.rows.borders()
    }

    /// The values of a column, partitioned by group; row order is kept within a group. A column has at least
    /// one chunk.
    ///
    /// Chunks of numbers are not concatenated first, which would double the memory.
    pub fn in_order(&self, chunks: &[Box<dyn Array>]) -> Result<Box<dyn Array>, String> {
        let dtype = chunks.first().ok_or("a column without chunks")?.dtype();
        macro_rules! by_type {
            ($($physical:ident => $value:ty),*) => {
                match dtype.to_physical_type() {
                    $(PhysicalType::Primitive(PrimitiveType::$physical) => {
                        let values = all_of::<PrimitiveArray<$value>>(chunks)?;
                        let values: Vec<&[$value]> = values.iter().map(|chunk| &chunk.values()[..]).collect();
                        let all = PrimitiveArray::from_vec(self.rows.chunks_by_group(&values)).to(dtype.clone());
                        Ok(all.with_validity(self.validity(chunks)).boxed())
                    })*
                    PhysicalType::Boolean => {
                        let truths = all_of::<BooleanArray>(chunks)?;
                        let truths = self.bits(truths.iter().map(|chunk| chunk.values()));
                        Ok(BooleanArray::new(dtype.clone(), truths, self.validity(chunks)).boxed())
                    }
                    _ => {
                        gathered(concatenated(chunks)?.as_ref(), self.order())
                    }
                }
            };
        }
        by_type!(
            Int8 => i8, Int16 => i16, Int32 => i32, Int64 => i64, Int128 => i128, UInt8 => u8, UInt16 => u16,
            UInt32 => u32, UInt64 => u64, UInt128 => u128, Float16 => pf16, Float32 => f32, Float64 => f64
        )
    }

    /// The row indices of all groups. They are computed before the lock is taken. A thread that waits for
    /// others in the pool may start another column, which would deadlock on the lock.
    fn order(&self) -> &[u32] {
        if let Some(order) = self.order.get() {
            return order;
        }
        let borders = self.rows.borders();
        let numbers: Vec<u32> = (0..borders[borders.len() - 1] as u32).collect();
        let order = self.rows.by_group(&numbers);
        self.order.get_or_init(|| order)
    }

    fn validity(&self, chunks: &[Box<dyn Array>]) -> Option<Bitmap> {
        let has_nulls = chunks.iter().any(|chunk| chunk.null_count() > 0);
        let present = has_nulls.then(|| concatenate_validities(chunks)).flatten();
        present.map(|present| self.bits([&present].into_iter()))
    }

    fn bits<'b>(&self, chunks: impl Iterator<Item = &'b Bitmap>) -> Bitmap {
        let truths: Vec<Vec<bool>> = chunks.map(|bits| unpack_bits(bits, 0..bits.len())).collect();
        let truths = self.rows.chunks_by_group(&truths.iter().map(Vec::as_slice).collect::<Vec<_>>());
        Bitmap::from_u8_vec(Bits::packed(&truths), truths.len())
    }
}

fn all_of<A: 'static>(chunks: &[Box<dyn Array>]) -> Result<Vec<&A>, String> {
    chunks.iter().map(|chunk| downcast(chunk.as_ref())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{NullArray, Utf8ViewArray};
    use arrow::datatypes::ArrowDataType;

    /// The rows of the groups 1, 0, 1, 0 in order, for a column in one chunk and in several.
    fn in_order<A: Array + Clone + 'static>(column: A) -> A {
        let groups = ArrayGroups::new(RowGroups::new(vec![1, 0, 1, 0].into(), 2, 1));
        assert_eq!(groups.borders(), [0, 2, 4]);
        let found = |chunks: &[Box<dyn Array>]| {
            let found = groups.in_order(chunks).unwrap();
            found.as_any().downcast_ref::<A>().unwrap().clone()
        };
        let column = column.to_boxed();
        let whole = found(std::slice::from_ref(&column));
        let cuts = [0, 1, 1, 4];
        let chunks: Vec<_> = cuts.windows(2).map(|cut| column.sliced(cut[0], cut[1] - cut[0])).collect();
        assert!(found(&chunks).to_boxed() == whole.to_boxed());
        whole
    }

    #[test]
    fn columns_with_nulls() {
        let numbers = PrimitiveArray::<i8>::from([Some(1), Some(2), None, Some(4)]);
        assert_eq!(in_order(numbers), PrimitiveArray::from([Some(2), Some(4), Some(1), None]));
        let truths = BooleanArray::from([Some(true), None, Some(false), Some(true)]);
        assert_eq!(in_order(truths), BooleanArray::from([None, Some(true), Some(true), Some(false)]));
        let words = Utf8ViewArray::from_slice([Some("a"), Some("b"), None, Some("d")]);
        assert_eq!(in_order(words), Utf8ViewArray::from_slice([Some("b"), Some("d"), Some("a"), None]));
        assert_eq!(in_order(NullArray::new(ArrowDataType::Null, 4)).len(), 4);
    }

    #[test]
    fn columns_without_nulls_have_no_validity() {
        let numbers = in_order(PrimitiveArray::from([Some(1.0), Some(2.0), Some(3.0), Some(4.0)]));
        assert_eq!((numbers.validity(), &numbers.values()[..]), (None, &[2.0, 4.0, 1.0, 3.0][..]));
        assert_eq!(in_order(BooleanArray::from_slice([true, true, false, true])).validity(), None);
    }
}
