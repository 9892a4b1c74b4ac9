//! The area under the ROC curve of clustered rows: for each key, for all rows, and for all rows except a
//! key's.
//!
//! Rows of one cluster are correlated, whatever their key. For each area, the placements of its rows are
//! therefore summed by cluster. The covariance of two areas uses the sums of the clusters with rows of both
//! (Obuchowski 1997, equations 2 to 5). Areas without a common cluster are uncorrelated.

use super::delong::{beyond_rounding, residual, rounding};
use crate::interrupt;
use crate::ranking::ties::Count;
use crate::statistics::options::words;
use crate::statistics::rows::Rows;

/// The area of some rows, with the contribution of each cluster.
#[derive(Clone, Debug)]
pub struct ClusteredArea {
    /// The area.
    pub auc: f64,
    /// Positives.
    pub n_pos: u64,
    /// Negatives.
    pub n_neg: u64,
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
    /// Its positives and negatives.
    pub count: Count,
    /// The sum over its positives of the placement minus the area.
    pub of_pos: f64,
    /// The same sum over its negatives.
    pub of_neg: f64,
}

/// The value of a tie in a placement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TieShare {
    /// One half, as in the area.
    #[default]
    Half,
    /// Zero.
    Zero,
}

words!(TieShare { "half" => Half, "zero" => Zero });

impl TieShare {
    /// The part of a doubled placement that is subtracted for ties.
    fn left_out(self, tied: u64) -> u64 {
        if self == TieShare::Zero { tied } else { 0 }
    }
}

/// The rows of one cluster, and the sums of their doubled placements.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: Count,
    of_pos: u128,
    of_neg: u128,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    code: u32,
    positive: bool,
    cluster: u32,
    key: u32,
}

/// The rows of all keys, sorted by the codes of one score.
#[derive(Clone, Debug)]
pub struct ByCluster {
    /// All rows, highest score first.
    members: Vec<Member>,
    /// The rows of each key.
    of_keys: Vec<Vec<Member>>,
    clusters: Vec<u32>,
}

impl ByCluster {
    /// Sorts rows by one score.
    pub fn of(rows: &Rows, score: usize) -> Self {
        let scores = &rows.scores[score];
        let (clusters, keys) = (&rows.clusters.of_row, &rows.keys.of_row);
        let in_order = scores.in_order(|row| (keys[row], clusters[row], rows.labels[row]));
        let member = |(code, (key, cluster, positive))| Member { code, positive, cluster, key };
        let members: Vec<Member> = in_order.into_iter().rev().map(member).collect();
        let mut of_keys = vec![Vec::new(); rows.keys.distinct];
        members.iter().for_each(|&member| of_keys[member.key as usize].push(member));
        ByCluster { members, of_keys, clusters: (0..rows.clusters.distinct as u32).collect() }
    }

    /// The number of keys.
    pub fn keys(&self) -> usize {
        self.of_keys.len()
    }

    /// The positives and negatives of a key.
    pub fn count(&self, key: usize) -> Count {
        class_counts(self.of_keys[key].iter())
    }

    /// The number of all clusters.
    pub fn number_of_clusters(&self) -> usize {
        self.clusters.len()
    }

    /// The sorted clusters with rows of a key.
    pub fn clusters(&self, key: usize) -> Vec<u32> {
        let mut clusters: Vec<u32> = self.of_keys[key].iter().map(|member| member.cluster).collect();
        clusters.sort_unstable();
        clusters.dedup();
        clusters
    }

    /// The area of a key's rows; undefined without positives or negatives.
    pub fn area(&self, key: usize) -> Option<ClusteredArea> {
        self.area_with(key, TieShare::Half)
    }

    /// The same area, with this value of ties in the placements of residuals.
    pub fn area_with(&self, key: usize, ties: TieShare) -> Option<ClusteredArea> {
        let clusters = self.clusters(key);
        let place = |cluster| clusters.binary_search(&cluster).unwrap_or_default();
        ClusteredArea::of(self.of_keys[key].iter(), &clusters, place, ties)
    }

    /// The area of all rows.
    pub fn overall(&self) -> Option<ClusteredArea> {
        ClusteredArea::of(self.members.iter(), &self.clusters, |cluster| cluster as usize, TieShare::Half)
    }

    /// The area of all rows except a key's, in `O(n)`.
    pub fn without(&self, key: usize) -> Option<ClusteredArea> {
        let others = self.members.iter().filter(|member| member.key as usize != key);
        ClusteredArea::of(others, &self.clusters, |cluster| cluster as usize, TieShare::Half)
    }
}

fn class_counts<'a>(members: impl Iterator<Item = &'a Member>) -> Count {
    let mut count = Count::default();
    members.for_each(|member| count.add(member.positive, 1));
    count
}

