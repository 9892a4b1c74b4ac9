//! One class's keys, indexed: how many of them lie below any key, and which are equal to it.
//!
//! Only pairs of one positive and one negative decide a rank statistic. So it is enough to bring one class near its
//! order. The rows of the other class are never moved: they look up their place among the indexed keys.
//!
//! The indexed keys are spread over buckets by a map that never decreases. The rank of a key is therefore the number of
//! keys in lower buckets plus the number of lower keys in its own bucket. There are twice as many buckets as keys. A
//! lookup always compares four keys from the beginning of the bucket on, even if the bucket has fewer: the keys behind
//! its end belong to higher buckets, so they are higher and change no count. A lookup thus needs no loop of unknown
//! length and no branch that could be mispredicted.
//!
//! Invariants: every key of a bucket is below every key of the next; a bucket of more than [`WINDOW`] keys is sorted;
//! after [`Index::order`] all buckets are sorted, and so are all keys.

pub(super) mod look_ups;
pub(super) mod map;
pub(super) mod row;
pub(super) mod sorting;
pub(super) mod tally;
mod units;

use look_ups::place_among;
use map::{Map, with_buckets};
use row::Row;
use sorting::{sort, sort_near};

use crate::cache;
use crate::ranking::scores::{Key, Score};
use crate::ranking::tuning::{BUCKETS_PER_KEY, FEW_LONG, TOGETHER, WINDOW};
use crate::wide::{Work, widest};

/// The keys of one class, indexed. Keeps its memory from use to use.
#[derive(Debug, Default)]
pub(in crate::ranking) struct Index<K> {
    keys: Vec<K>,
    /// Where each bucket begins; one more entry than buckets.
    starts: Vec<u32>,
    map: Map,
    /// For each key, the bucket it goes to; once it is there, its place among `keys`, or a place in its bucket if that is long,
    /// because it is then sorted. There are none of an index in order.
    places: Vec<u32>,
    /// The buckets of more than [`WINDOW`] keys.
    long: Vec<usize>,
    /// What [`Index::build_with_units`] moves: the units of all keys before each; one more entry than keys.
    units_before: Vec<u64>,
}

impl<K: Key> Index<K> {
    /// Indexes the keys in `pieces`.
    pub fn build<S: Score<Key = K>>(&mut self, pieces: &[&[K]]) {
        self.spread_by_map::<S, K>(pieces, |_, _| {});
        for &bucket in &self.long {
            let (start, end) = ends_of_bucket(&self.starts, bucket);
            sort(&mut self.keys[start..end]);
        }
    }

    /// Moves every key to its bucket by the map that suits the keys.
    fn spread_by_map<S: Score<Key = K>, R: Row<Key = K>>(
        &mut self,
        pieces: &[&[R]],
        moved: impl FnMut(usize, R),
    ) {
        let rows: usize = pieces.iter().map(|piece| piece.len()).sum();
        let buckets = (rows * BUCKETS_PER_KEY).max(1);
        let map = Map::of_keys::<S>(pieces, rows, buckets);
        with_buckets!(&map, bucket => {
            self.spread(pieces, rows, buckets, |key| bucket(S::from_key(key).position()), moved);
        });
        self.map = map;
    }

