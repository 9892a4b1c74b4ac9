"""Decisions: whether acting on a score is worth it."""

# Signatures, Parameters and the fields of Returns are written by tests/python/package/generate.py.

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import polars as pl

from polars_auc._plugin.call import expression_of

if TYPE_CHECKING:
    from polars_auc._plugin.call import IntoExpr

__all__ = ["average_precision_ci", "equal_error_rate", "net_benefit"]


def net_benefit(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    thresholds: Sequence[float] | None = None,
    prevalence: float | None = None,
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
    level
        The coverage, between 0 and 1.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score, in the order of ``thresholds``:

        - ``threshold`` (Float64): The threshold: a row is called positive if ``score >= threshold``.
        - ``net_benefit`` (Float64): The net benefit in true positives for each row, at most the share of
          positives.
        - ``se`` (Float64): The standard error of the net benefit; null with a single row.
        - ``lower``, ``upper`` (Float64): The limits of its interval, by the normal distribution.
        - ``treat_all`` (Float64): The net benefit of calling all rows positive; that of calling none is 0.
        - ``standardized`` (Float64): The net benefit as a share of the largest possible, ``net_benefit /
          prevalence``; null without a positive.
        - ``interventions_avoided`` (Float64): The net share of rows that are spared, in comparison with
          calling all positive: ``(net_benefit - treat_all) (1 - t) / t``.
        - ``tpr`` (Float64): ``tp / P``; null without a positive.
        - ``fpr`` (Float64): ``fp / N``; null without a negative.

        Weights of which the squares are not known, as in some states, give no standard errors: see
        :func:`roc_state`. The list is null without rows, with ``prevalence`` also without a positive or
        without a negative, and if a score is NaN. Rows with a null label, score or weight are skipped.

    Notes
    -----
    ``tp / n - fp / n * t / (1 - t)`` at the threshold ``t`` (Vickers and Elkin 2006). Who acts from a
    probability of ``t`` on weighs a false positive as ``t / (1 - t)`` true positives. With ``prevalence`` it
    is ``prevalence tpr - (1 - prevalence) fpr t / (1 - t)``, with the standard error of two independent
    rates. Otherwise the standard error is that of the mean of what each row adds: 1, ``-t / (1 - t)`` or 0;
    with weights as in :func:`polars_auc.brier_score`. Intervals hold threshold by threshold, not for the
    whole curve. The numbers are those of dcurves for R and Python. O(n log n).

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
        - ``threshold`` (the score's dtype): The score at which the curve reaches it: calling all rows with
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
