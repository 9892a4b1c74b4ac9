//! Radix partition: a histogram of the partitions, its prefix sum, and a stable scatter.
//!
//! Rows `c a b a` in the partitions 2, 0, 1, 0 have the histogram `2 1 1`, so the partitions begin at
//! `0 2 3`. The scatter writes each row to the next offset of its partition:
//!
//! ```text
//! offsets  0 2 3   1 (c) -> ...c      offsets  0 2 4   (a) -> a..c
//! offsets  1 2 4   (b) -> a.bc        offsets  1 3 4   (a) -> aabc
//! ```
//!
//! Afterwards each offset is the end of its partition, which is the start of the next one.

use std::ops::AddAssign;

use crate::cache;
use crate::ranking::tuning::TOGETHER;

/// Replaces each count by the sum of the counts before it; returns the total.
pub(in crate::ranking) fn exclusive_prefix_sum<T: Copy + Default + AddAssign>(counts: &mut [T]) -> T {
    let mut sum = T::default();
    for count in counts {
        sum += std::mem::replace(count, sum);
    }
    sum
}

/// Writes at most [`TOGETHER`] rows to their partitions; `offsets` are the next offset of each partition.
#[inline(always)]
pub(in crate::ranking) fn scatter<R>(
    partitions: &[u16],
    rows: impl Iterator<Item = R>,
    offsets: &mut [u32],
    to: &mut [R],
) {
    debug_assert!(partitions.len() <= TOGETHER);
    // First all offsets, then all rows. In a single loop the compiler would reload `offsets` after each row,
    // since the written row may alias it.
    let mut slots = [0; TOGETHER];
    for (slot, &partition) in slots.iter_mut().zip(partitions) {
        let offset = &mut offsets[usize::from(partition)];
        *slot = *offset;
        *offset += 1;
    }
    for (&offset, row) in slots[..partitions.len()].iter().zip(rows) {
        to[offset as usize] = row;
        // Measured on 10^7 rows: the AUC takes 1/16 less time; prefetching two lines ahead is no faster.
        cache::prefetch_next_line(to, offset as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_partition_is_a_stable_sort(rows in proptest::collection::vec((0u16..6, any::<u16>()), 0..3000)) {
            let mut offsets = vec![0; 6];
            rows.iter().for_each(|row| offsets[usize::from(row.0)] += 1);
            prop_assert_eq!(exclusive_prefix_sum(&mut offsets) as usize, rows.len());
            let mut to = vec![(0, 0); rows.len()];
            for rows in rows.chunks(TOGETHER) {
                let partitions: Vec<u16> = rows.iter().map(|row| row.0).collect();
                scatter(&partitions, rows.iter().copied(), &mut offsets, &mut to);
            }
            let mut expected = rows.clone();
            expected.sort_by_key(|row| row.0);
            let ends: Vec<u32> = (0..6).map(|partition| rows.iter().filter(|row| row.0 <= partition).count() as u32).collect();
            prop_assert_eq!((to, offsets), (expected, ends));
        }
    }
}
