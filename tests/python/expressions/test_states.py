"""States: merging in any order gives the state of all rows, and bounds are valid."""

from __future__ import annotations

import io
import re
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import polars as pl
import polars.selectors as cs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import assert_report_of_rows, examples, fixed, frames, scores_with_nan, signed
from oracles.states import interval
from polars_auc._report.rows import Rows

Scale: TypeAlias = Literal["real", "probability"]

probabilities = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1.0, 0.5, 1e-300, 1 - 2**-53]), st.none())


def frame_of(values: list[float], seed: int = 0) -> pl.DataFrame:
    """Return rows of these scores with random labels."""
    return pl.DataFrame({"s": values, "y": np.random.default_rng(seed).random(len(values)) < 0.4})


def merged(parts: list[pl.DataFrame], data: st.DataObject) -> pl.DataFrame:
    """Merge states two or three at a time, in any order."""
    while len(parts) > 1:
        some = data.draw(st.integers(2, min(3, len(parts))))
        chosen = [parts.pop(data.draw(st.integers(0, len(parts) - 1))) for _ in range(some)]
        parts.append(pl.concat(chosen).select(pa.merge_states("score")))
    return parts[0]


def check_every_tree(frame: pl.DataFrame, state: pl.Expr, data: st.DataObject) -> None:
    """Split rows into parts, and merge their states at once and in small batches."""
    part = data.draw(st.lists(st.integers(0, 4), min_size=frame.height, max_size=frame.height))
    parts = frame.with_columns(part=pl.Series(part, dtype=pl.Int64)).partition_by("part")
    states = [rows.select(state) for rows in parts or [frame]]
    at_once = pl.concat(states).select(pa.merge_states("score"))
    assert_frame_equal(at_once, frame.select(state), check_exact=True)
    assert_frame_equal(merged(states, data), at_once, check_exact=True)


@pytest.mark.parametrize("scale", [None, "real", "probability"])
@given(data=st.data())
@examples(100)
def test_every_tree_of_parts_gives_the_state_of_the_whole(scale: Scale | None, data: st.DataObject) -> None:
    scores = probabilities if scale == "probability" else scores_with_nan
    frame = data.draw(frames(scores, max_rows=60))
    state = pa.roc_state("label", "score", max_bins=None if scale is None else 16, scale=scale)
    check_every_tree(frame, state, data)


@given(frame=frames(max_rows=60), more=st.integers(17, 40), fewer=st.integers(16, 39))
@examples(100)
def test_coarsening_and_merging_commute(frame: pl.DataFrame, more: int, fewer: int) -> None:
    def state(rows: pl.DataFrame, max_bins: int | None) -> pl.DataFrame:
        return rows.select(pa.roc_state("label", "score", max_bins=max_bins))

    lowest = state(frame, min(more, fewer))
    assert_frame_equal(
        state(frame, None).select(pa.merge_states("score", max_bins=fewer)), state(frame, fewer)
    )
    assert_frame_equal(state(frame, more).select(pa.merge_states("score", max_bins=fewer)), lowest)
    # The lowest of several limits applies, in any order; an exact state has none.
    states = [state(frame[:20], more), state(frame[20:40], None), state(frame[40:], fewer)]
    assert_frame_equal(pl.concat(states).select(pa.merge_states("score")), lowest)
    assert_frame_equal(lowest.select(pa.merge_states("score")), lowest)


@given(frame=frames(max_rows=60))
@examples(200)
def test_the_area_of_the_rows_lies_between_the_bounds(frame: pl.DataFrame) -> None:
    state = frame.select(state=pa.roc_state("label", "score", max_bins=16))
    exact = frame.select(pa.roc_auc("label", "score")).item()
    bounds = state.select(b=pa.roc_auc_bounds(state="state"))["b"].item()
    assert (exact is None) == (bounds["auc"] is None)
    if exact is not None:
        assert bounds["lower"] <= exact <= bounds["upper"]
        assert bounds["lower"] <= bounds["auc"] <= bounds["upper"]
        assert bounds["auc"] == state.select(pa.roc_auc(state="state")).item()


