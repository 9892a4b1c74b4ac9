//! The areas of segments, and their covariances with their comparators.

use crate::math::{signed_product_difference, sum::Sum};
use crate::ranking::rows::{AllPlacements, KeyPlacements, SharedPlacements};
use crate::ranking::ties::Count;
use crate::statistics::comparisons::unpaired_roc_auc_difference::DifferenceMethod;
use crate::statistics::inference::{Area, SampleSize, WilsonScale};

/// The comparator of a segment.
#[derive(Clone, Copy, Debug)]
pub struct Comparator {
    /// The area of the other rows.
    pub area: EstimatedArea,
    /// The covariance of both areas; undefined if the segment's variance is.
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
    /// An upper bound of the rounding error of a zero variance.
    pub rounding: f64,
    /// The rows, or clusters, of the variance.
    pub rows: u64,
    /// Positives and negatives, and their effective numbers.
    pub size: SampleSize,
}

impl EstimatedArea {
    /// The area if a score is NaN.
    pub fn nan() -> Self {
        let size = SampleSize::from_rows(Count { pos: 2, neg: 2 });
        EstimatedArea { auc: f64::NAN, variance: Some(f64::NAN), rounding: 0.0, rows: 2, size }
    }

    fn new(area: Area) -> Self {
        // Variances are exact up to the last operations.
        let variance = area.variance();
        let rounding = 4.0 * f64::EPSILON * variance.unwrap_or_default();
        let size = SampleSize::from_rows(Count { pos: area.n_pos, neg: area.n_neg });
        EstimatedArea { auc: area.auc, variance, rounding, rows: area.rows(), size }
    }
}

impl EstimatedArea {
    /// The Wilson scale of the area; undefined without a variance.
    pub fn wilson(&self) -> Option<WilsonScale> {
        self.variance.map(|variance| WilsonScale::new(self.auc, variance, self.size))
    }
}

/// The covariances between segments.
pub struct Covariances {
    /// For each segment, the weighted sum of its covariances with all others.
    pub with_others: Vec<Sum>,
    /// An upper bound of the rounding error of the total.
    pub rounding: f64,
    /// For each segment, the clusters of the variance of the mean over all others.
    pub clusters_of_others: Vec<u64>,
}

/// The weight of an area with these numbers of positives and negatives in a mean over segments.
///
/// Up to a factor, it is the inverse variance of the area if both classes have the same distribution (van
/// Elteren 1960, Bulletin of the International Statistical Institute 37, 351-361).
pub fn van_elteren(pos: f64, neg: f64) -> f64 {
    pos * neg / (pos + neg + 1.0)
}

/// The areas of the segments of a group, and their covariances with their comparators.
pub trait Segments: Sync {
    /// The number of segments.
    fn number(&self) -> usize;

    /// The positives and negatives of a segment.
    fn count(&self, segment: usize) -> Count;

    /// The area of a segment.
    fn area(&self, segment: usize) -> Option<EstimatedArea>;

    /// The weight of each area in the mean over segments. Segments with too few rows for a variance are
    /// excluded. If fewer than two have a variance, none are excluded, and the variance of the mean is
    /// unknown.
    fn mean_weights(&self, areas: &[Option<EstimatedArea>]) -> Vec<f64> {
        let counts = self.mean_counts();
        let is_estimated =
            |segment: usize| areas[segment].is_some_and(|area| self.has_variance(segment, area));
        let are_few = (0..areas.len()).filter(|&segment| is_estimated(segment)).nth(1).is_none();
        let weight = |segment: usize| {
            let is_used = is_estimated(segment) || are_few && areas[segment].is_some();
            let Count { pos, neg } = counts[segment];
            if is_used { van_elteren(pos, neg) } else { 0.0 }
        };
        (0..areas.len()).map(weight).collect()
    }

    /// Whether a segment has enough rows for a variance.
    fn has_variance(&self, _segment: usize, area: EstimatedArea) -> bool {
        area.variance.is_some()
    }

    /// The positives and negatives that determine the weight of each segment.
    fn mean_counts(&self) -> Vec<Count<f64>> {
        let count = |segment: usize| {
            let Count { pos, neg } = self.count(segment);
            Count { pos: pos as f64, neg: neg as f64 }
        };
        (0..self.number()).map(count).collect()
    }

    /// The covariances of areas with these weights; `None` if all are independent.
    fn covariances(&self, _weights: &[f64]) -> Option<Covariances> {
        None
    }

    /// For each segment, the pooled rows of all others.
    fn against_pooled_rest(&self) -> Vec<Option<Comparator>>;

    /// For each segment, all rows.
    fn against_overall(&self) -> Vec<Option<Comparator>>;

    /// The covariance of the areas of two segments; 0 for independent rows.
    fn covariance(&self, _segment: usize, _other: usize) -> Option<f64> {
        Some(0.0)
    }

