"""Smooth ROC curves: the binormal model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from polars_auc._options import integer, listed, one_of, rate
from polars_auc._plugin import expression

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["binormal_curve", "roc_binormal"]

_MOST_POINTS = 10_000_000


def roc_binormal(
    label: IntoExpr, score: IntoExpr, *, method: Literal["least_squares", "moments"] = "least_squares"
) -> pl.Expr:
    """Return the binormal ROC curve of a group: its area, intercept and slope.

    The binormal curve is a straight line between the normal quantiles of both rates. It is the curve that
    two normal distributions of the scores would have, on the scores' own scale or on any other that keeps
    their order.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    method
        - ``"least_squares"``: the line that fits the points of the ROC curve best. Only the order of the
          scores counts.
        - ``"moments"``: the curve of two normal distributions with the means and standard deviations of the
          classes. The scores count by their values, as Float64.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``auc`` (Float64): the area under the fitted curve, 0 to 1. That of the ROC curve itself is
          :func:`polars_auc.roc_auc`.
        - ``intercept``, ``slope`` (Float64): of the line; the slope is 0 or below.
        - ``n_pos``, ``n_neg`` (UInt64): the rows that were used.

        By least squares all three are null if the points at which both rates lie between 0 and 1 have fewer
        than two different true positive rates. By moments all three are null with fewer than two positives
        or fewer than two negatives, if a score is infinite, or if scores differ within neither class; the
        line alone is null if those of the negatives do not differ. NaN if a score is NaN. Rows with a null
        label or score are skipped.

    Raises
    ------
    ValueError
        For a method of another name.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

    Notes
    -----
    ``quantile(1 - fpr) = intercept + slope quantile(tpr)`` and ``auc = Φ(intercept / √(1 + slope²))``, Φ
    being the normal distribution function (Green and Swets 1966; Hanley 1988). In the other common
    notation, ``quantile(tpr) = a + b quantile(fpr)``, ``a = -intercept / slope`` and ``b = -1 / slope``.

    Least squares is as ``pROC::smooth(method = "binormal")``: on one point for each distinct score, with
    the quantile of the specificity as the dependent variable. It is no maximum likelihood estimate, the
    points are not independent, and so it has no standard error. By moments, with means m and standard
    deviations s (over n, those of greatest likelihood), ``intercept = (m1 - m0) / s0`` and ``slope = -s1 /
    s0``, so that ``auc = Φ((m1 - m0) / √(s0² + s1²))``. Kernel densities are not offered: the curve would
    depend on a bandwidth and on a grid, and on the scale of the scores, which the ROC curve does not. O(n
    log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> ratings = pl.DataFrame(
    ...     {"rating": [1, 2, 3, 4, 5], "normal": [33, 6, 6, 11, 2], "abnormal": [3, 2, 2, 11, 33]}
    ... ).unpivot(index="rating", variable_name="status", value_name="images")
    >>> images = ratings.select(pl.col("rating", "status").repeat_by("images").explode())
    >>> fit = images.select(pa.roc_binormal(pl.col("status") == "abnormal", "rating"))
    >>> fit.unnest("rating").select(pl.col("auc", "intercept", "slope").round(4)).row(0)
    (0.9107, 2.3298, -1.4146)
    """
    one_of("roc_binormal", "method", method, ("least_squares", "moments"))
    variant = None if method == "least_squares" else "moments"
    return expression("roc_binormal", {"score": score, "label": label}, variant=variant)


def binormal_curve(
    label: IntoExpr, score: IntoExpr, *, at_fpr: Sequence[float] | None = None, n_points: int = 101
) -> pl.Expr:
    """Return points of the binormal curve that fits a group's ROC curve best.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive. Only the order of the scores counts.
    at_fpr
        The false positive rates at which the curve is wanted, each from 0 to 1.
    n_points
        Without ``at_fpr``: the number of points, at equal distances from fpr 0 to 1.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score, in the order of ``at_fpr``:

        - ``fpr`` (Float64): the false positive rate.
        - ``tpr`` (Float64): the true positive rate of the fitted curve there, from 0 at fpr 0 to 1 at fpr 1.

        The list is null if there is no line, as for :func:`roc_binormal` by least squares, or if a score is
        NaN. Rows with a null label or score are skipped.

    Raises
    ------
    TypeError
        For columns that are neither name nor expression.
    ValueError
        For a rate that is not between 0 and 1, or a number of points below 2 or above 10,000,000.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

    Notes
    -----
    ``tpr = Φ((intercept + quantile(fpr)) / -slope)`` with the line of :func:`roc_binormal` by least
    squares. If the slope is 0, the curve is a step, which counts by its upper end. With a slope other than
    -1 the curve lies below the diagonal at one of its ends, be it ever so little. O(n log n), and O(1) for
    each point.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> ratings = pl.DataFrame(
    ...     {"rating": [1, 2, 3, 4, 5], "normal": [33, 6, 6, 11, 2], "abnormal": [3, 2, 2, 11, 33]}
    ... ).unpivot(index="rating", variable_name="status", value_name="images")
    >>> images = ratings.select(pl.col("rating", "status").repeat_by("images").explode())
    >>> curve = pa.binormal_curve(pl.col("status") == "abnormal", "rating", at_fpr=[0.1, 0.5])
    >>> images.select(curve.explode().struct.field("tpr").round(4))["tpr"].to_list()
    [0.7707, 0.9502]
    """
    name = "binormal_curve"
    rates = None
    if at_fpr is not None:
        rates = [rate(name, "at_fpr", value) for value in listed(name, "at_fpr", at_fpr)]
    n_points = integer(name, "n_points", n_points, 2, _MOST_POINTS)
    return expression(name, {"score": score, "label": label}, at_fpr=rates, n_points=n_points)
