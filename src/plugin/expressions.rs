//! The table of all expressions with their statistics; columns and options select between variants.

use crate::plugin::abi::ffi;
use crate::plugin::answers::{
    batch_summaries::{
        AddBatch, batch_summaries, batch_summaries_field, groups_of_batches, groups_of_batches_field,
    },
    columnwise::{columnwise, columnwise_field},
    conversion::{conversion, conversion_field},
    curvewise::{curvewise, curvewise_field},
    each_score::summaries,
    group_lists::GroupLists,
    joint::{joint, joint_single},
    one_score::{curve, number, summary},
    planned::{curve_field, joint_field, joint_single_field, number_field, summaries_field, summary_field},
};
use crate::statistics::declaration::{Declaration, Fields, Parameter};
use crate::statistics::options::{FromOptions, OptionError, OptionValue, Options};
use crate::statistics::*;

/// Whether a call has a column of one of these roles.
fn column(options: &Options, roles: &[&str]) -> bool {
    roles.iter().any(|role| options.has_column(role))
}

/// Whether a call has no column of these roles.
fn no_column(options: &Options, roles: &[&str]) -> bool {
    !column(options, roles)
}

/// Whether a call has one of these options.
fn option(options: &Options, names: &[&str]) -> bool {
    names.iter().any(|name| options.has(name))
}

/// Whether a call has none of these options.
fn no_option(options: &Options, names: &[&str]) -> bool {
    !option(options, names)
}

/// Whether one of these options is True.
fn flag(options: &Options, names: &[&str]) -> bool {
    names.iter().any(|name| *options.value(name) == OptionValue::Truth(true))
}

/// Whether one of these options is a list.
fn list(options: &Options, names: &[&str]) -> bool {
    names.iter().any(|name| matches!(options.value(name), OptionValue::List(_)))
}

/// The declaration of an expression's statistic.
#[cfg_attr(not(feature = "python"), allow(dead_code))]
pub struct Declared {
    /// The name of the expression.
    pub name: &'static str,
    /// The kind of the result.
    pub kind: &'static str,
    /// Its description and search terms.
    pub text: &'static str,
    /// The parameters.
    pub parameters: &'static [Parameter],
    /// The fields of each possible record.
    pub records: &'static [Fields],
}

/// The declaration of a statistic, or of another type after `as`; empty for a name that is not public, or that
/// Python defines.
macro_rules! declared {
    ($kind:ident, $name:ident, $statistic:ty, as $declaration:ty) => {
        declared!($kind, $name, $declaration)
    };
    ($kind:ident, $name:ident, $statistic:ty) => {
        Declared {
            name: stringify!($name),
            kind: stringify!($kind),
            text: <$statistic as Declaration>::TEXT,
            parameters: <$statistic as Declaration>::PARAMETERS,
            records: <$statistic as Declaration>::RECORDS,
        }
    };
    ($kind:ident, $name:ident, $statistic:ty, in $public:ident) => {
        Declared { name: stringify!($name), kind: stringify!($kind), text: "", parameters: &[], records: &[] }
    };
}

