"""``polars-auc state`` and ``polars-auc merge``: rows counted once, and kept to be asked later."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import polars as pl

from polars_auc._cli.arguments import add_by, add_files, add_output, add_rows, add_weight
from polars_auc._cli.output import as_file, save
from polars_auc._cli.progress import progress
from polars_auc._cli.refusal import Refusal
from polars_auc._cli.rows import Files, Scored, counted, of_files
from polars_auc._cli.states import add_limit, state_columns
from polars_auc._cli.streams import say
from polars_auc._expressions.states import merge_states, roc_state


def add_state(commands: Any) -> None:
    """Add the command that makes states."""
    command = commands.add_parser(
        "state",
        help="count the rows of each group by score, to evaluate them later",
        description="Write the states of the rows of each group: a column of states for each score.",
        epilog='example: polars-auc state "rows/*.parquet" --label y --score s --by segment -o day.parquet',
    )
    command.set_defaults(run=state)
    add_files(command)
    add_rows(command)
    add_weight(command, "the column, or SQL, of the rows' weights; states then have sums of weights")
    add_by(command)
    add_limit(command, "the most bins of a state, such as 4096; without it states are exact")
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
    add_limit(command, "the most bins of a state, such as 4096; without it states are exact")
    add_output(command, "write the states: .parquet", required=True)


def state(chosen: argparse.Namespace) -> bool:
    """Write the states of rows."""
    files, limit = _named(chosen)
    weight = files.column("--weight", chosen.weight)
    scored = Scored.of(files, chosen, weight)
    if weight is not None and scored.count is not None:
        raise Refusal("--weight and --count cannot both be given; leave one out")
    clash = next((name for name in chosen.scores if name in chosen.by), None)
    if clash is not None:
        raise Refusal(
            f"--by and --score both name {clash!r}, and the file would have two columns of that name"
        )
    with of_files(files.names, scored.names):
        states = [
            roc_state(scored.label, score, weight=weight, count=scored.count, **limit).alias(text)
            for text, score in zip(chosen.scores, scored.scores, strict=True)
        ]
    table = _counted(chosen, files, scored.rows, states, scored.names)
    used = [pl.col(name).struct.field("n_pos", "n_neg").sum() for name in chosen.scores]
    if not chosen.allow_empty and not any(sum(table.select(each).row(0)) for each in used):
        what = "a label and a score" if weight is None else "a label, a score and a weight above 0"
        raise Refusal(f"no row has {what}. If that may be, write --allow-empty")
    return _write(chosen, table)


def merge(chosen: argparse.Namespace) -> bool:
    """Write the merged states of files."""
    files, limit = _named(chosen)
    columns = state_columns(files, [])
    with of_files(files.names, ()):
        states = [merge_states(name, **limit) for name in columns]
    names = [*files.keys(chosen.by), *columns]
    return _write(chosen, _counted(chosen, files, files.rows, states, names, of_each_file=states))


def _named(chosen: argparse.Namespace) -> tuple[Files, dict[str, Any]]:
    as_file(chosen.output)
    if chosen.output.suffix != ".parquet":
        raise Refusal(f"--output must end in .parquet, which keeps states whole, got {str(chosen.output)!r}")
    if chosen.scale is not None and chosen.max_bins is None:
        raise Refusal("--scale says where the bins of --max-bins are small; give --max-bins, or leave it out")
    return Files.grouped(chosen, chosen.output), {"max_bins": chosen.max_bins, "scale": chosen.scale}


def _counted(
    chosen: argparse.Namespace,
    files: Files,
    rows: pl.LazyFrame,
    states: Sequence[pl.Expr],
    names: Sequence[str],
    of_each_file: Sequence[pl.Expr] = (),
) -> pl.DataFrame:
    with of_files(files.names, names, of_each_file), progress(f"counting {files.size()}"):
        if not chosen.by:
            return rows.select(states).collect()
        return rows.group_by(chosen.by).agg(states).sort(chosen.by, nulls_last=True).collect()


def _write(chosen: argparse.Namespace, table: pl.DataFrame) -> bool:
    contents = as_file(chosen.output)
    save(chosen.output, lambda: contents(table))
    say(f"polars-auc: wrote {chosen.output}: {counted(table.height, 'group')}")
    return True
