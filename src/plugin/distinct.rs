//! Distinct values: the place of each row's value among them, in ascending order.

use std::hash::Hash;

use polars::prelude::PlHashMap;
use polars_core::runtime::RAYON;
use rayon::prelude::*;

use crate::ranking::{Codes, Key};

/// A table with an entry for every number of a range is used while it has no more entries than this many a row.
const ENTRIES_PER_ROW: usize = 4;

/// Rows that are looked at to tell whether most values are distinct.
const SAMPLE: usize = 1 << 10;

/// The distinct values of a column, in ascending order.
pub struct Places {
    /// For each row, the place of its value; of a missing one any.
    pub of_row: Vec<u32>,
    /// For each place, a row that has the value.
    pub rows: Vec<u32>,
}

impl Places {
    /// The places of values by keys that compare as they do, or of those for which there is one.
    ///
    /// Values of a range that is not much larger than the rows are looked up in a table of it. Of others, few
    /// distinct ones are looked up by their hashes, and many are sorted.
    pub fn of<K: Key + Hash>(keys: &[Option<K>]) -> Self {
        let there = || keys.iter().flatten();
        let (Some(&low), Some(&high)) = (there().min(), there().max()) else {
            return Places { of_row: vec![0; keys.len()], rows: Vec::new() };
        };
        let range = high.above(low, 0);
        if range < (keys.len() * ENTRIES_PER_ROW) as u128 {
            in_table(keys, range as usize + 1, &|key| key.above(low, 0) as usize)
        } else if are_many(keys) {
            sorted(keys)
        } else {
            hashed(keys)
        }
    }

    /// The same of runs of bytes, which are compared byte by byte.
    pub fn of_bytes<'a>(values: impl Iterator<Item = Option<&'a [u8]>> + Clone) -> Self {
        // Twelve bytes and how many of them there are go into one number.
        let short = |value: &[u8]| {
            let mut bytes = [0; 16];
            bytes.get_mut(..12)?.get_mut(..value.len())?.copy_from_slice(value);
            bytes[12..].copy_from_slice(&(value.len() as u32).to_be_bytes());
            Some(u128::from_be_bytes(bytes))
        };
        let all_short = values.clone().map(|value| value.map_or(Some(None), |value| short(value).map(Some)));
        match all_short.collect::<Option<Vec<Option<u128>>>>() {
            Some(keys) => Self::of(&keys),
            None => hashed(&values.collect::<Vec<_>>()),
        }
    }
}

/// By a table in which every key has an entry of its own.
fn in_table<K: Copy>(keys: &[Option<K>], entries: usize, entry: &dyn Fn(K) -> usize) -> Places {
    const NONE: u32 = u32::MAX;
    let mut table = vec![NONE; entries];
    for (row, key) in (0..).zip(keys) {
        if let Some(key) = key {
            let first = &mut table[entry(*key)];
            *first = row.min(*first);
        }
    }
    let mut rows = Vec::new();
    for place in table.iter_mut().filter(|row| **row != NONE) {
        rows.push(*place);
        *place = rows.len() as u32 - 1;
    }
    Places { of_row: keys.iter().map(|key| key.map_or(0, |key| table[entry(key)])).collect(), rows }
}

/// Whether most of the keys are distinct, by a sample.
fn are_many<K: Copy + Ord>(keys: &[Option<K>]) -> bool {
    let every = keys.len().div_ceil(SAMPLE);
    let mut sample: Vec<Option<K>> = keys.iter().step_by(every).copied().collect();
    let sampled = sample.len();
    sample.sort_unstable();
    sample.dedup();
    sample.len() > sampled / 2
}

/// By sorting all rows.
fn sorted<K: Copy + Ord + Send>(keys: &[Option<K>]) -> Places {
    let mut order: Vec<(K, u32)> =
        keys.iter().zip(0..).filter_map(|(key, row)| Some(((*key)?, row))).collect();
    RAYON.install(|| order.par_sort_unstable());
    let mut places = Places { of_row: vec![0; keys.len()], rows: Vec::new() };
    let mut last = None;
    for (key, row) in order {
        if last != Some(key) {
            places.rows.push(row);
            last = Some(key);
        }
        places.of_row[row as usize] = places.rows.len() as u32 - 1;
    }
    places
}

