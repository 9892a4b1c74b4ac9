//! The area under the ROC curve of clustered rows with the contribution of each cluster, and its covariance
//! with other areas.

use super::delong::{beyond_rounding, rounding};
use super::wilson_scale::{SampleSize, WeightTotals};
use crate::interrupt;
use crate::ranking::ties::Count;

/// The area of some rows, with the contribution of each cluster.
#[derive(Clone, Debug)]
pub struct ClusteredArea {
    /// The area.
    pub auc: f64,
    /// Positives.
    pub n_pos: u64,
    /// Negatives.
    pub n_neg: u64,
    /// The sums of weights, in units of either class, and of their squares, if rows have weights.
    pub weights: Option<WeightTotals>,
    /// Clusters with positives.
    pub with_pos: u64,
    /// Clusters with negatives.
    pub with_neg: u64,
    /// The contributions of the clusters, sorted by cluster.
    pub residuals: Vec<Residual>,
}

/// The contribution of a cluster to an area.
#[derive(Clone, Copy, Debug)]
pub struct Residual {
    /// The cluster.
    pub cluster: u32,
    /// Its positives and negatives; with weights, their units.
    pub count: Count,
    /// The sum over its positives of the placement minus the area, times the weight in units.
    pub pos: f64,
    /// The same sum over its negatives.
    pub neg: f64,
}

impl ClusteredArea {
    /// From the contributions of the clusters, sorted by cluster.
    pub fn new(auc: f64, rows: Count, weights: Option<WeightTotals>, residuals: Vec<Residual>) -> Self {
        let with = |f: fn(&Count) -> u64| residuals.iter().filter(|each| f(&each.count) > 0).count() as u64;
        let (with_pos, with_neg) = (with(|count| count.pos), with(|count| count.neg));
        ClusteredArea { auc, n_pos: rows.pos, n_neg: rows.neg, weights, with_pos, with_neg, residuals }
    }

    /// The number of clusters of the area.
    pub fn clusters(&self) -> u64 {
        self.residuals.len() as u64
    }

    /// The variance; undefined with fewer than two clusters with positives, or with negatives. A sum of
    /// products over few clusters may be negative, and is then set to 0.
    pub fn variance(&self) -> Option<f64> {
        self.covariance(self).map(|variance| beyond_rounding(variance, self.rounding()))
    }

    /// The variance of the difference from the area of the same rows by another score; exactly 0 for scores
    /// that rank alike.
    pub fn variance_of_difference(&self, other: &ClusteredArea) -> Option<f64> {
        let pairs = || self.residuals.iter().zip(&other.residuals);
        let variance = self.covariance_of(other, |products| {
            for (a, b) in pairs() {
                let difference = [a.pos - b.pos, a.neg - b.neg];
                products.add(difference, difference);
            }
        })?;
        // The rounding error of a difference depends on its operands.
        let size = |a: f64, b: f64| ((a - b).abs() * (a.abs() + b.abs())).sqrt();
        let sizes = pairs().map(|(a, b)| [size(a.pos, b.pos), size(a.neg, b.neg)]);
        Some(beyond_rounding(variance, self.rounding_of(sizes)))
    }

    /// The number of rows of either class; with weights, their total weight in units.
    pub fn total(&self) -> Count<f64> {
        let rows = Count { pos: self.n_pos as f64, neg: self.n_neg as f64 };
        self.weights.map_or(rows, |weights| weights.sums)
    }

    /// The effective numbers of rows, and the clusters.
    pub fn sample_size(&self) -> SampleSize {
        let rows = SampleSize::from_rows(Count { pos: self.n_pos, neg: self.n_neg });
        let clusters = Count { pos: self.with_pos, neg: self.with_neg };
        self.weights.map_or(rows, SampleSize::from_weights).in_clusters(clusters)
    }

    /// The factor of a sum over this number of clusters: `k / (k - 1)`, or 1 for the infinitesimal jackknife
    /// of weighted rows.
    pub fn factor(&self, clusters: u64) -> f64 {
        if self.weights.is_some() { 1.0 } else { clusters as f64 / (clusters - 1) as f64 }
    }

