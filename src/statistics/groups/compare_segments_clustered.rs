//! The AUC of segments of clustered rows, each compared with other rows.

use rayon::prelude::*;

use super::compare_segments::{CompareSegments, SegmentRecord};
use super::segment_areas::{Comparator, Covariances, EstimatedArea, Segments, heterogeneity};
use super::shared_clusters::covariances;
use crate::math::symmetric;
use crate::ranking::tasks;
use crate::ranking::ties::Count;
use crate::statistics::comparisons::unpaired_roc_auc_difference::DifferenceMethod;
use crate::statistics::inference::{
    ByCluster, ClusteredArea, by_cluster::RowWeight, delong::beyond_rounding,
};
use crate::statistics::kinds::{Inputs, Joint, KeyInput, KeyKind, record};
use crate::statistics::options::{FromOptions, OptionError, Options};
use crate::statistics::rows::Rows;

/// The maximum number of segments, whose covariances are a dense matrix.
const MAX_SEGMENTS: usize = 4096;

/// Every segment's area, compared with other rows, where clusters lie in one segment or span several.
///
/// Areas have [Obuchowski's variances](crate::statistics::inference::by_cluster), and the covariance C over
/// the clusters with rows of both. Wilson, the default: a difference has the limits and the test of
/// [`WilsonDifference`](crate::statistics::inference::WilsonDifference) with the correlation
/// `C / sqrt(V1 V2)`. Degrees of freedom count clusters. DeLong: `(A1 - A2) / sqrt(V1 + V2 - 2 C)` against
/// Student's t, with Welch-Satterthwaite degrees of freedom. For each area they count the clusters with rows
/// of the class that fewer clusters have. The heterogeneity is computed as in [`CompareSegments`] if no
/// cluster spans segments. Otherwise, for either method, it is `(L A)' (L V L')⁺ (L A)` against chi-square
/// with the rank of `L V L'`. L are the contrasts of each segment against the first, and V the covariances of
/// all areas A. For independent areas it is Q.
///
/// Areas of weighted rows have the variances of the [infinitesimal
/// jackknife](crate::statistics::inference::weighted_areas) over whole clusters, and so have their
/// covariances.
///
/// The time is `O(n k)` for k segments against all other rows, and otherwise `O(n log n)`; spanning clusters
/// add `O(k³)`.
#[derive(Clone, Debug)]
pub struct CompareSegmentsClustered(pub CompareSegments);

record! {
    /// One segment of rows that come in clusters.
    pub struct ClusteredSegmentRecord {
        /// The fields of the record without clusters.
        pub segment: SegmentRecord,
        /// The number of clusters with rows of the segment.
        pub n_clusters: u64,
    }
}

/// Segments of clustered rows.
struct ClusteredSegments<W> {
    rows: ByCluster<W>,
    areas: Vec<Option<ClusteredArea>>,
}

impl FromOptions for CompareSegmentsClustered {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        CompareSegments::from_options(options).map(CompareSegmentsClustered)
    }
}

impl Joint for CompareSegmentsClustered {
    /// The segments, in order.
    type Record = Option<Vec<ClusteredSegmentRecord>>;

    const INPUTS: Inputs = Inputs::scores(Some(1)).clustered().keyed(KeyInput {
        nan_by_key: true,
        max: MAX_SEGMENTS,
        ..KeyInput::called("by")
    });

    const WEIGHTS: bool = true;

    fn passes(&self) -> usize {
        16
    }

    fn key_kind(&self) -> KeyKind<'_> {
        self.0.key_kind()
    }

    fn evaluate(&self, rows: &Rows) -> Option<Vec<ClusteredSegmentRecord>> {
        Some(match rows.weights {
            None => self.evaluate_clusters(rows, ByCluster::new(rows, 0)),
            Some(_) => self.evaluate_clusters(rows, ByCluster::from_weighted(rows, 0)),
        })
    }
}

impl CompareSegmentsClustered {
    fn evaluate_clusters<W: RowWeight>(
        &self,
        rows: &Rows,
        by_cluster: ByCluster<W>,
    ) -> Vec<ClusteredSegmentRecord> {
        let areas = tasks::par_map(0..by_cluster.keys(), || (), |(), key| by_cluster.area(key));
        let segments = ClusteredSegments { rows: by_cluster, areas };
        let records = self.0.records(rows, &segments).into_iter().enumerate().map(|(index, segment)| {
            let n_clusters = segments.rows.clusters(index).len() as u64;
            ClusteredSegmentRecord { segment, n_clusters }
        });
        records.collect()
    }
}

