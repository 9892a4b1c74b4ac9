"""States with keys and labels: folds, users and samples, compared with their source rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polars_auc as pa
from catalogue.cases import examples, fixed, frames, scores_with_nan

FOLDS: list[Callable[..., pl.Expr]] = [
    partial(pa.cv_roc_auc, fold="key"),
    partial(pa.cv_roc_auc, fold="key", method="influence"),
    partial(pa.cv_roc_auc, fold="key", method="influence", ties="zero"),
    partial(pa.cv_roc_auc, fold="key", method="delong", level=0.8),
    partial(pa.cv_roc_curve, fold="key", n_points=7),
    partial(pa.cv_roc_curve, fold="key", at_fpr=[0.3, 0.05]),
    partial(pa.cv_roc_curve, fold="key", method="pooled", n_points=7),
    partial(pa.grouped_roc_auc, by="key"),
    partial(pa.grouped_roc_auc, by=["key"], average="pairs", error="within"),
]


def same(table: pl.DataFrame, expected: pl.DataFrame) -> None:
    assert table.to_series(-1).alias("answer").equals(expected.to_series(-1).alias("answer"))


@pytest.mark.parametrize("make", FOLDS)
@given(frame=frames(scores_with_nan, max_rows=40))
@examples(60)
def test_folds_and_users_of_states(make: Callable[..., pl.Expr], frame: pl.DataFrame) -> None:
    states = frame.group_by("key", "g").agg(state=pa.roc_state("label", "score"))
    by_rows, by_states = make("label", "score"), make(state="state")
    same(states.select(by_states), frame.select(by_rows))
    same(states.lazy().select(by_states).collect(engine="streaming"), frame.select(by_rows))
    groups = states.group_by("g").agg(by_states).sort("g")
    same(groups, frame.group_by("g").agg(by_rows).sort("g"))


@given(frame=frames(max_rows=60))
@examples(40)
def test_small_states_of_each_fold(frame: pl.DataFrame) -> None:
    frame = pl.concat([frame, frame.with_columns(pl.col("score") * 0.7 + 0.1)])
    states = frame.group_by("key").agg(state=pa.roc_state("label", "score", max_bins=16)).drop_nulls()
    areas = states.select(area=pa.roc_auc(state="state").over("key")).drop_nulls()
    record = states.select(pa.grouped_roc_auc(state="state", by="key")).item()
    assert record["n_groups"] == areas.height
    if areas.height:
        assert record["auc"] == pytest.approx(areas["area"].mean(), rel=1e-14)
        cv = states.select(pa.cv_roc_auc(state="state", fold="key")).item()
        assert (cv["auc"], cv["n_folds"]) == (pytest.approx(record["auc"], rel=1e-14), areas.height)


def test_curves_of_folds_of_small_states() -> None:
    """Rows of a fold in the same bin tie; pooled, rows in the same bin of all folds tie."""
    frame = fixed(3000).drop_nulls(["label", "score", "key"])
    states = frame.group_by("key").agg(state=pa.roc_state("label", "score", max_bins=16))
    for by, expression in (
        (["key"], partial(pa.cv_roc_curve, fold="key", n_points=11)),
        ([], partial(pa.cv_roc_curve, fold="key", method="pooled", n_points=11)),
    ):
        merged = (
            states.group_by(by).agg(pa.merge_states("state"))
            if by
            else states.select(pa.merge_states("state"))
        )
        bins = merged.select(*by, pl.col("state").struct.field("bins")).explode("bins")
        lowest = bins.select(*by, bin=pl.col("bins").struct.field("score")).sort("bin")
        tied = frame.sort("score").join_asof(lowest, left_on="score", right_on="bin", by=by or None)
        got, expected = (
            states.select(expression(state="state")).item(),
            tied.select(expression("label", "bin")).item(),
        )
        assert got.equals(expected)


@given(frame=frames(scores_with_nan, max_rows=40), bands=st.integers(1, 12))
@examples(80)
def test_samples_of_states(frame: pl.DataFrame, bands: int) -> None:
    # A state omits unlabelled rows, and a null sample is in neither sample.
    labelled = frame.drop_nulls("label")
    states = frame.group_by("g", "key").agg(state=pa.roc_state("label", "score"))
    is_reference = pl.col("key") == "a"
    for function in (pa.population_stability, pa.population_stability_table):
        from_rows = function(is_reference, "score", bands=bands)
        from_states = function(is_reference, state="state", bands=bands)
        same(states.select(from_states), labelled.select(from_rows))
        groups = states.group_by("g").agg(from_states).sort("g")
        expected = labelled.group_by("g").agg(from_rows).sort("g")
        same(groups.filter(pl.col("g").is_in(expected["g"].implode())), expected)


@given(frame=frames(scores_with_nan, max_rows=40), bands=st.integers(1, 12))
@examples(40)
def test_samples_of_states_with_weights(frame: pl.DataFrame, bands: int) -> None:
    labelled = frame.drop_nulls("label")
    states = frame.group_by("key").agg(state=pa.roc_state("label", "score", weight="weight"))
    is_reference = pl.col("key") == "a"
    # The weights are multiples of a quarter, which are exact in a state.
    same(
        states.select(pa.population_stability(is_reference, state="state", bands=bands)),
        labelled.select(pa.population_stability(is_reference, "score", weight="weight", bands=bands)),
    )


@given(frame=frames(scores_with_nan, max_rows=40))
@examples(40)
def test_folds_of_states_with_weights(frame: pl.DataFrame) -> None:
    labelled = frame.drop_nulls("label")
    states = labelled.group_by("g", "key").agg(state=pa.roc_state("label", "score", weight="weight"))
    # The weights are multiples of a quarter, which are exact in a state.
    same(
        states.select(pa.cv_roc_auc(state="state", fold="key")),
        labelled.select(pa.cv_roc_auc("label", "score", "key", weight="weight")),
    )
    for average in ("macro", "rows", "positives", "pairs"):
        users = partial(pa.grouped_roc_auc, by="key", average=average)
        same(
            states.select(users(state="state")),
            labelled.select(users("label", "score", weight="weight")),
        )


def test_samples_of_small_states_share_their_bins() -> None:
    frame = fixed(3000).drop_nulls(["label", "score", "key"])
    states = frame.group_by("key").agg(state=pa.roc_state("label", "score", max_bins=32))
    bins = states.select(pa.merge_states("state").struct.field("bins").list.explode(empty_as_null=False))
    lowest = bins.unnest("bins").select(bin="score").sort("bin")
    tied = frame.sort("score").join_asof(lowest, left_on="score", right_on="bin")
    is_reference = pl.col("key") == "a"
    got = states.select(pa.population_stability(is_reference, state="state")).item()
    assert got == tied.select(pa.population_stability(is_reference, "bin")).item()
    assert got["n_neg"] == frame.filter(~is_reference).height


def test_roles_with_states() -> None:
    cases: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: pa.cv_roc_auc(state="s"), TypeError, "fold required with state, as cv_roc_auc"),
        (lambda: pa.grouped_roc_auc(state="s"), TypeError, "by required with state, as grouped"),
        (lambda: pa.cv_roc_curve(state="s"), TypeError, "fold required with state, as cv_roc_curve"),
        (
            lambda: pa.cv_roc_curve(state="s", fold="f", method="threshold"),
            ValueError,
            r"method 'threshold' needs the scores of rows, .*. Hint: write method=.vertical.",
        ),
        (lambda: pa.cv_roc_auc("y", "s"), TypeError, "fold must be a column name or an expression"),
        (lambda: pa.cv_roc_auc(fold="f"), TypeError, "missing label and score. Hint: pass"),
        (
            lambda: pa.cv_roc_auc(state="s", fold="f", method="delong", cluster="c"),
            ValueError,
            "state and cluster are mutually exclusive, because a state has no clusters",
        ),
        (
            lambda: pa.grouped_roc_auc(state="s", by="u", count="n"),
            ValueError,
            r'state and count .*. Hint: write grouped_roc_auc\(\.\.\., state="state", by="by"\)',
        ),
        (
            lambda: pa.population_stability("y", "s", state="t"),
            ValueError,
            "state and score",
        ),
    ]
    for call, error, words in cases:
        with pytest.raises(error, match=words):
            call()
    frame = fixed(100)
    heavy = frame.select("key", state=pa.roc_state("label", "score", weight="weight"))
    with pytest.raises(pl.exceptions.ComputeError, match="is of weighted rows, expected states"):
        heavy.select(pa.cv_roc_auc(state="state", fold="key", method="influence"))
    scales = [
        pl.DataFrame({"y": [0, 1], "s": [0.2, 0.7]}).select(
            state=pa.roc_state("y", "s", max_bins=16, scale=scale)
        )
        for scale in ("real", "probability")
    ]
    both = pl.concat(scales).with_columns(old=pl.Series([True, False]))
    with pytest.raises(pl.exceptions.ComputeError, match="different scales, which cannot be merged"):
        both.select(pa.population_stability("old", state="state"))


@pytest.mark.parametrize("by", [[0.1], ["key", 0.1], [None], [["key"]]])
def test_what_makes_no_groups(by: Any) -> None:
    message = r"\w+: by must be a column name or an expression, got "
    with pytest.raises(TypeError, match=message):
        pa.grouped_roc_auc("label", "score", by=by)
    with pytest.raises(TypeError, match=message):
        pa.grouped_roc_auc_difference("label", "score", "score", by=by)
    with pytest.raises(TypeError, match=message):
        pa.covariate_adjusted_roc_curve("label", "score", by=by)
