//! Merges the sorted bins of two states.

use std::hint::select_unpredictable;

use super::state::State;
use super::tuning::MERGE_BLOCK;
use crate::ranking::scores::Key;
use crate::ranking::ties::{Count, CountValue, Counts};

/// The merged bins, and a flag for each with a single score; without a partition, no flags if all have one.
///
/// With `BY_INTERVAL`, bins of one interval are merged. Each state then comes with the intervals of its bins,
/// which are distinct.
pub(super) fn merged_bins<K: Key, T: CountValue, const BY_INTERVAL: bool>(
    one: (&State<T>, &[u64]),
    other: (&State<T>, &[u64]),
) -> (Counts<T>, Vec<bool>) {
    let score_type = one.0.bins.score_type();
    let mut all_tied = !BY_INTERVAL;
    let both = [one, other].map(|(state, intervals)| {
        all_tied &= state.tied.is_empty();
        Bins::<K, T>::new(state, intervals)
    });
    let merged = if all_tied {
        MergedBins::from_both::<BY_INTERVAL, true>(both)
    } else {
        MergedBins::from_both::<BY_INTERVAL, false>(both)
    };
    (Counts::from_parts(merged.keys.into(), merged.counts, score_type), merged.tied)
}

/// Sorted bins.
struct MergedBins<K, T> {
    keys: Vec<K>,
    counts: Vec<Count<T>>,
    /// Empty if all bins are tied.
    tied: Vec<bool>,
}

impl<K: Key, T: CountValue> MergedBins<K, T> {
    /// Merges all bins of both.
    fn from_both<const BY_INTERVAL: bool, const ALL_TIED: bool>(both: [Bins<'_, K, T>; 2]) -> Self {
        let max = both[0].keys.len() + both[1].keys.len();
        let mut merged = MergedBins {
            keys: Vec::with_capacity(max),
            counts: Vec::with_capacity(max),
            tied: Vec::with_capacity(if ALL_TIED { 0 } else { max }),
        };
        merged.push_all::<BY_INTERVAL, ALL_TIED>(both);
        merged
    }

    /// Appends a block, and removes its bins from both inputs.
    fn push<const ALL_TIED: bool>(&mut self, block: &MergedBlock<K, T>, both: &mut [Bins<'_, K, T>; 2]) {
        self.keys.extend_from_slice(&block.keys);
        self.counts.extend_from_slice(&block.counts);
        if !ALL_TIED {
            self.tied.extend_from_slice(&block.tied);
        }
        for (bins, from) in both.iter_mut().zip(block.from) {
            *bins = bins.split_at(from).1;
        }
    }

    /// Merges and appends all bins of both.
    fn push_all<const BY_INTERVAL: bool, const ALL_TIED: bool>(&mut self, mut both: [Bins<'_, K, T>; 2]) {
        let mut merged = MergedBlock::default();
        while let [Some(ours), Some(others)] = both.map(|bins| bins.block()) {
            merged.fill::<BY_INTERVAL, ALL_TIED>(&ours, &others);
            self.push::<ALL_TIED>(&merged, &mut both);
        }
        let mut indices = [0; 2];
        while let [Some(ours), Some(others)] = [0, 1].map(|side: usize| both[side].bin(indices[side])) {
            let merged = merged_bin::<K, T, BY_INTERVAL>(ours, others);
            self.keys.push(merged.key);
            self.counts.push(merged.count);
            if !ALL_TIED {
                self.tied.push(merged.tied);
            }
            indices = [indices[0] + merged.from[0], indices[1] + merged.from[1]];
        }
        for (bins, index) in both.iter().zip(indices) {
            let rest = bins.split_at(index).1;
            self.keys.extend_from_slice(rest.keys);
            self.counts.extend_from_slice(rest.counts);
            if !ALL_TIED {
                self.tied.extend((0..rest.keys.len()).map(|bin| rest.is_tied(bin)));
            }
        }
    }
}

/// A slice of the bins of a state.
#[derive(Clone, Copy)]
struct Bins<'a, K, T> {
    keys: &'a [K],
    counts: &'a [Count<T>],
    /// Empty unless bins are merged by interval.
    intervals: &'a [u64],
    /// Empty if all bins are tied.
    tied: &'a [bool],
}

/// A bin, with its interval if bins are merged by interval.
#[derive(Clone, Copy)]
struct Bin<K, T> {
    key: K,
    count: Count<T>,
    interval: u64,
    tied: bool,
}

/// Consecutive bins.
struct Block<'a, K, T> {
    keys: &'a [K; MERGE_BLOCK],
    counts: &'a [Count<T>; MERGE_BLOCK],
    intervals: &'a [u64; MERGE_BLOCK],
    tied: &'a [bool; MERGE_BLOCK],
}

impl<'a, K: Key, T: CountValue> Bins<'a, K, T> {
    fn new(state: &'a State<T>, intervals: &'a [u64]) -> Self {
        let (keys, counts) = state.columns();
        Bins { keys, counts, intervals, tied: &state.tied }
    }

