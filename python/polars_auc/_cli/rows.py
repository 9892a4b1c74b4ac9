"""The rows or states of a command line, and their checks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from polars_auc._cli.files import Files, file_errors
from polars_auc._cli.reading import reading
from polars_auc._cli.refusal import Refusal, flag
from polars_auc._cli.sources import differing, schema_of
from polars_auc._cli.sql import (
    column,
    column_in_sql,
    condition,
    is_one_value,
    labelled_column,
    refuse_missing,
    text_in_sql,
)
from polars_auc._expressions.states import have_weights, merge_states
from polars_auc._frames.scores import dtype_of, refuse_nan
from polars_auc._plugin.errors import OptionError, for_front_end
from polars_auc._report.options import OPTIONS, ReportOptions
from polars_auc._report.rows import Rows

# Messages list at most this number of values of a column.
_MAX_VALUES = 10

# The fields that identify a column of states.
_FIELDS = {"bins", "n_pos", "n_neg", "n_missing", "has_nan", "resolution", "max_bins", "scale"}


@dataclass(frozen=True)
class RowOptions:
    """The row options of a command line: columns and conditions, as unparsed texts."""

    label: str | None
    scores: Sequence[str]
    where: Sequence[str] = ()
    options: ReportOptions = field(default_factory=ReportOptions)
    """The options of a report; other commands share some of them."""
    from_states: bool = False
    """Whether the files hold states of rows."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> RowOptions:
        """Select the options from the arguments of a command."""
        options = ReportOptions(**{name: values[name] for name in OPTIONS if name in values})
        from_states = values.get("from_states", False)
        return cls(values["label"], values["scores"], values["where"], options, from_states)

    def with_options(self, **values: Any) -> RowOptions:
        """Return a copy with other report options."""
        return replace(self, options=replace(self.options, **values))

    def source(self, files: Files, *others: pl.Expr | None) -> Source:
        """Read the columns; raise for an invalid label or score. Further columns are included."""
        options = self.options
        if self.from_states:
            self._refuse_row_options()
            columns, keys = state_columns(files, self.scores), files.keys()
            return Source(files, Rows.from_states(files.rows, keys, columns), [*keys, *columns])
        refuse_nan("", options.nan)
        if options.weight is not None and options.count is not None:
            raise OptionError("", "", "`weight` and `count` are mutually exclusive", "leave one out")
        required = {"label": self.label, "scores": self.scores}
        absent = [flag(option) for option, value in required.items() if not value and value != ""]
        if self.label is None or absent:
            raise Refusal(f"the following arguments are required: {', '.join(absent)} (see --help)")
        label = column("label", self.label, files.schema, files.names)
        scores = dict(labelled_column("scores", score, files.schema, files.names) for score in self.scores)
        if len(scores) < len(self.scores):
            raise Refusal(f"{flag('scores')} names one score twice")
        roles: dict[str, Any] = {
            role: files.column(role, getattr(options, role)) for role in ("count", "weight", "cluster")
        }
        for role, text, one in [
            ("label", self.label, label),
            *(("scores", text, score) for text, score in scores.items()),
            *((role, getattr(options, role), one) for role, one in roles.items() if one is not None),
        ]:
            if is_one_value(one, files.schema):
                raise Refusal(f"{flag(role)} {text!r} is one value for all rows. Hint: name a column")
        conditions = [condition("where", where, files.schema, files=files.names) for where in self.where]
        frame, keys = files.rows.filter(conditions) if conditions else files.rows, files.keys()
        used = [label, *scores.values(), *map(pl.col, keys), *conditions]
        used += [other for other in (*roles.values(), *others) if other is not None]
        names = list(dict.fromkeys(name for expression in used for name in expression.meta.root_names()))
        with file_errors(files.names, names):
            _refuse_words(self.label, label, frame, self.where)
            for text, score in scores.items():
                _refuse_lists(text, score, frame)
                _refuse_texts(text, score, frame, files.names)
            direction: dict[str, Any] = {"low_is_positive": options.low_is_positive, "nan": options.nan}
            rows = Rows.from_columns(frame, keys, label, scores, **roles, **direction)
        return Source(files, rows, names, conditions)

    def _refuse_row_options(self) -> None:
        """Raise for options that need rows, if the files hold states."""
        row_options = [
            *(name for name in ("label", "where") if getattr(self, name)),
            *self.options.row_options,
        ]
        if row_options:
            reason = "requires rows, but the files contain states (`from_states`)"
            raise OptionError("", row_options[0], reason, "leave it out, or read the files of the rows")


