"""Files of states: their options, and the columns that hold states."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import get_args

import polars as pl

from polars_auc._cli.arguments import Once, add_switch
from polars_auc._cli.refusal import Refusal, flag
from polars_auc._cli.rows import Files
from polars_auc._cli.sources import differing, schema_of
from polars_auc._cli.sql import refuse_missing
from polars_auc._expressions.states import Scale, have_weights
from polars_auc._frames.evaluated import Evaluated
from polars_auc._plugin.errors import OptionError
from polars_auc._report.nan import Nans

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
        choices=get_args(Scale),
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


def refuse_of_rows(**options: object) -> None:
    """Refuse options that need rows, if the files hold states."""
    option = next((option for option, value in options.items() if value), None)
    if option is not None:
        reason = "needs rows, but `from_states` says that the files hold states"
        raise OptionError("", option, reason, "leave it out, or read the files of the rows")


def evaluated_states(files: Files, scores: Sequence[str]) -> Evaluated:
    """Evaluate the columns of states that are named, or all of them."""
    columns = state_columns(files, scores)
    keys = files.keys()
    return Evaluated.from_states(files.rows, keys, columns, [*keys, *columns])


def state_nans(evaluated: Evaluated) -> Nans:
    """Return what knows which states are of scores that were NaN."""
    return Nans.from_states(evaluated.rows, evaluated.scores, evaluated.by)


def state_columns(files: Files, selected: Sequence[str]) -> list[str]:
    """Return the columns of states, or those that are named; refuse files that have none."""
    # Columns that the first file lacks would be left out, and their states with them.
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
    """Return the columns of states that any of the files has; files that cannot be read have none."""
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
