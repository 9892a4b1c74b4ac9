"""Tests on a cluster whose workers are processes with one thread of Polars each."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pyspark
import pytest

import polars_auc as pa
import polars_auc.spark as pauc
from polars_auc._spark import ranges

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@pytest.fixture(scope="module")
def spark(session: Callable[..., SparkSession]) -> Iterator[SparkSession]:
    os.environ.setdefault("SPARK_HOME", str(Path(pyspark.__file__).parent))
    cluster = session(
        "local-cluster[2,1,1024]",
        **{
            "spark.executor.memory": "1g",
            "spark.executorEnv.POLARS_MAX_THREADS": "1",
            "spark.executorEnv.PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        },
    )
    yield cluster
    cluster.stop()


def test_workers_are_other_processes(spark: SparkSession) -> None:
    def process_ids(batches: Iterator[object]) -> Iterator[object]:
        import polars
        import pyarrow

        yield pyarrow.RecordBatch.from_pylist(
            [{"parent": os.getppid(), "threads": polars.thread_pool_size()} for _ in batches]
        )

    from pyspark.sql.types import LongType, StructField, StructType

    kind = StructType([StructField("parent", LongType()), StructField("threads", LongType())])
    workers = spark.range(0, 8, 1, 8).mapInArrow(process_ids, kind).collect()
    assert os.getpid() not in {worker.parent for worker in workers}
    assert {worker.threads for worker in workers} == {1}


# A score of the rows is NaN, so the report in Polars warns.
@pytest.mark.filterwarnings("ignore:report. the score .* is NaN:UserWarning")
def test_a_cluster_gives_the_same_bits(
    frame: DataFrame, rows: pl.DataFrame, same: Callable[..., None]
) -> None:
    scores = ["score", "decimal"]
    expected = pa.report(rows, "label", scores, by="segment")
    same(pauc.report(frame, "label", scores, by="segment"), expected)
    states = pl.DataFrame(pauc.group_states(frame, "label", scores, by="segment").toArrow())
    from_rows = rows.group_by("segment").agg(pa.roc_state("label", score) for score in scores)
    same(states.sort("segment"), from_rows.sort("segment"))
    aggregate = frame.groupBy("segment").agg(pauc.roc_summary("label", "score").alias("score"))
    summary = rows.group_by("segment").agg(pa.roc_summary("label", "score"))
    same(pl.DataFrame(aggregate.toArrow()).sort("segment"), summary.sort("segment"))


@pytest.mark.filterwarnings("ignore:report. the score .* is NaN:UserWarning")
def test_a_killed_worker_changes_nothing(
    frame: DataFrame,
    rows: pl.DataFrame,
    same: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """A worker is lost with its results, while others still count; the range borders remain."""
    monkeypatch.setattr(ranges, "RANGE_ROWS", 50)
    monkeypatch.setattr(ranges, "SAMPLE_RATIO", 1)
    armed, killed = tmp_path / "armed", tmp_path / "killed"

    def passed(batches: Iterator[object]) -> Iterator[object]:
        yield from batches
        # Some partitions are counted now.
        if armed.exists() and len(list(tmp_path.glob("counted*"))) >= 3:
            armed.unlink(missing_ok=True)
            parent = ["ps", "-o", "ppid=", "-p", str(os.getppid())]
            executor = int(subprocess.run(parent, capture_output=True, check=True).stdout)
            killed.write_text(str(executor))
            os.kill(executor, signal.SIGKILL)
            time.sleep(60)
        (tmp_path / f"counted{time.time_ns()}").touch()

    report = pauc.report(frame.mapInArrow(passed, frame.schema), "label", ["score", "other"], by="segment")
    for file in tmp_path.glob("counted*"):
        file.unlink()
    armed.touch()
    same(report, pa.report(rows, "label", ["score", "other"], by="segment"))
    assert killed.exists()
    assert not armed.exists()
