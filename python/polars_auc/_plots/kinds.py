"""Kinds of curves: their points, axes, reference lines and numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import polars as pl

from polars_auc._expressions.bands import roc_difference_band
from polars_auc._expressions.calibration import brier_score, calibration_curve
from polars_auc._expressions.curves import cap_curve, cost_curve, det_curve, gains_table, pr_curve, roc_curve
from polars_auc._expressions.decisions import net_benefit
from polars_auc._expressions.intervals import roc_auc_ci, roc_summary

CurveKind = Literal["precision_recall", "det", "cap", "gains", "lift", "cost"]
"""The kinds of ``plot_curve``."""

_RATE, _DIFFERENCE, _POSITIVE, _ANY = (0.0, 1.0), (-1.0, 1.0), (0.0, math.inf), (-math.inf, math.inf)


@dataclass(frozen=True)
class Axis:
    """An axis: the field of its values, its title and its scale."""

    field: str
    title: str
    scale: Literal["rate", "cost", "deviate", "from_zero", "benefit", "difference", "probability"] = "rate"

    @property
    def column(self) -> str:
        """The column of positions on the axis."""
        return f"{self.field}_deviate" if self.scale == "deviate" else self.field


@dataclass(frozen=True)
class Kind:
    """A kind of curve."""

    name: str
    """The name of one curve, the first words of the chart description."""
    expression: Callable[..., pl.Expr]
    """The expression that returns the points."""
    x: Axis
    y: Axis
    fields: Mapping[str, tuple[float, float]]
    """The required fields of a point with their limits, in the order of the tooltip."""
    reference: str
    """The description of the reference line."""
    ends: tuple[tuple[float, float], ...] = ()
    """The corners of the reference line; empty if they depend on the points."""
    rising: str = ""
    """The field that strictly increases along a curve."""
    monotone: tuple[str, ...] = ()
    """Fields that never decrease along a curve."""
    defined: tuple[str, ...] = ()
    """Fields that are all null in an undefined curve; the required fields if empty."""
    nullable: tuple[str, ...] = ()
    """Fields that may be null."""
    texts: tuple[str, ...] = ("threshold",)
    """Fields in the dtype of the score; tooltips display them as text."""
    columns: tuple[str, ...] = ()
    """Other columns of points, which are not group columns."""
    interpolate: Literal["linear", "step-before"] = "linear"
    summary: Callable[..., pl.Expr] | None = None
    """The expression with the number of a curve."""
    numbers: tuple[str, ...] = ()
    """Its fields: the estimate and, if there is one, its interval."""
    number_title: str = ""
    plural: str = ""
    """The plural of the name; by default the name with an s."""
    needs: str = "a positive and a negative"
    """The required rows of a curve."""
    corner: Literal["left", "right"] = "right"
    """The position of numbers in panels."""

    @property
    def has_intervals(self) -> bool:
        """Whether each point has an interval."""
        return "lower" in self.fields

    @property
    def has_error_bars(self) -> bool:
        """Whether points are bins with limits of their rates."""
        return "rate_lower" in self.fields

    @property
    def is_clipped(self) -> bool:
        """Whether points may be outside the axes."""
        return self.y.scale in ("deviate", "benefit")

    @property
    def has_bands(self) -> bool:
        """Whether each point is a band of rows and has a mark."""
        return self.expression is gains_table

    @property
    def example(self) -> str:
        """The code that computes the points."""
        return f'curve_points(frame, {self.expression.__name__}("label", "score"))'


_FPR = "false positive rate"
_BAND = ("lower_fpr", "lower_tpr", "upper_fpr", "upper_tpr")
_SHARE = "share of rows"
_GINI = ("gini", "gini_lower", "gini_upper")
_GAINS = ("band", "n", "n_pos", "n_neg", "rate", "cum_pos", "cum_neg", "gain", "lift", "cum_lift", "ks")

ROC = Kind(
    "ROC curve",
    roc_curve,
    Axis("fpr", _FPR),
    Axis("tpr", "true positive rate"),
    {"fpr": _RATE, "tpr": _RATE},
    "The dashed diagonal is chance.",
    ends=((0, 0), (1, 1)),
    monotone=("fpr", "tpr"),
    summary=roc_auc_ci,
    numbers=("auc", "lower", "upper"),
    number_title="AUC with interval",
)

ROC_BAND = replace(ROC, fields=dict.fromkeys(_BAND, _RATE), monotone=_BAND)

DIFFERENCE = Kind(
    "Difference of ROC curves with its band",
    roc_difference_band,
    Axis("fpr", _FPR),
    Axis("difference", "difference of the true positive rates", "difference"),
    {
        "fpr": _RATE,
        "difference": _DIFFERENCE,
        "lower": _DIFFERENCE,
        "upper": _DIFFERENCE,
        "p_value": _RATE,
    },
    "The dashed line is no difference.",
    ends=((0, 0), (1, 0)),
    rising="fpr",
    texts=(),
    plural="Differences of ROC curves with their bands",
)

KINDS: Mapping[str, Kind] = {
    "roc": ROC,
    "precision_recall": Kind(
        "Precision-recall curve",
        pr_curve,
        Axis("recall", "recall"),
        Axis("precision", "precision"),
        {"recall": _RATE, "precision": _RATE},
        "The dashed line is the prevalence, the precision of chance.",
        monotone=("recall",),
        columns=("fp", "tp"),
        interpolate="step-before",
        summary=roc_summary,
        numbers=("average_precision",),
        number_title="average precision",
        needs="a positive",
        corner="left",
    ),
    "det": Kind(
        "DET curve",
        det_curve,
        Axis("fpr", _FPR, "deviate"),
        Axis("fnr", "false negative rate", "deviate"),
        {"fpr": _RATE, "fnr": _RATE},
        "On the dashed diagonal both rates are equal.",
        monotone=("fpr",),
        columns=("fn",),
    ),
    "cap": Kind(
        "CAP curve",
        cap_curve,
        Axis("population", _SHARE),
        Axis("captured", "share of the positives"),
        {"population": _RATE, "captured": _RATE},
        "The dashed diagonal is chance.",
        ends=((0, 0), (1, 1)),
        monotone=("population", "captured"),
        columns=("n",),
        summary=roc_summary,
        numbers=_GINI,
        number_title="Gini with interval",
    ),
    "gains": Kind(
        "Gains curve",
        gains_table,
        Axis("population", _SHARE),
        Axis("gain", "share of the positives"),
        {"cum_n": _POSITIVE, "cum_fpr": _RATE, "gain": _RATE, "rate": _RATE},
        "The dashed diagonal is chance.",
        ends=((0, 0), (1, 1)),
        rising="cum_n",
        texts=("highest", "lowest"),
        columns=_GAINS,
        summary=roc_summary,
        numbers=_GINI,
        number_title="Gini with interval",
    ),
    "lift": Kind(
        "Lift curve",
        gains_table,
        Axis("population", _SHARE),
        Axis("cum_lift", "cumulative lift", "from_zero"),
        {"cum_n": _POSITIVE, "cum_fpr": _RATE, "cum_lift": _POSITIVE, "lift": _POSITIVE, "rate": _RATE},
        "The dashed line is chance.",
        ends=((0, 1), (1, 1)),
        rising="cum_n",
        defined=("cum_lift", "lift"),
        texts=("highest", "lowest"),
        columns=_GAINS,
        needs="a positive, a negative and two bands",
    ),
    "cost": Kind(
        "Cost curve",
        cost_curve,
        Axis("probability_cost", "probability cost"),
        Axis("expected_cost", "normalized expected cost", "cost"),
        {"probability_cost": _RATE, "expected_cost": _RATE, "fpr": _RATE, "tpr": _RATE},
        "The dashed lines are the cost where all rows are predicted positive, or none.",
        ends=((0, 0), (0.5, 0.5), (1, 0)),
        rising="probability_cost",
    ),
    "net_benefit": Kind(
        "Decision curve",
        net_benefit,
        Axis("threshold", "threshold probability", "from_zero"),
        Axis("net_benefit", "net benefit", "benefit"),
        {
            "threshold": _RATE,
            "net_benefit": _ANY,
            "lower": _ANY,
            "upper": _ANY,
            "treat_all": _ANY,
        },
        "The grey lines treat all rows, and none.",
        rising="threshold",
        nullable=("lower", "upper"),
        texts=(),
        columns=("se", "standardized", "interventions_avoided", "tpr", "fpr"),
        needs="a row",
    ),
    "calibration": Kind(
        "Calibration curve",
        calibration_curve,
        Axis("mean_score", "mean score", "probability"),
        Axis("rate", "rate of positives", "probability"),
        {
            "lowest": _RATE,
            "highest": _RATE,
            "n": _POSITIVE,
            "n_pos": _POSITIVE,
            "mean_score": _RATE,
            "rate": _RATE,
            "rate_lower": _RATE,
            "rate_upper": _RATE,
        },
        "On the grey diagonal the rate is the mean score.",
        ends=((0, 0), (1, 1)),
        monotone=("mean_score",),
        nullable=("rate_lower", "rate_upper"),
        texts=(),
        columns=("bin",),
        summary=brier_score,
        numbers=("brier_score", "lower", "upper"),
        number_title="Brier score with interval",
        needs="a row",
    ),
}
"""The kinds by name."""
