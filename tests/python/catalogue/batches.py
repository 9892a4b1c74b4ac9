"""Rows in batches, with scores and keys of every dtype."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import date
from typing import Any

import polars as pl
from polars.io.plugins import register_io_source

from polars_auc._frames.batches import batches

SCORES: dict[str, pl.Expr] = {
    "boolean": pl.col("score") > 0.5,
    "i8": (pl.col("score") * 20).cast(pl.Int8),
    "u16": (pl.col("score").abs() * 1000).cast(pl.UInt16),
    "i32": (pl.col("score") * 1e6).cast(pl.Int32),
    "i64": (pl.col("score") * 1e15).cast(pl.Int64),
    "u32": (pl.col("score").abs() * 1e6).cast(pl.UInt32),
    "u64": (pl.col("score").abs() * 1e15).cast(pl.UInt64),
    "i128": (pl.col("score") * 1e15).cast(pl.Int128) * 2**40,
    "decimal": pl.col("score").cast(pl.Decimal(20, 6)),
    "f32": pl.col("score").cast(pl.Float32),
    "f64": pl.col("score"),
    "two decimals": pl.col("score").round(2),
    "null": pl.lit(None),
}
"""Return scores of each dtype, from the column `score` of non-integers."""

KEYS: dict[str, pl.Expr] = {
    "words": pl.col("g").replace_strict({0: "a word that is longer than others", 1: "b", 2: None}),
    "categories": pl.col("g").replace_strict({0: "z", 1: "b", 2: None}).cast(pl.Categorical),
    "enum": pl.col("g").replace_strict({0: "z", 1: "b", 2: None}).cast(pl.Enum(["z", "a", "b"])),
    "dates": pl.col("g").replace_strict({0: date(2026, 1, 1), 1: date(2025, 1, 1), 2: None}),
    "truths": pl.col("g") > 1,
    "floats": pl.col("g").replace_strict({0: float("nan"), 1: -0.0, 2: 0.0}),
    "nothing": pl.lit(None),
}
"""Return keys of each dtype, from a column `g` of 0, 1 and 2."""


def read(frame: pl.DataFrame, size: int) -> pl.LazyFrame:
    """Return a lazy frame that yields batches of a size, as a file does."""

    def parts(columns: list[str] | None, condition: pl.Expr | None, *_: Any) -> Iterator[pl.DataFrame]:
        rows = frame if condition is None else frame.filter(condition)
        rows = rows if columns is None else rows.select(columns)
        yield from rows.iter_slices(size) if rows.height else [rows]

    return register_io_source(parts, schema=frame.schema)


def in_order(
    rows: pl.LazyFrame, size: int, *, maintain_order: bool
) -> AbstractContextManager[Iterator[pl.DataFrame]]:
    """Read batches in row order, for tests of a certain batch."""
    assert not maintain_order
    return batches(rows, size, maintain_order=True)
