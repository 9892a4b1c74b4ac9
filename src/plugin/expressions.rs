//! The table of all expressions: a name, and the statistic that answers.

use crate::plugin::abi::ffi;
use crate::plugin::answers::{
    columnwise::{columnwise, columnwise_field},
    conversion::{conversion, conversion_field},
    curvewise::{curvewise, curvewise_field},
    each_score::summaries,
    group_lists::GroupLists,
    joint::{joint, joint_single},
    of_batches::{AddBatch, groups_of_batches, groups_of_batches_field, of_batches, of_batches_field},
    one_score::{curve, number, summary},
    planned::{curve_field, joint_field, joint_single_field, number_field, summaries_field, summary_field},
};
use crate::statistics::options::{FromOptions, OptionError, Options};
use crate::statistics::*;

macro_rules! expressions {
    ($($kind:ident, $field:ident: $($name:ident $(in $public:ident)? => $statistic:ty),*;)*) => {
        /// The names of all expressions, as Polars knows them.
        #[cfg_attr(not(feature = "python"), allow(dead_code))]
        pub const NAMES: &[&str] = &[$($(stringify!($name)),*),*];

        /// What is wrong with the options of an expression, if anything is.
        #[cfg_attr(not(feature = "python"), allow(dead_code))]
        pub fn check(name: &str, options: &Options) -> Result<(), OptionError> {
            match name {
                $($(stringify!($name) => <$statistic as FromOptions>::from_options(options).map(|_| ()),)*)*
                _ => Err(format!("there is no expression {name}").into()),
            }
        }

        $($(mod $name {
            use super::*;

            /// The public name. One public function may call several expressions.
            const CALLED: &str = [$(stringify!($public),)? stringify!($name)][0];

            ffi::symbols! {
                $name, CALLED,
                |keywords, fields| $field::<$statistic>(fields, &keywords.arguments()?),
                |keywords, inputs| $kind::<$statistic>(inputs, &keywords.arguments()?)
            }
        })*)*
    };
}

