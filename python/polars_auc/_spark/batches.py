"""Conversion between Arrow batches of Spark and frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from polars_auc._frames.partial_states import PART_BYTES
from polars_auc._spark.types import table_for_spark

if TYPE_CHECKING:
    import pyarrow


def numbered(columns: int) -> list[str]:
    """Return column names for use between stages: Spark does not support every column name."""
    return [f"column{place}" for place in range(columns)]


def frames_of(batches: Iterator[pyarrow.RecordBatch], names: list[str]) -> Iterator[pl.DataFrame]:
    """Yield larger frames from batches: a Spark batch has only ten thousand rows."""
    import pyarrow as pa

    some: list[pyarrow.RecordBatch] = []
    size = 0
    for batch in batches:
        some.append(batch)
        size += batch.nbytes
        if size > PART_BYTES:
            yield pl.DataFrame(pa.Table.from_batches(some).rename_columns(names))
            some, size = [], 0
    if some:
        yield pl.DataFrame(pa.Table.from_batches(some).rename_columns(names))


def batches_of(frame: pl.DataFrame | None) -> Iterator[pyarrow.RecordBatch]:
    """Yield the batches of a frame; none without rows."""
    if frame is not None and not frame.is_empty():
        rows = max(1, int(frame.height * PART_BYTES / max(1, frame.estimated_size())))
        for part in frame.iter_slices(rows):
            yield from table_for_spark(part).rename_columns(numbered(frame.width)).to_batches()