@given(frame=frames(max_rows=60))
@examples(100)
def test_points_of_a_small_state_are_points_of_the_rows(frame: pl.DataFrame) -> None:
    def points(curve: pl.DataFrame) -> set[tuple[Any, ...]]:
        listed = curve.to_series().item()
        return set() if listed is None else set(listed.struct.unnest().select("threshold", "fp", "tp").rows())

    state = frame.select(state=pa.roc_state("label", "score", max_bins=16))
    from_state = points(state.select(pa.roc_curve(state="state")))
    assert from_state <= points(frame.select(pa.roc_curve("label", "score")))


@pytest.mark.parametrize("max_bins", [256, 1024])
@pytest.mark.parametrize("scale", ["real", "probability"])
def test_bins_are_used_and_the_bounds_are_tight(max_bins: int, scale: Scale) -> None:
    rng = np.random.default_rng(1)
    label = rng.random(100_000) < 0.3
    score = rng.normal(size=label.size) + label
    if scale == "probability":
        score = 1 / (1 + np.exp(-score))
    frame = pl.DataFrame({"y": label, "s": score})
    state = frame.select(s=pa.roc_state("y", "s", max_bins=max_bins, scale=scale))
    fields = state["s"].struct
    assert 0.9 * max_bins <= fields.field("bins").list.len().item() <= max_bins
    bounds = state.select(pa.roc_auc_bounds(state="s")).unnest("s")
    # The lower bound: the squared Bhattacharyya coefficient of the classes, exp(-1 / 8), over the number of
    # bins.
    assert bounds.select(pl.col("upper") - pl.col("lower")).item() <= 2.5 * np.exp(-1 / 4) / max_bins
    resolution = fields.field("resolution").item()
    scores = score[:20_000].tolist() + fields.field("bins").item().struct.field("score").to_list()
    assert len({interval(value, resolution, scale) for value in scores}) <= max_bins


DTYPES = [
    pl.Series([True, False, True], dtype=pl.Boolean),
    pl.Series([-128, 127, 3], dtype=pl.Int8),
    pl.Series([2**64 - 1, 2**64 - 2, 0], dtype=pl.UInt64),
    pl.Series([-(2**62), 2**62 + 1, 2**62], dtype=pl.Int64),
    pl.Series([-(2**100), 2**100 + 1, 2**100], dtype=pl.Int128),
    pl.Series([0.1, 0.25, 0.1], dtype=pl.Float32),
    pl.Series([Decimal("0.10"), Decimal("0.25"), Decimal("-7.00")], dtype=pl.Decimal(20, 2)),
    pl.Series([None, None, None], dtype=pl.Float64),
]


@pytest.mark.parametrize("scores", DTYPES, ids=lambda scores: str(scores.dtype))
@pytest.mark.parametrize("max_bins", [None, 16])
def test_scores_keep_their_dtype_through_parquet(
    scores: pl.Series, max_bins: int | None, tmp_path: Path
) -> None:
    frame = pl.DataFrame({"y": [1, 0, 0], "s": scores})
    state = frame.select(state=pa.roc_state("y", "s", max_bins=max_bins))
    if scores.dtype != pl.Int128:
        state.write_parquet(tmp_path / "state.parquet")
        state = pl.read_parquet(tmp_path / "state.parquet")
    answers = state.select(a=pa.roc_curve(state="state"), b=pa.roc_auc(state="state"))
    assert_frame_equal(
        answers, frame.select(a=pa.roc_curve("y", "s"), b=pa.roc_auc("y", "s")), check_exact=True
    )


def test_counted_rows() -> None:
    frame = pl.DataFrame({"y": [1, 0, 1, None], "s": [2.0, 1.0, 1.0, 1.0], "n": [2, 3, 4, 5]})
    state = frame.select(s=pa.roc_state("y", "s", count="n"))["s"].item()
    assert [(each["pos"], each["neg"]) for each in state["bins"]] == [(2, 0), (4, 3)]
    assert (state["n_pos"], state["n_neg"], state["n_missing"]) == (6, 3, 5)


