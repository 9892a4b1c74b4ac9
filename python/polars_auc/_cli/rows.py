"""The rows that a command line names: what is read of them, and whether it can be evaluated."""

from __future__ import annotations

import argparse
import os
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

import polars as pl

from polars_auc._cli.refusal import Refusal, worded
from polars_auc._cli.sources import is_remote, scan, unreadable
from polars_auc._cli.sql import column, condition, named_column, refuse_missing

# More values of a column than these are not shown.
_SHOWN_VALUES = 10


@dataclass(frozen=True)
class Files:
    """Files, and the rows of all of them."""

    names: list[str]
    rows: pl.LazyFrame
    schema: pl.Schema
    partitions: list[str]
    """The columns of groups whose values have partitions of their own, which follow one another."""

    @classmethod
    def named(
        cls,
        names: Sequence[str],
        output: Path | None,
        without: Container[str] = (),
        by: Sequence[str] = (),
    ) -> Files:
        """Find files, and refuse an output that is one of them."""
        with worded():
            rows, files, partitions = scan(names, without, by)
        if output is not None and os.path.realpath(output) in map(os.path.realpath, files):
            raise Refusal(f"--output {str(output)!r} is one of the files to read; choose another name")
        with of_files(files, ()):
            return cls(files, rows, rows.collect_schema(), partitions)

    @classmethod
    def grouped(cls, chosen: argparse.Namespace, output: Path | None, without: Container[str] = ()) -> Files:
        """Find files, and add the columns of groups that are SQL; the options then have their names."""
        files = cls.named(chosen.files, output, without, chosen.by)
        made = {}
        for place, text in enumerate(chosen.by):
            if text not in files.schema and not text.isidentifier():
                name, key = named_column("--by", text, files.schema, files.names)
                if _is_one_value(key, files.schema):
                    raise Refusal(f"--by {text!r} is one value for all rows, which makes no groups")
                chosen.by[place] = name
                if getattr(chosen, "along", None) == text:
                    chosen.along = name
                if name in made or (name in files.schema and name != text):
                    raise Refusal(f"--by {text!r} makes a second column {name!r}; give it another name")
                made[name] = key.alias(name)
        if not made:
            return files
        with of_files(files.names, ()):
            rows = files.rows.with_columns(made.values())
            return replace(files, rows=rows, schema=rows.collect_schema())

    def keys(self, by: Sequence[str]) -> list[str]:
        """Refuse columns that make no groups."""
        if len(set(by)) < len(by):
            raise Refusal("--by names one column twice")
        for key in by:
            refuse_missing("--by", [key], self.schema, files=self.names)
            if self.schema[key].is_nested() or self.schema[key] in (pl.Binary, pl.Object, pl.Duration):
                raise Refusal(
                    f"--by names the column {key!r} of dtype {self.schema[key]}, which makes no groups"
                )
        return list(by)

    def column(self, option: str, text: str | None) -> pl.Expr | None:
        """Return the column that an option names, if it is given."""
        return None if text is None else column(option, text, self.schema, self.names)

    def condition(self, option: str, text: str | None) -> pl.Expr | None:
        """Return the condition that an option gives, if it is given."""
        return None if text is None else condition(option, text, self.schema, files=self.names)

    def changed(self) -> str:
        """Say on which day a file was last changed, in UTC."""
        here = [os.path.getmtime(name) for name in self.names if not is_remote(name)]
        return f"{datetime.fromtimestamp(max(here), tz=timezone.utc):%Y-%m-%d}" if here else "an unknown day"

    def size(self) -> str:
        """Say how much there is to read."""
        files = counted(len(self.names), "file")
        if any(is_remote(name) or Path(name).is_dir() for name in self.names):
            return files
        return f"{files}, {sum(os.path.getsize(name) for name in self.names) / 1e6:,.1f} MB"


