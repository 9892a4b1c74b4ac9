"""States of a frame of Daft on Ray: ``python tests/engines/on_ray.py rows.parquet address``."""

from __future__ import annotations

import sys
from typing import Any

import daft
import polars as pl
import ray

import polars_auc as pa
import polars_auc.daft as pad


def check(file: str) -> None:
    """Compare the states of several partitions with those of Polars."""
    pad._BATCH_ROWS = 500
    rows = pl.read_parquet(file)
    frame = daft.read_parquet(file).into_partitions(4)
    cases: list[dict[str, Any]] = [{"by": ["segment"]}, {"max_bins": 16}, {"by": ["day"], "count": "count"}]
    for options in cases:
        scores = ["score", "integer", "decimal"]
        got = pl.DataFrame(pad.group_states(frame, "label", scores, **options).to_arrow())
        expected = pa.group_states(rows, "label", scores, **options)
        assert got.schema == expected.schema
        assert repr(got.rows()) == repr(expected.rows())
    nothing = pad.group_states(frame.where(daft.col("day").is_null()), "label", "score", by="segment")
    assert nothing.count_rows() == 0


if __name__ == "__main__":
    ray.init(address=sys.argv[2], logging_level="ERROR", log_to_driver=False)
    daft.set_runner_ray()
    check(sys.argv[1])
    print("Daft", daft.__version__, "on Ray", ray.__version__, "gives the same bits")
    ray.shutdown()
