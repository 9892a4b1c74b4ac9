"""Many tests at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from polars_auc._options import ADJUSTMENTS, one_of
from polars_auc._plugin import columnwise

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["adjust_p_values"]


def adjust_p_values(
    p: IntoExpr, *, method: Literal["holm", "bonferroni", "bh", "by"] | None = "holm"
) -> pl.Expr:
    """Return p-values adjusted for their number.

    A function of the whole column, not an aggregate: use it in ``select`` or ``with_columns``, with
    ``over`` for one adjustment a group.

    Parameters
    ----------
    p
        The p-values.
    method
        ``"holm"`` or ``"bonferroni"``: the probability of any false rejection stays below the level (Holm's
        rejects at least as often). ``"bh"`` (Benjamini and Hochberg) or ``"by"`` (Benjamini and Yekutieli,
        whatever the dependence): the expected share of false ones among the rejections does. ``None`` leaves
        them as they are.

    Returns
    -------
    polars.Expr
        Float64, one for each row. Nulls and NaN stay, and do not count.

    Raises
    ------
    ValueError
        For a method of another name.
    polars.exceptions.ComputeError
        If the column is not numeric, or holds anything outside 0 to 1.

    Notes
    -----
    As ``p.adjust`` of R: Holm (1979), Benjamini and Hochberg (1995), Benjamini and Yekutieli (2001).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> tests = pl.DataFrame({"p": [0.01, 0.04, 0.03, 0.005]})
    >>> adjusted = tests.select(pa.adjust_p_values("p"), bh=pa.adjust_p_values("p", method="bh"))
    >>> adjusted.select(pl.all().round(4)).rows()
    [(0.03, 0.02), (0.06, 0.04), (0.06, 0.04), (0.02, 0.02)]
    """
    one_of("adjust_p_values", "method", method, ADJUSTMENTS)
    return columnwise("adjust_p_values", {"p": p}, elementwise=False, method=method or "none")