def test_null_states_hold_no_rows() -> None:
    frame = pl.DataFrame({"y": [1, 0], "s": [2.0, 1.0]})
    state = frame.select(s=pa.roc_state("y", "s"))
    with_null = pl.concat([state, pl.DataFrame({"s": [None]}, schema=state.schema)])
    assert_frame_equal(with_null.select(pa.merge_states("s")), state)
    nothing = with_null[1:].select(pa.merge_states("s"))["s"].item()
    assert (nothing["bins"], nothing["n_pos"], nothing["has_nan"]) == ([], 0, False)


def test_what_lies_under_a_null_state_does_not_count() -> None:
    frame = pl.DataFrame(
        {"g": [0, 0, 1, 1, 2, 2], "y": [1, 0, 1, 0, 1, 0], "s": [1.0, 0.0, 3.0, 2.0, 0.5, 0.7]}
    )
    days = frame.group_by("g", maintain_order=True).agg(state=pa.roc_state("y", "s"))
    some = days.with_columns(state=pl.when(pl.col("g") != 1).then("state"))
    expected = frame.filter(pl.col("g") != 1).select(state=pa.roc_state("y", "s"))
    written = io.BytesIO()
    some.write_ipc(written)
    written.seek(0)
    nested = days.with_columns(big=pl.when(pl.col("g") != 1).then(pl.struct("state", x=1)))
    for states in (some, pl.read_ipc(written), nested.drop("state").unnest("big")):
        assert_frame_equal(states.select(pa.merge_states("state")), expected)
        last = states.tail(2).select(pa.merge_states("state"))
        assert_frame_equal(last, frame.filter(pl.col("g") == 2).select(state=pa.roc_state("y", "s")))


def test_a_limit_keeps_the_scale_of_states() -> None:
    frame = frame_of([i / 100 for i in range(100)])
    for scale in ("real", "probability"):
        state = frame.select(s=pa.roc_state("y", "s", max_bins=64, scale=scale))
        smaller = frame.select(s=pa.roc_state("y", "s", max_bins=16, scale=scale))
        assert_frame_equal(state.select(pa.merge_states("s", max_bins=16)), smaller)


def test_counts_do_not_overflow() -> None:
    state = state_with(n_missing=2**41)
    with pytest.raises(pl.exceptions.ComputeError, match=r"contains more than 2\^42 rows in a group"):
        pl.concat([state] * 3).select(pa.merge_states("s"))


def state_with(**changes: Any) -> pl.DataFrame:
    """Return a state with other values in some of its fields, or in fields of its first bin."""
    rows = frame_of([float(i) for i in range(40)], seed=3)
    column = rows.select(s=pa.roc_state("y", "s", max_bins=16))["s"]
    state = column.to_list()[0]
    for name, value in changes.items():
        (state if name in state else state["bins"][0])[name] = value
    return pl.DataFrame({"s": [state]}, schema={"s": signed(column.dtype)})


