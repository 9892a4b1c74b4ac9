//! Sums of products of integer columns, for all pairs of columns.

use std::array;
use std::ops::Range;

use rayon::prelude::*;

use crate::interrupt;

/// Columns per tile: the sums of a pair of tiles and the current rows stay in L2.
const TILE: usize = 32;
/// Rows that are summed at a time.
const ROWS: usize = 512;
/// Rows per task: enough to make the initialisation of a tile's sums negligible.
const ROWS_OF_TASK: usize = 1 << 16;
/// Columns of the block whose sums are in registers, down and across.
const DOWN: usize = 2;
const ACROSS: usize = 4;

/// For all pairs of columns, the sum over rows of the products of their values.
#[derive(Clone, Debug)]
pub struct Products {
    /// The lower triangle including the diagonal, row by row.
    sums: Vec<u128>,
}

impl Products {
    /// The products of columns of one length. `O(k² n)` for k columns; all threads of the current pool share
    /// the work.
    pub fn new(columns: &[&[u32]]) -> Self {
        let k = columns.len();
        let len = columns.first().map_or(0, |column| column.len());
        let parts: Vec<Range<usize>> =
            (0..len).step_by(ROWS_OF_TASK).map(|start| start..len.min(start + ROWS_OF_TASK)).collect();
        let max = |part: &Range<usize>| {
            let largest = columns.iter().map(|column| column[part.clone()].iter().copied().fold(0, u32::max));
            largest.max().unwrap_or_default()
        };
        let rows = ROWS.min(rows_of_64_bits(parts.par_iter().map(max).max().unwrap_or_default()));
        let tiles = k.div_ceil(TILE);
        let pairs: Vec<(usize, usize)> = (0..tiles).flat_map(|a| (0..=a).map(move |b| (a, b))).collect();
        let columns_of = |tile: usize| tile * TILE..k.min((tile + 1) * TILE);
        let tile_sums = |&(a, b): &(usize, usize)| {
            let part_sums =
                |part: &Range<usize>| tile(columns, columns_of(a), columns_of(b), part.clone(), rows);
            parts.par_iter().map(part_sums).reduce_with(plus).unwrap_or_else(|| vec![0; TILE * TILE])
        };
        let sums_by_tile: Vec<Vec<u128>> = pairs.par_iter().map(tile_sums).collect();
        let mut sums = vec![0; k * (k + 1) / 2];
        for (&(a, b), tile_values) in pairs.iter().zip(&sums_by_tile) {
            for (row, row_sums) in columns_of(a).zip(tile_values.chunks_exact(TILE)) {
                for (column, &sum) in columns_of(b).zip(row_sums).filter(|pair| pair.0 <= row) {
                    sums[index(row, column)] = sum;
                }
            }
        }
        Products { sums }
    }

    /// Zero sums for this number of columns.
    pub fn none(columns: usize) -> Self {
        Products { sums: vec![0; columns * (columns + 1) / 2] }
    }

    /// Adds rows with no value above `max`. For few columns, each of which stays in a cache.
    #[inline(always)]
    pub fn add(&mut self, columns: &[&[u32]], max: u32) {
        let (k, len) = (columns.len(), columns.first().map_or(0, |column| column.len()));
        let rows = rows_of_64_bits(max).min(len.max(1));
        for start in (0..len).step_by(rows) {
            let rows = start..len.min(start + rows);
            for a in (0..k).step_by(DOWN) {
                let across = 0..k.min(a + DOWN);
                blocks(columns, a..k.min(a + DOWN), across, rows.clone(), &mut |row, column, sum| {
                    if column <= row {
                        self.sums[index(row, column)] += u128::from(sum);
                    }
                });
            }
        }
    }

    /// Adds the sums over other rows.
    pub fn plus(mut self, more: Self) -> Self {
        self.sums = plus(self.sums, more.sums);
        self
    }

    /// The sum of the products of two columns, or of the squares of one.
    pub fn sum(&self, a: usize, b: usize) -> u128 {
        self.sums[index(a.max(b), a.min(b))]
    }

    /// The sum of the squared differences of two columns.
    pub fn squared_differences(&self, a: usize, b: usize) -> u128 {
        self.sum(a, a) + self.sum(b, b) - 2 * self.sum(a, b)
    }
}

/// The index of a pair, whose first column is not before its second.
fn index(a: usize, b: usize) -> usize {
    a * (a + 1) / 2 + b
}

/// The element-wise sum.
fn plus(mut sums: Vec<u128>, more: Vec<u128>) -> Vec<u128> {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
    sums
}

