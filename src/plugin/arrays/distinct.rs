//! Distinct values: the index of each row's value among them, in ascending order.

use arrow::bitmap::Bitmap;
use polars::prelude::PlHashMap;
use polars_core::runtime::RAYON;
use rayon::prelude::*;

use crate::plugin::threads::Threads;
use crate::ranking::rows::Codes;
use crate::ranking::scores::Key;
use crate::ranking::tasks::{self, Pool};
use crate::{interrupt, memory};

/// A direct-address table for a range of numbers is used up to this number of entries per row.
const ENTRIES_PER_ROW: usize = 4;

/// The size of the sample that detects whether many values are distinct; sorting pays off from about four
/// times as many.
const SAMPLE: usize = 1 << 14;

/// The minimum number of rows per thread: for fewer, waking a thread takes longer than reading.
const BLOCK_ROWS: usize = 1 << 17;

/// The number of rows that are read first, per table entry. With a thousand equally frequent values, all
/// occur among them except in one case out of ten thousand.
const FIRST_ROWS: usize = 16;

/// Rows are read first if they are at most 1 / `MIN_ROWS` of all; if a value is not among them, this work
/// is wasted.
const MIN_ROWS: usize = 16;

/// The content of an empty table entry.
const NONE: u32 = u32::MAX;

/// The distinct values of a column, in ascending order.
pub struct Factorized {
    /// For each row, the index of its value; unspecified for null.
    pub row_codes: Vec<u32>,
    /// For each distinct value, its first row.
    pub rows: Vec<u32>,
}

impl Factorized {
    /// Factorizes keys; `validity` marks non-null rows, if there are nulls.
    ///
    /// Keys in a range that is not much larger than the number of rows use a direct-address table. Others use
    /// a hash table if few are distinct, or a sort if many are.
    pub fn new<K: Key>(keys: &[K], validity: Option<&Bitmap>) -> Self {
        let keys = OptionalValues { values: keys, validity };
        keys.in_table_of_range(|key| key).unwrap_or_else(|| keys.sorted_or_hashed())
    }

    /// The same for values, with keys that have the same order.
    pub fn from_values<V: Copy + Sync, K: Key>(
        values: &[V],
        key: impl Fn(V) -> K + Send + Sync,
        validity: Option<&Bitmap>,
    ) -> Self {
        OptionalValues { values, validity }.in_table_of_range(&key).unwrap_or_else(|| {
            let keys = each(values, |&value| key(value));
            OptionalValues { values: &keys, validity }.sorted_or_hashed()
        })
    }

    /// The same for byte strings, compared byte by byte.
    pub fn from_bytes(values: &[&[u8]], validity: Option<&Bitmap>) -> Self {
        // Names often have a common prefix, which is removed.
        let present = || OptionalValues { values, validity }.rows().map(|(_, value)| value);
        let Some(first) = present().next() else {
            return Factorized { row_codes: vec![0; values.len()], rows: Vec::new() };
        };
        let shared = present().fold(first.len(), |shared, value| {
            if value.get(..shared) == first.get(..shared) {
                shared
            } else {
                common(&value[..shared.min(value.len())], first)
            }
        });
        let suffixes: Vec<&[u8]> =
            values.iter().map(|value| value.get(shared..).unwrap_or_default()).collect();
        // Twelve bytes and their length fit one integer.
        if present().all(|value| value.len() <= shared + 12) {
            let keys: Vec<u128> =
                suffixes.iter().map(|value| start(value, 12) | value.len() as u128).collect();
            return Self::new(&keys, validity);
        }
        // The first bytes of two values decide most comparisons.
        let keys: Vec<(u128, &[u8])> = suffixes.iter().map(|value| (start(value, 16), *value)).collect();
        let column = OptionalValues { values: &keys, validity };
        if column.are_many() { column.sorted() } else { column.hashed_bytes() }
    }

