//! A bucketed class of keys and its probe: the rank of any key among them, without a search.
//!
//! Only pairs of one positive and one negative decide a rank statistic. So one class is distributed over buckets, as the first
//! pass of a bucket sort does, and the rows of the other class are never moved: each looks up its lower and upper bound.
//!
//! The [map](super::bucket_map) of keys to buckets never decreases. The rank of a key is therefore the number of keys in lower
//! buckets plus the number of lower keys in its own bucket. There are twice as many buckets as keys. A probe
//! compares [`PROBE_LANES`] keys from the beginning of the bucket on, even if the bucket has fewer: the keys behind its end
//! belong to higher buckets, so they are higher and change no count. It needs no loop of unknown length and no branch that
//! could be mispredicted. Buckets of more keys, and those at the end of all keys, are searched one by one.
//!
//! The keys 5 1 9 8 in five buckets, each of two numbers:
//!
//! ```text
//! bucket  0,1  2,3  4,5  6,7  8,9         probe 7: bucket 6,7 starts at 2; of 9 8 none is lower    -> 2 .. 2
//! starts   0    1    1    2    2   4      probe 8: bucket 8,9 starts at 2; of 9 8 one is equal     -> 2 .. 3
//! keys     1    -    5    -   9 8         probe 9: bucket 8,9 starts at 2; 8 is lower, 9 is equal  -> 3 .. 4
//! ```
//!
//! Invariants: every key of a bucket is below every key of the next; a bucket of more than [`PROBE_LANES`] keys is sorted;
//! after [`Index::order`] all buckets are sorted, and so are all keys.

pub(super) mod look_ups;
pub(super) mod rank_histogram;
pub(super) mod row;
pub(super) mod sorting;
mod units;

use crate::ranking::bucket_map::{BucketMap, with_buckets};
use row::Row;
use sorting::{sort, sort_nearly_sorted};

use crate::cache;
use crate::ranking::scores::{Key, Score};
use crate::ranking::tuning::{BUCKETS_PER_KEY, FEW_ROWS, PROBE_LANES, TOGETHER};
use crate::simd::{self, Kernel};

/// The keys of one class, indexed. Keeps its memory from use to use.
#[derive(Debug, Default)]
pub(in crate::ranking) struct Index<K> {
    keys: Vec<K>,
    /// Where each bucket begins; one more entry than buckets.
    starts: Vec<u32>,
    map: BucketMap,
    /// For each key, the bucket it goes to.
    buckets: Vec<u32>,
    /// The buckets of more than [`PROBE_LANES`] keys.
    long: Vec<usize>,
    /// What [`Index::build_with_units`] moves: the units of all keys before each; one more entry than keys.
    units_before: Vec<u64>,
}

impl<K: Key> Index<K> {
    /// Indexes the keys in `pieces`.
    pub fn build<S: Score<Key = K>>(&mut self, pieces: &[&[K]]) {
        self.scatter_by_map::<S, K>(pieces, |_, _| {});
        for &bucket in &self.long {
            let (start, end) = ends_of_bucket(&self.starts, bucket);
            sort(&mut self.keys[start..end]);
        }
    }

    /// Takes in the keys in `pieces`, in ascending order; nothing is looked up among them.
    pub fn sort<S: Score<Key = K>>(&mut self, pieces: &[&[K]]) {
        if pieces.iter().map(|piece| piece.len()).sum::<usize>() < FEW_ROWS {
            self.keys.clear();
            pieces.iter().for_each(|piece| self.keys.extend_from_slice(piece));
            sort(&mut self.keys);
        } else {
            self.build::<S>(pieces);
            self.order();
        }
    }

    /// Moves every key to its bucket by the map that suits the keys.
    fn scatter_by_map<S: Score<Key = K>, R: Row<Key = K>>(
        &mut self,
        pieces: &[&[R]],
        moved: impl FnMut(usize, R),
    ) {
        let rows: usize = pieces.iter().map(|piece| piece.len()).sum();
        let buckets = (rows * BUCKETS_PER_KEY).max(1);
        let map = BucketMap::of_keys::<S, R>(pieces, R::key, rows, buckets);
        with_buckets!(&map, bucket => {
            self.scatter(pieces, rows, buckets, |key| bucket(S::from_key(key).position()), moved);
        });
        self.map = map;
    }

    /// Moves every key to its bucket, by counting; `moved` gets the index of each row in turn.
    fn scatter<R: Row<Key = K>>(
        &mut self,
        pieces: &[&[R]],
        rows: usize,
        buckets: usize,
        bucket: impl Fn(K) -> u32,
        mut moved: impl FnMut(usize, R),
    ) {
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        self.buckets.clear();
        self.buckets.reserve(rows);
        let starts = &mut self.starts[..];
        for piece in cache::prefetched_chunks(pieces, TOGETHER) {
            self.buckets.extend(piece.iter().map(|row| bucket(row.key())));
        }
        for &bucket in &self.buckets {
            starts[bucket as usize] += 1;
        }
        // From here on an entry is where its bucket ends, and filling the bucket from its end leaves it
        // where the bucket begins.
        let mut end = 0;
        self.long.clear();
        for (bucket, start) in starts.iter_mut().enumerate() {
            if *start as usize > PROBE_LANES {
                self.long.push(bucket);
            }
            end += *start;
            *start = end;
        }
        // Each key is written below, so that what was there before may stay.
        self.keys.resize(rows, K::default());
        let mut buckets = &self.buckets[..];
        for piece in pieces {
            let (of_piece, rest) = buckets.split_at(piece.len());
            for (&row, &bucket) in piece.iter().zip(of_piece) {
                let start = &mut starts[bucket as usize];
                *start -= 1;
                self.keys[*start as usize] = row.key();
                moved(*start as usize, row);
            }
            buckets = rest;
        }
    }

    /// Whether two keys are equal.
    pub fn has_equal_keys(&self) -> bool {
        simd::dispatch(EqualKeys(&self.keys))
    }

    /// The indexed keys.
    pub fn keys(&self) -> &[K] {
        &self.keys
    }

    /// Sorts every bucket, and thereby all keys.
    pub fn order(&mut self) {
        // No key is more than a window away from where it belongs.
        sort_nearly_sorted(&mut self.keys);
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

impl<K: Key> Kernel for EqualKeys<'_, K> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let keys = self.0;
        // Most keys are all different, which is seen soonest without a branch for each pair.
        let equal = |apart: usize| {
            let pairs = keys.iter().zip(keys.get(apart..).unwrap_or_default());
            pairs.fold(false, |any, (a, b)| any | (a == b))
        };
        (1..PROBE_LANES).any(equal)
    }
}
