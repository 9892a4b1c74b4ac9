//! The AUC over the folds of a cross-validation with clustered rows.

use super::cv_roc_auc::{CvRocAuc, CvRocAucRecord, FoldInterval, WithinFolds};
use crate::math::sum::in_order;
use crate::statistics::inference::{ByCluster, ClusteredArea, Interval, Residual};
use crate::statistics::kinds::{Inputs, Joint, KeyInput, record};
use crate::statistics::options::{FromOptions, OptionError, Options, Word};
use crate::statistics::rows::Rows;

/// The mean of the areas of the folds, with an interval from the influence of each cluster.
///
/// The influence values of [`CvRocAuc`] are summed by cluster (LeDell, Petersen and van der Laan 2015, on
/// pooled repeated measures): `se² = sum over clusters of (sum of w D)² / n²`. Here D is a row's influence
/// value, and `w² = I / (k I_f)` with the number I of all clusters and I_f of clusters in the row's fold. A
/// cluster in several folds counts in each with the share of its rows there. DeLong: Obuchowski's (1997) sums
/// within each fold, added over folds; see [`WithinFolds`]. If each row is a cluster, both equal the errors
/// without clusters.
#[derive(Clone, Copy, Debug)]
pub struct CvRocAucClustered(pub CvRocAuc);

record! {
    /// The cross-validated area of one group of clusters.
    pub struct CvRocAucClusteredRecord {
        /// The fields of the record without clusters. The standard error is null with fewer than two clusters in
        /// folds with an AUC.
        pub folds: CvRocAucRecord,
        /// The number of clusters used; only with `cluster`.
        pub n_clusters: u64,
    }
}

impl FromOptions for CvRocAucClustered {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let method: FoldInterval = options.word("method")?;
        if method == FoldInterval::T {
            return Err(OptionError::new("method", format!("'{}' cannot use clusters", method.word()))
                .hint(
                    "write `method=\"delong\"` or `method=\"influence\"`, or leave `cluster` out if each cluster is in one fold",
                ));
        }
        Ok(CvRocAucClustered(CvRocAuc::from_options(options)?))
    }
}

impl Joint for CvRocAucClustered {
    type Record = CvRocAucClusteredRecord;

    const INPUTS: Inputs = Inputs::scores(Some(1)).clustered().keyed(KeyInput::called("fold"));

    fn evaluate(&self, rows: &Rows) -> CvRocAucClusteredRecord {
        let by_cluster = ByCluster::new(rows, 0);
        let folds: Vec<ClusteredArea> =
            (0..by_cluster.keys()).filter_map(|fold| by_cluster.area_with(fold, self.0.ties)).collect();
        let none = CvRocAucRecord::undefined(rows);
        let mut record = none.with_areas(folds.iter().map(|fold| fold.auc), by_cluster.keys());
        if let Some(mean) = record.auc {
            record.interval = if self.0.method == FoldInterval::DeLong {
                self.within_folds(mean, &folds)
            } else {
                let se = standard_error(&folds, rows.clusters.distinct);
                se.map(|se| Interval::normal(mean, se, self.0.level)).unwrap_or_default()
            };
        }
        CvRocAucClusteredRecord { folds: record, n_clusters: rows.clusters.distinct as u64 }
    }

    fn nan_record(&self, rows: &Rows) -> CvRocAucClusteredRecord {
        let n_clusters = rows.clusters.distinct as u64;
        CvRocAucClusteredRecord { n_clusters, ..CvRocAucClusteredRecord::nan(rows) }
    }
}

/// The standard error of the mean of the folds' areas; undefined with fewer than two clusters.
fn standard_error(folds: &[ClusteredArea], clusters: usize) -> Option<f64> {
    let mut rows_of_cluster = vec![0; clusters];
    for residual in folds.iter().flat_map(|fold| &fold.residuals) {
        rows_of_cluster[residual.cluster as usize] += residual.count.rows();
    }
    let used = rows_of_cluster.iter().filter(|&&rows| rows > 0).count();
    if used < 2 {
        return None;
    }
    let class_total = |count: fn(&ClusteredArea) -> u64| folds.iter().map(count).sum::<u64>() as f64;
    let (pos, neg) = (class_total(|fold| fold.n_pos), class_total(|fold| fold.n_neg));
    // The contribution of each cluster in each fold. Sorted, so that the names of folds do not affect
    // rounding.
    let mut influences: Vec<(u32, f64)> = Vec::new();
    for fold in folds {
        let share = |residual: &Residual| {
            residual.count.rows() as f64 / rows_of_cluster[residual.cluster as usize] as f64
        };
        let fold_share: f64 = in_order(fold.residuals.iter().map(share)).into_iter().sum();
        let weight = (used as f64 / (folds.len() as f64 * fold_share)).sqrt();
        let influence = |residual: &Residual| weight * (residual.pos / pos + residual.neg / neg);
        influences.extend(fold.residuals.iter().map(|residual| (residual.cluster, influence(residual))));
    }
    Some(root_of_squares(influences))
}

/// The root of the sum over clusters of squared sums.
fn root_of_squares(mut influences: Vec<(u32, f64)>) -> f64 {
    influences.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let squares = influences.chunk_by(|a, b| a.0 == b.0).map(|cluster_influences| {
        cluster_influences.iter().map(|influence| influence.1).sum::<f64>().powi(2)
    });
    in_order(squares).into_iter().sum::<f64>().sqrt()
}

