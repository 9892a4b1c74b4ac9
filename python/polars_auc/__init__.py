"""ROC AUC, ROC curves, rank-sum statistics and their inference as Polars expressions.

Every function takes ``(label, score)`` and returns a :class:`polars.Expr` that aggregates: use it in
``select``, ``group_by().agg()``, ``over``, ``rolling``, ``group_by_dynamic`` and lazy plans.

A higher score means more positive, always. A row with a null label or score is skipped; a NaN score makes
the result of its group NaN; a statistic that is undefined for a group is null.
"""

import importlib
from typing import TYPE_CHECKING

from polars_auc._expressions import (
    bands as _bands,
    calibration as _calibration,
    classes as _classes,
    comparisons as _comparisons,
    curves as _curves,
    decisions as _decisions,
    folds as _folds,
    groups as _groups,
    intervals as _intervals,
    monitoring as _monitoring,
    numbers as _numbers,
    planning as _planning,
    rank_tests as _rank_tests,
    states as _states,
    thresholds as _thresholds,
)
from polars_auc._expressions.bands import *
from polars_auc._expressions.calibration import *
from polars_auc._expressions.classes import *
from polars_auc._expressions.comparisons import *
from polars_auc._expressions.curves import *
from polars_auc._expressions.decisions import *
from polars_auc._expressions.folds import *
from polars_auc._expressions.groups import *
from polars_auc._expressions.intervals import *
from polars_auc._expressions.monitoring import *
from polars_auc._expressions.numbers import *
from polars_auc._expressions.planning import *
from polars_auc._expressions.rank_tests import *
from polars_auc._expressions.states import *
from polars_auc._expressions.thresholds import *
from polars_auc._frames.arrays import evaluate, evaluate_estimator
from polars_auc._frames.curve_points import curve_points
from polars_auc._frames.evaluator import Evaluator
from polars_auc._frames.group_states import group_states
from polars_auc._frames.mrmc import mrmc_roc_auc
from polars_auc._frames.roc_auc_in_passes import roc_auc_in_passes
from polars_auc._frames.segments import compare_segments
from polars_auc._native import __version__

if TYPE_CHECKING:
    from polars_auc._page.save_chart import save_chart
    from polars_auc._page.style import load_ipython_extension as load_ipython_extension
    from polars_auc._page.style import style_report
    from polars_auc._page.style import unload_ipython_extension as unload_ipython_extension
    from polars_auc._page.write import write_report
    from polars_auc._plots.coverage import plot_coverage
    from polars_auc._plots.difference import plot_difference
    from polars_auc._plots.forest import plot_forest
    from polars_auc._plots.monitoring import plot_monitoring
    from polars_auc._plots.roc import plot_calibration, plot_curve, plot_net_benefit, plot_roc
    from polars_auc._report.changes import compare_reports
    from polars_auc._report.report import report

__all__ = [
    "Evaluator",
    "__version__",
    "compare_reports",
    "compare_segments",
    "curve_points",
    "evaluate",
    "evaluate_estimator",
    "group_states",
    "mrmc_roc_auc",
    "plot_calibration",
    "plot_coverage",
    "plot_curve",
    "plot_difference",
    "plot_forest",
    "plot_monitoring",
    "plot_net_benefit",
    "plot_roc",
    "report",
    "roc_auc_in_passes",
    "save_chart",
    "style_report",
    "write_report",
]
# Type checkers understand one module a line.
__all__ += _bands.__all__
__all__ += _calibration.__all__
__all__ += _classes.__all__
__all__ += _comparisons.__all__
__all__ += _curves.__all__
__all__ += _decisions.__all__
__all__ += _folds.__all__
__all__ += _groups.__all__
__all__ += _intervals.__all__
__all__ += _monitoring.__all__
__all__ += _numbers.__all__
__all__ += _planning.__all__
__all__ += _rank_tests.__all__
__all__ += _states.__all__
__all__ += _thresholds.__all__


# Reports, pages and charts take as long to import as all else, and most queries need none of them.
_LAZY_MODULES = {
    "compare_reports": "_report.changes",
    "load_ipython_extension": "_page.style",
    "plot_calibration": "_plots.roc",
    "plot_coverage": "_plots.coverage",
    "plot_curve": "_plots.roc",
    "plot_difference": "_plots.difference",
    "plot_forest": "_plots.forest",
    "plot_monitoring": "_plots.monitoring",
    "plot_net_benefit": "_plots.roc",
    "plot_roc": "_plots.roc",
    "report": "_report.report",
    "save_chart": "_page.save_chart",
    "style_report": "_page.style",
    "unload_ipython_extension": "_page.style",
    "write_report": "_page.write",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import a function when it is asked for."""
        if name not in _LAZY_MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        function = getattr(importlib.import_module(f"{__name__}.{_LAZY_MODULES[name]}"), name)
        globals()[name] = function
        return function


def __dir__() -> list[str]:
    """Return the public names: tab completion shows functions, not the modules that hold them."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
