//! Confidence intervals of the area under the ROC curve for clustered rows.

use super::roc_auc_ci::{BootstrapInterval, IntervalMethod, RocAucCi, RocAucCiRecord};
use crate::statistics::inference::{Areas, Interval, SampleSize, WeightedAreas};
use crate::statistics::kinds::{Inputs, Joint, KeyInput, Needs, Summary, record};
use crate::statistics::options::{FromOptions, OptionError, Options, Word};
use crate::statistics::resampling::Resampling;
use crate::statistics::rows::Rows;

/// The AUC of clustered rows, with its standard error and interval.
///
/// For weighted rows, the [infinitesimal jackknife](crate::statistics::inference::weighted_areas) over whole
/// clusters.
#[derive(Clone, Copy, Debug)]
pub struct RocAucCiClustered(pub RocAucCi);

record! {
    /// The interval of one group of clusters.
    pub struct RocAucCiClusteredRecord {
        /// The fields of the record without clusters. The standard error is null with fewer than two clusters that
        /// contain positives, or negatives.
        pub area: RocAucCiRecord,
        /// The number of clusters used; only with `cluster`.
        pub n_clusters: u64,
    }
}

impl FromOptions for RocAucCiClustered {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let ci = RocAucCi::from_options(options)?;
        match (ci.method, ci.interval) {
            (method @ (IntervalMethod::HanleyMcneil | IntervalMethod::Obuchowski), _) => {
                Err(OptionError::new("method", format!("'{}' cannot use clusters", method.word()))
                    .hint("take \"wilson\", \"delong\", \"logit\" or \"bootstrap\""))
            }
            (_, Some(BootstrapInterval::Bca)) => {
                Err(OptionError::new("interval", "'bca' cannot use clusters")
                    .hint("take `interval=\"percentile\"`"))
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

    const WEIGHTS: bool = true;

    fn needs_with_weights(&self) -> Needs {
        Needs::CODES
    }

    fn passes(&self) -> usize {
        4 + self.0.resampling().map_or(1, Resampling::passes)
    }

    fn evaluate(&self, rows: &Rows) -> RocAucCiClusteredRecord {
        let n_clusters = rows.keys.distinct as u64;
        if rows.weights.is_some() {
            return self.evaluate_weighted(rows);
        }
        let Some(areas) = Areas::new(rows) else {
            return RocAucCiClusteredRecord { n_clusters, ..RocAucCiClusteredRecord::undefined(rows) };
        };
        let area = &areas.clustered(rows)[0];
        let (auc, size) = (area.auc, area.sample_size());
        let interval = area.variance().map(|variance| match self.0.method {
            IntervalMethod::Bootstrap => {
                let areas = self.0.resampling.unwrap_or_default().areas_of_rows(&rows.in_canonical_order());
                self.0.resample_interval(auc, areas, || 0.0)
            }
            _ => self.0.limits(auc, variance.sqrt(), size),
        });
        self.record(rows, auc, interval, size)
    }

    fn nan_record(&self, rows: &Rows) -> RocAucCiClusteredRecord {
        let n_clusters = rows.keys.distinct as u64;
        RocAucCiClusteredRecord { n_clusters, ..RocAucCiClusteredRecord::nan(rows) }
    }
}

impl RocAucCiClustered {
    /// The record of an area from this sample.
    fn record(
        &self,
        rows: &Rows,
        auc: f64,
        interval: Option<Interval>,
        size: SampleSize,
    ) -> RocAucCiClusteredRecord {
        let interval = interval.unwrap_or_default();
        let (z, p_value) = interval.se.map_or((None, None), |se| self.0.test_of(auc, se, size));
        let area = RocAucCiRecord::new(Some(auc), interval, z, p_value, rows.into());
        RocAucCiClusteredRecord { area, n_clusters: rows.keys.distinct as u64 }
    }

    fn evaluate_weighted(&self, rows: &Rows) -> RocAucCiClusteredRecord {
        let Some(areas) = WeightedAreas::new(rows) else {
            let n_clusters = rows.keys.distinct as u64;
            return RocAucCiClusteredRecord { n_clusters, ..RocAucCiClusteredRecord::undefined(rows) };
        };
        let (auc, size) = (areas.auc(0), areas.sample_size());
        let interval = areas.variance(0).map(|variance| self.0.limits(auc, variance.sqrt(), size));
        self.record(rows, auc, interval, size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::intervals::roc_auc_ci::tests::NINETY_FIVE;
    use crate::statistics::options::{OptionValue, tests::options};
    use crate::statistics::tests::rows_of;

    fn sample(keys: &[u32]) -> Rows {
        let labels: Vec<u8> = (0..60).map(|row| u8::from(row % 5 < 2)).collect();
        let scores: Vec<f64> =
            (0..60).map(|row| f64::from((row * 17) % 23 + 6 * i32::from(row % 5 < 2))).collect();
        rows_of(&labels, &[&scores], keys)
    }

    /// One row per cluster gives DeLong's interval. Clusters of five rows, each with both classes, give
    /// another one.
    #[test]
    fn clusters_of_one_and_of_five() {
        let statistic = RocAucCiClustered(NINETY_FIVE);
        let alone = statistic.evaluate(&sample(&(0..60).collect::<Vec<u32>>()));
        let areas = sample(&[]);
        let se = Areas::new(&areas).unwrap().covariance(0, 0).unwrap().sqrt();
        assert!((alone.area.interval.se.unwrap() - se).abs() < 1e-14);
        assert_eq!((alone.area.rows.pos, alone.area.rows.neg, alone.n_clusters), (24, 36, 60));
        let fives = statistic.evaluate(&sample(&(0..60).map(|row| row / 5).collect::<Vec<u32>>()));
        assert_eq!((fives.area.auc, fives.n_clusters), (alone.area.auc, 12));
        assert!((fives.area.interval.se.unwrap() / se - 1.0).abs() > 0.01);
        let bootstrap = RocAucCiClustered(RocAucCi { method: IntervalMethod::Bootstrap, ..statistic.0 });
        let bootstrap = bootstrap.evaluate(&sample(&(0..60).map(|row| row / 5).collect::<Vec<u32>>()));
        // With twelve clusters, the variance of the bootstrap lacks the factor 12 / 11.
        assert!(
            (bootstrap.area.interval.se.unwrap() / fives.area.interval.se.unwrap() - 1.0).abs() < 0.15,
            "{bootstrap:?} {fives:?}"
        );
    }

    #[test]
    fn one_cluster_has_no_error() {
        let record = RocAucCiClustered(NINETY_FIVE).evaluate(&sample(&[3; 60]));
        assert_eq!((record.area.interval.se, record.area.interval.lower, record.n_clusters), (None, None, 1));
        let word = |text: &str| OptionValue::Word(text.into());
        for (method, interval) in [("hanley_mcneil", OptionValue::Absent), ("bootstrap", word("bca"))] {
            let written = options([
                ("method", word(method)),
                ("interval", interval),
                ("level", OptionValue::Float(0.95)),
                ("standardized", OptionValue::Truth(false)),
                ("alternative", word("two-sided")),
            ]);
            let error = RocAucCiClustered::from_options(&written).unwrap_err();
            assert!(error.reason.contains("cannot use clusters"), "{error}");
        }
    }
}
