"""Curves and tables compared with each other, in every dtype, and errors."""

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
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import examples

LOANS = pl.DataFrame({"bad": [1, 1, 0, 1, 0, 0, None], "points": [6, 5, 4, 3, 3, 1, 2]})


def many(n: int = 300_000) -> pl.DataFrame:
    """Return more rows than one thread ranks, with ties."""
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
    # numpy uses IEEE division.
    assert (cap["population"].to_numpy() == cap["n"].to_numpy() / frame.height).all()


def test_large_tables() -> None:
    """Compute the bands of many rows by Polars expressions."""
    frame = many()
    # Twice the middle rank of a score, from the upper and from the nearer end.
    twice = (2 * (pl.len() - pl.col("s").rank("average")) + 1).cast(pl.Int64)
    nearer = pl.min_horizontal(twice, 2 * pl.len().cast(pl.Int64) - twice)
    from_end = -(-nearer * 20 // (2 * pl.len().cast(pl.Int64)))
    number = pl.when(twice < pl.len()).then(from_end).otherwise(21 - from_end)
    expected = (
        frame.with_columns(band=number.cast(pl.UInt64))
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


SCORES = st.lists(st.tuples(st.booleans(), st.integers(0, 8), st.integers(1, 3)), min_size=2, max_size=40)


@given(rows=SCORES, bands=st.integers(1, 12), mass=st.sampled_from([None, "count", "weight", "state"]))
@examples(100)
def test_bands_of_a_score_and_of_its_negative(
    rows: list[tuple[bool, int, int]], bands: int, mass: Any
) -> None:
    frame = pl.DataFrame(rows, {"y": pl.Boolean, "s": pl.Int64, "n": pl.Int64}, orient="row")

    def of(make: Any, score: pl.Expr) -> Any:
        if mass == "state":
            state = frame.select(state=pa.roc_state("y", score, count="n"))
            return state.select(make(state="state", bands=bands)).item()
        return frame.select(make("y", score, bands=bands, **({mass: "n"} if mass else {}))).item()

    up, down = (of(pa.population_stability, score) for score in (pl.col("s"), -pl.col("s")))
    assert up == down
    tables = [of(pa.gains_table, score) for score in (pl.col("s"), -pl.col("s"))]
    if tables[0] is None:
        return
    counts = [list(zip(table.struct["n_pos"], table.struct["n_neg"], strict=True)) for table in tables]
    assert sorted(counts[0]) == sorted(counts[1])
    if len(counts[0]) == 1:
        assert [tables[0][0][name] for name in ("lift", "cum_lift", "ks")] == [None] * 3


def test_one_score_that_most_rows_have() -> None:
    """95 % of the reference have the lowest score, and half of the other rows."""
    reference, others = [0] * 95 + list(range(1, 6)), [0] * 50 + list(range(1, 51))
    frame = pl.DataFrame({"old": [True] * 100 + [False] * 100, "s": reference + others})
    expected = 0.45 * math.log(0.5 / 0.05) + 0.45 * math.log(0.95 / 0.5)
    for score in (pl.col("s"), -pl.col("s")):
        stability = frame.select(pa.population_stability("old", score)).item()
        assert stability["psi"] == pytest.approx(expected, rel=1e-12)
        assert stability["n_bands"] == 2
    # 95 % of the rows have one score, and only rows above it are positive.
    rows = pl.DataFrame({"y": [0] * 95 + [1] * 5, "s": reference})
    for score, bands, lifts in ((pl.col("s"), [1, 6], [20.0, 0.0]), (-pl.col("s"), [5, 10], [0.0, 20.0])):
        table = points(rows, pa.gains_table("y", score))
        assert (table["band"].to_list(), table["lift"].to_list()) == (bands, lifts)


def test_one_band_has_nothing_to_compare() -> None:
    frame = pl.DataFrame({"y": [0, 1, 1], "s": [2, 2, 2]})
    stability = frame.select(pa.population_stability("y", "s")).item()
    assert (stability["psi"], stability["p_value"], stability["n_bands"]) == (None, None, 1)
    assert points(frame, pa.population_stability_table("y", "s"))["psi"].to_list() == [None]
    table = points(frame, pa.gains_table("y", "s"))
    assert table.select("n", "rate", "lift", "cum_lift", "ks").rows() == [(3, 2 / 3, None, None, None)]


def test_continuous_area_is_the_limit_of_unit_steps() -> None:
    """Compare with trapezoids between points at each further true positive (Davis and Goadrich 2006)."""
    frame = many(3_000).with_columns(pl.col("s").round(1))
    area = frame.select(pa.average_precision("y", "s", interpolation="continuous")).item()
    roc = points(frame, pa.roc_curve("y", "s")).select("tp", "fp").to_numpy().astype(float)

    def unit_steps(parts: int) -> float:
        total = 0.0
        for (tp, fp), (next_tp, next_fp) in itertools.pairwise(roc):
            if next_tp > tp:
                t = np.linspace(tp, next_tp, int(next_tp - tp) * parts + 1)
                f = fp + (next_fp - fp) * (t - tp) / (next_tp - tp)
                precision = np.divide(
                    t, t + f, out=np.full_like(t, next_tp / (next_tp + next_fp)), where=t > 0
                )
                total += float(np.trapezoid(precision, t))
        return total / float(roc[-1, 0])

    assert area == pytest.approx(unit_steps(1), rel=1e-4)
    assert area == pytest.approx(unit_steps(64), rel=1e-7)
    # It depends on shares only, unlike unit steps.
    counted = frame.with_columns(n=1_000)
    repeated = counted.select(pa.average_precision("y", "s", count="n", interpolation="continuous")).item()
    assert area == pytest.approx(repeated, rel=1e-13)
    assert area != frame.select(pa.average_precision("y", "s")).item()


def test_continuous_area_of_a_large_group_has_the_same_bits() -> None:
    frame = many()
    area = pa.average_precision("y", "s", interpolation="continuous")
    counted = frame.group_by("y", "s").len("n")
    whole = frame.select(area).item()
    assert frame.sample(fraction=1, shuffle=True, seed=3).select(area).item() == whole
    counted_area = pa.average_precision("y", "s", count="n", interpolation="continuous")
    assert counted.select(counted_area).item() == whole
    state = frame.select(pa.roc_state("y", "s").alias("state"))
    state_area = pa.average_precision(state="state", interpolation="continuous")
    assert state.select(state_area).item() == whole


@pytest.mark.parametrize("options", [{}, {"bands": 1000}, {"edges": [0.0, 0.5, 0.9]}])
def test_expected_positives_of_a_large_group(options: dict[str, Any]) -> None:
    frame = many().with_columns(p=1 / (1 + (1.5 - pl.col("s")).exp()))
    table = points(frame, pa.gains_table("y", "p", calibration=True, **options))
    assert_frame_equal(
        table.drop("mean_score", "expected_positives"), points(frame, pa.gains_table("y", "p", **options))
    )
    scores = np.sort(frame["p"].to_numpy())[::-1]
    ends = np.cumsum(table["n"].to_numpy())
    sums = [math.fsum(scores[end - n : end]) for end, n in zip(ends, table["n"], strict=True)]
    assert table["expected_positives"].to_list() == sums
    means = [total / n for total, n in zip(sums, table["n"], strict=True)]
    assert table["mean_score"].to_list() == pytest.approx(means, rel=1e-15)
    # The same bits from shuffled rows, from counts, from states that are merged, and for weights of 1.
    calibrated = {"calibration": True, **options}
    shuffled = frame.sample(fraction=1, shuffle=True, seed=3)
    assert_frame_equal(points(shuffled, pa.gains_table("y", "p", **calibrated)), table, check_exact=True)
    counted = frame.group_by("y", "p").len("n")
    assert_frame_equal(
        points(counted, pa.gains_table("y", "p", count="n", **calibrated)), table, check_exact=True
    )
    parts = frame.group_by(pl.int_range(pl.len()) % 3).agg(pa.roc_state("y", "p").alias("state"))
    assert_frame_equal(points(parts, pa.gains_table(state="state", **calibrated)), table, check_exact=True)
    quarters = frame.with_columns(w=0.25)
    weighted = points(quarters, pa.gains_table("y", "p", weight="w", **calibrated))
    assert_frame_equal(weighted.select("mean_score"), table.select("mean_score"), check_exact=True)
    assert weighted["expected_positives"].to_list() == [total / 4 for total in sums]


def test_scores_that_are_no_probabilities_have_a_mean_only() -> None:
    table = points(LOANS, pa.gains_table("bad", "points", bands=2, calibration=True))
    assert table.select("mean_score", "expected_positives").rows() == [(5.0, None), (7 / 3, None)]
    with pytest.raises(ValueError, match="gains_table: calibration must be True or False, got 'yes'"):
        pa.gains_table("bad", "points", calibration="yes")  # type: ignore[arg-type]
