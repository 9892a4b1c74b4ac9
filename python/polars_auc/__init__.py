"""ROC AUC, ROC curves, rank-sum statistics and their inference as Polars expressions.

Every function takes ``(label, score)`` and returns a :class:`polars.Expr` that aggregates: use it in
``select``, ``group_by().agg()``, ``over``, ``rolling``, ``group_by_dynamic`` and lazy plans.

A higher score means more positive, always. A row with a null label or score is skipped; a NaN score makes
the result of its group NaN; a statistic that is undefined for a group is null.
"""

from polars_auc._native import __version__
from polars_auc.curves import roc_curve
from polars_auc.estimates import gini, ks_statistic, roc_auc, roc_summary
from polars_auc.evaluate import report
from polars_auc.inference import roc_auc_ci
from polars_auc.rank_sum import mann_whitney_u

__all__ = [
    "__version__",
    "gini",
    "ks_statistic",
    "mann_whitney_u",
    "report",
    "roc_auc",
    "roc_auc_ci",
    "roc_curve",
    "roc_summary",
]
