"""The functions of one label and one score, states and reports on Spark.

``import polars_auc.spark as pauc``. Every function counts and computes by the Polars expression of the same
name, so its rules, its errors and its numbers are the same, bit for bit. The workers need polars-auc, too.
"""

import polars_auc as pa
from polars_auc._spark.aggregates import aggregate
from polars_auc._spark.report import group_states, report

__all__ = [
    "average_precision",
    "binormal_roc_auc",
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
    "roc_state",
    "roc_summary",
    "tpr_at_fpr",
]

average_precision = aggregate(pa.average_precision)
brunner_munzel = aggregate(pa.brunner_munzel)
confusion_at = aggregate(pa.confusion_at)
fpr_at_tpr = aggregate(pa.fpr_at_tpr)
gini = aggregate(pa.gini)
ks_statistic = aggregate(pa.ks_statistic)
mann_whitney_u = aggregate(pa.mann_whitney_u)
mean_positive_rank = aggregate(pa.mean_positive_rank)
merge_states = aggregate(pa.merge_states, ["state"])
operating_point = aggregate(pa.operating_point)
population_stability = aggregate(pa.population_stability)
roc_auc = aggregate(pa.roc_auc)
roc_auc_bounds = aggregate(pa.roc_auc_bounds)
roc_auc_ci = aggregate(pa.roc_auc_ci)
binormal_roc_auc = aggregate(pa.binormal_roc_auc)
roc_state = aggregate(pa.roc_state)
roc_summary = aggregate(pa.roc_summary)
tpr_at_fpr = aggregate(pa.tpr_at_fpr)
