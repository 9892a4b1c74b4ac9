"""Numbers of one score: how well it ranks positives above negatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polars_auc._options import flag, rate_range
from polars_auc._plugin import expression

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["average_precision", "gini", "ks_statistic", "mean_positive_rank", "roc_auc", "roc_summary"]


def roc_auc(
    label: IntoExpr,
    score: IntoExpr,
    *,
    weight: IntoExpr | None = None,
    min_fpr: float | None = None,
    max_fpr: float | None = None,
    min_tpr: float | None = None,
    max_tpr: float | None = None,
    standardized: bool = False,
) -> pl.Expr:
    """Return the area under the ROC curve, or under a part of it.

    It is the probability that a random positive scores higher than a random negative, ties counting half;
    or, the same number, the mean over positives of the share of negatives that score lower.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive. Compared in its own dtype.
    weight
        How many rows each row stands for: a column of finite numbers, not negative; 0 leaves the row out,
        null skips it.
    min_fpr, max_fpr
        Bounds of the false positive rate: the area between them, the integral of tpr over fpr.
    min_tpr, max_tpr
        Bounds of the true positive rate: the integral of 1 - fpr over tpr. ``max_fpr`` with ``min_tpr``, and
        no other pair, gives the two-way partial area: the part of the corner ``fpr <= max_fpr``,
        ``tpr >= min_tpr`` that lies below the curve.
    standardized
        Whether a partial area is put on the scale of a whole one: one half for the diagonal, 1 for a perfect
        score. Not for the two-way area.

    Returns
    -------
    polars.Expr
        One Float64 for each group, named after the score: 0 to 1, and a partial area 0 to the width of its
        range. Null if the group has no positive or no negative, NaN if a score is NaN. Standardized, it is
        null too where the area is below that of the diagonal, since the scale is made for curves above it:
        such numbers would fall below one half without telling by how much. Rows with a null label, score or
        weight are skipped.

    Raises
    ------
    ValueError
        For bounds that are not rates or in the wrong order, and for combinations of bounds other than those
        above.
    TypeError
        If the label or the score is neither a column name nor an expression. A Series is none: in a group it
        would stand for the same values whatever rows the group has.
    polars.exceptions.ComputeError
        When the plan is resolved, for a label or score of another dtype; when it runs, for a label that is
        neither 0 nor 1, a negative or infinite weight, or columns of different lengths in one group.

    Notes
    -----
    ``AUC = U / (P N)`` with Mann-Whitney's U of P positives against N negatives (Bamber 1975; Hanley and
    McNeil 1982), the trapezoid area under the curve. U is an exact integer and the quotient is correctly
    rounded, so the result does not depend on row order, chunking, threads or engine. O(n log n).

    With weights a pair counts as the product of its two weights. They are rounded to multiples of a power of
    two, at most 2^-60 of their class's total, and summed as integers: whole numbers as weights give the AUC
    of the repeated rows to the last bit.

    Between points the curve is a straight line, and it is cut where a bound falls between two (McClish 1989;
    the same as pROC's ``partial.auc``). Standardized: ``(1 + (area - diagonal) / (full - diagonal)) / 2``
    with the areas of the diagonal and of a perfect score in the range (McClish 1989). Two-way: Yang, Lu, Lyu
    and Hu (2017).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> bars = pl.DataFrame({"good": [1, 0, 1, 1, 0, 0, 0], "score": [8, 5, 3, 3, 1, -3, -5]})
    >>> bars.select(pa.roc_auc("good", "score")).item()
    0.8333333333333334
    >>> bars.select(pa.roc_auc("good", "score", max_fpr=0.5)).item()
    0.3333333333333333
    """
    name = "roc_auc"
    flag(name, "standardized", standardized)
    columns = {"score": score, "label": label, "weight": weight}
    fpr, tpr = rate_range(name, "fpr", min_fpr, max_fpr), rate_range(name, "tpr", min_tpr, max_tpr)
    if fpr is None and tpr is None:
        return expression(name, columns)
    if fpr is None or tpr is None:
        bounds: dict[str, object] = {"fpr": fpr} if fpr else {"tpr": tpr}
    elif min_fpr is None and max_tpr is None and not standardized:
        bounds = {"two_way": {"max_fpr": fpr[1], "min_tpr": tpr[0]}}
    else:
        msg = (
            f"{name}: both rates are bounded; write a range of one of them, or max_fpr with min_tpr for the "
            "two-way partial area, which has no standardized form"
        )
        raise ValueError(msg)
    return expression(name, columns, variant="partial", range=bounds, standardized=standardized)


def gini(label: IntoExpr, score: IntoExpr) -> pl.Expr:
    """Return the Gini coefficient, twice the AUC less 1.

    Also called accuracy ratio, or Somers' D of the score given the label: 1 for a perfect ranking, 0 for a
    random one, -1 for a perfect ranking the wrong way round.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.

    Returns
    -------
    polars.Expr
        One Float64 for each group, -1 to 1, named after the score. Null if the group has no positive or no
        negative, NaN if a score is NaN. Rows with a null label or score are skipped.

    Raises
    ------
    polars.exceptions.ComputeError
        As :func:`roc_auc`.

    Notes
    -----
    ``(2 U - P N) / (P N)`` (Somers 1962), from the exact integer U, correctly rounded: it is exactly 0
    where positives win as many pairs as they lose. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> loans = pl.DataFrame({"bad": [True, False, True, False], "score": [0.9, 0.8, 0.3, 0.1]})
    >>> loans.select(pa.gini("bad", "score")).item()
    0.5
    """
    return expression("gini", {"score": score, "label": label})


def average_precision(label: IntoExpr, score: IntoExpr, *, weight: IntoExpr | None = None) -> pl.Expr:
    """Return the average precision: the mean, over positives, of the precision at their score.

    It is the area of the steps under the precision-recall curve. A score that says nothing has about the
    share of positives, not one half.

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
        One Float64 for each group, 0 to 1, named after the score. Null if the group has no positive or no
        negative, NaN if a score is NaN. Rows with a null label, score or weight are skipped.

    Raises
    ------
    polars.exceptions.ComputeError
        As :func:`roc_auc`.

    Notes
    -----
    ``sum (tpr_i - tpr_(i-1)) precision_i`` over the distinct scores, highest first, without interpolation
    (Manning, Raghavan and Schütze 2008, section 8.4): the step sum of scikit-learn's
    ``average_precision_score``, not the trapezoid, which is too optimistic (Davis and Goadrich 2006).
    O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> found = pl.DataFrame({"relevant": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
    >>> found.select(pa.average_precision("relevant", "score").round(4)).item()
    0.8333
    """
    return expression("average_precision", {"score": score, "label": label, "weight": weight})


def ks_statistic(label: IntoExpr, score: IntoExpr, *, weight: IntoExpr | None = None) -> pl.Expr:
    """Return the Kolmogorov-Smirnov distance between positives and negatives, and where it is attained.

    It is the largest vertical distance between the ROC curve and the diagonal, ``max |tpr - fpr|``.

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
        One Struct for each group, named after the score:

        - ``ks`` (Float64): the distance, 0 to 1.
        - ``threshold`` (the score's dtype): the score at which it is attained, a row being called positive
          if ``score >= threshold``; the highest of several.
        - ``p_value`` (Float64): of the hypothesis that both classes have one distribution; two-sided,
          asymptotic. Null with weights, which do not tell how many observations there are.
        - ``n_pos``, ``n_neg`` (UInt64): the rows that were used.

        ``ks``, ``threshold`` and ``p_value`` are null if the group has no positive or no negative, NaN if a
        score is NaN. Rows with a null label, score or weight are skipped.

    Raises
    ------
    polars.exceptions.ComputeError
        As :func:`roc_auc`.

    Notes
    -----
    The distance is a quotient of exact integers (Smirnov 1939). The p-value is that of Kolmogorov's limiting
    distribution at ``sqrt(P N / (P + N)) ks``, as R's ``ks.test(exact = FALSE)`` gives it; it is
    conservative for few rows and for ties. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> loans = pl.DataFrame({"bad": [1, 1, 0, 1, 0, 0], "points": [6, 5, 4, 3, 2, 1]})
    >>> loans.select(pa.ks_statistic("bad", "points")).unnest("points").select("ks", "threshold").row(0)
    (0.6666666666666666, 5)
    """
    return expression("ks_statistic", {"score": score, "label": label, "weight": weight})


def mean_positive_rank(label: IntoExpr, score: IntoExpr) -> pl.Expr:
    """Return the mean rank of the positives among all rows, 1 being the lowest score.

    Rows that tie share the mean of their ranks. It is the AUC in the unit of rows: see the notes.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive. Compared in its own dtype.

    Returns
    -------
    polars.Expr
        One Float64 for each group, named after the score: from ``(P + 1) / 2``, if all P positives score
        lower than all N negatives, to ``N + (P + 1) / 2``. Null if the group has no positive, NaN if a
        score is NaN. Rows with a null label or score are skipped.

    Raises
    ------
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

    Notes
    -----
    ``(U + P (P + 1) / 2) / P`` with Mann-Whitney's U, which is Wilcoxon's rank sum (1945) for each
    positive. From exact integers, correctly rounded. O(n log n).

    ``AUC = (mean rank - (P + 1) / 2) / N``: of the rows below an average positive, ``(P - 1) / 2`` are
    other positives, and the rest, as a share of all N negatives, is the AUC. With that share as the rank of
    a positive, the AUC *is* the average positive rank: an AUC of 0.8 says that the average positive has 20
    % of the negatives above it. That number, from 0 to 1, is :func:`polars_auc.roc_auc`.

    Examples
    --------
    Seven bars of chocolate by a score of their goodness. The good ones beat 4, 3 and 3 of the four others,
    so that the AUC is the mean of 1, 3/4 and 3/4, or 10/12; their ranks are 7, 4.5 and 4.5:

    >>> import polars as pl
    >>> import polars_auc as pa
    >>> bars = pl.DataFrame({"good": [1, 0, 1, 1, 0, 0, 0], "score": [8, 5, 3, 3, 1, -3, -5]})
    >>> rank = bars.select(pa.mean_positive_rank("good", "score")).item()
    >>> rank
    5.333333333333333
    >>> round((rank - (3 + 1) / 2) / 4, 12) == round(bars.select(pa.roc_auc("good", "score")).item(), 12)
    True
    """
    return expression("mean_positive_rank", {"score": score, "label": label})


def roc_summary(label: IntoExpr, score: IntoExpr) -> pl.Expr:
    """Return the common numbers of a group: AUC, standard error, Gini, KS, average precision, best threshold.

    All come from one ranking of the rows. Polars shares no work between expressions inside ``agg``, so asking
    for several of them takes one ranking each; this takes one, and walks it: about twice as long as
    :func:`roc_auc` alone (``benches/results/targets.csv``).

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``auc`` (Float64): as :func:`roc_auc`.
        - ``se`` (Float64): its standard error, as :func:`polars_auc.roc_auc_ci` by DeLong.
        - ``gini`` (Float64): as :func:`gini`.
        - ``ks`` (Float64): the distance of :func:`ks_statistic`.
        - ``average_precision`` (Float64): the mean, over positives, of the precision at their score; 0 to 1.
        - ``best_threshold`` (the score's dtype): the score at which ``tpr - fpr`` is largest, a row being
          called positive if ``score >= best_threshold``; the highest of several.
        - ``n_pos``, ``n_neg`` (UInt64): the rows that were used.

        All but the counts are null if the group has no positive or no negative, NaN if a score is NaN; ``se``
        is null also with fewer than two positives or fewer than two negatives. Rows with a null label or
        score are skipped.

    Raises
    ------
    polars.exceptions.ComputeError
        As :func:`roc_auc`.

    Notes
    -----
    The average precision is ``sum (tpr_i - tpr_(i-1)) precision_i`` over the distinct scores, highest first:
    the step sum of ``sklearn.metrics.average_precision_score``, not the trapezoid under the precision-recall
    curve. The best threshold is Youden's (1950). ``ks`` may be attained elsewhere: it counts the
    distance below the diagonal, too. O(n log n).

    Examples
    --------
    Take the record apart after the aggregation, not inside it:

    >>> import polars as pl
    >>> import polars_auc as pa
    >>> loans = pl.DataFrame({"bad": [1, 1, 0, 1, 0, 0], "points": [6, 5, 4, 3, 2, 1]})
    >>> summary = loans.select(pa.roc_summary("bad", "points")).unnest("points")
    >>> summary.select(pl.col("auc", "se", "average_precision").round(4), "best_threshold").row(0)
    (0.8889, 0.1571, 0.9167, 5)
    """
    return expression("roc_summary", {"score": score, "label": label})
