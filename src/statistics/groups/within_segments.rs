//! The mean of the areas of segments, each within its segment: over all segments, and over all except one.
//!
//! Pairs of rows of different segments never contribute to these means. The weight of a segment with m
//! positives and n negatives is [`w = m n / (m + n + 1)`](super::segment_areas::van_elteren). The weight
//! depends only on counts, so the variance of `sum w A / sum w` is `sum w² V / (sum w)²` for independent
//! segments. For correlated segments it also includes the covariances of all pairs, each times both weights.
//!
//! The sums over all segments except one are prefix sums plus suffix sums. No sum is a difference of two
//! others, which would lose digits if one segment dominates.

use super::segment_areas::{Comparator, Covariances, EstimatedArea};
use crate::math::sum::Sum;
use crate::statistics::inference::{SampleSize, delong::beyond_rounding};

/// The areas of segments with their weights; segments of weight 0 are excluded.
pub struct WithinSegments<'a> {
    /// The areas.
    pub areas: &'a [Option<EstimatedArea>],
    /// The weight of each.
    pub weights: &'a [f64],
    /// The covariances, if segments are correlated.
    pub covariances: Option<Covariances>,
}

/// Sums over some segments.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    weights: Sum,
    areas: Sum,
    /// Sum of squared weights times variances.
    variances: Sum,
    /// Sum of covariances with all other segments.
    covariances: Sum,
    rounding: f64,
    rows: u64,
    size: SampleSize,
    /// Segments without a variance.
    unknown: u64,
}

impl Sums {
    fn plus(self, other: Self) -> Self {
        Sums {
            weights: self.weights.plus(other.weights),
            areas: self.areas.plus(other.areas),
            variances: self.variances.plus(other.variances),
            covariances: self.covariances.plus(other.covariances),
            rounding: self.rounding + other.rounding,
            rows: self.rows + other.rows,
            size: self.size.plus(other.size),
            unknown: self.unknown + other.unknown,
        }
    }
}

