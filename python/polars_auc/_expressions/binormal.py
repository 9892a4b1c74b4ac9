"""The binormal model: its fit to the ROC curve of a group, and points of the fitted curve."""

# Signatures, Parameters and the fields of Returns are written by tests/python/package/generate.py.

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from polars_auc._plugin.call import expression_of

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin.call import IntoExpr

__all__ = ["binormal_roc_auc", "binormal_roc_curve"]


def binormal_roc_auc(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    method: Literal["least_squares", "moments"] = "least_squares",
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the binormal ROC curve of a group: its area, intercept and slope.

    The binormal curve is a straight line between the normal quantiles of both rates. Two normal distributions
    of the scores would have this curve, on the scale of the scores or on any other scale with the same order.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows, or of states in their place, as for :func:`polars_auc.roc_auc`.
    method
        - ``"least_squares"``: the line that fits the points of the ROC curve best. This uses only the order
          of the scores.
        - ``"moments"``: the curve of two normal distributions with the means and standard deviations of the
          classes. This uses the values of the scores, as Float64.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``auc`` (Float64): The area under the fitted curve, 0 to 1. The area under the ROC curve itself is
          :func:`polars_auc.roc_auc`.
        - ``intercept`` (Float64): The intercept of the line: the quantile of the specificity where the
          sensitivity is one half.
        - ``slope`` (Float64): The slope of the line, 0 or below.
        - ``n_pos``, ``n_neg`` (UInt64): Positives and negatives that were used.

        By least squares ``auc``, ``intercept`` and ``slope`` are null if the points at which both rates are
        between 0 and 1 have fewer than two different true positive rates. By moments they are null with fewer
        than two positives or fewer than two negatives, if a score is infinite, or if all scores are equal
        within each class. If the scores of the negatives are equal and those of the positives are not,
        ``intercept`` and ``slope`` are null. They are NaN if a score is NaN. Rows with a null label, score or
        weight are skipped.

    Notes
    -----
    ``quantile(1 - fpr) = intercept + slope quantile(tpr)`` and ``auc = Φ(intercept / √(1 + slope²))``, Φ
    being the normal distribution function (Green and Swets 1966; Hanley 1988). In the other common
    notation, ``quantile(tpr) = a + b quantile(fpr)``, ``a = -intercept / slope`` and ``b = -1 / slope``.

    Least squares works as ``pROC::smooth(method = "binormal")``: it uses one point for each distinct score,
    with the quantile of the specificity as the dependent variable. It is not a maximum likelihood estimate,
    and the points are not independent, so it has no standard error. By moments, with the means m and the
    standard deviations s (divided by n, as in maximum likelihood), ``intercept = (m1 - m0) / s0`` and
    ``slope = -s1 / s0``, so that ``auc = Φ((m1 - m0) / √(s0² + s1²))``. With weights, the points are those of
    the weighted ROC curve, and each distinct score is one point whatever its weight; means and standard
    deviations are weighted. Kernel densities are not available,
    because the curve would depend on a bandwidth, a grid and the scale of the scores. The ROC curve does not
    depend on any of these. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> ratings = pl.DataFrame(
    ...     {"rating": [1, 2, 3, 4, 5], "normal": [33, 6, 6, 11, 2], "abnormal": [3, 2, 2, 11, 33]}
    ... ).unpivot(index="rating", variable_name="status", value_name="images")
    >>> images = ratings.select(pl.col("rating", "status").repeat_by("images").explode())
    >>> fit = images.select(pa.binormal_roc_auc(pl.col("status") == "abnormal", "rating"))
    >>> fit.unnest("rating").select(pl.col("auc", "intercept", "slope").round(4)).row(0)
    (0.9107, 2.3298, -1.4146)
    """
    return expression_of(binormal_roc_auc, locals())


def binormal_roc_curve(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    at_fpr: Sequence[float] | None = None,
    n_points: int = 101,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return points of the binormal curve that fits a group's ROC curve best.

    Parameters
    ----------
    label, weight, count, state
        The columns of rows, or of states in their place, as for :func:`polars_auc.roc_auc`.
    score
        Any numeric or Boolean column; higher means more positive. Only the order of the scores counts.
    at_fpr
        The false positive rates of the points, each from 0 to 1.
    n_points
        Without ``at_fpr``: the number of points, from 2 to 10,000,000, at equal distances from fpr 0 to 1.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score, in the order of ``at_fpr``:

        - ``fpr`` (Float64): The false positive rate.
        - ``tpr`` (Float64): The true positive rate there.

        The list is null if there is no line, as for :func:`binormal_roc_auc` by least squares, or if a score
        is NaN. Rows with a null label, score or weight are skipped.

    Notes
    -----
    ``tpr = Φ((intercept + quantile(fpr)) / -slope)`` with the line of :func:`binormal_roc_auc` by least
    squares.
    Each point is computed by this formula at its own rate. There is no grid and no interpolation, so a point
    does not depend on the others that are asked for; pROC computes 512 points and interpolates between them.
    If the slope is 0, the curve is a step, and its upper end counts. With a slope other than -1 the curve is
    below the diagonal near one of its ends, even if only slightly. O(n log n), and O(1) for each point.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> ratings = pl.DataFrame(
    ...     {"rating": [1, 2, 3, 4, 5], "normal": [33, 6, 6, 11, 2], "abnormal": [3, 2, 2, 11, 33]}
    ... ).unpivot(index="rating", variable_name="status", value_name="images")
    >>> images = ratings.select(pl.col("rating", "status").repeat_by("images").explode())
    >>> curve = pa.binormal_roc_curve(pl.col("status") == "abnormal", "rating", at_fpr=[0.1, 0.5])
    >>> images.select(curve.explode().struct.field("tpr").round(4))["tpr"].to_list()
    [0.7707, 0.9502]
    """
    return expression_of(binormal_roc_curve, locals())
