"""Output files of commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from polars_auc._cli.refusal import Refusal, first_line
from polars_auc._page.files import replace_file
from polars_auc._plugin.errors import OptionError


def to_standard_output(output: Path | None) -> bool:
    """Return whether the output is standard output, written as a minus sign."""
    return output is not None and str(output) == "-"


def refuse_unwritten(*, keep_formulas: bool) -> None:
    """Raise for options of files if no file is written."""
    if keep_formulas:
        raise OptionError("", "keep_formulas", "is for .csv files, and none is written", "end `path` in .csv")


def save(output: Path, contents: Callable[[], bytes]) -> None:
    """Write a file; raise if it cannot be written."""
    try:
        replace_file(output, contents())
    except (OSError, pl.exceptions.PolarsError) as error:
        raise Refusal(f"cannot write {str(output)!r}: {first_line(error)}") from error
