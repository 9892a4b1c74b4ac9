"""The Gini index of a numeric target."""

from __future__ import annotations

import math

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import fixed


def test_of_two_classes_it_is_gini_and_the_cap_curve() -> None:
    frame = fixed(500)
    index = frame.select(pa.gini_index("label", "score", points=True)).item()
    assert index["normalized"] == pytest.approx(frame.select(pa.gini("label", "score")).item(), rel=1e-12)
    curve = frame.select(pa.cap_curve("label", "score")).explode("score").unnest("score")
    points = pl.DataFrame(index["points"]).rename({"score": "threshold"})
    assert_frame_equal(points, curve.select("threshold", "population", "captured"), rel_tol=1e-12)


def test_counted_policies() -> None:
    policies = pl.DataFrame({"claims": [600, 0, 200, 50], "premium": [9, 8, 8, 5], "n": [1, 3, 2, 4]})
    repeated = policies.select(pl.col("claims", "premium").repeat_by("n").explode())
    counted = policies.select(pa.gini_index("claims", "premium", count="n", points=True))
    assert counted.item() == repeated.select(pa.gini_index("claims", "premium", points=True)).item()


def test_targets_that_cannot_be_shared_out() -> None:
    frame = pl.DataFrame({"claims": [1.0, math.inf], "premium": [1, 2]})
    assert math.isnan(frame.select(pa.gini_index("claims", "premium")).item()["gini"])
    losses = frame.with_columns(claims=pl.Series([-2.0, 1.0]))
    assert losses.select(pa.gini_index("claims", "premium")).item()["gini"] is None
    with pytest.raises(pl.exceptions.ComputeError, match='gini_index: target "claims" has dtype str'):
        frame.with_columns(claims=pl.lit("a")).select(pa.gini_index("claims", "premium"))


@pytest.mark.parametrize("zeros", [[0.0, -0.0], [-0.0, 0.0]])
def test_zeros_of_either_sign_are_one_score(zeros: list[float]) -> None:
    frame = pl.DataFrame({"claims": [1.0, 2.0, 3.0], "premium": [*zeros, 1.0]})
    points = frame.select(pa.gini_index("claims", "premium", points=True)).item()["points"]
    assert [str(point["score"]) for point in points] == ["None", "1.0", "0.0"]
