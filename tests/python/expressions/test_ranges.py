"""Counting the rows of a group by ranges gives the same numbers."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polars_auc as pa
from polars_auc._plugin.errors import OptionError
from polars_auc._report.columns import SUMMARY_COLUMNS
from polars_auc._report.options import PLACEMENT_METHODS, IntervalMethod
from polars_auc._spark.ranges import range_sums, summary_of_ranges

NAN = float("nan")


def by_ranges(rows: pl.DataFrame, borders: list[float], **limits: Any) -> pl.DataFrame:
    """Return the numbers of rows that are split at a border of the score."""
    reached = pl.sum_horizontal(pl.lit(0), *(pl.col("s") >= border for border in borders))
    ranges = rows.group_by(reached.fill_null(0).alias("range")).agg(state=pa.roc_state("y", "s"))
    in_order = ranges.sort("range", descending=True)
    return in_order.select(range_sums("state").implode()).select(summary_of_ranges("state", **limits))


def assert_same(rows: pl.DataFrame, borders: list[float], **limits: Any) -> None:
    got = by_ranges(rows, borders, **limits)
    # A state does not have the number of unlabelled rows.
    answer = rows.select(state=pa.roc_state("y", "s")).select(pa.roc_summary(state="state", **limits))
    in_order = [pl.col("state").struct.field(name) for name in SUMMARY_COLUMNS]
    assert repr(got.select(in_order).rows()) == repr(answer.select(in_order).rows())


LABELS = st.sampled_from([True, False, None])
SCORES = st.sampled_from([-0.0, 0.0, 1.0, 2.0, 3.5, float("inf"), float("-inf"), None])


@given(
    rows=st.lists(st.tuples(LABELS, SCORES), max_size=40),
    borders=st.lists(st.sampled_from([-1.0, 0.0, 1.0, 2.0, 3.0, float("inf")]), max_size=4),
    has_nan=st.booleans(),
    ci=st.sampled_from(PLACEMENT_METHODS),
)
def test_any_borders_give_the_bits_of_the_rows(
    rows: list[Any], borders: list[float], has_nan: bool, ci: str
) -> None:
    more = [(True, NAN)] if has_nan else []
    frame = pl.DataFrame([*rows, *more], schema={"y": pl.Boolean, "s": pl.Float64}, orient="row")
    assert_same(frame, borders, ci=ci, level=0.9)


def test_many_rows() -> None:
    generator = np.random.default_rng(5)
    rows = pl.DataFrame({"y": generator.random(200_000) < 0.3, "s": generator.normal(size=200_000)})
    rows = rows.with_columns(pl.col("s") + pl.col("y"))
    for ci in PLACEMENT_METHODS:
        assert_same(rows, [-1.0, -0.2, 0.4, 0.4000001, 3.0], ci=ci, level=0.95)


@pytest.mark.parametrize("ci", sorted({*get_args(IntervalMethod)} - {*PLACEMENT_METHODS}))
def test_intervals_that_need_all_scores_are_refused(ci: str) -> None:
    with pytest.raises(OptionError, match=f"ci '{ci}' needs all scores together"):
        summary_of_ranges("ranges", ci=ci, level=0.95)


def test_what_is_no_range_is_refused() -> None:
    rows = pl.DataFrame({"y": [True, False], "s": [1.0, 2.0]})
    weighted = rows.select(state=pa.roc_state("y", "s", weight="s"))
    with pytest.raises(pl.exceptions.ComputeError, match="is of weighted rows"):
        weighted.select(range_sums("state"))
    answer = summary_of_ranges("ranges", ci="delong", level=0.95)
    with pytest.raises(pl.exceptions.ComputeError, match="expected lists of Binary"):
        pl.DataFrame({"ranges": [[1]]}).select(answer)
    for bytes_ in (b"", b"\xff" * 80, b"\0" * 79):
        with pytest.raises(pl.exceptions.ComputeError, match="bytes that are no sums of any rows"):
            pl.DataFrame({"ranges": [[bytes_]]}).select(answer)
