"""Files that commands write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from polars_auc._cli.refusal import Refusal, first_line
from polars_auc._page.files import TABLES, refuse_path, replace_file


def table_writer(output: Path) -> Callable[[pl.DataFrame], bytes]:
    """Return the function that makes the contents of a table's file; refuse a file of no use."""
    refuse_path(output, TABLES)
    return TABLES[output.suffix]


def to_standard_output(output: Path | None) -> bool:
    """Whether the output is standard output, which is written as a minus sign."""
    return output is not None and str(output) == "-"


def save(output: Path, contents: Callable[[], bytes]) -> None:
    """Write a file; refuse one that cannot be written."""
    try:
        replace_file(output, contents())
    except (OSError, pl.exceptions.PolarsError) as error:
        raise Refusal(f"cannot write {str(output)!r}: {first_line(error)}") from error
