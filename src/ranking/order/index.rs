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
use super::sorting::{sort, sort_few};
use crate::cache;
use crate::ranking::scores::{
    Key, Score,
    wide::{Work, widest},
};
use crate::ranking::ties::{placements::Moments, steps::Runs};
use crate::ranking::tuning::{BUCKETS_PER_KEY, TOGETHER, WINDOW};

/// What takes the places of some keys at a time: how many indexed keys are below each, and how many are not above it.
pub(in crate::ranking) type Visit<'a> = dyn FnMut(&[(u32, u32)]) + 'a;

/// How many keys of either class are put below an indexed key, and how many are not above it.
#[derive(Clone, Copy, Debug)]
pub(in crate::ranking) struct Place {
    /// Indexed keys.
    pub indexed: [u32; 2],
    /// The other keys.
    pub others: [u32; 2],
}

/// Over all other keys that equal an indexed key.
#[derive(Clone, Copy, Debug, Default)]
struct TiedSums {
    /// The sum of the indexed keys equal to each.
    sum: u128,
    /// What the squares of their places are more than the squares of twice the indexed keys below.
    squares: u128,
}

impl TiedSums {
    #[inline(always)]
    fn add(&mut self, below: u64, equal: u64) {
        self.sum += u128::from(equal);
        self.squares += u128::from(equal) * u128::from(4 * below + equal);
    }
}

/// The keys of one class, indexed. Keeps its memory from use to use.
#[derive(Debug, Default)]
pub(in crate::ranking) struct Index<K> {
    keys: Vec<K>,
    /// Where each bucket begins; one more entry than buckets.
    starts: Vec<u32>,
    map: Map,
    /// For each key, the bucket it goes to.
    places: Vec<u32>,
    /// The buckets of more than [`WINDOW`] keys.
    long: Vec<usize>,
    /// What [`Index::tally`] counts: for each number of indexed keys, the other keys that have so many below them, ...
    counts: Vec<u32>,
    /// ... and, of the other keys that equal an indexed key, those that have so many below them less those that have so
    /// many not above them. Summed up to an indexed key, it is how many equal that key.
    tied: Vec<u32>,
    tied_sums: TiedSums,
    /// What [`Index::build_with_units`] moves: the units of each key ...
    units: Vec<u64>,
    /// ... and those of all keys before each; one more entry than keys.
    units_before: Vec<u64>,
}

impl<K: Key> Index<K> {
    /// Indexes the keys in `pieces`.
    pub fn build<S: Score<Key = K>>(&mut self, pieces: &[&[K]]) {
        self.spread_by_map::<S>(pieces, |_| {});
        for &bucket in &self.long {
            let (start, end) = ends_of_bucket(&self.starts, bucket);
            sort(&mut self.keys[start..end]);
        }
    }

    /// Indexes keys that have units, for [`Index::twice_units_below`]. The units are moved with their keys.
    pub fn build_with_units<S: Score<Key = K>>(&mut self, pieces: &[(&[K], &[u64])]) {
        let keys: Vec<&[K]> = pieces.iter().map(|piece| piece.0).collect();
        let mut units = std::mem::take(&mut self.units);
        units.clear();
        units.resize(keys.iter().map(|keys| keys.len()).sum(), 0);
        // The units are read after all keys have been.
        pieces.iter().for_each(|piece| cache::expect(piece.1));
        let mut of_keys = pieces.iter().flat_map(|piece| piece.1);
        self.spread_by_map::<S>(&keys, |place| {
            if let Some(&of_key) = of_keys.next() {
                units[place] = of_key;
            }
        });
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
        self.units_before.clear();
        self.units_before.reserve(units.len() + 1);
        let mut before = 0;
        self.units_before.extend(units.iter().map(|&of_key| {
            before += of_key;
            before - of_key
        }));
        self.units_before.push(before);
        self.units = units;
    }

