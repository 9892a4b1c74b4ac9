//! Booleans from packed bits.

use std::ops::Range;

use arrow::bitmap::Bitmap;
use polars_core::runtime::RAYON;
use rayon::prelude::*;

use crate::memory;
use crate::ranking::SHARD_ROWS;
use crate::ranking::scores::Bits;

/// Unpacks a range of rows to booleans; many rows are divided among all threads.
pub fn unpack_bits(bitmap: &Bitmap, rows: Range<usize>) -> Vec<bool> {
    let (bytes, start, _) = bitmap.as_slice();
    let bits = Bits::new(bytes, start + rows.start, rows.len());
    let mut truths = memory::zeroed_lazily(rows.len());
    if truths.len() < SHARD_ROWS {
        bits.unpack_into(&mut truths);
    } else {
        let parts = truths.par_chunks_mut(SHARD_ROWS).enumerate();
        RAYON.install(|| {
            parts.for_each(|(number, part)| {
                bits.slice(number * SHARD_ROWS, part.len()).unpack_into(part);
            });
        });
    }
    truths
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A few rows, and enough for several parts, starting within a byte.
    #[test]
    fn each_row_of_a_range() {
        let all: Vec<bool> = (0..3 * SHARD_ROWS).map(|row| row * 37 % 11 < 5).collect();
        let bitmap: Bitmap = all.iter().copied().collect();
        for rows in [0..0, 5..70, 3..3 * SHARD_ROWS - 1] {
            assert_eq!(unpack_bits(&bitmap, rows.clone()), all[rows.clone()]);
            assert_eq!(
                unpack_bits(&bitmap.clone().sliced(2, all.len() - 2), 0..rows.len()),
                all[2..2 + rows.len()]
            );
        }
    }
}
