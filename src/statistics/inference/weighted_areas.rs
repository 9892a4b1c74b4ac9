//! The areas under ROC curves of several scores of weighted rows, and their covariances.
//!
//! The influence of a row is `w (v - auc) / W`. W is the total weight of its class. v is the weighted share
//! of the other class that a positive beats, or that beats a negative, with ties as one half. The
//! infinitesimal jackknife variance of an area is the sum of the squared influences (Jaeckel 1972; Therneau
//! and Watson 2015). The covariance of two areas is the sum of their products. Influences are summed by
//! cluster first.

use crate::interrupt;
use crate::math::{
    quotient, signed_quotient,
    sum::{largest_magnitude, reproducible_sum},
};
use crate::ranking::rows::Codes;
use crate::ranking::tasks;
use crate::ranking::ties::{
    Count,
    units::{Units, unit_of_all},
};
use crate::statistics::rows::Rows;

use super::delong::beyond_rounding;
use super::wilson_scale::{SampleSize, WeightTotals};

/// The areas of scores, with the influence of each row.
#[derive(Clone, Debug)]
pub struct WeightedAreas<'a> {
    rows: &'a Rows,
    /// The total weight of either class.
    total: Count,
    size: SampleSize,
    scores: Vec<Influences>,
    /// Clusters (or rows, without clusters) with positives, and with negatives.
    pub clusters: Count,
}

/// The influence of each row on the area of a score.
#[derive(Clone, Debug)]
struct Influences {
    /// Twice the weight of all pairs in which the positive scores higher, ties counting once.
    twice_u: u128,
    by_row: Vec<f64>,
    /// The largest absolute influence.
    largest: f64,
}

/// The units of both classes, of which the weights of a class are multiples.
pub fn units_of_classes(rows: &Rows) -> Units {
    let weights = rows.weights.as_deref().unwrap_or_default();
    let class_unit = |class: bool| {
        let class_unit = weights.iter().zip(&rows.labels).filter(|row| *row.1 == class);
        unit_of_all(&class_unit.map(|row| *row.0).collect::<Vec<_>>(), 1)
    };
    Units { pos: class_unit(true), neg: class_unit(false), pos_bits: 0, neg_bits: 0 }
}

/// Each row's weight in units of its class.
pub fn units_of_rows(rows: &Rows) -> Vec<u64> {
    let Units { pos, neg, .. } = units_of_classes(rows);
    let weights = rows.weights.as_deref().unwrap_or_default();
    let units = |(&weight, &label): (&f64, &bool)| if label { pos.units(weight) } else { neg.units(weight) };
    weights.iter().zip(&rows.labels).map(units).collect()
}

impl<'a> WeightedAreas<'a> {
    /// The areas of all scores; `None` without positives or negatives.
    pub fn new(rows: &'a Rows) -> Option<Self> {
        let units = units_of_rows(rows);
        let mut total = Count::default();
        units.iter().zip(&rows.labels).for_each(|(&units, &label)| total.add(label, units));
        if total.pos == 0 || total.neg == 0 {
            return None;
        }
        // The weight of each row as a share of its class.
        let share = |row: usize| {
            let class_total = if rows.labels[row] { total.pos } else { total.neg };
            quotient(units[row].into(), class_total.into())
        };
        let shares = tasks::par_map_rows(units.len(), share);
        let influences = |score| Influences::new(score, &rows.labels, &units, &shares, total);
        let scores = tasks::par_map_items(&rows.scores, influences);
        let clusters = clusters(rows);
        let size = effective_size(&units, &rows.labels, total);
        let size = if rows.keys.row_codes.is_empty() { size } else { size.in_clusters(clusters) };
        Some(WeightedAreas { rows, total, size, scores, clusters })
    }

    /// The area of a score.
    pub fn auc(&self, score: usize) -> f64 {
        quotient(self.scores[score].twice_u, self.twice_pairs())
    }