macro_rules! expressions {
    ($($kind:ident, $field:ident: $(
        $name:ident $(in $public:ident)? $(as $declaration:ty)? => $statistic:ty
            $(| $condition:ident($($option_name:literal),+) $variant_kind:ident $variant_field:ident => $variant:ty)*
    ),*;)*) => {
        /// The names of all expressions in Polars, each with its public function and its statistics.
        #[cfg_attr(not(feature = "python"), allow(dead_code))]
        pub const TABLE: &[(&str, &str, &[&str])] = &[$($((
            stringify!($name),
            [$(stringify!($public),)? stringify!($name)][0],
            &[stringify!($statistic), $(stringify!($variant)),*],
        )),*),*];

        /// The declaration of each expression's statistic.
        #[cfg_attr(not(feature = "python"), allow(dead_code))]
        pub const DECLARATIONS: &[Declared] =
            &[$($(declared!($kind, $name, $statistic $(, in $public)? $(, as $declaration)?)),*),*];

        /// Validates the options of an expression.
        #[cfg_attr(not(feature = "python"), allow(dead_code))]
        pub fn check(name: &str, options: &Options) -> Result<(), OptionError> {
            match name {
                $($(stringify!($name) => {
                    $(if $condition(options, &[$($option_name),+]) {
                        return <$variant as FromOptions>::from_options(options).map(|_| ());
                    })*
                    <$statistic as FromOptions>::from_options(options).map(|_| ())
                })*)*
                _ => Err(format!("there is no expression {name}").into()),
            }
        }

        $($(mod $name {
            use super::*;

            /// The public name; one public function may call several expressions.
            const CALLED: &str = [$(stringify!($public),)? stringify!($name)][0];

            ffi::symbols! {
                $name, CALLED,
                |keywords, fields| {
                    $(if $condition(&keywords.options, &[$($option_name),+]) {
                        return $variant_field::<$variant>(fields, &keywords.arguments()?);
                    })*
                    $field::<$statistic>(fields, &keywords.arguments()?)
                },
                |keywords, inputs| {
                    $(if $condition(&keywords.options, &[$($option_name),+]) {
                        return $variant_kind::<$variant>(inputs, &keywords.arguments()?);
                    })*
                    $kind::<$statistic>(inputs, &keywords.arguments()?)
                }
            }
        })*)*
    };
}