/// An area with its variance, whose degrees of freedom count the clusters of the class that fewer clusters
/// have.
fn estimated(area: &ClusteredArea) -> EstimatedArea {
    EstimatedArea {
        auc: area.auc,
        variance: area.variance(),
        rounding: area.rounding(),
        rows: area.with_pos.min(area.with_neg),
        size: area.sample_size(),
    }
}

impl<W: RowWeight> Segments for ClusteredSegments<W> {
    fn number(&self) -> usize {
        self.areas.len()
    }

    fn count(&self, segment: usize) -> Count {
        self.rows.count(segment)
    }

    fn area(&self, segment: usize) -> Option<EstimatedArea> {
        self.areas[segment].as_ref().map(estimated)
    }

    fn mean_counts(&self) -> Vec<Count<f64>> {
        self.rows.counts_by_weight()
    }

    fn covariances(&self, weights: &[f64]) -> Option<Covariances> {
        Some(covariances(&self.areas, weights, self.rows.number_of_clusters()))
    }

    fn against_pooled_rest(&self) -> Vec<Option<Comparator>> {
        let rest = |segment: usize| Some(self.against(segment, &self.rows.without(segment)?));
        tasks::par_map(0..self.number(), || (), |(), segment| rest(segment))
    }

    fn against_overall(&self) -> Vec<Option<Comparator>> {
        let overall = self.rows.overall();
        let whole = |segment: usize| Some(self.against(segment, overall.as_ref()?));
        tasks::par_map(0..self.number(), || (), |(), segment| whole(segment))
    }

    fn covariance(&self, segment: usize, other: usize) -> Option<f64> {
        self.areas[segment].as_ref()?.covariance(self.areas[other].as_ref()?)
    }

    fn heterogeneity(&self, areas: &[Option<EstimatedArea>], method: DifferenceMethod) -> Option<(f64, u64)> {
        let independent = heterogeneity(areas, method);
        let in_segments: u64 = self.areas.iter().flatten().map(ClusteredArea::clusters).sum();
        if in_segments == self.clusters_in_areas() || independent.is_none_or(|(q, _)| q.is_nan()) {
            return independent;
        }
        self.correlated_test(areas)
    }
}

impl<W: RowWeight> ClusteredSegments<W> {
    fn against(&self, segment: usize, area: &ClusteredArea) -> Comparator {
        let covariance = self.areas[segment].as_ref().and_then(|segment_area| segment_area.covariance(area));
        Comparator { area: estimated(area), covariance }
    }

    /// The number of distinct clusters with rows of a segment with an area.
    fn clusters_in_areas(&self) -> u64 {
        let with_area = (0..self.number()).filter(|&segment| self.areas[segment].is_some());
        let mut clusters: Vec<u32> = with_area.flat_map(|segment| self.rows.clusters(segment)).collect();
        clusters.sort_unstable();
        clusters.dedup();
        clusters.len() as u64
    }

