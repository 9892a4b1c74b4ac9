"""AUCs and curves of the rows of each user or stratum, averaged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from polars_auc._options import ALTERNATIVES, between_0_and_1, one_of
from polars_auc._plugin import expression

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["covariate_adjusted_roc_curve", "grouped_roc_auc", "grouped_roc_auc_difference"]

AVERAGES = ("macro", "rows", "positives", "pairs")


def grouped_roc_auc(
    label: IntoExpr,
    score: IntoExpr,
    by: IntoExpr,
    *,
    average: Literal["macro", "rows", "positives", "pairs"] = "macro",
    error: Literal["between", "within"] = "between",
    level: float = 0.95,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the mean of the AUCs of users, or of other groups that ``by`` makes: GAUC, or uAUC.

    It says how well the rows of one user are ranked, and ignores how rows of different users are ranked. Use
    it if scores only order the items that one user sees.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    by
        The column with the user of each row; any dtype except lists.
    average
        The weight of a user: the same for every user (``"macro"``), or the number of their ``"rows"``
        (impressions), of their ``"positives"`` (clicks), or of their ``"pairs"`` of a positive and a
        negative.
    error
        Where the standard error comes from: ``"between"``, from how the AUCs of users differ, if the users
        are a sample; ``"within"``, from the rows of each user by DeLong, if ``by`` makes strata, such as age
        classes, that are all there are and have many rows each.
    level
        The interval's coverage, between 0 and 1.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative.
        The answer is that of the repeated rows. Rows of count 0 or null are left out.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``auc`` (Float64): the mean over the users that have an AUC, 0 to 1.
        - ``se`` (Float64): its standard error.
        - ``lower``, ``upper`` (Float64): the limits of its interval.
        - ``n_groups``, ``n_undefined`` (UInt64): users that have an AUC, and users without a positive or
          without a negative.
        - ``n_pos``, ``n_neg`` (UInt64): the rows of all users. The rows of users without an AUC are counted
          here, but have no influence on ``auc``.

        ``auc`` is null if no user has an AUC. The error and the limits are null with fewer than two such
        users or, for ``"within"``, if one of them has a single positive or a single negative. All four are
        NaN if a score is NaN; users are then not counted. Rows with a null label, score or user are skipped.

    Raises
    ------
    ValueError
        For an unknown average or error, or a level that is not between 0 and 1.
    TypeError
        If a column is neither a column name nor an expression.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`; also if ``by`` is a column of lists.

    Notes
    -----
    ``sum(w A) / sum(w)`` over users with area A and weight w. The order of the sum depends only on these
    numbers, so that the order of rows does not change the result. Zhu et al. (2017) weigh by impressions or
    clicks, Zhou et al. (2018) by impressions. By pairs it is the share of all pairs of one user in which the
    positive scores higher.

    By positives it is the AUC adjusted for a covariate, the area under
    :func:`polars_auc.covariate_adjusted_roc_curve`: how well rows are ranked among rows that are alike in
    ``by`` (Janes and Pepe 2009). With ``error="within"``, ``se² = sum(w² Var A) / sum(w)²`` with DeLong's
    variances and with the weights as they are, and a normal interval.

    With ``error="between"`` users are taken to be independent of each other; nothing is asked of the rows of
    one user. The standard error is ``sqrt(k / (k - 1) sum(w² (A - mean)²)) / sum(w)`` over k users (Cochran
    1977, section 6.4), and the limits are Student's with k - 1 degrees of freedom, cut at 0 and 1.
    :func:`polars_auc.roc_auc_ci` with ``cluster`` is for the AUC of all rows together. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> shown = pl.DataFrame(
    ...     {
    ...         "user": ["a", "a", "a", "b", "b", "c"],
    ...         "clicked": [1, 0, 0, 0, 1, 0],
    ...         "score": [0.7, 0.2, 0.9, 0.1, 0.3, 0.5],
    ...     }
    ... )
    >>> gauc = shown.select(pa.grouped_roc_auc("clicked", "score", "user", average="rows")).item()
    >>> gauc["auc"], round(gauc["se"], 4), gauc["n_groups"], gauc["n_undefined"]
    (0.7, 0.24, 2, 1)
    """
    name = "grouped_roc_auc"
    one_of(name, "average", average, AVERAGES)
    one_of(name, "error", error, ("between", "within"))
    between_0_and_1(name, "level", level)
    columns = {"score": score, "label": label, "count": count, "by": by}
    return expression(name, columns, average=average, error=error, level=float(level))


