//! The area under the ROC curve of clustered rows: for each key, for all rows, and for all rows except a
//! key's.
//!
//! Rows of one cluster are correlated, whatever their key. For each area, the placements of its rows are
//! therefore summed by cluster. The covariance of two areas uses the sums of the clusters with rows of both
//! (Obuchowski 1997, equations 2 to 5). Areas without a common cluster are uncorrelated.
//!
//! For weighted rows the sums are weighted. The covariance is the [infinitesimal
//! jackknife](super::weighted_areas) of whole clusters, without the factors `k / (k - 1)`.

use std::fmt::Debug;

use super::clustered_area::{ClusteredArea, Residual};
use super::delong::residual;
use super::weighted_areas::units_of_rows;
use super::wilson_scale::WeightTotals;
use crate::interrupt;
use crate::math::{quotient, signed_product_difference};
use crate::ranking::ties::Count;
use crate::statistics::options::words;
use crate::statistics::rows::Rows;

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

/// The weight of a row, in units of its class.
pub trait RowWeight: Copy + Debug + Send + Sync {
    /// Whether rows have weights.
    const IS_WEIGHT: bool;

    /// The units.
    fn units(self) -> u64;
}

/// Rows without weights count as one unit.
impl RowWeight for () {
    const IS_WEIGHT: bool = false;

    fn units(self) -> u64 {
        1
    }
}

impl RowWeight for u64 {
    const IS_WEIGHT: bool = true;

    fn units(self) -> u64 {
        self
    }
}

/// The rows of one cluster, and the sums of their doubled placements, all in units.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: Count,
    pos: u128,
    neg: u128,
}

#[derive(Clone, Copy, Debug)]
struct Member<W> {
    code: u32,
    positive: bool,
    cluster: u32,
    key: u32,
    weight: W,
}

/// Numbers of rows, their units, and with weights the sums of squared units.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    rows: Count,
    units: Count,
    squares: [u128; 2],
}

/// The rows of all keys, sorted by the codes of one score.
#[derive(Clone, Debug)]
pub struct ByCluster<W = ()> {
    /// All rows, highest score first.
    members: Vec<Member<W>>,
    /// The rows of each key.
    by_key: Vec<Vec<Member<W>>>,
    clusters: Vec<u32>,
}

impl ByCluster {
    /// Sorts rows by one score.
    pub fn new(rows: &Rows, score: usize) -> Self {
        let (clusters, keys) = (&rows.clusters.row_codes, &rows.keys.row_codes);
        let in_order = rows.scores[score].in_order(|row| (keys[row], clusters[row], rows.labels[row]));
        let member = |(code, (key, cluster, positive))| Member { code, positive, cluster, key, weight: () };
        Self::from_members(in_order.into_iter().rev().map(member).collect(), rows)
    }
}

impl ByCluster<u64> {
    /// Sorts weighted rows by one score.
    pub fn from_weighted(rows: &Rows, score: usize) -> Self {
        let units = units_of_rows(rows);
        let in_order = rows.scores[score].in_order(|row| row as u32);
        let member = |(code, row)| {
            let row = row as usize;
            let (positive, cluster, key) =
                (rows.labels[row], rows.clusters.row_codes[row], rows.keys.row_codes[row]);
            Member { code, positive, cluster, key, weight: units[row] }
        };
        Self::from_members(in_order.into_iter().rev().map(member).collect(), rows)
    }
}

impl<W: RowWeight> ByCluster<W> {
    fn from_members(members: Vec<Member<W>>, rows: &Rows) -> Self {
        let mut by_key = vec![Vec::new(); rows.keys.distinct];
        members.iter().for_each(|&member| by_key[member.key as usize].push(member));
        ByCluster { members, by_key, clusters: (0..rows.clusters.distinct as u32).collect() }
    }

    /// The number of keys.
    pub fn keys(&self) -> usize {
        self.by_key.len()
    }

    /// The positives and negatives of a key.
    pub fn count(&self, key: usize) -> Count {
        Totals::new(self.by_key[key].iter()).rows
    }

    /// For each key its share of the weight of a class, times the number of rows of the class; without
    /// weights, its rows.
    pub fn counts_by_weight(&self) -> Vec<Count<f64>> {
        let key_values = |members: &Vec<Member<W>>| Totals::new(members.iter());
        let (rows, units) = self.by_key.iter().map(key_values).map(|key| (key.rows, key.units)).unzip();
        counts_by_weight(rows, units)
    }

    /// The number of all clusters.
    pub fn number_of_clusters(&self) -> usize {
        self.clusters.len()
    }

