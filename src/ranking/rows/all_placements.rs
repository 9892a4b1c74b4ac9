//! Placements of rows among all rows, among those of their own key, and among those of all other keys.
//!
//! Rows are visited from the lowest score up. The *place* of a row is twice the number of rows of the other class
//! with a lower score, plus the number of those with the same score. Of a positive this is its placement; the
//! placement of a negative is twice the number of positives less its place. Each row has two places: `x` among all
//! rows and `y` among the rows of its key. All that is asked of a key and of other rows follows from eight sums over
//! the rows of either class of the key, in integers:
//!
//! - `sum(x²)`, `sum(x y)` and `sum(y²)` with `sum(x)` and `sum(y)` are those of DeLong variances, and of the
//!   covariance of the areas of the key and of all rows.
//! - Without the key, the place of a row is `x - y`, also of rows of other keys. Between two scores of the key, their
//!   `y` is constant, so that sums of `x y` and `y²` over all rows are sums by parts. They are taken over the rows of
//!   the other class of the key: of the sum of the `x` of all rows above each, and of the number of these rows. Rows
//!   of other keys are not visited for each key.
//!
//! The sums of two ranges of the score, one above the other, follow from the sums of each. So threads divide the
//! ranges.

use std::ops::Range;

use rayon::prelude::*;

use super::codes::Codes;
use super::key_order::{KeyAndLabel, KeyOrder, PartMemory};
use super::key_placements::KeyPlacements;
use super::key_rows::{CountedKeys, KeyRows};
use crate::interrupt;
use crate::ranking::scores::Score;
use crate::ranking::tasks;
use crate::ranking::ties::Count;
use crate::ranking::ties::placements::{MomentNumber, Moments, Placements};
use crate::ranking::tuning::{RANGE_CODES, ROWS_OF_KEY};

/// Rows of a range whose sums fit 64 bits: the largest is at most eight times the cube of the rows.
const FEW_ROWS: usize = 1 << 20;

/// The sums of the rows of all keys.
#[derive(Clone, Debug)]
pub struct AllPlacements(Sums<u128>);

/// Of a key, sums over rows that vary with its area and that of all rows: [`AllPlacements::shared`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedPlacements {
    /// Rows of the class.
    pub rows: u64,
    /// The sum of their places among the rows of the key.
    pub own: u128,
    /// The sum of their places among all rows.
    pub all: u128,
    /// The sum of the products of both.
    pub products: u128,
}

/// What sums are counted in.
trait SumNumber: MomentNumber + From<u64> + Into<u128> + Send {}

impl SumNumber for u64 {}
impl SumNumber for u128 {}

/// Sums over the rows of some range of the score.
#[derive(Clone, Debug)]
struct Sums<T> {
    /// Of each key, over its negatives and over its positives.
    keys: Vec<[ClassSums<T>; 2]>,
    /// All negatives, and all positives.
    rows: [T; 2],
    /// The sums of their places among all rows.
    places: [T; 2],
}

/// Sums over the rows of one class of a key.
#[derive(Clone, Copy, Debug, Default)]
struct ClassSums<T> {
    rows: T,
    /// Of x, the place among all rows.
    all: T,
    /// Of y, the place among the rows of the key.
    own: T,
    /// Of x².
    all_squares: T,
    /// Of x y.
    products: T,
    /// Of y².
    own_squares: T,
    /// Of twice the places of the rows of the other class with a lower score, plus the places of those with the same.
    below: T,
    /// Of `2 x r` and of the number of rows of the other class with the same score. Here r is twice the number of rows
    /// of the class and key with a lower score, plus the number of those with the same, the row itself among them.
    ranked: T,
}

/// What rows of one class, key and score share.
#[derive(Clone, Copy)]
struct Shared<T> {
    /// The place among all rows.
    x: T,
    /// The place among the rows of the key.
    y: T,
    /// Twice the rows of their class and key with a lower score, plus their own number.
    rank: T,
    /// Twice the places of the rows of the other class with a lower score, plus the places of those with theirs.
    below: T,
    /// The rows of the other class with their score.
    tied: T,
}

