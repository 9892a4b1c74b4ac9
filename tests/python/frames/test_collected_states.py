"""Collecting rows before counting gives the same states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.batches import KEYS, SCORES, in_order, read
from catalogue.cases import TWO_SCORES, examples, fixed, two_scores
from polars_auc._frames import group_states
from polars_auc._frames.partial_states import PartialStates

MODULE = "polars_auc._frames.group_states"


class Collections:
    """Count the collections, and the separately counted batches."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, rows: int, size: int) -> None:
        self.collections = self.batches = 0
        monkeypatch.setattr(f"{MODULE}._COLLECTED_ROWS", rows)
        monkeypatch.setattr(f"{MODULE}.PART_BYTES", size)
        states_of_collection, counted_rows = PartialStates.states_of_collection, PartialStates.counted_rows

        def from_collection(states: PartialStates, rows: pl.DataFrame, number: int) -> pl.DataFrame:
            self.collections += 1
            return states_of_collection(states, rows, number)

        def from_rows(states: PartialStates, rows: pl.DataFrame) -> pl.DataFrame:
            # Dtypes of states are determined in advance, without rows.
            self.batches += rows.height > 0
            return counted_rows(states, rows)

        monkeypatch.setattr(PartialStates, "states_of_collection", from_collection)
        monkeypatch.setattr(PartialStates, "counted_rows", from_rows)


@pytest.fixture
def seen() -> Iterator[list[int]]:
    """Record the rows of each counted batch."""
    rows: list[int] = []
    group_states.BATCH_OBSERVERS.append(rows.append)
    yield rows
    group_states.BATCH_OBSERVERS.remove(rows.append)


def assert_same(
    frame: pl.DataFrame, scores: list[str], by: list[str], rows: int, size: int, **options: Any
) -> Collections:
    """Compare the states of batches of a size, in collections of a size, with those of all rows."""
    states = [pa.roc_state("label", score, **options).alias(score) for score in scores]
    expected = frame.lazy().group_by(by).agg(states).sort(by, nulls_last=True).collect()
    with pytest.MonkeyPatch.context() as monkeypatch:
        seen = Collections(monkeypatch, rows, size)
        answer = pa.group_states(read(frame, rows), "label", scores, by=by, **options).collect()
    assert answer.schema == expected.schema
    assert_frame_equal(answer, expected, check_exact=True)
    return seen


@given(rows=two_scores, in_batch=st.integers(1, 45), size=st.integers(1, 2_000), nan=st.integers(0, 60))
@examples(100)
def test_any_batches(rows: list[tuple[Any, ...]], in_batch: int, size: int, nan: int) -> None:
    frame = pl.DataFrame(rows, TWO_SCORES, orient="row").rename({"y": "label"})
    at = pl.int_range(pl.len()) == nan
    frame = frame.with_columns(s=pl.when(at).then(float("nan")).otherwise("s"))
    for by in (["g"], ["h", "g"]):
        assert_same(frame, ["s", "t"], by, in_batch, size, max_bins=16)


@pytest.mark.parametrize("dtype", SCORES)
def test_large_groups_of_every_dtype(dtype: str) -> None:
    """Large groups are counted into bins in place, in several pieces."""
    frame = fixed(60_000).with_columns(score=SCORES[dtype], g=pl.col("g") % 3)
    remainder = pl.int_range(pl.len()) % 17
    frame = frame.with_columns(
        score=pl.when(remainder != 3).then("score"), label=pl.when(remainder != 5).then("label")
    )
    for max_bins in (16, 128):
        seen = assert_same(frame, ["score"], ["g"], 7_000, 2**22, max_bins=max_bins)
        assert (seen.collections, seen.batches) == (1, 0)


def test_collections_are_counted_when_they_are_large(seen: list[int]) -> None:
    frame = fixed(10_000).select("g", "label", "score", "other")
    counted = assert_same(frame, ["score", "other"], ["g"], 1_000, 60_000, max_bins=64)
    # A batch of 1,000 rows has some 25,000 bytes.
    assert (counted.collections, counted.batches) == (4, 0)
    assert seen == [1_000] * 10


