"""Thresholds in special cases, and options that are refused."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl
import pytest

import polars_auc as pa

WRONG: Any = "no"
UNORDERED: Any = {0.1}
NOT_A_NUMBER: Any = [Decimal("sNaN")]
THREE = pl.DataFrame({"y": [1, 0, 0], "s": [3, 2, 1]})


def only(frame: pl.DataFrame, expression: pl.Expr) -> Any:
    return frame.select(expression).to_series()[0]


@pytest.mark.parametrize(("criterion", "target"), [("target_fpr", 1.0), ("target_precision", 0.3)])
def test_no_false_positive_is_called_for_nothing(criterion: Any, target: float) -> None:
    point = only(THREE, pa.operating_point("y", "s", criterion=criterion, target=target))
    assert (point["threshold"], point["tp"], point["fp"]) == (3, 1, 0)
    worse = THREE.with_columns(y=pl.Series([0, 1, 0]))
    nobody = only(worse, pa.operating_point("y", "s", criterion="target_fpr", target=0.4))
    assert (nobody["threshold"], nobody["tp"], nobody["fp"]) == (None, 0, 0)


@pytest.mark.parametrize("criterion", ["cost", "youden", "closest_topleft"])
@pytest.mark.parametrize("cost", [1.0, 2.0, 3.0])
def test_whole_weights_decide_ties_as_repeated_rows_do(criterion: Any, cost: float) -> None:
    rows = {
        "s": [2, 0, 3, -5, 2, 9, 3, 0, -5, 2, 3, 2, 9, 9, 3, 2, -5, 1, 2, 3],
        "y": [0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1],
        "w": [0, 7, 1, 1, 3, 2, 0, 1, 0, 2, 5, 1, 7, 7, 2, 7, 3, 1, 7, 3],
    }
    for taken in range(3, 20):
        frame = pl.DataFrame(rows).head(taken)
        repeated = frame.select(pl.col("y", "s").repeat_by("w").explode()).drop_nulls()
        weighted = only(frame, pa.operating_point("y", "s", criterion=criterion, cost=cost, weight="w"))
        plain = only(repeated, pa.operating_point("y", "s", criterion=criterion, cost=cost))
        for field in ("threshold", "tp", "fp", "criterion"):
            assert weighted[field] == plain[field], (taken, field)


def test_no_two_zeros_among_classes() -> None:
    rows = pl.DataFrame({"f": [-0.0, 0.0, 1.0, 1.0], "s": [1, 2, 3, 1], "y": [1, 0, 1, 0]})
    for frame in (rows, rows[[1, 0, 2, 3]]):
        pair = only(frame, pa.roc_auc_ordinal("f", "s"))["pairs"][0]
        assert math.copysign(1.0, pair["class_a"]) == 1.0
        assert only(frame, pa.roc_auc_multiclass("f", "s", "y", classes=[0.0, 1.0]))["n_classes"] == 2


def test_a_range_without_a_scale() -> None:
    narrow = only(THREE, pa.roc_auc("y", "s", min_fpr=1 - 2**-53, standardized=True))
    assert narrow is None or 0.5 <= narrow <= 1


@pytest.mark.parametrize("at", [2**60 + 1, Decimal(2**60 + 1), Fraction(2**60 + 1)])
def test_whole_thresholds_keep_all_digits(at: Any) -> None:
    frame = pl.DataFrame({"y": [1, 0], "s": [2**60 + 1, 2**60]})
    assert only(frame, pa.confusion_at("y", "s", at))["fp"] == 0


@pytest.mark.parametrize("largest", [1.7e308, 1e291])
def test_weights_whose_sums_could_overflow(largest: float) -> None:
    with pytest.raises(pl.exceptions.ComputeError, match=r"holds .*at most 1e290"):
        THREE.select(pa.roc_auc("y", "s", weight=pl.lit(pl.Series([1.0, largest, 1.0]))))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: pa.tpr_at_fpr("y", "s", 0.1, seed=2**63), "seed must be an integer from 0 to"),
        (lambda: pa.roc_curve("y", "s", max_points=2**64), "max_points must be an integer from 2 to"),
        (lambda: pa.roc_curve("y", "s", max_points=10, at_fpr=[0.1]), "at_fpr and max_points ask for"),
        (lambda: pa.roc_curve("y", "s", drop_intermediate=WRONG), "drop_intermediate must be True or False"),
        (lambda: pa.roc_curve("y", "s", at_fpr=UNORDERED), "at_fpr must be a list of numbers"),
        (lambda: pa.roc_curve("y", "s", at_threshold=[True]), "at_threshold must be a number"),
        (lambda: pa.roc_curve("y", "s", at_threshold=NOT_A_NUMBER), "at_threshold must be a number"),
        (lambda: pa.roc_auc("y", "s", max_fpr=0.1, standardized=WRONG), "standardized must be True or False"),
        (lambda: pa.operating_point("y", "s", cost=5e-324), "cost must be a number above 0"),
        (lambda: pa.operating_point("y", "s", cost=10**400), "cost must be a number above 0"),
        (lambda: pa.operating_point("y", "s", criterion="max_f", beta=1e200), "beta must be a number"),
        (lambda: pa.operating_point("y", "s", criterion="max_f", cost=2), "cost and prevalence are for"),
        (lambda: pa.operating_point("y", "s", criterion="target_tpr"), "target is for"),
        (lambda: pa.operating_point("y", "s", prevalence=1e-300), "prevalence"),
        (lambda: pa.gains_table("y", "s", bands=3, edges=[1]), "give bands or edges"),
        (lambda: pa.gains_table("y", "s", edges=[2, 1]), "edges must ascend"),
        (lambda: pa.curve_points(THREE, pa.roc_curve("y", "s"), ["y", "y"]), "every column once"),
    ],
)
def test_refused(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_frames_of_points() -> None:
    curve = pa.roc_curve("y", "s")
    wrong: list[Any] = [pl.col("y"), 5]
    for by in wrong:
        with pytest.raises(TypeError, match="curve_points: by must be column names"):
            pa.curve_points(THREE, curve, by)
    for name in ("*", "^y.*$", "none"):
        with pytest.raises(pl.exceptions.ColumnNotFoundError, match="curve_points: by names"):
            pa.curve_points(THREE, curve, name)
