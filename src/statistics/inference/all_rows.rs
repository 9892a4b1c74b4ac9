//! All keys' rows together, and all but those of one key.
//!
//! To leave out a key, only its own scores are visited. Between two of them, the numbers of its rows below and above are
//! constant, so that a sum over the scores between is a difference of sums from the lowest score on. All is counted in
//! integers, and so does not depend on the order of a sum.
//!
//! The codes of scores are cut into ranges. What lies below each code of a range stays in the cache while the scores of
//! all keys look it up, and threads divide the ranges.

use std::ops::Range;

use rayon::prelude::*;

use super::by_key::Area;
use crate::interrupt;
use crate::math::signed_product_difference;
use crate::ranking::rows::KeyRows;
use crate::ranking::ties::{Count, Placements};

/// Codes of a range: with 2^12 to 2^14, 20 keys of 10^7 rows took the same time, with 2^16 a tenth more.
const RANGE_CODES: usize = 1 << 13;

/// The scores of a key that a range has at least, on average: each range has an entry for each key.
const SCORES_OF_KEY: usize = 64;

/// The rows of all keys.
#[derive(Debug)]
pub struct AllRows<'a> {
    keys: &'a [KeyRows],
    ranges: Vec<CodeRange>,
    n_pos: u64,
    n_neg: u64,
}

/// A range of codes.
#[derive(Debug)]
struct CodeRange {
    codes: Range<usize>,
    /// All rows with lower codes.
    below: Below,
    /// Of each key, the places of its scores in this range, and its rows with lower codes.
    keys: Vec<(Range<usize>, Count)>,
}

/// Rows with lower scores.
#[derive(Clone, Copy, Debug, Default)]
struct Below {
    pos: u64,
    neg: u64,
    /// Twice the pairs of these positives and negatives in which the positive scores higher, ties counting once.
    twice_u: u128,
}

impl Below {
    /// What lies below the next score.
    fn and(self, tie: Count) -> Below {
        self.and_range(Below {
            twice_u: u128::from(tie.pos) * u128::from(tie.neg),
            pos: tie.pos,
            neg: tie.neg,
        })
    }

    /// What lies below the next range, of which this is known alone.
    fn and_range(self, range: Below) -> Below {
        let between = 2 * u128::from(range.pos) * u128::from(self.neg);
        Below {
            pos: self.pos + range.pos,
            neg: self.neg + range.neg,
            twice_u: self.twice_u + range.twice_u + between,
        }
    }
}

impl<'a> AllRows<'a> {
    /// The rows of these keys, each code of a key once, whose scores have so many codes.
    pub fn of(keys: &'a [KeyRows], distinct: usize) -> Self {
        let scores: usize = keys.iter().map(|key| key.codes.len()).sum();
        let most = (scores / SCORES_OF_KEY / keys.len().max(1)).max(1);
        Self::in_ranges(keys, distinct, RANGE_CODES.max(distinct.div_ceil(most)))
    }

    fn in_ranges(keys: &'a [KeyRows], distinct: usize, width: usize) -> Self {
        let range = |number: usize| {
            interrupt::check();
            let codes = number * width..distinct.min((number + 1) * width);
            let mut of_keys = Vec::with_capacity(keys.len());
            let mut counts = vec![Count::default(); codes.len()];
            for key in keys {
                let from = |code: usize| key.codes.partition_point(|&other| other as usize >= code);
                let places = from(codes.end)..from(codes.start);
                for (&code, &count) in key.codes[places.clone()].iter().zip(&key.counts[places.clone()]) {
                    let all = &mut counts[code as usize - codes.start];
                    *all = all.plus(count);
                }
                let rows = Count::sum(&key.counts[places.clone()]);
                of_keys.push((places, rows));
            }
            let within = counts.into_iter().fold(Below::default(), Below::and);
            CodeRange { codes, below: within, keys: of_keys }
        };
        let mut ranges: Vec<CodeRange> = (0..distinct.div_ceil(width)).into_par_iter().map(range).collect();
        let (mut below, mut of_keys) = (Below::default(), vec![Count::default(); keys.len()]);
        for range in &mut ranges {
            let next = below.and_range(range.below);
            range.below = std::mem::replace(&mut below, next);
            for ((_, rows), below) in range.keys.iter_mut().zip(&mut of_keys) {
                let next = below.plus(*rows);
                *rows = std::mem::replace(below, next);
            }
        }
        AllRows { keys, ranges, n_pos: below.pos, n_neg: below.neg }
    }

