"""Unlabelled rows: bounds and estimates of the AUC."""

from __future__ import annotations

import itertools
import math
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polars_auc as pa
from catalogue.cases import examples, fixed
from polars_auc._commands.main import main

ROWS = st.lists(st.tuples(st.sampled_from([0, 1, None]), st.integers(0, 6).map(lambda n: n / 6)), max_size=9)


def frame_of(rows: list[tuple[int | None, float]]) -> pl.DataFrame:
    return pl.DataFrame(rows, {"y": pl.Int64, "p": pl.Float64}, orient="row")


def numbers(frame: pl.DataFrame, **options: Any) -> dict[str, Any]:
    answer: dict[str, Any] = frame.select(pa.unlabelled_roc_auc("y", "p", **options)).item()
    return answer


@given(rows=ROWS)
@examples(120)
def test_every_way_to_label(rows: list[tuple[int | None, float]]) -> None:
    answer = numbers(frame_of(rows))
    unlabelled = [place for place, (label, _) in enumerate(rows) if label is None]
    areas = []
    for labels in itertools.product([0, 1], repeat=len(unlabelled)):
        labelled = list(rows)
        for place, label in zip(unlabelled, labels, strict=True):
            labelled[place] = (label, rows[place][1])
        area = frame_of(labelled).select(pa.roc_auc("y", "p")).item()
        areas += [] if area is None else [area]
    assert (answer["lower"], answer["upper"]) == ((min(areas), max(areas)) if areas else (None, None))
    assert answer["auc"] == frame_of(rows).select(pa.roc_auc("y", "p")).item()
    counts = [sum(label is value for label, _ in rows) for value in (1, 0, None)]
    assert [answer["n_pos"], answer["n_neg"], answer["n_unlabelled"]] == counts
    assert answer["expected_auc"] is answer["corrected_auc"] is None


@given(rows=ROWS)
@examples(80)
def test_the_expected_area_is_that_of_all_pairs(rows: list[tuple[int | None, float]]) -> None:
    answer = numbers(frame_of(rows), assume="calibrated")
    in_order = pairs = 0.0
    for (one, p), (other, q) in itertools.permutations(rows, 2):
        both = (p if one is None else one) * (1 - (q if other is None else other))
        in_order += both * ((p > q) + (p >= q)) / 2
        pairs += both
    if answer["expected_auc"] is None:
        assert pairs < 1e-12
    else:
        assert answer["expected_auc"] == pytest.approx(in_order / pairs, abs=1e-12)


def test_scores_that_are_calibrated_need_no_correction() -> None:
    frame = pl.DataFrame({"p": [0.2] * 10 + [0.6] * 10, "y": [1] * 2 + [0] * 8 + [1] * 6 + [0] * 4})
    late = frame.vstack(
        pl.DataFrame({"p": [0.2, 0.6, 0.9], "y": [None] * 3}, schema_overrides={"y": pl.Int64})
    )
    answer = numbers(late, assume="calibrated")
    assert answer["corrected_auc"] == pytest.approx(answer["expected_auc"], abs=1e-12)
    logit = (pl.col("p") / (1 - pl.col("p"))).log()
    too_high = late.with_columns(p=1 / (1 + (-(logit + 1.5)).exp()))
    moved = numbers(too_high, assume="calibrated")
    assert moved["corrected_auc"] == pytest.approx(answer["expected_auc"], abs=1e-10)
    assert abs(moved["expected_auc"] - answer["expected_auc"]) > 1e-3


def test_labels_of_any_dtype_and_in_any_context() -> None:
    frame = fixed(3000).with_columns(y=pl.when(pl.col("g") % 3 > 0).then(pl.col("label").cast(pl.Int8)))
    expected = frame.select(pa.unlabelled_roc_auc("y", "score"))
    assert expected.item()["n_unlabelled"] > 500
    for dtype in (pl.Boolean, pl.Float32, pl.UInt64):
        assert frame.select(pa.unlabelled_roc_auc(pl.col("y").cast(dtype), "score")).equals(expected)
    lazy = frame.lazy().select(pa.unlabelled_roc_auc("y", "score"))
    assert lazy.collect_schema() == expected.schema
    assert lazy.collect(engine="streaming").equals(expected)
    by_group = frame.group_by("key").agg(pa.unlabelled_roc_auc("y", "score")).sort("key", nulls_last=True)
    for (key,), rows in frame.group_by("key"):
        group_score = by_group.filter(pl.col("key").eq_missing(key))["score"].item()
        assert group_score == rows.select(pa.unlabelled_roc_auc("y", "score")).item()
    over = frame.select(pa.unlabelled_roc_auc("y", "score").over("key"))
    assert over.height == frame.height
    shuffled = frame.sample(fraction=1, shuffle=True, seed=5)
    assert shuffled.select(pa.unlabelled_roc_auc("y", "score")).equals(expected)


