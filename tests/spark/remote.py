"""Reports, states and aggregates through Spark Connect: Spark itself, or Sail, which needs no Java.

Run it as ``python tests/spark/remote.py connect``, or with ``sail``. It is a separate program, because a
process with a session of the other kind cannot connect.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import polars as pl
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

import polars_auc as pa
import polars_auc.spark as pauc
from polars_auc._spark import ranges


@contextmanager
def connected(kind: str) -> Iterator[SparkSession]:
    """Start a server in this process, and connect to it."""
    if kind == "connect":
        os.environ["PYSPARK_PYTHON"] = sys.executable
        session = SparkSession.builder.remote("local[2]").config("spark.log.level", "OFF").getOrCreate()
        yield session
        session.stop()
        return
    from pysail.spark import SparkConnectServer

    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    _, port = server.listening_address
    session = SparkSession.builder.remote(f"sc://localhost:{port}").getOrCreate()
    yield session
    session.stop()
    server.stop()


def check(session: SparkSession) -> None:
    """Compare the results with those of Polars."""
    number = pl.int_range(300, eager=True)
    rows = pl.DataFrame(
        {"segment": (number % 3).cast(pl.String), "y": number * 7 % 5 < 2, "s": (number * 37 % 50) / 10}
    )
    frame = session.createDataFrame(rows.to_arrow())

    def same(got: Any, expected: pl.DataFrame) -> None:
        table = pl.DataFrame(got.toArrow())
        assert table.columns == expected.columns
        assert repr(sorted(table.rows(), key=repr)) == repr(sorted(expected.rows(), key=repr))

    # A report of Spark is from states, which do not have the number of unlabelled rows.
    unknown = pl.lit(None, dtype=pl.UInt64).alias("n_unlabelled")
    from_rows = pa.report(rows, "y", "s", by="segment", versus="rest").with_columns(unknown)
    same(pauc.report(frame, "y", "s", by="segment", versus="rest"), from_rows)
    usual = ranges.RANGE_ROWS, ranges.SAMPLE_RATIO
    ranges.RANGE_ROWS, ranges.SAMPLE_RATIO = 20, 1
    from_rows = pa.report(rows, "y", "s", by="segment").with_columns(unknown)
    same(pauc.report(frame, "y", "s", by="segment"), from_rows)
    ranges.RANGE_ROWS, ranges.SAMPLE_RATIO = usual
    without_rows = pa.report(rows.clear(), "y", "s").with_columns(unknown)
    same(pauc.report(frame.where("false"), "y", "s"), without_rows)
    same(
        pauc.group_states(frame, "y", "s", by="segment"), rows.group_by("segment").agg(pa.roc_state("y", "s"))
    )
    summaries = frame.groupBy("segment").agg(
        pauc.roc_summary("y", "s").alias("up"), pauc.roc_auc_ci("y", -F.col("s")).alias("down")
    )
    expected = rows.group_by("segment").agg(
        up=pa.roc_summary("y", "s"), down=pa.roc_auc_ci("y", -pl.col("s"))
    )
    same(summaries, expected)
    message = refusal(pauc.report(frame.withColumn("y", F.lit(2)), "y", "s"))
    assert 'report: label "y" contains 2, expected Booleans' in message


def refusal(frame: Any) -> str:
    """Return the server's error for a query that must fail."""
    try:
        frame.toArrow()
    except PySparkException as error:
        return str(error)
    return ""


if __name__ == "__main__":
    with connected(sys.argv[1]) as session:
        check(session)
        print(sys.argv[1], "with Spark", session.version, "gives the same bits")
