"""The functions of one label and one score in the SQL of DuckDB.

``import polars_auc.duckdb`` and :func:`register` them on a connection. A query is then ``SELECT segment,
roc_auc(label, score) FROM rows GROUP BY segment``. The functions have the rules, errors and results of the
Polars expressions.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any

import polars as pl

import polars_auc as pa
from polars_auc._plugin.packages import require
from polars_auc._plugin.warning import warn

if TYPE_CHECKING:
    import duckdb

__all__ = ["register"]

_TYPES: dict[Any, str] = {
    pl.Boolean: "BOOLEAN",
    pl.Float64: "DOUBLE",
    pl.String: "VARCHAR",
    pl.UInt64: "UBIGINT",
}

_LABELS, _SCORES, _ROW = "label", "score", "row"

# Connections to a database share Python functions, so each needs a unique name.
_NUMBERS = count()


def register(
    connection: duckdb.DuckDBPyConnection,
    functions: Mapping[str, Callable[[str, str], pl.Expr]] | None = None,
) -> None:
    """Register functions of a label and a score as SQL functions of a connection.

    This function needs DuckDB and PyArrow: ``pip install duckdb pyarrow``.

    Parameters
    ----------
    connection
        A connection of DuckDB. A read-only database is sufficient: the functions are temporary, and end with
        the connection.
    functions
        Functions to register, by name in SQL. Each maps the names of two columns to an expression, such as
        ``{"auc_90": lambda label, score: pa.roc_auc_ci(label, score, level=0.9)}``. None registers all
        functions that return a number, a record or a curve, under their names and with default options.

    Warns
    -----
    UserWarning
        If a function or macro of the same name is hidden or replaced on this connection.

    Notes
    -----
    Each function is a temporary macro: ``roc_auc(label, score)`` calls a scalar function of ``list(label)``
    and ``list(score)``. ``FILTER``, ``DISTINCT`` and windows are therefore not supported; select rows with
    ``WHERE``. Nothing is written to the database. Macros of the same name in the database remain; on this
    connection they need their full name, such as ``my_database.main.gini``. A cursor is a separate
    connection: register the functions on it as well.

    DuckDB keeps the rows of all groups in memory. Labels and scores are read as DOUBLE: integers beyond
    2^53 and decimals with more digits are rounded. A label that is neither 0 nor 1 is an error.

    The SQL of Polars does not support user-defined functions, so ``pl.sql`` cannot call these.

    Examples
    --------
    >>> import duckdb
    >>> import polars_auc.duckdb
    >>> connection = duckdb.connect()
    >>> polars_auc.duckdb.register(connection)
    >>> query = "SELECT roc_auc(y, s) FROM (VALUES (1, 0.9), (0, 0.5), (1, 0.4), (0, 0.1)) AS rows(y, s)"
    >>> connection.execute(query).fetchone()
    (0.75,)
    """
    require("polars_auc.duckdb.register", "duckdb", "pyarrow")
    import duckdb

    if not isinstance(connection, duckdb.DuckDBPyConnection):
        got = type(connection).__name__
        msg = f"register: connection must be a DuckDB connection, got {got}. Hint: write duckdb.connect()"
        raise TypeError(msg)
    if functions is None:
        functions = functions_of_one_score()
    # The signatures of a connection's methods differ between releases of DuckDB.
    connected: Any = connection
    existing = _existing(connected, functions)
    for name, function in functions.items():
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            msg = f"register: {name!r} is not a SQL name. Hint: write letters, digits and underscores"
            raise ValueError(msg)
        answer = function(_LABELS, _SCORES).alias(name)
        dtype = _answers(pl.LazyFrame(schema=_SCHEMA), answer).collect_schema()[name]
        function_name = f"{_PREFIX}{name}_{next(_NUMBERS)}"
        connected.create_function(
            function_name,
            _list_function(answer),
            ["DOUBLE[]", "DOUBLE[]"],
            _sql_type(name, dtype),
            type="arrow",
            null_handling="special",
        )
        try:
            connected.execute(
                f"CREATE OR REPLACE TEMP MACRO {name}(label, score) AS "
                f"{function_name}(list(CAST(label AS DOUBLE)), list(CAST(score AS DOUBLE)))"
            )
        except duckdb.ParserException as error:
            connected.remove_function(function_name)
            msg = f"register: {name!r} is a SQL keyword. Hint: choose another name"
            raise ValueError(msg) from error
    for database, *_, definition in existing:
        if database == _TEMPORARY and (ours := re.match(rf"{_PREFIX}\w+", definition or "")):
            # The user may have removed the function.
            with suppress(duckdb.InvalidInputException):
                connected.remove_function(ours.group())
    _warn_of_hidden(existing)


_PREFIX = "polars_auc_"
_TEMPORARY = "temp"

_Existing = tuple[str, str, str, str | None]
"""The database, schema and name of an SQL function, and the definition of a macro."""


def _existing(connected: Any, names: Iterable[str]) -> list[_Existing]:
    """Return the existing scalar functions, aggregates and macros with one of these names."""
    query = (
        "SELECT DISTINCT database_name, schema_name, function_name, macro_definition FROM duckdb_functions() "
        "WHERE lower(function_name) IN (SELECT lower(unnest(?))) "
        "AND function_type IN ('scalar', 'aggregate', 'macro') ORDER BY ALL"
    )
    found: list[_Existing] = connected.execute(query, [list(names)]).fetchall()
    return found


def _warn_of_hidden(existing: Iterable[_Existing]) -> None:
    """Warn of user functions that temporary macros hide or replace."""
    # Earlier releases left macros of the same definition in databases.
    others = [each for each in existing if not (each[3] or "").startswith(_PREFIX)]
    other_names = 'or register other names, as functions={"auc": polars_auc.roc_auc}'
    hidden = list(dict.fromkeys(".".join(each[:3]) for each in others if each[0] != _TEMPORARY))
    if hidden:
        warn(
            f"register: functions of the same name are hidden on this connection: {', '.join(hidden)}. Hint: "
            f"call them by these full names, {other_names}"
        )
    replaced = list(dict.fromkeys(each[2] for each in others if each[0] == _TEMPORARY))
    if replaced:
        warn(
            f"register: temporary macros of the same name are replaced: {', '.join(replaced)}. Hint: "
            f"create them again under another name, {other_names}"
        )


def functions_of_one_score() -> dict[str, Callable[..., pl.Expr]]:
    """Return the functions whose only needed arguments are label and score, without default bootstrap."""
    functions = {}
    for name in pa.__all__:
        function = getattr(pa, name)
        parameters = inspect.signature(function).parameters if inspect.isfunction(function) else {}
        needed = [
            each.name
            for each in parameters.values()
            if each.kind is each.POSITIONAL_OR_KEYWORD or each.default is each.empty
        ]
        resamples = parameters["n_resamples"].default if "n_resamples" in parameters else None
        if needed == ["label", "score"] and "state" in parameters and resamples is None:
            functions[name] = function
    return functions


_SCHEMA = {_ROW: pl.UInt32, _LABELS: pl.Float64, _SCORES: pl.Float64}


def _answers(rows: pl.LazyFrame, answer: pl.Expr) -> pl.LazyFrame:
    return rows.group_by(_ROW, maintain_order=True).agg(answer).drop(_ROW)


def _list_function(answer: pl.Expr) -> Callable[[Any, Any], Any]:
    """Return a function that maps lists of labels and scores to one result for each group."""

    def answers(labels: Any, scores: Any) -> Any:
        lists = pl.DataFrame([pl.Series(_LABELS, labels), pl.Series(_SCORES, scores)])
        rows = lists.with_row_index(_ROW).lazy().explode(_LABELS, _SCORES)
        return _answers(rows, answer).collect().to_series().to_arrow(compat_level=pl.CompatLevel.oldest())

    return answers


def _sql_type(name: str, dtype: pl.DataType) -> str:
    """Return the SQL name of a type."""
    if isinstance(dtype, pl.List):
        return f"{_sql_type(name, dtype.inner)}[]"  # type: ignore[arg-type]
    if isinstance(dtype, pl.Struct):
        fields = ", ".join(f'"{field.name}" {_sql_type(name, field.dtype)}' for field in dtype.fields)  # type: ignore[arg-type]
        return f"STRUCT({fields})"
    if dtype not in _TYPES:
        msg = f"register: {name!r} returns {dtype}, which cannot be registered as a SQL function"
        raise ValueError(msg)
    return _TYPES[dtype]
