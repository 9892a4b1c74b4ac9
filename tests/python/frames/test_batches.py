"""Rows in batches."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import fixed
from polars_auc._frames.batches import batches


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_all_rows_in_order(size: int) -> None:
    frame = fixed(50)
    with batches(frame.lazy(), size, maintain_order=True) as read:
        batches_read = list(read)
    assert_frame_equal(pl.concat(batches_read), frame)
    assert all(batch.height <= size for batch in batches_read)


def test_a_reader_that_is_not_needed_ends() -> None:
    before = threading.active_count()
    for count in range(3):
        with batches(fixed(50).lazy(), 1, maintain_order=True) as read:
            for _ in range(count):
                next(read)
    with pytest.raises(RuntimeError, match="enough"), batches(fixed(50).lazy(), 1, maintain_order=True):
        raise RuntimeError("enough")
    assert threading.active_count() == before


@pytest.mark.parametrize("keywords", [{"memory": "bounded"}, {"sorted_by": "g"}])
def test_a_damaged_file_after_others_is_no_end_of_the_rows(keywords: dict[str, Any], tmp_path: Path) -> None:
    """Older Polars ends the batches there: the report would cover only the files before."""
    frame = fixed(500).select("g", "label", "score").sort("g")
    for name in ("a", "b"):
        frame.write_parquet(tmp_path / f"{name}.parquet")
    contents = (tmp_path / "b.parquet").read_bytes()
    # The footer is valid: reading the rows raises the error.
    (tmp_path / "b.parquet").write_bytes(
        b"PAR1" + bytes(len(contents) // 2) + contents[len(contents) // 2 + 4 :]
    )
    files = pl.scan_parquet([tmp_path / "a.parquet", tmp_path / "b.parquet"])
    with pytest.raises(pl.exceptions.PolarsError):
        pa.report(files, "label", "score", by="g", **keywords).collect()
    with pytest.raises(pl.exceptions.PolarsError):
        pa.group_states(files, "label", "score", by="g").collect()
