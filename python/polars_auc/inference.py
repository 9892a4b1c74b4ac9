"""How sure an estimate is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from polars_auc._plugin import between_0_and_1, expression, one_of

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["roc_auc_ci"]


def roc_auc_ci(
    label: IntoExpr,
    score: IntoExpr,
    *,
    method: Literal["delong"] = "delong",
    level: float = 0.95,
) -> pl.Expr:
    """Return the AUC with its standard error and confidence interval.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    method
        ``"delong"``: normal on the AUC's own scale, with the DeLong standard error, clipped to 0 and 1.
    level
        The interval's coverage, between 0 and 1.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``auc`` (Float64): as :func:`polars_auc.roc_auc`.
        - ``se`` (Float64): the standard error of ``auc``.
        - ``lower``, ``upper`` (Float64): the limits of the interval.
        - ``n_pos``, ``n_neg`` (UInt64): the rows that were used.

        ``auc`` is null if the group has no positive or no negative; the standard error and the limits are
        null if it has fewer than two of either. All four are NaN if a score is NaN. Rows with a null label
        or score are skipped. Where the classes do not overlap at all (AUC 0 or 1) or all scores tie, the
        standard error is 0 and the interval a single point, which says little: the sample cannot tell.

    Raises
    ------
    ValueError
        For a method of another name, or a level that is not between 0 and 1.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

    Notes
    -----
    The placement of a positive is the share of negatives it beats, ties counting half, and of a negative the
    share of positives that beat it. With their sample variances S10 and S01,
    ``se² = S10 / P + S01 / N`` (DeLong, DeLong and Clarke-Pearson 1988); both variances are taken from exact
    integer sums. O(n log n), not O(P N).

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
    (0.8932, 0.0307, 0.833, 0.9534)
    """
    one_of("roc_auc_ci", "method", method, ("delong",))
    between_0_and_1("roc_auc_ci", "level", level)
    return expression("roc_auc_ci", label, score, method=method, level=float(level))