impl<T: SumNumber> ClassSums<T> {
    /// Takes in `rows` of one score.
    #[inline(always)]
    fn add(&mut self, rows: T, Shared { x, y, rank, below, tied }: Shared<T>) {
        self.rows += rows;
        let (all, own) = (rows * x, rows * y);
        self.all += all;
        self.own += own;
        self.all_squares += all * x;
        self.products += all * y;
        self.own_squares += own * y;
        self.below += rows * below;
        let ranked = all * rank;
        self.ranked += ranked + ranked + rows * rows * tied;
    }
}

fn twice<T: SumNumber>(number: T) -> T {
    number + number
}

impl<T: SumNumber> Sums<T> {
    fn none(keys: usize) -> Self {
        Sums {
            keys: vec![[ClassSums::default(); 2]; keys],
            rows: [T::default(); 2],
            places: [T::default(); 2],
        }
    }

    /// Takes in the next row, which is the only one of its score.
    #[inline(always)]
    fn add_row(&mut self, key: u32, class: usize) {
        let (of_key, other) = (&mut self.keys[key as usize], 1 - class);
        let x = twice(self.rows[other]);
        let (y, rank) = (twice(of_key[other].rows), twice(of_key[class].rows) + T::from(1));
        let below = twice(self.places[other]);
        of_key[class].add(T::from(1), Shared { x, y, rank, below, tied: T::default() });
        self.rows[class] += T::from(1);
        self.places[class] += x;
    }

    /// Takes in the rows of the next score, key by key: how many of either class.
    fn add_tie(&mut self, of_keys: impl Iterator<Item = (u32, Count)> + Clone) {
        let counts = |count: Count| [T::from(count.neg), T::from(count.pos)];
        let tied = counts(of_keys.clone().fold(Count::default(), |sum, (_, count)| sum.plus(count)));
        let x = [0, 1].map(|class: usize| twice(self.rows[1 - class]) + tied[1 - class]);
        let below = [0, 1].map(|class: usize| twice(self.places[1 - class]) + tied[1 - class] * x[1 - class]);
        for (key, count) in of_keys {
            let (of_key, rows) = (&mut self.keys[key as usize], counts(count));
            let before = [of_key[0].rows, of_key[1].rows];
            for class in [0, 1] {
                let y = twice(before[1 - class]) + rows[1 - class];
                let rank = twice(before[class]) + rows[class];
                let (x, below, tied) = (x[class], below[class], tied[1 - class]);
                of_key[class].add(rows[class], Shared { x, y, rank, below, tied });
            }
        }
        for class in [0, 1] {
            self.rows[class] += tied[class];
            self.places[class] += tied[class] * x[class];
        }
    }

    /// Takes in rows in ascending order of their scores, and of their keys within a score.
    fn add_rows<K: PartialEq>(&mut self, rows: &[(K, KeyAndLabel)]) {
        let mut rest = rows;
        while let [row, after @ ..] = rest {
            let equal = after.iter().take_while(|other| other.0 == row.0).count();
            if equal == 0 {
                self.add_row(row.1.key(), usize::from(row.1.label()));
            } else {
                let of_key = |rows: &[(K, KeyAndLabel)]| {
                    let pos = rows.iter().filter(|row| row.1.label()).count() as u64;
                    (rows[0].1.key(), Count { pos, neg: rows.len() as u64 - pos })
                };
                self.add_tie(rest[..=equal].chunk_by(|a, b| a.1.key() == b.1.key()).map(of_key));
            }
            rest = &after[equal..];
        }
    }

    fn wide(self) -> Sums<u128> {
        let wide = |sums: ClassSums<T>| ClassSums {
            rows: sums.rows.into(),
            all: sums.all.into(),
            own: sums.own.into(),
            all_squares: sums.all_squares.into(),
            products: sums.products.into(),
            own_squares: sums.own_squares.into(),
            below: sums.below.into(),
            ranked: sums.ranked.into(),
        };
        Sums {
            keys: self.keys.into_iter().map(|of_key| of_key.map(wide)).collect(),
            rows: self.rows.map(Into::into),
            places: self.places.map(Into::into),
        }
    }
}

