"""Reports in batches equal reports of all rows at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.batches import KEYS, SCORES, in_order, read
from catalogue.cases import TWO_SCORES, examples, fixed, two_scores
from polars_auc import _native
from polars_auc._plugin.call import add_batch
from polars_auc._report import batches

# A report warns of NaN, and of labels without a positive.
pytestmark = pytest.mark.filterwarnings("ignore:report")

NAN = float("nan")


class Batches:
    """The rows of each added batch, and the final requests."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
        self.begun = self.ended = self.added = 0
        monkeypatch.setattr(batches, "_BATCH_ROWS", size)
        monkeypatch.setattr(batches, "_MANY_ROWS", size)
        monkeypatch.setattr(batches, "add_batch", self._add)
        monkeypatch.setattr(_native, "begin_batches", self._begin)
        monkeypatch.setattr(_native, "end_batches", self._end)

    def _add(self, *arguments: Any) -> pl.Expr:
        self.added += 1
        return add_batch(*arguments)

    def _begin(self) -> int:
        self.begun += 1
        return BEGIN()

    def _end(self, number: int) -> None:
        self.ended += 1
        END(number)


BEGIN, END = _native.begin_batches, _native.end_batches


def assert_same(
    frame: pl.DataFrame, scores: Any, by: Any, size: int, label: Any = "y", **options: Any
) -> pl.DataFrame:
    """Check a report in batches of a size, with rows from files and rows in memory."""
    expected = pa.report(frame, label, scores, by=by, **options)
    for rows in (read(frame, size), frame):
        with pytest.MonkeyPatch.context() as monkeypatch:
            seen = Batches(monkeypatch, size)
            answer = pa.report(rows, label, scores, by=by, **options).lazy().collect()
        assert_frame_equal(answer, expected, check_exact=True)
        number = -(-frame.height // size) if by or isinstance(rows, pl.LazyFrame) else 1
        assert (seen.begun, seen.ended, seen.added) == ((1, 1, number) if number > 1 else (0, 0, 0))
    return expected


@given(
    rows=two_scores,
    ci=st.sampled_from(["delong", "logit", "hanley_mcneil"]),
    nan=st.integers(0, 60),
    size=st.integers(1, 45),
)
@examples(100)
@example(rows=[], ci="delong", nan=60, size=1)
@example(rows=[(1, 1.0, 1.0, "a", 0)], ci="delong", nan=60, size=1)
# A group in a single batch, and one with a missing value in every row.
@example(
    rows=[(1, None, 1.0, "a", 0), (0, 1.0, 1.0, "b", 0), (1, 2.0, 1.0, "b", 1)], ci="delong", nan=60, size=2
)
# A NaN in an unlabelled row does not count.
@example(
    rows=[(None, 1.0, 1.0, "a", 0), (0, 1.0, 2.0, "a", 0), (1, 2.0, 1.0, "a", 1)], ci="logit", nan=0, size=1
)
def test_any_batches(rows: list[tuple[Any, ...]], ci: str, nan: int, size: int) -> None:
    frame = pl.DataFrame(rows, TWO_SCORES, orient="row")
    frame = frame.with_columns(s=pl.when(pl.int_range(pl.len()) == nan).then(NAN).otherwise("s"))
    for by in ("g", ["h", "g"]):
        assert_same(frame, ["s", "t"], by, size, ci=ci)
    assert_same(frame, ["s", "t"], "g", size, nan="skip", low_is_positive=True)
    assert_same(frame, ["s", "t"], [], size, ci=ci)


@pytest.mark.parametrize("dtype", SCORES)
def test_large_groups_of_every_dtype(dtype: str) -> None:
    """Large groups are ranked in place, small ones at once."""
    frame = fixed(200_000).with_columns(score=SCORES[dtype], g=pl.col("g") % 3)
    remainder = pl.int_range(pl.len()) % 17
    frame = frame.with_columns(
        score=pl.when(remainder != 3).then("score"), label=pl.when(remainder != 5).then("label")
    )
    assert_same(frame, "score", "g", 30_000, label="label")
    assert_same(frame.drop_nulls("label"), "score", "g", 70_001, label="label")
    assert_same(frame, "score", [], 30_000, label="label")


@pytest.mark.parametrize("at", [0, 150_000])
def test_nan_in_large_groups(at: int) -> None:
    row = pl.int_range(pl.len())
    frame = fixed(200_000).with_columns(score=pl.when(row == at).then(NAN).otherwise("score"), g=row % 3)
    table = assert_same(frame, "score", "g", 30_000, label="label")
    assert table["auc"].is_nan().to_list() == [at % 3 == 0, at % 3 == 1, at % 3 == 2, True]
    assert_same(frame, "score", "g", 30_000, label="label", nan="skip")


@pytest.mark.parametrize("dtype", KEYS)
def test_keys_of_every_dtype(dtype: str) -> None:
    frame = fixed(500).with_columns(g=pl.int_range(pl.len()) % 7 % 3).with_columns(key=KEYS[dtype])
    # The codes of categories may differ between batches.
    assert_same(frame, "score", "key", 33, label="label")
    assert_same(frame, "score", ["key", "g"], 33, label="label")


def test_labels_of_every_dtype() -> None:
    frame = fixed(300).with_columns(g=pl.int_range(pl.len()) % 3)
    for dtype in (pl.Boolean, pl.Int64, pl.UInt8, pl.Float32):
        assert_same(frame.with_columns(pl.col("label").cast(dtype)), "score", "g", 40, label="label")
    assert_same(frame, "score", "g", 40, label=pl.col("label") == 0)


def test_too_many_groups_are_put_together_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = fixed(90_000).with_columns(g=pl.int_range(pl.len()) // 2)
    expected = pa.report(frame, "label", "score", by="g")
    seen = Batches(monkeypatch, 45_000)
    assert_frame_equal(
        pa.report(read(frame, 50), "label", "score", by="g").collect(), expected, check_exact=True
    )
    assert (seen.begun, seen.ended, seen.added) == (1, 1, 2)


def test_a_few_rows_more_have_room() -> None:
    """The last batch may have as many groups as rows."""
    frame = fixed(20_010).with_columns(g=pl.int_range(pl.len()) % 200)
    assert_same(frame, "score", "g", 10_000, label="label")


def test_what_goes_wrong_in_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = fixed(100).with_columns(
        label=pl.when(pl.int_range(pl.len()) == 99).then(2).otherwise("label"), g=pl.lit(1)
    )
    with pytest.raises(pl.exceptions.ComputeError) as expected:
        pa.report(frame, "label", "score", by="g")
    seen = Batches(monkeypatch, 30)
    monkeypatch.setattr(batches, "batches", in_order)
    with pytest.raises(pl.exceptions.ComputeError) as error:
        pa.report(read(frame, 30), "label", "score", by="g").collect()
    # The hint is about all rows, not the last batch. Older Polars prepends the origin.
    assert str(error.value).endswith(str(expected.value))
    assert (seen.begun, seen.ended, seen.added) == (1, 1, 4)


def test_a_collection_that_has_ended() -> None:
    number = _native.begin_batches()
    _native.end_batches(number)
    _native.end_batches(number)
    frame = pl.DataFrame({"g": [1], "s": [1.0], "y": [True]})
    columns = {"score_0": pl.col("s"), "label": pl.col("y")}
    with pytest.raises(pl.exceptions.ComputeError, match=f"there is no collection {number} of batches"):
        frame.select(add_batch(number, ["g"], columns))


def test_reports_that_need_more_read_all_rows_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = fixed(200).with_columns(g=pl.int_range(pl.len()) % 3, w=pl.lit(1.0))
    seen = Batches(monkeypatch, 50)
    for options in (
        {"weight": "w"},
        {"ci": "bootstrap", "n_resamples": 10, "seed": 1},
        {"versus": "rest"},
        {"groupings": "each"},
    ):
        pa.report(read(frame, 50), "label", "score", by="g", **options).collect()
    # A mean in an expression is by group, or over all rows.
    pa.report(read(frame, 50), "label", pl.col("score") - pl.col("score").mean(), by="g").collect()
    # Two columns have the same name, which is an error in batches.
    pa.report(read(frame, 50), "label", pl.col("score").alias("label"), by="g").collect()
    pa.report(read(frame, 50), "label", pl.col("score").alias("g"), by="g").collect()
    pa.report(read(frame, 50), "label", "score", by="label").collect()
    assert seen.begun == 0


def test_lazy_frames_are_read_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Test also rows in memory, and few rows without groups; a single batch is processed at once."""
    frame = fixed(200).with_columns(g=pl.int_range(pl.len()) % 3)
    seen = Batches(monkeypatch, 50)
    pa.report(frame.lazy().with_columns(h=pl.col("g") + 1), "label", "score", by="h").collect()
    pa.report(frame.lazy(), "label", "score").collect()
    assert seen.begun == 2
    pa.report(frame.head(50).lazy(), "label", "score").collect()
    pa.report(frame, "label", "score")
    assert seen.begun == 2


def test_the_overall_row_of_sorted_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """The overall row reads each score separately."""
    frame = fixed(400).with_columns(g=pl.int_range(pl.len()) // 150)
    expected = pa.report(frame, "label", ["score", "other"], by="g")
    seen = Batches(monkeypatch, 100)
    answer = pa.report(read(frame, 100), "label", ["score", "other"], by="g", sorted_by="g").collect()
    assert_frame_equal(answer, expected, check_exact=True)
    assert (seen.begun, seen.ended, seen.added) == (2, 2, 8)
    seen = Batches(monkeypatch, 1000)
    one_batch = pa.report(read(frame, 1000), "label", ["score", "other"], by="g", sorted_by="g").collect()
    assert_frame_equal(one_batch, expected, check_exact=True)
    assert seen.begun == 0


def test_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    frame = fixed(200).with_columns(g=pl.int_range(pl.len()) % 3)
    expected = pa.report(frame, "label", "score", by="g")
    frame.write_parquet(tmp_path / "rows.parquet")
    frame.write_csv(tmp_path / "rows.csv")
    frame.write_ipc(tmp_path / "rows.arrow")
    for rows in (
        pl.scan_parquet(tmp_path / "*.parquet"),
        pl.scan_csv(tmp_path / "*.csv"),
        pl.scan_ipc(tmp_path / "*.arrow"),
    ):
        with monkeypatch.context() as patched:
            seen = Batches(patched, 50)
            answer = pa.report(rows, "label", "score", by="g").collect()
        assert seen.begun == 1
        assert_frame_equal(answer, expected, check_exact=True)


def test_only_some_columns_and_rows_of_the_answer() -> None:
    frame = fixed(300).with_columns(g=pl.int_range(pl.len()) % 3)
    expected = pa.report(frame, "label", "score", by="g")
    with pytest.MonkeyPatch.context() as monkeypatch:
        Batches(monkeypatch, 50)
        lazy = pa.report(read(frame, 50), "label", "score", by="g")
        assert lazy.collect_schema() == expected.schema
        answer = lazy.filter(pl.col("scope") == "overall").select("auc", "score").collect()
    assert_frame_equal(answer, expected.filter(scope="overall").select("auc", "score"), check_exact=True)