    /// The statistic of the test that all areas are equal, and its degrees of freedom.
    fn heterogeneity(&self, areas: &[Option<EstimatedArea>], method: DifferenceMethod) -> Option<(f64, u64)> {
        heterogeneity(areas, method)
    }
}

/// Segments of independent rows.
pub struct IndependentSegments<'a> {
    /// The placements within each segment.
    pub keys: &'a [KeyPlacements],
    /// The placements among all rows, for comparisons with pooled rows.
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
        Area::from_key(&self.keys[segment]).map(EstimatedArea::new)
    }

    fn against_pooled_rest(&self) -> Vec<Option<Comparator>> {
        let independent = |rest| Comparator::independent(EstimatedArea::new(rest));
        let rests = self.all.map(AllPlacements::without_each).unwrap_or_default();
        rests.iter().map(|rest| Area::from_key(rest).map(independent)).collect()
    }

    fn against_overall(&self) -> Vec<Option<Comparator>> {
        let Some(all) = self.all else { return Vec::new() };
        let all_placements = all.all();
        let area = Area::from_key(&all_placements).map(EstimatedArea::new);
        let other =
            |shared| Some(Comparator { area: area?, covariance: covariance(shared, &all_placements) });
        all.shared().map(other).collect()
    }
}

/// The covariance of the area of a segment and the area of all rows. It uses the placements of the segment's
/// rows within the segment and among all rows. Undefined if the segment has fewer than two rows of a class.
fn covariance([neg, pos]: [SharedPlacements; 2], all: &KeyPlacements) -> Option<f64> {
    let part = |sums: &SharedPlacements, others: u64, all: u64, all_others: u64| {
        let n = sums.rows;
        let products = signed_product_difference(n.into(), sums.products, sums.within, sums.all);
        let scale = n as f64 * (n - 1) as f64 * 4.0 * others as f64 * all_others as f64;
        products / scale / all as f64
    };
    (pos.rows > 1 && neg.rows > 1)
        .then(|| part(&pos, neg.rows, all.n_pos, all.n_neg) + part(&neg, pos.rows, all.n_neg, all.n_pos))
}

/// Q of independent areas, and its degrees of freedom: `sum w (A - mean)²` with `mean = sum w A / sum w`
/// (Cochran 1954).
///
/// DeLong: w is the inverse of each estimated variance, and areas with a variance of 0 are excluded. Wilson:
/// w is the inverse of the variance of each area under the common mean. Variances that are small by chance
/// thus get no large weight. That mean is weighted by inverse variances under an area of one half.
pub fn heterogeneity(areas: &[Option<EstimatedArea>], method: DifferenceMethod) -> Option<(f64, u64)> {
    let areas = areas.iter().flatten();
    match method {
        DifferenceMethod::DeLong => {
            let varies = |area: &EstimatedArea| area.variance.filter(|&variance| variance != 0.0);
            cochran(&areas.filter_map(|area| Some((area.auc, varies(area)?))).collect::<Vec<_>>())
        }
        DifferenceMethod::Wilson => {
            let scales: Vec<(f64, WilsonScale)> =
                areas.filter_map(|area| Some((area.auc, area.wilson()?))).collect();
            let at = |tested: f64| -> Vec<(f64, f64)> {
                scales.iter().map(|(auc, scale)| (*auc, scale.variance_at(tested))).collect()
            };
            let mean = mean(&at(0.5))?;
            if mean == 0.0 || mean == 1.0 {
                // All areas are equal.
                return (scales.len() > 1).then(|| (0.0, scales.len() as u64 - 1));
            }
            cochran(&at(mean))
        }
    }
}

/// The mean of areas, weighted by inverse variances.
fn mean(areas: &[(f64, f64)]) -> Option<f64> {
    // Distances from one area are averaged, so that Q of equal areas is exactly 0.
    let center = areas.first()?.0;
    let weights: f64 = areas.iter().map(|(_, variance)| 1.0 / variance).sum();
    Some(center + areas.iter().map(|(auc, variance)| (auc - center) / variance).sum::<f64>() / weights)
}

/// Q of areas with these variances; undefined with fewer than two.
fn cochran(areas: &[(f64, f64)]) -> Option<(f64, u64)> {
    let mean = mean(areas)?;
    let q = areas.iter().map(|(auc, variance)| (auc - mean).powi(2) / variance).sum();
    (areas.len() > 1).then(|| (q, areas.len() as u64 - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_areas_have_a_statistic_of_exactly_0() {
        for auc in [0.1, 0.3, 0.7, 5.0 / 6.0] {
            let area =
                |variance| Some(EstimatedArea { auc, variance: Some(variance), ..EstimatedArea::nan() });
            let areas: Vec<_> = [0.01, 0.07, 0.003, 0.2, 0.031].into_iter().map(area).collect();
            for method in [DifferenceMethod::DeLong, DifferenceMethod::Wilson] {
                assert_eq!(heterogeneity(&areas, method), Some((0.0, 4)), "{auc}");
            }
        }
    }
}
