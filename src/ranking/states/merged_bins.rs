//! The bins of two states, in order.

use std::hint::select_unpredictable;

use super::state::State;
use crate::ranking::scores::Key;
use crate::ranking::ties::counts::{Count, Counts, Tally};
use crate::ranking::tuning::{MERGED_BINS, TWO_MERGES_BINS};

/// The bins of both, and which of them have one score; without a partition, empty if all have.
///
/// With `BY_INTERVAL`, bins of one interval are one bin. Each state then comes with the intervals of its bins, none of which is
/// there twice.
pub(super) fn merged_bins<K: Key, T: Tally, const BY_INTERVAL: bool>(
    one: (&State<T>, &[u64]),
    other: (&State<T>, &[u64]),
) -> (Counts<T>, Vec<bool>) {
    let score_type = one.0.bins.score_type();
    let mut all_tied = !BY_INTERVAL;
    let both = [one, other].map(|(state, intervals)| {
        all_tied &= state.tied.is_empty();
        Bins::<K, T>::of(state, intervals)
    });
    let merged = if all_tied {
        MergedBins::of_all::<BY_INTERVAL, true>(both)
    } else {
        MergedBins::of_all::<BY_INTERVAL, false>(both)
    };
    (Counts::from_parts(merged.keys.into(), merged.counts, score_type), merged.tied)
}

/// Bins in order.
struct MergedBins<K, T> {
    keys: Vec<K>,
    counts: Vec<Count<T>>,
    /// Empty if all are tied.
    tied: Vec<bool>,
}

impl<K: Key, T: Tally> MergedBins<K, T> {
    /// All bins of both.
    fn of_all<const BY_INTERVAL: bool, const ALL_TIED: bool>(both: [Bins<'_, K, T>; 2]) -> Self {
        let mut merged = MergedBins::with_room::<ALL_TIED>(&both);
        if both.iter().any(|bins| bins.keys.len() < TWO_MERGES_BINS) {
            merged.push_all::<BY_INTERVAL, ALL_TIED>(both);
            return merged;
        }
        // Each step of a merge waits for the one before it. Two merges take turns, so that one does not wait for the other.
        let [mut high, mut low] = halves::<K, T, BY_INTERVAL>(both);
        let mut lower = MergedBins::with_room::<ALL_TIED>(&low);
        let mut both_merged = [MergedBlock::default(); 2];
        while let (Some(of_high), Some(of_low)) = (blocks(&high), blocks(&low)) {
            merge_blocks::<K, T, 2, BY_INTERVAL, ALL_TIED>([of_high, of_low], &mut both_merged);
            merged.push::<ALL_TIED>(&both_merged[0], &mut high);
            lower.push::<ALL_TIED>(&both_merged[1], &mut low);
        }
        merged.push_all::<BY_INTERVAL, ALL_TIED>(high);
        lower.push_all::<BY_INTERVAL, ALL_TIED>(low);
        merged.keys.append(&mut lower.keys);
        merged.counts.append(&mut lower.counts);
        merged.tied.append(&mut lower.tied);
        merged
    }

    /// No bins yet, and room for those of both.
    fn with_room<const ALL_TIED: bool>(both: &[Bins<'_, K, T>; 2]) -> Self {
        let room = both[0].keys.len() + both[1].keys.len();
        MergedBins {
            keys: Vec::with_capacity(room),
            counts: Vec::with_capacity(room),
            tied: Vec::with_capacity(if ALL_TIED { 0 } else { room }),
        }
    }

    /// Appends a block, and leaves out of both what it holds.
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

    /// Appends all bins of both.
    fn push_all<const BY_INTERVAL: bool, const ALL_TIED: bool>(&mut self, mut both: [Bins<'_, K, T>; 2]) {
        let mut merged = [MergedBlock::default()];
        while let Some(of_both) = blocks(&both) {
            merge_blocks::<K, T, 1, BY_INTERVAL, ALL_TIED>([of_both], &mut merged);
            self.push::<ALL_TIED>(&merged[0], &mut both);
        }
        let mut places = [0; 2];
        while let [Some(own), Some(others)] = [0, 1].map(|side: usize| both[side].bin(places[side])) {
            let merged = merged_bin::<K, T, BY_INTERVAL>(own, others);
            self.keys.push(merged.key);
            self.counts.push(merged.count);
            if !ALL_TIED {
                self.tied.push(merged.tied);
            }
            places = [places[0] + merged.from[0], places[1] + merged.from[1]];
        }
        for (bins, place) in both.iter().zip(places) {
            let rest = bins.split_at(place).1;
            self.keys.extend_from_slice(rest.keys);
            self.counts.extend_from_slice(rest.counts);
            if !ALL_TIED {
                self.tied.extend((0..rest.keys.len()).map(|bin| rest.is_tied(bin)));
            }
        }
    }
}

/// Some bins of a state.
#[derive(Clone, Copy)]
struct Bins<'a, K, T> {
    keys: &'a [K],
    counts: &'a [Count<T>],
    /// Empty where bins are not merged by intervals.
    intervals: &'a [u64],
    /// Empty if all are tied.
    tied: &'a [bool],
}

/// A bin, with its interval if bins are merged by intervals.
#[derive(Clone, Copy)]
struct Bin<K, T> {
    key: K,
    count: Count<T>,
    interval: u64,
    tied: bool,
}

/// Neighbouring bins.
struct Block<'a, K, T> {
    keys: &'a [K; MERGED_BINS],
    counts: &'a [Count<T>; MERGED_BINS],
    intervals: &'a [u64; MERGED_BINS],
    tied: &'a [bool; MERGED_BINS],
}

impl<'a, K: Key, T: Tally> Bins<'a, K, T> {
    fn of(state: &'a State<T>, intervals: &'a [u64]) -> Self {
        let (keys, counts) = state.columns();
        Bins { keys, counts, intervals, tied: &state.tied }
    }

