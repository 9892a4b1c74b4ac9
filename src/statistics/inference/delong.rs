//! The variances and covariances of areas under ROC curves (DeLong, DeLong and Clarke-Pearson 1988).
//!
//! The placement of a positive is the share of negatives with a lower score, with ties as one half. The
//! placement of a negative is the share of positives with a higher score. Let S10 and S01 be the sample
//! covariances of the placements of two scores over positives and over negatives; then
//! `Cov = S10 / P + S01 / N`. Placements are half integers divided by N or P. All sums are integers until the
//! final division, so the result does not depend on the row order.
//!
//! Rows of one cluster (visits of a patient, loans of a customer) are correlated; their placements are summed
//! [by cluster](super::by_cluster) first (Obuchowski 1997).

use rayon::prelude::*;

use crate::math::{self, Products};
use crate::ranking::rows::{PlacementProducts, RowPlacements};
use crate::ranking::ties::{Count, Placements};
use crate::ranking::{SHARD_ROWS, tasks};
use crate::statistics::rows::Rows;

use super::clustered_area::{ClusteredArea, Residual};

/// The variance of one area, from the sums over its placements; undefined with a single row in a class.
pub fn variance(placements: &Placements, n_pos: u64, n_neg: u64) -> Option<f64> {
    parts(placements, n_pos, n_neg).map(|(pos_part, neg_part)| pos_part + neg_part)
}

/// The two parts of the variance of one area, `S10 / P` and `S01 / N`.
pub fn parts(placements: &Placements, n_pos: u64, n_neg: u64) -> Option<(f64, f64)> {
    if n_pos < 2 || n_neg < 2 {
        return None;
    }
    let part = |squares, n, others| spread(placements, squares, n) / scale(n, others);
    Some((part(placements.squares_of_pos, n_pos, n_neg), part(placements.squares_of_neg, n_neg, n_pos)))
}

/// Over positives and over negatives, the sum of the squared distances of placements from their mean, the
/// area.
pub fn squares(placements: &Placements, n_pos: u64, n_neg: u64) -> (f64, f64) {
    let part = |squares, n: u64, others: u64| {
        spread(placements, squares, n) / (4.0 * n as f64 * (others as f64).powi(2))
    };
    (part(placements.squares_of_pos, n_pos, n_neg), part(placements.squares_of_neg, n_neg, n_pos))
}

/// `n sum(x²) - sum(x)²`: n times the sum of squared deviations of x, where x is twice the size of the other
/// class times the placement.
fn spread(placements: &Placements, squares: u128, n: u64) -> f64 {
    math::product_difference(n.into(), squares, placements.sum, placements.sum)
}

/// The divisor from `n sum(x y) - sum(x) sum(y)` of doubled placements, in rows, to the part of a class of
/// `n` rows in a covariance.
fn scale(n: u64, others: u64) -> f64 {
    4.0 * (n as f64).powi(2) * (n - 1) as f64 * (others as f64).powi(2)
}

/// The sum of `of` over the placements of rows by two scores. All threads of a pool share a large class.
fn sum_of(a: &[u32], b: &[u32], f: impl Fn(u64, u64) -> u64 + Sync) -> u128 {
    // Low and high halves are summed separately, which avoids carry dependencies.
    let part = |(a, b): (&[u32], &[u32])| -> u128 {
        let (mut low, mut high) = (0, 0);
        for (&x, &y) in a.iter().zip(b) {
            let number = f(x.into(), y.into());
            low += number & u64::from(u32::MAX);
            high += number >> 32;
        }
        (u128::from(high) << 32) + u128::from(low)
    };
    if a.len() < SHARD_ROWS || !tasks::in_pool() {
        return part((a, b));
    }
    let rows = a.len().div_ceil(rayon::current_num_threads());
    a.par_chunks(rows).zip(b.par_chunks(rows)).map(part).sum()
}

/// The areas of several scores, and their covariances.
#[derive(Clone, Debug)]
pub struct Areas<'a> {
    /// Positives.
    pub n_pos: u64,
    /// Negatives.
    pub n_neg: u64,
    /// Twice the Mann-Whitney U of each score.
    pub twice_u: Vec<u128>,
    placements: &'a [RowPlacements],
    /// Sums of products of the placements of all scores, if there are no row placements.
    products: Option<&'a PlacementProducts>,
}

