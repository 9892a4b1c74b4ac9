"""The rank formula of a guide in SQL gives the area, ties included."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import polars as pl
from polars.testing import assert_frame_equal

import polars_auc as pa

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")


def test_the_rank_formula_in_sql() -> None:
    [formula] = re.findall(r"```sql\n(.*?)```", GUIDE, re.DOTALL)
    everything = pl.read_parquet(ROOT / "data" / "digits.parquet").select("segment", "label", score="tree")
    rows = everything.with_columns(pl.col("score").round(2))
    with duckdb.connect() as connection:
        connection.register("rows", rows.to_arrow())
        found = connection.sql(formula).pl()
    expected = rows.group_by("segment").agg(auc=pa.roc_auc("label", "score"))
    assert_frame_equal(found.sort("segment"), expected.sort("segment"))