@dataclass(frozen=True)
class Scored:
    """Rows with a label and scores."""

    label: pl.Expr
    scores: list[pl.Expr]
    count: pl.Expr | None
    rows: pl.LazyFrame
    names: list[str]
    """The columns of the files that are read."""

    @classmethod
    def of(cls, files: Files, chosen: argparse.Namespace, *others: pl.Expr | None) -> Scored:
        """Take the options apart, and refuse what holds no label and no score."""
        given = {"--label": chosen.label, "--score": chosen.scores}
        absent = [option for option, value in given.items() if not value and value != ""]
        if absent:
            raise Refusal(
                f"the following arguments are required: {', '.join(absent)} "
                f"(see polars-auc {chosen.command} --help)"
            )
        label = column("--label", chosen.label, files.schema, files.names)
        scores = [column("--score", score, files.schema, files.names) for score in chosen.scores]
        if len(set(chosen.scores)) < len(scores):
            raise Refusal("--score names one score twice")
        count = files.column("--count", chosen.count)
        conditions = [condition("--where", where, files.schema, files=files.names) for where in chosen.where]
        rows = files.rows.filter(conditions) if conditions else files.rows
        used = [label, *scores, *map(pl.col, files.keys(chosen.by)), *conditions]
        used += [other for other in (count, *others) if other is not None]
        names = list(dict.fromkeys(name for expression in used for name in expression.meta.root_names()))
        with of_files(files.names, names):
            _refuse_words(chosen.label, label, rows)
            for text, score in zip(chosen.scores, scores, strict=True):
                _refuse_lists(text, score, rows)
        return cls(label, scores, count, rows, names)


@contextmanager
def of_files(
    files: Sequence[str], columns: Sequence[str], of_each_file: Sequence[pl.Expr] = ()
) -> Iterator[None]:
    """Turn what Polars raises into a refusal, which names the file that cannot be read, if there is one.

    It also names the file whose rows the expressions ``of_each_file`` refuse.
    """
    try:
        with worded():
            yield
    except Refusal as refusal:
        if isinstance(refusal.__cause__, pl.exceptions.PolarsError | OSError):
            fault = unreadable(files, columns, of_each_file)
            if fault is not None:
                raise Refusal(fault) from refusal
        raise


def _is_one_value(column: pl.Expr, schema: pl.Schema) -> bool:
    """Whether an expression is an aggregate or a constant, and not a value for each row."""
    with suppress(pl.exceptions.PolarsError):
        return pl.DataFrame({name: [None, None] for name in schema}, schema).select(column).height == 1
    return False


def _refuse_words(text: str, label: pl.Expr, rows: pl.LazyFrame) -> None:
    """Refuse a label of words, and show those that are there."""
    [dtype] = rows.select(label).collect_schema().dtypes()
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        words = values(label, rows)
        raise Refusal(
            f"--label {text!r} holds words ({', '.join(words)}), and must hold 0 and 1 or Booleans. "
            f'Name the positive class, as in --label "{text} = {words[0] if words else "..."}"'
        )


def _refuse_lists(text: str, score: pl.Expr, rows: pl.LazyFrame) -> None:
    """Refuse a score that holds several numbers, as the probabilities of all classes do."""
    [dtype] = rows.select(score).collect_schema().dtypes()
    if isinstance(dtype, pl.List | pl.Array):
        one = f'Take one of them, as in --score "{text}[2]", which is the second'
        if isinstance(dtype, pl.Array):
            one = 'Write them to the file as columns, or as a List, of which --score "p[2]" takes the second'
        raise Refusal(
            f"--score {text!r} holds several numbers in each row, {dtype}, and must hold one. {one}"
        )


def values(column: pl.Expr, rows: pl.LazyFrame) -> list[str]:
    """Return the first values of a column in order, as SQL writes them; none of a column that is no code."""
    [dtype] = rows.select(column).collect_schema().dtypes()
    words = dtype in (pl.String, pl.Categorical, pl.Enum)
    if not words and not dtype.is_integer() and dtype != pl.Boolean:
        return []
    values = rows.select(column.cast(pl.String) if words else column).unique().drop_nulls().collect()
    first = values.to_series().sort().head(_SHOWN_VALUES)
    shown = ["'" + value.replace("'", "''") + "'" if words else str(value).lower() for value in first]
    return [*shown, "..."] if values.height > _SHOWN_VALUES else shown


def counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
