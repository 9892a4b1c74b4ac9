"""Segments of states, compared with segments of their source rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import examples, fixed, frames, scores_with_nan

VERSUS = st.sampled_from(["rest", "pooled_rest", "overall", "previous", "b"])


def states_of(frame: pl.DataFrame, parts: list[str], **limit: Any) -> pl.DataFrame:
    """Return a state for each part of the rows."""
    return frame.group_by(parts).agg(state=pa.roc_state("label", "score", **limit))


def tied(frame: pl.DataFrame, state: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with the score of their bin, its lowest score."""
    bins = state.select(pl.col("state").struct.field("bins").list.explode(empty_as_null=False))
    lowest = bins.unnest("bins").select(bin="score").sort("bin")
    is_used = pl.col("label").is_not_null() & pl.col("score").is_not_null()
    rows = frame.filter(is_used).sort("score")
    rows = rows.join_asof(lowest, left_on="score", right_on="bin").with_columns(score="bin").drop("bin")
    # A segment may have only unused rows.
    return pl.concat([rows, frame.filter(~is_used)])


@given(frame=frames(scores_with_nan, max_rows=40), versus=VERSUS)
@examples(120)
def test_exact_states_answer_as_rows_do(frame: pl.DataFrame, versus: str) -> None:
    if versus == "b" and "b" not in frame["key"] and frame.height:
        versus = "rest"
    options: dict[str, Any] = {"versus": versus, "level": 0.9, "alternative": "greater"}
    expected = pa.compare_segments(frame, "label", "score", "key", **options)
    table = pa.compare_segments(states_of(frame, ["key", "g"]), state="state", by="key", **options)
    assert table["exact"].all()
    assert table.drop("exact").equals(expected)


def test_several_columns_and_lazy_frames() -> None:
    frame = fixed(3000).with_columns(pl.col("g") % 5, part=pl.int_range(pl.len()) % 4)
    states = states_of(frame, ["key", "g", "part"]).sample(fraction=1, shuffle=True, seed=1)
    for options in ({"versus": "previous", "along": "g"}, {"versus": ("a", 2)}, {"versus": "overall"}):
        expected = pa.compare_segments(frame, "label", "score", ["key", "g"], **options)
        lazy = pa.compare_segments(states.lazy(), state="state", by=["key", "g"], **options)
        table = lazy.collect(engine="streaming")
        assert lazy.collect_schema() == table.schema
        assert table.drop("exact").equals(expected)


@given(frame=frames(max_rows=60), versus=VERSUS)
@examples(80)
def test_small_states_answer_as_rows_that_tie(frame: pl.DataFrame, versus: str) -> None:
    frame = pl.concat([frame, frame.with_columns(pl.col("score") * 0.7 + 0.1)])
    if versus == "b" and "b" not in frame["key"]:
        versus = "rest"
    states = states_of(frame, ["key", "g"], max_bins=16)
    table = pa.compare_segments(states, state="state", by="key", versus=versus)
    whole = states.select(pa.merge_states("state"))
    bounds = whole.select(pa.roc_auc_bounds(state="state")).unnest("state")
    assert table["exact"].to_list() == [(bounds["lower"] == bounds["upper"]).fill_null(True).item()] * len(
        table
    )
    rows = pa.compare_segments(tied(frame, whole), "label", "score", "key", versus=versus)
    assert_frame_equal(table.drop("exact"), rows, check_exact=True)
    defined = table.drop_nulls("difference")
    assert (defined["auc"] - defined["versus_auc"]).equals(defined["difference"], check_names=False)


def test_small_states_know_nearly_all() -> None:
    frame = fixed(20_000)
    expected = pa.compare_segments(frame, "label", "score", "key", versus="overall")
    states = states_of(frame, ["key", "g"], max_bins=256)
    table = pa.compare_segments(states, state="state", by="key", versus="overall")
    assert not table["exact"].any()
    names = ["auc", "se", "versus_auc", "difference", "difference_se"]
    assert_frame_equal(table.select(names), expected.select(names), abs_tol=1e-3)


