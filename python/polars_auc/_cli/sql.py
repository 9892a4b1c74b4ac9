"""Columns and conditions in SQL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

import polars as pl

from polars_auc._cli.dates import ZonedTime, compared_texts, parsed, with_dates
from polars_auc._cli.refusal import Refusal, first_line, flag
from polars_auc._cli.sources import differing, file_without, is_parquet, is_text
from polars_auc._frames.inputs import is_pattern

# Errors that Polars raises while parsing SQL.
_FAULTS = (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError)


def column(option: str, text: str, schema: pl.Schema, files: Sequence[str] = ()) -> pl.Expr:
    """Parse a column name or an SQL expression, which is named by its text."""
    if text in schema:
        refuse_missing(option, [text], schema)
        return pl.col(text)
    return _expression(option, text, schema, files=files)[0].alias(text)


def labelled_column(option: str, text: str, schema: pl.Schema, files: Sequence[str]) -> tuple[str, pl.Expr]:
    """Parse an SQL expression with its AS name; the default name is its text."""
    name, sql = (text, text) if text in schema else name_and_sql(text)
    return name, column(option, sql, schema, files).alias(name)


def name_and_sql(text: str) -> tuple[str, str]:
    """Split SQL into its AS name, or its text, and the expression."""
    match = re.fullmatch(r"(.*\S)\s+as\s+(\w+|\"[^\"]+\")", text, re.IGNORECASE | re.DOTALL)
    return (match[2].strip('"'), match[1]) if match else (text, text)


def is_one_value(column: pl.Expr, schema: pl.Schema) -> bool:
    """Return whether an expression has one value, as an aggregate or a constant does."""
    with suppress(pl.exceptions.PolarsError):
        return pl.DataFrame({name: [None, None] for name in schema}, schema).select(column).height == 1
    return False


def column_in_sql(name: str) -> str:
    """Return the name of a column as an SQL identifier, quoted if necessary."""
    try:
        expressions = [pl.sql_expr(f"{name} = ''"), pl.sql_expr(f"{name}[1]")]
    except _FAULTS:
        expressions = []
    is_plain = bool(expressions) and all(each.meta.root_names() == [name] for each in expressions)
    return name if is_plain else '"' + name.replace('"', '""') + '"'


def text_in_sql(text: str) -> str:
    """Return a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def roots(texts: Iterable[str]) -> list[str]:
    """Return the columns that names and SQL may contain; invalid SQL is one name."""
    names = []
    for text in texts:
        names.append(text)
        with suppress(*_FAULTS):
            names += parsed(name_and_sql(text)[1]).meta.root_names()
    return list(dict.fromkeys(names))


def texts_compared(texts: Iterable[str], words: Sequence[str]) -> Mapping[str, frozenset[str]]:
    """Return the texts that SQL compares with each column, and the ``words`` that it matches."""
    compared: dict[str, frozenset[str]] = {}
    for text in texts:
        try:
            pairs = list(compared_texts(parsed(name_and_sql(text)[1]), words))
        except _FAULTS:
            continue
        for name, value in pairs:
            compared[name] = compared.get(name, frozenset()) | {value}
    return compared


def texts_grouped(texts: Iterable[str]) -> list[str]:
    """Return the text columns of SQL expressions with text results."""
    names = []
    for text in texts:
        with suppress(*_FAULTS):
            key = parsed(name_and_sql(text)[1])
            schema = dict.fromkeys(key.meta.root_names(), pl.String())
            if pl.LazyFrame(schema=schema).select(key).collect_schema().dtypes() == [pl.String]:
                names += list(schema)
    return names


def condition(
    option: str, text: str, schema: pl.Schema, where: str = "the files", files: Sequence[str] = ()
) -> pl.Expr:
    """Parse an SQL condition on existing columns."""
    expression, dtype = _expression(option, text, schema, where, files)
    if dtype != pl.Boolean:
        raise Refusal(f'{flag(option)} {text!r} is not a condition, such as "n > 100"')
    return expression