    /// Moves every key to its bucket by the map that suits the keys.
    fn spread_by_map<S: Score<Key = K>>(&mut self, pieces: &[&[K]], moved: impl FnMut(usize)) {
        let rows: usize = pieces.iter().map(|piece| piece.len()).sum();
        let buckets = (rows * BUCKETS_PER_KEY).max(1);
        let map = Map::of_keys::<S>(pieces, rows, buckets);
        with_buckets!(&map, bucket => {
            self.spread(pieces, rows, buckets, |key| bucket(S::from_key(key).position()), moved);
        });
        self.map = map;
    }

    /// Moves every key to its bucket, by counting; `moved` is told the place of each key in turn.
    fn spread(
        &mut self,
        pieces: &[&[K]],
        rows: usize,
        buckets: usize,
        bucket: impl Fn(K) -> u32,
        mut moved: impl FnMut(usize),
    ) {
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        self.places.clear();
        self.places.reserve(rows);
        let starts = &mut self.starts[..];
        for piece in cache::ahead(pieces, TOGETHER) {
            self.places.extend(piece.iter().map(|&key| bucket(key)));
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
        let mut places = &self.places[..];
        for piece in pieces {
            let (here, rest) = places.split_at(piece.len());
            for (&key, &place) in piece.iter().zip(here) {
                let start = &mut starts[place as usize];
                *start -= 1;
                self.keys[*start as usize] = key;
                moved(*start as usize);
            }
            places = rest;
        }
    }

    /// Sorts every bucket, and thereby all keys.
    pub fn order(&mut self) {
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

    /// Over all keys in `pieces`: twice the indexed keys below each, and once those equal to it.
    pub fn twice_below<S: Score<Key = K>>(&self, pieces: &[&[K]]) -> u64 {
        with_buckets!(&self.map, bucket => {
            let bucket = |key| bucket(S::from_key(key).position());
            widest(TwiceBelow { index: self, pieces, bucket })
        })
    }

    /// Calls `visit` with the places of the keys in turn, some keys at a time: how many indexed keys are below each
    /// key, and how many are not above it.
    pub fn look_up<S: Score<Key = K>>(&self, keys: &[K], visit: &mut Visit<'_>) {
        with_buckets!(&self.map, bucket => {
            let bucket = |key| bucket(S::from_key(key).position());
            widest(LookUp { index: self, keys, bucket, visit });
        });
    }

    /// The sum over all keys of their units times the indexed units below them, where units of an equal key count once and
    /// units of a lower key twice.
    pub fn twice_units_below<S: Score<Key = K>>(&self, (keys, units): (&[K], &[u64])) -> u128 {
        with_buckets!(&self.map, bucket => {
            let bucket = |key| bucket(S::from_key(key).position());
            widest(TwiceUnitsBelow { index: self, keys, units, bucket })
        })
    }

    /// Of the units in a bucket, twice those below a key and once those equal to it.
    #[cold]
    #[inline(never)]
    fn twice_units_among(&self, start: usize, end: usize, key: K) -> u64 {
        if end - start <= WINDOW {
            let pairs = self.keys[start..end].iter().zip(&self.units[start..end]);
            return pairs.map(|(&other, &units)| twice_units((other, units), key)).sum();
        }
        let (below, upto) = place_among(&self.keys[start..end], key);
        let before = |place: usize| self.units_before[start + place] - self.units_before[start];
        before(below) + before(upto)
    }

    /// Counts the keys in `pieces` by their place among the indexed keys; with `SUMS`, for [`Index::each_place`].
    ///
    /// The indexed keys need not be in order: as many of them are below another key, whichever these are.
    pub fn tally<S: Score<Key = K>, const SUMS: bool>(&mut self, pieces: &[&[K]]) {
        let (mut counts, mut tied) = (std::mem::take(&mut self.counts), std::mem::take(&mut self.tied));
        for counters in [&mut counts, &mut tied] {
            counters.clear();
            counters.resize(self.keys.len() + 1, 0);
        }
        self.tied_sums = with_buckets!(&self.map, bucket => {
            let bucket = |key| bucket(S::from_key(key).position());
            widest(Tally::<K, _, SUMS> { index: self, pieces, bucket, counts: &mut counts, tied: &mut tied })
        });
        (self.counts, self.tied) = (counts, tied);
    }

    /// Visits the indexed keys after [`Index::tally`], from the lowest up. Returns the moments of the places of the indexed
    /// keys, and of the others. A place is twice the keys of the other class below a key and once those equal to it.
    ///
    /// Of equal keys, each is visited with another number of indexed keys below it. What it says of the other keys is
    /// true of all.
    #[inline(always)]
    pub fn each_place(&self, mut visit: impl FnMut(Place)) -> [Moments<u128>; 2] {
        let (counts, last) = self.counts.split_at(self.keys.len());
        // Sums of places fit 64 bits: none is more than twice all pairs.
        let (mut sum, mut squares) = (0, 0);
        let (mut sum_of_others, mut squares_of_others) = (0, 0);
        let mut add_others = |rows: u32, below: usize| {
            let sum = u64::from(rows) * below as u64;
            sum_of_others += 2 * sum;
            squares_of_others += 4 * u128::from(sum) * below as u128;
        };
        let (mut upto, mut equal) = (0, 0u32);
        for (key, (&more, &tied)) in counts.iter().zip(&self.tied).enumerate() {
            add_others(more, key);
            upto += more;
            equal = equal.wrapping_add(tied);
            visit(Place { indexed: [key as u32, key as u32 + 1], others: [upto - equal, upto] });
            let place = 2 * u64::from(upto) - u64::from(equal);
            sum += place;
            squares += u128::from(place) * u128::from(place);
        }
        add_others(last[0], counts.len());
        let TiedSums { sum: tied_sum, squares: tied_squares } = self.tied_sums;
        [
            Moments { rows: counts.len() as u128, sum: sum.into(), squares },
            Moments {
                rows: u128::from(upto + last[0]),
                sum: u128::from(sum_of_others) + tied_sum,
                squares: squares_of_others + tied_squares,
            },
        ]
    }

    /// The segments of the curve after [`Index::tally`] and [`Index::order`], from the highest scores down; `indexed_pos`
    /// says which class is indexed.
    pub fn for_each_segment(&self, indexed_pos: bool, runs: &mut Runs<'_, '_>) {
        let mut pass = |key: u128, indexed: u32, others: u32| {
            let (pos, neg) = if indexed_pos { (indexed, others) } else { (others, indexed) };
            runs.push(key, pos.into(), neg.into());
        };
        let (keys, counts) = (&self.keys[..], &self.counts[..]);
        let mut end = keys.len();
        // Summed from the highest down, `tied` counts each other key that equals an indexed key above twice, once with
        // each sign. So the sum is, less than nothing, how many equal the indexed key just below.
        let mut tied = self.tied[end];
        pass(0, 0, counts[end]);
        while end > 0 {
            let key = keys[end - 1];
            let mut start = end - 1;
            while start > 0 && keys[start - 1] == key {
                start -= 1;
            }
            let equal = tied.wrapping_neg();
            tied = tied.wrapping_add(self.tied[start]);
            pass(key.wide(), (end - start) as u32, equal);
            pass(0, 0, counts[start] - equal);
            end = start;
        }
    }
}

/// Where a bucket begins and ends, with one check of its number.
#[inline(always)]
fn ends_of_bucket(starts: &[u32], bucket: usize) -> (usize, usize) {
    let pair = &starts[bucket..][..2];
    (pair[0] as usize, pair[1] as usize)
}

/// How many keys of a window are below a key, and how many equal it.
///
/// For sums in this form one instruction compares all keys, and two more count the results.
#[inline(always)]
fn among<K: Key>(window: &[K; WINDOW], key: K) -> (u32, u32) {
    let below = window.map(|other| u32::from(other < key)).into_iter().sum();
    let equal = window.map(|other| u32::from(other == key)).into_iter().sum();
    (below, equal)
}

/// The last key that was looked up in a long bucket, and its place there. A bucket is long if very many rows share a
/// score, and then most keys that are looked up in it have that score.
#[derive(Default)]
struct LastLookup<K> {
    key: Option<K>,
    place: (usize, usize),
}

impl<K: Key> LastLookup<K> {
    /// How many keys of a bucket are below a key, and how many are not above it.
    #[inline]
    fn place(&mut self, bucket: &[K], key: K) -> (usize, usize) {
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
    // A long bucket is in order. If scores have few digits, it has one score, and a search would be foretold wrong.
    if bucket.len() > WINDOW && bucket.first() == bucket.last() {
        let rows = |counts: bool| if counts { bucket.len() } else { 0 };
        return (rows(bucket[0] < key), rows(bucket[0] <= key));
    }
    if bucket.len() <= WINDOW {
        let count = |test: &dyn Fn(K) -> bool| bucket.iter().filter(|&&other| test(other)).count();
        return (count(&|other| other < key), count(&|other| other <= key));
    }
    let below = bucket.partition_point(|&other| other < key);
    (below, below + bucket[below..].partition_point(|&other| other <= key))
}

/// The work of [`Index::twice_below`].
struct TwiceBelow<'a, K, F> {
    index: &'a Index<K>,
    pieces: &'a [&'a [K]],
    bucket: F,
}

impl<K: Key, F: Fn(K) -> u32> Work for TwiceBelow<'_, K, F> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let (starts, keys) = (&self.index.starts[..], &self.index.keys[..]);
        let mut sum = 0;
        let mut slow = LastLookup::default();
        let mut buckets = [0; TOGETHER];
        for keys_here in cache::ahead(self.pieces, TOGETHER) {
            // First all buckets, several at a time, then all places.
            for (bucket, &key) in buckets.iter_mut().zip(keys_here) {
                *bucket = (self.bucket)(key);
            }
            // There is one sum for each place in the window, so that the comparisons of a window are added at once.
            let mut sums = [K::Lane::default(); WINDOW];
            for (&bucket, &key) in buckets.iter().zip(keys_here) {
                let (start, end) = ends_of_bucket(starts, bucket as usize);
                sum += 2 * start as u64;
                match keys[start..].first_chunk::<WINDOW>() {
                    Some(window) if end - start <= WINDOW => {
                        for (sum, &other) in sums.iter_mut().zip(window) {
                            *sum += K::Lane::from(other < key);
                            *sum += K::Lane::from(other <= key);
                        }
                    }
                    _ => {
                        let (below, upto) = slow.place(&keys[start..end], key);
                        sum += (below + upto) as u64;
                    }
                }
            }
            sum += sums.into_iter().map(Into::<u64>::into).sum::<u64>();
        }
        sum
    }
}