def test_no_labels_at_all_and_counts() -> None:
    none = pl.DataFrame({"y": [None, None], "p": [0.2, 0.7]})
    answer = numbers(none, assume="calibrated")
    assert (answer["auc"], answer["lower"], answer["upper"], answer["n_unlabelled"]) == (None, 0.0, 1.0, 2)
    assert answer["corrected_auc"] is None
    assert answer["expected_auc"] == pytest.approx(0.56 / 0.62)
    counted = pl.DataFrame({"y": [1, 0, None], "p": [0.7, 0.2, 0.5], "n": [2, 3, 2]})
    repeated = counted.select(pl.col("y", "p").repeat_by("n").explode())
    assert numbers(counted, count="n") == numbers(repeated)
    assert numbers(none.head(0))["n_unlabelled"] == 0


def test_nan_and_scores_that_are_no_probabilities() -> None:
    frame = pl.DataFrame({"y": [1, 0, None], "p": [2.0, 0.2, 0.5]})
    answer = numbers(frame, assume="calibrated")
    assert math.isnan(answer["expected_auc"])
    assert math.isnan(answer["corrected_auc"])
    assert (answer["auc"], answer["lower"], answer["upper"]) == (1.0, 1.0, 1.0)
    nan = numbers(frame.with_columns(p=pl.Series([math.nan, 0.2, 0.5])))
    assert math.isnan(nan["upper"])
    assert (nan["expected_auc"], nan["n_pos"], nan["n_unlabelled"]) == (None, 1, 1)


def test_what_is_refused() -> None:
    with pytest.raises(
        ValueError, match="unlabelled_roc_auc: assume must be one of 'calibrated', None, got 'random'"
    ):
        pa.unlabelled_roc_auc("y", "p", assume="random")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unlabelled_roc_auc: label must be a column name or an expression"):
        pa.unlabelled_roc_auc([1, 0], "p")  # type: ignore[arg-type]
    # The hint has the columns of the function, and no others.
    with pytest.raises(TypeError, match=r'score must be .*select.unlabelled_roc_auc\("label", "score"\)'):
        pa.unlabelled_roc_auc("y", None)  # type: ignore[arg-type]
    frame = pl.DataFrame({"y": ["a", None], "p": [0.1, 0.2]})
    with pytest.raises(pl.exceptions.ComputeError, match='label "y" has dtype str, expected Booleans'):
        frame.select(pa.unlabelled_roc_auc("y", "p"))
    with pytest.raises(pl.exceptions.ComputeError, match=r"label .* contains 2"):
        frame.with_columns(y=pl.Series([2, None])).select(pa.unlabelled_roc_auc("y", "p"))


@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(["a", "b"]),
            st.sampled_from([0, 1, None]),
            st.sampled_from([0.1, 0.5, 0.9, None]),
            st.sampled_from([0, 1, 3, None]),
        ),
        max_size=80,
    )
)
@examples(60)
def test_a_summary_counts_the_rows_that_lack_their_label_alone(rows: list[tuple[Any, ...]]) -> None:
    schema = {"g": pl.String, "y": pl.Int8, "p": pl.Float64, "n": pl.Int64}
    frame = pl.DataFrame(rows, schema, orient="row")
    expressions = [
        pa.roc_summary("y", "p").alias("rows"),
        pa.roc_summary("y", "p", count="n").alias("counts"),
        pa.roc_summary("y", "p", weight="n").alias("weights"),
    ]
    table = frame.group_by("g", maintain_order=True).agg(expressions)
    for group, *answers in table.iter_rows():
        alone = [n for g, y, p, n in rows if g == group and y is None and p is not None]
        expected = [len(alone), sum(n or 0 for n in alone), sum(1 for n in alone if n)]
        assert [answer["n_unlabelled"] for answer in answers] == expected
        assert all(answer["n_unlabelled"] <= answer["n_missing"] for answer in answers)
    areas = frame.group_by("g", maintain_order=True).agg(pa.unlabelled_roc_auc("y", "p").alias("rows"))
    unlabelled = pl.col("rows").struct.field("n_unlabelled")
    assert areas.select(unlabelled).equals(table.select(unlabelled))


