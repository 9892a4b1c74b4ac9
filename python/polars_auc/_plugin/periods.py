"""The order of periods that are named by texts, such as W9 before W10."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from polars_auc import _native


def period_dtype(column: pl.Series) -> pl.DataType | type[pl.DataType]:
    """Return a dtype whose order is that of the periods in a column: for texts an Enum.

    Raise ValueError with the reason if texts have no order without a guess.
    """
    if not _is_text(column.dtype):
        return column.dtype
    return pl.Enum(period_order(column.cast(pl.String).drop_nulls().unique()))


def period_order(names: Iterable[str]) -> list[str]:
    """Return names in the order of their periods, each once."""
    names = sorted(set(names))
    return [names[place] for place in _native.period_order(names)]


def sorted_groups(rows: pl.LazyFrame, by: Sequence[str], axis: str | None) -> pl.LazyFrame:
    """Sort rows by the columns of groups, nulls last; the values of an axis are periods with an order."""
    if axis is None or not _is_text(rows.collect_schema()[axis]):
        return rows.sort(by, nulls_last=True)
    place = pl.col(axis).map_batches(_places, return_dtype=pl.UInt32)
    return rows.sort([place if key == axis else pl.col(key) for key in by], nulls_last=True)


def _places(periods: pl.Series) -> pl.Series:
    """Return the place of each period among the others."""
    names = periods.cast(pl.String)
    # One name alone needs no order.
    dtype = period_dtype(names) if names.drop_nulls().n_unique() > 1 else pl.Categorical()
    return names.cast(dtype).to_physical().cast(pl.UInt32)


def _is_text(dtype: pl.DataType) -> bool:
    return dtype in (pl.String, pl.Categorical)
