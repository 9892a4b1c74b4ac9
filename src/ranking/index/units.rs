//! Keys with units, which are moved with their keys: what a weight is in a class of rows.

use super::look_ups::{bounds_among, window_of};
use super::{Index, ends_of_bucket};
use crate::cache;
use crate::ranking::bucket_map::{BucketMap, with_buckets};
use crate::ranking::partition::exclusive_prefix_sum;
use crate::ranking::scores::{Key, Score};
use crate::ranking::tuning::{PROBE_LANES, TOGETHER};
use crate::simd::{self, Kernel};

impl<K: Key> Index<K> {
    /// Indexes keys that have units, for [`Index::twice_units_below`]. The units are moved with their keys.
    pub fn build_with_units<S: Score<Key = K>>(&mut self, pieces: &[&[(K, u64)]]) {
        // First the units of each key.
        let mut units = std::mem::take(&mut self.units_before);
        units.clear();
        units.resize(pieces.iter().map(|piece| piece.len()).sum(), 0);
        self.scatter_by_map::<S, (K, u64)>(pieces, |index, row| units[index] = row.1);
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
        let all = exclusive_prefix_sum(&mut units);
        units.push(all);
        self.units_before = units;
    }

    /// The sum over all rows of their units times the indexed units below them, where units of an equal key count once and
    /// units of a lower key twice.
    pub fn twice_units_below<S: Score<Key = K>>(&self, pieces: &[&[(K, u64)]]) -> u128 {
        with_buckets!(&self.map, bucket => {
            let bucket = |key| bucket(S::from_key(key).position());
            simd::dispatch(TwiceUnitsBelow { index: self, pieces, bucket })
        })
    }

    /// Of the units in a bucket, twice those below a key and once those equal to it.
    #[cold]
    #[inline(never)]
    fn twice_units_among(&self, start: usize, end: usize, key: K) -> u64 {
        if end - start <= PROBE_LANES {
            let borders = self.units_before[start..=end].windows(2);
            let pairs = self.keys[start..end].iter().zip(borders);
            return pairs.map(|(&other, ends)| twice_units((other, ends[1] - ends[0]), key)).sum();
        }
        let (lower, upper) = bounds_among(&self.keys[start..end], key);
        let before = |index: usize| self.units_before[start + index] - self.units_before[start];
        before(lower) + before(upper)
    }
}

/// The units of an indexed key as far as they count for another key: twice if it is lower, once if it is equal.
#[inline(always)]
fn twice_units<K: Key>((indexed, units): (K, u64), key: K) -> u64 {
    (if indexed < key { units } else { 0 }) + (if indexed <= key { units } else { 0 })
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
        let Index { starts, keys, units_before, .. } = self.index;
        let mut sum = 0;
        let mut buckets = [0; TOGETHER];
        let mut firsts = [0; TOGETHER];
        let mut windows = [[0; PROBE_LANES]; TOGETHER];
        let mut in_buckets = [0; TOGETHER];
        for rows in cache::prefetched_chunks(self.pieces, TOGETHER) {
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
                    (Some(keys), Some(before), Some(upto)) if end - start <= PROBE_LANES => {
                        std::array::from_fn(|index| {
                            twice_units((keys[index], upto[index] - before[index]), key)
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// By definition, with buckets of few keys and of very many.
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
            for &(key, own) in &others {
                for &(other, units) in &indexed {
                    let times = u128::from(other < key) + u128::from(other <= key);
                    expected += u128::from(own) * u128::from(units) * times;
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
