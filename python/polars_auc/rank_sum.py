"""Rank-sum tests of positives against negatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from polars_auc._plugin import expression, one_of

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["mann_whitney_u"]


def mann_whitney_u(
    label: IntoExpr,
    score: IntoExpr,
    *,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    continuity: bool = True,
) -> pl.Expr:
    """Return the Mann-Whitney U of the positives, and its test.

    The same test as Wilcoxon's rank-sum test, by the normal approximation with the variance that the ties
    leave.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    alternative
        Which departure from one common distribution counts: ``"greater"`` means that positives tend to score
        higher.
    continuity
        Whether U is moved by one half towards its expectation, as scipy and R do unless told otherwise.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``u_statistic`` (Float64): pairs of one positive and one negative that the positive wins, ties
          counting half.
        - ``z`` (Float64): the standardised U, positive if positives tend to score higher.
        - ``p_value`` (Float64): of the hypothesis that both classes have one distribution.
        - ``auc`` (Float64): ``U / (P N)``.
        - ``n_pos``, ``n_neg`` (UInt64): the rows that were used.

        The Float64 fields are null if the group has no positive or no negative, ``z`` and ``p_value`` also if
        all scores tie; all are NaN if a score is NaN. Rows with a null label or score are skipped.

    Raises
    ------
    ValueError
        For an alternative of another name.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

    Notes
    -----
    ``Var U = P N / 12 ((n + 1) - sum(t³ - t) / (n (n - 1)))`` over the ties of t rows each, n = P + N
    (Lehmann 1975, section 1.4). U and the sum are exact integers. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> trial = pl.DataFrame({"treated": [1, 1, 1, 1, 0, 0, 0], "score": [3, 3, 5, 8, 1, 3, 4]})
    >>> test = trial.select(pa.mann_whitney_u("treated", "score")).unnest("score")
    >>> test.select("u_statistic", pl.col("p_value").round(4)).row(0)
    (9.0, 0.359)
    """
    one_of("mann_whitney_u", "alternative", alternative, ("two-sided", "greater", "less"))
    return expression("mann_whitney_u", label, score, alternative=alternative, continuity=bool(continuity))
