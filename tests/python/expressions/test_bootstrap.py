"""Intervals by bootstrap: options, and agreement with functions that resample."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import polars_auc as pa


def rows(n: int = 400, seed: int = 3) -> pl.DataFrame:
    """Return normal scores, rounded so that some tie."""
    rng = np.random.default_rng(seed)
    label = rng.random(n) < 0.4
    return pl.DataFrame({"y": label, "s": (rng.normal(size=n) + label).round(1)})


def numbers(frame: pl.DataFrame, *args: Any, **options: Any) -> dict[str, dict[str, Any]]:
    """Return the records by field."""
    [records] = frame.select(b=pa.bootstrap_ci(*args, **options))["b"].to_list()
    return {record["field"]: record for record in records}


def test_limits_are_near_those_of_other_methods() -> None:
    frame = rows()
    area = numbers(frame, "roc_auc", "y", "s")["auc"]
    ci = frame.select(pa.roc_auc_ci("y", "s")).item()
    assert area["estimate"] == ci["auc"]
    assert area["se"] == pytest.approx(ci["se"], rel=0.06)
    assert area["lower"] == pytest.approx(ci["lower"], abs=0.01)
    # A rate at a fixed threshold is a binomial share.
    at = numbers(frame, "confusion_at", "y", "s", at=0.5)
    wilson = frame.select(pa.confusion_at("y", "s", 0.5)).item()
    for rate in ("tpr", "fpr"):
        assert at[rate]["lower"] == pytest.approx(wilson[f"{rate}_lower"], abs=0.03)
        assert at[rate]["upper"] == pytest.approx(wilson[f"{rate}_upper"], abs=0.03)
    assert at["tp"]["estimate"] == wilson["tp"]


def test_each_resample_repeats_the_choice() -> None:
    """The interval of a selected point is wider than that of a fixed point."""
    frame = rows()
    best = numbers(frame, "operating_point", "y", "s", criterion="youden")
    fixed = numbers(frame, "confusion_at", "y", "s", at=best["threshold"]["estimate"])
    assert best["threshold"]["lower"] < best["threshold"]["estimate"] < best["threshold"]["upper"]
    assert fixed["threshold"]["se"] == 0
    for rate in ("tpr", "fpr"):
        assert best[rate]["se"] > 1.5 * fixed[rate]["se"]


def test_many_rows_are_resampled_by_cells() -> None:
    """Cells give the estimate of the rows and about their standard error."""
    rng = np.random.default_rng(5)
    label = rng.random(40_000) < 0.3
    frame = pl.DataFrame({"y": label, "s": rng.normal(size=40_000) + label})
    for statistic, field in (("roc_auc", "auc"), ("ks_statistic", "ks")):
        few = numbers(frame[:16_384], statistic, "y", "s", n_resamples=400)[field]
        many = numbers(frame, statistic, "y", "s", n_resamples=400)[field]
        exact = frame.select(getattr(pa, statistic)("y", "s")).item()
        assert many["estimate"] == (exact if isinstance(exact, float) else exact[field])
        assert many["lower"] < many["estimate"] < many["upper"]
        assert many["se"] == pytest.approx(few["se"] * np.sqrt(16_384 / 40_000), rel=0.15)


def test_resamples_without_a_class_are_counted() -> None:
    frame = pl.DataFrame({"y": [1, 1, 0, 0], "s": [1, 2, 1, 0]})
    plain = numbers(frame, "roc_auc", "y", "s", resample="plain", n_resamples=1000)["auc"]
    assert plain["n_undefined"] == pytest.approx(1000 / 8, rel=0.25)
    assert numbers(frame, "roc_auc", "y", "s", n_resamples=1000)["auc"]["n_undefined"] == 0


def test_infinite_scores_are_thresholds() -> None:
    frame = pl.DataFrame({"y": [1, 1, 1, 0, 0, 0], "s": [np.inf, np.inf, 1.0, 0.5, -np.inf, 0.0]})
    best = numbers(frame, "operating_point", "y", "s")["threshold"]
    assert best["upper"] == np.inf
    assert best["estimate"] == 1.0


def test_refused() -> None:
    frame = rows()
    with pytest.raises(ValueError, match="bootstrap_ci: statistic must be one of 'average_precision'"):
        pa.bootstrap_ci("roc_curve", "y", "s")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="bootstrap_ci: resample must be one of 'stratified', 'plain'"):
        pa.bootstrap_ci("roc_auc", "y", "s", resample="both")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="bootstrap_ci: level must lie between 0 and 1"):
        pa.bootstrap_ci("roc_auc", "y", "s", level=95)
    with pytest.raises(ValueError, match="bootstrap_ci: n_resamples must be an integer"):
        pa.bootstrap_ci("roc_auc", "y", "s", n_resamples=0)
    with pytest.raises(
        TypeError, match=r"bootstrap_ci: weight is not an option of roc_auc when bootstrapping. Hint: its"
    ):
        pa.bootstrap_ci("roc_auc", "y", "s", weight="w")
    with pytest.raises(
        TypeError, match=r"bootstrap_ci: at is not an option of gini when bootstrapping. Hint: it has none"
    ):
        pa.bootstrap_ci("gini", "y", "s", at=3)
    with pytest.raises(ValueError, match="bootstrap_ci: at must be a number"):
        pa.bootstrap_ci("confusion_at", "y", "s", at=[0.1, 0.2])
    with pytest.raises(ValueError, match="criterion must be one of"):
        pa.bootstrap_ci("operating_point", "y", "s", criterion="best")
    with pytest.raises(pl.exceptions.ComputeError, match='bootstrap_ci: label "s" contains'):
        frame.select(pa.bootstrap_ci("gini", "s", "s"))
    # Errors have no side effects.
    assert frame.select(pa.gini("y", "s")).dtypes == [pl.Float64]


@pytest.mark.parametrize(
    ("statistic", "listed"),
    [
        ("roc_summary", "it has none"),
        ("gini", "it has none"),
        ("confusion_at", "its options are at, beta"),
        ("operating_point", "its options are criterion, target, cost, prevalence, beta, min_fpr, max_fpr"),
    ],
)
def test_only_options_that_exist_are_listed(statistic: Any, listed: str) -> None:
    with pytest.raises(
        TypeError, match=f"bootstrap_ci: ci is not an option of {statistic} .* Hint: {listed}$"
    ):
        pa.bootstrap_ci(statistic, "y", "s", ci="delong")
