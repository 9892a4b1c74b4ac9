"""Calibration of scores as probabilities."""

# tests/python/package/generate.py writes signatures, Parameters and the fields of Returns.

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import polars as pl

from polars_auc._plugin.call import expression_of

if TYPE_CHECKING:
    from polars_auc._plugin.call import IntoExpr
    from polars_auc._plugin.options import Adjustment

__all__ = [
    "brier_score",
    "brier_score_difference",
    "calibration_by_grade",
    "calibration_curve",
    "calibration_error",
    "calibration_summary",
    "log_loss",
    "log_loss_difference",
]


def brier_score(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    level: float = 0.95,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the Brier score of probabilities with its interval, its skill and its parts.

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

        - ``brier_score`` (Float64): The Brier score, from 0 (best) to 1; null with no rows.
        - ``se`` (Float64): The standard error of the Brier score; null with a single row.
        - ``lower``, ``upper`` (Float64): The confidence limits, by the normal distribution.
        - ``skill`` (Float64): The Brier skill score, relative to a constant score equal to the rate of the
          group: ``1 - brier_score / uncertainty``; null with no positives or no negatives.
        - ``skill_se`` (Float64): The standard error of ``skill``.
        - ``miscalibration`` (Float64): The loss due to miscalibration, 0 or above: ``brier_score`` minus the
          Brier score of the isotonic fit.
        - ``discrimination`` (Float64): The gain from discrimination, 0 or above: ``uncertainty`` minus the
          Brier score of the isotonic fit.
        - ``uncertainty`` (Float64): The Brier score of a constant score equal to the rate of the group:
          ``rate (1 - rate)``.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        ``brier_score = miscalibration - discrimination + uncertainty``. Weighted states whose squares of
        weights are unknown give no standard errors: see :func:`roc_state`. All numbers are null with no rows,
        and NaN if a score is NaN. Rows with a null label, score or weight are skipped.

    Notes
    -----
    The mean of ``(label - score)²`` (Brier 1950), from a sum without rounding errors, so row order does not
    change a bit. The standard error is the standard deviation of these squares divided by ``sqrt(n)``; with
    weights ``se² = n / (n - 1) sum w² ((label - score)² - brier_score)² / (sum w)²``. The interval is clipped
    to 0 and 1. ``skill`` is scikit-learn's ``d2_brier_score``; its standard error is from the influence of
    each row on the score and on the rate (Jaeckel 1972).

    The parts are those of CORP (Dimitriadis, Gneiting and Jordan 2021), as in R's reliabilitydiag: the
    isotonic regression of the label on the score is its best calibrated version. It needs no bins. O(n log
    n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rain = pl.DataFrame({"rain": [1, 0, 1, 0, 0], "forecast": [0.9, 0.6, 0.7, 0.1, 0.2]})
    >>> brier = rain.select(pa.brier_score("rain", "forecast")).unnest("forecast")
    >>> brier.select(pl.col("brier_score", "se", "skill", "miscalibration").round(4)).row(0)
    (0.102, 0.0661, 0.575, 0.102)
    """
    return expression_of(brier_score, locals())


def log_loss(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    level: float = 0.95,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the logarithmic loss of probabilities with its interval, its skill and its parts.

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

        - ``log_loss`` (Float64): The mean loss in natural logarithms, 0 or above; infinite if a score of 0 or
          1 is wrong, null with no rows.
        - ``se`` (Float64): The standard error of the mean; null with a single row, and if the loss is
          infinite.
        - ``lower``, ``upper`` (Float64): The confidence limits, by the normal distribution.
        - ``normalized_entropy`` (Float64): ``log_loss / uncertainty``, the loss relative to a constant score
          equal to the rate of the group. Below 1, the score is more informative than the rate. Null with no
          positives or no negatives.
        - ``skill`` (Float64): ``1 - normalized_entropy``.
        - ``skill_se`` (Float64): The standard error of ``normalized_entropy`` and of ``skill``.
        - ``miscalibration`` (Float64): The loss due to miscalibration, 0 or above: ``log_loss`` minus the
          loss of the isotonic fit.
        - ``discrimination`` (Float64): The gain from discrimination, 0 or above: ``uncertainty`` minus the
          loss of the isotonic fit.
        - ``uncertainty`` (Float64): The loss of a constant score equal to the rate of the group: the entropy
          of the rate.
        - ``n_infinite`` (UInt64; with weights Float64): The number of rows with an infinite loss: positives
          with score 0, and negatives with score 1.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        ``log_loss = miscalibration - discrimination + uncertainty``. Weighted states whose squares of weights
        are unknown give no standard errors: see :func:`roc_state`. All numbers are null with no rows, and NaN
        if a score is NaN. Rows with a null label, score or weight are skipped.

    Notes
    -----
    The mean of ``-ln score`` over positives and ``-ln (1 - score)`` over negatives (Good 1952), from a sum
    without rounding errors, so row order does not change a bit. A positive with score 0, or a negative with
    score 1, makes it infinite. Other packages clip such scores at ``1e-15`` or ``2^-52``, which hides the
    fault: the loss then depends on the clipping. ``n_infinite`` counts these rows.

    The standard error is that of a mean, as in :func:`polars_auc.brier_score`. ``normalized_entropy`` is from
    He et al. (2014); ``skill`` is scikit-learn's ``d2_log_loss_score``. The parts are those of CORP: see
    :func:`polars_auc.brier_score`. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> clicks = pl.DataFrame({"click": [1, 0, 1, 0, 0], "p": [0.9, 0.6, 0.7, 0.1, 0.2]})
    >>> loss = clicks.select(pa.log_loss("click", "p")).unnest("p")
    >>> loss.select(pl.col("log_loss", "se", "normalized_entropy").round(4), "n_infinite").row(0)
    (0.3414, 0.151, 0.5072, 0)
    """
    return expression_of(log_loss, locals())


def brier_score_difference(
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
    """Return the difference of the Brier scores of two probabilities, with its interval and test.

    The difference is ``score_a`` minus ``score_b`` on the same rows; lower is better. Scores below 0 or above
    1 are an error.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    score_a, score_b
        The predicted probabilities of a positive: numeric columns with values from 0 to 1.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. With ``"less"``, the
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

        - ``estimate_a`` (Float64): The mean loss of the first score; lower is better. Null with no rows.
        - ``estimate_b`` (Float64): The mean loss of the second score.
        - ``difference`` (Float64): ``estimate_a - estimate_b``; null if both are infinite.
        - ``se`` (Float64): The standard error of the difference; null with a single row, and if a loss is
          infinite.
        - ``lower``, ``upper`` (Float64): The confidence limits, by the normal distribution.
        - ``z`` (Float64): ``(difference - null) / se``. With a margin, the distance from the bound ``null ±
          margin`` that determines the p-value.
        - ``p_value`` (Float64): The p-value of the test of ``null``, by the normal distribution.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        Scores that are equal in all rows have a difference of 0 and a p-value of 1. ``z`` and ``p_value`` are
        null if only the standard error is 0. The Float64 fields are NaN if a score is NaN. Rows with a null
        label, score or weight are skipped, for both scores.

    Notes
    -----
    The standard error is that of the mean difference of the squared errors, row by row (Diebold and Mariano
    1995, for independent rows): their standard deviation divided by ``sqrt(n)``, with weights as in
    :func:`polars_auc.brier_score`. All sums are without rounding errors. O(n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rain = pl.DataFrame(
    ...     {"rain": [1, 0, 1, 0, 0], "new": [0.9, 0.6, 0.7, 0.1, 0.2], "old": [0.8, 0.5, 0.4, 0.1, 0.4]}
    ... )
    >>> test = rain.select(pa.brier_score_difference("rain", "new", "old")).unnest("new")
    >>> test.select(pl.col("difference", "se", "z", "p_value").round(4)).row(0)
    (-0.062, 0.0637, -0.9738, 0.3302)
    """
    return expression_of(brier_score_difference, locals())


def log_loss_difference(
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
    """Return the difference of the logarithmic losses of two probabilities, with its interval and test.

    The difference is ``score_a`` minus ``score_b`` on the same rows; lower is better. Scores below 0 or above
    1 are an error.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    score_a, score_b
        The predicted probabilities of a positive: numeric columns with values from 0 to 1.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. With ``"less"``, the
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

        - ``estimate_a`` (Float64): The mean loss of the first score; lower is better. Null with no rows.
        - ``estimate_b`` (Float64): The mean loss of the second score.
        - ``difference`` (Float64): ``estimate_a - estimate_b``; null if both are infinite.
        - ``se`` (Float64): The standard error of the difference; null with a single row, and if a loss is
          infinite.
        - ``lower``, ``upper`` (Float64): The confidence limits, by the normal distribution.
        - ``z`` (Float64): ``(difference - null) / se``. With a margin, the distance from the bound ``null ±
          margin`` that determines the p-value.
        - ``p_value`` (Float64): The p-value of the test of ``null``, by the normal distribution.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        A loss is infinite if a score of 0 or 1 is wrong, as in :func:`polars_auc.log_loss`; there is then no
        standard error. Scores that are equal in all rows have a difference of 0 and a p-value of 1. The
        Float64 fields are NaN if a score is NaN. Rows with a null label, score or weight are skipped, for
        both scores.

    Notes
    -----
    As :func:`polars_auc.brier_score_difference`, with the losses of :func:`polars_auc.log_loss`. O(n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> clicks = pl.DataFrame(
    ...     {"click": [1, 0, 1, 0, 0], "new": [0.9, 0.6, 0.7, 0.1, 0.2], "old": [0.8, 0.5, 0.4, 0.1, 0.4]}
    ... )
    >>> test = clicks.select(pa.log_loss_difference("click", "new", "old")).unnest("new")
    >>> test.select(pl.col("difference", "se", "z", "p_value").round(4)).row(0)
    (-0.1484, 0.1322, -1.1225, 0.2616)
    """
    return expression_of(log_loss_difference, locals())


def calibration_summary(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    bins: int = 10,
    fitted: bool = False,
    level: float = 0.95,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return how far probabilities are from the rates of positives, with tests.

    Scores below 0 or above 1 are an error. For logits write ``1 / (1 + (-pl.col("logit")).exp())``.

    Parameters
    ----------
    label, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    score
        The predicted probability of a positive: any numeric column with values from 0 to 1.
    bins
        The number of groups of the Hosmer-Lemeshow test, 2 or more.
    fitted
        Whether the score was fitted to these rows, which reduces the degrees of freedom of the
        Hosmer-Lemeshow test by 2.
    level
        The confidence level, between 0 and 1.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``mean_score`` (Float64): The mean score; null with no rows.
        - ``rate`` (Float64): The share of positives.
        - ``observed_expected`` (Float64): ``rate / mean_score``; 1 is best, and above 1 the scores are too
          low. Null if all scores are 0.
        - ``observed_expected_lower``, ``observed_expected_upper`` (Float64): Its confidence limits, on the
          log scale; null with no positives.
        - ``observed_minus_expected`` (Float64): ``rate - mean_score``; 0 is best, above 0 the scores are too
          low.
        - ``observed_minus_expected_se`` (Float64): Its standard error, with few positives at least the
          standard error under correct probabilities; null with a single row.
        - ``observed_minus_expected_lower``, ``observed_minus_expected_upper`` (Float64): Its confidence
          limits, by the normal distribution.
        - ``observed_expected_p_value`` (Float64): The p-value of the two-sided score test that the expected
          number of positives is correct; null if all scores are 0 or 1.
        - ``in_the_large`` (Float64): Calibration in the large, the intercept of the logistic recalibration
          with slope 1; 0 is best. Null with no positives or no negatives, and if a score is 0 or 1.
        - ``in_the_large_se``, ``in_the_large_lower``, ``in_the_large_upper`` (Float64): Its standard error
          and confidence limits.
        - ``slope`` (Float64): The slope of the logistic recalibration; 1 is best, and below 1 the scores are
          too extreme. Null also if the scores separate the classes or are all equal.
        - ``slope_se``, ``slope_lower``, ``slope_upper`` (Float64): Its standard error and confidence limits.
        - ``intercept`` (Float64): The intercept of the logistic recalibration with this slope; not
          calibration in the large.
        - ``intercept_se``, ``intercept_lower``, ``intercept_upper`` (Float64): Its standard error and
          confidence limits.
        - ``spiegelhalter_z`` (Float64): Spiegelhalter's z, positive if errors are larger than expected. Null
          if all scores are 0, 0.5 or 1.
        - ``spiegelhalter_p_value`` (Float64): The two-sided p-value of ``spiegelhalter_z``.
        - ``hosmer_lemeshow`` (Float64): The Hosmer-Lemeshow statistic; null with weights, and if all scores
          are equal.
        - ``hosmer_lemeshow_df`` (UInt64): Its degrees of freedom: the number of groups, minus 2 with
          ``fitted=True``.
        - ``hosmer_lemeshow_p_value`` (Float64): The p-value of ``hosmer_lemeshow``.
        - ``ici`` (Float64): The integrated calibration index: the mean distance between the score and the
          isotonic fit.
        - ``e50`` (Float64): The median distance.
        - ``e90`` (Float64): The 90th percentile of the distance.
        - ``emax`` (Float64): The largest distance.
        - ``n_certain`` (UInt64; with weights Float64): The number of rows with a score of 0 or 1.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        All numbers are null with no rows, and NaN if a score is NaN. Rows with a null label, score or weight
        are skipped.

    Notes
    -----
    The logistic recalibration is ``logit P(label) = intercept + slope logit(score)`` by maximum likelihood
    (Cox 1958); calibration in the large is the intercept with ``slope = 1``. Standard errors are from the
    inverse information matrix, as in R's ``glm``; with weights from the sandwich estimator, as in
    ``survey::svyglm``. ``observed_expected`` has limits on the log scale with the standard error
    ``sqrt((1 - rate) / n_pos)`` (Debray and others 2017). Spiegelhalter (1986) tests
    ``sum (label - score) (1 - 2 score)``.

    ``observed_minus_expected`` is the mean of ``label - score``. With few positives their variance v between
    rows depends on the mean. The square of the standard error is therefore ``(R v + 5 max(v, f)) / (R + 5)``
    with R rows of the rarer class and the variance ``f = sum score (1 - score) / n²`` of right scores. With
    this error :func:`polars_auc.always_valid` can test it over periods, from one positive a period on.

    The test of Hosmer and Lemeshow (1980) depends on the choice of groups, has little power in small data and
    rejects every model in large data. Prefer the slope, calibration in the large and ``ici``. Its groups are
    between type 7 quantiles; equal quantiles are merged.

    ``ici``, ``e50``, ``e90`` and ``emax`` (Austin and Steyerberg 2019) are distances from the isotonic
    regression instead of a smoother, so they need no bandwidth. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rain = pl.DataFrame({"rain": [1, 0, 1, 0, 0, 1], "forecast": [0.9, 0.6, 0.7, 0.1, 0.2, 0.3]})
    >>> summary = rain.select(pa.calibration_summary("rain", "forecast")).unnest("forecast")
    >>> summary.select(pl.col("observed_expected", "in_the_large", "slope").round(3)).row(0)
    (1.071, 0.199, 1.123)
    """
    return expression_of(calibration_summary, locals())


def calibration_curve(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    method: Literal["quantile", "uniform", "isotonic"] | None = None,
    bins: int | None = None,
    edges: Sequence[float] | None = None,
    band: Literal["confidence", "consistency"] | None = None,
    n_resamples: int | None = None,
    seed: int | None = None,
    level: float = 0.95,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the mean score and the rate of positives in bins: a calibration curve.

    Scores below 0 or above 1 are an error. For logits write ``1 / (1 + (-pl.col("logit")).exp())``.

    Parameters
    ----------
    label, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    score
        The predicted probability of a positive: any numeric column with values from 0 to 1.
    method
        - ``"quantile"`` (default): bins with about the same number of rows, between type 7 quantiles of the
          scores (Hyndman and Fan 1996; with weights, quantiles of the weighted distribution).
        - ``"uniform"``: bins of equal width.
        - ``"isotonic"``: the blocks of the isotonic regression, which need no choice of bins.
    bins
        The number of bins, 10 by default.
    edges
        The edges of the bins in ascending order, instead of ``bins``. Scores outside the edges are in no bin.
    band
        The limits of isotonic blocks.

        - ``"confidence"``: a simultaneous confidence band at ``level`` for the probabilities of a positive at
          all scores, if they do not decrease with the score. It is valid for any number of rows. With more
          than 200 distinct scores, neighbouring scores are merged.
        - ``"consistency"``: a range for the rate of each block if the scores are the true probabilities, from
          resampled labels. A block outside is miscalibrated. Not with ``weight``.
    n_resamples, seed
        For ``"consistency"``, the number of resamples, 2000 by default, and the seed of the random numbers, 0
        by default. With the same seed, the band does not depend on row order, group order, thread count or
        engine.
    level
        The confidence level, between 0 and 1.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score, the lowest scores first:

        - ``bin`` (UInt64): The number of the bin, 1 for the lowest scores. Empty bins are omitted.
        - ``lowest`` (Float64): The lower edge of the bin; for an isotonic block, its lowest score.
        - ``highest`` (Float64): The upper edge of the bin, inclusive; for an isotonic block, its highest
          score.
        - ``n`` (UInt64; with weights Float64): The number of rows in the bin; with weights, the sum of their
          weights.
        - ``n_pos`` (UInt64; with weights Float64): The number of positives in the bin; with weights, the sum
          of their weights.
        - ``mean_score`` (Float64): The mean score in the bin.
        - ``rate`` (Float64): The share of positives.
        - ``rate_lower``, ``rate_upper`` (Float64): Its Wilson limits; with weights, for Kish's effective
          number of rows. Isotonic blocks have the limits of ``band`` instead, because their edges depend on
          the labels: null without ``band`` and for weighted states.

        The list is null with no rows and if a score is NaN. Rows with a null label, score or weight are
        skipped.

    Notes
    -----
    A bin contains the scores above its lower edge up to its upper edge; the first bin also contains its lower
    edge. The numbers are those of scikit-learn's ``calibration_curve``, except where a quantile equals a
    score and NumPy rounds it. The rows of this score are then in the next bin there, as is frequent with few
    distinct scores. Isotonic blocks are those of the CORP reliability diagram (Dimitriadis, Gneiting and
    Jordan 2021). O(n log n).

    The confidence band is that of Dimitriadis, Duembgen, Henzi, Puke and Ziegel (2023): limits of Clopper and
    Pearson for all runs of neighbouring scores. The lower limit of a block is for its lowest score, the upper
    limit for its highest, so both hold at all its scores. If rates decrease significantly within a block, the
    limits are extended to its rate. The consistency band has the quantiles of the isotonic fit at the mean
    score of the block.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rain = pl.DataFrame({"rain": [1, 0, 1, 0, 0, 1], "forecast": [0.9, 0.6, 0.7, 0.1, 0.2, 0.3]})
    >>> curve = rain.select(pa.calibration_curve("rain", "forecast", bins=2))
    >>> points = curve.explode("forecast").unnest("forecast")
    >>> points.select(pl.col("n", "mean_score", "rate", "rate_lower", "rate_upper").round(3)).rows()
    [(3, 0.2, 0.333, 0.061, 0.792), (3, 0.733, 0.667, 0.208, 0.939)]
    """
    return expression_of(calibration_curve, locals())


def calibration_error(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    method: Literal["quantile", "uniform"] | None = None,
    bins: int | None = None,
    edges: Sequence[float] | None = None,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the expected, maximum and root mean square calibration error.

    Scores below 0 or above 1 are an error. For logits write ``1 / (1 + (-pl.col("logit")).exp())``.

    Parameters
    ----------
    label, weight, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    score
        The predicted probability of a positive: any numeric column with values from 0 to 1.
    method
        The bins, as in :func:`polars_auc.calibration_curve`: ``"quantile"`` (default) or ``"uniform"``.
    bins
        The number of bins, 10 by default.
    edges
        The edges of the bins in ascending order, instead of ``bins``. Scores outside the edges are in no bin.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``ece`` (Float64): The expected calibration error: the mean of ``|rate - mean score|`` over rows;
          null with no rows in bins.
        - ``mce`` (Float64): The maximum calibration error: the largest ``|rate - mean score|``.
        - ``rmsce`` (Float64): The root mean square of ``rate - mean score`` over rows.
        - ``rmsce_debiased`` (Float64): ``rmsce`` corrected for the bias of small bins: each square is reduced
          by the variance of the rate, ``rate (1 - rate) / (n - 1)``. A bin of one row counts as 0, and so
          does a negative mean. Null with weights.
        - ``n_bins`` (UInt64): The number of bins with rows.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        All numbers are null with no rows, and NaN if a score is NaN. Rows with a null label, score or weight
        are skipped.

    Notes
    -----
    The numbers depend on the bins: with more bins, and with fewer rows, ``ece`` grows even for a calibrated
    score. ``rmsce_debiased`` removes this bias (Kumar, Liang and Ma 2019); the parts of :func:`brier_score`
    need no bins. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rain = pl.DataFrame({"rain": [1, 0, 1, 0, 0, 1], "forecast": [0.9, 0.6, 0.7, 0.1, 0.2, 0.3]})
    >>> error = rain.select(pa.calibration_error("rain", "forecast", bins=2)).unnest("forecast")
    >>> error.select(pl.col("ece", "mce", "rmsce").round(3)).row(0)
    (0.1, 0.133, 0.105)
    """
    return expression_of(calibration_error, locals())


def calibration_by_grade(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    level: float = 0.95,
    adjust: Adjustment | None = "holm",
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the rate of positives and the predicted probability of each rating grade, with tests.

    Scores below 0 or above 1 are an error. For logits write ``1 / (1 + (-pl.col("logit")).exp())``.

    Parameters
    ----------
    label, count, state
        The columns of rows or states, as in :func:`polars_auc.roc_auc`.
    score
        The predicted probability of the grade, from 0 to 1: at most 1,000 distinct values, one per grade.
    level
        The confidence level, between 0 and 1.
    adjust
        The adjustment of ``jeffreys_p_value`` for the number of grades, as in
        :func:`polars_auc.adjust_p_values`, or ``None``.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score, the lowest score first:

        - ``score`` (Float64): The predicted probability of the grade.
        - ``n`` (UInt64): The number of rows in the grade.
        - ``n_pos`` (UInt64): The number of positives in the grade.
        - ``expected`` (Float64): The expected number of positives: ``n score``.
        - ``rate`` (Float64): The share of positives.
        - ``rate_lower``, ``rate_upper`` (Float64): Its Jeffreys limits, quantiles of the beta distribution
          with parameters ``n_pos + 1/2`` and ``n - n_pos + 1/2``.
        - ``jeffreys_p_value`` (Float64): The p-value of Jeffreys' test that the score is not too low: the
          probability below the score under this beta distribution.
        - ``binomial_p_value`` (Float64): The p-value of the exact binomial test of the same hypothesis: the
          probability of ``n_pos`` or more positives.
        - ``p_adjusted`` (Float64): ``jeffreys_p_value``, adjusted for the number of grades.

        The list is null with no rows and if a score is NaN. Rows with a null label or score are skipped.

    Notes
    -----
    The score is the predicted probability of the grade, such as the PD. Both tests are one-sided: a small
    p-value shows that the probability is too low. Jeffreys' test is that of the European Central Bank's
    instructions for validation reporting (2019): the probability of ``Beta(n_pos + 1/2, n - n_pos + 1/2)``
    below the score. For a test over all grades use Spiegelhalter's in :func:`calibration_summary`. O(n log
    n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> loans = pl.DataFrame({"default": [0, 1, 0, 0, 1, 1, 1, 0], "pd": [0.1] * 4 + [0.4] * 4})
    >>> grades = loans.select(pa.calibration_by_grade("default", "pd")).explode("pd").unnest("pd")
    >>> grades.select(pl.col("score", "n", "n_pos", "expected", "jeffreys_p_value").round(3)).rows()
    [(0.1, 4, 1, 0.4, 0.147), (0.4, 4, 3, 1.6, 0.078)]
    """
    return expression_of(calibration_by_grade, locals())
