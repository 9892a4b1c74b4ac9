//! One file a statistic: its options, its record, the formula with its source, and its tests.
//!
//! A statistic is a plain value holding its options. A [`Summary`] answers a group with one record,
//! a [`Curve`] with any number of them. Both see the [`Ties`] of rows that can be ranked. A [`Joint`]
//! statistic is about several columns row by row, and sees [`Rows`]. NaN scores and missing rows are handled before a
//! statistic is called.

#![forbid(unsafe_code)]

pub mod adjust_p_values;
pub mod alternative;
pub mod average_precision;
pub mod average_roc_curve;
pub mod band_coverage;
pub mod bca;
pub mod binormal;
pub mod bootstrap;
pub mod bootstrap_ci;
pub mod bound;
pub mod brunner_munzel;
pub mod by_cluster;
pub mod by_key;
pub mod cap_curve;
pub mod class_components;
pub mod class_pairs;
pub mod column;
pub mod columnwise;
pub mod compare_segments;
pub mod compare_segments_clustered;
pub mod concordance_index;
pub mod confusion;
pub mod confusion_at;
pub mod cost_curve;
pub mod covariate_adjusted_roc_curve;
pub mod curve;
pub mod curve_likelihood;
pub mod curve_sample;
pub mod curvewise;
pub mod cv_roc_auc;
pub mod cv_roc_auc_clustered;
pub mod cv_roc_auc_difference;
pub mod delong;
pub mod det_curve;
pub mod error_method;
pub mod exact_ks;
pub mod exact_rank_sum;
pub mod fixed_width_band;
pub mod gains_table;
pub mod gini;
pub mod gini_index;
pub mod grouped_roc_auc;
pub mod grouped_roc_auc_difference;
pub mod hodges_lehmann;
pub mod hypothesis;
pub mod interval;
pub mod jackknife;
pub mod joint;
pub mod kruskal_wallis;
pub mod ks_statistic;
pub mod likelihood_band;
pub mod mann_whitney_u;
pub mod mean_positive_rank;
pub mod measure;
pub mod moved_ranks;
pub mod mrmc_roc_auc;
pub mod null_distribution;
pub mod operating_point;
pub mod order_statistics_band;
pub mod pack_state;
pub mod partial_area;
pub mod partial_placements;
pub mod points;
pub mod population_stability;
pub mod power;
pub mod pr_curve;
pub mod rank_agreement;
pub mod rate_at_rate;
pub mod record;
pub mod redraw;
pub mod regional_band;
pub mod roc_auc;
pub mod roc_auc_bounds;
pub mod roc_auc_ci;
pub mod roc_auc_ci_clustered;
pub mod roc_auc_ci_partial;
pub mod roc_auc_compare;
pub mod roc_auc_difference;
pub mod roc_auc_difference_power;
pub mod roc_auc_multiclass;
pub mod roc_auc_multiclass_ci;
pub mod roc_auc_ordinal;
pub mod roc_auc_ordinal_ci;
pub mod roc_auc_unpaired_difference;
pub mod roc_band;
pub mod roc_band_of_folds;
pub mod roc_convex_hull;
pub mod roc_curve;
pub mod roc_curve_at;
pub mod roc_curve_at_threshold;
pub mod roc_curve_difference;
pub mod roc_curve_thinned;
pub mod roc_difference_band;
pub mod roc_state;
pub mod roc_summary;
pub mod score_bands;
pub mod segment_areas;
pub mod simultaneous_limits;
pub mod smooth_curve;
pub mod smoothed_bootstrap_band;
pub mod subgroup_auc;
pub mod subgroup_auc_ci;
pub mod summary;
pub mod sweep;
pub mod thinning;
pub mod threshold_ellipses;
pub mod working_hotelling_band;

