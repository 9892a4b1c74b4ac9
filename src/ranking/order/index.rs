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

use super::map::{Map, with_buckets};
use super::row::Row;
use super::sorting::{sort, sort_few};
use crate::cache;
use crate::ranking::scores::{Key, Score};
use crate::ranking::tuning::{BUCKETS_PER_KEY, FEW_LONG, TOGETHER, WINDOW};
use crate::wide::{Work, widest};

/// What takes the places of some keys at a time: how many indexed keys are below each, and how many are not above it.
pub(in crate::ranking) type Visit<'a> = dyn FnMut(Places<'_>) + 'a;

/// The keys of one class, indexed. Keeps its memory from use to use.
#[derive(Debug, Default)]
pub(in crate::ranking) struct Index<K> {
    pub(super) keys: Vec<K>,
    /// Where each bucket begins; one more entry than buckets.
    pub(super) starts: Vec<u32>,
    pub(super) map: Map,
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

    /// Indexes keys that have units, for [`Index::twice_units_below`]. The units are moved with their keys.
    pub fn build_with_units<S: Score<Key = K>>(&mut self, pieces: &[&[(K, u64)]]) {
        // First the units of each key.
        let mut units = std::mem::take(&mut self.units_before);
        units.clear();
        units.resize(pieces.iter().map(|piece| piece.len()).sum(), 0);
        self.spread_by_map::<S, (K, u64)>(pieces, |place, row| units[place] = row.1);
        let mut pairs: Vec<(K, u64)> = Vec::new();
        for &bucket in &self.long {
            let (start, end) = ends_of_bucket(&self.starts, bucket);
            let (keys, units) = (&mut self.keys[start..end], &mut units[start..end]);
            pairs.clear();
            pairs.extend(keys.iter().copied().zip(units.iter().copied()));
            pairs.sort_unstable();
            for ((key, units), &pair) in keys.iter_mut().zip(units).zip(&pairs) {
                (*key, *units) = pair;
            }
        }
        let mut before = 0;
        for of_key in &mut units {
            before += *of_key;
            *of_key = before - *of_key;
        }
        units.push(before);
        self.units_before = units;
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
        self.keys.clear();
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
        // No key is more than a window away from its place, and most keys are at most one place away. The first pass
        // exchanges neighbours without a branch. It leaves few keys to the second pass, whose branches can be
        // mispredicted.
        if let Some((first, rest)) = self.keys.split_first_mut() {
            let mut before = first;
            for key in rest {
                (*before, *key) = ((*before).min(*key), (*before).max(*key));
                before = key;
            }
        }
        sort_few(&mut self.keys);
    }

    /// Over all keys in `pieces`: the indexed keys below each, and those equal to it.
    pub fn below_and_equal<S: Score<Key = K>>(&self, pieces: &[&[K]]) -> [u64; 2] {
        with_buckets!(&self.map, bucket => {
            let bucket = |key| bucket(S::from_key(key).position());
            widest(BelowAndEqual { index: self, pieces, bucket })
        })
    }

