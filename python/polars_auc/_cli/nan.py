"""What the commands say of scores that are NaN."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from polars_auc._cli.rows import Rows, of_files
from polars_auc._cli.sources import is_text, scan
from polars_auc._cli.streams import say
from polars_auc._report.nan import Nans, said_of_nan

__all__ = ["say_nan"]


def say_nan(rows: Rows, nans: Nans) -> bool:
    """Say which scores and groups have NaN, and in which file it is a text; return whether there is any."""
    with of_files(rows.files, rows.names):
        found = nans.found()
    if found.is_empty():
        return False
    for line in said_of_nan(found):
        say(f"polars-auc: {line}")
    named = _file_with_the_text(rows)
    if named is not None:
        say(f"polars-auc: {named!r} has the text NaN, which is read as the number NaN")
    return True


def _file_with_the_text(rows: Rows) -> str | None:
    """Return the first file of text that has NaN in a column of a score."""
    for name in rows.files:
        if not is_text(name):
            return None
        table, _, _ = scan([str(Path(name))])
        schema = table.collect_schema()
        columns = {root for score in rows.scores_as_read.values() for root in score.meta.root_names()}
        asked = [pl.col(key).is_nan().any() for key in columns if key in schema and schema[key].is_float()]
        if asked and any(table.select(asked).collect().row(0)):
            return name
    return None
