"""ROC AUC, ROC curves, rank-sum statistics and their inference as Polars expressions.

Every function takes ``(label, score)`` and returns a :class:`polars.Expr` that aggregates: use it in
``select``, ``group_by().agg()``, ``over``, ``rolling``, ``group_by_dynamic`` and lazy plans.

A higher score means more positive, always. A row with a null label or score is skipped; a NaN score makes
the result of its group NaN; a statistic that is undefined for a group is null.
"""

from polars_auc._expressions.bands import band_coverage, roc_band, roc_difference_band
from polars_auc._expressions.binormal import binormal_roc_auc, binormal_roc_curve
from polars_auc._expressions.classes import (
    multiclass_roc_auc,
    multiclass_roc_auc_ci,
    ordinal_roc_auc,
    ordinal_roc_auc_ci,
)
from polars_auc._expressions.comparisons import (
    adjust_p_values,
    compare_scores,
    roc_auc_difference,
    roc_curve_difference,
    unpaired_roc_auc_difference,
)
from polars_auc._expressions.curves import (
    cost_curve,
    det_curve,
    pr_curve,
    roc_convex_hull,
    roc_curve,
)
from polars_auc._expressions.folds import cv_roc_auc, cv_roc_auc_difference, cv_roc_curve
from polars_auc._expressions.groups import (
    covariate_adjusted_roc_curve,
    grouped_roc_auc,
    grouped_roc_auc_difference,
    subgroup_auc,
    subgroup_auc_ci,
)
from polars_auc._expressions.intervals import bootstrap_ci, roc_auc_ci, roc_summary
from polars_auc._expressions.numbers import (
    average_precision,
    gini,
    gini_index,
    ks_statistic,
    mean_positive_rank,
    roc_auc,
)
from polars_auc._expressions.planning import roc_auc_difference_power, roc_auc_power, roc_auc_sample_size
from polars_auc._expressions.rank_tests import (
    brunner_munzel,
    concordance_index,
    hodges_lehmann,
    kruskal_wallis,
    mann_whitney_u,
    rank_agreement,
)
from polars_auc._expressions.score_bands import cap_curve, gains_table, population_stability
from polars_auc._expressions.states import merge_states, pack_state, roc_auc_bounds, roc_state, unpack_state
from polars_auc._expressions.thresholds import confusion_at, fpr_at_tpr, operating_point, tpr_at_fpr
from polars_auc._frames.curve_points import curve_points
from polars_auc._frames.evaluator import Evaluator
from polars_auc._frames.group_states import group_states
from polars_auc._frames.mrmc import mrmc_roc_auc
from polars_auc._frames.roc_auc_in_passes import roc_auc_in_passes
from polars_auc._frames.segments import compare_segments
from polars_auc._native import __version__
from polars_auc._page.style import style_report
from polars_auc._page.write import write_report
from polars_auc._plots.coverage import plot_coverage
from polars_auc._plots.difference import plot_difference
from polars_auc._plots.forest import plot_forest
from polars_auc._plots.roc import plot_roc
from polars_auc._report.changes import compare_reports
from polars_auc._report.report import report

__all__ = [
    "Evaluator",
    "__version__",
    "adjust_p_values",
    "average_precision",
    "band_coverage",
    "binormal_roc_auc",
    "binormal_roc_curve",
    "bootstrap_ci",
    "brunner_munzel",
    "cap_curve",
    "compare_reports",
    "compare_scores",
    "compare_segments",
    "concordance_index",
    "confusion_at",
    "cost_curve",
    "covariate_adjusted_roc_curve",
    "curve_points",
    "cv_roc_auc",
    "cv_roc_auc_difference",
    "cv_roc_curve",
    "det_curve",
    "fpr_at_tpr",
    "gains_table",
    "gini",
    "gini_index",
    "group_states",
    "grouped_roc_auc",
    "grouped_roc_auc_difference",
    "hodges_lehmann",
    "kruskal_wallis",
    "ks_statistic",
    "mann_whitney_u",
    "mean_positive_rank",
    "merge_states",
    "mrmc_roc_auc",
    "multiclass_roc_auc",
    "multiclass_roc_auc_ci",
    "operating_point",
    "ordinal_roc_auc",
    "ordinal_roc_auc_ci",
    "pack_state",
    "plot_coverage",
    "plot_difference",
    "plot_forest",
    "plot_roc",
    "population_stability",
    "pr_curve",
    "rank_agreement",
    "report",
    "roc_auc",
    "roc_auc_bounds",
    "roc_auc_ci",
    "roc_auc_difference",
    "roc_auc_difference_power",
    "roc_auc_in_passes",
    "roc_auc_power",
    "roc_auc_sample_size",
    "roc_band",
    "roc_convex_hull",
    "roc_curve",
    "roc_curve_difference",
    "roc_difference_band",
    "roc_state",
    "roc_summary",
    "style_report",
    "subgroup_auc",
    "subgroup_auc_ci",
    "tpr_at_fpr",
    "unpack_state",
    "unpaired_roc_auc_difference",
    "write_report",
]


def __dir__() -> list[str]:
    """Return the public names: tab completion shows functions, not the modules that hold them."""
    return sorted(name for name in globals() if name in __all__ or name.startswith("__"))
