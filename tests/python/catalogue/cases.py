"""Small frames of edge cases: ties, infinities, nulls, single classes, tiny groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from hypothesis import settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from oracles.rows import MAYBE, Iterated, Rounded

SCHEMA = {
    "g": pl.Int64,
    "label": pl.Boolean,
    "score": pl.Float64,
    "other": pl.Float64,
    "key": pl.String,
    "weight": pl.Float64,
}
PROBABILITIES = [
    *(
        ((pl.col(score) + 4) / 8).clip(0, 1).alias(name)
        for score, name in (("score", "probability"), ("other", "other_probability"))
    ),
    ((pl.col("score") + 4).clip(0, 8).floor() / 8).alias("grade"),
]
"""Return scores from 0 to 1 in the order of the scores; many are 0 or 1, and a grade is one of nine."""

TIED = [-math.inf, -1.5, -0.0, 0.0, 5e-324, 1.0, math.nextafter(1.0, 2.0), 2.0, math.inf]

labels = st.sampled_from([True, False, True, False, None])
keys = st.sampled_from(["b", "a", "c", "b", "a", None])
# Sums and products of these are exact, so results equal the fractions of the definition bit for bit.
weights = st.sampled_from([1.0, 0.5, 3.25, 2.0, 1.0, 0.0, 1024.0, None])
scores = st.one_of(st.sampled_from(TIED), st.none(), st.floats(allow_nan=False))
scores_with_nan = st.one_of(scores, scores, scores, st.just(math.nan))


TWO_SCORES = {"y": pl.Int8, "s": pl.Float64, "t": pl.Float64, "g": pl.String, "h": pl.Int32}
"""A label, two scores, and two keys of groups."""

_few_scores = st.sampled_from([1.0, 2.0, 3.0, -0.0, 0.0, 2.5, None])
two_scores = st.lists(
    st.tuples(
        st.sampled_from([0, 1, 0, 1, None]),
        _few_scores,
        _few_scores,
        st.sampled_from(["a", "b", "c", None]),
        st.integers(0, 2),
    ),
    max_size=40,
)


def without_unlabelled(answers: pl.DataFrame) -> pl.DataFrame:
    """Return results of rows as states have them, without the number of unlabelled rows."""
    null = pl.lit(None, dtype=pl.UInt64).alias("n_unlabelled")
    return answers.with_columns(
        pl.col(name).struct.with_fields(null)
        for name, dtype in answers.schema.items()
        if isinstance(dtype, pl.Struct) and "n_unlabelled" in dtype.to_schema()
    )


def assert_report_of_rows(from_states: pl.DataFrame, from_rows: pl.DataFrame) -> None:
    """Compare the report of exact states with the report of their rows."""
    assert from_states["exact"].all()
    assert from_states["n_unlabelled"].is_null().all()
    got = from_states.drop("auc_min", "auc_max", "exact", "n_unlabelled")
    assert_frame_equal(got, from_rows.drop("n_unlabelled"), check_exact=True)


def examples(number: int, **others: Any) -> settings:
    """Return the number of random cases of a test, scaled by the Hypothesis profile."""
    share = settings().max_examples / 100
    return settings(max_examples=max(5, round(number * share)), deadline=None, **others)


def frames(
    score: st.SearchStrategy[float | None] = scores, max_rows: int = 25
) -> st.SearchStrategy[pl.DataFrame]:
    """Frames of some groups."""
    row = st.tuples(st.integers(0, 3), labels, score, score, keys, weights)
    return st.lists(row, max_size=max_rows).map(
        lambda rows: pl.DataFrame(rows, SCHEMA, orient="row").with_columns(PROBABILITIES)
    )


def fixed(n: int = 5_000, seed: int = 1) -> pl.DataFrame:
    """Rows with ties and distinct scores, groups of very different size, and some nulls."""
    rng = np.random.default_rng(seed)
    groups = np.minimum(rng.geometric(0.15, n), 40)
    label = rng.random(n) < 0.3
    score = rng.normal(size=n) + label
    score = np.where(rng.random(n) < 0.5, np.round(score, 1), score)
    other = np.round(rng.normal(size=n) + 0.5 * label + 0.5 * score, 1)
    frame = pl.DataFrame({"g": groups, "label": label, "score": score, "other": other})
    gap = pl.Series(rng.random(n) < 0.02)
    return frame.with_columns(
        score=pl.when(~gap).then("score"),
        label=pl.when(~gap.reverse()).then("label"),
        other=pl.when(~gap.shuffle(seed=1)).then("other"),
        weight=pl.when(~gap.shuffle(seed=3)).then(pl.Series(rng.integers(0, 9, n) / 4)),
        key=pl.when(~gap.shuffle(seed=2)).then(pl.Series(rng.choice(["c", "a", "d", "b"], n))),
    ).with_columns(PROBABILITIES)


def two_rows(labels: Sequence[bool | None], scores: Sequence[float | None]) -> pl.DataFrame:
    """Generate rows, with values for further columns of other statistics."""
    key, g = ["a", "b", "a"][: len(labels)], [1] * len(labels)
    weight = [1.0, 0.5, 2.0][: len(labels)]
    columns = {"g": g, "label": labels, "score": scores, "other": scores, "key": key, "weight": weight}
    return pl.DataFrame(columns, SCHEMA).with_columns(PROBABILITIES)


def rows(frame: pl.DataFrame, columns: Sequence[str]) -> list[Any]:
    """Return the rows that count, for an oracle of these columns."""
    return list(frame.select(columns).drop_nulls().iter_rows())


def repeated(frame: pl.DataFrame, count: str) -> pl.DataFrame:
    """Repeat each row by its count."""
    counts = frame[count].to_list()
    places = [place for place, rows in enumerate(counts) for _ in range(rows)]
    return frame.select(pl.exclude(count).gather(pl.Series(places, dtype=pl.UInt32)))


def assert_same(got: Any, expected: Any, *, relative: float = 0.0) -> None:
    """Return whether values are equal, with NaN equal to NaN and null to null.

    Floats may have a relative tolerance. ``...`` matches any number, and ``MAYBE`` any number or None.
    """
    if expected is MAYBE:
        assert got is None or math.isfinite(got)
    elif expected is ...:
        assert isinstance(got, float)
        assert math.isfinite(got)
    elif isinstance(expected, dict):
        assert isinstance(got, dict)
        assert list(got) == list(expected) or set(got) == set(expected)
        for key in expected:
            assert_same(got[key], expected[key], relative=relative)
    elif isinstance(expected, Sequence) and not isinstance(expected, str):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            assert_same(one, other, relative=relative)
    elif isinstance(expected, float) and math.isnan(expected):
        assert got is not None
        assert math.isnan(got)
    elif isinstance(expected, float) and expected != got and relative:
        assert got is not None
        within = expected.tolerance if isinstance(expected, Rounded) else 0.0
        if isinstance(expected, Iterated):
            relative = within
        assert math.isclose(got, expected, rel_tol=relative, abs_tol=within), (got, expected)
    else:
        assert got == expected


def signed(dtype: Any) -> Any:
    """Return the same dtype with Int64 for UInt64, which other engines lack."""
    if isinstance(dtype, pl.Struct):
        return pl.Struct({field.name: signed(field.dtype) for field in dtype.fields})
    if isinstance(dtype, pl.List):
        return pl.List(signed(dtype.inner))
    return pl.Int64() if dtype == pl.UInt64 else dtype
