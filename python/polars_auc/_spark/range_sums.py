"""The numbers of a report from ranges of scores that were counted apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polars_auc._plugin.call import columnwise

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin.call import IntoExpr

__all__ = ["range_sums", "summary_of_ranges"]


def range_sums(state: IntoExpr) -> pl.Expr:
    """Return what each state, of the rows of a group in a range of scores, adds to the numbers of the group.

    They are bytes, which only the same version of the plugin reads.
    """
    return columnwise("range_sums", {"state": state}, elementwise=True)


def summary_of_ranges(ranges: IntoExpr, **limits: Any) -> pl.Expr:
    """Return the numbers of each list of :func:`range_sums`, the range of the highest scores first.

    They are those of :func:`polars_auc.roc_summary` that a report shows, bit for bit.
    """
    return columnwise("summary_of_ranges", {"ranges": ranges}, elementwise=True, **limits)
