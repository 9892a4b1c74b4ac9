//! The rows of columns, group after group: what lists of all groups hold.
//!
//! Rows are read in their order, and each goes to the next place of its group. So a column is read from end to end
//! whatever the groups are. Threads take blocks of rows, and each block has places of its own in every group. The next
//! places of very many groups would not fit into a cache: rows then go to ranges of groups first, and from there to
//! their groups, range by range.

use std::ops::Range;
use std::slice::IterMut;
use std::sync::OnceLock;

use arrow::array::{Array, BooleanArray, PrimitiveArray};
use arrow::bitmap::Bitmap;
use arrow::datatypes::PhysicalType;
use arrow::types::PrimitiveType;
use polars::prelude::pf16;
use rayon::prelude::*;

use super::{downcast::downcast, values::gathered};
use crate::{cache, interrupt, memory};

/// The fewest rows that a block has of each group, on average. Every block needs a place in every group, and with
/// fewer rows these places are more than the rows.
const ROWS_PER_PLACE: usize = 16;

/// The fewest rows of a block: fewer are moved before another thread wakes.
const BLOCK_ROWS: usize = 1 << 15;

/// The most groups that rows go to at once: the next places of so many, and the lines of memory that they are in, fit
/// into the cache of a core.
const MOST_GROUPS: usize = 1 << 11;

/// Which rows are in which group.
pub struct RowGroups {
    moves: Moves,
    borders: Vec<usize>,
    /// The rows of all groups, for columns that are no numbers.
    order: OnceLock<Vec<u32>>,
}

/// How rows go to their groups.
enum Moves {
    /// To all groups at once.
    Once(Blocks),
    /// To ranges of `2^shift` groups, and then to their groups; with the groups of rows that are in their range.
    Twice { ranges: Box<RowGroups>, shift: u32, codes: Vec<u32> },
}

/// Rows with the group of each, in blocks.
struct Blocks {
    codes: Vec<u32>,
    blocks: Vec<Block>,
}

/// Rows that one thread moves.
struct Block {
    rows: Range<usize>,
    /// How many of them are in each group.
    sizes: Vec<u32>,
}

impl RowGroups {
    /// From the group of each row, of so many groups; `threads` may work at once.
    pub fn of(codes: Vec<u32>, groups: usize, threads: usize) -> Self {
        Self::of_at_most(codes, groups, threads, MOST_GROUPS)
    }

    fn of_at_most(codes: Vec<u32>, groups: usize, threads: usize, most: usize) -> Self {
        let order = OnceLock::new();
        if groups <= most {
            let blocks = Blocks::of(codes, groups, threads);
            let size = |group: usize| -> usize {
                blocks.blocks.iter().map(|block| block.sizes[group] as usize).sum()
            };
            let borders = borders((0..groups).map(size));
            return RowGroups { moves: Moves::Once(blocks), borders, order };
        }
        let shift = groups.div_ceil(most / 2).next_power_of_two().trailing_zeros();
        let number = ((groups - 1) >> shift) + 1;
        let of_range = codes.par_iter().map(|code| code >> shift).collect();
        let ranges = Box::new(RowGroups::of_at_most(of_range, number, threads, number));
        let codes = ranges.by_group(&codes);
        let mut sizes = vec![0usize; groups];
        codes.iter().for_each(|&code| sizes[code as usize] += 1);
        RowGroups { moves: Moves::Twice { ranges, shift, codes }, borders: borders(sizes.into_iter()), order }
    }

    /// Where each group begins, and the last one ends.
    pub fn borders(&self) -> &[usize] {
        &self.borders
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
                        let all = PrimitiveArray::from_vec(self.by_group(values)).to(array.dtype().clone());
                        Ok(all.with_validity(validity).boxed())
                    })*
                    PhysicalType::Boolean => {
                        let truths = self.bits(downcast::<BooleanArray>(array)?.values());
                        Ok(BooleanArray::new(array.dtype().clone(), truths, validity).boxed())
                    }
                    _ => gathered(array, self.order.get_or_init(|| self.by_group(&self.numbers()))),
                }
            };
        }
        by_type!(
            Int8 => i8, Int16 => i16, Int32 => i32, Int64 => i64, Int128 => i128, UInt8 => u8, UInt16 => u16,
            UInt32 => u32, UInt64 => u64, UInt128 => u128, Float16 => pf16, Float32 => f32, Float64 => f64
        )
    }

    fn numbers(&self) -> Vec<u32> {
        (0..self.borders[self.borders.len() - 1] as u32).collect()
    }

    fn bits(&self, bits: &Bitmap) -> Bitmap {
        Bitmap::from(self.by_group(&bits.iter().collect::<Vec<bool>>()))
    }

    /// Values of rows, group after group.
    fn by_group<T: Copy + Default + Send + Sync>(&self, values: &[T]) -> Vec<T> {
        match &self.moves {
            Moves::Once(blocks) => blocks.by_group(values, self.borders.len() - 1),
            Moves::Twice { ranges, shift, codes } => {
                self.by_group_in_ranges(&ranges.by_group(values), &ranges.borders, *shift, codes)
            }
        }
    }

    /// Moves values that are in the range of their group to the group.
    fn by_group_in_ranges<T: Copy + Default + Send + Sync>(
        &self,
        values: &[T],
        ranges: &[usize],
        shift: u32,
        codes: &[u32],
    ) -> Vec<T> {
        let mut all = memory::default_values(values.len());
        let mut rest = &mut all[..];
        let mut parts = Vec::with_capacity(ranges.len());
        for range in ranges.windows(2) {
            let (own, others) = rest.split_at_mut(range[1] - range[0]);
            parts.push((range[0], own));
            rest = others;
        }
        parts.into_par_iter().enumerate().for_each(|(number, (start, own))| {
            interrupt::check();
            let first = number << shift;
            let last = self.borders.len().min(first + (1 << shift) + 1);
            let mut places: Vec<u32> =
                self.borders[first..last].iter().map(|border| (border - start) as u32).collect();
            let rows = start..start + own.len();
            for (&code, &value) in codes[rows.clone()].iter().zip(&values[rows]) {
                let place = &mut places[code as usize - first];
                own[*place as usize] = value;
                *place += 1;
            }
        });
        all
    }
}

