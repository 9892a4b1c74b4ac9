"""Input checks and error names shared by the functions on frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import polars as pl

from polars_auc import _native
from polars_auc._plugin.errors import CALLED, FLAGS, OptionError, OptionTypeError
from polars_auc._plugin.interrupts import interruptible
from polars_auc._plugin.options import type_name

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from polars_auc._plugin.call import IntoExpr

    Frame = TypeVar("Frame", bound=pl.DataFrame | pl.LazyFrame, default=pl.DataFrame)


class ArrowStream(Protocol):
    """A table of another library that supports the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the rows."""


IntoFrame: TypeAlias = pl.DataFrame | pl.LazyFrame | ArrowStream
"""A frame of Polars, or of a library such as pandas, PyArrow or DuckDB."""


def rows_of(name: str, frame: IntoFrame, *, role: str = "frame") -> pl.LazyFrame:
    """Return the rows of a frame; raise for other types, with a hint on the conversion."""
    if isinstance(frame, pl.DataFrame | pl.LazyFrame):
        return frame.lazy()
    got = type_name(frame)
    is_table = hasattr(frame, "__arrow_c_stream__") and not isinstance(frame, pl.Series)
    if is_table:
        try:
            return pl.DataFrame(frame).lazy()
        except (pl.exceptions.PolarsError, ImportError, TypeError, ValueError) as error:
            hint = _conversion(frame)
            msg = f"{name}: the {role}, a {got}, cannot be read as an Arrow table: {error}. Hint: {hint}"
            raise TypeError(msg) from error
    msg = f"{name}: {role} must be a DataFrame or a LazyFrame, got {got}. Hint: {_conversion(frame)}"
    raise TypeError(msg)


def like(frame: Frame | ArrowStream, answer: pl.LazyFrame) -> Frame:
    """Return the result of a function on a frame: lazy for a lazy frame, otherwise eager.

    Every function that returns a frame for a frame calls this last. Results for tables of other libraries are
    eager. The rows of eager frames are in memory; the streaming engine would copy the columns of lists.
    """
    if isinstance(frame, pl.LazyFrame):
        return answer  # type: ignore[return-value]
    return answer.collect(engine="in-memory")  # type: ignore[return-value]


def _conversion(frame: object) -> str:
    if isinstance(frame, str):
        return f"write pl.scan_parquet({frame!r})"
    kind = type(frame).__name__
    if type(frame).__module__.partition(".")[0] == "pandas" and kind == "DataFrame":
        return "write pl.from_pandas(frame)"
    if kind.endswith("GroupBy"):
        return "write the frame itself, and its groups as by="
    return 'write pl.DataFrame({"label": labels, "score": scores})'


_EXPRESSIONS = frozenset(name for name, _, _ in _native.declarations()["expressions"])


@contextmanager
def called(name: str) -> Iterator[None]:
    """Prefix errors with the name of the called function; in a shell, where none was called, with no name.

    Errors of Polars contain no function name, and an error of an expression may contain the name of that
    expression. In nested calls the outermost function is the called one. Ctrl-C raises one KeyboardInterrupt.
    """
    user = CALLED.get() or name
    mark = CALLED.set(user)
    try:
        with interruptible():
            yield
    except OptionError as error:
        error.function = user
        raise
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        text = str(error).removeprefix("the plugin failed with message: ")
        function, _, rest = text.partition(": ")
        has_name = function in {user, name} | _EXPRESSIONS
        if has_name or isinstance(error, pl.exceptions.PolarsError):
            message = rest if has_name else text
            error.args = (message if FLAGS.get() is not None else f"{user}: {message}",)
        raise
    finally:
        CALLED.reset(mark)


def keys_of(name: str, by: str | Iterable[str], example: str) -> list[str]:
    """Return the names of the group columns as a list."""
    keys = [by] if isinstance(by, str) else list(by) if isinstance(by, Iterable) else [by]
    if not all(isinstance(key, str) for key in keys):
        raise OptionTypeError(name, "by", f"must be column names, got {keys}", f"write {example}")
    return keys


def is_pattern(column: str) -> bool:
    """Return whether Polars interprets a column name as a pattern."""
    return column == "*" or (column.startswith("^") and column.endswith("$"))


def refuse_pattern(name: str, role: str, column: object) -> None:
    """Raise for a column name that Polars interprets as a pattern: it could match other columns."""
    if isinstance(column, str) and is_pattern(column):
        reason = f"names the column {column!r}, and Polars takes this name for a pattern of several names"
        raise OptionError(name, role, reason, "rename it")


def refuse_keys(name: str, keys: list[str], schema: pl.Schema, *, nested: bool) -> None:
    """Raise for keys that are not in the frame, or whose values cannot be grouped and sorted."""
    for key in keys:
        if key not in schema:
            msg = f"{name}: by has the unknown column {key!r}, expected one of {schema.names()}"
            raise pl.exceptions.ColumnNotFoundError(msg)
        refuse_pattern(name, "by", key)
        if schema[key] == pl.Object or (schema[key].is_nested() and not nested):
            msg = f"{name}: by names the column {key!r} of dtype {schema[key]}, which cannot be grouped"
            raise pl.exceptions.InvalidOperationError(msg)


def scores_of(
    name: str,
    scores: IntoExpr | Iterable[IntoExpr],
    rows: pl.LazyFrame,
    keys: list[str],
    *,
    role: str = "scores",
) -> dict[str, pl.Expr]:
    """Return scores or state columns by name, in order; each expression has a single column."""
    example, several = f'{name}(frame, "label", "score")', role
    if role == "state":
        example, several = f'{name}(frame, state="state")', "states"
    alone = isinstance(scores, str | pl.Expr | pl.Series) or not isinstance(scores, Iterable)
    expressions: list[Any] = [scores] if alone else list(scores)  # type: ignore[arg-type]
    if not expressions:
        raise OptionError(name, role, "must name at least one column, got none", f"write {example}")
    columns: dict[str, pl.Expr] = {}
    for score in expressions:
        if not isinstance(score, str | pl.Expr):
            reason = f"must be column names or expressions, got {type(score).__name__}"
            raise OptionTypeError(name, role, reason, f"write {example}")
        for column_name, column in _single(pl.col(score) if isinstance(score, str) else score, rows, keys):
            refuse_pattern(name, role, column_name)
            if column_name in columns:
                msg = (
                    f"{name}: two {several} are named {column_name!r}. Hint: give one another name, as in "
                    'pl.col("s").alias("t")'
                )
                raise ValueError(msg)
            columns[column_name] = column
    if not columns:
        msg = (
            f"{name}: {several} select no column of the frame, expected one of "
            f"{rows.collect_schema().names()}"
        )
        raise ValueError(msg)
    return columns


def _single(score: pl.Expr, rows: pl.LazyFrame, keys: list[str]) -> list[tuple[str, pl.Expr]]:
    """Split an expression of several columns into single columns with their names."""
    if not score.meta.has_multiple_outputs():
        return [(score.meta.output_name(), score)]
    present = rows.group_by(keys).agg(score) if keys else rows.select(score)
    names = [column_name for column_name in present.collect_schema().names() if column_name not in keys]
    if score.meta.is_column_selection():
        return [(column_name, pl.col(column_name)) for column_name in names]
    if len(names) == 1:
        return [(names[0], score)]
    # A struct is a single column with any number of fields: each field can be selected by name.
    return [(column_name, pl.struct(score).struct.field(column_name)) for column_name in names]


def column_of(name: str, role: str, column: object, rows: pl.LazyFrame, example: str) -> pl.Expr:
    """Return one column as an expression; raise for other types, with an example."""
    if isinstance(column, str):
        refuse_pattern(name, role, column)
        return pl.col(column)
    got = type(column).__name__
    if isinstance(column, pl.Expr):
        if not column.meta.has_multiple_outputs():
            return column
        names = rows.select(column).collect_schema().names()
        if len(names) == 1:
            return column
        got = f"the columns {names}"
    reason = f"must be one column name or expression, got {got}"
    raise OptionTypeError(name, role, reason, f"write {example}")