    /// The bins before a place, and those from there on.
    fn split_at(self, place: usize) -> (Self, Self) {
        fn parts<V>(values: &[V], place: usize) -> (&[V], &[V]) {
            values.split_at(place.min(values.len()))
        }
        let (keys, counts) = (parts(self.keys, place), parts(self.counts, place));
        let (intervals, tied) = (parts(self.intervals, place), parts(self.tied, place));
        (
            Bins { keys: keys.0, counts: counts.0, intervals: intervals.0, tied: tied.0 },
            Bins { keys: keys.1, counts: counts.1, intervals: intervals.1, tied: tied.1 },
        )
    }

    fn is_tied(&self, bin: usize) -> bool {
        self.tied.get(bin).is_none_or(|&tied| tied)
    }

    /// The bin at a place, if there is one.
    fn bin(&self, place: usize) -> Option<Bin<K, T>> {
        Some(Bin {
            key: *self.keys.get(place)?,
            count: self.counts[place],
            interval: self.intervals.get(place).copied().unwrap_or_default(),
            tied: self.is_tied(place),
        })
    }

    /// The first bins, if there are so many.
    fn block(&self) -> Option<Block<'a, K, T>> {
        Some(Block {
            keys: self.keys.first_chunk()?,
            counts: self.counts.first_chunk()?,
            intervals: self.intervals.first_chunk().unwrap_or(&[0; MERGED_BINS]),
            tied: self.tied.first_chunk().unwrap_or(&[true; MERGED_BINS]),
        })
    }
}

/// The first block of both, if both have one.
fn blocks<'a, K: Key, T: Tally>(both: &[Bins<'a, K, T>; 2]) -> Option<[Block<'a, K, T>; 2]> {
    Some([both[0].block()?, both[1].block()?])
}

