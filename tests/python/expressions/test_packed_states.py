"""States as bytes: pack and unpack are inverse, and invalid bytes are errors."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import examples, frames, scores_with_nan
from oracles.states import unpacked

DTYPES = [
    pl.Series([0.5, 0.25, None], dtype=pl.Float64),
    pl.Series([0.5, float("-inf"), 0.0], dtype=pl.Float32),
    pl.Series([1, -(2**62) - 1, 3], dtype=pl.Int64),
    pl.Series([1, 2**63, 3], dtype=pl.UInt64),
    pl.Series([-128, 127, 0], dtype=pl.Int8),
    pl.Series([255, 0, 7], dtype=pl.UInt8),
    pl.Series([1, -(2**100), 3], dtype=pl.Int128),
    pl.Series([True, False, None], dtype=pl.Boolean),
    pl.Series([Decimal("1.25"), Decimal("-999.99"), Decimal("0.01")], dtype=pl.Decimal(5, 2)),
]

GOLDEN = {
    # Version 1, written in November 2026: later versions must read it.
    "f64": "524f430103663634020110000300020080808080808080f63f020181808080808080fc7f0001",
    "i64": "524f430103693634000003ffffffffffffffff3f0001f9ffffffffffffff3f02000e0201",
}


def wide(rows: int = 20_000) -> pl.DataFrame:
    """Return distinct scores, with a few ties and infinities."""
    generator = np.random.default_rng(7)
    scores = np.concatenate([generator.normal(size=rows), np.repeat([2.5, np.inf, -np.inf], 5)])
    return pl.DataFrame({"s": scores}).with_columns(y=pl.col("s") + generator.normal(size=rows + 15) > 0.5)


def round_trip(
    states: pl.DataFrame, dtype: Any = pl.Float64, *, weights: bool = False, **options: Any
) -> pl.DataFrame:
    """Pack and unpack a column of states."""
    packed = states.lazy().select(pa.pack_state("state", **options))
    assert packed.collect_schema() == {"state": pl.Binary}
    back = packed.select(pa.unpack_state("state", dtype, weights=weights))
    assert back.collect_schema() == states.select("state").schema
    assert_frame_equal(back.collect(engine="streaming"), back.collect())
    return back.collect()


@pytest.mark.parametrize("scores", DTYPES, ids=lambda scores: str(scores.dtype))
@pytest.mark.parametrize("max_bins", [None, 16])
@pytest.mark.parametrize("keep_scores", [True, False])
def test_every_dtype(scores: pl.Series, max_bins: int | None, keep_scores: bool) -> None:
    frame = pl.DataFrame({"y": [1, 0, 0], "s": scores})
    state = frame.select(state=pa.roc_state("y", "s", max_bins=max_bins))
    assert_frame_equal(round_trip(state, scores.dtype, keep_scores=keep_scores), state, check_exact=True)


@given(frame=frames(scores_with_nan, max_rows=80), max_bins=st.sampled_from([None, 16, 40]))
@examples(200)
def test_bytes_are_as_described(frame: pl.DataFrame, max_bins: int | None) -> None:
    state = frame.with_columns(pl.col("score").cast(pl.Float64)).select(
        state=pa.roc_state("label", "score", max_bins=max_bins)
    )
    assert_frame_equal(round_trip(state), state, check_exact=True)
    packed = state.select(pa.pack_state("state")).item()
    expected = state["state"].item()
    assert {name: expected[name] for name in unpacked(packed)} == unpacked(packed)


@given(frame=frames(scores_with_nan, max_rows=80), max_bins=st.sampled_from([None, 16]))
@examples(100)
def test_bytes_of_weights_are_as_described(frame: pl.DataFrame, max_bins: int | None) -> None:
    state = frame.with_columns(pl.col("score").cast(pl.Float64)).select(
        state=pa.roc_state("label", "score", max_bins=max_bins, weight="weight")
    )
    for keep_scores in (True, False):
        back = round_trip(state, weights=True, keep_scores=keep_scores)
        if keep_scores or max_bins is None:
            assert_frame_equal(back, state, check_exact=True)
        for answer in (pa.roc_auc(state="state"), pa.roc_auc_ci(state="state")):
            assert_frame_equal(back.select(answer), state.select(answer), check_exact=True)
    packed = state.select(pa.pack_state("state")).item()
    expected = state["state"].item()
    assert {name: expected[name] for name in unpacked(packed)} == unpacked(packed)


def test_bytes_with_and_without_weights() -> None:
    frame = pl.DataFrame({"y": [1, 0, 1], "s": [3.0, 1.0, 1.0], "w": [0.5, 2.0, 1e10]})
    packed = frame.select(
        plain=pa.pack_state(pa.roc_state("y", "s")), heavy=pa.pack_state(pa.roc_state("y", "s", weight="w"))
    )
    with pytest.raises(
        pl.exceptions.ComputeError, match=r"contains rows with weights. Hint: write weights=True"
    ):
        packed.select(pa.unpack_state("heavy"))
    with pytest.raises(pl.exceptions.ComputeError, match=r"contains counts of rows. Hint: leave weights out"):
        packed.select(pa.unpack_state("plain", weights=True))
    with pytest.raises(ValueError, match="unpack_state: weights must be"):
        pa.unpack_state("plain", weights=1)  # type: ignore[arg-type]
    # The square of 1e10 exceeds the range of a state.
    bins = packed.select(pa.unpack_state("heavy", weights=True)).unnest("heavy")["bins"].item()
    assert [each["pos_squares"] for each in bins] == [Decimal("0.25"), None]


def test_short_bytes_keep_all_counts() -> None:
    rows = wide()
    for max_bins in (256, 1024, 4096):
        state = rows.select(state=pa.roc_state("y", "s", max_bins=max_bins))
        packed = state.select(pa.pack_state("state", keep_scores=False))
        assert packed.select(pl.col("state").bin.size()).item() <= 5 * max_bins
        short = packed.select(pa.unpack_state("state"))
        for expression in (
            pa.roc_auc(state="state"),
            pa.roc_auc_bounds(state="state"),
            pa.roc_auc_ci(state="state"),
        ):
            assert_frame_equal(short.select(expression), state.select(expression), check_exact=True)
        bins = [
            frame.select(pl.col("state").struct.field("bins")).item().struct.unnest()
            for frame in (short, state)
        ]
        assert_frame_equal(bins[0].drop("score"), bins[1].drop("score"))
        assert (bins[0]["score"] <= bins[1]["score"]).all()
        # The same rows reach a threshold.
        above = rows.select(n=pl.col("s").sort())["n"].to_numpy()
        reached = [len(above) - np.searchsorted(above, each["score"].to_numpy()) for each in bins]
        assert (reached[0] == reached[1]).all()


def test_parts_without_scores_make_the_bytes_of_the_whole() -> None:
    rows = wide().sample(fraction=1, shuffle=True, seed=3)
    state = pa.roc_state("y", "s", max_bins=128)
    parts = [rows[:50], rows[50:9_000], rows[9_000:]]
    days = pl.concat([part.select(state=state) for part in parts])
    short = round_trip(days, keep_scores=False).select(pa.merge_states("state"))
    whole = rows.select(state=state)
    packed = pa.pack_state("state", keep_scores=False)
    assert_frame_equal(short.select(packed), whole.select(packed))
    assert_frame_equal(
        short.select(pa.roc_auc_bounds(state="state")), whole.select(pa.roc_auc_bounds(state="state"))
    )


def test_a_null_and_a_nan() -> None:
    frame = pl.DataFrame({"g": [1, 1, 2, 2], "y": [1, 0, 1, 0], "s": [1.0, float("nan"), 3.0, None]})
    states = frame.group_by("g", maintain_order=True).agg(state=pa.roc_state("y", "s")).select("state")
    states = pl.concat([states, states.clear(1)])
    assert_frame_equal(round_trip(states), states, check_exact=True)
    assert states.clear().select(pa.pack_state("state")).height == 0
    assert round_trip(states.clear()).height == 0


@pytest.mark.parametrize("dtype", GOLDEN)
def test_bytes_of_version_1_are_read(dtype: str) -> None:
    packed = bytes.fromhex(GOLDEN[dtype])
    state = pl.DataFrame({"p": [packed]}).select(
        state=pa.unpack_state("p", {"f64": pl.Float64, "i64": pl.Int64}[dtype])
    )
    found = state["state"].item()
    assert {name: found[name] for name in unpacked(packed)} == unpacked(packed)
    assert state.select(pa.pack_state("state")).item() == packed


HEAD = b"ROC\x01\x03f64"


@pytest.mark.parametrize(
    ("packed", "message"),
    [
        (b"", "ends too early"),
        (b"ROC\x02\x03f64\0\0\0", "does not begin with ROC and the version 1"),
        (b"ROC\x01\x03f32\0\0\0", "contains scores of dtype f32, but score_dtype is f64"),
        (HEAD, "ends too early"),
        (HEAD + b"\x20\0\0", "has flags that this version does not have"),
        (HEAD + b"\x10\0\0", "contains rows with weights. Hint: write weights=True"),
        (HEAD + b"\x03\0\0\0", "has flags that exclude each other"),
        (HEAD + b"\x08\0\0", "has flags that exclude each other"),
        (HEAD + b"\x02\0\x0f\0\0", r"contains max_bins 15, expected 16 to 2\^31"),
        (HEAD + b"\x02\0\x10\x81\x80\x02\0", "contains the resolution 32769, but the last one is 32768"),
        (HEAD + b"\x0a\0\x10\0\0", "says intervals, but has no resolution"),
        (HEAD + b"\0\0\xff\xff\xff\xff\x7f", "ends too early"),
        (HEAD + b"\0\0\x80\0", "has a number in more bytes than it takes"),
        (HEAD + b"\0\0" + b"\xff" * 30, "has a number above 2"),
        (HEAD + b"\0\0\x01\0\0\0", "has a bin without a row"),
        (HEAD + b"\0\0\x01\0\x01\0", "has a bin without a row"),
        (HEAD + b"\0\0\x01\0\x03\0", "has a bin of several scores, but no resolution"),
        (HEAD + b"\0\0\x02\0\x02\0\0\x02\0", "has bins that are not in order"),
        (HEAD + b"\0\0\x01" + b"\xff" * 9 + b"\x7f\x02\0", "has bins that are not in order"),
        (HEAD + b"\0\0\x01" + b"\xff" * 9 + b"\x01\x02\0", "has bins that are not in order"),
        (HEAD + b"\0\0\x01\0\x02" + b"\x80" * 6 + b"\x02", r"contains more than 2\^42 rows"),
        (HEAD + b"\0\0\x01\0\x02\0\0", "goes on after its last bin"),
        (
            HEAD + b"\x06\0\x10\x01\x01\0\x02\0",
            "is of probabilities, but has a score that is below 0 or above 1",
        ),
    ],
)
def test_bytes_of_no_state(packed: bytes, message: str) -> None:
    frame = pl.DataFrame({"p": [None, packed]}, {"p": pl.Binary})
    with pytest.raises(pl.exceptions.ComputeError, match=f'unpack_state: packed "p" {message}'):
        frame.select(pa.unpack_state("p"))


@given(packed=st.binary(max_size=40), flags=st.integers(0, 31))
@examples(300)
def test_any_bytes_are_a_state_or_an_error(packed: bytes, flags: int) -> None:
    frame = pl.DataFrame({"p": [HEAD + bytes([flags]) + packed]})
    try:
        state = frame.select(state=pa.unpack_state("p", weights=bool(flags & 16)))
    except pl.exceptions.ComputeError as error:
        assert 'unpack_state: packed "p" ' in str(error)  # noqa: PT017
        return
    packed_again = state.select(pa.pack_state("state", keep_scores=not flags & 8)).item()
    assert packed_again == frame["p"].item()
    assert state.select(pa.roc_auc(state="state")).height == 1


def test_refused() -> None:
    frame = pl.DataFrame({"s": ["x"], "b": [b"x"]})
    for expression, message in [
        (pa.pack_state("s"), 'pack_state: state "s" has dtype str, expected structs'),
        (pa.unpack_state("s"), 'unpack_state: packed "s" has dtype str, expected Binary'),
        (
            pa.unpack_state("b", pl.String),
            "unpack_state: score_dtype is str, expected a numeric dtype or Boolean",
        ),
    ]:
        with pytest.raises(pl.exceptions.ComputeError, match=message):
            frame.lazy().select(expression).collect_schema()
    with pytest.raises(
        TypeError, match=r"unpack_state: score_dtype must be a Polars dtype, such as pl.Float64, got"
    ):
        pa.unpack_state("b", float)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="pack_state: keep_scores must be True or False, got 1"):
        pa.pack_state("s", keep_scores=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unpack_state: packed must be a column name or an expression"):
        pa.unpack_state(b"x")  # type: ignore[arg-type]
