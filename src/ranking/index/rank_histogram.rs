//! A histogram of one class by rank among the indexed keys of the other class.
//!
//! The bounds of a key are the number of indexed keys below it and the number not above it. They do not
//! require sorted indexed keys. Sums over ranks and the largest distance of the curve from the diagonal
//! therefore need only an index and look-ups.

use super::Index;
use super::look_ups::LookUpFn;
use crate::ranking::scores::Key;
use crate::ranking::ties::{placements::Moments, steps::Runs};

/// Bounds of a key in each class: keys below it, and keys not above it.
///
/// When equal indexed keys are visited one by one, `indexed_upper` grows by one each time. So does
/// `indexed_lower`, unless the visitor distinguishes equal keys (`TIES`).
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::ranking) struct Ranks {
    pub indexed_lower: u32,
    pub indexed_upper: u32,
    pub others_lower: u32,
    pub others_upper: u32,
}

impl Ranks {
    /// Twice the other keys below the key, plus the other keys equal to it.
    #[inline(always)]
    pub fn among_others(self) -> u64 {
        u64::from(self.others_lower) + u64::from(self.others_upper)
    }
}

/// An index of one class and counts of the keys of the other class. Memory is reused.
#[derive(Debug, Default)]
pub(in crate::ranking) struct RankHistogram<K> {
    pub index: Index<K>,
    /// For each number `n` of indexed keys: the other keys with `n` indexed keys below them.
    counts: Vec<u32>,
    /// Over the other keys that equal an indexed key: how many have `n` indexed keys below them, minus how
    /// many have `n` not above them. The prefix sum up to an indexed key is the number of other keys equal to
    /// it.
    tied: Vec<u32>,
    sums: TiedSums,
}

/// Sums over all other keys with `equal > 0`: each has `below` indexed keys below it and `equal` equal ones.
#[derive(Clone, Copy, Debug, Default)]
struct TiedSums {
    /// Sum of `equal`.
    sum: u64,
    /// Sum of `(2 below + equal)² - (2 below)²`.
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
    /// The indexed keys need not be sorted: their bounds depend only on the set of keys.
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

    /// Visits the indexed keys after [`RankHistogram::count`], lowest first; equal keys one by one. With
    /// `TIES` the index must be sorted, and `indexed_lower` excludes equal keys.
    ///
    /// With `SUMS` it returns the moments of the ranks of both classes; otherwise zeros. A rank is twice the
    /// number of keys of the other class below a key, plus the number equal to it.
    #[inline(always)]
    pub fn each_rank<const TIES: bool, const SUMS: bool>(
        &self,
        mut visit: impl FnMut(Ranks),
    ) -> [Moments<u128>; 2] {
        let (counts, last) = self.counts.split_at(self.counts.len() - 1);
        // With fewer than 2^32 rows, sums of ranks fit 64 bits: the bound is twice the number of pairs.
        let (mut sum, mut squares) = (0, 0);
        // Keys below other keys, counted once each.
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

    /// Visits the segments of the curve, highest scores first, after [`RankHistogram::count`] and
    /// [`Index::order`]. `indexed_pos` is true if the positives are indexed.
    pub fn for_each_segment(&self, indexed_pos: bool, runs: &mut Runs<'_, '_>) {
        let mut pass = |key: u128, indexed: u32, others: u32| {
            let (pos, neg) = if indexed_pos { (indexed, others) } else { (others, indexed) };
            runs.push(key, pos.into(), neg.into());
        };
        let (keys, counts, all_tied) = (&self.index.keys[..], &self.counts[..], &self.tied[..]);
        let mut end = keys.len();
        // Summed from the highest number down, `tied` cancels each other key that equals a higher indexed
        // key. The rest is minus the number of other keys that equal the next lower indexed key.
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
