"""Types of Polars and Spark, and column arguments of Spark functions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from polars_auc._plugin.errors import OptionTypeError
from polars_auc._plugin.options import type_name
from polars_auc._plugin.packages import require

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import Column
    from pyspark.sql.types import DataType

IntoColumn: TypeAlias = "str | Column"
"""A column of Spark: its name, or a Column."""


def require_spark(name: str) -> None:
    """Raise if Spark, Arrow or pandas, a dependency of Spark, is missing."""
    require(f"polars_auc.spark.{name}", "pandas", "pyarrow", "pyspark", extra="spark")


def arrow_for_spark(arrow: pyarrow.DataType) -> pyarrow.DataType:
    """Return the type that Spark supports, without unsigned integers and 64-bit offsets."""
    import pyarrow as pa

    if pa.types.is_uint64(arrow):
        return pa.int64()
    if pa.types.is_large_string(arrow):
        return pa.string()
    if pa.types.is_large_binary(arrow):
        return pa.binary()
    if pa.types.is_list(arrow) or pa.types.is_large_list(arrow):
        return pa.list_(arrow_for_spark(arrow.value_type))
    if pa.types.is_struct(arrow):
        return pa.struct([pa.field(field.name, arrow_for_spark(field.type)) for field in arrow])
    return arrow


def table_for_spark(frame: pl.DataFrame) -> pyarrow.Table:
    """Return a frame as an Arrow table that Spark supports."""
    import pyarrow as pa

    table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    fields = [pa.field(field.name, arrow_for_spark(field.type)) for field in table.schema]
    return table.cast(pa.schema(fields))


def spark_type(dtype: pl.DataType) -> DataType:
    """Return the Spark type of a Polars dtype."""
    from pyspark.sql.pandas.types import from_arrow_type

    return from_arrow_type(table_for_spark(pl.DataFrame(schema={"": dtype})).schema.field(0).type)


def polars_dtype(name: str, score_type: Any) -> pl.DataType:
    """Return the Polars dtype of a Spark type."""
    import pyarrow as pa
    from pyspark.sql.pandas.types import to_arrow_type
    from pyspark.sql.types import BooleanType, DataType, DecimalType, NumericType

    if not isinstance(score_type, DataType):
        reason = f"must be a type of Spark, such as DoubleType(), got {score_type!r}"
        raise OptionTypeError(name, "score_type", reason)
    if not isinstance(score_type, NumericType | BooleanType | DecimalType):
        reason = f"must be numeric or Boolean, such as DoubleType(), got {score_type}"
        raise OptionTypeError(name, "score_type", reason)
    return pl.Series(pa.array([], to_arrow_type(score_type))).dtype


def refuse_column(name: str, role: str, column: object) -> None:
    """Raise if the value is neither a column name nor a Column of Spark."""
    from pyspark.sql import Column

    if not isinstance(column, str | Column):
        reason = f"must be a column name or a Column of Spark, got {type_name(column)}"
        raise OptionTypeError(name, role, reason, f'write "{role}" or pyspark.sql.functions.col("{role}")')


def column_by_name(name: str) -> Column:
    """Return the column of exactly this name, which may contain dots and spaces."""
    from pyspark.sql import functions

    return functions.col("`" + name.replace("`", "``") + "`")


def names_of(columns: Iterable[IntoColumn]) -> list[str]:
    """Return the columns that are names."""
    return [column for column in columns if isinstance(column, str)]
