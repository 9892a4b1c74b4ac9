"""Comparisons of segments with weighted rows."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polars_auc as pa
from catalogue.cases import examples
from oracles.weights import area, influences, used, variance

SCHEMA = {"label": pl.Boolean, "score": pl.Float64, "weight": pl.Float64, "key": pl.String}
ROWS = st.lists(
    st.tuples(
        st.booleans(),
        st.sampled_from([-1.0, 0.0, 0.5, 2.0, math.inf]),
        st.sampled_from([0.0, 0.25, 1.0, 3.5, 8.0]),
        st.sampled_from("abc"),
    ),
    min_size=1,
    max_size=20,
)


def near(value: float | None, expected: Fraction | float | None) -> bool:
    # A difference of rounded variances.
    return (value is None) == (expected is None) and (
        value is None or expected is None or value == pytest.approx(float(expected), rel=1e-9, abs=1e-12)
    )


def estimate(rows: list[Any]) -> tuple[Fraction | None, Fraction | None]:
    auc = area(rows, 1, 2)
    return auc, None if auc is None else variance(rows, influences(rows, 1, 2), None)


def mean_of_others(rows: list[Any], key: str) -> tuple[Fraction | None, Fraction | None]:
    """Return the van Elteren mean of the AUCs of other segments, and its variance.

    The positives of all segments count by their share of the weights, and so do negatives.
    """
    weights, areas = [], []
    names = sorted({row[3] for row in rows})
    every = [estimate([row for row in rows if row[3] == name]) for name in names]
    # With fewer than two variances, the mean is over all segments with an AUC.
    are_few = sum(square_error is not None for _, square_error in every) < 2
    for other, (auc, square_error) in zip(names, every, strict=True):
        segment = [row for row in rows if row[3] == other]
        if other == key or auc is None or (square_error is None and not are_few):
            continue
        m, n = (
            Fraction(sum(row[0] is label for row in rows))
            * sum(Fraction(row[2]) for row in segment if row[0] is label)
            / sum(Fraction(row[2]) for row in rows if row[0] is label)
            for label in (True, False)
        )
        weights.append(m * n / (m + n + 1))
        areas.append((auc, square_error))
    if not weights:
        return None, None
    shares = [weight / sum(weights) for weight in weights]
    mean = sum((share * auc for share, (auc, _) in zip(shares, areas, strict=True)), Fraction())
    if any(v is None for _, v in areas):
        return mean, None
    return mean, sum((share**2 * v for share, (_, v) in zip(shares, areas, strict=True) if v), Fraction())


@given(rows=ROWS)
@examples(60)
def test_each_segment_against_the_rest_and_against_all(rows: list[Any]) -> None:
    frame = pl.DataFrame(rows, SCHEMA, orient="row")
    rows = used(rows, 2)
    every, every_variance = estimate(rows)
    rest = pa.compare_segments(frame, "label", "score", "key", weight="weight", versus="pooled_rest")
    within = pa.compare_segments(frame, "label", "score", "key", weight="weight")
    overall = pa.compare_segments(frame, "label", "score", "key", weight="weight", versus="overall")
    assert rest["key"].to_list() == sorted({row[3] for row in rows})
    tables = (table.iter_rows(named=True) for table in (rest, overall, within))
    for row, with_all, with_mean in zip(*tables, strict=True):
        key = row["key"]
        mean, mean_variance = mean_of_others(rows, key)
        segment, others = [r for r in rows if r[3] == key], [r for r in rows if r[3] != key]
        assert (row["n_pos"], row["n_neg"]) == (sum(r[0] for r in segment), sum(not r[0] for r in segment))
        (auc, auc_variance), (other, other_variance) = estimate(segment), estimate(others)
        assert near(row["auc"], auc)
        assert near(row["se"], None if auc_variance is None else math.sqrt(auc_variance))
        if auc is None:
            assert row["difference"] is None
            continue
        assert near(with_mean["versus_auc"], mean)
        if auc_variance is not None:
            assert near(
                with_mean["difference_se"],
                None if mean_variance is None else math.sqrt(auc_variance + mean_variance),
            )
        assert near(row["versus_auc"], other)
        both = (
            None
            if auc_variance is None or other_variance is None
            else math.sqrt(auc_variance + other_variance)
        )
        assert near(row["difference_se"], both)
        assert near(with_all["versus_auc"], every)
        if auc_variance is not None and every_variance is not None:
            # The rows of other segments have no influence on the AUC of this one.
            segment_influences = iter(influences(segment, 1, 2))
            differences = [
                (next(segment_influences) if r[3] == key else 0) - whole
                for r, whole in zip(rows, influences(rows, 1, 2), strict=True)
            ]
            difference_variance = sum((value**2 for value in differences), Fraction())
            assert near(with_all["difference_se"] ** 2, difference_variance)


def test_equal_weights_are_the_jackknife_of_rows() -> None:
    frame = pl.DataFrame(
        {"label": [0, 1, 0, 1, 1, 0] * 20, "score": range(120), "key": ["a", "b"] * 60, "weight": [3.0] * 120}
    ).with_columns(score=pl.col("score") * 37 % 101)
    table = pa.compare_segments(frame, "label", "score", "key", weight="weight", versus=("a",))
    for row in table.iter_rows(named=True):
        part = frame.filter(key=row["key"])
        ci = part.select(pa.roc_auc_ci("label", "score", weight="weight")).unnest("score").row(0, named=True)
        assert [row[field] for field in ("auc", "se", "lower", "upper")] == [
            pytest.approx(ci[field], rel=1e-14) for field in ("auc", "se", "lower", "upper")
        ]
    assert table["p_value"].null_count() == 1


def test_a_nan_is_of_its_segment() -> None:
    frame = pl.DataFrame(
        {
            "label": [0, 1] * 6,
            "score": [1.0, 2.0, math.nan, 1.0] * 3,
            "key": ["a", "a", "b", "b"] * 3,
            "w": [2.0] * 12,
        }
    )
    table = pa.compare_segments(frame, "label", "score", "key", weight="w", versus=("a",))
    assert table["auc"].to_list() == [1.0, pytest.approx(math.nan, nan_ok=True)]


def test_what_does_not_go_with_weights() -> None:
    frame = pl.DataFrame({"label": [0, 1], "score": [1.0, 2.0], "key": ["a", "b"]})
    with pytest.raises(
        ValueError, match="weight cannot be combined with cluster: no standard error is implemented"
    ):
        pa.compare_segments(frame, "label", "score", "key", weight=pl.lit(1.0), cluster="key")
    with pytest.raises(ValueError, match="compare_segments: weight and count are mutually exclusive"):
        pa.compare_segments(frame, "label", "score", "key", weight=pl.lit(1.0), count=pl.lit(1))
    with pytest.raises(ValueError, match="roc_auc_difference: method 'bootstrap' does not take a weight"):
        pa.roc_auc_difference("label", "score", "key", weight="w", method="bootstrap")
    with pytest.raises(ValueError, match="roc_auc_difference: weight goes with whole areas only"):
        pa.roc_auc_difference("label", "score", "key", weight="w", max_fpr=0.2)
    with pytest.raises(ValueError, match="cv_roc_auc: method 'influence' does not take a weight"):
        pa.cv_roc_auc("label", "score", "key", weight="w", method="influence")
    with pytest.raises(ValueError, match="state and weight"):
        pa.cv_roc_auc(state="state", fold="key", weight="w")


def test_several_scores_are_compared_as_pairs() -> None:
    frame = pl.DataFrame({"label": [0, 1, 0, 1, 1, 0, 1] * 9}).with_row_index("row")
    frame = frame.with_columns(
        a=pl.col("row") * 7 % 31 + 5 * pl.col("label"),
        b=pl.col("row") * 11 % 29 + 9 * pl.col("label"),
        c=pl.col("row") * 5 % 23,
        w=(pl.col("row") % 5 + 1) / 4,
    )
    whole = frame.select(pa.compare_scores("label", "a", "b", "c", weight="w", adjust=None)).unnest("a")
    assert whole["df"].item() == 2
    for pair in whole["differences"].item():
        names = (pair["score_a"], pair["score_b"])
        [test] = frame.select(pa.roc_auc_difference("label", *names, weight="w")).to_series()
        for field in ("difference", "se", "lower", "upper", "z", "p_value"):
            assert pair[field] == test[field], field
    for one in whole["estimates"].item():
        [ci] = frame.select(pa.roc_auc_ci("label", one["score"], weight="w")).to_series()
        assert (one["estimate"], one["se"]) == (ci["auc"], pytest.approx(ci["se"], rel=1e-14))
    # Var(a - b) = Var a + Var b - 2 Cov.
    first, second, _ = (one["covariance"] for one in whole["estimates"].item())
    expected = math.sqrt(first[0] + second[1] - 2 * first[1])
    assert whole["differences"].item()[0]["se"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("score", [-5.0, 0.6, 9.0])
@pytest.mark.parametrize("segments", [2, 20])
@pytest.mark.parametrize("versus", ["rest", "pooled_rest", "overall"])
def test_a_bin_so_light_that_it_has_no_units(
    score: float, segments: int, versus: Literal["rest", "pooled_rest", "overall"]
) -> None:
    rng = np.random.default_rng(1)
    n = 4000
    label = rng.random(n) < 0.5
    row = pl.int_range(n)
    frame = pl.DataFrame({"label": label, "score": rng.random(n) + 0.3 * label}).with_columns(
        score=pl.when(row == 1).then(score).otherwise("score"),
        weight=pl.when(row == 1).then(1e-17).when(row == 2).then(1e4).otherwise(1.0),
        segment=row % segments,
    )
    states = frame.group_by("segment").agg(state=pa.roc_state("label", "score", weight="weight"))
    from_states = pa.compare_segments(states, by="segment", state="state", versus=versus)
    from_rows = pa.compare_segments(frame, "label", "score", "segment", weight="weight", versus=versus)
    for column in ("auc", "versus_auc", "difference", "difference_se", "p_value"):
        assert from_states[column].to_list() == pytest.approx(from_rows[column].to_list(), rel=1e-9), column
