"""Thresholds in edge cases, and errors for options."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl
import pytest

import polars_auc as pa
from catalogue.cases import fixed

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
    no_positive = only(worse, pa.operating_point("y", "s", criterion="target_fpr", target=0.4))
    assert (no_positive["threshold"], no_positive["tp"], no_positive["fp"]) == (None, 0, 0)


@pytest.mark.parametrize("weight", [None, "w"])
def test_a_threshold_with_a_tpr_of_zero_is_chosen(weight: str | None) -> None:
    """Predicting no row positive must be better than every threshold; here it is only equally good."""
    rows = pl.DataFrame({"y": [0, 1, 0], "s": [3, 1, 1], "w": [1.0, 1.0, 1.0]})
    point = only(rows, pa.operating_point("y", "s", criterion="target_fpr", target=0.5, weight=weight))
    assert (point["threshold"], point["tpr"], point["fpr"], point["criterion"]) == (3, 0, 0.5, 0.5)


@pytest.mark.parametrize("criterion", ["cost", "youden", "closest_topleft"])
@pytest.mark.parametrize("cost", [1.0, 2.0, 3.0])
def test_whole_weights_decide_ties_as_repeated_rows_do(criterion: Any, cost: float) -> None:
    rows = {
        "s": [2, 0, 3, -5, 2, 9, 3, 0, -5, 2, 3, 2, 9, 9, 3, 2, -5, 1, 2, 3],
        "y": [0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1],
        "w": [0, 7, 1, 1, 3, 2, 0, 1, 0, 2, 5, 1, 7, 7, 2, 7, 3, 1, 7, 3],
    }
    for size in range(3, 20):
        frame = pl.DataFrame(rows).head(size)
        repeated = frame.select(pl.col("y", "s").repeat_by("w").explode()).drop_nulls()
        weighted = only(frame, pa.operating_point("y", "s", criterion=criterion, cost=cost, weight="w"))
        plain = only(repeated, pa.operating_point("y", "s", criterion=criterion, cost=cost))
        for field in ("threshold", "tp", "fp", "criterion"):
            assert weighted[field] == plain[field], (size, field)


def test_no_two_zeros_among_classes() -> None:
    rows = pl.DataFrame({"f": [-0.0, 0.0, 1.0, 1.0], "s": [1, 2, 3, 1], "y": [1, 0, 1, 0]})
    for frame in (rows, rows[[1, 0, 2, 3]]):
        pair = only(frame, pa.ordinal_roc_auc("f", "s"))["pairs"][0]
        assert math.copysign(1.0, pair["class_a"]) == 1.0
        assert only(frame, pa.multiclass_roc_auc("f", "s", "y", classes=[0.0, 1.0]))["n_classes"] == 2


def test_a_range_without_a_scale() -> None:
    narrow = only(THREE, pa.roc_auc("y", "s", min_fpr=1 - 2**-53, standardized=True))
    assert narrow is None or 0.5 <= narrow <= 1


@pytest.mark.parametrize("at", [2**60 + 1, Decimal(2**60 + 1), Fraction(2**60 + 1)])
def test_whole_thresholds_keep_all_digits(at: Any) -> None:
    frame = pl.DataFrame({"y": [1, 0], "s": [2**60 + 1, 2**60]})
    assert only(frame, pa.confusion_at("y", "s", at))["fp"] == 0


@pytest.mark.skipif("UInt128" not in pl.__dict__, reason="older Polars has no UInt128")
@pytest.mark.parametrize("at", [2**127 - 1, 2**127, 2**127 + 1, 2**128 - 2, 2**128 - 1])
def test_thresholds_of_128_bits_keep_all_digits(at: int) -> None:
    scores = pl.Series("s", [at, at - 1], dtype=pl.__dict__["UInt128"])
    frame = pl.DataFrame([pl.Series("y", [1, 0]), scores])
    called = only(frame, pa.confusion_at("y", "s", at))
    assert (called["threshold"], called["tp"], called["fp"]) == (at, 1, 0)
    point = only(frame, pa.roc_curve("y", "s", at_threshold=[at]))[0]
    assert (point["threshold"], point["tp"], point["fp"]) == (at, 1, 0)
    bands = only(frame, pa.gains_table("y", "s", edges=[at]))
    assert [(band["band"], band["lowest"], band["n_pos"]) for band in bands] == [(1, at, 1), (2, at - 1, 0)]


def test_thresholds_of_decimal_scores_are_the_decimals_that_are_written() -> None:
    # As floats, 0.07 * 100 is a little more than 7, and 1.1 * 100 is more than 110.
    cents = pl.DataFrame(
        {"y": [1, 0, 1], "s": [Decimal("0.07"), Decimal("0.06"), Decimal("1.10")]},
        schema_overrides={"s": pl.Decimal(20, 2)},
    )
    some: list[Any] = [0.07, Decimal("0.07"), Decimal("0.065")]
    for at in some:
        called = only(cents, pa.confusion_at("y", "s", at))
        assert (called["threshold"], called["tp"], called["fp"]) == (Decimal("0.07"), 2, 0)
    assert only(cents, pa.confusion_at("y", "s", 1.1))["tp"] == 1
    large = pl.DataFrame(
        {"y": [1, 0], "s": [Decimal("12345678901234567890.02"), Decimal("12345678901234567890.01")]},
        schema_overrides={"s": pl.Decimal(38, 2)},
    )
    at = large["s"][0]
    assert only(large, pa.confusion_at("y", "s", at))["fp"] == 0
    assert only(large, pa.roc_curve("y", "s", at_threshold=[at]))[0]["threshold"] == at
    assert [band["n"] for band in only(large, pa.gains_table("y", "s", edges=[at]))] == [1, 1]


def test_thresholds_of_more_digits_than_a_float_holds() -> None:
    frame = pl.DataFrame({"y": [1, 0], "s": [2.0, 1e60]})
    # The float nearest to 10^60 is below it.
    assert only(frame, pa.confusion_at("y", "s", 10**60))["fp"] == 0
    assert only(frame, pa.confusion_at("y", "s", int(1e60)))["fp"] == 1
    third = pl.DataFrame({"y": [1, 0], "s": [0.3, 0.1]})
    fraction: Any = Decimal("0.3")
    assert only(third, pa.confusion_at("y", "s", fraction))["tp"] == 1


@pytest.mark.parametrize("largest", [1.7e308, 1e291])
def test_weights_whose_sums_could_overflow(largest: float) -> None:
    with pytest.raises(pl.exceptions.ComputeError, match=r"contains .*from 0 to 1e290"):
        THREE.select(pa.roc_auc("y", "s", weight=pl.lit(pl.Series([1.0, largest, 1.0]))))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: pa.tpr_at_fpr("y", "s", 0.1, seed=2**63), "seed must be an integer from 0 to"),
        (lambda: pa.roc_curve("y", "s", max_points=2**64), "max_points must be an integer from 2 to"),
        (lambda: pa.roc_curve("y", "s", max_points=1), "max_points must be an integer from 2 to"),
        (lambda: pa.roc_curve("y", "s", max_points=10, at_fpr=[0.1]), "at_fpr and max_points ask for"),
        (
            lambda: pa.roc_curve("y", "s", drop_intermediate=True, at_fpr=[0.5]),
            "drop_intermediate and at_fpr ask for different curves. Hint: give one of them",
        ),
        (
            lambda: pa.roc_curve("y", "s", max_points=9, at_tpr=[0.5], at_fpr=[0.5]),
            "at_fpr and at_tpr and max_points ask for different curves. Hint: give one of them",
        ),
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
        (
            lambda: pa.operating_point("y", "s", criterion="top_p", max_fpr=0.1),
            "min_fpr and max_fpr are not for criterion 'top_p'",
        ),
        (
            lambda: pa.operating_point("y", "s", criterion="target_fpr", target=0.2, min_fpr=0.1),
            "min_fpr and max_fpr are not for criterion 'target_fpr'",
        ),
        (lambda: pa.operating_point("y", "s", min_fpr=0.2, max_fpr=0.1), "min_fpr must be below max_fpr"),
        (lambda: pa.operating_point("y", "s", max_fpr=1.5), "max_fpr must lie between 0 and 1, got 1.5"),
        (lambda: pa.gains_table("y", "s", bands=3, edges=[1]), "give bands or edges"),
        (
            lambda: pa.gains_table("y", "s", bands=3, edges=[]),
            r"give bands or edges, got bands=3 and edges=\[\]",
        ),
        (lambda: pa.gains_table("y", "s", edges=[2, 1]), "edges must ascend"),
        (lambda: pa.curve_points(THREE, pa.roc_curve("y", "s"), ["y", "y"]), "every column once"),
    ],
)
def test_refused(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_a_range_of_fpr_is_a_filter_of_the_curve() -> None:
    frame = fixed(300).drop_nulls()
    curve = frame.select(pa.roc_curve("label", "score")).explode("score").unnest("score")
    for low, high in ((0.0, 0.1), (0.05, 0.3), (0.6, 1.0)):
        within = curve.filter(pl.col("fpr").is_between(low, high) & (pl.col("tp") + pl.col("fp") > 0))
        best = within.select((pl.col("tpr") - pl.col("fpr")).max()).item()
        got = only(frame, pa.operating_point("label", "score", min_fpr=low, max_fpr=high))
        assert math.isclose(got["criterion"], best, rel_tol=1e-12)
        assert low <= got["fpr"] <= high
    resampled = pa.bootstrap_ci("operating_point", "label", "score", max_fpr=0.1, n_resamples=50)
    upper = {one["field"]: one["upper"] for one in only(frame, resampled)}["fpr"]
    assert upper <= 0.1


def test_frames_of_points() -> None:
    curve = pa.roc_curve("y", "s")
    wrong: list[Any] = [pl.col("y"), 5]
    for by in wrong:
        with pytest.raises(TypeError, match="curve_points: by must be column names"):
            pa.curve_points(THREE, curve, by)
    for name in ("*", "^y.*$", "none"):
        with pytest.raises(
            pl.exceptions.ColumnNotFoundError, match="curve_points: by has the unknown column"
        ):
            pa.curve_points(THREE, curve, name)
