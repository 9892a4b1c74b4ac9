"""Planning: the sample size and the power of a test."""

# tests/python/package/generate.py writes signatures, Parameters and the fields of Returns.

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

import polars as pl

from polars_auc._plugin.call import columnwise, expression_of, literals, value_of
from polars_auc._plugin.options import is_number

if TYPE_CHECKING:
    from polars_auc._plugin.call import IntoExpr

__all__ = ["roc_auc_difference_power", "roc_auc_power", "roc_auc_sample_size"]


@overload
def roc_auc_power(  # type: ignore[overload-overlap]
    auc: float | None,
    n_pos: float,
    n_neg: float,
    *,
    power: float | None = ...,
    null: float | None = ...,
    alternative: Literal["two-sided", "greater", "less"] = ...,
    alpha: float | None = ...,
) -> float | None: ...


@overload
def roc_auc_power(
    auc: IntoExpr | float | None,
    n_pos: IntoExpr | float,
    n_neg: IntoExpr | float,
    *,
    power: float | None = ...,
    null: float | None = ...,
    alternative: Literal["two-sided", "greater", "less"] = ...,
    alpha: float | None = ...,
) -> pl.Expr: ...


def roc_auc_power(
    auc: IntoExpr | float | None,
    n_pos: IntoExpr | float,
    n_neg: IntoExpr | float,
    *,
    power: float | None = None,
    null: float | None = None,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    alpha: float | None = 0.05,
) -> pl.Expr | float | None:
    """Return the power of the test that the AUC is ``null``; or the AUC, or the level, for a given power.

    One of ``auc``, ``power`` and ``alpha`` is None, and is returned. The result has one value for each row;
    if all inputs are numbers, it is a number. For the numbers of rows use :func:`roc_auc_sample_size`.

    Parameters
    ----------
    auc
        The AUC, between 0 and 1: a column or a number. ``None`` returns the smallest AUC above ``null`` that
        the test detects with the given power; 1 minus this AUC has the same power against 1 minus ``null``.
    n_pos, n_neg
        The numbers of positives and negatives: columns or numbers.
    power
        The power: the probability that the test rejects, between 0 and 1. By default it is returned.
    null
        The value under the null hypothesis. 0.5 by default.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. ``"greater"`` and ``"less"``
        both mean a one-sided test in the direction of the effect.
    alpha
        The significance level of the test, between 0 and 1. ``None`` returns the level at which the test has
        the given power.

    Returns
    -------
    polars.Expr, float or None
        Float64 for each row, named after the first column. Null if an input is null, if the AUC is not
        between 0 and 1, or if a number of rows is not above 0. Also null if no AUC or no level gives the
        power. For numbers: a float, or None instead of null.

    Notes
    -----
    ``sqrt(P) |auc - null| = z_alpha sqrt(V0) + z_power sqrt(V)`` (Obuchowski, Lieber and Wians 2004) with the
    binormal variances ``V = 0.0099 exp(-a²/2) ((5 a² + 8) + (a² + 8) / ratio)``, ``a = 1.414 probit(auc)``,
    and the ratio ``N / P``. V0 is the same for the null value: ``0.0792 (1 + 1 / ratio)`` for one half, as in
    ``pROC::power.roc.test``. The equation is solved for z_alpha directly, and for the AUC by bisection, to
    the last digit.

    The variances are approximate. For two normal classes with equal variances V is right within 10 % for an
    AUC up to 0.65. It is too large for a higher AUC: by 27 % for 0.8 and equal numbers, and by 36 % with two
    negatives for each positive. The test then has more power than this function returns.

    For a test of non-inferiority, ``null`` is the lowest acceptable AUC and ``alternative`` is ``"greater"``.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> plans = pl.DataFrame({"auc": [0.6, 0.7], "ill": [40, 40], "well": [70, 70]})
    >>> plans.select(pa.roc_auc_power("auc", "ill", "well").round(4)).to_series().to_list()
    [0.4333, 0.9528]
    >>> round(pa.roc_auc_power(0.7, 40, 70), 4)
    0.9528
    >>> round(pa.roc_auc_power(None, 40, 70, power=0.8), 4), round(
    ...     pa.roc_auc_power(0.7, 40, 70, power=0.8, alpha=None), 4
    ... )
    (0.6556, 0.0056)

    Against an AUC of 0.6:

    >>> round(pa.roc_auc_power(0.7, 40, 70, null=0.6), 4)
    0.4352
    """
    rows = {"n_pos": n_pos, "n_neg": n_neg}
    columns = rows if auc is None else {"auc": auc, **rows}
    answer = columnwise(
        "roc_auc_power",
        literals(columns),
        elementwise=True,
        power=power,
        null=null,
        alternative=alternative,
        alpha=alpha,
    )
    return value_of(answer) if all(map(is_number, columns.values())) else answer


