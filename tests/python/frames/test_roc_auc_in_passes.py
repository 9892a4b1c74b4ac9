"""The area by several passes over the rows equals the area of the rows, bit for bit."""

from __future__ import annotations

import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import polars_auc as pa
from catalogue.cases import examples, frames, scores_with_nan
from polars_auc._frames import roc_auc_in_passes as module

N = 6000


@pytest.fixture(autouse=True)
def few_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use states with so few bins that each has many rows."""
    monkeypatch.setattr(module, "_BINS", 16)


def scores_of(kind: str) -> pl.Series:
    random = np.random.default_rng(7)
    normal = random.normal(size=N)
    if kind == "narrow":
        # Nearly all are in one bin of the first state, and of the next ones.
        return pl.Series(np.where(normal > 2, normal * 1e6, 1 + normal * 1e-9))
    if kind == "half are zero":
        return pl.Series(np.where(normal < 0, -0.0, np.where(normal < 1, 0.0, normal)))
    if kind == "infinite":
        return pl.Series(np.where(normal > 1, np.inf, np.where(normal < -1, -np.inf, normal)))
    if kind == "decimal":
        return pl.Series((normal * 1000).round(2)).cast(pl.Decimal(38, 2)) * Decimal("1000000000000000000000")
    if kind == "integer":
        return pl.Series(2**62 + (normal * 1000).astype("int64"), dtype=pl.Int64)
    if kind == "Boolean":
        return pl.Series(normal > 0)
    if kind == "with nulls":
        return pl.Series(normal).set(pl.Series(normal > 1), None)
    return pl.Series(normal).cast(getattr(pl, kind))


KINDS = [
    *("Float64", "Float32", "narrow", "half are zero", "infinite", "decimal", "integer", "Boolean"),
    *("with nulls", "Int8"),
]


def rows_of(kind: str) -> pl.DataFrame:
    random = np.random.default_rng(8)
    label = pl.Series(random.random(N) < 0.3).set(pl.Series(random.random(N) < 0.05), None)
    return pl.DataFrame({"y": label, "s": scores_of(kind)})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("max_rows", [1000, 2500, 2**26])
def test_the_area_of_the_rows(kind: str, max_rows: int, tmp_path: Path) -> None:
    rows = rows_of(kind)
    rows.write_parquet(tmp_path / "rows.parquet")
    expected = rows.select(pa.roc_auc_bounds("y", "s").alias("bounds")).unnest("bounds").row(0, named=True)
    messages: list[str] = []
    plan = pa.roc_auc_in_passes(
        pl.scan_parquet(tmp_path / "rows.parquet"), "y", "s", max_rows=max_rows, progress=messages.append
    )
    assert not messages
    got = plan.collect()
    assert got.schema == plan.collect_schema()
    answer = got.row(0, named=True)
    assert expected.pop("exact")
    assert {name: answer[name] for name in expected} == expected
    missing = rows.filter(pl.any_horizontal(pl.all().is_null())).height
    assert (answer["n_missing"], answer["n_passes"]) == (missing, len(messages))
    assert messages[-1].endswith(f"the AUC lies from {expected['auc']!r} to {expected['auc']!r}")
    if max_rows == 1000 and kind not in ("Boolean", "Int8", "half are zero"):
        assert answer["n_passes"] > 3


@pytest.mark.parametrize("tolerance", [1.0, 0.1, 1e-2, 1e-3])
def test_bounds_are_within_the_tolerance(tolerance: float) -> None:
    rows = rows_of("Float64")
    exact = rows.select(pa.roc_auc("y", "s")).item()
    all_passes = pa.roc_auc_in_passes(rows, "y", "s", max_rows=1000)["n_passes"].item()
    [answer] = pa.roc_auc_in_passes(rows, "y", "s", max_rows=1000, tolerance=tolerance).to_dicts()
    assert answer["lower"] <= exact <= answer["upper"]
    assert answer["upper"] - answer["lower"] <= tolerance
    assert answer["lower"] <= answer["auc"] <= answer["upper"]
    assert answer["n_passes"] < all_passes or tolerance < 1e-2
    assert answer["n_passes"] == 1 or tolerance < 1.0


@given(frame=frames(scores_with_nan, max_rows=60))
@examples(100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_rows(frame: pl.DataFrame) -> None:
    [answer] = pa.roc_auc_in_passes(frame, "label", "score").to_dicts()
    [expected] = frame.select(pa.roc_auc_bounds("label", "score").alias("it")).unnest("it").to_dicts()
    assert expected.pop("exact")
    assert repr({name: answer[name] for name in expected}) == repr(expected)


@given(
    rows=st.lists(st.tuples(st.booleans(), st.floats(allow_nan=False)), min_size=20, max_size=120),
    max_rows=st.integers(1, 60),
)
@examples(100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_few_rows_at_a_time(rows: list[tuple[bool, float]], max_rows: int) -> None:
    frame = pl.DataFrame(rows, {"label": pl.Boolean, "score": pl.Float64}, orient="row")
    passes = module._Passes(frame.lazy(), "score", "label", max_rows, module._BINS, None, None)
    expected = frame.select(pa.roc_auc("label", "score")).item()
    area = passes.area(0.0)
    assert (area["auc"], area["lower"], area["upper"]) == (expected,) * 3


def test_expressions_and_undefined_areas() -> None:
    rows = rows_of("Float64")
    of = {"label": 1 - pl.col("y").cast(pl.Int8), "score": -pl.col("s")}
    [answer] = pa.roc_auc_in_passes(rows, *of.values(), max_rows=1000).to_dicts()
    assert answer["auc"] == rows.select(pa.roc_auc("y", "s")).item()
    for label in (True, False):
        [answer] = pa.roc_auc_in_passes(rows.filter(pl.col("y") == label), "y", "s").to_dicts()
        assert [answer[name] for name in ("auc", "lower", "upper", "n_passes")] == [None, None, None, 1]
    nan = rows.with_columns(s=pl.when(pl.int_range(pl.len()) == 9).then(math.nan).otherwise("s"))
    [answer] = pa.roc_auc_in_passes(nan, "y", "s").to_dicts()
    assert math.isnan(answer["auc"])


def test_other_rows_in_a_later_pass() -> None:
    changes = pl.LazyFrame(rows_of("Float64")).map_batches(
        lambda rows: rows.with_columns(pl.col("s").shuffle()), schema=rows_of("Float64").schema
    )
    with pytest.raises(
        pl.exceptions.ComputeError, match="roc_auc_in_passes: a later pass has read other rows"
    ):
        pa.roc_auc_in_passes(changes, "y", "s", max_rows=1000).collect()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"tolerance": -1.0}, ValueError, "tolerance must be a number from 0 to 1, such as 1e-6, got -1.0"),
        ({"tolerance": math.nan}, ValueError, "tolerance must be a number from 0 to 1"),
        ({"tolerance": "x"}, ValueError, "tolerance must be a number from 0 to 1, such as 1e-6, got 'x'"),
        ({"progress": "x"}, TypeError, "progress must be a function, such as print, got 'x'"),
        ({"max_rows": 10}, ValueError, "max_rows must be an integer from 1000"),
        ({"scale": "log"}, ValueError, "scale must be one of"),
        (
            {"scale": "probability"},
            pl.exceptions.ComputeError,
            'scale="probability" expects scores from 0 to 1',
        ),
        ({"score": "none"}, pl.exceptions.ColumnNotFoundError, "none"),
        ({"label": "s"}, pl.exceptions.ComputeError, r'label "s \(label\)" contains'),
        ({"label": pl.col("s").cast(pl.Int8)}, pl.exceptions.ComputeError, r'label "s \(label\)" contains'),
        ({"label": pl.lit("a").alias("z")}, pl.exceptions.ComputeError, 'label "z" has dtype str'),
        (
            {"score": pl.col("y", "s")},
            TypeError,
            r"score must be one column name or expression, got the columns",
        ),
        ({"frame": [1]}, TypeError, "frame must be a DataFrame or a LazyFrame"),
    ],
)
def test_refusals(options: dict[str, Any], error: type[Exception], message: str) -> None:
    keywords = {"frame": rows_of("Float64"), "label": "y", "score": "s", **options}
    with pytest.raises(error, match=f"roc_auc_in_passes: .*{message}"):
        pa.roc_auc_in_passes(**keywords).collect()