    /// The sorted clusters with rows of a key.
    pub fn clusters(&self, key: usize) -> Vec<u32> {
        let mut clusters: Vec<u32> = self.by_key[key].iter().map(|member| member.cluster).collect();
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
        let index = |cluster| clusters.binary_search(&cluster).unwrap_or_default();
        self.area_of(self.by_key[key].iter(), &clusters, index, ties)
    }

    /// The area of all rows.
    pub fn overall(&self) -> Option<ClusteredArea> {
        self.area_of(self.members.iter(), &self.clusters, |cluster| cluster as usize, TieShare::Half)
    }

    /// The area of all rows except a key's, in `O(n)`.
    pub fn without(&self, key: usize) -> Option<ClusteredArea> {
        let others = self.members.iter().filter(|member| member.key as usize != key);
        self.area_of(others, &self.clusters, |cluster| cluster as usize, TieShare::Half)
    }

    /// The area of rows in these clusters, highest score first; each cluster has an index.
    fn area_of<'a>(
        &self,
        members: impl Iterator<Item = &'a Member<W>> + Clone,
        clusters: &[u32],
        index: impl Fn(u32) -> usize,
        ties: TieShare,
    ) -> Option<ClusteredArea>
    where
        W: 'a,
    {
        interrupt::check();
        let totals = Totals::new(members.clone());
        let Count { pos, neg } = totals.units;
        if pos == 0 || neg == 0 {
            return None;
        }
        let mut sums = vec![Sums::default(); clusters.len()];
        let mut twice_u = 0;
        for (member, twice, tied) in doubled_placements(members, totals.units) {
            let sums = &mut sums[index(member.cluster)];
            sums.count.add(member.positive, member.weight.units());
            let units = u128::from(member.weight.units());
            if member.positive {
                twice_u += units * u128::from(twice);
                sums.pos += units * u128::from(twice - ties.left_out(tied));
            } else {
                sums.neg += units * u128::from(twice - ties.left_out(tied));
            }
        }
        let residual = if W::IS_WEIGHT { weighted_residual } else { residual };
        let filled = clusters.iter().zip(&sums).filter(|(_, sums)| sums.count.rows() > 0);
        let residuals = filled
            .map(|(&cluster, sums)| Residual {
                cluster,
                count: sums.count,
                pos: residual(sums.pos, sums.count.pos, twice_u, pos, neg),
                neg: residual(sums.neg, sums.count.neg, twice_u, neg, pos),
            })
            .collect();
        let auc = quotient(twice_u, 2 * u128::from(pos) * u128::from(neg));
        let weights = W::IS_WEIGHT.then(|| totals.weights());
        Some(ClusteredArea::new(auc, totals.rows, weights, residuals))
    }
}

impl Totals {
    fn new<'a, W: RowWeight + 'a>(members: impl Iterator<Item = &'a Member<W>>) -> Self {
        let mut totals = Totals::default();
        for &Member { positive, weight, .. } in members {
            totals.rows.add(positive, 1);
            if W::IS_WEIGHT {
                let units = weight.units();
                totals.units.add(positive, units);
                totals.squares[usize::from(positive)] += u128::from(units) * u128::from(units);
            }
        }
        if !W::IS_WEIGHT {
            totals.units = totals.rows;
        }
        totals
    }

    fn weights(&self) -> WeightTotals {
        let [neg, pos] = self.squares.map(|squares| squares as f64);
        let sums = Count { pos: self.units.pos as f64, neg: self.units.neg as f64 };
        WeightTotals { sums, squares: Count { pos, neg } }
    }
}

/// The sum over the rows of one class in a cluster of the weighted placement minus its mean, in units of the
/// class. The sums may have 127 bits, so their products have up to 190.
fn weighted_residual(sum: u128, cluster_rows: u64, twice_u: u128, class_values: u64, others: u64) -> f64 {
    let surplus = signed_product_difference(class_values.into(), sum, cluster_rows.into(), twice_u);
    surplus / (2 * u128::from(class_values) * u128::from(others)) as f64
}

/// For each key its share of the weight of a class, times the number of rows of the class. With equal weights
/// these are its rows.
pub(super) fn counts_by_weight(rows: Vec<Count>, units: Vec<Count>) -> Vec<Count<f64>> {
    let [rows, all] = [&rows, &units].map(Count::sum);
    let count = |rows: u64, units: u64, all: u64| match all {
        0 => 0.0,
        _ => quotient(u128::from(rows) * u128::from(units), all.into()),
    };
    let key_values = |units: &Count| Count {
        pos: count(rows.pos, units.pos, all.pos),
        neg: count(rows.neg, units.neg, all.neg),
    };
    units.iter().map(key_values).collect()
}

