"""ROC AUC, ROC curves, rank-sum statistics and their inference as Polars expressions.

Every function takes ``(label, score)`` and returns a :class:`polars.Expr` that aggregates: use it in
``select``, ``group_by().agg()``, ``over``, ``rolling``, ``group_by_dynamic`` and lazy plans.

A higher score means more positive, always. A row with a null label or score is skipped; a NaN score makes
the result of its group NaN; a statistic that is undefined for a group is null.
"""

from polars_auc._native import __version__
from polars_auc.agreement import rank_agreement
from polars_auc.comparisons import (
    adjust_p_values,
    roc_auc_compare,
    roc_auc_difference,
    roc_curve_difference,
)
from polars_auc.curves import average_roc_curve, roc_curve
from polars_auc.estimates import gini, ks_statistic, roc_auc, roc_summary
from polars_auc.evaluate import report
from polars_auc.folds import cv_roc_auc, cv_roc_auc_difference
from polars_auc.inference import roc_auc_ci
from polars_auc.multiclass import roc_auc_multiclass, roc_auc_ordinal
from polars_auc.planning import roc_auc_difference_power, roc_auc_power, roc_auc_sample_size
from polars_auc.rank_sum import brunner_munzel, hodges_lehmann, kruskal_wallis, mann_whitney_u
from polars_auc.segments import compare_segments
from polars_auc.subgroups import grouped_roc_auc, subgroup_auc

__all__ = [
    "__version__",
    "adjust_p_values",
    "average_roc_curve",
    "brunner_munzel",
    "compare_segments",
    "cv_roc_auc",
    "cv_roc_auc_difference",
    "gini",
    "grouped_roc_auc",
    "hodges_lehmann",
    "kruskal_wallis",
    "ks_statistic",
    "mann_whitney_u",
    "rank_agreement",
    "report",
    "roc_auc",
    "roc_auc_ci",
    "roc_auc_compare",
    "roc_auc_difference",
    "roc_auc_difference_power",
    "roc_auc_multiclass",
    "roc_auc_ordinal",
    "roc_auc_power",
    "roc_auc_sample_size",
    "roc_curve",
    "roc_curve_difference",
    "roc_summary",
    "subgroup_auc",
]