    /// Calls `visit` with the places of the keys in turn: how many indexed keys are below each key, and how many are not above
    /// it. At a time these are [`TOGETHER`] places, or what is left of a piece; no two pieces come together.
    pub fn look_up<S: Score<Key = K>>(&self, pieces: &[&[K]], visit: &mut Visit<'_>) {
        with_buckets!(&self.map, bucket => {
            let bucket = |key| bucket(S::from_key(key).position());
            widest(LookUp { index: self, pieces, bucket, visit });
        });
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

    /// The sum over all rows of their units times the indexed units below them, where units of an equal key count once and
    /// units of a lower key twice.
    pub fn twice_units_below<S: Score<Key = K>>(&self, pieces: &[&[(K, u64)]]) -> u128 {
        with_buckets!(&self.map, bucket => {
            let bucket = |key| bucket(S::from_key(key).position());
            widest(TwiceUnitsBelow { index: self, pieces, bucket })
        })
    }

    /// Of the units in a bucket, twice those below a key and once those equal to it.
    #[cold]
    #[inline(never)]
    fn twice_units_among(&self, start: usize, end: usize, key: K) -> u64 {
        if end - start <= WINDOW {
            let borders = self.units_before[start..=end].windows(2);
            let pairs = self.keys[start..end].iter().zip(borders);
            return pairs.map(|(&other, ends)| twice_units((other, ends[1] - ends[0]), key)).sum();
        }
        let (below, upto) = place_among(&self.keys[start..end], key);
        let before = |place: usize| self.units_before[start + place] - self.units_before[start];
        before(below) + before(upto)
    }
}

/// Where a bucket begins and ends, with one check of its number.
#[inline(always)]
pub(super) fn ends_of_bucket(starts: &[u32], bucket: usize) -> (usize, usize) {
    let pair = &starts[bucket..bucket + 2];
    (pair[0] as usize, pair[1] as usize)
}

/// The values from a place on that are looked at together, if there are so many.
#[inline(always)]
fn window_of<V>(values: &[V], start: usize) -> Option<&[V; WINDOW]> {
    values.get(start..start + WINDOW)?.first_chunk()
}

/// The last key that was looked up in a long bucket, and its place there. A bucket is long if very many rows share a
/// score, and then most keys that are looked up in it have that score.
#[derive(Default)]
pub(super) struct LastLookup<K> {
    key: Option<K>,
    place: (usize, usize),
}

impl<K: Key> LastLookup<K> {
    /// How many keys of a bucket are below a key, and how many are not above it.
    #[inline]
    pub(super) fn place(&mut self, bucket: &[K], key: K) -> (usize, usize) {
        if self.key != Some(key) {
            *self = LastLookup { key: Some(key), place: place_among(bucket, key) };
        }
        self.place
    }
}

/// How many keys of a bucket are below a key, and how many are not above it.
#[cold]
#[inline(never)]
fn place_among<K: Key>(bucket: &[K], key: K) -> (usize, usize) {
    if bucket.len() <= WINDOW {
        let count = |test: &dyn Fn(K) -> bool| bucket.iter().filter(|&&other| test(other)).count();
        return (count(&|other| other < key), count(&|other| other <= key));
    }
    // A long bucket is in order. If scores have few digits, it has one score, and the branches of a search would often be
    // foretold wrong.
    let (lowest, rows) = (bucket[0], bucket.len());
    if bucket[rows - 1] == lowest {
        return (rows * usize::from(lowest < key), rows * usize::from(lowest <= key));
    }
    let below = bucket.partition_point(|&other| other < key);
    (below, below + bucket[below..].partition_point(|&other| other <= key))
}

/// Whether two keys less than a window apart are equal. Equal keys are in one bucket: if that is longer than a window, it is
/// sorted, and they are next to each other.
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

/// The work of [`Index::below_and_equal`].
struct BelowAndEqual<'a, K, F> {
    index: &'a Index<K>,
    pieces: &'a [&'a [K]],
    bucket: F,
}

impl<K: Key, F: Fn(K) -> u32> Work for BelowAndEqual<'_, K, F> {
    type Output = [u64; 2];

    #[inline(always)]
    fn run(self) -> [u64; 2] {
        let (starts, keys) = (&self.index.starts[..], &self.index.keys[..]);
        let (mut sum_below, mut sum_equal) = (0, 0);
        let mut slow = LastLookup::default();
        let mut buckets = [0; TOGETHER];
        for keys_here in cache::ahead(self.pieces, TOGETHER) {
            // First all buckets, several at a time, then all places.
            for (bucket, &key) in buckets.iter_mut().zip(keys_here) {
                *bucket = (self.bucket)(key);
            }
            // There is one sum for each place in the window, so that the comparisons of a window are added at once. It holds
            // both counts, since the compiler would mix the registers of two sums.
            let mut sums = [K::Lane::default(); WINDOW];
            for (&bucket, &key) in buckets.iter().zip(keys_here) {
                let (start, end) = ends_of_bucket(starts, bucket as usize);
                sum_below += start as u64;
                match window_of(keys, start) {
                    Some(window) if end - start <= WINDOW => {
                        for (sum, &other) in sums.iter_mut().zip(window) {
                            *sum += K::Lane::from(other < key);
                            *sum += K::Lane::from(if other == key { EQUAL } else { 0 });
                        }
                    }
                    _ => {
                        let (below, upto) = slow.place(&keys[start..end], key);
                        sum_below += below as u64;
                        sum_equal += (upto - below) as u64;
                    }
                }
            }
            for sum in sums.map(Into::<u64>::into) {
                sum_below += sum % u64::from(EQUAL);
                sum_equal += sum / u64::from(EQUAL);
            }
        }
        [sum_below, sum_equal]
    }
}