@dataclass(frozen=True)
class Source:
    """The rows of files, or the states in them."""

    files: Files
    rows: Rows
    names: Sequence[str]
    """The columns to read."""
    conditions: Sequence[pl.Expr] = ()
    """The conditions that the rows meet."""

    def faults(self) -> AbstractContextManager[None]:
        """Convert errors of Polars to a refusal that names the file."""
        are_states = self.rows.label is None and self.rows.source is None
        # A check of each file finds the one with invalid states.
        file_checks = [merge_states(name) for name in self.rows.scores] if are_states else []
        return file_errors(self.files.names, self.names, file_checks)


def state_columns(files: Files, selected: Sequence[str]) -> list[str]:
    """Return the columns of states, or the selected ones; raise for files without states."""
    # Polars would ignore columns that the first file lacks.
    states = {name: _states_in(schema_of(name)) for name in files.names}
    existing = list(dict.fromkeys(name for columns in states.values() for name in columns))
    if not existing:
        raise Refusal(f"{files.names[0]!r} has no column of states. Hint: write states with polars-auc state")
    for file, columns in states.items():
        missing = next((name for name in existing if name not in columns), None)
        if missing is not None:
            other = next(other for other, columns in states.items() if missing in columns)
            raise Refusal(f"{file!r} has no column of states {missing!r}, which {other!r} has")
    for name in existing:
        if name not in files.schema and (differ := differing(files.names, name)) is not None:
            first, other, _ = differ
            raise Refusal(
                f"the states {name!r} are of scores of one dtype in {first!r} and another in {other!r}"
            )
        weighted = {file: have_weights(schema_of(file)[name]) for file in files.names}
        if len(set(weighted.values())) > 1:
            ones = {is_weighted: file for file, is_weighted in weighted.items()}
            raise Refusal(
                f"{name!r} has states of rows with weights in {ones[True]!r}, and without them in "
                f"{ones[False]!r}. Hint: make all of them alike"
            )
    refuse_missing("scores", existing, files.schema, files=files.names)
    if len(set(selected)) < len(selected):
        raise Refusal(f"{flag('scores')} names one score twice")
    refuse_missing("scores", selected, files.schema, files=files.names)
    for name in selected:
        if name not in existing:
            raise Refusal(
                f"{flag('scores')} names {name!r}, which is not a column of states, expected one of "
                f"{', '.join(existing)}"
            )
    return list(selected) or existing


def names_of_states(files: Sequence[str]) -> list[str]:
    """Return the columns of states in any file; unreadable files are ignored."""
    columns: dict[str, None] = {}
    for name in files:
        with suppress(Refusal):
            columns |= dict.fromkeys(_states_in(schema_of(name)))
    return list(columns)


def _states_in(schema: Mapping[str, pl.DataType]) -> list[str]:
    return [
        name
        for name, dtype in schema.items()
        if isinstance(dtype, pl.Struct) and {field.name for field in dtype.fields} >= _FIELDS
    ]


def no_row(where: Sequence[str]) -> str:
    """Return the message for conditions without rows."""
    what = " and ".join(f"--where {condition!r}" for condition in where)
    return f"{what} leaves no row" if what else "the files have no row"


def _refuse_words(text: str, label: pl.Expr, rows: pl.LazyFrame, where: Sequence[str]) -> None:
    """Raise for a label of texts, with the existing values."""
    if dtype_of(rows, label) in (pl.String, pl.Categorical, pl.Enum):
        if rows.head(1).collect().is_empty():
            raise Refusal(f"{no_row(where)}, so the values of {flag('label')} {text!r} are unknown")
        raise Refusal(
            f"{flag('label')} {text!r} contains words ({', '.join(values(label, rows))}), "
            "expected 0 and 1 or Booleans. "
            f"Hint: name the positive class, as in {_positive_class(text, label, rows)}"
        )


