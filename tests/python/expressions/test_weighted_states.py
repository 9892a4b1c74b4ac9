"""States of weighted rows: sums of weights, merged exactly, with the results of their rows."""

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
from laws.test_weights import FRAME, MEASURES, value_of, weighted
from polars_auc._commands.main import main

WEIGHTED = FRAME.with_columns(weight=pl.Series([2.0, 0.5, 1.5, 1.0, 3.0]))
INTERVAL = ("se", "lower", "upper", "gini_lower", "gini_upper")
"""Fields that need squared weights."""

any_weights = st.one_of(st.floats(1e-6, 1e6), st.floats(1e-15, 1e15), st.sampled_from([0.0, 1.0, None]))
"""Weights that keep some digits in a state."""


def without_interval(answer: Any) -> Any:
    """Remove the fields of a summary that depend on squared weights, which are rounded."""
    if isinstance(answer, dict) and "prevalence" in answer:
        return {name: value for name, value in answer.items() if name not in (*INTERVAL, "n_unlabelled")}
    return answer


def to_states(frame: pl.DataFrame) -> pl.DataFrame:
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


STATE_ENTRIES = [
    (measure, options)
    for measure, options in MEASURES
    if "state" in inspect.signature(measure).parameters and "n_resamples" not in options
]
measures = pytest.mark.parametrize(
    ("measure", "options"), STATE_ENTRIES, ids=lambda it: getattr(it, "__name__", it)
)


@measures
@given(frame=weighted(st.sampled_from([0.0, 1.0, 2.5, 3.0, 2.0**20, 2.0**-18, None]), scores_with_nan))
@examples(30)
def test_states_of_short_weights_answer_as_their_rows(
    measure: Any, options: dict[str, Any], frame: pl.DataFrame
) -> None:
    expected = frame.select(measure("label", "score", weight="weight", **options).alias("out"))
    states = (
        to_states(frame)
        if frame.height
        else frame.select(state=pa.roc_state("label", "score", weight="weight"))
    )
    got = states.lazy().select(measure(state="state", **options).alias("out"))
    assert got.collect_schema() == expected.schema
    from_states, from_rows = got.collect()["out"].item(), expected["out"].item()
    assert repr(without_interval(from_states)) == repr(without_interval(from_rows))


INTERVALS: list[tuple[Any, dict[str, Any]]] = [
    *((pa.roc_auc_ci, options) for options in ({}, {"method": "logit", "level": 0.8})),
    (pa.roc_auc_ci, {"alternative": "greater", "null": 0.4}),
    *((pa.roc_summary, {"ci": ci}) for ci in ("delong", "logit")),
]


@pytest.mark.parametrize(("measure", "options"), INTERVALS, ids=lambda it: getattr(it, "__name__", it))
@given(frame=weighted(st.sampled_from([0.0, 1.0, 2.5, 3.0, 2.0**12, 2.0**-9, None]), scores_with_nan))
@examples(60)
def test_intervals_of_short_weights_are_those_of_the_rows(
    measure: Any, options: dict[str, Any], frame: pl.DataFrame
) -> None:
    expected = frame.select(measure("label", "score", weight="weight", **options).alias("out"))
    # A state does not have the number of unlabelled rows.
    wanted = {**expected["out"].item()}
    wanted |= {"n_unlabelled": None} if "n_unlabelled" in wanted else {}
    states = frame.select(state=pa.roc_state("label", "score", weight="weight"))
    if frame.height:
        states = to_states(frame)
        # Merged in advance, or evaluated directly.
        merged = states.select(pa.merge_states("state")).select(measure(state="state", **options))
        assert repr(merged.to_series().item()) == repr(wanted)
    got = states.lazy().select(measure(state="state", **options).alias("out"))
    assert got.collect_schema() == expected.schema
    assert repr(got.collect()["out"].item()) == repr(wanted)


