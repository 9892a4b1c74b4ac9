//! The table of all expressions: a name, and the statistic that answers.

use polars::prelude::*;
use pyo3_polars::derive::polars_expr;

use super::answer::{Arguments, curve, curve_field, number, number_field, summary, summary_field};
use super::columnwise::{AdjustPValues, RocAucPower, RocAucSampleSize, columnwise, columnwise_field};
use super::joint::{joint, joint_field, joint_single, joint_single_field};
use crate::guard;
use crate::statistics::{
    AverageRocCurve, BrunnerMunzel, CompareSegments, CvRocAuc, CvRocAucDifference, Gini, GroupedRocAuc,
    HodgesLehmann, KruskalWallis, KsStatistic, MannWhitneyU, RankAgreement, RocAuc, RocAucCi,
    RocAucCiClustered, RocAucCompare, RocAucDifference, RocAucDifferencePower, RocAucMulticlass,
    RocAucOrdinal, RocCurve, RocCurveDifference, RocSummary, SubgroupAuc,
};

macro_rules! expressions {
    ($($kind:ident, $field:ident: $($name:ident => $statistic:ty),*;)*) => {
        /// The names of all expressions, as Polars knows them.
        pub const NAMES: &[&str] = &[$($(stringify!($name)),*),*];

        $($(mod $name {
            use super::*;

            fn output(inputs: &[Field], kwargs: Arguments<$statistic>) -> PolarsResult<Field> {
                guard::named(called(stringify!($name)), || $field(inputs, &kwargs.options)).map_err(refused)
            }

            #[polars_expr(output_type_func_with_kwargs=output)]
            fn $name(inputs: &[Series], kwargs: Arguments<$statistic>) -> PolarsResult<Series> {
                guard::named(called(stringify!($name)), || $kind(inputs, &kwargs.options)).map_err(refused)
            }
        })*)*
    };
}

/// What users call an expression.
fn called(name: &str) -> &str {
    name.trim_end_matches("_clustered")
}

/// An error as Polars passes it on.
fn refused(why: String) -> PolarsError {
    PolarsError::ComputeError(why.into())
}

expressions! {
    number, number_field:
        roc_auc => RocAuc,
        gini => Gini;
    summary, summary_field:
        brunner_munzel => BrunnerMunzel,
        ks_statistic => KsStatistic,
        mann_whitney_u => MannWhitneyU,
        roc_auc_ci => RocAucCi,
        roc_summary => RocSummary;
    curve, curve_field:
        roc_curve => RocCurve;
    joint, joint_field:
        cv_roc_auc => CvRocAuc,
        cv_roc_auc_difference => CvRocAucDifference,
        grouped_roc_auc => GroupedRocAuc,
        hodges_lehmann => HodgesLehmann,
        kruskal_wallis => KruskalWallis,
        rank_agreement => RankAgreement,
        roc_auc_ci_clustered => RocAucCiClustered,
        roc_auc_compare => RocAucCompare,
        roc_auc_difference => RocAucDifference,
        roc_auc_difference_power => RocAucDifferencePower,
        roc_auc_multiclass => RocAucMulticlass,
        roc_auc_ordinal => RocAucOrdinal,
        roc_curve_difference => RocCurveDifference,
        subgroup_auc => SubgroupAuc;
    joint_single, joint_single_field:
        average_roc_curve => AverageRocCurve,
        compare_segments => CompareSegments;
    columnwise, columnwise_field:
        adjust_p_values => AdjustPValues,
        roc_auc_power => RocAucPower,
        roc_auc_sample_size => RocAucSampleSize;
}
