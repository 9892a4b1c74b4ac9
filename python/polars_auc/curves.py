"""Curves: what every threshold would give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import polars as pl

from polars_auc._options import flag, integer, listed, rate, threshold
from polars_auc._plugin import expression

if TYPE_CHECKING:
    from polars_auc._plugin import IntoExpr

__all__ = ["cost_curve", "curve_points", "pr_curve", "roc_convex_hull", "roc_curve"]

_MOST_POINTS = 1_000_000_000

# A name that no column of a user has.
_POINTS = "polars_auc: points"


def roc_curve(
    label: IntoExpr,
    score: IntoExpr,
    *,
    weight: IntoExpr | None = None,
    drop_intermediate: bool = False,
    at_fpr: Sequence[float] | None = None,
    at_tpr: Sequence[float] | None = None,
    at_threshold: Sequence[float] | None = None,
    max_points: int | None = None,
) -> pl.Expr:
    """Return the ROC curve: counts and rates of the rows called positive, at every distinct score.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    weight
        How many rows each row stands for: a column of finite numbers, not negative; 0 leaves the row out,
        null skips it.
    drop_intermediate
        Whether points on the straight line between the points beside them are left out; the curve and its
        area stay the same.
    at_fpr, at_tpr
        The curve at these rates alone, in the order given.
    at_threshold
        The curve at these thresholds alone, in the order given: any numbers, compared with the scores in
        their own dtype and without rounding. 2.5 on integers means 3 and above.
    max_points
        At most so many points, 2 or more: those whose loss would change the area most.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score. Element 0 is the point (0, 0), where
        nothing is called positive; element i is the point at the i-th highest distinct score, and the last
        is (1, 1). Rows that tie make one step, which is a diagonal if both classes are among them.

        - ``threshold`` (the score's dtype): a row is called positive if ``score >= threshold``; null in
          element 0.
        - ``fp``, ``tp`` (UInt64): negatives and positives that are called positive; with weights the sums of
          their weights (Float64).
        - ``fpr``, ``tpr`` (Float64): their shares of all negatives and of all positives.
        - ``error`` (Float64): only with ``max_points``: how far the line that ends in this point is from the
          whole curve, vertically and at most. The largest of all is what drawing the points costs.

        With ``at_fpr`` or ``at_tpr`` there is one element for each rate. Between two points the curve is a
        straight line, and threshold and counts are null there. At a given fpr the tpr is the highest (the
        top of a vertical step), at a given tpr the fpr is the lowest. With ``at_threshold`` the threshold is
        the lowest value of the score's dtype that is not below the number, null if there is none so high.

        The list is null if the group has no positive or no negative, or if a score is NaN. Rows with a null
        label, score or weight are skipped.

    Raises
    ------
    ValueError
        For more than one of ``drop_intermediate``, ``at_fpr``, ``at_tpr``, ``at_threshold`` and
        ``max_points``, for rates that are none, thresholds that are no numbers, or fewer than 2 points.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

    Notes
    -----
    One step for each distinct score as in Fawcett (2006, algorithm 1); the counts are the unnormalised curve
    of Komarek (2004, section 5.1.4), whose area relative to the perfect learner's is the AUC. With
    ``max_points`` points are dropped one by one, always the one that makes the smallest triangle with its
    neighbours (Visvalingam and Whyatt 1993). In a group of more than 131,072 rows not every score is
    tried: the points are chosen among those at the borders of some ten thousand runs of scores, whose
    counts are exact, and ``error`` includes what may lie between. O(n log n), with ``max_points`` in a
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
    >>> half = pa.roc_curve("label", "score", at_fpr=[0.25])
    >>> rows.select(half).explode("score").unnest("score").select("fpr", pl.col("tpr").round(4)).row(0)
    (0.25, 0.6667)
    """
    name = "roc_curve"
    columns = {"score": score, "label": label, "weight": weight}
    options = {
        "drop_intermediate": flag(name, "drop_intermediate", drop_intermediate) or None,
        "at_fpr": at_fpr,
        "at_tpr": at_tpr,
        "at_threshold": at_threshold,
        "max_points": max_points,
    }
    asked = [option for option, value in options.items() if value is not None]
    if len(asked) > 1:
        msg = f"{name}: {' and '.join(asked)} ask for different curves; give one of them"
        raise ValueError(msg)
    if max_points is not None:
        most = integer(name, "max_points", max_points, 2, _MOST_POINTS)
        return expression(name, columns, variant="thinned", max_points=most)
    for what, at in (("fpr", at_fpr), ("tpr", at_tpr)):
        if at is not None:
            rates = [rate(name, f"at_{what}", value) for value in listed(name, f"at_{what}", at)]
            return _at(columns, what, rates)
    if at_threshold is not None:
        numbers = listed(name, "at_threshold", at_threshold)
        return _at(columns, "threshold", [threshold(name, "at_threshold", number) for number in numbers])
    return expression(name, columns, drop_intermediate=drop_intermediate)


def _at(columns: dict[str, IntoExpr | None], what: str, values: Sequence[object]) -> pl.Expr:
    return expression("roc_curve", columns, variant="at", at={what: values})


def pr_curve(label: IntoExpr, score: IntoExpr, *, weight: IntoExpr | None = None) -> pl.Expr:
    """Return the precision-recall curve, at every distinct score.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    weight
        How many rows each row stands for: a column of finite numbers, not negative; 0 leaves the row out,
        null skips it.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score. Element 0 is the start, where nothing is
        called positive: recall 0 and, by convention, precision 1. Element i is the point at the i-th highest
        distinct score.

        - ``threshold`` (the score's dtype): a row is called positive if ``score >= threshold``; null in
          element 0.
        - ``fp``, ``tp`` (UInt64): negatives and positives that are called positive; with weights the sums of
          their weights (Float64).
        - ``precision`` (Float64): ``tp / (tp + fp)``.
        - ``recall`` (Float64): ``tp / P``, the tpr.

        The list is null if the group has no positive or no negative, or if a score is NaN. Rows with a null
        label, score or weight are skipped.

    Raises
    ------
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

    Notes
    -----
    The points of scikit-learn's ``precision_recall_curve`` in the opposite order. Between two points
    precision is not a straight line (Davis and Goadrich 2006): draw steps, whose area is
    :func:`polars_auc.average_precision`. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"label": [1, 0, 1, 1, 0], "score": [3, 2, 2, 2, 1]})
    >>> points = rows.select(pa.pr_curve("label", "score")).explode("score").unnest("score")
    >>> points.select("threshold", "precision", pl.col("recall").round(4)).rows()
    [(None, 1.0, 0.0), (3, 1.0, 0.3333), (2, 0.75, 1.0), (1, 0.6, 1.0)]
    """
    return expression("pr_curve", {"score": score, "label": label, "weight": weight})


def roc_convex_hull(label: IntoExpr, score: IntoExpr, *, weight: IntoExpr | None = None) -> pl.Expr:
    """Return the convex hull of the ROC curve: the thresholds that are best for some costs and prevalence.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    weight
        How many rows each row stands for: a column of finite numbers, not negative; 0 leaves the row out,
        null skips it.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score: the corners of the upper hull from (0, 0)
        to (1, 1), with the fields of :func:`roc_curve`: ``threshold`` (the score's dtype, null at (0, 0)),
        ``fp``, ``tp`` (UInt64, with weights Float64), ``fpr`` and ``tpr`` (Float64).

        The list is null if the group has no positive or no negative, or if a score is NaN. Rows with a null
        label, score or weight are skipped.

    Raises
    ------
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

    Notes
    -----
    Provost and Fawcett (2001): whatever a false negative and a false positive cost and whatever the
    prevalence, no threshold beats the best corner, and every corner is the best for some. Corners are found
    in whole numbers; what lies on a line between two is none. Its area is at least the AUC. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"label": [0, 1, 1, 0, 1, 0], "score": [6, 5, 4, 3, 2, 1]})
    >>> hull = rows.select(pa.roc_convex_hull("label", "score")).explode("score").unnest("score")
    >>> hull.select("threshold", "fp", "tp").rows()
    [(None, 0, 0), (4, 1, 2), (2, 2, 3), (1, 3, 3)]
    """
    return expression("roc_convex_hull", {"score": score, "label": label, "weight": weight})


def cost_curve(label: IntoExpr, score: IntoExpr, *, weight: IntoExpr | None = None) -> pl.Expr:
    """Return the cost curve: the lowest expected cost that a threshold gives, over all costs and prevalences.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    weight
        How many rows each row stands for: a column of finite numbers, not negative; 0 leaves the row out,
        null skips it.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score: the corners of the curve, between which it
        is a straight line.

        - ``probability_cost`` (Float64): 0 to 1, ascending: ``cost p / (cost p + 1 - p)`` where p is the
          share of positives and a false negative costs ``cost`` times a false positive.
        - ``expected_cost`` (Float64): the lowest expected cost of a row, as a share of the largest possible;
          0 to 1/2.
        - ``threshold`` (the score's dtype): the threshold that is best from here to the next corner; null
          where nobody should be called positive.
        - ``fpr``, ``tpr`` (Float64): its rates.

        The list is null if the group has no positive or no negative, or if a score is NaN. Rows with a null
        label, score or weight are skipped.

    Raises
    ------
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

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
    return expression("cost_curve", {"score": score, "label": label, "weight": weight})


def curve_points(
    frame: pl.DataFrame | pl.LazyFrame, curve: pl.Expr, by: str | Iterable[str] | None = None
) -> pl.LazyFrame:
    """Return a curve of every group as a long table, one row a point, as a lazy frame.

    Parameters
    ----------
    frame
        The rows: a DataFrame, or a LazyFrame such as ``pl.scan_parquet(...)``.
    curve
        Any expression of this package that answers a group with a list of points, such as :func:`roc_curve`,
        :func:`pr_curve` or :func:`polars_auc.gains_table`.
    by
        The columns whose combinations make the groups; one curve of all rows if there are none.

    Returns
    -------
    polars.LazyFrame
        The columns ``by``, ``point`` (UInt32: 0, 1, ... within the curve) and the fields of the curve's
        points; sorted by ``by`` and point. A group whose curve is undefined has no rows.

    Raises
    ------
    TypeError
        If the frame is no frame, the curve no expression, or ``by`` holds anything but names.
    ValueError
        If the curve is no list of points, or a column of ``by`` has the name of one of its fields.
    polars.exceptions.PolarsError
        For missing columns, and as the curve.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame(
    ...     {"site": ["a"] * 3 + ["b"] * 2, "label": [1, 0, 1, 1, 0], "score": [3, 2, 1, 2, 1]}
    ... )
    >>> pa.curve_points(rows, pa.roc_curve("label", "score"), "site").collect()
    shape: (7, 7)
    ┌──────┬───────┬───────────┬─────┬─────┬─────┬─────┐
    │ site ┆ point ┆ threshold ┆ fp  ┆ tp  ┆ fpr ┆ tpr │
    │ ---  ┆ ---   ┆ ---       ┆ --- ┆ --- ┆ --- ┆ --- │
    │ str  ┆ u32   ┆ i64       ┆ u64 ┆ u64 ┆ f64 ┆ f64 │
    ╞══════╪═══════╪═══════════╪═════╪═════╪═════╪═════╡
    │ a    ┆ 0     ┆ null      ┆ 0   ┆ 0   ┆ 0.0 ┆ 0.0 │
    │ a    ┆ 1     ┆ 3         ┆ 0   ┆ 1   ┆ 0.0 ┆ 0.5 │
    │ a    ┆ 2     ┆ 2         ┆ 1   ┆ 1   ┆ 1.0 ┆ 0.5 │
    │ a    ┆ 3     ┆ 1         ┆ 1   ┆ 2   ┆ 1.0 ┆ 1.0 │
    │ b    ┆ 0     ┆ null      ┆ 0   ┆ 0   ┆ 0.0 ┆ 0.0 │
    │ b    ┆ 1     ┆ 2         ┆ 0   ┆ 1   ┆ 0.0 ┆ 1.0 │
    │ b    ┆ 2     ┆ 1         ┆ 1   ┆ 1   ┆ 1.0 ┆ 1.0 │
    └──────┴───────┴───────────┴─────┴─────┴─────┴─────┘
    """
    name = "curve_points"
    if not isinstance(frame, pl.DataFrame | pl.LazyFrame):
        msg = f"{name}: frame must be a DataFrame or a LazyFrame, got {type(frame).__name__}"
        raise TypeError(msg)
    if not isinstance(curve, pl.Expr):
        msg = (
            f"{name}: curve must be an expression, got {type(curve).__name__}; "
            'write curve_points(frame, roc_curve("label", "score"), "segment")'
        )
        raise TypeError(msg)
    several = isinstance(by, Iterable) and not isinstance(by, str | pl.Expr)
    keys = [] if by is None else list(by) if several else [by]
    if not all(isinstance(key, str) for key in keys):
        msg = f"{name}: by must be column names, got {keys}"
        raise TypeError(msg)
    if len(set(keys)) < len(keys):
        msg = f"{name}: by must name every column once, got {keys}"
        raise ValueError(msg)
    points = curve.alias(_POINTS)
    rows = frame.lazy()
    missing = [key for key in keys if key not in rows.collect_schema()]
    if missing:
        msg = f"{name}: by names {missing}, which the frame lacks; there are: {rows.collect_schema().names()}"
        raise pl.exceptions.ColumnNotFoundError(msg)
    curves = rows.group_by(keys).agg(points) if keys else rows.select(points)
    dtype = curves.collect_schema()[_POINTS]
    if not isinstance(dtype, pl.List) or not isinstance(dtype.inner, pl.Struct):
        msg = f"{name}: curve must answer with a list of points, as roc_curve does, got {dtype}"
        raise ValueError(msg)
    fields = ["point", *(field.name for field in dtype.inner.fields)]
    clash = next((key for key in keys if key in fields), None)
    if clash is not None:
        msg = f"{name}: the column {clash!r} of by has the name of a column of the points; rename it"
        raise ValueError(msg)
    numbered = curves.filter(pl.col(_POINTS).list.len() > 0).with_columns(
        point=pl.int_ranges(pl.col(_POINTS).list.len(), dtype=pl.UInt32)
    )
    long = numbered.explode(_POINTS, "point").unnest(_POINTS)
    return long.select(*keys, *fields).sort(*keys, "point")
