//! The area under the ROC curve of each key's rows, of folds or of segments, and of all but those.

use std::borrow::Cow;

use rayon::prelude::*;

use super::delong;
use crate::math::{quotient, signed_product_difference, signed_quotient};
use crate::ranking::rows::{KeyPlacements, KeyRows, Rows};
use crate::ranking::ties::{
    Count, Placements,
    counts::{placements, steps},
};

/// The area of each key's rows, by one score; undefined without a positive or without a negative. The statistic needs
/// [`key_placements`](crate::statistics::Needs::key_placements).
pub fn areas(rows: &Rows, score: usize) -> impl Iterator<Item = Option<Area>> {
    rows.key_placements[score].iter().map(Area::of_key)
}

/// The rows of each key, by the codes of one score.
pub fn rows_by_key(rows: &Rows, score: usize) -> Cow<'_, [KeyRows]> {
    if let Some(counted) = &rows.counted {
        return Cow::Borrowed(&counted.keys);
    }
    let mut members = vec![Vec::new(); rows.keys.distinct];
    for ((&key, &code), &label) in rows.keys.of_row.iter().zip(&rows.scores[score].of_row).zip(&rows.labels) {
        members[key as usize].push((code, label));
    }
    Cow::Owned(members.into_par_iter().map(KeyRows::of).collect())
}

impl KeyRows {
    /// The area of these rows; undefined without a positive or without a negative.
    pub fn area(&self) -> Option<Area> {
        Area::of(&self.counts)
    }
}

/// An area with the sums and the rows that it comes from.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    /// The area.
    pub auc: f64,
    /// Sums over the placements.
    pub placements: Placements,
    /// Positives.
    pub n_pos: u64,
    /// Negatives.
    pub n_neg: u64,
}

impl Area {
    /// From counts, the highest score first; undefined without a positive or without a negative.
    pub fn of(counts: &[Count]) -> Option<Area> {
        let Count { pos: n_pos, neg: n_neg } = Count::sum(counts);
        (n_pos > 0 && n_neg > 0).then(|| Self::summed(placements(counts), n_pos, n_neg))
    }

    fn of_key(&KeyPlacements { n_pos, n_neg, sums }: &KeyPlacements) -> Option<Area> {
        (n_pos > 0 && n_neg > 0).then(|| Self::summed(sums, n_pos, n_neg))
    }

    fn summed(placements: Placements, n_pos: u64, n_neg: u64) -> Self {
        let auc = quotient(placements.sum, 2 * u128::from(n_pos) * u128::from(n_neg));
        Area { auc, placements, n_pos, n_neg }
    }

    /// How far the area is below one half.
    pub fn below_half(&self) -> f64 {
        let pairs = u128::from(self.n_pos) * u128::from(self.n_neg);
        signed_quotient(pairs as i128 - self.placements.sum as i128, 2 * pairs)
    }

    /// This area less that of another score of the same rows, rounded once: differences that are equal are equal to the
    /// last bit, and their variance is exactly 0.
    pub fn minus(&self, other: &Area) -> f64 {
        let twice_pairs = 2 * u128::from(self.n_pos) * u128::from(self.n_neg);
        let surplus = self.placements.sum.cast_signed() - other.placements.sum.cast_signed();
        signed_quotient(surplus, twice_pairs)
    }

    /// All rows.
    pub fn rows(&self) -> u64 {
        self.n_pos + self.n_neg
    }

    /// The DeLong variance; undefined with a single row in a class.
    pub fn variance(&self) -> Option<f64> {
        delong::variance(&self.placements, self.n_pos, self.n_neg)
    }

    /// Over positives and over negatives, the sum of the squared distances of placements from the area.
    pub fn squares(&self) -> (f64, f64) {
        delong::squares(&self.placements, self.n_pos, self.n_neg)
    }
}

/// All keys' rows together.
///
/// To leave out a key, only its own scores are visited. Between two of them, the numbers of its rows below and above are
/// constant, so that a sum over the scores between is a difference of sums from the lowest score on. All is counted in
/// integers, and so does not depend on the order of a sum.
#[derive(Clone, Debug)]
pub struct AllRows {
    /// For each code, and for one beyond the last, what lies below it.
    below: Vec<Below>,
    placements: Placements,
    n_pos: u64,
    n_neg: u64,
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
        let twice_u = self.twice_u + u128::from(tie.pos) * u128::from(2 * self.neg + tie.neg);
        Below { pos: self.pos + tie.pos, neg: self.neg + tie.neg, twice_u }
    }
}

