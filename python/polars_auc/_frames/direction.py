"""Scores of which low ones are positive: as expressions see them, and back on the scale of the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

__all__ = ["negated", "on_their_scale"]


def negated(rows: pl.LazyFrame, scores: Mapping[str, pl.Expr]) -> dict[str, pl.Expr]:
    """Return minus each score, exact for every dtype, under its name."""
    return {name: _negated(rows, score).alias(name) for name, score in scores.items()}


def _negated(rows: pl.LazyFrame, score: pl.Expr) -> pl.Expr:
    [dtype] = rows.select(score).collect_schema().dtypes()
    if dtype == pl.Boolean:
        return -score.cast(pl.Int8)
    if dtype in (pl.Int64, pl.UInt64):
        # The least Int64 and large UInt64 have no negative in Int64.
        return _minus(score.cast(pl.Int128), pl.Int128)
    if dtype.is_integer() and dtype != pl.Int128:
        return _minus(score.cast(pl.Int64), pl.Int64)
    return _minus(score, dtype)


def _minus(value: pl.Expr, dtype: pl.DataType | type[pl.DataType]) -> pl.Expr:
    """Return minus a value; Polars has no minus sign for Int128."""
    return pl.lit(0, dtype=dtype) - value if dtype == pl.Int128 else -value


def on_their_scale(points: pl.LazyFrame, dtypes: Sequence[pl.DataType]) -> pl.LazyFrame:
    """Return points whose thresholds and bands are on the scale of the scores before they were negated.

    If all scores have one dtype, that is theirs.
    """
    schema = points.collect_schema()
    common = dtypes[0] if len(set(dtypes)) == 1 else None

    def back(name: str) -> pl.Expr:
        value = _minus(pl.col(name), schema[name])
        return value if common is None else value.cast(common)

    columns = {"threshold": "threshold", "highest": "lowest", "lowest": "highest"}
    return points.with_columns(
        back(source).alias(name) for name, source in columns.items() if name in schema and source in schema
    )
