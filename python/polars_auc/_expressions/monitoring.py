"""Always-valid tests of periods, such as nights: they allow repeated looks."""

# tests/python/package/generate.py writes signatures, Parameters and the fields of Returns.

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import polars as pl

from polars_auc._plugin.call import columnwise
from polars_auc._plugin.errors import OptionError

if TYPE_CHECKING:
    from polars_auc._plugin.call import IntoExpr

__all__ = ["always_valid", "always_valid_change"]

BASELINE = 3
"""The default baseline with counts: simulations of the error cover 2 or more positives per period."""

BASELINE_WITHOUT_COUNTS = 28
"""The default baseline without counts: standard errors of few periods may all be small by chance."""


def always_valid(
    auc: IntoExpr,
    se: IntoExpr,
    *,
    n_pos: IntoExpr | None = None,
    n_neg: IntoExpr | None = None,
    weight: IntoExpr | None = None,
    level: float = 0.95,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    null: float | None = None,
    margin: float | None = None,
    tightest_at: float = 28,
) -> pl.Expr:
    """Return the mean AUC of the periods so far, with an always-valid interval and test.

    The interval is a confidence sequence: the probability that it excludes the mean at any period is at most
    ``1 - level``. You may look at every period, and stop at any. The column has one row for each period, in
    order: use the function in ``select`` or ``with_columns``, and with ``over("segment", order_by="night")``
    for each segment. That sorts strings alphabetically, W10 before W9: use dates, numbers, or strings such as
    2026-09-30.

    Parameters
    ----------
    auc, se
        The AUC of each period and its standard error, as returned by :func:`polars_auc.roc_auc_ci`. Periods
        must contain different rows. Differences of AUCs are supported, such as the results of
        :func:`polars_auc.roc_auc_difference`. AUCs are from -1 to 1, and standard errors from 0 to 2.
    n_pos, n_neg
        The numbers of positives and negatives of each AUC, 1 or more, both or none. Always pass them for
        AUCs: standard errors then have a floor, so the error rate also holds for periods with few positives.
        Not for differences: a negative AUC is refused with them.
    weight
        The weight of each period, such as ``n_pos * n_neg / (n_pos + n_neg)``: 0, or from 1e-100 to 1e100;
        equal weights by default. It must not depend on the AUC of its period. ``1 / se**2`` does, because a
        higher AUC has a smaller standard error, and biases the mean.
    level
        The confidence level, between 0 and 1. It applies to the intervals of all periods jointly.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. The interval is always
        two-sided.
    null
        The value under the null hypothesis. 0.5 by default. For differences use 0.
    margin
        Tests against a bound instead of ``null``. A small p-value shows that the value is above ``null -
        margin`` (``alternative="greater"``: non-inferiority), below ``null + margin`` (``"less"``), or
        between both (``"two-sided"``: equivalence, by two one-sided tests).
    tightest_at
        The number of periods after which the interval is narrowest relative to other always-valid intervals.
        Any value is valid; larger values give wider intervals at the start. The default of 28 nights is four
        weeks.

    Returns
    -------
    polars.Expr
        One Struct of Float64 for each row, named after the AUC:

        - ``estimate``: the weighted mean of the AUCs of the periods so far.
        - ``lower``, ``upper``: its limits, not clipped to 0 and 1.
        - ``e_value``: the evidence for the alternative. Under the null hypothesis its expected value is at
          most 1, also if you stop at any time. It decreases when later periods contradict it. Infinite above
          1.8e308.
        - ``p_value``: the reciprocal of the largest e-value so far, at most 1. It never increases. Under the
          null hypothesis the probability that it is ever at most ``1 - level`` is at most ``1 - level``.

        A period without AUC, standard error or weight is ignored: its row repeats the row before, and is null
        before the first result. A standard error of 0 adds no variance. Limits, e-value and p-value are null
        up to the first standard error above 0. A NaN in an AUC or a standard error makes its row and all
        later rows NaN, unless the other is null.

    Notes
    -----
    With ``S = Σ w a``, ``W = Σ w``, ``V = Σ w² se²`` and ``α = 1 - level``, the interval is
    ``S / W ± sqrt((V + s) (ln(1 + V / s) + 2 ln(1 / α))) / W``. This is proposition 2.5 of Waudby-Smith,
    Arbour, Sinha, Kennedy and Ramdas (2024), Time-uniform central limit theory and asymptotic confidence
    sequences, where s is ``1 / ρ²``. It holds for the mean of independent estimates of different AUCs with
    different variances. s makes the interval narrowest at ``tightest_at`` periods like the first one.

    The e-value is Robbins' normal mixture, ``(1 + V / s)^(-1/2) exp(D² / (2 (V + s)))`` with
    ``D = S - W null``. The two-sided p-value is at most ``1 - level`` where the interval of this or an
    earlier period excludes ``null``. For ``"greater"`` the e-value is the half-normal mixture,
    ``2 (1 + V / s)^(-1/2) exp(D² / (2 (V + s))) Φ(D / sqrt(V + s))`` (Howard, Ramdas, McAuliffe and Sekhon
    2021).

    The interval is asymptotic: it is exact for normal estimates with these standard errors. An AUC of many
    rows and a mean of many periods are nearly normal. An AUC of few positives is not: if it is high by
    chance, its standard error is too small. With ``n_pos`` and ``n_neg`` the variance v of a period is
    therefore ``(R v + 300 max(v, f)) / (R + 300)``. R is the number of rows of the rarer class so far. f is
    the larger of the two variances of Hanley and McNeil (1982) at the mean AUC A of all periods so far,
    ``A (1 - A) (1 + (P + N - 2) g) / (P N)`` with ``g = B / (1 + B)`` and ``B = max(A, 1 - A)``.

    In simulated streams of 365 periods, at most 3.4 % had any false alarm at 5 %, from 2 positives and 20
    negatives a period on; over ten segments with adjusted p-values, at most 3.9 %. Without counts it was up
    to 49 % with 2 positives, and 17 % with 20 (``benches/results/few_positives.csv``). These are errors about
    the mean of the periods' AUCs. If the true AUC varied between periods by as much as the standard error, 24
    % had a false alarm about a fixed ``null``.

    Cai, Hu and Li (2026, arXiv 2605.14692) have confidence sequences of one U-statistic of all rows so far,
    which also compares rows of different nights. For a non-degenerate AUC their projection gives the same
    normal mixture. Here rows are compared within each period only, so rows need not be kept. O(n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> nights = pl.DataFrame(
    ...     {"night": [1, 2, 3, 4], "auc": [0.78, 0.75, 0.76, 0.74], "se": [0.01, 0.01, 0.012, 0.01]}
    ... )
    >>> below = pa.always_valid("auc", "se", alternative="less", null=0.8)
    >>> nights.select("night", below).unnest("auc").select(pl.all().round(3))
    shape: (4, 6)
    ┌───────┬──────────┬───────┬───────┬──────────┬─────────┐
    │ night ┆ estimate ┆ lower ┆ upper ┆ e_value  ┆ p_value │
    │ ---   ┆ ---      ┆ ---   ┆ ---   ┆ ---      ┆ ---     │
    │ i64   ┆ f64      ┆ f64   ┆ f64   ┆ f64      ┆ f64     │
    ╞═══════╪══════════╪═══════╪═══════╪══════════╪═════════╡
    │ 1     ┆ 0.78     ┆ 0.728 ┆ 0.832 ┆ 2.296    ┆ 0.436   │
    │ 2     ┆ 0.765    ┆ 0.735 ┆ 0.795 ┆ 146.935  ┆ 0.007   │
    │ 3     ┆ 0.763    ┆ 0.741 ┆ 0.786 ┆ 9671.114 ┆ 0.0     │
    │ 4     ┆ 0.758    ┆ 0.739 ┆ 0.776 ┆ 1.3021e8 ┆ 0.0     │
    └───────┴──────────┴───────┴───────┴──────────┴─────────┘
    """
    return columnwise(
        "always_valid",
        _periods("always_valid", auc, se, weight, n_pos, n_neg),
        elementwise=False,
        level=level,
        alternative=alternative,
        null=null,
        margin=margin,
        tightest_at=tightest_at,
    )


