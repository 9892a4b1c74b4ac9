"""Calibration in numerically hard cases: rare events, extreme scores, close scores."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

import polars_auc as pa
from catalogue.cases import assert_same
from oracles import calibration as oracles
from oracles.rows import Group

SCORES: dict[str, Callable[[random.Random], float]] = {
    "any": lambda draw: draw.uniform(0.001, 0.999),
    "rare": lambda draw: draw.choice([0.001, 0.002, 0.0005, 1e-5, 1e-8, 1e-12]),
    "frequent": lambda draw: 1 - draw.choice([0.001, 0.002, 0.0005, 1e-5, 1e-8]),
    "extreme": lambda draw: draw.choice([1e-10, 1e-3, 0.5, 1 - 1e-3, 1 - 1e-10]),
    "close": lambda draw: 0.625 + draw.randint(0, 5) / 1000,
}
FIELDS = [f"{name}{end}" for name in oracles.ESTIMATES for end in ("", "_se")]


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("weighted", [False, True], ids=["rows", "weights"])
def test_recalibration_has_a_maximum(kind: str, weighted: bool) -> None:
    """Newton's method converges from far away; the standard errors are those of the maximum."""
    draw = random.Random(1)
    for _ in range(30):
        rows = [
            (draw.random() < 0.5, SCORES[kind](draw), draw.choice([0.5, 1.0, 2.0, 3.25, 1024.0]))
            for _ in range(draw.randint(4, 12))
        ]
        frame = pl.DataFrame(rows, schema=["y", "p", "w"], orient="row")
        got = frame.select(pa.calibration_summary("y", "p", weight="w" if weighted else None)).item()
        used = rows if weighted else [row[:2] for row in rows]
        expected = oracles.calibration_summary(used, level=0.95, weighted=weighted)
        for name in oracles.ESTIMATES:
            value, se = expected[name], expected[f"{name}_se"]
            if value is None:
                assert got[name] is None, rows
                continue
            assert got[name] is not None, rows
            # A flat likelihood determines its maximum to less than the standard error, not to 1e-9.
            assert math.isclose(got[name], value, rel_tol=1e-9, abs_tol=1e-9 * (1 + se)), (name, rows)
            assert math.isclose(got[f"{name}_se"], se, rel_tol=1e-8), (name, rows)


def test_hosmer_lemeshow_is_infinite_if_a_group_was_certain_and_wrong() -> None:
    # Between the quantiles 0, 0.4 and 0.7.
    frame = pl.DataFrame({"y": [1, 0, 1, 0, 1], "p": [0.0, 0.0, 0.0, 0.6, 0.7]})
    got = frame.select(pa.calibration_summary("y", "p", bins=3)).item()
    assert (got["hosmer_lemeshow"], got["hosmer_lemeshow_p_value"]) == (math.inf, 0.0)


@pytest.mark.parametrize(("n", "bins", "edge"), [(91, 10, 7), (171, 10, 7), (76, 15, 11), (101, 20, 11)])
def test_a_quantile_at_a_row_is_its_score(n: int, bins: int, edge: int) -> None:
    """``(n - 1) edge / bins`` is an integer here, and its row belongs to the lower bin."""
    rank = (n - 1) * edge // bins
    # Far above the row before, so that a rounding of the rank moves the quantile.
    scores = [(row + 1) / 1000 if row < rank else 0.9 + row / 10_000 for row in range(n)]
    frame = pl.DataFrame({"y": [row % 2 for row in range(n)], "p": scores})
    curve: list[dict[str, Any]] = frame.select(pa.calibration_curve("y", "p", bins=bins)).item().to_list()
    assert_same(curve[edge - 1]["highest"], scores[rank])
    assert sum(point["n"] for point in curve[:edge]) == rank + 1


