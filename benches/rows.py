"""The stored rows of results."""

from __future__ import annotations

from pathlib import Path

import polars as pl


def append(table: pl.DataFrame, file: Path) -> None:
    """Append rows to a file of results; create the file if needed."""
    if file.exists():
        table = pl.concat([pl.read_csv(file, schema=table.schema), table])
    table.write_csv(file)