impl Sums<u128> {
    /// The sums of these rows and of others whose scores are all higher.
    fn and_above(mut self, above: Self) -> Self {
        for (below, higher) in self.keys.iter_mut().zip(above.keys) {
            let before = [below[0].rows, below[1].rows];
            for class in [0, 1] {
                let (sums, more, other) = (&mut below[class], higher[class], 1 - class);
                // What each place gains from the rows below.
                let (x, y) = (2 * self.rows[other], 2 * before[other]);
                let rows = more.rows;
                sums.rows += rows;
                sums.all += more.all + x * rows;
                sums.own += more.own + y * rows;
                sums.all_squares += more.all_squares + x * (2 * more.all + x * rows);
                sums.products += more.products + x * more.own + y * (more.all + x * rows);
                sums.own_squares += more.own_squares + y * (2 * more.own + y * rows);
                sums.below += more.below + 2 * (self.places[other] * rows + self.rows[class] * more.all);
                // The ranks of all rows of a class and key add up to the square of their number.
                sums.ranked +=
                    more.ranked + 4 * before[class] * more.all + 2 * x * rows * (rows + 2 * before[class]);
            }
        }
        for class in [0, 1] {
            self.places[class] += above.places[class] + 2 * self.rows[1 - class] * above.rows[class];
        }
        for class in [0, 1] {
            self.rows[class] += above.rows[class];
        }
        self
    }
}

impl AllPlacements {
    /// Of scores, none of which is NaN, labels and keys.
    ///
    /// # Panics
    /// If there are different numbers of them.
    pub fn of<S: Score>(scores: &[S], labels: &[bool], keys: &Codes) -> Self {
        let order = KeyOrder::of(scores, labels, keys);
        let most = (scores.len() / ROWS_OF_KEY / keys.distinct.max(1)).max(1);
        let ranges = order.ranges(most);
        let sums = tasks::each(0..ranges.len(), Default::default, |memory, number| {
            let range = ranges[number].clone();
            if order.rows(range.clone()) <= FEW_ROWS {
                of_range::<_, u64>(&order, range, memory, keys.distinct)
            } else {
                of_range::<_, u128>(&order, range, memory, keys.distinct)
            }
        });
        Self::joined(sums, keys.distinct)
    }

    /// Of rows that were counted by score.
    pub fn of_counted(counted: &CountedKeys) -> Self {
        let scores: usize = counted.keys.iter().map(|key| key.codes.len()).sum();
        let most = (scores / ROWS_OF_KEY / counted.keys.len().max(1)).max(1);
        Self::in_ranges(counted, RANGE_CODES.max(counted.distinct.div_ceil(most)))
    }

    fn in_ranges(counted: &CountedKeys, width: usize) -> Self {
        let ranges = 0..counted.distinct.div_ceil(width);
        let range = |number: usize| number * width..counted.distinct.min((number + 1) * width);
        let sums = ranges.into_par_iter().map(|number| of_codes(&counted.keys, range(number))).collect();
        Self::joined(sums, counted.keys.len())
    }

    fn joined(ranges: Vec<Sums<u128>>, keys: usize) -> Self {
        AllPlacements(ranges.into_iter().reduce(Sums::and_above).unwrap_or_else(|| Sums::none(keys)))
    }

    /// The placements of each key's rows among themselves.
    pub fn keys(&self) -> Vec<KeyPlacements> {
        self.0.keys.iter().map(|[neg, pos]| key_placements(neg.own_moments(), pos.own_moments())).collect()
    }

    /// The placements of all rows.
    pub fn all(&self) -> KeyPlacements {
        key_placements(self.moments(0), self.moments(1))
    }

    /// For each key, the placements of all rows but its own.
    pub fn without_each(&self) -> Vec<KeyPlacements> {
        let all = [self.moments(0), self.moments(1)];
        let without = |of_key: &[ClassSums<u128>; 2]| {
            let [neg, pos] = [0, 1].map(|class| self.without(&all[class], of_key, class));
            key_placements(neg, pos)
        };
        self.0.keys.par_iter().map(without).collect()
    }

    /// For each key, how its negatives and positives lie among its own rows and among all.
    pub fn shared(&self) -> impl Iterator<Item = [SharedPlacements; 2]> {
        let shared = |sums: ClassSums<u128>| SharedPlacements {
            rows: sums.rows as u64,
            own: sums.own,
            all: sums.all,
            products: sums.products,
        };
        self.0.keys.iter().map(move |of_key| of_key.map(shared))
    }