@pytest.mark.parametrize("weight", [None, "weight"])
def test_the_average_precision_has_the_bits_of_the_number_alone(weight: str | None) -> None:
    rng = np.random.default_rng(3)
    rows = pl.DataFrame(
        {
            "g": rng.integers(0, 300, 30_000),
            "y": rng.integers(0, 2, 30_000),
            "s": rng.integers(0, 60, 30_000),
            "weight": rng.random(30_000),
        }
    )
    number = pa.average_precision("y", "s", weight=weight)
    record = pa.average_precision_ci("y", "s", weight=weight).struct.field("average_precision")
    answers = rows.group_by("g").agg(number.alias("number"), record.alias("record"))
    assert answers["number"].to_list() == answers["record"].to_list()


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: pa.brier_score("y", "q"), "q"),
        (lambda: pa.net_benefit("y", "q"), "q"),
        (lambda: pa.log_loss_difference("y", "p", "q"), "q"),
        (lambda: pa.net_benefit_difference("y", "q", "p"), "q"),
        (lambda: pa.discrimination_slope("y", pl.col("q").alias("a `b`")), "a `b`"),
        (lambda: pa.cv_loss("y", "q", "y"), "q"),
        (lambda: pa.cv_loss_difference("y", "p", "q", "y"), "q"),
        (lambda: pa.compare_scores("y", "p", "p", "q", statistic="log_loss"), "q"),
    ],
)
def test_an_error_names_the_score(make: Callable[[], pl.Expr], name: str) -> None:
    rows = pl.DataFrame({"y": [True, False], "p": [0.5, 0.25], "q": [0.5, 1.5]})
    with pytest.raises(
        pl.exceptions.ComputeError, match=f'from 0 to 1, got 1.5 in "{name}". Hint: for logits write'
    ):
        rows.select(make())


def forecasts(n: int = 3_000) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    logits = -1 + rng.normal(size=(n, 3)).cumsum(axis=1)
    p = pl.DataFrame(1 / (1 + np.exp(-logits)), schema=["p", "q", "r"])
    label = rng.random(n) < p["p"].to_numpy()
    return p.with_columns(y=pl.Series(label), w=rng.integers(1, 5, n) / 4.0, fold=pl.int_range(n) % 7)


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("statistic", ["brier_score", "log_loss"])
def test_several_losses_are_those_of_each_pair(statistic: Any, weight: str | None) -> None:
    frame, names = forecasts(), ["p", "q", "r"]
    joint = pa.compare_scores("y", *names, statistic=statistic, adjust=None, weight=weight, level=0.9)
    compared = frame.select(joint).item()
    difference = getattr(pa, f"{statistic}_difference")
    for pair in compared["differences"]:
        test = frame.select(difference("y", pair["score_a"], pair["score_b"], weight=weight, level=0.9))
        fields = ("difference", "se", "lower", "upper", "z", "p_value")
        assert {name: pair[name] for name in fields} == {name: test.item()[name] for name in fields}
    for place, one in enumerate(compared["estimates"]):
        alone = frame.select(getattr(pa, statistic)("y", one["score"], weight=weight, level=0.9)).item()
        assert one["estimate"] == pytest.approx(alone[statistic], rel=1e-14)
        assert one["se"] == pytest.approx(alone["se"], rel=1e-11)
        assert one["covariance"][place] == pytest.approx(one["se"] ** 2, rel=1e-14)
    # The contrasts against the first score, with the covariances of the losses.
    matrix = np.array([one["covariance"] for one in compared["estimates"]])
    values = np.array([one["estimate"] for one in compared["estimates"]])
    contrasts = np.array([[-1, 1, 0], [-1, 0, 1]])
    distance = contrasts @ values
    statistic_value = distance @ np.linalg.solve(contrasts @ matrix @ contrasts.T, distance)
    assert (compared["df"], compared["chi_square"]) == (2, pytest.approx(statistic_value, rel=1e-8))


def test_an_infinite_loss_has_no_error() -> None:
    frame = forecasts(50).with_columns(q=pl.when(pl.int_range(50) == 0).then(pl.lit(1.0) - pl.col("y")))
    frame = frame.with_columns(q=pl.col("q").fill_null(pl.col("p")))
    compared = frame.select(pa.compare_scores("y", "p", "q", "r", statistic="log_loss")).item()
    finite, infinite, _ = compared["estimates"]
    assert (infinite["estimate"], infinite["se"], infinite["covariance"]) == (math.inf, None, [])
    assert finite["se"] > 0
    assert [pair["difference"] for pair in compared["differences"]][::2] == [-math.inf, math.inf]
    assert [pair["se"] is None for pair in compared["differences"]] == [True, False, True]
    assert (compared["chi_square"], compared["df"]) == (None, None)
    folds = frame.select(pa.cv_loss("y", "q", "fold", loss="log_loss")).item()
    assert (folds["estimate"], folds["sd"], folds["se"]) == (math.inf, None, None)


