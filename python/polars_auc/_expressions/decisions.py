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

    The score is a probability here: a score below 0 or above 1 is an error. For logits write
    ``1 / (1 + (-pl.col("logit")).exp())``.

    Parameters
    ----------
    label, weight, count, state
        The columns of rows, or of states in their place, as for :func:`polars_auc.roc_auc`.
    score
        The probability of a positive: any numeric column of numbers from 0 to 1.
    thresholds
        The thresholds, each between 0 and 1. 0.01, 0.02 ... 0.99 by default.
    prevalence
        The share of positives in the data for which the score will be used, between 0 and 1. That of the
        group by default.
    band
        ``"simultaneous"``: the limits are a band that contains the net benefits at all thresholds at once,
        with the coverage ``level``. It is narrower for a smaller range of thresholds. Otherwise they are
        those of each threshold.
    n_resamples, seed
        For the band, the number of resamples, 2000 by default, and the seed of the random numbers, 0 by
        default. The same seed gives the same band for every order of rows and groups, every number of threads
        and every engine.
    level
        The coverage, between 0 and 1.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score, in the order of ``thresholds``:

        - ``threshold`` (Float64): The threshold: a row is predicted positive if ``score >= threshold``.
        - ``net_benefit`` (Float64): The net benefit in true positives for each row, at most the share of
          positives.
        - ``se`` (Float64): The standard error of the net benefit; null with a single row.
        - ``lower``, ``upper`` (Float64): The limits of its interval, by the normal distribution, or those of
          the band.
        - ``treat_all`` (Float64): The net benefit of predicting all rows positive; that of predicting none
          positive is 0.
        - ``standardized`` (Float64): The net benefit as a share of the largest possible, ``net_benefit /
          prevalence``; null without a positive.
        - ``interventions_avoided`` (Float64): The net share of rows that are spared, in comparison with
          predicting all positive: ``(net_benefit - treat_all) (1 - t) / t``.
        - ``tpr`` (Float64): ``tp / P``; null without a positive.
        - ``fpr`` (Float64): ``fp / N``; null without a negative.

        Weights whose squares are unknown, as in some states, give no standard errors: see
        :func:`roc_state`. The list is null without rows, with ``prevalence`` also without a positive or
        without a negative, and if a score is NaN. Rows with a null label, score or weight are skipped.

    Notes
    -----
    ``tp / n - fp / n * t / (1 - t)`` at the threshold ``t`` (Vickers and Elkin 2006). Who acts from a
    probability of ``t`` on weighs a false positive as ``t / (1 - t)`` true positives. With ``prevalence`` it
    is ``prevalence tpr - (1 - prevalence) fpr t / (1 - t)``, with the standard error of two independent
    rates. Otherwise the standard error is that of the mean of what each row adds: 1, ``-t / (1 - t)`` or 0;
    with weights as in :func:`polars_auc.brier_score`. The numbers are those of dcurves for R and Python.
    O(n log n).

    With ``band="simultaneous"`` the limits are ``net_benefit ± c s``. The multiple c is a quantile of the
    largest distance from the curve over the thresholds, in standard errors, by a multiplier bootstrap
    (Chernozhukov, Chetverikov and Kato 2013). ``s`` is the standard error with ``z² / 2`` more positives and
    negatives at the threshold, z the normal quantile, so that it is not 0 where no row reaches the threshold
    (as Agresti and Coull 1998 for a rate). ``benches/results/calibration_coverage.csv`` has its coverage.

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
        The columns of rows, or of states in their place, as for :func:`polars_auc.roc_auc`.
    method
        ``"logit"``: limits on the logit scale, with the variance of a proportion of as many trials as
        positives (Boyd, Eng and Page 2013). ``"influence"``: by the normal distribution, with the standard
        error by influence.
    level
        The coverage, between 0 and 1.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``average_precision`` (Float64): The average precision, from 0 to 1; null without a positive.
        - ``se`` (Float64): The standard error by the influence of each row.
        - ``lower``, ``upper`` (Float64): The limits; null with ``"logit"`` if the average precision is 1.
        - ``n_pos``, ``n_neg`` (UInt64): Positives and negatives that were used.

        All numbers are null without a positive and NaN if a score is NaN. Rows with a null label, score or
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
        The columns of rows, or of states in their place, as for :func:`polars_auc.roc_auc`.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``equal_error_rate`` (Float64): The rate, from 0 to 1; null without a positive or without a
          negative.
        - ``threshold`` (the score's dtype): The score at which the curve reaches it: predicting all rows with
          this score or a higher one positive has an fnr of at most the rate and an fpr of at least the rate.
        - ``n_pos``, ``n_neg`` (UInt64): Positives and negatives that were used.

        All numbers are null without a positive or without a negative, and NaN if a score is NaN. Rows with a
        null label, score or weight are skipped.

    Notes
    -----
    The intersection of the ROC curve, with straight lines between its points, and the line ``fpr = 1 - tpr``.
    O(n log n).

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
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the difference of two scores' average precisions on the same rows, with its interval and test.

    The difference is ``score_a`` minus ``score_b``.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score_a, score_b
        Any numeric or Boolean columns; higher means more positive.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. With ``"greater"`` the first
        score is better.
    null
        The value that is tested. 0 by default.
    margin
        With a margin, a small p-value shows that the value is above ``null - margin``
        (``alternative="greater"``: not inferior), below ``null + margin`` (``"less"``), or between both
        (``"two-sided"``: equivalent, by two one-sided tests).
    level
        The coverage, between 0 and 1.
    weight
        The weight of each row: a column of finite numbers that are not negative. Rows of weight 0 or null are
        left out.
    count
        The number of identical rows that each row represents: a column of integers that are not negative. The
        result equals that of the repeated rows. Rows of count 0 or null are left out.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the first score:

        - ``estimate_a`` (Float64): The value of the first score; higher is better.
        - ``estimate_b`` (Float64): The value of the second score.
        - ``difference`` (Float64): ``estimate_a - estimate_b``.
        - ``se`` (Float64): The standard error of the difference.
        - ``lower``, ``upper`` (Float64): The limits of its interval, by the normal distribution.
        - ``z`` (Float64): ``(difference - null) / se``. With a margin it is the distance from the bound that
          decides.
        - ``p_value`` (Float64): The test of ``null``, by the normal distribution.
        - ``n_pos``, ``n_neg`` (UInt64): Positives and negatives that were used.

        Scores that rank all rows in the same way have a difference of 0 and a p-value of 1. If only the
        standard error is 0, ``z`` and ``p_value`` are null. All numbers are null without a positive, and NaN
        if a score is NaN. Rows with a null label, score or weight are skipped, for both scores.

    Notes
    -----
    A row's influence on the difference is that on the first average precision less that on the second:
    see :func:`polars_auc.average_precision_ci`. ``se²`` is the sum of the squared influences, the variance of
    the infinitesimal jackknife (Jaeckel 1972). With fewer than about 20 positives the interval is too short.
    O(n log n).

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

    The difference is ``score_a`` minus ``score_b``. The scores are probabilities: a score below 0 or above 1
    is an error.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score_a, score_b
        The probabilities of a positive: numeric columns of numbers from 0 to 1.
    thresholds
        The thresholds, each between 0 and 1. 0.01, 0.02 ... 0.99 by default.
    prevalence
        The share of positives in the data for which the scores will be used, between 0 and 1. That of the
        group by default.
    level
        The coverage, between 0 and 1.
    weight
        The weight of each row: a column of finite numbers that are not negative. Rows of weight 0 or null are
        left out.
    count
        The number of identical rows that each row represents: a column of integers that are not negative. The
        result equals that of the repeated rows. Rows of count 0 or null are left out.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the first score, in the order of ``thresholds``:

        - ``threshold`` (Float64): The threshold: a row is predicted positive if ``score >= threshold``.
        - ``net_benefit_a`` (Float64): The net benefit of the first score, in true positives for each row.
        - ``net_benefit_b`` (Float64): The net benefit of the second score.
        - ``difference`` (Float64): ``net_benefit_a - net_benefit_b``.
        - ``se`` (Float64): The standard error of the difference; null with a single row.
        - ``lower``, ``upper`` (Float64): The limits of its interval, by the normal distribution.
        - ``p_value`` (Float64): For no difference at this threshold, two-sided, by the normal distribution.
        - ``interventions_avoided_per_100`` (Float64): The interventions that the first score spares for each
          100 rows, with as many true positives as the second: ``100 difference (1 - t) / t``.

        The list is null without rows, with ``prevalence`` also without a positive or without a negative, and
        if a score is NaN. Rows with a null label, score or weight are skipped, for both scores.

    Notes
    -----
    A row that only the first score calls positive adds 1 if it is positive, and ``-t / (1 - t)`` if not; a
    row that only the second score calls adds the opposite. The difference is the mean of these numbers, with
    the standard error of a mean; with ``prevalence`` of two means, one of each class. Weights enter as in
    :func:`polars_auc.brier_score`.

    ``interventions_avoided_per_100`` is the net reduction of interventions (Vickers and Elkin 2006).
    Intervals and p-values hold threshold by threshold: choose the threshold before looking, or adjust by
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

    The score is a probability here: a score below 0 or above 1 is an error. For logits write
    ``1 / (1 + (-pl.col("logit")).exp())``.

    Parameters
    ----------
    label, weight, count, state
        The columns of rows, or of states in their place, as for :func:`polars_auc.roc_auc`.
    score
        The probability of a positive: any numeric column of numbers from 0 to 1.
    level
        The coverage, between 0 and 1.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``discrimination_slope`` (Float64): The slope, ``mean_pos - mean_neg``, from -1 to 1; null without a
          positive or without a negative.
        - ``se`` (Float64): The standard error of the slope; null with fewer than two positives or negatives.
        - ``lower``, ``upper`` (Float64): The limits of its interval, by the normal distribution.
        - ``mean_pos`` (Float64): The mean score of positives; null without a positive.
        - ``mean_neg`` (Float64): The mean score of negatives; null without a negative.
        - ``n_pos``, ``n_neg`` (UInt64): Positives and negatives that were used.

        Weights whose squares are unknown, as in some states, give no standard errors: see
        :func:`roc_state`. All numbers are null without rows and NaN if a score is NaN. Rows with a null
        label, score or weight are skipped.

    Notes
    -----
    The mean score of positives less that of negatives (Yates 1982), also called Tjur's coefficient of
    discrimination (2009). Both means are independent: ``se² = s1² / P + s0² / N`` with their sample
    variances, with weights ``n / (n - 1) sum w² (score - mean)² / (sum w)²`` for either class. The slope
    grows if all scores are pushed apart, right or wrong: look at :func:`polars_auc.calibration_summary`, too.
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

    The difference is ``score_a`` minus ``score_b`` on the same rows: the IDI of a new model is that of
    ``score_a=new, score_b=old``. The scores are probabilities: a score below 0 or above 1 is an error.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score_a, score_b
        The probabilities of a positive: numeric columns of numbers from 0 to 1.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. With ``"greater"`` the first
        score is better.
    null
        The value that is tested. 0 by default.
    margin
        With a margin, a small p-value shows that the value is above ``null - margin``
        (``alternative="greater"``: not inferior), below ``null + margin`` (``"less"``), or between both
        (``"two-sided"``: equivalent, by two one-sided tests).
    level
        The coverage, between 0 and 1.
    weight
        The weight of each row: a column of finite numbers that are not negative. Rows of weight 0 or null are
        left out.
    count
        The number of identical rows that each row represents: a column of integers that are not negative. The
        result equals that of the repeated rows. Rows of count 0 or null are left out.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the first score:

        - ``estimate_a`` (Float64): The value of the first score; higher is better.
        - ``estimate_b`` (Float64): The value of the second score.
        - ``difference`` (Float64): ``estimate_a - estimate_b``.
        - ``se`` (Float64): The standard error of the difference.
        - ``lower``, ``upper`` (Float64): The limits of its interval, by the normal distribution.
        - ``z`` (Float64): ``(difference - null) / se``. With a margin it is the distance from the bound that
          decides.
        - ``p_value`` (Float64): The test of ``null``, by the normal distribution.
        - ``n_pos``, ``n_neg`` (UInt64): Positives and negatives that were used.

        Scores that are equal in all rows have a difference of 0 and a p-value of 1. The estimates are null
        without a positive or without a negative, the standard error and the fields after it also with fewer
        than two of either; ``z`` and ``p_value`` are null if only the standard error is 0. The Float64 fields
        are NaN if a score is NaN. Rows with a null label, score or weight are skipped, for both scores.

    Notes
    -----
    The mean of ``score_a - score_b`` over positives less that over negatives (Pencina, D'Agostino,
    D'Agostino and Vasan 2008), with the standard error of two independent means, as in R's Hmisc. The IDI
    rewards a score that is too extreme, and its test rejects too often for nested models that were fitted to
    the same rows (Kerr et al. 2011): prefer :func:`polars_auc.brier_score_difference` or
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
        Boolean, or an integer or float column that holds only 0 and 1.
    score_a, score_b
        Any numeric or Boolean columns; higher means more positive.
    at_a
        The threshold of the first score: a row is predicted positive if ``score_a >= at_a``.
    at_b
        The threshold of the second score.
    rate
        What is compared: ``"accuracy"``, the share of rows classified correctly; ``"tpr"``, of positives that
        are called positive; ``"fpr"``, of negatives; or ``"selection_rate"``, of all rows.
    method
        ``"exact"``: twice the smaller binomial tail. ``"mid_p"``: the same with half the probability of what
        was observed, which is less cautious. ``"chi_square"``: without a correction for continuity.
    level
        The coverage, between 0 and 1.
    count
        The number of identical rows that each row represents: a column of integers that are not negative. The
        result equals that of the repeated rows. Rows of count 0 or null are left out.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the first score:

        - ``estimate_a`` (Float64): The rate of the first score at its threshold; null without rows that it is
          a share of.
        - ``estimate_b`` (Float64): The rate of the second score.
        - ``difference`` (Float64): ``estimate_a - estimate_b``.
        - ``se`` (Float64): The standard error of the difference.
        - ``lower``, ``upper`` (Float64): The limits of its interval by Bonett and Price.
        - ``p_value`` (Float64): For equal rates, two-sided, by ``method``; 1 if the scores differ in no row.
        - ``n_only_a`` (UInt64): Rows that count for the first score only.
        - ``n_only_b`` (UInt64): Rows that count for the second score only.
        - ``n`` (UInt64): The rows that the rates are shares of.
        - ``n_pos``, ``n_neg`` (UInt64): Positives and negatives that were used.

        All Float64 fields are null without rows that the rate is a share of, and NaN if a score is NaN.
        Scores and thresholds are compared as 64-bit floats. Rows with a null label or score are skipped, for
        both scores.

    Notes
    -----
    Only rows in which the scores differ say which is better: b that count for the first score only, and c
    that count for the second only. If both scores are equally good, b is binomial with ``b + c`` trials of
    probability 1/2 (McNemar 1947). ``"exact"`` never rejects too often; ``"mid_p"`` is less cautious, and
    hardly ever rejects too often (Fagerland, Lydersen and Laake 2013). The p-values are those of R's
    exact2x2 and mcnemar.test without correction. The interval is Bonett and Price's (2012): that of the
    normal distribution after one row is added to b and one to c. O(n).

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
        The columns of rows, or of states in their place, as for :func:`polars_auc.roc_auc`.
    fraction
        The fraction of rows with the highest scores, above 0 and at most 1.

    Returns
    -------
    polars.Expr
        The factor, from 0 to ``1 / fraction``; 1 if the score is uninformative. It is null without a
        positive, and NaN if a score is NaN. Rows with a null label, score or weight are skipped.

    Notes
    -----
    The share of positives that the highest scores hold, over the fraction of rows that they are. A fraction
    of a row counts as that fraction. Rows that tie at the cut count in proportion, which is the mean over all
    orders of the tie, as in R's enrichvs; RDKit takes them in the order of the rows. With weights, fractions
    are of the weight. O(n log n).

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
    """Return the Boltzmann-enhanced discrimination of ROC (BEDROC): a number for early recognition.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows, or of states in their place, as for :func:`polars_auc.roc_auc`.
    alpha
        How much the highest ranks count: with 20, 80 % of the largest possible sum come from the first 8 % of
        the rows. Above 0.

    Returns
    -------
    polars.Expr
        The number, from 0 for the worst order to 1 for the best. It is null without a positive or without a
        negative, and NaN if a score is NaN. Rows with a null label, score or weight are skipped.

    Notes
    -----
    The mean of ``exp(-alpha rank / n)`` over positives, scaled to 0 and 1 (Truchon and Bayly 2007). A
    positive that ties with others counts the mean over the ranks of the tie, which is the mean over all
    orders of it; RDKit and enrichvs rank ties in the order of the rows. A random order has about
    ``1 / alpha`` if positives are rare, and more if they are not: compare only data with the same share of
    positives. O(n log n).

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
    """Return the area under the ROC curve with a logarithmic axis of fpr, between two false positive rates.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows, or of states in their place, as for :func:`polars_auc.roc_auc`.
    min_fpr, max_fpr
        The lowest fpr, above 0, and the highest.

    Returns
    -------
    polars.Expr
        The area as a share of the largest possible, from 0 to 1. It is null without a positive or without a
        negative, and NaN if a score is NaN. Rows with a null label, score or weight are skipped.

    Notes
    -----
    The mean of tpr over the logarithm of fpr (Mysinger and Shoichet 2010), from the exact integral of the
    straight lines between the points of the curve; torchmetrics takes trapezoids on the logarithmic axis. The
    diagonal has ``(max_fpr - min_fpr) / ln(max_fpr / min_fpr)``: 0.0215 by default. O(n log n).

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
    """Return Hand's H measure: the least loss that the score leaves, over a distribution of costs.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows, or of states in their place, as for :func:`polars_auc.roc_auc`.
    severity_ratio
        How many false negatives a false positive costs, above 0, where the distribution of costs is highest:
        ``Beta(2, 1 + 1 / ratio)``. By default it is that of Hand and Anagnostopoulos (2014), ``Beta(1 + rate,
        2 - rate)`` with the rate of positives. 1 is the symmetric one of Hand (2009), and ``n_pos / n_neg``
        the default of R's hmeasure.

    Returns
    -------
    polars.Expr
        The measure, from 0 if the score is uninformative to 1. It is null without a positive or without a
        negative, and NaN if a score is NaN. Rows with a null label, score or weight are skipped.

    Notes
    -----
    One less the expected loss at the best threshold for each cost, as a share of the loss of a score that
    says nothing (Hand 2009). A false positive costs c and a false negative ``1 - c``; c has a beta
    distribution, which is the same for all scores. The best thresholds are the corners of the convex hull of
    the ROC curve. A score that ranks the wrong way round therefore has 0; R's hmeasure turns it round.
    O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> scores = pl.DataFrame({"y": [1, 0, 1, 1, 0, 0], "s": [6, 5, 4, 3, 2, 1]})
    >>> round(scores.select(pa.h_measure("y", "s")).item(), 4)
    0.5609
    """
    return expression_of(h_measure, locals())
