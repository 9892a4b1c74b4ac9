//! Groups with few distinct scores: rows are counted, not moved or sorted.
//!
//! A hash table has each distinct key with its positives and negatives. Counting stops as soon as the number
//! of distinct keys exceeds a limit. If all scores are distinct, it stops after as many rows.
//!
//! The hash of a key gives its home slot. Invariants: a key is in its home slot, the next slot, or the
//! nearest slot behind that was free on insertion. The key of a free slot has another home slot.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::ranking::bucket_map::sampled_scores;
use crate::ranking::scores::{Key, Observations, Parts, Score, observations};
use crate::ranking::tasks;
use crate::ranking::ties::{
    outline::{self, Cell},
    pieces::{Piece, PieceRows},
    source::{Source, StepKind},
    steps::{Above, Runs, Sink},
};
use crate::ranking::tuning::{FIRST_SLOTS, MAX_KEYS, SAMPLE, SHARD_ROWS, SLOTS_PER_KEY};

/// A distinct key and the number of its rows.
#[derive(Clone, Copy, Debug)]
struct Slot<K> {
    key: K,
    /// Negatives and positives of even rows, then of odd rows. Neighbouring rows often have the same score.
    /// Separate counters avoid a dependency on the previous increment. A slot without rows is free.
    counts: [u32; 4],
}

impl<K> Slot<K> {
    fn is_free(&self) -> bool {
        self.counts == [0; 4]
    }
}

/// A hash table of the distinct keys of some rows.
#[derive(Debug)]
struct KeyTable<K> {
    slots: Vec<Slot<K>>,
    /// The right shift of a hash to a slot number.
    shift: u32,
    used: usize,
}

impl<K: Key> KeyTable<K> {
    fn new(slots: usize) -> Self {
        let shift = u64::BITS - slots.ilog2();
        // Free slots have a rare key. The home slot of this key gets a key with another home.
        let free_key = K::NAN;
        let mut table =
            KeyTable { slots: vec![Slot { key: free_key, counts: [0; 4] }; slots], shift, used: 0 };
        table.slots[(free_key.hash() >> shift) as usize].key = K::default();
        table
    }

    /// Counts rows whose keys are in their home slot or the next one; returns the first other row.
    #[inline]
    fn count_near<S: Score<Key = K>>(&mut self, scores: &[S], label: u64, from: usize) -> Option<usize> {
        let (slots, shift) = (&mut self.slots[..], self.shift);
        let last = slots.len() - 1;
        // A shift by the full width would overflow; no label is left in that case.
        let mut label = label.checked_shr(from as u32).unwrap_or(0);
        for (row, score) in scores.iter().enumerate().skip(from) {
            let key = score.key();
            let home = (key.hash() >> shift) as usize & last;
            let mut slot = &mut slots[home];
            if slot.key != key {
                // The free slot next to home may have this very key, which is then counted there.
                slot = &mut slots[(home + 1) & last];
                if slot.key != key {
                    return Some(row);
                }
            }
            slot.counts[(label & 1) as usize + 2 * (row & 1)] += 1;
            label >>= 1;
        }
        None
    }

    #[inline(never)]
    fn count_anywhere(&mut self, key: K, counter: usize) {
        let mut index = (key.hash() >> self.shift) as usize;
        loop {
            let slot = &mut self.slots[index];
            if slot.is_free() {
                *slot = Slot { key, counts: [0; 4] };
                slot.counts[counter] = 1;
                self.used += 1;
                break;
            }
            if slot.key == key {
                slot.counts[counter] += 1;
                return;
            }
            index = (index + 1) % self.slots.len();
        }
        if self.used * SLOTS_PER_KEY > self.slots.len() && self.used <= MAX_KEYS {
            self.grow();
        }
    }

    fn grow(&mut self) {
        let mut larger = KeyTable::new(2 * self.slots.len());
        for slot in self.used_slots() {
            let mut index = (slot.key.hash() >> larger.shift) as usize;
            while !larger.slots[index].is_free() {
                index = (index + 1) % larger.slots.len();
            }
            larger.slots[index] = slot;
        }
        larger.used = self.used;
        *self = larger;
    }

    fn used_slots(&self) -> impl Iterator<Item = Slot<K>> {
        self.slots.iter().copied().filter(|slot| !slot.is_free())
    }

