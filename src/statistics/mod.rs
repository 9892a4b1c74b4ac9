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
pub mod binormal;
pub mod bootstrap;
pub mod bootstrap_ci;
pub mod brunner_munzel;
pub mod by_cluster;
pub mod by_key;
pub mod cap_curve;
pub mod class_components;
pub mod class_pairs;
pub mod columnwise;
pub mod compare_segments;
pub mod compare_segments_clustered;
pub mod concordance_index;
pub mod confusion;
pub mod confusion_at;
pub mod cost_curve;
pub mod covariate_adjusted_roc_curve;
pub mod curve_likelihood;
pub mod curve_sample;
pub mod cv_roc_auc;
pub mod cv_roc_auc_clustered;
pub mod cv_roc_auc_difference;
pub mod delong;
pub mod det_curve;
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
pub mod jackknife;
pub mod kruskal_wallis;
pub mod ks_statistic;
pub mod likelihood_band;
pub mod mann_whitney_u;
pub mod mean_positive_rank;
pub mod measure;
pub mod moved_ranks;
pub mod mrmc_roc_auc;
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
pub mod sweep;
pub mod thinning;
pub mod threshold_ellipses;
pub mod unpack_state;
pub mod working_hotelling_band;

pub use adjust_p_values::{AdjustPValues, Adjustment};
pub use alternative::Alternative;
pub use average_precision::AveragePrecision;
pub use average_roc_curve::AverageRocCurve;
pub use band_coverage::{BandCoverage, Curvewise};
pub use binormal::{BinormalCurve, RocBinormal};
pub use bootstrap::Resampling;
pub use bootstrap_ci::{
    BootstrapAveragePrecision, BootstrapConfusionAt, BootstrapGini, BootstrapKsStatistic,
    BootstrapMeanPositiveRank, BootstrapOperatingPoint, BootstrapRocAuc, BootstrapRocSummary,
};
pub use brunner_munzel::BrunnerMunzel;
pub use cap_curve::CapCurve;
pub use columnwise::Columnwise;
pub use compare_segments::CompareSegments;
pub use compare_segments_clustered::CompareSegmentsClustered;
pub use concordance_index::ConcordanceIndex;
pub use confusion_at::{ConfusionAt, ConfusionsAt};
pub use cost_curve::CostCurve;
pub use covariate_adjusted_roc_curve::CovariateAdjustedRocCurve;
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
pub use kruskal_wallis::KruskalWallis;
pub use ks_statistic::KsStatistic;
pub use mann_whitney_u::MannWhitneyU;
pub use mean_positive_rank::MeanPositiveRank;
pub use measure::Measure;
pub use mrmc_roc_auc::MrmcRocAuc;
pub use operating_point::OperatingPoint;
pub use pack_state::PackState;
pub use population_stability::PopulationStability;
pub use power::{RocAucPower, RocAucPowerAuc, RocAucPowerLevel, RocAucSampleSize};
pub use pr_curve::PrCurve;
pub use rank_agreement::RankAgreement;
pub use rate_at_rate::{FprAtTpr, TprAtFpr};
pub use record::{Column, Field, FieldKind, Record};
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
pub use unpack_state::UnpackState;

use crate::ranking::{Limit, RowCounts, Rows, Ties};

/// Which optional columns were given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Weights of the rows.
    pub weight: bool,
    /// States of rows with weights, which have no more than sums of them.
    pub sums_of_weights: bool,
}

/// A statistic that answers each group with one record.
pub trait Summary: Sync {
    /// What a group is answered with.
    type Record: Record;

    /// Whether rows may have weights. The ties then count units: see [`Ties::units`].
    const WEIGHTS: bool = false;

    /// Whether the statistic needs the weight of each row, which a state does not have.
    const ROW_WEIGHTS: bool = false;

    /// Says what is wrong with the options beside the columns that were given, in words that name the option and what
    /// it may be.
    fn check(&self, _given: Given) -> Result<(), String> {
        Ok(())
    }

    /// Says what is wrong with the rows of a group, where options ask for rows of some kind.
    fn check_ties(&self, _ties: &mut Ties<'_>) -> Result<(), String> {
        Ok(())
    }

    /// How small the state of the rows may be, if a state is all that the statistic needs; within, none if it must be
    /// exact.
    fn state(&self) -> Option<Option<Limit>> {
        None
    }

    /// How rows are drawn with replacement, if the statistic draws any.
    fn resampling(&self) -> Option<Resampling> {
        None
    }

    /// The answer for a group; `None` in a field says that it is undefined there.
    fn of_ties(&self, ties: Ties<'_>) -> Self::Record;

    /// The answer for a group that holds a NaN score: NaN wherever a number would depend on ranks.
    fn of_nan(&self, rows: RowCounts) -> Self::Record;
}

/// A statistic that answers each group with a list of records. A group that holds a NaN score is
/// answered with null.
pub trait Curve: Sync {
    /// One point.
    type Record: Record;

    /// Whether rows may have weights. The ties then count units: see [`Ties::units`].
    const WEIGHTS: bool = false;

    /// Says what is wrong with the options beside the columns that were given, in words that name the option and what
    /// it may be.
    fn check(&self, _given: Given) -> Result<(), String> {
        Ok(())
    }

