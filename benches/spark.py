"""Time of ROC AUC on a local Spark, relative to Spark's evaluator and to Polars.

``python benches/spark.py [--rows 1e6] [--rounds 5]`` starts Spark with one worker for each core, on cached
rows of a Parquet file. The contenders alternate, after one round that is not counted. A row of
``benches/results/spark.csv`` has the median and the fastest seconds of a contender, without the start of
Spark. ``BinaryClassificationEvaluator`` has no groups: it runs on one group, and in a loop that filters each
of a few groups. With ``numBins=0`` it is exact, as are the others except for states of 4096 bins. Polars runs
in this process, on the same rows in memory.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyspark
from pyspark.ml.evaluation import BinaryClassificationEvaluator
from pyspark.sql import SparkSession

import polars_auc as pa
import polars_auc.spark as pauc
from machine import machine
from rows import append

RESULTS = Path(__file__).parent / "results" / "spark.csv"

FEW_GROUPS = 20

EVALUATOR = "BinaryClassificationEvaluator(numBins=0)"


def rows_of(n: int, groups: int) -> pl.DataFrame:
    """Return rows with 30 % positives and distinct scores."""
    rng = np.random.default_rng(1)
    label = rng.random(n) < 0.3
    score = rng.standard_normal(n) + label
    # Spark's evaluator supports only Float64 labels.
    return pl.DataFrame({"segment": np.arange(n) % groups, "label": label.astype(float), "score": score})


def contenders(frame: Any, rows: pl.DataFrame, groups: int) -> dict[str, Callable[[], Any]]:
    """Return the contenders."""
    evaluator = BinaryClassificationEvaluator(
        rawPredictionCol="score", labelCol="label", metricName="areaUnderROC", numBins=0
    )
    grouped = frame.groupBy("segment")

    def bounds_of_states() -> Any:
        states = pauc.group_states(frame, "label", "score", by="segment", max_bins=4096)
        return (
            states.select("segment", states["score"].alias("state"))
            .groupBy("segment")
            .agg(pauc.roc_auc_bounds(state="state"))
        )

    timed: dict[str, Callable[[], Any]] = {
        "pauc.roc_auc in agg": lambda: grouped.agg(pauc.roc_auc("label", "score")).toArrow(),
        "pauc.report": lambda: pauc.report(frame, "label", "score", by="segment").toArrow(),
        "pauc.group_states(max_bins=4096), roc_auc_bounds": lambda: bounds_of_states().toArrow(),
        "polars_auc.roc_auc in Polars": lambda: rows.group_by("segment").agg(pa.roc_auc("label", "score")),
    }
    if groups == 1:
        timed[EVALUATOR] = lambda: evaluator.evaluate(frame)
    elif groups <= FEW_GROUPS:
        parts = [frame.filter(frame["segment"] == group) for group in range(groups)]
        timed[f"{EVALUATOR} of each group"] = lambda: [evaluator.evaluate(part) for part in parts]
    return timed


def main() -> None:
    """Time the contenders, print and append."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e6)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    n = int(chosen.rows)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.memory", "4g").config("spark.ui.showConsoleProgress", "false")
    spark = builder.config("spark.log.level", "ERROR").getOrCreate()
    table = []
    folder = tempfile.mkdtemp()
    for groups in (1, FEW_GROUPS, 1000):
        rows = rows_of(n, groups)
        # A frame from local rows has them in its plan, which Spark then compares and copies.
        path = f"{folder}/{groups}.parquet"
        rows.write_parquet(path)
        frame = spark.read.parquet(path).repartition(8).cache()
        frame.count()
        timed = contenders(frame, rows, groups)
        seconds: dict[str, list[float]] = {name: [] for name in timed}
        for _ in range(1 + chosen.rounds):
            for name, run in timed.items():
                start = time.perf_counter()
                run()
                seconds[name].append(time.perf_counter() - start)
        frame.unpersist()
        table += [
            {
                "date": time.strftime("%Y-%m-%d"),
                "contender": name,
                "rows": n,
                "groups": groups,
                "rounds": chosen.rounds,
                "median_s": round(statistics.median(each[1:]), 3),
                "best_s": round(min(each[1:]), 3),
                "pyspark": pyspark.__version__,
                "polars": pl.__version__,
                **machine(),
            }
            for name, each in seconds.items()
        ]
    spark.stop()
    shutil.rmtree(folder)
    results = pl.DataFrame(table)
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=160, fmt_str_lengths=50):
        print(results.drop("cpu", "system"))
    append(results, RESULTS)


if __name__ == "__main__":
    main()
