"""Spark sessions, and edge-case rows."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl
import pytest

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Same: TypeAlias = Callable[[Any, pl.DataFrame], None]


def pytest_configure(config: pytest.Config) -> None:
    # Warnings are errors in this project; these are from Spark.
    for ours in (
        "ignore::FutureWarning:pyspark",
        "ignore::DeprecationWarning:pyspark",
        "ignore::ResourceWarning",
    ):
        config.addinivalue_line("filterwarnings", ours)


def pytest_xdist_auto_num_workers() -> int:
    """Run the tests in one process: Spark has its own workers."""
    return 0


def started(master: str, **settings: str) -> SparkSession:
    from pyspark.sql import SparkSession

    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.fail("these tests need Java 17 or newer, for Spark. Hint: install it, or set JAVA_HOME")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
    settings = {
        "spark.driver.memory": "1g",
        "spark.driver.host": "localhost",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "3",
        "spark.ui.showConsoleProgress": "false",
        **settings,
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    # One session for each module: a process has one session at a time, and a module needs a cluster.
    session = started("local[2]")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def rows() -> pl.DataFrame:
    """Return segments with nulls, ties, both zeros, a NaN, a single class, no usable row, and a null key."""
    rng = np.random.default_rng(7)
    n = 1200
    label = (rng.random(n) < 0.3).astype(int)
    score = np.round(rng.normal(size=n) + label, 1)
    gaps = pl.Series(rng.random(n) < 0.05)
    frame = pl.DataFrame(
        {
            "segment": ["aébd"[i] for i in rng.integers(0, 4, n)],
            "label": label,
            "score": np.where(rng.random(n) < 0.1, -0.0, score),
            "other": rng.normal(size=n),
            "weight": rng.integers(0, 9, n) / 4,
            "count": rng.integers(0, 4, n),
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
    ).with_columns(other=pl.lit(1.0), weight=pl.lit(1.0), count=pl.lit(1, dtype=pl.Int64))
    frame = pl.concat([frame, few])
    number = pl.int_range(pl.len(), dtype=pl.Int64)
    cents = [Decimal(int(i)) / 100 for i in rng.integers(-300, 300, frame.height)]
    return frame.with_columns(
        # Neighbours beyond 2^53, equal as Float64.
        integer=2**53 + (number * 7919) % 40,
        decimal=pl.Series(cents, dtype=pl.Decimal(20, 2)),
        small=pl.col("other").cast(pl.Float32),
        flag=pl.col("other") > 0,
        probability=1 / (1 + (-pl.col("score")).exp()),
        day=pl.date(2026, 5, 1) + pl.duration(days=number % 3),
    )


@pytest.fixture(scope="module")
def frame(spark: SparkSession, rows: pl.DataFrame) -> DataFrame:
    return spark.createDataFrame(rows.to_arrow()).repartition(5).cache()


def signed(dtype: Any) -> Any:
    """Return the dtype in Spark, without unsigned integers."""
    if isinstance(dtype, pl.Struct):
        return pl.Struct({field.name: signed(field.dtype) for field in dtype.fields})
    if isinstance(dtype, pl.List):
        return pl.List(signed(dtype.inner))
    return pl.Int64() if dtype == pl.UInt64 else dtype


@pytest.fixture(scope="session")
def same() -> Same:
    """Return a comparison of a frame of Spark with one of Polars, bit for bit, including the sign of zero."""

    def compare(got: Any, expected: pl.DataFrame) -> None:
        table = got if isinstance(got, pl.DataFrame) else pl.DataFrame(got.toArrow())
        if "n_unlabelled" in expected.columns:
            # A report of Spark is from states, which do not have this number.
            expected = expected.with_columns(n_unlabelled=pl.lit(None, dtype=pl.UInt64))
        schema = {name: signed(dtype) for name, dtype in expected.schema.items()}
        assert dict(table.schema) == schema
        assert repr(table.rows()) == repr(expected.rows())

    return compare


@pytest.fixture(scope="session")
def session() -> Callable[..., SparkSession]:
    return started