@given(frame=weighted(st.floats(1e-3, 1e6), st.integers(0, 9).map(float)))
@examples(200)
def test_intervals_of_any_weights(frame: pl.DataFrame) -> None:
    states = frame.select(state=pa.roc_state("label", "score", weight="weight"))
    got = value_of(states, pa.roc_auc_ci(state="state"))
    expected = value_of(frame, pa.roc_auc_ci("label", "score", weight="weight"))
    assert (got["se"] is None) == (expected["se"] is None)
    if got["se"] is None:
        return
    # Squares are rounded by half of 1e-18 each, and shares of a class like areas. A share is squared in the
    # variance of each class, and again in the area: eight times in total. Sums of floats add the rest.
    squares = frame.drop_nulls().group_by("label").agg(off=pl.len() * 5e-19 / pl.col("weight").sum() ** 2)
    off = float(squares["off"].sum()) + 8 * rounding(frame.drop_nulls())
    assert abs(got["se"] ** 2 - expected["se"] ** 2) <= off + 1e-14 * expected["se"] ** 2 + 1e-30


@given(frame=weighted(st.sampled_from([1.0, 0.5, 3.25]), st.floats(-3, 3)))
@examples(60)
def test_intervals_of_small_states_are_those_of_rows_that_tie_in_a_bin(frame: pl.DataFrame) -> None:
    frame = pl.concat([frame, frame.with_columns(pl.col("score") * 1.1, ~pl.col("label"))])
    state = frame.select(state=pa.roc_state("label", "score", weight="weight", max_bins=16))
    if not frame.height:
        return
    starts = state["state"].struct.field("bins").explode().struct.field("score").sort()
    tied = frame.sort("score").join_asof(starts.alias("bin").to_frame(), left_on="score", right_on="bin")
    expected = value_of(tied, pa.roc_auc_ci("label", "bin", weight="weight"))
    assert repr(value_of(state, pa.roc_auc_ci(state="state"))) == repr(expected)


def rounding(used: pl.DataFrame) -> float:
    """Return the error bound of an area by rounded weights: each to 1e-18, and to 2^-60 of its class."""
    classes = used.group_by("label").agg(off=pl.len() * (2.0**-58 + 1e-18 / pl.col("weight").sum()))
    return float(classes["off"].sum())


@given(frame=weighted(any_weights, st.integers(0, 9).map(float)))
@examples(200)
def test_states_of_any_weights(frame: pl.DataFrame) -> None:
    states = frame.select(state=pa.roc_state("label", "score", weight="weight"))
    used = frame.drop_nulls().filter(pl.col("weight") > 0)
    got = value_of(states, pa.roc_auc(state="state"))
    expected = value_of(frame, pa.roc_auc("label", "score", weight="weight"))
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
    area = value_of(frame, pa.roc_auc("label", "score", weight="weight"))
    state = frame.select(state=pa.roc_state("label", "score", weight="weight", max_bins=16))
    bounds = value_of(state, pa.roc_auc_bounds(state="state"))
    if area is None:
        assert bounds["lower"] is None
        return
    assert bounds["lower"] <= area <= bounds["upper"]
    exact = value_of(frame, pa.roc_auc_bounds("label", "score", weight="weight"))
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


def without_squares(states: pl.DataFrame) -> pl.DataFrame:
    """Return states of the earlier format without squared weights."""
    fields = ("score", "pos", "neg", "tied")
    bins = pl.col("state").struct.field("bins")
    fewer = bins.list.eval(pl.struct(pl.element().struct.field(field) for field in fields))
    return states.select(pl.col("state").struct.with_fields(fewer.alias("bins")))


def squares_of(states: pl.DataFrame) -> list[tuple[Any, Any]]:
    """Return the squared weights of each bin of the merged states."""
    bins = states.select(pa.merge_states("state"))["state"].item()["bins"]
    return [(each["pos_squares"], each["neg_squares"]) for each in bins]


def test_states_without_squares_have_no_intervals() -> None:
    states = to_states(WEIGHTED)
    assert squares_of(states) == [(4, 0), (1, Decimal("0.25")), (Decimal("2.25"), 9)]
    earlier = without_squares(states)
    assert earlier.schema != states.schema
    assert squares_of(earlier) == [(None, 0), (None, None), (None, None)]
    summary = value_of(earlier, pa.roc_summary(state="state"))
    assert [summary[name] for name in INTERVAL] == [None] * len(INTERVAL)
    assert {**summary, **dict.fromkeys(INTERVAL)} == {
        **value_of(states, pa.roc_summary(state="state")),
        **dict.fromkeys(INTERVAL),
    }
    # One such state makes only the dependent results undefined.
    both = pl.concat([earlier.head(1), states.tail(1)], how="diagonal_relaxed")
    assert squares_of(both) == [(None, 0), (1, Decimal("0.25")), (None, None)]
    assert value_of(both, pa.roc_auc_ci(state="state"))["se"] is None
    assert value_of(states, pa.roc_auc_ci(state="state"))["se"] > 0


