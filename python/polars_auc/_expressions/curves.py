"""Curves: what every threshold gives."""

# Signatures, Parameters and the fields of Returns are written by tests/python/package/generate.py.

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from polars_auc._plugin.call import expression_of

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin.call import IntoExpr

__all__ = [
    "cost_curve",
    "det_curve",
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
    """Return the ROC curve: the counts and rates of the rows called positive, at every distinct score.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows, or of states in their place, as for :func:`polars_auc.roc_auc`.
    drop_intermediate
        Whether to leave out points that are on the straight line between their neighbours; the curve and its
        area stay the same.
    at_fpr, at_tpr
        Gives only the points at these rates, in this order.
    at_threshold
        Gives only the points at these thresholds, in this order: any numbers. They are compared with the
        scores in the dtype of the scores and without rounding, so 2.5 on integers means 3 and above; see
        :func:`polars_auc.confusion_at`.
    max_points
        The largest number of points, 2 or more. The points that are kept are those whose removal would change
        the area most. ``drop_intermediate=False``, the rates, the thresholds and ``max_points`` are mutually
        exclusive.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score. Element 0 is the point (0, 0), where no row
        is called positive. Element i is the point at the i-th highest distinct score, and the last element is
        (1, 1). Tied rows make one step, which is diagonal if they belong to both classes.

        - ``threshold`` (the score's dtype): A row is called positive if ``score >= threshold``; null in
          element 0.
        - ``fp`` (UInt64; with weights Float64): Negatives that are called positive; with weights the sum of
          their weights.
        - ``tp`` (UInt64; with weights Float64): Positives that are called positive; with weights the sum of
          their weights.
        - ``fpr`` (Float64): ``fp`` as a share of all negatives.
        - ``tpr`` (Float64): ``tp`` as a share of all positives.
        - ``tn`` (UInt64; with weights Float64): Negatives that are not called positive; only with
          ``at_threshold``.
        - ``fn`` (UInt64; with weights Float64): Positives that are not called positive; only with
          ``at_threshold``.
        - ``error`` (Float64): The largest vertical distance between the whole curve and the line that ends in
          this point; only with ``max_points``. The largest of these numbers is the error of the drawing.

        With ``at_fpr`` or ``at_tpr`` there is one element for each rate. Between two points the curve is a
        straight line, and threshold and counts are null. At a given fpr the tpr is the highest (the top of a
        vertical step), at a given tpr the fpr is the lowest. With ``at_threshold`` the threshold is the
        lowest value of the score's dtype that is not below the number; it is null if the dtype has no such
        value.

        The list is null if the group has no positive or no negative, or if a score is NaN. Rows with a null
        label, score or weight are skipped.

    Notes
    -----
    There is one step for each distinct score, as in Fawcett (2006, algorithm 1). The counts are the
    unnormalised curve of Komarek (2004, section 5.1.4), whose area relative to that of a perfect learner is
    the AUC. With ``max_points`` points are removed one by one: always the point that makes the smallest
    triangle with its neighbours (Visvalingam and Whyatt 1993). In a group of more than 131,072 rows the
    points are chosen among those at the borders of some ten thousand intervals of scores. Their counts are
    exact, and ``error`` includes the points that may lie between them. O(n log n), with ``max_points`` in a
    large group O(n).

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
        The columns of rows, or of states in their place, as for :func:`polars_auc.roc_auc`.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score. Element 0 is the start, where no row is
        called positive: recall 0 and, by convention, precision 1. Element i is the point at the i-th highest
        distinct score.

        - ``threshold`` (the score's dtype): A row is called positive if ``score >= threshold``; null in
          element 0.
        - ``fp`` (UInt64; with weights Float64): Negatives that are called positive; with weights the sum of
          their weights.
        - ``tp`` (UInt64; with weights Float64): Positives that are called positive; with weights the sum of
          their weights.
        - ``precision`` (Float64): ``tp / (tp + fp)``.
        - ``recall`` (Float64): ``tp / P``, the tpr.

        Without negatives every precision is 1. The list is null if the group has no positive, or if a score
        is NaN. Rows with a null label, score or weight are skipped.

    Notes
    -----
    The points of scikit-learn's ``precision_recall_curve`` in the opposite order. Between two points
    precision does not change in a straight line (Davis and Goadrich 2006), so draw the curve in steps. The
    area under these steps is :func:`polars_auc.average_precision`. O(n log n).

    Each weight is rounded by at most 2^-60 of the total of its class. Where the rows above a threshold have
    the share f of it, the precision there is exact to about ``2^-60 / f`` of itself.

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
        The columns of rows, or of states in their place, as for :func:`polars_auc.roc_auc`.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score. Element 0 is the point where no row is
        called positive and every positive is missed. Element i is the point at the i-th highest distinct
        score, and in the last element every row is called positive.

        - ``threshold`` (the score's dtype): A row is called positive if ``score >= threshold``; null in
          element 0.
        - ``fp`` (UInt64; with weights Float64): Negatives that are called positive; with weights the sum of
          their weights.
        - ``fn`` (UInt64; with weights Float64): Positives that are called negative; with weights the sum of
          their weights.
        - ``fpr`` (Float64): ``fp`` as a share of all negatives.
        - ``fnr`` (Float64): ``fn`` as a share of all positives.

        The list is null if the group has no positive or no negative, or if a score is NaN. Rows with a null
        label or score are skipped.

    Notes
    -----
    The points of :func:`polars_auc.roc_curve` with ``fnr = 1 - tpr``, computed from the counts and not from
    the rounded tpr. Martin et al. (1997) draw both rates on normal scales, where two normal distributions
    give a straight line. The curve has all points from fpr 0 to fpr 1 and begins with the highest score.
    ``sklearn.metrics.det_curve`` has the opposite order, and only one point at each end where one of the
    rates is 0. O(n log n).

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
        The columns of rows, or of states in their place, as for :func:`polars_auc.roc_auc`.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score: the corners of the upper hull from (0, 0)
        to (1, 1), with the fields of :func:`roc_curve`: ``threshold`` (the score's dtype, null at (0, 0)),
        ``fp``, ``tp`` (UInt64, with weights Float64), ``fpr`` and ``tpr`` (Float64).

        The list is null if the group has no positive or no negative, or if a score is NaN. Rows with a null
        label, score or weight are skipped.

    Notes
    -----
    Provost and Fawcett (2001): for every prevalence and all costs of false negatives and false positives, one
    of the corners is the best threshold; and every corner is the best for some of them. Corners are found
    with whole numbers; a point on the line between two corners is not a corner. The area under the hull is at
    least the AUC. O(n log n).

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
    """Return the cost curve: the lowest expected cost that a threshold gives, over all costs and prevalences.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows, or of states in their place, as for :func:`polars_auc.roc_auc`.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score: the corners of the curve, between which it
        is a straight line.

        - ``probability_cost`` (Float64): 0 to 1, ascending: ``cost p / (cost p + 1 - p)`` where p is the
          share of positives and a false negative costs ``cost`` times a false positive.
        - ``expected_cost`` (Float64): The lowest expected cost of a row, as a share of the largest possible;
          0 to 1/2.
        - ``threshold`` (the score's dtype): The threshold that is best from here to the next corner; null if
          it is best to call no row positive.
        - ``fpr`` (Float64): Its false positive rate.
        - ``tpr`` (Float64): Its true positive rate.

        The list is null if the group has no positive or no negative, or if a score is NaN. Rows with a null
        label, score or weight are skipped.

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