    /// How often the statistic goes through the rows of a group, about.
    fn passes(&self) -> usize {
        1
    }

    /// Appends the points of a group in order, or returns `false`, before appending any, where the curve
    /// is undefined.
    fn points(&self, ties: Ties<'_>, columns: &mut Vec<Column>) -> bool;
}

/// Which columns a statistic of rows takes, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// How many scores; `None` for two or more.
    pub scores: Option<usize>,
    /// Whether a label follows.
    pub label: bool,
    /// Whether the cluster of each row follows, beside another key.
    pub cluster: bool,
    /// The key, which comes last, if the statistic takes one.
    pub key: Option<KeyInput>,
}

/// The key column of a statistic of rows: folds, clusters, segments, classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyInput {
    /// What it is called.
    pub role: &'static str,
    /// Whether it may be left out.
    pub is_optional: bool,
    /// How many distinct keys a group may have: more are an error.
    pub most: usize,
    /// Whether the statistic itself says what a NaN score leaves undefined: it is then asked all the same, with
    /// [`nan_keys`](Rows::nan_keys).
    pub nan_by_key: bool,
}

/// What the values of a key column are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyKind<'a> {
    /// Any plain values; their places are in their order.
    #[default]
    Any,
    /// Truth values, as labels are: false has place 0, and true place 1.
    Truth,
    /// These names and no others, as text; each has its place here, and a [`Name`](record::Name) in the record is one
    /// of them. They say what the score columns are for, in order.
    Among(&'a [String]),
    /// Any plain values, with a column of truth values behind them that says which rows are of the reference: its key
    /// has place 0, and all others follow in their order. The reference is given in words, for messages.
    Against(&'a str),
    /// Structs whose last field is an axis, such as time: keys with the same other fields are one series, in the order of
    /// that field.
    Series,
}

/// What a statistic of rows needs to know of its scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The place of each row among the distinct scores.
    pub codes: bool,
    /// How many rows of the other class each row beats.
    pub placements: bool,
    /// The same among the rows of its key alone, summed key by key.
    pub key_placements: bool,
    /// The values of all scores.
    pub values: bool,
}

impl Needs {
    /// Codes alone.
    pub const CODES: Needs = Needs { codes: true, ..Needs::NOTHING };

    /// Placements alone.
    pub const PLACEMENTS: Needs = Needs { placements: true, ..Needs::NOTHING };

    /// Placements key by key alone.
    pub const KEY_PLACEMENTS: Needs = Needs { key_placements: true, ..Needs::NOTHING };

    /// Values alone.
    pub const VALUES: Needs = Needs { values: true, ..Needs::NOTHING };

    const NOTHING: Needs = Needs { codes: false, placements: false, key_placements: false, values: false };
}

impl Inputs {
    /// Scores and a label.
    pub const fn scores(scores: Option<usize>) -> Self {
        Inputs { scores, label: true, cluster: false, key: None }
    }

    /// The same without a label.
    pub const fn without_label(self) -> Self {
        Inputs { label: false, ..self }
    }

    /// The same with a column of clusters before the key column.
    pub const fn clustered(self) -> Self {
        Inputs { cluster: true, ..self }
    }

    /// The same with a key column.
    pub const fn keyed(self, key: KeyInput) -> Self {
        Inputs { key: Some(key), ..self }
    }
}

impl KeyInput {
    /// A key column of this name.
    pub const fn called(role: &'static str) -> Self {
        KeyInput { role, is_optional: false, most: usize::MAX, nan_by_key: false }
    }
}

/// A statistic of several columns row by row, which answers each group with one record.
pub trait Joint: Sync {
    /// What a group is answered with. No field is a threshold, so the type of its key does not matter.
    type Record: Record;

    /// What the statistic takes.
    const INPUTS: Inputs;

    /// Whether rows may have [`weights`](Rows::weights).
    const WEIGHTS: bool = false;

    /// Says what is wrong with the options, in words that name the option and what it may be.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// What the statistic needs to know of its scores.
    fn needs(&self) -> Needs {
        Needs::CODES
    }

    /// How often the statistic goes through its rows, about: what a group costs more than its rows.
    fn passes(&self) -> usize {
        4
    }

    /// What the values of the key column are.
    fn key_kind(&self) -> KeyKind<'_> {
        KeyKind::Any
    }

    /// The place of the score that the options name, if they name one: it must be one of the scores.
    fn reference_score(&self) -> Option<usize> {
        None
    }

    /// The answer for a group; `None` in a field says that it is undefined there.
    fn of_rows(&self, rows: &Rows) -> Self::Record;

    /// The answer for a group that holds a NaN score: NaN wherever a number would depend on ranks.
    fn of_nan(&self, rows: &Rows) -> Self::Record;
}

/// Says what is wrong with a coverage.
fn check_level(level: f64) -> Result<(), String> {
    if 0.0 < level && level < 1.0 {
        Ok(())
    } else {
        Err(format!("level must lie between 0 and 1, such as 0.95, got {level}"))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::ranking::bits::tests::packed;
    use crate::ranking::{Bits, Codes, Group, KeyPlacements, RowPlacements, Score};

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
