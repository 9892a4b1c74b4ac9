"""Statistics at one threshold: optimal, fixed, or at a fixed rate."""

# tests/python/package/generate.py writes signatures, Parameters and the fields of Returns.

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import polars as pl

from polars_auc._plugin.call import RESAMPLED, expression, expression_of

if TYPE_CHECKING:
    from polars_auc._plugin.call import IntoExpr

__all__ = ["confusion_at", "fpr_at_tpr", "operating_point", "tpr_at_fpr"]

Criterion: TypeAlias = Literal[
    "youden",
    "closest_topleft",
    "cost",
    "max_f",
    "target_fpr",
    "target_tpr",
    "target_precision",
    "top_p",
]
"""The criterion of an optimal threshold."""


def operating_point(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    criterion: Criterion = "youden",
    target: float | None = None,
    cost: float = 1.0,
    prevalence: float | None = None,
    beta: float = 1.0,
    min_fpr: float | None = None,
    max_fpr: float | None = None,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the best threshold by a criterion, with its counts and rates.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    criterion
        - ``"youden"``: the largest ``tpr - r fpr``, with ``r = (1 - prevalence) / (cost prevalence)``. With
          neither cost nor prevalence, r is 1, which is Youden's index.
        - ``"closest_topleft"``: the smallest ``(1 - tpr)² + r fpr²``, the point nearest to the upper left
          corner.
        - ``"cost"``: the smallest expected cost per row, ``cost prevalence (1 - tpr) + (1 - prevalence)
          fpr``.
        - ``"max_f"``: the largest F measure.
        - ``"target_fpr"``: the largest tpr with an fpr of at most ``target``.
        - ``"target_tpr"``: the smallest fpr with a tpr of at least ``target``.
        - ``"target_precision"``: the largest tpr with a precision of at least ``target``.
        - ``"top_p"``: as many rows predicted positive as there are positives, or slightly more if scores tie.
          Ling, Huang and Zhang measure accuracy at this threshold.
    target
        The rate for ``"target_fpr"``, ``"target_tpr"`` or ``"target_precision"``, from 0 to 1.
    cost
        The cost of a false negative, above 0, if a false positive costs 1.
    prevalence
        The share of positives in the target population, between 0 and 1. By default, ``"cost"`` uses the
        share in the group; ``"youden"`` and ``"closest_topleft"`` use one half, so that r depends on the cost
        only.
    beta
        The weight of recall in the F measure, above 0: with 2, recall counts four times as much as precision.
    min_fpr, max_fpr
        Bounds of the false positive rate, 0 to 1, both included: the result is the best threshold within
        them. Not with ``"target_fpr"``, whose target is such a bound, and not with ``"top_p"``.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``threshold`` (the score's dtype): A row is predicted positive if ``score >= threshold``. Null if it
          is best to predict no row positive.
        - ``tp``, ``fp``, ``tn``, ``fn`` (UInt64; with weights Float64): The four counts; with weights, the
          sums of weights (Float64).
        - ``tpr`` (Float64): ``tp / P``, 0 to 1.
        - ``fpr`` (Float64): ``fp / N``.
        - ``precision`` (Float64): ``tp / (tp + fp)``; null if no row is predicted positive.
        - ``accuracy`` (Float64): ``(tp + tn) / (P + N)``.
        - ``f`` (Float64): ``(1 + beta²) precision tpr / (beta² precision + tpr)``.
        - ``criterion`` (Float64): The value of the criterion at this threshold; for ``"top_p"`` the accuracy,
          for a target the rate reached.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        Of several equally good thresholds, the highest is returned. "No row positive" (a null ``threshold``)
        is returned only if it is better than every threshold. All but the last two fields are null with no
        positives or no negatives, if no threshold reaches the target, or if none has an fpr within the
        bounds. Rates and criterion are NaN if a score is NaN. Rows with a null label, score or weight are
        skipped.

    Notes
    -----
    ``"youden"`` is by Youden (1950). Costs and prevalence enter as in Perkins and Schisterman (2006), and as
    in pROC's ``best.weights``. Thresholds are compared in exact integer arithmetic, with the ratio r as a
    fraction, so rounding never separates equally good thresholds. Thresholds are observed scores, not
    midpoints. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> loans = pl.DataFrame(
    ...     {"bad": [1, 1, 0, 1, 0, 1, 0, 0], "points": [8, 7, 6, 5, 4, 3, 2, 1]}
    ... )
    >>> best = loans.select(pa.operating_point("bad", "points", criterion="max_f")).unnest("points")
    >>> best.select("threshold", "tp", "fp", "tn", "fn", "f").row(0)
    (3, 4, 2, 2, 0, 0.8)
    >>> few = pa.operating_point("bad", "points", criterion="target_fpr", target=0.3)
    >>> loans.select(few).unnest("points").select("threshold", "tpr", "fpr").row(0)
    (5, 0.75, 0.25)
    >>> strict = pa.operating_point("bad", "points", criterion="max_f", max_fpr=0.3)
    >>> loans.select(strict).unnest("points").select("threshold", "fpr", "f").row(0)
    (5, 0.25, 0.75)
    """
    return expression_of(operating_point, locals())


def confusion_at(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    at: float | Iterable[float] | pl.Expr | None = None,
    *,
    beta: float = 1.0,
    interval: Literal["wilson", "clopper_pearson"] = "wilson",
    level: float = 0.95,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the confusion matrix at a given threshold, with rates and their intervals.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    at
        The threshold: a row is predicted positive if ``score >= at``. A list of thresholds gives a list of
        records in the same order. Numbers are compared with the scores in the dtype of the scores, without
        rounding: 2.5 on integers means 3 and above. With Decimal scores a float means the decimal as written;
        with Float scores a Decimal with fractional digits means the nearest float. An expression gives a
        threshold for each row or group, such as ``pl.col("cut_off")`` or ``pl.col("score").quantile(0.9)``.
        It is compared with the score as Polars does, and rows where it is null are skipped. Expressions are
        not supported with ``state``.
    beta
        The weight of recall in the F measure, above 0: with 2, recall counts four times as much as precision.
    interval
        The intervals of tpr, fpr, precision and npv: ``"wilson"``, from the score test, or
        ``"clopper_pearson"``, exact, with a coverage of at least ``level`` and usually more.
    level
        The confidence level, between 0 and 1.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score; with several thresholds one List of Structs, which
        is null if a score is NaN:

        - ``threshold`` (the score's dtype): The lowest value of the score's dtype that is not below ``at``;
          null if there is none. For an expression, its value in its own dtype; null if it varies within the
          group.
        - ``tp``, ``fp``, ``tn``, ``fn`` (UInt64; with weights Float64): The four counts; with weights, the
          sums of weights (Float64).
        - ``tpr``, ``tpr_lower``, ``tpr_upper`` (Float64): ``tp / P`` (recall, sensitivity), with its limits.
        - ``fpr``, ``fpr_lower``, ``fpr_upper`` (Float64): ``fp / N`` (1 - specificity), with its limits. All
          limits are null with weights, which do not give the number of observations.
        - ``precision``, ``precision_lower``, ``precision_upper`` (Float64): ``tp / (tp + fp)`` (positive
          predictive value), with its limits.
        - ``npv``, ``npv_lower``, ``npv_upper`` (Float64): ``tn / (tn + fn)`` (negative predictive value),
          with its limits.
        - ``positive_likelihood``, ``positive_likelihood_lower``, ``positive_likelihood_upper`` (Float64): The
          positive likelihood ratio ``tpr / fpr``, with its limits.
        - ``negative_likelihood``, ``negative_likelihood_lower``, ``negative_likelihood_upper`` (Float64): The
          negative likelihood ratio ``(1 - tpr) / (1 - fpr)``, with its limits.
        - ``odds_ratio``, ``odds_ratio_lower``, ``odds_ratio_upper`` (Float64): The diagnostic odds ratio ``tp
          tn / (fp fn)``, with its limits. Limits of ratios are null if a count in them is 0.
        - ``accuracy`` (Float64): The share of rows predicted correctly.
        - ``error`` (Float64): The share of rows predicted incorrectly.
        - ``balanced_accuracy`` (Float64): ``(tpr + 1 - fpr) / 2``.
        - ``f`` (Float64): ``(1 + beta²) precision tpr / (beta² precision + tpr)``.
        - ``mcc`` (Float64): Matthews' correlation of labels and predicted classes, -1 to 1.
        - ``kappa`` (Float64): Cohen's kappa: the agreement of labels and predicted classes beyond chance, at
          most 1.
        - ``predicted_rate`` (Float64): The share of rows predicted positive.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        A rate is null where its denominator is 0: ``tpr`` and ``f`` with no positives, ``fpr`` with no
        negatives, ``balanced_accuracy`` with no positives or no negatives, ``precision`` if no row is
        predicted positive, ``npv`` if every row is. ``mcc`` is null if all labels, or all predicted classes,
        are equal (scikit-learn: 0). ``kappa`` is null only if all labels and predicted classes are equal. If
        a score is NaN, rates are NaN and the four counts null. Rows with a null label, score or weight are
        skipped.

    Notes
    -----
    Wilson (1927); Clopper and Pearson (1934). Limits of ratios are normal on the log scale, with the variance
    ``1 / tp - 1 / P + 1 / fp - 1 / N`` for the positive likelihood ratio (Simel, Samsa and Matchar 1991) and
    ``1 / tp + 1 / fp + 1 / tn + 1 / fn`` for the odds ratio (Woolf 1955). F: van Rijsbergen (1979); Matthews
    (1975); Cohen (1960). O(n) for each threshold.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> loans = pl.DataFrame({"bad": [1, 1, 0, 1, 0, 0], "risk": [0.9, 0.8, 0.7, 0.4, 0.3, 0.1]})
    >>> calls = loans.select(pa.confusion_at("bad", "risk", 0.5)).unnest("risk")
    >>> calls.select("tp", "fp", "tn", "fn", pl.col("tpr", "tpr_lower", "tpr_upper").round(4)).row(0)
    (2, 1, 2, 1, 0.6667, 0.2077, 0.9385)
    >>> both = loans.select(pa.confusion_at("bad", "risk", [0.5, 0.35])).explode("risk").unnest("risk")
    >>> both.select("threshold", "tp", "fp", pl.col("positive_likelihood", "odds_ratio").round(2)).rows()
    [(0.5, 2, 1, 2.0, 4.0), (0.35, 3, 1, 3.0, None)]
    """
    if isinstance(at, pl.Expr):
        columns = {"score": score, "label": label, "count": count, "state": state, "weight": weight}
        options: dict[str, Any] = {"beta": beta, "interval": interval, "level": level}
        return _at_separate_thresholds(columns, at, options)
    return expression_of(confusion_at, locals())


def _at_separate_thresholds(
    columns: Mapping[str, IntoExpr | None], at: pl.Expr, options: Mapping[str, Any]
) -> pl.Expr:
    """Return the counts and rates of rows with individual thresholds."""
    name = "confusion_at"
    if RESAMPLED.get() is not None:
        msg = "bootstrap_ci: at must be a number when bootstrapping; expressions are not supported"
        raise ValueError(msg)
    if columns["state"] is not None:
        msg = f"{name}: at must be a number with state, because a state has no rows"
        raise ValueError(msg)
    if columns["score"] is not None:
        score = pl.col(columns["score"]) if isinstance(columns["score"], str) else columns["score"]
        # The 0/1 prediction of a row is the score. Polars sorts NaN above all numbers.
        is_number = score.cast(pl.Float64).is_nan().fill_null(value=False).not_()
        called = (score >= at).cast(pl.Float64)
        columns = {**columns, "score": pl.when(is_number).then(called).otherwise(math.nan)}
    answer = expression(name, columns, at=1, **options)
    only = pl.when(at.min() == at.max()).then(at.min())
    return answer.struct.with_fields(only.alias("threshold"))


def tpr_at_fpr(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    fpr: float | Iterable[float] | None = None,
    *,
    interval: Literal["wilson", "percentile"] = "wilson",
    level: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the true positive rate at a false positive rate, with a bootstrap interval.

    It is the sensitivity at a fixed specificity, ``1 - fpr``.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    fpr
        The false positive rate, from 0 to 1. A list of rates gives a list of records.
    interval
        - ``"wilson"``: Wilson's interval of a proportion. Its number of rows is the one that gives the
          variance of the resamples, at most the rows of the class.
        - ``"percentile"``: quantiles of the resamples, as in ``pROC::ci.se``.
    level
        The confidence level, between 0 and 1.
    n_resamples
        The number of resamples, from 2 to 10^7.
    seed
        The seed of the random numbers, 0 or more. With the same seed, the result does not depend on row
        order, group order, thread count or engine.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score; with several rates one List of Structs, in their
        order, with ``fpr`` (Float64) as the first field:

        - ``tpr`` (Float64): the true positive rate of the group's ROC curve at ``fpr``.
        - ``se`` (Float64): the standard deviation of the resamples.
        - ``lower``, ``upper`` (Float64): the limits of the interval.
        - ``n_pos``, ``n_neg`` (UInt64): the rows that were used.

        ``tpr`` is null with no positives or no negatives. The others are null with fewer than two positives
        or fewer than two negatives, and with weights, which do not give the number of observations. All four
        are NaN if a score is NaN; a list is null. Rows with a null label, score or weight are skipped.

    Notes
    -----
    The curve is linear between points; where it is vertical, the highest point counts. Each resample has its
    own threshold, and rows are resampled within each class (Efron 1979; Platt, Hanley and Yang 2000).

    - ``"percentile"``: the limits are quantiles (type 7) of the resamples, as in ``pROC::ci.se``. Its middle
      value is the median of the resamples, and ``tpr`` is the observed rate.
    - ``"wilson"``: Wilson's interval (1927) of a proportion r with the effective sample size
      ``min(P, r (1 - r) / se²)`` (Korn and Graubard 1998), or P if r is 0 or 1, or if all resamples are
      equal. The quantile is of Student's t with ``(v + w)² / (v² / (P - 1) + w² / m)`` degrees of freedom
      (Welch, Satterthwaite). ``v = r (1 - r) / P`` is the variance of the proportion, and
      ``w = max(se² - v, 0)`` the variance from the threshold. m is the smaller of the numbers of negatives
      above and below the fpr, at least 1.

    O(n log n), and O(n) for each resample.

    With few negatives the threshold is uncertain, and intervals by ``"percentile"`` are too short. At an fpr
    of 0.1 with 30 negatives and 300 positives, 95 % intervals cover 87.0 % for an AUC of 0.8 and 86.8 % for
    0.95; by ``"wilson"`` they cover 95.9 to 97.0 % (``benches/results/small_samples.csv``).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> ratings = pl.DataFrame(
    ...     {"rating": [1, 2, 3, 4, 5], "normal": [33, 6, 6, 11, 2], "abnormal": [3, 2, 2, 11, 33]}
    ... ).unpivot(index="rating", variable_name="status", value_name="images")
    >>> images = ratings.select(pl.col("rating", "status").repeat_by("images").explode())
    >>> point = images.select(pa.tpr_at_fpr(pl.col("status") == "abnormal", "rating", 0.1))
    >>> point.unnest("rating").select(pl.col("tpr", "lower", "upper").round(2)).row(0)
    (0.72, 0.57, 0.84)
    >>> points = images.select(pa.tpr_at_fpr(pl.col("status") == "abnormal", "rating", [0.1, 0.2]))
    >>> points.explode("rating").unnest("rating").select(pl.col("fpr", "tpr").round(2)).rows()
    [(0.1, 0.72), (0.2, 0.84)]
    """
    return expression_of(tpr_at_fpr, locals())


def fpr_at_tpr(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    tpr: float | Iterable[float] | None = None,
    *,
    interval: Literal["wilson", "percentile"] = "wilson",
    level: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the false positive rate at a true positive rate, with a bootstrap interval.

    It is 1 minus the specificity at a fixed sensitivity.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    tpr
        The true positive rate, from 0 to 1. A list of rates gives a list of records.
    interval
        - ``"wilson"``: Wilson's interval of a proportion. Its number of rows is the one that gives the
          variance of the resamples, at most the rows of the class.
        - ``"percentile"``: quantiles of the resamples, as in ``pROC::ci.sp``.
    level
        The confidence level, between 0 and 1.
    n_resamples
        The number of resamples, from 2 to 10^7.
    seed
        The seed of the random numbers, 0 or more. With the same seed, the result does not depend on row
        order, group order, thread count or engine.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score; with several rates one List of Structs, in their
        order, with ``tpr`` (Float64) as the first field:

        - ``fpr`` (Float64): the false positive rate of the group's ROC curve at ``tpr``.
        - ``se`` (Float64): the standard deviation of the resamples.
        - ``lower``, ``upper`` (Float64): the limits of the interval.
        - ``n_pos``, ``n_neg`` (UInt64): the rows that were used.

        ``fpr`` is null with no positives or no negatives. The others are null with fewer than two positives
        or fewer than two negatives, and with weights, which do not give the number of observations. All four
        are NaN if a score is NaN; a list is null. Rows with a null label, score or weight are skipped.

    Notes
    -----
    As :func:`tpr_at_fpr` with the axes exchanged: where the curve is horizontal, its leftmost point counts.
    ``pROC::ci.sp`` gives the limits of the specificity, ``1 - fpr``. O(n log n), and O(n) for each resample.

    With few positives the threshold is uncertain, and intervals by ``"percentile"`` are too short. At a tpr
    of 0.9 with 30 positives and 300 negatives, 95 % intervals cover 89.5 % for an AUC of 0.8 and 90.0 % for
    0.95; by ``"wilson"`` they cover 97.2 to 97.9 % (``benches/results/small_samples.csv``).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> ratings = pl.DataFrame(
    ...     {"rating": [1, 2, 3, 4, 5], "normal": [33, 6, 6, 11, 2], "abnormal": [3, 2, 2, 11, 33]}
    ... ).unpivot(index="rating", variable_name="status", value_name="images")
    >>> images = ratings.select(pl.col("rating", "status").repeat_by("images").explode())
    >>> point = images.select(pa.fpr_at_tpr(pl.col("status") == "abnormal", "rating", 0.9))
    >>> point.unnest("rating").select(pl.col("fpr", "lower", "upper").round(2)).row(0)
    (0.32, 0.14, 0.59)
    """
    return expression_of(fpr_at_tpr, locals())
