"""Polars expressions as grouped aggregates of Spark."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from polars_auc._expressions.states import have_weights, roc_state
from polars_auc._expressions.thresholds import operating_point
from polars_auc._frames.inputs import called
from polars_auc._plugin.call import columns_and_options, returns_number
from polars_auc._plugin.errors import OptionError
from polars_auc._spark.types import (
    column_by_name,
    polars_dtype,
    refuse_column,
    require_spark,
    spark_type,
    table_for_spark,
)

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import Column


def aggregate(local: Callable[..., pl.Expr]) -> Callable[..., Column]:
    """Return a function of polars_auc as a grouped aggregate of Spark."""
    name = local.__name__
    columns, _ = columns_and_options(name)
    signature = inspect.signature(local)

    def column(*arguments: Any, score_type: Any = None, **options: Any) -> Column:
        require_spark(name)
        values = signature.bind(*arguments, **options).arguments
        return _column(
            local, {role: values.pop(role) for role in columns if role in values}, values, score_type
        )

    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    parameters.append(inspect.Parameter("score_type", inspect.Parameter.KEYWORD_ONLY, default=None))
    column.__name__ = column.__qualname__ = name
    column.__module__ = "polars_auc.spark"
    column.__doc__ = _docstring(name, local.__doc__ or "")
    column.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return column


def _docstring(name: str, local: str) -> str:
    return f"""{local.splitlines()[0]}

    This is :func:`polars_auc.{name}` as a grouped aggregate of Spark, for ``df.groupBy(...).agg(...)``.

    Parameters
    ----------
    *arguments, **options
        As of :func:`polars_auc.{name}`. Columns are names, or Columns of Spark. Options are checked at once.
    score_type
        The type of the score, if the result holds scores: a threshold, or the bins of a state. None is
        ``DoubleType()``. A column of another type is refused when the query runs.

    Returns
    -------
    pyspark.sql.Column
        One struct for each group, with the fields of :func:`polars_auc.{name}`. A number is the field
        ``{name}`` of a struct that also has ``n_pos`` and ``n_neg``. UInt64 is ``LongType``.
    """


def _column(
    local: Callable[..., pl.Expr], columns: Mapping[str, Any], options: Mapping[str, Any], score_type: Any
) -> Column:
    """Check everything that can be checked on the driver, and return the aggregate."""
    import pyarrow as pa
    from pyspark.sql.functions import arrow_udf
    from pyspark.sql.types import DoubleType

    name = local.__name__
    columns = {role: column for role, column in columns.items() if column is not None}
    for role, column in columns.items():
        refuse_column(name, role, column)
    names = _column_names(columns)
    declared = polars_dtype(name, DoubleType() if score_type is None else score_type)
    dtype = _planned(local, names, options, declared)
    if score_type is not None and dtype == _planned(local, names, options, _another(declared)):
        reason = "is for results that contain scores, and this result has none"
        raise OptionError(name, "score_type", reason, "leave it out")

    def evaluated(*arrays: pyarrow.Array) -> pyarrow.Scalar | None:
        return _evaluated(local, names, options, dtype, declared, arrays)

    evaluated.__name__ = name
    # Spark detects an aggregate by these types; as strings, Spark would look them up in this module.
    evaluated.__annotations__ = {"arrays": pa.Array, "return": pa.Scalar}
    udf = arrow_udf(evaluated, returnType=spark_type(dtype))
    return udf(*(column_by_name(c) if isinstance(c, str) else c for c in columns.values()))


def _column_names(columns: Mapping[str, Any]) -> dict[str, str]:
    """Return a name for each column, for messages: its name, or its role for a Column."""
    names = {role: column if isinstance(column, str) else role for role, column in columns.items()}
    return names if len(set(names.values())) == len(names) else {role: role for role in columns}


def _planned(
    local: Callable[..., pl.Expr], names: Mapping[str, str], options: Mapping[str, Any], score: pl.DataType
) -> Any:
    """Return the dtype of the result; building the expression checks its options.

    Spark provides no column types before planning. The score dtype is an argument, which also defines the
    state dtype. For clusters and counts any integer type is equivalent.
    """
    rows = pl.LazyFrame(schema={"label": pl.Boolean, "score": score})
    state = rows.select(roc_state("label", "score")).collect_schema()["score"]
    dtypes = {"label": pl.Boolean(), "weight": pl.Float64(), "score": score, "state": state}
    frame = pl.LazyFrame(schema={column: dtypes.get(role, pl.Int64()) for role, column in names.items()})
    return frame.select(_record(local, names, options)).collect_schema().dtypes()[0]


def _another(dtype: pl.DataType) -> pl.DataType:
    return pl.Int64() if dtype == pl.Float64 else pl.Float64()


def _record(local: Callable[..., pl.Expr], names: Mapping[str, str], options: Mapping[str, Any]) -> pl.Expr:
    """Return the local expression; for a number, a struct with the class counts.

    Spark cannot combine Python aggregates and built-in ones, such as ``count``, in one ``agg``.
    """
    name, answer = local.__name__, local(**names, **options)
    if not returns_number(name):
        return answer
    with called(name):
        columns: Any = dict(names)
        counts = operating_point(**columns).struct
        return pl.struct(answer.alias(name), counts.field("n_pos", "n_neg"))


def _evaluated(
    local: Callable[..., pl.Expr],
    names: Mapping[str, str],
    options: Mapping[str, Any],
    dtype: pl.DataType,
    declared: pl.DataType,
    arrays: Sequence[pyarrow.Array],
) -> pyarrow.Scalar | None:
    """Return the result of one group, on a worker."""
    name = local.__name__
    frame = pl.DataFrame([pl.Series(c, array) for c, array in zip(names.values(), arrays, strict=True)])
    with called(name):
        answer = frame.select(_record(local, names, options).alias(name))
    if answer.dtypes[0] != dtype:
        msg = _other_scores(name, frame, names, declared)
        raise TypeError(msg)
    value = table_for_spark(answer).column(0)[0]
    # Spark converts scalars to arrays, which fails in pyarrow for a null list.
    return value if value.is_valid else None


def _other_scores(name: str, frame: pl.DataFrame, names: Mapping[str, str], declared: pl.DataType) -> str:
    role = "state" if "state" in names else "score"
    dtype: Any = frame.schema[names[role]]
    if role == "state":
        if have_weights(dtype):
            return (
                f"{name}: state {names[role]!r} is of rows with weights, which aggregates of Spark do not "
                f"take; collect the states, and write polars_auc.{name}"
            )
        dtype = dtype.to_schema()["bins"].inner.to_schema()["score"]
    got = spark_type(dtype)
    held = f"{role} {names[role]!r} has scores of the type {got}"
    return (
        f"{name}: {held}, but the result is declared with scores of {spark_type(declared)}. Hint: "
        f"write score_type={got}"
    )
