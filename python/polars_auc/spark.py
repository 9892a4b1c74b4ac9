"""The functions of one label and one score, states and reports on Spark.

``import polars_auc.spark as pauc``. Every function uses the Polars expression of the same name, so its rules,
errors and numbers are the same, bit for bit. The workers need polars-auc, too.
"""

import polars_auc as pa
from polars_auc._spark.aggregates import aggregate
from polars_auc._spark.report import group_states, report

__all__ = [
    "average_precision",
    "average_precision_ci",
    "bedroc",
    "binormal_roc_auc",
    "brier_score",
    "brunner_munzel",
    "calibration_curve",
    "calibration_error",
    "calibration_summary",
    "confusion_at",
    "discrimination_slope",
    "enrichment_factor",
    "equal_error_rate",
    "fpr_at_tpr",
    "gini",
    "group_states",
    "h_measure",
    "ks_statistic",
    "log_auc",
    "log_loss",
    "mann_whitney_u",
    "mean_positive_rank",
    "merge_states",
    "net_benefit",
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
average_precision_ci = aggregate(pa.average_precision_ci)
bedroc = aggregate(pa.bedroc)
binormal_roc_auc = aggregate(pa.binormal_roc_auc)
brier_score = aggregate(pa.brier_score)
brunner_munzel = aggregate(pa.brunner_munzel)
calibration_curve = aggregate(pa.calibration_curve)
calibration_error = aggregate(pa.calibration_error)
calibration_summary = aggregate(pa.calibration_summary)
confusion_at = aggregate(pa.confusion_at)
discrimination_slope = aggregate(pa.discrimination_slope)
enrichment_factor = aggregate(pa.enrichment_factor)
equal_error_rate = aggregate(pa.equal_error_rate)
fpr_at_tpr = aggregate(pa.fpr_at_tpr)
gini = aggregate(pa.gini)
h_measure = aggregate(pa.h_measure)
ks_statistic = aggregate(pa.ks_statistic)
log_auc = aggregate(pa.log_auc)
log_loss = aggregate(pa.log_loss)
mann_whitney_u = aggregate(pa.mann_whitney_u)
mean_positive_rank = aggregate(pa.mean_positive_rank)
merge_states = aggregate(pa.merge_states)
net_benefit = aggregate(pa.net_benefit)
operating_point = aggregate(pa.operating_point)
population_stability = aggregate(pa.population_stability)
roc_auc = aggregate(pa.roc_auc)
roc_auc_bounds = aggregate(pa.roc_auc_bounds)
roc_auc_ci = aggregate(pa.roc_auc_ci)
roc_state = aggregate(pa.roc_state)
roc_summary = aggregate(pa.roc_summary)
tpr_at_fpr = aggregate(pa.tpr_at_fpr)
