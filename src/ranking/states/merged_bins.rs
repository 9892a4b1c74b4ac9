//! The bins of two states, in order.

use std::hint::select_unpredictable;

use super::state::State;
use crate::ranking::scores::Key;
use crate::ranking::ties::counts::{Count, Counts, Tally};
use crate::ranking::tuning::MERGED_BINS;

/// The bins of both, and which of them have one score; without a partition, empty if all have.
///
/// With `BY_INTERVAL`, bins of one interval are one bin. Each state then comes with the intervals of its bins, none of which is
/// there twice.
pub(super) fn merged_bins<K: Key, T: Tally, const BY_INTERVAL: bool>(
    one: (&State<T>, &[u64]),
    other: (&State<T>, &[u64]),
) -> (Counts<T>, Vec<bool>) {
    let score_type = one.0.bins.score_type();
    let mut own = Bins::<K, T>::of(one);
    let mut others = Bins::<K, T>::of(other);
    let all_tied = !BY_INTERVAL && own.state.tied.is_empty() && others.state.tied.is_empty();
    let room = own.keys.len() + others.keys.len();
    let mut keys: Vec<K> = Vec::with_capacity(room);
    let mut counts: Vec<Count<T>> = Vec::with_capacity(room);
    let mut tied = Vec::with_capacity(if all_tied { 0 } else { room });
    while let (Some(own_block), Some(others_block)) =
        (own.block::<BY_INTERVAL>(), others.block::<BY_INTERVAL>())
    {
        let block = match all_tied {
            true => merged_block::<K, T, BY_INTERVAL, true>(&own_block, &others_block),
            false => merged_block::<K, T, BY_INTERVAL, false>(&own_block, &others_block),
        };
        keys.extend_from_slice(&block.keys);
        counts.extend_from_slice(&block.counts);
        if !all_tied {
            tied.extend_from_slice(&block.tied);
        }
        own.place += block.from_own;
        others.place += block.from_others;
    }
    while let (Some(own_bin), Some(others_bin)) = (own.bin::<BY_INTERVAL>(), others.bin::<BY_INTERVAL>()) {
        let merged = merged_bin::<K, T, BY_INTERVAL>(own_bin, others_bin);
        keys.push(merged.key);
        counts.push(merged.count);
        if !all_tied {
            tied.push(merged.tied);
        }
        own.place += merged.from_own;
        others.place += merged.from_others;
    }
    for rest in [own, others] {
        keys.extend_from_slice(&rest.keys[rest.place..]);
        counts.extend_from_slice(&rest.state.bins.each()[rest.place..]);
        if !all_tied {
            tied.extend((rest.place..rest.keys.len()).map(|bin| rest.state.is_tied(bin)));
        }
    }
    (Counts::from_parts(keys.into(), counts, score_type), tied)
}

/// The bins of a state from a place on.
struct Bins<'a, K, T> {
    state: &'a State<T>,
    keys: &'a [K],
    intervals: &'a [u64],
    place: usize,
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
    fn of((state, intervals): (&'a State<T>, &'a [u64])) -> Self {
        Bins { state, keys: state.bins.keys().slice().unwrap_or_default(), intervals, place: 0 }
    }

    /// The next bin, if one is left.
    fn bin<const BY_INTERVAL: bool>(&self) -> Option<Bin<K, T>> {
        Some(Bin {
            key: *self.keys.get(self.place)?,
            count: self.state.bins.each()[self.place],
            interval: if BY_INTERVAL { self.intervals[self.place] } else { 0 },
            tied: self.state.is_tied(self.place),
        })
    }

    /// The next bins, if so many are left.
    fn block<const BY_INTERVAL: bool>(&self) -> Option<Block<'a, K, T>> {
        let keys = self.keys[self.place..].first_chunk()?;
        let counts = self.state.bins.each()[self.place..].first_chunk()?;
        let intervals =
            if BY_INTERVAL { self.intervals[self.place..].first_chunk()? } else { &[0; MERGED_BINS] };
        let tied = match &self.state.tied[..] {
            [] => &[true; MERGED_BINS],
            tied => tied[self.place..].first_chunk()?,
        };
        Some(Block { keys, counts, intervals, tied })
    }
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
    from_own: usize,
    from_others: usize,
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
        from_own: usize::from(is_own),
        from_others: usize::from(is_others),
    }
}

/// As many bins as a block has.
struct MergedBlock<K, T> {
    keys: [K; MERGED_BINS],
    counts: [Count<T>; MERGED_BINS],
    tied: [bool; MERGED_BINS],
    from_own: usize,
    from_others: usize,
}

/// As many bins of both as a block has. Both blocks last for so many steps, so no step looks for an end.
#[inline]
fn merged_block<K: Key, T: Tally, const BY_INTERVAL: bool, const ALL_TIED: bool>(
    own: &Block<'_, K, T>,
    others: &Block<'_, K, T>,
) -> MergedBlock<K, T> {
    let mut merged = MergedBlock {
        keys: [K::default(); MERGED_BINS],
        counts: [Count::default(); MERGED_BINS],
        tied: [true; MERGED_BINS],
        from_own: 0,
        from_others: 0,
    };
    for step in 0..MERGED_BINS {
        let bin = merged_bin::<K, T, BY_INTERVAL>(
            own.bin(merged.from_own % MERGED_BINS),
            others.bin(merged.from_others % MERGED_BINS),
        );
        (merged.keys[step], merged.counts[step]) = (bin.key, bin.count);
        merged.tied[step] = ALL_TIED || bin.tied;
        merged.from_own += bin.from_own;
        merged.from_others += bin.from_others;
    }
    merged
}