/// The units of an indexed key as far as they count for another key: twice if it is lower, once if it is equal.
#[inline(always)]
fn twice_units<K: Key>((indexed, units): (K, u64), key: K) -> u64 {
    (if indexed < key { units } else { 0 }) + (if indexed <= key { units } else { 0 })
}

/// The work of [`Index::twice_units_below`].
struct TwiceUnitsBelow<'a, K, F> {
    index: &'a Index<K>,
    keys: &'a [K],
    units: &'a [u64],
    bucket: F,
}

impl<K: Key, F: Fn(K) -> u32> Work for TwiceUnitsBelow<'_, K, F> {
    type Output = u128;

    #[inline(always)]
    fn run(self) -> u128 {
        let Index { starts, keys, units, units_before, .. } = self.index;
        let mut sum = 0;
        let mut buckets = [0; TOGETHER];
        for (keys_here, units_here) in self.keys.chunks(TOGETHER).zip(self.units.chunks(TOGETHER)) {
            for (bucket, &key) in buckets.iter_mut().zip(keys_here) {
                *bucket = (self.bucket)(key);
            }
            for ((&bucket, &key), &own) in buckets.iter().zip(keys_here).zip(units_here) {
                let (start, end) = ends_of_bucket(starts, bucket as usize);
                let windows = (keys[start..].first_chunk::<WINDOW>(), units[start..].first_chunk::<WINDOW>());
                let in_bucket = match windows {
                    (Some(keys), Some(units)) if end - start <= WINDOW => {
                        let mut twice = 0;
                        for place in 0..WINDOW {
                            twice += twice_units((keys[place], units[place]), key);
                        }
                        twice
                    }
                    _ => self.index.twice_units_among(start, end, key),
                };
                sum += u128::from(own) * u128::from(2 * units_before[start] + in_bucket);
            }
        }
        sum
    }
}