def refuse_missing(
    option: str,
    names: Sequence[str],
    schema: pl.Schema,
    where: str = "the files",
    files: Sequence[str] = (),
) -> None:
    """Raise for unknown columns."""
    for name in names:
        if name in schema:
            if is_pattern(name):
                raise Refusal(
                    f"{flag(option)} names the column {name!r}, and Polars takes this name for a pattern of "
                    "several names. Hint: give the column another name"
                )
            continue
        if (differ := differing(files, name)) is not None:
            raise Refusal(f"{flag(option)} names the column {name!r}, which {_in_two_files(*differ)}")
        without = file_without(files, name)
        if without is not None:
            raise Refusal(
                f"{flag(option)} names the column {name!r}, which {without!r} lacks, unlike other files"
            )
        message = f"{flag(option)} names the column {name!r}, which is not in {where}, expected one of "
        message += ", ".join(schema.names())
        folder = _partitioned_by(name, files)
        if folder is not None:
            message += ". It is in the names of folders"
            message += (
                f": to make it a column, name the folder {folder!r}"
                if is_parquet(files[0])
                else ", but only folders of Parquet files become columns"
            )
        if len(schema) == 1 and files and is_text(files[0]):
            message += f". If {flag('separator')} is another character, write it"
        raise Refusal(message)


def _in_two_files(first: str, other: str, dtypes: Sequence[pl.DataType]) -> str:
    zones = [isinstance(dtype, pl.Datetime) and dtype.time_zone for dtype in dtypes]
    hint = ". Hint: write all times with a time zone, or all without" if None in zones else ""
    types = [f"of another {dtype.base_type()}" if dtype.is_nested() else str(dtype) for dtype in dtypes]
    return f"is {types[0]} in {first!r} and {types[1]} in {other!r}, and no common type exists{hint}"


def _partitioned_by(name: str, files: Sequence[str]) -> str | None:
    """Return the folder above the partitions of a column, if the files are inside one partition."""
    for file in files:
        above, equals, _ = f"/{file}".partition(f"/{name}=")
        if equals:
            return above[1:] or "."
    return None


def _expression(
    option: str, text: str, schema: pl.Schema, where: str = "the files", files: Sequence[str] = ()
) -> tuple[pl.Expr, pl.DataType]:
    """Parse one SQL expression, and return it with its dtype."""
    try:
        written = with_dates(text, schema)
        expression = pl.sql_expr(written)
        # Parentheses hold one expression. Without them, some releases ignore text after a comma or a
        # semicolon, or parse a second word as an alias.
        pl.sql_expr(f"({written}\n)")
    except ZonedTime as error:
        raise Refusal(
            f"{flag(option)} {text!r} compares a time of the zone {error} with a text without one. Hint: "
            "compare texts, as in STRFTIME(time, '%Y-%m-%d %H:%M') >= '2026-02-01 00:00'"
        ) from error
    except _FAULTS as error:
        raise Refusal(f"{flag(option)} {text!r} is not a SQL expression: {_reason(error)}") from error
    if _has_unnest(expression):
        raise Refusal(
            f"{flag(option)} {text!r} has UNNEST in it, which makes several rows of one. Hint: write an "
            "expression of one value for each row"
        )
    roots = expression.meta.root_names()
    # Polars expands a pattern, so it is not a root.
    roots += [name for name in schema if is_pattern(name) and (f'"{name}"' in text or f"`{name}`" in text)]
    if any(name.startswith("_POLARS_TMP") for name in roots):
        raise Refusal(_not_of_rows(option, text))
    refuse_missing(option, roots, schema, where, files)
    try:
        dtypes = pl.LazyFrame(schema=schema).select(expression).collect_schema().dtypes()
    except _FAULTS as error:
        if "subplan" in str(error):
            raise Refusal(_not_of_rows(option, text)) from error
        raise Refusal(f"{flag(option)} {text!r} cannot be evaluated: {_reason(error)}") from error
    if len(dtypes) != 1:
        raise Refusal(f"{flag(option)} {text!r} is {len(dtypes)} columns. Hint: write one")
    return expression, dtypes[0]


def _has_unnest(expression: pl.Expr) -> bool:
    """Return whether an expression returns several rows for one."""
    is_unnest = re.search(r"\.explode\([^\"]*\)$", str(expression)) is not None
    return is_unnest or any(map(_has_unnest, expression.meta.pop()))


def _reason(error: BaseException) -> str:
    return "Polars panics at it" if isinstance(error, pl.exceptions.PanicException) else first_line(error)


def _not_of_rows(option: str, text: str) -> str:
    reason = 'has a query inside it, and must be an expression of columns, such as "-rating"'
    return f"{flag(option)} {text!r} {reason}"
