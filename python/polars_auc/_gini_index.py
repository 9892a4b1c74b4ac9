"""How well a score puts rows with large targets first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polars_auc._options import flag
from polars_auc._plugin import expression

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["gini_index"]


def gini_index(
    target: IntoExpr, score: IntoExpr, *, points: bool = False, count: IntoExpr | None = None
) -> pl.Expr:
    """Return the Gini index of a target that is a number, such as the claims of policies, ordered by a score.

    It says how well the score puts rows with large targets first: insurers compare models of claims with it.
    For a target that is 0 or 1 there is :func:`polars_auc.gini`.

    Parameters
    ----------
    target
        Any numeric or Boolean column, such as the cost of a policy's claims.
    score
        Any numeric or Boolean column; higher means a larger target.
    points
        Whether the points of the curve are listed.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative.
        The answer is that of the repeated rows. Rows of count 0 or null are left out.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``gini`` (Float64): the index: 0 if the score says nothing, below 1, negative if it orders rows the
          wrong way round.
        - ``normalized`` (Float64): ``gini`` over the index of the target ordered by itself, at most 1.
        - ``points`` (List of Struct): with ``points``, for each distinct score, highest first, ``score``, the
          share of rows that reach it, ``population``, and their share of the target's total, ``captured``
          (Float64); the first point is (0, 0), without a score. Otherwise null.
        - ``total`` (Float64): the sum of the target.
        - ``n`` (UInt64): the rows that were used.

        ``gini``, ``normalized`` and ``points`` are null if the total is not above 0, ``normalized`` also if
        all targets are equal. The numbers are NaN if a target or a score is NaN. Rows with a null target or
        score are skipped. Scores are compared in their own dtype; targets are added as Float64.

    Raises
    ------
    ValueError
        If ``points`` is neither True nor False.
    polars.exceptions.ComputeError
        If a column is not numeric.

    Notes
    -----
    Rows are taken from the highest score down, tied rows in equal parts; the curve is the share of the total
    over the share of rows, also called Lorenz or concentration curve, and ``gini`` is twice the area between
    it and the diagonal (Frees, Meyers and Cummings 2011). For a target that is 0 or 1, ``normalized`` is
    ``2 AUC - 1``, and the curve is that of :func:`polars_auc.cap_curve`. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> policies = pl.DataFrame({"claims": [600, 0, 200, 0, 0], "premium": [90, 80, 70, 60, 50]})
    >>> index = policies.select(pa.gini_index("claims", "premium")).unnest("premium")
    >>> index.select(pl.col("gini", "normalized").round(4), "total", "n").row(0)
    (0.6, 0.8571, 800.0, 5)
    """
    points = flag("gini_index", "points", points)
    return expression("gini_index", {"score": score, "target": target, "count": count}, points=points)
