"""One rate of the ROC curve where the other is fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polars_auc._options import between_0_and_1, rate, resampling
from polars_auc._plugin import expression

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["fpr_at_tpr", "tpr_at_fpr"]


def tpr_at_fpr(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    fpr: float | None = None,
    *,
    level: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the true positive rate at a false positive rate, with its bootstrap interval.

    It is the sensitivity at a fixed specificity, ``1 - fpr``.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    fpr
        The false positive rate, from 0 to 1.
    level
        The interval's coverage, between 0 and 1.
    n_resamples
        The number of resamples of the bootstrap.
    seed
        The seed of the bootstrap's random numbers. The same seed gives the same limits for every order of
        rows and groups, every number of threads and every engine.
    weight
        The weight of each row, which says how many rows it stands for: a column of finite numbers that are
        not negative. Rows of weight 0 or null are left out.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative.
        The answer is that of the repeated rows. Rows of count 0 or null are left out.
    state
        Column of states from :func:`roc_state` in place of ``label`` and ``score``. The states of a group are
        merged, and the answer is that of all their rows; of a state with ``max_bins``, that of rows of which
        those in one bin tie.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``tpr`` (Float64): the true positive rate of the group's ROC curve at ``fpr``.
        - ``se`` (Float64): the standard deviation of the resamples.
        - ``lower``, ``upper`` (Float64): the limits of the interval.
        - ``n_pos``, ``n_neg`` (UInt64): the rows that were used.

        ``tpr`` is null if the group has no positive or no negative; the others are null if it has fewer than
        two positives or fewer than two negatives, and with weights, because weights do not say how many
        observations there are. All four are NaN if a score is NaN. Rows with a null label, score or weight
        are skipped.

    Raises
    ------
    ValueError
        For a rate outside 0 to 1, a level that is not between 0 and 1, a number of resamples below 2, or a
        negative seed.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

    Notes
    -----
    Between two points the curve is a straight line. Where it is vertical, the highest point counts. Each
    resample has its own threshold. Rows are drawn within each class, and the limits are quantiles (type 7) of
    the resamples (Efron 1979; Platt, Hanley and Yang 2000), as ``pROC::ci.se``, whose middle value is the
    median of the resamples and not the rate itself. O(n log n), and O(n) for each resample.

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
    (0.72, 0.59, 0.85)
    """
    drawn = resampling("tpr_at_fpr", n_resamples, seed)
    columns = {"score": score, "label": label, "count": count, "state": state, "weight": weight}
    return _point("tpr_at_fpr", columns, {"fpr": fpr}, level, drawn)


def fpr_at_tpr(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    tpr: float | None = None,
    *,
    level: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the false positive rate at a true positive rate, with its bootstrap interval.

    It is 1 minus the specificity at a fixed sensitivity.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    tpr
        The true positive rate, from 0 to 1.
    level
        The interval's coverage, between 0 and 1.
    n_resamples
        The number of resamples of the bootstrap.
    seed
        The seed of the bootstrap's random numbers, as for :func:`tpr_at_fpr`.
    weight
        The weight of each row, which says how many rows it stands for: a column of finite numbers that are
        not negative. Rows of weight 0 or null are left out.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative.
        The answer is that of the repeated rows. Rows of count 0 or null are left out.
    state
        Column of states from :func:`roc_state` in place of ``label`` and ``score``. The states of a group are
        merged, and the answer is that of all their rows; of a state with ``max_bins``, that of rows of which
        those in one bin tie.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``fpr`` (Float64): the false positive rate of the group's ROC curve at ``tpr``.
        - ``se`` (Float64): the standard deviation of the resamples.
        - ``lower``, ``upper`` (Float64): the limits of the interval.
        - ``n_pos``, ``n_neg`` (UInt64): the rows that were used.

        ``fpr`` is null if the group has no positive or no negative; the others are null if it has fewer than
        two positives or fewer than two negatives, and with weights, because weights do not say how many
        observations there are. All four are NaN if a score is NaN. Rows with a null label, score or weight
        are skipped.

    Raises
    ------
    ValueError
        For a rate outside 0 to 1, a level that is not between 0 and 1, a number of resamples below 2, or a
        negative seed.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

    Notes
    -----
    As :func:`tpr_at_fpr` with the axes exchanged: where the curve is horizontal, its leftmost point counts.
    ``pROC::ci.sp`` gives the limits of the specificity, which is ``1 - fpr``. O(n log n), and O(n) for each
    resample.

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
    (0.32, 0.14, 0.57)
    """
    drawn = resampling("fpr_at_tpr", n_resamples, seed)
    columns = {"score": score, "label": label, "count": count, "state": state, "weight": weight}
    return _point("fpr_at_tpr", columns, {"tpr": tpr}, level, drawn)


def _point(
    name: str,
    columns: dict[str, IntoExpr | None],
    at: dict[str, float | None],
    level: float,
    drawn: dict[str, int],
) -> pl.Expr:
    between_0_and_1(name, "level", level)
    options: dict[str, Any] = {what: rate(name, what, value) for what, value in at.items()}
    options |= {"level": float(level), "resampling": drawn}
    return expression(name, columns, **options)