    /// Splits into the bins before an index and the rest.
    fn split_at(self, index: usize) -> (Self, Self) {
        fn parts<V>(values: &[V], index: usize) -> (&[V], &[V]) {
            values.split_at(index.min(values.len()))
        }
        let (keys, counts) = (parts(self.keys, index), parts(self.counts, index));
        let (intervals, tied) = (parts(self.intervals, index), parts(self.tied, index));
        (
            Bins { keys: keys.0, counts: counts.0, intervals: intervals.0, tied: tied.0 },
            Bins { keys: keys.1, counts: counts.1, intervals: intervals.1, tied: tied.1 },
        )
    }

    fn is_tied(&self, bin: usize) -> bool {
        self.tied.get(bin).is_none_or(|&tied| tied)
    }

    /// The bin at an index.
    fn bin(&self, index: usize) -> Option<Bin<K, T>> {
        Some(Bin {
            key: *self.keys.get(index)?,
            count: self.counts[index],
            interval: self.intervals.get(index).copied().unwrap_or_default(),
            tied: self.is_tied(index),
        })
    }

    /// The first block of bins, if there are enough.
    fn block(&self) -> Option<Block<'a, K, T>> {
        Some(Block {
            keys: self.keys.first_chunk()?,
            counts: self.counts.first_chunk()?,
            intervals: self.intervals.first_chunk().unwrap_or(&[0; MERGE_BLOCK]),
            tied: self.tied.first_chunk().unwrap_or(&[true; MERGE_BLOCK]),
        })
    }
}

impl<K: Key, T: CountValue> Block<'_, K, T> {
    #[inline(always)]
    fn bin(&self, at: usize) -> Bin<K, T> {
        Bin { key: self.keys[at], count: self.counts[at], interval: self.intervals[at], tied: self.tied[at] }
    }
}

/// The higher of two bins, or their sum, and the number of bins taken from each input.
struct MergedBin<K, T> {
    key: K,
    count: Count<T>,
    tied: bool,
    from: [usize; 2],
}

/// Merges the next bins, without an unpredictable branch.
#[inline(always)]
fn merged_bin<K: Key, T: CountValue, const BY_INTERVAL: bool>(
    ours: Bin<K, T>,
    others: Bin<K, T>,
) -> MergedBin<K, T> {
    let is_same = if BY_INTERVAL { ours.interval == others.interval } else { ours.key == others.key };
    let (is_ours, is_others) = (is_same | (ours.key > others.key), is_same | (others.key > ours.key));
    let part = |is_present: bool, count: Count<T>| select_unpredictable(is_present, count, Count::default());
    let (low, high) = (ours.key.min(others.key), ours.key.max(others.key));
    let tied = (!is_ours | ours.tied) & (!is_others | others.tied);
    MergedBin {
        key: if BY_INTERVAL { select_unpredictable(is_same, low, high) } else { high },
        count: part(is_ours, ours.count).plus(part(is_others, others.count)),
        tied: if BY_INTERVAL { tied & (!is_same | (low == high)) } else { tied },
        from: [usize::from(is_ours), usize::from(is_others)],
    }
}

/// One block of merged bins, and the number of bins taken from each input.
#[derive(Clone, Copy)]
struct MergedBlock<K, T> {
    keys: [K; MERGE_BLOCK],
    counts: [Count<T>; MERGE_BLOCK],
    tied: [bool; MERGE_BLOCK],
    from: [usize; 2],
}

impl<K: Key, T: CountValue> Default for MergedBlock<K, T> {
    fn default() -> Self {
        MergedBlock {
            keys: [K::default(); MERGE_BLOCK],
            counts: [Count::default(); MERGE_BLOCK],
            tied: [true; MERGE_BLOCK],
            from: [0; 2],
        }
    }
}

impl<K: Key, T: CountValue> MergedBlock<K, T> {
    /// Merges one block of bins. Both inputs have enough bins for the block, so no step checks for the end.
    #[inline]
    fn fill<const BY_INTERVAL: bool, const ALL_TIED: bool>(
        &mut self,
        ours: &Block<'_, K, T>,
        others: &Block<'_, K, T>,
    ) {
        let mut from = [0; 2];
        for step in 0..MERGE_BLOCK {
            let bin = merged_bin::<K, T, BY_INTERVAL>(
                ours.bin(from[0] % MERGE_BLOCK),
                others.bin(from[1] % MERGE_BLOCK),
            );
            (self.keys[step], self.counts[step]) = (bin.key, bin.count);
            if !ALL_TIED {
                self.tied[step] = bin.tied;
            }
            from = [from[0] + bin.from[0], from[1] + bin.from[1]];
        }
        self.from = from;
    }
}