    /// The places of all rows of a class among all rows.
    fn moments(&self, class: usize) -> Moments<u128> {
        let squares = self.0.keys.iter().map(|of_key| of_key[class].all_squares).sum();
        Moments { rows: self.0.rows[class], sum: self.0.places[class], squares }
    }

    /// The places of all rows of a class but those of a key, among all rows but those of the key.
    fn without(&self, all: &Moments<u128>, of_key: &[ClassSums<u128>; 2], class: usize) -> Moments<u128> {
        let (own, other) = (&of_key[class], &of_key[1 - class]);
        // Over all rows of the class: the sums of y, x y and y².
        let sum = 2 * all.rows * other.rows - other.all;
        let products = 2 * all.sum * other.rows - other.below;
        let squares = 4 * all.rows * other.rows.pow(2) - other.ranked;
        // The squares of differences are added first, so that no difference is below 0.
        let of_all = all.squares + squares - 2 * products;
        let of_own = own.all_squares + own.own_squares - 2 * own.products;
        Moments {
            rows: all.rows - own.rows,
            sum: all.sum - sum - (own.all - own.own),
            squares: of_all - of_own,
        }
    }
}

impl ClassSums<u128> {
    fn own_moments(&self) -> Moments<u128> {
        Moments { rows: self.rows, sum: self.own, squares: self.own_squares }
    }
}

/// From the places of negatives and of positives.
fn key_placements(neg: Moments<u128>, pos: Moments<u128>) -> KeyPlacements {
    let (n_neg, n_pos) = (neg.rows as u64, pos.rows as u64);
    let mut sums = Placements::default();
    sums.add_moments(pos, neg.below(2 * n_pos));
    KeyPlacements { n_pos, n_neg, sums }
}

/// The sums of the rows of a range of parts, counted in numbers that hold them.
fn of_range<S: Score, T: SumNumber>(
    order: &KeyOrder<S>,
    parts: Range<usize>,
    memory: &mut PartMemory<S>,
    keys: usize,
) -> Sums<u128> {
    let mut sums = Sums::<T>::none(keys);
    order.for_each(parts, memory, |rows| sums.add_rows(rows));
    sums.wide()
}

