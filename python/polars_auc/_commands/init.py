"""``polars-auc init``: a configuration file for files, from a look at their columns."""

from __future__ import annotations

import argparse
import json
from typing import Any

import polars as pl

from polars_auc._cli.arguments import add_files, add_output
from polars_auc._cli.output import save
from polars_auc._cli.progress import progress
from polars_auc._cli.refusal import Refusal
from polars_auc._cli.rows import Files, of_files
from polars_auc._cli.streams import say, show
from polars_auc._page.files import refuse_path

__all__ = ["add_init"]

# Columns of more distinct values are not proposed as groups.
_MOST_GROUPS = 100

# Rows that are looked at.
_ROWS = 100_000


def add_init(commands: Any) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "init",
        help="write a configuration file, from a look at the columns",
        description="Propose a label, scores and groups for files, as a file for --config.",
        epilog='example: polars-auc init "data/*.parquet" -o polars-auc.toml',
    )
    command.set_defaults(run=init)
    add_files(command)
    add_output(command, "the file to write, such as polars-auc.toml; without it the text is printed")


def init(options: argparse.Namespace) -> bool:
    """Write or print a configuration."""
    if options.output is not None:
        refuse_path(options.output, (".toml",))
    if options.output is not None and options.output.exists():
        raise Refusal(f"{str(options.output)!r} exists; choose another name, or remove it")
    files = Files.named(options.files, options.output)
    with of_files(files.names, files.schema.names()), progress(f"looking at {files.size()}"):
        text = _text(options.files, files.rows.head(_ROWS).collect())
    if options.output is None:
        unprinted = show(text.rstrip("\n"))
        if unprinted is not None:
            raise Refusal(f"cannot print the configuration: {unprinted}")
        return True
    save(options.output, text.encode)
    say(f"polars-auc: wrote {options.output}; polars-auc report --config {options.output}")
    return True


def _text(names: list[str], rows: pl.DataFrame) -> str:
    labels = [column.name for column in rows if _is_label(column)]
    scores = [column.name for column in rows if column.dtype.is_float() or column.dtype.is_decimal()]
    groups = [column.name for column in rows if column.name not in labels and _is_group(column)]
    quoted = json.dumps
    label = f"label = {quoted(labels[0])}" if labels else "# label = \"outcome = 'bad'\""
    score = f"score = {quoted(scores)}" if scores else '# score = ["model"]'
    by = f"by = {quoted(groups[:1])}" if groups else '# by = ["segment"]'
    return "\n".join(
        [
            "# Options as on the command line: polars-auc report --config polars-auc.toml",
            "# What the command line gives replaces what stands here.",
            "",
            "[input]",
            f"files = {quoted(names)}",
            "# A column of 0 and 1 or Booleans, or SQL.",
            label,
            *([f"# other columns of 0 and 1: {', '.join(map(quoted, labels[1:]))}"] if labels[1:] else []),
            "# Higher scores are more positive; write -rating where it is the other way.",
            score,
            by,
            *([f"# other columns of groups: {', '.join(map(quoted, groups[1:]))}"] if groups[1:] else []),
            "",
            "[report]",
            "level = 0.95",
            '# versus = "rest"',
            "# compare = true",
            '# fail-if = ["auc < 0.7"]',
            'output = "report.md"',
            "",
        ]
    )


def _is_label(column: pl.Series) -> bool:
    if column.dtype == pl.Boolean:
        return True
    if not column.dtype.is_integer():
        return False
    values = column.drop_nulls()
    return values.len() > 0 and bool(((values == 0) | (values == 1)).all())


def _is_group(column: pl.Series) -> bool:
    groups = column.dtype.is_integer() or column.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Date)
    return groups and 1 < column.n_unique() <= _MOST_GROUPS