@overload
def roc_auc_sample_size(
    auc: float,
    *,
    power: float | None = ...,
    ratio: float = ...,
    null: float | None = ...,
    width: float | None = ...,
    alternative: Literal["two-sided", "greater", "less"] = ...,
    alpha: float = ...,
) -> dict[str, float | None]: ...


@overload
def roc_auc_sample_size(
    auc: IntoExpr,
    *,
    power: float | None = ...,
    ratio: float = ...,
    null: float | None = ...,
    width: float | None = ...,
    alternative: Literal["two-sided", "greater", "less"] = ...,
    alpha: float = ...,
) -> pl.Expr: ...


def roc_auc_sample_size(
    auc: IntoExpr | float,
    *,
    power: float | None = None,
    ratio: float = 1.0,
    null: float | None = None,
    width: float | None = None,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    alpha: float = 0.05,
) -> pl.Expr | dict[str, float | None]:
    """Return the numbers of rows for a power of the test that the AUC is ``null``, or for a width.

    The result has one value for each row; if the AUC is a number, it is a dictionary.

    Parameters
    ----------
    auc
        The AUC, between 0 and 1: a column or a number.
    power
        The power: the probability that the test rejects, between 0 and 1; 0.8 by default.
    ratio
        The number of negatives per positive.
    null
        The value under the null hypothesis. 0.5 by default.
    width
        The width of the confidence interval, between 0 and 1: ``1 - alpha`` is its confidence level. Not with
        ``power`` and ``null``.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. ``"greater"`` and ``"less"``
        both mean a one-sided test in the direction of the effect.
    alpha
        The significance level of the test, between 0 and 1. With ``width``, the coverage of the interval is
        ``1 - alpha``.

    Returns
    -------
    polars.Expr or dict
        One Struct for each row, named after ``auc``: ``n_pos``, ``n_neg`` (Float64), not rounded. Both are
        null if the AUC is null or not between 0 and 1; with ``power`` also if it equals ``null``. For a
        number: a dictionary with both.

    Notes
    -----
    The equation of :func:`polars_auc.roc_auc_power`, solved for the positives.

    With ``width`` the positives are ``V (2 z_alpha / width)²``: the normal interval of these rows has this
    width on average, before its limits are cut at 0 and 1. About half of all samples have a wider interval.
    For a high AUC, V and so the rows are more than needed: see there.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> plans = pl.DataFrame({"auc": [0.73, 0.8]})
    >>> sizes = plans.select(pa.roc_auc_sample_size("auc", power=0.95, ratio=1.7)).unnest("auc")
    >>> sizes.select(pl.all().ceil()).rows()
    [(30.0, 51.0), (17.0, 28.0)]
    >>> {name: round(rows, 2) for name, rows in pa.roc_auc_sample_size(0.73, power=0.95, ratio=1.7).items()}
    {'n_pos': 29.67, 'n_neg': 50.44}

    For a 95 % interval from 0.75 to 0.85:

    >>> {name: round(rows, 1) for name, rows in pa.roc_auc_sample_size(0.8, width=0.1).items()}
    {'n_pos': 183.6, 'n_neg': 183.6}
    """
    answer = columnwise(
        "roc_auc_sample_size",
        literals({"auc": auc}),
        elementwise=True,
        power=power,
        ratio=ratio,
        null=null,
        width=width,
        alternative=alternative,
        alpha=alpha,
    )
    return value_of(answer) if is_number(auc) else answer