def test_unlabelled_rows_of_many_and_of_nan() -> None:
    many = pl.DataFrame({"i": range(200_001)}).select(
        y=pl.when(pl.col("i") % 7 != 3).then(pl.col("i") % 2 == 0),
        p=pl.when(pl.col("i") % 5 != 0).then(pl.col("i") * 7919 % 10_007),
    )
    expected = many.filter(pl.col("y").is_null() & pl.col("p").is_not_null()).height
    for frame in (many, many.with_columns(pl.col("p").cast(pl.Float64) + float("nan"))):
        for rows in (frame, frame.slice(3).vstack(frame.head(3)), pl.concat([frame.head(9), frame.slice(9)])):
            assert rows.select(pa.roc_summary("y", "p")).unnest("p")["n_unlabelled"].item() == expected
    state = many.select(state=pa.roc_state("y", "p"))
    assert state.select(pa.roc_summary(state="state")).unnest("state")["n_unlabelled"].item() is None
    assert pa.evaluate([1, 0, None, None], [3, 2, 1, None]).n_unlabelled == 1


def test_unlabelled_rows_of_a_report(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A row with a null cluster or a missing score is missing, not just unlabelled."""
    frame = pl.DataFrame(
        {
            "y": [1, 0, 1, 0, None, None, None, None, 1],
            "p": [0.9, 0.8, 0.7, 0.2, 0.5, 0.4, None, float("nan"), 0.3],
            "q": [9, 8, 7, 6, None, 4, 3, 2, 1],
            "c": [1, 2, 3, 4, 5, None, 7, 8, None],
        }
    )
    report = partial(pa.report, frame, "y", ["p", "q"])
    assert report()["n_unlabelled"].to_list() == [3, 3]
    assert report(nan="skip")["n_unlabelled"].to_list() == [2, 3]
    assert report(cluster="c")["n_unlabelled"].to_list() == [2, 2]
    assert report(cluster="c")["n_missing"].to_list() == [5, 5]
    bounded = report(memory="bounded")
    assert bounded["n_unlabelled"].is_null().all()
    frame.write_parquet(tmp_path / "rows.parquet")
    arguments = ["report", str(tmp_path / "rows.parquet"), "--label", "y", "--score", "q"]
    assert main([*arguments, "--fail-if", "n_unlabelled > 0.5 * n"]) == 1
    output = capsys.readouterr()
    assert "q: 4 rows skipped for a missing label or score; 3 of them only for the label" in output.err


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["a", "b"]), pl.String, pl.Binary])
def test_a_label_of_another_dtype_is_refused_in_words(dtype: Any) -> None:
    frame = pl.DataFrame({"y": pl.Series(["a", None, "b"]).cast(dtype), "p": [0.1, 0.2, 0.3]})
    with pytest.raises(pl.exceptions.ComputeError, match='unlabelled_roc_auc: label "y" has dtype'):
        numbers(frame)


def test_a_label_that_is_always_null() -> None:
    frame = pl.DataFrame({"y": pl.Series([None, None], dtype=pl.Boolean), "p": [0.25, 0.5]})
    for labelled in (frame, frame.with_columns(pl.col("y").cast(pl.Float64)), frame.with_columns(y=None)):
        answer = numbers(labelled, assume="calibrated")
        assert (answer["lower"], answer["upper"], answer["n_unlabelled"]) == (0.0, 1.0, 2)


def test_extreme_scores_that_separate_the_labelled_rows() -> None:
    """Compute the root and the area with 60 digits."""
    labels, scores = [1, 0, 0, None, None, None], [1 - 1e-13, 1e-20, 1e-20, 0.01, 0.5, 0.001]
    answer = numbers(pl.DataFrame({"y": labels, "p": scores}), assume="calibrated")
    assert answer["corrected_auc"] == pytest.approx(0.9963918001731016, abs=1e-12)
