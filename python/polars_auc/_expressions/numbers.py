"""Scalar measures of one score's ranking of positives above negatives."""

# tests/python/package/generate.py writes signatures, Parameters and the fields of Returns.

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import polars as pl

from polars_auc._plugin.call import expression, expression_of

if TYPE_CHECKING:
    from polars_auc._plugin.call import IntoExpr

__all__ = [
    "average_precision",
    "gini",
    "gini_index",
    "ks_statistic",
    "mean_positive_rank",
    "roc_auc",
    "unlabelled_roc_auc",
]


def roc_auc(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    weight: IntoExpr | None = None,
    min_fpr: float | None = None,
    max_fpr: float | None = None,
    min_tpr: float | None = None,
    max_tpr: float | None = None,
    standardized: bool | Literal["always"] = False,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the area under the ROC curve (AUC), or a partial area.

    The AUC is the probability that a random positive scores higher than a random negative, where a tie counts
    one half. It is also the mean share of negatives that score lower than a positive, over all positives.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive. Scores are compared in their own dtype.
    weight
        The weight of each row: a column of finite numbers, 0 or more. Rows with a weight of 0 or null are
        skipped. A weight acts as a number of identical rows.
    min_fpr, max_fpr
        Bounds of the false positive rate, for the partial area between them: the integral of tpr over fpr.
    min_tpr, max_tpr
        Bounds of the true positive rate, for the partial area between them: the integral of 1 - fpr over tpr.
        ``max_fpr`` with ``min_tpr`` gives the two-way partial area: the part of the corner ``fpr <=
        max_fpr``, ``tpr >= min_tpr`` below the curve. Other bounds of both rates are not supported.
    standardized
        Whether to scale a partial area like a whole area: 1/2 for the diagonal, 1 for a perfect score. Below
        the diagonal the result is null; ``"always"`` applies the same formula there, as scikit-learn does,
        with results below 1/2, possibly below 0. Not for the two-way area.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.
    state
        A column of states from :func:`polars_auc.roc_state` instead of ``label`` and ``score``. The states of
        a group are merged. With ``max_bins`` the result is approximate: scores in the same bin count as ties.

    Returns
    -------
    polars.Expr
        One Float64 for each group, named after the score, from 0 to 1; a partial area is from 0 to the width
        of its range. Null with no positives or no negatives, NaN if a score is NaN. A standardized area is
        also null if it is below the diagonal, except with ``"always"``. Rows with a null label, score or
        weight are skipped.

    Notes
    -----
    ``AUC = U / (P N)``, with Mann-Whitney's U of P positives and N negatives, is the trapezoidal area under
    the curve (Bamber 1975; Hanley and McNeil 1982). U is an exact integer and the quotient is correctly
    rounded, so the result does not depend on row order, chunking, threads or engine. O(n log n).

    With weights, a pair counts as the product of its two weights. Weights are rounded to multiples of a power
    of two, at most 2^-60 of the total of their class, and summed as integers. Integer weights therefore give
    exactly the AUC of the repeated rows.

    The curve is linear between points. At a bound between two points it is interpolated (McClish 1989; as
    pROC's ``partial.auc``). The standardized area is ``(1 + (area - diagonal) / (full - diagonal)) / 2``,
    with the areas of the diagonal and of a perfect score in the range (McClish 1989). The two-way area is by
    Yang, Lu, Lyu and Hu (2017).

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
    return expression_of(roc_auc, locals())


def gini(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the Gini coefficient, ``2 AUC - 1``.

    It is also called accuracy ratio, or Somers' D of the score given the label: 1 for a perfect ranking, 0
    for a random one, -1 for a reversed one.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.

    Returns
    -------
    polars.Expr
        One Float64 for each group, -1 to 1, named after the score. Null with no positives or no negatives,
        NaN if a score is NaN. Rows with a null label, score or weight are skipped.

    Notes
    -----
    ``(2 U - P N) / (P N)`` (Somers 1962), from the exact integer U, correctly rounded. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> loans = pl.DataFrame({"bad": [True, False, True, False], "score": [0.9, 0.8, 0.3, 0.1]})
    >>> loans.select(pa.gini("bad", "score")).item()
    0.5
    """
    return expression_of(gini, locals())


def average_precision(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    interpolation: Literal["step", "continuous"] = "step",
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the average precision: the mean, over positives, of the precision at their score.

    It is the area under the steps of the precision-recall curve. For a random score it is about the share of
    positives, not one half.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    interpolation
        The curve between its points. ``"step"``: steps, whose area is the average precision.
        ``"continuous"``: the interpolation of Davis and Goadrich (2006) in the continuous form of Keilwagen,
        Grosse and Grau (2014): between two points, false positives increase in proportion to true positives.

    Returns
    -------
    polars.Expr
        One Float64 for each group, 0 to 1, named after the score. 1 with no negatives, so that a mean over
        queries includes queries whose rows are all relevant. Null with no positives (scikit-learn: 0), NaN if
        a score is NaN. Rows with a null label, score or weight are skipped.

    Notes
    -----
    ``sum (tpr_i - tpr_(i-1)) precision_i`` over the distinct scores, highest first (Manning, Raghavan and
    Schütze 2008, section 8.4), as scikit-learn's ``average_precision_score``. There is no interpolation by
    default: the trapezoidal area is too optimistic (Davis and Goadrich 2006).

    With ``interpolation="continuous"`` the result is ``auc.integral`` of PRROC: the mean, over recall, of the
    precision of the interpolated curve. A curve that begins with a negative starts at a precision of 0. The
    two areas differ most with few positives or many ties. ``auc.davis.goadrich`` of PRROC sums trapezoids
    between points at each further true positive, which approximate this area. O(n log n).

    Each weight is rounded by at most 2^-60 of the total of its class. If the rows above a score have the
    share f of this total, the relative error of the precision there is about ``2^-60 / f``.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> found = pl.DataFrame({"relevant": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
    >>> found.select(pa.average_precision("relevant", "score").round(4)).item()
    0.8333
    """
    return expression_of(average_precision, locals())


def ks_statistic(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    method: Literal["auto", "exact", "asymptotic"] = "auto",
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the Kolmogorov-Smirnov distance between positives and negatives, with its threshold and test.

    It is the largest vertical distance between the ROC curve and the diagonal, ``max |tpr - fpr|``.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. The distance is ``max |tpr -
        fpr|`` (two-sided), ``max (tpr - fpr)`` (greater), which is large if positives score higher, or ``max
        (fpr - tpr)`` (less).
    method
        The method of the p-value:

        - ``"exact"``: from all assignments of the labels to these rows, with their ties. The time grows with
          positives times negatives: a second for 2 * 10^9 pairs, beyond which it is null. Not with weights.
        - ``"asymptotic"``: the limit for many rows; conservative with few rows, or with ties.
        - ``"auto"``: exact for fewer than 10,000 pairs of a positive and a negative, which is R's rule.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``ks`` (Float64): The distance, 0 to 1.
        - ``difference`` (Float64): ``tpr - fpr`` at ``threshold``: the distance with its sign.
        - ``threshold`` (the score's dtype): The score with this distance, the highest of several: a row is
          predicted positive if ``score >= threshold``.
        - ``p_value`` (Float64): The p-value of the hypothesis that both classes have the same distribution.
          Null with weights, which do not give the number of observations.
        - ``method`` (String): The method of the p-value, ``"exact"`` or ``"asymptotic"``; null where the
          p-value is null.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        ``ks``, ``difference``, ``threshold`` and ``p_value`` are null with no positives or no negatives, NaN
        if a score is NaN. Rows with a null label, score or weight are skipped.

    Notes
    -----
    The distance is a quotient of exact integers (Smirnov 1939). The asymptotic p-value is from Kolmogorov's
    limiting distribution at ``x = sqrt(P N / (P + N)) ks``, as in R's ``ks.test(exact = FALSE)``; one-sided
    it is ``exp(-2 x²)``. The exact p-value is as in R and, without ties, as in scipy, which ignores ties. O(n
    log n), and O(P N) if exact.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> loans = pl.DataFrame({"bad": [1, 1, 0, 1, 0, 0], "points": [6, 5, 4, 3, 2, 1]})
    >>> loans.select(pa.ks_statistic("bad", "points")).unnest("points").select("ks", "threshold").row(0)
    (0.6666666666666666, 5)
    """
    return expression_of(ks_statistic, locals())


def mean_positive_rank(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the mean rank of the positives among all rows; rank 1 is the lowest score.

    Tied rows get the mean of their ranks. The result is the AUC in units of rows: see the notes.

    Parameters
    ----------
    label, score, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.

    Returns
    -------
    polars.Expr
        One Float64 for each group, named after the score: from ``(P + 1) / 2``, if all P positives score
        lower than all N negatives, to ``N + (P + 1) / 2``. Null with no positives, NaN if a score is NaN.
        Rows with a null label or score are skipped.

    Notes
    -----
    ``(U + P (P + 1) / 2) / P`` with Mann-Whitney's U: Wilcoxon's rank sum (1945) divided by P, from exact
    integers, correctly rounded. O(n log n).

    ``AUC = (mean rank - (P + 1) / 2) / N``: below the average positive there are ``(P - 1) / 2`` other
    positives, and the share AUC of the N negatives. An AUC of 0.8 therefore means that 20 % of the negatives
    score higher than the average positive. :func:`polars_auc.roc_auc` returns this share.

    Examples
    --------
    Seven chocolate bars. The three good ones score higher than 4, 3 and 3 of the four others (a tie counts
    one half), so the AUC is the mean of 1, 3/4 and 3/4, or 10/12. Their ranks are 7, 4.5 and 4.5:

    >>> import polars as pl
    >>> import polars_auc as pa
    >>> bars = pl.DataFrame({"good": [1, 0, 1, 1, 0, 0, 0], "score": [8, 5, 3, 3, 1, -3, -5]})
    >>> rank = bars.select(pa.mean_positive_rank("good", "score")).item()
    >>> rank
    5.333333333333333
    >>> round((rank - (3 + 1) / 2) / 4, 12) == round(bars.select(pa.roc_auc("good", "score")).item(), 12)
    True
    """
    return expression_of(mean_positive_rank, locals())


def gini_index(
    target: IntoExpr,
    score: IntoExpr,
    *,
    points: bool = False,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the Gini index of a numeric target, such as the claims of policies, ordered by a score.

    It measures how well the score ranks rows with large targets first. Insurers compare claim models with it.
    For a target of 0 and 1 use :func:`polars_auc.gini`.

    Parameters
    ----------
    target
        Any numeric or Boolean column, such as the cost of a policy's claims.
    score
        Any numeric or Boolean column; higher means a larger target.
    points
        Whether to list the points of the curve.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``gini`` (Float64): The Gini index: 0 if the score is uninformative, below 1, negative if the score
          orders rows the wrong way round.
        - ``normalized`` (Float64): ``gini`` divided by the Gini index of the target ordered by itself, at
          most 1.
        - ``points`` (List of Struct): With ``points=True``, for each distinct score, highest first:
          ``score``, the share of rows that reach it (``population``), and their share of the total
          (``captured``, Float64). The first point is (0, 0) with a null score. Otherwise null.
        - ``total`` (Float64): The sum of the target.
        - ``n`` (UInt64): The number of rows used.

        ``gini``, ``normalized`` and ``points`` are null if the total is not above 0; ``normalized`` also if
        all targets are equal. The numbers are NaN if a target or a score is NaN. Rows with a null target or
        score are skipped. Scores are compared in their own dtype; targets are summed as Float64.

    Notes
    -----
    The curve is the concentration (Lorenz) curve: the share of the total against the share of rows, highest
    score first. It is linear across tied rows. ``gini`` is twice the area between the curve and the diagonal
    (Frees, Meyers and Cummings 2011). For a target of 0 and 1, ``normalized`` is ``2 AUC - 1``, and the curve
    equals :func:`polars_auc.cap_curve`. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> policies = pl.DataFrame({"claims": [600, 0, 200, 0, 0], "premium": [90, 80, 70, 60, 50]})
    >>> index = policies.select(pa.gini_index("claims", "premium")).unnest("premium")
    >>> index.select(pl.col("gini", "normalized").round(4), "total", "n").row(0)
    (0.6, 0.8571, 800.0, 5)
    """
    return expression_of(gini_index, locals())


def unlabelled_roc_auc(
    label: IntoExpr,
    score: IntoExpr,
    *,
    assume: Literal["calibrated"] | None = None,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the bounds and the expected value of the AUC while some labels are unknown.

    Parameters
    ----------
    score, count
        The columns of rows, as in :func:`polars_auc.roc_auc`.
    label
        Boolean, or an integer or float column that contains only 0 and 1. Null means unknown.
    assume
        ``None`` makes no assumption. ``"calibrated"`` assumes that scores are probabilities: of the rows with
        a given score, labelled or not, this share is positive.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``auc`` (Float64): The AUC of the labelled rows, as in :func:`polars_auc.roc_auc`.
        - ``lower`` (Float64): The smallest AUC of all rows over all possible labels of the unlabelled rows;
          null if no labels give an AUC.
        - ``upper`` (Float64): The largest AUC over all possible labels.
        - ``expected_auc`` (Float64): With ``assume``, the expected number of concordant pairs divided by the
          expected number of pairs of all rows, 0 to 1; otherwise null.
        - ``corrected_auc`` (Float64): The same after all logits are shifted by one constant, so that the
          scores of the labelled rows sum to the number of labelled positives. Null if no constant does so, as
          with no labelled positives or no labelled negatives.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of labelled positives and negatives.
        - ``n_unlabelled`` (UInt64): The number of rows with a score and no label.

        ``auc`` is null with no labelled positives or no labelled negatives. All areas are NaN if a score is
        NaN. ``expected_auc`` and ``corrected_auc`` are also NaN if a score is not from 0 to 1. Rows with a
        null score are skipped.

    Notes
    -----
    With k positives among the unlabelled rows, the AUC is largest if the k highest scores are positive, and
    smallest if the k lowest scores are. The bounds are the extremes over all k. They are exact, and wide
    unless few labels are missing.

    For ``expected_auc``, a labelled row counts with its label. An unlabelled row with the score p counts p as
    a positive and 1 - p as a negative, and is not paired with itself. This is the model-based concordance of
    van Klaveren, Gönen, Steyerberg and Vergouwe (2016). ``corrected_auc`` first updates the intercept
    (Steyerberg, Borsboom, van Houwelingen, Eijkemans and Habbema 2004). Neither has an interval. Both are
    biased if missingness depends on the label, as when defaults are known before repayments. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> loans = pl.DataFrame({"default": [1, 0, None, 1, 0, None], "p": [0.9, 0.7, 0.6, 0.4, 0.2, 0.1]})
    >>> areas = loans.select(pa.unlabelled_roc_auc("default", "p", assume="calibrated")).unnest("p")
    >>> areas.select(pl.col("auc", "lower", "upper", "expected_auc").round(3), "n_unlabelled").row(0)
    (0.75, 0.444, 0.778, 0.739, 2)
    """
    name = "unlabelled_roc_auc"
    column = pl.col(label) if isinstance(label, str) else label
    if not (isinstance(column, pl.Expr) and isinstance(score, str | pl.Expr)):
        # Raise the error for an invalid column.
        return expression(name, {"score": score, "label": label})
    labels = {"label": column, "labelled": column.is_not_null()}
    return expression(name, {"score": score, **labels, "count": count}, assume=assume)
