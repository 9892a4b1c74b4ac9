"""``polars-auc state`` and ``polars-auc merge``: save counted rows as states, and merge states."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

import polars as pl

from polars_auc._cli.arguments import add_by, add_files, add_option, add_output, add_rows, add_value
from polars_auc._cli.files import Files
from polars_auc._cli.nan import log_nan
from polars_auc._cli.refusal import Incomplete, Refusal, flag
from polars_auc._cli.rows import RowOptions, Source, state_columns
from polars_auc._cli.streams import log, progress
from polars_auc._commands.output import save
from polars_auc._expressions.states import Scale, merge_states, roc_state
from polars_auc._page.files import refuse_path
from polars_auc._page.tables import TableWriter
from polars_auc._page.text import counted
from polars_auc._plugin.errors import OptionError
from polars_auc._report.options import ReportOptions
from polars_auc._report.rows import Rows


def add_state(commands: Any) -> None:
    """Add the command that computes states."""
    command = commands.add_parser(
        "state",
        help="count the rows of each group by score, to evaluate them later",
        description="Write the states of the rows of each group: a column of states for each score.",
        epilog='example: polars-auc state "rows/*.parquet" --label y --score s --by segment -o day.parquet',
    )
    command.set_defaults(run=state)
    add_files(command)
    add_rows(command)
    weight = "the column, or SQL, of the rows' weights; states then have sums of weights"
    add_option(command, ReportOptions, "weight", weight)
    add_by(command)
    _add_limit(command)
    command.add_argument(
        "--allow-empty", action="store_true", help="write states also if no row has a label and a score"
    )
    add_output(command, "write the states: .parquet", required=True)


def add_merge(commands: Any) -> None:
    """Add the command that merges states."""
    command = commands.add_parser(
        "merge",
        help="merge the states of files",
        description="Write one state for each group of states: of all days of a month, for instance.",
        epilog="example: polars-auc merge 2026-05-*.parquet --by segment -o 2026-05.parquet",
    )
    command.set_defaults(run=merge)
    add_files(command)
    add_by(command)
    _add_limit(command)
    add_output(command, "write the states: .parquet", required=True)


def _add_limit(command: argparse.ArgumentParser) -> None:
    """Add the options for the size of states."""
    bins = "the most bins of a state, such as 4096; without it states are exact"
    add_value(command, "--max-bins", bins, int, "N")
    scale = "with --max-bins: where bins are small; real: near 0 (the default), probability: near 0 and 1"
    add_value(command, "--scale", scale, choices=get_args(Scale))


def state(options: argparse.Namespace) -> bool:
    """Write the states of rows."""
    files, limit = _files_and_options(options)
    source = RowOptions.of(vars(options)).source(files)
    rows = source.rows
    clash = next((name for name in rows.scores if name in files.by), None)
    if clash is not None:
        raise Refusal(
            f"{flag('by')} and {flag('scores')} both name {clash!r}, and the file would have two columns "
            "of that name"
        )
    with source.faults():
        states = rows.each(roc_state, **limit)
    table = _counted(source, states)
    used = [pl.col(name).struct.field("n_pos", "n_neg").sum() for name in rows.scores]
    if not options.allow_empty and not any(sum(table.select(each).row(0)) for each in used):
        what = "a label and a score" if rows.weight is None else "a label, a score and a weight above 0"
        raise Refusal(f"no row has {what}. Hint: if that is expected, write --allow-empty")
    has_nan = log_nan(source)
    _write(options, table)
    if has_nan:
        raise Incomplete
    return True


def merge(options: argparse.Namespace) -> bool:
    """Write the merged states of files."""
    files, limit = _files_and_options(options)
    columns = state_columns(files, [])
    keys = files.keys()
    source = Source(files, Rows.from_states(files.rows, keys, columns), [*keys, *columns])
    with source.faults():
        states = source.rows.each(merge_states, **limit)
    table = _counted(source, states)
    log_nan(replace(source, rows=Rows.from_states(table.lazy(), keys, columns)))
    return _write(options, table)


def _files_and_options(options: argparse.Namespace) -> tuple[Files, dict[str, Any]]:
    if options.output.suffix != ".parquet":
        reason = f"must end in .parquet, which keeps states whole, got {str(options.output)!r}"
        raise OptionError("", "path", reason)
    refuse_path(options.output, (".parquet",))
    if options.scale is not None and options.max_bins is None:
        reason = "says where the bins of `max_bins` are small"
        raise OptionError("", "scale", reason, "give `max_bins`, or leave it out")
    return Files.grouped(options.files, options.by, options.output), {
        "max_bins": options.max_bins,
        "scale": options.scale,
    }


def _counted(source: Source, states: Sequence[pl.Expr]) -> pl.DataFrame:
    frame, by = source.rows.frame, source.rows.by
    with source.faults(), progress(f"counting {source.files.size()}"):
        if not by:
            return frame.select(states).collect()
        return frame.group_by(by).agg(states).sort(by, nulls_last=True).collect()


def _write(options: argparse.Namespace, table: pl.DataFrame) -> bool:
    writer = TableWriter(options.output.suffix, "States")
    save(options.output, lambda: writer.contents(table))
    log(f"polars-auc: wrote {options.output}: {counted(table.height, 'group')}")
    return True