impl<'a> Areas<'a> {
    /// Sums the placements of each score; `None` without positives or negatives.
    pub fn new(rows: &'a Rows) -> Option<Self> {
        if let Some(products) = &rows.placement_products {
            let PlacementProducts { n_pos, n_neg, .. } = *products;
            let twice_u = products.twice_u.clone();
            let areas = Areas { n_pos, n_neg, twice_u, placements: &[], products: Some(products) };
            return (n_pos > 0 && n_neg > 0).then_some(areas);
        }
        let placements = &rows.placements[..];
        let (n_pos, n_neg) = (placements.first()?.pos.len() as u64, placements.first()?.neg.len() as u64);
        if n_pos == 0 || n_neg == 0 {
            return None;
        }
        let twice_u = |score: &RowPlacements| sum_of(&score.pos, &score.pos, |twice, _| twice);
        let twice_u = placements.iter().map(twice_u).collect();
        Some(Areas { n_pos, n_neg, twice_u, placements, products: None })
    }

    /// Twice the number of pairs.
    pub fn twice_pairs(&self) -> u128 {
        2 * u128::from(self.n_pos) * u128::from(self.n_neg)
    }

    /// The area of a score.
    pub fn auc(&self, score: usize) -> f64 {
        math::quotient(self.twice_u[score], self.twice_pairs())
    }

    /// The difference of two areas.
    pub fn difference(&self, a: usize, b: usize) -> f64 {
        math::signed_quotient(
            self.twice_u[a].cast_signed() - self.twice_u[b].cast_signed(),
            self.twice_pairs(),
        )
    }

    /// The covariance of two areas (of one area with itself: its variance); undefined with a single row in a
    /// class.
    pub fn covariance(&self, a: usize, b: usize) -> Option<f64> {
        if self.n_pos < 2 || self.n_neg < 2 {
            return None;
        }
        let sum = |a: &[u32], b: &[u32]| sum_of(a, b, |x, y| x * y);
        let (placements_a, placements_b) = (&self.placements[a], &self.placements[b]);
        Some(self.covariance_of(
            a,
            b,
            sum(&placements_a.pos, &placements_b.pos),
            sum(&placements_a.neg, &placements_b.neg),
        ))
    }

    /// The covariance from the sums of products over positives and over negatives.
    fn covariance_of(&self, a: usize, b: usize, pos_part: u128, neg_part: u128) -> f64 {
        let part = |products, n: u64, others: u64| {
            math::signed_product_difference(n.into(), products, self.twice_u[a], self.twice_u[b])
                / scale(n, others)
        };
        part(pos_part, self.n_pos, self.n_neg) + part(neg_part, self.n_neg, self.n_pos)
    }

    /// The variance of the difference of two areas, computed without cancellation: exactly 0 for scores that
    /// rank alike.
    pub fn variance_of_difference(&self, a: usize, b: usize) -> Option<f64> {
        self.parts_of_difference(a, b).map(|(pos_part, neg_part)| pos_part + neg_part)
    }

    /// The two parts of the variance of a difference, from positives and from negatives.
    pub fn parts_of_difference(&self, a: usize, b: usize) -> Option<(f64, f64)> {
        if self.n_pos < 2 || self.n_neg < 2 {
            return None;
        }
        if let Some(PlacementProducts { pos: pos_part, neg: neg_part, .. }) = self.products {
            let (pos_part, neg_part) =
                (pos_part.squared_differences(a, b), neg_part.squared_differences(a, b));
            return Some(self.parts_of_difference_of(a, b, pos_part, neg_part));
        }
        let squares = |a: &[u32], b: &[u32]| sum_of(a, b, |x, y| x.abs_diff(y).pow(2));
        let (placements_a, placements_b) = (&self.placements[a], &self.placements[b]);
        let (pos_part, neg_part) =
            (squares(&placements_a.pos, &placements_b.pos), squares(&placements_a.neg, &placements_b.neg));
        Some(self.parts_of_difference_of(a, b, pos_part, neg_part))
    }

    /// The parts from the sums of squared differences over positives and over negatives.
    fn parts_of_difference_of(&self, a: usize, b: usize, pos_part: u128, neg_part: u128) -> (f64, f64) {
        let sum = self.twice_u[a].abs_diff(self.twice_u[b]);
        let part = |squares, n: u64, others: u64| {
            math::product_difference(n.into(), squares, sum, sum) / scale(n, others)
        };
        (part(pos_part, self.n_pos, self.n_neg), part(neg_part, self.n_neg, self.n_pos))
    }

