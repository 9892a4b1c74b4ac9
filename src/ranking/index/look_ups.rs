//! Look-ups: the lower and upper bound of any key among the indexed keys.

use super::{Index, ends_of_bucket};
use crate::cache;
use crate::paths::Path;
use crate::ranking::bucket_map::{BucketMap, with_buckets};
use crate::ranking::scores::{Key, Score};
use crate::ranking::tuning::{PROBE_LANES, TOGETHER};
use crate::simd::{self, Kernel};

/// A callback for the bounds of several keys.
pub(in crate::ranking) type Visit<'a> = dyn FnMut(Bounds<'_>) + 'a;

/// [`Index::look_up`] for scores of one type.
pub(in crate::ranking) type LookUpFn<K> = fn(&Index<K>, &[&[K]], &mut Visit<'_>);

impl<K: Key> Index<K> {
    /// Calls `visit` with the bounds of consecutive keys, [`TOGETHER`] keys at a time or the rest of a piece.
    /// A batch never spans two pieces.
    pub fn look_up<S: Score<Key = K>>(&self, pieces: &[&[K]], visit: &mut Visit<'_>) {
        self.probe::<S>(pieces, visit);
    }

    /// Totals over all keys in `pieces`: the indexed keys below each, and the indexed keys equal to it. The
    /// summation is compiled with the look-ups as SIMD loops. [`look_up`](Self::look_up) would call it
    /// through a pointer.
    pub fn below_and_equal<S: Score<Key = K>>(&self, pieces: &[&[K]]) -> [u64; 2] {
        let [mut lower, mut equal] = [0; 2];
        self.probe::<S>(pieces, |ranks| {
            let sum = |numbers: &[u32]| numbers.iter().map(|&number| u64::from(number)).sum::<u64>();
            let below = sum(ranks.lower);
            lower += below;
            if ranks.any_equal {
                equal += sum(ranks.upper) - below;
            }
        });
        [lower, equal]
    }

    #[inline]
    fn probe<S: Score<Key = K>>(&self, pieces: &[&[K]], visit: impl FnMut(Bounds<'_>)) {
        with_buckets!(&self.map, bucket => {
            let bucket = |key| bucket(S::from_key(key).position());
            simd::dispatch(Probe { index: self, pieces, bucket, visit });
        });
    }
}

/// The kernel of look-ups.
struct Probe<'a, K, F, V> {
    index: &'a Index<K>,
    pieces: &'a [&'a [K]],
    bucket: F,
    visit: V,
}

impl<K: Key, F: Fn(K) -> u32, V: FnMut(Bounds<'_>)> Kernel for Probe<'_, K, F, V> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let mut look_ups = LookUps::new(self.index, self.bucket);
        for keys_here in cache::prefetched_chunks(self.pieces, TOGETHER) {
            (self.visit)(look_ups.bounds(keys_here));
        }
    }
}

/// Lower and upper bounds of several keys among the indexed keys.
#[derive(Clone, Copy)]
pub(in crate::ranking) struct Bounds<'a> {
    /// The number of indexed keys below each key.
    pub lower: &'a [u32],
    /// The number of indexed keys not above each key.
    pub upper: &'a [u32],
    /// Whether any of these keys equals an indexed key.
    pub any_equal: bool,
}

/// Look-ups of up to [`TOGETHER`] keys at a time.
pub(super) struct LookUps<'a, K: Key, F> {
    starts: &'a [u32],
    keys: &'a [K],
    bucket: F,
    last: LastProbe<K>,
    buckets: [u32; TOGETHER],
    windows: [[K::Lane; PROBE_LANES]; TOGETHER],
    lower: [u32; TOGETHER],
    upper: [u32; TOGETHER],
}

impl<'a, K: Key, F: Fn(K) -> u32> LookUps<'a, K, F> {
    #[inline(always)]
    pub fn new(index: &'a Index<K>, bucket: F) -> Self {
        LookUps {
            starts: &index.starts,
            keys: &index.keys,
            bucket,
            last: LastProbe::default(),
            buckets: [0; TOGETHER],
            windows: [[K::Lane::default(); PROBE_LANES]; TOGETHER],
            lower: [0; TOGETHER],
            upper: [0; TOGETHER],
        }
    }

