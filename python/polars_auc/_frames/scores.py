"""Conversion of scores for statistics (no NaN, high is positive), and of thresholds to the user's scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from polars_auc._plugin.errors import OptionError


def refuse_nan(function: str, nan: object) -> None:
    """Raise for an unsupported value of the option ``nan``."""
    if nan not in (None, "skip"):
        raise OptionError(function, "nan", f"must be 'skip', or be left out, got {nan!r}")


def without_nan(rows: pl.LazyFrame, scores: Mapping[str, pl.Expr]) -> dict[str, pl.Expr]:
    """Return scores with NaN replaced by null."""
    return {
        name: score.fill_nan(None) if dtype_of(rows, score).is_float() else score
        for name, score in scores.items()
    }


def in_cluster(column: pl.Expr, cluster: pl.Expr) -> pl.Expr:
    """Return a label or a score that is null in rows without a cluster: such rows are skipped everywhere."""
    # Older Polars cannot pickle an expression without `otherwise`.
    return pl.when(cluster.is_not_null()).then(column).otherwise(None)


def negated(rows: pl.LazyFrame, scores: Mapping[str, pl.Expr]) -> dict[str, pl.Expr]:
    """Return the negative of each score, exact for every dtype, with its name."""
    return {name: _negated(score, dtype_of(rows, score)).alias(name) for name, score in scores.items()}


def dtype_of(rows: pl.LazyFrame, column: pl.Expr) -> pl.DataType:
    """Return the dtype of an expression."""
    [dtype] = rows.select(column).collect_schema().dtypes()
    return dtype


def _negated(score: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    if dtype == pl.Boolean:
        return -score.cast(pl.Int8)
    if dtype in (pl.Int64, pl.UInt64):
        # The negatives of the least Int64 and of large UInt64 values overflow Int64.
        return _minus(score.cast(pl.Int128), pl.Int128)
    if dtype.is_integer() and dtype != pl.Int128:
        return _minus(score.cast(pl.Int64), pl.Int64)
    return _minus(score, dtype)


def _minus(value: pl.Expr, dtype: pl.DataType | type[pl.DataType]) -> pl.Expr:
    """Return the negative of a value; Polars has no negation of Int128."""
    return pl.lit(0, dtype=dtype) - value if dtype == pl.Int128 else -value


def on_user_scale(points: pl.LazyFrame, dtypes: Sequence[pl.DataType]) -> pl.LazyFrame:
    """Convert thresholds and bands of negated scores back to the user's scale.

    If all scores have one dtype, they are cast to it.
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
