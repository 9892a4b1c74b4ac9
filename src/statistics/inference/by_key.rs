//! The area under the ROC curve for each key, such as a fold or a segment.

use std::borrow::Cow;

use super::delong;
use crate::math::{quotient, signed_quotient};
use crate::ranking::rows::{CodeAndLabel, KeyPlacements, KeyRows};
use crate::ranking::tasks;
use crate::ranking::ties::{Count, Placements, counts::placements};
use crate::statistics::rows::Rows;

/// The area of each key's rows by one score; undefined without positives or negatives. Requires
/// [`key_placements`](crate::statistics::Needs::key_placements).
pub fn areas(rows: &Rows, score: usize) -> impl Iterator<Item = Option<Area>> {
    rows.key_placements[score].iter().map(Area::from_key)
}

/// The rows of each key, by the codes of one score.
pub fn rows_by_key(rows: &Rows, score: usize) -> Cow<'_, [KeyRows]> {
    if let Some(counted) = &rows.counted {
        return Cow::Borrowed(&counted.keys);
    }
    let number = rows.keys.histogram(|_| true);
    let mut members: Vec<Vec<CodeAndLabel>> =
        number.into_iter().map(|number| Vec::with_capacity(number as usize)).collect();
    for ((&key, &code), &label) in
        rows.keys.row_codes.iter().zip(&rows.scores[score].row_codes).zip(&rows.labels)
    {
        members[key as usize].push(CodeAndLabel::new(code, label));
    }
    Cow::Owned(tasks::par_map_owned(members, KeyRows::new))
}

impl KeyRows {
    /// The area of these rows; undefined without positives or negatives.
    pub fn area(&self) -> Option<Area> {
        Area::new(&self.counts)
    }
}

/// An area with its sums and numbers of rows.
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
    /// From counts, highest score first; undefined without positives or negatives.
    pub fn new(counts: &[Count]) -> Option<Area> {
        let Count { pos: n_pos, neg: n_neg } = Count::sum(counts);
        (n_pos > 0 && n_neg > 0).then(|| Self::summed(placements(counts), n_pos, n_neg))
    }

    /// From the placements of a key's rows; undefined without positives or negatives.
    pub fn from_key(&KeyPlacements { n_pos, n_neg, sums }: &KeyPlacements) -> Option<Area> {
        (n_pos > 0 && n_neg > 0).then(|| Self::summed(sums, n_pos, n_neg))
    }

    fn summed(placements: Placements, n_pos: u64, n_neg: u64) -> Self {
        let auc = quotient(placements.sum, 2 * u128::from(n_pos) * u128::from(n_neg));
        Area { auc, placements, n_pos, n_neg }
    }

    /// One half minus the area.
    pub fn below_half(&self) -> f64 {
        let pairs = u128::from(self.n_pos) * u128::from(self.n_neg);
        signed_quotient(pairs as i128 - self.placements.sum as i128, 2 * pairs)
    }

    /// The difference from the area of another score of the same rows, rounded once. Equal differences are
    /// bit-identical, and their variance is exactly 0.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::rows_of;

    #[test]
    fn each_key_separately() {
        let scores = [2.0, 1.0, 3.0, 3.0, 4.0, 3.0, 5.0, 6.0, 9.0];
        let rows = rows_of(&[1, 0, 1, 0, 1, 0, 0, 1, 1], &[&scores], &[7, 7, 8, 8, 9, 9, 9, 9, 10]);
        let keys = rows_by_key(&rows, 0);
        assert_eq!(
            keys.iter().map(|key| (key.n_pos, key.n_neg)).collect::<Vec<_>>(),
            [(1, 1), (1, 1), (2, 2), (1, 0)]
        );
        let areas: Vec<Option<f64>> = keys.iter().map(|key| key.area().map(|area| area.auc)).collect();
        assert_eq!(areas, [Some(1.0), Some(0.5), Some(0.75), None]);
        // Placements are 1/2 and 1 for the positives, 1 and 1/2 for the negatives, around 3/4.
        assert_eq!(keys[2].area().unwrap().squares(), (0.125, 0.125));
        assert_eq!(keys[2].area().unwrap().variance(), Some(0.125));
    }
}
