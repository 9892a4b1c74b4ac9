"""The functions of one label and one score, states and reports on Spark.

``import polars_auc.spark as pauc``. Every function counts and computes by the Polars expression of the same
name, so its rules, its errors and its numbers are the same, bit for bit. The workers need polars-auc, too.
"""

from polars_auc._spark.aggregates import aggregate
from polars_auc._spark.report import group_states, report

__all__ = [
    "average_precision",
    "brunner_munzel",
    "confusion_at",
    "fpr_at_tpr",
    "gini",
    "group_states",
    "ks_statistic",
    "mann_whitney_u",
    "mean_positive_rank",
    "merge_states",
    "operating_point",
    "population_stability",
    "report",
    "roc_auc",
    "roc_auc_bounds",
    "roc_auc_ci",
    "roc_binormal",
    "roc_state",
    "roc_summary",
    "tpr_at_fpr",
]

average_precision = aggregate("average_precision")
brunner_munzel = aggregate("brunner_munzel")
confusion_at = aggregate("confusion_at")
fpr_at_tpr = aggregate("fpr_at_tpr")
gini = aggregate("gini")
ks_statistic = aggregate("ks_statistic")
mann_whitney_u = aggregate("mann_whitney_u")
mean_positive_rank = aggregate("mean_positive_rank")
merge_states = aggregate("merge_states")
operating_point = aggregate("operating_point")
population_stability = aggregate("population_stability")
roc_auc = aggregate("roc_auc")
roc_auc_bounds = aggregate("roc_auc_bounds")
roc_auc_ci = aggregate("roc_auc_ci")
roc_binormal = aggregate("roc_binormal")
roc_state = aggregate("roc_state")
roc_summary = aggregate("roc_summary")
tpr_at_fpr = aggregate("tpr_at_fpr")
