"""Calibration: whether scores are right as probabilities."""

# Signatures, Parameters and the fields of Returns are written by tests/python/package/generate.py.

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import polars as pl

from polars_auc._plugin.call import expression_of

if TYPE_CHECKING:
    from polars_auc._plugin.call import IntoExpr

__all__ = ["brier_score", "brier_score_difference", "log_loss", "log_loss_difference"]


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

        - ``brier_score`` (Float64): The score, from 0, which is best, to 1; null without rows.
        - ``se`` (Float64): The standard error of the score; null with a single row.
        - ``lower``, ``upper`` (Float64): The limits of its interval, by the normal distribution.
        - ``skill`` (Float64): The score in comparison with the rate of the group: ``1 - brier_score /
          uncertainty``; null without a positive or without a negative.
        - ``skill_se`` (Float64): The standard error of the skill.
        - ``miscalibration`` (Float64): What the score loses because probabilities are not right, 0 or above:
          its difference from the score of the isotonic fit.
        - ``discrimination`` (Float64): What the isotonic fit gains in comparison with the rate of the group,
          0 or above.
        - ``uncertainty`` (Float64): The score of the rate of the group: ``rate (1 - rate)``.
        - ``n_pos``, ``n_neg`` (UInt64): Positives and negatives that were used.

        The parts add up: ``brier_score = miscalibration - discrimination + uncertainty``. Weights of which
        the squares are not known, as in some states, give no standard errors: see :func:`roc_state`. All
        numbers are null without rows and NaN if a score is NaN. Rows with a null label, score or weight are
        skipped.

    Notes
    -----
    The mean of ``(label - score)²`` (Brier 1950), from a sum without rounding errors, so that no order of
    rows changes a bit. The standard error is the standard deviation of these squares over ``sqrt(n)``; with
    weights ``se² = n / (n - 1) sum w² ((label - score)² - brier_score)² / (sum w)²``. The interval is cut off
    at 0 and 1. ``skill`` is scikit-learn's ``d2_brier_score``; its standard error is by the influence of each
    row on the score and on the rate (Jaeckel 1972).

    The parts are those of CORP (Dimitriadis, Gneiting and Jordan 2021), as in R's reliabilitydiag: the
    isotonic regression of the label on the score is its best calibrated version. It needs no bins.
    O(n log n).

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

        - ``log_loss`` (Float64): The mean loss in natural logarithms, 0 or above; infinite if a probability
          of 0 or 1 is wrong, null without rows.
        - ``se`` (Float64): The standard error of the mean; null with a single row, and if the loss is
          infinite.
        - ``lower``, ``upper`` (Float64): The limits of its interval, by the normal distribution.
        - ``normalized_entropy`` (Float64): The loss in comparison with that of the rate of the group:
          ``log_loss / uncertainty``; null without a positive or without a negative. Below 1 if the score says
          more than the rate.
        - ``skill`` (Float64): ``1 - normalized_entropy``.
        - ``skill_se`` (Float64): The standard error of both.
        - ``miscalibration`` (Float64): What is lost because probabilities are not right, 0 or above: the
          difference from the loss of the isotonic fit.
        - ``discrimination`` (Float64): What the isotonic fit gains in comparison with the rate of the group,
          0 or above.
        - ``uncertainty`` (Float64): The loss of the rate of the group, its entropy.
        - ``n_infinite`` (UInt64; with weights Float64): Rows whose loss is infinite: positives with the score
          0, and negatives with the score 1.
        - ``n_pos``, ``n_neg`` (UInt64): Positives and negatives that were used.

        The parts add up: ``log_loss = miscalibration - discrimination + uncertainty``. Weights of which the
        squares are not known, as in some states, give no standard errors: see :func:`roc_state`. All numbers
        are null without rows and NaN if a score is NaN. Rows with a null label, score or weight are skipped.

    Notes
    -----
    The mean of ``-ln score`` over positives and ``-ln (1 - score)`` over negatives (Good 1952), from a sum
    without rounding errors, so that no order of rows changes a bit. A positive with the score 0, or a
    negative with the score 1, makes it infinite. Other packages clip such scores, at ``1e-15`` or ``2^-52``,
    which hides the fault: the loss then depends on where they clip. ``n_infinite`` counts these rows.

    The standard error is that of a mean, as in :func:`polars_auc.brier_score`. ``normalized_entropy`` is the
    loss over that of a score that says the rate of the group for each row (He et al. 2014); ``skill`` is
    scikit-learn's ``d2_log_loss_score``. The parts are those of CORP: see :func:`polars_auc.brier_score`.
    O(n log n).

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

    The difference is ``score_a`` minus ``score_b`` on the same rows; lower is better. The scores are
    probabilities: a score below 0 or above 1 is an error.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score_a, score_b
        The probabilities of a positive: numeric columns of numbers from 0 to 1.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. With ``"less"`` the first
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
        The number of identical rows that each row stands for: a column of integers that are not negative. The
        answer is that of the repeated rows. Rows of count 0 or null are left out.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the first score:

        - ``estimate_a`` (Float64): The mean loss of the first score; lower is better. Null without rows.
        - ``estimate_b`` (Float64): The mean loss of the second score.
        - ``difference`` (Float64): ``estimate_a - estimate_b``; null if both are infinite.
        - ``se`` (Float64): The standard error of the difference; null with a single row, and if a loss is
          infinite.
        - ``lower``, ``upper`` (Float64): The limits of its interval, by the normal distribution.
        - ``z`` (Float64): ``(difference - null) / se``. With a margin it is the distance from the bound that
          decides.
        - ``p_value`` (Float64): The test of ``null``, by the normal distribution.
        - ``n_pos``, ``n_neg`` (UInt64): Positives and negatives that were used.

        Scores that are equal in all rows have a difference of 0 and a p-value of 1. ``z`` and ``p_value`` are
        null if only the standard error is 0. The Float64 fields are NaN if a score is NaN. Rows with a null
        label, score or weight are skipped, for both scores.

    Notes
    -----
    The standard error is that of the mean of the differences of the squared errors, row by row (Diebold and
    Mariano 1995, for independent rows): their standard deviation over ``sqrt(n)``, with weights as in
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

    The difference is ``score_a`` minus ``score_b`` on the same rows; lower is better. The scores are
    probabilities: a score below 0 or above 1 is an error.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score_a, score_b
        The probabilities of a positive: numeric columns of numbers from 0 to 1.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. With ``"less"`` the first
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
        The number of identical rows that each row stands for: a column of integers that are not negative. The
        answer is that of the repeated rows. Rows of count 0 or null are left out.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the first score:

        - ``estimate_a`` (Float64): The mean loss of the first score; lower is better. Null without rows.
        - ``estimate_b`` (Float64): The mean loss of the second score.
        - ``difference`` (Float64): ``estimate_a - estimate_b``; null if both are infinite.
        - ``se`` (Float64): The standard error of the difference; null with a single row, and if a loss is
          infinite.
        - ``lower``, ``upper`` (Float64): The limits of its interval, by the normal distribution.
        - ``z`` (Float64): ``(difference - null) / se``. With a margin it is the distance from the bound that
          decides.
        - ``p_value`` (Float64): The test of ``null``, by the normal distribution.
        - ``n_pos``, ``n_neg`` (UInt64): Positives and negatives that were used.

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
