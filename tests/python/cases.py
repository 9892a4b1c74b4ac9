"""Small frames full of what goes wrong: ties, infinities, nulls, lone classes, tiny groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import polars as pl
from hypothesis import strategies as st

import oracles

SCHEMA = {
    "g": pl.Int64,
    "label": pl.Boolean,
    "score": pl.Float64,
    "other": pl.Float64,
    "key": pl.String,
    "weight": pl.Float64,
}
TIED = [-math.inf, -1.5, -0.0, 0.0, 5e-324, 1.0, math.nextafter(1.0, 2.0), 2.0, math.inf]

labels = st.sampled_from([True, False, True, False, None])
keys = st.sampled_from(["b", "a", "c", "b", "a", None])
# Sums of these and their products are exact, so that the definition's fractions can be met to the last bit.
weights = st.sampled_from([1.0, 0.5, 3.25, 2.0, 1.0, 0.0, 1024.0, None])
scores = st.one_of(st.sampled_from(TIED), st.none(), st.floats(allow_nan=False))
scores_with_nan = st.one_of(scores, scores, scores, st.just(math.nan))


def frames(
    score: st.SearchStrategy[float | None] = scores, max_rows: int = 25
) -> st.SearchStrategy[pl.DataFrame]:
    """Frames of some groups."""
    row = st.tuples(st.integers(0, 3), labels, score, score, keys, weights)
    return st.lists(row, max_size=max_rows).map(lambda rows: pl.DataFrame(rows, SCHEMA, orient="row"))


def rows(frame: pl.DataFrame, columns: Sequence[str]) -> list[Any]:
    """The rows that count, for an oracle of these columns."""
    return list(frame.select(columns).drop_nulls().iter_rows())


def assert_same(got: Any, expected: Any, *, relative: float = 0.0) -> None:
    """Equal, with NaN equal to NaN and null to null; floats to a relative tolerance if one is given.

    ``...`` stands for any number, and ``oracles.MAYBE`` for any or none.
    """
    if expected is oracles.MAYBE:
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
        assert math.isclose(got, expected, rel_tol=relative), (got, expected)
    else:
        assert got == expected
