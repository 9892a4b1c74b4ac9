"""Intervals of the AUC, and bootstrap intervals of any statistic of one score."""

# tests/python/package/generate.py writes signatures, Parameters and the fields of Returns.

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from polars_auc._expressions.numbers import (
    average_precision,
    gini,
    ks_statistic,
    mean_positive_rank,
    roc_auc,
)
from polars_auc._expressions.thresholds import confusion_at, operating_point
from polars_auc._plugin.call import RESAMPLED, expression_of
from polars_auc._plugin.options import (
    one_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from polars_auc._plugin.call import IntoExpr

__all__ = ["bootstrap_ci", "roc_auc_ci", "roc_summary"]


def roc_auc_ci(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    method: Literal["wilson", "delong", "logit", "hanley_mcneil", "obuchowski", "bootstrap"] | None = None,
    level: float = 0.95,
    weight: IntoExpr | None = None,
    cluster: IntoExpr | None = None,
    interval: Literal["percentile", "bca"] | None = None,
    n_resamples: int | None = None,
    seed: int | None = None,
    min_fpr: float | None = None,
    max_fpr: float | None = None,
    min_tpr: float | None = None,
    max_tpr: float | None = None,
    standardized: bool | Literal["always"] = False,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    null: float | None = None,
    margin: float | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the AUC, or a partial AUC, with its standard error, confidence interval and test.

    Parameters
    ----------
    label, score, count
        The columns of rows, as in :func:`polars_auc.roc_auc`.
    method
        ``None`` is ``"wilson"`` for the whole area, and ``"logit"`` for a partial area.

        - ``"wilson"``: all AUCs that the test does not reject, each with the variance that it implies, as in
          Wilson's interval of a proportion. The limits are within 0 to 1 and never equal. They keep their
          level from three rows of the rarer class on.
        - ``"delong"``: normal limits with the DeLong standard error, clipped to 0 and 1.
        - ``"logit"``: normal limits on the logit scale, with the DeLong standard error. They are within 0 to
          1, and not equal if the classes do not overlap. For a partial area: on the logit scale of its share
          of the largest possible area, with the jackknife standard error and Student's t, because few rows
          lie within the bounds.
        - ``"hanley_mcneil"``: normal limits with the standard error that Hanley and McNeil derive from the
          AUC and both counts, clipped to 0 and 1. Only this method is defined with a single positive or a
          single negative. (With one of each, the AUC is 0, 1/2 or 1; if it is 0 or 1, both limits equal the
          AUC.)
        - ``"obuchowski"``: normal limits with the standard error of the area under the binormal curve of
          :func:`polars_auc.binormal_roc_auc`, clipped to 0 and 1. The variance is that of
          ``pROC::var(method="obuchowski")``, null if no line can be fitted, and often larger than DeLong's.
        - ``"bootstrap"``: from resamples of the rows within each class (with ``cluster``: of whole clusters).
          With more than 16,384 rows, neighbouring scores are merged as in :func:`polars_auc.bootstrap_ci`.
    level
        The confidence level, between 0 and 1.
    weight
        The weight of each row: a column of finite numbers, 0 or more. Rows with a weight of 0 or null are
        skipped. Weights are for rows sampled with unequal probabilities; the standard error is then by the
        infinitesimal jackknife. If a weight is a number of identical rows, use ``count``: with ``weight`` the
        standard error would be too large. Only for ``"wilson"``, ``"delong"`` and ``"logit"``.
    cluster
        The cluster of each row, such as the customer: rows of the same cluster are not independent. The
        standard error is then Obuchowski's (1997), with ``weight`` the jackknife's over clusters. Not for
        ``"hanley_mcneil"`` and ``"obuchowski"``.
    interval
        The bootstrap limits: ``"percentile"`` (the default), quantiles of the resampled AUCs, or ``"bca"``,
        quantiles corrected for bias and acceleration (not with ``cluster``).
    n_resamples
        The number of resamples, from 2 to 10^7. 2000 by default (bootstrap only).
    seed
        The seed of the random numbers, 0 or more. With the same seed, the result does not depend on row
        order, group order, thread count or engine. 0 by default (bootstrap only).
    min_fpr, max_fpr
        Bounds of the false positive rate for a partial area: see :func:`polars_auc.roc_auc`. Partial areas
        support ``"logit"``, ``"delong"`` and ``"bootstrap"``, without weights and clusters.
    min_tpr, max_tpr
        Bounds of the true positive rate; mutually exclusive with bounds of the false positive rate.
    standardized
        Whether to scale a partial area like a whole area: see :func:`polars_auc.roc_auc`.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. The interval is always
        two-sided.
    null
        The value under the null hypothesis. 0.5 by default; for a partial area, the area of an uninformative
        score.
    margin
        Tests against a bound instead of ``null``. A small p-value shows that the value is above ``null -
        margin`` (``alternative="greater"``: non-inferiority), below ``null + margin`` (``"less"``), or
        between both (``"two-sided"``: equivalence, by two one-sided tests).
    state
        A column of states from :func:`polars_auc.roc_state` instead of ``label`` and ``score``. The states of
        a group are merged. With ``max_bins`` the result is approximate: scores in the same bin count as ties.
        For weighted states whose squares of weights are unknown, the standard error and all fields derived
        from it are null: see :func:`polars_auc.roc_state`.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``auc`` (Float64): The AUC, as in :func:`polars_auc.roc_auc`.
        - ``se`` (Float64): The standard error of ``auc``; for the bootstrap, the standard deviation of the
          resamples.
        - ``lower``, ``upper`` (Float64): The confidence limits.
        - ``z`` (Float64): ``(auc - null) / se``; for ``"wilson"`` with the standard error under ``null``, for
          ``"logit"`` on the logit scale. With a margin, the distance from the bound ``null ± margin`` that
          determines the p-value.
        - ``p_value`` (Float64): The p-value of the test of ``null``, by the normal distribution; for
          ``"wilson"``, and for ``"logit"`` of a partial area, by Student's t.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.
        - ``n_clusters`` (UInt64): The number of clusters used; only with ``cluster``.

        ``auc`` is null with no positives or no negatives. The standard error and the limits are null with
        fewer than two positives or fewer than two negatives. With ``cluster``, this counts the clusters with
        a positive and with a negative. Exceptions are ``"hanley_mcneil"`` and ``"obuchowski"``. ``z`` and
        ``p_value`` are null where the standard error is null. Except for ``"wilson"``, they are also null if
        it is 0 and the AUC is not ``null``. All six are NaN if a score is NaN. Rows with a null label, score
        or cluster are skipped.

        If the classes do not overlap (AUC 0 or 1), the standard error is 0. With ``"delong"``,
        ``"hanley_mcneil"`` and ``"bootstrap"`` both limits then equal the AUC, although the AUC is uncertain.
        ``"logit"`` then has one limit as if half a row of the rarer class (with ``cluster``, half a cluster)
        were on the wrong side. If all scores tie, both limits are one half, except for ``"wilson"`` and
        ``"hanley_mcneil"``.

    Notes
    -----
    ``"delong"``: ``se² = S10 / P + S01 / N`` (DeLong, DeLong and Clarke-Pearson 1988). S10 and S01 are the
    sample variances of the placements of positives and of negatives, from exact integer sums. The placement
    of a positive is the share of negatives that score lower, the placement of a negative the share of
    positives that score higher; ties count one half. O(n log n), not O(P N).

    ``"wilson"``: the limits are the areas x with ``|auc - x| = t sqrt(r V(x))`` (Wilson 1927; Newcombe 2006,
    method 5). In large samples they equal those of ``"delong"``.

    - ``V(x) = x (1 - x) (1 + (b - 1) g + (a - 1) (g + h) / 2) / (P N)`` with ``g = m / (1 + m)``,
      ``h = (1 - m) / (2 - m)``, ``m = max(x, 1 - x)``, ``a = min(P, N)`` and ``b = max(P, N)``. This is
      Hanley and McNeil's variance with the larger of its two terms for the rarer class, and the mean of both
      for the other class.
    - ``r = (k se² / V(auc) + 3) / (k + 3)``, or ``se² / V(auc)`` if that is larger, with
      ``k = 4 auc (1 - auc) P N / (P + N)``. It scales V to DeLong's variance, the more the larger k is.
    - t is the quantile of Student's t with ``min(P, N) + 2`` degrees of freedom.
    - With weights, P and N are effective numbers, ``(sum w)² / sum w²`` (Kish 1965). With ``cluster``, k and
      the degrees of freedom count clusters.

    ``"logit"``: ``expit(logit(auc) ± z se / (auc (1 - auc)))``.

    ``"hanley_mcneil"`` (1982): ``se² = (A (1 - A) + (P - 1) (Q1 - A²) + (N - 1) (Q2 - A²)) / (P N)`` with
    ``Q1 = A / (2 - A)`` and ``Q2 = 2 A² / (1 + A)``.

    ``"obuchowski"``: ``se² = f² (N (a² + 2) + 2 P b²) / (2 P N) + g² (P + N) b² / (2 P N)`` (Obuchowski and
    McClish 1997), for the binormal curve with intercept a and slope -b, and the derivatives f and g of its
    area. As in pROC, the covariance of a and b is ignored.

    ``"bootstrap"``: a resample costs O(n), because rows are drawn by rank and need no further sort. BCa:
    Efron (1987), with the acceleration from the placements.

    Clusters: Obuchowski (1997). Weights: ``se² = sum w² (v - auc)² / W²`` over positives with placements v
    and total weight W, plus the same over negatives (Jaeckel 1972; the variance of R's
    ``survival::concordance``). Equivalence: Schuirmann (1987).

    Partial areas use DeLong's formula with other placements: a negative has the tpr at its fpr, and a
    positive the length of fpr at which it is predicted positive. A row outside the bounds counts as if it
    were on the nearest bound. These are the influences of the rows on the area, including the thresholds at
    the bounds (Jaeckel 1972). pROC has only the bootstrap for partial areas.

    With ``"logit"``, a partial area has the jackknife standard error (Tukey 1958): how the area changes if
    one row after the other is left out, with any ties and bounds. A row of the bounded class beyond a bound b
    then has the mean height of the curve over the length of one row, from ``b - b / n`` to
    ``b + (1 - b) / n``. Student's t has ``(v + w)² / (v² / (m - 1) + w² / (n - 1))`` degrees of freedom
    (Welch, Satterthwaite). v and w are the parts of the variance from the bounded class and from the other
    class. m is the number of rows of the bounded class within the bounds, at least 2, and n the number of
    rows of the other class. If the area is 0 or the largest possible, half a row of those m or n is assumed
    to be on the wrong side.

    The coverage of 95 % intervals is measured in ``benches/results/coverage.csv``, for partial areas in
    ``benches/results/small_samples.csv``. Up to an fpr of 0.1 with 50 positives and 50 negatives, it is 94.3
    to 95.0 % by ``"logit"``, 92.3 to 96.0 % with ``interval="bca"`` and 86.6 to 89.5 % by DeLong. With 300
    positives and 30 negatives, only about three negatives are within these bounds. Coverage is then 93.2,
    92.8 and 90.2 % by ``"logit"`` for AUCs of 0.6, 0.8 and 0.95, and 75.4 to 85.2 % with ``interval="bca"``.
    From a tpr of 0.8 with 30 positives and 300 negatives, it is 91.6 % by ``"logit"`` for an AUC of 0.95, and
    86.9 to 93.0 % with ``interval="bca"``. With 30 to 300 positives and log-normal weights (a standard
    deviation of 1 on the log scale), it is 94.3 to 98.5 % by ``"wilson"``, and 86.9 to 93.5 % by ``"logit"``.

    Examples
    --------
    The ratings of Hanley and McNeil (1982), table I:

    >>> import polars as pl
    >>> import polars_auc as pa
    >>> ratings = pl.DataFrame(
    ...     {"rating": [1, 2, 3, 4, 5], "normal": [33, 6, 6, 11, 2], "abnormal": [3, 2, 2, 11, 33]}
    ... ).unpivot(index="rating", variable_name="status", value_name="images")
    >>> images = ratings.select(pl.col("rating", "status").repeat_by("images").explode())
    >>> ci = images.select(pa.roc_auc_ci(pl.col("status") == "abnormal", "rating"))
    >>> ci.unnest("rating").select(pl.col("auc", "se", "lower", "upper").round(4)).row(0)
    (0.8932, 0.0307, 0.8118, 0.9421)
    >>> delong = pa.roc_auc_ci(pl.col("status") == "abnormal", "rating", method="delong")
    >>> images.select(delong).unnest("rating").select(pl.col("lower", "upper").round(4)).row(0)
    (0.833, 0.9534)
    >>> logit = pa.roc_auc_ci(pl.col("status") == "abnormal", "rating", method="logit")
    >>> images.select(logit).unnest("rating").select(pl.col("lower", "upper").round(4)).row(0)
    (0.8164, 0.9402)
    >>> not_inferior = pa.roc_auc_ci(
    ...     pl.col("status") == "abnormal", "rating", null=0.85, margin=0.05, alternative="greater"
    ... )
    >>> images.select(not_inferior).unnest("rating").select(pl.col("z", "p_value").round(4)).row(0)
    (2.2474, 0.0144)
    """
    return expression_of(roc_auc_ci, locals())


def roc_summary(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    ci: Literal["wilson", "delong", "logit", "hanley_mcneil", "obuchowski", "bootstrap"] = "wilson",
    level: float = 0.95,
    interval: Literal["percentile", "bca"] | None = None,
    n_resamples: int | None = None,
    seed: int | None = None,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the most common measures: AUC with its interval, Gini, KS, average precision, best threshold.

    All come from one ranking of the rows. Polars does not share work between expressions inside ``agg``, so
    separate expressions would each rank the rows again. This function takes about twice as long as
    :func:`roc_auc` alone (``benches/results/targets.csv``).

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    ci
        The method of the interval: see :func:`polars_auc.roc_auc_ci`.
    level
        The confidence level, between 0 and 1.
    interval, n_resamples, seed
        The bootstrap limits, the number of resamples and the seed: see :func:`polars_auc.roc_auc_ci`.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``auc`` (Float64): The AUC, as in :func:`polars_auc.roc_auc`.
        - ``se``, ``lower``, ``upper`` (Float64): Its standard error and confidence limits, as in
          :func:`polars_auc.roc_auc_ci`.
        - ``gini`` (Float64): The Gini coefficient, as in :func:`polars_auc.gini`.
        - ``gini_lower``, ``gini_upper`` (Float64): Its confidence limits, ``2 lower - 1`` and ``2 upper -
          1``.
        - ``ks`` (Float64): The Kolmogorov-Smirnov distance, as in :func:`polars_auc.ks_statistic`.
        - ``average_precision`` (Float64): The average precision, as in :func:`polars_auc.average_precision`;
          1 with no negatives.
        - ``best_threshold`` (the score's dtype): The score with the largest ``tpr - fpr``, the highest of
          several: a row is predicted positive if ``score >= best_threshold``.
        - ``prevalence`` (Float64): ``n_pos / n``; with weights, the positives' share of all weights, which is
          NaN if a score is NaN.
        - ``n`` (UInt64): The number of rows used.
        - ``n_missing`` (UInt64): The number of rows skipped because the label or the score is null.
        - ``n_unlabelled`` (UInt64): The number of skipped rows with a score but no label, such as new rows
          with an unknown outcome; null with ``state``, because states do not count them separately.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        The numbers are null with no positives or no negatives (``average_precision`` only with no positives),
        and NaN if a score is NaN. ``se`` and the limits are also null with fewer than two positives or fewer
        than two negatives (except with ``"hanley_mcneil"``). ``prevalence`` is null with no rows. Rows with a
        null label or score are skipped.

    Notes
    -----
    With weights the standard error is by the infinitesimal jackknife: see :func:`polars_auc.roc_auc_ci`. Some
    weighted states do not have it: see :func:`roc_state`. Counts of rows are not weighted.

    The average precision is that of :func:`polars_auc.average_precision`, and the best threshold Youden's
    (1950). ``ks`` may occur at another score, because it also counts distances below the diagonal. O(n log
    n).

    Examples
    --------
    Unnest the record after the aggregation, not inside it:

    >>> import polars as pl
    >>> import polars_auc as pa
    >>> loans = pl.DataFrame({"bad": [1, 1, 0, 1, 0, 0], "points": [6, 5, 4, 3, 2, 1]})
    >>> summary = loans.select(pa.roc_summary("bad", "points")).unnest("points")
    >>> summary.select(pl.col("auc", "se", "average_precision").round(4), "best_threshold").row(0)
    (0.8889, 0.1571, 0.9167, 5)
    """
    return expression_of(roc_summary, locals())


def roc_summaries(
    columns: Sequence[Mapping[str, Any]], bins: Mapping[str, Any] | None = None, **options: object
) -> pl.Expr:
    """Return an array of the numbers of :func:`roc_summary` that a report shows, one for each score or state.

    Without the average precision and the best threshold they take less time, and their dtype is the same for
    all scores. All columns but scores and states are the same for all. With ``bins``, which say how small
    states are, the numbers are those of each score's state, with ``auc_min``, ``auc_max`` and ``exact``, as
    of :func:`roc_auc_bounds`; groups with fewer rows than bins are answered from their rows.
    """
    bound = inspect.signature(roc_summary).bind(**columns[0], **options)
    bound.apply_defaults()
    (role,) = {"score", "state"} & set(columns[0])
    return expression_of(
        roc_summary,
        bound.arguments,
        variant="of_scores" if bins is None else "bounded_of_scores",
        several=(role, [score_columns[role] for score_columns in columns]),
        **(bins or {}),
    )


Resampled: TypeAlias = Literal[
    "average_precision",
    "confusion_at",
    "gini",
    "ks_statistic",
    "mean_positive_rank",
    "operating_point",
    "roc_auc",
    "roc_summary",
]
"""The statistics whose numbers have an interval by bootstrap."""


_STATISTICS = {
    function.__name__: function
    for function in (
        average_precision,
        confusion_at,
        gini,
        ks_statistic,
        mean_positive_rank,
        operating_point,
        roc_auc,
        roc_summary,
    )
}


# Options that resampling does not pass on: weights, and options of a statistic's own interval and test.
_NOT_OPTIONS = ("weight", "interval", "method", "ci")


def bootstrap_ci(
    statistic: Resampled,
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    level: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
    resample: Literal["stratified", "plain"] = "stratified",
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
    **options: Any,
) -> pl.Expr:
    """Return every number of a statistic with its bootstrap interval: thresholds, rates, KS, Gini.

    Parameters
    ----------
    statistic
        The name of the function: ``"average_precision"``, ``"confusion_at"``, ``"gini"``, ``"ks_statistic"``,
        ``"mean_positive_rank"``, ``"operating_point"``, ``"roc_auc"`` or ``"roc_summary"``.
    label, score, count
        The columns of rows, as in :func:`polars_auc.roc_auc`.
    level
        The confidence level, between 0 and 1.
    n_resamples
        The number of resamples, from 2 to 10^7.
    seed
        The seed of the random numbers, 0 or more. With the same seed, the result does not depend on row
        order, group order, thread count or engine.
    resample
        ``"stratified"`` resamples the rows of each class, ``"plain"`` the rows of both classes together.
    state
        A column of states from :func:`polars_auc.roc_state` in place of ``label`` and ``score``. The states
        of a group are merged.
    **options
        Options of the statistic, such as ``criterion="target_tpr", target=0.9`` of :func:`operating_point`,
        ``at=0.5`` of :func:`confusion_at`, ``max_fpr=0.1`` of :func:`roc_auc`. Options of the statistic's own
        interval or test are refused.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score, with one struct for each number in the
        record of the statistic, except its standard error and limits.

        - ``field``: the name of the number in the record (String);
        - ``estimate``: the number for the rows; a threshold as Float64;
        - ``se``: the standard deviation of the resamples;
        - ``lower``, ``upper``: the confidence limits (Float64);
        - ``n_undefined``: the number of resamples in which the number is undefined, such as the precision if
          no row is predicted positive (UInt64); they are skipped.

        ``se`` and the limits are null with fewer than two positives or fewer than two negatives, and if fewer
        than two resamples define the number. ``se`` is also null if a resample has an infinite threshold. The
        list is null if a score is NaN.

    Notes
    -----
    The limits are the quantiles ``(1 -+ level) / 2`` of the resamples (Efron 1979), with linear
    interpolation. This percentile method, as in pROC's ``ci.coords``, does not correct bias: for two equal
    distributions the KS distance and both of its limits are above 0. An operating point is chosen again in
    every resample, so its interval includes the choice. For the rates at a fixed threshold use
    :func:`confusion_at`.

    In groups of more than 16,384 rows, distinct scores are first merged into cells of at most a 512th of each
    class, and cells are resampled. O(n log n + m r) for m rows or cells and r resamples.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> bars = pl.DataFrame({"good": [1, 0, 1, 1, 0, 0, 0], "score": [8, 5, 3, 3, 1, -3, -5]})
    >>> ci = pa.bootstrap_ci("operating_point", "good", "score", criterion="youden", n_resamples=500)
    >>> best = bars.select(ci).explode("score").unnest("score")
    >>> best.filter(pl.col("field").is_in(["threshold", "fpr", "tpr"])).drop("se")
    shape: (3, 5)
    ┌───────────┬──────────┬──────────┬───────┬─────────────┐
    │ field     ┆ estimate ┆ lower    ┆ upper ┆ n_undefined │
    │ ---       ┆ ---      ┆ ---      ┆ ---   ┆ ---         │
    │ str       ┆ f64      ┆ f64      ┆ f64   ┆ u64         │
    ╞═══════════╪══════════╪══════════╪═══════╪═════════════╡
    │ threshold ┆ 3.0      ┆ 3.0      ┆ 8.0   ┆ 0           │
    │ tpr       ┆ 1.0      ┆ 0.333333 ┆ 1.0   ┆ 0           │
    │ fpr       ┆ 0.25     ┆ 0.0      ┆ 0.5   ┆ 0           │
    └───────────┴──────────┴──────────┴───────┴─────────────┘
    """
    name = "bootstrap_ci"
    one_of(name, "statistic", statistic, tuple(_STATISTICS))
    function = _STATISTICS[statistic]
    parameters = (*inspect.signature(bootstrap_ci).parameters, *_NOT_OPTIONS)
    allowed = [option for option in inspect.signature(function).parameters if option not in parameters]
    for option in options:
        if option not in allowed:
            supported = f"its options are {', '.join(allowed)}" if allowed else "it has none"
            msg = f"{name}: {option} is not an option of {statistic} when bootstrapping. Hint: {supported}"
            raise TypeError(msg)
    if statistic == "ks_statistic":
        options = {
            **options,
            "method": "asymptotic",
        }  # Its p-value is not asked for, and an exact one is slow.
    resampled = {
        "level": level,
        "n_resamples": n_resamples,
        "seed": seed,
        "resample": resample,
    }
    drawing = RESAMPLED.set(resampled)
    try:
        return function(label, score, count=count, state=state, **options)
    finally:
        RESAMPLED.reset(drawing)