impl AllRows {
    /// The rows of these keys, whose scores have so many codes.
    pub fn of(keys: &[KeyRows], distinct: usize) -> Self {
        let mut counts = vec![Count::default(); distinct];
        for key in keys {
            for (&code, &count) in key.codes.iter().zip(&key.counts) {
                let counts = &mut counts[code as usize];
                *counts = counts.plus(count);
            }
        }
        let Count { pos: n_pos, neg: n_neg } = Count::sum(&counts);
        let mut all = AllRows {
            below: Vec::with_capacity(distinct + 1),
            placements: Placements::default(),
            n_pos,
            n_neg,
        };
        let mut below = Below::default();
        all.below.push(below);
        for (code, tie) in (0..).zip(counts) {
            below = below.and(tie);
            all.below.push(below);
            let (of_pos, of_neg) = all.twice_placements(code);
            all.placements.squares_of_pos += u128::from(tie.pos) * of_pos.pow(2);
            all.placements.squares_of_neg += u128::from(tie.neg) * of_neg.pow(2);
        }
        all.placements.sum = below.twice_u;
        all
    }

    /// The area of all rows.
    pub fn area(&self) -> Option<Area> {
        (self.n_pos > 0 && self.n_neg > 0).then(|| Area::summed(self.placements, self.n_pos, self.n_neg))
    }

    /// Twice the negatives that a positive of this score beats, and twice the positives that beat such a negative.
    fn twice_placements(&self, code: u32) -> (u128, u128) {
        let (below, next) = (&self.below[code as usize], &self.below[code as usize + 1]);
        (u128::from(below.neg + next.neg), u128::from(2 * self.n_pos - below.pos - next.pos))
    }

    /// Twice the pairs of the negatives below a code with the positives that beat them, ties counting once.
    fn twice_beaten(&self, below: &Below) -> u128 {
        // They are beaten by all positives above the code, and by those below it that beat them.
        2 * u128::from(below.neg) * u128::from(self.n_pos - below.pos) + below.twice_u
    }

    /// The area of all rows but a key's.
    pub fn without(&self, key: &KeyRows) -> Option<Area> {
        let key = key.by_code();
        let (n_pos, n_neg) = (self.n_pos - key.n_pos, self.n_neg - key.n_neg);
        if n_pos == 0 || n_neg == 0 {
            return None;
        }
        // With x the placement of a row among all and y among the key's rows, both doubled, that among the others is
        // x - y: its sum and the sum of x² - 2 x y + y² are taken over all rows, less those over the key's.
        let (mut of_pos, mut of_neg) = (CrossSums::default(), CrossSums::default());
        let mut own = Below::default();
        let mut from = Below::default();
        let mut stretch = |until: Below, of_pos_own: u64, of_neg_own: u64| {
            of_pos.add(until.pos - from.pos, until.twice_u - from.twice_u, of_pos_own);
            let beaten = self.twice_beaten(&until) - self.twice_beaten(&from);
            of_neg.add(until.neg - from.neg, beaten, of_neg_own);
            from = until;
        };
        let (mut own_pos, mut own_neg) = (OwnSums::default(), OwnSums::default());
        for (&code, &tie) in key.codes.iter().zip(&key.counts).rev() {
            let next = own.and(tie);
            stretch(self.below[code as usize], 2 * own.neg, 2 * (key.n_pos - own.pos));
            let (x_pos, x_neg) = self.twice_placements(code);
            let (y_pos, y_neg) = (own.neg + next.neg, 2 * key.n_pos - own.pos - next.pos);
            stretch(self.below[code as usize + 1], y_pos, y_neg);
            own_pos.add(tie.pos, x_pos - u128::from(y_pos));
            own_neg.add(tie.neg, x_neg - u128::from(y_neg));
            own = next;
        }
        if let Some(&top) = self.below.last() {
            stretch(top, 2 * own.neg, 2 * (key.n_pos - own.pos));
        }
        let Placements { sum, squares_of_pos, squares_of_neg } = self.placements;
        // The squares of all first, so that no difference is below 0.
        let squares = |all: u128, cross: &CrossSums, own: &OwnSums| {
            all + cross.squares - 2 * cross.products - own.squares
        };
        let placements = Placements {
            sum: sum - of_pos.sum - own_pos.sum,
            squares_of_pos: squares(squares_of_pos, &of_pos, &own_pos),
            squares_of_neg: squares(squares_of_neg, &of_neg, &own_neg),
        };
        Some(Area::summed(placements, n_pos, n_neg))
    }

