"""What the commands say of values that are missing or NaN."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from polars_auc._cli.reading import reading
from polars_auc._cli.rows import Files, Rows, file_errors
from polars_auc._cli.sources import is_text, scan
from polars_auc._cli.streams import log
from polars_auc._page.text import counted
from polars_auc._report.nan import Nans

__all__ = ["lines_of_text", "log_nan", "read_as_missing"]

# A name that no column of a user begins with: of a column as its file has it.
_WRITTEN = "polars_auc: written "


def log_nan(
    files: Files, nans: Nans, read: Rows | None, *, may_be_nan: bool = True, quiet: bool = False
) -> bool:
    """Say which values were read as missing and which scores have NaN; return whether it is a fault.

    Without ``may_be_nan`` the numbers have none, and nothing is read to look for it. Files of states have no
    rows to read.
    """
    if read is not None and not quiet:
        with file_errors(files.names, read.names):
            missing = read_as_missing(files, read.conditions)
        for line in missing:
            log(f"polars-auc: read as missing: {line}")
    is_skipped = read is not None and read.skips_nan
    if quiet if is_skipped else not may_be_nan:
        return False
    with file_errors(files.names, [] if read is None else read.names):
        lines = nans.skipped_messages() if is_skipped else nans.messages()
    for line in [*lines, *([] if is_skipped or not lines else lines_of_text(read))]:
        log(f"polars-auc: {line}")
    return bool(lines) and not is_skipped


def read_as_missing(files: Files, conditions: Sequence[pl.Expr]) -> list[str]:
    """Say which values of the label, the scores, the weight and the count were read as missing.

    They are those of the rows that meet the conditions.
    """
    texts = {name: f"{_WRITTEN}{name}" for _, columns in files.nullable for name in columns}
    texts = {name: text for name, text in texts.items() if name in reading().numbers}
    if not texts:
        return []
    parts = [
        rows.with_columns(
            *columns.values(),
            *(pl.col(name).cast(pl.String).alias(texts[name]) for name in texts if name in columns),
        )
        for rows, columns in files.nullable
    ]
    used = pl.concat(parts, how="diagonal").with_columns(files.keys_of_sql).filter(*conditions)
    counts = used.select(
        pl.col(text).filter(pl.col(name).is_null(), pl.col(text) != "").value_counts().implode().alias(name)
        for name, text in texts.items()
    ).collect()
    numbers = [
        (name, count[texts[name]], count["count"])
        for name, found in counts.row(0, named=True).items()
        for count in found
    ]
    return [f"{counted(n, 'value')} {word!r} of {name!r}" for name, word, n in sorted(numbers)]


def lines_of_text(read: Rows | None) -> list[str]:
    """Say in which file NaN is a text, if it is one."""
    file = None if read is None else _file_with_the_text(read)
    return [] if file is None else [f"{file!r} has the text NaN, which is read as the number NaN"]


def _file_with_the_text(rows: Rows) -> str | None:
    """Return the first file of text that has NaN in a column of a score."""
    for name in rows.files:
        if not is_text(name):
            return None
        table = scan([str(Path(name))]).rows
        schema = table.collect_schema()
        columns = {root for score in rows.scores_as_read.values() for root in score.meta.root_names()}
        checks = [pl.col(key).is_nan().any() for key in columns if key in schema and schema[key].is_float()]
        if checks and any(table.select(checks).collect().row(0)):
            return name
    return None