pub use adjust_p_values::{AdjustPValues, Adjustment};
pub use alternative::Alternative;
pub use average_precision::AveragePrecision;
pub use average_roc_curve::AverageRocCurve;
pub use band_coverage::BandCoverage;
pub use binormal::{BinormalCurve, RocBinormal};
pub use bootstrap::Resampling;
pub use bootstrap_ci::{
    BootstrapAveragePrecision, BootstrapConfusionAt, BootstrapGini, BootstrapKsStatistic,
    BootstrapMeanPositiveRank, BootstrapOperatingPoint, BootstrapRocAuc, BootstrapRocSummary,
};
pub use brunner_munzel::BrunnerMunzel;
pub use cap_curve::CapCurve;
pub use column::{Column, Field, FieldKind};
pub use columnwise::Columnwise;
pub use compare_segments::CompareSegments;
pub use compare_segments_clustered::CompareSegmentsClustered;
pub use concordance_index::ConcordanceIndex;
pub use confusion_at::{ConfusionAt, ConfusionsAt};
pub use cost_curve::CostCurve;
pub use covariate_adjusted_roc_curve::CovariateAdjustedRocCurve;
pub use curve::Curve;
pub use curvewise::Curvewise;
pub use cv_roc_auc::CvRocAuc;
pub use cv_roc_auc_clustered::CvRocAucClustered;
pub use cv_roc_auc_difference::CvRocAucDifference;
pub use det_curve::DetCurve;
pub use gains_table::GainsTable;
pub use gini::Gini;
pub use gini_index::GiniIndex;
pub use grouped_roc_auc::GroupedRocAuc;
pub use grouped_roc_auc_difference::GroupedRocAucDifference;
pub use hodges_lehmann::HodgesLehmann;
pub use interval::check_level;
pub use joint::{Inputs, Joint, KeyInput, KeyKind, Needs};
pub use kruskal_wallis::KruskalWallis;
pub use ks_statistic::KsStatistic;
pub use mann_whitney_u::MannWhitneyU;
pub use mean_positive_rank::MeanPositiveRank;
pub use measure::Measure;
pub use mrmc_roc_auc::MrmcRocAuc;
pub use operating_point::OperatingPoint;
pub use pack_state::{PackState, UnpackState};
pub use population_stability::PopulationStability;
pub use power::{RocAucPower, RocAucPowerAuc, RocAucPowerLevel, RocAucSampleSize};
pub use pr_curve::PrCurve;
pub use rank_agreement::RankAgreement;
pub use rate_at_rate::{FprAtTpr, TprAtFpr};
pub use record::Record;
pub use roc_auc::RocAuc;
pub use roc_auc_bounds::RocAucBounds;
pub use roc_auc_ci::RocAucCi;
pub use roc_auc_ci_clustered::RocAucCiClustered;
pub use roc_auc_ci_partial::RocAucCiPartial;
pub use roc_auc_compare::RocAucCompare;
pub use roc_auc_difference::RocAucDifference;
pub use roc_auc_difference_power::RocAucDifferencePower;
pub use roc_auc_multiclass::RocAucMulticlass;
pub use roc_auc_multiclass_ci::RocAucMulticlassCi;
pub use roc_auc_ordinal::RocAucOrdinal;
pub use roc_auc_ordinal_ci::RocAucOrdinalCi;
pub use roc_auc_unpaired_difference::RocAucUnpairedDifference;
pub use roc_band::RocBand;
pub use roc_band_of_folds::RocBandOfFolds;
pub use roc_convex_hull::RocConvexHull;
pub use roc_curve::RocCurve;
pub use roc_curve_at::RocCurveAt;
pub use roc_curve_at_threshold::RocCurveAtThreshold;
pub use roc_curve_difference::RocCurveDifference;
pub use roc_curve_thinned::RocCurveThinned;
pub use roc_difference_band::RocDifferenceBand;
pub use roc_state::RocState;
pub use roc_summary::RocSummary;
pub use subgroup_auc::SubgroupAuc;
pub use subgroup_auc_ci::SubgroupAucCi;
pub use summary::{Given, Summary};

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::ranking::bits::tests::packed;
    use crate::ranking::{Bits, Codes, Group, KeyPlacements, RowPlacements, Rows, Score, Ties};

    /// Calls `ask` with the ties of scores and 0/1 labels.
    pub fn with_ties<S: Score, R>(labels: &[u8], scores: &[S], ask: impl FnOnce(Ties<'_>) -> R) -> R {
        assert_eq!(labels.len(), scores.len());
        let mut bytes = vec![0; labels.len() / 8 + 1];
        for (row, label) in labels.iter().enumerate() {
            bytes[row / 8] |= label << (row % 8);
        }
        let mut group = Group::default();
        group.load(scores, Bits::new(&bytes, 0, labels.len()), None);
        ask(group.ties())
    }

    /// The record of one group whose rows have weights.
    pub fn weighted_summary<M: Summary, S: Score>(
        statistic: &M,
        labels: &[u8],
        scores: &[S],
        weights: &[f64],
    ) -> M::Record {
        assert!(M::WEIGHTS);
        let bytes = packed(labels.iter().map(|&label| label == 1));
        let mut group = Group::default();
        group.load_weighted(scores, Bits::new(&bytes, 0, labels.len()), weights, None);
        statistic.of_ties(group.ties())
    }

    /// Rows of labels and scores.
    pub fn rows_of(labels: &[u8], scores: &[&[f64]], keys: &[u32]) -> Rows {
        Rows {
            len: scores[0].len(),
            labels: labels.iter().map(|&label| label == 1).collect(),
            scores: scores.iter().map(|scores| Codes::of(scores.iter().copied())).collect(),
            placements: if labels.len() == scores[0].len() {
                let labels: Vec<bool> = labels.iter().map(|&label| label == 1).collect();
                scores.iter().map(|scores| RowPlacements::of(scores, &labels)).collect()
            } else {
                Vec::new()
            },
            key_placements: if labels.len() == keys.len() {
                let labels: Vec<bool> = labels.iter().map(|&label| label == 1).collect();
                let keys = Codes::of(keys.iter().copied());
                scores.iter().map(|scores| KeyPlacements::of(scores, &labels, &keys)).collect()
            } else {
                Vec::new()
            },
            values: scores.iter().map(|scores| scores.to_vec()).collect(),
            nan_keys: Vec::new(),
            keys: Codes::of(keys.iter().copied()),
            clusters: Codes::default(),
            key_places: Vec::new(),
            key_series: Vec::new(),
            weights: None,
        }
    }

    /// The record of one group.
    pub fn summary<M: Summary, S: Score>(statistic: &M, labels: &[u8], scores: &[S]) -> M::Record {
        with_ties(labels, scores, |ties| statistic.of_ties(ties))
    }
}
