"""Scores as statistics take them: without NaN, high ones positive; and thresholds on the user's scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from polars_auc._plugin.errors import OptionError


def refuse_nan(function: str, nan: object) -> None:
    """Refuse a value that the option ``nan`` does not have."""
    if nan not in (None, "skip"):
        raise OptionError(function, "nan", f"must be 'skip', or be left out, got {nan!r}")


def without_nan(rows: pl.LazyFrame, scores: Mapping[str, pl.Expr]) -> dict[str, pl.Expr]:
    """Return scores that are null where they are NaN."""
    return {
        name: score.fill_nan(None) if dtype_of(rows, score).is_float() else score
        for name, score in scores.items()
    }


def in_cluster(column: pl.Expr, cluster: pl.Expr) -> pl.Expr:
    """Return a label or a score that is null outside of clusters: such rows are skipped everywhere."""
    # An older Polars cannot pickle what has no `otherwise`.
    return pl.when(cluster.is_not_null()).then(column).otherwise(None)


def negated(rows: pl.LazyFrame, scores: Mapping[str, pl.Expr]) -> dict[str, pl.Expr]:
    """Return minus each score, exact for every dtype, under its name."""
    return {name: _negated(score, dtype_of(rows, score)).alias(name) for name, score in scores.items()}


def dtype_of(rows: pl.LazyFrame, column: pl.Expr) -> pl.DataType:
    """Return the dtype of an expression."""
    [dtype] = rows.select(column).collect_schema().dtypes()
    return dtype


def _negated(score: pl.Expr, dtype: pl.DataType) -> pl.Expr:
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


def on_user_scale(points: pl.LazyFrame, dtypes: Sequence[pl.DataType]) -> pl.LazyFrame:
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
