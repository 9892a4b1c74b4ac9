//! The bins of two states, in order.

use std::hint::select_unpredictable;

use super::state::State;
use crate::ranking::scores::Key;
use crate::ranking::ties::counts::{Count, Counts, Tally};
use crate::ranking::tuning::MERGED_BINS;

/// The bins of both, and which of them have one score; empty if all have.
pub(super) fn merged_bins<K: Key, T: Tally>(one: &State<T>, other: &State<T>) -> (Counts<T>, Vec<bool>) {
    let score_type = one.bins.score_type();
    let mut own = Bins { place: 0, keys: one.bins.keys().slice::<K>().unwrap_or_default(), state: one };
    let mut others = Bins { place: 0, keys: other.bins.keys().slice().unwrap_or_default(), state: other };
    let all_tied = one.tied.is_empty() && other.tied.is_empty();
    if all_tied && own.keys == others.keys {
        let counts = one.bins.each().iter().zip(other.bins.each());
        let counts = counts.map(|(count, more)| count.plus(*more)).collect();
        return (Counts::from_parts(one.bins.keys().clone(), counts, score_type), Vec::new());
    }
    let room = own.keys.len() + others.keys.len();
    let mut keys: Vec<K> = Vec::with_capacity(room);
    let mut counts: Vec<Count<T>> = Vec::with_capacity(room);
    let mut tied = Vec::with_capacity(if all_tied { 0 } else { room });
    while let (Some(own_block), Some(others_block)) = (own.block(), others.block()) {
        let block = match all_tied {
            true => merged_block::<K, T, true>(&own_block, &others_block),
            false => merged_block::<K, T, false>(&own_block, &others_block),
        };
        keys.extend_from_slice(&block.keys);
        counts.extend_from_slice(&block.counts);
        if !all_tied {
            tied.extend_from_slice(&block.tied);
        }
        own.place += block.from_own;
        others.place += block.from_others;
    }
    while let (Some(&own_key), Some(&others_key)) = (own.keys.get(own.place), others.keys.get(others.place)) {
        let (is_own, is_others) = (own_key >= others_key, others_key >= own_key);
        keys.push(own_key.max(others_key));
        counts.push(own.part(is_own).plus(others.part(is_others)));
        if !all_tied {
            tied.push((!is_own || one.is_tied(own.place)) && (!is_others || other.is_tied(others.place)));
        }
        own.place += usize::from(is_own);
        others.place += usize::from(is_others);
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
    place: usize,
}

/// Neighbouring bins.
struct Block<'a, K, T> {
    keys: &'a [K; MERGED_BINS],
    counts: &'a [Count<T>; MERGED_BINS],
    tied: &'a [bool; MERGED_BINS],
}

impl<'a, K: Key, T: Tally> Bins<'a, K, T> {
    /// The next bins, if so many are left.
    fn block(&self) -> Option<Block<'a, K, T>> {
        let keys = self.keys[self.place..].first_chunk()?;
        let counts = self.state.bins.each()[self.place..].first_chunk()?;
        let tied = match &self.state.tied[..] {
            [] => &[true; MERGED_BINS],
            tied => tied[self.place..].first_chunk()?,
        };
        Some(Block { keys, counts, tied })
    }

    /// The rows of the next bin, or none.
    fn part(&self, is_there: bool) -> Count<T> {
        if is_there { self.state.bins.each()[self.place] } else { Count::default() }
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

/// As many bins of both as a block has. Both blocks last for so many steps, so no step looks for an end, and none has a
/// branch that a processor would foretell wrong.
#[inline]
fn merged_block<K: Key, T: Tally, const ALL_TIED: bool>(
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
        let (own_at, others_at) = (merged.from_own % MERGED_BINS, merged.from_others % MERGED_BINS);
        let (own_key, others_key) = (own.keys[own_at], others.keys[others_at]);
        let (is_own, is_others) = (own_key >= others_key, others_key >= own_key);
        let part = |is_there: bool, count: Count<T>| select_unpredictable(is_there, count, Count::default());
        merged.keys[step] = own_key.max(others_key);
        merged.counts[step] =
            part(is_own, own.counts[own_at]).plus(part(is_others, others.counts[others_at]));
        merged.tied[step] = ALL_TIED || (!is_own | own.tied[own_at]) & (!is_others | others.tied[others_at]);
        merged.from_own += usize::from(is_own);
        merged.from_others += usize::from(is_others);
    }
    merged
}
