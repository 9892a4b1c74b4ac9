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
    while all_tied && let (Some(own_block), Some(others_block)) = (own.block(), others.block()) {
        let (from_own, from_others) = merge_block(own_block, others_block, &mut keys, &mut counts);
        own.place += from_own;
        others.place += from_others;
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

/// The keys and the counts of neighbouring bins.
type Block<'a, K, T> = (&'a [K; MERGED_BINS], &'a [Count<T>; MERGED_BINS]);

impl<'a, K: Key, T: Tally> Bins<'a, K, T> {
    /// The next bins, if so many are left.
    fn block(&self) -> Option<Block<'a, K, T>> {
        let counts = self.state.bins.each()[self.place..].first_chunk()?;
        Some((self.keys[self.place..].first_chunk()?, counts))
    }

    /// The rows of the next bin, or none.
    fn part(&self, is_there: bool) -> Count<T> {
        if is_there { self.state.bins.each()[self.place] } else { Count::default() }
    }
}

/// Appends as many bins as a block has; returns how many come from each. Both blocks last for so many steps, so no step
/// looks for an end, and none has a branch that a processor would foretell wrong.
fn merge_block<K: Key, T: Tally>(
    (own_keys, own_counts): Block<'_, K, T>,
    (others_keys, others_counts): Block<'_, K, T>,
    keys: &mut Vec<K>,
    counts: &mut Vec<Count<T>>,
) -> (usize, usize) {
    let mut merged = ([K::default(); MERGED_BINS], [Count::default(); MERGED_BINS]);
    let (mut own, mut others) = (0, 0);
    for (key, count) in merged.0.iter_mut().zip(&mut merged.1) {
        let (own_at, others_at) = (own % MERGED_BINS, others % MERGED_BINS);
        let (own_key, others_key) = (own_keys[own_at], others_keys[others_at]);
        let (is_own, is_others) = (own_key >= others_key, others_key >= own_key);
        let part = |is_there: bool, count: Count<T>| select_unpredictable(is_there, count, Count::default());
        *key = own_key.max(others_key);
        *count = part(is_own, own_counts[own_at]).plus(part(is_others, others_counts[others_at]));
        own += usize::from(is_own);
        others += usize::from(is_others);
    }
    keys.extend_from_slice(&merged.0);
    counts.extend_from_slice(&merged.1);
    (own, others)
}