    /// The difference of two areas.
    pub fn difference(&self, a: usize, b: usize) -> f64 {
        let [a, b] = [a, b].map(|score| self.scores[score].twice_u.cast_signed());
        signed_quotient(a - b, self.twice_pairs())
    }

    /// The variance of an area; undefined with fewer than two rows, or clusters, of a class.
    pub fn variance(&self, score: usize) -> Option<f64> {
        let Influences { by_row, largest, .. } = &self.scores[score];
        self.variance_of(*largest, |row| by_row[row])
    }

    /// The variance of the difference of two areas; exactly 0 for scores that rank alike.
    pub fn variance_of_difference(&self, a: usize, b: usize) -> Option<f64> {
        let [a, b] = [a, b].map(|score| &self.scores[score]);
        let [influences_a, influences_b] = [a, b].map(|score| score.by_row.as_slice());
        // Differences may be much smaller than both influences.
        let difference = |row: usize| influences_a[row] - influences_b[row];
        self.variance_of(
            largest_magnitude(influences_a.len().min(influences_b.len()), difference),
            difference,
        )
    }

    /// The covariance of two areas of unclustered rows; undefined with fewer than two rows of a class.
    pub fn covariance(&self, a: usize, b: usize) -> Option<f64> {
        debug_assert!(self.rows.keys.row_codes.is_empty());
        let [a, b] = [a, b].map(|score| &self.scores[score]);
        let [influences_a, influences_b] = [a, b].map(|score| score.by_row.as_slice());
        let sum = || {
            reproducible_sum(influences_a.len(), a.largest * b.largest, |row| {
                influences_a[row] * influences_b[row]
            })
        };
        self.has_two().then(sum)
    }

    /// The effective numbers of rows, and clusters.
    pub fn sample_size(&self) -> SampleSize {
        self.size
    }

    /// The number of scores.
    pub fn number(&self) -> usize {
        self.scores.len()
    }

    fn twice_pairs(&self) -> u128 {
        2 * u128::from(self.total.pos) * u128::from(self.total.neg)
    }

    fn has_two(&self) -> bool {
        self.clusters.pos > 1 && self.clusters.neg > 1
    }

