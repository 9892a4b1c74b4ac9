"""The command ``polars-auc``: reads Parquet, prints and writes reports."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import polars as pl

from polars_auc._gates import Gate
from polars_auc._native import __version__
from polars_auc._output import as_file, readable, save
from polars_auc._progress import progress
from polars_auc._refusal import Refusal, first_line, worded
from polars_auc._report import evaluation
from polars_auc._sources import scan, unreadable
from polars_auc._sql import column, condition, refuse_missing
from polars_auc._streams import open_closed_streams, say, show

PASSED, FAILED, REFUSED, INTERRUPTED = 0, 1, 2, 130

# More values of a column than these are not shown.
_SHOWN_VALUES = 10


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        if lacking_value := re.fullmatch(r"argument (?:-\w/)?(--[\w-]+): expected one argument", message):
            message += f"; a value that begins with - is written {lacking_value[1]}=-..."
        raise Refusal(f"{message} (see {self.prog} --help)")

    def _print_message(self, message: str, file: Any = None) -> None:  # noqa: ARG002
        """Print the help or the version."""
        unprinted = show(message.rstrip("\n"))
        if unprinted is not None:
            raise Refusal(f"cannot print: {unprinted}")


class _Once(argparse.Action):
    """An option with one value: the last of several would silently win."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Take the value, and refuse another one."""
        given = vars(namespace).setdefault("given", set())
        if self.dest in given:
            parser.error(f"{option_string} is given twice; write it once")
        given.add(self.dest)
        setattr(namespace, self.dest, self.const if self.nargs == 0 else values)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0 done, 1 a gate failed, 2 refused or broken."""
    open_closed_streams()
    try:
        _refuse_surroundings()
        chosen = _parser().parse_args(arguments)
        return _report(chosen)
    except Refusal as refusal:
        say(f"polars-auc: {refusal}")
        return REFUSED
    except KeyboardInterrupt:
        say("polars-auc: interrupted")
        return INTERRUPTED
    except (Exception, pl.exceptions.PanicException) as fault:
        # A traceback must not end with the exit code of a gate.
        say("".join(traceback.format_exception(fault)))
        say(f"polars-auc: this is a fault of polars-auc or Polars: {first_line(fault)}")
        return REFUSED


def _refuse_surroundings() -> None:
    """Refuse a variable of the environment on which Polars panics."""
    threads = os.environ.get("POLARS_MAX_THREADS")
    if threads is not None and not (threads.isdecimal() and int(threads) > 0):
        raise Refusal(f"the variable POLARS_MAX_THREADS must be an integer above 0, got {threads!r}")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="polars-auc", description="Evaluate binary scores in Parquet files.")
    parser.add_argument("--version", action="version", version=f"polars-auc {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    command = commands.add_parser(
        "report",
        help="one row for each group and score, and one over all rows",
        description="Print AUC with its interval, KS and Gini for each group and score, and over all rows.",
        epilog='example: polars-auc report "data/*.parquet" --label y --score s --by segment -o report.md',
    )
    command.add_argument("files", nargs="+", metavar="FILES", help="Parquet files, folders or quoted globs")
    command.add_argument(
        "--label",
        required=True,
        action=_Once,
        help="the label: a column of 0 and 1 or Booleans, or SQL such as \"outcome = 'bad'\"",
    )
    command.add_argument(
        "--score",
        required=True,
        action="append",
        dest="scores",
        metavar="SCORE",
        help="a numeric column, or SQL, as in --score=-rating; higher is more positive; may be repeated",
    )
    command.add_argument(
        "--by",
        action="append",
        default=[],
        metavar="COLUMN",
        help="a column that makes groups; may be repeated",
    )
    command.add_argument(
        "--level", action=_Once, type=float, default=0.95, help="coverage of the intervals (default: 0.95)"
    )
    command.add_argument(
        "--ci",
        action=_Once,
        choices=("delong", "logit", "hanley_mcneil", "bootstrap"),
        default="delong",
        help="method of the interval of the AUC (default: delong)",
    )
    command.add_argument(
        "--resamples",
        action=_Once,
        type=int,
        metavar="N",
        help="bootstrap resamples, with --ci bootstrap (default: 2000)",
    )
    command.add_argument(
        "--seed", action=_Once, type=int, metavar="N", help="seed, with --ci bootstrap (default: 0)"
    )
    command.add_argument(
        "--compare",
        action=_Once,
        nargs=0,
        const=True,
        default=False,
        help="compare each score with the first, on rows that have all",
    )
    command.add_argument(
        "--versus",
        action=_Once,
        metavar="SEGMENT",
        help="compare each group with the 'rest', 'overall', the 'previous' one, or the group of this value "
        "(values of several --by are separated by commas)",
    )
    command.add_argument(
        "--along",
        action=_Once,
        metavar="COLUMN",
        help="with --versus previous and several --by: the one whose previous value is meant, such as "
        "the year",
    )
    command.add_argument(
        "--adjust",
        action=_Once,
        choices=("holm", "bonferroni", "bh", "by", "none"),
        default="holm",
        help="adjustment of p-values for their number (default: holm)",
    )
    command.add_argument(
        "--folds",
        action=_Once,
        metavar="COLUMN",
        help="the column of cross-validation folds, or SQL: adds their mean AUC",
    )
    command.add_argument(
        "--count",
        action=_Once,
        metavar="COLUMN",
        help="the column, or SQL, that says how many identical rows each row stands for",
    )
    command.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="SQL",
        help="rows to use, such as \"year >= 2016 AND part = 'test'\"; may be repeated: rows that meet all",
    )
    command.add_argument(
        "--allow-empty",
        action="store_true",
        help="report also if --where leaves no row, or if no row or every row is positive",
    )
    command.add_argument(
        "--fail-if",
        action="append",
        default=[],
        metavar="SQL",
        help='exit with 1 if this is true, or cannot be decided, in a row that it is about, as "auc < 0.7": '
        "a row of groups if it names a column of --by or of --versus, otherwise any row; "
        "may be repeated, and each is checked by itself",
    )
    command.add_argument(
        "-o",
        "--output",
        action=_Once,
        type=Path,
        metavar="OUT",
        help="write the report: .parquet, .csv, .json or .md",
    )
    return parser


def _report(chosen: argparse.Namespace) -> int:
    contents = None if chosen.output is None else as_file(chosen.output)
    with worded():
        rows, files = scan(chosen.files)
    if chosen.output is not None and os.path.realpath(chosen.output) in map(os.path.realpath, files):
        raise Refusal(f"--output {str(chosen.output)!r} is one of the files to read; choose another name")
    if not 0 < chosen.level < 1:
        raise Refusal(f"--level must lie between 0 and 1, such as 0.95, got {chosen.level}")
    with _of_files(files, ()):
        schema = rows.collect_schema()
    label = column("--label", chosen.label, schema, files)
    scores = [column("--score", score, schema, files) for score in chosen.scores]
    if len(set(chosen.scores)) < len(scores):
        raise Refusal("--score names one score twice")
    for key in chosen.by:
        refuse_missing("--by", [key], schema, files=files)
        if schema[key].is_nested() or schema[key] in (pl.Binary, pl.Object):
            raise Refusal(f"--by names the column {key!r} of dtype {schema[key]}, which makes no groups")
    folds = None if chosen.folds is None else column("--folds", chosen.folds, schema, files)
    count = None if chosen.count is None else column("--count", chosen.count, schema, files)
    if chosen.compare and len(scores) < 2:
        raise Refusal("--compare needs two --score or more")
    if chosen.versus is not None and not chosen.by:
        raise Refusal("--versus compares groups; name the column that makes them with --by")
    _check_along(chosen)
    conditions = [condition("--where", where, schema, files=files) for where in chosen.where]
    rows = rows.filter(conditions) if conditions else rows
    used = [
        label,
        *scores,
        *map(pl.col, chosen.by),
        *(it for it in (folds, count) if it is not None),
        *conditions,
    ]
    names = list(dict.fromkeys(name for expression in used for name in expression.meta.root_names()))
    with _of_files(files, names):
        _refuse_words(chosen.label, label, rows)
        for text, score in zip(chosen.scores, scores, strict=True):
            _refuse_lists(text, score, rows)
        versus = _versus(chosen.versus, chosen.by)
        plan = evaluation(
            rows,
            label,
            scores,
            by=chosen.by,
            level=chosen.level,
            ci=chosen.ci,
            n_resamples=chosen.resamples,
            seed=chosen.seed,
            compare=chosen.compare,
            versus=versus,
            along=chosen.along,
            adjust=None if chosen.adjust == "none" else chosen.adjust,
            folds=folds,
            count=count,
        )
        planned = plan.collect_schema()
    gates = [
        Gate.read(
            text, planned, by=chosen.by, first_score=chosen.scores[0], versus=versus, along=chosen.along
        )
        for text in chosen.fail_if
    ]
    with _of_files(files, names), progress(f"evaluating {_size(files)}"):
        table = plan.collect()
        if not chosen.allow_empty:
            _refuse_empty(table, chosen, label, rows)
    verdicts = [gate.check(table) for gate in gates]
    try:
        if contents is not None:
            save(chosen.output, lambda: contents(table))
            say(f"polars-auc: wrote {chosen.output}")
    finally:
        # What was evaluated is shown also if it cannot be written.
        unprinted = show(readable(table))
    skipped = table.filter(pl.col("scope") == "overall", pl.col("n_missing") > 0)
    for name, missing in skipped.select("score", "n_missing").iter_rows():
        say(f"polars-auc: {name}: {_count(missing, 'row')} skipped for a null label or score")
    for _, said in verdicts:
        say(f"polars-auc: {said}")
    if unprinted is not None:
        raise Refusal(f"cannot print the report: {unprinted}")
    return PASSED if all(passed for passed, _ in verdicts) else FAILED


@contextmanager
def _of_files(files: Sequence[str], columns: Sequence[str]) -> Iterator[None]:
    """Turn what Polars raises into a refusal, which names the file that cannot be read, if there is one."""
    try:
        with worded():
            yield
    except Refusal as refusal:
        if isinstance(refusal.__cause__, pl.exceptions.PolarsError | OSError):
            fault = unreadable(files, columns)
            if fault is not None:
                raise Refusal(fault) from refusal
        raise


def _check_along(chosen: argparse.Namespace) -> None:
    if chosen.along is not None and chosen.versus != "previous":
        raise Refusal("--along says whose previous value is meant; it needs --versus previous")
    if chosen.along is not None and chosen.along not in chosen.by:
        raise Refusal(f"--along names {chosen.along!r}, which is none of the --by: {', '.join(chosen.by)}")
    if chosen.along is None and chosen.versus == "previous" and len(chosen.by) > 1:
        raise Refusal(
            "--versus previous with several --by needs the one whose previous value is meant, as in "
            f"--along {shlex.quote(chosen.by[-1])}"
        )


def _versus(versus: str | None, by: Sequence[str]) -> object:
    """Take a segment of several columns apart."""
    return tuple(versus.split(",")) if versus is not None and len(by) > 1 and "," in versus else versus


def _refuse_words(text: str, label: pl.Expr, rows: pl.LazyFrame) -> None:
    """Refuse a label of words, and show those that are there."""
    [dtype] = rows.select(label).collect_schema().dtypes()
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        words = _values(label, rows)
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


def _values(column: pl.Expr, rows: pl.LazyFrame) -> list[str]:
    """Return the first values of a column in order, as SQL writes them; none of a column that is no code."""
    [dtype] = rows.select(column).collect_schema().dtypes()
    words = dtype in (pl.String, pl.Categorical, pl.Enum)
    if not words and not dtype.is_integer() and dtype != pl.Boolean:
        return []
    values = rows.select(column.cast(pl.String) if words else column).unique().drop_nulls().collect()
    first = values.to_series().sort().head(_SHOWN_VALUES)
    shown = ["'" + value.replace("'", "''") + "'" if words else str(value).lower() for value in first]
    return [*shown, "..."] if values.height > _SHOWN_VALUES else shown


def _refuse_empty(
    table: pl.DataFrame, chosen: argparse.Namespace, label: pl.Expr, rows: pl.LazyFrame
) -> None:
    """Refuse a report of nothing: no row at all, or rows of one class only."""
    for row in table.filter(pl.col("scope") == "overall").iter_rows(named=True):
        score, n, n_pos = row["score"], row["n"], row["n_pos"]
        if n == row["n_missing"] == 0:
            what = " and ".join(f"--where {where!r}" for where in chosen.where)
            said = f"{what} leaves no row" if what else "the files have no row"
        elif n == 0:
            said = f"every row has a null label or score {score!r}"
        elif n_pos in (0, n):
            lacking = "negative" if n_pos else "positive"
            said = f"no row is {lacking}: --label {chosen.label!r} is the same in all rows"
            if row["n_missing"]:
                said += f" that have a label and a score {score!r}"
            compared = label.meta.root_names()
            values = _values(pl.col(compared[0]), rows) if len(compared) == 1 else []
            if values and chosen.label not in compared:
                said += f"; {compared[0]!r} holds {', '.join(values)}"
        else:
            continue
        raise Refusal(f"{said}. If that may be, write --allow-empty")


def _size(files: Sequence[str]) -> str:
    megabytes = sum(os.path.getsize(name) for name in files) / 1e6
    return f"{_count(len(files), 'file')}, {megabytes:,.1f} MB"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
