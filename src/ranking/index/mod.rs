//! A bucketed index of the keys of one class: the rank of any key among them without a search.
//!
//! Rank statistics depend only on pairs of one positive and one negative. One class is therefore distributed
//! over buckets, as in the first pass of a bucket sort. The rows of the other class are never moved: each
//! looks up its lower and upper bound.
//!
//! The [map](super::bucket_map) of keys to buckets is non-decreasing. The rank of a key is therefore the
//! number of keys in lower buckets, plus the number of lower keys in its bucket. There are twice as many
//! buckets as keys. A probe compares [`PROBE_LANES`] keys from the start of the bucket, even if the bucket is
//! shorter. Keys past its end belong to higher buckets, so they are higher and change no count. The probe has
//! a fixed length and no unpredictable branch. Longer buckets, and buckets at the end of all keys, are
//! searched separately.
//!
//! The keys 5 1 9 8 in five buckets, two numbers to a bucket:
//!
//! ```text
//! bucket  0,1  2,3  4,5  6,7  8,9         probe 7: bucket 6,7 starts at 2; of 9 8 none is lower    -> 2 .. 2
//! starts   0    1    1    2    2   4      probe 8: bucket 8,9 starts at 2; of 9 8 one is equal     -> 2 .. 3
//! keys     1    -    5    -   9 8         probe 9: bucket 8,9 starts at 2; 8 is lower, 9 is equal  -> 3 .. 4
//! ```
//!
//! Invariants: every key of a bucket is below every key of the next. A bucket of more than [`PROBE_LANES`]
//! keys is sorted. After [`Index::order`] all keys are sorted.

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

/// The indexed keys of one class. Memory is reused.
#[derive(Debug, Default)]
pub(in crate::ranking) struct Index<K> {
    keys: Vec<K>,
    /// The start of each bucket, and the end of the last one.
    starts: Vec<u32>,
    map: BucketMap,
    /// The bucket of each key.
    buckets: Vec<u32>,
    /// The buckets of more than [`PROBE_LANES`] keys.
    long: Vec<usize>,
    /// For [`Index::build_with_units`]: prefix sums of the units, one more than keys.
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

    /// Sorts the keys in `pieces`; look-ups are not supported afterwards.
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

    /// Moves every key to its bucket, by the map for the keys.
    fn scatter_by_map<S: Score<Key = K>, R: Row<Key = K>>(
        &mut self,
        pieces: &[&[R]],
        moved: impl FnMut(usize, R),
    ) {
        let rows: usize = pieces.iter().map(|piece| piece.len()).sum();
        let buckets = (rows * BUCKETS_PER_KEY).max(1);
        let map = BucketMap::from_keys::<S, R>(pieces, R::key, rows, buckets);
        with_buckets!(&map, bucket => {
            self.scatter(pieces, rows, buckets, |key| bucket(S::from_key(key).position()), moved);
        });
        self.map = map;
    }

    /// Moves every key to its bucket by counting; `moved` receives the new index of each row.
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
        // Each entry now is the end of its bucket. Filling buckets from the end turns it into the start.
        let mut end = 0;
        self.long.clear();
        for (bucket, start) in starts.iter_mut().enumerate() {
            if *start as usize > PROBE_LANES {
                self.long.push(bucket);
            }
            end += *start;
            *start = end;
        }
        // Every key is overwritten below, so old values may remain.
        self.keys.resize(rows, K::default());
        let mut buckets = &self.buckets[..];
        for piece in pieces {
            let (piece_buckets, rest) = buckets.split_at(piece.len());
            for (&row, &bucket) in piece.iter().zip(piece_buckets) {
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

/// The start and end of a bucket, with one bounds check.
#[inline(always)]
fn ends_of_bucket(starts: &[u32], bucket: usize) -> (usize, usize) {
    let pair = &starts[bucket..bucket + 2];
    (pair[0] as usize, pair[1] as usize)
}

/// Whether any two keys less than a window apart are equal. Equal keys share a bucket. In a short bucket they
/// are less than a window apart; a longer bucket is sorted, so they are adjacent.
struct EqualKeys<'a, K>(&'a [K]);

impl<K: Key> Kernel for EqualKeys<'_, K> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let keys = self.0;
        // Keys are usually distinct, and a loop without branches checks this fastest.
        let equal = |apart: usize| {
            let pairs = keys.iter().zip(keys.get(apart..).unwrap_or_default());
            pairs.fold(false, |any, (a, b)| any | (a == b))
        };
        (1..PROBE_LANES).any(equal)
    }
}