impl CvRocAucClustered {
    /// From the variances within folds.
    fn within_folds(&self, mean: f64, folds: &[ClusteredArea]) -> Interval {
        let class_total = |count: fn(&ClusteredArea) -> u64| folds.iter().map(count).sum::<u64>();
        let (pos, neg) = (class_total(|fold| fold.with_pos), class_total(|fold| fold.with_neg));
        let Some(within) = WithinFolds::new(pos, neg, folds.len() as u64) else { return Interval::default() };
        let factors = within.factors();
        let (pos_factor, neg_factor) = (factors.0.sqrt(), factors.1.sqrt());
        let influences = folds.iter().flat_map(|fold| {
            let (pos, neg) = (pos_factor / fold.n_pos as f64, neg_factor / fold.n_neg as f64);
            fold.residuals.iter().map(move |each| (each.cluster, pos * each.pos + neg * each.neg))
        });
        let se = root_of_squares(influences.collect()) / folds.len() as f64;
        within.interval(mean, se, self.0.level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::rows::Codes;
    use crate::statistics::folds::cv_roc_auc;
    use crate::statistics::inference::TieShare;
    use crate::statistics::options::{OptionValue, tests::options};

    const INFLUENCE: CvRocAuc =
        CvRocAuc { method: FoldInterval::Influence, ties: TieShare::Half, level: 0.95 };

    fn in_clusters(clusters: &[u32]) -> CvRocAucClusteredRecord {
        with_ties(TieShare::Half, clusters)
    }

    fn with_ties(ties: TieShare, clusters: &[u32]) -> CvRocAucClusteredRecord {
        let clusters = Codes::new(clusters);
        CvRocAucClustered(CvRocAuc { ties, ..INFLUENCE })
            .evaluate(&Rows { clusters, ..cv_roc_auc::tests::sample() })
    }

    #[test]
    fn clusters_of_one() {
        let alone = in_clusters(&(0..12).collect::<Vec<u32>>());
        let without = INFLUENCE.evaluate(&cv_roc_auc::tests::sample());
        assert_eq!(
            (alone.folds.auc, alone.folds.sd, alone.folds.n_folds),
            (without.auc, without.sd, without.n_folds)
        );
        assert_eq!(
            (alone.folds.n_undefined, alone.folds.rows.pos, alone.folds.rows.neg, alone.n_clusters),
            (1, 7, 5, 12)
        );
        assert!((alone.folds.interval.se.unwrap() - without.interval.se.unwrap()).abs() < 1e-15);
        assert!((alone.folds.interval.upper.unwrap() - without.interval.upper.unwrap()).abs() < 1e-15);
        let zero = CvRocAuc { ties: TieShare::Zero, ..INFLUENCE }.evaluate(&cv_roc_auc::tests::sample());
        let alone = with_ties(TieShare::Zero, &(0..12).collect::<Vec<u32>>());
        assert!((alone.folds.interval.se.unwrap() - zero.interval.se.unwrap()).abs() < 1e-15);
        assert_ne!(zero.interval.se, without.interval.se);
        let delong = CvRocAuc { method: FoldInterval::DeLong, ..INFLUENCE };
        let clusters = Codes::new(&std::array::from_fn::<u32, 12, _>(|row| row as u32));
        let alone = CvRocAucClustered(delong)
            .evaluate(&Rows { clusters, ..cv_roc_auc::tests::sample() })
            .folds
            .interval;
        let without = delong.evaluate(&cv_roc_auc::tests::sample()).interval;
        assert!((alone.se.unwrap() - without.se.unwrap()).abs() < 1e-15);
        assert!((alone.lower.unwrap() - without.lower.unwrap()).abs() < 1e-14);
    }

    /// By hand. In fold 9 placements differ from the area by 1/4: less for a positive and a negative in
    /// cluster 2, more in cluster 3. In fold 10 a positive in cluster 2 is less, and one in cluster 3 more.
    #[test]
    fn clusters_that_span_folds() {
        let record = in_clusters(&[0, 0, 1, 1, 2, 3, 2, 3, 2, 3, 3, 9]);
        let (p, n) = (6.0, 5.0);
        // Clusters 2 and 3 have 2 of 3 and 2 of 4 rows in fold 9: 7/6 clusters, and 5/6 in fold 10.
        let (nine, ten) = ((4.0f64 / (4.0 * 7.0 / 6.0)).sqrt(), (4.0f64 / (4.0 * 5.0 / 6.0)).sqrt());
        let two = nine * (0.25 / p + 0.25 / n) + ten * 0.25 / p;
        let se = (2.0 * two * two).sqrt();
        assert!((record.folds.interval.se.unwrap() - se).abs() < 1e-15, "{record:?} {se}");
        let one = in_clusters(&[5; 12]);
        assert_eq!((one.folds.interval.se, one.folds.interval.lower, one.n_clusters), (None, None, 1));
        assert!(one.folds.auc.is_some());
        let by_t = options([("method", OptionValue::Word("t".into())), ("level", OptionValue::Float(0.9))]);
        assert_eq!(CvRocAucClustered::from_options(&by_t).unwrap_err().option, "method");
    }
}
