//! The areas of segments of weighted rows.

use super::segment_areas::{Comparator, EstimatedArea, Segments};
use crate::ranking::ties::Count;
use crate::statistics::inference::{SampleSize, WeightedArea, WeightedKey, WeightedKeys, delong::rounding};

/// Segments of weighted rows.
pub struct WeightedSegments(pub WeightedKeys);

/// An area based on this number of rows.
fn estimated(area: &WeightedArea, rows: Count, size: SampleSize) -> EstimatedArea {
    EstimatedArea {
        auc: area.auc,
        variance: area.variance,
        rounding: rounding(area.ties as u64, area.variance.unwrap_or_default()),
        rows: rows.rows(),
        size,
    }
}

impl WeightedSegments {
    fn all_rows(&self) -> Count {
        self.0.keys.iter().fold(Count::default(), |all, key| all.plus(key.rows))
    }
}

impl Segments for WeightedSegments {
    fn number(&self) -> usize {
        self.0.keys.len()
    }

    fn count(&self, segment: usize) -> Count {
        self.0.keys[segment].rows
    }

    fn area(&self, segment: usize) -> Option<EstimatedArea> {
        let key = &self.0.keys[segment];
        key.area().map(|area| estimated(&area, key.rows, SampleSize::from_weights(key.weights())))
    }

    /// Squared weights may be unknown, whatever the number of rows.
    fn has_variance(&self, segment: usize, area: EstimatedArea) -> bool {
        let rows = self.0.keys[segment].rows;
        rows.pos > 1 && rows.neg > 1 || area.variance.is_some()
    }

    /// Weights are relative: the number of rows of a class is distributed over segments in proportion to
    /// their weights.
    fn mean_counts(&self) -> Vec<Count<f64>> {
        self.0.counts_by_weight()
    }

    fn against_pooled_rest(&self) -> Vec<Option<Comparator>> {
        let all = self.all_rows();
        let weights = self.0.weights();
        let rests = self.0.without_each().into_iter().zip(&self.0.keys);
        let other = |(rest, key): (Option<WeightedArea>, &WeightedKey)| {
            let rows = Count { pos: all.pos - key.rows.pos, neg: all.neg - key.rows.neg };
            let size = SampleSize::from_weights(weights.without(key.weights()));
            rest.map(|rest| Comparator::independent(estimated(&rest, rows, size)))
        };
        rests.map(other).collect()
    }

    fn against_overall(&self) -> Vec<Option<Comparator>> {
        let all = self.all_rows();
        let overall =
            self.0.overall().map(|area| estimated(&area, all, SampleSize::from_weights(self.0.weights())));
        let other = |covariance| Some(Comparator { area: overall?, covariance });
        self.0.covariances_with_all().into_iter().map(other).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::inference::{Together, WeightedAreas};
    use crate::statistics::rows::Rows;
    use crate::statistics::tests::rows_of;
    use proptest::prelude::*;

    type Row = (bool, i8, u8, u32);

    fn rows(sample: &[Row]) -> Rows {
        let labels: Vec<u8> = sample.iter().map(|row| row.0.into()).collect();
        let scores: Vec<f64> = sample.iter().map(|row| row.1.into()).collect();
        let keys: Vec<u32> = sample.iter().map(|row| row.3).collect();
        let weights = sample.iter().map(|row| f64::from(row.2) / 8.0).collect();
        Rows { weights: Some(weights), ..rows_of(&labels, &[&scores], &keys) }
    }

    /// The area of a subset of rows, and its variance.
    fn alone(sample: &[Row], is_in: impl Fn(&Row) -> bool) -> Option<(f64, Option<f64>)> {
        let sample: Vec<Row> = sample.iter().filter(|row| is_in(row)).copied().collect();
        if sample.is_empty() {
            return None;
        }
        let rows = Rows { keys: Default::default(), ..rows(&sample) };
        WeightedAreas::new(&rows).map(|areas| (areas.auc(0), areas.variance(0)))
    }

    fn near(got: Option<EstimatedArea>, expected: Option<(f64, Option<f64>)>) -> bool {
        // Both float sums use another order.
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-13 * b.abs();
        match (got, expected) {
            (None, None) => true,
            (Some(got), Some((auc, variance))) => {
                let same = match (got.variance, variance) {
                    (None, None) => true,
                    (Some(got), Some(variance)) => close(got, variance),
                    _ => false,
                };
                got.auc == auc && same
            }
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn areas_equal_separate_rows(sample in proptest::collection::vec((any::<bool>(), -3i8..3, 1u8..40, 0u32..3), 1..30)) {
            let rows = rows(&sample);
            let segments = WeightedSegments(WeightedKeys::from_rows_or_states(&rows, 0, Together::KeysAndAll).unwrap());
            let (rests, overall) = (segments.against_pooled_rest(), segments.against_overall());
            let mut keys: Vec<u32> = sample.iter().map(|row| row.3).collect();
            keys.sort_unstable();
            keys.dedup();
            for (index, &key) in keys.iter().enumerate() {
                prop_assert!(near(segments.area(index), alone(&sample, |row| row.3 == key)));
                prop_assert!(near(rests[index].map(|rest| rest.area), alone(&sample, |row| row.3 != key)));
                let Some(all) = overall[index] else { continue };
                prop_assert!(near(Some(all.area), alone(&sample, |_| true)));
                // Rows outside of the segment have no influence on its area, so A(all) - A(segment) varies
                // through the shared rows.
                let Some(covariance) = all.covariance else { continue };
                let area = segments.area(index).unwrap();
                let only = sample.iter().all(|row| row.3 == key);
                let (variance_of_segment, whole) = (area.variance.unwrap(), all.area.variance.unwrap());
                prop_assert!(covariance * covariance <= variance_of_segment * whole * (1.0 + 1e-12));
                prop_assert!(!only || covariance == variance_of_segment);
            }
        }
    }
}
