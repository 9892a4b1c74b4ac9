//! Rows sorted by group: a stable partition by key.
//!
//! Rows are read in order, and each is written to the next offset of its group. Every column is thus read
//! sequentially, whatever the groups are. Threads process blocks of rows, and each block has its offsets in
//! every group. The offsets of very many groups would exceed the cache. Rows then are partitioned into ranges
//! of groups first, and within each range into groups.

use std::borrow::Cow;
use std::ops::Range;
use std::slice::IterMut;

use rayon::prelude::*;

use crate::paths::Path;
use crate::ranking::tasks;
use crate::ranking::tuning::{BLOCK_ROWS, MAX_GROUPS, ROWS_PER_OFFSET, SLICE_ROWS};
use crate::{cache, interrupt, memory};

/// The assignment of rows to groups.
#[derive(Debug)]
pub struct RowGroups<'a> {
    passes: Passes<'a>,
    borders: Vec<usize>,
}

/// The passes of the partition.
#[derive(Debug)]
enum Passes<'a> {
    /// Directly to all groups.
    One(Blocks<'a>),
    /// To ranges of groups, which begin at `starts`, then to groups; `codes` are the groups of the rows,
    /// partitioned by range.
    Two { ranges: Blocks<'a>, starts: Vec<usize>, codes: Vec<u32> },
}

/// Rows with group codes, in blocks that are partitioned into ranges of `2^shift` groups; a shift of 0 makes
/// each group a range.
#[derive(Debug)]
struct Blocks<'a> {
    codes: GroupCodes<'a>,
    shift: u32,
    ranges: usize,
    blocks: Vec<Block>,
}

/// The group of each row.
#[derive(Debug)]
struct GroupCodes<'a> {
    codes: Cow<'a, [u32]>,
    /// The labels, if each code stands for two groups, negatives and positives.
    labels: Option<&'a [bool]>,
}

/// Rows that one thread moves.
#[derive(Debug)]
struct Block {
    rows: Range<usize>,
    /// The number of rows in each range.
    sizes: Vec<u32>,
}

impl<'a> RowGroups<'a> {
    /// From the group of each row; at most `threads` threads work in parallel.
    pub fn new(codes: Cow<'a, [u32]>, groups: usize, threads: usize) -> Self {
        Self::with_limit(GroupCodes { codes, labels: None }, groups, threads, MAX_GROUPS)
    }

    /// From the key and the label of each row: group `2 k` has the negatives of key `k`, group `2 k + 1` its
    /// positives.
    ///
    /// # Panics
    /// Panics if there are 2^31 keys or more, or if the lengths differ.
    pub fn from_classes(keys: &'a [u32], labels: &'a [bool], n_keys: usize, threads: usize) -> Self {
        assert!(n_keys < 1 << 31 && keys.len() == labels.len(), "{n_keys} keys of {} rows", labels.len());
        let codes = GroupCodes { codes: Cow::from(keys), labels: Some(labels) };
        Self::with_limit(codes, 2 * n_keys, threads, MAX_GROUPS)
    }

    fn with_limit(codes: GroupCodes<'a>, groups: usize, threads: usize, max: usize) -> Self {
        if groups <= max || !Path::TwoPasses.is_on() {
            let blocks = Blocks::new(codes, 0, groups, threads);
            return RowGroups { borders: blocks.borders(), passes: Passes::One(blocks) };
        }
        let shift = groups.div_ceil(max / 2).next_power_of_two().trailing_zeros();
        let ranges = Blocks::new(codes, shift, ((groups - 1) >> shift) + 1, threads);
        let (starts, codes) = (ranges.borders(), ranges.by_range(&[&ranges.codes.all()]));
        let mut sizes = vec![0usize; groups];
        let range_rows = sizes.par_chunks_mut(1 << shift).zip(starts.par_windows(2)).enumerate();
        range_rows.for_each(|(number, (sizes, rows))| {
            let first = number << shift;
            codes[rows[0]..rows[1]].iter().for_each(|&code| sizes[code as usize - first] += 1);
        });
        RowGroups { borders: borders(sizes.into_iter()), passes: Passes::Two { ranges, starts, codes } }
    }

    /// The start of each group, and the end of the last one.
    pub fn borders(&self) -> &[usize] {
        &self.borders
    }

    /// Values of rows, partitioned by group; row order is kept within a group.
    pub fn by_group<T: Copy + Default + Send + Sync>(&self, values: &[T]) -> Vec<T> {
        self.chunks_by_group(&[values])
    }

    /// The same for values in chunks, which are not concatenated first.
    ///
    /// # Panics
    /// Panics if the chunks do not have one value per row.
    pub fn chunks_by_group<T: Copy + Default + Send + Sync>(&self, chunks: &[&[T]]) -> Vec<T> {
        match &self.passes {
            Passes::One(blocks) => blocks.by_range(chunks),
            Passes::Two { ranges, starts, codes } => {
                self.by_group_in_ranges(&ranges.by_range(chunks), starts, ranges.shift, codes)
            }
        }
    }

