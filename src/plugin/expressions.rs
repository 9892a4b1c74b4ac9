//! The table of all expressions: a name, and the statistic that answers.

use polars::prelude::*;
use pyo3_polars::derive::polars_expr;

use super::answer::{Arguments, curve, curve_field, number, number_field, summary, summary_field};
use super::columnwise::{AdjustPValues, RocAucPower, RocAucSampleSize, columnwise, columnwise_field};
use super::joint::{joint, joint_field, joint_single, joint_single_field};
use crate::guard;
use crate::statistics::{
    AveragePrecision, AverageRocCurve, BinormalCurve, BrunnerMunzel, CapCurve, CompareSegments, ConfusionAt,
    CostCurve, CvRocAuc, CvRocAucDifference, DetCurve, FprAtTpr, GainsTable, Gini, GroupedRocAuc,
    HodgesLehmann, KruskalWallis, KsStatistic, MannWhitneyU, MeanPositiveRank, OperatingPoint, PrCurve,
    RankAgreement, RocAuc, RocAucCi, RocAucCiClustered, RocAucCiWeighted, RocAucCompare, RocAucDifference,
    RocAucDifferencePower, RocAucMulticlass, RocAucOrdinal, RocAucPartial, RocBinormal, RocBinormalMoments,
    RocConvexHull, RocCurve, RocCurveAt, RocCurveDifference, RocCurveThinned, RocSummary, SubgroupAuc,
    TprAtFpr,
};

macro_rules! expressions {
    ($($kind:ident, $field:ident: $($name:ident $(in $public:ident)? => $statistic:ty),*;)*) => {
        /// The names of all expressions, as Polars knows them.
        pub const NAMES: &[&str] = &[$($(stringify!($name)),*),*];

        $($(mod $name {
            use super::*;

            /// What users call it: of several ways to ask one thing, they know one name.
            const CALLED: &str = [$(stringify!($public),)? stringify!($name)][0];

            fn output(inputs: &[Field], kwargs: Arguments<$statistic>) -> PolarsResult<Field> {
                guard::named(CALLED, || $field(inputs, &kwargs.options)).map_err(refused)
            }

            #[polars_expr(output_type_func_with_kwargs=output)]
            fn $name(inputs: &[Series], kwargs: Arguments<$statistic>) -> PolarsResult<Series> {
                guard::named(CALLED, || $kind(inputs, &kwargs.options)).map_err(refused)
            }
        })*)*
    };
}

/// An error as Polars passes it on.
fn refused(why: String) -> PolarsError {
    PolarsError::ComputeError(why.into())
}

expressions! {
    number, number_field:
        average_precision => AveragePrecision,
        gini => Gini,
        mean_positive_rank => MeanPositiveRank,
        roc_auc => RocAuc,
        roc_auc_partial in roc_auc => RocAucPartial;
    summary, summary_field:
        brunner_munzel => BrunnerMunzel,
        confusion_at => ConfusionAt,
        ks_statistic => KsStatistic,
        mann_whitney_u => MannWhitneyU,
        operating_point => OperatingPoint,
        roc_auc_ci => RocAucCi,
        roc_auc_ci_weighted in roc_auc_ci => RocAucCiWeighted,
        roc_binormal => RocBinormal,
        roc_summary => RocSummary;
    curve, curve_field:
        binormal_curve => BinormalCurve,
        cap_curve => CapCurve,
        cost_curve => CostCurve,
        det_curve => DetCurve,
        gains_table => GainsTable,
        pr_curve => PrCurve,
        roc_convex_hull => RocConvexHull,
        roc_curve => RocCurve,
        roc_curve_at in roc_curve => RocCurveAt,
        roc_curve_thinned in roc_curve => RocCurveThinned;
    joint, joint_field:
        cv_roc_auc => CvRocAuc,
        cv_roc_auc_difference => CvRocAucDifference,
        fpr_at_tpr => FprAtTpr,
        grouped_roc_auc => GroupedRocAuc,
        hodges_lehmann => HodgesLehmann,
        kruskal_wallis => KruskalWallis,
        rank_agreement => RankAgreement,
        roc_auc_ci_clustered in roc_auc_ci => RocAucCiClustered,
        roc_auc_compare => RocAucCompare,
        roc_auc_difference => RocAucDifference,
        roc_auc_difference_power => RocAucDifferencePower,
        roc_auc_multiclass => RocAucMulticlass,
        roc_auc_ordinal => RocAucOrdinal,
        roc_binormal_moments in roc_binormal => RocBinormalMoments,
        roc_curve_difference => RocCurveDifference,
        subgroup_auc => SubgroupAuc,
        tpr_at_fpr => TprAtFpr;
    joint_single, joint_single_field:
        average_roc_curve => AverageRocCurve,
        compare_segments => CompareSegments;
    columnwise, columnwise_field:
        adjust_p_values => AdjustPValues,
        roc_auc_power => RocAucPower,
        roc_auc_sample_size => RocAucSampleSize;
}
