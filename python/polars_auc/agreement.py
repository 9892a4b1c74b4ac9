"""How far two columns order rows alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polars_auc._plugin import expression

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["rank_agreement"]


def rank_agreement(x: IntoExpr, y: IntoExpr) -> pl.Expr:
    """Return the pairs of rows that two columns order alike, and the measures that follow from their numbers.

    Parameters
    ----------
    x, y
        Any numeric or Boolean columns: two scores, or two measures of the same things.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after ``x``:

        - ``concordant``, ``discordant`` (UInt64): pairs that both order, alike or against each other.
        - ``tied_x``, ``tied_y``, ``tied_both`` (UInt64): pairs that tie in x only, in y only, in both.
        - ``tau_a``, ``tau_b`` (Float64): Kendall's rank correlations.
        - ``somers_yx``, ``somers_xy`` (Float64): Somers' D of y given x, and of x given y.
        - ``gamma`` (Float64): Goodman and Kruskal's.
        - ``consistency`` (Float64): Ling's degree of consistency, the share of concordant pairs among those
          that both order.
        - ``discriminancy`` (Float64): Ling's degree of discriminancy, pairs that x tells apart and y does not
          for each pair that y tells apart and x does not.
        - ``n`` (UInt64): the rows that were used.

        A measure is null where it would divide by no pairs, and NaN if a value is NaN; the pairs are then 0.
        Rows with a null x or y are skipped.

    Raises
    ------
    polars.exceptions.ComputeError
        If a column is not numeric.

    Notes
    -----
    With C concordant and D discordant pairs of n rows, X tied in x only and Y in y only:
    ``tau_a = (C - D) / (n (n - 1) / 2)`` (Kendall 1938), ``tau_b = (C - D) / sqrt((C + D + X) (C + D + Y))``
    (1945), ``somers_yx = (C - D) / (C + D + Y)`` (Somers 1962), ``gamma = (C - D) / (C + D)`` (Goodman and
    Kruskal 1954), ``consistency = C / (C + D)`` and ``discriminancy = Y / X`` (Ling, Huang and Zhang 2003).
    The pairs are exact integers, counted by Knight's (1966) method: O(n log n).

    Examples
    --------
    Four rankings of a test set, their AUC and their accuracy:

    >>> import polars as pl
    >>> import polars_auc as pa
    >>> models = pl.DataFrame({"auc": [0.96, 0.64, 0.84, 0.84], "accuracy": [0.8, 0.8, 0.6, 0.8]})
    >>> both = models.select(pa.rank_agreement("auc", "accuracy")).unnest("auc")
    >>> both.select("concordant", "discordant", "tied_x", "tied_y", pl.col("tau_b").round(4)).row(0)
    (1, 1, 1, 3, 0.0)
    """
    return expression("rank_agreement", {"x": x, "y": y})