    /// The statistic of correlated areas, and its degrees of freedom; undefined if areas differ without
    /// variance of the difference.
    fn correlated_test(&self, areas: &[Option<EstimatedArea>]) -> Option<(f64, u64)> {
        let varying: Vec<(usize, EstimatedArea, f64)> = areas
            .iter()
            .enumerate()
            .filter_map(|(index, area)| {
                let area = (*area)?;
                area.variance.filter(|&variance| variance != 0.0).map(|variance| (index, area, variance))
            })
            .collect();
        let (&first, others) = varying.split_first()?;
        let covariance = |a: usize, b: usize| self.covariance(a, b).unwrap_or(0.0);
        // Contrasts with the first segment are standardised, so that small ones count as much as large ones.
        let mut against_first = Vec::with_capacity(others.len());
        for &(index, area, variance) in others {
            let with_first = covariance(index, first.0);
            let rounding = 2.0 * (area.rounding + first.1.rounding);
            let se = beyond_rounding(variance + first.2 - 2.0 * with_first, rounding).sqrt();
            let difference = area.auc - first.1.auc;
            if se > 0.0 {
                against_first.push((index, difference, se, with_first));
            } else if difference != 0.0 {
                return None;
            }
        }
        let correlations = (0..against_first.len())
            .into_par_iter()
            .map(|a| {
                let (index, _, se, with_first) = against_first[a];
                let correlation = |b: usize| {
                    let (other, _, other_se, other_with_first) = against_first[b];
                    let both = covariance(index.max(other), index.min(other));
                    (both - with_first - other_with_first + first.2) / (se * other_se)
                };
                (0..against_first.len()).map(|b| if a == b { 1.0 } else { correlation(b) }).collect()
            })
            .collect();
        let differences = against_first.iter().map(|&(_, difference, se, _)| difference / se).collect();
        let (q, df) = symmetric::quadratic_form(correlations, differences);
        Some((q.filter(|_| df > 0)?, df as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::rows::Codes;
    use crate::statistics::groups::compare_segments::{
        Versus, tests::sample, tests::statistic as unclustered,
    };
    use crate::statistics::tests::rows_of;

    fn rows() -> Rows {
        let (labels, scores, segments) = sample();
        let mut rows = rows_of(&labels, &[&scores], &segments);
        rows.key_codes = (0..rows.keys.distinct as u32).collect();
        rows.key_series = vec![Some(0); rows.keys.distinct];
        rows
    }

    fn segments(versus: Versus, clusters: &[u32]) -> Vec<ClusteredSegmentRecord> {
        let rows = Rows { clusters: Codes::new(clusters), ..rows() };
        CompareSegmentsClustered(unclustered(versus)).evaluate(&rows).unwrap()
    }

    #[test]
    fn clusters_of_one() {
        let alone: Vec<u32> = (0..120).collect();
        for versus in [Versus::Rest, Versus::PooledRest, Versus::Overall, Versus::Previous, Versus::First] {
            let without = unclustered(versus).evaluate(&rows()).unwrap();
            let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
                (Some(a), Some(b)) => assert!((a - b).abs() < 1e-13, "{a} {b}"),
                _ => assert_eq!(a, b),
            };
            for (got, expected) in segments(versus, &alone).into_iter().zip(without) {
                assert_eq!(got.n_clusters, expected.rows.pos + expected.rows.neg);
                let got = got.segment;
                assert_eq!((got.auc, got.difference.value), (expected.auc, expected.difference.value));
                near(got.interval.se, expected.interval.se);
                near(got.difference.se, expected.difference.se);
                near(got.heterogeneity, expected.heterogeneity);
                // Every row is a cluster, and the clusters of the rarer class determine the degrees of
                // freedom.
                assert_eq!(got.df.is_some(), expected.df.is_some());
                assert!(got.df <= expected.df);
            }
        }
    }

    /// For two segments, the test of equal areas equals the test of their difference.
    #[test]
    fn two_segments_of_the_same_clusters() {
        let rows = Rows {
            clusters: Codes::new(&std::array::from_fn::<u32, 120, _>(|row| row as u32 / 8)),
            ..rows()
        };
        let mut two = rows.clone();
        two.keys = Codes::new(&std::array::from_fn::<u32, 120, _>(|row| (row * row % 3) as u32));
        two.key_codes = vec![0, 1];
        two.key_series = vec![Some(0); 2];
        let records = CompareSegmentsClustered(unclustered(Versus::Rest)).evaluate(&two).unwrap();
        assert_eq!(records.iter().map(|record| record.n_clusters).collect::<Vec<_>>(), [15, 15]);
        let [a, b] = [&records[0].segment, &records[1].segment];
        let independent = (a.interval.se.unwrap().powi(2) + b.interval.se.unwrap().powi(2)).sqrt();
        assert!((a.difference.se.unwrap() / independent - 1.0).abs() > 0.01);
        assert_eq!((a.difference.se, a.heterogeneity_df), (b.difference.se, Some(1)));
        assert!((a.heterogeneity.unwrap() - a.statistic.unwrap().powi(2)).abs() < 1e-12);
        let normal = 2.0 * crate::math::normal::upper_tail(a.statistic.unwrap().abs());
        assert!((a.heterogeneity_p_value.unwrap() - normal).abs() < 1e-12);
        assert!(a.p_value.unwrap() > normal && a.df.unwrap() < 28.0);
    }
}
