//! Sums of covariances between the areas of segments with clustered rows.
//!
//! The covariance of two areas is a sum over the clusters with rows of both. Each cluster is therefore
//! visited once, and each of its segments is multiplied by the sum of all others. A sum is scaled by
//! `k / (k - 1)`, where k is the number of clusters of the area with fewer clusters. Segments are sorted by
//! these factors, largest first. The sum of the others then splits into earlier segments, with their factors,
//! and later ones, with the factor of the segment.

use super::segment_areas::Covariances;
use crate::interrupt;
use crate::math::sum::Sum;
use crate::statistics::inference::{ClusteredArea, delong::rounding};

/// The contribution of a cluster to a segment's area, times the weight of the segment.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    segment: u32,
    pos: f64,
    neg: f64,
}

/// The factors `k / (k - 1)` of the sums over a segment's clusters: over clusters with positives, with
/// negatives, and all.
#[derive(Clone, Copy, Debug, Default)]
struct Factors {
    pos: f64,
    neg: f64,
    across: f64,
}

impl Factors {
    fn new(area: &ClusteredArea) -> Self {
        Factors {
            pos: area.factor(area.with_pos),
            neg: area.factor(area.with_neg),
            across: area.factor(area.clusters()),
        }
    }
}

/// The covariances of areas with these weights; areas of weight 0 have none. `O(p log p)` for the p segments
/// of a cluster, summed over clusters.
pub fn covariances(areas: &[Option<ClusteredArea>], weights: &[f64], clusters: usize) -> Covariances {
    let residuals = |segment: usize| {
        let area = areas[segment].as_ref().filter(|_| weights[segment] > 0.0);
        area.map_or(&[][..], |area| &area.residuals)
    };
    let segments = 0..areas.len();
    let mut by_cluster: Vec<(u32, Part)> = Vec::new();
    let [mut all, mut with_pos, mut with_neg] = [(); 3].map(|()| ClusterSegments::new(clusters));
    for segment in segments.clone() {
        for residual in residuals(segment) {
            all.add(residual.cluster, residual.count.rows());
            with_pos.add(residual.cluster, residual.count.pos);
            with_neg.add(residual.cluster, residual.count.neg);
        }
    }
    let clusters_of_others = segments
        .clone()
        .map(|segment| {
            let cluster_residuals = residuals(segment);
            let pos_sums = with_pos.without(
                cluster_residuals
                    .iter()
                    .map(|cluster_residuals| (cluster_residuals.cluster, cluster_residuals.count.pos)),
            );
            pos_sums.min(
                with_neg.without(
                    cluster_residuals
                        .iter()
                        .map(|cluster_residuals| (cluster_residuals.cluster, cluster_residuals.count.neg)),
                ),
            )
        })
        .collect();
    // A cluster of one segment contributes nothing.
    let is_shared = |cluster: u32| all.segments[cluster as usize] > 1;
    for segment in segments {
        let Some(area) = &areas[segment] else { continue };
        let total = area.total();
        let (pos, neg) = (weights[segment] / total.pos, weights[segment] / total.neg);
        let shared = residuals(segment).iter().filter(|residual| is_shared(residual.cluster));
        by_cluster.extend(shared.map(|residual| {
            let (pos_sums, neg_sums) = (pos * residual.pos, neg * residual.neg);
            (residual.cluster, Part { segment: segment as u32, pos: pos_sums, neg: neg_sums })
        }));
    }
    // A stable sort keeps the order of segments within a cluster.
    by_cluster.sort_by_key(|part| part.0);
    let mut sums = PairSums {
        factors: areas.iter().map(|area| area.as_ref().map(Factors::new).unwrap_or_default()).collect(),
        with_others: vec![Sum::default(); areas.len()],
        size: 0.0,
    };
    by_cluster.chunk_by(|a, b| a.0 == b.0).for_each(|parts| sums.add(parts));
    let rounding = rounding(clusters as u64, sums.size);
    Covariances { with_others: sums.with_others, rounding, clusters_of_others }
}

/// For each cluster, the number of segments with its rows, or with its rows of a class.
struct ClusterSegments {
    segments: Vec<u32>,
    /// The number of clusters with such rows in any segment.
    number: u64,
}

impl ClusterSegments {
    fn new(clusters: usize) -> Self {
        ClusterSegments { segments: vec![0; clusters], number: 0 }
    }

    /// Adds the rows of a cluster in a segment.
    fn add(&mut self, cluster: u32, rows: u64) {
        if rows > 0 {
            let segments = &mut self.segments[cluster as usize];
            self.number += u64::from(*segments == 0);
            *segments += 1;
        }
    }

    /// The number of clusters with such rows outside a segment, given the rows of each cluster in the
    /// segment.
    fn without(&self, cluster_residuals: impl Iterator<Item = (u32, u64)>) -> u64 {
        let alone = |&(cluster, rows): &(u32, u64)| rows > 0 && self.segments[cluster as usize] == 1;
        self.number - cluster_residuals.filter(alone).count() as u64
    }
}

/// The running sums over pairs of segments.
struct PairSums {
    factors: Vec<Factors>,
    with_others: Vec<Sum>,
    /// The sum of the absolute values of all terms.
    size: f64,
}