/// What an equal key adds to a sum of both counts. A lower key adds 1, and the lower keys of a sum are fewer than this.
const EQUAL: u16 = 1 << 8;
const _: () = assert!(TOGETHER < EQUAL as usize && TOGETHER * (EQUAL as usize + 1) <= u16::MAX as usize);

/// The units of an indexed key as far as they count for another key: twice if it is lower, once if it is equal.
#[inline(always)]
fn twice_units<K: Key>((indexed, units): (K, u64), key: K) -> u64 {
    (if indexed < key { units } else { 0 }) + (if indexed <= key { units } else { 0 })
}

/// The work of [`Index::twice_units_below`].
struct TwiceUnitsBelow<'a, K, F> {
    index: &'a Index<K>,
    pieces: &'a [&'a [(K, u64)]],
    bucket: F,
}

impl<K: Key, F: Fn(K) -> u32> Work for TwiceUnitsBelow<'_, K, F> {
    type Output = u128;

    #[inline(always)]
    fn run(self) -> u128 {
        let Index { starts, keys, units_before, .. } = self.index;
        let mut sum = 0;
        let mut buckets = [0; TOGETHER];
        let mut firsts = [0; TOGETHER];
        let mut windows = [[0; WINDOW]; TOGETHER];
        let mut in_buckets = [0; TOGETHER];
        for rows in cache::ahead(self.pieces, TOGETHER) {
            for (bucket, row) in buckets.iter_mut().zip(rows) {
                *bucket = (self.bucket)(row.0);
            }
            for (((window, first), &bucket), &(key, _)) in
                windows.iter_mut().zip(&mut firsts).zip(&buckets).zip(rows)
            {
                let (start, end) = ends_of_bucket(starts, bucket as usize);
                *first = start;
                let (keys, before) = (window_of(keys, start), window_of(units_before, start));
                *window = match (keys, before, window_of(units_before, start + 1)) {
                    (Some(keys), Some(before), Some(upto)) if end - start <= WINDOW => {
                        std::array::from_fn(|place| {
                            twice_units((keys[place], upto[place] - before[place]), key)
                        })
                    }
                    _ => [self.index.twice_units_among(start, end, key), 0, 0, 0],
                };
            }
            for (in_bucket, window) in in_buckets.iter_mut().zip(&windows) {
                *in_bucket = window.iter().sum::<u64>();
            }
            for ((&in_bucket, &first), &(_, own)) in in_buckets.iter().zip(&firsts).zip(rows) {
                sum += u128::from(own) * u128::from(2 * units_before[first] + in_bucket);
            }
        }
        sum
    }
}

/// The work of [`Index::look_up`].
struct LookUp<'a, K, F> {
    index: &'a Index<K>,
    pieces: &'a [&'a [K]],
    bucket: F,
    visit: &'a mut Visit<'a>,
}

impl<K: Key, F: Fn(K) -> u32> Work for LookUp<'_, K, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let mut look_ups = LookUps::new(self.index, self.bucket);
        for keys_here in cache::ahead(self.pieces, TOGETHER) {
            (self.visit)(look_ups.places(keys_here));
        }
    }
}