    /// Bounds of at most [`TOGETHER`] keys.
    #[inline(always)]
    pub fn bounds(&mut self, keys_here: &[K]) -> Bounds<'_> {
        debug_assert!(keys_here.len() <= TOGETHER);
        let keys_here = &keys_here[..keys_here.len().min(TOGETHER)];
        let (starts, keys) = (self.starts, self.keys);
        // Short loops, so that cache misses overlap. The last loop sums the comparisons of several keys with
        // SIMD.
        for (bucket, &key) in self.buckets.iter_mut().zip(keys_here) {
            *bucket = (self.bucket)(key);
        }
        let mut slow = 0u64;
        let key_windows = self.windows.iter_mut().zip(&mut self.lower).zip(&self.buckets).zip(keys_here);
        for (number, (((window, first), &bucket), &key)) in key_windows.enumerate() {
            let (start, end) = ends_of_bucket(starts, bucket as usize);
            *first = start as u32;
            match window_of(keys, start) {
                Some(others) if end - start <= PROBE_LANES => {
                    *window = others.map(|other| {
                        let mut lane = K::Lane::from(other < key);
                        lane += K::Lane::from(if other == key { EQUAL } else { 0 });
                        lane
                    });
                }
                _ => {
                    *window = [K::Lane::default(); PROBE_LANES];
                    slow |= 1 << number;
                }
            }
        }
        let rows = keys_here.len();
        let add = |lower: &mut [u32], upper: &mut [u32], windows: &[[K::Lane; PROBE_LANES]]| {
            let mut any_equal = 0;
            for ((lower, upper), window) in lower.iter_mut().zip(upper).zip(windows) {
                let mut sum = window[0];
                window[1..].iter().for_each(|&lane| sum += lane);
                let sum = sum.into() as u32;
                let equal = sum / u32::from(EQUAL);
                *lower += sum % u32::from(EQUAL);
                *upper = *lower + equal;
                any_equal |= equal;
            }
            any_equal
        };
        // The compiler optimises the loop with a constant length best.
        let mut any_equal = if rows == TOGETHER {
            add(&mut self.lower, &mut self.upper, &self.windows)
        } else {
            add(&mut self.lower[..rows], &mut self.upper[..rows], &self.windows[..rows])
        };
        while slow != 0 {
            let number = slow.trailing_zeros() as usize;
            slow &= slow - 1;
            let (start, end) = ends_of_bucket(starts, self.buckets[number] as usize);
            let (lower, upper) = self.last.bounds(&keys[start..end], keys_here[number]);
            (self.lower[number], self.upper[number]) = ((start + lower) as u32, (start + upper) as u32);
            any_equal |= (upper - lower) as u32;
        }
        Bounds { lower: &self.lower[..rows], upper: &self.upper[..rows], any_equal: any_equal != 0 }
    }
}

/// Two counters in one number: a lower key adds 1, an equal key adds `EQUAL`. A sum counts at most
/// [`PROBE_LANES`] keys.
const EQUAL: u16 = 1 << 8;
const _: () = assert!(
    TOGETHER <= 64 && PROBE_LANES < EQUAL as usize && PROBE_LANES * (EQUAL as usize + 1) <= u16::MAX as usize
);

/// The [`PROBE_LANES`] values from an index on; `None` near the end.
#[inline(always)]
fn window_of<V>(values: &[V], start: usize) -> Option<&[V; PROBE_LANES]> {
    values.get(start..start + PROBE_LANES)?.first_chunk()
}

/// A cache with one entry: the last key looked up in a long bucket, and its bounds. When many rows share a
/// score, their bucket is long and most look-ups in it are for that score.
#[derive(Default)]
struct LastProbe<K> {
    key: Option<K>,
    bounds: (usize, usize),
}

impl<K: Key> LastProbe<K> {
    /// The lower and upper bound of a key within a bucket.
    #[inline]
    fn bounds(&mut self, bucket: &[K], key: K) -> (usize, usize) {
        if self.key != Some(key) || !Path::LastProbe.is_on() {
            *self = LastProbe { key: Some(key), bounds: bounds_among(bucket, key) };
        }
        self.bounds
    }
}