    /// The covariance of the area of a key's rows and that of all: of the placements of the key's rows among their own
    /// and among all, over the number of all rows of a class; undefined with a single row of the key in a class.
    pub fn covariance(&self, key: &KeyRows) -> Option<f64> {
        let key = key.by_code();
        if key.n_pos < 2 || key.n_neg < 2 {
            return None;
        }
        // For either class: sums of both placements, doubled, and of their products.
        let (mut of_pos, mut of_neg) = ((0u128, 0u128, 0u128), (0u128, 0u128, 0u128));
        for (&code, own) in key.codes.iter().zip(steps(&key.counts)) {
            let (all_pos, all_neg) = self.twice_placements(code);
            for (sums, rows, own, all) in [
                (&mut of_pos, own.pos, own.placement_of_pos(key.n_neg), all_pos),
                (&mut of_neg, own.neg, own.placement_of_neg(), all_neg),
            ] {
                sums.0 += u128::from(rows) * u128::from(own);
                sums.1 += u128::from(rows) * all;
                sums.2 += u128::from(rows) * u128::from(own) * all;
            }
        }
        let part = |sums: (u128, u128, u128), n: u64, others: u64, all: u64, all_others: u64| {
            let products = signed_product_difference(n.into(), sums.2, sums.0, sums.1);
            let scale = n as f64 * (n - 1) as f64 * 4.0 * others as f64 * all_others as f64;
            products / scale / all as f64
        };
        let (pos, neg) = (key.n_pos, key.n_neg);
        Some(part(of_pos, pos, neg, self.n_pos, self.n_neg) + part(of_neg, neg, pos, self.n_neg, self.n_pos))
    }
}

/// Over all rows of a class: sums of y, x y and y², where x is the doubled placement of a row among all rows and y that
/// among the rows of one key.
#[derive(Clone, Copy, Debug, Default)]
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
#[derive(Clone, Copy, Debug, Default)]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::rows_of;
    use proptest::prelude::*;

    proptest! {
        /// The rest and all rows, against the counts of those rows; the bits are the same.
        #[test]
        fn all_and_all_but_one(rows in proptest::collection::vec((0u8..2, -4i8..4, 0u32..4), 0..60)) {
            let column = |of: fn(&(u8, i8, u32)) -> f64| rows.iter().map(of).collect::<Vec<f64>>();
            let labels: Vec<u8> = rows.iter().map(|row| row.0).collect();
            let keys: Vec<u32> = rows.iter().map(|row| row.2).collect();
            let rows = rows_of(&labels, &[&column(|row| row.1.into())], &keys);
            let by_key = rows_by_key(&rows, 0);
            let all = AllRows::of(&by_key, rows.scores[0].distinct);
            let expected = |keep: &dyn Fn(u32) -> bool| {
                let mut counts = vec![Count::default(); rows.scores[0].distinct];
                for row in (0..rows.len).filter(|&row| keep(rows.keys.of_row[row])) {
                    counts[rows.scores[0].place(rows.scores[0].of_row[row])].add(rows.labels[row], 1);
                }
                Area::of(&counts).map(|area| (area.auc, area.placements, area.n_pos, area.n_neg))
            };
            let parts = |area: Area| (area.auc, area.placements, area.n_pos, area.n_neg);
            prop_assert_eq!(all.area().map(parts), expected(&|_| true));
            for (key, of_key) in (0..).zip(by_key.iter()) {
                prop_assert_eq!(all.without(of_key).map(parts), expected(&|other| other != key));
            }
        }
    }

    #[test]
    fn each_key_by_itself() {
        let scores = [2.0, 1.0, 3.0, 3.0, 4.0, 3.0, 5.0, 6.0, 9.0];
        let rows = rows_of(&[1, 0, 1, 0, 1, 0, 0, 1, 1], &[&scores], &[7, 7, 8, 8, 9, 9, 9, 9, 10]);
        let keys = rows_by_key(&rows, 0);
        assert_eq!(
            keys.iter().map(|key| (key.n_pos, key.n_neg)).collect::<Vec<_>>(),
            [(1, 1), (1, 1), (2, 2), (1, 0)]
        );
        let areas: Vec<Option<f64>> = keys.iter().map(|key| key.area().map(|area| area.auc)).collect();
        assert_eq!(areas, [Some(1.0), Some(0.5), Some(0.75), None]);
        // Placements 1/2 and 1 of the positives, 1 and 1/2 of the negatives, around 3/4.
        assert_eq!(keys[2].area().unwrap().squares(), (0.125, 0.125));
        assert_eq!(keys[2].area().unwrap().variance(), Some(0.125));
    }
}
