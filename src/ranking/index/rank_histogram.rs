//! One class counted by its ranks among the indexed keys of the other class.
//!
//! The bounds of a key are how many indexed keys are below a key, and how many are not above it. The indexed keys need not be in
//! order for it. So the sums over ranks, and the largest distance of the curve from the diagonal, take an index and
//! the look-ups of the other class.

use super::Index;
use super::look_ups::LookUpFn;
use crate::ranking::scores::Key;
use crate::ranking::ties::{placements::Moments, steps::Runs};

/// How many keys of each class are below a key, and how many are not above it.
///
/// Where equal indexed keys are visited one after the other, `indexed_upper` is one more each time. `indexed_lower` is one more
/// as well, unless the visitor knows which keys are equal.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::ranking) struct Ranks {
    pub indexed_lower: u32,
    pub indexed_upper: u32,
    pub others_lower: u32,
    pub others_upper: u32,
}

impl Ranks {
    /// Twice the other keys below the key, and once those equal to it.
    #[inline(always)]
    pub fn among_others(self) -> u64 {
        u64::from(self.others_lower) + u64::from(self.others_upper)
    }
}

/// One class indexed, and the keys of the other class counted. Keeps its memory from use to use.
#[derive(Debug, Default)]
pub(in crate::ranking) struct RankHistogram<K> {
    pub index: Index<K>,
    /// For each number of indexed keys, the other keys that have so many below them, ...
    counts: Vec<u32>,
    /// ... and, of those other keys that equal an indexed key, how many have so many indexed keys below them, less how many
    /// have so many not above them. Summed from the lowest number up to that of an indexed key, it is how many equal it.
    tied: Vec<u32>,
    sums: TiedSums,
}

/// Sums over all other keys that equal an indexed key, each of which has `below` indexed keys below it and `equal` equal ones.
#[derive(Clone, Copy, Debug, Default)]
struct TiedSums {
    /// Of `equal`.
    sum: u64,
    /// Of `(2 below + equal)² - (2 below)²`.
    squares: u128,
}

impl TiedSums {
    #[inline(always)]
    fn add(&mut self, below: u64, equal: u64) {
        self.sum += equal;
        self.squares += u128::from(equal) * u128::from(4 * below + equal);
    }
}

impl<K: Key> RankHistogram<K> {
    /// Counts the keys in `pieces` by their bounds among the indexed keys.
    ///
    /// The indexed keys need not be in order: as many of them are below another key, whichever these are.
    pub fn count(&mut self, look_up: LookUpFn<K>, pieces: &[&[K]]) {
        let RankHistogram { index, counts, tied, sums } = self;
        for counters in [&mut *counts, &mut *tied] {
            counters.clear();
            counters.resize(index.keys.len() + 1, 0);
        }
        *sums = TiedSums::default();
        look_up(index, pieces, &mut |bounds| {
            bounds.lower.iter().for_each(|&lower| counts[lower as usize] += 1);
            if !bounds.any_equal {
                return;
            }
            for (&lower, &upper) in bounds.lower.iter().zip(bounds.upper) {
                if lower < upper {
                    tied[lower as usize] = tied[lower as usize].wrapping_add(1);
                    tied[upper as usize] = tied[upper as usize].wrapping_sub(1);
                    sums.add(lower.into(), (upper - lower).into());
                }
            }
        });
    }

    /// Visits the indexed keys after [`RankHistogram::count`], from the lowest up; equal keys one by one. With `TIES` the index is in
    /// order, and `indexed_lower` leaves out equal keys.
    ///
    /// With `SUMS` it returns the moments of the ranks of the indexed keys, and of the
    /// others; else zeros. A rank is twice the keys of the other class below a key and once those equal to it.
    #[inline(always)]
    pub fn each_rank<const TIES: bool, const SUMS: bool>(
        &self,
        mut visit: impl FnMut(Ranks),
    ) -> [Moments<u128>; 2] {
        let (counts, last) = self.counts.split_at(self.counts.len() - 1);
        // With fewer than 2^32 rows, sums of ranks fit 64 bits: none is more than twice all pairs.
        let (mut sum, mut squares) = (0, 0);
        // Of the keys below other keys, each once.
        let (mut sum_of_others, mut squares_of_others) = (0, 0);
        let mut add_others = |rows: u32, below: usize| {
            let all_below = u64::from(rows) * below as u64;
            sum_of_others += all_below;
            squares_of_others += u128::from(all_below) * below as u128;
        };
        let (mut upper, mut equal) = (0, 0u32);
        let mut first = 0;
        for (key, (&more, &tied)) in counts.iter().zip(&self.tied).enumerate() {
            if SUMS {
                add_others(more, key);
            }
            upper += more;
            equal = equal.wrapping_add(tied);
            if !TIES || key == 0 || self.index.keys[key] != self.index.keys[key - 1] {
                first = key as u32;
            }
            let (indexed_lower, indexed_upper) = (first, key as u32 + 1);
            let ranks =
                Ranks { indexed_lower, indexed_upper, others_lower: upper - equal, others_upper: upper };
            if SUMS {
                sum += ranks.among_others();
                squares += u128::from(ranks.among_others()) * u128::from(ranks.among_others());
            }
            visit(ranks);
        }
        if !SUMS {
            return Default::default();
        }
        add_others(last[0], counts.len());
        [
            Moments { rows: counts.len() as u128, sum: sum.into(), squares },
            Moments {
                rows: u128::from(upper + last[0]),
                sum: u128::from(2 * sum_of_others + self.sums.sum),
                squares: 4 * squares_of_others + self.sums.squares,
            },
        ]
    }

    /// The segments of the curve after [`RankHistogram::count`] and [`Index::order`], from the highest scores down; `indexed_pos`
    /// says which class is indexed.
    pub fn for_each_segment(&self, indexed_pos: bool, runs: &mut Runs<'_, '_>) {
        let mut pass = |key: u128, indexed: u32, others: u32| {
            let (pos, neg) = if indexed_pos { (indexed, others) } else { (others, indexed) };
            runs.push(key, pos.into(), neg.into());
        };
        let (keys, counts, all_tied) = (&self.index.keys[..], &self.counts[..], &self.tied[..]);
        let mut end = keys.len();
        // Summed from the highest number down, `tied` has each other key that equals a higher indexed key twice, once with
        // each sign. What is left is the negative number of those that equal the next lower indexed key.
        let mut tied = all_tied[end];
        pass(0, 0, counts[end]);
        while end > 0 {
            let key = keys[end - 1];
            let mut start = end - 1;
            while start > 0 && keys[start - 1] == key {
                start -= 1;
            }
            let equal = tied.wrapping_neg();
            tied = tied.wrapping_add(all_tied[start]);
            pass(key.wide(), (end - start) as u32, equal);
            pass(0, 0, counts[start] - equal);
            end = start;
        }
    }
}