    /// Moves values from the range of their group to the group.
    fn by_group_in_ranges<T: Copy + Default + Send + Sync>(
        &self,
        values: &[T],
        starts: &[usize],
        shift: u32,
        codes: &[u32],
    ) -> Vec<T> {
        let mut all = memory::zeroed_lazily(values.len());
        let mut rest = &mut all[..];
        let mut parts = Vec::with_capacity(starts.len());
        for rows in starts.windows(2) {
            let (part, others) = rest.split_at_mut(rows[1] - rows[0]);
            parts.push((rows[0], part));
            rest = others;
        }
        tasks::par_for_each(
            parts,
            || (),
            |(), number, (start, part): (usize, &mut [T])| {
                let first = number << shift;
                let last = self.borders.len().min(first + (1 << shift) + 1);
                let mut offsets: Vec<u32> =
                    self.borders[first..last].iter().map(|border| (border - start) as u32).collect();
                let rows = start..start + part.len();
                for (&code, &value) in codes[rows.clone()].iter().zip(&values[rows]) {
                    let offset = &mut offsets[code as usize - first];
                    part[*offset as usize] = value;
                    *offset += 1;
                }
            },
        );
        all
    }
}

/// The start of groups of these sizes, and the end of the last one.
fn borders(sizes: impl ExactSizeIterator<Item = usize>) -> Vec<usize> {
    let mut borders = memory::with_capacity(sizes.len() + 1);
    borders.push(0);
    let mut end = 0;
    borders.extend(sizes.map(|size| {
        end += size;
        end
    }));
    borders
}

impl GroupCodes<'_> {
    fn len(&self) -> usize {
        self.codes.len()
    }

    /// The group codes of some rows; class codes are computed into `memory`.
    fn slice<'m>(&'m self, rows: Range<usize>, memory: &'m mut Vec<u32>) -> &'m [u32] {
        let codes = &self.codes[rows.clone()];
        let Some(labels) = self.labels else { return codes };
        let class_code = |(&code, &label): (&u32, &bool)| 2 * code + u32::from(label);
        memory.clear();
        memory.extend(codes.iter().zip(&labels[rows]).map(class_code));
        memory
    }

    /// The group codes of all rows.
    fn all(&self) -> Cow<'_, [u32]> {
        if self.labels.is_none() {
            return Cow::from(&*self.codes);
        }
        let mut all = memory::zeroed_lazily(self.len());
        all.par_chunks_mut(BLOCK_ROWS).enumerate().for_each(|(number, codes)| {
            let first = number * BLOCK_ROWS;
            codes.copy_from_slice(self.slice(first..first + codes.len(), &mut Vec::new()));
        });
        Cow::from(all)
    }
}

impl<'a> Blocks<'a> {
    fn new(codes: GroupCodes<'a>, shift: u32, ranges: usize, threads: usize) -> Self {
        let max = (codes.len() / (ranges * ROWS_PER_OFFSET + BLOCK_ROWS)).clamp(1, threads);
        let rows = codes.len().div_ceil(max).max(1);
        let starts: Vec<usize> = (0..codes.len().max(1)).step_by(rows).collect();
        let block = |start: usize| {
            let rows = start..codes.len().min(start + rows);
            let (mut sizes, mut memory) = (vec![0; ranges], Vec::new());
            for first in rows.clone().step_by(SLICE_ROWS) {
                let codes = codes.slice(first..rows.end.min(first + SLICE_ROWS), &mut memory);
                codes.iter().for_each(|&code| sizes[(code >> shift) as usize] += 1);
            }
            Block { rows, sizes }
        };
        let blocks = starts.into_par_iter().map(block).collect();
        Blocks { codes, shift, ranges, blocks }
    }

    /// The start of each range, and the end of the last one.
    fn borders(&self) -> Vec<usize> {
        let size = |range: usize| self.blocks.iter().map(|block| block.sizes[range] as usize).sum();
        borders((0..self.ranges).map(size))
    }

    /// Values in chunks, partitioned by range.
    fn by_range<T: Copy + Default + Send + Sync>(&self, chunks: &[&[T]]) -> Vec<T> {
        let rows: usize = chunks.iter().map(|chunk| chunk.len()).sum();
        assert!(rows == self.codes.len(), "{rows} values of {} rows", self.codes.len());
        let mut all = memory::zeroed_lazily(rows);
        let mut rest = &mut all[..];
        let slots = |_| Vec::with_capacity(self.ranges);
        let mut block_slots: Vec<Vec<IterMut<'_, T>>> = self.blocks.iter().map(slots).collect();
        for range in 0..self.ranges {
            for (block, slots) in self.blocks.iter().zip(&mut block_slots) {
                let (part, others) = rest.split_at_mut(block.sizes[range] as usize);
                slots.push(part.iter_mut());
                rest = others;
            }
        }
        tasks::par_for_each(
            block_slots,
            || (),
            |(), number, mut slots: Vec<IterMut<'_, T>>| {
                let block = &self.blocks[number];
                let (mut first, mut memory) = (block.rows.start, Vec::new());
                for values in slices(chunks, block.rows.clone()) {
                    interrupt::check();
                    let codes = self.codes.slice(first..first + values.len(), &mut memory);
                    first += values.len();
                    for (&code, &value) in codes.iter().zip(values) {
                        let slots = &mut slots[(code >> self.shift) as usize];
                        // The histogram counted each row of a block, so its range has a slot for it.
                        if let Some(slot) = slots.next() {
                            *slot = value;
                        }
                        cache::prefetch_next_line(slots.as_slice(), 0);
                    }
                }
            },
        );
        all
    }
}