    /// From the first row of each value, unordered, and the index of each row's value among these.
    fn ordered<K: Ord + Copy>(firsts: &[(K, u32)], mut row_codes: Vec<u32>) -> Self {
        let mut order: Vec<u32> = (0..firsts.len() as u32).collect();
        order.sort_unstable_by_key(|&first| firsts[first as usize].0);
        let mut ranks = vec![0; firsts.len()];
        for (rank, &first) in (0..).zip(&order) {
            ranks[first as usize] = rank;
        }
        row_codes.iter_mut().for_each(|rank| *rank = ranks.get(*rank as usize).copied().unwrap_or_default());
        Factorized { row_codes, rows: order.into_iter().map(|first| firsts[first as usize].1).collect() }
    }
}

/// The length of the common prefix of two values.
fn common(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// The first `max` bytes of a value as an integer with the same order; missing bytes count as 0.
fn start(value: &[u8], max: usize) -> u128 {
    let mut bytes = [0; 16];
    let length = value.len().min(max);
    bytes[..length].copy_from_slice(&value[..length]);
    u128::from_be_bytes(bytes)
}

/// Nullable values.
#[derive(Clone, Copy)]
struct OptionalValues<'a, V> {
    values: &'a [V],
    validity: Option<&'a Bitmap>,
}

impl<'a, V: Copy> OptionalValues<'a, V> {
    fn is_present(&self, row: usize) -> bool {
        self.validity.is_none_or(|validity| validity.get_bit(row))
    }

    /// The non-null rows and their values.
    fn rows(self) -> impl Iterator<Item = (u32, V)> + 'a {
        let values = (0..).zip(self.values).map(|(row, value)| (row, *value));
        values.filter(move |row| self.is_present(row.0 as usize))
    }

    /// Applies `code` to each non-null row.
    fn mapped(self, mut code: impl FnMut(u32, V) -> u32) -> Vec<u32> {
        let code =
            |(row, value): (u32, &V)| if self.is_present(row as usize) { code(row, *value) } else { 0 };
        memory::collected((0..self.values.len() as u32).zip(self.values).map(code))
    }
}

impl<K: Copy + Ord + Send> OptionalValues<'_, K> {
    /// Whether there are many distinct keys: nearly all keys of a sample are distinct.
    fn are_many(self) -> bool {
        let every = self.values.len().div_ceil(SAMPLE).max(1);
        let mut sample: Vec<K> = self.values.iter().step_by(every).copied().collect();
        let sampled = sample.len();
        sample.sort_unstable();
        sample.dedup();
        sample.len() > sampled / 8 * 7
    }

    fn sorted(self) -> Factorized {
        let mut order: Vec<(K, u32)> = self.rows().map(|(row, key)| (key, row)).collect();
        RAYON.install(|| tasks::sort_by(&mut order, Ord::cmp));
        let mut factorized = Factorized { row_codes: vec![0; self.values.len()], rows: Vec::new() };
        let mut last = None;
        for (key, row) in order {
            if last != Some(key) {
                factorized.rows.push(row);
                last = Some(key);
            }
            factorized.row_codes[row as usize] = factorized.rows.len() as u32 - 1;
        }
        factorized
    }
}

