"""Files of tables: options, contents and messages."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from polars_auc._cli.arguments import add_option, add_output, options_in_effect
from polars_auc._cli.files import Files
from polars_auc._commands.output import refuse_unwritten, save
from polars_auc._commands.report_options import ReportRequest
from polars_auc._page.about import about_rows
from polars_auc._page.files import refuse_path
from polars_auc._page.markdown import code
from polars_auc._page.tables import TABLES, TableWriter
from polars_auc._page.text import counted

ENDINGS = (*TABLES, ".md")
"""The supported file endings of a table."""


def add_table_output(command: argparse.ArgumentParser, what: str, *, required: bool = False) -> None:
    """Add the options of the output file."""
    add_option(command, ReportRequest, "keep_formulas")
    add_output(command, what, required=required)


def table_writer(options: argparse.Namespace, title: str, other: Sequence[str] = ()) -> TableWriter | None:
    """Return the writer of the output file, if there is one; ``other`` adds supported endings."""
    if options.output is None:
        refuse_unwritten(keep_formulas=options.keep_formulas)
        return None
    refuse_path(options.output, (*other, *ENDINGS))
    level = getattr(options, "level", None)
    return TableWriter(
        options.output.suffix,
        title,
        keep_formulas=options.keep_formulas,
        level=0.95 if level is None else level,
        low_is_positive=options.low_is_positive,
    )


def save_table(
    writer: TableWriter,
    options: argparse.Namespace,
    files: Files,
    scores: Sequence[str],
    table: pl.DataFrame,
    more: Sequence[tuple[str, str]] = (),
) -> list[str]:
    """Write a table with its description, and return messages about the file."""
    name: Any = code if writer.ending == ".md" else str
    about = [
        ("Data", files.about()),
        *about_rows(
            scores,
            files.by,
            name,
            label=options.label,
            where=options.where,
            count=options.count,
            low_is_positive=options.low_is_positive,
        ),
    ]
    if (weight := getattr(options, "weight", None)) is not None:
        about.append(("Weights", f"each row has the weight {name(weight)}"))
    about += more
    if writer.ending == ".xlsx":
        # A sheet has room for all options.
        about += options_in_effect(vars(options))
    # SQL columns have their own names.
    grouped_writer = replace(writer, by=files.by)
    save(options.output, lambda: grouped_writer.contents(table, about))
    return [f"wrote {options.output}: {counted(table.height, 'row')}", *writer.notes(table)]