    /// An upper bound of the rounding error of a zero variance.
    pub fn rounding(&self) -> f64 {
        self.rounding_of(self.residuals.iter().map(|residual| [residual.pos, residual.neg]))
    }

    /// The same for contributions of this magnitude.
    fn rounding_of(&self, sizes: impl Iterator<Item = [f64; 2]>) -> f64 {
        let Count { pos: m, neg: n } = self.total();
        let square = |[pos, neg]: [f64; 2]| (pos / m).powi(2) + (neg / n).powi(2);
        rounding(self.clusters(), sizes.map(square).sum())
    }

    /// The covariance with another area, whose rows may overlap; undefined if a variance is.
    ///
    /// A sum over k clusters is scaled by `k / (k - 1)`, where k is the smaller number of clusters of both
    /// areas. The covariance of an area with itself is then its variance, and with one row per cluster the
    /// result equals the one without clusters. For weighted rows no sum is scaled.
    pub fn covariance(&self, other: &ClusteredArea) -> Option<f64> {
        self.covariance_of(other, |products| {
            self.for_shared(other, |a, b| products.add([a.pos, a.neg], [b.pos, b.neg]));
        })
    }

    /// The covariance from products of contributions to both areas.
    fn covariance_of(&self, other: &ClusteredArea, sum: impl FnOnce(&mut Products)) -> Option<f64> {
        interrupt::check();
        let fewer = |f: fn(&ClusteredArea) -> u64| f(self).min(f(other));
        let (with_pos, with_neg) = (fewer(|area| area.with_pos), fewer(|area| area.with_neg));
        if with_pos < 2 || with_neg < 2 {
            return None;
        }
        let mut products = Products::default();
        sum(&mut products);
        let Products { pos, neg, pos_neg, neg_pos } = products;
        let part =
            |sum: f64, clusters: u64, rows: f64, others: f64| self.factor(clusters) * sum / (rows * others);
        let (clusters, total, others) = (fewer(Self::clusters), self.total(), other.total());
        let across =
            part(pos_neg, clusters, total.pos, others.neg) + part(neg_pos, clusters, total.neg, others.pos);
        let pos = part(pos, with_pos, total.pos, others.pos);
        let neg = part(neg, with_neg, total.neg, others.neg);
        Some(pos + neg + across)
    }

    /// Calls `pass` with the residuals of the clusters with rows of both, in order.
    pub(super) fn for_shared(&self, other: &ClusteredArea, mut pass: impl FnMut(&Residual, &Residual)) {
        let (mine, others) = (&self.residuals, &other.residuals);
        if std::ptr::eq(self, other) {
            return mine.iter().for_each(|a| pass(a, a));
        }
        let in_order = |a: &Residual, b: &Residual| a.cluster.cmp(&b.cluster);
        let find = |one: &Residual, among: &[Residual]| among.binary_search_by(|b| in_order(b, one)).ok();
        if mine.len() < others.len() / FAR_MORE {
            mine.iter().for_each(|a| {
                find(a, others).into_iter().for_each(|index| pass(a, &others[index]));
            });
        } else if others.len() < mine.len() / FAR_MORE {
            others.iter().for_each(|b| {
                find(b, mine).into_iter().for_each(|index| pass(&mine[index], b));
            });
        } else {
            let mut others = others.iter().peekable();
            for a in mine {
                while others.next_if(|b| b.cluster < a.cluster).is_some() {}
                if let Some(b) = others.next_if(|b| b.cluster == a.cluster) {
                    pass(a, b);
                }
            }
        }
    }
}

/// Sums of products of two areas' contributions, by their classes.
#[derive(Default)]
struct Products {
    pos: f64,
    neg: f64,
    pos_neg: f64,
    neg_pos: f64,
}

impl Products {
    /// Adds a cluster: the contributions of its positives and negatives to either area.
    fn add(&mut self, a: [f64; 2], b: [f64; 2]) {
        self.pos += a[0] * b[0];
        self.neg += a[1] * b[1];
        self.pos_neg += a[0] * b[1];
        self.neg_pos += a[1] * b[0];
    }
}

/// From this ratio of cluster numbers, clusters of the smaller area are found by binary search instead of a
/// merge.
const FAR_MORE: usize = 16;