impl<V: Copy + Sync> OptionalValues<'_, V> {
    /// Applies `evaluate` to blocks of at least `min` rows, with the first row and the values of each
    /// block.
    fn map_blocks<T: Send>(self, min: usize, evaluate: impl Fn(usize, &[V]) -> T + Sync) -> Vec<T> {
        let rows = min.max(BLOCK_ROWS);
        let evaluate = |start| evaluate(start, &self.values[start..self.values.len().min(start + rows)]);
        if self.values.len() <= rows {
            interrupt::check();
            return (!self.values.is_empty()).then(|| evaluate(0)).into_iter().collect();
        }
        let blocks = self.values.len().div_ceil(rows);
        Threads.install(|| tasks::par_map(0..blocks, || (), |(), number| evaluate(number * rows)))
    }

    fn lowest_and_highest<K: Ord + Copy + Send>(self, key: impl Fn(V) -> K + Sync) -> Option<(K, K)> {
        let wider = |(low, high): (K, K), (lowest, highest): (K, K)| (low.min(lowest), high.max(highest));
        let twice = |value: V| (key(value), key(value));
        let block_range = |start: usize, values: &[V]| match self.validity {
            None => values.iter().map(|&value| twice(value)).reduce(wider),
            Some(validity) => {
                let rows = values.iter().enumerate().filter(|row| validity.get_bit(start + row.0));
                rows.map(|(_, &value)| twice(value)).reduce(wider)
            }
        };
        self.map_blocks(0, block_range).into_iter().flatten().reduce(wider)
    }

    /// Uses a table over the range of the keys, if it is not much larger than the number of rows.
    fn in_table_of_range<K: Key>(self, key: impl Fn(V) -> K + Sync) -> Option<Factorized> {
        let Some((low, high)) = self.lowest_and_highest(&key) else {
            return Some(Factorized { row_codes: vec![0; self.values.len()], rows: Vec::new() });
        };
        let range = high.above(low, 0);
        let entry = |value| key(value).above(low, 0) as usize;
        (range < (self.values.len() * ENTRIES_PER_ROW) as u128)
            .then(|| self.in_table(range as usize + 1, entry))
    }

    /// For each entry, the first row of its value.
    fn first_rows(self, entries: usize, entry: impl Fn(V) -> usize + Sync) -> Vec<u32> {
        let few = entries * FIRST_ROWS;
        if few <= self.values.len() / MIN_ROWS {
            // Usually each entry has a value among the first rows, so that later rows need not be read.
            let mut table = vec![NONE; entries];
            let mut empty = entries;
            for (row, value) in (OptionalValues { values: &self.values[..few], ..self }).rows() {
                let first = &mut table[entry(value)];
                empty -= usize::from(*first == NONE);
                *first = (*first).min(row);
            }
            if empty == 0 {
                return table;
            }
        }
        // Each block has a table, which is then merged; a thread therefore has one block.
        let thread_rows = self.values.len().div_ceil(RAYON.current_num_threads());
        let firsts = self.map_blocks(entries.max(thread_rows), |start, values| {
            let mut table = vec![NONE; entries];
            // Reverse order, so that entries are only written.
            for (row, &value) in values.iter().enumerate().rev().filter(|row| self.is_present(start + row.0))
            {
                table[entry(value)] = (start + row) as u32;
            }
            table
        });
        let joined = |mut one: Vec<u32>, other: Vec<u32>| {
            one.iter_mut().zip(other).for_each(|(one, other)| *one = (*one).min(other));
            one
        };
        firsts.into_iter().reduce(joined).unwrap_or_default()
    }

    /// Uses a table with one entry per value.
    fn in_table(self, entries: usize, entry: impl Fn(V) -> usize + Sync) -> Factorized {
        let mut table = self.first_rows(entries, &entry);
        let mut rows = Vec::new();
        for code in table.iter_mut().filter(|row| **row != NONE) {
            rows.push(*code);
            *code = rows.len() as u32 - 1;
        }
        let mut row_codes = memory::zeroed_lazily(self.values.len());
        let fill = |(): &mut (), number: usize, codes: &mut [u32]| {
            let first = number * BLOCK_ROWS;
            let values = codes.iter_mut().zip(&self.values[first..]);
            match self.validity {
                None => values.for_each(|(code, &value)| *code = table[entry(value)]),
                Some(validity) => (first..).zip(values).for_each(|(row, (code, &value))| {
                    *code = if validity.get_bit(row) { table[entry(value)] } else { 0 };
                }),
            }
        };
        if self.values.len() <= BLOCK_ROWS {
            fill(&mut (), 0, &mut row_codes);
        } else {
            let blocks = row_codes.chunks_mut(BLOCK_ROWS).collect();
            Threads.install(|| tasks::par_for_each(blocks, || (), fill));
        }
        Factorized { row_codes, rows }
    }
}

