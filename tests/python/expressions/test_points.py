"""Thresholds in the dtype of the scores, thinned curves, and curves as tables."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polars_auc as pa
from catalogue.cases import examples, frames
from goldens.rows import answer

FRAME = pl.DataFrame(
    {"g": ["a", "a", "a", "b", "b"], "label": [1, 0, 1, 1, 0], "score": [3.0, 2.0, 1.0, 2.0, 1.0]}
)


@given(frame=frames(), most=st.integers(2, 12))
@examples(150)
def test_errors_of_a_thinned_curve_bound_it(frame: pl.DataFrame, most: int) -> None:
    whole = answer(frame, pa.roc_curve("label", "score"))
    thin = answer(frame, pa.roc_curve("label", "score", max_points=most))
    assert (thin is None) == (whole is None)
    if thin is None:
        return
    assert len(thin) == min(len(whole), most)
    area = sum((b["fpr"] - a["fpr"]) * (a["tpr"] + b["tpr"]) / 2 for a, b in itertools.pairwise(thin))
    allowed = sum((b["fpr"] - a["fpr"]) * b["error"] for a, b in itertools.pairwise(thin))
    assert abs(area - answer(frame, pa.roc_auc("label", "score"))) <= allowed + 1e-12
    for a, b in itertools.pairwise(thin):
        for point in whole:
            if a["fpr"] < point["fpr"] < b["fpr"]:
                line = a["tpr"] + (b["tpr"] - a["tpr"]) * (point["fpr"] - a["fpr"]) / (b["fpr"] - a["fpr"])
                assert abs(point["tpr"] - line) <= b["error"] + 1e-12


def test_errors_of_a_thinned_curve_of_many_rows_bound_it() -> None:
    rng = np.random.default_rng(1)
    label = rng.random(200_000) < 0.3
    frame = pl.DataFrame({"label": label, "score": rng.normal(size=200_000) + label})
    thin = answer(frame, pa.roc_curve("label", "score", max_points=12))
    whole = frame.select(pa.roc_curve("label", "score").explode()).to_series().struct.unnest()
    line = np.interp(whole["fpr"], [point["fpr"] for point in thin], [point["tpr"] for point in thin])
    ends = np.searchsorted([point["fpr"] for point in thin], whole["fpr"].to_numpy())
    allowed = np.array([point["error"] for point in thin])[ends]
    assert len(thin) == 12
    # Twelve points selected from all scores, without an outline, have an error of 0.0257.
    assert 0 < allowed.max() < 1.05 * 0.0257
    inside = ~whole["fpr"].is_in([point["fpr"] for point in thin]).to_numpy()
    assert (np.abs(whole["tpr"].to_numpy() - line)[inside] <= allowed[inside] + 1e-12).all()
    widths = np.diff([point["fpr"] for point in thin])
    area = sum(
        width * (a["tpr"] + b["tpr"]) / 2
        for width, (a, b) in zip(widths, itertools.pairwise(thin), strict=True)
    )
    error = widths @ [point["error"] for point in thin[1:]]
    assert abs(area - answer(frame, pa.roc_auc("label", "score"))) <= error


CENTS = [Decimal("0.10"), Decimal("0.11"), Decimal("2.00")]


@pytest.mark.parametrize(
    ("scores", "dtype", "at", "thresholds", "tp"),
    [
        ([2**53, 2**53 + 1, 2**62], pl.Int64, [2**53 + 1, 2**63], [2**53 + 1, None], [2, 0]),
        ([0, 1, 2**53 + 1], pl.Int64, [2.0**53, -(2**70), 0.5], [2**53, -(2**63), 1], [1, 3, 2]),
        ([0, 1, 2**64 - 1], pl.UInt64, [2**64 - 1, 0.5, -1], [2**64 - 1, 1, 0], [1, 2, 3]),
        ([-128, 0, 127], pl.Int8, [127, 127.5, -128.5], [127, None, -128], [1, 0, 3]),
        (CENTS, pl.Decimal(10, 2), [0.105, 2, Decimal("0.1")], [CENTS[1], CENTS[2], CENTS[0]], [2, 1, 3]),
        ([False, True, True], pl.Boolean, [0, 0.5, 1, math.inf], [False, True, True, None], [3, 2, 2, 0]),
        # The Float32 nearest to 0.1 is above it; the one nearest to 0.7 is below.
        (
            [0.1, 0.5, 0.7],
            pl.Float32,
            [0.1, 0.7, 0.5],
            [0.10000000149011612, 0.7000000476837158, 0.5],
            [3, 0, 2],
        ),
    ],
    ids=["Int64", "Int64 and floats", "UInt64", "Int8", "Decimal", "Boolean", "Float32"],
)
def test_thresholds_in_the_dtype_of_the_scores(
    scores: list[Any], dtype: Any, at: list[Any], thresholds: list[Any] | None, tp: list[int]
) -> None:
    frame = pl.DataFrame([pl.Series("score", [*scores, scores[0]], dtype)]).with_columns(
        label=pl.int_range(4) < 3
    )
    points = answer(frame, pa.roc_curve("label", "score", at_threshold=at))
    assert [point["tp"] for point in points] == tp
    assert thresholds is None or [point["threshold"] for point in points] == thresholds
    for number, point in zip(at, points, strict=True):
        called = answer(frame, pa.confusion_at("label", "score", number))
        assert {name: called[name] for name in point} == point


@pytest.mark.parametrize(
    ("dtype", "at"),
    [(pl.Boolean, 2), (pl.Decimal(4, 2), 100), (pl.Decimal(4, 2), 99.999), (pl.Int64, 2**130)],
    ids=str,
)
def test_thresholds_beyond_the_dtype(dtype: Any, at: int) -> None:
    frame = pl.DataFrame({"label": [1, 1, 0], "score": pl.Series([0, 1, 1]).cast(dtype)})
    called = answer(frame, pa.confusion_at("label", "score", at))
    assert (called["threshold"], called["tp"], called["fp"]) == (None, 0, 0)


def test_curve_points() -> None:
    table = pa.curve_points(FRAME, pa.roc_curve("label", "score"), "g")
    assert table.columns == ["g", "point", "threshold", "fp", "tp", "fpr", "tpr"]
    assert table["g"].to_list() == ["a"] * 4 + ["b"] * 3
    assert table["point"].to_list() == [0, 1, 2, 3, 0, 1, 2]
    assert table.equals(
        pa.curve_points(FRAME.lazy(), pa.roc_curve("label", "score"), ["g"]).collect(engine="streaming")
    )
    alone = pa.curve_points(FRAME.filter(g="b"), pa.roc_curve("label", "score"))
    assert alone.equals(table.filter(g="b").drop("g"))
    undefined = FRAME.with_columns(label=False)
    for frame in (FRAME.clear(), undefined):
        nothing = pa.curve_points(frame, pa.pr_curve("label", "score"), "g")
        assert nothing.columns == ["g", "point", "threshold", "fp", "tp", "precision", "recall"]
        assert nothing.is_empty()
    assert pa.curve_points(FRAME.clear(), pa.roc_curve("label", "score")).is_empty()


def test_curve_points_of_the_wrong_things() -> None:
    curve = pa.roc_curve("label", "score")
    for frame, curves, by, error, message in (
        ([1], curve, None, TypeError, "frame must be a DataFrame or a LazyFrame, got list"),
        (FRAME, "score", None, TypeError, "curve must be an expression, got str"),
        (FRAME, curve, [pl.col("g")], TypeError, "by must be column names"),
        (FRAME, pa.roc_auc("label", "score"), "g", ValueError, "list of points.*got Float64"),
        (FRAME.rename({"g": "tpr"}), curve, "tpr", ValueError, "column 'tpr' of by has the name"),
        (FRAME.rename({"g": "point"}), curve, "point", ValueError, "column 'point' of by has the name"),
        (FRAME, curve, "z", pl.exceptions.ColumnNotFoundError, "z"),
    ):  # fmt: skip
        with pytest.raises(error, match=message):
            pa.curve_points(frame, curves, by)  # type: ignore[arg-type]