    /// Moves every key to its bucket, by counting; `moved` is told the place of each row in turn.
    fn spread<R: Row<Key = K>>(
        &mut self,
        pieces: &[&[R]],
        rows: usize,
        buckets: usize,
        bucket: impl Fn(K) -> u32,
        mut moved: impl FnMut(usize, R),
    ) {
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        self.places.clear();
        self.places.reserve(rows);
        let starts = &mut self.starts[..];
        for piece in cache::ahead(pieces, TOGETHER) {
            self.places.extend(piece.iter().map(|row| bucket(row.key())));
        }
        for &place in &self.places {
            starts[place as usize] += 1;
        }
        // From here on an entry is where its bucket ends, and filling the bucket from its end leaves it
        // where the bucket begins.
        let mut end = 0;
        self.long.clear();
        for (bucket, start) in starts.iter_mut().enumerate() {
            if *start as usize > WINDOW {
                self.long.push(bucket);
            }
            end += *start;
            *start = end;
        }
        // Each place is written below, so that what was there before may stay.
        self.keys.resize(rows, K::default());
        let mut places = &mut self.places[..];
        for piece in pieces {
            let (here, rest) = places.split_at_mut(piece.len());
            for (&row, place) in piece.iter().zip(here) {
                let start = &mut starts[*place as usize];
                *start -= 1;
                *place = *start;
                self.keys[*start as usize] = row.key();
                moved(*start as usize, row);
            }
            places = rest;
        }
    }

    /// Whether two keys are equal.
    pub fn has_equal_keys(&self) -> bool {
        widest(EqualKeys(&self.keys))
    }

    /// The indexed keys.
    pub fn keys(&self) -> &[K] {
        &self.keys
    }

    /// Sorts every bucket, and thereby all keys.
    pub fn order(&mut self) {
        self.places.clear();
        // No key is more than a window away from its place.
        sort_near(&mut self.keys);
    }

    /// Writes for each indexed key in `pieces`, which are those that it was built of, what `of_below` says of the number of indexed
    /// keys below it: anything but [`u32::MAX`]. Says whether it did: not if many keys are in long buckets, or if the index is
    /// [in order](Index::order).
    ///
    /// That number is known where each key is, so that this takes less time than to [look them up](Index::look_up). `memory` is
    /// worked with.
    pub fn write_indexed(
        &self,
        pieces: &[&[K]],
        memory: &mut Vec<u32>,
        of_below: impl Fn(u32) -> u32,
        written: &mut [&mut [u32]],
    ) -> bool {
        let ends = |&bucket: &usize| ends_of_bucket(&self.starts, bucket);
        let in_long: usize = self.long.iter().map(ends).map(|(start, end)| end - start).sum();
        if in_long > self.keys.len() / FEW_LONG || self.places.len() < self.keys.len() {
            return false;
        }
        widest(Below { keys: &self.keys, below: memory });
        memory.iter_mut().for_each(|below| *below = of_below(*below));
        // Long buckets were sorted, so their keys are no longer where they went to.
        for (start, end) in self.long.iter().map(ends) {
            memory[start..end].fill(u32::MAX);
        }
        let of_places = &memory[..];
        let mut places = &self.places[..];
        for (&piece, written) in pieces.iter().zip(written) {
            let (here, rest) = places.split_at(piece.len());
            let chunks = piece.chunks(TOGETHER).zip(here.chunks(TOGETHER));
            for ((keys, places), written) in chunks.zip(written.chunks_mut(TOGETHER)) {
                let mut any_long = false;
                for (written, &place) in written.iter_mut().zip(places) {
                    *written = of_places[place as usize];
                    any_long |= *written == u32::MAX;
                }
                if any_long {
                    let of_keys = written.iter_mut().zip(keys.iter().zip(places));
                    for (written, (&key, &place)) in of_keys.filter(|of_key| *of_key.0 == u32::MAX) {
                        *written = of_below(self.below_in_long(place, key));
                    }
                }
            }
            places = rest;
        }
        true
    }

    /// How many indexed keys are below one that went to a place in a long bucket.
    #[cold]
    #[inline(never)]
    fn below_in_long(&self, place: u32, key: K) -> u32 {
        let number = self.long.partition_point(|&bucket| self.starts[bucket + 1] <= place);
        let (start, end) = ends_of_bucket(&self.starts, self.long[number]);
        (start + place_among(&self.keys[start..end], key).0) as u32
    }
}

