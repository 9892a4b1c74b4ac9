"""Rank tests of one score."""

# tests/python/package/generate.py writes signatures, Parameters and the fields of Returns.

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from polars_auc._plugin.call import expression_of

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin.call import IntoExpr

__all__ = [
    "brunner_munzel",
    "concordance_index",
    "hodges_lehmann",
    "kruskal_wallis",
    "mann_whitney_u",
    "rank_agreement",
]


def mann_whitney_u(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    method: Literal["auto", "exact", "asymptotic"] = "auto",
    two_sided: Literal["deviation", "doubled"] = "deviation",
    continuity: bool = True,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return Mann-Whitney's U of the positives, and its test (Wilcoxon's rank-sum test).

    The p-value is from the exact distribution, given the ties, or from the normal approximation with a
    variance corrected for ties.

    Parameters
    ----------
    label, score, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. With ``"greater"``, the
        alternative is that positives tend to score higher.
    method
        - ``"exact"``: the exact distribution, in which every choice of the positives among the rows is
          equally likely, also with ties. Null if it needs more than 2^31 steps, which take several seconds:
          from about 180 and 180 rows on for a U near its expectation, and from more rows on in the tails.
        - ``"asymptotic"``: the normal approximation.
        - ``"auto"``: exact if both classes have fewer than 50 rows and no scores tie (R's rule), or if scores
          tie and there are at most 50 rows in all. The slowest such group takes some tenths of a millisecond;
          the time grows with the fourth power of the number of rows. With 50 and 50 rows the approximation is
          1 % above an exact p-value of 0.05, 4 % above 0.01 and 15 % above 0.001. With 50 and 10 rows it is
          2, 16 and 67 % above. If a class is small and small p-values matter, use ``"exact"``.
    two_sided
        The two-sided exact p-value; without ties both are equal.

        - ``"deviation"``: the probability of a U at least as far from its expectation, as in coin and
          exactRankTests.
        - ``"doubled"``: twice the smaller tail, as in R's ``wilcox.test`` and scipy, which have no exact test
          with ties.
    continuity
        Whether the normal approximation uses a continuity correction of one half, as scipy and R do by
        default. A two-sided test moves U towards its expectation. A one-sided test moves U against the
        alternative, also beyond its expectation: down for ``"greater"``, up for ``"less"``.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``u_statistic`` (Float64): The number of pairs in which the positive scores higher than the
          negative, where a tie counts one half.
        - ``z`` (Float64): The standardized U, positive if positives tend to score higher. ``continuity`` is
          applied to U first, so that an asymptotic ``p_value`` is the tail of ``z``: below it for ``"less"``,
          above it for ``"greater"``, and twice the tail beyond ``abs(z)`` for ``"two-sided"``.
        - ``p_value`` (Float64): The p-value of the hypothesis that both classes have the same distribution.
        - ``method`` (String): The method of the p-value, ``"exact"`` or ``"asymptotic"``; null where the
          p-value is null.
        - ``auc`` (Float64): ``U / (P N)``.
        - ``rank_biserial`` (Float64): ``2 auc - 1``, from -1 to 1.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        All but the counts are null with no positives or no negatives; ``z``, ``p_value`` and ``method`` also
        if all scores tie. The Float64 fields are NaN if a score is NaN. Rows with a null label or score are
        skipped.

    Notes
    -----
    ``Var U = P N / 12 ((n + 1) - sum(t³ - t) / (n (n - 1)))`` over ties of t rows, with n = P + N (Lehmann
    1975, section 1.4). U and the sum are exact integers. The exact distribution is counted in integers:
    without ties by Mann and Whitney (1947), with ties by the shift algorithm of Streitberg and Röhmel (1986),
    and only for the tail needed. With fewer than 2^126 choices of the positives, the exact p-value is a
    correctly rounded quotient of two integers, otherwise a sum of floats. O(n log n), and O(n min(P, N) U)
    for the exact distribution.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> trial = pl.DataFrame({"treated": [1, 1, 1, 1, 0, 0, 0], "score": [3, 3, 5, 8, 1, 3, 4]})
    >>> test = trial.select(pa.mann_whitney_u("treated", "score")).unnest("score")
    >>> test.select("u_statistic", pl.col("p_value").round(4), "method").row(0)
    (9.0, 0.4, 'exact')
    >>> normal = pa.mann_whitney_u("treated", "score", method="asymptotic")
    >>> trial.select(normal.struct.field("p_value").round(4)).item()
    0.359
    """
    return expression_of(mann_whitney_u, locals())


def brunner_munzel(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    distribution: Literal["t", "normal"] = "t",
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the Brunner-Munzel test that the AUC is one half.

    Unlike the Mann-Whitney test, it does not assume that both classes have the same distribution under the
    null hypothesis. It is therefore also valid if the classes have different spreads.

    Parameters
    ----------
    label, score, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. With ``"greater"``, the
        alternative is that positives tend to score higher.
    distribution
        The distribution of the statistic: ``"t"``, or ``"normal"`` for large groups, which gives the z-test
        of the AUC with its DeLong standard error.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``statistic`` (Float64): ``(auc - 1/2) / se``, positive if positives tend to score higher. In scipy
          the sign is opposite if positives are its first sample.
        - ``df`` (Float64): The degrees of freedom of Student's t.
        - ``p_value`` (Float64): The p-value of the hypothesis that the AUC is 1/2.
        - ``auc`` (Float64): The AUC.
        - ``se`` (Float64): The DeLong standard error of the AUC.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        ``auc`` is null with no positives or no negatives; ``se`` also with fewer than two positives or fewer
        than two negatives. ``statistic``, ``df`` and ``p_value`` are also null if the standard error is 0: if
        the classes do not overlap, or all scores tie. Without overlap scipy returns a p-value of 0 for
        ``distribution="normal"``. Here it is null, because such rows do not show the variance: use
        :func:`mann_whitney_u`. The Float64 fields are NaN if a score is NaN. Rows with a null label or score
        are skipped.

    Notes
    -----
    Brunner and Munzel (2000). Their variance estimate is DeLong's. With its parts ``V1 = S10 / P`` and
    ``V0 = S01 / N``, ``df = (V1 + V0)² / (V1² / (P - 1) + V0² / (N - 1))``. O(n log n).

    Examples
    --------
    Pain after surgery under two treatments (Brunner and Munzel 2000):

    >>> import polars as pl
    >>> import polars_auc as pa
    >>> new, old = [3, 3, 4, 3, 1, 2, 3, 1, 1, 5, 4], [1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 1, 1]
    >>> pain = pl.DataFrame({"new": [1] * 11 + [0] * 14, "score": new + old})
    >>> test = pain.select(pa.brunner_munzel("new", "score")).unnest("score")
    >>> test.select(pl.col("statistic", "df", "p_value").round(4)).row(0)
    (3.1375, 17.6828, 0.0058)
    """
    return expression_of(brunner_munzel, locals())


def hodges_lehmann(
    label: IntoExpr,
    score: IntoExpr,
    *,
    level: float = 0.95,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return how much higher positives score: the median of all differences, with its interval.

    Parameters
    ----------
    label, count
        The columns of rows, as in :func:`polars_auc.roc_auc`.
    score
        Any numeric or Boolean column. Differences are computed in Float64, so integers beyond 2^53 lose their
        last digits.
    level
        The confidence level, between 0 and 1.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``shift`` (Float64): The median of the differences between the scores of a positive and a negative,
          in the unit of the scores.
        - ``lower`` (Float64): The lower limit; null where ``shift`` is null, -infinity with too few rows for
          the level.
        - ``upper`` (Float64): The upper limit; null where ``shift`` is null, infinity with too few rows for
          the level.
        - ``method`` (String): The method of the limits, ``"exact"`` or ``"asymptotic"``.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        All but the counts are null with no positives or no negatives. The Float64 fields are NaN if a score
        is NaN, or if both classes contain the same infinity. The shift is also NaN if the two middle
        differences are infinities of opposite sign. Rows with a null label or score are skipped.

    Notes
    -----
    Hodges and Lehmann (1963). The limits are the most extreme differences that the Mann-Whitney test does not
    reject: by its exact distribution if no scores tie and both classes have fewer than 50 rows, as in R's
    ``wilcox.test(conf.int = TRUE)``; otherwise by the normal approximation with continuity correction. In
    that case R estimates the shift as the root of an equation, to four digits; here it is always the median
    of all differences. The k-th smallest of the P N differences is found without listing them, in O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
    >>> early = [1.15, 0.88, 0.90, 0.74, 1.21]
    >>> tissue = pl.DataFrame({"at_term": [1] * 10 + [0] * 5, "permeability": term + early})
    >>> shift = tissue.select(pa.hodges_lehmann("at_term", "permeability")).unnest("permeability")
    >>> shift.select(pl.col("shift", "lower", "upper").round(3)).row(0)
    (0.305, -0.15, 0.76)
    """
    return expression_of(hodges_lehmann, locals())


def kruskal_wallis(
    sample: IntoExpr,
    score: IntoExpr,
) -> pl.Expr:
    """Return the Kruskal-Wallis test that several samples have the same distribution.

    Parameters
    ----------
    sample
        The sample of each row: any dtype except lists, any number of samples.
    score
        Any numeric or Boolean column.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``statistic`` (Float64): H, corrected for ties.
        - ``df`` (UInt64): The number of samples minus 1.
        - ``p_value`` (Float64): The p-value, by the chi-square distribution.
        - ``n_samples`` (UInt64): The number of samples used.
        - ``n`` (UInt64): The number of rows used.

        ``statistic``, ``df`` and ``p_value`` are null with fewer than two samples or if all scores tie. If a
        score is NaN, ``statistic`` and ``p_value`` are NaN and ``df`` is null. Rows with a null sample or
        score are skipped.

    Notes
    -----
    ``H = 12 / (n (n + 1)) sum(R² / m) - 3 (n + 1)`` over samples with m rows and the sum R of mid-ranks,
    divided by ``1 - sum(t³ - t) / (n³ - n)`` over ties of t rows (Kruskal and Wallis 1952). For two samples H
    is the square of the Mann-Whitney z without continuity correction. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> yields = pl.DataFrame({"soil": list("aaabbbcc"), "crop": [1, 1, 1, 2, 2, 2, 2, 2]})
    >>> test = yields.select(pa.kruskal_wallis("soil", "crop")).unnest("crop")
    >>> test.select(pl.col("statistic").round(4), "df", pl.col("p_value").round(4)).row(0)
    (7.0, 2, 0.0302)
    """
    return expression_of(kruskal_wallis, locals())


def rank_agreement(
    x: IntoExpr,
    y: IntoExpr,
    *,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    method: Literal["auto", "exact", "asymptotic"] = "auto",
) -> pl.Expr:
    """Return how far two columns order rows alike: pair counts, measures of agreement, and Kendall's test.

    Parameters
    ----------
    x, y
        Any numeric or Boolean columns, such as two scores, or two measures of the same things.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. With ``"greater"``, the
        alternative is that both columns order rows alike.
    method
        - ``"exact"``: the exact distribution of the discordant pairs, in which every order of y is equally
          likely. Null with ties, and with more than 1500 rows, because the time grows with the cube of the
          number of rows.
        - ``"asymptotic"``: the normal approximation, with a variance corrected for ties.
        - ``"auto"``: exact without ties and with fewer than 50 rows (R's rule).

    Returns
    -------
    polars.Expr
        One Struct for each group, named after ``x``:

        - ``concordant`` (UInt64): The number of untied pairs in the same order in both columns.
        - ``discordant`` (UInt64): The number of untied pairs in opposite orders.
        - ``tied_x`` (UInt64): The number of pairs tied in x only.
        - ``tied_y`` (UInt64): The number of pairs tied in y only.
        - ``tied_both`` (UInt64): The number of pairs tied in both.
        - ``tau_a`` (Float64): Kendall's tau-a; null with no pairs.
        - ``tau_b`` (Float64): Kendall's tau-b; null if all pairs tie in x or in y.
        - ``tau_c`` (Float64): Stuart's tau-c, which can reach 1 even if x and y have different numbers of
          values.
        - ``somers_yx`` (Float64): Somers' D of y given x; 0 if only y is constant, null if x is constant.
          scipy's ``somersd`` gives NaN in both cases.
        - ``somers_xy`` (Float64): Somers' D of x given y; null if all pairs tie in y.
        - ``gamma`` (Float64): Goodman and Kruskal's gamma.
        - ``consistency`` (Float64): Ling's degree of consistency: the share of concordant pairs among the
          concordant and discordant pairs.
        - ``discriminancy`` (Float64): Ling's degree of discriminancy: ``tied_y / tied_x``.
        - ``z`` (Float64): ``concordant - discordant``, divided by its standard deviation under independence
          of x and y.
        - ``p_value`` (Float64): The p-value of Kendall's test; null where ``z`` is null, and where an exact
          p-value cannot be computed.
        - ``method`` (String): The method of the p-value, ``"exact"`` or ``"asymptotic"``; null where the
          p-value is null.
        - ``n`` (UInt64): The number of rows used.

        A measure is null if its denominator is 0, and NaN if a value is NaN; the pair counts are then 0. Rows
        with a null x or y are skipped.

    Notes
    -----
    With C concordant and D discordant pairs of n rows, X tied in x only and Y in y only:
    ``tau_a = (C - D) / (n (n - 1) / 2)`` (Kendall 1938), ``tau_b = (C - D) / sqrt((C + D + X) (C + D + Y))``
    (1945), ``somers_yx = (C - D) / (C + D + Y)`` (Somers 1962), ``gamma = (C - D) / (C + D)`` (Goodman and
    Kruskal 1954), ``consistency = C / (C + D)`` and ``discriminancy = Y / X`` (Ling, Huang and Zhang 2003),
    and ``tau_c = 2 m (C - D) / (n² (m - 1))`` (Stuart 1953), with the smaller number m of distinct values.
    The variance of C
    - D given the ties is Kendall's (1970, equation 4.4), as in ``scipy.stats.kendalltau`` and R's
    ``cor.test``. Pairs are exact integers, counted by Knight's (1966) method in O(n log n).

    Examples
    --------
    Four rankings of a test set, their AUC and their accuracy:

    >>> import polars as pl
    >>> import polars_auc as pa
    >>> models = pl.DataFrame({"auc": [0.96, 0.64, 0.84, 0.84], "accuracy": [0.8, 0.8, 0.6, 0.8]})
    >>> both = models.select(pa.rank_agreement("auc", "accuracy")).unnest("auc")
    >>> both.select("concordant", "discordant", "tied_x", "tied_y", pl.col("tau_b").round(4)).row(0)
    (1, 1, 1, 3, 0.0)
    """
    return expression_of(rank_agreement, locals())


def concordance_index(
    time: IntoExpr,
    event: IntoExpr,
    score: IntoExpr,
    *,
    method: Literal["harrell", "uno"] = "harrell",
    tau: float | None = None,
    interval: Literal["logit", "normal"] = "logit",
    level: float = 0.95,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the concordance index of a risk score and censored times, with its interval.

    It is the share of comparable pairs of rows in which the row with the earlier event has the higher score:
    the AUC of a score for the question which row has the event first.

    Parameters
    ----------
    time
        The time of the event, or for a censored row the time of its last observation: any numeric column.
    event
        Whether the row had the event at its time; False or 0 means censored: last observed without the event.
        Boolean, or an integer or float column that contains only 0 and 1.
    score
        Any numeric or Boolean column; higher means a higher risk, that is, an earlier event. For predicted
        times write ``-pl.col("predicted")``.
    method
        - ``"harrell"``: all comparable pairs have equal weight. What the index estimates depends on the
          censoring.
        - ``"uno"``: a pair has the weight ``1 / G²``. G is the Kaplan-Meier estimate, from the rows of the
          group, of the probability that a row is not censored before the earlier time. The estimated quantity
          is then the same for any censoring that is independent of score and time. Also set ``tau``, because
          at late times few rows have large weights.
    tau
        Only pairs whose earlier time is below ``tau`` are compared, in the unit of ``time``; ``None``
        compares all.
    interval
        - ``"logit"``: on the logit scale, by Student's t. Its degrees of freedom are the number of events
          that are followed by a row, minus 1.
        - ``"normal"``: normal limits, clipped to 0 and 1.
    level
        The confidence level, between 0 and 1.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``concordance`` (Float64): The concordance index, 0 to 1; 1/2 for an uninformative score.
        - ``se`` (Float64): Its standard error, by the infinitesimal jackknife.
        - ``lower``, ``upper`` (Float64): The confidence limits.
        - ``concordant`` (UInt64): The number of comparable pairs in which the earlier event has the higher
          score.
        - ``discordant`` (UInt64): The number of comparable pairs in which the earlier event has the lower
          score.
        - ``tied`` (UInt64): The number of comparable pairs with equal scores.
        - ``n_events`` (UInt64): The number of rows with the event.
        - ``n`` (UInt64): The number of rows used.

        The Float64 fields are null with no comparable pairs, and NaN if a time or a score is NaN; pairs are
        then not counted. Rows with a null time, event or score are skipped.

    Notes
    -----
    A pair is comparable if the earlier of its times is an event. With equal times, it is comparable if
    exactly one row had the event, because the other is known to be later. Pairs with equal scores count one
    half (Harrell, Lee and Mark 1996). This is ``concordance(Surv(time, event) ~ score, reverse = TRUE)`` of
    R's survival and ``concordance_index_censored`` of scikit-survival. The weights of ``"uno"`` are those of
    Uno, Cai, Pencina, D'Agostino and Wei (2011, equation 6). ``concordance_index_ipcw`` of scikit-survival
    uses G just after a time, not just before it; this differs only where an event and a censored row have the
    same time.

    The influence of a row is ``(s - C n) / N``. s is the weight of its concordant pairs, n the weight of all
    its pairs, and N the weight of all pairs. The variance is the sum of the squared influences (Therneau and
    Watson 2015); for ``"uno"``, G is treated as known. O(n log n).

    ``"logit"``: ``expit(logit(C) ± t se / (C (1 - C)))``, with ``max(e - 1, 1)`` degrees of freedom for e
    events that are the earlier row of a comparable pair. If the index is 0 or 1, it is one limit; the other
    is as if half an event were on the wrong side, as with :func:`roc_auc_ci`. With heavy censoring few events
    determine the index, so it is skewed and its standard error uncertain. With 40 rows and 64 to 76 %
    censoring, 95 % intervals cover 94.6 to 94.8 % by ``"logit"``, and 86.0 to 89.3 % by ``"normal"``
    (``benches/results/small_samples.csv``).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> patients = pl.DataFrame(
    ...     {
    ...         "months": [3, 5, 5, 8, 11, 12],
    ...         "died": [True, True, False, True, False, False],
    ...         "risk": [0.9, 0.5, 0.4, 0.6, 0.1, 0.3],
    ...     }
    ... )
    >>> index = patients.select(pa.concordance_index("months", "died", "risk")).unnest("risk")
    >>> index.select(pl.col("concordance", "se").round(4), "concordant", "discordant", "tied").row(0)
    (0.9091, 0.095, 10, 1, 0)
    """
    return expression_of(concordance_index, locals())