@pytest.mark.parametrize(
    ("weights", "squares", "is_defined"),
    [
        # A light row among heavy ones does not matter.
        ([1.0, 1e-10, 1.0, 1.0], [1, 0, 1, 1], True),
        ([1e-8, 2e-8, 1.0, 1.0], [Decimal("1e-16"), Decimal("4e-16"), 1, 1], False),
        ([1.0, 1.0, 1e10, 1.0], [1, 1, None, 1], False),
        # Together they are too heavy.
        ([9e9, 9e9, 1.0, 1.0], [Decimal("8.1e19"), Decimal("8.1e19"), 1, 1], False),
    ],
)
def test_squares_that_do_not_fit(weights: list[float], squares: list[Any], is_defined: bool) -> None:
    columns = {"label": [1, 1, 0, 0], "score": [4, 2, 3, 1], "weight": weights}
    frame = pl.DataFrame(columns).sort("score", descending=True)
    states = frame.select(state=pa.roc_state("label", "score", weight="weight"))
    got = dict(zip([4, 3, 2, 1], squares_of(states), strict=True))
    assert [got[score][place] for score, place in ((4, 0), (2, 0), (3, 1), (1, 1))] == squares
    area, from_rows = (
        value_of(states, pa.roc_auc_ci(state="state")),
        pa.roc_auc_ci("label", "score", weight="weight"),
    )
    assert (area["se"] is not None) == is_defined
    # The area is defined without squares, and so is its interval if weights are scaled.
    assert area["auc"] == pytest.approx(value_of(frame, from_rows)["auc"], abs=1e-15)
    other = frame.with_columns(pl.col("weight") * (2.0**20 if min(weights) < 1 else 2.0**-20))
    moved = value_of(
        other.select(state=pa.roc_state("label", "score", weight="weight")), pa.roc_auc_ci(state="state")
    )
    assert moved["se"] == pytest.approx(value_of(frame, from_rows)["se"], rel=1e-6)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            pa.roc_auc_ci(state="state", method="bootstrap"),
            "roc_auc_ci: method 'bootstrap' does not support weights, but the states have weights",
        ),
        (
            pa.mann_whitney_u(state="state"),
            "mann_whitney_u: .*is of weighted rows, expected states without weights",
        ),
        (pa.roc_band(state="state"), "roc_band: .*is of weighted rows"),
        (
            pa.roc_summary(state="state", ci="bootstrap"),
            "roc_summary: ci 'bootstrap' does not support weights, but the states have weights. Hint: "
            'write ci="wilson", ci="delong" or ci="logit"',
        ),
    ],
)
def test_what_needs_more_than_sums(answer: pl.Expr, message: str) -> None:
    states = to_states(WEIGHTED).lazy()
    with pytest.raises(pl.exceptions.ComputeError, match=message):
        states.select(answer).collect_schema()
    with pytest.raises(pl.exceptions.ComputeError, match=message):
        states.select(answer).collect()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (
            [1e-30, 1.0],
            'roc_state: weight "weight" contains 1e-30, which is too light for a state',
        ),
        ([9e19, 1.0], None),
        ([1e20, 1.0], 'roc_state: weight "weight" adds up to 1e20 or more in a class'),
        ([1e290, 1.0], 'roc_state: weight "weight" adds up to 1e20 or more in a class'),
        ([-1.0, 1.0], 'roc_state: weight "weight" contains -1.0'),
    ],
)
def test_weights_that_cannot_be_added_up(weights: list[float], message: str | None) -> None:
    frame = pl.DataFrame({"label": [1, 0], "score": [2, 1], "weight": weights})
    answer = pa.roc_state("label", "score", weight="weight")
    if message is None:
        assert value_of(frame.select(state=answer), pa.roc_auc(state="state")) == 1.0
        return
    with pytest.raises(pl.exceptions.ComputeError, match=message):
        frame.select(answer)


