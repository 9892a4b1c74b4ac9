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
    "binormal_curve",
    "cap_curve",
    "cost_curve",
    "det_curve",
    "gains_table",
    "pr_curve",
    "roc_binormal",
    "roc_convex_hull",
    "roc_curve",
]

# The largest sizes that may be asked for: the points of roc_curve, average_roc_curve and binormal_curve, and
# the bands of gains_table.
_MOST_POINTS = 1_000_000_000
_MOST_AVERAGED = 1_000_000
_MOST_FITTED = 10_000_000
_MOST_BANDS = 1_000_000


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


def det_curve(label: IntoExpr, score: IntoExpr) -> pl.Expr:
    """Return the detection error tradeoff curve: both kinds of errors, at every distinct score.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score. Element 0 is the point where nothing is
        called positive and every positive is missed; element i is the point at the i-th highest distinct
        score, and the last is the point where everything is called positive.

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
    The points of :func:`polars_auc.roc_curve` with ``fnr = 1 - tpr``, taken from the counts and not from the
    rounded tpr. Martin et al. (1997) draw both rates on normal scales, where two normal distributions give a
    straight line. The curve is whole, from fpr 0 to fpr 1 and highest scores first;
    ``sklearn.metrics.det_curve`` turns it round and leaves out all points but one at either end where one
    of the rates is 0. O(n log n).

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
    return expression("det_curve", {"score": score, "label": label})


def cap_curve(label: IntoExpr, score: IntoExpr) -> pl.Expr:
    """Return the cumulative accuracy profile: which share of the positives the highest scores hold.

    Also called cumulative gains curve, or Lorenz curve of the positives.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.

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
    return expression("cap_curve", {"score": score, "label": label})


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


def gains_table(
    label: IntoExpr, score: IntoExpr, *, bands: int | None = None, edges: Sequence[float] | None = None
) -> pl.Expr:
    """Return the gains table: rows in bands of about equal size, with rates, gains, lift and KS.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    bands
        How many bands there are, from 1 to 1,000,000; 10 (deciles) unless told otherwise.
    edges
        The scores at which bands begin, ascending, instead of bands of equal size: a band holds
        ``edge <= score < next edge``, and the first and the last are open. Any numbers, compared with the
        scores in their own dtype and without rounding.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score, the highest scores first:

        - ``band`` (UInt64): its number, 1 for the highest scores.
        - ``highest``, ``lowest`` (the score's dtype): the highest and the lowest score in the band.
        - ``n``, ``n_pos``, ``n_neg`` (UInt64): rows in the band, and those of either class.
        - ``rate`` (Float64): the share of positives in the band.
        - ``cum_n``, ``cum_pos``, ``cum_neg`` (UInt64): rows in this band and those above.
        - ``gain`` (Float64): ``cum_pos`` as a share of all positives: the tpr at ``lowest``.
        - ``cum_fpr`` (Float64): ``cum_neg`` as a share of all negatives: the fpr at ``lowest``.
        - ``lift`` (Float64): the band's rate, divided by that of all rows.
        - ``cum_lift`` (Float64): the same for this band and those above together.
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
    Siddiqi (2006, chapter 6). Rows that tie are never divided: a distinct score belongs to the band
    ``floor(rows that score higher * bands / all rows) + 1``. Without ties the bands differ by one row at
    most; with ties they may differ by more, and a band that no score falls into is left out. All numbers
    are quotients of exact integers, correctly rounded. The largest absolute ``ks`` of the table is at most
    that of :func:`polars_auc.ks_statistic`, which looks at every score. O(n log n).

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
    columns = {"score": score, "label": label}
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
) -> pl.Expr:
    """Return the average of the ROC curves of folds, with how much they differ at each point.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    fold
        The column that says which fold a row was held out in: any plain dtype.
    method
        - ``"vertical"``: at each of some false positive rates the mean of the folds' true positive rates.
          Scores may mean something else in each fold.
        - ``"threshold"``: at each of some thresholds the mean of the folds' points, of both rates. Scores
          must mean the same in all folds.
        - ``"pooled"``: the curve of all rows, whichever fold they are of, at the false positive rates of
          ``"vertical"``. Scores must mean the same in all folds.
    n_points
        How many points the curve has, 3 or more: false positive rates from 0 to 1 in equal steps; or the
        point where nothing is called positive, and thresholds spread evenly over the distinct scores of all
        folds, the highest and the lowest among them (all of them if they are fewer).
    at_fpr
        The false positive rates, in any order, instead of equal steps; not by threshold.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score:

        - ``fpr`` (Float64): the false positive rate, by threshold the mean of the folds'.
        - ``fpr_sd`` (Float64): by threshold the standard deviation of the folds'; otherwise null.
        - ``tpr`` (Float64): the mean of the folds' true positive rates.
        - ``tpr_sd`` (Float64): their standard deviation; null if pooled.
        - ``threshold`` (Float64): by threshold, rows with ``score >= threshold`` are called positive; null at
          the first point, where none is, and by the other methods.
        - ``n_folds`` (UInt64): the folds that took part.

        A fold without a positive or without a negative has no curve and takes no part, unless folds are
        pooled. Deviations are null with one fold. The list is null if no fold has a curve (pooled: without a
        positive or without a negative in all), or if a score is NaN. Rows with a null label, score or fold
        are skipped.

    Raises
    ------
    ValueError
        For a method of another name, fewer than 3 points, rates outside 0 to 1, and ``at_fpr`` by threshold.
    TypeError
        If a column is neither a column name nor an expression.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`; also if the fold holds lists.

    Notes
    -----
    Provost, Fawcett and Kohavi (1998); Fawcett (2006, section 9, algorithms 3 and 4). Between two points a
    curve is a straight line, and at a vertical step its value is the top. The deviation is over k - 1 for k
    folds. O(n log n + p k log n) for p points.

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
        {"score": score, "label": label, "fold": fold},
        method=method,
        n_points=n_points,
        at_fpr=rates,
    )


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
    n_points = integer(name, "n_points", n_points, 2, _MOST_FITTED)
    return expression(name, {"score": score, "label": label}, at_fpr=rates, n_points=n_points)