def test_signed_integers_are_counts() -> None:
    rows = frame_of([float(i) for i in range(40)], seed=3)
    expected = rows.select(s=pa.roc_state("y", "s", max_bins=16))
    assert_frame_equal(state_with().select(pa.merge_states("s")), expected)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"score": 0.5},
            "has bins that are not in order: the highest score comes first, and none comes twice",
        ),
        ({"score": float("nan")}, "has a bin whose score is NaN"),
        ({"score": None}, "contains a bin with a null"),
        ({"tied": None}, "contains a bin with a null"),
        ({"pos": None}, "contains a bin with a null"),
        ({"pos": -1}, r"contains pos -1, expected counts from 0 to 2\^42"),
        ({"neg": 2**50}, r"contains neg 1125899906842624, expected counts from 0 to 2\^42"),
        ({"n_pos": 1}, "has other n_pos and n_neg than its bins together"),
        ({"n_missing": 2**42}, r"contains more than 2\^42 rows in a group"),
        ({"pos": 0, "neg": 0}, "has a bin without a row"),
        ({"has_nan": True}, "has both a NaN and bins"),
        ({"has_nan": None}, "contains a null has_nan"),
        ({"n_neg": None}, "contains a null n_neg"),
        ({"bins": None}, "contains a null bins"),
        ({"resolution": 0}, "has a bin of several scores, but no resolution"),
        ({"scale": "log"}, 'has the unknown scale "log"; expected real or probability'),
        ({"scale": None}, "has only one of max_bins and scale"),
        ({"max_bins": None, "scale": None}, "contains the resolution [0-9]+, which has no scale"),
        ({"resolution": 2**15 + 1}, "contains the resolution 32769, but the last one is 32768"),
        ({"max_bins": 3}, r"contains max_bins 3, expected 16 to 2\^31"),
        ({"scale": "probability"}, "is of probabilities, but has a score that is below 0 or above 1"),
    ],
)
def test_what_is_no_state(changes: dict[str, Any], message: str) -> None:
    state = state_with(**changes)
    for name, expression in (("roc_auc", pa.roc_auc(state="s")), ("merge_states", pa.merge_states("s"))):
        with pytest.raises(pl.exceptions.ComputeError, match=f'{name}: state "s" {message}'):
            state.select(expression)


def test_counts_as_spark_reads_them() -> None:
    """Spark reads unsigned integers of a Parquet file as decimals without places."""
    whole = pl.Decimal(20, 0)
    states = fixed(200).group_by("g").agg(s=pa.roc_state("label", "score", max_bins=16)).sort("g")
    dtypes = dict(states.schema["s"].to_schema())  # type: ignore[attr-defined]
    bins = dtypes["bins"].inner.to_schema()
    bin_dtype = pl.Struct({name: whole if dtype == pl.UInt64 else dtype for name, dtype in bins.items()})
    counts = {name: whole if dtype == pl.UInt64 else dtype for name, dtype in dtypes.items()}
    decimals = states.with_columns(pl.col("s").cast(pl.Struct({**counts, "bins": pl.List(bin_dtype)})))
    for expression in (pa.roc_summary(state="s"), pa.merge_states("s"), pa.pack_state(pa.merge_states("s"))):
        assert decimals.select(expression).equals(states.select(expression))
    report = pa.report(decimals, state="s", by="g", versus="rest")
    assert report.equals(pa.report(states, state="s", by="g", versus="rest"))


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pl.Series([1.0]), 'state "s" has dtype f64, expected structs from roc_state'),
        (
            pl.Series([b"PA"]),
            r'has dtype binary, expected structs. Hint: for packed states write unpack_state\("s"\)',
        ),
        (pl.Series([{"bins": [1]}]), 'state "s" has no field n_pos'),
        (pl.Series([{"bins": 1}]), 'state "s" has a field bins of dtype i64'),
        (
            state_with().select(pl.col("s").struct.with_fields(has_nan=1))["s"],
            'state "s" has a field has_nan of dtype i32',
        ),
    ],
)
def test_dtypes_of_no_state(column: pl.Series, message: str) -> None:
    with pytest.raises(pl.exceptions.ComputeError, match=message):
        pl.DataFrame({"s": column}).lazy().select(pa.roc_auc(state="s")).collect_schema()


def test_scales() -> None:
    frame = frame_of([0.1, 0.2, 0.3])
    scales: list[Scale] = ["real", "probability"]
    states = [frame.select(s=pa.roc_state("y", "s", max_bins=16, scale=scale)) for scale in scales]
    with pytest.raises(pl.exceptions.ComputeError, match=r"merge_states: .* different scales"):
        pl.concat(states).select(pa.merge_states("s"))
    message = 'scale is "probability", but the states have the scale'
    with pytest.raises(pl.exceptions.ComputeError, match=message):
        states[0].select(pa.merge_states("s", max_bins=16, scale="probability"))
    # An exact state has no scale, but may be merged with a state that has one.
    beyond = frame_of([1.5, 0.2]).select(s=pa.roc_state("y", "s"))
    with pytest.raises(pl.exceptions.ComputeError, match="is of probabilities, but has a score that is"):
        pl.concat([states[1], beyond]).select(pa.merge_states("s"))
    for score in (-0.1, 1.5):
        with pytest.raises(pl.exceptions.ComputeError, match=f"expects scores from 0 to 1, got {score}"):
            frame_of([0.1, score]).select(pa.roc_state("y", "s", max_bins=16, scale="probability"))


