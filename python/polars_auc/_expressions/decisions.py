"""Decision analysis: the benefit of decisions based on a score."""

# tests/python/package/generate.py writes signatures, Parameters and the fields of Returns.

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import polars as pl

from polars_auc._plugin.call import expression_of

if TYPE_CHECKING:
    from polars_auc._plugin.call import IntoExpr

__all__ = [
    "average_precision_ci",
    "average_precision_difference",
    "bedroc",
    "discrimination_slope",
    "discrimination_slope_difference",
    "enrichment_factor",
    "equal_error_rate",
    "h_measure",
    "log_auc",
    "mcnemar",
    "net_benefit",
    "net_benefit_difference",
]


def net_benefit(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    thresholds: Sequence[float] | None = None,
    prevalence: float | None = None,
    band: Literal["simultaneous"] | None = None,
    n_resamples: int | None = None,
    seed: int | None = None,
    level: float = 0.95,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the net benefit of acting on a probability, at given thresholds: a decision curve.

    Scores below 0 or above 1 are an error. For logits write ``1 / (1 + (-pl.col("logit")).exp())``.

    Parameters
    ----------
    label, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    score
        The predicted probability of a positive: any numeric column with values from 0 to 1.
    thresholds
        The thresholds, each between 0 and 1; 0.01, 0.02 ... 0.99 by default.
    prevalence
        The share of positives in the target population, between 0 and 1; by default the share in the group.
    band
        ``"simultaneous"``: the limits are a band that contains the net benefits at all thresholds jointly,
        with the confidence level ``level``. It is narrower for a smaller range of thresholds. By default the
        limits are pointwise.
    n_resamples, seed
        For the band, the number of resamples, 2000 by default, and the seed of the random numbers, 0 by
        default. The same seed gives the same band for every order of rows and groups, every number of threads
        and every engine.
    level
        The confidence level, between 0 and 1.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score, in the order of ``thresholds``:

        - ``threshold`` (Float64): A row is predicted positive if ``score >= threshold``.
        - ``net_benefit`` (Float64): The net benefit in true positives per row, at most the share of
          positives.
        - ``se`` (Float64): The standard error of the net benefit; null with a single row.
        - ``lower``, ``upper`` (Float64): The confidence limits, by the normal distribution, or the limits of
          the band.
        - ``treat_all`` (Float64): The net benefit of predicting all rows positive; the net benefit of
          predicting none positive is 0.
        - ``standardized`` (Float64): The net benefit as a share of the largest possible, ``net_benefit /
          prevalence``; null with no positives.
        - ``interventions_avoided`` (Float64): The net reduction of interventions per row, relative to
          predicting all rows positive: ``(net_benefit - treat_all) (1 - t) / t``.
        - ``tpr`` (Float64): ``tp / P``; null with no positives.
        - ``fpr`` (Float64): ``fp / N``; null with no negatives.

        Weighted states whose squares of weights are unknown give no standard errors: see :func:`roc_state`.
        The list is null with no rows, with ``prevalence`` also with no positives or no negatives, and if a
        score is NaN. Rows with a null label, score or weight are skipped.

    Notes
    -----
    ``tp / n - fp / n * t / (1 - t)`` at the threshold t (Vickers and Elkin 2006). Acting from a probability
    of t on means that a false positive costs ``t / (1 - t)`` true positives. With ``prevalence`` it is
    ``prevalence tpr - (1 - prevalence) fpr t / (1 - t)``, with the standard error of two independent rates.
    Otherwise the standard error is that of the mean contribution of the rows: 1, ``-t / (1 - t)`` or 0; with
    weights as in :func:`polars_auc.brier_score`. Without ``band``, intervals hold for each threshold, not for
    the whole curve. The numbers are those of dcurves for R and Python. O(n log n).

    With ``band="simultaneous"`` the limits are ``net_benefit ± c s``. The multiple c is a quantile of the
    largest distance from the curve over the thresholds, in standard errors, by a multiplier bootstrap
    (Chernozhukov, Chetverikov and Kato 2013). ``s`` is the standard error with ``z² / 2`` more positives and
    negatives at the threshold, and with ``prevalence`` as many below it, where z is the normal quantile. So
    it is not 0 where no rows or all rows reach the threshold (as for a rate in Agresti and Coull 1998).
    ``benches/results/calibration_coverage.csv`` has its simulated coverage.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> biopsies = pl.DataFrame({"cancer": [1, 0, 1, 0, 0, 0], "risk": [0.9, 0.6, 0.4, 0.2, 0.1, 0.05]})
    >>> curve = biopsies.select(pa.net_benefit("cancer", "risk", thresholds=[0.1, 0.3, 0.5]))
    >>> points = curve.explode("risk").unnest("risk")
    >>> points.select(pl.col("threshold", "net_benefit", "treat_all").round(4)).rows()
    [(0.1, 0.2778, 0.2593), (0.3, 0.2619, 0.0476), (0.5, 0.0, -0.3333)]
    """
    return expression_of(net_benefit, locals())


def average_precision_ci(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    method: Literal["logit", "influence"] = "logit",
    level: float = 0.95,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the average precision with its standard error and interval.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    method
        ``"logit"``: limits on the logit scale, with the variance of a proportion of ``n_pos`` trials (Boyd,
        Eng and Page 2013). ``"influence"``: normal limits with the standard error ``se``.
    level
        The confidence level, between 0 and 1.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``average_precision`` (Float64): The average precision, from 0 to 1; null with no positives.
        - ``se`` (Float64): The standard error from the influence of each row.
        - ``lower``, ``upper`` (Float64): The confidence limits; null with ``"logit"`` if the average
          precision is 1.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        All numbers are null with no positives and NaN if a score is NaN. Rows with a null label, score or
        weight are skipped.

    Notes
    -----
    The value is that of :func:`polars_auc.average_precision`. The limits of ``"logit"`` are
    ``expit(logit AP ± z / sqrt(n_pos AP (1 - AP)))`` (Boyd, Eng and Page 2013); the standard error is that of
    the infinitesimal jackknife (Jaeckel 1972). O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> scores = pl.DataFrame({"y": [1, 0, 1, 1, 0, 0], "s": [6, 5, 4, 3, 2, 1]})
    >>> precision = scores.select(pa.average_precision_ci("y", "s")).unnest("s")
    >>> precision.select(pl.col("average_precision", "se", "lower", "upper").round(3)).row(0)
    (0.806, 0.184, 0.192, 0.986)
    """
    return expression_of(average_precision_ci, locals())


def equal_error_rate(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the equal error rate, at which fpr and fnr are equal, and its threshold.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``equal_error_rate`` (Float64): The rate, from 0 to 1; null with no positives or no negatives.
        - ``threshold`` (the score's dtype): The score at which the curve reaches the rate: with ``score >=
          threshold`` predicted positive, the fnr is at most the rate and the fpr at least the rate.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        All numbers are null with no positives or no negatives, and NaN if a score is NaN. Rows with a null
        label, score or weight are skipped.

    Notes
    -----
    The intersection of the ROC curve, linear between its points, with the line ``fpr = 1 - tpr``. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> scores = pl.DataFrame({"y": [1, 0, 1, 1, 0, 0], "s": [6, 5, 4, 3, 2, 1]})
    >>> scores.select(pa.equal_error_rate("y", "s")).unnest("s").row(0)
    (0.3333333333333333, 4, 3, 3)
    """
    return expression_of(equal_error_rate, locals())


def average_precision_difference(
    label: IntoExpr,
    score_a: IntoExpr,
    score_b: IntoExpr,
    *,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    null: float | None = None,
    margin: float | None = None,
    level: float = 0.95,
    weight: IntoExpr | None = None,
    cluster: IntoExpr | None = None,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the difference of two scores' average precisions on the same rows, with its interval and test.

    The difference is ``score_a`` minus ``score_b``.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    score_a, score_b
        Any numeric or Boolean columns; higher means more positive.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. With ``"greater"``, the
        alternative is that the first score is better.
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
        skipped.
    cluster
        The cluster of each row, such as the customer: rows of the same cluster are not independent. The
        standard error is then the infinitesimal jackknife's of whole clusters; null with a single cluster.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the first score:

        - ``estimate_a`` (Float64): The value of the first score; higher is better.
        - ``estimate_b`` (Float64): The value of the second score.
        - ``difference`` (Float64): ``estimate_a - estimate_b``.
        - ``se`` (Float64): The standard error of the difference.
        - ``lower``, ``upper`` (Float64): The confidence limits, by the normal distribution.
        - ``z`` (Float64): ``(difference - null) / se``. With a margin, the distance from the bound ``null ±
          margin`` that determines the p-value.
        - ``p_value`` (Float64): The p-value of the test of ``null``, by the normal distribution.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        Scores that rank all rows alike have a difference of 0 and a p-value of 1. If only the standard error
        is 0, ``z`` and ``p_value`` are null. All numbers are null with no positives, and NaN if a score is
        NaN. Rows with a null label, score or weight are skipped, for both scores.

    Notes
    -----
    The influence of a row on the difference is its influence on the first average precision minus its
    influence on the second: see :func:`polars_auc.average_precision_ci`. ``se²`` is the sum of the squared
    influences, the variance of the infinitesimal jackknife (Jaeckel 1972). With ``cluster`` the influences
    are summed by cluster before they are squared. If each row is a cluster, the result is the same as without
    clusters. With fewer than about 20 positives, or clusters with positives, the interval is too short. O(n
    log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame(
    ...     {"y": [1, 0, 1, 1, 0, 0], "new": [6, 4, 5, 3, 2, 1], "old": [6, 5, 4, 1, 2, 3]},
    ... )
    >>> test = rows.select(pa.average_precision_difference("y", "new", "old")).unnest("new")
    >>> test.select(pl.col("estimate_a", "estimate_b", "difference", "se", "p_value").round(3)).row(0)
    (0.917, 0.722, 0.194, 0.123, 0.113)
    """
    return expression_of(average_precision_difference, locals())


def net_benefit_difference(
    label: IntoExpr,
    score_a: IntoExpr,
    score_b: IntoExpr,
    *,
    thresholds: Sequence[float] | None = None,
    prevalence: float | None = None,
    level: float = 0.95,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the difference of two probabilities' net benefits on the same rows, at given thresholds.

    The difference is ``score_a`` minus ``score_b``. Scores below 0 or above 1 are an error.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    score_a, score_b
        The predicted probabilities of a positive: numeric columns with values from 0 to 1.
    thresholds
        The thresholds, each between 0 and 1; 0.01, 0.02 ... 0.99 by default.
    prevalence
        The share of positives in the target population, between 0 and 1; by default the share in the group.
    level
        The confidence level, between 0 and 1.
    weight
        The weight of each row: a column of finite numbers, 0 or more. Rows with a weight of 0 or null are
        skipped.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the first score, in the order of ``thresholds``:

        - ``threshold`` (Float64): A row is predicted positive if ``score >= threshold``.
        - ``net_benefit_a`` (Float64): The net benefit of the first score, in true positives per row.
        - ``net_benefit_b`` (Float64): The net benefit of the second score.
        - ``difference`` (Float64): ``net_benefit_a - net_benefit_b``.
        - ``se`` (Float64): The standard error of the difference; null with a single row.
        - ``lower``, ``upper`` (Float64): The confidence limits, by the normal distribution.
        - ``p_value`` (Float64): The two-sided p-value of no difference at this threshold, by the normal
          distribution.
        - ``interventions_avoided_per_100`` (Float64): The interventions that the first score avoids per 100
          rows, at the true positives of the second score: ``100 difference (1 - t) / t``.

        The list is null with no rows, with ``prevalence`` also with no positives or no negatives, and if a
        score is NaN. Rows with a null label, score or weight are skipped, for both scores.

    Notes
    -----
    A row that only the first score predicts positive contributes 1 if it is positive, and ``-t / (1 - t)`` if
    it is negative; a row that only the second score predicts positive contributes the opposite. The
    difference is the mean contribution, with the standard error of a mean; with ``prevalence``, of two means,
    one for each class. Weights are as in :func:`polars_auc.brier_score`.

    ``interventions_avoided_per_100`` is the net reduction of interventions (Vickers and Elkin 2006).
    Intervals and p-values hold for each threshold: choose the threshold in advance, or adjust with
    :func:`polars_auc.adjust_p_values`. Where the scores differ in fewer than about 20 rows, they are too
    optimistic. O(n log k) for k thresholds.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> biopsies = pl.DataFrame(
    ...     {
    ...         "cancer": [1, 0, 1, 0, 0, 0],
    ...         "new": [0.9, 0.2, 0.6, 0.2, 0.1, 0.05],
    ...         "old": [0.9, 0.6, 0.4, 0.2, 0.1, 0.05],
    ...     }
    ... )
    >>> test = pa.net_benefit_difference("cancer", "new", "old", thresholds=[0.3, 0.5])
    >>> points = biopsies.select(test).explode("new").unnest("new")
    >>> points.select(pl.col("threshold", "difference", "interventions_avoided_per_100").round(4)).rows()
    [(0.3, 0.0714, 16.6667), (0.5, 0.3333, 33.3333)]
    """
    return expression_of(net_benefit_difference, locals())


def discrimination_slope(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    level: float = 0.95,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the discrimination slope of probabilities: how much higher positives score, on average.

    Scores below 0 or above 1 are an error. For logits write ``1 / (1 + (-pl.col("logit")).exp())``.

    Parameters
    ----------
    label, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    score
        The predicted probability of a positive: any numeric column with values from 0 to 1.
    level
        The confidence level, between 0 and 1.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``discrimination_slope`` (Float64): The slope, ``mean_pos - mean_neg``, from -1 to 1; null with no
          positives or no negatives.
        - ``se`` (Float64): The standard error of the slope; null with fewer than two positives or negatives.
        - ``lower``, ``upper`` (Float64): The confidence limits, by the normal distribution.
        - ``mean_pos`` (Float64): The mean score of positives; null with no positives.
        - ``mean_neg`` (Float64): The mean score of negatives; null with no negatives.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        Weighted states whose squares of weights are unknown give no standard errors: see :func:`roc_state`.
        All numbers are null with no rows, and NaN if a score is NaN. Rows with a null label, score or weight
        are skipped.

    Notes
    -----
    The mean score of positives minus the mean score of negatives (Yates 1982), also called Tjur's coefficient
    of discrimination (2009). Both means are independent: ``se² = s1² / P + s0² / N`` with their sample
    variances, with weights ``n / (n - 1) sum w² (score - mean)² / (sum w)²`` for either class. The slope
    grows if all scores are spread apart, right or wrong: also read :func:`polars_auc.calibration_summary`.
    O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rain = pl.DataFrame({"rain": [1, 0, 1, 0, 0], "forecast": [0.9, 0.6, 0.7, 0.1, 0.2]})
    >>> slope = rain.select(pa.discrimination_slope("rain", "forecast")).unnest("forecast")
    >>> slope.select(pl.col("discrimination_slope", "se", "mean_pos", "mean_neg").round(4)).row(0)
    (0.5, 0.1826, 0.8, 0.3)
    """
    return expression_of(discrimination_slope, locals())


def discrimination_slope_difference(
    label: IntoExpr,
    score_a: IntoExpr,
    score_b: IntoExpr,
    *,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    null: float | None = None,
    margin: float | None = None,
    level: float = 0.95,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the difference of two discrimination slopes: the integrated discrimination improvement (IDI).

    The difference is ``score_a`` minus ``score_b`` on the same rows: for the IDI of a new model, pass
    ``score_a=new, score_b=old``. Scores below 0 or above 1 are an error.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    score_a, score_b
        The predicted probabilities of a positive: numeric columns with values from 0 to 1.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. With ``"greater"``, the
        alternative is that the first score is better.
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
        skipped.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the first score:

        - ``estimate_a`` (Float64): The value of the first score; higher is better.
        - ``estimate_b`` (Float64): The value of the second score.
        - ``difference`` (Float64): ``estimate_a - estimate_b``.
        - ``se`` (Float64): The standard error of the difference.
        - ``lower``, ``upper`` (Float64): The confidence limits, by the normal distribution.
        - ``z`` (Float64): ``(difference - null) / se``. With a margin, the distance from the bound ``null ±
          margin`` that determines the p-value.
        - ``p_value`` (Float64): The p-value of the test of ``null``, by the normal distribution.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        Scores that are equal in all rows have a difference of 0 and a p-value of 1. The estimates are null
        with no positives or no negatives. The standard error and all later fields are also null with fewer
        than two positives or fewer than two negatives. If only the standard error is 0, ``z`` and ``p_value``
        are null. The Float64 fields are NaN if a score is NaN. Rows with a null label, score or weight are
        skipped, for both scores.

    Notes
    -----
    The mean of ``score_a - score_b`` over positives minus its mean over negatives (Pencina, D'Agostino,
    D'Agostino and Vasan 2008), with the standard error of two independent means, as in R's Hmisc. The IDI
    rewards a score that is too extreme, and its test rejects too often for nested models fitted to the same
    rows (Kerr et al. 2011). Prefer :func:`polars_auc.brier_score_difference` or
    :func:`polars_auc.net_benefit_difference`. All sums are without rounding errors. O(n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rain = pl.DataFrame(
    ...     {"rain": [1, 0, 1, 0, 0], "new": [0.9, 0.6, 0.7, 0.1, 0.2], "old": [0.8, 0.5, 0.4, 0.1, 0.4]}
    ... )
    >>> idi = rain.select(pa.discrimination_slope_difference("rain", "new", "old")).unnest("new")
    >>> idi.select(pl.col("difference", "se", "z", "p_value").round(4)).row(0)
    (0.2333, 0.1333, 1.75, 0.0801)
    """
    return expression_of(discrimination_slope_difference, locals())


def mcnemar(
    label: IntoExpr,
    score_a: IntoExpr,
    score_b: IntoExpr,
    *,
    at_a: float,
    at_b: float,
    rate: Literal["accuracy", "tpr", "fpr", "selection_rate"] = "accuracy",
    method: Literal["exact", "mid_p", "chi_square"] = "exact",
    level: float = 0.95,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the difference of a rate of two scores, each at its threshold, with McNemar's test.

    The difference is ``score_a`` minus ``score_b`` on the same rows.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    score_a, score_b
        Any numeric or Boolean columns; higher means more positive.
    at_a
        The threshold of the first score: a row is predicted positive if ``score_a >= at_a``.
    at_b
        The threshold of the second score.
    rate
        The rate compared: ``"accuracy"``, the share of rows predicted correctly; ``"tpr"``, the share of
        positives predicted positive; ``"fpr"``, the share of negatives predicted positive; or
        ``"selection_rate"``, the share of all rows predicted positive.
    method
        ``"exact"``: twice the smaller binomial tail. ``"mid_p"``: the same with half the probability of the
        observed count, which is less conservative. ``"chi_square"``: without continuity correction.
    level
        The confidence level, between 0 and 1.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the first score:

        - ``estimate_a`` (Float64): The rate of the first score at its threshold; null if its denominator is
          0.
        - ``estimate_b`` (Float64): The rate of the second score.
        - ``difference`` (Float64): ``estimate_a - estimate_b``.
        - ``se`` (Float64): The standard error of the difference.
        - ``lower``, ``upper`` (Float64): The confidence limits by Bonett and Price.
        - ``p_value`` (Float64): The two-sided p-value of equal rates, by ``method``; 1 if the scores differ
          in no row.
        - ``n_only_a`` (UInt64): The number of rows counted in the rate of the first score only.
        - ``n_only_b`` (UInt64): The number of rows counted in the rate of the second score only.
        - ``n`` (UInt64): The number of rows in the denominator of the rates.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        All Float64 fields are null if the denominator of the rates is 0, and NaN if a score is NaN. Scores
        and thresholds are compared as Float64. Rows with a null label or score are skipped, for both scores.

    Notes
    -----
    The test uses only the rows in which the scores differ: b rows count for the first score only, and c rows
    for the second only. If both scores are equally good, b is binomial with ``b + c`` trials of probability
    1/2 (McNemar 1947). ``"exact"`` never rejects too often; ``"mid_p"`` is less conservative, and hardly ever
    rejects too often (Fagerland, Lydersen and Laake 2013). The p-values are those of R's exact2x2 and of
    mcnemar.test without correction. The interval is Bonett and Price's (2012): the normal interval after one
    row is added to b and one to c. O(n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> scans = pl.DataFrame(
    ...     {
    ...         "tumour": [1, 1, 1, 1, 1, 0, 0, 0],
    ...         "new": [0.9, 0.8, 0.7, 0.6, 0.3, 0.2, 0.1, 0.6],
    ...         "old": [0.9, 0.4, 0.3, 0.2, 0.1, 0.2, 0.1, 0.7],
    ...     }
    ... )
    >>> test = scans.select(pa.mcnemar("tumour", "new", "old", at_a=0.5, at_b=0.5, rate="tpr")).unnest("new")
    >>> test.select("estimate_a", "estimate_b", "n_only_a", "n_only_b", pl.col("p_value").round(3)).row(0)
    (0.8, 0.2, 3, 0, 0.25)
    """
    return expression_of(mcnemar, locals())


def enrichment_factor(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    fraction: float = 0.01,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the enrichment factor: how much more frequent positives are among the highest scores.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    fraction
        The fraction of rows with the highest scores, above 0 and at most 1.

    Returns
    -------
    polars.Expr
        One Float64 for each group, named after the score: the factor, from 0 to ``1 / fraction``; 1 if the
        score is uninformative. Null with no positives, and NaN if a score is NaN. Rows with a null label,
        score or weight are skipped.

    Notes
    -----
    The share of all positives among the highest scores, divided by ``fraction``. A fraction of a row counts
    as that fraction. Rows that tie at the cut count in proportion, which is the mean over all orders of the
    tie, as in R's enrichvs; RDKit uses row order. With weights, fractions are shares of weight. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> screen = pl.DataFrame({"active": [1, 0, 1, 0, 0, 0, 0, 0, 0, 0], "score": range(10, 0, -1)})
    >>> screen.select(pa.enrichment_factor("active", "score", fraction=0.2)).item()
    2.5
    """
    return expression_of(enrichment_factor, locals())


def bedroc(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    alpha: float = 20.0,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the Boltzmann-enhanced discrimination of ROC (BEDROC), a measure of early recognition.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    alpha
        The weight of the highest ranks, above 0. With 20, the first 8 % of the rows contribute 80 % of the
        largest possible sum.

    Returns
    -------
    polars.Expr
        One Float64 for each group, named after the score, from 0 for the worst order to 1 for the best. Null
        with no positives or no negatives, and NaN if a score is NaN. Rows with a null label, score or weight
        are skipped.

    Notes
    -----
    The mean of ``exp(-alpha rank / n)`` over positives, scaled to 0 and 1 (Truchon and Bayly 2007). A tied
    positive counts as the mean over the ranks of the tie; RDKit and enrichvs rank ties by row order. A random
    order has about ``1 / alpha`` if positives are rare, and more otherwise: compare only data with the same
    share of positives. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> screen = pl.DataFrame({"active": [1, 0, 1, 0, 0, 0, 0, 0, 0, 0], "score": range(10, 0, -1)})
    >>> round(screen.select(pa.bedroc("active", "score")).item(), 4)
    0.8969
    """
    return expression_of(bedroc, locals())


def log_auc(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    min_fpr: float = 0.001,
    max_fpr: float = 0.1,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the area under the ROC curve with a logarithmic fpr axis, between two false positive rates.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    min_fpr, max_fpr
        The lowest fpr, above 0, and the highest fpr.

    Returns
    -------
    polars.Expr
        One Float64 for each group, named after the score: the area as a share of the largest possible area,
        from 0 to 1. Null with no positives or no negatives, and NaN if a score is NaN. Rows with a null
        label, score or weight are skipped.

    Notes
    -----
    The result is the mean of the tpr over the logarithm of the fpr (Mysinger and Shoichet 2010). It is the
    exact integral of the piecewise linear curve; torchmetrics uses trapezoids on the logarithmic axis. The
    result of the diagonal is ``(max_fpr - min_fpr) / ln(max_fpr / min_fpr)``: 0.0215 by default. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> screen = pl.DataFrame({"active": [1, 0, 1, 0, 0, 0, 0, 0, 0, 0], "score": range(10, 0, -1)})
    >>> round(screen.select(pa.log_auc("active", "score", min_fpr=0.01, max_fpr=1)).item(), 4)
    0.7258
    """
    return expression_of(log_auc, locals())


def h_measure(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    severity_ratio: float | None = None,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return Hand's H measure: the expected minimum loss over costs, relative to an uninformative score.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    severity_ratio
        The cost of a false positive in false negatives, above 0, at the mode of the cost distribution
        ``Beta(2, 1 + 1 / ratio)``. The default is the distribution of Hand and Anagnostopoulos (2014),
        ``Beta(1 + rate, 2 - rate)`` with the rate of positives. 1 gives the symmetric distribution of Hand
        (2009), and ``n_pos / n_neg`` the default of R's hmeasure.

    Returns
    -------
    polars.Expr
        One Float64 for each group, named after the score, from 0 (uninformative) to 1. Null with no positives
        or no negatives, and NaN if a score is NaN. Rows with a null label, score or weight are skipped.

    Notes
    -----
    The H measure is 1 minus the expected loss at the best threshold for each cost, divided by the loss of an
    uninformative score (Hand 2009). A false positive costs c and a false negative ``1 - c``; c has a beta
    distribution, the same for all scores. The best thresholds are the corners of the convex hull of the ROC
    curve. A score that ranks the wrong way round therefore has 0; R's hmeasure reverses it. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> scores = pl.DataFrame({"y": [1, 0, 1, 1, 0, 0], "s": [6, 5, 4, 3, 2, 1]})
    >>> round(scores.select(pa.h_measure("y", "s")).item(), 4)
    0.5609
    """
    return expression_of(h_measure, locals())
