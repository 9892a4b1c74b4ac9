//! Rows group after group: those of each key side by side.
//!
//! Rows are read in their order, and each goes to the next place of its group. So a column is read from end to end
//! whatever the groups are. Threads take blocks of rows, and each block has places of its own in every group. The next
//! places of very many groups would not fit into a cache: rows then go to ranges of groups first, and from there to
//! their groups, range by range.

use std::borrow::Cow;
use std::ops::Range;
use std::slice::IterMut;

use rayon::prelude::*;

use crate::ranking::tasks;
use crate::ranking::tuning::{BLOCK_ROWS, MOST_GROUPS, ROWS_PER_PLACE};
use crate::{cache, interrupt, memory};

/// Which rows are in which group.
#[derive(Debug)]
pub struct RowGroups<'a> {
    moves: Moves<'a>,
    borders: Vec<usize>,
}

/// How rows go to their groups.
#[derive(Debug)]
enum Moves<'a> {
    /// To all groups at once.
    Once(Blocks<'a>),
    /// To ranges of groups, which begin at `starts`, and then to their groups; with the groups of rows that are in their
    /// range.
    Twice { ranges: Blocks<'a>, starts: Vec<usize>, codes: Vec<u32> },
}

/// Rows with the group of each, in blocks that go to ranges of `2^shift` groups; without a shift, a range is a group.
#[derive(Debug)]
struct Blocks<'a> {
    codes: Cow<'a, [u32]>,
    shift: u32,
    ranges: usize,
    blocks: Vec<Block>,
}

/// Rows that one thread moves.
#[derive(Debug)]
struct Block {
    rows: Range<usize>,
    /// How many of them are in each range.
    sizes: Vec<u32>,
}

impl<'a> RowGroups<'a> {
    /// From the group of each row, of so many groups; `threads` may work at once.
    pub fn of(codes: Cow<'a, [u32]>, groups: usize, threads: usize) -> Self {
        Self::of_at_most(codes, groups, threads, MOST_GROUPS)
    }

    fn of_at_most(codes: Cow<'a, [u32]>, groups: usize, threads: usize, most: usize) -> Self {
        if groups <= most {
            let blocks = Blocks::of(codes, 0, groups, threads);
            return RowGroups { borders: blocks.borders(), moves: Moves::Once(blocks) };
        }
        let shift = groups.div_ceil(most / 2).next_power_of_two().trailing_zeros();
        let ranges = Blocks::of(codes, shift, ((groups - 1) >> shift) + 1, threads);
        let (starts, codes) = (ranges.borders(), ranges.by_range(&[&ranges.codes]));
        let mut sizes = vec![0usize; groups];
        let of_ranges = sizes.par_chunks_mut(1 << shift).zip(starts.par_windows(2)).enumerate();
        of_ranges.for_each(|(number, (sizes, rows))| {
            let first = number << shift;
            codes[rows[0]..rows[1]].iter().for_each(|&code| sizes[code as usize - first] += 1);
        });
        RowGroups { borders: borders(sizes.into_iter()), moves: Moves::Twice { ranges, starts, codes } }
    }

    /// Where each group begins, and the last one ends.
    pub fn borders(&self) -> &[usize] {
        &self.borders
    }

    /// Values of rows, group after group; within a group in their order.
    pub fn by_group<T: Copy + Default + Send + Sync>(&self, values: &[T]) -> Vec<T> {
        self.chunks_by_group(&[values])
    }

    /// The same of values in chunks, which are not joined before.
    ///
    /// # Panics
    /// If the chunks do not have a value for each row.
    pub fn chunks_by_group<T: Copy + Default + Send + Sync>(&self, chunks: &[&[T]]) -> Vec<T> {
        match &self.moves {
            Moves::Once(blocks) => blocks.by_range(chunks),
            Moves::Twice { ranges, starts, codes } => {
                self.by_group_in_ranges(&ranges.by_range(chunks), starts, ranges.shift, codes)
            }
        }
    }

    /// Moves values that are in the range of their group to the group.
    fn by_group_in_ranges<T: Copy + Default + Send + Sync>(
        &self,
        values: &[T],
        starts: &[usize],
        shift: u32,
        codes: &[u32],
    ) -> Vec<T> {
        let mut all = memory::default_values(values.len());
        let mut rest = &mut all[..];
        let mut parts = Vec::with_capacity(starts.len());
        for rows in starts.windows(2) {
            let (own, others) = rest.split_at_mut(rows[1] - rows[0]);
            parts.push((rows[0], own));
            rest = others;
        }
        tasks::each_item(
            parts,
            || (),
            |(), number, (start, own): (usize, &mut [T])| {
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
            },
        );
        all
    }
}

/// Where groups of these sizes begin, and the last one ends.
fn borders(sizes: impl ExactSizeIterator<Item = usize>) -> Vec<usize> {
    let mut borders = memory::with_room(sizes.len() + 1);
    borders.push(0);
    let mut end = 0;
    borders.extend(sizes.map(|size| {
        end += size;
        end
    }));
    borders
}