// Name and statistic; `in` names the public function, if the statistic does not declare one of this name, and
// `as` the type with the declaration, if the statistic declares another.
// After a bar follows an alternative for calls with certain columns or options; the first one whose condition
// holds is used.
expressions! {
    number, number_field:
        average_precision => AveragePrecision
            | option("statistic") curve curve_field => BootstrapAveragePrecision,
        bedroc => Bedroc,
        enrichment_factor => EnrichmentFactor,
        gini => Gini
            | option("statistic") curve curve_field => BootstrapGini,
        h_measure => HMeasure,
        log_auc => LogAuc,
        mean_positive_rank => MeanPositiveRank
            | option("statistic") curve curve_field => BootstrapMeanPositiveRank,
        roc_auc => RocAuc
            | option("statistic") curve curve_field => BootstrapRocAuc;
    summary, summary_field:
        average_precision_ci => AveragePrecisionCi,
        brier_score => BrierScore,
        discrimination_slope => DiscriminationSlope,
        equal_error_rate => EqualErrorRate,
        brunner_munzel => BrunnerMunzel,
        calibration_error => CalibrationError,
        calibration_summary => CalibrationSummary,
        confusion_at => ConfusionAt
            | option("statistic") curve curve_field => BootstrapConfusionAt
            | list("at") curve curve_field => ConfusionsAt,
        fpr_at_tpr => FprAtTpr
            | list("tpr") curve curve_field => FprAtTprs,
        ks_statistic => KsStatistic
            | option("statistic") curve curve_field => BootstrapKsStatistic,
        log_loss => LogLoss,
        mann_whitney_u => MannWhitneyU,
        merge_states as MergeStates => RocState,
        operating_point => OperatingPoint
            | option("statistic") curve curve_field => BootstrapOperatingPoint,
        population_stability => PopulationStability,
        roc_auc_bounds => RocAucBounds,
        roc_auc_ci => RocAucCi
            | option("min_fpr", "max_fpr", "min_tpr", "max_tpr") summary summary_field => RocAucCiPartial
            | column("cluster") joint joint_field => RocAucCiClustered,
        binormal_roc_auc => BinormalRocAuc,
        roc_state => RocState,
        roc_summary => RocSummary
            | option("statistic") curve curve_field => BootstrapRocSummary
            | column("by") joint_single joint_single_field => RocSummaryOfSegments,
        tpr_at_fpr => TprAtFpr
            | list("fpr") curve curve_field => TprAtFprs;
    summaries, summaries_field:
        roc_summary_bounded_of_scores in roc_summary => RocSummaryBounded,
        roc_summary_of_scores in roc_summary => RocSummaryShort;
    groups_of_batches, groups_of_batches_field:
        roc_state_of_batches in roc_state => RocState;
    batch_summaries, batch_summaries_field:
        roc_summary_bounded_of_batches in roc_summary => RocSummaryBounded,
        roc_summary_of_batches in roc_summary => RocSummaryShort;
    curve, curve_field:
        binormal_roc_curve => BinormalRocCurve,
        cap_curve => CapCurve,
        calibration_by_grade => CalibrationByGrade,
        calibration_curve => CalibrationCurve,
        cost_curve => CostCurve,
        det_curve => DetCurve,
        gains_table => GainsTable
            | flag("calibration") curve curve_field => CalibratedGainsTable,
        net_benefit => NetBenefit,
        population_stability_reference in population_stability => PopulationStabilityReference,
        population_stability_table => PopulationStabilityTable,
        pr_curve => PrCurve,
        roc_band => RocBand
            | column("fold") joint_single joint_single_field => RocBandOfFolds,
        roc_convex_hull => RocConvexHull,
        roc_curve => RocCurve
            | option("max_points") curve curve_field => RocCurveThinned
            | option("at_threshold") curve curve_field => RocCurveAtThreshold
            | option("at_fpr", "at_tpr") curve curve_field => RocCurveAt;
    joint, joint_field:
        average_precision_difference => AveragePrecisionDifference,
        discrimination_slope_difference => DiscriminationSlopeDifference,
        brier_score_difference => BrierScoreDifference,
        log_loss_difference => LogLossDifference,
        concordance_index => ConcordanceIndex,
        cv_loss => CvLoss,
        cv_loss_difference => CvLossDifference,
        cv_roc_auc => CvRocAuc
            | column("cluster") joint joint_field => CvRocAucClustered,
        cv_roc_auc_difference => CvRocAucDifference,
        gini_index => GiniIndex,
        grouped_roc_auc => GroupedRocAuc,
        grouped_roc_auc_difference => GroupedRocAucDifference,
        hodges_lehmann => HodgesLehmann,
        kruskal_wallis => KruskalWallis,
        mcnemar => McNemar,
        mrmc_roc_auc in mrmc_roc_auc => MrmcRocAuc,
        rank_agreement => RankAgreement,
        compare_scores => CompareScores,
        roc_auc_difference => RocAucDifference,
        roc_auc_difference_power => RocAucDifferencePower,
        multiclass_roc_auc => MulticlassRocAuc,
        multiclass_roc_auc_ci => MulticlassRocAucCi,
        ordinal_roc_auc => OrdinalRocAuc,
        ordinal_roc_auc_ci => OrdinalRocAucCi,
        roc_curve_difference => RocCurveDifference,
        subgroup_auc => SubgroupAuc,
        subgroup_rate_difference => SubgroupRateDifference,
        unlabelled_roc_auc => UnlabelledRocAuc;
    joint_single, joint_single_field:
        net_benefit_difference => NetBenefitDifference,
        cv_roc_curve => CvRocCurve,
        compare_segments in compare_segments => CompareSegments
            | column("state") joint_single joint_single_field => CompareSegmentsOfStates
            | column("cluster") joint_single joint_single_field => CompareSegmentsClustered,
        covariate_adjusted_roc_curve => CovariateAdjustedRocCurve,
        roc_difference_band => RocDifferenceBand,
        subgroup_auc_ci => SubgroupAucCi;
    curvewise, curvewise_field:
        band_coverage => BandCoverage;
    columnwise, columnwise_field:
        adjust_p_values => AdjustPValues,
        always_valid => AlwaysValid,
        always_valid_change => AlwaysValidChange,
        roc_auc_power => RocAucPower
            | no_column("auc") columnwise columnwise_field => RocAucPowerAuc
            | no_option("alpha") columnwise columnwise_field => RocAucPowerLevel,
        roc_auc_sample_size => RocAucSampleSize,
        unpaired_roc_auc_difference => UnpairedRocAucDifference;
    conversion, conversion_field:
        add_batch in add_batch => AddBatch,
        group_lists in group_lists => GroupLists,
        pack_state => PackState,
        range_sums in range_sums => RangeSums,
        rolling_merge_states => RollingMergeStates,
        summary_of_ranges in summary_of_ranges => SummaryOfRanges,
        unpack_state in unpack_state => UnpackState;
}