    /// What lies below each code of a range, and below the next range.
    fn below(&self, range: &CodeRange) -> Vec<Below> {
        let mut counts = vec![Count::default(); range.codes.len()];
        for (key, (places, _)) in self.keys.iter().zip(&range.keys) {
            for (&code, &count) in key.codes[places.clone()].iter().zip(&key.counts[places.clone()]) {
                let all = &mut counts[code as usize - range.codes.start];
                *all = all.plus(count);
            }
        }
        let below = |below: &mut Below, count: Count| {
            let next = below.and(count);
            Some(std::mem::replace(below, next))
        };
        // A last code without rows stands for the next range.
        counts.push(Count::default());
        counts.into_iter().scan(range.below, below).collect()
    }

    /// The sums over the placements of all rows, and those that `of_key` adds up for each key, range by range.
    fn sums<S: Sums>(&self, of_key: impl Fn(&Self, &KeyInRange<'_>) -> S + Sync) -> (Placements, Vec<S>) {
        let of_range = |range: &CodeRange| {
            interrupt::check();
            let below = self.below(range);
            let mut placements = Placements::default();
            for around in below.windows(2) {
                let rows = Count { pos: around[1].pos - around[0].pos, neg: around[1].neg - around[0].neg };
                let (of_pos, of_neg) = self.twice_placements(around);
                placements.squares_of_pos += u128::from(rows.pos) * of_pos.pow(2);
                placements.squares_of_neg += u128::from(rows.neg) * of_neg.pow(2);
            }
            placements.sum = below[below.len() - 1].twice_u - below[0].twice_u;
            let of_keys: Vec<S> = self
                .keys
                .iter()
                .zip(&range.keys)
                .map(|(key, (places, own))| {
                    let places = places.clone();
                    of_key(
                        self,
                        &KeyInRange { key, places, own: *own, below: &below, first: range.codes.start },
                    )
                })
                .collect();
            (placements, of_keys)
        };
        let of_ranges: Vec<(Placements, Vec<S>)> = self.ranges.par_iter().map(of_range).collect();
        let mut all = (Placements::default(), Vec::from_iter(self.keys.iter().map(|_| S::default())));
        for (placements, of_keys) in of_ranges {
            all.0 = all.0.plus(placements);
            all.1.iter_mut().zip(of_keys).for_each(|(sums, more)| sums.add(more));
        }
        all
    }

    /// Twice the negatives that a positive of a score beats, and twice the positives that beat such a negative, from what
    /// lies below it and below the next score.
    fn twice_placements(&self, around: &[Below]) -> (u128, u128) {
        let (below, next) = (&around[0], &around[1]);
        (u128::from(below.neg + next.neg), u128::from(2 * self.n_pos - below.pos - next.pos))
    }

    /// Twice the pairs of the negatives below a code with the positives that beat them, ties counting once.
    fn twice_beaten(&self, below: &Below) -> u128 {
        // They are beaten by all positives above the code, and by those below it that beat them.
        2 * u128::from(below.neg) * u128::from(self.n_pos - below.pos) + below.twice_u
    }

    /// The area of all rows but a key's, for each key.
    pub fn without_each(&self) -> Vec<Option<Area>> {
        // With x the placement of a row among all and y among the key's rows, both doubled, that among the others is
        // x - y: its sum and the sum of x² - 2 x y + y² are taken over all rows, less those over the key's.
        let (all, of_keys) = self.sums(Self::sums_without);
        // The squares of all first, so that no difference is below 0.
        let squares = |all: u128, cross: &CrossSums, own: &OwnSums| {
            all + cross.squares - 2 * cross.products - own.squares
        };
        let without = |(key, sums): (&KeyRows, &SumsWithout)| {
            let (n_pos, n_neg) = (self.n_pos - key.n_pos, self.n_neg - key.n_neg);
            let placements = Placements {
                sum: all.sum - sums.of_pos.sum - sums.own_pos.sum,
                squares_of_pos: squares(all.squares_of_pos, &sums.of_pos, &sums.own_pos),
                squares_of_neg: squares(all.squares_of_neg, &sums.of_neg, &sums.own_neg),
            };
            (n_pos > 0 && n_neg > 0).then(|| Area::summed(placements, n_pos, n_neg))
        };
        self.keys.iter().zip(&of_keys).map(without).collect()
    }

    fn sums_without(&self, key: &KeyInRange<'_>) -> SumsWithout {
        let mut sums = SumsWithout::default();
        let SumsWithout { of_pos, of_neg, own_pos, own_neg } = &mut sums;
        let n_pos = key.key.n_pos;
        let (mut below, mut from) = (key.own, key.below[0]);
        let mut stretch = |until: Below, of_pos_own: u64, of_neg_own: u64| {
            of_pos.add(until.pos - from.pos, until.twice_u - from.twice_u, of_pos_own);
            let beaten = self.twice_beaten(&until) - self.twice_beaten(&from);
            of_neg.add(until.neg - from.neg, beaten, of_neg_own);
            from = until;
        };
        for (own, tie, around) in key.scores() {
            let next = own.plus(tie);
            stretch(around[0], 2 * own.neg, 2 * (n_pos - own.pos));
            let (x_pos, x_neg) = self.twice_placements(around);
            let (y_pos, y_neg) = (own.neg + next.neg, 2 * n_pos - own.pos - next.pos);
            stretch(around[1], y_pos, y_neg);
            own_pos.add(tie.pos, x_pos - u128::from(y_pos));
            own_neg.add(tie.neg, x_neg - u128::from(y_neg));
            below = next;
        }
        stretch(key.below[key.below.len() - 1], 2 * below.neg, 2 * (n_pos - below.pos));
        sums
    }

    /// The area of all rows; and for each key the covariance of its area and that of all: of the placements of the key's
    /// rows among their own and among all, over the number of all rows of a class. It is undefined with a single row of
    /// the key in a class.
    pub fn area_and_covariances(&self) -> (Option<Area>, Vec<Option<f64>>) {
        let (all, of_keys) = self.sums(Self::sums_with_own);
        let area = (self.n_pos > 0 && self.n_neg > 0).then(|| Area::summed(all, self.n_pos, self.n_neg));
        let part = |sums: &SharedSums, n: u64, others: u64, all: u64, all_others: u64| {
            let products = signed_product_difference(n.into(), sums.products, sums.own, sums.all);
            let scale = n as f64 * (n - 1) as f64 * 4.0 * others as f64 * all_others as f64;
            products / scale / all as f64
        };
        let covariance = |(key, sums): (&KeyRows, &SumsWithOwn)| {
            let (pos, neg) = (key.n_pos, key.n_neg);
            (pos > 1 && neg > 1).then(|| {
                part(&sums.of_pos, pos, neg, self.n_pos, self.n_neg)
                    + part(&sums.of_neg, neg, pos, self.n_neg, self.n_pos)
            })
        };
        (area, self.keys.iter().zip(&of_keys).map(covariance).collect())
    }

    fn sums_with_own(&self, key: &KeyInRange<'_>) -> SumsWithOwn {
        let mut sums = SumsWithOwn::default();
        for (own, tie, around) in key.scores() {
            let next = own.plus(tie);
            let (x_pos, x_neg) = self.twice_placements(around);
            sums.of_pos.add_rows(tie.pos, x_pos, own.neg + next.neg);
            sums.of_neg.add_rows(tie.neg, x_neg, 2 * key.key.n_pos - own.pos - next.pos);
        }
        sums
    }
}

/// The scores of a key in a range.
struct KeyInRange<'b> {
    key: &'b KeyRows,
    /// Their places, from the highest.
    places: Range<usize>,
    /// The rows of the key with lower scores.
    own: Count,
    /// What lies below each code of the range, and below the next range.
    below: &'b [Below],
    /// The first code.
    first: usize,
}

