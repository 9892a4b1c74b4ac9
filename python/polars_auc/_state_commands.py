"""``polars-auc state`` and ``polars-auc merge``: rows counted once, and kept to be asked later."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import polars as pl

from polars_auc._arguments import Once, add_by, add_files, add_output, add_rows, add_switch, add_weight
from polars_auc._output import as_file, save
from polars_auc._progress import progress
from polars_auc._refusal import Refusal
from polars_auc._rows import Files, Scored, counted, of_files
from polars_auc._sources import schema_of
from polars_auc._sql import refuse_missing
from polars_auc._states import SCALES, have_weights, merge_states, roc_state
from polars_auc._streams import say

# The fields by which a column of states is known.
_FIELDS = {"bins", "n_pos", "n_neg", "n_missing", "has_nan", "resolution", "max_bins", "scale"}


def add_limit(command: argparse.ArgumentParser, bins: str) -> None:
    """Add how small states are."""
    command.add_argument(
        "--max-bins",
        action=Once,
        type=int,
        metavar="N",
        help=bins,
    )
    command.add_argument(
        "--scale",
        action=Once,
        choices=SCALES,
        help="with --max-bins: where bins are small; real: near 0 (the default), probability: near 0 and 1",
    )


def add_from_states(command: argparse.ArgumentParser) -> None:
    """Add that files hold states."""
    add_switch(
        command,
        "--from-states",
        "the files hold states, as polars-auc state writes them: merge those of each group; "
        "--score names columns of states, and without it all are meant",
    )


def refuse_of_rows(chosen: argparse.Namespace, options: Iterable[str]) -> None:
    """Refuse options that need rows, if the files hold states."""
    given = next((option for option in options if getattr(chosen, option)), None)
    if given is not None:
        option = given.replace("_", "-")
        raise Refusal(
            f"--{option} needs rows, but --from-states says that the files hold states; leave it out"
        )


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


def state_columns(files: Files, named: Sequence[str]) -> list[str]:
    """Return the columns of states, or those that are named; refuse files that have none."""
    # Columns that the first file lacks would be left out, and their states with them.
    states = {name: _states_in(schema_of(name)) for name in files.names}
    there = list(dict.fromkeys(name for columns in states.values() for name in columns))
    if not there:
        raise Refusal(f"{files.names[0]!r} holds no column of states; polars-auc state makes them")
    for file, columns in states.items():
        lacking = next((name for name in there if name not in columns), None)
        if lacking is not None:
            other = next(other for other, columns in states.items() if lacking in columns)
            raise Refusal(f"{file!r} has no column of states {lacking!r}, which {other!r} has")
    for name in there:
        weighted = {file: have_weights(schema_of(file)[name]) for file in files.names}
        if len(set(weighted.values())) > 1:
            ones = {is_weighted: file for file, is_weighted in weighted.items()}
            raise Refusal(
                f"{name!r} has states of rows with weights in {ones[True]!r}, and without them in "
                f"{ones[False]!r}; make all of them alike"
            )
    if len(set(named)) < len(named):
        raise Refusal("--score names one score twice")
    refuse_missing("--score", named, files.schema, files=files.names)
    for name in named:
        if name not in there:
            raise Refusal(f"--score names {name!r}, which holds no states; states are in {', '.join(there)}")
    return list(named) or there


def names_of_states(files: Sequence[str]) -> list[str]:
    """Return the columns of states that any of the files has; files that cannot be read have none."""
    found: dict[str, None] = {}
    for name in files:
        with suppress(Refusal):
            found |= dict.fromkeys(_states_in(schema_of(name)))
    return list(found)


def _states_in(schema: Mapping[str, pl.DataType]) -> list[str]:
    return [
        name
        for name, dtype in schema.items()
        if isinstance(dtype, pl.Struct) and {field.name for field in dtype.fields} >= _FIELDS
    ]


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
