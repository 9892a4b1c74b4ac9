//! Keys with units, which represent weights; the units move with their keys.

use std::cmp::Ordering;

use super::look_ups::LookUps;
use super::sorting::{sort, sort_nearly_sorted};
use super::{Index, ends_of_bucket};
use crate::cache;
use crate::ranking::bucket_map::{BucketMap, with_buckets};
use crate::ranking::partition::exclusive_prefix_sum;
use crate::ranking::scores::{Key, Score};
use crate::ranking::tuning::TOGETHER;
use crate::simd::{self, Kernel};

/// A key with its units, ordered by key.
#[derive(Clone, Copy)]
struct KeyWithUnits<K>(K, u64);

impl<K: Key> PartialEq for KeyWithUnits<K> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<K: Key> Eq for KeyWithUnits<K> {}

impl<K: Key> PartialOrd for KeyWithUnits<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K: Key> Ord for KeyWithUnits<K> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl<K: Key> Index<K> {
    /// Indexes keys with units for [`Index::twice_units_below`]. All keys are sorted, so the units below a
    /// key are a prefix sum.
    pub fn build_with_units<S: Score<Key = K>>(&mut self, pieces: &[&[(K, u64)]]) {
        let mut units = std::mem::take(&mut self.units_before);
        units.clear();
        units.resize(pieces.iter().map(|piece| piece.len()).sum(), 0);
        self.scatter_by_map::<S, (K, u64)>(pieces, |index, row| units[index] = row.1);
        let mut rows: Vec<_> =
            self.keys.iter().zip(&units).map(|(&key, &units)| KeyWithUnits(key, units)).collect();
        for &bucket in &self.long {
            let (start, end) = ends_of_bucket(&self.starts, bucket);
            sort(&mut rows[start..end]);
        }
        sort_nearly_sorted(&mut rows);
        for ((key, units), &row) in self.keys.iter_mut().zip(&mut units).zip(&rows) {
            (*key, *units) = (row.0, row.1);
        }
        let all = exclusive_prefix_sum(&mut units);
        units.push(all);
        self.units_before = units;
    }

    /// The sum over all rows of their units times the indexed units below them; units of lower keys count
    /// twice, units of equal keys once.
    pub fn twice_units_below<S: Score<Key = K>>(&self, pieces: &[&[(K, u64)]]) -> u128 {
        with_buckets!(&self.map, bucket => {
            let bucket = |key| bucket(S::from_key(key).position());
            simd::dispatch(TwiceUnitsBelow { index: self, pieces, bucket })
        })
    }
}

/// The kernel of [`Index::twice_units_below`].
struct TwiceUnitsBelow<'a, K, F> {
    index: &'a Index<K>,
    pieces: &'a [&'a [(K, u64)]],
    bucket: F,
}

impl<K: Key, F: Fn(K) -> u32> Kernel for TwiceUnitsBelow<'_, K, F> {
    type Output = u128;

    #[inline(always)]
    fn run(self) -> u128 {
        let units_before = &self.index.units_before[..];
        let mut look_ups = LookUps::new(self.index, self.bucket);
        let (mut keys, mut sum) = ([K::default(); TOGETHER], 0);
        for rows in cache::prefetched_chunks(self.pieces, TOGETHER) {
            keys.iter_mut().zip(rows).for_each(|(key, row)| *key = row.0);
            let bounds = look_ups.bounds(&keys[..rows.len()]);
            for ((&lower, &upper), &(_, row_units)) in bounds.lower.iter().zip(bounds.upper).zip(rows) {
                let twice = units_before[lower as usize] + units_before[upper as usize];
                sum += u128::from(row_units) * u128::from(twice);
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Compares with the definition, for small and large buckets.
        #[test]
        fn by_definition(
            indexed in prop::collection::vec((any::<f64>(), 0u64..1 << 40, any::<bool>()), 0..200),
            others in prop::collection::vec((any::<f64>(), 0u64..1 << 40, any::<bool>()), 0..200),
        ) {
            let row = |&(any, units, is_few): &(f64, u64, bool)| {
                let score = if is_few || any.is_nan() { (units % 50) as f64 } else { any };
                (score.key(), units)
            };
            let [indexed, others] = [indexed, others].map(|rows| rows.iter().map(row).collect::<Vec<(u64, u64)>>());
            let (head, tail) = indexed.split_at(indexed.len() / 3);
            let mut expected = 0u128;
            for &(key, row_units) in &others {
                for &(other, units) in &indexed {
                    let times = u128::from(other < key) + u128::from(other <= key);
                    expected += u128::from(row_units) * u128::from(units) * times;
                }
            }
            let mut index = Index::default();
            for _ in 0..2 {
                index.build_with_units::<f64>(&[head, tail]);
                prop_assert_eq!(index.twice_units_below::<f64>(&[&others]), expected);
            }
        }
    }
}