    /// Counts rows. Returns `false` and sets `stop` if there are too many keys; returns early if `stop` is
    /// set.
    fn count_rows<S: Score<Key = K>>(
        &mut self,
        rows: &Observations<'_, S>,
        max: usize,
        stop: &AtomicBool,
    ) -> bool {
        for (number, word) in rows.words().enumerate() {
            if word.are_all_used() {
                let mut from = 0;
                while let Some(row) = self.count_near(word.scores, word.labels, from) {
                    self.count_anywhere(word.scores[row].key(), word.class(row));
                    from = row + 1;
                }
            } else {
                for (row, score) in word.scores.iter().enumerate().filter(|row| word.is_used(row.0)) {
                    self.count_anywhere(score.key(), word.class(row));
                }
            }
            if self.used > max {
                stop.store(true, Ordering::Relaxed);
                return false;
            }
            if number % 64 == 0 && stop.load(Ordering::Relaxed) {
                return false;
            }
        }
        true
    }
}

/// The distinct keys of a group with their positives and negatives.
#[derive(Debug)]
pub struct DistinctKeys<K> {
    /// Ascending: key, negatives, positives.
    keys: Vec<(K, [u64; 2])>,
    rows: [u64; 2],
    nan: bool,
}

impl<K: Key> DistinctKeys<K> {
    /// Whether a group may have at most `max` distinct scores: whether a sample has two equal scores.
    ///
    /// If `m` scores come from at most `max` values, all are distinct with probability below
    /// `exp(-m² / (2 most))`, here 0.02.
    pub fn may_be_few<S: Score<Key = K>>(pieces: &[Observations<'_, S>], max: usize) -> bool {
        let mut sampled = [K::default(); SAMPLE];
        let enough = (3 * max.min(MAX_KEYS).isqrt()).clamp(1, SAMPLE);
        let scores = sampled_scores(pieces).step_by(SAMPLE / enough);
        let n_sampled = sampled.iter_mut().zip(scores).map(|(key, score)| *key = score.key()).count();
        let sampled = &mut sampled[..n_sampled];
        sampled.sort_unstable();
        sampled.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Counts rows, or returns `None` for too many keys; rows whose `valid` bit is 0 are skipped.
    pub fn count<S: Score<Key = K>>(
        pieces: &[Observations<'_, S>],
        blocks: usize,
        max: usize,
    ) -> Option<Self> {
        let (stop, max) = (AtomicBool::new(false), max.min(MAX_KEYS));
        let count = |pieces: &[Observations<'_, S>]| {
            let mut table = KeyTable::new(FIRST_SLOTS);
            pieces.iter().all(|rows| table.count_rows(rows, max, &stop)).then_some(table)
        };
        let tables: Option<Vec<KeyTable<K>>> = match blocks {
            1 => count(pieces).map(|table| vec![table]),
            blocks => {
                let blocks = observations::blocks(pieces, blocks);
                let tables = tasks::par_map(0..blocks.len(), || (), |(), block| count(&blocks[block]));
                tables.into_iter().collect()
            }
        };
        Some(Self::from_tables::<S>(&tables?))
    }

    /// The same for rows in parts.
    pub fn count_parts<S: Score<Key = K>>(parts: &dyn Parts<S>, blocks: usize, max: usize) -> Option<Self> {
        let (stop, max) = (AtomicBool::new(false), max.min(MAX_KEYS));
        let tables = tasks::par_map(
            0..blocks,
            || (),
            |(), block| {
                let mut table = KeyTable::new(FIRST_SLOTS);
                let mut is_counted = true;
                for part in block * parts.count() / blocks..(block + 1) * parts.count() / blocks {
                    parts.show(part, &mut |rows| {
                        is_counted = is_counted && table.count_rows(rows, max, &stop);
                    });
                }
                is_counted.then_some(table)
            },
        );
        Some(Self::from_tables::<S>(&tables.into_iter().collect::<Option<Vec<_>>>()?))
    }

    fn from_tables<S: Score<Key = K>>(tables: &[KeyTable<K>]) -> Self {
        let mut slots: Vec<Slot<K>> = tables.iter().flat_map(KeyTable::used_slots).collect();
        slots.sort_unstable_by_key(|slot| slot.key);
        let mut keys: Vec<(K, [u64; 2])> = Vec::new();
        let mut rows = [0; 2];
        for slot in slots {
            if keys.last().is_none_or(|last| last.0 != slot.key) {
                keys.push((slot.key, [0, 0]));
            }
            let [neg, pos, odd_neg, odd_pos] = slot.counts.map(u64::from);
            let (neg, pos) = (neg + odd_neg, pos + odd_pos);
            if let Some((_, [all_neg, all_pos])) = keys.last_mut() {
                *all_neg += neg;
                *all_pos += pos;
            }
            rows = [rows[0] + neg, rows[1] + pos];
        }
        let nan = keys.iter().any(|&(key, _)| S::from_key(key).is_nan());
        DistinctKeys { keys, rows, nan }
    }

    /// The keys with their positives and negatives, highest first.
    fn descending(&self) -> impl Iterator<Item = (K, u64, u64)> {
        self.keys.iter().rev().map(|&(key, [neg, pos])| (key, pos, neg))
    }
}

impl<K: Key> Source for DistinctKeys<K> {
    fn totals(&self) -> (u64, u64) {
        (self.rows[1], self.rows[0])
    }

    fn has_nan(&self) -> bool {
        self.nan
    }

    fn walk(&mut self, _: StepKind, take: &mut Sink<'_>) {
        Runs::emit(Above::default(), &mut Vec::new(), take, |runs| {
            self.descending().for_each(|(key, pos, neg)| runs.push(key.wide(), pos, neg));
        });
    }

    // Counting may be chosen in one run and not in another, so the outline must equal the outline of shards.
    fn outline(&self, cells: usize) -> Option<Vec<Cell<u128>>> {
        if self.rows[0] + self.rows[1] < SHARD_ROWS as u64 {
            return None;
        }
        let (keys, (pos, neg)): (Vec<K>, (Vec<u64>, Vec<u64>)) =
            self.descending().map(|(key, pos, neg)| (key, (pos, neg))).unzip();
        let piece = |class, counts| Piece { class, rows: PieceRows::WithCounts(&keys, counts) };
        let pieces = [piece(0, &neg), piece(1, &pos)];
        outline::outline(
            |indices, evaluate| indices.iter().map(|_| evaluate(0, &pieces)).collect(),
            &[0],
            cells,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::scores::Bits;

    fn free_slots_hold_strangers<K: Key>() {
        for log_slots in FIRST_SLOTS.ilog2()..=(2 * MAX_KEYS * SLOTS_PER_KEY).ilog2() {
            let table = KeyTable::<K>::new(1 << log_slots);
            for (index, slot) in table.slots.iter().enumerate() {
                assert_ne!((slot.key.hash() >> table.shift) as usize, index);
            }
        }
    }

    #[test]
    fn in_every_width() {
        free_slots_hold_strangers::<u8>();
        free_slots_hold_strangers::<u16>();
        free_slots_hold_strangers::<u32>();
        free_slots_hold_strangers::<u64>();
        free_slots_hold_strangers::<u128>();
    }

    #[test]
    fn too_many_distinct_keys() {
        let labels = vec![0b0101_0101; 4000];
        let count = |scores: &[u32], max| {
            let rows = Observations::new(scores, Bits::new(&labels, 0, scores.len()), None);
            DistinctKeys::count(&[rows], 3, max).map(|counted| counted.keys.len())
        };
        let scores: Vec<u32> = (0..30_000).map(|row| row % 1000).collect();
        assert_eq!(count(&scores, 1000), Some(1000));
        assert_eq!(count(&scores, 900), None);
        let scores: Vec<u32> = (0..30_000).collect();
        assert_eq!(count(&scores, usize::MAX), None);
        let may_be_few = |scores: &[u32], max| {
            let labels = vec![0; scores.len().div_ceil(8)];
            let rows = Observations::new(scores, Bits::new(&labels, 0, scores.len()), None);
            // Pieces are sampled like one array.
            let pieces = [rows.slice(0, 10), rows.slice(10, 0), rows.slice(10, scores.len() - 10)];
            let may_be_few = DistinctKeys::may_be_few(&[rows], max);
            assert_eq!(DistinctKeys::may_be_few(&pieces, max), may_be_few);
            may_be_few
        };
        assert!(!may_be_few(&scores, scores.len()));
        assert!(may_be_few(&scores.iter().map(|score| score % 1000).collect::<Vec<_>>(), 1000));
    }
}
