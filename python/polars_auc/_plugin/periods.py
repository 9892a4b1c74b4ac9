"""The order of periods with text names, such as W9 before W10."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from polars_auc import _native


def period_dtype(column: pl.Series) -> pl.DataType | type[pl.DataType]:
    """Return a dtype that sorts like the periods in a column: an Enum for texts.

    Raise ValueError with the reason if the order of texts is ambiguous.
    """
    if not _is_text(column.dtype):
        return column.dtype
    return pl.Enum(period_order(column.cast(pl.String).drop_nulls().unique()))


def period_order(names: Iterable[str]) -> list[str]:
    """Return the distinct names in the order of their periods."""
    names = sorted(set(names))
    return [names[place] for place in _native.period_order(names)]


def sorted_groups(rows: pl.LazyFrame, by: Sequence[str], axis: str | None) -> pl.LazyFrame:
    """Sort rows by the group columns, nulls last; the values of ``axis`` sort as periods."""
    if axis is None or not _is_text(rows.collect_schema()[axis]):
        return rows.sort(by, nulls_last=True)
    place = pl.col(axis).map_batches(_places, return_dtype=pl.UInt32)
    return rows.sort([place if key == axis else pl.col(key) for key in by], nulls_last=True)


def _places(periods: pl.Series) -> pl.Series:
    """Return the rank of each period."""
    names = periods.cast(pl.String)
    # A single name needs no order.
    dtype = period_dtype(names) if names.drop_nulls().n_unique() > 1 else pl.Categorical()
    return names.cast(dtype).to_physical().cast(pl.UInt32)


def _is_text(dtype: pl.DataType) -> bool:
    return dtype in (pl.String, pl.Categorical)
