//! Placements of rows among all rows, among the rows of their key, and among the rows of all other keys.
//!
//! Rows are visited from the lowest score up. The *midrank* of a row is counted among the rows of the other
//! class and doubled. It is twice the rows with a lower score, plus the rows with the same score. For a
//! positive it is twice the placement. For a negative, twice the placement is twice the number of positives
//! minus the midrank. Each row has two midranks: `x` among all rows and `y` among the rows of its key. Every
//! statistic of a key against other rows follows from eight integer sums over the rows of either class of the
//! key:
//!
//! - `sum(x²)`, `sum(x y)`, `sum(y²)`, `sum(x)` and `sum(y)` give the DeLong variances, and the covariance of
//!   the areas of the key and of all rows.
//! - Without the key, the midrank of a row is `x - y`, also for rows of other keys. Between two scores of the
//!   key, `y` is constant for rows of other keys. Sums of `x y` and `y²` over all rows therefore use
//!   summation by parts. These sums run over the key's rows of the other class: the sum of `x` over all rows
//!   above each, and the number of these rows. Rows of other keys are thus not visited once per key.
//!
//! The sums of two adjacent ranges of the score follow from the sums of each. Threads therefore process
//! ranges in parallel. The same walk optionally computes the largest KS distance of the curves of each key
//! and of all rows.

use std::ops::Range;

use rayon::prelude::*;

use super::codes::Codes;
use super::height_ranges::{HeightSteps, height_steps};
use super::key_placements::KeyPlacements;
use super::key_rows::{CountedKeys, KeyRows};
use super::midrank_sums::{ClassSums, KeyAndLabel, SumNumber, Sums};
use super::score_order::{PartMemory, ScoreOrder};
use crate::interrupt;
use crate::paths::Path;
use crate::ranking::partition::exclusive_prefix_sum;
use crate::ranking::scores::Score;
use crate::ranking::tasks;
use crate::ranking::ties::Count;
use crate::ranking::ties::placements::{Moments, Placements};
use crate::ranking::tuning::{MIN_ROWS_OF_KEY, RANGE_CODES, ROWS_OF_KEY, SHARD_ROWS};

/// Rows of a range whose sums fit 64 bits for any assignment of keys.
const NARROW_ROWS: usize = 1 << 20;

/// The sums of the rows of all keys.
#[derive(Clone, Debug)]
pub struct AllPlacements(Sums<u128>);

/// For one key, sums over rows that determine the covariance of its area with the area of all rows:
/// [`AllPlacements::shared`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedPlacements {
    /// Rows of the class.
    pub rows: u64,
    /// The sum of the midranks among the rows of the key.
    pub within: u128,
    /// The sum of the midranks among all rows.
    pub all: u128,
    /// The sum of their products.
    pub products: u128,
}

impl AllPlacements {
    /// The sums for scores without NaN, labels and keys.
    ///
    /// # Panics
    /// Panics if the lengths differ.
    pub fn new<S: Score>(scores: &[S], labels: &[bool], keys: &Codes) -> Self {
        Self::from_rows(scores, labels, keys, false)
    }

    /// The same, with the distances of curves from the diagonal: [`ks_distance`](Self::ks_distance).
    ///
    /// # Panics
    /// Panics if the lengths differ.
    pub fn with_heights<S: Score>(scores: &[S], labels: &[bool], keys: &Codes) -> Self {
        Self::from_rows(scores, labels, keys, true)
    }

    fn from_rows<S: Score>(scores: &[S], labels: &[bool], keys: &Codes, has_heights: bool) -> Self {
        assert!(scores.len() == labels.len() && scores.len() == keys.row_codes.len());
        assert!(keys.distinct < 1 << 31, "a group has fewer than 2^31 keys");
        let order = ScoreOrder::new(scores, |row| KeyAndLabel::new(keys.row_codes[row], labels[row]));
        let ranges = order.ranges(number_of_ranges(scores.len(), keys.distinct));
        let rows = |range: &Range<usize>| order.rows(range.clone());
        let are_known = has_heights || ranges.iter().any(|range| rows(range) > NARROW_ROWS);
        let key_counts = if are_known { rows_of_keys(labels, keys) } else { Vec::new() };
        let max = key_counts.iter().map(|count| count.rows()).max().unwrap_or(0);
        let steps: Vec<HeightSteps> = if has_heights {
            let all = key_counts.iter().fold(Count::default(), |sum, &rows| sum.plus(rows));
            key_counts.into_iter().chain([all]).map(height_steps).collect()
        } else {
            Vec::new()
        };
        let sums = tasks::par_map(0..ranges.len(), Default::default, |memory, number| {
            let range = ranges[number].clone();
            let is_narrow = rows(&range) <= NARROW_ROWS || fits_64_bits(rows(&range), max);
            if is_narrow && Path::NarrowSums.is_on() {
                range_sums(&order, range, memory, Sums::<u64>::none(keys.distinct, steps.len()), &steps)
            } else {
                range_sums(&order, range, memory, Sums::<u128>::none(keys.distinct, steps.len()), &steps)
            }
        });
        Self::joined(sums, || Sums::none(keys.distinct, steps.len()))
    }

