//! The area under the ROC curve of each key's rows, of folds or of segments, and of all but those.

use rayon::prelude::*;

use super::delong;
use crate::math::{quotient, signed_product_difference};
use crate::ranking::counts::{placements, steps};
use crate::ranking::{Count, KeyPlacements, Placements, Rows};

/// The rows of one key.
#[derive(Clone, Debug, Default)]
pub struct OfKey {
    /// The distinct scores as codes, highest first.
    pub codes: Vec<u32>,
    /// How many rows have each.
    pub counts: Vec<Count>,
    /// All positives.
    pub n_pos: u64,
    /// All negatives.
    pub n_neg: u64,
}

/// The area of each key's rows, by one score; undefined without a positive or without a negative. The statistic needs
/// [`key_placements`](super::Needs::key_placements).
pub fn areas(rows: &Rows, score: usize) -> impl Iterator<Item = Option<Area>> {
    rows.key_placements[score].iter().map(Area::of_key)
}

/// The rows of each key, by the codes of one score.
pub fn by_key(rows: &Rows, score: usize) -> Vec<OfKey> {
    let mut members = vec![Vec::new(); rows.keys.distinct];
    for ((&key, &code), &label) in rows.keys.of_row.iter().zip(&rows.scores[score].of_row).zip(&rows.labels) {
        members[key as usize].push((code, label));
    }
    members.into_par_iter().map(OfKey::of).collect()
}

impl OfKey {
    /// Counts the rows of a key, which are codes and labels.
    fn of(mut members: Vec<(u32, bool)>) -> Self {
        members.sort_unstable_by(|a, b| b.cmp(a));
        let mut of_key = OfKey::default();
        for tie in members.chunk_by(|a, b| a.0 == b.0) {
            let pos = tie.iter().filter(|row| row.1).count() as u64;
            let neg = tie.len() as u64 - pos;
            of_key.codes.push(tie[0].0);
            of_key.counts.push(Count { pos, neg });
            of_key.n_pos += pos;
            of_key.n_neg += neg;
        }
        of_key
    }

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
#[derive(Clone, Debug)]
pub struct All {
    /// The rows of each code, the highest first.
    counts: Vec<Count>,
    n_pos: u64,
    n_neg: u64,
}

impl All {
    /// The rows of these keys, whose scores have so many codes.
    pub fn of(keys: &[OfKey], distinct: usize) -> Self {
        let mut all = All { counts: vec![Count::default(); distinct], n_pos: 0, n_neg: 0 };
        for key in keys {
            for (&code, &count) in key.codes.iter().zip(&key.counts) {
                let counts = &mut all.counts[distinct - 1 - code as usize];
                *counts = counts.plus(count);
            }
            all.n_pos += key.n_pos;
            all.n_neg += key.n_neg;
        }
        all
    }

    /// The area of all rows.
    pub fn area(&self) -> Option<Area> {
        Area::of(&self.counts)
    }

    /// The area of all rows but a key's.
    pub fn but(&self, key: &OfKey) -> Option<Area> {
        let others =
            self.beside(key).map(|(all, own)| Count { pos: all.pos - own.pos, neg: all.neg - own.neg });
        Area::of(&others.collect::<Vec<_>>())
    }

    /// For each code, the highest first, the rows of all keys and of one.
    fn beside(&self, key: &OfKey) -> impl Iterator<Item = (Count, Count)> {
        let mut own = key.codes.iter().zip(&key.counts).peekable();
        (0..self.counts.len() as u32).rev().zip(&self.counts).map(move |(code, &all)| {
            (all, own.next_if(|own| *own.0 == code).map_or(Count::default(), |own| *own.1))
        })
    }

    /// The covariance of the area of a key's rows and that of all: of the placements of the key's rows among their own
    /// and among all, over the number of all rows of a class; undefined with a single row of the key in a class.
    pub fn covariance(&self, key: &OfKey) -> Option<f64> {
        if key.n_pos < 2 || key.n_neg < 2 {
            return None;
        }
        let (all, own): (Vec<Count>, Vec<Count>) = self.beside(key).unzip();
        // For either class: sums of both placements, doubled, and of their products.
        let (mut of_pos, mut of_neg) = ((0u128, 0u128, 0u128), (0u128, 0u128, 0u128));
        for (all, own) in steps(&all).zip(steps(&own)) {
            for (sums, rows, own, all) in [
                (&mut of_pos, own.pos, own.placement_of_pos(key.n_neg), all.placement_of_pos(self.n_neg)),
                (&mut of_neg, own.neg, own.placement_of_neg(), all.placement_of_neg()),
            ] {
                sums.0 += u128::from(rows) * u128::from(own);
                sums.1 += u128::from(rows) * u128::from(all);
                sums.2 += u128::from(rows) * u128::from(own) * u128::from(all);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::rows_of;

    #[test]
    fn each_key_by_itself() {
        let scores = [2.0, 1.0, 3.0, 3.0, 4.0, 3.0, 5.0, 6.0, 9.0];
        let rows = rows_of(&[1, 0, 1, 0, 1, 0, 0, 1, 1], &[&scores], &[7, 7, 8, 8, 9, 9, 9, 9, 10]);
        let keys = by_key(&rows, 0);
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