    /// The sum of squared contributions, each at most `largest`, after summation by cluster. The result does
    /// not depend on the order of rows.
    fn variance_of(&self, largest: f64, contribution: impl Fn(usize) -> f64) -> Option<f64> {
        if !self.has_two() {
            return None;
        }
        let keys = &self.rows.keys.row_codes;
        if keys.is_empty() {
            let rows = self.rows.labels.len();
            return Some(reproducible_sum(rows, largest * largest, |row| {
                contribution(row) * contribution(row)
            }));
        }
        let mut members: Vec<(u32, f64)> =
            keys.iter().enumerate().map(|(row, &key)| (key, contribution(row))).collect();
        tasks::sort_by(&mut members, |a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let (mut variance, mut rounding) = (0.0, 0.0);
        for cluster in members.chunk_by(|a, b| a.0 == b.0) {
            let (mut sum, mut size) = (0.0f64, 0.0);
            for (_, influence) in cluster {
                sum += influence;
                size += influence.abs();
            }
            variance += sum * sum;
            // Each addition rounds by at most half a unit in the last place of a partial sum, and so do the
            // summands.
            rounding += (cluster.len() as f64 * f64::EPSILON * size).powi(2);
        }
        Some(beyond_rounding(variance, rounding))
    }
}

/// The effective numbers of rows with these weights.
fn effective_size(units: &[u64], labels: &[bool], total: Count) -> SampleSize {
    let largest = units.iter().copied().max().unwrap_or(0) as f64;
    let squares = |class: bool| {
        reproducible_sum(units.len(), largest * largest, |row| {
            if labels[row] == class { (units[row] as f64).powi(2) } else { 0.0 }
        })
    };
    let sums = Count { pos: total.pos as f64, neg: total.neg as f64 };
    SampleSize::from_weights(WeightTotals {
        sums,
        squares: Count { pos: squares(true), neg: squares(false) },
    })
}

impl Influences {
    fn new(score: &Codes, labels: &[bool], units: &[u64], shares: &[f64], total: Count) -> Self {
        interrupt::check();
        let mut ties = vec![Count::default(); score.distinct];
        for ((&code, &label), &units) in score.row_codes.iter().zip(labels).zip(units) {
            ties[code as usize].add(label, units);
        }
        // For each score, lowest first: twice the weight of the negatives that its positives beat, and of the
        // positives that beat its negatives. Twice a total takes at most 64 bits.
        let mut below = Count::<u64>::default();
        let mut twice_u = 0;
        let placements: Vec<(u64, u64)> = ties
            .into_iter()
            .map(|tie| {
                let next = below.plus(tie);
                let pos_placement = below.neg + next.neg;
                let neg_placement = 2 * total.pos - below.pos - next.pos;
                twice_u += u128::from(tie.pos) * u128::from(pos_placement);
                below = next;
                (pos_placement, neg_placement)
            })
            .collect();
        let auc = quotient(twice_u, 2 * u128::from(total.pos) * u128::from(total.neg));
        let influence = |row: usize| {
            let (pos_placement, neg_placement) = placements[score.row_codes[row] as usize];
            let (placement, other) =
                if labels[row] { (pos_placement, total.neg) } else { (neg_placement, total.pos) };
            shares[row] * (quotient(placement.into(), 2 * u128::from(other)) - auc)
        };
        let by_row = tasks::par_map_rows(labels.len(), influence);
        let largest = largest_magnitude(by_row.len(), |row| by_row[row]);
        Influences { twice_u, by_row, largest }
    }
}

/// Clusters with positives and clusters with negatives; rows if there are no clusters.
fn clusters(rows: &Rows) -> Count {
    if rows.keys.row_codes.is_empty() {
        return rows.into();
    }
    let mut holds = vec![(false, false); rows.keys.distinct];
    for (&cluster, &label) in rows.keys.row_codes.iter().zip(&rows.labels) {
        let (pos, neg) = &mut holds[cluster as usize];
        *(if label { pos } else { neg }) = true;
    }
    let number = |f: fn(&(bool, bool)) -> bool| holds.iter().filter(|&holds| f(holds)).count() as u64;
    Count { pos: number(|holds| holds.0), neg: number(|holds| holds.1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::rows_of;
    use proptest::prelude::*;

    type Row = (bool, i8, i8, u8, u32);

    fn rows(rows: &[Row], clustered: bool) -> Rows {
        let labels: Vec<u8> = rows.iter().map(|row| row.0.into()).collect();
        let a: Vec<f64> = rows.iter().map(|row| row.1.into()).collect();
        let b: Vec<f64> = rows.iter().map(|row| row.2.into()).collect();
        let keys: Vec<u32> = if clustered { rows.iter().map(|row| row.4).collect() } else { Vec::new() };
        let weights = rows.iter().map(|row| f64::from(row.3) / 4.0).collect();
        Rows { weights: Some(weights), ..rows_of(&labels, &[&a, &b], &keys) }
    }

    /// The definition of the weighted area.
    fn area(rows: &[Row], score: fn(&Row) -> i8, weights: &[f64]) -> f64 {
        let (mut wins, mut pairs) = (0.0, 0.0);
        for (p, w) in rows.iter().zip(weights).filter(|row| row.0.0) {
            for (n, u) in rows.iter().zip(weights).filter(|row| !row.0.0) {
                wins += w * u * (f64::from(score(p).cmp(&score(n)) as i8) + 1.0) / 2.0;
                pairs += w * u;
            }
        }
        wins / pairs
    }

    /// The derivative of an area by the weight of each cluster, times that weight, as a central difference.
    fn influences(rows: &[Row], score: fn(&Row) -> i8, clusters: &[u32]) -> Vec<f64> {
        let weights: Vec<f64> = rows.iter().map(|row| f64::from(row.3) / 4.0).collect();
        let step = 1e-4;
        let moved = |cluster: u32, by: f64| {
            let weighted = |(weight, row_cluster): (&f64, &u32)| {
                weight * if *row_cluster == cluster { 1.0 + by } else { 1.0 }
            };
            area(rows, score, &weights.iter().zip(clusters).map(weighted).collect::<Vec<_>>())
        };
        let all = clusters.iter().max().map_or(0, |max| max + 1);
        (0..all).map(|cluster| (moved(cluster, step) - moved(cluster, -step)) / (2.0 * step)).collect()
    }

    /// Scores that differ only in light rows: a bound from their influences would exceed all differences.
    #[test]
    fn a_difference_of_light_rows() {
        let a = [1.0, 2.0, 3.0, 2.5, 9.0, 8.0, 9.5, 8.5];
        let b = [1.0, 2.0, 3.0, 2.5, 8.0, 9.0, 9.5, 8.5];
        let weights = (0..8).map(|row| if row < 4 { 1.0 } else { 2f64.powi(-40) }).collect();
        let rows = Rows { weights: Some(weights), ..rows_of(&[1, 0, 1, 0, 1, 0, 1, 0], &[&a, &b], &[]) };
        let areas = WeightedAreas::new(&rows).unwrap();
        assert!(areas.difference(0, 1) > 0.0);
        assert!(areas.variance_of_difference(0, 1).unwrap() > 0.0);
    }

    proptest! {
        #[test]
        fn by_finite_differences(sample in proptest::collection::vec((any::<bool>(), -3i8..3, -3i8..3, 1u8..20, 0u32..6), 4..20), clustered in any::<bool>()) {
            let both = rows(&sample, clustered);
            let Some(areas) = WeightedAreas::new(&both) else {
                prop_assert!(both.n_pos() == 0 || both.n_neg() == 0);
                return Ok(());
            };
            let clusters: Vec<u32> = if clustered { sample.iter().map(|row| row.4).collect() } else { (0..sample.len() as u32).collect() };
            let weights: Vec<f64> = sample.iter().map(|row| f64::from(row.3) / 4.0).collect();
            let (a, b) = (influences(&sample, |row| row.1, &clusters), influences(&sample, |row| row.2, &clusters));
            prop_assert!((areas.auc(0) - area(&sample, |row| row.1, &weights)).abs() < 1e-14);
            prop_assert!((areas.difference(0, 1) - (areas.auc(0) - areas.auc(1))).abs() < 1e-15);
            // The error of the central difference is about the square of its step.
            let near = |got: Option<f64>, expected: f64| got.is_none_or(|got| (got - expected).abs() < 1e-7);
            prop_assert!(near(areas.variance(0), a.iter().map(|a| a * a).sum()));
            prop_assert!(near(areas.variance_of_difference(0, 1), a.iter().zip(&b).map(|(a, b)| (a - b) * (a - b)).sum()));
            if !clustered {
                prop_assert!(near(areas.covariance(0, 1), a.iter().zip(&b).map(|(a, b)| a * b).sum()));
                prop_assert_eq!(areas.variance(0).is_some(), both.n_pos() > 1 && both.n_neg() > 1);
            }
            prop_assert_eq!(areas.variance_of_difference(0, 0).unwrap_or(0.0), 0.0);
        }

        #[test]
        fn independent_of_row_order(sample in proptest::collection::vec((any::<bool>(), -3i8..3, -3i8..3, 1u8..200, 0u32..4), 4..30), clustered in any::<bool>()) {
            let turned: Vec<Row> = sample.iter().rev().copied().collect();
            let both = [rows(&sample, clustered), rows(&turned, clustered)];
            let results = both.each_ref().map(|rows| {
                WeightedAreas::new(rows).map(|areas| (areas.auc(0), areas.variance(0), areas.variance_of_difference(0, 1)))
            });
            prop_assert_eq!(results[0], results[1]);
        }
    }
}