/// The values of these rows, from chunks of all rows, in slices of at most [`SLICE_ROWS`].
fn slices<'a, T>(chunks: &'a [&'a [T]], rows: Range<usize>) -> impl Iterator<Item = &'a [T]> {
    let mut end = 0;
    let in_chunk = move |chunk: &&'a [T]| {
        let start = end;
        end += chunk.len();
        &chunk[rows.start.clamp(start, end) - start..rows.end.clamp(start, end) - start]
    };
    chunks.iter().map(in_chunk).flat_map(|values| values.chunks(SLICE_ROWS))
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

    /// Chunks (possibly empty), split at these rows.
    fn cut<T>(values: &[T], mut cuts: Vec<usize>) -> Vec<&[T]> {
        cuts.sort_unstable();
        let mut rest = values;
        let mut start = 0;
        let mut chunks = Vec::new();
        for end in cuts.into_iter().map(|end| end.min(values.len())) {
            let (chunk, others) = rest.split_at(end - start);
            chunks.push(chunk);
            (rest, start) = (others, end);
        }
        chunks.push(rest);
        chunks
    }

    proptest! {
        #[test]
        fn rows_keep_their_order(
            codes in prop::collection::vec(0u32..37, 0..200),
            max in 2usize..50,
            cuts in prop::collection::vec(0usize..200, 0..5),
        ) {
            let group_codes = GroupCodes { codes: Cow::from(&codes), labels: None };
            let groups = RowGroups::with_limit(group_codes, 37, 2, max);
            let numbers: Vec<i16> = (0..codes.len() as i16).collect();
            prop_assert_eq!(groups.by_group(&numbers), sorted(&codes, &numbers));
            prop_assert_eq!(groups.chunks_by_group(&cut(&numbers, cuts)), sorted(&codes, &numbers));
            let starts: Vec<usize> = (0..38).map(|group| codes.iter().filter(|code| **code < group).count()).collect();
            prop_assert_eq!(groups.borders(), starts);
        }
    }

    proptest! {
        #[test]
        fn negatives_of_a_key_come_first(
            rows in prop::collection::vec((0u32..23, any::<bool>()), 0..200),
            max in 2usize..60,
        ) {
            let (keys, labels): (Vec<u32>, Vec<bool>) = rows.iter().copied().unzip();
            let class_codes: Vec<u32> = rows.iter().map(|&(key, label)| 2 * key + u32::from(label)).collect();
            let codes = || GroupCodes { codes: Cow::from(&keys), labels: Some(&labels) };
            let groups = RowGroups::with_limit(codes(), 46, 2, max);
            let numbers: Vec<i16> = (0..rows.len() as i16).collect();
            prop_assert_eq!(groups.by_group(&numbers), sorted(&class_codes, &numbers));
            let same = RowGroups::new(Cow::from(&class_codes), 46, 2);
            prop_assert_eq!(groups.borders(), same.borders());
            let codes = codes();
            prop_assert_eq!(codes.all(), class_codes);
        }
    }

    #[test]
    fn many_rows_are_moved_in_blocks() {
        let codes: Vec<u32> = (0..300_000u32).map(|row| row.wrapping_mul(2_654_435_761) % 5).collect();
        let groups = RowGroups::new(Cow::from(&codes), 5, 4);
        assert!(matches!(&groups.passes, Passes::One(blocks) if blocks.blocks.len() > 1));
        let numbers: Vec<u32> = (0..300_000).collect();
        assert_eq!(groups.by_group(&numbers), sorted(&codes, &numbers));
        let chunks = cut(&numbers, vec![0, 1, 1, 70_000, 200_000, 300_000]);
        assert_eq!(groups.chunks_by_group(&chunks), sorted(&codes, &numbers));
        let labels: Vec<bool> = codes.iter().map(|&code| code > 2).collect();
        let class_codes: Vec<u32> = codes.iter().map(|&code| 2 * code + u32::from(code > 2)).collect();
        let classes = RowGroups::from_classes(&codes, &labels, 5, 4);
        assert!(matches!(&classes.passes, Passes::One(blocks) if blocks.blocks.len() > 1));
        assert_eq!(classes.chunks_by_group(&chunks), sorted(&class_codes, &numbers));
    }
}