impl PairSums {
    /// Adds the segments of a cluster.
    fn add(&mut self, parts: &[(u32, Part)]) {
        interrupt::check();
        let part_values =
            |value: fn(&Part) -> f64| -> Vec<f64> { parts.iter().map(|(_, part)| value(part)).collect() };
        let (pos_values, neg_values) = (part_values(|part| part.pos), part_values(|part| part.neg));
        let others = |factor: fn(&Factors) -> f64, values: &[f64]| {
            let factors: Vec<f64> =
                parts.iter().map(|(_, part)| factor(&self.factors[part.segment as usize])).collect();
            sums_of_others(&factors, values)
        };
        let same = [others(|all| all.pos, &pos_values), others(|all| all.neg, &neg_values)];
        let across = [others(|all| all.across, &neg_values), others(|all| all.across, &pos_values)];
        for (index, (_, part)) in parts.iter().enumerate() {
            let with_others = &mut self.with_others[part.segment as usize];
            with_others.add_product(part.pos, same[0][index]);
            with_others.add_product(part.neg, same[1][index]);
            with_others.add_product(part.pos, across[0][index]);
            with_others.add_product(part.neg, across[1][index]);
        }
        self.size += pos_values.iter().chain(&neg_values).map(|value| value.abs()).sum::<f64>().powi(2);
    }
}

/// For each value, the sum of all others, each times the larger of both factors.
fn sums_of_others(factors: &[f64], values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..factors.len()).collect();
    order.sort_by(|&a, &b| factors[b].total_cmp(&factors[a]));
    let mut sums = vec![0.0; factors.len()];
    let (mut before, mut behind) = (0.0, 0.0);
    for &index in &order {
        sums[index] = before;
        before += factors[index] * values[index];
    }
    for &index in order.iter().rev() {
        sums[index] += factors[index] * behind;
        behind += values[index];
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::rows::Codes;
    use crate::statistics::inference::{ByCluster, Residual, by_cluster::RowWeight};
    use crate::statistics::rows::Rows;
    use crate::statistics::tests::rows_of;
    use proptest::prelude::*;

    /// The area of each key, and the number of clusters.
    fn areas_of<W: RowWeight>(by_cluster: &ByCluster<W>) -> (Vec<Option<ClusteredArea>>, usize) {
        let areas = (0..by_cluster.keys()).map(|key| by_cluster.area(key)).collect();
        (areas, by_cluster.number_of_clusters())
    }

    proptest! {
        /// Compares with the covariance of each pair.
        #[test]
        fn sums_over_all_pairs(
            rows in prop::collection::vec((0u8..2, -4i8..4, 0u32..5, 0u32..7), 1..80),
            weights in prop::collection::vec(0.0..9.0f64, 5),
            by_row in prop::option::of(prop::collection::vec(1u8..9, 80)),
        ) {
            let labels: Vec<u8> = rows.iter().map(|row| row.0).collect();
            let scores: Vec<f64> = rows.iter().map(|row| row.1.into()).collect();
            let column = |f: fn(&(u8, i8, u32, u32)) -> u32| rows.iter().map(f).collect::<Vec<u32>>();
            let clusters = Codes::new(&column(|row| row.3));
            let by_row = by_row.map(|weights| weights[..rows.len()].iter().map(|&weight| weight.into()).collect());
            let table = rows_of(&labels, &[&scores], &column(|row| row.2));
            let table = Rows { clusters, weights: by_row, ..table };
            let (areas, number) = match table.weights {
                None => areas_of(&ByCluster::new(&table, 0)),
                Some(_) => areas_of(&ByCluster::from_weighted(&table, 0)),
            };
            let has_variance = |area: &Option<ClusteredArea>| area.as_ref().and_then(ClusteredArea::variance).is_some();
            let weights: Vec<f64> =
                areas.iter().zip(weights).map(|(area, weight)| if has_variance(area) { weight } else { 0.0 }).collect();
            let got = covariances(&areas, &weights, number);
            for segment in 0..areas.len() {
                let others = (0..areas.len()).filter(|&other| other != segment);
                let product = |other: usize| {
                    let weight = weights[segment] * weights[other];
                    let both = areas[segment].as_ref().zip(areas[other].as_ref()).filter(|_| weight > 0.0);
                    both.map_or(0.0, |(a, b)| weight * a.covariance(b).unwrap())
                };
                let expected: f64 = others.clone().map(product).sum();
                prop_assert!((got.with_others[segment].total() - expected).abs() <= 1e-12 * weights.iter().sum::<f64>().powi(2));
                let holding = |is_held: fn(&Residual) -> bool| {
                    let residuals = |other: usize| areas[other].iter().flat_map(|area| &area.residuals);
                    let held = others.clone().filter(|&other| weights[other] > 0.0).flat_map(residuals).filter(|cluster_residuals| is_held(cluster_residuals));
                    held.map(|cluster_residuals| cluster_residuals.cluster).collect::<std::collections::BTreeSet<u32>>().len() as u64
                };
                let fewer = holding(|cluster_residuals| cluster_residuals.count.pos > 0).min(holding(|cluster_residuals| cluster_residuals.count.neg > 0));
                prop_assert_eq!(got.clusters_of_others[segment], fewer);
            }
        }
    }
}
