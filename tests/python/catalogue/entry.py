"""An entry of the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl


@dataclass(frozen=True)
class Entry:
    """An expression and its expected result for rows of (label, score)."""

    name: str
    make: Callable[..., pl.Expr]
    oracle: Callable[[Sequence[Any]], Any]
    fields: Mapping[str, pl.DataType] | None = None
    """Fields of the record; None for a number. A threshold's dtype is the score's, here Float64."""
    is_list: bool = False
    columns: tuple[str, ...] = ("label", "score")
    """The columns that the expression takes, in order."""
    by_value: bool = False
    """Whether scores count by their values, not only by their order."""
    plugin: str | None = None
    """The plugin's name of the expression, if it is another."""
    exact: bool = True
    """Whether areas and rates are quotients of whole numbers, and not sums of rounded ones."""

    def of(self, **columns: pl.Expr) -> pl.Expr:
        """Make the expression of columns, each its own unless another is given."""
        return self.make(*(columns.get(name, pl.col(name)) for name in self.columns))

    @property
    def dtype(self) -> pl.DataType:
        record = pl.Float64() if self.fields is None else pl.Struct(self.fields)
        return pl.List(record) if self.is_list else record

    def __str__(self) -> str:
        return self.name


F: pl.DataType = pl.Float64()
N: pl.DataType = pl.UInt64()
W: pl.DataType = pl.String()
COUNTS = {"n_pos": N, "n_neg": N}