/// The places of some keys among the indexed keys.
#[derive(Clone, Copy)]
pub(in crate::ranking) struct Places<'a> {
    /// How many indexed keys are below each.
    pub below: &'a [u32],
    /// How many indexed keys are not above it.
    pub upto: &'a [u32],
    /// Whether one of them equals an indexed key.
    pub any_equal: bool,
}

/// Look-ups of up to [`TOGETHER`] keys at a time.
pub(super) struct LookUps<'a, K: Key, F> {
    starts: &'a [u32],
    keys: &'a [K],
    bucket: F,
    last: LastLookup<K>,
    buckets: [u32; TOGETHER],
    windows: [[K::Lane; WINDOW]; TOGETHER],
    below: [u32; TOGETHER],
    upto: [u32; TOGETHER],
}

impl<'a, K: Key, F: Fn(K) -> u32> LookUps<'a, K, F> {
    #[inline(always)]
    pub fn new(index: &'a Index<K>, bucket: F) -> Self {
        LookUps {
            starts: &index.starts,
            keys: &index.keys,
            bucket,
            last: LastLookup::default(),
            buckets: [0; TOGETHER],
            windows: [[K::Lane::default(); WINDOW]; TOGETHER],
            below: [0; TOGETHER],
            upto: [0; TOGETHER],
        }
    }

    /// The places of at most [`TOGETHER`] keys.
    #[inline(always)]
    pub fn places(&mut self, keys_here: &[K]) -> Places<'_> {
        let keys_here = &keys_here[..keys_here.len().min(TOGETHER)];
        let (starts, keys) = (self.starts, self.keys);
        // There is one short loop for each kind of value that is read from memory, so that many reads wait together. What is
        // compared is added in a loop of its own, which adds that of several keys at once.
        for (bucket, &key) in self.buckets.iter_mut().zip(keys_here) {
            *bucket = (self.bucket)(key);
        }
        let mut long = 0u64;
        let of_keys = self.windows.iter_mut().zip(&mut self.below).zip(&self.buckets).zip(keys_here);
        for (number, (((window, first), &bucket), &key)) in of_keys.enumerate() {
            let (start, end) = ends_of_bucket(starts, bucket as usize);
            *first = start as u32;
            match window_of(keys, start) {
                Some(others) if end - start <= WINDOW => {
                    *window = others.map(|other| {
                        let mut lane = K::Lane::from(other < key);
                        lane += K::Lane::from(if other == key { EQUAL } else { 0 });
                        lane
                    });
                }
                _ => {
                    *window = [K::Lane::default(); WINDOW];
                    long |= 1 << number;
                }
            }
        }
        let rows = keys_here.len();
        let add = |below: &mut [u32], upto: &mut [u32], windows: &[[K::Lane; WINDOW]]| {
            let mut any_equal = 0;
            for ((below, upto), window) in below.iter_mut().zip(upto).zip(windows) {
                let mut sum = window[0];
                window[1..].iter().for_each(|&lane| sum += lane);
                let sum = sum.into() as u32;
                let equal = sum / u32::from(EQUAL);
                *below += sum % u32::from(EQUAL);
                *upto = *below + equal;
                any_equal |= equal;
            }
            any_equal
        };
        // The compiler makes the most of a loop whose length it knows.
        let mut any_equal = if rows == TOGETHER {
            add(&mut self.below, &mut self.upto, &self.windows)
        } else {
            add(&mut self.below[..rows], &mut self.upto[..rows], &self.windows[..rows])
        };
        while long != 0 {
            let number = long.trailing_zeros() as usize;
            long &= long - 1;
            let (start, end) = ends_of_bucket(starts, self.buckets[number] as usize);
            let (below, upto) = self.last.place(&keys[start..end], keys_here[number]);
            (self.below[number], self.upto[number]) = ((start + below) as u32, (start + upto) as u32);
            any_equal |= (upto - below) as u32;
        }
        Places { below: &self.below[..rows], upto: &self.upto[..rows], any_equal: any_equal != 0 }
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