impl KeyInRange<'_> {
    /// Each score from the lowest on: the rows of the key below it, those that have it, and what lies below it and below
    /// the next one.
    fn scores(&self) -> impl Iterator<Item = (Count, Count, &[Below])> {
        let ascending = self.places.clone().rev();
        ascending.scan(self.own, |own, place| {
            let (code, tie) = (self.key.codes[place] as usize - self.first, self.key.counts[place]);
            let before = *own;
            *own = before.plus(tie);
            Some((before, tie, &self.below[code..code + 2]))
        })
    }
}

/// Sums of one key.
trait Sums: Default + Send {
    /// Adds the sums of another range.
    fn add(&mut self, more: Self);
}

/// What is taken from the sums of all rows for all rows but those of a key.
#[derive(Debug, Default)]
struct SumsWithout {
    of_pos: CrossSums,
    of_neg: CrossSums,
    own_pos: OwnSums,
    own_neg: OwnSums,
}

impl Sums for SumsWithout {
    fn add(&mut self, more: Self) {
        for (sums, more) in [(&mut self.of_pos, more.of_pos), (&mut self.of_neg, more.of_neg)] {
            sums.sum += more.sum;
            sums.products += more.products;
            sums.squares += more.squares;
        }
        for (sums, more) in [(&mut self.own_pos, more.own_pos), (&mut self.own_neg, more.own_neg)] {
            sums.sum += more.sum;
            sums.squares += more.squares;
        }
    }
}

