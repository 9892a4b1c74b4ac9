"""Curves and tables against one another, in every dtype, and what is refused."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa

LOANS = pl.DataFrame({"bad": [1, 1, 0, 1, 0, 0, None], "points": [6, 5, 4, 3, 3, 1, 2]})


def many(n: int = 300_000) -> pl.DataFrame:
    """More rows than one thread ranks, with ties."""
    rng = np.random.default_rng(4)
    label = rng.random(n) < 0.2
    return pl.DataFrame({"y": label, "s": np.round(rng.normal(size=n) + label, 3)})


def points(frame: pl.DataFrame, curve: pl.Expr) -> pl.DataFrame:
    return frame.select(curve.alias("points")).explode("points").unnest("points")


def test_curves_are_one_curve() -> None:
    frame = many()
    roc, det, cap = (points(frame, curve("y", "s")) for curve in (pa.roc_curve, pa.det_curve, pa.cap_curve))
    n_pos = roc["tp"].max()
    counts = roc.select("threshold", "fp", "tp")
    expected = counts.select("threshold", "fp", (pl.lit(n_pos) - pl.col("tp")).alias("fn"))
    assert_frame_equal(det.select("threshold", "fp", "fn"), expected, check_dtypes=False)
    expected = counts.select("threshold", (pl.col("fp") + pl.col("tp")).alias("n"), "tp")
    assert_frame_equal(cap.select("threshold", "n", "tp"), expected)
    assert_frame_equal(det.select("fpr"), roc.select("fpr"), check_exact=True)
    # numpy divides as IEEE says.
    assert (cap["population"].to_numpy() == cap["n"].to_numpy() / frame.height).all()


def test_large_tables() -> None:
    """The bands of many rows, by Polars' own expressions."""
    frame = many()
    above = pl.col("s").rank("max", descending=False).max() - pl.col("s").rank("max")
    expected = (
        frame.with_columns(band=above.cast(pl.UInt64) * 20 // pl.len() + 1)
        .group_by("band")
        .agg(
            highest=pl.col("s").max(),
            lowest=pl.col("s").min(),
            n=pl.len(),
            n_pos=pl.col("y").sum(),
            rate=pl.col("y").mean(),
        )
        .sort("band")
        .with_columns(cum_n=pl.col("n").cum_sum(), cum_pos=pl.col("n_pos").cum_sum())
    )
    got = points(frame, pa.gains_table("y", "s", bands=20))
    assert got["band"].to_list() == list(range(1, 21))
    assert_frame_equal(got.select(expected.columns), expected, check_dtypes=False)
    ks = frame.select(pa.ks_statistic("y", "s").struct.field("ks")).item()
    assert 0.97 * ks < got["ks"].max() <= ks
    assert got.row(-1, named=True)["gain"] == got.row(-1, named=True)["cum_lift"] == 1.0


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt64, pl.Float32, pl.Decimal(12, 2)], ids=str)
def test_scores_keep_their_dtype(dtype: Any) -> None:
    frame = LOANS.with_columns(pl.col("points").cast(dtype))
    table = points(frame, pa.gains_table("bad", "points", bands=2))
    assert table.schema["highest"] == table.schema["lowest"] == dtype
    assert table["highest"].to_list() == [6, 3]
    assert table["lowest"].to_list() == [4, 1]
    assert points(frame, pa.det_curve("bad", "points")).schema["threshold"] == dtype
    if dtype == pl.Decimal(12, 2):
        assert table["highest"][0] == Decimal(6)
    # Positives 6, 5, 3 and negatives 4, 3, 1, in every dtype.
    fit = frame.select(pa.binormal_roc_auc("bad", "points", method="moments")).unnest("points").row(0)
    assert fit == pytest.approx((0.8715803710210718, 1.6035674514745468, -1.0, 3, 3), rel=1e-12)


def test_numbers_of_numpy() -> None:
    whole: Any = np.int64(2)
    rate: Any = np.float32(0.5)
    table = LOANS.select(pa.gains_table("bad", "points", bands=whole))
    assert_frame_equal(table, LOANS.select(pa.gains_table("bad", "points", bands=2)))
    LOANS.select(pa.tpr_at_fpr("bad", "points", rate, n_resamples=9))
    at = pa.binormal_roc_curve("y", "s", at_fpr=[np.float64(0.5), 1], n_points=whole)
    assert many(1000).select(at.explode().struct.field("fpr"))["fpr"].to_list() == [0.5, 1.0]


@pytest.mark.parametrize("bands", [0, -1, 1_000_001, 2.0, True, "10"])
def test_bands(bands: Any) -> None:
    with pytest.raises(ValueError, match="gains_table: bands must be an integer from 1 to 1000000, got"):
        pa.gains_table("y", "s", bands=bands)
    ten = LOANS.select(pa.gains_table("bad", "points", bands=10))
    assert_frame_equal(LOANS.select(pa.gains_table("bad", "points")), ten)


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan"), "0.1", True, None])
def test_rates(rate: Any) -> None:
    with pytest.raises(ValueError, match=r"tpr_at_fpr: fpr must lie between 0 and 1, got"):
        pa.tpr_at_fpr("y", "s", rate)
    with pytest.raises(ValueError, match="fpr_at_tpr: tpr must lie between 0 and 1"):
        pa.fpr_at_tpr("y", "s", rate)
    with pytest.raises(ValueError, match="binormal_roc_curve: at_fpr must lie between 0 and 1"):
        pa.binormal_roc_curve("y", "s", at_fpr=[0.1, rate])


def test_words_and_numbers() -> None:
    with pytest.raises(
        ValueError, match="binormal_roc_auc: method must be one of 'least_squares', 'moments', got"
    ):
        pa.binormal_roc_auc("y", "s", method="ml")  # type: ignore[arg-type]
    for n_points in (1, 2.0, True, None):
        with pytest.raises(ValueError, match="binormal_roc_curve: n_points must be an integer from 2 to"):
            pa.binormal_roc_curve("y", "s", n_points=n_points)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="binormal_roc_curve: at_fpr must be a list of numbers"):
        pa.binormal_roc_curve("y", "s", at_fpr=0.1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="tpr_at_fpr: level must lie between 0 and 1"):
        pa.tpr_at_fpr("y", "s", 0.1, level=95)
    with pytest.raises(ValueError, match="fpr_at_tpr: n_resamples must be an integer from 2"):
        pa.fpr_at_tpr("y", "s", 0.1, n_resamples=1)
    with pytest.raises(pl.exceptions.ComputeError, match=r"binormal_roc_auc: .*score \"s\" has dtype str"):
        pl.DataFrame({"y": [0, 1], "s": ["a", "b"]}).select(pa.binormal_roc_auc("y", "s", method="moments"))