def always_valid_change(
    auc: IntoExpr,
    se: IntoExpr,
    *,
    n_pos: IntoExpr | None = None,
    n_neg: IntoExpr | None = None,
    baseline: int | None = None,
    reference: float | None = None,
    weight: IntoExpr | None = None,
    level: float = 0.95,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    null: float | None = None,
    tightest_at: float = 28,
) -> pl.Expr:
    """Return since which period and by how much an AUC has changed, with an always-valid test.

    Each period is a possible change point: the periods from it on are compared with all earlier periods, or
    with a reference. The result is the change point with the most evidence. It detects a late drop sooner
    than :func:`always_valid`, which tests the mean of all periods. Order the rows and use ``over`` as for
    :func:`always_valid`.

    Parameters
    ----------
    auc, se
        The AUC of each period and its standard error, as returned by :func:`polars_auc.roc_auc_ci`. Periods
        must contain different rows. Differences of AUCs are supported.
    n_pos, n_neg
        The numbers of positives and negatives of each AUC, as in :func:`polars_auc.always_valid`.
    baseline
        The number of periods at the start in which no change can begin; the first result is for the next
        period. By default 3 with ``n_pos`` and ``n_neg``, otherwise 28, four weeks of nights.
    reference
        The AUC to compare periods with instead of earlier periods, such as a validation result or a limit. It
        is assumed to be known without error. A change may then begin with the first period.
    weight
        The weight of each period, as in :func:`polars_auc.always_valid`.
    level
        The confidence level, between 0 and 1. It applies to the intervals of all periods jointly.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. ``"greater"`` detects a
        rise, and ``"less"`` a fall. The interval is always two-sided.
    null
        The value under the null hypothesis. It is a change; 0 by default. With ``alternative="less"`` and
        -0.01, the test is for a fall of more than 0.01.
    tightest_at
        The number of periods after a change at which its interval is narrowest relative to other always-valid
        intervals.

    Returns
    -------
    polars.Expr
        One Struct for each row, named after the AUC:

        - ``since`` (UInt64): the row, counted from 0, with which the change most likely began;
          ``pl.col("night").gather(...)`` returns its night.
        - ``before``, ``after`` (Float64): the mean AUC of the periods before that row, or the reference, and
          of the periods from it on.
        - ``change`` (Float64): ``after - before``.
        - ``lower``, ``upper`` (Float64): its limits, jointly valid at all periods and for all beginnings of a
          change.
        - ``e_value`` (Float64): the evidence for a change.
        - ``p_value`` (Float64): the reciprocal of the largest e-value so far, at most 1. The change is
          detected at the first period at which it is at most ``1 - level``.

        All fields are null up to the end of the baseline, and if all standard errors of the baseline are 0.
        With a reference they are null before the first standard error above 0, where the first change may
        begin. A period without AUC, standard error or weight is ignored: its row repeats the row before. A
        NaN in an AUC or a standard error makes its row and all later rows NaN, unless the other is null.

    Notes
    -----
    The evidence for a change in period j compares the periods before it (0) with those from it on (1). Each
    part has the mean m, the sum of weights W and ``V = Σ w² se²``. The e-value is

    ``E_j = ((1 + V0 / s0) (1 + V1 / s1))^(-1/2) exp((m1 - m0 - null)² / (2 T))`` with
    ``T = (V0 + s0) / W0² + (V1 + s1) / W1²``.

    ``s0 = V0 / c``, and ``s1`` is the mean ``w² se²`` of the baseline (with a reference, of the first period)
    times ``tightest_at / c``. c is 8.212 at level 0.95, which makes the interval narrowest at
    ``tightest_at``. With a reference, the terms of part 0 are omitted.

    ``E_j`` is the smallest product, over all common means, of the normal mixtures of :func:`always_valid` for
    both parts. It is therefore an e-value of the hypothesis of a common mean, whatever its value (as
    universal inference: Wasserman, Ramdas and Balakrishnan 2020).

    The i-th possible period of a change has the weight ``w_i = ln 2 (1 / ln(i + 1) - 1 / ln(i + 2))``; the
    weights sum to 1. The ``e_value`` is the largest ``w_j E_j`` (E-detectors: Shin, Ramdas and Rinaldo 2024,
    here with an error over all time instead of a rate of alarms). The interval has the level ``1 - α w_j``
    with ``α = 1 - level``: its half-width is
    ``sqrt(T (ln((1 + V0 / s0) (1 + V1 / s1)) + 2 ln(1 / (α w_j))))``. The two-sided p-value is at most
    ``1 - level`` where the interval of this or an earlier period excludes ``null``.

    With ``n_pos`` and ``n_neg``, standard errors have the floor of :func:`always_valid`. Then at most 1.0 %
    of simulated streams of 365 periods had any false alarm at 5 %. This holds from 2 positives and 20
    negatives a period on, with a reference and with a baseline of 3 periods. Without counts it was up to 76 %
    with a reference, and 7.2 % with a baseline of 28 (``benches/results/few_positives.csv``). If the true AUC
    varied between periods by as much as the standard error, it was 22 % and 7 %, and 3 % for a fall without a
    reference.

    Comparing each night with the mean of a baseline would not be valid: all comparisons share the error of
    this mean. O(n²) for n periods.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> nights = pl.DataFrame({"night": range(1, 13), "auc": [0.8] * 8 + [0.74] * 4, "se": [0.01] * 12})
    >>> change = nights.select("night", pa.always_valid_change("auc", "se", baseline=4)).unnest("auc")
    >>> change.select("night", "since", pl.col("change", "lower", "upper", "p_value").round(3)).tail(3)
    shape: (3, 6)
    ┌───────┬───────┬────────┬────────┬────────┬─────────┐
    │ night ┆ since ┆ change ┆ lower  ┆ upper  ┆ p_value │
    │ ---   ┆ ---   ┆ ---    ┆ ---    ┆ ---    ┆ ---     │
    │ i64   ┆ u64   ┆ f64    ┆ f64    ┆ f64    ┆ f64     │
    ╞═══════╪═══════╪════════╪════════╪════════╪═════════╡
    │ 10    ┆ 8     ┆ -0.06  ┆ -0.108 ┆ -0.012 ┆ 0.001   │
    │ 11    ┆ 8     ┆ -0.06  ┆ -0.097 ┆ -0.023 ┆ 0.0     │
    │ 12    ┆ 8     ┆ -0.06  ┆ -0.091 ┆ -0.029 ┆ 0.0     │
    └───────┴───────┴────────┴────────┴────────┴─────────┘
    """
    default = BASELINE_WITHOUT_COUNTS if n_pos is None else BASELINE
    return columnwise(
        "always_valid_change",
        _periods("always_valid_change", auc, se, weight, n_pos, n_neg),
        elementwise=False,
        baseline=default if baseline is None and reference is None else baseline,
        reference=reference,
        level=level,
        alternative=alternative,
        null=null,
        tightest_at=tightest_at,
    )


def _periods(
    name: str,
    auc: IntoExpr,
    se: IntoExpr,
    weight: IntoExpr | None,
    n_pos: IntoExpr | None,
    n_neg: IntoExpr | None,
) -> dict[str, IntoExpr]:
    """Return the columns of periods by role, with null for missing ones."""
    if (n_pos is None) != (n_neg is None):
        present, absent = ("n_neg", "n_pos") if n_pos is None else ("n_pos", "n_neg")
        raise OptionError(name, present, f"needs `{absent}` as well", "give both or none")
    none = pl.lit(None, dtype=pl.Float64)
    return {
        "auc": auc,
        "se": se,
        "weight": pl.lit(1.0) if weight is None else weight,
        "n_pos": none if n_pos is None else n_pos,
        "n_neg": none if n_neg is None else n_neg,
    }
