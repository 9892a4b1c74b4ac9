"""The input files of a command, and their columns."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import polars as pl

from polars_auc._cli.paths import is_here
from polars_auc._cli.reading import Reading, ReadOptions, reading
from polars_auc._cli.refusal import Refusal, as_refusal, flag
from polars_auc._cli.sources import scan, unreadable
from polars_auc._cli.sql import (
    column,
    condition,
    is_one_value,
    labelled_column,
    name_and_sql,
    refuse_missing,
    roots,
    texts_compared,
    texts_grouped,
)
from polars_auc._cli.standard_input import STANDARD_INPUT
from polars_auc._page.text import counted


@dataclass(frozen=True)
class Files:
    """Files, and the rows of all of them."""

    names: list[str]
    rows: pl.LazyFrame
    schema: pl.Schema
    partitions: list[str]
    """The columns of groups that are partition keys; rows of a partition are contiguous."""
    by: Sequence[str] = ()
    """The columns of groups."""
    keys_of_sql: Sequence[pl.Expr] = ()
    """The columns of groups that SQL defines."""
    nullable: Sequence[tuple[pl.LazyFrame, Mapping[str, pl.Expr]]] = ()
    """Unconverted rows, each with the columns where missing values become null."""

    @classmethod
    def find(
        cls,
        names: Sequence[str],
        output: Path | None,
        without: Container[str] = (),
        by: Sequence[str] = (),
    ) -> Files:
        """Find the files; raise if the output is one of them."""
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
        """Find the files, and add the SQL columns of groups."""
        files = cls.find(names, output, without, by)
        keys: list[str] = []
        columns: dict[str, pl.Expr] = {}
        for text in by:
            if text in files.schema or text.isidentifier():
                keys.append(text)
                continue
            name, key = labelled_column("by", text, files.schema, files.names)
            if is_one_value(key, files.schema):
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
        """Return the columns of groups; raise for invalid ones."""
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
        """Return the column of an option, if the option is set."""
        return None if text is None else column(option, str(text), self.schema, self.names)

    def condition(self, option: str, text: object) -> pl.Expr | None:
        """Return the condition of an option, if the option is set."""
        return None if text is None else condition(option, str(text), self.schema, files=self.names)

    def changed(self) -> str:
        """Return the date of the last change of a file, in UTC."""
        here = [os.path.getmtime(name) for name in self.names if is_here(name)]
        return f"{datetime.fromtimestamp(max(here), tz=timezone.utc):%Y-%m-%d}" if here else "an unknown day"

    def about(self) -> str:
        """Return a description of the data."""
        if list(self.names) == [STANDARD_INPUT]:
            return "; ".join(["standard input", *reading().notes])
        files = f"{counted(len(self.names), 'file')}, last changed on {self.changed()}"
        return "; ".join([files, *reading().notes])

    def size(self) -> str:
        """Return the number and the size of the files."""
        files = counted(len(self.names), "file")
        if not all(is_here(name) and Path(name).is_file() for name in self.names):
            return files
        return f"{files}, {sum(os.path.getsize(name) for name in self.names) / 1e6:,.1f} MB"


def reading_of(values: Mapping[str, Any]) -> Reading:
    """Return the read settings of a command."""
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


@contextmanager
def file_errors(
    files: Sequence[str], columns: Sequence[str], file_checks: Sequence[pl.Expr] = ()
) -> Iterator[None]:
    """Convert errors to refusals that name the unreadable file, if there is one.

    They also name the file whose rows fail in one of the expressions ``file_checks``.
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