/// The work of [`Index::look_up`].
struct LookUp<'a, K, F> {
    index: &'a Index<K>,
    keys: &'a [K],
    bucket: F,
    visit: &'a mut Visit<'a>,
}

impl<K: Key, F: Fn(K) -> u32> Work for LookUp<'_, K, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (starts, keys) = (&self.index.starts[..], &self.index.keys[..]);
        let mut slow = LastLookup::default();
        let mut buckets = [0; TOGETHER];
        let mut ends = [(0, 0); TOGETHER];
        let mut places = [(0, 0); TOGETHER];
        for keys_here in self.keys.chunks(TOGETHER) {
            // There is one short loop for each kind of value that is read from memory, so that many reads wait
            // together.
            for (bucket, &key) in buckets.iter_mut().zip(keys_here) {
                *bucket = (self.bucket)(key);
            }
            for (ends, &bucket) in ends.iter_mut().zip(&buckets[..keys_here.len()]) {
                *ends = ends_of_bucket(starts, bucket as usize);
            }
            for ((place, &(start, end)), &key) in places.iter_mut().zip(&ends).zip(keys_here) {
                let (below, not_above) = match keys[start..].first_chunk::<WINDOW>() {
                    Some(window) if end - start <= WINDOW => {
                        let (below, equal) = among(window, key);
                        (below, below + equal)
                    }
                    _ => {
                        let (below, upto) = slow.place(&keys[start..end], key);
                        (below as u32, upto as u32)
                    }
                };
                *place = (start as u32 + below, start as u32 + not_above);
            }
            (self.visit)(&places[..keys_here.len()]);
        }
    }
}