def test_rows_or_states() -> None:
    with pytest.raises(ValueError, match=r"gini: state and label are mutually exclusive.*write gini\(state="):
        pa.gini("y", "s", state="day")
    with pytest.raises(
        ValueError, match="state and cluster are mutually exclusive, because a state has no clusters"
    ):
        pa.roc_auc_ci(state="day", cluster="patient")
    with pytest.raises(TypeError, match=r"gini: missing label and score. Hint: pass"):
        pa.gini()
    with pytest.raises(TypeError, match=r"gini: missing score. Hint: pass .* as in gini\(state="):
        pa.gini("y")
    with pytest.raises(TypeError, match=r"state must be a column name.* got int. Hint: .*gini\(state=.state"):
        pa.gini(state=3)  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match=r"state must be a column name.* got NoneType. Hint: .*merge_states\(.state"
    ):
        pa.merge_states(None)  # type: ignore[arg-type]
    with pytest.raises(pl.exceptions.ComputeError, match=r'it contains states; write state="s"'):
        state_with().with_columns(y=1).select(pa.roc_auc("y", "s"))
    with pytest.raises(ValueError, match="roc_state: max_bins must be an integer from 16"):
        pa.roc_state("y", "s", max_bins=3)
    with pytest.raises(
        ValueError, match="roc_state: scale must be one of 'real', 'probability', None, got 'log'"
    ):
        pa.roc_state("y", "s", max_bins=16, scale="log")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="merge_states: scale says where a state of max_bins has small bins"):
        pa.merge_states("s", scale="real")


def test_large_states_and_bootstraps_are_refused() -> None:
    frame = pl.DataFrame({"y": [1, 0], "s": [1.0, 0.0], "n": [2**33, 2]})
    state = frame.select(s=pa.roc_state("y", "s", count="n"))
    assert state.select(pa.roc_auc(state="s")).item() == 1.0
    with pytest.raises(pl.exceptions.ComputeError, match="a group has 8589934594 rows"):
        state.select(pa.roc_auc_ci(state="s", method="bootstrap"))


def test_states_batch_by_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polars_auc._frames.group_states._BATCH_ROWS", 700)
    monkeypatch.setattr("polars_auc._frames.partial_states.PART_BYTES", 10_000)
    frame = fixed().with_columns(n=pl.lit(2))
    for by in ([], ["g"], ["g", "key"]):
        for max_bins in (None, 16, 300):
            state = pa.roc_state("label", "score", max_bins=max_bins, count="n")
            other = pa.roc_state("label", "other", max_bins=max_bins, count="n")
            rows = frame.lazy()
            expected = rows.group_by(by).agg(state, other) if by else rows.select(state, other)
            got = pa.group_states(rows, "label", ["score", "other"], by=by, max_bins=max_bins, count="n")
            assert got.collect_schema() == expected.collect_schema()
            expected = expected.sort(by, nulls_last=True) if by else expected
            assert_frame_equal(got.collect(), expected.collect(), check_exact=True)
    assert got.filter(pl.col("g") == 3).select("key", "score").head(2).collect().columns == ["key", "score"]
    # Ranks are among all rows, not among those of a batch.
    ranked = pl.col("score").rank()
    from_ranks = pa.group_states(frame, "label", ranked)
    assert_frame_equal(from_ranks, frame.select(pa.roc_state("label", ranked)), check_exact=True)


