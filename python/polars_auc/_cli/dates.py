"""Dates in SQL: comparisons of texts with dates, and ``date_trunc``, which depend on column types."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime

import polars as pl

_TOKENS = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\w+|\s+|.""", re.DOTALL)

_MICROSECONDS = {"hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000}


class ZonedTime(ValueError):
    """A comparison of a time with a time zone and a text without."""


def with_dates(sql: str, schema: pl.Schema) -> str:
    """Rewrite the dates of SQL for Polars, which needs the types of the columns."""
    tokens = _typed(_truncated(_TOKENS.findall(sql), schema), schema)
    return "".join(tokens)


def parsed(sql: str) -> pl.Expr:
    """Parse SQL without column types, to find its columns and texts."""
    tokens = _TOKENS.findall(sql)
    # Polars supports date_trunc only with types; CONCAT has the same columns.
    return pl.sql_expr("".join("CONCAT" if token.lower() == "date_trunc" else token for token in tokens))


def compared_texts(expression: pl.Expr, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Return each column that is compared with texts or searched for texts, with these texts.

    The result includes the ``words`` that functions match. For example ``UPPER(column) = 'NA'`` matches NA,
    as does ``column LIKE 'N%'``.
    """
    for node, others, texts in _comparisons(expression):
        # An order comparison of texts is not a search for texts.
        is_function = not str(node).startswith("[")
        for other in others if texts else []:
            names = list(dict.fromkeys(other.meta.root_names()))
            values = _answers(other, names, words)
            found = _answers(node, names, words) if is_function else []
            if values:
                yield from ((names[0], text) for text in texts)
                yield from (
                    (names[0], word) for word, value in zip(words, values, strict=True) if value in texts
                )
            yield from (
                (names[0], word) for word, is_found in zip(words, found, strict=False) if is_found is True
            )


def _answers(expression: pl.Expr, names: Sequence[str], words: Sequence[str]) -> list[object]:
    """Evaluate an expression of one column on the words; empty if impossible."""
    if len(names) != 1:
        return []
    try:
        answers = pl.DataFrame({names[0]: words}, {names[0]: pl.String}).select(expression).to_series()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return []
    return answers.to_list() if len(answers) == len(words) else []


def _comparisons(expression: pl.Expr) -> Iterator[tuple[pl.Expr, list[pl.Expr], list[str]]]:
    """Return each subexpression, with its operands other than literals and its texts."""
    operands = expression.meta.pop()
    literals = [operand for operand in operands if operand.meta.is_literal()]
    values = [value for literal in literals for value in pl.select(literal).to_series().to_list()]
    texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
    others = [operand for operand in operands if not operand.meta.is_literal()]
    yield expression, others, [text for text in texts if isinstance(text, str)]
    for other in others:
        yield from _comparisons(other)


def _dtype(expression: pl.Expr, schema: pl.Schema) -> pl.DataType:
    try:
        [dtype] = pl.LazyFrame(schema=schema).select(expression).collect_schema().dtypes()
    except (pl.exceptions.PolarsError, ValueError):
        return pl.Null()
    return dtype


def _typed(tokens: list[str], schema: pl.Schema) -> list[str]:
    """Convert texts to date or time literals where they are compared with dates or times."""
    places = [place for place, token in enumerate(tokens) if _day(token) is not None]
    if not places:
        return tokens
    # The same text may be compared with a date and with a text: a unique date marks each place.
    free = (f"{date.fromordinal(number)}" for number in itertools.count(1))
    marks = {place: next(day for day in free if f"'{day}" not in "".join(tokens)) for place in places}
    marked = [
        f"'{marks[place]}{token[11:]}" if place in marks else token for place, token in enumerate(tokens)
    ]
    types: dict[str, pl.DataType] = {}
    for _, others, texts in _comparisons(pl.sql_expr("".join(marked))):
        for dtype in (_dtype(other, schema) for other in others if texts):
            if dtype == pl.Date or isinstance(dtype, pl.Datetime):
                types |= dict.fromkeys(texts, dtype)
    return [
        _literal(token, types.get(marked_token[1:-1]))
        for token, marked_token in zip(tokens, marked, strict=True)
    ]


def _literal(token: str, dtype: pl.DataType | None) -> str:
    day = _day(token)
    if day is None or dtype is None:
        return token
    zone = dtype.time_zone if isinstance(dtype, pl.Datetime) else None
    is_date = day == datetime(day.year, day.month, day.day)
    # Polars converts a date to its start in UTC.
    if zone is not None and not (zone == "UTC" and is_date):
        raise ZonedTime(zone)
    if is_date and (dtype == pl.Date or zone is not None):
        return f"DATE '{day.date()}'"
    return f"TIMESTAMP '{day}'"


def _day(token: str) -> datetime | None:
    """Return the date or time of an SQL text literal; None for other tokens."""
    if re.fullmatch(r"'\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?'", token) is None:
        return None
    try:
        return datetime.fromisoformat(token[1:-1])
    except ValueError:
        return None


def _truncated(tokens: list[str], schema: pl.Schema) -> list[str]:
    """Expand calls of date_trunc."""
    start = next((place for place, token in enumerate(tokens) if token.lower() == "date_trunc"), None)
    if start is None:
        return tokens
    call = _call(tokens[start + 1 :])
    if call is None:
        return tokens
    unit, inner, length = call
    column = "".join(_truncated(_TOKENS.findall(inner), schema)).strip()
    written = _truncation(unit.strip().strip("'").lower(), column, _dtype(pl.sql_expr(column), schema))
    after = start + 1 + length
    replaced = tokens[start:after] if written is None else [f"({written})"]
    return [*tokens[:start], *replaced, *_truncated(tokens[after:], schema)]


def _truncation(unit: str, column: str, dtype: pl.DataType) -> str | None:
    """Return the start of the unit, in SQL that all supported releases of Polars can run."""
    is_zoned = isinstance(dtype, pl.Datetime) and dtype.time_zone is not None
    if unit in _MICROSECONDS and isinstance(dtype, pl.Datetime) and not is_zoned:
        time, length = f"CAST(CAST({column} AS TIMESTAMP) AS BIGINT)", _MICROSECONDS[unit]
        # The remainder is negative for times before 1970.
        return f"CAST({time} - ({time} % {length} + {length}) % {length} AS TIMESTAMP)"
    if is_zoned:
        # A cast would return the day in UTC.
        day = f"DATE(STRFTIME({column}, '%Y-%m-%d'))"
    elif isinstance(dtype, pl.Datetime):
        day = f"CAST({column} AS DATE)"
    elif dtype == pl.String:
        day = f"DATE({column})"
    elif dtype == pl.Date:
        day = f"({column})"
    else:
        return None
    if unit == "quarter":
        # The middle of the quarter's first month.
        months = f"(EXTRACT(MONTH FROM {day}) - 1) % 3"
        day = f"CAST(CAST({day} AS INTEGER) - EXTRACT(DAY FROM {day}) + 16 - 30 * ({months}) AS DATE)"
        unit = "month"
    if unit == "day":
        return day
    part = {"week": "ISODOW", "month": "DAY", "year": "DOY"}.get(unit)
    return None if part is None else f"CAST(CAST({day} AS INTEGER) - EXTRACT({part} FROM {day}) + 1 AS DATE)"


def _call(tokens: Sequence[str]) -> tuple[str, str, int] | None:
    """Return the two arguments of a call, and the number of its tokens."""
    arguments, depth = [""], 0
    for place, token in enumerate(tokens):
        depth += (token == "(") - (token == ")")
        if depth == 0 and not token.isspace():
            return (arguments[0], arguments[1], place + 1) if token == ")" and len(arguments) == 2 else None
        if depth == 1 and token == ",":
            arguments.append("")
        elif depth > 1 or token != "(":
            arguments[-1] += token
    return None
