"""An entry of the catalogue."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import polars as pl


@dataclass(frozen=True)
class Entry:
    """An expression and its expected result for rows of (label, score)."""

    name: str
    make: Callable[..., pl.Expr]
    oracle: Callable[[Sequence[Any]], Any]
    fields: Mapping[str, pl.DataType] | None = None
    """Fields of the record; None for a number. A threshold has the score's dtype, here Float64."""
    is_list: bool = False
    columns: tuple[str, ...] = ("label", "score")
    """The columns of the expression, in order."""
    by_value: bool = False
    """Whether the values of scores matter, not only their order."""
    variant: str | None = None
    """The statistic in the plugin's table, if columns and options select another than the first."""
    exact: bool = True
    """Whether areas and rates are quotients of integers, not sums of rounded numbers."""

    @property
    def takes_one_score(self) -> bool:
        return self.columns in (("label", "score"), ("label", "probability"), ("label", "grade"))

    def of(self, **columns: pl.Expr) -> pl.Expr:
        """Return the expression, with default or other columns."""
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
Z_90 = 1.6448536269514722
WEIGHTED = ("label", "score", "weight")
HALF = Fraction(1, 2)


def weighted(function: Callable[..., pl.Expr], **options: Any) -> Callable[..., pl.Expr]:
    return lambda label, score, weight: function(label, score, weight=weight, **options)


def both(
    name: str,
    function: Callable[..., pl.Expr],
    oracle: Callable[..., Any],
    fields: Callable[[pl.DataType], dict[str, pl.DataType]] | None,
    *,
    variant: str | None = None,
    is_list: bool = False,
    by_value: bool = False,
    exact: bool = True,
    **options: Any,
) -> list[Entry]:
    """Return the entries without and with weights: masses are counts, or sums of weights."""
    plain, heavy = (None, None) if fields is None else (fields(N), fields(F))
    common: dict[str, Any] = {} if fields is None else {"weighted": False}
    heavier: dict[str, Any] = {} if fields is None else {"weighted": True}
    plain_form, heavy_form = functools.partial(oracle, **common), functools.partial(oracle, **heavier)
    return [
        Entry(
            name,
            functools.partial(function, **options),
            plain_form,
            plain,
            is_list,
            by_value=by_value,
            variant=variant,
            exact=exact,
        ),
        Entry(
            name,
            weighted(function, **options),
            heavy_form,
            heavy,
            is_list,
            WEIGHTED,
            by_value,
            variant,
            exact,
        ),
    ]


TWO = ("label", "score", "other")
KEYED = ("label", "score", "key")
Sided: TypeAlias = Literal["two-sided", "greater", "less"]


def with_and_without_weights(
    function: Callable[..., pl.Expr],
) -> list[tuple[Callable[..., pl.Expr], tuple[str, ...]]]:
    """Return a function of labels and scores, and optionally weights, with its columns."""

    def weighted(label: pl.Expr, score: pl.Expr, weight: pl.Expr, **options: Any) -> pl.Expr:
        return function(label, score, weight=weight, **options)

    return [(function, ("label", "score")), (weighted, WEIGHTED)]