expressions! {
    number, number_field:
        average_precision => AveragePrecision,
        gini => Gini,
        mean_positive_rank => MeanPositiveRank,
        roc_auc => RocAuc;
    summary, summary_field:
        brunner_munzel => BrunnerMunzel,
        confusion_at => ConfusionAt,
        fpr_at_tpr => FprAtTpr,
        ks_statistic => KsStatistic,
        mann_whitney_u => MannWhitneyU,
        merge_states => RocState,
        operating_point => OperatingPoint,
        population_stability => PopulationStability,
        roc_auc_bounds => RocAucBounds,
        roc_auc_ci => RocAucCi,
        roc_auc_ci_partial in roc_auc_ci => RocAucCiPartial,
        binormal_roc_auc => BinormalRocAuc,
        roc_state => RocState,
        roc_summary => RocSummary,
        roc_summary_short in roc_summary => RocSummaryShort,
        tpr_at_fpr => TprAtFpr;
    summaries, summaries_field:
        roc_summary_bounded_of_scores in roc_summary => RocSummaryBounded,
        roc_summary_of_scores in roc_summary => RocSummaryShort;
    groups_of_batches, groups_of_batches_field:
        roc_state_of_batches in roc_state => RocState;
    of_batches, of_batches_field:
        roc_summary_bounded_of_batches in roc_summary => RocSummaryBounded,
        roc_summary_of_batches in roc_summary => RocSummaryShort;
    curve, curve_field:
        average_precision_bootstrap in bootstrap_ci => BootstrapAveragePrecision,
        confusion_at_bootstrap in bootstrap_ci => BootstrapConfusionAt,
        gini_bootstrap in bootstrap_ci => BootstrapGini,
        ks_statistic_bootstrap in bootstrap_ci => BootstrapKsStatistic,
        mean_positive_rank_bootstrap in bootstrap_ci => BootstrapMeanPositiveRank,
        operating_point_bootstrap in bootstrap_ci => BootstrapOperatingPoint,
        roc_auc_bootstrap in bootstrap_ci => BootstrapRocAuc,
        roc_summary_bootstrap in bootstrap_ci => BootstrapRocSummary,
        binormal_roc_curve => BinormalRocCurve,
        cap_curve => CapCurve,
        confusion_at_several in confusion_at => ConfusionsAt,
        cost_curve => CostCurve,
        det_curve => DetCurve,
        fpr_at_tpr_several in fpr_at_tpr => FprAtTprs,
        gains_table => GainsTable,
        population_stability_reference in population_stability => PopulationStabilityReference,
        population_stability_table => PopulationStabilityTable,
        pr_curve => PrCurve,
        roc_band => RocBand,
        roc_convex_hull => RocConvexHull,
        roc_curve => RocCurve,
        roc_curve_at in roc_curve => RocCurveAt,
        roc_curve_at_threshold in roc_curve => RocCurveAtThreshold,
        roc_curve_thinned in roc_curve => RocCurveThinned,
        tpr_at_fpr_several in tpr_at_fpr => TprAtFprs;
    joint, joint_field:
        concordance_index => ConcordanceIndex,
        cv_roc_auc => CvRocAuc,
        cv_roc_auc_clustered in cv_roc_auc => CvRocAucClustered,
        cv_roc_auc_difference => CvRocAucDifference,
        gini_index => GiniIndex,
        grouped_roc_auc => GroupedRocAuc,
        grouped_roc_auc_difference => GroupedRocAucDifference,
        hodges_lehmann => HodgesLehmann,
        kruskal_wallis => KruskalWallis,
        mrmc_roc_auc => MrmcRocAuc,
        rank_agreement => RankAgreement,
        roc_auc_ci_clustered in roc_auc_ci => RocAucCiClustered,
        compare_scores => CompareScores,
        roc_auc_difference => RocAucDifference,
        roc_auc_difference_power => RocAucDifferencePower,
        multiclass_roc_auc => MulticlassRocAuc,
        multiclass_roc_auc_ci => MulticlassRocAucCi,
        ordinal_roc_auc => OrdinalRocAuc,
        ordinal_roc_auc_ci => OrdinalRocAucCi,
        roc_curve_difference => RocCurveDifference,
        subgroup_auc => SubgroupAuc,
        unlabelled_roc_auc => UnlabelledRocAuc;
    joint_single, joint_single_field:
        cv_roc_curve => CvRocCurve,
        compare_segments => CompareSegments,
        covariate_adjusted_roc_curve => CovariateAdjustedRocCurve,
        compare_segments_clustered in compare_segments => CompareSegmentsClustered,
        compare_segments_of_states in compare_segments => CompareSegmentsOfStates,
        roc_band_of_folds in roc_band => RocBandOfFolds,
        roc_summary_of_segments in roc_summary => RocSummaryOfSegments,
        roc_difference_band => RocDifferenceBand,
        subgroup_auc_ci => SubgroupAucCi;
    curvewise, curvewise_field:
        band_coverage => BandCoverage;
    columnwise, columnwise_field:
        adjust_p_values => AdjustPValues,
        always_valid => AlwaysValid,
        always_valid_change => AlwaysValidChange,
        roc_auc_power => RocAucPower,
        roc_auc_power_auc in roc_auc_power => RocAucPowerAuc,
        roc_auc_power_level in roc_auc_power => RocAucPowerLevel,
        roc_auc_sample_size => RocAucSampleSize,
        unpaired_roc_auc_difference => UnpairedRocAucDifference;
    conversion, conversion_field:
        add_batch => AddBatch,
        group_lists => GroupLists,
        pack_state => PackState,
        range_sums => RangeSums,
        rolling_merge_states => RollingMergeStates,
        summary_of_ranges => SummaryOfRanges,
        unpack_state => UnpackState;
}