    /// The sums for rows that are counted by score.
    pub fn from_counted(counted: &CountedKeys) -> Self {
        let scores: usize = counted.keys.iter().map(|key| key.codes.len()).sum();
        let max = number_of_ranges(scores, counted.keys.len());
        Self::in_ranges(counted, RANGE_CODES.max(counted.distinct.div_ceil(max)))
    }

    fn in_ranges(counted: &CountedKeys, width: usize) -> Self {
        let ranges = 0..counted.distinct.div_ceil(width);
        let range = |number: usize| number * width..counted.distinct.min((number + 1) * width);
        let sums = ranges.into_par_iter().map(|number| code_sums(&counted.keys, range(number))).collect();
        Self::joined(sums, || Sums::none(counted.keys.len(), 0))
    }

    fn joined(ranges: Vec<Sums<u128>>, none: impl FnOnce() -> Sums<u128>) -> Self {
        AllPlacements(ranges.into_iter().reduce(Sums::and_above).unwrap_or_else(none))
    }

    /// The placements of each key's rows among the rows of the key.
    pub fn keys(&self) -> Vec<KeyPlacements> {
        self.0
            .keys
            .iter()
            .map(|[neg, pos]| key_placements(neg.within_moments(), pos.within_moments()))
            .collect()
    }

    /// The placements of all rows.
    pub fn all(&self) -> KeyPlacements {
        key_placements(self.moments(0), self.moments(1))
    }

    /// For each key, the placements of all rows except the rows of the key.
    pub fn without_each(&self) -> Vec<KeyPlacements> {
        let all = [self.moments(0), self.moments(1)];
        let without = |key_sums: &[ClassSums<u128>; 2]| {
            let [neg, pos] = [0, 1].map(|class| self.without(&all[class], key_sums, class));
            key_placements(neg, pos)
        };
        self.0.keys.par_iter().map(without).collect()
    }

    /// For each key, the sums over its negatives and positives of midranks within the key and among all rows.
    pub fn shared(&self) -> impl Iterator<Item = [SharedPlacements; 2]> {
        let shared = |sums: ClassSums<u128>| SharedPlacements {
            rows: sums.rows as u64,
            within: sums.within,
            all: sums.all,
            products: sums.products,
        };
        self.0.keys.iter().map(move |key_sums| key_sums.map(shared))
    }

    /// The largest `|tp N - fp P|` of each key's rows, then of all rows; empty unless built by
    /// [`with_heights`](Self::with_heights).
    pub fn ks_distance(&self) -> Vec<u128> {
        self.0.height_ranges.iter().map(|height_ranges| height_ranges.ks_distance()).collect()
    }

    /// The moments of the midranks of a class among all rows.
    fn moments(&self, class: usize) -> Moments<u128> {
        let squares = self.0.keys.iter().map(|key_sums| key_sums[class].all_squares).sum();
        Moments { rows: self.0.rows[class], sum: self.0.midranks[class], squares }
    }

    /// The moments of the midranks of a class, without the rows of a key.
    fn without(&self, all: &Moments<u128>, class_sums: &[ClassSums<u128>; 2], class: usize) -> Moments<u128> {
        let (key_sums, other) = (&class_sums[class], &class_sums[1 - class]);
        // Over all rows of the class: the sums of y, x y and y².
        let sum = 2 * all.rows * other.rows - other.all;
        let products = 2 * all.sum * other.rows - other.below;
        let squares = 4 * all.rows * other.rows.pow(2) - other.ranked;
        // The squares of differences are added first, so that no intermediate result is negative.
        let all_squares = all.squares + squares - 2 * products;
        let within_key = key_sums.all_squares + key_sums.within_squares - 2 * key_sums.products;
        Moments {
            rows: all.rows - key_sums.rows,
            sum: all.sum - sum - (key_sums.all - key_sums.within),
            squares: all_squares - within_key,
        }
    }
}