@pytest.mark.parametrize(
    ("scores", "names"),
    [
        (pl.col("score", "other"), ["score", "other"]),
        (cs.float(), ["score", "other"]),
        (pl.all().exclude("key", "label"), ["score", "other"]),
        (cs.starts_with("o"), ["other"]),
        (["other", cs.by_name("score") * 2], ["other", "score"]),
        (pl.col("score", "other").rank().name.suffix("_rank"), ["score_rank", "other_rank"]),
    ],
)
@pytest.mark.parametrize("by", [[], ["g"]])
def test_states_of_several_scores(scores: Any, names: list[str], by: list[str]) -> None:
    frame = fixed(500).select(pl.col("g", "score", "other").cast(pl.Float64), "key", "label")
    frame = frame if by else frame.drop("g")
    scores_by_name = {
        "score": pl.col("score") * 2 if isinstance(scores, list) else pl.col("score"),
        "other": pl.col("other"),
        "score_rank": pl.col("score").rank(),
        "other_rank": pl.col("other").rank(),
    }
    one_by_one = [scores_by_name[name].alias(name) for name in names]
    got = pa.group_states(frame, cs.by_name("label"), scores, by=by)
    assert got.columns == [*by, *names]
    assert_frame_equal(got, pa.group_states(frame, "label", one_by_one, by=by), check_exact=True)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"scores": [1]},
            'scores must be column names or expressions, got int. Hint: write {name}(frame, "label"',
        ),
        ({"scores": 1}, "scores must be column names or expressions, got int. Hint: write {name}(frame"),
        ({"scores": []}, "scores must name at least one column, got none. Hint: write {name}(frame"),
        (
            {"scores": cs.starts_with("z")},
            "scores select no column of the frame, expected one of ['g', 'y', 's']",
        ),
        ({"scores": ["s", "s"]}, "two scores are named 's'. Hint: give one another name"),
        (
            {"label": 3},
            'label must be one column name or expression, got int. Hint: write {name}(frame, "label"',
        ),
        ({"label": 3}, "label must be one column name or expression, got int. Hint: write"),
        ({"label": pl.col("y", "s")}, "label must be one column name or expression, got the columns ['y', "),
        (
            {"count": [1, 2]},
            "count must be one column name or expression, got list. Hint: write {name}(frame, ",
        ),
        (
            {"by": "s"},
            "the columns of the result must have different names, got ['s', 's']. Hint: give a score",
        ),
        ({"by": 3}, "by must be column names, got [3]. Hint: write {name}(frame"),
    ],
)
@pytest.mark.parametrize("name", ["group_states", "report"])
def test_columns_that_make_no_states(name: str, columns: dict[str, Any], message: str) -> None:
    frame = pl.DataFrame({"g": ["a", "b"], "y": [0, 1], "s": [1.0, 2.0]})
    call = pa.group_states if name == "group_states" else partial(pa.report, memory="bounded")
    with pytest.raises((TypeError, ValueError), match=re.escape(f"{name}: {message.format(name=name)}")):
        call(frame, **{"label": "y", "scores": "s", **columns})


def test_group_states_refuses() -> None:
    frame = pl.DataFrame({"g": ["a", "b"], "y": [0, 2], "s": [1.0, 2.0]})
    with pytest.raises(pl.exceptions.ComputeError, match='group_states: label "y" contains 2'):
        pa.group_states(frame, "y", "s", by="g")
    with pytest.raises(pl.exceptions.ComputeError, match=r'group_states: label "s \(label\)" contains'):
        pa.group_states(frame, "s", "s", by="g")
    with pytest.raises(ValueError, match="group_states: max_bins must be an integer from 16"):
        pa.group_states(frame, "y", "s", max_bins=1)