def test_scales_and_nan() -> None:
    frame = fixed(60_000).with_columns(g=pl.col("g") % 3, score=pl.int_range(pl.len()) * 7_919 % 59_999 / 6e4)
    assert_same(frame, ["score"], ["g"], 7_000, 2**20, max_bins=64, scale="probability")
    nan = frame.with_columns(
        score=pl.when(pl.int_range(pl.len()) == 41_000).then(float("nan")).otherwise("score")
    )
    assert_same(nan, ["score"], ["g"], 7_000, 2**20, max_bins=64)


@pytest.mark.parametrize("dtype", KEYS)
def test_keys_of_every_dtype(dtype: str) -> None:
    frame = fixed(500).with_columns(g=pl.int_range(pl.len()) % 7 % 3).with_columns(key=KEYS[dtype])
    assert_same(frame, ["score"], ["key"], 33, 3_000, max_bins=16)
    assert_same(frame, ["score"], ["key", "g"], 33, 3_000, max_bins=16)


def test_too_many_groups_are_counted_batch_by_batch(seen: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """After the first batch with too many groups, batches are combined until they exceed the bins."""
    monkeypatch.setattr(f"{MODULE}._BATCH_ROWS", 60_000)
    monkeypatch.setattr(f"{MODULE}.batches", in_order)
    row = pl.int_range(pl.len())
    frame = fixed(200_000).with_columns(g=pl.when(row < 50_000).then(row % 2).otherwise(row // 2))
    counted = assert_same(frame, ["score"], ["g"], 25_000, 2**30, max_bins=16)
    assert (counted.collections, counted.batches) == (1, 1)
    assert seen == [25_000] * 4 + [100_000]


def test_what_is_not_collected() -> None:
    frame = fixed(300).with_columns(n=pl.lit(2, dtype=pl.Int64))
    for by, options in (([], {"max_bins": 16}), (["g"], {}), (["g"], {"max_bins": 16, "count": "n"})):
        with pytest.MonkeyPatch.context() as monkeypatch:
            counted = Collections(monkeypatch, 100, 2**20)
            pa.group_states(read(frame, 100), "label", "score", by=by, **options).collect()
        assert counted.collections == 0


def test_a_label_that_is_neither_0_nor_1() -> None:
    frame = fixed(300).with_columns(
        label=pl.when(pl.int_range(pl.len()) == 250).then(2).otherwise("label"), g=pl.lit(1)
    )
    with pytest.MonkeyPatch.context() as monkeypatch:
        Collections(monkeypatch, 100, 2**20)
        states = pa.group_states(read(frame, 100), "label", "score", by="g", max_bins=16)
        with pytest.raises(pl.exceptions.ComputeError, match='group_states: label "label" contains 2'):
            states.collect()
        report = pa.report(read(frame, 100), "label", "score", by="g", memory="bounded", max_bins=16)
        with pytest.raises(pl.exceptions.ComputeError, match='report: label "label" contains 2'):
            report.collect()


def test_columns_without_a_value() -> None:
    """Null columns have no bytes."""
    nothing = pl.DataFrame({"g": [None] * 3, "y": [None] * 3, "s": [None] * 3}, dict.fromkeys("gys", pl.Null))
    states = pa.group_states(nothing.lazy(), "y", "s", by="g", max_bins=16).collect()
    assert states.height == 1
    assert states["s"].struct.field("n_missing").to_list() == [3]


def test_a_score_that_is_called_as_keys_are() -> None:
    frame = fixed(200).with_columns(g=pl.int_range(pl.len()) % 3).rename({"score": "polars_auc: keys"})
    assert_same(frame, ["polars_auc: keys", "other"], ["g"], 50, 2_000, max_bins=16)


def test_few_bytes_are_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{MODULE}.MAX_COLLECTED_ROWS", 200)
    counted = assert_same(fixed(1000), ["score"], ["g"], 100, 2**30, max_bins=16)
    assert (counted.collections, counted.batches) == (5, 0)


def test_no_rows() -> None:
    frame = fixed(10).clear()
    assert_same(frame, ["score"], ["g"], 10, 10, max_bins=16)