/// Each row with its doubled placement in the other class, ties counting once, and the number of these ties.
/// A placement counts the negatives below a positive, or the positives above a negative.
fn doubled_placements<'a>(
    members: impl Iterator<Item = &'a Member> + Clone,
    all: Count,
) -> impl Iterator<Item = (&'a Member, u64, u64)> {
    // Rows above the score, and rows with the score.
    let (mut above, mut tied) = (Count::default(), Count::default());
    let mut ahead = members.clone().peekable();
    let mut last = None;
    members.map(move |member| {
        if last != Some(member.code) {
            last = Some(member.code);
            above = above.plus(tied);
            tied = Count::default();
            while let Some(next) = ahead.next_if(|next| next.code == member.code) {
                tied.add(next.positive, 1);
            }
        }
        if member.positive {
            (member, 2 * (all.neg - above.neg) - tied.neg, tied.neg)
        } else {
            (member, 2 * above.pos + tied.pos, tied.pos)
        }
    })
}

impl ClusteredArea {
    /// From rows in these clusters, highest score first; each cluster has an index.
    fn of<'a>(
        members: impl Iterator<Item = &'a Member> + Clone,
        clusters: &[u32],
        place: impl Fn(u32) -> usize,
        ties: TieShare,
    ) -> Option<Self> {
        interrupt::check();
        let Count { pos: n_pos, neg: n_neg } = class_counts(members.clone());
        if n_pos == 0 || n_neg == 0 {
            return None;
        }
        let mut sums = vec![Sums::default(); clusters.len()];
        let mut twice_u = 0;
        for (member, twice, tied) in doubled_placements(members, Count { pos: n_pos, neg: n_neg }) {
            let sums = &mut sums[place(member.cluster)];
            sums.count.add(member.positive, 1);
            if member.positive {
                twice_u += u128::from(twice);
                sums.of_pos += u128::from(twice - ties.left_out(tied));
            } else {
                sums.of_neg += u128::from(twice - ties.left_out(tied));
            }
        }
        let with = |of: fn(&Count) -> u64| sums.iter().filter(|sums| of(&sums.count) > 0).count() as u64;
        let (with_pos, with_neg) = (with(|count| count.pos), with(|count| count.neg));
        let filled = clusters.iter().zip(&sums).filter(|(_, sums)| sums.count.rows() > 0);
        let residuals = filled
            .map(|(&cluster, sums)| Residual {
                cluster,
                count: sums.count,
                of_pos: residual(sums.of_pos, sums.count.pos, twice_u, n_pos, n_neg),
                of_neg: residual(sums.of_neg, sums.count.neg, twice_u, n_neg, n_pos),
            })
            .collect();
        let auc = crate::math::quotient(twice_u, 2 * u128::from(n_pos) * u128::from(n_neg));
        Some(ClusteredArea { auc, n_pos, n_neg, with_pos, with_neg, residuals })
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

    /// An upper bound of the rounding error of a zero variance.
    pub fn rounding(&self) -> f64 {
        let (m, n) = (self.n_pos as f64, self.n_neg as f64);
        let square = |residual: &Residual| (residual.of_pos / m).powi(2) + (residual.of_neg / n).powi(2);
        rounding(self.clusters(), self.residuals.iter().map(square).sum())
    }

    /// The covariance with another area, whose rows may overlap; undefined if a variance is.
    ///
    /// A sum over k clusters is scaled by `k / (k - 1)`, where k is the smaller number of clusters of both
    /// areas. The covariance of an area with itself is then its variance, and with one row per cluster the
    /// result equals the one without clusters.
    pub fn covariance(&self, other: &ClusteredArea) -> Option<f64> {
        interrupt::check();
        let fewer = |of: fn(&ClusteredArea) -> u64| of(self).min(of(other));
        let (with_pos, with_neg) = (fewer(|area| area.with_pos), fewer(|area| area.with_neg));
        if with_pos < 2 || with_neg < 2 {
            return None;
        }
        let (mut of_pos, mut of_neg, mut pos_neg, mut neg_pos) = (0.0, 0.0, 0.0, 0.0);
        self.for_shared(other, |a, b| {
            of_pos += a.of_pos * b.of_pos;
            of_neg += a.of_neg * b.of_neg;
            pos_neg += a.of_pos * b.of_neg;
            neg_pos += a.of_neg * b.of_pos;
        });
        let part = |sum: f64, clusters: u64, rows: u64, others: u64| {
            clusters as f64 / (clusters - 1) as f64 * sum / (rows as f64 * others as f64)
        };
        let clusters = fewer(Self::clusters);
        let across = part(pos_neg, clusters, self.n_pos, other.n_neg)
            + part(neg_pos, clusters, self.n_neg, other.n_pos);
        let of_pos = part(of_pos, with_pos, self.n_pos, other.n_pos);
        let of_neg = part(of_neg, with_neg, self.n_neg, other.n_neg);
        Some(of_pos + of_neg + across)
    }

    /// Calls `pass` with the residuals of the clusters with rows of both, in order.
    fn for_shared(&self, other: &ClusteredArea, mut pass: impl FnMut(&Residual, &Residual)) {
        let (mine, others) = (&self.residuals, &other.residuals);
        let in_order = |a: &Residual, b: &Residual| a.cluster.cmp(&b.cluster);
        let find = |one: &Residual, among: &[Residual]| among.binary_search_by(|b| in_order(b, one)).ok();
        if mine.len() < others.len() / FAR_MORE {
            mine.iter().for_each(|a| {
                find(a, others).into_iter().for_each(|place| pass(a, &others[place]));
            });
        } else if others.len() < mine.len() / FAR_MORE {
            others.iter().for_each(|b| {
                find(b, mine).into_iter().for_each(|place| pass(&mine[place], b));
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

/// From this ratio of cluster numbers, clusters of the smaller area are found by binary search instead of a
/// merge.
const FAR_MORE: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use crate::ranking::rows::Codes;
    use crate::statistics::inference::delong::Areas;
    use crate::statistics::tests::rows_of;
    use proptest::prelude::*;

    proptest! {
        /// Compares each area (of a key, of all rows, of all rows except a key's) with the area of a copy of
        /// these rows.
        #[test]
        fn areas(rows in proptest::collection::vec((0u8..2, -4i8..4, 0u32..4, 0u32..5), 1..60)) {
            let expected = |keep: &dyn Fn(u32) -> bool| {
                let subset: Vec<_> = rows.iter().filter(|row| keep(row.2)).collect();
                let labels: Vec<u8> = subset.iter().map(|row| row.0).collect();
                let scores: Vec<f64> = subset.iter().map(|row| row.1.into()).collect();
                let keys: Vec<u32> = subset.iter().map(|row| row.3).collect();
                let rows = rows_of(&labels, &[&scores], &keys);
                let areas = Areas::of(&rows)?;
                let clustered = areas.clustered(&rows);
                Some((areas.auc(0), clustered.variance(0), clustered.clusters))
            };
            let column = |of: fn(&(u8, i8, u32, u32)) -> u32| rows.iter().map(of).collect::<Vec<u32>>();
            let labels: Vec<u8> = rows.iter().map(|row| row.0).collect();
            let scores: Vec<f64> = rows.iter().map(|row| row.1.into()).collect();
            let keys = column(|row| row.2);
            let clusters = Codes::of(&column(|row| row.3));
            let by_cluster = ByCluster::of(&Rows { clusters, ..rows_of(&labels, &[&scores], &keys) }, 0);
            let parts = |area: ClusteredArea| (area.auc, area.variance(), area.clusters());
            prop_assert_eq!(by_cluster.overall().map(parts), expected(&|_| true));
            for (key, name) in BTreeSet::from_iter(keys).into_iter().enumerate() {
                prop_assert_eq!(by_cluster.area(key).map(parts), expected(&|other| other == name));
                prop_assert_eq!(by_cluster.without(key).map(parts), expected(&|other| other != name));
            }
        }
    }

    /// A key of few clusters and one of many, in either order.
    #[test]
    fn few_clusters_among_many() {
        let labels: Vec<u8> = (0..400).map(|row| u8::from(row % 3 == 0)).collect();
        let scores: Vec<f64> = (0..400).map(|row| f64::from(row * 7 % 11)).collect();
        let keys: Vec<u32> = (0..400).map(|row| u32::from(row >= 12)).collect();
        let clusters = Codes::of(&std::array::from_fn::<u32, 400, _>(|row| {
            (if row < 12 { row % 6 * 30 } else { row / 2 }) as u32
        }));
        let by_cluster = ByCluster::of(&Rows { clusters, ..rows_of(&labels, &[&scores], &keys) }, 0);
        let (few, many) = (by_cluster.area(0).unwrap(), by_cluster.area(1).unwrap());
        let mut pairs = Vec::new();
        few.for_shared(&many, |a, b| pairs.push((a.cluster, a.of_pos, b.of_pos)));
        let mut swapped = Vec::new();
        many.for_shared(&few, |b, a| swapped.push((a.cluster, a.of_pos, b.of_pos)));
        let all = by_cluster.clusters(1);
        assert_eq!(pairs.iter().map(|pair| pair.0).collect::<Vec<_>>(), {
            let first = by_cluster.clusters(0).into_iter();
            first.filter(|cluster| all.contains(cluster)).collect::<Vec<_>>()
        });
        assert_eq!((pairs.len(), &pairs), (5, &swapped));
    }

    /// Two keys with the same rows in the same clusters: the covariance is the variance.
    #[test]
    fn the_same_rows_twice() {
        let labels: Vec<u8> = (0..40).map(|row| u8::from(row % 20 % 3 == 0)).collect();
        let scores: Vec<f64> = (0..40).map(|row| f64::from(row % 20 * 7 % 11)).collect();
        let keys: Vec<u32> = (0..40).map(|row| row / 20).collect();
        let clusters = Codes::of(&std::array::from_fn::<u32, 40, _>(|row| row as u32 % 20 / 4));
        let by_cluster = ByCluster::of(&Rows { clusters, ..rows_of(&labels, &[&scores], &keys) }, 0);
        let (a, b) = (by_cluster.area(0).unwrap(), by_cluster.area(1).unwrap());
        assert_eq!(a.covariance(&b), a.variance());
        assert_eq!(a.variance(), b.variance());
        assert!(a.variance().unwrap() > 0.0);
    }
}