/// Where groups of these sizes begin, and the last one ends.
fn borders(sizes: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut borders = vec![0];
    let mut end = 0;
    for size in sizes {
        end += size;
        borders.push(end);
    }
    borders
}

impl Blocks {
    fn of(codes: Vec<u32>, groups: usize, threads: usize) -> Self {
        let most = (codes.len() / (groups * ROWS_PER_PLACE + BLOCK_ROWS)).clamp(1, threads);
        let rows = codes.len().div_ceil(most).max(1);
        let starts: Vec<usize> = (0..codes.len().max(1)).step_by(rows).collect();
        let block = |start: usize| {
            let rows = start..codes.len().min(start + rows);
            let mut sizes = vec![0; groups];
            codes[rows.clone()].iter().for_each(|&code| sizes[code as usize] += 1);
            Block { rows, sizes }
        };
        let blocks = starts.into_par_iter().map(block).collect();
        Blocks { codes, blocks }
    }

    fn by_group<T: Copy + Default + Send + Sync>(&self, values: &[T], groups: usize) -> Vec<T> {
        let mut all = memory::default_values(values.len());
        let mut rest = &mut all[..];
        let places = |_| Vec::with_capacity(groups);
        let mut of_blocks: Vec<Vec<IterMut<'_, T>>> = self.blocks.iter().map(places).collect();
        for group in 0..groups {
            for (block, places) in self.blocks.iter().zip(&mut of_blocks) {
                let (own, others) = rest.split_at_mut(block.sizes[group] as usize);
                places.push(own.iter_mut());
                rest = others;
            }
        }
        self.blocks.par_iter().zip(of_blocks).for_each(|(block, mut places)| {
            let rows = block.rows.clone();
            let codes = self.codes[rows.clone()].chunks(BLOCK_ROWS);
            for (codes, values) in codes.zip(values[rows].chunks(BLOCK_ROWS)) {
                interrupt::check();
                for (&code, &value) in codes.iter().zip(values) {
                    // Each row of a block was counted, so its group has a place for it.
                    if let Some(place) = places[code as usize].next() {
                        *place = value;
                    }
                    cache::expect_next_line(places[code as usize].as_slice(), 0);
                }
            }
        });
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sorted<T: Copy>(codes: &[u32], values: &[T]) -> Vec<T> {
        let mut rows: Vec<usize> = (0..codes.len()).collect();
        rows.sort_by_key(|&row| codes[row]);
        rows.into_iter().map(|row| values[row]).collect()
    }

    proptest! {
        #[test]
        fn rows_keep_their_order(codes in prop::collection::vec(0u32..37, 0..200), most in 2usize..50) {
            let groups = RowGroups::of_at_most(codes.clone(), 37, 2, most);
            let numbers: Vec<i16> = (0..codes.len() as i16).collect();
            prop_assert_eq!(groups.by_group(&numbers), sorted(&codes, &numbers));
            let starts: Vec<usize> = (0..38).map(|group| codes.iter().filter(|code| **code < group).count()).collect();
            prop_assert_eq!(groups.borders(), starts);
        }
    }

    #[test]
    fn many_rows_are_moved_in_blocks() {
        let codes: Vec<u32> = (0..300_000u32).map(|row| row.wrapping_mul(2_654_435_761) % 5).collect();
        let groups = RowGroups::of(codes.clone(), 5, 4);
        assert!(matches!(&groups.moves, Moves::Once(blocks) if blocks.blocks.len() > 1));
        let numbers: Vec<u32> = (0..300_000).collect();
        assert_eq!(groups.by_group(&numbers), sorted(&codes, &numbers));
    }

    #[test]
    fn columns_with_nulls() {
        let groups = RowGroups::of(vec![1, 0, 1, 0], 2, 1);
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
