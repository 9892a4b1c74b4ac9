"""The summary of a report equals `roc_summary`, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polars_auc as pa
from polars_auc._expressions.intervals import roc_summaries
from polars_auc._report.columns import SUMMARY_COLUMNS

NAN = float("nan")

OPTIONS: list[dict[str, Any]] = [
    {},
    {"level": 0.8, "ci": "logit"},
    {"ci": "hanley_mcneil"},
    {"ci": "obuchowski"},
    {"ci": "bootstrap", "n_resamples": 9, "seed": 3},
]


def assert_of_scores(rows: pl.DataFrame, columns: list[dict[str, Any]], **options: Any) -> None:
    """Summaries of several scores equal those of each score."""
    groups = rows.group_by("g", maintain_order=True)
    several = groups.agg(roc_summaries(columns, **options).alias("x"))
    assert isinstance(several.schema["x"], pl.Array)
    assert several.schema["x"].shape == (len(columns),)
    for place, score_columns in enumerate(columns):
        alone = groups.agg(roc_summaries([score_columns], **options).arr.first().alias("x"))
        assert repr(several.with_columns(pl.col("x").arr.get(place)).rows()) == repr(alone.rows())


def assert_same(rows: pl.DataFrame, **arguments: Any) -> None:
    roles = ("label", "score", "weight", "count", "state")
    columns = {role: arguments.pop(role) for role in roles if role in arguments}
    answer = roc_summaries([columns], **arguments).arr.first().alias("x")
    short = rows.group_by("g", maintain_order=True).agg(answer).unnest("x")
    whole = (
        rows.group_by("g", maintain_order=True)
        .agg(pa.roc_summary(**columns, **arguments).alias("x"))
        .unnest("x")
    )
    assert short.columns == ["g", *SUMMARY_COLUMNS]
    # Bit for bit, also for NaN.
    assert repr(short.rows()) == repr(whole.select("g", *SUMMARY_COLUMNS).rows())


@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from([0, 1, 2]),
            st.sampled_from([True, False, None]),
            st.sampled_from([-0.0, 0.0, 1.0, 2.0, 3.5, float("inf"), NAN, None]),
            st.sampled_from([0.5, 1.0, 3.0]),
            st.sampled_from([0, 1, 2, None]),
        ),
        max_size=40,
    ),
    options=st.sampled_from(OPTIONS),
)
def test_any_rows(rows: list[Any], options: dict[str, Any]) -> None:
    schema = {"g": pl.Int64, "y": pl.Boolean, "s": pl.Float64, "w": pl.Float64, "n": pl.Int64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    assert_same(frame, label="y", score="s", **options)
    assert_same(frame, label="y", score="s", count="n", **options)
    if not options:
        assert_same(frame, label="y", score="s", weight="w")
        states = frame.group_by("g", maintain_order=True).agg(state=pa.roc_state("y", "s", weight="w"))
        assert_same(states, state="state")
    if options.get("ci") != "bootstrap":
        states = frame.group_by("g", maintain_order=True).agg(state=pa.roc_state("y", "s"))
        assert_same(states, state="state", **options)
        assert_of_scores(states, [{"state": "state"}] * 2, **options)
    # Scores of several dtypes, and a repeated score.
    scores = [pl.col("s"), pl.col("n").cast(pl.Int8), pl.col("n"), pl.col("w").cast(pl.Decimal(9, 2))]
    for shared in ({}, {"count": "n"}, {} if options else {"weight": "w"}):
        columns = [{"label": "y", "score": score, **shared} for score in (*scores, pl.col("s"))]
        assert_of_scores(frame, columns, **options)
        assert_of_scores(frame, columns[:1], **options)
        if not options:
            # More scores than one pass reads.
            assert_of_scores(frame, columns * 4)


@pytest.mark.parametrize("decimals", [1, 2, 9])
def test_many_rows(decimals: int) -> None:
    """Test several threads, few and many distinct scores, and either class as the rarer one."""
    rng = np.random.default_rng(5)
    for share in (0.02, 0.4, 0.9):
        label = rng.random(300_000) < share
        score = (rng.standard_normal(label.size) + label).round(decimals)
        frame = pl.DataFrame({"g": 0, "y": label, "s": score, "w": rng.random(label.size)})
        assert_same(frame, label="y", score="s")
        assert_same(frame, label="y", score=-pl.col("s"))
        assert_same(frame, label="y", score="s", weight="w")


def test_a_group_column_is_not_called_as_ours() -> None:
    rows = pl.DataFrame({"y": [0, 1], "s": [0.1, 0.2], "polars_auc: summary": ["a", "a"]})
    with pytest.raises(ValueError, match=r"'polars_auc: summary' begins with 'polars_auc: '.*rename it"):
        pa.report(rows, "y", "s", by="polars_auc: summary")


def test_intervals_of_clusters_replace_others() -> None:
    rows = pl.DataFrame({"y": [0, 1, 0, 1, 1, 0], "s": [1, 2, 3, 4, 5, 6], "c": [1, 1, 2, 2, 3, 3]})
    table = pa.report(rows, "y", "s", cluster="c")
    plain = pa.report(rows, "y", "s")
    interval = rows.select(x=pa.roc_auc_ci("y", "s", cluster="c")).unnest("x")
    assert table.columns == plain.columns
    replaced = ("se", "lower", "upper", "gini_lower", "gini_upper")
    assert table.drop(replaced).equals(plain.drop(replaced))
    assert table.select("se", "lower", "upper").equals(interval.select("se", "lower", "upper"))
    for limit in ("lower", "upper"):
        assert table[f"gini_{limit}"].item() == 2 * table[limit].item() - 1
    assert table["se"].item() != plain["se"].item()
