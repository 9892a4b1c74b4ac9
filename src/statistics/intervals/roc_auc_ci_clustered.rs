//! Confidence intervals of the area under the ROC curve of rows that come in clusters.

use super::roc_auc_ci::{BootstrapInterval, IntervalMethod, RocAucCi};
use crate::ranking::rows::Rows;
use crate::statistics::inference::delong::Areas;
use crate::statistics::kinds::{
    FromOptions, Inputs, Joint, KeyInput, Needs, OptionError, Options, Summary, Word, record::record,
};
use crate::statistics::resampling::{Measure, bootstrap::Resampling};

/// The AUC of rows that come in clusters, with its standard error and interval.
#[derive(Clone, Copy, Debug)]
pub struct RocAucCiClustered(pub RocAucCi);

record! {
    /// The interval of one group of clusters.
    pub struct RocAucCiClusteredRecord {
        /// The area; null without a positive or without a negative.
        pub auc: Option<f64>,
        /// Its standard error; null with fewer than two clusters that hold positives, or negatives.
        pub se: Option<f64>,
        /// The lower limit; null where the standard error is.
        pub lower: Option<f64>,
        /// The upper limit; null where the standard error is.
        pub upper: Option<f64>,
        /// The distance from the tested value in standard errors.
        pub z: Option<f64>,
        /// The p-value; null where z is.
        pub p_value: Option<f64>,
        /// Positives that were used.
        pub n_pos: u64,
        /// Negatives that were used.
        pub n_neg: u64,
        /// Clusters that were used.
        pub n_clusters: u64,
    }
}

impl FromOptions for RocAucCiClustered {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        if options.has_column("weight") {
            return Err(OptionError::new("cluster", "cannot be combined with weights")
                .instead("leave one of them out"));
        }
        let ci = RocAucCi::from_options(options)?;
        match (ci.method, ci.interval) {
            (method @ (IntervalMethod::HanleyMcneil | IntervalMethod::Obuchowski), _) => {
                Err(OptionError::new("method", format!("'{}' cannot use clusters", method.word()))
                    .instead("take \"delong\", \"logit\" or \"bootstrap\""))
            }
            (_, Some(BootstrapInterval::Bca)) => {
                Err(OptionError::new("interval", "'bca' cannot use clusters")
                    .instead("take `interval=\"percentile\"`"))
            }
            _ => Ok(RocAucCiClustered(ci)),
        }
    }
}

impl Joint for RocAucCiClustered {
    type Record = RocAucCiClusteredRecord;

    const INPUTS: Inputs = Inputs::scores(Some(1)).keyed(KeyInput::called("cluster"));

    fn needs(&self) -> Needs {
        let bootstrap = self.0.method == IntervalMethod::Bootstrap;
        Needs { codes: bootstrap, ..Needs::PLACEMENTS }
    }

    fn passes(&self) -> usize {
        4 + self.0.resampling().map_or(1, Resampling::passes)
    }

    fn of_rows(&self, rows: &Rows) -> RocAucCiClusteredRecord {
        let (n_pos, n_neg, clusters) = (rows.n_pos(), rows.n_neg(), rows.keys.distinct as u64);
        let Some(areas) = Areas::of(rows) else {
            let none = RocAucCiClusteredRecord::undefined();
            return RocAucCiClusteredRecord { n_pos, n_neg, n_clusters: clusters, ..none };
        };
        let auc = areas.auc(0);
        let clustered = areas.clustered(rows);
        let variance = clustered.covariance(0, 0);
        let limits = variance.map(|variance| match self.0.method {
            IntervalMethod::Bootstrap => {
                let measured =
                    self.0.resampling.unwrap_or_default().measures(&rows.in_canonical_order(), Measure::Auc);
                let defined = measured.into_iter().filter_map(|of| of[0]).collect();
                self.0.resampled(auc, defined, || 0.0)
            }
            // A sum of products over two clusters can be below 0.
            // At an AUC of 0 or 1 the logit interval uses the number of clusters in place of the number of rows.
            _ => self.0.around(auc, variance.max(0.0).sqrt(), clustered.with_pos, clustered.with_neg),
        });
        let (se, lower, upper) = limits.map_or((None, None, None), |(se, l, u)| (Some(se), Some(l), Some(u)));
        let tested = |se| self.0.tested(auc, se, clustered.with_pos, clustered.with_neg);
        let (z, p_value) = se.map_or((None, None), tested);
        RocAucCiClusteredRecord::new(Some(auc), se, lower, upper, z, p_value, n_pos, n_neg, clusters)
    }

    fn of_nan(&self, rows: &Rows) -> RocAucCiClusteredRecord {
        let (n_pos, n_neg) = (rows.n_pos(), rows.n_neg());
        let n_clusters = rows.keys.distinct as u64;
        RocAucCiClusteredRecord { n_pos, n_neg, n_clusters, ..RocAucCiClusteredRecord::nan() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::rows_of;

    fn sample(keys: &[u32]) -> Rows {
        let labels: Vec<u8> = (0..60).map(|row| u8::from(row % 5 < 2)).collect();
        let scores: Vec<f64> =
            (0..60).map(|row| f64::from((row * 17) % 23 + 6 * i32::from(row % 5 < 2))).collect();
        rows_of(&labels, &[&scores], keys)
    }

    /// Every row its own cluster: DeLong's interval. Rows in fives, each with both classes: another one.
    #[test]
    fn clusters_of_one_and_of_five() {
        let statistic = RocAucCiClustered(RocAucCi::default());
        let alone = statistic.of_rows(&sample(&(0..60).collect::<Vec<u32>>()));
        let areas = sample(&[]);
        let se = Areas::of(&areas).unwrap().covariance(0, 0).unwrap().sqrt();
        assert!((alone.se.unwrap() - se).abs() < 1e-14);
        assert_eq!((alone.n_pos, alone.n_neg, alone.n_clusters), (24, 36, 60));
        let fives = statistic.of_rows(&sample(&(0..60).map(|row| row / 5).collect::<Vec<u32>>()));
        assert_eq!((fives.auc, fives.n_clusters), (alone.auc, 12));
        assert!((fives.se.unwrap() / se - 1.0).abs() > 0.01);
        let resampled = RocAucCiClustered(RocAucCi { method: IntervalMethod::Bootstrap, ..statistic.0 });
        let resampled = resampled.of_rows(&sample(&(0..60).map(|row| row / 5).collect::<Vec<u32>>()));
        // With twelve clusters, the variance of the bootstrap lacks the factor 12 / 11.
        assert!((resampled.se.unwrap() / fives.se.unwrap() - 1.0).abs() < 0.15, "{resampled:?} {fives:?}");
    }

    #[test]
    fn one_cluster_says_nothing() {
        let record = RocAucCiClustered(RocAucCi::default()).of_rows(&sample(&[3; 60]));
        assert_eq!((record.se, record.lower, record.n_clusters), (None, None, 1));
        for refused in [
            RocAucCi { method: IntervalMethod::HanleyMcneil, ..RocAucCi::default() },
            RocAucCi {
                method: IntervalMethod::Bootstrap,
                interval: Some(BootstrapInterval::Bca),
                ..RocAucCi::default()
            },
        ] {
            assert!(RocAucCiClustered(refused).check().is_err());
        }
    }
}
