//! Sums over the midranks of rows, by key and class: see [`AllPlacements`](super::AllPlacements).

use rayon::prelude::*;

use super::height_ranges::{HeightRange, HeightSteps};
use crate::ranking::ties::Count;
use crate::ranking::ties::placements::{MomentNumber, Moments};
use crate::ranking::tuning::RANGE_CODES;

/// The key code of a row and its label, packed into an integer that sorts by key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KeyAndLabel(u32);

impl KeyAndLabel {
    pub fn new(key: u32, label: bool) -> Self {
        KeyAndLabel(key << 1 | u32::from(label))
    }

    /// The key code.
    pub fn key(self) -> u32 {
        self.0 >> 1
    }

    /// Whether the row is positive.
    pub fn label(self) -> bool {
        self.0 & 1 == 1
    }
}

/// An accumulator type for sums.
pub(super) trait SumNumber: MomentNumber + From<u64> + Into<u128> + Send {}

impl SumNumber for u64 {}
impl SumNumber for u128 {}

/// Sums over the rows of a range of the score.
#[derive(Clone, Debug)]
pub(super) struct Sums<T> {
    /// For each key, the sums over its negatives and over its positives.
    pub keys: Vec<[ClassSums<T>; 2]>,
    /// The number of negatives and of positives.
    pub rows: [T; 2],
    /// The sums of the midranks of both classes among all rows.
    pub midranks: [T; 2],
    /// The heights of each key, then of all rows; empty if not requested.
    pub height_ranges: Vec<HeightRange>,
}

/// Sums over the rows of one class of a key.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClassSums<T> {
    pub rows: T,
    /// Sum of x, the midrank among all rows.
    pub all: T,
    /// Sum of y, the midrank among the rows of the key.
    pub within: T,
    /// Sum of x².
    pub all_squares: T,
    /// Sum of x y.
    pub products: T,
    /// Sum of y².
    pub within_squares: T,
    /// Sum of twice the midranks of the other-class rows with a lower score, plus the midranks of other-class
    /// rows with the same score.
    pub below: T,
    /// Sum of `2 x r`, and of the number of other-class rows with the same score. Here r is twice the rows of
    /// the class and key with a lower score, plus the rows with the same score, itself included.
    pub ranked: T,
}

/// The values that are equal for all rows of one class, key and score.
#[derive(Clone, Copy)]
struct Shared<T> {
    /// The midrank among all rows.
    x: T,
    /// The midrank among the rows of the key.
    y: T,
    /// Twice the rows of this class and key with a lower score, plus the rows with the same score.
    rank: T,
    /// Twice the midranks of the other-class rows with a lower score, plus the midranks of other-class rows
    /// with the same score.
    below: T,
    /// The other-class rows with the same score.
    tied: T,
}

impl<T: SumNumber> ClassSums<T> {
    /// Adds `rows` rows of one score.
    #[inline(always)]
    fn add(&mut self, rows: T, Shared { x, y, rank, below, tied }: Shared<T>) {
        self.rows += rows;
        let (all, within) = (rows * x, rows * y);
        self.all += all;
        self.within += within;
        self.all_squares += all * x;
        self.products += all * y;
        self.within_squares += within * y;
        self.below += rows * below;
        let ranked = all * rank;
        self.ranked += ranked + ranked + rows * rows * tied;
    }
}

fn twice<T: SumNumber>(number: T) -> T {
    number + number
}

impl<T: SumNumber> Sums<T> {
    /// Zero sums for this number of keys and of height ranges.
    pub fn none(keys: usize, height_ranges: usize) -> Self {
        Sums {
            keys: vec![[ClassSums::default(); 2]; keys],
            rows: [T::default(); 2],
            midranks: [T::default(); 2],
            height_ranges: vec![HeightRange::default(); height_ranges],
        }
    }

    /// Adds the next row, the only row of its score.
    #[inline(always)]
    fn add_row<const HEIGHTS: bool>(&mut self, key: u32, class: usize, steps: &[HeightSteps]) {
        if HEIGHTS
            && let ([keys @ .., all], [steps @ .., steps_of_all]) = (&mut self.height_ranges[..], steps)
        {
            keys[key as usize].add_row(class, steps[key as usize]);
            all.add_row(class, *steps_of_all);
        }
        let (key_sums, other) = (&mut self.keys[key as usize], 1 - class);
        let x = twice(self.rows[other]);
        let (y, rank) = (twice(key_sums[other].rows), twice(key_sums[class].rows) + T::from(1));
        let below = twice(self.midranks[other]);
        key_sums[class].add(T::from(1), Shared { x, y, rank, below, tied: T::default() });
        self.rows[class] += T::from(1);
        self.midranks[class] += x;
    }

