"""On a cluster with workers in processes of their own, each with one thread of Polars."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pyspark
import pytest

import polars_auc as pa
import polars_auc.spark as pauc

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
    def told(batches: Iterator[object]) -> Iterator[object]:
        import polars
        import pyarrow

        yield pyarrow.RecordBatch.from_pylist(
            [{"parent": os.getppid(), "threads": polars.thread_pool_size()} for _ in batches]
        )

    from pyspark.sql.types import LongType, StructField, StructType

    kind = StructType([StructField("parent", LongType()), StructField("threads", LongType())])
    workers = spark.range(0, 8, 1, 8).mapInArrow(told, kind).collect()
    assert os.getpid() not in {worker.parent for worker in workers}
    assert {worker.threads for worker in workers} == {1}


# A score of the rows is NaN, of which the report in Polars warns.
@pytest.mark.filterwarnings("ignore:report. the score .* is NaN:UserWarning")
def test_a_cluster_gives_the_same_bits(
    frame: DataFrame, rows: pl.DataFrame, same: Callable[..., None]
) -> None:
    scores = ["score", "decimal"]
    expected = pa.report(rows, "label", scores, by="segment")
    same(pauc.report(frame, "label", scores, by="segment"), expected)
    states = pl.DataFrame(pauc.group_states(frame, "label", scores, by="segment").toArrow())
    of_rows = rows.group_by("segment").agg(pa.roc_state("label", score) for score in scores)
    same(states.sort("segment"), of_rows.sort("segment"))
    aggregate = frame.groupBy("segment").agg(pauc.roc_summary("label", "score").alias("score"))
    summary = rows.group_by("segment").agg(pa.roc_summary("label", "score"))
    same(pl.DataFrame(aggregate.toArrow()).sort("segment"), summary.sort("segment"))