/// From the midranks of negatives and of positives.
fn key_placements(neg: Moments<u128>, pos: Moments<u128>) -> KeyPlacements {
    let (n_neg, n_pos) = (neg.rows as u64, pos.rows as u64);
    let mut sums = Placements::default();
    sums.add_moments(pos, neg.below(2 * n_pos));
    KeyPlacements { n_pos, n_neg, sums }
}

/// The maximum number of ranges for this number of keys: each range has sums for each key.
fn number_of_ranges(rows: usize, keys: usize) -> usize {
    let key_rows = rows / keys.max(1);
    (key_rows / ROWS_OF_KEY).max(rayon::current_num_threads().min(key_rows / MIN_ROWS_OF_KEY)).max(1)
}

/// Whether the sums of `rows` rows fit 64 bits if each key has at most `key_rows` rows. The largest sum is at
/// most eight times the square of the rows for each row of a key.
fn fits_64_bits(rows: usize, key_rows: u64) -> bool {
    8 * (rows as u128).pow(2) * u128::from(key_rows) <= u128::from(u64::MAX)
}

/// The number of rows of each class for each key.
fn rows_of_keys(labels: &[bool], keys: &Codes) -> Vec<Count> {
    let count = |labels: &[bool], row_keys: &[u32]| {
        let mut counts = vec![Count::default(); keys.distinct];
        for (&key, &label) in row_keys.iter().zip(labels) {
            counts[key as usize].add(label, 1);
        }
        counts
    };
    // Each piece has counts for all keys.
    let rows = labels.len().div_ceil(rayon::current_num_threads()).max(MIN_ROWS_OF_KEY * keys.distinct);
    if labels.len() < SHARD_ROWS || labels.len() <= rows {
        return count(labels, &keys.row_codes);
    }
    let pieces = labels.par_chunks(rows).zip(keys.row_codes.par_chunks(rows));
    let plus = |sums: Vec<Count>, more: Vec<Count>| sums.iter().zip(&more).map(|(a, &b)| a.plus(b)).collect();
    pieces.map(|(labels, row_keys)| count(labels, row_keys)).reduce_with(plus).unwrap_or_default()
}

/// The sums of a range of parts, accumulated in a type that cannot overflow.
fn range_sums<S: Score, T: SumNumber>(
    order: &ScoreOrder<S, KeyAndLabel>,
    parts: Range<usize>,
    memory: &mut PartMemory<S, KeyAndLabel>,
    mut sums: Sums<T>,
    steps: &[HeightSteps],
) -> Sums<u128> {
    if sums.height_ranges.is_empty() {
        order.for_each(parts, memory, |rows| sums.add_rows::<_, false>(rows, steps));
    } else {
        order.for_each(parts, memory, |rows| sums.add_rows::<_, true>(rows, steps));
    }
    sums.wide()
}

