"""A report with bounded memory equals the report of the states of its groups, for all batch sizes.

Groups with at most as many rows as bins are compared by rows.
"""

from __future__ import annotations

import itertools
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.batches import KEYS, SCORES, read
from catalogue.cases import TWO_SCORES, examples, fixed, two_scores
from polars_auc._frames.partial_states import PartialStates
from polars_auc._report import evaluation

MODULE = "polars_auc._report.batches"

pytestmark = pytest.mark.filterwarnings("ignore:report")


def assert_bounded(
    frame: pl.DataFrame,
    scores: list[str],
    by: list[str],
    in_batch: int = 2**20,
    collected: int = 2**24,
    *,
    max_bins: int = 16,
    **options: Any,
) -> int:
    """Check the report for a batch size, and return how often rows were counted into states.

    States are computed above a number of rows, if they have fewer bins than rows.
    """
    columns = [pl.col(score).alias(score) for score in scores]
    limit = {"max_bins": max_bins, "scale": options.pop("scale", None)}
    states = pa.group_states(frame, "label", columns, by=by, **limit)
    expected = pa.report(states, state=scores, by=by, **options)
    assert_frame_equal(
        pa.report(frame, "label", scores, by=by, memory="bounded", **limit, **options),
        expected,
        check_exact=True,
    )
    counted = 0
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("polars_auc._report.batches._BATCH_ROWS", in_batch)
        monkeypatch.setattr(f"{MODULE}.MAX_COLLECTED_ROWS", collected)
        states_of_collection = PartialStates.states_of_collection

        def from_collection(states: PartialStates, rows: pl.DataFrame, number: int) -> pl.DataFrame:
            nonlocal counted
            counted += 1
            return states_of_collection(states, rows, number)

        monkeypatch.setattr(PartialStates, "states_of_collection", from_collection)
        lazy = pa.report(read(frame, in_batch), "label", scores, by=by, memory="bounded", **limit, **options)
        assert lazy.collect_schema() == expected.schema
        assert_frame_equal(lazy.collect(), expected, check_exact=True)
    return counted


@given(rows=two_scores, in_batch=st.integers(1, 45), collected=st.integers(1, 60), nan=st.integers(0, 60))
@examples(100)
def test_any_batches(rows: list[tuple[Any, ...]], in_batch: int, collected: int, nan: int) -> None:
    frame = pl.DataFrame(rows, TWO_SCORES, orient="row").rename({"y": "label"})
    at = pl.int_range(pl.len()) == nan
    frame = frame.with_columns(s=pl.when(at).then(float("nan")).otherwise("s"))
    for by in (["g"], ["h", "g"]):
        assert_bounded(frame, ["s", "t"], by, in_batch, collected)


@pytest.mark.parametrize("ci", ["delong", "logit", "hanley_mcneil"])
@pytest.mark.parametrize("max_bins", [16, 300, 5000])
def test_groups_with_fewer_rows_than_bins_and_with_more(max_bins: int, ci: str) -> None:
    """Test groups of 1 to 8,000 rows, in one batch, in many, and by states."""
    frame = fixed(20_000).with_columns(g=(pl.int_range(pl.len()) + 1).log(2).floor().cast(pl.Int64))
    for in_batch, collected in ((2**20, 2**24), (3_000, 2**24), (3_000, 4_000)):
        counted = assert_bounded(
            frame, ["score", "other"], ["g"], in_batch, collected, max_bins=max_bins, ci=ci, level=0.9
        )
        if collected == 2**24 or max_bins == 5000:
            assert counted == 0
        elif max_bins == 16:
            assert counted > 0
        # With 300 bins, the rows and groups of a collection depend on the order in which batches arrive.


@pytest.mark.parametrize("dtype", SCORES)
def test_scores_of_every_dtype(dtype: str) -> None:
    frame = fixed(60_000).with_columns(score=SCORES[dtype], g=pl.col("g") % 3)
    remainder = pl.int_range(pl.len()) % 17
    frame = frame.with_columns(
        score=pl.when(remainder != 3).then("score"), label=pl.when(remainder != 5).then("label")
    )
    assert_bounded(frame, ["score"], ["g"], 7_000, max_bins=128)
    assert_bounded(frame, ["score"], ["g"], 7_000, 20_000, max_bins=128)


@pytest.mark.parametrize("dtype", KEYS)
def test_keys_of_every_dtype(dtype: str) -> None:
    frame = fixed(500).with_columns(g=pl.int_range(pl.len()) % 7 % 3).with_columns(key=KEYS[dtype])
    for collected in (2**24, 100):
        assert_bounded(frame, ["score"], ["key"], 33, collected)
        assert_bounded(frame, ["score"], ["key", "g"], 33, collected)