impl<K: Key> OptionalValues<'_, K> {
    fn sorted_or_hashed(self) -> Factorized {
        if self.are_many() { self.sorted() } else { self.hashed() }
    }

    /// Uses a hash table of the distinct keys, which are then sorted.
    fn hashed(self) -> Factorized {
        // Open addressing: the first row of a key is at the slot of its hash's high bits, or at the next free
        // slot.
        let mut bits = 12;
        let mut table = vec![NONE; 1 << bits];
        let mut firsts: Vec<(K, u32)> = Vec::new();
        let find = |table: &[u32], firsts: &[(K, u32)], bits: u32, key: K| {
            let mut entry = (key.hash() >> (u64::BITS - bits)) as usize;
            while table[entry] != NONE && firsts[table[entry] as usize].0 != key {
                entry = (entry + 1) & (table.len() - 1);
            }
            entry
        };
        let row_codes = self.mapped(|row, key| {
            let entry = find(&table, &firsts, bits, key);
            if table[entry] != NONE {
                return table[entry];
            }
            table[entry] = firsts.len() as u32;
            firsts.push((key, row));
            if 2 * firsts.len() > table.len() {
                bits += 2;
                table = vec![NONE; 1 << bits];
                for (code, first) in (0..).zip(&firsts) {
                    let entry = find(&table, &firsts, bits, first.0);
                    table[entry] = code;
                }
            }
            firsts.len() as u32 - 1
        });
        Factorized::ordered(&firsts, row_codes)
    }
}

impl OptionalValues<'_, (u128, &[u8])> {
    /// The same for byte strings.
    fn hashed_bytes(self) -> Factorized {
        let mut seen: PlHashMap<&[u8], u32> = PlHashMap::default();
        let mut firsts = Vec::new();
        let row_codes = self.mapped(|row, key| {
            *seen.entry(key.1).or_insert_with(|| {
                firsts.push((key, row));
                firsts.len() as u32 - 1
            })
        });
        Factorized::ordered(&firsts, row_codes)
    }
}

/// Applies `of` to each value of a column; all threads share a long column.
pub fn each<T: Sync, K: Send>(values: &[T], f: impl Fn(&T) -> K + Send + Sync) -> Vec<K> {
    if values.len() <= BLOCK_ROWS {
        return values.iter().map(f).collect();
    }
    let mut all = memory::with_capacity(values.len());
    RAYON.install(|| values.par_iter().with_min_len(BLOCK_ROWS).map(f).collect_into_vec(&mut all));
    all
}