@pytest.mark.parametrize("by", [[], ["g"]])
def test_bounded_report(by: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polars_auc._frames.group_states._BATCH_ROWS", 700)
    frame = fixed().select("g", "label", "score", "other")
    exact = pa.report(frame, "label", ["score", "other"], by=by)
    # This number of bins covers all distinct scores.
    many = pa.report(frame, "label", ["score", "other"], by=by, memory="bounded", max_bins=10_000)
    assert_report_of_rows(many, exact)
    assert many["auc_min"].equals(many["auc"])
    few = pa.report(frame, "label", ["score", "other"], by=by, memory="bounded", max_bins=16)
    assert (few["auc_min"] <= exact["auc"]).all()
    assert not few["exact"].all()
    assert (exact["auc"] <= few["auc_max"]).all()
    with pytest.raises(ValueError, match="report: compare needs all rows at once"):
        pa.report(frame, "label", ["score", "other"], compare=True, memory="bounded")
    with pytest.raises(ValueError, match=r'report: max_bins is for memory="bounded". Hint: write it'):
        pa.report(frame, "label", "score", max_bins=16)


@pytest.mark.parametrize("max_bins", [16, 256])
def test_many_rows_are_counted_as_they_would_be_ranked(max_bins: int) -> None:
    rng = np.random.default_rng(max_bins)
    rows = 300_000
    score = np.where(rng.random(rows) < 0.3, np.round(rng.normal(size=rows), 1), rng.normal(size=rows))
    frame = pl.DataFrame({"y": rng.random(rows) < 0.2, "s": score, "n": rng.integers(0, 3, rows)})
    frame = frame.with_columns(y=pl.when(pl.col("s") < 2).then("y"))
    for count in (None, "n"):
        # An exact state is computed from ranked rows.
        ranked = frame.select(pa.roc_state("y", "s", count=count)).select(
            pa.merge_states("s", max_bins=max_bins)
        )
        counted = frame.select(pa.roc_state("y", "s", max_bins=max_bins, count=count))
        assert_frame_equal(counted, ranked, check_exact=True)


@pytest.mark.parametrize("by", [[], ["g"]])
def test_states_of_a_page(by: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without batches, states equal those of expressions by group, such as a mean."""
    monkeypatch.setattr("polars_auc._frames.group_states._BATCH_ROWS", 700)
    frame = fixed().select("g", "label", "score", "other").lazy()
    label = pl.col("other") > pl.col("other").mean()
    scores = {"a": pl.col("score"), "b": -pl.col("other")}
    merged = Rows.from_columns(frame, ["g"], label, scores).merged(by, 64)
    answers = [pa.roc_state(label, score, max_bins=64).alias(name) for name, score in scores.items()]
    expected = (frame.group_by(by).agg(answers) if by else frame.select(answers)).collect()
    assert_frame_equal(merged, expected, check_row_order=False, check_exact=True)


def test_what_is_exact() -> None:
    """Exact states may merge to an inexact state."""
    frame = pl.DataFrame({"s": range(40)}).with_columns(y=pl.col("s") % 3 == 0, half=pl.col("s") // 20)
    states = frame.group_by("half", maintain_order=True).agg(
        small=pa.roc_state("y", "s", max_bins=32), whole=pa.roc_state("y", "s")
    )
    table = pa.report(states, state=["small", "whole"], by="half")
    rows: list[tuple[int | None, str, bool]] = [(None, "small", False), (None, "whole", True)]
    rows += [(half, score, True) for half in (0, 1) for score in ("small", "whole")]
    assert sorted(table.select("half", "score", "exact").rows(), key=repr) == sorted(rows, key=repr)
    bounds = [pa.roc_auc_bounds(state=name).alias(name) for name in ("small", "whole")]
    assert [answer["exact"] for answer in states.select(bounds).row(0)] == [False, True]
    # There are no positives, and no area is defined.
    nobody = frame.select(state=pa.roc_state(pl.lit(value=False) & pl.col("y"), "s", max_bins=16))
    assert nobody.select(pa.roc_auc_bounds(state="state")).item()["exact"] is False
    weighted = frame.select(state=pa.roc_state("y", "s", max_bins=16, weight="s"))
    assert weighted.select(pa.roc_auc_bounds(state="state")).item()["exact"] is False