/// The higher bins of both and the lower ones, about as many. No score, or interval, is among both.
fn halves<'a, K: Key, T: Tally, const BY_INTERVAL: bool>(
    [own, others]: [Bins<'a, K, T>; 2],
) -> [[Bins<'a, K, T>; 2]; 2] {
    let middle = own.keys.len() / 2;
    let above = others.keys.partition_point(|key| *key > own.keys[middle]);
    // Numbers of intervals are not in the order of scores. The last bin above may be in the interval of the middle; none below is in that of the bin before the middle.
    let is_shared = |last: &usize| BY_INTERVAL && others.intervals[*last] == own.intervals[middle];
    let place = above.checked_sub(1).filter(is_shared).unwrap_or(above);
    let (own, others) = (own.split_at(middle), others.split_at(place));
    [[own.0, others.0], [own.1, others.1]]
}

impl<K: Key, T: Tally> Block<'_, K, T> {
    #[inline(always)]
    fn bin(&self, at: usize) -> Bin<K, T> {
        Bin { key: self.keys[at], count: self.counts[at], interval: self.intervals[at], tied: self.tied[at] }
    }
}

/// The higher one of two bins, or both as one, and how many bins of either it holds.
struct MergedBin<K, T> {
    key: K,
    count: Count<T>,
    tied: bool,
    from: [usize; 2],
}

/// Merges the next bins, without a branch that a processor would predict wrongly.
#[inline(always)]
fn merged_bin<K: Key, T: Tally, const BY_INTERVAL: bool>(
    own: Bin<K, T>,
    others: Bin<K, T>,
) -> MergedBin<K, T> {
    let is_same = if BY_INTERVAL { own.interval == others.interval } else { own.key == others.key };
    let (is_own, is_others) = (is_same | (own.key > others.key), is_same | (others.key > own.key));
    let part = |is_there: bool, count: Count<T>| select_unpredictable(is_there, count, Count::default());
    let (low, high) = (own.key.min(others.key), own.key.max(others.key));
    let tied = (!is_own | own.tied) & (!is_others | others.tied);
    MergedBin {
        key: if BY_INTERVAL { select_unpredictable(is_same, low, high) } else { high },
        count: part(is_own, own.count).plus(part(is_others, others.count)),
        tied: if BY_INTERVAL { tied & (!is_same | (low == high)) } else { tied },
        from: [usize::from(is_own), usize::from(is_others)],
    }
}

/// As many bins as a block has, and how many bins of either they hold.
#[derive(Clone, Copy)]
struct MergedBlock<K, T> {
    keys: [K; MERGED_BINS],
    counts: [Count<T>; MERGED_BINS],
    tied: [bool; MERGED_BINS],
    from: [usize; 2],
}

impl<K: Key, T: Tally> Default for MergedBlock<K, T> {
    fn default() -> Self {
        MergedBlock {
            keys: [K::default(); MERGED_BINS],
            counts: [Count::default(); MERGED_BINS],
            tied: [true; MERGED_BINS],
            from: [0; 2],
        }
    }
}

/// Merges as many bins as a block has, of each of `N` pairs. Both blocks of a pair last for so many steps, so no step looks for an
/// end.
#[inline]
fn merge_blocks<K: Key, T: Tally, const N: usize, const BY_INTERVAL: bool, const ALL_TIED: bool>(
    pairs: [[Block<'_, K, T>; 2]; N],
    merged: &mut [MergedBlock<K, T>; N],
) {
    let mut from = [[0; 2]; N];
    for step in 0..MERGED_BINS {
        for (([own, others], merged), from) in pairs.iter().zip(&mut *merged).zip(&mut from) {
            let bin = merged_bin::<K, T, BY_INTERVAL>(
                own.bin(from[0] % MERGED_BINS),
                others.bin(from[1] % MERGED_BINS),
            );
            (merged.keys[step], merged.counts[step]) = (bin.key, bin.count);
            if !ALL_TIED {
                merged.tied[step] = bin.tied;
            }
            *from = [from[0] + bin.from[0], from[1] + bin.from[1]];
        }
    }
    for (merged, from) in merged.iter_mut().zip(from) {
        merged.from = from;
    }
}