def _positive_class(text: str, label: pl.Expr, rows: pl.LazyFrame) -> str:
    """Return a condition for the positive class, the rarer of two words; a template for more words.

    Other words, and null, are neither positive nor negative.
    """
    counts = rows.select(label.cast(pl.String).alias("word")).drop_nulls().group_by("word").len()
    words = counts.sort("len", "word").collect().rows()
    name = _in_sql_as_column(text, rows)
    if {"0", "1"} <= {word for word, _ in words}:
        words = [("1", 0), ("0", 0)]
    if len(words) != 2:
        case = f"CASE WHEN {name} IN (...) THEN TRUE WHEN {name} IN (...) THEN FALSE END"
        return f"{flag('label')} {_in_shell(case)} with these words"
    (first, n), (other, others) = words
    case = (
        f"CASE WHEN {name} = {text_in_sql(first)} THEN TRUE WHEN {name} = {text_in_sql(other)} THEN FALSE END"
    )
    which = f"; {text_in_sql(first)} is the rarer, in {n:,} of {n + others:,} rows" if n < others else ""
    return f"{flag('label')} {_in_shell(case)}{', or the other way round' if n else ''}{which}"


def _refuse_texts(text: str, score: pl.Expr, rows: pl.LazyFrame, files: Sequence[str]) -> None:
    """Raise for a score of texts, with a hint how to convert them."""
    if dtype_of(rows, score) != pl.String:
        return
    numbers = reading().decimal(score).cast(pl.Float64, strict=False)
    words = rows.filter(numbers.is_null(), score.is_not_null()).select(score).head(1000)
    first = words.collect().to_series().unique(maintain_order=True).head(3).to_list()
    column = _in_sql_as_column(text, rows)
    alias = f" AS {column}" if text in rows.collect_schema() else ""
    has_comma = reading().options.decimal_comma
    number = f"REPLACE({column}, ',', '.')" if has_comma else column
    as_missing = _in_shell(f"TRY_CAST({number} AS DOUBLE){alias}")
    hint = f"to read other texts as missing, write {flag('scores')} {as_missing}"
    if has_comma and any("." in word for word in first):
        without_points = _in_shell(f"CAST(REPLACE(REPLACE({column}, '.', ''), ',', '.') AS DOUBLE){alias}")
        hint = (
            f"with {flag('decimal_comma')} a point is not a decimal sign. To leave points out, write "
            f"{flag('scores')} {without_points}"
        )
    elif not has_comma and first and all(re.fullmatch(r"[+-]?\d*,\d+", word) for word in first):
        hint = f"if the comma is the decimal sign, write {for_front_end('`decimal_comma`')}"
    held = f" ({', '.join(map(text_in_sql, first))})" if first else ""
    if (differ := differing(files, text)) is not None:
        held += f" in {differ[0 if differ[2][0] == pl.String else 1]!r}"
    raise Refusal(f"{flag('scores')} {text!r} contains texts{held}, expected numbers. Hint: {hint}")


def _in_sql_as_column(text: str, rows: pl.LazyFrame) -> str:
    """Return the name of a column as an SQL identifier; other SQL is unchanged."""
    return column_in_sql(text) if text in rows.collect_schema() else text


def _in_shell(sql: str) -> str:
    return '"' + sql.replace('"', '\\"') + '"'


def _refuse_lists(text: str, score: pl.Expr, rows: pl.LazyFrame) -> None:
    """Raise for a score with several numbers, such as the probabilities of all classes."""
    dtype = dtype_of(rows, score)
    if isinstance(dtype, pl.List | pl.Array):
        second = _in_shell(f"{_in_sql_as_column(text, rows)}[2]")
        one = f"Take one of them, as in --score {second}, which is the second"
        if isinstance(dtype, pl.Array):
            one = 'Write them to the file as columns, or as a List: --score "p[2]" is its second number'
        raise Refusal(
            f"{flag('scores')} {text!r} has several numbers in each row ({dtype}), expected one. Hint: {one}"
        )


def values(column: pl.Expr, rows: pl.LazyFrame) -> list[str]:
    """Return the first values of a column in order, as SQL literals; empty for floats."""
    dtype = dtype_of(rows, column)
    words = dtype in (pl.String, pl.Categorical, pl.Enum)
    if not words and not dtype.is_integer() and dtype != pl.Boolean:
        return []
    values = rows.select(column.cast(pl.String) if words else column).unique().drop_nulls().collect()
    first = values.to_series().sort().head(_MAX_VALUES)
    texts = [text_in_sql(value) if words else str(value).lower() for value in first]
    return [*texts, "..."] if values.height > _MAX_VALUES else texts