    /// Adds the rows of the next score: the counts of both classes for each key.
    pub fn add_tie(&mut self, key_counts: impl Iterator<Item = (u32, Count)> + Clone, steps: &[HeightSteps]) {
        let counts = |count: Count| [T::from(count.neg), T::from(count.pos)];
        let tied = key_counts.clone().fold(Count::default(), |sum, (_, count)| sum.plus(count));
        if let ([height_ranges @ .., all], [steps @ .., steps_of_all]) = (&mut self.height_ranges[..], steps)
        {
            for (key, count) in key_counts.clone() {
                height_ranges[key as usize].add_tie(count, steps[key as usize]);
            }
            all.add_tie(tied, *steps_of_all);
        }
        let tied = counts(tied);
        let x = [0, 1].map(|class: usize| twice(self.rows[1 - class]) + tied[1 - class]);
        let below =
            [0, 1].map(|class: usize| twice(self.midranks[1 - class]) + tied[1 - class] * x[1 - class]);
        for (key, count) in key_counts {
            let (key_sums, rows) = (&mut self.keys[key as usize], counts(count));
            let before = [key_sums[0].rows, key_sums[1].rows];
            for class in [0, 1] {
                let y = twice(before[1 - class]) + rows[1 - class];
                let rank = twice(before[class]) + rows[class];
                let (x, below, tied) = (x[class], below[class], tied[1 - class]);
                key_sums[class].add(rows[class], Shared { x, y, rank, below, tied });
            }
        }
        for class in [0, 1] {
            self.rows[class] += tied[class];
            self.midranks[class] += tied[class] * x[class];
        }
    }

    /// Adds rows sorted by score, then by key.
    pub fn add_rows<K: PartialEq, const HEIGHTS: bool>(
        &mut self,
        rows: &[(K, KeyAndLabel)],
        steps: &[HeightSteps],
    ) {
        let mut rest = rows;
        while let [row, after @ ..] = rest {
            let equal = after.iter().take_while(|other| other.0 == row.0).count();
            if equal == 0 {
                self.add_row::<HEIGHTS>(row.1.key(), usize::from(row.1.label()), steps);
            } else {
                let key_count = |rows: &[(K, KeyAndLabel)]| {
                    let pos = rows.iter().filter(|row| row.1.label()).count() as u64;
                    (rows[0].1.key(), Count { pos, neg: rows.len() as u64 - pos })
                };
                let key_counts = rest[..=equal].chunk_by(|a, b| a.1.key() == b.1.key()).map(key_count);
                self.add_tie(key_counts, steps);
            }
            rest = &after[equal..];
        }
    }

    pub fn wide(self) -> Sums<u128> {
        let wide = |sums: ClassSums<T>| ClassSums {
            rows: sums.rows.into(),
            all: sums.all.into(),
            within: sums.within.into(),
            all_squares: sums.all_squares.into(),
            products: sums.products.into(),
            within_squares: sums.within_squares.into(),
            below: sums.below.into(),
            ranked: sums.ranked.into(),
        };
        Sums {
            keys: self.keys.into_iter().map(|key_sums| key_sums.map(wide)).collect(),
            rows: self.rows.map(Into::into),
            midranks: self.midranks.map(Into::into),
            height_ranges: self.height_ranges,
        }
    }
}

impl Sums<u128> {
    /// The sums of these rows and of rows whose scores are all higher.
    pub fn and_above(mut self, above: Self) -> Self {
        let add = |(below, higher): (&mut [ClassSums<u128>; 2], [ClassSums<u128>; 2])| {
            let before = [below[0].rows, below[1].rows];
            for class in [0, 1] {
                let (sums, more, other) = (&mut below[class], higher[class], 1 - class);
                // The increase of each midrank due to the rows below.
                let (x, y) = (2 * self.rows[other], 2 * before[other]);
                let rows = more.rows;
                sums.rows += rows;
                sums.all += more.all + x * rows;
                sums.within += more.within + y * rows;
                sums.all_squares += more.all_squares + x * (2 * more.all + x * rows);
                sums.products += more.products + x * more.within + y * (more.all + x * rows);
                sums.within_squares += more.within_squares + y * (2 * more.within + y * rows);
                sums.below += more.below + 2 * (self.midranks[other] * rows + self.rows[class] * more.all);
                // Over all rows of a class and key, r sums to the square of their number.
                sums.ranked +=
                    more.ranked + 4 * before[class] * more.all + 2 * x * rows * (rows + 2 * before[class]);
            }
        };
        if self.keys.len() > RANGE_CODES {
            self.keys.par_iter_mut().zip(above.keys).with_min_len(RANGE_CODES).for_each(add);
        } else {
            self.keys.iter_mut().zip(above.keys).for_each(add);
        }
        for class in [0, 1] {
            self.midranks[class] += above.midranks[class] + 2 * self.rows[1 - class] * above.rows[class];
        }
        for class in [0, 1] {
            self.rows[class] += above.rows[class];
        }
        for (below, higher) in self.height_ranges.iter_mut().zip(above.height_ranges) {
            *below = below.and_above(higher);
        }
        self
    }
}

impl ClassSums<u128> {
    pub fn within_moments(&self) -> Moments<u128> {
        Moments { rows: self.rows, sum: self.within, squares: self.within_squares }
    }
}