def test_bins_of_different_width_make_no_difference() -> None:
    """A few scores of extreme sizes widen the bins of all rows, but not of the other segment."""
    rng = np.random.default_rng(5)
    n, few = 20_000, 300
    label = rng.random(n) < 0.3
    score = rng.normal(size=n) + label
    score[:few] *= 10.0 ** rng.integers(0, 12, few)
    key = np.where(np.arange(n) < few, "b", "a")
    frame = pl.DataFrame({"key": key, "label": label, "score": score})
    states = pa.group_states(frame, "label", "score", by="key", max_bins=64)
    table = pa.compare_segments(states, state="score", by="key", versus="overall")
    # For the rows it is 0.3; it was 0.
    assert table["p_value"][0] > 0.01


def test_one_state_against_itself_differs_by_nothing() -> None:
    states = fixed(2000).select(state=pa.roc_state("label", "score", max_bins=32))
    row = pa.compare_segments(states.with_columns(k=1), state="state", by="k", versus="overall").row(
        0, named=True
    )
    assert (row["difference"], row["difference_se"], row["auc"]) == (0.0, 0.0, row["versus_auc"])


def weighted_area(frame: pl.DataFrame) -> dict[str, Any]:
    row: dict[str, Any] = frame.select(pa.roc_auc_ci("label", "score", weight="weight")).item()
    return row


@given(frame=frames(scores_with_nan, max_rows=40), versus=st.sampled_from(["pooled_rest", "overall"]))
@examples(120)
def test_weighted_states_have_the_areas_of_weighted_rows(frame: pl.DataFrame, versus: str) -> None:
    states = frame.group_by("key", "g").agg(state=pa.roc_state("label", "score", weight="weight"))
    table = pa.compare_segments(states, state="state", by="key", versus=versus)
    used = frame.drop_nulls(["label", "score", "weight"]).filter(pl.col("weight") > 0)
    keys = used["key"].unique().to_list()
    assert set(table["key"]) == set(keys)
    for row in table.iter_rows(named=True):
        is_segment = pl.col("key").eq_missing(row["key"])
        segment_area = weighted_area(used.filter(is_segment))
        other = weighted_area(used if versus == "overall" else used.filter(~is_segment))
        # Weights are multiples of a quarter, so the results equal those of the rows bit for bit.
        fields = ("auc", "se", "n_pos", "n_neg")
        assert repr([row[field] for field in fields]) == repr([segment_area[field] for field in fields])
        if segment_area["auc"] is not None:
            # With a NaN among the other rows the comparison is undefined.
            expected = float("nan") if used["score"].is_nan().any() else other["auc"]
            assert repr(row["versus_auc"]) == repr(expected)
        if versus == "pooled_rest" and segment_area["se"] is not None and other["se"] is not None:
            if np.isnan(row["versus_auc"]):
                continue
            # Two squares and a root.
            assert row["difference_se"] == pytest.approx(np.hypot(segment_area["se"], other["se"]), rel=1e-14)
            n = [segment_area["n_pos"] + segment_area["n_neg"], other["n_pos"] + other["n_neg"]]
            pairs = [(segment_area["auc"], segment_area["se"]), (other["auc"], other["se"])]
            if row["df"] is not None and not np.isnan(row["df"]):
                variances = [se**2 for _, se in pairs]
                welch = sum(variances) ** 2 / sum(v**2 / (n - 1) for v, n in zip(variances, n, strict=True))
                assert row["df"] == pytest.approx(welch, rel=1e-12)


@given(frame=frames(scores_with_nan, max_rows=40))
@examples(60)
def test_weighted_states_against_the_rest_as_weighted_rows(frame: pl.DataFrame) -> None:
    states = frame.group_by("key", "g").agg(state=pa.roc_state("label", "score", weight="weight"))
    table = pa.compare_segments(states, state="state", by="key").drop("exact")
    used = frame.filter(pl.col("weight") > 0)
    rows = pa.compare_segments(used, "label", "score", "key", weight="weight")
    assert_frame_equal(table, rows, rel_tol=1e-9, abs_tol=1e-12)


