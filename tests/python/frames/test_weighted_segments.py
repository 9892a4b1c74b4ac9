"""Comparisons of segments with weighted rows."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import examples
from oracles.weights import area, cluster_sums, influences, used, variance

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


def clustered_area(rows: list[Any]) -> tuple[Fraction | None, dict[int, Fraction] | None]:
    """Return the AUC of rows, and the influence of each cluster unless its variance is undefined."""
    auc, square_error = area(rows, 1, 2), None
    if auc is not None:
        square_error = variance(rows, influences(rows, 1, 2), 4)
    if square_error is None:
        return auc, None
    return auc, cluster_sums([row[4] for row in rows], influences(rows, 1, 2))


def clustered_mean(rows: list[Any], key: str) -> tuple[Fraction | None, dict[int, Fraction] | None]:
    """Return the mean of the AUCs of other segments, and the influence of each cluster on it."""
    names = sorted({row[3] for row in rows})
    areas = {name: clustered_area([row for row in rows if row[3] == name]) for name in names}
    are_few = sum(sums is not None for _, sums in areas.values()) < 2
    used = [
        name for name in names if name != key and areas[name][0] is not None and (areas[name][1] or are_few)
    ]
    if not used:
        return None, None
    shares = {}
    for name in used:
        m, n = (
            Fraction(sum(row[0] is label for row in rows))
            * sum(Fraction(row[2]) for row in rows if row[0] is label and row[3] == name)
            / sum(Fraction(row[2]) for row in rows if row[0] is label)
            for label in (True, False)
        )
        shares[name] = m * n / (m + n + 1)
    total = sum(shares.values())
    mean = sum((shares[name] * (areas[name][0] or 0) for name in used), Fraction()) / total
    every = [areas[name][1] for name in used]
    if any(sums is None for sums in every):
        return mean, None
    sums = {cluster: Fraction() for cluster in {row[4] for row in rows}}
    for name, of in zip(used, every, strict=True):
        for cluster, value in (of or {}).items():
            sums[cluster] += shares[name] * value / total
    return mean, sums


@given(
    rows=st.lists(
        st.tuples(
            st.booleans(),
            st.sampled_from([-1.0, 0.0, 0.5, 2.0, math.inf]),
            st.sampled_from([0.0, 0.25, 1.0, 3.5, 8.0]),
            st.sampled_from("abc"),
            st.integers(0, 4),
        ),
        min_size=1,
        max_size=24,
    ),
    versus=st.sampled_from(["rest", "pooled_rest", "overall", "previous", ("a",)]),
)
@examples(100)
def test_clusters_by_definition(rows: list[Any], versus: Any) -> None:
    """The variance of a difference is the sum of squared differences of influences, cluster by cluster."""
    frame = pl.DataFrame(rows, {**SCHEMA, "cluster": pl.Int64}, orient="row")
    rows = used(rows, 2)
    # A reference without rows is an error.
    assume(versus != ("a",) or any(row[3] == "a" for row in rows))
    table = pa.compare_segments(
        frame, "label", "score", "key", weight="weight", cluster="cluster", versus=versus, method="delong"
    )
    names = sorted({row[3] for row in rows})
    assert table["key"].to_list() == names
    for place, got in enumerate(table.iter_rows(named=True)):
        key = got["key"]
        segment = [row for row in rows if row[3] == key]
        others = {
            "pooled_rest": [row for row in rows if row[3] != key],
            "overall": rows,
            "previous": [row for row in rows if place and row[3] == names[place - 1]],
            ("a",): [row for row in rows if row[3] == "a" != key],
        }
        assert got["n_clusters"] == len({row[4] for row in segment})
        auc, sums = clustered_area(segment)
        other, other_sums = clustered_mean(rows, key) if versus == "rest" else clustered_area(others[versus])
        assert near(got["auc"], auc)
        assert near(got["se"], None if sums is None else math.sqrt(sum(value**2 for value in sums.values())))
        if auc is None or other is None:
            assert got["difference"] is None
            continue
        assert near(got["versus_auc"], other)
        assert (got["difference_se"] is None) == (sums is None or other_sums is None)
        if sums is not None and other_sums is not None:
            differences = [
                sums.get(cluster, Fraction()) - other_sums.get(cluster, Fraction())
                for cluster in {row[4] for row in rows}
            ]
            assert near(got["difference_se"] ** 2, sum((value**2 for value in differences), Fraction()))


@pytest.mark.parametrize("method", ["wilson", "delong"])
def test_clusters_of_a_segment_are_those_of_its_interval(method: Literal["wilson", "delong"]) -> None:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "label": rng.random(300) < 0.4,
            "score": rng.integers(0, 40, 300),
            "weight": rng.gamma(2.0, size=300),
            "key": rng.integers(0, 3, 300),
            "cluster": rng.integers(0, 50, 300),
        }
    )
    columns = ("auc", "se", "lower", "upper", "n_clusters")
    table = pa.compare_segments(
        frame, "label", "score", "key", weight="weight", cluster="cluster", method=method
    )
    for row in table.iter_rows(named=True):
        ci = frame.filter(key=row["key"]).select(
            pa.roc_auc_ci("label", "score", weight="weight", cluster="cluster", method=method)
        )
        expected = ci.unnest("score").row(0, named=True)
        assert [row[column] for column in columns] == [
            pytest.approx(expected[column], rel=1e-13) for column in columns
        ]


@pytest.mark.parametrize("versus", ["rest", "pooled_rest", "overall", "previous", (1,)])
def test_each_row_is_a_cluster(versus: Any) -> None:
    rng = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            "label": rng.random(300) < 0.4,
            "score": rng.integers(0, 40, 300),
            "weight": rng.gamma(2.0, size=300),
            "key": rng.integers(0, 3, 300),
        }
    ).with_row_index("row")
    options: dict[str, Any] = {"weight": "weight", "versus": versus, "method": "delong"}
    plain = pa.compare_segments(frame, "label", "score", "key", **options)
    alone = pa.compare_segments(frame, "label", "score", "key", **options, cluster="row")
    # Degrees of freedom count clusters of the rarer class.
    columns = ["auc", "se", "lower", "upper", "versus_auc", "difference", "difference_se", "statistic"]
    columns += ["within_auc", "heterogeneity"]
    assert_frame_equal(alone.select(columns), plain.select(columns), rel_tol=1e-11, abs_tol=1e-13)


@pytest.mark.parametrize("versus", ["rest", "pooled_rest", "overall", "previous"])
def test_clusters_in_any_order(versus: str) -> None:
    """The same bits for any order of rows, and a weight of 0 is an absent row."""
    rng = np.random.default_rng(7)
    frame = pl.DataFrame(
        {
            "label": rng.random(200) < 0.4,
            "score": rng.integers(0, 30, 200),
            "weight": np.where(rng.random(200) < 0.1, 0.0, rng.gamma(2.0, size=200)),
            "key": rng.integers(0, 3, 200),
            "cluster": rng.integers(0, 40, 200),
        }
    )
    options: dict[str, Any] = {"weight": "weight", "cluster": "cluster", "versus": versus}
    table = pa.compare_segments(frame, "label", "score", "key", **options)
    for changed in (frame.sample(fraction=1.0, shuffle=True, seed=1), frame.filter(pl.col("weight") > 0)):
        assert pa.compare_segments(changed, "label", "score", "key", **options).equals(table)


def test_what_does_not_go_with_weights() -> None:
    frame = pl.DataFrame({"label": [0, 1], "score": [1.0, 2.0], "key": ["a", "b"]})
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