def roc_auc_difference_power(
    label: IntoExpr,
    score_a: IntoExpr,
    score_b: IntoExpr,
    *,
    power: float = 0.8,
    ratio: float | None = None,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    alpha: float = 0.05,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the power of the paired comparison of two scores, and the rows it needs, from a pilot sample.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    score_a, score_b
        Any numeric or Boolean columns; higher means more positive.
    power
        The power: the probability that the test rejects, between 0 and 1.
    ratio
        The number of negatives per positive among the rows needed; by default the ratio of the pilot sample.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. ``"greater"`` and ``"less"``
        both mean a one-sided test in the direction of the effect.
    alpha
        The significance level of the test, between 0 and 1.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the first score:

        - ``difference`` (Float64): The first AUC minus the second.
        - ``power`` (Float64): The power of the test with the rows of the pilot sample, if this is the true
          difference.
        - ``needed_pos`` (Float64): The number of positives that the test needs for the given power, not
          rounded; null where ``power`` is null, and if the AUCs are equal.
        - ``needed_neg`` (Float64): The number of negatives that the test needs, in the ratio of the pilot
          sample or ``ratio``.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        ``difference`` is null with no positives or no negatives; the others also with fewer than two
        positives or fewer than two negatives, and for scores that rank the rows alike. The needed rows are
        also null for a difference of 0. The Float64 fields are NaN if a score is NaN. Rows with a null label
        or score are skipped, for both scores.

    Notes
    -----
    ``sqrt(n / n0) |difference| = (z_alpha + z_power) sqrt(V)`` with the n0 rows of the pilot sample and its
    variance V of the difference (DeLong, DeLong and Clarke-Pearson 1988), as in
    :func:`polars_auc.roc_auc_difference`. The order of the two scores therefore does not matter. With a
    ratio, the positives are ``((z_alpha + z_power) / difference)² (S10 + S01 / ratio)``. S10 and S01 are
    DeLong's variances of the differences of the placements of positives and of negatives,
    ``V = S10 / P + S01 / N``.

    For equal AUCs, ``pROC::power.roc.test`` replaces V by ``2 (Var A_a - Cov)``, as if both AUCs had the
    variance of the first (Obuchowski and McClish 1997). This depends on which score is first, and can be
    negative, where pROC returns NaN. The power is for the pilot's difference as the true difference: if it is
    large by chance, the power is too optimistic.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> pilot = pl.DataFrame(
    ...     {
    ...         "ill": [0, 0, 0, 0, 0, 1, 1, 1, 1, 1],
    ...         "new": [1, 2, 3, 5, 7, 4, 6, 8, 9, 9],
    ...         "old": [2, 5, 4, 6, 3, 5, 3, 4, 6, 7],
    ...     }
    ... )
    >>> plan = pilot.select(pa.roc_auc_difference_power("ill", "new", "old")).unnest("new")
    >>> plan.select(pl.col("power").round(4), pl.col("needed_pos", "needed_neg").ceil()).row(0)
    (0.1685, 40.0, 40.0)
    >>> plan = pilot.select(pa.roc_auc_difference_power("ill", "new", "old", ratio=3)).unnest("new")
    >>> plan.select(pl.col("needed_pos", "needed_neg").ceil()).row(0)
    (24.0, 71.0)
    """
    return expression_of(roc_auc_difference_power, locals())
