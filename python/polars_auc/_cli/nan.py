"""Messages about missing values and NaN."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from polars_auc._cli.reading import reading
from polars_auc._cli.rows import Source
from polars_auc._cli.sources import is_text, scan
from polars_auc._cli.streams import log
from polars_auc._page.text import counted

# A reserved prefix for original columns: no user column starts with it.
_WRITTEN = "polars_auc: written "


def log_nan(source: Source, *, may_be_nan: bool = True, quiet: bool = False) -> bool:
    """Print the values that were read as missing and the scores with NaN; return whether NaN is an error.

    Without ``may_be_nan`` there is no search for NaN.
    """
    rows = source.rows
    with source.faults():
        for line in [] if quiet else read_as_missing(source):
            log(f"polars-auc: read as missing: {line}")
        if quiet if rows.skips_nan else not may_be_nan:
            return False
        lines = rows.skipped_messages() if rows.skips_nan else rows.nan_messages()
    has_nan = bool(lines) and not rows.skips_nan
    for line in [*lines, *(lines_of_text(source) if has_nan else [])]:
        log(f"polars-auc: {line}")
    return has_nan


def read_as_missing(source: Source) -> list[str]:
    """Return the values of the label, scores, weight and count that were read as missing.

    Only rows that meet the conditions count. States have no such values.
    """
    files = source.files
    texts = {name: f"{_WRITTEN}{name}" for _, columns in files.nullable for name in columns}
    texts = {name: text for name, text in texts.items() if name in reading().numbers}
    if not texts or source.rows.label is None:
        return []
    parts = [
        rows.with_columns(
            *columns.values(),
            *(pl.col(name).cast(pl.String).alias(texts[name]) for name in texts if name in columns),
        )
        for rows, columns in files.nullable
    ]
    used = pl.concat(parts, how="diagonal").with_columns(files.keys_of_sql).filter(*source.conditions)
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


def lines_of_text(source: Source) -> list[str]:
    """Return a line with the first text file that has NaN in a score column."""
    columns = {root for score in source.rows.originals.values() for root in score.meta.root_names()}
    for name in source.files.names:
        if not is_text(name):
            return []
        table = scan([str(Path(name))]).rows
        schema = table.collect_schema()
        checks = [pl.col(key).is_nan().any() for key in columns if key in schema and schema[key].is_float()]
        if checks and any(table.select(checks).collect().row(0)):
            return [f"{name!r} has the text NaN, which is read as the number NaN"]
    return []
