"""Adjustments of p-values for many tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polars_auc._options import Adjustment, adjustment
from polars_auc._plugin import columnwise

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["adjust_p_values"]


def adjust_p_values(p: IntoExpr, *, method: Adjustment | None = "holm") -> pl.Expr:
    """Return p-values adjusted for their number.

    This is a function of the whole column, not an aggregate: use it in ``select`` or ``with_columns``, and
    with ``over`` for a separate adjustment in each group.

    Parameters
    ----------
    p
        The p-values.
    method
        ``"holm"`` or ``"bonferroni"`` keep the probability of any false rejection below the level; Holm's
        method rejects at least as often. ``"bh"`` (Benjamini and Hochberg) or ``"by"`` (Benjamini and
        Yekutieli, valid for any dependence) keep the expected share of false rejections below the level.
        ``"hochberg"`` and ``"hommel"`` reject at least as often as Holm's, and ``"sidak"`` and
        ``"holm-sidak"`` a little more often than ``"bonferroni"`` and ``"holm"``; they hold the level for
        independent p-values, and for most that depend on each other positively. ``None`` changes nothing.
        The names of R and statsmodels, such as ``"BH"`` and ``"fdr_bh"``, are accepted.

    Returns
    -------
    polars.Expr
        Float64, one for each row. Null and NaN stay as they are and are not counted as tests.

    Raises
    ------
    ValueError
        For an unknown method.
    polars.exceptions.ComputeError
        If the column is not numeric, or has a value outside 0 to 1.

    Notes
    -----
    As ``p.adjust`` of R: Holm (1979), Hochberg (1988), Hommel (1988), Benjamini and Hochberg (1995),
    Benjamini and Yekutieli (2001); Sidak (1967) as in statsmodels. O(m log m) for m p-values, and O(m²) for
    ``"hommel"``.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> tests = pl.DataFrame({"p": [0.01, 0.04, 0.03, 0.005]})
    >>> adjusted = tests.select(pa.adjust_p_values("p"), bh=pa.adjust_p_values("p", method="bh"))
    >>> adjusted.select(pl.all().round(4)).rows()
    [(0.03, 0.02), (0.06, 0.04), (0.06, 0.04), (0.02, 0.02)]
    """
    name = "adjust_p_values"
    return columnwise(name, {"p": p}, elementwise=False, method=adjustment(name, method, "method"))
