//! The keys of one group, each class by itself, brought near their order but not into it.
//!
//! Only pairs of one positive and one negative decide a rank statistic, so the classes are kept apart throughout: no
//! label travels with its key, and each key keeps its whole width. Only rows near each other in score need to be
//! compared one by one. The keys of either class are spread over buckets by a map of the score's value, which is the
//! same for both classes. The order between buckets is then known; a bucket is sorted when it is walked.
//!
//! Invariant after [`ClassKeys::spread`]: both classes are cut into the same number of buckets, every key of a bucket
//! is below every key of the next bucket, and equal keys are in one bucket.

use super::classes::Classes;
use crate::cache;
use crate::ranking::index::map::{Map, with_buckets};
use crate::ranking::index::sorting::sort;
use crate::ranking::scores::{Key, Observations, Score, observations::rows_of_classes};
use crate::ranking::ties::steps::Runs;
use crate::ranking::tuning::{CHUNK, EQUAL_STEPS, FEW_ROWS, ROWS_PER_BUCKET};

/// The keys of one group's positives and negatives. Keeps its memory from group to group.
#[derive(Debug, Default)]
pub struct ClassKeys<K> {
    pub(in crate::ranking) pos: KeysOfClass<K>,
    pub(in crate::ranking) neg: KeysOfClass<K>,
    nan: bool,
    /// The bucket of each row of a class: memory for one class at a time.
    places: Vec<u32>,
}

/// The keys of one class.
#[derive(Debug, Default)]
pub(in crate::ranking) struct KeysOfClass<K> {
    /// The keys, then room that was once needed.
    keys: Vec<K>,
    rows: usize,
    /// Where keys go when they are spread.
    spread: Vec<K>,
    /// Where each bucket ends.
    ends: Vec<u32>,
}

impl<K: Key> KeysOfClass<K> {
    pub(in crate::ranking) fn keys(&self) -> &[K] {
        &self.keys[..self.rows]
    }

    /// Makes room for `rows` keys.
    fn room(&mut self, rows: usize) -> &mut [K] {
        self.rows = rows;
        if self.keys.len() < rows {
            self.keys.resize(rows, K::default());
        }
        &mut self.keys[..rows]
    }

    fn bucket(&mut self, bucket: usize) -> &mut [K] {
        let start = if bucket == 0 { 0 } else { self.ends[bucket - 1] };
        &mut self.keys[start as usize..self.ends[bucket] as usize]
    }

    /// Leaves the keys in a single bucket.
    fn leave_whole(&mut self) {
        self.ends.clear();
        self.ends.push(self.rows as u32);
    }

    /// Moves every key to its bucket, by counting.
    fn spread(&mut self, buckets: usize, places: &mut Vec<u32>, place: impl Fn(K) -> u32) {
        places.clear();
        places.extend(self.keys().iter().map(|&key| place(key)));
        self.ends.clear();
        self.ends.resize(buckets, 0);
        let ends = &mut self.ends[..];
        for &place in places.iter() {
            ends[place as usize] += 1;
        }
        let mut before = 0;
        for end in ends.iter_mut() {
            before += std::mem::replace(end, before);
        }
        if self.spread.len() < self.keys.len() {
            self.spread.resize(self.keys.len(), K::default());
        }
        for (&key, &place) in self.keys[..self.rows].iter().zip(places.iter()) {
            let next = &mut ends[place as usize];
            self.spread[*next as usize] = key;
            *next += 1;
        }
        std::mem::swap(&mut self.keys, &mut self.spread);
    }
}

