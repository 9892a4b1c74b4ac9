"""The rows that a command line names: what is read of them, and whether it can be evaluated."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import polars as pl

from polars_auc._cli.paths import is_here
from polars_auc._cli.reading import Reading, ReadOptions, reading
from polars_auc._cli.refusal import Refusal, as_refusal, flag
from polars_auc._cli.sources import differing, scan, unreadable
from polars_auc._cli.sql import (
    column,
    column_in_sql,
    condition,
    labelled_column,
    name_and_sql,
    refuse_missing,
    roots,
    text_in_sql,
    texts_compared,
    texts_grouped,
)
from polars_auc._cli.standard_input import STANDARD_INPUT
from polars_auc._frames.direction import negated
from polars_auc._frames.evaluated import Evaluated
from polars_auc._page.text import counted
from polars_auc._plugin.errors import for_front_end
from polars_auc._report.nan import Nans, refuse_nan, without_nan
from polars_auc._report.parts import in_cluster

# More values of a column than these are not shown.
_MOST_VALUES = 10


@dataclass(frozen=True)
class Files:
    """Files, and the rows of all of them."""

    names: list[str]
    rows: pl.LazyFrame
    schema: pl.Schema
    partitions: list[str]
    """The columns of groups whose values have partitions of their own, which follow one another."""
    by: Sequence[str] = ()
    """The columns of groups."""
    keys_of_sql: Sequence[pl.Expr] = ()
    """Those of them that are made by SQL."""
    nullable: Sequence[tuple[pl.LazyFrame, Mapping[str, pl.Expr]]] = ()
    """Rows as they are written, and the columns in which values that mean missing become null."""

    @classmethod
    def find(
        cls,
        names: Sequence[str],
        output: Path | None,
        without: Container[str] = (),
        by: Sequence[str] = (),
    ) -> Files:
        """Find files, and refuse an output that is one of them."""
        with as_refusal():
            table = scan(names, without, by)
        files = table.files
        if output is not None and os.path.realpath(output) in map(os.path.realpath, files):
            raise Refusal(
                f"{flag('output')} {str(output)!r} is one of the files to read. Hint: choose another name"
            )
        with file_errors(files, ()):
            schema = table.rows.collect_schema()
            return cls(files, table.rows, schema, table.keys, nullable=table.nullable)

    @classmethod
    def grouped(
        cls,
        names: Sequence[str],
        by: Sequence[str],
        output: Path | None,
        without: Container[str] = (),
    ) -> Files:
        """Find files, and add the columns of groups that are SQL."""
        files = cls.find(names, output, without, by)
        keys: list[str] = []
        columns: dict[str, pl.Expr] = {}
        for text in by:
            if text in files.schema or text.isidentifier():
                keys.append(text)
                continue
            name, key = labelled_column("by", text, files.schema, files.names)
            if _is_one_value(key, files.schema):
                raise Refusal(f"{flag('by')} {text!r} is one value for all rows, which makes no groups")
            if name in columns or (name in files.schema and name != text):
                raise Refusal(
                    f"{flag('by')} {text!r} makes a second column {name!r}. Hint: give it another name"
                )
            keys.append(name)
            columns[name] = key.alias(name)
        if not columns:
            return replace(files, by=keys)
        computed = list(columns.values())
        with file_errors(files.names, ()):
            rows = files.rows.with_columns(computed)
            return replace(files, rows=rows, schema=rows.collect_schema(), by=keys, keys_of_sql=computed)

    def keys(self) -> list[str]:
        """Return the columns of groups; refuse those that make none."""
        if len(set(self.by)) < len(self.by):
            raise Refusal(f"{flag('by')} names one column twice")
        for key in self.by:
            refuse_missing("by", [key], self.schema, files=self.names)
            if self.schema[key].is_nested() or self.schema[key] in (pl.Binary, pl.Object, pl.Duration):
                raise Refusal(
                    f"{flag('by')} names the column {key!r} of dtype {self.schema[key]}, which makes no "
                    "groups"
                )
        return list(self.by)

    def column(self, option: str, text: object) -> pl.Expr | None:
        """Return the column that an option names, if it is there."""
        return None if text is None else column(option, str(text), self.schema, self.names)

    def condition(self, option: str, text: object) -> pl.Expr | None:
        """Return the condition that an option has, if it is there."""
        return None if text is None else condition(option, str(text), self.schema, files=self.names)

    def changed(self) -> str:
        """Say on which day a file was last changed, in UTC."""
        here = [os.path.getmtime(name) for name in self.names if is_here(name)]
        return f"{datetime.fromtimestamp(max(here), tz=timezone.utc):%Y-%m-%d}" if here else "an unknown day"

    def about(self) -> str:
        """Say which data these are."""
        if list(self.names) == [STANDARD_INPUT]:
            return "; ".join(["standard input", *reading().notes])
        files = f"{counted(len(self.names), 'file')}, last changed on {self.changed()}"
        return "; ".join([files, *reading().notes])

    def size(self) -> str:
        """Say how much there is to read."""
        files = counted(len(self.names), "file")
        if not all(is_here(name) and Path(name).is_file() for name in self.names):
            return files
        return f"{files}, {sum(os.path.getsize(name) for name in self.names) / 1e6:,.1f} MB"


def reading_of(values: Mapping[str, Any]) -> Reading:
    """Return how a command reads files, by its options."""
    label = [values["label"]] if values.get("label") else []
    others = [values.get("weight"), values.get("count"), *(values.get("scores") or ())]
    numbers = [*label, *(str(other) for other in others if other is not None)]
    by = values.get("by") or ()
    further = [values.get(name) for name in ("cluster", "user", "folds", "stability")]
    used = [*numbers, *by, *(values.get("where") or ()), *(text for text in further if text is not None)]
    options = ReadOptions.of(values)
    return Reading(
        options,
        labels=frozenset(roots(label)),
        numbers=frozenset(roots(numbers)),
        by=frozenset([*by, *(name_and_sql(text)[1] for text in by), *texts_grouped(by)]),
        used=frozenset(roots(used)),
        compared=texts_compared(used, options.words),
        is_open=values.get("command") == "init",
        is_quiet=bool(values.get("quiet")),
    )


@dataclass(frozen=True)
class RowOptions:
    """What a command line says of the rows that it reads: columns and conditions, as they are written."""

    label: str | None
    scores: Sequence[str]
    count: str | None = None
    where: Sequence[str] = ()
    nan: str | None = None
    low_is_positive: bool = False

    def rows(self, files: Files, *others: pl.Expr | None) -> Rows:
        """Read the columns, and refuse what holds no label and no score; others are read as well."""
        refuse_nan("", self.nan)
        required = {"label": self.label, "scores": self.scores}
        absent = [flag(option) for option, value in required.items() if not value and value != ""]
        if self.label is None or absent:
            raise Refusal(f"the following arguments are required: {', '.join(absent)} (see --help)")
        label = column("label", self.label, files.schema, files.names)
        scores_by_name = dict(
            labelled_column("scores", score, files.schema, files.names) for score in self.scores
        )
        if len(scores_by_name) < len(self.scores):
            raise Refusal(f"{flag('scores')} names one score twice")
        scores = list(scores_by_name.values())
        count = files.column("count", self.count)
        conditions = [condition("where", where, files.schema, files=files.names) for where in self.where]
        rows = files.rows.filter(conditions) if conditions else files.rows
        used = [label, *scores, *map(pl.col, files.keys()), *conditions]
        used += [other for other in (count, *others) if other is not None]
        names = list(dict.fromkeys(name for expression in used for name in expression.meta.root_names()))
        with file_errors(files.names, names):
            _refuse_words(self.label, label, rows, self.where)
            for text, score in scores_by_name.items():
                _refuse_lists(text, score, rows)
                _refuse_texts(text, score, rows, files.names)
        with file_errors(files.names, names):
            used_scores = scores_by_name if self.nan is None else without_nan(rows, scores_by_name)
            dtypes = (
                rows.select(score.alias(name) for name, score in used_scores.items())
                .collect_schema()
                .dtypes()
            )
            used_scores = negated(rows, used_scores) if self.low_is_positive else used_scores
        user_dtypes = dtypes if self.low_is_positive else []
        skips_nan = self.nan is not None
        return Rows(
            *(label, used_scores, count, rows, conditions, files.keys(), names, scores_by_name, files.names),
            negated=user_dtypes,
            skips_nan=skips_nan,
        )


@dataclass(frozen=True)
class Rows:
    """Rows with a label and scores."""

    label: pl.Expr
    scores: Mapping[str, pl.Expr]
    """Each score by its text."""
    count: pl.Expr | None
    rows: pl.LazyFrame
    """The rows that meet the conditions."""
    conditions: Sequence[pl.Expr]
    by: list[str]
    """The columns of groups."""
    names: list[str]
    """The columns of the files that are read."""
    scores_as_read: Mapping[str, pl.Expr]
    """Each score by its text, with its NaN."""
    files: Sequence[str]
    negated: Sequence[pl.DataType] = ()
    """The dtypes of the scores before they were negated, if they were."""
    skips_nan: bool = False
    """Whether NaN is taken for missing."""

    def nans(self, *, cluster: pl.Expr | None = None, weight: pl.Expr | None = None) -> Nans:
        """Return what counts the scores that are NaN."""
        label = self.label if cluster is None else in_cluster(self.label, cluster)
        return Nans(self.rows, label, self.scores_as_read, self.by, self.count, weight)

    def evaluated(self, *, cluster: pl.Expr | None = None, weight: pl.Expr | None = None) -> Evaluated:
        """Evaluate the rows, weighted if they have weights; with clusters those that are in one."""
        label = self.label if cluster is None else in_cluster(self.label, cluster)
        columns = {"label": label, "count": self.count}
        if weight is not None:
            columns["weight"] = weight
        scores = {text: {**columns, "score": score} for text, score in self.scores.items()}
        return Evaluated(self.rows, self.by, scores, self.names, [], self.negated)


@contextmanager
def file_errors(
    files: Sequence[str], columns: Sequence[str], file_checks: Sequence[pl.Expr] = ()
) -> Iterator[None]:
    """Turn what Polars raises into a refusal, which names the file that cannot be read, if there is one.

    It also names the file whose rows the expressions ``file_checks`` refuse.
    """
    try:
        with as_refusal():
            yield
    except Refusal as refusal:
        if isinstance(refusal.__cause__, pl.exceptions.PolarsError | OSError):
            fault = unreadable(files, columns, file_checks)
            if fault is not None:
                raise Refusal(fault) from refusal
        raise


def _is_one_value(column: pl.Expr, schema: pl.Schema) -> bool:
    """Whether an expression is an aggregate or a constant, and not a value for each row."""
    with suppress(pl.exceptions.PolarsError):
        return pl.DataFrame({name: [None, None] for name in schema}, schema).select(column).height == 1
    return False


def no_row(where: Sequence[str]) -> str:
    """Say that there is no row under these conditions."""
    what = " and ".join(f"--where {condition!r}" for condition in where)
    return f"{what} leaves no row" if what else "the files have no row"


def _refuse_words(text: str, label: pl.Expr, rows: pl.LazyFrame, where: Sequence[str]) -> None:
    """Refuse a label of words, and show those that are there."""
    [dtype] = rows.select(label).collect_schema().dtypes()
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        if rows.head(1).collect().is_empty():
            raise Refusal(f"{no_row(where)}, so it cannot be told what {flag('label')} {text!r} holds")
        raise Refusal(
            f"{flag('label')} {text!r} holds words ({', '.join(values(label, rows))}), and must hold 0 and 1 "
            f"or Booleans. Hint: name the positive class, as in {_positive_class(text, label, rows)}"
        )


def _positive_class(text: str, label: pl.Expr, rows: pl.LazyFrame) -> str:
    """Say how one of two words would be the positive class, and which is the rarer; of more name none.

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
    """Refuse a score of texts, and say how they are read as numbers."""
    [dtype] = rows.select(score).collect_schema().dtypes()
    if dtype != pl.String:
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
    raise Refusal(f"{flag('scores')} {text!r} holds texts{held}, expected numbers. Hint: {hint}")