def test_weighted_states_by_periods_and_against_one() -> None:
    frame = fixed(3000).with_columns(g=pl.col("g") % 3)
    states = frame.group_by("key", "g").agg(state=pa.roc_state("label", "score", weight="weight"))
    for by, versus in (("g", "previous"), ("key", "b"), ("key", "overall")):
        table = pa.compare_segments(states, state="state", by=by, versus=versus, method="delong")
        areas = {
            key: (area["auc"], area["se"])
            for key, rows in frame.group_by(by)
            if (area := weighted_area(rows))
        }
        rows = table.to_dicts()
        assert [(row["auc"], row["se"]) for row in rows] == [areas[row[by],] for row in rows]
        weights = [1 / row["se"] ** 2 for row in rows]
        mean = np.average([row["auc"] for row in rows], weights=weights)
        q = sum(weight * (row["auc"] - mean) ** 2 for row, weight in zip(rows, weights, strict=True))
        assert rows[0]["heterogeneity"] == pytest.approx(q, rel=1e-9)
        if versus == "overall":
            assert {row["versus_auc"] for row in rows} == {weighted_area(frame)["auc"]}
            assert all(0 < row["difference_se"] < 2 * row["se"] for row in rows)


def test_weights_of_one_compare_as_counts() -> None:
    """The jackknife variance divides by n, DeLong's by n - 1."""
    frame = fixed(3000).with_columns(weight=1.0)
    counts = pa.compare_segments(states_of(frame, ["key", "g"]), state="state", by="key", versus="overall")
    states = frame.group_by("key", "g").agg(state=pa.roc_state("label", "score", weight="weight"))
    table = pa.compare_segments(states, state="state", by="key", versus="overall")
    exact = ["key", "n_pos", "n_neg", "auc", "versus_auc", "difference", "exact"]
    assert_frame_equal(table.select(exact), counts.select(exact), check_exact=True)
    # The variance of each class has n - 1 instead of n.
    least, most = pl.min_horizontal("n_pos", "n_neg"), pl.max_horizontal("n_pos", "n_neg")
    ratio = (table["se"] / counts["se"]) ** 2
    assert (ratio >= table.select(1 - 1 / least).to_series() - 1e-12).all()
    assert (ratio <= table.select(1 - 1 / most).to_series() + 1e-12).all()


def test_weighted_states_whose_squares_are_unknown() -> None:
    frame = fixed(2000).with_columns(weight=pl.when(pl.col("key") == "a").then(2e10).otherwise(1.0))
    states = frame.group_by("key").agg(state=pa.roc_state("label", "score", weight="weight"))
    table = pa.compare_segments(states, state="state", by="key").rows_by_key("key", named=True, unique=True)
    assert (table["a"]["se"], table["b"]["difference_se"]) == (None, None)
    assert table["b"]["se"] > 0
    assert table["b"]["difference"] == table["b"]["auc"] - table["b"]["versus_auc"]
    small = frame.with_columns(weight=1.0).group_by("key")
    small_states = small.agg(state=pa.roc_state("label", "score", weight="weight", max_bins=16))
    joined = pa.compare_segments(small_states, state="state", by="key", versus="overall")
    assert not joined["exact"].any()
    assert joined["difference_se"].null_count() == 0


def test_states_that_are_refused() -> None:
    frame = fixed(200)
    states = states_of(frame, ["key"])
    for options, error, message in [
        (
            {"cluster": "key"},
            ValueError,
            "state and cluster are mutually exclusive, because a state has no",
        ),
        (
            {"count": "n"},
            ValueError,
            r"and count.*write compare_segments\(\.\.\., state=\"state\", by=\"by\"\)",
        ),
        ({"label": "label"}, ValueError, "state and label are mutually exclusive"),
    ]:
        with pytest.raises(error, match=message):
            pa.compare_segments(states, state="state", by="key", **options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"missing label and score. Hint: pass label and score, or state"):
        pa.compare_segments(states, by="key")
    with pytest.raises(pl.exceptions.ComputeError, match='state "score" has dtype f64, expected structs'):
        pa.compare_segments(frame, state="score", by="key")
    scales = [
        states_of(frame.filter(g=g).with_columns(score=0.5), ["key"], max_bins=16, scale=scale)
        for g, scale in ((1, "real"), (2, "probability"))
    ]
    with pytest.raises(pl.exceptions.ComputeError, match="different scales, which cannot be merged"):
        pa.compare_segments(pl.concat(scales), state="state", by="key")
