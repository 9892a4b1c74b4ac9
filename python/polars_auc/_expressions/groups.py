"""AUCs and curves of groups of rows: of subgroups, and averages over users or strata."""

# tests/python/package/generate.py writes signatures, Parameters and the fields of Returns.

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from polars_auc._plugin.call import expression_of

if TYPE_CHECKING:
    from polars_auc._plugin.call import IntoExpr

__all__ = [
    "covariate_adjusted_roc_curve",
    "grouped_roc_auc",
    "grouped_roc_auc_difference",
    "subgroup_auc",
    "subgroup_auc_ci",
    "subgroup_rate_difference",
]


def grouped_roc_auc(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    by: IntoExpr | Sequence[IntoExpr] | None = None,
    *,
    average: Literal["macro", "rows", "positives", "pairs"] = "macro",
    error: Literal["between", "within"] = "between",
    level: float = 0.95,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the mean AUC of users, or of other groups defined by ``by``: GAUC, or uAUC.

    It measures how well the rows of one user are ranked, and ignores how rows of different users are ranked.
    Use it if scores only order the items of one user.

    Parameters
    ----------
    label, score, count
        The columns of rows, as in :func:`polars_auc.roc_auc`.
    by
        The user of each row, or a list of columns that define it together; any dtype except lists. With
        ``state``, the user of each state.
    average
        The weight of a user: equal for all users (``"macro"``), or the number of their ``"rows"``
        (impressions), ``"positives"`` (clicks), or ``"pairs"`` of a positive and a negative.
    error
        The source of the standard error. ``"between"``: the variation of the AUCs between users, if the users
        are a sample. ``"within"``: DeLong's variance of each user's AUC, if ``by`` defines a fixed set of
        strata, such as age classes, with many rows each.
    level
        The confidence level, between 0 and 1.
    weight
        The weight of each row: a column of finite numbers, 0 or more. Rows with a weight of 0 or null are
        skipped. The AUC of each user is then weighted. Rows, positives and pairs count by their weights in
        ``average``. With ``error="within"``, standard errors are by the infinitesimal jackknife.
    state
        A column of states from :func:`polars_auc.roc_state` instead of ``label`` and ``score``, one or more
        for each user: the states of a user are merged. With ``max_bins`` the result is approximate: scores in
        the same bin of a user count as ties.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``auc`` (Float64): The mean AUC of the users with an AUC, 0 to 1.
        - ``se`` (Float64): Its standard error.
        - ``lower``, ``upper`` (Float64): The confidence limits.
        - ``n_groups`` (UInt64): The number of users with an AUC.
        - ``n_undefined`` (UInt64): The number of users with no positives or no negatives.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives of all users, including users
          without an AUC, which do not affect ``auc``.

        ``auc`` is null if no user has an AUC. The standard error and the limits are null with fewer than two
        such users; with ``"within"``, if one of them has a single positive or a single negative. All four are
        NaN if a score is NaN; users are then not counted. Rows with a null label, score or user are skipped.

    Notes
    -----
    ``sum(w A) / sum(w)`` over users with AUC A and weight w. The order of the sum depends only on these
    numbers, so the result does not depend on row order. Zhu et al. (2017) weight by impressions or clicks,
    Zhou et al. (2018) by impressions. Weighted by pairs, it is the share of all pairs of one user in which
    the positive scores higher.

    ``error="between"`` assumes that users are independent; the rows of one user may depend on each other. The
    standard error is ``sqrt(k / (k - 1) sum(w² (A - mean)²)) / sum(w)`` over k users (Cochran 1977, section
    6.4). The limits are Student's with k - 1 degrees of freedom, clipped to 0 and 1. For the AUC of all rows
    together use :func:`polars_auc.roc_auc_ci` with ``cluster``.

    Weighted by positives, it is the covariate-adjusted AUC: the area under
    :func:`polars_auc.covariate_adjusted_roc_curve` (Janes and Pepe 2009). ``error="within"`` is for this
    case: ``se² = sum(w² Var A) / sum(w)²`` with the variances of
    :func:`polars_auc.roc_auc_ci` by ``"delong"``, fixed weights, and a normal interval.

    If ``error="within"`` gives no standard error, the strata are too fine. With age in years, for example,
    some year has a single positive. That year has an AUC and a weight, but one positive has no variance, and
    leaving the year out would make the error too small. Use larger strata, such as
    ``pl.col("age").cut([40, 50, 60, 70])``; each needs two positives and two negatives, or none of one class.
    ``"between"`` has no such requirement. O(n log n).

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
    by = None if by is None else _key(by)
    return expression_of(grouped_roc_auc, locals(), state_roles=["by"])


def grouped_roc_auc_difference(
    label: IntoExpr,
    score_a: IntoExpr,
    score_b: IntoExpr,
    by: IntoExpr | Sequence[IntoExpr],
    *,
    average: Literal["macro", "rows", "positives", "pairs"] = "macro",
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    level: float = 0.95,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the difference of two scores' mean AUCs over users (GAUC), with its interval and test.

    The difference is ``score_a`` minus ``score_b``. The tables of :func:`polars_auc.report` have the opposite
    sign: the other score minus the first score.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    score_a, score_b
        Any numeric or Boolean columns; higher means more positive.
    by
        The user of each row, or a list of columns that define it together; any dtype except lists.
    average
        The weight of a user, as in :func:`polars_auc.grouped_roc_auc`.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. With ``"greater"``, the
        alternative is that the first score is better. The interval is always two-sided.
    level
        The confidence level, between 0 and 1.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the first score:

        - ``auc_a`` (Float64): The mean AUC of the users for the first score.
        - ``auc_b`` (Float64): The mean AUC of the users for the second score.
        - ``difference`` (Float64): The mean of the users' differences, ``auc_a - auc_b``.
        - ``se`` (Float64): Its standard error.
        - ``lower``, ``upper`` (Float64): The confidence limits.
        - ``t`` (Float64): ``difference / se``; 0 if both are 0, null if only ``se`` is 0.
        - ``p_value`` (Float64): The p-value of the test of no difference; null where ``t`` is null.
        - ``n_groups`` (UInt64): The number of users with AUCs.
        - ``n_undefined`` (UInt64): The number of users with no positives or no negatives.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives of all users.

        The means are null if no user has AUCs; the later fields are also null with fewer than two such users.
        If the difference is the same for all users, ``t`` and ``p_value`` are null; if it is 0 for all, they
        are 0 and 1. The Float64 fields are NaN if a score is NaN. Rows with a null label, score or user are
        skipped, for both scores.

    Notes
    -----
    Both AUCs of a user are from the same rows, so the test uses the users' differences: their weighted mean
    divided by its standard error, as in :func:`polars_auc.grouped_roc_auc`. Student's t has one degree of
    freedom fewer than the number of users. With ``average="macro"`` it is the paired t-test over users. O(n
    log n).

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
    by = _key(by)
    return expression_of(grouped_roc_auc_difference, locals())


def covariate_adjusted_roc_curve(
    label: IntoExpr,
    score: IntoExpr,
    by: IntoExpr | Sequence[IntoExpr],
    *,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the covariate-adjusted ROC curve: its rates are among rows with the same value of ``by``.

    Use it if a covariate, such as the age class or the hospital, shifts the scores of all rows. A common
    threshold then has a different false positive rate in each stratum. Each point is reached if every stratum
    has its own threshold, with the same false positive rate in all of them.

    Parameters
    ----------
    label, score, count
        The columns of rows, as in :func:`polars_auc.roc_auc`.
    by
        The stratum of each row, such as its age class, or a list of columns that define it together, such as
        ``["sex", "age_class"]``; any dtype except lists.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score:

        - ``fpr`` (Float64): The false positive rate.
        - ``tpr`` (Float64): The true positive rate there.

        The curve is linear from (0, 0) to (1, 1) between its points, which are where a positive is reached.
        Strata with no positives or no negatives are ignored. The list is null if all strata are ignored, or
        if a score is NaN. Rows with a null label, score or stratum are skipped.

    Notes
    -----
    ``AROC(f)`` is the share of positives with a placement value of at most f. The placement value is the
    share of negatives of the same stratum that score as high or higher (Janes and Pepe 2009). The curve is
    the mean of the strata's curves at f, weighted by their positives. A tie with negatives is a diagonal. The
    area under the curve is the ``auc`` of :func:`polars_auc.grouped_roc_auc` with ``average="positives"``,
    and its interval is by ``error="within"``. O(n log n + n k) for k strata.

    Strata should have many rows of both classes. A covariate with many values, such as age in years, makes
    small strata. If a stratum lacks a class, the curve ignores it; if it has a single row of a class, the
    interval of the area is null. Cut such a covariate into classes first, as with
    ``pl.col("age").cut([40, 50, 60, 70])``.

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
    by = _key(by)
    return expression_of(covariate_adjusted_roc_curve, locals())


def subgroup_auc(
    label: IntoExpr,
    score: IntoExpr,
    subgroup: IntoExpr,
    *,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the AUC within a subgroup, within the background, and between the two.

    Parameters
    ----------
    label, score, count
        The columns of rows, as in :func:`polars_auc.roc_auc`.
    subgroup
        Whether each row belongs to the subgroup; all other rows are the background. Boolean, such as
        ``pl.col("country") == "NO"``, or an integer or float column that contains only 0 and 1.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``subgroup_auc`` (Float64): The AUC of the rows of the subgroup.
        - ``bpsn_auc`` (Float64): The AUC of background positives and subgroup negatives. It is low if
          negatives of the subgroup score too high, which gives false positives.
        - ``bnsp_auc`` (Float64): The AUC of background negatives and subgroup positives. It is low if
          positives of the subgroup score too low, which gives false negatives.
        - ``background_auc`` (Float64): The AUC of the rows of the background.
        - ``auc`` (Float64): The AUC of all rows.
        - ``positive_aeg`` (Float64): The average equality gap of positives, -1/2 to 1/2: above 0 if positives
          of the subgroup score lower than positives of the background. Null with no positives in the subgroup
          or in the background.
        - ``negative_aeg`` (Float64): The same for negatives.
        - ``n_subgroup_pos`` (UInt64): The number of positives in the subgroup.
        - ``n_subgroup_neg`` (UInt64): The number of negatives in the subgroup.
        - ``n_background_pos`` (UInt64): The number of positives in the background.
        - ``n_background_neg`` (UInt64): The number of negatives in the background.

        An AUC is null with no positives or no negatives in its samples, NaN if any score of the group is NaN.
        Rows with a null label, score or subgroup are skipped.

    Notes
    -----
    Borkan, Dixon, Sorensen, Thain and Vasserman (2019), "Nuanced metrics for measuring unintended bias with
    real data for text classification". An average equality gap is ``1/2 - A``. A is the probability that a
    row of the subgroup scores above a row of the background in the same class; ties count one half. O(n log
    n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> comments = pl.DataFrame(
    ...     {
    ...         "toxic": [1, 1, 0, 0, 1, 1, 0, 0],
    ...         "score": [0.9, 0.6, 0.4, 0.1, 0.9, 0.8, 0.7, 0.5],
    ...         "mentions": [False, False, False, False, True, True, True, True],
    ...     }
    ... )
    >>> areas = comments.select(pa.subgroup_auc("toxic", "score", "mentions")).item()
    >>> areas["subgroup_auc"], areas["bpsn_auc"], areas["bnsp_auc"], areas["background_auc"]
    (1.0, 0.75, 1.0, 1.0)
    """
    return expression_of(subgroup_auc, locals())


def subgroup_auc_ci(
    label: IntoExpr,
    score: IntoExpr,
    subgroup: IntoExpr,
    *,
    level: float = 0.95,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the AUCs and equality gaps of a subgroup with standard errors and confidence intervals.

    Parameters
    ----------
    label, score, count
        The columns of rows, as in :func:`polars_auc.roc_auc`.
    subgroup
        Whether each row belongs to the subgroup; all other rows are the background. Boolean, or an integer or
        float column that contains only 0 and 1.
    level
        The confidence level, between 0 and 1.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score. There is one struct for each number of
        :func:`polars_auc.subgroup_auc`: ``subgroup_auc``, ``bpsn_auc``, ``bnsp_auc``, ``background_auc``,
        ``auc``, ``positive_aeg`` and ``negative_aeg``, in this order.

        - ``field`` (String): The name of the number.
        - ``estimate`` (Float64): The value of the number.
        - ``se``, ``lower``, ``upper`` (Float64): Its standard error and confidence limits.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives in its two samples.

        The estimate is null if one of its two samples of rows is empty; the standard error and the limits are
        null if one has fewer than two rows. The list is null if any score of the group is NaN. Rows with a
        null label, score or subgroup are skipped.

    Notes
    -----
    Every number is an AUC of two samples of rows, such as background positives and subgroup negatives, or one
    half minus such an AUC. Its standard error is therefore DeLong's (DeLong, DeLong and Clarke-Pearson 1988),
    as in :func:`polars_auc.roc_auc_ci`. The limits are ``estimate ± z se``, clipped to 0 and 1, or to -1/2
    and 1/2 for the gaps. The subgroup and the background have no rows in common: test the difference of their
    AUCs with :func:`polars_auc.unpaired_roc_auc_difference`. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> comments = pl.DataFrame(
    ...     {
    ...         "toxic": [1, 1, 0, 0, 1, 1, 0, 0],
    ...         "score": [0.9, 0.6, 0.4, 0.1, 0.9, 0.8, 0.7, 0.5],
    ...         "mentions": [False, False, False, False, True, True, True, True],
    ...     }
    ... )
    >>> areas = comments.select(pa.subgroup_auc_ci("toxic", "score", "mentions")).explode("score")
    >>> areas.unnest("score").select("field", pl.col("estimate", "se", "lower", "upper").round(3))[:3]
    shape: (3, 5)
    ┌──────────────┬──────────┬───────┬───────┬───────┐
    │ field        ┆ estimate ┆ se    ┆ lower ┆ upper │
    │ ---          ┆ ---      ┆ ---   ┆ ---   ┆ ---   │
    │ str          ┆ f64      ┆ f64   ┆ f64   ┆ f64   │
    ╞══════════════╪══════════╪═══════╪═══════╪═══════╡
    │ subgroup_auc ┆ 1.0      ┆ 0.0   ┆ 1.0   ┆ 1.0   │
    │ bpsn_auc     ┆ 0.75     ┆ 0.354 ┆ 0.057 ┆ 1.0   │
    │ bnsp_auc     ┆ 1.0      ┆ 0.0   ┆ 1.0   ┆ 1.0   │
    └──────────────┴──────────┴───────┴───────┴───────┘
    """
    return expression_of(subgroup_auc_ci, locals())


def subgroup_rate_difference(
    label: IntoExpr,
    score: IntoExpr,
    subgroup: IntoExpr,
    *,
    at: float,
    rate: Literal["tpr", "fpr", "ppv", "selection_rate", "accuracy"] = "tpr",
    level: float = 0.95,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the difference and the ratio of a rate at a threshold between a subgroup and the background.

    Parameters
    ----------
    label, score, count
        The columns of rows, as in :func:`polars_auc.roc_auc`.
    subgroup
        Whether each row belongs to the subgroup; all other rows are the background. Boolean, such as
        ``pl.col("country") == "NO"``, or an integer or float column that contains only 0 and 1.
    at
        The threshold: a row is predicted positive if ``score >= at``.
    rate
        The rate compared: ``"tpr"``, the share of positives predicted positive; ``"fpr"``, the share of
        negatives predicted positive; ``"ppv"``, the share of positives among the rows predicted positive;
        ``"selection_rate"``, the share of all rows predicted positive; or ``"accuracy"``.
    level
        The confidence level, between 0 and 1.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``subgroup_rate`` (Float64): The rate of the subgroup; null if its denominator is 0.
        - ``background_rate`` (Float64): The rate of the background.
        - ``difference`` (Float64): ``subgroup_rate - background_rate``.
        - ``difference_lower``, ``difference_upper`` (Float64): Its confidence limits by Newcombe.
        - ``ratio`` (Float64): ``subgroup_rate / background_rate``; infinite if only the background rate is 0,
          null if both are 0.
        - ``ratio_lower``, ``ratio_upper`` (Float64): Its confidence limits by Miettinen and Nurminen.
        - ``p_value`` (Float64): The two-sided p-value of equal rates, by the score test of Miettinen and
          Nurminen; 1 if both rates are 0 or both are 1.
        - ``four_fifths`` (Boolean): Whether the smaller rate is at least four fifths of the larger; null
          where a rate is null.
        - ``n_subgroup`` (UInt64): The number of rows in the denominator of the subgroup's rate.
        - ``n_background`` (UInt64): The number of rows in the denominator of the background's rate.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        A rate is null if its denominator is 0; the difference and all fields derived from it are then null.
        The Float64 fields are NaN if a score is NaN. Scores and the threshold are compared as Float64. Rows
        with a null label, score or subgroup are skipped.

    Notes
    -----
    The limits of the difference combine Wilson's limits of both rates (Newcombe 1998, method 10). The limits
    of the ratio invert the score test with ``N / (N - 1)`` (Miettinen and Nurminen 1985), as in R's ratesci;
    ``p_value`` is this test of a ratio of 1. All are valid for few rows, and for rates near 0 and 1.

    With ``rate="selection_rate"``, ``four_fifths`` is the rule of thumb of the Uniform Guidelines on Employee
    Selection Procedures (1978). It ignores chance: read it together with the interval. O(n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> loans = pl.DataFrame(
    ...     {
    ...         "repaid": [1, 1, 0, 1, 1, 1, 0, 1, 1, 0],
    ...         "score": [0.9, 0.4, 0.2, 0.3, 0.6, 0.9, 0.6, 0.8, 0.7, 0.1],
    ...         "young": [True, True, True, True, True, False, False, False, False, False],
    ...     }
    ... )
    >>> test = pa.subgroup_rate_difference("repaid", "score", "young", at=0.5, rate="selection_rate")
    >>> rates = loans.select(test).unnest("score")
    >>> rates.select(pl.col("difference", "difference_lower", "ratio").round(3), "four_fifths").row(0)
    (-0.4, -0.726, 0.5, False)
    """
    return expression_of(subgroup_rate_difference, locals())


def _key(by: IntoExpr | Sequence[IntoExpr]) -> IntoExpr:
    """Combine several columns into one, which is null if any of them is null."""
    if not isinstance(by, list | tuple) or not by:
        return by  # type: ignore[return-value]
    others: list[Any] = [column for column in by if not isinstance(column, str | pl.Expr)]
    if others:
        # The invalid value raises the column error later.
        return others[0]  # type: ignore[no-any-return]
    columns = [pl.col(column) if isinstance(column, str) else column for column in by]
    return pl.when(pl.all_horizontal(column.is_not_null() for column in columns)).then(pl.struct(columns))