def _in_sql_as_column(text: str, rows: pl.LazyFrame) -> str:
    """Return the name of a column as SQL writes it; other SQL stays as it is."""
    return column_in_sql(text) if text in rows.collect_schema() else text


def _in_shell(sql: str) -> str:
    return '"' + sql.replace('"', '\\"') + '"'


def _refuse_lists(text: str, score: pl.Expr, rows: pl.LazyFrame) -> None:
    """Refuse a score that holds several numbers, as the probabilities of all classes do."""
    [dtype] = rows.select(score).collect_schema().dtypes()
    if isinstance(dtype, pl.List | pl.Array):
        second = _in_shell(f"{_in_sql_as_column(text, rows)}[2]")
        one = f"Take one of them, as in --score {second}, which is the second"
        if isinstance(dtype, pl.Array):
            one = 'Write them to the file as columns, or as a List, of which --score "p[2]" takes the second'
        raise Refusal(
            f"{flag('scores')} {text!r} holds several numbers in each row, {dtype}, and must hold one. {one}"
        )


def values(column: pl.Expr, rows: pl.LazyFrame) -> list[str]:
    """Return the first values of a column in order, as SQL writes them; none of a column that is no code."""
    [dtype] = rows.select(column).collect_schema().dtypes()
    words = dtype in (pl.String, pl.Categorical, pl.Enum)
    if not words and not dtype.is_integer() and dtype != pl.Boolean:
        return []
    values = rows.select(column.cast(pl.String) if words else column).unique().drop_nulls().collect()
    first = values.to_series().sort().head(_MOST_VALUES)
    texts = [text_in_sql(value) if words else str(value).lower() for value in first]
    return [*texts, "..."] if values.height > _MOST_VALUES else texts