    /// The covariances of all areas; undefined with a single row in a class. `O(k² n)` for k scores.
    pub fn covariances(&self) -> Option<Covariances<'_>> {
        if self.n_pos < 2 || self.n_neg < 2 {
            return None;
        }
        if let Some(products) = self.products {
            let (pos, neg) = (products.pos.clone(), products.neg.clone());
            return Some(Covariances { areas: self, pos, neg });
        }
        let products = |f: fn(&RowPlacements) -> &[u32]| {
            Products::new(&self.placements.iter().map(f).collect::<Vec<_>>())
        };
        Some(Covariances {
            areas: self,
            pos: products(|placements| &placements.pos),
            neg: products(|placements| &placements.neg),
        })
    }

    /// The area of each score with the contributions of the clusters, which are the keys.
    pub fn clustered(&self, rows: &Rows) -> Vec<ClusteredArea> {
        let mut counts = vec![Count::default(); rows.keys.distinct];
        for (&label, &cluster) in rows.labels.iter().zip(&rows.keys.row_codes) {
            counts[cluster as usize].add(label, 1);
        }
        let area = |(score, placements): (usize, &RowPlacements)| {
            let mut sums = vec![(0u128, 0u128); counts.len()];
            let RowPlacements { pos: pos_placements, neg: neg_placements } = placements;
            let (mut pos_placements, mut neg_placements) = (pos_placements.iter(), neg_placements.iter());
            for (&label, &cluster) in rows.labels.iter().zip(&rows.keys.row_codes) {
                let (pos, neg) = &mut sums[cluster as usize];
                let (sum, placements) =
                    if label { (pos, &mut pos_placements) } else { (neg, &mut neg_placements) };
                *sum += placements.next().map_or(0, |&twice| u128::from(twice));
            }
            let twice_u = self.twice_u[score];
            let residuals =
                sums.into_iter().zip(&counts).enumerate().map(|(cluster, (sums, &count))| Residual {
                    cluster: cluster as u32,
                    count,
                    pos: residual(sums.0, count.pos, twice_u, self.n_pos, self.n_neg),
                    neg: residual(sums.1, count.neg, twice_u, self.n_neg, self.n_pos),
                });
            ClusteredArea::new(self.auc(score), rows.into(), None, residuals.collect())
        };
        self.placements.iter().enumerate().map(area).collect()
    }
}

/// The covariances of all areas, from products that are summed block by block; equal to the separate
/// computations.
#[derive(Clone, Debug)]
pub struct Covariances<'a> {
    areas: &'a Areas<'a>,
    pos: Products,
    neg: Products,
}

impl Covariances<'_> {
    /// The covariance of two areas.
    pub fn covariance(&self, a: usize, b: usize) -> f64 {
        self.areas.covariance_of(a, b, self.pos.sum(a, b), self.neg.sum(a, b))
    }

    /// The variance of the difference of two areas.
    pub fn variance_of_difference(&self, a: usize, b: usize) -> f64 {
        let (pos_part, neg_part) = (self.pos.squared_differences(a, b), self.neg.squared_differences(a, b));
        let (pos_part, neg_part) = self.areas.parts_of_difference_of(a, b, pos_part, neg_part);
        pos_part + neg_part
    }
}

/// The sum over the rows of one class in a cluster of the placement minus its mean, from twice the sum of
/// placements. Exact until the division.
pub fn residual(sum: u128, cluster_rows: u64, twice_u: u128, class_rows: u64, others: u64) -> f64 {
    let surplus =
        (u128::from(class_rows) * sum).cast_signed() - (u128::from(cluster_rows) * twice_u).cast_signed();
    math::signed_quotient(surplus, 2 * u128::from(class_rows) * u128::from(others))
}

/// An upper bound of the rounding error of a zero variance that is a sum over clusters. `squares` is the sum
/// of the squared contributions of both classes.
///
/// The terms of a variance sum to at most four times `squares`. One factor of two is for products across
/// classes, the other for `k / (k - 1)`. Each addition rounds by at most half a unit in the last place, and
/// so does each of the few operations of a term.
pub fn rounding(clusters: u64, squares: f64) -> f64 {
    (clusters + 8) as f64 * f64::EPSILON * 4.0 * squares
}

