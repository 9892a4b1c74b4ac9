"""Equal areas and equal differences of areas: without variation the variance is exactly 0."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

import polars as pl
import pytest

import polars_auc as pa
from oracles.rows import clustered_covariances

Average = Literal["macro", "rows", "positives", "pairs"]
AVERAGES: tuple[Average, ...] = ("macro", "rows", "positives", "pairs")


def fold(key: int, first: int, second: int, negatives: int = 10) -> list[tuple[Any, ...]]:
    """Return a positive that beats these numbers of negatives by each score, and the negatives."""
    rest = [(key, False, float(rank), float(rank)) for rank in range(negatives)]
    return [(key, True, first - 0.5, second - 0.5), *rest]


def frame_of_folds(folds: Sequence[list[tuple[Any, ...]]]) -> pl.DataFrame:
    return pl.DataFrame([row for rows in folds for row in rows], ["k", "y", "a", "b"], orient="row")


def only(frame: pl.DataFrame, expression: pl.Expr) -> dict[str, Any]:
    return frame.select(expression).item()  # type: ignore[no-any-return]


def differences(frame: pl.DataFrame) -> list[dict[str, Any]]:
    user_differences = [
        pa.grouped_roc_auc_difference("y", "a", "b", "k", average=average) for average in AVERAGES
    ]
    return [only(frame, each) for each in (pa.cv_roc_auc_difference("y", "a", "b", "k"), *user_differences)]


def test_differences_of_a_tenth() -> None:
    """Areas of 7, 8 and 3 tenths minus 6, 7 and 2: as floats they differ, and t was 1.7e15."""
    for answer in differences(frame_of_folds([fold(0, 7, 6), fold(1, 8, 7), fold(2, 3, 2)])):
        assert (answer["difference"], answer["se"], answer["t"], answer["p_value"]) == (0.1, 0.0, None, None)


@pytest.mark.parametrize("seed", range(40))
def test_equal_differences_and_areas_of_folds_of_any_size(seed: int) -> None:
    generator = random.Random(seed)
    base, difference = generator.choice([3, 6, 7, 10, 12]), generator.randint(0, 2)
    area = generator.randint(difference, base)
    sizes = [generator.choice([1, 2, 3, 5, 7]) for _ in range(generator.randint(2, 7))]
    folds = [fold(key, area * n, (area - difference) * n, base * n) for key, n in enumerate(sizes)]
    frame = frame_of_folds(folds)
    undefined = (0.0, 1.0) if difference == 0 else (None, None)
    for answer in differences(frame):
        assert (answer["difference"], answer["se"]) == (difference / base, 0.0)
        assert (answer["t"], answer["p_value"]) == undefined
    means: list[pl.Expr] = [pa.grouped_roc_auc("y", "a", "k", average=average) for average in AVERAGES]
    for answer in (only(frame, mean) for mean in (pa.cv_roc_auc("y", "a", "k"), *means)):
        assert (answer["auc"], answer["se"]) == (area / base, 0.0)
        assert answer["lower"] == answer["upper"] == answer["auc"]


def test_an_unpaired_difference_without_error() -> None:
    answer = pa.unpaired_roc_auc_difference(0.7, 0.0, 0.6, 0.0)
    assert (answer["se"], answer["statistic"], answer["p_value"]) == (0.0, None, None)


@pytest.mark.parametrize("versus", ["rest", "overall"])
@pytest.mark.parametrize("cluster", [None, "c"])
@pytest.mark.parametrize("weight", [None, "w"])
def test_segments_that_are_copies(versus: Any, cluster: str | None, weight: str | None) -> None:
    """Copies in the same clusters are perfectly correlated; the errors of their differences were 1e-9."""
    pattern = [
        *((True, 3, 0, 0.3), (True, 1, 1, 1.7), (False, 1, 0, 0.1)),
        *((False, 0, 2, 2.9), (True, 2, 2, 0.7), (False, 2, 1, 0.4)),
    ]
    for copies in (1, 3, 5, 7):
        rows = [("a", *row) for row in pattern] + [("b", *row) for row in pattern * copies]
        frame = pl.DataFrame(rows, ["k", "y", "s", "c", "w"], orient="row")
        answer = pa.compare_segments(frame, "y", "s", "k", cluster=cluster, weight=weight, versus=versus)
        assert answer["difference"].to_list() == [0.0, 0.0]
        if cluster is None:
            assert answer["p_value"].to_list() == [1.0, 1.0]
        else:
            assert answer.select("difference_se", "p_value").rows() == [(0.0, None)] * 2


@pytest.mark.parametrize("seed", range(60))
def test_paired_differences_of_clusters(seed: int) -> None:
    """Compare with exact fractions: exactly 0 where the variance of the difference is 0."""
    generator = random.Random(seed)
    n = generator.randint(4, 12)
    labels = [row % 2 for row in range(n)]
    first = [generator.randint(0, 3) for _ in range(n)]
    second = [score * 2 + (generator.random() < 0.2) for score in first]
    clusters = [generator.randrange(4) for _ in range(n)]
    rows = list(zip(labels, first, second, clusters, strict=True))
    exact = clustered_covariances(rows, 2)
    frame = pl.DataFrame(rows, ["y", "a", "b", "c"], orient="row")
    answer = only(frame, pa.roc_auc_difference("y", "a", "b", cluster="c"))
    if exact is None:
        assert answer["se"] is None
        return
    variance = max(exact[0][0] + exact[1][1] - 2 * exact[0][1], Fraction(0))
    if variance == 0:
        assert answer["se"] == 0.0
    else:
        assert answer["se"] == pytest.approx(float(variance) ** 0.5, rel=1e-9)