impl<K: Key> ClassKeys<K> {
    /// Parts rows by their labels.
    pub fn part<S: Score<Key = K>>(&mut self, pieces: &[Observations<'_, S>]) {
        let [n_neg, n_pos] = rows_of_classes(pieces);
        let (pos, neg) = (self.pos.room(n_pos), self.neg.room(n_neg));
        let (mut i, mut j) = (0, 0);
        let mut nan = false;
        for piece in pieces {
            for word in piece.words() {
                nan |= word.has_nan();
                let (of_pos, of_neg) = (word.labels & word.used, !word.labels & word.used);
                // Rows that come class by class are copied 64 at a time.
                if of_pos == u64::MAX {
                    pos[i..i + 64].iter_mut().zip(word.scores).for_each(|(key, score)| *key = score.key());
                    i += 64;
                    continue;
                }
                if of_neg == u64::MAX {
                    neg[j..j + 64].iter_mut().zip(word.scores).for_each(|(key, score)| *key = score.key());
                    j += 64;
                    continue;
                }
                // The loops visit the set bits of each class, so that there is one end of a loop for 64 rows and no branch
                // for a row.
                let mut rows = of_pos;
                while rows != 0 {
                    pos[i] = word.scores[rows.trailing_zeros() as usize].key();
                    i += 1;
                    rows &= rows - 1;
                }
                let mut rows = of_neg;
                while rows != 0 {
                    neg[j] = word.scores[rows.trailing_zeros() as usize].key();
                    j += 1;
                    rows &= rows - 1;
                }
            }
        }
        self.nan = nan;
    }

    /// Takes over the keys of each class.
    pub fn collect(&mut self, classes: &Classes<'_, K>) {
        fn fill<K: Key>(keys: &mut KeysOfClass<K>, pieces: &[&[K]], rows: usize) {
            let mut room = keys.room(rows);
            for piece in cache::ahead(pieces, CHUNK) {
                let (here, rest) = room.split_at_mut(piece.len());
                here.copy_from_slice(piece);
                room = rest;
            }
        }
        fill(&mut self.pos, classes.pos, classes.n_pos);
        fill(&mut self.neg, classes.neg, classes.n_neg);
        self.nan = false;
    }

    /// Positives: rows that are not missing and whose label is 1.
    pub fn n_pos(&self) -> u64 {
        self.pos.rows as u64
    }

    /// Negatives: rows that are not missing and whose label is 0.
    pub fn n_neg(&self) -> u64 {
        self.neg.rows as u64
    }

    /// Whether a score that is not missing is NaN, and the group therefore cannot be ranked.
    pub fn has_nan(&self) -> bool {
        self.nan
    }

    /// Spreads the keys of both classes over buckets; a group of few rows, or of a single score, stays whole.
    pub fn spread<S: Score<Key = K>>(&mut self) {
        let rows = self.pos.rows + self.neg.rows;
        if rows < FEW_ROWS || self.pos.rows == 0 || self.neg.rows == 0 || self.is_one_tie() {
            self.pos.leave_whole();
            self.neg.leave_whole();
            return;
        }
        let buckets = rows / ROWS_PER_BUCKET;
        let map = Map::of_keys::<S>(&[self.pos.keys(), self.neg.keys()], rows, buckets);
        with_buckets!(&map, bucket => {
            let place = |key| bucket(S::from_key(key).position());
            self.pos.spread(buckets, &mut self.places, place);
            self.neg.spread(buckets, &mut self.places, place);
        });
    }

    /// Whether all rows have one score. In most other groups, the first few rows show that they do not.
    fn is_one_tie(&self) -> bool {
        let first = self.pos.keys()[0];
        self.pos.keys().iter().chain(self.neg.keys()).all(|&key| key == first)
    }

    /// Walks the distinct scores from the highest to the lowest.
    pub fn for_each(&mut self, runs: &mut Runs<'_, '_>) {
        for bucket in (0..self.pos.ends.len()).rev() {
            for_each_in_order(self.pos.bucket(bucket), self.neg.bucket(bucket), runs);
        }
    }
}

/// Sorts keys and walks them from the highest down.
#[inline]
fn for_each_in_order<K: Key>(pos: &mut [K], neg: &mut [K], runs: &mut Runs<'_, '_>) {
    sort(pos);
    sort(neg);
    let (mut pos, mut neg) = (&*pos, &*neg);
    while let Some(key) = highest(pos, neg) {
        let (pos_below, neg_below) = (without(pos, key), without(neg, key));
        let count = |all: &[K], below: &[K]| (all.len() - below.len()) as u64;
        runs.push(key.wide(), count(pos, pos_below), count(neg, neg_below));
        (pos, neg) = (pos_below, neg_below);
    }
}

/// The highest key of two classes, whose keys ascend.
#[inline]
fn highest<K: Key>(pos: &[K], neg: &[K]) -> Option<K> {
    match (pos.last(), neg.last()) {
        (Some(&pos), Some(&neg)) => Some(pos.max(neg)),
        (Some(&one), None) | (None, Some(&one)) => Some(one),
        (None, None) => None,
    }
}

/// Ascending keys without those at the end that equal `key`.
#[inline]
fn without<K: Key>(keys: &[K], key: K) -> &[K] {
    let mut end = keys.len();
    while end > 0 && keys[end - 1] == key {
        end -= 1;
        if keys.len() - end == EQUAL_STEPS {
            return &keys[..keys[..end].partition_point(|&other| other < key)];
        }
    }
    &keys[..end]
}