/// Over all rows of a class: sums of y, x y and y², where x is the doubled placement of a row among all rows and y that
/// among the rows of one key.
#[derive(Debug, Default)]
struct CrossSums {
    sum: u128,
    products: u128,
    squares: u128,
}

impl CrossSums {
    /// Adds rows that all have one y, and the sum of their x.
    fn add(&mut self, rows: u64, x: u128, y: u64) {
        let (rows, y) = (u128::from(rows), u128::from(y));
        self.sum += rows * y;
        self.products += x * y;
        self.squares += rows * y * y;
    }
}

/// Over one key's rows of a class: sums of the doubled placement among the other keys' rows, and of its square.
#[derive(Debug, Default)]
struct OwnSums {
    sum: u128,
    squares: u128,
}

impl OwnSums {
    fn add(&mut self, rows: u64, placement: u128) {
        self.sum += u128::from(rows) * placement;
        self.squares += u128::from(rows) * placement * placement;
    }
}

/// Sums of a key that its covariance with all rows takes.
#[derive(Debug, Default)]
struct SumsWithOwn {
    of_pos: SharedSums,
    of_neg: SharedSums,
}

impl Sums for SumsWithOwn {
    fn add(&mut self, more: Self) {
        for (sums, more) in [(&mut self.of_pos, more.of_pos), (&mut self.of_neg, more.of_neg)] {
            sums.own += more.own;
            sums.all += more.all;
            sums.products += more.products;
        }
    }
}

/// Over one key's rows of a class: sums of both doubled placements, among its own rows and among all, and of their products.
#[derive(Debug, Default)]
struct SharedSums {
    own: u128,
    all: u128,
    products: u128,
}

impl SharedSums {
    fn add_rows(&mut self, rows: u64, all: u128, own: u64) {
        let rows = u128::from(rows);
        self.own += rows * u128::from(own);
        self.all += rows * all;
        self.products += rows * u128::from(own) * all;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::statistics::inference::rows_by_key;
    use crate::statistics::tests::rows_of;

    proptest! {
        /// The rest and all rows, against the counts of those rows; the bits are the same, whatever the ranges.
        #[test]
        fn all_and_all_but_one(
            rows in proptest::collection::vec((0u8..2, -4i8..4, 0u32..4), 0..60),
            width in 1usize..9,
        ) {
            let column = |of: fn(&(u8, i8, u32)) -> f64| rows.iter().map(of).collect::<Vec<f64>>();
            let labels: Vec<u8> = rows.iter().map(|row| row.0).collect();
            let keys: Vec<u32> = rows.iter().map(|row| row.2).collect();
            let rows = rows_of(&labels, &[&column(|row| row.1.into())], &keys);
            let by_key = rows_by_key(&rows, 0);
            let expected = |keep: &dyn Fn(u32) -> bool| {
                let mut counts = vec![Count::default(); rows.scores[0].distinct];
                for row in (0..rows.len).filter(|&row| keep(rows.keys.of_row[row])) {
                    counts[rows.scores[0].place(rows.scores[0].of_row[row])].add(rows.labels[row], 1);
                }
                Area::of(&counts).map(|area| (area.auc, area.placements, area.n_pos, area.n_neg))
            };
            let parts = |area: Area| (area.auc, area.placements, area.n_pos, area.n_neg);
            let of_one_range = AllRows::of(&by_key, rows.scores[0].distinct);
            let all = AllRows::in_ranges(&by_key, rows.scores[0].distinct, width);
            let (area, covariances) = all.area_and_covariances();
            prop_assert_eq!(area.map(parts), expected(&|_| true));
            prop_assert_eq!(covariances, of_one_range.area_and_covariances().1);
            for (key, without) in (0..).zip(all.without_each()) {
                prop_assert_eq!(without.map(parts), expected(&|other| other != key));
            }
        }
    }
}
