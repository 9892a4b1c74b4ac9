"""Whether the p-values of a report were adjusted, in words."""

from __future__ import annotations

import polars as pl

__all__ = ["P_ADJUSTED", "after_adjustment"]

P_ADJUSTED = "p_adjusted"
"""How the names of columns of adjusted p-values end."""


def after_adjustment(table: pl.DataFrame, *columns: str) -> str:
    """Say whether these columns of a report, or all, were adjusted for the number of tests.

    Every adjustment raises the smallest of different p-values. Of a single test, or of equal p-values, the
    table does not say whether they were adjusted, and neither is said.
    """
    names = columns or tuple(name for name in table.columns if name.endswith(P_ADJUSTED))
    pairs = [(name.removesuffix(P_ADJUSTED) + "p_value", name) for name in names]
    tests = [table.select(p=p, adjusted=adjusted).drop_nulls() for p, adjusted in pairs if p in table.columns]
    if len(tests) < len(pairs) or any((one["p"] != one["adjusted"]).any() for one in tests):
        return ", after the adjustment"
    several = any(one.filter(pl.col("p") > 0)["p"].n_unique() > 1 for one in tests)
    return ", without an adjustment for the number of tests" if several else ""