impl WithinSegments<'_> {
    /// The mean of all areas; undefined if all segments are excluded.
    pub fn mean(&self) -> Option<f64> {
        let all = (0..self.areas.len()).fold(Sums::default(), |all, segment| all.plus(self.sums(segment)));
        (all.weights.total() > 0.0).then(|| all.areas.quotient(all.weights))
    }

    /// For each segment the mean of all other areas; undefined if all others are excluded. `O(k)` for k
    /// segments.
    pub fn others(&self) -> Vec<Option<Comparator>> {
        let mut behind = Vec::with_capacity(self.areas.len());
        let mut sums = Sums::default();
        for segment in (0..self.areas.len()).rev() {
            behind.push(sums);
            sums = self.sums(segment).plus(sums);
        }
        let mut before = Sums::default();
        let others = behind.into_iter().rev().enumerate().map(|(segment, behind)| {
            let others = before.plus(behind);
            before = before.plus(self.sums(segment));
            self.comparator(segment, others)
        });
        others.collect()
    }

    /// The terms of one segment.
    fn sums(&self, segment: usize) -> Sums {
        let (mut sums, weight) = (Sums::default(), self.weights[segment]);
        let Some(area) = self.areas[segment].filter(|_| weight > 0.0) else { return sums };
        let square = weight * weight;
        sums.weights.add(weight);
        sums.areas.add_product(weight, area.auc);
        sums.variances.add_product(square, area.variance.unwrap_or_default());
        sums.covariances = self.with_others(segment);
        Sums {
            rounding: square * area.rounding,
            rows: area.rows,
            size: area.size,
            unknown: area.variance.is_none().into(),
            ..sums
        }
    }

    fn with_others(&self, segment: usize) -> Sum {
        self.covariances.as_ref().map(|all| all.with_others[segment]).unwrap_or_default()
    }

    fn comparator(&self, segment: usize, others: Sums) -> Option<Comparator> {
        let total = others.weights.total();
        if total == 0.0 {
            return None;
        }
        let mut square = Sum::default();
        square.add(total * total);
        let with_others = self.with_others(segment);
        // Each pair of others is in the sums of both. A pair with this segment is only in the sum of the
        // other.
        let among_others = others.covariances.plus(with_others.negative());
        let mut rounding = others.rounding;
        let (mut rows, mut size) = (others.rows, others.size);
        if let Some(covariances) = &self.covariances {
            rounding += covariances.rounding;
            rows = covariances.clusters_of_others[segment];
            size = size.with_most_units(rows);
        }
        let rounding = rounding / square.total();
        let variance = others.variances.plus(among_others).quotient(square);
        let area = EstimatedArea {
            auc: others.areas.quotient(others.weights),
            variance: (others.unknown == 0).then(|| beyond_rounding(variance, rounding)),
            rounding,
            rows,
            size,
        };
        let weight = self.weights[segment];
        let covariance = if weight > 0.0 { with_others.total() / (weight * total) } else { 0.0 };
        Some(Comparator { area, covariance: Some(covariance) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::groups::segment_areas::van_elteren;
    use proptest::prelude::*;

    fn area(auc: f64, variance: f64) -> Option<EstimatedArea> {
        Some(EstimatedArea { auc, variance: Some(variance), rows: 9, ..EstimatedArea::nan() })
    }

    proptest! {
        /// Compares with sums over all others of each segment, where one weight dominates.
        #[test]
        fn means_by_definition(
            segments in prop::collection::vec((0.0..1.0f64, 0.0..1.0f64, -9..9i32), 1..12), left_out in 0usize..12,
        ) {
            let areas: Vec<_> = segments.iter().map(|&(auc, variance, _)| area(auc, variance)).collect();
            let mut weights: Vec<f64> = segments.iter().map(|segment| 10f64.powi(segment.2)).collect();
            if left_out < weights.len() {
                weights[left_out] = 0.0;
            }
            let within = WithinSegments { areas: &areas, weights: &weights, covariances: None };
            for (segment, got) in within.others().into_iter().enumerate() {
                let others: Vec<usize> =
                    (0..areas.len()).filter(|&other| other != segment && weights[other] > 0.0).collect();
                prop_assert_eq!(got.is_some(), !others.is_empty());
                let Some(got) = got else { continue };
                let sum = |f: &dyn Fn(usize) -> f64| others.iter().map(|&other| f(other)).sum::<f64>();
                let total = sum(&|other| weights[other]);
                let mean = sum(&|other| weights[other] * segments[other].0) / total;
                let variance = sum(&|other| weights[other].powi(2) * segments[other].1) / total.powi(2);
                prop_assert!((got.area.auc - mean).abs() <= 1e-15 * mean);
                prop_assert!((got.area.variance.unwrap() - variance).abs() <= 1e-14 * variance);
                prop_assert_eq!((got.covariance, got.area.rows), (Some(0.0), 9 * others.len() as u64));
                if let [other] = others[..] {
                    prop_assert_eq!((got.area.auc, got.area.variance), (segments[other].0, Some(segments[other].1)));
                }
            }
        }

        #[test]
        fn mean_of_equal_areas(auc in 0.0..1.0f64, counts in prop::collection::vec((1u32..9999, 1u32..9999), 1..9)) {
            let weights: Vec<f64> = counts.iter().map(|&(pos, neg)| van_elteren(pos.into(), neg.into())).collect();
            let areas = vec![area(auc, 0.01); weights.len()];
            let within = WithinSegments { areas: &areas, weights: &weights, covariances: None };
            prop_assert_eq!(within.mean(), Some(auc));
            prop_assert!(within.others().iter().flatten().all(|other| other.area.auc == auc));
        }
    }

    #[test]
    fn unknown_variance() {
        let unknown = area(0.8, 0.0).map(|area| EstimatedArea { variance: None, ..area });
        let areas = [area(0.7, 0.01), unknown, None];
        let within = WithinSegments { areas: &areas, weights: &[2.0, 1.0, 0.0], covariances: None };
        let others: Vec<_> = within
            .others()
            .iter()
            .map(|other| other.map(|other| (other.area.auc, other.area.variance)))
            .collect();
        assert_eq!(others[0], Some((0.8, None)));
        assert_eq!(others[1], Some((0.7, Some(0.01))));
        assert_eq!(others[2].map(|other| other.1), Some(None));
    }
}