/// By the hashes of the distinct keys, which are then sorted.
fn hashed<K: Copy + Ord + Hash>(keys: &[Option<K>]) -> Places {
    let mut seen: PlHashMap<K, u32> = PlHashMap::default();
    let mut firsts: Vec<(K, u32)> = Vec::new();
    let mut of_row = Vec::with_capacity(keys.len());
    for (row, key) in (0..).zip(keys) {
        of_row.push(key.map_or(0, |key| {
            *seen.entry(key).or_insert_with(|| {
                firsts.push((key, row));
                firsts.len() as u32 - 1
            })
        }));
    }
    let mut order: Vec<u32> = (0..firsts.len() as u32).collect();
    order.sort_unstable_by_key(|&first| firsts[first as usize].0);
    let mut places = vec![0; firsts.len()];
    for (place, &first) in (0..).zip(&order) {
        places[first as usize] = place;
    }
    of_row.iter_mut().for_each(|place| *place = places.get(*place as usize).copied().unwrap_or_default());
    Places { of_row, rows: order.into_iter().map(|first| firsts[first as usize].1).collect() }
}

/// The places of rows among those of a column with `distinct` values, as codes without gaps, and the place that each
/// code stands for.
pub fn without_gaps(places: &[u32], distinct: usize) -> (Codes, Vec<u32>) {
    if distinct > places.len().saturating_mul(ENTRIES_PER_ROW) {
        let mut held = places.to_vec();
        held.sort_unstable();
        held.dedup();
        return (Codes::of(places.iter().copied()), held);
    }
    let mut codes = vec![0u32; distinct];
    places.iter().for_each(|&place| codes[place as usize] = 1);
    let mut held = Vec::new();
    for (place, code) in (0..).zip(&mut codes) {
        if *code == 1 {
            *code = held.len() as u32;
            held.push(place);
        }
    }
    let of_row = places.iter().map(|&place| codes[place as usize]).collect();
    (Codes { of_row, distinct: held.len() }, held)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every way gives the places that a sorted set of the values has.
    fn as_sorted<K: Key + Hash>(keys: &[Option<K>]) {
        let mut distinct: Vec<K> = keys.iter().flatten().copied().collect();
        distinct.sort_unstable();
        distinct.dedup();
        let range = |key: K| distinct.binary_search(&key).unwrap();
        for places in [Places::of(keys), sorted(keys), hashed(keys), in_table(keys, distinct.len(), &range)] {
            assert_eq!(places.of_row.len(), keys.len());
            let values: Vec<K> = places.rows.iter().map(|&row| keys[row as usize].unwrap()).collect();
            assert_eq!(values, distinct);
            for (key, &place) in keys.iter().zip(&places.of_row) {
                assert!(key.is_none_or(|key| distinct[place as usize] == key));
            }
        }
    }

    proptest! {
        #[test]
        fn in_order(
            near in proptest::collection::vec(proptest::option::of(0u16..50), 0..80),
            far in proptest::collection::vec(proptest::option::of(any::<u128>()), 0..80),
        ) {
            as_sorted(&near);
            as_sorted(&far);
        }

        #[test]
        fn of_bytes(values in proptest::collection::vec(proptest::option::of("[\0ab]{0,14}"), 0..80)) {
            let bytes: Vec<Option<&[u8]>> = values.iter().map(|value| value.as_ref().map(String::as_bytes)).collect();
            let mut distinct: Vec<&[u8]> = bytes.iter().flatten().copied().collect();
            distinct.sort_unstable();
            distinct.dedup();
            let places = Places::of_bytes(bytes.iter().copied());
            for (value, &place) in bytes.iter().zip(&places.of_row) {
                prop_assert!(value.is_none_or(|value| distinct[place as usize] == value));
            }
            prop_assert_eq!(places.rows.len(), distinct.len());
        }

        #[test]
        fn gaps(places in proptest::collection::vec(0u32..200, 0..90)) {
            let (codes, held) = without_gaps(&places, 200);
            let mut distinct = places.clone();
            distinct.sort_unstable();
            distinct.dedup();
            prop_assert_eq!(&held, &distinct);
            prop_assert_eq!(codes, Codes::of(places.iter().copied()));
        }
    }
}