/// The sums over `all_rows` for all pairs of a column `down` and a column `across`, in rows of the length of
/// a tile.
fn tile(
    columns: &[&[u32]],
    down: Range<usize>,
    across: Range<usize>,
    all_rows: Range<usize>,
    rows: usize,
) -> Vec<u128> {
    let mut sums = vec![0; TILE * TILE];
    interrupt::check();
    for start in all_rows.clone().step_by(rows) {
        let part = start..all_rows.end.min(start + rows);
        blocks(columns, down.clone(), across.clone(), part, &mut |row, column, sum| {
            sums[(row - down.start) * TILE + column - across.start] += u128::from(sum);
        });
    }
    sums
}

/// The number of rows whose sum fits 64 bits, if no value exceeds `max`.
fn rows_of_64_bits(max: u32) -> usize {
    u64::MAX.checked_div(u64::from(max).pow(2)).map_or(usize::MAX, |rows| rows as usize)
}

/// Calls `take` with the sum of each pair of a column `down` and a column `across` over some rows.
#[inline(always)]
fn blocks(
    columns: &[&[u32]],
    down: Range<usize>,
    across: Range<usize>,
    rows: Range<usize>,
    take: &mut impl FnMut(usize, usize, u64),
) {
    // The last block repeats the last column; its excess sums are dropped.
    let slice = |column: usize, all: &Range<usize>| &columns[column.min(all.end - 1)][rows.clone()];
    for a in down.clone().step_by(DOWN) {
        let columns_a: [&[u32]; DOWN] = array::from_fn(|step| slice(a + step, &down));
        for b in across.clone().step_by(ACROSS) {
            let columns_b: [&[u32]; ACROSS] = array::from_fn(|step| slice(b + step, &across));
            for (row, row_sums) in (a..down.end).zip(block(columns_a, columns_b)) {
                for (column, sum) in (b..across.end).zip(row_sums) {
                    take(row, column, sum);
                }
            }
        }
    }
}

/// The sums of a few pairs of columns; each number is read once for all of its pairs.
#[inline(always)]
fn block([a0, a1]: [&[u32]; DOWN], b: [&[u32]; ACROSS]) -> [[u64; ACROSS]; DOWN] {
    let len = a0.len();
    // Slices of one length need no bounds checks.
    let (a0, a1) = (&a0[..len], &a1[..len]);
    let [b0, b1, b2, b3] = b.map(|column| &column[..len]);
    let mut sums = [[0u64; ACROSS]; DOWN];
    for row in 0..len {
        let a = [u64::from(a0[row]), u64::from(a1[row])];
        let b = [u64::from(b0[row]), u64::from(b1[row]), u64::from(b2[row]), u64::from(b3[row])];
        for (sums, a) in sums.iter_mut().zip(a) {
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum += a * b;
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_definition(a: &[u32], b: &[u32]) -> u128 {
        a.iter().zip(b).map(|(&x, &y)| u128::from(x) * u128::from(y)).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(30))]

        #[test]
        fn all_pairs(k in 1usize..70, len in 0usize..40, shift in 0u32..32, seed in 0u32..) {
            let column = |column: usize| -> Vec<u32> {
                let value = |row: usize| (row * 71 + column * 13) as u32 ^ seed;
                (0..len).map(|row| value(row).wrapping_mul(0x9E37_79B1) >> shift).collect()
            };
            let columns: Vec<Vec<u32>> = (0..k).map(column).collect();
            let products = Products::new(&columns.iter().map(Vec::as_slice).collect::<Vec<_>>());
            for a in 0..k {
                for b in 0..k {
                    prop_assert_eq!(products.sum(a, b), by_definition(&columns[a], &columns[b]));
                }
            }
            // The same in two parts.
            let halves = |first: bool| -> Vec<&[u32]> {
                columns.iter().map(|column| if first { &column[..len / 2] } else { &column[len / 2..] }).collect()
            };
            let [mut one, mut other] = [Products::none(k), Products::none(k)];
            one.add(&halves(true), u32::MAX >> shift);
            other.add(&halves(false), u32::MAX >> shift);
            prop_assert_eq!(one.plus(other).sums, products.sums);
        }
    }

    #[test]
    fn large_values_and_many_rows() {
        let len = 2 * ROWS_OF_TASK + 3 * ROWS + 1;
        let (high, low) = (vec![u32::MAX; len], vec![1; len]);
        let products = Products::new(&[&high, &low]);
        assert_eq!(products.sum(0, 0), by_definition(&high, &high));
        assert_eq!(products.sum(0, 1), by_definition(&high, &low));
        let difference = u128::from(u32::MAX - 1);
        assert_eq!(products.squared_differences(0, 1), high.len() as u128 * difference * difference);
        assert!(Products::new(&[]).sums.is_empty());
    }
}