def state_with(**changes: Any) -> pl.DataFrame:
    """Return a state with other values in some of its fields, or in fields of its first bin."""
    column = WEIGHTED.select(s=pa.roc_state("label", "score", weight="weight"))["s"]
    state = column.to_list()[0]
    for name, value in changes.items():
        (state if name in state else state["bins"][0])[name] = value
    return pl.DataFrame({"s": [state]}, schema={"s": column.dtype})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pos": Decimal("-0.5")}, "contains pos -0.5, expected a sum of weights from 0 to below 1e20"),
        ({"pos": None}, "contains a bin with a null"),
        (
            {"pos_squares": Decimal("-1")},
            "contains pos_squares -1, expected a sum of squared weights from 0 to below 1e20",
        ),
        (
            {"pos_squares": Decimal("4.1")},
            "has a bin whose squared weights add up to more than the square of",
        ),
        ({"pos": Decimal(0), "pos_squares": Decimal(0)}, "has a bin without a row"),
        (
            {"neg_squares": Decimal("1e-18")},
            "has a bin whose squared weights add up to more than the square of",
        ),
        ({"n_neg": 0}, "has fewer rows of a class in n_pos or n_neg than bins with rows of it"),
        ({"n_pos": 1}, "has fewer rows of a class in n_pos or n_neg than bins with rows of it"),
        ({"score": float("nan")}, "has a bin whose score is NaN"),
        ({"has_nan": True}, "has both a NaN and bins"),
    ],
)
def test_what_is_no_state(changes: dict[str, Any], message: str) -> None:
    for name, answer in (("roc_auc", pa.roc_auc(state="s")), ("merge_states", pa.merge_states("s"))):
        with pytest.raises(pl.exceptions.ComputeError, match=f'{name}: state "s" {message}'):
            state_with(**changes).select(answer)


def test_sums_do_not_overflow() -> None:
    heavy = state_with(pos=Decimal("9e19"), pos_squares=None)
    message = (
        'state "s" has weights of a class in a group that add up to 1e20 or more. Hint: make the states anew'
    )
    with pytest.raises(pl.exceptions.ComputeError, match=message):
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
    with pytest.raises(ValueError, match="group_states: weight and count are mutually exclusive"):
        pa.group_states(frame, "label", "score", weight="w", count="g")


DATA = Path(__file__).parents[3] / "data"


def test_states_of_days_give_the_report_of_their_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Weights with few binary digits, so that every number is equal bit for bit.
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
    for name, options in reports.items():
        assert main(["report", *options, "-o", str(tmp_path / f"report of {name}.parquet")]) == 0
        assert main(["report", *options, "-o", str(tmp_path / f"{name}.html")]) == 0
    expected = pl.read_parquet(tmp_path / "report of rows.parquet")
    for name in ("days", "month"):
        got = pl.read_parquet(tmp_path / f"report of {name}.parquet")
        assert_report_of_rows(got, expected)
        assert got["se"].null_count() < got.height
        assert got.select(pl.col("auc").is_between("auc_min", "auc_max").all()).item()
        page = (tmp_path / f"{name}.html").read_text(encoding="utf-8")
        assert "states; the states of forest are of weighted rows" in page
        assert "the squares of the weights" not in page
    assert "the squares of the weights" not in capsys.readouterr().err
    # States of the earlier format without squares.
    month = pl.read_parquet(tmp_path / "month.parquet")
    earlier = without_squares(month.select(state="forest")).to_series().alias("forest")
    month.with_columns(earlier).write_parquet(tmp_path / "earlier.parquet")
    options = [str(tmp_path / "earlier.parquet"), "--from-states", "--by", "segment"]
    assert main(["report", *options, "-o", str(tmp_path / "report of earlier.parquet")]) == 0
    groups = expected.filter(scope="group").height
    message = "the squares of the weights in the states of forest are unknown or too small"
    assert f"{expected.height} rows of the report without an interval: {message}" in capsys.readouterr().err
    got = pl.read_parquet(tmp_path / "report of earlier.parquet")
    assert_report_of_rows(got.drop(INTERVAL), expected.drop(INTERVAL))
    assert got.select(pl.all_horizontal(pl.col(INTERVAL).is_null().all())).item()
    assert main(["report", *options, "-o", str(tmp_path / "earlier.html")]) == 0
    page = (tmp_path / "earlier.html").read_text(encoding="utf-8")
    # The column with reasons of other groups without an interval.
    assert f"With an AUC and no interval: {groups}" in page
    assert page.count("the squares of the weights in the state are unknown or too small") == groups
    both = ["state", reports["rows"][0], *scored, "--count", "day", "-o", str(tmp_path / "no.parquet")]
    assert main(both) == 2
    assert "--weight and --count are mutually exclusive" in capsys.readouterr().err