/// Renumbers indices among `distinct` values to dense codes; also returns the index of each code.
pub fn dense_codes(indices: &[u32], distinct: usize) -> (Codes, Vec<u32>) {
    if distinct > indices.len().saturating_mul(ENTRIES_PER_ROW) {
        let mut distinct_indices = indices.to_vec();
        distinct_indices.sort_unstable();
        distinct_indices.dedup();
        return (Codes::new(indices), distinct_indices);
    }
    let mut codes = vec![0u32; distinct];
    let mut unseen = distinct;
    for &index in indices {
        let code = &mut codes[index as usize];
        unseen -= usize::from(*code == 0);
        *code = 1;
        // Usually every value is among the first rows.
        if unseen == 0 {
            break;
        }
    }
    let mut distinct_indices = Vec::new();
    for (index, code) in (0..).zip(&mut codes) {
        if *code == 1 {
            *code = distinct_indices.len() as u32;
            distinct_indices.push(index);
        }
    }
    let row_codes = each(indices, |&index| codes[index as usize]);
    (Codes { row_codes, distinct: distinct_indices.len() }, distinct_indices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    /// Nullable values, split into values and validity.
    fn parted<T: Default>(values: Vec<Option<T>>) -> (Vec<T>, Bitmap) {
        let validity = values.iter().map(Option::is_some).collect();
        (values.into_iter().map(Option::unwrap_or_default).collect(), validity)
    }

    /// Compares with a sorted set of the values, and the first row of each.
    fn as_sorted<T: Ord + Copy + std::fmt::Debug>(values: &[T], validity: &Bitmap, factorized: &Factorized) {
        let present = || values.iter().enumerate().filter(|row| validity.get_bit(row.0));
        let distinct = Vec::from_iter(BTreeSet::from_iter(present().map(|row| *row.1)));
        assert_eq!(factorized.row_codes.len(), values.len());
        assert_eq!(factorized.rows.iter().map(|&row| values[row as usize]).collect::<Vec<T>>(), distinct);
        for (row, value) in present() {
            assert_eq!(distinct[factorized.row_codes[row] as usize], *value);
            assert!(factorized.rows[factorized.row_codes[row] as usize] as usize <= row);
        }
    }

    fn every_way<K: Key>(keys: Vec<Option<K>>) {
        let (keys, validity) = parted(keys);
        let column = OptionalValues { values: &keys, validity: Some(&validity) };
        let mut distinct = keys.clone();
        distinct.sort_unstable();
        let entry = |key: K| distinct.partition_point(|other| *other < key);
        for factorized in [
            Factorized::new(&keys, Some(&validity)),
            column.sorted(),
            column.hashed(),
            column.in_table(keys.len(), entry),
        ] {
            as_sorted(&keys, &validity, &factorized);
        }
    }

    proptest! {
        #[test]
        fn in_order(
            near in proptest::collection::vec(proptest::option::of(0u16..50), 0..80),
            far in proptest::collection::vec(proptest::option::of(any::<u128>()), 0..80),
        ) {
            every_way(near);
            every_way(far);
        }

        /// All values are among the rows read first, or one occurs only later, or one has no row.
        #[test]
        fn first_rows(
            early in proptest::collection::vec(proptest::option::of(0u16..3), 2 * 5 * FIRST_ROWS * MIN_ROWS..3000),
            late in proptest::collection::vec(proptest::option::of(3u16..5), 0..3),
        ) {
            let (keys, validity) = parted([early, late].concat());
            as_sorted(&keys, &validity, &Factorized::new(&keys, Some(&validity)));
            as_sorted(&keys, &validity, &Factorized::from_values(&keys, |key| 2 * key, Some(&validity)));
        }

        #[test]
        fn byte_strings(values in proptest::collection::vec(proptest::option::of("[\0ab]{0,18}"), 0..80)) {
            let (values, validity) = parted(values);
            let bytes: Vec<&[u8]> = values.iter().map(String::as_bytes).collect();
            let keys: Vec<(u128, &[u8])> = bytes.iter().map(|value| (start(value, 16), *value)).collect();
            let column = OptionalValues { values: &keys, validity: Some(&validity) };
            for factorized in [Factorized::from_bytes(&bytes, Some(&validity)), column.sorted(), column.hashed_bytes()] {
                as_sorted(&bytes, &validity, &factorized);
            }
            let texts: Vec<String> = values.iter().map(|value| format!("name of {value}")).collect();
            let bytes: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
            as_sorted(&bytes, &validity, &Factorized::from_bytes(&bytes, Some(&validity)));
        }

        #[test]
        fn gaps(indices in proptest::collection::vec(0u32..200, 0..90)) {
            let (codes, distinct_indices) = dense_codes(&indices, 200);
            prop_assert_eq!(distinct_indices, Vec::from_iter(BTreeSet::from_iter(indices.clone())));
            prop_assert_eq!(codes, Codes::new(&indices));
        }
    }

    #[test]
    fn a_table_of_hashes_grows() {
        let keys: Vec<u64> =
            (0..50_000u64).map(|row| (row % 9_000).wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
        let validity = Bitmap::new_with_value(true, keys.len());
        as_sorted(&keys, &validity, &OptionalValues { values: &keys, validity: None }.hashed());
    }
}