impl<'a> Blocks<'a> {
    fn of(codes: Cow<'a, [u32]>, shift: u32, ranges: usize, threads: usize) -> Self {
        let most = (codes.len() / (ranges * ROWS_PER_PLACE + BLOCK_ROWS)).clamp(1, threads);
        let rows = codes.len().div_ceil(most).max(1);
        let starts: Vec<usize> = (0..codes.len().max(1)).step_by(rows).collect();
        let block = |start: usize| {
            let rows = start..codes.len().min(start + rows);
            let mut sizes = vec![0; ranges];
            codes[rows.clone()].iter().for_each(|&code| sizes[(code >> shift) as usize] += 1);
            Block { rows, sizes }
        };
        let blocks = starts.into_par_iter().map(block).collect();
        Blocks { codes, shift, ranges, blocks }
    }

    /// Where each range begins, and the last one ends.
    fn borders(&self) -> Vec<usize> {
        let size = |range: usize| self.blocks.iter().map(|block| block.sizes[range] as usize).sum();
        borders((0..self.ranges).map(size))
    }

    /// Values in chunks, range after range.
    fn by_range<T: Copy + Default + Send + Sync>(&self, chunks: &[&[T]]) -> Vec<T> {
        let rows: usize = chunks.iter().map(|chunk| chunk.len()).sum();
        assert!(rows == self.codes.len(), "{rows} values of {} rows", self.codes.len());
        let mut all = memory::default_values(rows);
        let mut rest = &mut all[..];
        let places = |_| Vec::with_capacity(self.ranges);
        let mut of_blocks: Vec<Vec<IterMut<'_, T>>> = self.blocks.iter().map(places).collect();
        for range in 0..self.ranges {
            for (block, places) in self.blocks.iter().zip(&mut of_blocks) {
                let (own, others) = rest.split_at_mut(block.sizes[range] as usize);
                places.push(own.iter_mut());
                rest = others;
            }
        }
        tasks::each_item(
            of_blocks,
            || (),
            |(), number, mut places: Vec<IterMut<'_, T>>| {
                let block = &self.blocks[number];
                let mut rest = &self.codes[block.rows.clone()];
                for values in slices(chunks, block.rows.clone()) {
                    interrupt::check();
                    let (codes, others) = rest.split_at(values.len());
                    rest = others;
                    for (&code, &value) in codes.iter().zip(values) {
                        let places = &mut places[(code >> self.shift) as usize];
                        // Each row of a block was counted, so its range has a place for it.
                        if let Some(place) = places.next() {
                            *place = value;
                        }
                        cache::expect_next_line(places.as_slice(), 0);
                    }
                }
            },
        );
        all
    }
}

/// The values of these rows in slices of at most [`BLOCK_ROWS`], from chunks of all rows.
fn slices<'a, T>(chunks: &'a [&'a [T]], rows: Range<usize>) -> impl Iterator<Item = &'a [T]> {
    let mut end = 0;
    let in_chunk = move |chunk: &&'a [T]| {
        let start = end;
        end += chunk.len();
        &chunk[rows.start.clamp(start, end) - start..rows.end.clamp(start, end) - start]
    };
    chunks.iter().map(in_chunk).flat_map(|values| values.chunks(BLOCK_ROWS))
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

    /// Values in chunks, some of which may be empty, cut before these rows.
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
            most in 2usize..50,
            cuts in prop::collection::vec(0usize..200, 0..5),
        ) {
            let groups = RowGroups::of_at_most(Cow::from(&codes), 37, 2, most);
            let numbers: Vec<i16> = (0..codes.len() as i16).collect();
            prop_assert_eq!(groups.by_group(&numbers), sorted(&codes, &numbers));
            prop_assert_eq!(groups.chunks_by_group(&cut(&numbers, cuts)), sorted(&codes, &numbers));
            let starts: Vec<usize> = (0..38).map(|group| codes.iter().filter(|code| **code < group).count()).collect();
            prop_assert_eq!(groups.borders(), starts);
        }
    }

    #[test]
    fn many_rows_are_moved_in_blocks() {
        let codes: Vec<u32> = (0..300_000u32).map(|row| row.wrapping_mul(2_654_435_761) % 5).collect();
        let groups = RowGroups::of(Cow::from(&codes), 5, 4);
        assert!(matches!(&groups.moves, Moves::Once(blocks) if blocks.blocks.len() > 1));
        let numbers: Vec<u32> = (0..300_000).collect();
        assert_eq!(groups.by_group(&numbers), sorted(&codes, &numbers));
        let chunks = cut(&numbers, vec![0, 1, 1, 70_000, 200_000, 300_000]);
        assert_eq!(groups.chunks_by_group(&chunks), sorted(&codes, &numbers));
    }
}