/// Where a bucket begins and ends, with one check of its number.
#[inline(always)]
fn ends_of_bucket(starts: &[u32], bucket: usize) -> (usize, usize) {
    let pair = &starts[bucket..bucket + 2];
    (pair[0] as usize, pair[1] as usize)
}

/// Whether two keys less than a window apart are equal. Equal keys are in one bucket. In a bucket that is no longer than a window they
/// are less than a window apart; a longer one is sorted, so that they are next to each other.
struct EqualKeys<'a, K>(&'a [K]);

impl<K: Key> Work for EqualKeys<'_, K> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let keys = self.0;
        // Most keys are all different, which is seen soonest without a branch for each pair.
        let equal = |apart: usize| {
            let pairs = keys.iter().zip(keys.get(apart..).unwrap_or_default());
            pairs.fold(false, |any, (a, b)| any | (a == b))
        };
        (1..WINDOW).any(equal)
    }
}

/// The work of finding how many keys are below each, if no bucket is long. Only keys less than a window apart can be in another
/// order than their places.
struct Below<'a, K> {
    keys: &'a [K],
    below: &'a mut Vec<u32>,
}

impl<K: Key> Work for Below<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Below { keys, below } = self;
        below.clear();
        below.extend(0..keys.len() as u32);
        for apart in 1..WINDOW.min(keys.len()) {
            let later = &keys[apart..];
            for ((below, key), later) in below.iter_mut().zip(keys).zip(later) {
                *below += u32::from(later < key);
            }
            for ((below, key), earlier) in below[apart..].iter_mut().zip(later).zip(keys) {
                *below -= u32::from(earlier >= key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// By definition, with buckets of few keys and of very many.
        #[test]
        fn indexed_keys_know_what_is_below_them(
            keys in prop::collection::vec((any::<f64>(), 0i32..40, 0..3), 0..300), number in 1usize..5,
        ) {
            let score = |&(any, few, kind): &(f64, i32, i32)| match kind {
                0 if !any.is_nan() => any,
                1 => f64::from(few),
                _ => f64::from(few) * 1e-3 + 7.0,
            };
            let keys: Vec<u64> = keys.iter().map(|key| score(key).key()).collect();
            let pieces: Vec<&[u64]> = keys.chunks(keys.len().div_ceil(number).max(1)).collect();
            let (mut index, mut memory) = (Index::default(), vec![3; 9]);
            for _ in 0..2 {
                index.build::<f64>(&pieces);
                let mut below = vec![0; keys.len()];
                let mut written: Vec<&mut [u32]> = below.chunks_mut(keys.len().div_ceil(number).max(1)).collect();
                if index.write_indexed(&pieces, &mut memory, |below| 2 * below, &mut written) {
                    let below_key = |key| keys.iter().filter(|other| *other < key).count() as u32;
                    let expected: Vec<u32> = keys.iter().map(|key| 2 * below_key(key)).collect();
                    prop_assert_eq!(below, expected);
                }
            }
            index.order();
            prop_assert!(keys.is_empty() || !index.write_indexed(&pieces, &mut memory, |below| below, &mut []));
        }
    }

    /// A few keys are in a bucket that is sorted.
    #[test]
    fn indexed_keys_of_a_long_bucket() {
        let score = |row: u32| {
            if row.is_multiple_of(50) {
                0.5 + f64::from(row) * 1e-9
            } else {
                f64::from(row * 37 % 1000) / 1e3
            }
        };
        let keys: Vec<u64> = (0..1000).rev().map(|row| score(row).key()).collect();
        let mut index = Index::default();
        index.build::<f64>(&[&keys]);
        assert!(!index.long.is_empty());
        let mut below = vec![0; keys.len()];
        assert!(index.write_indexed(&[&keys], &mut Vec::new(), |below| below, &mut [&mut below]));
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        assert!(
            keys.iter()
                .zip(below)
                .all(|(key, below)| sorted.partition_point(|other| other < key) == below as usize)
        );
    }
}
