"""Rows without a label: what the AUC can be, and is expected to be."""

from __future__ import annotations

import itertools
import math
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polars_auc as pa
from catalogue.cases import examples, fixed

ROWS = st.lists(st.tuples(st.sampled_from([0, 1, None]), st.integers(0, 6).map(lambda n: n / 6)), max_size=9)


def frame_of(rows: list[tuple[int | None, float]]) -> pl.DataFrame:
    return pl.DataFrame(rows, {"y": pl.Int64, "p": pl.Float64}, orient="row")


def asked(frame: pl.DataFrame, **options: Any) -> dict[str, Any]:
    answer: dict[str, Any] = frame.select(pa.unlabelled_roc_auc("y", "p", **options)).item()
    return answer


@given(rows=ROWS)
@examples(120)
def test_every_way_to_label(rows: list[tuple[int | None, float]]) -> None:
    answer = asked(frame_of(rows))
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
    answer = asked(frame_of(rows), assume="calibrated")
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
    answer = asked(late, assume="calibrated")
    assert answer["corrected_auc"] == pytest.approx(answer["expected_auc"], abs=1e-12)
    logit = (pl.col("p") / (1 - pl.col("p"))).log()
    too_high = late.with_columns(p=1 / (1 + (-(logit + 1.5)).exp()))
    moved = asked(too_high, assume="calibrated")
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
        own = by_group.filter(pl.col("key").eq_missing(key))["score"].item()
        assert own == rows.select(pa.unlabelled_roc_auc("y", "score")).item()
    over = frame.select(pa.unlabelled_roc_auc("y", "score").over("key"))
    assert over.height == frame.height
    shuffled = frame.sample(fraction=1, shuffle=True, seed=5)
    assert shuffled.select(pa.unlabelled_roc_auc("y", "score")).equals(expected)


def test_no_labels_at_all_and_counts() -> None:
    none = pl.DataFrame({"y": [None, None], "p": [0.2, 0.7]})
    answer = asked(none, assume="calibrated")
    assert (answer["auc"], answer["lower"], answer["upper"], answer["n_unlabelled"]) == (None, 0.0, 1.0, 2)
    assert answer["corrected_auc"] is None
    assert answer["expected_auc"] == pytest.approx(0.56 / 0.62)
    counted = pl.DataFrame({"y": [1, 0, None], "p": [0.7, 0.2, 0.5], "n": [2, 3, 2]})
    repeated = counted.select(pl.col("y", "p").repeat_by("n").explode())
    assert asked(counted, count="n") == asked(repeated)
    assert asked(none.head(0))["n_unlabelled"] == 0


def test_nan_and_scores_that_are_no_probabilities() -> None:
    frame = pl.DataFrame({"y": [1, 0, None], "p": [2.0, 0.2, 0.5]})
    answer = asked(frame, assume="calibrated")
    assert math.isnan(answer["expected_auc"])
    assert math.isnan(answer["corrected_auc"])
    assert (answer["auc"], answer["lower"], answer["upper"]) == (1.0, 1.0, 1.0)
    nan = asked(frame.with_columns(p=pl.Series([math.nan, 0.2, 0.5])))
    assert math.isnan(nan["upper"])
    assert (nan["expected_auc"], nan["n_pos"], nan["n_unlabelled"]) == (None, 1, 1)


def test_what_is_refused() -> None:
    with pytest.raises(
        ValueError, match="unlabelled_roc_auc: assume must be one of 'calibrated', None, got 'random'"
    ):
        pa.unlabelled_roc_auc("y", "p", assume="random")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unlabelled_roc_auc: label must be a column name or an expression"):
        pa.unlabelled_roc_auc([1, 0], "p")  # type: ignore[arg-type]
    # What it says to write has the columns of the function, and no others.
    with pytest.raises(TypeError, match=r'score must be .*select.unlabelled_roc_auc\("label", "score"\)'):
        pa.unlabelled_roc_auc("y", None)  # type: ignore[arg-type]
    frame = pl.DataFrame({"y": ["a", None], "p": [0.1, 0.2]})
    with pytest.raises(pl.exceptions.ComputeError, match='label "y" has dtype str, but a label is Boolean'):
        frame.select(pa.unlabelled_roc_auc("y", "p"))
    with pytest.raises(pl.exceptions.ComputeError, match=r"label .* holds 2"):
        frame.with_columns(y=pl.Series([2, None])).select(pa.unlabelled_roc_auc("y", "p"))
