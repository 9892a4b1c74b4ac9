"""Kendall's test of agreement, compared with scipy."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

import polars_auc as pa

SIDES: list[Literal["two-sided", "greater", "less"]] = ["two-sided", "greater", "less"]


def rows(n: int, values: int | None, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.permutation(n) if values is None else rng.integers(values, size=n)
    y = x + rng.normal(scale=n, size=n) if values is None else (x + rng.integers(3, size=n)) % values
    return pl.DataFrame({"x": x, "y": y})


def agreement(frame: pl.DataFrame, **options: Any) -> dict[str, Any]:
    return frame.select(pa.rank_agreement("x", "y", **options)).item()  # type: ignore[no-any-return]


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("n", [2, 5, 12, 49, 120])
def test_exact(n: int, alternative: Literal["two-sided", "greater", "less"]) -> None:
    frame = rows(n, None)
    expected = kendalltau(frame["x"], frame["y"], method="exact", alternative=alternative)
    got = agreement(frame, method="exact", alternative=alternative)
    assert got["tau_b"] == pytest.approx(expected.statistic, rel=1e-14)
    assert got["p_value"] == pytest.approx(expected.pvalue, rel=1e-12)
    auto = agreement(frame, alternative=alternative)
    assert (auto["method"], auto["p_value"] == got["p_value"]) == (
        ("exact", True) if n < 50 else ("asymptotic", False)
    )


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("values", [None, 2, 5, 40])
def test_asymptotic(values: int | None, alternative: Literal["two-sided", "greater", "less"]) -> None:
    frame = rows(200, values)
    expected = kendalltau(frame["x"], frame["y"], method="asymptotic", alternative=alternative)
    got = agreement(frame, method="asymptotic", alternative=alternative)
    assert got["p_value"] == pytest.approx(expected.pvalue, rel=1e-10)
    stuart = kendalltau(frame["x"], frame["y"], variant="c")
    assert got["tau_c"] == pytest.approx(stuart.statistic, rel=1e-13)


def test_an_exact_p_value_that_cannot_be_counted() -> None:
    tied = agreement(rows(30, 5), method="exact")
    assert (tied["p_value"], tied["method"]) == (None, None)
    assert tied["z"] is not None
    long = agreement(rows(1501, None), method="exact")
    assert (long["p_value"], long["method"]) == (None, None)
    # The largest exact case: near the limit both methods agree.
    counted, limit = (agreement(rows(1500, None), method=method) for method in ("exact", "asymptotic"))
    assert counted["p_value"] == pytest.approx(limit["p_value"], rel=0.01)


def test_columns_that_do_not_vary() -> None:
    same = agreement(pl.DataFrame({"x": [1, 1, 1], "y": [1, 2, 3]}))
    assert (same["tau_c"], same["z"], same["p_value"], same["method"]) == (None, None, None, None)


def test_options() -> None:
    with pytest.raises(ValueError, match="rank_agreement: alternative must be one of 'two-sided'"):
        pa.rank_agreement("x", "y", alternative="both")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="rank_agreement: method must be one of 'auto', 'exact'"):
        pa.rank_agreement("x", "y", method="normal")  # type: ignore[arg-type]