/// The variance; 0 if it is negative or within rounding error.
pub fn beyond_rounding(variance: f64, rounding: f64) -> f64 {
    if variance <= rounding { 0.0 } else { variance }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::rows_of;
    use proptest::prelude::*;

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    /// The definition: sample covariances of the placements.
    fn by_definition(labels: &[u8], a: &[f64], b: &[f64]) -> f64 {
        let wins = |p: f64, n: f64| {
            if p > n {
                1.0
            } else if p == n {
                0.5
            } else {
                0.0
            }
        };
        let class_scores = |scores: &[f64], class| -> Vec<f64> {
            scores.iter().zip(labels).filter(|row| *row.1 == class).map(|row| *row.0).collect()
        };
        let placements = |scores: &[f64]| {
            let (pos, neg) = (class_scores(scores, 1), class_scores(scores, 0));
            let pos_part: Vec<f64> =
                pos.iter().map(|&p| mean(&neg.iter().map(|&n| wins(p, n)).collect::<Vec<_>>())).collect();
            let neg_part: Vec<f64> =
                neg.iter().map(|&n| mean(&pos.iter().map(|&p| wins(p, n)).collect::<Vec<_>>())).collect();
            (pos_part, neg_part)
        };
        let covariance = |x: &[f64], y: &[f64]| {
            let (mean_x, mean_y) = (mean(x), mean(y));
            x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>() / (x.len() - 1) as f64
        };
        let ((pos_a, neg_a), (pos_b, neg_b)) = (placements(a), placements(b));
        covariance(&pos_a, &pos_b) / pos_a.len() as f64 + covariance(&neg_a, &neg_b) / neg_a.len() as f64
    }

    proptest! {
        #[test]
        fn covariances(rows in proptest::collection::vec((0u8..2, -4i8..4, -4i8..4), 4..50)) {
            let labels: Vec<u8> = rows.iter().map(|row| row.0).collect();
            let a: Vec<f64> = rows.iter().map(|row| row.1.into()).collect();
            let b: Vec<f64> = rows.iter().map(|row| row.2.into()).collect();
            let pos = labels.iter().filter(|&&label| label == 1).count();
            prop_assume!(pos > 1 && labels.len() - pos > 1);
            let rows = rows_of(&labels, &[&a, &b], &[]);
            let areas = Areas::new(&rows).unwrap();
            // The oracle sums floats; its error is some ulps of 1.
            for (i, j, x, y) in [(0, 0, &a, &a), (0, 1, &a, &b), (1, 1, &b, &b)] {
                let got = areas.covariance(i, j).unwrap();
                prop_assert!((got - by_definition(&labels, x, y)).abs() < 1e-14);
            }
            let covariances = areas.covariances().unwrap();
            for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                prop_assert_eq!(Some(covariances.covariance(i, j)), areas.covariance(i, j));
                prop_assert_eq!(Some(covariances.variance_of_difference(i, j)), areas.variance_of_difference(i, j));
            }
            let parts = by_definition(&labels, &a, &a) + by_definition(&labels, &b, &b)
                - 2.0 * by_definition(&labels, &a, &b);
            prop_assert!((areas.variance_of_difference(0, 1).unwrap() - parts).abs() < 1e-14);
            prop_assert!((areas.difference(0, 1) - (areas.auc(0) - areas.auc(1))).abs() < 1e-15);
            // One row per cluster gives the same, since the term across classes is 0.
            let alone: Vec<u32> = (0..labels.len() as u32).collect();
            let rows = rows_of(&labels, &[&a, &b], &alone);
            let clustered = areas.clustered(&rows);
            let covariance = clustered[0].covariance(&clustered[1]).unwrap();
            prop_assert!((covariance - by_definition(&labels, &a, &b)).abs() < 1e-14);
        }
    }

    #[test]
    fn undefined_with_a_single_row() {
        assert!(Areas::new(&rows_of(&[1, 1], &[&[1.0, 2.0]], &[])).is_none());
        let rows = rows_of(&[1, 0, 0], &[&[1.0, 2.0, 0.0], &[1.0, 2.0, 0.0]], &[0, 0, 1]);
        let areas = Areas::new(&rows).unwrap();
        assert_eq!(areas.covariance(0, 0), None);
        assert_eq!(areas.variance_of_difference(0, 1), None);
        assert!(areas.covariances().is_none());
        assert_eq!(areas.clustered(&rows)[0].variance(), None);
        assert_eq!(areas.auc(0), 0.5);
    }
}
