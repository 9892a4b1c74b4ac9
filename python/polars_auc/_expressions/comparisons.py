"""Paired and unpaired comparisons of AUCs, and population stability."""

# tests/python/package/generate.py writes signatures, Parameters and the fields of Returns.

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, overload

import polars as pl

from polars_auc._plugin.call import columnwise, expression, expression_of, literals, value_of
from polars_auc._plugin.options import is_number

if TYPE_CHECKING:
    from polars_auc._plugin.call import IntoExpr
    from polars_auc._plugin.options import Adjustment

__all__ = [
    "adjust_p_values",
    "compare_scores",
    "population_stability",
    "population_stability_table",
    "roc_auc_difference",
    "roc_curve_difference",
    "unpaired_roc_auc_difference",
]


def roc_auc_difference(
    label: IntoExpr,
    score_a: IntoExpr,
    score_b: IntoExpr,
    *,
    method: Literal["delong", "bootstrap"] = "delong",
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    null: float | None = None,
    margin: float | None = None,
    level: float = 0.95,
    weight: IntoExpr | None = None,
    cluster: IntoExpr | None = None,
    min_fpr: float | None = None,
    max_fpr: float | None = None,
    min_tpr: float | None = None,
    max_tpr: float | None = None,
    at_fpr: float | None = None,
    at_tpr: float | None = None,
    n_resamples: int | None = None,
    seed: int | None = None,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the difference of two scores' AUCs on the same rows, with its interval and test.

    The difference is ``score_a`` minus ``score_b``. The tables of :func:`polars_auc.report` have the opposite
    sign: the other score minus the first score. The bootstrap also compares the tpr at a fixed fpr, and the
    specificity at a fixed tpr.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    score_a, score_b
        Any numeric or Boolean columns; higher means more positive.
    method
        ``"delong"``, from the placements of the rows, or ``"bootstrap"``, from resamples of the rows within
        each class. Each resample uses the same rows for both scores. To resample both classes together, make
        each row a cluster: ``cluster=pl.int_range(pl.len())``.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. With ``"greater"``, the
        alternative is that the first score is better. The interval is always two-sided.
    null
        The value under the null hypothesis. 0 by default.
    margin
        Tests against a bound instead of ``null``. A small p-value shows that the value is above ``null -
        margin`` (``alternative="greater"``: non-inferiority), below ``null + margin`` (``"less"``), or
        between both (``"two-sided"``: equivalence, by two one-sided tests).
    level
        The confidence level, between 0 and 1.
    weight
        The weight of each row: a column of finite numbers, 0 or more. Rows with a weight of 0 or null are
        skipped. Weights are for rows sampled with unequal probabilities; the standard error is then by the
        infinitesimal jackknife. Only for whole areas by ``"delong"``.
    cluster
        The cluster of each row, such as the customer: rows of the same cluster are not independent. The
        standard error is then Obuchowski's (1997), with ``weight`` the jackknife's over clusters; the
        bootstrap resamples whole clusters.
    min_fpr, max_fpr
        Compare the areas between these false positive rates, not standardized (with ``cluster``: bootstrap
        only).
    min_tpr, max_tpr
        Compare the areas between these true positive rates: the integral of ``1 - fpr`` (with ``cluster``:
        bootstrap only).
    at_fpr
        Compare the tpr at this fpr: the sensitivity at a fixed specificity (bootstrap only).
    at_tpr
        Compare ``1 - fpr`` at this tpr: the specificity at a fixed sensitivity (bootstrap only). Only one
        quantity can be compared: an area, or one of these two.
    n_resamples
        The number of resamples, from 2 to 10^7. 2000 by default (bootstrap only).
    seed
        The seed of the random numbers, 0 or more. With the same seed, the result does not depend on row
        order, group order, thread count or engine. 0 by default (bootstrap only).
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the first score:

        - ``estimate_a`` (Float64): The AUC of the first score, or the other quantity compared; higher is
          better.
        - ``estimate_b`` (Float64): The same for the second score.
        - ``difference`` (Float64): ``estimate_a - estimate_b``.
        - ``se`` (Float64): The standard error of the difference.
        - ``lower``, ``upper`` (Float64): The confidence limits.
        - ``z`` (Float64): ``(difference - null) / se``. With a margin, the distance from the bound ``null ±
          margin`` that determines the p-value.
        - ``p_value`` (Float64): The p-value of the test of ``null``, by the normal distribution.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        The estimates are null with no positives or no negatives. The standard error and all later fields are
        also null with fewer than two positives or fewer than two negatives. Scores that rank all rows alike
        have a difference of 0 and a p-value of 1. If only the standard error is 0 (both scores separate the
        classes, in opposite directions), ``z`` and ``p_value`` are null. The Float64 fields are NaN if a
        score is NaN. Rows with a null label, score, weight or cluster are skipped, for both scores.

    Notes
    -----
    ``se² = Var A_a + Var A_b - 2 Cov(A_a, A_b)`` (DeLong, DeLong and Clarke-Pearson 1988), computed from the
    differences of the placements to avoid cancellation. For partial areas the placements are those within the
    bounds: see :func:`polars_auc.roc_auc_ci`. O(n log n).

    With weights, a row has the influence ``w (v - A) / W`` on an AUC A, with its placement v and the total
    weight W of its class. ``se²`` is the sum of the squared differences of the influences on both AUCs,
    summed by cluster first (Jaeckel 1972).

    The bootstrap's ``se`` is the standard deviation of the resampled differences, its limits are their
    quantiles (type 7), and its test is that of pROC. O(n) for each resample.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame(
    ...     {
    ...         "ill": [0, 0, 0, 0, 0, 1, 1, 1, 1, 1],
    ...         "new": [1, 2, 3, 5, 7, 4, 6, 8, 9, 9],
    ...         "old": [2, 5, 4, 6, 3, 5, 3, 4, 6, 7],
    ...     }
    ... )
    >>> gain = rows.select(pa.roc_auc_difference("ill", "new", "old")).unnest("new")
    >>> gain.select(pl.col("difference", "lower", "upper", "p_value").round(4)).row(0)
    (0.2, -0.192, 0.592, 0.3173)
    """
    return expression_of(roc_auc_difference, locals())


def compare_scores(
    label: IntoExpr,
    *scores: IntoExpr | Iterable[IntoExpr],
    statistic: Literal["roc_auc", "brier_score", "log_loss"] = "roc_auc",
    reference: int | None = None,
    adjust: Adjustment | None = "holm",
    level: float = 0.95,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the AUCs or losses of several scores of the same rows, their covariances, and their tests.

    The difference is ``score_a`` minus ``score_b``. The tables of :func:`polars_auc.report` have the opposite
    sign: the other score minus the first score.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    scores
        Two or more numeric or Boolean columns; higher means more positive. Names, expressions, lists of them,
        and expressions of several columns such as ``cs.starts_with("p_")`` or ``pl.col("a", "b")``.
    statistic
        What is compared: ``"roc_auc"``, or the loss of probabilities, ``"brier_score"`` or ``"log_loss"``.
        Losses require scores from 0 to 1, and lower is better.
    reference
        The position, from 0, of the score that all others are compared with; ``None`` compares every pair. An
        expression of several columns counts as one position here, so write the reference before it.
    adjust
        The adjustment of the p-values for the number of differences: see :func:`polars_auc.adjust_p_values`.
    level
        The confidence level, between 0 and 1.
    weight
        The weight of each row: a column of finite numbers, 0 or more. Rows with a weight of 0 or null are
        skipped. Weights are for rows sampled with unequal probabilities; the covariances of AUCs are then by
        the infinitesimal jackknife.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the first score:

        - ``estimates`` (List of Struct): For each score, its name ``score``, ``estimate``, ``se``, ``lower``,
          ``upper`` as in :func:`polars_auc.roc_auc_ci` by DeLong, :func:`polars_auc.brier_score` or
          :func:`polars_auc.log_loss`, and ``covariance`` (List of Float64), its row of the covariance matrix.
        - ``differences`` (List of Struct): For each pair, the names ``score_a`` and ``score_b``;
          ``difference`` (``score_a`` minus ``score_b``), ``se``, ``lower``, ``upper``, ``z``, ``p_value`` as
          in :func:`polars_auc.roc_auc_difference`, :func:`polars_auc.brier_score_difference` or
          :func:`polars_auc.log_loss_difference`; and ``p_adjusted``. A ``reference`` is always ``score_b``.
        - ``chi_square`` (Float64): The statistic of the test that all estimates are equal; null with fewer
          than two rows (in each class, for AUCs), if estimates without variance differ, and if a loss is
          infinite.
        - ``df`` (UInt64): Its degrees of freedom; null where ``chi_square`` is null.
        - ``p_value`` (Float64): The p-value of ``chi_square``; null where it is null, or with 0 degrees of
          freedom.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        The fields are null as in these functions. The lists are null if a score is NaN; for AUCs, with no
        positives or no negatives; for losses, with no rows. Rows with a null label, weight or any null score
        are skipped, for all scores.

    Notes
    -----
    ``(L A)' (L V L')⁺ (L A)`` with contrasts L, compared with chi-square with the rank of ``L V L'`` as
    degrees of freedom (DeLong, DeLong and Clarke-Pearson 1988, equation 5). With weights, covariances are
    sums of products of the influences in :func:`polars_auc.roc_auc_difference`. O(k n log n + k² n + k³) for
    k scores.

    The covariance of two losses is that of two means, ``n / (n - 1) sum w² (a - A) (b - B) / (sum w)²`` over
    the losses a and b of rows with the means A and B.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame(
    ...     {
    ...         "ill": [0, 0, 0, 0, 0, 1, 1, 1, 1, 1],
    ...         "new": [1, 2, 3, 5, 7, 4, 6, 8, 9, 9],
    ...         "old": [2, 5, 4, 6, 3, 5, 3, 4, 6, 7],
    ...         "age": [3, 9, 5, 1, 4, 8, 2, 6, 7, 5],
    ...     }
    ... )
    >>> test = rows.select(pa.compare_scores("ill", "new", "old", "age")).unnest("new")
    >>> test.select(pl.col("chi_square").round(4), "df", pl.col("p_value").round(4)).row(0)
    (1.1483, 2, 0.5632)
    >>> pairs = test.select("differences").explode("differences").unnest("differences")
    >>> pairs.select("score_a", "score_b", pl.col("difference", "p_adjusted").round(3))
    shape: (3, 4)
    ┌─────────┬─────────┬────────────┬────────────┐
    │ score_a ┆ score_b ┆ difference ┆ p_adjusted │
    │ ---     ┆ ---     ┆ ---        ┆ ---        │
    │ str     ┆ str     ┆ f64        ┆ f64        │
    ╞═════════╪═════════╪════════════╪════════════╡
    │ new     ┆ old     ┆ 0.2        ┆ 0.952      │
    │ new     ┆ age     ┆ 0.22       ┆ 0.952      │
    │ old     ┆ age     ┆ 0.02       ┆ 0.952      │
    └─────────┴─────────┴────────────┴────────────┘
    """
    name = "compare_scores"
    score_list = [score for one in scores for score in _each(one)]
    expand = any(_is_several(score) for score in score_list)
    if len(score_list) < 2 and not expand:
        example = f'{name}("label", "score_a", "score_b")'
        msg = f"{name}: expected two scores or more, got {len(score_list)}. Hint: write {example}"
        raise ValueError(msg)
    if expand and _is_several(label):
        msg = (
            f"{name}: label must be a single column if scores are several, got {label}. Hint: write its name"
        )
        raise ValueError(msg)
    columns = {f"score_{place}": score for place, score in enumerate(score_list)}
    answer = expression(
        name,
        {**columns, "label": label, "weight": weight, "count": count},
        expand=expand,
        statistic=statistic,
        reference=reference,
        adjust=adjust,
        level=level,
    )
    if reference is not None and any(_is_several(score) for score in score_list[:reference]):
        msg = (
            f"{name}: reference is {reference}, which is behind an expression of several columns; how many "
            "columns those are depends on the frame, so write the reference before it"
        )
        raise ValueError(msg)
    return answer


def _each(scores: IntoExpr | Iterable[IntoExpr]) -> list[IntoExpr]:
    """Return the scores as a list; a single score is a list of one."""
    is_list = isinstance(scores, Iterable) and not isinstance(scores, str | pl.Expr | pl.Series | Mapping)
    return list(scores) if is_list else [scores]  # type: ignore[arg-type, list-item]


def _is_several(column: IntoExpr) -> bool:
    """Return whether an expression may expand to several columns, which only the schema decides."""
    return isinstance(column, pl.Expr) and column.meta.has_multiple_outputs()


def roc_curve_difference(
    label: IntoExpr,
    score_a: IntoExpr,
    score_b: IntoExpr,
    *,
    n_permutations: int = 2000,
    seed: int = 0,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return Venkatraman's test that two scores of the same rows have the same ROC curve.

    Curves that cross can have the same area. This test can detect such a difference.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    score_a, score_b
        Any numeric or Boolean columns; higher means more positive.
    n_permutations
        The number of permutations, from 2 to 10^7.
    seed
        The seed of the random numbers, 0 or more. With the same seed, the result does not depend on row
        order, group order, thread count or engine. It also breaks ties.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the first score:

        - ``statistic`` (Float64): The absolute difference between the numbers of errors of the two scores,
          summed over all numbers of rows predicted positive.
        - ``p_value`` (Float64): The share of permutations with a statistic at least as large.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        ``statistic`` and ``p_value`` are null with no positives or no negatives, and NaN if a score is NaN.
        Rows with a null label or score are skipped, for both scores.

    Notes
    -----
    Venkatraman and Begg (1996): each permutation exchanges the two ranks of every row with probability one
    half, and ranks the rows again. Ties are broken at random, by the seed; pROC breaks them by row order.
    O(n) for each permutation.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame(
    ...     {
    ...         "ill": [0, 0, 0, 0, 0, 1, 1, 1, 1, 1],
    ...         "new": [1, 2, 3, 5, 7, 4, 6, 8, 9, 10],
    ...         "old": [2, 5, 4, 6, 3, 1, 8, 9, 7, 10],
    ...     }
    ... )
    >>> test = rows.select(pa.roc_curve_difference("ill", "new", "old")).unnest("new")
    >>> test.select("statistic", pl.col("p_value") > 0.2).row(0)
    (8.0, True)
    """
    return expression_of(roc_curve_difference, locals())


_Number: TypeAlias = "IntoExpr | float"


@overload
def unpaired_roc_auc_difference(  # type: ignore[overload-overlap]
    auc: float,
    se: float,
    versus_auc: float,
    versus_se: float,
    *,
    n_pos: float | None = ...,
    n_neg: float | None = ...,
    versus_n_pos: float | None = ...,
    versus_n_neg: float | None = ...,
    method: Literal["wilson", "delong"] | None = ...,
    level: float = ...,
    alternative: Literal["two-sided", "greater", "less"] = ...,
    null: float | None = ...,
    margin: float | None = ...,
) -> dict[str, float | None]: ...


@overload
def unpaired_roc_auc_difference(
    auc: _Number,
    se: _Number,
    versus_auc: _Number,
    versus_se: _Number,
    *,
    n_pos: _Number | None = ...,
    n_neg: _Number | None = ...,
    versus_n_pos: _Number | None = ...,
    versus_n_neg: _Number | None = ...,
    method: Literal["wilson", "delong"] | None = ...,
    level: float = ...,
    alternative: Literal["two-sided", "greater", "less"] = ...,
    null: float | None = ...,
    margin: float | None = ...,
) -> pl.Expr: ...


def unpaired_roc_auc_difference(
    auc: _Number,
    se: _Number,
    versus_auc: _Number,
    versus_se: _Number,
    *,
    n_pos: _Number | None = None,
    n_neg: _Number | None = None,
    versus_n_pos: _Number | None = None,
    versus_n_neg: _Number | None = None,
    method: Literal["wilson", "delong"] | None = None,
    level: float = 0.95,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    null: float | None = None,
    margin: float | None = None,
) -> pl.Expr | dict[str, float | None]:
    """Return the difference of two AUCs of different rows, from their standard errors, and its test.

    It needs no rows, so an AUC can be compared with a published one, or with an earlier report. The result
    has one value for each row; if all inputs are numbers, it is a dictionary.

    Parameters
    ----------
    auc, se
        The AUC and its standard error, as returned by :func:`polars_auc.roc_auc_ci`: columns or numbers.
    versus_auc, versus_se
        The AUC that is subtracted, and its standard error: columns or numbers.
    n_pos, n_neg, versus_n_pos, versus_n_neg
        The numbers of positives and negatives of each AUC: columns or numbers, all four or none.
    method
        - ``"wilson"``, the default with numbers of rows: from the ``"wilson"`` limits of both AUCs, as in
          :func:`polars_auc.roc_auc_ci`. It keeps its level with few positives.
        - ``"delong"``, the default without numbers of rows: the difference divided by its standard error. It
          is compared with Student's t, or without numbers of rows with the normal distribution.
    level
        The confidence level, between 0 and 1.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. The interval is always
        two-sided.
    null
        The value under the null hypothesis. 0 by default.
    margin
        Tests against a bound instead of ``null``. A small p-value shows that the value is above ``null -
        margin`` (``alternative="greater"``: non-inferiority), below ``null + margin`` (``"less"``), or
        between both (``"two-sided"``: equivalence, by two one-sided tests).

    Returns
    -------
    polars.Expr or dict
        One Struct of Float64 for each row, named after the first AUC; for numbers, a dictionary with the same
        fields:

        - ``difference``: ``auc - versus_auc``.
        - ``se``: the standard error of the difference.
        - ``lower``, ``upper``: the confidence limits.
        - ``statistic``: ``(difference - null) / se``, for ``"wilson"`` with the standard error under
          ``null``; for ``"delong"`` null if a standard error is 0.
        - ``df``: degrees of freedom; null where the normal distribution is used.
        - ``p_value``: the p-value of the test of ``null``; null where ``statistic`` is null.

        ``difference`` is null if an AUC is null; the others also if a standard error is null. ``lower``,
        ``upper``, ``statistic``, ``df`` and ``p_value`` are null if a number of rows is below 2.

    Notes
    -----
    ``"wilson"``: the lower limit is ``A1 - A2 - sqrt(a² + b²)``, with the distances a from the first AUC to
    its lower limit and b from the second to its upper limit (Newcombe 1998, method 10; Zou and Donner 2008).
    The p-value belongs to the level at which a limit equals ``null``. Both limits use the same quantile of
    Student's t, with the degrees of freedom of Welch and Satterthwaite, from the variances at the mean of
    both AUCs.

    ``"delong"``: ``d = (A1 - A2) / sqrt(S1² + S2²)`` with the standard errors S. With numbers of rows, the
    degrees of freedom are ``(S1² + S2²)² / (S1⁴ / (n1 - 1) + S2⁴ / (n2 - 1))``, as in pROC's test of unpaired
    curves.

    For two scores of the same rows use :func:`roc_auc_difference`. O(n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> months = pl.DataFrame({"auc": [0.71, 0.78], "se": [0.02, 0.03]})
    >>> published = pa.unpaired_roc_auc_difference("auc", "se", 0.8, 0.02)
    >>> months.select(published).unnest("auc").select("difference", "p_value").with_columns(pl.all().round(4))
    shape: (2, 2)
    ┌────────────┬─────────┐
    │ difference ┆ p_value │
    │ ---        ┆ ---     │
    │ f64        ┆ f64     │
    ╞════════════╪═════════╡
    │ -0.09      ┆ 0.0015  │
    │ -0.02      ┆ 0.5791  │
    └────────────┴─────────┘
    >>> round(pa.unpaired_roc_auc_difference(0.71, 0.02, 0.8, 0.02)["p_value"], 4)
    0.0015
    """
    name = "unpaired_roc_auc_difference"
    sizes = {"n_pos": n_pos, "n_neg": n_neg, "versus_n_pos": versus_n_pos, "versus_n_neg": versus_n_neg}
    missing = [role for role, size in sizes.items() if size is None]
    if missing and (len(missing) < len(sizes) or method == "wilson"):
        msg = f"{name}: expected the positives and negatives of both AUCs; {missing[0]} is not set"
        raise ValueError(msg)
    columns = {
        "auc": auc,
        "se": se,
        "versus_auc": versus_auc,
        "versus_se": versus_se,
        **{role: pl.lit(None, dtype=pl.Float64) if size is None else size for role, size in sizes.items()},
    }
    answer = columnwise(
        name,
        literals(columns),
        elementwise=True,
        method=method,
        level=level,
        alternative=alternative,
        null=null,
        margin=margin,
    )
    inputs = (auc, se, versus_auc, versus_se, *sizes.values())
    numbers = (number for number in inputs if number is not None)
    return value_of(answer) if all(map(is_number, numbers)) else answer


def adjust_p_values(
    p: IntoExpr,
    *,
    method: Adjustment | None = "holm",
) -> pl.Expr:
    """Return p-values adjusted for multiple testing.

    This is a function of the whole column, not an aggregate: use it in ``select`` or ``with_columns``, and
    with ``over`` for a separate adjustment in each group.

    Parameters
    ----------
    p
        The p-values.
    method
        - ``"holm"``, ``"bonferroni"``: control the family-wise error rate, the probability of any false
          rejection. Holm rejects at least as often.
        - ``"hochberg"``, ``"hommel"``: reject at least as often as Holm. ``"holm-sidak"`` and ``"sidak"``
          reject slightly more often than ``"holm"`` and ``"bonferroni"``. All four control the family-wise
          error rate for independent p-values, and for most positively dependent ones.
        - ``"bh"`` (Benjamini and Hochberg), ``"by"`` (Benjamini and Yekutieli, valid for any dependence):
          control the false discovery rate, the expected share of false rejections.
        - ``None``: no adjustment.

        The names of R and statsmodels, such as ``"BH"`` and ``"fdr_bh"``, are accepted.

    Returns
    -------
    polars.Expr
        Float64, one for each row. Null and NaN stay as they are and do not count as tests.

    Notes
    -----
    As ``p.adjust`` of R: Holm (1979), Hochberg (1988), Hommel (1988), Benjamini and Hochberg (1995),
    Benjamini and Yekutieli (2001); Sidak (1967) as in statsmodels. O(m log m) for m p-values, and O(m²) for
    ``"hommel"``.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> tests = pl.DataFrame({"p": [0.01, 0.04, 0.03, 0.005]})
    >>> adjusted = tests.select(pa.adjust_p_values("p"), bh=pa.adjust_p_values("p", method="bh"))
    >>> adjusted.select(pl.all().round(4)).rows()
    [(0.03, 0.02), (0.06, 0.04), (0.06, 0.04), (0.02, 0.02)]
    """
    return columnwise("adjust_p_values", {"p": p}, elementwise=False, method=method)


def population_stability(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    bands: int | None = None,
    edges: Sequence[float] | None = None,
    empty_share: float = 0.0,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the population stability index: how far the scores of a sample have shifted from a reference.

    Parameters
    ----------
    label
        The sample of each row: Boolean, or an integer or float column that contains only 0 and 1. True or 1
        is the reference, such as the training rows; false or 0 is the sample compared with it, such as this
        month's rows.
    score
        Any numeric or Boolean column.
    bands
        The number of bands of scores, from 1 to 1,000,000; 10 by default. Each contains about the same number
        of reference rows.
    edges
        The edges between bands in ascending order, instead of ``bands``, as in
        :func:`polars_auc.gains_table`.
    empty_share
        The share, from 0 to less than 1, that replaces the share of a band without rows of a sample. With 0,
        the index is infinite if a band has rows of only one sample. Some packages use 0.0001.
    weight
        The weight of each row: a column of finite numbers, 0 or more. Rows with a weight of 0 or null are
        skipped. Shares are then shares of weight, bands contain about the same weight of the reference, and
        there is no p-value.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.
    state
        A column of states from :func:`polars_auc.roc_state` instead of ``score``. With ``label``, each state
        contains rows of one sample, whatever their labels: the states of a month can be compared with the
        states of a reference. Without ``label``, the positives of the states are the reference. The states of
        a sample are merged. With ``max_bins`` the result is approximate: scores in the same bin of all states
        together count as ties. States do not count rows with a null label. If labels arrive late, the index
        of states covers only the rows with a label.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``psi`` (Float64): The index, 0 or above; infinite as described for ``empty_share``. Null if a
          sample has no rows, and with a single band, as when all reference scores are equal: no shift can
          then appear.
        - ``p_value`` (Float64): The probability of an index at least this large if both samples are from the
          same population, asymptotically. Null with a single band, with weights, and where the index is
          infinite: a small sample may have no row in a band by chance.
        - ``n_bands`` (UInt64): The number of bands with rows.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of reference rows and of other rows.

        NaN if a score is NaN. Rows with a null label, score or weight are skipped.

    Notes
    -----
    ``sum (e - a) ln(e / a)`` over the bands, with the shares e of the reference and a of the other sample
    (Siddiqi 2006, chapter 10; the divergence of Jeffreys 1946). As a rule of thumb, 0.1 deserves attention
    and 0.25 is a shift, but the index also grows as samples shrink. The p-value accounts for this: the index
    divided by ``1 / n_pos + 1 / n_neg`` follows a chi-square distribution with ``n_bands - 1`` degrees of
    freedom (Yurdakul and Naranjo 2020).

    Tied rows are always in the same band. A score of the reference belongs to the band of the middle of its
    reference rows, as in :func:`polars_auc.gains_table`. Any other score is between two reference scores. If
    their bands differ, it belongs to the one whose middle is nearer, by the reference rows above. If both are
    equally near, it belongs to the outer band, then to the band with fewer reference rows, then with fewer
    other rows. The index of ``-score`` is therefore the same. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"built": [1, 1, 1, 1, 0, 0, 0, 0], "score": [4, 3, 2, 1, 3, 1, 1, 1]})
    >>> rows.select(pa.population_stability("built", "score", bands=2)).unnest("score")
    shape: (1, 5)
    ┌──────────┬──────────┬─────────┬───────┬───────┐
    │ psi      ┆ p_value  ┆ n_bands ┆ n_pos ┆ n_neg │
    │ ---      ┆ ---      ┆ ---     ┆ ---   ┆ ---   │
    │ f64      ┆ f64      ┆ u64     ┆ u64   ┆ u64   │
    ╞══════════╪══════════╪═════════╪═══════╪═══════╡
    │ 0.274653 ┆ 0.458601 ┆ 2       ┆ 4     ┆ 4     │
    └──────────┴──────────┴─────────┴───────┴───────┘

    The same from a state for each month, with any labels:

    >>> months = pl.DataFrame({"month": [1] * 4 + [2] * 4, "ill": [0, 1] * 4, "score": rows["score"]})
    >>> states = months.group_by("month").agg(state=pa.roc_state("ill", "score"))
    >>> stability = pa.population_stability(pl.col("month") == 1, state="state", bands=2)
    >>> round(states.select(stability).unnest("state")["psi"].item(), 6)
    0.274653
    """
    return expression_of(population_stability, locals(), state_roles=_sample_roles(label, state))


def population_stability_reference(**arguments: object) -> pl.Expr:
    """Return scores that represent the reference of :func:`population_stability`.

    They are a list of structs ``score`` and ``n``, the number of reference rows that the score represents.
    The index of any other rows is the same as with all reference rows.

    """
    bound = inspect.signature(population_stability).bind(**arguments)
    bound.apply_defaults()
    return expression_of(population_stability, bound.arguments, variant="reference")


def population_stability_table(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    bands: int | None = None,
    edges: Sequence[float] | None = None,
    empty_share: float = 0.0,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the bands of the population stability index: their rows, and their contributions to the index.

    Parameters
    ----------
    label
        The sample of each row, as in :func:`polars_auc.population_stability`: true or 1 is the reference.
    score
        Any numeric or Boolean column.
    bands
        The number of bands of scores, from 1 to 1,000,000; 10 by default. Each contains about the same number
        of reference rows.
    edges
        The edges between bands in ascending order, instead of ``bands``, as in
        :func:`polars_auc.gains_table`.
    empty_share
        The share, from 0 to less than 1, that replaces the share of a band without rows of a sample.
    weight
        The weight of each row: a column of finite numbers, 0 or more. Rows with a weight of 0 or null are
        skipped. Shares are then shares of weight, as in :func:`polars_auc.population_stability`.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.
    state
        A column of states from :func:`polars_auc.roc_state` instead of ``score``, or of ``label`` and
        ``score``, as in :func:`polars_auc.population_stability`.

    Returns
    -------
    polars.Expr
        One List of Struct for each group, named after the score, the highest scores first:

        - ``band`` (UInt64): The number of the band. Empty bands are omitted.
        - ``highest`` (the score's dtype): The highest score in the band.
        - ``lowest`` (the score's dtype): The lowest score in the band.
        - ``n_pos`` (UInt64; with weights Float64): The number of reference rows in the band; with weights,
          the sum of their weights.
        - ``n_neg`` (UInt64; with weights Float64): The number of other rows in the band; with weights, the
          sum of their weights.
        - ``pos_share`` (Float64): ``n_pos`` as a share of all reference rows, 0 to 1.
        - ``neg_share`` (Float64): ``n_neg`` as a share of all other rows, 0 to 1.
        - ``psi`` (Float64): The contribution of the band to the index, 0 or above; infinite with rows of only
          one sample, unless ``empty_share`` is above 0; null if there is no other band.

        Null if a sample has no rows, and if a score is NaN. Rows with a null label, score or weight are
        skipped.

    Notes
    -----
    ``(e - a) ln(e / a)`` with the shares e of the reference and a of the other sample (Siddiqi 2006, chapter
    10). The contributions sum to the index of :func:`population_stability`, which describes the bands. O(n
    log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"built": [1, 1, 1, 1, 0, 0, 0, 0], "score": [4, 3, 2, 1, 3, 1, 1, 1]})
    >>> table = rows.select(pa.population_stability_table("built", "score", bands=2))
    >>> table.explode("score").unnest("score").drop("lowest", "n_pos", "n_neg")
    shape: (2, 5)
    ┌──────┬─────────┬───────────┬───────────┬──────────┐
    │ band ┆ highest ┆ pos_share ┆ neg_share ┆ psi      │
    │ ---  ┆ ---     ┆ ---       ┆ ---       ┆ ---      │
    │ u64  ┆ i64     ┆ f64       ┆ f64       ┆ f64      │
    ╞══════╪═════════╪═══════════╪═══════════╪══════════╡
    │ 1    ┆ 4       ┆ 0.5       ┆ 0.25      ┆ 0.173287 │
    │ 2    ┆ 2       ┆ 0.5       ┆ 0.75      ┆ 0.101366 │
    └──────┴─────────┴───────────┴───────────┴──────────┘
    """
    return expression_of(population_stability_table, locals(), state_roles=_sample_roles(label, state))


def _sample_roles(label: IntoExpr | None, state: IntoExpr | None) -> list[str]:
    """Return the role of a label next to a state: it identifies the sample of the state."""
    return [] if label is None or state is None else ["label"]