@pytest.mark.parametrize(
    "options", [{"scale": "probability"}, {"nan": "skip"}, {"low_is_positive": True}, {"adjust": None}]
)
def test_options(options: dict[str, Any]) -> None:
    frame = fixed(6_000).with_columns(g=pl.col("g") % 3, score=pl.int_range(pl.len()) * 7_919 % 5_999 / 6e3)
    limit = {"max_bins": 64, "memory": "bounded", **options}
    expected = pa.report(frame.with_columns(n=pl.lit(1)), "label", "score", by="g", count="n", **limit)
    assert_frame_equal(pa.report(frame, "label", "score", by="g", **limit), expected, check_exact=True)
    lazy = pa.report(read(frame, 500), "label", "score", by="g", **limit)
    assert_frame_equal(lazy.collect(), expected, check_exact=True)


def test_a_score_off_its_scale_is_refused() -> None:
    frame = fixed(200).with_columns(score=pl.col("score") * 0 + 2)
    with pytest.raises(
        pl.exceptions.ComputeError, match=r'report: scale="probability" expects scores from 0 to 1'
    ):
        pa.report(frame, "label", "score", by="g", memory="bounded", scale="probability")


def test_many_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows are read again: at once if no group has more rows than bins, otherwise as states."""
    row = pl.int_range(pl.len())
    frame = fixed(120_000).with_columns(g=pl.when(row < 100_000).then(row // 2).otherwise(row % 2))
    assert assert_bounded(frame, ["score"], ["g"], 25_000, max_bins=16) == 0
    monkeypatch.setattr(f"{MODULE}.ROWS_PER_BIN", 0)
    states: list[int] = []
    from_rows = PartialStates.counted_rows

    def counted_rows(partial_states: PartialStates, rows: pl.DataFrame) -> pl.DataFrame:
        states.append(rows.height)
        return from_rows(partial_states, rows)

    monkeypatch.setattr(PartialStates, "counted_rows", counted_rows)
    few = fixed(60_000).with_columns(g=row % 40_000)
    pa.report(read(few, 25_000), "label", "score", by="g", memory="bounded", max_bins=16).collect()
    assert sum(states) == 0
    monkeypatch.setattr("polars_auc._report.batches._BATCH_ROWS", 25_000)
    assert_bounded(few, ["score"], ["g"], 25_000, max_bins=16)
    assert sum(states) > 0


@pytest.mark.parametrize("groupings", ["each", "rollup", "cube", [["h"], ["g", "h"]]])
def test_groupings(groupings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are used where they need less memory than their states, otherwise states."""
    frame = fixed(3_000).with_columns(h=pl.int_range(pl.len()) % 90)
    for max_bins in (16, 1000):
        assert_bounded(frame, ["score", "other"], ["g", "h"], max_bins=max_bins, groupings=groupings)
    monkeypatch.setattr("polars_auc._report.evaluation.ROWS_PER_BIN", 0)
    assert_bounded(frame, ["score"], ["g", "h"], max_bins=16, groupings=groupings)


ONE_LARGER = fixed(3_000).with_columns(g=(pl.int_range(pl.len()) % 75).clip(0, 72).cast(pl.Int64))
"""Return groups of 40 rows, and one of 120."""


@pytest.mark.parametrize("versus", ["rest", "previous", 1])
@pytest.mark.parametrize("nan", [None, "skip"])
@pytest.mark.parametrize("key", ["g", "len"])
def test_groups_with_fewer_rows_than_bins_compare_as_rows_do(versus: Any, nan: Any, key: str) -> None:
    """Their states are exact, and so are the comparisons, but a state of all rows is not."""
    frame = ONE_LARGER.with_columns(pl.col("g").alias(key))
    if nan is not None:
        frame = frame.with_columns(score=pl.when(pl.col("g") != 3).then("score").otherwise(float("nan")))
    options: dict[str, Any] = {"by": key, "versus": versus, "nan": nan}
    rows = pa.report(frame, "label", ["score", "other"], **options)
    with pytest.MonkeyPatch.context() as monkeypatch:
        # No states are computed.
        monkeypatch.setattr(evaluation, "_from_states", None)
        bounded = pa.report(
            frame.lazy(), "label", ["score", "other"], memory="bounded", max_bins=120, **options
        ).collect()
    is_group = pl.col("scope") == "group"
    shared = [name for name in rows.columns if name in bounded.columns and name != "n_unlabelled"]
    assert {"auc", "difference", "p_adjusted", "heterogeneity"} < set(shared)
    assert_frame_equal(
        bounded.filter(is_group).select(shared), rows.filter(is_group).select(shared), check_exact=True
    )
    tests = ["within_auc", "heterogeneity", "heterogeneity_df", "heterogeneity_p_value"]
    assert_frame_equal(bounded.select(tests), rows.select(tests), check_exact=True)


@pytest.mark.parametrize(
    ("versus", "max_bins"),
    [
        *itertools.product(["rest", "previous", 1], [16, 119]),
        *itertools.product(["overall", "pooled_rest"], [16, 1000]),
    ],
)
def test_other_comparisons_are_those_of_states(versus: Any, max_bins: int) -> None:
    assert_bounded(ONE_LARGER, ["score", "other"], ["g"], max_bins=max_bins, versus=versus)


def test_no_rows_and_no_groups() -> None:
    frame = fixed(10)
    assert_bounded(frame.clear(), ["score"], ["g"])
    assert_bounded(frame, ["score"], [])