/// The sums of the rows of a range of codes.
fn of_codes(keys: &[KeyRows], codes: Range<usize>) -> Sums<u128> {
    interrupt::check();
    let of_range = |key: &KeyRows| {
        let from = |code: usize| key.codes.partition_point(|&other| other as usize >= code);
        from(codes.end)..from(codes.start)
    };
    let ranges: Vec<Range<usize>> = keys.iter().map(of_range).collect();
    let own = || {
        keys.iter().zip(&ranges).map(|(key, range)| (&key.codes[range.clone()], &key.counts[range.clone()]))
    };
    let place = |code: u32| code as usize - codes.start;
    // Where the keys of each code begin, and then where they end.
    let mut ends = vec![0; codes.len() + 1];
    own().for_each(|(codes, _)| codes.iter().for_each(|&code| ends[place(code) + 1] += 1));
    for code in 0..codes.len() {
        ends[code + 1] += ends[code];
    }
    let mut of_codes = vec![(0, Count::default()); ends[codes.len()]];
    for (key, (codes, counts)) in (0..).zip(own()) {
        for (&code, &count) in codes.iter().zip(counts) {
            let end = &mut ends[place(code)];
            of_codes[*end] = (key, count);
            *end += 1;
        }
    }
    let mut sums = Sums::none(keys.len());
    let mut start = 0;
    for &end in &ends[..codes.len()] {
        sums.add_tie(of_codes[start..end].iter().copied());
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
        let keys = Codes::of(rows.iter().map(|row| row.2));
        (rows.iter().map(|row| row.0).collect(), rows.iter().map(|row| row.1).collect(), keys)
    }

    /// The rows of each key as counts by score.
    fn counted(scores: &[i16], labels: &[bool], keys: &Codes) -> CountedKeys {
        let codes = Codes::of(scores.iter().copied());
        let mut members = vec![Vec::new(); keys.distinct];
        for (row, &label) in labels.iter().enumerate() {
            members[keys.of_row[row] as usize].push(CodeAndLabel::new(codes.of_row[row], label));
        }
        let keys = members.into_iter().map(KeyRows::of).collect();
        CountedKeys { keys, distinct: codes.distinct, is_exact: true }
    }

    /// The placements of some rows among themselves.
    fn among_themselves(scores: &[i16], labels: &[bool], keep: impl Fn(usize) -> bool) -> KeyPlacements {
        let rows: Vec<u32> = (0..labels.len() as u32).filter(|&row| keep(row as usize)).collect();
        let labels: Vec<bool> = rows.iter().map(|&row| labels[row as usize]).collect();
        let counts = Codes::of(scores.iter().copied()).taken(&rows).counts(&labels);
        let n_pos = labels.iter().filter(|&&label| label).count() as u64;
        KeyPlacements { n_pos, n_neg: labels.len() as u64 - n_pos, sums: placements(&counts) }
    }

    /// The place of a row among some rows.
    fn place(scores: &[i16], labels: &[bool], row: usize, keep: impl Fn(usize) -> bool) -> u128 {
        let others = (0..labels.len()).filter(|&other| labels[other] != labels[row] && keep(other));
        let twice =
            |other: usize| u128::from(scores[other] < scores[row]) + u128::from(scores[other] <= scores[row]);
        others.map(twice).sum()
    }

    fn check(all: &AllPlacements, scores: &[i16], labels: &[bool], keys: &Codes) {
        assert_eq!(all.all(), among_themselves(scores, labels, |_| true));
        let (own, without) = (all.keys(), all.without_each());
        assert_eq!((own.len(), without.len()), (keys.distinct, keys.distinct));
        for (key, shared) in all.shared().enumerate() {
            let is_own = |row: usize| keys.of_row[row] as usize == key;
            assert_eq!(own[key], among_themselves(scores, labels, is_own));
            assert_eq!(without[key], among_themselves(scores, labels, |row| !is_own(row)));
            for (class, shared) in [false, true].into_iter().zip(shared) {
                let mut expected = SharedPlacements { rows: 0, own: 0, all: 0, products: 0 };
                for row in (0..labels.len()).filter(|&row| labels[row] == class && is_own(row)) {
                    let [x, y] = [place(scores, labels, row, |_| true), place(scores, labels, row, is_own)];
                    expected.rows += 1;
                    expected.all += x;
                    expected.own += y;
                    expected.products += x * y;
                }
                assert_eq!(shared, expected);
            }
        }
    }

    proptest! {
        /// Rows, and rows that were counted, whatever the ranges.
        #[test]
        fn as_row_by_row(
            rows in proptest::collection::vec((-4i16..4, any::<bool>(), 0u32..4), 0..60),
            width in 1usize..9,
        ) {
            let (scores, labels, keys) = columns(&rows);
            check(&AllPlacements::of(&scores, &labels, &keys), &scores, &labels, &keys);
            let counted = counted(&scores, &labels, &keys);
            check(&AllPlacements::of_counted(&counted), &scores, &labels, &keys);
            check(&AllPlacements::in_ranges(&counted, width), &scores, &labels, &keys);
        }
    }

    /// Many parts against ranges of counted rows: with few keys many ranges, and with many keys one of more rows than
    /// 64 bits hold the sums of.
    #[test]
    fn large_groups() {
        let mixed = |row: u32| row.wrapping_mul(0x9E37_79B1);
        for (rows, keys) in [(2 * SHARD_ROWS + 5, 7), (FEW_ROWS + 9, FEW_ROWS / ROWS_OF_KEY)] {
            let row =
                |row: u32| ((mixed(row) >> 17) as i16, mixed(row) & 24 == 0, mixed(row) / 7 % keys as u32);
            let (scores, labels, keys) = columns(&(0..rows as u32).map(row).collect::<Vec<_>>());
            let of_rows = AllPlacements::of(&scores, &labels, &keys);
            let of_counted = AllPlacements::of_counted(&counted(&scores, &labels, &keys));
            assert_eq!(of_rows.all(), of_counted.all());
            assert_eq!(of_rows.keys(), of_counted.keys());
            assert_eq!(of_rows.without_each(), of_counted.without_each());
            assert!(of_rows.shared().eq(of_counted.shared()));
            assert_eq!(of_rows.keys(), KeyPlacements::of(&scores, &labels, &keys));
        }
    }
}