@pytest.mark.parametrize("loss", ["brier_score", "log_loss"])
def test_losses_of_folds(loss: Any) -> None:
    frame = forecasts()
    folds = frame.group_by("fold").agg(
        *(getattr(pa, loss)("y", name).struct.field(loss).alias(name) for name in ("p", "q")), pl.len()
    )
    mean = frame.select(pa.cv_loss("y", "q", "fold", loss=loss)).item()
    assert (mean["estimate"], mean["sd"]) == (
        pytest.approx(folds["q"].mean()),
        pytest.approx(folds["q"].std()),
    )
    assert mean["se"] == pytest.approx(folds["q"].std() / math.sqrt(7))  # type: ignore[operator]
    influence = frame.select(pa.cv_loss("y", "q", "fold", loss=loss, method="influence")).item()
    alone = frame.select(getattr(pa, loss)("y", "q")).item()
    # Folds of equal size are nearly the rows.
    assert influence["se"] == pytest.approx(alone["se"], rel=0.02)
    test = frame.select(pa.cv_loss_difference("y", "q", "p", "fold", loss=loss, test_train_ratio=0)).item()
    differences = folds["q"] - folds["p"]
    assert test["difference"] == pytest.approx(differences.mean())
    assert test["se"] == pytest.approx(differences.std() / math.sqrt(7))  # type: ignore[operator]
    assert test["p_value"] < 0.01


def test_the_band_of_net_benefits() -> None:
    frame = forecasts(400)
    thresholds = [0.5, 0.1, 0.3, 0.9]

    def curve(rows: pl.DataFrame, **options: Any) -> pl.DataFrame:
        points = rows.select(pa.net_benefit("y", "q", thresholds=thresholds, **options).alias("points"))
        return points.explode("points").unnest("points")

    plain, band = curve(frame), curve(frame, band="simultaneous")
    assert plain.drop("lower", "upper").equals(band.drop("lower", "upper"))
    assert (band["lower"] < plain["lower"]).all()
    assert (band["upper"] > plain["upper"]).all()
    assert curve(frame.sample(fraction=1, shuffle=True, seed=1), band="simultaneous", seed=0).equals(band)
    assert not curve(frame, band="simultaneous", seed=1).equals(band)
    # Weights of 1 and counts give the same band, and so does a state.
    weighted = curve(frame.with_columns(one=1.0), band="simultaneous", weight="one")
    assert_same(weighted.to_dicts(), band.to_dicts())
    state = frame.select(state=pa.roc_state("y", "q"))
    from_state = state.select(
        pa.net_benefit(state="state", thresholds=thresholds, band="simultaneous").alias("points")
    )
    assert from_state.explode("points").unnest("points").equals(band)
    for options, message in (
        ({"seed": 1}, r'seed applies to band="simultaneous" only'),
        ({"band": "wide"}, "band must be one of 'simultaneous'"),
        ({"band": "simultaneous", "n_resamples": 1}, "n_resamples must"),
    ):
        with pytest.raises(ValueError, match=message):
            pa.net_benefit("y", "q", **options)


@pytest.mark.parametrize("scale", [2.0**-700, 2.0**600])
def test_weights_of_any_size_have_errors(scale: float) -> None:
    rows = pl.DataFrame(
        {
            "y": [True, False, True, False, False, True],
            "p": [0.9, 0.6, 0.4, 0.1, 0.2, 0.7],
            "q": [0.8, 0.7, 0.2, 0.3, 0.1, 0.6],
            "weight": [1.0, 2.0, 3.0, 1.0, 2.0, 0.5],
        }
    )
    alone = (pa.brier_score, pa.log_loss, pa.net_benefit, pa.average_precision_ci, pa.discrimination_slope)
    differences = (
        *(pa.brier_score_difference, pa.net_benefit_difference, pa.average_precision_difference),
        pa.discrimination_slope_difference,
    )
    answers = [
        *(function("y", "p", weight="weight").alias(function.__name__) for function in alone),
        *(function("y", "p", "q", weight="weight").alias(function.__name__) for function in differences),
    ]
    scaled = rows.with_columns(pl.col("weight") * scale).select(answers)
    assert scaled.equals(rows.select(answers))


def test_a_fraction_is_above_0() -> None:
    with pytest.raises(ValueError, match=r"fraction must be above 0, such as 0.01, got 0"):
        pa.enrichment_factor("y", "p", fraction=0)
    with pytest.raises(ValueError, match=r"min_fpr must be above 0, such as 0.001, got 0"):
        pa.log_auc("y", "p", min_fpr=0)
    with pytest.raises(ValueError, match=r"at_a must be a number, such as 0.5, got 'half'"):
        pa.mcnemar("y", "p", "q", at_a="half", at_b=0.5)  # type: ignore[arg-type]


BLOCKS: dict[str, Any] = {"method": "isotonic"}


def calibrated(n: int, seed: int, *, digits: int = 2) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    p = rng.random(n).round(digits)
    return pl.DataFrame({"y": rng.random(n) < p, "p": p})