/// The work of [`Index::tally`].
struct Tally<'a, K, F, const SUMS: bool> {
    index: &'a Index<K>,
    pieces: &'a [&'a [K]],
    bucket: F,
    counts: &'a mut [u32],
    tied: &'a mut [u32],
}

impl<K: Key, F: Fn(K) -> u32, const SUMS: bool> Work for Tally<'_, K, F, SUMS> {
    type Output = TiedSums;

    #[inline(always)]
    fn run(self) -> TiedSums {
        let (starts, keys) = (&self.index.starts[..], &self.index.keys[..]);
        let (counts, tied) = (self.counts, self.tied);
        let mut sums = TiedSums::default();
        let mut slow = LastLookup::default();
        let mut buckets = [0; TOGETHER];
        for keys_here in cache::ahead(self.pieces, TOGETHER) {
            for (bucket, &key) in buckets.iter_mut().zip(keys_here) {
                *bucket = (self.bucket)(key);
            }
            for (&bucket, &key) in buckets.iter().zip(keys_here) {
                let (start, end) = ends_of_bucket(starts, bucket as usize);
                let (below, equal) = match keys[start..].first_chunk::<WINDOW>() {
                    Some(window) if end - start <= WINDOW => {
                        let (below, equal) = among(window, key);
                        (below as usize, equal as usize)
                    }
                    _ => {
                        let (below, upto) = slow.place(&keys[start..end], key);
                        (below, upto - below)
                    }
                };
                let below = start + below;
                counts[below] += 1;
                if equal > 0 {
                    tied[below] = tied[below].wrapping_add(1);
                    tied[below + equal] = tied[below + equal].wrapping_sub(1);
                    if SUMS {
                        sums.add(below as u64, equal as u64);
                    }
                }
            }
        }
        sums
    }
}
