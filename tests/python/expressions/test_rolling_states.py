"""Moving windows of states: each window equals the merge of its states."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any, Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polars_auc as pa
from catalogue.cases import examples, fixed

DAYS = st.lists(st.none() | st.integers(-5, 30), max_size=25)


def states_of(days: list[int | None], **limit: Any) -> pl.DataFrame:
    """Return a state for each of these days; the third day is null."""
    rows = fixed(40 * max(len(days), 1)).with_columns(place=pl.int_range(pl.len()) // 40)
    states = rows.group_by("place", maintain_order=True).agg(state=pa.roc_state("label", "score", **limit))
    states = states.head(len(days)).with_columns(day=pl.Series(days, dtype=pl.Int64))
    return states.with_columns(state=pl.when(pl.col("place") != 2).then("state"))


def one_by_one(states: pl.DataFrame, inside: Any) -> pl.DataFrame:
    """Merge the states of each window separately."""
    merged = []
    for by in states["day"]:
        window = states.head(0) if by is None else states.filter(inside(pl.col("day"), by))
        row = window.select(pa.merge_states("state"))
        merged.append(row if by is not None else row.with_columns(state=pl.lit(None, row["state"].dtype)))
    return pl.concat(merged) if merged else states.select("state")


@given(
    days=DAYS,
    window=st.integers(1, 12),
    limit=st.sampled_from([{}, {"max_bins": 16}, {"weight": "weight"}, {"weight": "weight", "max_bins": 16}]),
)
@examples(60)
def test_each_window_alone(days: list[int | None], window: int, limit: dict[str, Any]) -> None:
    states = states_of(days, **limit)
    answer = states.select(pa.rolling_merge_states("state", "day", window=window))
    assert answer.equals(one_by_one(states, _within(window)))


@pytest.mark.parametrize(
    "score",
    [
        pl.col("score"),
        pl.col("score").cast(pl.Float32),
        (pl.col("score") * 20).cast(pl.Int8),
        (pl.col("score") * 1e15).cast(pl.Int128) * 2**40,
        pl.col("score").cast(pl.Decimal(20, 6)),
        pl.col("score") > 0.5,
        pl.when(pl.col("place") == 17).then(float("nan")).otherwise("score"),
    ],
    ids=["f64", "f32", "i8", "i128", "decimal", "boolean", "nan"],
)
def test_long_windows_of_rows_in_any_order(score: pl.Expr) -> None:
    """Test their counts, and the order of the results."""
    days: list[int | None] = [None, 7, 7, None, *(day for day in range(60) if day % 11)]
    np.random.default_rng(1).shuffle(days)
    rows = fixed(20 * len(days)).with_columns(place=pl.int_range(pl.len()) // 20)
    state = pa.roc_state("label", score.alias("s"))
    states = rows.group_by("place", maintain_order=True).agg(state=state)
    # A null state has no rows.
    states = states.with_columns(
        day=pl.Series(days), state=pl.when(pl.col("place") != 5).then("state"), key=pl.col("place") % 2
    )
    for window in (14, 100):
        answer = states.select(pa.rolling_merge_states("state", "day", window=window))
        assert answer.equals(one_by_one(states, _within(window)))
    keyed = states.with_columns(pa.rolling_merge_states("state", "day", window=30, within="key"))
    for key in (0, 1):
        assert keyed.filter(key=key).select("state").equals(one_by_one(states.filter(key=key), _within(30)))


def _within(window: int) -> Any:
    return lambda day, by: day.is_between(by - window, by, closed="right")


def test_within_each_segment() -> None:
    states = states_of([*range(12), *range(12)]).with_columns(key=pl.Series(["a", "b"] * 12))
    rolling = pa.rolling_merge_states("state", "day", window=5, within="key")
    table = states.with_columns(rolling)
    assert states.with_columns(pa.rolling_merge_states("state", "day", window=5).over("key")).equals(table)
    is_odd = pl.col("day") % 2 == 1
    both = pa.rolling_merge_states("state", "day", window=5, within=["key", is_odd.alias("odd")])
    odd = pa.rolling_merge_states("state", "day", window=5, within="key")
    assert states.with_columns(both).filter(is_odd).equals(states.filter(is_odd).with_columns(odd))
    for key in ("a", "b"):
        segment = states.filter(key=key)
        expected = segment.select(pa.rolling_merge_states("state", "day", window=5))
        assert table.filter(key=key).select("state").equals(expected)
    lazy = states.lazy().with_columns(rolling)
    assert lazy.collect_schema() == table.schema
    assert lazy.collect(engine="streaming").equals(table)


@pytest.mark.parametrize(
    ("days", "window", "start"),
    [
        (pl.date_range(date(2026, 1, 20), date(2026, 3, 20), eager=True), "1mo", date(2026, 1, 28)),
        (pl.date_range(date(2026, 2, 1), date(2026, 3, 1), eager=True), "4w", date(2026, 2, 1)),
        (pl.date_range(date(2026, 2, 1), date(2026, 3, 1), eager=True), timedelta(days=3), date(2026, 2, 26)),
        (
            pl.datetime_range(datetime(2026, 3, 1), datetime(2026, 3, 2), "2h", time_unit="ns", eager=True),
            "6h",
            datetime(2026, 3, 1, 18),
        ),
    ],
)
def test_lengths_of_time(days: pl.Series, window: Any, start: Any) -> None:
    states = states_of(list(range(len(days)))).with_columns(day=days)
    last = days.filter(days <= pl.Series([date(2026, 2, 28)])) if window == "1mo" else days
    table = states.with_columns(pa.rolling_merge_states("state", "day", window=window))
    expected = states.filter(pl.col("day").is_between(start, last[-1], closed="right"))
    got = table.filter(day=last[-1]).select("state")
    assert got.equals(expected.select(pa.merge_states("state")))


@pytest.mark.parametrize("first", [datetime(2026, 3, 28), datetime(2026, 10, 24)])
def test_where_clocks_are_turned(first: datetime) -> None:
    """A later row may have a window that starts earlier; the windows equal those of Polars."""
    utc = pl.datetime_range(first, first + timedelta(days=3), "30m", time_zone="UTC", eager=True)
    rows = fixed(len(utc) * 3).with_columns(place=pl.int_range(pl.len()) // 3)
    states = rows.group_by("place", maintain_order=True).agg(state=pa.roc_state("label", "score"))
    states = states.with_columns(time=utc.dt.convert_time_zone("Europe/Berlin"))
    expression = pa.rolling_merge_states("state", "time", window="1d")
    try:
        start = states.select(pl.col("time").dt.offset_by("-1d"))["time"]
    except pl.exceptions.ComputeError as error:
        # Older Polars raises for such times, and names one.
        assert "Europe/Berlin" in str(error)  # noqa: PT017
        with pytest.raises(pl.exceptions.ComputeError, match="Europe/Berlin"):
            states.select(expression)
        return
    answer = states.select("time", expression)
    for time, since, state in zip(states["time"], start, answer["state"], strict=True):
        window = states.filter(pl.col("time").is_between(since, time, closed="right"))
        assert state == window.select(pa.merge_states("state")).item()


def test_whole_numbers_of_numpy() -> None:
    states = states_of([1, 2, 3])
    expected = states.select(pa.rolling_merge_states("state", "day", window=2))
    assert states.select(pa.rolling_merge_states("state", "day", window=np.int64(2))).equals(expected)  # type: ignore[arg-type]
    assert pa.Evaluator(window=np.int64(2)).auc() is None  # type: ignore[arg-type]


def test_small_unsigned_days() -> None:
    """A window may begin before the minimum of the dtype."""
    states = states_of([0, 1, 2]).with_columns(pl.col("day").cast(pl.UInt8))
    narrow = states.select(pa.rolling_merge_states("state", "day", window=100))
    assert narrow["state"][1] == states.head(2).select(pa.merge_states("state")).item()


@pytest.mark.parametrize(
    ("unit", "window", "n_pos"),
    [
        # Nanoseconds begin in 1677, so these windows begin before the minimum.
        ("ns", "400y", [1, 2, 3]),
        ("ns", "500y", [1, 2, 3]),
        ("ns", timedelta(days=365 * 400), [1, 2, 3]),
        ("us", "500y", [1, 2, 3]),
        # A window shorter than a step of the column still contains its row.
        (None, "1ns", [1, 1, 1]),
        (None, "6h", [1, 1, 1]),
        ("ms", "1us", [1, 1, 1]),
        ("us", timedelta(microseconds=1), [1, 1, 1]),
    ],
)
@pytest.mark.parametrize("first", [date(2026, 1, 1), date(1931, 1, 1)])
def test_very_long_and_very_short_windows(
    unit: Literal["ns", "us", "ms"] | None, window: Any, n_pos: list[int], first: date
) -> None:
    rows = pl.DataFrame({"place": [0, 0, 1, 1, 2, 2], "y": [1, 0] * 3, "s": [3, 2, 1, 6, 5, 4]})
    states = rows.group_by("place", maintain_order=True).agg(state=pa.roc_state("y", "s"))
    day = first + pl.duration(days="place")
    states = states.with_columns(day=day if unit is None else day.cast(pl.Datetime(unit)))
    answer = states.select(pa.rolling_merge_states("state", "day", window=window))["state"]
    assert answer.struct.field("n_pos").to_list() == n_pos


def test_windows_from_before_the_lowest_integer() -> None:
    states = states_of([-5, -4, -3]).with_columns(state=pl.col("state").first())
    whole = states.select(pa.rolling_merge_states("state", "day", window=2**63 - 1))["state"]
    assert whole[2] == states.select(pa.merge_states("state")).item()
    lowest = states.with_columns(day=pl.lit(-(2**63), pl.Int64))
    assert lowest.select(pa.rolling_merge_states("state", "day", window=3))["state"][0] == whole[2]


def test_a_whole_number_is_no_length_of_time() -> None:
    """An integer would count microseconds."""
    states = states_of([1, 2]).with_columns(time=datetime(2026, 1, 1) + pl.duration(days="day"))
    for time, dtype in (("time", "datetime"), (pl.col("time").dt.date(), "date")):
        query = states.lazy().select(pa.rolling_merge_states("state", time, window=28))
        message = f'by "time" has dtype {dtype}.*, but the window is an integer. Hint: write window="28d"'
        with pytest.raises(pl.exceptions.ComputeError, match=message):
            query.collect_schema()


def test_a_nan_is_in_its_windows_alone() -> None:
    states = states_of([1, 2, 3, 4])
    nan = pl.DataFrame({"y": [0, 1], "s": [1.0, float("nan")]}).select(state=pa.roc_state("y", "s"))
    states = pl.concat(
        [states.select("day", "state"), nan.select(pl.lit(2).alias("day").cast(pl.Int64), "state")]
    )
    table = states.with_columns(pa.rolling_merge_states("state", "day", window=2)).sort("day")
    assert table["state"].struct.field("has_nan").to_list() == [False, True, True, True, False]


@pytest.mark.parametrize(
    ("window", "message"),
    [
        (
            0,
            "window must be a length of time above 0, got 0. Hint: write window=.28d., or window=28 for "
            "integers",
        ),
        (-3, "must be a length of time above 0, got -3"),
        ("28", "must be a length of time above 0, got '28'"),
        ("-28d", "must be a length of time above 0"),
        ("0d", "must be a length of time above 0"),
        (timedelta(0), "must be a length of time above 0"),
        (2.5, "must be a length of time or an integer, got float. Hint: write window="),
        (True, "must be a length of time or an integer, got bool"),
        (None, "must be a length of time or an integer, got NoneType"),
        (np.timedelta64(7, "D"), "must be a length of time or an integer, got timedelta64"),
        (
            2**63,
            "must be at most 500 years, or below 2.63, got 9223372036854775808. Hint: write window=.500y.",
        ),
        ("501y", "must be at most 500 years, .* got '501y'"),
        ("99999999999999999999d", "must be at most 500 years"),
        (timedelta.max, "must be at most 500 years"),
    ],
)
def test_windows_that_are_none(window: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"rolling_merge_states: .*{message}"):
        pa.rolling_merge_states("state", "day", window=window)


def test_columns_that_are_none() -> None:
    states = states_of([1, 2])
    with pytest.raises(TypeError, match="rolling_merge_states: by must be a column name or an expression"):
        pa.rolling_merge_states("state", 3, window=2)  # type: ignore[arg-type]
    for within in (3, ["place", 3]):
        with pytest.raises(
            TypeError, match=r"within must be column names or expressions, got int. Hint: write within="
        ):
            pa.rolling_merge_states("state", "day", window=2, within=within)  # type: ignore[arg-type]
    query = states.lazy().select(pa.rolling_merge_states("state", pl.col("day").cast(pl.Float64), window=2))
    with pytest.raises(pl.exceptions.ComputeError, match='by "day" has dtype f64, expected dates'):
        query.collect_schema()
    with pytest.raises(pl.exceptions.ComputeError, match='state "day" has dtype i64, expected structs'):
        states.select(pa.rolling_merge_states("day", "day", window=2))
    with pytest.raises(pl.exceptions.PolarsError):
        states.select(pa.rolling_merge_states("state", "day", window="2d"))
