"""Tests of any value, of non-inferiority and of equivalence."""

from __future__ import annotations

import functools
from typing import Any, Literal

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student_t

import polars_auc as pa
from catalogue.cases import examples, fixed

SIDES: list[Literal["two-sided", "greater", "less"]] = ["two-sided", "greater", "less"]
FRAME = fixed(300)


def answer(expression: pl.Expr) -> dict[str, Any]:
    return FRAME.select(expression).to_series().to_list()[0]  # type: ignore[no-any-return]


def by_interval(record: dict[str, Any], side: str, null: float, margin: float) -> bool:
    """Return whether the interval of twice the level is on the right side of the bounds."""
    above, below = record["lower"] > null - margin, record["upper"] < null + margin
    return bool({"greater": above, "less": below, "two-sided": above and below}[side])


@given(
    side=st.sampled_from(SIDES),
    null=st.floats(0.3, 0.9),
    margin=st.floats(0.01, 0.3),
    alpha=st.floats(0.001, 0.2),
    options=st.sampled_from([{}, {"method": "logit"}, {"cluster": "key"}, {"weight": "weight"}]),
)
@examples(150)
def test_a_margin_is_kept_if_the_interval_keeps_it(
    side: Any, null: float, margin: float, alpha: float, options: dict[str, Any]
) -> None:
    """Two one-sided tests at a level equal an interval of 1 minus twice the level (Schuirmann 1987)."""
    options |= {"level": 1 - 2 * alpha}
    record = answer(pa.roc_auc_ci("label", "score", alternative=side, null=null, margin=margin, **options))
    assert (record["p_value"] < alpha) == by_interval(record, side, null, margin)


@given(null=st.floats(-0.3, 0.3), side=st.sampled_from(SIDES), margin=st.floats(0.01, 0.3))
@examples(60)
def test_of_differences(null: float, side: Any, margin: float) -> None:
    for options in ({}, {"max_fpr": 0.3}, {"method": "bootstrap", "n_resamples": 20}):
        test = pa.roc_auc_difference(
            "label", "score", "other", level=0.9, alternative=side, null=null, **options
        )
        record = answer(test)
        assert record["z"] == pytest.approx((record["difference"] - null) / record["se"], rel=1e-12)
        kept = answer(
            pa.roc_auc_difference(
                "label", "score", "other", level=0.9, alternative=side, null=null, margin=margin, **options
            )
        )
        distances = {
            "greater": record["difference"] - (null - margin),
            "less": record["difference"] - (null + margin),
            "two-sided": margin - abs(record["difference"] - null),
        }
        assert kept["z"] == pytest.approx(distances[side] / record["se"], rel=1e-9, abs=1e-9)
        tail = norm.cdf if side == "less" else norm.sf
        assert kept["p_value"] == pytest.approx(float(tail(kept["z"])), rel=1e-9)


@pytest.mark.parametrize("side", SIDES)
def test_of_segments_and_of_two_samples(side: Literal["two-sided", "greater", "less"]) -> None:
    """Compare with Student's distribution of scipy."""
    compare = functools.partial(
        pa.compare_segments, FRAME, "label", "score", "key", adjust=None, method="delong"
    )
    plain, moved, kept = compare(), compare(alternative=side, null=0.1), compare(alternative=side, margin=0.2)
    tested = 0
    for before, after, within in zip(*(it.iter_rows(named=True) for it in (plain, moved, kept)), strict=True):
        if before["statistic"] is None:
            # A standard error of 0.
            continue
        tested += 1
        t = (before["difference"] - 0.1) / before["difference_se"]
        tails = {"two-sided": 2 * student_t.sf(abs(t), before["df"])}
        tails |= {"greater": student_t.sf(t, before["df"]), "less": student_t.cdf(t, before["df"])}
        assert after["statistic"] == pytest.approx(t, rel=1e-12)
        assert after["p_value"] == pytest.approx(float(tails[side]), rel=1e-9)
        t = {
            "greater": before["difference"] + 0.2,
            "less": before["difference"] - 0.2,
            "two-sided": 0.2 - abs(before["difference"]),
        }[side] / before["difference_se"]
        p = student_t.cdf(t, before["df"]) if side == "less" else student_t.sf(t, before["df"])
        assert within["p_value"] == pytest.approx(float(p), rel=1e-9)
    # All rows, except the few with a null key.
    assert tested == FRAME["key"].drop_nulls().n_unique()
    rows = pl.DataFrame({"auc": [0.8], "se": [0.03]})
    test = pa.unpaired_roc_auc_difference("auc", "se", 0.75, 0.04, alternative=side, margin=0.1)
    got = rows.select(test).item()
    z = {"greater": 3.0, "less": -1.0, "two-sided": 1.0}[side]
    assert got["statistic"] == pytest.approx(z)
    assert got["p_value"] == pytest.approx(float(norm.sf(abs(z))))


@pytest.mark.parametrize("versus", ["rest", "overall"])
@pytest.mark.parametrize("side", SIDES)
def test_of_segments_by_wilson(side: Literal["two-sided", "greater", "less"], versus: str) -> None:
    """The tested value is the limit of the interval with the same tail probability."""
    compare = functools.partial(
        pa.compare_segments, FRAME, "label", "score", "key", versus=versus, adjust=None
    )
    moved = compare(alternative=side, null=0.1)
    tested = 0
    for place, row in enumerate(moved.iter_rows(named=True)):
        t, df = row["statistic"], row["df"]
        tails = {"two-sided": 2 * student_t.sf(abs(t), df)}
        tails |= {"greater": student_t.sf(t, df), "less": student_t.cdf(t, df)}
        assert row["p_value"] == pytest.approx(float(tails[side]), rel=1e-9)
        at = compare(level=1 - float(tails["two-sided"])).row(place, named=True)
        limit = "difference_lower" if t > 0 else "difference_upper"
        assert at[limit] == pytest.approx(0.1, abs=1e-8)
        tested += 1
    assert tested == FRAME["key"].n_unique()
    kept = compare(alternative=side, margin=0.2)["p_value"].to_list()
    above, below = (
        compare(alternative=of, null=null)["p_value"].to_list()  # type: ignore[arg-type]
        for of, null in (("greater", -0.2), ("less", 0.2))
    )
    p_values = [max(pair) for pair in zip(above, below, strict=True)]
    assert kept == {"greater": above, "less": below, "two-sided": p_values}[side]


def test_a_perfect_score_is_not_inferior_by_logit_alone() -> None:
    frame = pl.DataFrame({"y": [0, 0, 0, 1, 1, 1], "s": [1, 2, 3, 4, 5, 6]})
    plain, logit = (
        frame.select(pa.roc_auc_ci("y", "s", null=0.5, alternative="greater", method=method)).item()
        for method in ("delong", "logit")
    )
    # Without a standard error DeLong's test is undefined.
    assert (plain["z"], plain["p_value"]) == (None, None)
    assert 0 < logit["p_value"] < 0.2


def test_partial_areas_from_states_and_counts() -> None:
    expected = answer(pa.roc_auc_ci("label", "score", max_fpr=0.3))
    state = FRAME.group_by("g").agg(pa.roc_state("label", "score").alias("state"))
    assert state.select(pa.roc_auc_ci(state="state", max_fpr=0.3)).item() == expected
    counted = FRAME.drop_nulls(["label", "score"]).group_by("label", "score").len()
    assert counted.select(pa.roc_auc_ci("label", "score", max_fpr=0.3, count="len")).item() == expected
    difference = answer(pa.roc_auc_difference("label", "score", -pl.col("score"), max_fpr=0.3))
    assert difference["se"] > 0
