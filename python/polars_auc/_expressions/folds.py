"""Statistics over the folds of a cross-validation."""

# tests/python/package/generate.py writes signatures, Parameters and the fields of Returns.

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from polars_auc._plugin.call import expression_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

    from polars_auc._plugin.call import IntoExpr

__all__ = ["cv_loss", "cv_loss_difference", "cv_roc_auc", "cv_roc_auc_difference", "cv_roc_curve"]


def cv_loss(
    label: IntoExpr,
    score: IntoExpr,
    fold: IntoExpr,
    *,
    loss: Literal["brier_score", "log_loss"] = "brier_score",
    method: Literal["t", "influence"] = "t",
    level: float = 0.95,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the mean of the folds' Brier scores or logarithmic losses, with its confidence interval.

    The score is a probability here: a score below 0 or above 1 is an error. For logits write
    ``1 / (1 + (-pl.col("logit")).exp())``.

    Parameters
    ----------
    label, count
        The columns of rows, as in :func:`polars_auc.roc_auc`.
    score
        The probability of a positive: any numeric column of numbers from 0 to 1.
    fold
        The fold in which each row was test data; any dtype except lists.
    loss
        The loss.
    method
        - ``"t"``: from the variation between the folds' losses, with Student's t.
        - ``"influence"``: from the variation of the losses of rows within folds, with a normal interval; it
          requires many rows in each fold, but not many folds.
    level
        The confidence level, between 0 and 1.
    weight
        The weight of each row: a column of finite numbers, 0 or more. Rows with a weight of 0 or null are
        skipped. The loss of each fold is then weighted; folds have equal weights. Only for ``method="t"``.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``estimate`` (Float64): The mean of the folds' losses, each a mean over its rows; lower is better.
          Infinite if a loss is.
        - ``sd`` (Float64): The standard deviation of the folds' losses; null if a loss is infinite.
        - ``se`` (Float64): The standard error of the mean; null if a loss is infinite, and with
          ``"influence"`` if a fold has a single row.
        - ``lower``, ``upper`` (Float64): The confidence limits, within the range of the loss.
        - ``n_folds`` (UInt64): The number of folds with rows.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        ``estimate`` is null without rows. ``sd`` is null with fewer than two folds; by Student's t, so are
        ``se`` and the limits. The Float64 fields are NaN if a score is NaN; the folds are then not counted.
        Rows with a null label, score, weight or fold are skipped.

    Notes
    -----
    By Student's t: ``mean ± t sd / sqrt(k)`` with k - 1 degrees of freedom over k folds. The folds share
    training rows, so this interval tends to be too short. By influence: the square of the standard error is
    ``sum over folds of (mean of (loss - loss of the fold)²) / k / n`` over n rows, as LeDell, Petersen and
    van der Laan (2015) for AUCs. A fold of one row has a loss, which it need not have an AUC. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> held_out = pl.DataFrame(
    ...     {
    ...         "fold": [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3],
    ...         "ill": [0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1],
    ...         "risk": [0.1, 0.3, 0.6, 0.8, 0.2, 0.7, 0.4, 0.9, 0.5, 0.1, 0.2, 0.6],
    ...     }
    ... )
    >>> cv = held_out.select(pa.cv_loss("ill", "risk", "fold", loss="log_loss")).unnest("risk")
    >>> cv.select(pl.col("estimate", "se", "lower", "upper").round(4), "n_folds").row(0)
    (0.327, 0.028, 0.2064, 0.4477, 3)
    """
    return expression_of(cv_loss, locals())


def cv_loss_difference(
    label: IntoExpr,
    score_a: IntoExpr,
    score_b: IntoExpr,
    fold: IntoExpr,
    *,
    loss: Literal["brier_score", "log_loss"] = "brier_score",
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    level: float = 0.95,
    test_train_ratio: float | None = None,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the difference of two models' losses over the same folds, by the corrected resampled t-test.

    The difference is ``score_a`` minus ``score_b``, as they are written: below 0 the first score is better.
    The scores are probabilities here: a score below 0 or above 1 is an error.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    score_a, score_b
        The probabilities of a positive: numeric columns of numbers from 0 to 1.
    fold
        The fold in which each row was test data; any dtype except lists.
    loss
        The loss.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. ``"less"`` means that the
        first score is better.
    level
        The confidence level, between 0 and 1. The interval of the difference is always two-sided.
    test_train_ratio
        The number of test rows for each training row. The variance is corrected with it, because folds share
        training rows. ``None`` takes ``1 / (k - 1)``, the ratio of k folds; 0 gives the plain paired t-test,
        which rejects too often.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the first score:

        - ``estimate_a`` (Float64): The mean of the folds' losses of the first score; lower is better.
          Infinite if a loss is.
        - ``estimate_b`` (Float64): The mean of the folds' losses of the second score.
        - ``difference`` (Float64): The mean of the folds' differences, ``estimate_a - estimate_b``; null if
          both are infinite.
        - ``se`` (Float64): Its corrected standard error; null if a loss is infinite.
        - ``lower``, ``upper`` (Float64): The confidence limits.
        - ``t`` (Float64): The difference divided by its standard error; 0 if both are 0, null if only the
          standard error is 0.
        - ``df`` (UInt64): The degrees of freedom; null where ``se`` is null.
        - ``p_value`` (Float64): The p-value of no difference; null where ``t`` is null.
        - ``n_folds`` (UInt64): The number of folds with rows.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        The means are null without rows; the fields after them are also null with fewer than two folds. If the
        difference is the same in all folds, ``t`` and ``p_value`` are null; if it is 0 in all folds, they are
        0 and 1. The Float64 fields are NaN if a score is NaN. Rows with a null label, score or fold are
        skipped, for both scores.

    Notes
    -----
    ``t = mean(d) / sqrt((1 / k + ratio) var(d))`` over the differences d of the k folds, with k - 1 degrees
    of freedom (Nadeau and Bengio 2003, equation 9). O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> held_out = pl.DataFrame(
    ...     {
    ...         "fold": [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3],
    ...         "ill": [0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1],
    ...         "new": [0.1, 0.3, 0.6, 0.8, 0.2, 0.7, 0.4, 0.9, 0.5, 0.1, 0.2, 0.6],
    ...         "old": [0.2, 0.5, 0.5, 0.7, 0.4, 0.6, 0.3, 0.7, 0.4, 0.3, 0.3, 0.5],
    ...     }
    ... )
    >>> test = held_out.select(pa.cv_loss_difference("ill", "new", "old", "fold")).unnest("new")
    >>> test.select(pl.col("difference", "t", "p_value").round(4), "df").row(0)
    (-0.0717, -4.1839, 0.0527, 2)
    """
    return expression_of(cv_loss_difference, locals())


def cv_roc_auc(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    fold: IntoExpr | None = None,
    *,
    method: Literal["t", "influence", "delong"] = "t",
    ties: Literal["half", "zero"] | None = None,
    level: float = 0.95,
    weight: IntoExpr | None = None,
    cluster: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the mean of the folds' AUCs with its standard error and confidence interval.

    Parameters
    ----------
    label, score, count
        The columns of rows, as in :func:`polars_auc.roc_auc`.
    fold
        The fold in which the row was test data; any dtype except lists. With ``state``, the fold of each
        state.
    method
        - ``"t"``: from the standard deviation of the folds' AUCs, with Student's t.
        - ``"influence"``: from the influence of each row on the AUC of its fold, with normal limits; needs
          many rows, but not many folds.
        - ``"delong"``: from DeLong's variance of each fold's AUC, on the logit scale with Student's t; for
          few rows, or few clusters.
    ties
        How a tie counts in the influence values: ``"half"`` (the default), as in the AUC, or ``"zero"``, as
        in the R package cvAUC. Only for ``method="influence"``.
    level
        The confidence level, between 0 and 1.
    weight
        The weight of each row: a column of finite numbers, 0 or more. Rows with a weight of 0 or null are
        skipped. The AUCs of the folds are then weighted, and all folds count equally. Only for
        ``method="t"``.
    cluster
        The cluster of each row, such as the customer: rows of the same cluster are not independent. A cluster
        may span folds. Requires ``method="delong"``, or ``"influence"``, which sums the influence values by
        cluster. If each cluster is in one fold, ``"t"`` needs no ``cluster``.
    state
        A column of states from :func:`polars_auc.roc_state` instead of ``label`` and ``score``, one or more
        for each fold: the states of a fold are merged. With ``max_bins`` the result is approximate: scores in
        the same bin of a fold count as ties. Weighted states only for ``method="t"``.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``auc`` (Float64): The mean AUC of the folds.
        - ``sd`` (Float64): The standard deviation of the folds' AUCs.
        - ``se`` (Float64): The standard error of the mean.
        - ``lower``, ``upper`` (Float64): The confidence limits, not clipped to 0 and 1 (by DeLong they are
          always within).
        - ``n_folds`` (UInt64): The number of folds with an AUC.
        - ``n_undefined`` (UInt64): The number of folds with no positives or no negatives.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.
        - ``n_clusters`` (UInt64): The number of clusters used; only with ``cluster``.

        ``auc`` is null if no fold has an AUC. ``sd`` is null with fewer than two such folds. ``se`` and the
        limits are null:

        - ``"t"``: with fewer than two such folds;
        - ``"delong"``: if a class has a single row (with ``cluster``, a single cluster) in every such fold;
        - ``"influence"`` with ``cluster``: if these folds have rows of a single cluster.

        The Float64 fields are NaN if a score is NaN; the folds are then not counted. Rows with a null label,
        score, weight, fold or cluster are skipped.

    Notes
    -----
    ``"t"``: ``mean ± t sd / sqrt(k)`` with k - 1 degrees of freedom (Komarek 2004: ten folds, 95 %). The
    folds share training rows, so this interval tends to be too short.

    ``"influence"``: LeDell, Petersen and van der Laan (2015), as their R package cvAUC. A positive has the
    value ``(placement - auc) n / P``. Its placement is the share of the negatives of its fold that score
    lower, where a tie counts one half. In cvAUC a tie counts 0 in the placement but one half in the AUC, so
    with ties the values do not sum to 0. O(n log n).

    With ``cluster``, the values D are summed by cluster, as cvAUC does for pooled repeated measures:
    ``se² = sum over clusters of (sum w D)² / n²`` with ``w² = I / (k I_f)`` for I clusters, k folds and the
    I_f clusters of the row's fold. A cluster that spans folds counts in each with its share of rows.

    ``"delong"``: ``se² = sum over folds of (f sum (v - auc)² / P² + g sum (v - auc)² / N²) / k²`` over
    positives and negatives with placements v. ``f = P / (P - k)`` for the P positives of all k folds, and g
    is the same for negatives, as in an analysis of variance. A fold may therefore have a single positive.
    With ``cluster``, the terms of a cluster are summed within each fold, and multiplied by the square root of
    f or g. These sums are added over the folds of the cluster, and squared. P and N then count the clusters
    of each fold with rows of the class (Obuchowski 1997). The limits are
    ``expit(logit(auc) ± t se / (auc (1 - auc)))`` with ``min(P, N) - k`` degrees of freedom.

    The coverage of 95 % intervals is measured in ``benches/results/small_samples.csv``. With 100 rows it is
    89.6 to 92.1 % by ``"influence"``, and 96.2 to 98.2 % by ``"delong"``, whose variance is too large in
    folds of few rows. ``"influence"`` covers 85.3 to 88.6 % in ten folds with 30 positives and 300 negatives,
    and 94.4 to 94.9 % with 300 of each class. With 40 to 100 clusters, ``"influence"`` covers 81.8 to 90.3 %,
    and ``"delong"`` 92.6 to 94.8 %; the lowest value is for ten folds of ten clusters, each with one class.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> held_out = pl.DataFrame(
    ...     {
    ...         "fold": [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3],
    ...         "ill": [0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1],
    ...         "risk": [1, 3, 2, 4, 1, 2, 3, 4, 3, 1, 2, 3],
    ...     }
    ... )
    >>> cv = held_out.select(pa.cv_roc_auc("ill", "risk", "fold")).unnest("risk")
    >>> cv.select(pl.col("auc", "se", "lower", "upper").round(4), "n_folds").row(0)
    (0.8333, 0.0833, 0.4748, 1.1919, 3)
    """
    return expression_of(cv_roc_auc, locals(), state_roles=["fold"])


def cv_roc_auc_difference(
    label: IntoExpr,
    score_a: IntoExpr,
    score_b: IntoExpr,
    fold: IntoExpr,
    *,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    level: float = 0.95,
    test_train_ratio: float | None = None,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the difference of two models' AUCs over the same folds, by the corrected resampled t-test.

    The difference is ``score_a`` minus ``score_b``. The tables of :func:`polars_auc.report` have the opposite
    sign: the other score minus the first score.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    score_a, score_b
        Any numeric or Boolean columns; higher means more positive.
    fold
        The fold in which the row was test data; any dtype except lists.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. With ``"greater"``, the
        alternative is that the first score is better. The interval is always two-sided.
    level
        The confidence level, between 0 and 1.
    test_train_ratio
        The ratio of test rows to training rows. It corrects the variance, because folds share training rows.
        ``None`` uses ``1 / (k - 1)``, the ratio of k folds; 0 gives the plain paired t-test, which rejects
        too often.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the first score:

        - ``auc_a`` (Float64): The mean of the folds' AUCs for the first score.
        - ``auc_b`` (Float64): The mean of the folds' AUCs for the second score.
        - ``difference`` (Float64): The mean of the folds' differences, ``auc_a - auc_b``.
        - ``se`` (Float64): The corrected standard error of the difference.
        - ``lower``, ``upper`` (Float64): The confidence limits.
        - ``t`` (Float64): ``difference / se``; 0 if both are 0, null if only ``se`` is 0.
        - ``df`` (UInt64): Degrees of freedom; null where ``se`` is null.
        - ``p_value`` (Float64): The p-value of the test of no difference; null where ``t`` is null.
        - ``n_folds`` (UInt64): The number of folds with AUCs.
        - ``n_undefined`` (UInt64): The number of folds with no positives or no negatives.
        - ``n_pos``, ``n_neg`` (UInt64): The numbers of positives and negatives used.

        The means are null if no fold has AUCs; the later fields are also null with fewer than two such folds.
        If all folds have the same difference, ``t`` and ``p_value`` are null, or 0 and 1 if this difference
        is 0. The Float64 fields are NaN if a score is NaN. Rows with a null label, score or fold
        are skipped, for both scores.

    Notes
    -----
    ``t = mean(d) / sqrt((1 / k + ratio) var(d))`` over the differences d of the k folds, with k - 1 degrees
    of freedom (Nadeau and Bengio 2003, equation 9). O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> held_out = pl.DataFrame(
    ...     {
    ...         "fold": [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3],
    ...         "ill": [0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1],
    ...         "new": [1, 2, 3, 4, 1, 2, 3, 4, 3, 1, 2, 3],
    ...         "old": [1, 4, 2, 3, 4, 2, 1, 3, 1, 2, 3, 3],
    ...     }
    ... )
    >>> test = held_out.select(pa.cv_roc_auc_difference("ill", "new", "old", "fold")).unnest("new")
    >>> test.select(pl.col("difference", "t", "p_value").round(4), "df").row(0)
    (0.4583, 2.6295, 0.1193, 2)
    """
    return expression_of(cv_roc_auc_difference, locals())


def cv_roc_curve(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    fold: IntoExpr | None = None,
    *,
    method: Literal["vertical", "threshold", "pooled"] = "vertical",
    n_points: int = 101,
    at_fpr: Iterable[float] | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the average of the folds' ROC curves, with the standard deviation at each point.

    Parameters
    ----------
    label, score, count
        The columns of rows, as in :func:`polars_auc.roc_auc`.
    fold
        The fold in which the row was test data; any dtype except lists. With ``state``, the fold of each
        state.
    method
        - ``"vertical"``: the mean of the folds' true positive rates at fixed false positive rates. The scale
          of the scores may differ between folds.
        - ``"threshold"``: the mean of the folds' points (of both rates) at fixed thresholds. Scores must have
          the same meaning in all folds.
        - ``"pooled"``: the curve of the rows of all folds together, at the false positive rates of
          ``"vertical"``. Scores must have the same meaning in all folds.
    n_points
        The number of points, 3 or more: equally spaced false positive rates from 0 to 1. With
        ``"threshold"``: the point where no row is predicted positive, and thresholds spread evenly over the
        distinct scores of all folds, including the highest and the lowest (all if there are fewer).
    at_fpr
        The false positive rates, in any order, instead of equally spaced rates; not with ``"threshold"``.
    state
        A column of states from :func:`polars_auc.roc_state` instead of ``label`` and ``score``, one or more
        for each fold: the states of a fold are merged. With ``max_bins`` the result is approximate: scores in
        the same bin of a fold (pooled: of all folds together) count as ties. Not with ``"threshold"``.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score:

        - ``fpr`` (Float64): The false positive rate; with ``"threshold"``, the mean of the folds' rates.
        - ``fpr_sd`` (Float64): With ``"threshold"``, the standard deviation of the folds' false positive
          rates; otherwise null.
        - ``tpr`` (Float64): The mean of the folds' true positive rates.
        - ``tpr_sd`` (Float64): The standard deviation of the folds' true positive rates; null if pooled.
        - ``threshold`` (Float64): With ``"threshold"``, a row is predicted positive if ``score >=
          threshold``. Null at the first point, where no row is predicted positive, and with the other
          methods.
        - ``n_folds`` (UInt64): The number of folds used.

        A fold with no positives or no negatives has no curve and is not used, except if folds are pooled.
        Standard deviations are null with one fold. The list is null if no fold has a curve (pooled: with no
        positives or no negatives in all folds together), or if a score is NaN. Rows with a null label, score
        or fold are skipped.

    Notes
    -----
    Provost, Fawcett and Kohavi (1998); Fawcett (2006, section 9, algorithms 3 and 4). A curve is linear
    between points, and at a vertical step its value is the top of the step. The standard deviation divides by
    k - 1 for k folds. O(n log n + p k log n) for p points.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> held_out = pl.DataFrame(
    ...     {
    ...         "fold": [1, 1, 1, 1, 2, 2, 2, 2],
    ...         "ill": [0, 0, 1, 1, 0, 1, 0, 1],
    ...         "risk": [1, 3, 2, 4, 1, 2, 3, 4],
    ...     }
    ... )
    >>> curve = pa.cv_roc_curve("ill", "risk", "fold", n_points=5)
    >>> points = held_out.select(curve).explode("risk").unnest("risk")
    >>> points.select("fpr", "tpr", "tpr_sd", "n_folds").rows()[:3]
    [(0.0, 0.5, 0.0, 2), (0.25, 0.5, 0.0, 2), (0.5, 1.0, 0.0, 2)]
    """
    return expression_of(cv_roc_curve, locals(), state_roles=["fold"])
