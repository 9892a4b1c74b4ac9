//! The areas of segments of the rows, and how each varies together with what it is compared with.

use crate::math::{signed_product_difference, sum::Sum};
use crate::ranking::rows::{AllPlacements, KeyPlacements, SharedPlacements};
use crate::ranking::ties::Count;
use crate::statistics::inference::Area;

/// What a segment is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Comparator {
    /// The area of the other rows.
    pub area: EstimatedArea,
    /// The covariance of both areas; undefined where the segment's variance is.
    pub covariance: Option<f64>,
}

impl Comparator {
    /// The area of rows that do not overlap with the segment.
    pub fn independent(area: EstimatedArea) -> Self {
        Comparator { area, covariance: Some(0.0) }
    }
}

/// An area with its variance, for a comparison.
#[derive(Clone, Copy, Debug)]
pub struct EstimatedArea {
    /// The area.
    pub auc: f64,
    /// Its variance; undefined with too few rows or clusters.
    pub variance: Option<f64>,
    /// The most that rounding leaves of a variance that is 0.
    pub rounding: f64,
    /// The rows, or clusters, behind its variance.
    pub rows: u64,
}

impl EstimatedArea {
    /// The area where a score is NaN.
    pub fn nan() -> Self {
        EstimatedArea { auc: f64::NAN, variance: Some(f64::NAN), rounding: 0.0, rows: 2 }
    }

    fn new(area: Area) -> Self {
        // Variances are exact but for the last steps.
        let variance = area.variance();
        let rounding = 4.0 * f64::EPSILON * variance.unwrap_or_default();
        EstimatedArea { auc: area.auc, variance, rounding, rows: area.rows() }
    }
}

/// How segments vary together.
pub struct Covariances {
    /// For each segment, the sum of its covariances with all others, times both weights.
    pub with_others: Vec<Sum>,
    /// The most that rounding leaves of the sum of all.
    pub rounding: f64,
    /// For each segment, the clusters behind the variance of the mean over all others.
    pub clusters_of_others: Vec<u64>,
}

/// The weight of an area of so many positives and negatives in a mean over segments.
///
/// It is one over the variance of the area, but for a factor, if both classes have one distribution (van Elteren 1960, Bulletin
/// of the International Statistical Institute 37, 351-361).
pub fn van_elteren(pos: f64, neg: f64) -> f64 {
    pos * neg / (pos + neg + 1.0)
}

/// The areas of the segments of a group, and how each varies together with what it is compared with.
pub trait Segments: Sync {
    /// How many segments there are.
    fn number(&self) -> usize;

    /// The positives and negatives of a segment.
    fn count(&self, segment: usize) -> Count;

    /// The area of a segment.
    fn area(&self, segment: usize) -> Option<EstimatedArea>;

    /// The weight of each area in the mean over segments. Segments of too few rows for a variance are left out.
    fn mean_weights(&self, areas: &[Option<EstimatedArea>]) -> Vec<f64> {
        let weight = |(segment, area): (usize, &Option<EstimatedArea>)| {
            let count = self.count(segment);
            let has_variance = area.is_some_and(|area| area.variance.is_some());
            if has_variance { van_elteren(count.pos as f64, count.neg as f64) } else { 0.0 }
        };
        areas.iter().enumerate().map(weight).collect()
    }

    /// How areas of these weights vary together; none if all are independent.
    fn covariances(&self, _weights: &[f64]) -> Option<Covariances> {
        None
    }

    /// For each segment, the rows of all others together.
    fn against_pooled_rest(&self) -> Vec<Option<Comparator>>;

    /// For each segment, all rows.
    fn against_overall(&self) -> Vec<Option<Comparator>>;

    /// The covariance of the areas of two segments.
    fn covariance(&self, segment: usize, other: usize) -> Option<f64>;

    /// The statistic of the test that all areas are equal, and its degrees of freedom.
    fn heterogeneity(&self, areas: &[Option<EstimatedArea>]) -> Option<(f64, u64)>;
}