/// The sums of a range of codes.
fn code_sums(keys: &[KeyRows], codes: Range<usize>) -> Sums<u128> {
    interrupt::check();
    let key_range = |key: &KeyRows| {
        let from = |code: usize| key.codes.partition_point(|&other| other as usize >= code);
        from(codes.end)..from(codes.start)
    };
    let ranges: Vec<Range<usize>> = keys.iter().map(key_range).collect();
    let key_codes = || {
        keys.iter().zip(&ranges).map(|(key, range)| (&key.codes[range.clone()], &key.counts[range.clone()]))
    };
    let index = |code: u32| code as usize - codes.start;
    // The start of the keys of each code, and after filling their end.
    let mut ends = vec![0; codes.len()];
    key_codes().for_each(|(codes, _)| codes.iter().for_each(|&code| ends[index(code)] += 1));
    let mut code_counts = vec![(0, Count::default()); exclusive_prefix_sum(&mut ends)];
    for (key, (codes, counts)) in (0..).zip(key_codes()) {
        for (&code, &count) in codes.iter().zip(counts) {
            let end = &mut ends[index(code)];
            code_counts[*end] = (key, count);
            *end += 1;
        }
    }
    let mut sums = Sums::none(keys.len(), 0);
    let mut start = 0;
    for &end in &ends {
        sums.add_tie(code_counts[start..end].iter().copied(), &[]);
        start = end;
    }
    sums
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ranking::rows::CodeAndLabel;
    use crate::ranking::ties::counts::placements;
    use crate::ranking::tuning::SHARD_ROWS;

    type Row = (i16, bool, u32);

    fn columns(rows: &[Row]) -> (Vec<i16>, Vec<bool>, Codes) {
        let keys = Codes::new(&rows.iter().map(|row| row.2).collect::<Vec<_>>());
        (rows.iter().map(|row| row.0).collect(), rows.iter().map(|row| row.1).collect(), keys)
    }

    /// The rows of each key as counts by score.
    fn counted(scores: &[i16], labels: &[bool], keys: &Codes) -> CountedKeys {
        let codes = Codes::new(scores);
        let mut members = vec![Vec::new(); keys.distinct];
        for (row, &label) in labels.iter().enumerate() {
            members[keys.row_codes[row] as usize].push(CodeAndLabel::new(codes.row_codes[row], label));
        }
        let keys = members.into_iter().map(KeyRows::new).collect();
        CountedKeys { keys, distinct: codes.distinct, is_exact: true }
    }

    /// The placements of a subset of rows within the subset.
    fn among_themselves(scores: &[i16], labels: &[bool], keep: impl Fn(usize) -> bool) -> KeyPlacements {
        let rows: Vec<u32> = (0..labels.len() as u32).filter(|&row| keep(row as usize)).collect();
        let labels: Vec<bool> = rows.iter().map(|&row| labels[row as usize]).collect();
        let counts = Codes::new(scores).select(&rows).counts(&labels);
        let n_pos = labels.iter().filter(|&&label| label).count() as u64;
        KeyPlacements { n_pos, n_neg: labels.len() as u64 - n_pos, sums: placements(&counts) }
    }

    /// The midrank of a row within a subset of rows.
    fn midrank(scores: &[i16], labels: &[bool], row: usize, keep: impl Fn(usize) -> bool) -> u128 {
        let others = (0..labels.len()).filter(|&other| labels[other] != labels[row] && keep(other));
        let twice =
            |other: usize| u128::from(scores[other] < scores[row]) + u128::from(scores[other] <= scores[row]);
        others.map(twice).sum()
    }

    /// By definition: the largest distance of all points.
    fn ks_distance(scores: &[i16], labels: &[bool], keep: impl Fn(usize) -> bool) -> u128 {
        let rows: Vec<usize> = (0..labels.len()).filter(|&row| keep(row)).collect();
        let count = |label: bool, min: i16| {
            rows.iter().filter(|&&row| labels[row] == label && scores[row] >= min).count() as i64
        };
        let (pos, neg) = (count(true, i16::MIN), count(false, i16::MIN));
        let distance = |&row: &usize| {
            (count(true, scores[row]) * neg - count(false, scores[row]) * pos).unsigned_abs().into()
        };
        rows.iter().map(distance).max().unwrap_or(0)
    }

    fn check_heights(all: &AllPlacements, scores: &[i16], labels: &[bool], keys: &Codes) {
        let key_distance =
            |key: usize| ks_distance(scores, labels, |row| keys.row_codes[row] as usize == key);
        let expected: Vec<u128> =
            (0..keys.distinct).map(key_distance).chain([ks_distance(scores, labels, |_| true)]).collect();
        assert_eq!(all.ks_distance(), expected);
    }

    fn check(all: &AllPlacements, scores: &[i16], labels: &[bool], keys: &Codes) {
        assert_eq!(all.all(), among_themselves(scores, labels, |_| true));
        let (by_key, without) = (all.keys(), all.without_each());
        assert_eq!((by_key.len(), without.len()), (keys.distinct, keys.distinct));
        for (key, shared) in all.shared().enumerate() {
            let is_member = |row: usize| keys.row_codes[row] as usize == key;
            assert_eq!(by_key[key], among_themselves(scores, labels, is_member));
            assert_eq!(without[key], among_themselves(scores, labels, |row| !is_member(row)));
            for (class, shared) in [false, true].into_iter().zip(shared) {
                let mut expected = SharedPlacements { rows: 0, within: 0, all: 0, products: 0 };
                for row in (0..labels.len()).filter(|&row| labels[row] == class && is_member(row)) {
                    let [x, y] =
                        [midrank(scores, labels, row, |_| true), midrank(scores, labels, row, is_member)];
                    expected.rows += 1;
                    expected.all += x;
                    expected.within += y;
                    expected.products += x * y;
                }
                assert_eq!(shared, expected);
            }
        }
    }

    proptest! {
        /// Compares rows and counted rows with the definition, for any ranges.
        #[test]
        fn as_row_by_row(
            rows in proptest::collection::vec((-4i16..4, any::<bool>(), 0u32..4), 0..60),
            width in 1usize..9,
        ) {
            let (scores, labels, keys) = columns(&rows);
            let all = AllPlacements::new(&scores, &labels, &keys);
            check(&all, &scores, &labels, &keys);
            prop_assert!(all.ks_distance().is_empty());
            let with_heights = AllPlacements::with_heights(&scores, &labels, &keys);
            check(&with_heights, &scores, &labels, &keys);
            check_heights(&with_heights, &scores, &labels, &keys);
            let counted = counted(&scores, &labels, &keys);
            check(&AllPlacements::from_counted(&counted), &scores, &labels, &keys);
            check(&AllPlacements::in_ranges(&counted, width), &scores, &labels, &keys);
        }
    }

    /// The sums of one row may be much smaller if it belongs to one of many keys than if it belongs to the
    /// only key.
    #[test]
    fn sums_of_64_bits() {
        assert!(fits_64_bits(NARROW_ROWS, NARROW_ROWS as u64));
        assert!(!fits_64_bits(2 * NARROW_ROWS, 2 * NARROW_ROWS as u64));
        assert!(fits_64_bits(10_000_000, 20_000) && !fits_64_bits(10_000_000, 30_000));
        // All positives score above all negatives; 600 rows have two keys.
        let (labels, scores): (Vec<bool>, Vec<i16>) = (0..600).map(|row| (row >= 300, row)).unzip();
        let all = AllPlacements::new(
            &scores,
            &labels,
            &Codes::new(&scores.iter().map(|score| score % 2).collect::<Vec<_>>()),
        );
        let class_sums = |sums: &ClassSums<u128>| [sums.all_squares, sums.below, sums.ranked];
        let largest = all.0.keys.iter().flatten().flat_map(class_sums).max();
        assert!(largest.unwrap() <= 8 * 600u128.pow(2) * 300);
    }

    /// Many parts against ranges of counted rows: many ranges with few keys, and few ranges with many keys.
    #[test]
    fn large_groups() {
        let mixed = |row: u32| row.wrapping_mul(0x9E37_79B1);
        for (rows, keys) in [(2 * SHARD_ROWS + 5, 7), (NARROW_ROWS + 9, NARROW_ROWS / ROWS_OF_KEY)] {
            let row =
                |row: u32| ((mixed(row) >> 17) as i16, mixed(row) & 24 == 0, mixed(row) / 7 % keys as u32);
            let (scores, labels, keys) = columns(&(0..rows as u32).map(row).collect::<Vec<_>>());
            let placements = AllPlacements::new(&scores, &labels, &keys);
            let counted_placements = AllPlacements::from_counted(&counted(&scores, &labels, &keys));
            assert_eq!(placements.all(), counted_placements.all());
            assert_eq!(placements.keys(), counted_placements.keys());
            assert_eq!(placements.without_each(), counted_placements.without_each());
            assert!(placements.shared().eq(counted_placements.shared()));
            assert_eq!(placements.keys(), KeyPlacements::new(&scores, &labels, &keys).0);
            let with_heights = AllPlacements::with_heights(&scores, &labels, &keys);
            assert_eq!(with_heights.keys(), placements.keys());
            assert_eq!(with_heights.ks_distance(), by_counts(&scores, &labels, &keys));
        }
    }

    /// The farthest points of each key and of all rows, from counts by score.
    fn by_counts(scores: &[i16], labels: &[bool], keys: &Codes) -> Vec<u128> {
        let mut members = vec![Vec::new(); keys.distinct + 1];
        for (row, &key) in keys.row_codes.iter().enumerate() {
            members[key as usize].push(row);
            members[keys.distinct].push(row);
        }
        let ks_distance = |rows: &Vec<usize>| {
            let mut counts = std::collections::BTreeMap::<i16, [i64; 2]>::new();
            rows.iter()
                .for_each(|&row| counts.entry(scores[row]).or_default()[usize::from(labels[row])] += 1);
            let totals =
                counts.values().fold([0, 0], |sum: [i64; 2], count| [sum[0] + count[0], sum[1] + count[1]]);
            let mut below = [0, 0];
            let height = |count: &[i64; 2]| {
                below = [below[0] + count[0], below[1] + count[1]];
                (below[0] * totals[1] - below[1] * totals[0]).unsigned_abs().into()
            };
            counts.values().map(height).max().unwrap_or(0)
        };
        members.iter().map(ks_distance).collect()
    }
}