/// The lower and upper bound of a key within a bucket, without the cache.
#[cold]
#[inline(never)]
fn bounds_among<K: Key>(bucket: &[K], key: K) -> (usize, usize) {
    if bucket.len() <= PROBE_LANES {
        let count = |test: &dyn Fn(K) -> bool| bucket.iter().filter(|&&other| test(other)).count();
        return (count(&|other| other < key), count(&|other| other <= key));
    }
    // A long bucket is sorted. Scores with few digits often put one score in a long bucket, where the
    // branches of a binary search are mispredicted.
    let (lowest, rows) = (bucket[0], bucket.len());
    if bucket[rows - 1] == lowest {
        return (rows * usize::from(lowest < key), rows * usize::from(lowest <= key));
    }
    let lower = bucket.partition_point(|&other| other < key);
    (lower, lower + bucket[lower..].partition_point(|&other| other <= key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Compares the bounds with their definition, for every split into pieces.
    fn assert_bounds<S: Score + PartialOrd>(indexed: &[S], others: &[S], number: usize) {
        let [stored, keys] =
            [indexed, others].map(|scores| scores.iter().map(|score| score.key()).collect::<Vec<S::Key>>());
        let pieces: Vec<&[S::Key]> = keys.chunks(keys.len().div_ceil(number).max(1)).collect();
        let mut index = Index::default();
        index.build::<S>(&[&stored]);
        let lower = |key| stored.iter().filter(|&&other| other < key).count() as u32;
        let upper = |key| stored.iter().filter(|&&other| other <= key).count() as u32;
        let expected: Vec<(u32, u32)> = keys.iter().map(|&key| (lower(key), upper(key))).collect();
        let mut received = Vec::new();
        index.look_up::<S>(&pieces, &mut |bounds| {
            let both: Vec<(u32, u32)> =
                bounds.lower.iter().copied().zip(bounds.upper.iter().copied()).collect();
            assert_eq!(bounds.any_equal, both.iter().any(|(lower, upper)| lower < upper));
            received.extend(both);
        });
        assert_eq!(received, expected);
        let sum =
            |f: &dyn Fn(&(u32, u32)) -> u32| expected.iter().map(|bounds| u64::from(f(bounds))).sum::<u64>();
        let sums = [sum(&|bounds| bounds.0), sum(&|bounds| bounds.1 - bounds.0)];
        assert_eq!(index.below_and_equal::<S>(&pieces), sums);
        let mut sorted = stored.clone();
        sorted.sort_unstable();
        assert_eq!(index.has_equal_keys(), sorted.windows(2).any(|pair| pair[0] == pair[1]));
    }

    proptest! {
        /// Small and large buckets, with keys of each width.
        #[test]
        fn by_definition(
            indexed in prop::collection::vec((any::<i32>(), 0..3), 0..300),
            others in prop::collection::vec((any::<i32>(), 0..3), 0..300),
            number in 1usize..5,
        ) {
            // All scores, few scores, or many scores in a small range.
            let number_of = |&(any, kind): &(i32, i32)| match kind {
                0 => any,
                1 => any % 40,
                _ => 1_000_000 + any % 1000,
            };
            let [indexed, others] = [indexed, others].map(|rows| rows.iter().map(number_of).collect::<Vec<i32>>());
            assert_bounds(&indexed, &others, number);
            let [a, b] = [&indexed, &others].map(|rows| rows.iter().map(|&row| f64::from(row) / 7.0).collect::<Vec<f64>>());
            assert_bounds(&a, &b, number);
            let [a, b] = [&indexed, &others].map(|rows| rows.iter().map(|&row| row as u16).collect::<Vec<u16>>());
            assert_bounds(&a, &b, number);
            let [a, b] = [&indexed, &others].map(|rows| rows.iter().map(|&row| i128::from(row) << 40).collect::<Vec<i128>>());
            assert_bounds(&a, &b, number);
        }
    }

    /// The keys of a sorted bucket are all distinct, or two of them are equal.
    #[test]
    fn equal_keys_of_a_long_bucket() {
        let close = |row: u32| 0.5 + f64::from(row) * 1e-12;
        let mut scores: Vec<f64> = (0..400).map(|row| f64::from(row * 37 % 400) / 4e2 + 1e-4).collect();
        scores.extend((0..30).rev().map(close));
        assert_bounds(&scores, &scores[..100], 2);
        scores.push(close(17));
        assert_bounds(&scores, &scores[300..], 2);
    }
}