def grouped_roc_auc_difference(
    label: IntoExpr,
    score_a: IntoExpr,
    score_b: IntoExpr,
    by: IntoExpr,
    *,
    average: Literal["macro", "rows", "positives", "pairs"] = "macro",
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    level: float = 0.95,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the difference of two scores' mean AUCs of users (GAUC), with its interval and test.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score_a, score_b
        Any numeric or Boolean columns; higher means more positive.
    by
        The column with the user of each row; any dtype except lists.
    average
        The weight of a user: see :func:`polars_auc.grouped_roc_auc`.
    alternative
        The alternative to no difference: ``"greater"`` means that the first score is better.
    level
        The coverage of the interval of the difference, which is always two-sided.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative.
        The answer is that of the repeated rows. Rows of count 0 or null are left out.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the first score:

        - ``auc_a``, ``auc_b`` (Float64): the means over the users that have AUCs.
        - ``difference`` (Float64): the mean of the users' differences, ``auc_a - auc_b``.
        - ``se`` (Float64): its standard error.
        - ``lower``, ``upper`` (Float64): the limits of its interval.
        - ``t``, ``p_value`` (Float64): the test of no difference.
        - ``n_groups``, ``n_undefined`` (UInt64): users that have AUCs, and users without a positive or
          without a negative.
        - ``n_pos``, ``n_neg`` (UInt64): the rows of all users.

        The means are null if no user has AUCs; the fields after them are also null with fewer than two such
        users. If the difference is the same for all users, ``t`` and ``p_value`` are null; if it is 0 for
        all, they are 0 and 1. The Float64 fields are NaN if a score is NaN. Rows with a null label, score or
        user are skipped, for both scores.

    Raises
    ------
    ValueError
        For unknown options and options out of range.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`; also if ``by`` is a column of lists.

    Notes
    -----
    Both AUCs of a user come from the same rows, so only the users' differences count: their weighted mean
    over its standard error, as in :func:`polars_auc.grouped_roc_auc`, with Student's distribution and a
    degree of freedom less than there are users. With ``average="macro"`` it is the paired t-test over users.
    O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> shown = pl.DataFrame(
    ...     {
    ...         "user": ["a", "a", "a", "b", "b", "c", "c", "c"],
    ...         "clicked": [1, 0, 0, 0, 1, 1, 0, 1],
    ...         "new": [0.7, 0.2, 0.5, 0.1, 0.3, 0.8, 0.2, 0.1],
    ...         "old": [0.7, 0.2, 0.9, 0.4, 0.3, 0.8, 0.2, 0.3],
    ...     }
    ... )
    >>> test = shown.select(pa.grouped_roc_auc_difference("clicked", "new", "old", "user")).unnest("new")
    >>> test.select(pl.col("auc_a", "auc_b", "difference", "p_value").round(4), "n_groups").row(0)
    (0.8333, 0.5, 0.3333, 0.5286, 3)
    """
    name = "grouped_roc_auc_difference"
    one_of(name, "average", average, AVERAGES)
    one_of(name, "alternative", alternative, ALTERNATIVES)
    between_0_and_1(name, "level", level)
    columns = {"score_a": score_a, "score_b": score_b, "label": label, "count": count, "by": by}
    return expression(name, columns, average=average, alternative=alternative, level=float(level))


def covariate_adjusted_roc_curve(
    label: IntoExpr,
    score: IntoExpr,
    by: IntoExpr,
    *,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the ROC curve adjusted for a covariate: its rates are those among rows that are alike in ``by``.

    Use it if a covariate, such as the age class or the hospital, changes the scores of all rows, so that one
    threshold for all would mean another false positive rate in each stratum. Each point is what is reached
    if every stratum has a threshold of its own, with the same false positive rate in all of them.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    by
        The column with the stratum of each row, such as its age class; any dtype except lists.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative.
        The answer is that of the repeated rows. Rows of count 0 or null are left out.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score:

        - ``fpr`` (Float64): the false positive rate within each stratum, 0 to 1.
        - ``tpr`` (Float64): the share of the positives that are then called positive, 0 to 1.

        The curve goes in straight lines from (0, 0) to (1, 1), and has points where a positive is reached.
        Strata without a positive or without a negative have no part in it. The list is null if all strata
        are like that, or if a score is NaN. Rows with a null label, score or stratum are skipped.

    Raises
    ------
    TypeError
        If a column is neither a column name nor an expression.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`; also if ``by`` is a column of lists.

    Notes
    -----
    ``AROC(f)`` is the share of positives whose placement value is at most f: the share of the negatives of
    their own stratum that score as high or higher (Janes and Pepe 2009). It is the mean of the strata's
    curves at f, weighted by their positives. A tie with negatives is a diagonal. The area under it is the
    ``auc`` of :func:`polars_auc.grouped_roc_auc` with ``average="positives"``, whose interval is that for
    ``error="within"``. O(n log n + n k) for k strata.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> seen = pl.DataFrame(
    ...     {
    ...         "age": ["old"] * 4 + ["young"] * 4,
    ...         "ill": [1, 1, 0, 0, 1, 0, 0, 0],
    ...         "risk": [9, 6, 7, 5, 3, 1, 3, 2],
    ...     }
    ... )
    >>> curve = pa.covariate_adjusted_roc_curve("ill", "risk", "age")
    >>> seen.select(curve).explode("risk").unnest("risk").select(pl.all().round(3)).rows()
    [(0.0, 0.0), (0.0, 0.333), (0.333, 0.667), (0.5, 0.667), (0.5, 1.0), (1.0, 1.0)]
    >>> area = pa.grouped_roc_auc("ill", "risk", "age", average="positives", error="within")
    >>> round(seen.select(area).item()["auc"], 4)
    0.7778
    """
    return expression(
        "covariate_adjusted_roc_curve", {"score": score, "label": label, "count": count, "by": by}
    )
