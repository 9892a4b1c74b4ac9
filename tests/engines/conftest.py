"""Edge-case rows, and settings of the engines without output and telemetry."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import TypeAlias

import numpy as np
import polars as pl
import pytest

Same: TypeAlias = Callable[[pl.DataFrame, pl.DataFrame], None]

# The engines and their workers read both during import.
os.environ |= {"DO_NOT_TRACK": "true", "DAFT_PROGRESS_BAR": "0", "RAY_USAGE_STATS_ENABLED": "0"}


def pytest_configure(config: pytest.Config) -> None:
    # Warnings are errors in this project; these are from the engines.
    for theirs in ("ignore::Warning:daft", "ignore::Warning:ray", "ignore::ResourceWarning"):
        config.addinivalue_line("filterwarnings", theirs)


def pytest_xdist_auto_num_workers() -> int:
    """Run the tests in one process: the engines have their own threads and workers."""
    return 0


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    """Start Ray with two workers, and return its address."""
    import ray

    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    yield ray.get_runtime_context().gcs_address
    ray.shutdown()


@pytest.fixture(scope="session")
def rows() -> pl.DataFrame:
    """Return segments with nulls, ties, both zeros, a NaN, a single class, no usable row, and a null key."""
    rng = np.random.default_rng(11)
    n = 6000
    label = (rng.random(n) < 0.3).astype(int)
    gaps = pl.Series(rng.random(n) < 0.05)
    frame = pl.DataFrame(
        {
            "segment": ["aébd"[i] for i in rng.integers(0, 4, n)],
            "label": label,
            "score": np.where(rng.random(n) < 0.1, -0.0, np.round(rng.normal(size=n) + label, 2)),
        }
    ).with_columns(
        segment=pl.when(pl.col("segment") != "d").then("segment"),
        label=pl.when(~gaps).then("label"),
        score=pl.when(~gaps.reverse()).then("score"),
    )
    few = pl.DataFrame(
        {
            "segment": ["nan", "nan", "nan", "one", "one", "none"],
            "label": [0, 1, 1, 1, 1, None],
            "score": [1.0, float("nan"), 2.0, 1.0, 2.0, 0.5],
        }
    )
    frame = pl.concat([frame, few])
    number = pl.int_range(pl.len(), dtype=pl.Int64)
    cents = [Decimal(int(i)) / 100 for i in rng.integers(-300, 300, frame.height)]
    return frame.with_columns(
        # Neighbours beyond 2^53, equal as Float64.
        integer=2**53 + (number * 7919) % 40,
        unsigned=((number * 31) % 50).cast(pl.UInt8),
        decimal=pl.Series(cents, dtype=pl.Decimal(20, 2)),
        small=pl.Series(rng.normal(size=frame.height), dtype=pl.Float32),
        flag=number % 3 == 0,
        count=number % 4,
        day=pl.date(2026, 5, 1) + pl.duration(days=number % 3),
    )


@pytest.fixture(scope="session")
def same() -> Same:
    """Return a comparison of two frames, in the order of the first columns, bit for bit."""

    def compare(got: pl.DataFrame, expected: pl.DataFrame) -> None:
        assert dict(got.schema) == dict(expected.schema)
        assert got.columns == expected.columns
        assert sorted(map(repr, got.rows())) == sorted(map(repr, expected.rows()))

    return compare