/// Segments whose rows are independent of each other.
pub struct IndependentSegments<'a> {
    /// The placements of each one's rows among themselves.
    pub keys: &'a [KeyPlacements],
    /// Those among all rows, if segments are compared with other rows together.
    pub all: Option<&'a AllPlacements>,
}

impl Segments for IndependentSegments<'_> {
    fn number(&self) -> usize {
        self.keys.len()
    }

    fn count(&self, segment: usize) -> Count {
        Count { pos: self.keys[segment].n_pos, neg: self.keys[segment].n_neg }
    }

    fn area(&self, segment: usize) -> Option<EstimatedArea> {
        Area::of_key(&self.keys[segment]).map(EstimatedArea::new)
    }

    fn against_pooled_rest(&self) -> Vec<Option<Comparator>> {
        let independent = |rest| Comparator::independent(EstimatedArea::new(rest));
        let rests = self.all.map(AllPlacements::without_each).unwrap_or_default();
        rests.iter().map(|rest| Area::of_key(rest).map(independent)).collect()
    }

    fn against_overall(&self) -> Vec<Option<Comparator>> {
        let Some(all) = self.all else { return Vec::new() };
        let of_all = all.all();
        let area = Area::of_key(&of_all).map(EstimatedArea::new);
        let other = |shared| Some(Comparator { area: area?, covariance: covariance(shared, &of_all) });
        all.shared().map(other).collect()
    }

    fn covariance(&self, _: usize, _: usize) -> Option<f64> {
        Some(0.0)
    }

    fn heterogeneity(&self, areas: &[Option<EstimatedArea>]) -> Option<(f64, u64)> {
        heterogeneity(areas)
    }
}

/// The covariance of the area of a segment and the area of all rows, from how the negatives and the positives of the
/// segment lie among its own rows and among all. Undefined if the segment has fewer than two rows of a class.
fn covariance([neg, pos]: [SharedPlacements; 2], all: &KeyPlacements) -> Option<f64> {
    let part = |sums: &SharedPlacements, others: u64, all: u64, all_others: u64| {
        let n = sums.rows;
        let products = signed_product_difference(n.into(), sums.products, sums.own, sums.all);
        let scale = n as f64 * (n - 1) as f64 * 4.0 * others as f64 * all_others as f64;
        products / scale / all as f64
    };
    (pos.rows > 1 && neg.rows > 1)
        .then(|| part(&pos, neg.rows, all.n_pos, all.n_neg) + part(&neg, pos.rows, all.n_neg, all.n_pos))
}

/// Q of independent areas, and its degrees of freedom.
pub fn heterogeneity(areas: &[Option<EstimatedArea>]) -> Option<(f64, u64)> {
    let weighted: Vec<(f64, f64)> = areas
        .iter()
        .flatten()
        .filter_map(|area| {
            area.variance.filter(|&variance| variance != 0.0).map(|variance| (area.auc, 1.0 / variance))
        })
        .collect();
    if weighted.len() < 2 {
        return None;
    }
    let weights: f64 = weighted.iter().map(|area| area.1).sum();
    // Distances from one area are averaged, so that Q of equal areas is exactly 0.
    let center = weighted[0].0;
    let mean = center + weighted.iter().map(|area| (area.0 - center) * area.1).sum::<f64>() / weights;
    let q = weighted.iter().map(|area| area.1 * (area.0 - mean).powi(2)).sum();
    Some((q, weighted.len() as u64 - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_areas_have_a_statistic_of_exactly_0() {
        for auc in [0.1, 0.3, 0.7, 5.0 / 6.0] {
            let area =
                |variance| Some(EstimatedArea { auc, variance: Some(variance), rounding: 0.0, rows: 2 });
            let areas: Vec<_> = [0.01, 0.07, 0.003, 0.2, 0.031].into_iter().map(area).collect();
            assert_eq!(heterogeneity(&areas), Some((0.0, 4)), "{auc}");
        }
    }
}