def limits_of(frame: pl.DataFrame, **options: Any) -> pl.DataFrame:
    return (
        frame.select(pa.calibration_curve("y", "p", **BLOCKS, **options))
        .to_series()
        .explode()
        .struct.unnest()
    )


def test_the_confidence_band_of_many_scores_is_that_of_cells() -> None:
    frame = calibrated(700, 4, digits=4)
    assert frame["p"].n_unique() > 500
    got = limits_of(frame, band="confidence", level=0.9)
    group = Group(list(frame.iter_rows()))
    blocks = [
        oracles.Bin(
            place,
            lowest,
            highest,
            *([(s, w) for s, w in rows if lowest <= s <= highest] for rows in (group.pos, group.neg)),
        )
        for place, (lowest, highest) in enumerate(got.select("lowest", "highest").rows())
    ]
    expected = oracles.confidence_band(group, blocks, 0.9)
    assert_same(got.select("rate_lower", "rate_upper").rows(), expected, relative=1e-9)


def test_the_confidence_band_contains_the_probabilities_at_once() -> None:
    bands = [limits_of(calibrated(400, seed), band="confidence", level=0.9) for seed in range(60)]
    is_inside = [
        band.select(
            (pl.col("rate_lower") <= pl.col("lowest")) & (pl.col("highest") <= pl.col("rate_upper"))
        ).to_series()
        for band in bands
    ]
    assert sum(each.all() for each in is_inside) >= 54
    outer = limits_of(calibrated(400, 1), band="confidence", level=0.99)
    assert (outer["rate_lower"] <= bands[1]["rate_lower"]).all()
    assert (outer["rate_upper"] >= bands[1]["rate_upper"]).all()


def test_miscalibrated_blocks_are_outside_the_consistency_band() -> None:
    outside = (pl.col("rate") < pl.col("rate_lower")) | (pl.col("rate") > pl.col("rate_upper"))
    shares: list[Any] = [
        limits_of(calibrated(400, seed), band="consistency", n_resamples=200)
        .select(outside)
        .to_series()
        .mean()
        for seed in range(40)
    ]
    assert np.mean(shares) < 0.08
    halved = calibrated(400, 1).with_columns(pl.col("p") / 2)
    assert limits_of(halved, band="consistency").filter(outside)["n"].sum() > 200


def test_the_consistency_band_depends_on_the_seed_alone() -> None:
    frame = calibrated(300, 7)
    band = limits_of(frame, band="consistency", n_resamples=50)
    same = limits_of(
        frame.sample(fraction=1, shuffle=True, seed=1), band="consistency", n_resamples=50, seed=0
    )
    assert_same(same.to_dicts(), band.to_dicts())
    other = limits_of(frame, band="consistency", n_resamples=50, seed=1)
    assert (other["rate_upper"] != band["rate_upper"]).any()
    # The curve itself does not change.
    names = ["bin", "lowest", "highest", "n", "n_pos", "mean_score", "rate"]
    assert_same(band.select(names).to_dicts(), limits_of(frame).select(names).to_dicts())
    counts = frame.group_by("y", "p").len("n")
    counted = counts.select(
        pa.calibration_curve("y", "p", band="consistency", n_resamples=50, count="n", **BLOCKS)
    )
    assert_same(counted.item().to_list(), band.to_dicts())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"band": "confidence", "method": None}, r'band does not apply to method="quantile"'),
        ({"band": "confidence", "method": "uniform"}, r'band does not apply to method="uniform"'),
        ({"band": "confidence", "method": None, "edges": [0, 1]}, "band does not apply to edges"),
        ({"band": "confidence", "weight": "w"}, "band does not take a weight"),
        ({"band": "confidence", "seed": 1}, r'seed applies to band="consistency" only'),
        ({"n_resamples": 9}, r'n_resamples applies to band="consistency" only'),
        ({"band": "consistency", "n_resamples": 1}, "n_resamples must"),
        ({"band": "wide"}, "band must be one of"),
    ],
)
def test_bands_refuse_options(options: dict[str, Any], message: str) -> None:
    frame = calibrated(9, 1).with_columns(w=1.0)
    with pytest.raises((ValueError, pl.exceptions.PolarsError), match=message):
        frame.select(pa.calibration_curve("y", "p", **{**BLOCKS, **options}))


def test_states_with_weights_have_no_band() -> None:
    frame = calibrated(30, 1).with_columns(w=1.5)
    states = frame.select(state=pa.roc_state("y", "p", weight="w"))
    [curve] = states.select(pa.calibration_curve(state="state", band="confidence", **BLOCKS)).to_series()
    assert curve.struct.field("rate_lower").is_null().all()
