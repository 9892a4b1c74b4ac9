"""Memory of reports on a Spark cluster with small executors.

``python benches/spark_memory.py [--rows 2e7] [--memory 512]`` starts two executors with this many MB, each
with one core and one Python process. The rows are a Parquet file of 8 parts with distinct scores; 60 % of the
rows are in one of 20 segments. Two reports run, each in a separate cluster: one by ranges of the score, and
one whose overall rows are merged by one worker. A row of ``benches/results/spark_memory.csv`` has whether the
report completed, its seconds, and the peak memory of an executor and of a Python process, read from ``/proc``
ten times a second. A completed report is compared with the report of Polars.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyspark
from pyspark.sql import SparkSession

import polars_auc as pa
import polars_auc.spark as pauc
from machine import machine
from polars_auc._spark import ranges
from rows import append

RESULTS = Path(__file__).parent / "results" / "spark_memory.csv"

CONTENDERS = {"by ranges": ranges.RANGE_ROWS, "in one range": 2**62}
"""The number of rows of a range."""

PARTS = 8


def write_rows(n: int, path: str) -> None:
    """Write rows with 30 % positives and 60 % of the rows in one segment."""
    rng = np.random.default_rng(1)
    label = rng.random(n) < 0.3
    segment = np.where(rng.random(n) < 0.6, 0, rng.integers(1, 20, n))
    rows = pl.DataFrame({"segment": segment, "label": label, "score": rng.standard_normal(n) + label})
    rows.write_parquet(path, row_group_size=n // PARTS)


def started(memory: int, path: str) -> SparkSession:
    """Start two executors."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_HOME", str(Path(pyspark.__file__).parent))
    settings = {
        "spark.executor.memory": f"{memory}m",
        "spark.executorEnv.POLARS_MAX_THREADS": "1",
        "spark.executorEnv.PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "spark.sql.files.maxPartitionBytes": str(Path(path).stat().st_size // PARTS),
        # Spark repeats the work of a lost executor once.
        "spark.task.maxFailures": "2",
        "spark.driver.host": "localhost",
        "spark.log.level": "OFF",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(f"local-cluster[2,1,{memory}]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def peaks(end: threading.Event, most: dict[str, int]) -> None:
    """Record the peak memory of an executor and of a Python process, until the end."""
    kinds = {"CoarseGrainedExecutorBackend": "executor_mb", "pyspark.daemon": "python_mb"}
    while not end.wait(0.1):
        for process in Path("/proc").glob("[0-9]*"):
            try:
                command = (process / "cmdline").read_text(errors="replace")
                kind = next((kind for name, kind in kinds.items() if name in command), None)
                if kind is not None:
                    pages = int((process / "statm").read_text().split()[1])
                    most[kind] = max(most[kind], pages * os.sysconf("SC_PAGE_SIZE") // 10**6)
            except OSError:
                # The process has ended.
                continue


def alone(contender: str, memory: int, path: str) -> dict[str, Any]:
    """Compute one report in this process."""
    ranges.RANGE_ROWS = CONTENDERS[contender]
    spark = started(memory, path)
    most = {"executor_mb": 0, "python_mb": 0}
    end = threading.Event()
    watch = threading.Thread(target=peaks, args=(end, most), daemon=True)
    watch.start()
    start = time.perf_counter()
    try:
        report = pauc.report(spark.read.parquet(path), "label", "score", by="segment").toArrow()
    except Exception as error:
        # An error of PySpark or of py4j.
        if "exited with code" not in str(error):
            raise
        report = None
    seconds = round(time.perf_counter() - start, 1)
    end.set()
    watch.join()
    spark.stop()
    if report is not None:
        got = pl.DataFrame(report).drop("n_unlabelled")
        local = pa.report(pl.read_parquet(path), "label", "score", by="segment").drop("n_unlabelled")
        if repr(got.rows()) != repr(local.rows()):
            raise SystemExit(f"{contender}: the report is not that of Polars")
    return {"ended": report is not None, "seconds": seconds, **most}


def main() -> None:
    """Run the contenders, print and append."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=2e7)
    parser.add_argument("--memory", type=int, default=512)
    parser.add_argument("--alone", nargs=2, metavar=("CONTENDER", "PATH"))
    chosen = parser.parse_args()
    if chosen.alone is not None:
        contender, path = chosen.alone
        print(json.dumps(alone(contender, chosen.memory, path)))
        return
    n = int(chosen.rows)
    table = []
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/rows.parquet"
        write_rows(n, path)
        for contender in CONTENDERS:
            command = [sys.executable, __file__, "--memory", str(chosen.memory), "--alone", contender, path]
            output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            table.append(
                {
                    "date": time.strftime("%Y-%m-%d"),
                    "contender": f"pauc.report {contender}",
                    "rows": n,
                    "memory_mb": chosen.memory,
                    **json.loads(output.stdout.splitlines()[-1]),
                    "pyspark": pyspark.__version__,
                    "polars": pl.__version__,
                    **machine(),
                }
            )
    results = pl.DataFrame(table)
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=160, fmt_str_lengths=50):
        print(results.drop("cpu", "system"))
    append(results, RESULTS)


if __name__ == "__main__":
    main()