/// Each row with its doubled placement in the other class, ties counting once, and the number of these ties;
/// with weights, in units of the other class. A placement counts the negatives below a positive, or the
/// positives above a negative.
fn doubled_placements<'a, W: RowWeight + 'a>(
    members: impl Iterator<Item = &'a Member<W>> + Clone,
    all: Count,
) -> impl Iterator<Item = (&'a Member<W>, u64, u64)> {
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
                tied.add(next.positive, next.weight.units());
            }
        }
        if member.positive {
            (member, 2 * (all.neg - above.neg) - tied.neg, tied.neg)
        } else {
            (member, 2 * above.pos + tied.pos, tied.pos)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use crate::ranking::rows::Codes;
    use crate::statistics::inference::{WeightedAreas, delong::Areas};
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
                let areas = Areas::new(&rows)?.clustered(&rows);
                Some((areas[0].auc, areas[0].variance(), areas[0].clusters()))
            };
            let column = |f: fn(&(u8, i8, u32, u32)) -> u32| rows.iter().map(f).collect::<Vec<u32>>();
            let labels: Vec<u8> = rows.iter().map(|row| row.0).collect();
            let scores: Vec<f64> = rows.iter().map(|row| row.1.into()).collect();
            let keys = column(|row| row.2);
            let clusters = Codes::new(&column(|row| row.3));
            let by_cluster = ByCluster::new(&Rows { clusters, ..rows_of(&labels, &[&scores], &keys) }, 0);
            let parts = |area: ClusteredArea| (area.auc, area.variance(), area.clusters());
            prop_assert_eq!(by_cluster.overall().map(parts), expected(&|_| true));
            for (key, name) in BTreeSet::from_iter(keys).into_iter().enumerate() {
                prop_assert_eq!(by_cluster.area(key).map(parts), expected(&|other| other == name));
                prop_assert_eq!(by_cluster.without(key).map(parts), expected(&|other| other != name));
            }
        }
    }

    /// A row: label, score, weight, key and cluster.
    type Row = (u8, i8, u8, u32, u32);

    fn weighted(rows: &[Row], weight: f64, cluster: impl Fn(usize) -> u32) -> ByCluster<u64> {
        let labels: Vec<u8> = rows.iter().map(|row| row.0).collect();
        let scores: Vec<f64> = rows.iter().map(|row| row.1.into()).collect();
        let keys: Vec<u32> = rows.iter().map(|row| row.3).collect();
        let clusters = Codes::new(&(0..rows.len()).map(cluster).collect::<Vec<_>>());
        let weights = Some(rows.iter().map(|row| f64::from(row.2) * weight).collect());
        ByCluster::from_weighted(&Rows { clusters, weights, ..rows_of(&labels, &[&scores], &keys) }, 0)
    }

    fn areas_of<W: RowWeight>(by_cluster: &ByCluster<W>) -> Vec<Option<ClusteredArea>> {
        let keys = (0..by_cluster.keys()).map(|key| by_cluster.area(key));
        keys.chain([by_cluster.overall()]).collect()
    }

    proptest! {
        /// Each weighted area equals the area of a copy of its rows, and of rows that are clusters.
        #[test]
        fn weighted_areas(rows in proptest::collection::vec((0u8..2, -4i8..4, 1u8..9, 0u32..4, 0u32..5), 1..60), weight in 0.1..10.0f64) {
            let expected = |keep: &dyn Fn(u32) -> bool, is_clustered: bool| {
                let subset: Vec<Row> = rows.iter().filter(|row| keep(row.3)).copied().collect();
                let labels: Vec<u8> = subset.iter().map(|row| row.0).collect();
                let scores: Vec<f64> = subset.iter().map(|row| row.1.into()).collect();
                let weights = Some(subset.iter().map(|row| f64::from(row.2) * weight).collect());
                let clusters: Vec<u32> = if is_clustered { subset.iter().map(|row| row.4).collect() } else { Vec::new() };
                let rows = Rows { weights, ..rows_of(&labels, &[&scores], &clusters) };
                let areas = WeightedAreas::new(&rows)?;
                let size = areas.sample_size();
                Some((areas.auc(0), areas.variance(0), [size.rows.pos, size.rows.neg, size.units.pos, size.units.neg]))
            };
            let near = |got: Option<ClusteredArea>, expected: Option<(f64, Option<f64>, [f64; 4])>| {
                let (Some(got), Some((auc, variance, size))) = (&got, expected) else {
                    return got.is_none() && expected.is_none();
                };
                let close = |(a, b): (f64, f64)| (a - b).abs() <= 1e-13 * b.abs() + 1e-17;
                let f = got.sample_size();
                let sizes = [f.rows.pos, f.rows.neg, f.units.pos, f.units.neg];
                got.variance().is_some() == variance.is_some()
                    && close((got.auc, auc))
                    && got.variance().zip(variance).is_none_or(close)
                    && sizes.into_iter().zip(size).all(close)
            };
            let keys = BTreeSet::from_iter(rows.iter().map(|row| row.3));
            let by_cluster = weighted(&rows, weight, |row| rows[row].4);
            prop_assert!(near(by_cluster.overall(), expected(&|_| true, true)));
            let alone = weighted(&rows, weight, |row| row as u32);
            for (key, &name) in keys.iter().enumerate() {
                prop_assert!(near(by_cluster.area(key), expected(&|other| other == name, true)));
                prop_assert!(near(by_cluster.without(key), expected(&|other| other != name, true)));
                let area = alone.area(key);
                let size = |area: &ClusteredArea| area.sample_size().rows;
                let unclustered = expected(&|other| other == name, false).map(|(auc, variance, [pos, neg, ..])| {
                    let units = area.as_ref().map(|area| [area.with_pos, area.with_neg]).unwrap_or_default();
                    (auc, variance, [pos, neg, units[0] as f64, units[1] as f64])
                });
                prop_assert_eq!(area.as_ref().map(size).is_some(), unclustered.is_some());
                prop_assert!(near(area, unclustered));
            }
        }

        /// The covariance of two areas is the sum of products of their influences by cluster; equal weights
        /// only remove the factors.
        #[test]
        fn covariances_of_equal_weights(rows in proptest::collection::vec((0u8..2, -4i8..4, Just(3u8), 0u32..3, 0u32..6), 1..60)) {
            let weighted = weighted(&rows, 0.7, |row| rows[row].4);
            let keys: Vec<u32> = rows.iter().map(|row| row.3).collect();
            let labels: Vec<u8> = rows.iter().map(|row| row.0).collect();
            let scores: Vec<f64> = rows.iter().map(|row| row.1.into()).collect();
            let clusters = Codes::new(&rows.iter().map(|row| row.4).collect::<Vec<u32>>());
            let plain = ByCluster::new(&Rows { clusters, ..rows_of(&labels, &[&scores], &keys) }, 0);
            prop_assert_eq!(weighted.counts_by_weight(), plain.counts_by_weight());
            let (weighted, plain) = (areas_of(&weighted), areas_of(&plain));
            for (a, plain_a) in weighted.iter().zip(&plain) {
                for (b, plain_b) in weighted.iter().zip(&plain) {
                    let (Some(a), Some(b), Some(plain_a), Some(plain_b)) = (a, b, plain_a, plain_b) else {
                        prop_assert!(a.is_some() == plain_a.is_some() && b.is_some() == plain_b.is_some());
                        continue;
                    };
                    let covariance = a.covariance(b);
                    prop_assert_eq!(covariance.is_some(), plain_a.covariance(plain_b).is_some());
                    let Some(covariance) = covariance else { continue };
                    let mut expected = 0.0;
                    plain_a.for_shared(plain_b, |x, y| {
                        let influence = |area: &ClusteredArea, each: &Residual| {
                            each.pos / area.n_pos as f64 + each.neg / area.n_neg as f64
                        };
                        expected += influence(plain_a, x) * influence(plain_b, y);
                    });
                    prop_assert!((covariance - expected).abs() < 1e-14, "{covariance} {expected}");
                }
            }
        }
    }

    /// A key of few clusters and one of many, in either order.
    #[test]
    fn few_clusters_among_many() {
        let labels: Vec<u8> = (0..400).map(|row| u8::from(row % 3 == 0)).collect();
        let scores: Vec<f64> = (0..400).map(|row| f64::from(row * 7 % 11)).collect();
        let keys: Vec<u32> = (0..400).map(|row| u32::from(row >= 12)).collect();
        let clusters = Codes::new(&std::array::from_fn::<u32, 400, _>(|row| {
            (if row < 12 { row % 6 * 30 } else { row / 2 }) as u32
        }));
        let by_cluster = ByCluster::new(&Rows { clusters, ..rows_of(&labels, &[&scores], &keys) }, 0);
        let (few, many) = (by_cluster.area(0).unwrap(), by_cluster.area(1).unwrap());
        let mut pairs = Vec::new();
        few.for_shared(&many, |a, b| pairs.push((a.cluster, a.pos, b.pos)));
        let mut swapped = Vec::new();
        many.for_shared(&few, |b, a| swapped.push((a.cluster, a.pos, b.pos)));
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
        let clusters = Codes::new(&std::array::from_fn::<u32, 40, _>(|row| row as u32 % 20 / 4));
        let by_cluster = ByCluster::new(&Rows { clusters, ..rows_of(&labels, &[&scores], &keys) }, 0);
        let (a, b) = (by_cluster.area(0).unwrap(), by_cluster.area(1).unwrap());
        assert_eq!(a.covariance(&b), a.variance());
        assert_eq!(a.variance(), b.variance());
        assert!(a.variance().unwrap() > 0.0);
    }
}
