"""ROC AUC, ROC curves, rank-sum statistics and their inference as Polars expressions.

Every function takes ``(label, score)`` and returns a :class:`polars.Expr` that aggregates: use it in
``select``, ``group_by().agg()``, ``over``, ``rolling``, ``group_by_dynamic`` and lazy plans.

A higher score means more positive, always. A row with a null label or score is skipped; a NaN score makes
the result of its group NaN; a statistic that is undefined for a group is null.
"""

from polars_auc._native import __version__
from polars_auc.agreement import rank_agreement
from polars_auc.average_curves import average_roc_curve
from polars_auc.binormal import binormal_curve, roc_binormal
from polars_auc.comparisons import (
    adjust_p_values,
    roc_auc_compare,
    roc_auc_difference,
    roc_curve_difference,
)
from polars_auc.curves import cost_curve, curve_points, pr_curve, roc_convex_hull, roc_curve
from polars_auc.estimates import average_precision, gini, ks_statistic, roc_auc, roc_summary
from polars_auc.evaluate import report
from polars_auc.folds import cv_roc_auc, cv_roc_auc_difference
from polars_auc.inference import roc_auc_ci
from polars_auc.multiclass import roc_auc_multiclass, roc_auc_ordinal
from polars_auc.operating_points import confusion_at, operating_point
from polars_auc.planning import roc_auc_difference_power, roc_auc_power, roc_auc_sample_size
from polars_auc.points import fpr_at_tpr, tpr_at_fpr
from polars_auc.rank_sum import brunner_munzel, hodges_lehmann, kruskal_wallis, mann_whitney_u
from polars_auc.ranks import mean_positive_rank
from polars_auc.segments import compare_segments
from polars_auc.subgroups import grouped_roc_auc, subgroup_auc
from polars_auc.tables import gains_table
from polars_auc.tradeoffs import cap_curve, det_curve

__all__ = [
    "__version__",
    "adjust_p_values",
    "average_precision",
    "average_roc_curve",
    "binormal_curve",
    "brunner_munzel",
    "cap_curve",
    "compare_segments",
    "confusion_at",
    "cost_curve",
    "curve_points",
    "cv_roc_auc",
    "cv_roc_auc_difference",
    "det_curve",
    "fpr_at_tpr",
    "gains_table",
    "gini",
    "grouped_roc_auc",
    "hodges_lehmann",
    "kruskal_wallis",
    "ks_statistic",
    "mann_whitney_u",
    "mean_positive_rank",
    "operating_point",
    "pr_curve",
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
    "roc_binormal",
    "roc_convex_hull",
    "roc_curve",
    "roc_curve_difference",
    "roc_summary",
    "subgroup_auc",
    "tpr_at_fpr",
]
