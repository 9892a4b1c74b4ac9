"""``polars-auc report``: one row for each group and score, and one over all rows."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from collections.abc import Sequence
from typing import Any

import polars as pl

from polars_auc._arguments import Once, add_by, add_files, add_output, add_rows
from polars_auc._gates import Gate
from polars_auc._output import as_file, save
from polars_auc._progress import progress
from polars_auc._refusal import Refusal
from polars_auc._report import Interval, bounded_evaluation, evaluation, evaluation_of_states
from polars_auc._report_about import about, skipped
from polars_auc._report_text import SHOWN_ROWS, Shown
from polars_auc._rows import Files, Scored, of_files, values
from polars_auc._state_commands import add_from_states, add_limit, refuse_of_rows, state_columns
from polars_auc._states import merge_states
from polars_auc._streams import say, show

# Options that need rows.
_OF_ROWS = ("label", "count", "where", "compare", "versus", "along", "folds")


def add_report(commands: Any) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "report",
        help="one row for each group and score, and one over all rows",
        description="Print AUC with its interval, KS and Gini for each group and score, and over all rows.",
        epilog='example: polars-auc report "data/*.parquet" --label y --score s --by segment -o report.md',
    )
    command.set_defaults(run=report)
    add_files(command)
    add_rows(command)
    add_by(command)
    add_from_states(command)
    command.add_argument(
        "--level", action=Once, type=float, default=0.95, help="coverage of the intervals (default: 0.95)"
    )
    command.add_argument(
        "--ci",
        action=Once,
        choices=("delong", "logit", "hanley_mcneil", "bootstrap"),
        default="delong",
        help="method of the interval of the AUC (default: delong)",
    )
    command.add_argument(
        "--resamples",
        action=Once,
        type=int,
        metavar="N",
        help="bootstrap resamples, with --ci bootstrap (default: 2000)",
    )
    command.add_argument(
        "--seed", action=Once, type=int, metavar="N", help="seed, with --ci bootstrap (default: 0)"
    )
    command.add_argument(
        "--compare",
        action=Once,
        nargs=0,
        const=True,
        default=False,
        help="compare each score with the first, on rows that have all",
    )
    command.add_argument(
        "--versus",
        action=Once,
        metavar="SEGMENT",
        help="compare each group with the 'rest', 'overall', the 'previous' one, or the group of this value "
        "(values of several --by are separated by commas)",
    )
    command.add_argument(
        "--along",
        action=Once,
        metavar="COLUMN",
        help="with --versus previous and several --by: the one whose previous value is meant, such as "
        "the year",
    )
    command.add_argument(
        "--adjust",
        action=Once,
        choices=("holm", "bonferroni", "bh", "by", "none"),
        default="holm",
        help="adjustment of p-values for their number (default: holm)",
    )
    command.add_argument(
        "--folds",
        action=Once,
        metavar="COLUMN",
        help="the column of cross-validation folds, or SQL: adds their mean AUC",
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
        "--bounded",
        action=Once,
        nargs=0,
        const=True,
        default=False,
        help="keep only a small state of each group in memory; auc_min and auc_max say how exact it is",
    )
    add_limit(command, "with --bounded: the most bins of a state (default: 4096)")
    command.add_argument(
        "--columns",
        action=Once,
        metavar="NAMES",
        help="the columns to print, and of an .md file, as in auc,ks (default: those that answer first)",
    )
    command.add_argument(
        "--wide",
        action=Once,
        nargs=0,
        const=True,
        default=False,
        help="all columns, printed and in an .md file",
    )
    command.add_argument(
        "--limit",
        action=Once,
        type=int,
        metavar="N",
        help=f"the most rows of groups to print (default: {SHOWN_ROWS}); files have all",
    )
    command.add_argument(
        "--quiet", action=Once, nargs=0, const=True, default=False, help="print errors and gates only"
    )
    add_output(command, "write the report: .parquet, .csv, .json or .md")


def report(chosen: argparse.Namespace) -> bool:
    """Print and write the report; return whether all gates passed."""
    shown = _shown(chosen)
    files = Files.named(chosen.files, chosen.output)

    def as_page(table: pl.DataFrame) -> bytes:
        return shown.page(table, about(chosen, files, table), chosen.level).encode()

    contents = None if chosen.output is None else as_file(chosen.output, md=as_page)
    if not 0 < chosen.level < 1:
        raise Refusal(f"--level must lie between 0 and 1, such as 0.95, got {chosen.level}")
    _check_bounded(chosen)
    scored = None
    if chosen.from_states:
        plan, names, first_score = _of_states(files, chosen)
    else:
        scored = Scored.of(files, chosen, files.column("--folds", chosen.folds))
        plan, names, first_score = _of_rows(files, chosen, scored), scored.names, chosen.scores[0]
    states = [merge_states(name) for name in names if chosen.from_states and name not in chosen.by]
    with of_files(files.names, names, states):
        planned = plan.collect_schema()
    shown.check(planned.names())
    versus = _versus(chosen.versus, chosen.by)
    gates = [
        Gate.read(text, planned, by=chosen.by, first_score=first_score, versus=versus, along=chosen.along)
        for text in chosen.fail_if
    ]
    with of_files(files.names, names, states), progress(f"evaluating {files.size()}"):
        table = plan.collect()
        if not chosen.allow_empty:
            _refuse_empty(table, chosen, scored)
    verdicts = [gate.check(table) for gate in gates]
    try:
        if contents is not None:
            save(chosen.output, lambda: contents(table))
            if not chosen.quiet:
                say(f"polars-auc: wrote {chosen.output}")
    finally:
        # What was evaluated is shown also if it cannot be written.
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        unprinted = None if chosen.quiet else show(shown.printed(table, width))
    if not chosen.quiet:
        for line in skipped(table):
            say(f"polars-auc: {line}")
    for _, said in verdicts:
        say(f"polars-auc: {said}")
    if unprinted is not None:
        raise Refusal(f"cannot print the report: {unprinted}")
    return all(passed for passed, _ in verdicts)


def _shown(chosen: argparse.Namespace) -> Shown:
    """Return what of the report is printed, and what of it is on a page."""
    has_page = chosen.output is not None and chosen.output.suffix == ".md"
    of_tables = ("limit",) if has_page else ("limit", "columns", "wide")
    given = [option for option in of_tables if getattr(chosen, option) not in (None, False)]
    if chosen.quiet and given:
        raise Refusal(f"--{given[0]} is about the printed table, and --quiet prints none; leave one out")
    if chosen.wide and chosen.columns is not None:
        raise Refusal("--wide prints all columns; leave it out, or --columns")
    if chosen.limit is not None and chosen.limit < 0:
        raise Refusal(f"--limit must be a number of rows, such as {SHOWN_ROWS}, got {chosen.limit}")
    columns = None
    if chosen.columns is not None:
        columns = list(dict.fromkeys(name.strip() for name in chosen.columns.split(",")))
    return Shown(columns, chosen.wide, SHOWN_ROWS if chosen.limit is None else chosen.limit)


def _of_rows(files: Files, chosen: argparse.Namespace, scored: Scored) -> pl.LazyFrame:
    """Plan a report of rows."""
    if chosen.compare and len(scored.scores) < 2:
        raise Refusal("--compare needs two --score or more")
    if chosen.versus is not None and not chosen.by:
        raise Refusal("--versus compares groups; name the column that makes them with --by")
    _check_along(chosen)
    if chosen.bounded:
        with of_files(files.names, scored.names):
            return bounded_evaluation(
                scored.rows,
                scored.label,
                scored.scores,
                by=chosen.by,
                interval=_interval(chosen),
                count=scored.count,
                max_bins=chosen.max_bins,
                scale=chosen.scale,
            )
    with of_files(files.names, scored.names):
        return evaluation(
            scored.rows,
            scored.label,
            scored.scores,
            by=chosen.by,
            interval=_interval(chosen),
            compare=chosen.compare,
            versus=_versus(chosen.versus, chosen.by),
            along=chosen.along,
            adjust=None if chosen.adjust == "none" else chosen.adjust,
            folds=files.column("--folds", chosen.folds),
            count=scored.count,
        )


def _check_bounded(chosen: argparse.Namespace) -> None:
    options = ("compare", "versus", "along", "folds", "from_states")
    given = [option.replace("_", "-") for option in options if getattr(chosen, option)]
    if chosen.bounded and given:
        raise Refusal(
            f"--{given[0]} is not possible with --bounded, which keeps no rows; leave one of them out"
        )
    for option in ("max_bins", "scale"):
        if getattr(chosen, option) is not None and not chosen.bounded:
            raise Refusal(f"--{option.replace('_', '-')} is for --bounded; give it, or leave this out")


def _of_states(files: Files, chosen: argparse.Namespace) -> tuple[pl.LazyFrame, list[str], str]:
    """Plan a report of states, and return the columns that are read and the name of the first score."""
    refuse_of_rows(chosen, _OF_ROWS)
    states = state_columns(files, chosen.scores)
    keys = files.keys(chosen.by)
    with of_files(files.names, [*keys, *states]):
        plan = evaluation_of_states(files.rows, states, by=keys, interval=_interval(chosen))
    return plan, [*keys, *states], states[0]


def _interval(chosen: argparse.Namespace) -> Interval:
    return Interval(level=chosen.level, ci=chosen.ci, n_resamples=chosen.resamples, seed=chosen.seed)


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


def _refuse_empty(table: pl.DataFrame, chosen: argparse.Namespace, scored: Scored | None) -> None:
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
            said = f"no row is {lacking}"
            if scored is not None:
                said += f": --label {chosen.label!r} is the same in all rows"
                if row["n_missing"]:
                    said += f" that have a label and a score {score!r}"
                compared = scored.label.meta.root_names()
                shown = values(pl.col(compared[0]), scored.rows) if len(compared) == 1 else []
                if shown and chosen.label not in compared:
                    said += f"; {compared[0]!r} holds {', '.join(shown)}"
        else:
            continue
        raise Refusal(f"{said}. If that may be, write --allow-empty")
