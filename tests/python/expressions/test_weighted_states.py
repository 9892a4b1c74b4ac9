"""States of rows with weights: sums of weights, merged exactly, that answer as their rows."""

from __future__ import annotations

import inspect
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import assert_report_of_rows, examples, fixed, scores_with_nan
from expressions.test_states import check_every_tree
from laws.test_weights import FRAME, MEASURES, said, weighted
from polars_auc._commands.main import main

WEIGHTED = FRAME.with_columns(weight=pl.Series([2.0, 0.5, 1.5, 1.0, 3.0]))
UNKNOWN = ("se", "lower", "upper")
"""What a summary does not know of a weighted state."""

any_weights = st.one_of(st.floats(1e-6, 1e6), st.floats(1e-15, 1e15), st.sampled_from([0.0, 1.0, None]))
"""Weights of which each keeps some digits in a state."""


def known(answer: Any) -> Any:
    """Leave out what a summary does not know of a weighted state."""
    if isinstance(answer, dict) and "prevalence" in answer:
        return {name: value for name, value in answer.items() if name not in (*UNKNOWN, "n_unlabelled")}
    return answer


def of_states(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the states of two parts of the rows."""
    state = pa.roc_state("label", "score", weight="weight").alias("state")
    return frame.group_by(pl.int_range(pl.len()) % 2, maintain_order=True).agg(state)


def with_bins(states: pl.DataFrame, **dtypes: pl.DataType) -> pl.DataFrame:
    """Return states whose bins have other dtypes."""
    [column] = states
    fields = column.dtype.to_schema()  # type: ignore[attr-defined]
    bins = fields["bins"].inner.to_schema() | dtypes
    return column.cast(pl.Struct({**fields, "bins": pl.List(pl.Struct(bins))})).to_frame()


@pytest.mark.parametrize("max_bins", [None, 16])
@given(frame=weighted(any_weights), data=st.data())
@examples(100)
def test_every_tree_of_parts_gives_the_state_of_the_whole(
    max_bins: int | None, frame: pl.DataFrame, data: st.DataObject
) -> None:
    state = pa.roc_state("label", "score", weight="weight", max_bins=max_bins)
    check_every_tree(frame, state, data)


OF_STATES = [
    (measure, options)
    for measure, options in MEASURES
    if "state" in inspect.signature(measure).parameters and "n_resamples" not in options
]
measures = pytest.mark.parametrize(
    ("measure", "options"), OF_STATES, ids=lambda it: getattr(it, "__name__", it)
)


@measures
@given(frame=weighted(st.sampled_from([0.0, 1.0, 2.5, 3.0, 2.0**20, 2.0**-18, None]), scores_with_nan))
@examples(30)
def test_states_of_short_weights_answer_as_their_rows(
    measure: Any, options: dict[str, Any], frame: pl.DataFrame
) -> None:
    expected = frame.select(measure("label", "score", weight="weight", **options).alias("out"))
    states = (
        of_states(frame)
        if frame.height
        else frame.select(state=pa.roc_state("label", "score", weight="weight"))
    )
    got = states.lazy().select(measure(state="state", **options).alias("out"))
    assert got.collect_schema() == expected.schema
    assert repr(known(got.collect()["out"].item())) == repr(known(expected["out"].item()))


def rounding(used: pl.DataFrame) -> float:
    """How far an area may be off because weights were rounded: each to 1e-18, and to 2^-60 of its class."""
    classes = used.group_by("label").agg(off=pl.len() * (2.0**-58 + 1e-18 / pl.col("weight").sum()))
    return float(classes["off"].sum())


@given(frame=weighted(any_weights, st.integers(0, 9).map(float)))
@examples(200)
def test_states_of_any_weights(frame: pl.DataFrame) -> None:
    states = frame.select(state=pa.roc_state("label", "score", weight="weight"))
    used = frame.drop_nulls().filter(pl.col("weight") > 0)
    got = said(states, pa.roc_auc(state="state"))
    expected = said(frame, pa.roc_auc("label", "score", weight="weight"))
    assert (got is None) == (expected is None)
    assert got is None or abs(got - expected) <= 1e-15 + rounding(used)
    sums = used.group_by("score").agg(pl.col("weight").filter("label").sum())
    bins = states["state"].struct.field("bins")[0].struct.unnest().join(sums, on="score")
    assert bins.height == sums.height
    off = (bins["pos"].cast(pl.Float64) - bins["weight"]).abs()
    assert (off <= 1e-17 + 1e-14 * bins["weight"]).all()


@given(frame=weighted(st.floats(0.001, 1000), st.floats(-3, 3)))
@examples(200)
def test_the_area_of_the_rows_lies_between_the_bounds(frame: pl.DataFrame) -> None:
    frame = pl.concat([frame, frame.with_columns(pl.col("score") * 1.1, ~pl.col("label"))])
    area = said(frame, pa.roc_auc("label", "score", weight="weight"))
    state = frame.select(state=pa.roc_state("label", "score", weight="weight", max_bins=16))
    bounds = said(state, pa.roc_auc_bounds(state="state"))
    if area is None:
        assert bounds["lower"] is None
        return
    assert bounds["lower"] <= area <= bounds["upper"]
    exact = said(frame, pa.roc_auc_bounds("label", "score", weight="weight"))
    assert exact == {**exact, "auc": area, "lower": area, "upper": area}


def test_sums_are_decimals_that_other_engines_read(tmp_path: Path) -> None:
    state = WEIGHTED.select(state=pa.roc_state("label", "score", weight="weight"))
    bins = state["state"].item()["bins"]
    assert [(each["pos"], each["neg"]) for each in bins] == [(2, 0), (1, Decimal("0.5")), (Decimal("1.5"), 3)]
    state.write_parquet(tmp_path / "state.parquet")
    read = pl.read_parquet(tmp_path / "state.parquet")
    assert_frame_equal(read, state)
    # Another engine may return fewer decimals.
    fewer = with_bins(read, pos=pl.Decimal(20, 3), neg=pl.Decimal(20, 3))
    assert_frame_equal(fewer.select(pa.merge_states("state")), state)


def test_a_summary_does_not_know_the_interval() -> None:
    summary = said(of_states(WEIGHTED), pa.roc_summary(state="state"))
    assert [summary[name] for name in UNKNOWN] == [None] * 3
    assert (summary["n_pos"], summary["n_neg"]) == (3, 2)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (pa.roc_auc_ci(state="state"), "roc_auc_ci: .*the weight of each row is needed here"),
        (
            pa.mann_whitney_u(state="state"),
            "mann_whitney_u: .*here rows are counted; make states without weight",
        ),
        (pa.roc_band(state="state"), "roc_band: .*here rows are counted"),
        (pa.pack_state("state"), "pack_state: .*bytes hold counts of rows"),
        (
            pa.roc_summary(state="state", ci="bootstrap"),
            "roc_summary: ci 'bootstrap' needs rows, but the states are of rows with weights.*leave ci out",
        ),
    ],
)
def test_what_needs_more_than_sums(answer: pl.Expr, says: str) -> None:
    states = of_states(WEIGHTED).lazy()
    with pytest.raises(pl.exceptions.ComputeError, match=says):
        states.select(answer).collect_schema()
    with pytest.raises(pl.exceptions.ComputeError, match=says):
        states.select(answer).collect()


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        (
            [1e-30, 1.0],
            'roc_state: weight "weight" holds 1e-30, which is too light for a state',
        ),
        ([9e19, 1.0], None),
        ([1e20, 1.0], 'roc_state: weight "weight" adds up to 1e20 or more in a class'),
        ([1e290, 1.0], 'roc_state: weight "weight" adds up to 1e20 or more in a class'),
        ([-1.0, 1.0], 'roc_state: weight "weight" holds -1.0'),
    ],
)
def test_weights_that_cannot_be_added_up(weights: list[float], says: str | None) -> None:
    frame = pl.DataFrame({"label": [1, 0], "score": [2, 1], "weight": weights})
    answer = pa.roc_state("label", "score", weight="weight")
    if says is None:
        assert said(frame.select(state=answer), pa.roc_auc(state="state")) == 1.0
        return
    with pytest.raises(pl.exceptions.ComputeError, match=says):
        frame.select(answer)


def state_with(**changes: Any) -> pl.DataFrame:
    """Return a state with other values in some of its fields, or of those of its first bin."""
    column = WEIGHTED.select(s=pa.roc_state("label", "score", weight="weight"))["s"]
    state = column.to_list()[0]
    for name, value in changes.items():
        (state if name in state else state["bins"][0])[name] = value
    return pl.DataFrame({"s": [state]}, schema={"s": column.dtype})


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"pos": Decimal("-0.5")}, "holds pos -0.5, but a sum of weights is not negative and below 1e20"),
        ({"pos": None}, "holds a bin with a null"),
        ({"pos": Decimal(0)}, "has a bin without a row"),
        ({"n_neg": 0}, "has fewer rows of a class in n_pos or n_neg than bins with rows of it"),
        ({"n_pos": 1}, "has fewer rows of a class in n_pos or n_neg than bins with rows of it"),
        ({"score": float("nan")}, "has a bin whose score is NaN"),
        ({"has_nan": True}, "has both a NaN and bins"),
    ],
)
def test_what_is_no_state(changes: dict[str, Any], says: str) -> None:
    for name, answer in (("roc_auc", pa.roc_auc(state="s")), ("merge_states", pa.merge_states("s"))):
        with pytest.raises(pl.exceptions.ComputeError, match=f'{name}: state "s" {says}'):
            state_with(**changes).select(answer)


def test_sums_do_not_overflow() -> None:
    heavy = state_with(pos=Decimal("9e19"))
    says = 'state "s" has weights of a class in a group that add up to 1e20 or more; make the states anew'
    with pytest.raises(pl.exceptions.ComputeError, match=says):
        pl.concat([heavy] * 2).select(pa.merge_states("s"))


def test_states_with_and_without_weights_have_two_dtypes() -> None:
    with_weights = WEIGHTED.select(s=pa.roc_state("label", "score", weight="weight"))
    without = WEIGHTED.select(s=pa.roc_state("label", "score"))
    assert with_weights.schema != without.schema
    mixed = with_bins(state_with(), neg=pl.UInt64())
    with pytest.raises(pl.exceptions.ComputeError, match="has a field neg of dtype u64"):
        mixed.select(pa.merge_states("s"))


def test_states_batch_by_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polars_auc._frames.group_states._BATCH_ROWS", 700)
    monkeypatch.setattr("polars_auc._frames.partial_states.PART_BYTES", 10_000)
    frame = fixed().with_columns(w=pl.col("g").cast(pl.Float64) / 10 + 0.1)
    for by in ([], ["g"]):
        state = pa.roc_state("label", "score", weight="w")
        rows = frame.lazy()
        expected = (rows.group_by(by).agg(state) if by else rows.select(state)).collect()
        got = pa.group_states(rows, "label", "score", by=by, weight="w").collect()
        assert_frame_equal(got, expected.sort(by, nulls_last=True) if by else expected, check_exact=True)
    with pytest.raises(ValueError, match="group_states: weight and count cannot both be given"):
        pa.group_states(frame, "label", "score", weight="w", count="g")


DATA = Path(__file__).parents[3] / "data"


def test_states_of_days_give_the_report_of_their_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Weights with few binary digits, so that every number is the same to the last bit.
    rows = pl.scan_parquet(DATA / "*.parquet").select("label", "forest", "segment").collect()
    rows = rows.with_columns(w=pl.int_range(pl.len()) % 8 / 4 + 0.25, day=pl.int_range(pl.len()) % 3)
    scored = ["--label", "label", "--score", "forest", "--by", "segment", "--weight", "w"]
    for [day], part in rows.partition_by("day", as_dict=True).items():
        part.write_parquet(tmp_path / f"rows{day}.parquet")
        files = [str(tmp_path / f"rows{day}.parquet"), "-o", str(tmp_path / f"day{day}.parquet")]
        assert main(["state", *files, *scored]) == 0
    days = str(tmp_path / "day*.parquet")
    assert main(["merge", days, "--by", "segment", "-o", str(tmp_path / "month.parquet")]) == 0
    reports = {
        "rows": [str(tmp_path / "rows*.parquet"), *scored],
        "days": [days, "--from-states", "--by", "segment"],
        "month": [str(tmp_path / "month.parquet"), "--from-states", "--by", "segment"],
    }
    for name, asked in reports.items():
        assert main(["report", *asked, "-o", str(tmp_path / f"report of {name}.parquet")]) == 0
        assert main(["report", *asked, "-o", str(tmp_path / f"{name}.html")]) == 0
    expected = pl.read_parquet(tmp_path / "report of rows.parquet")
    for name in ("days", "month"):
        got = pl.read_parquet(tmp_path / f"report of {name}.parquet")
        assert_report_of_rows(got.drop(UNKNOWN), expected.drop(UNKNOWN))
        assert got.select(pl.all_horizontal(pl.col(UNKNOWN).is_null().all())).item()
        assert got.select(pl.col("auc").is_between("auc_min", "auc_max").all()).item()
        page = (tmp_path / f"{name}.html").read_text(encoding="utf-8")
        assert "states; those of forest are of rows with weights, and have no intervals" in page
        # Where the reasons of other groups without an interval are.
        groups = got.filter(scope="group").height
        assert f"With an AUC and no interval: {groups}" in page
        assert page.count("a state of rows with weights holds their sums") == groups
    assert "forest: states of rows with weights have no intervals" in capsys.readouterr().err
    both = ["state", reports["rows"][0], *scored, "--count", "day", "-o", str(tmp_path / "no.parquet")]
    assert main(both) == 2
    assert "--weight and --count cannot both be given" in capsys.readouterr().err
