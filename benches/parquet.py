"""Reports of many Parquet rows: time and memory of whole processes, beside a sum of the same columns.

``python benches/parquet.py [--rows 1e8] [--groups 200] [--rounds 3]`` writes ten files into a temporary
folder and appends rows to ``benches/results/parquet.csv``. Each query runs in a process of its own, and
the queries take turns: the median of the seconds without the start of Python, and of the most memory that
the process took.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

import polars_auc as pa
from machine import machine

RESULTS = Path(__file__).parent / "results" / "parquet.csv"

QUERIES: dict[str, Callable[[pl.LazyFrame], pl.LazyFrame]] = {
    "sum of all columns": lambda rows: rows.select(pl.all().sum()),
    "grouped roc_auc": lambda rows: rows.group_by("group").agg(pa.roc_auc("label", "score")),
    "report": lambda rows: pa.report(rows, "label", "score", by="group"),
    "report, bounded": lambda rows: pa.report(
        rows, "label", "score", by="group", memory="bounded", max_bins=1024
    ),
}


def write(folder: Path, rows: int, groups: int) -> None:
    """Write labels, groups and distinct normal scores, those of positives one standard deviation higher."""
    rng = np.random.default_rng(1)
    for number in range(10):
        label = rng.random(rows // 10) < 0.3
        group = rng.integers(0, groups, label.size).astype(np.int32)
        frame = pl.DataFrame(
            {"group": group, "label": label, "score": rng.standard_normal(label.size) + label}
        )
        frame.write_parquet(folder / f"{number}.parquet")


def alone(query: str, folder: str) -> dict[str, float]:
    """Run a query in this process."""
    import resource

    plan = QUERIES[query](pl.scan_parquet(f"{folder}/*.parquet"))
    start = time.perf_counter()
    plan.collect(engine="streaming")
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3}


def main() -> None:
    """Measure, print and append."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e8)
    parser.add_argument("--groups", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--alone", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.alone:
        print(json.dumps(alone(*chosen.alone)))
        return
    order = random.Random(1)
    measured: dict[str, list[dict[str, float]]] = {name: [] for name in QUERIES}
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), int(chosen.rows), chosen.groups)
        for _ in range(chosen.rounds):
            for name in order.sample(list(QUERIES), len(QUERIES)):
                command = [sys.executable, __file__, "--alone", name, folder]
                answer = subprocess.run(command, check=True, capture_output=True, text=True)
                measured[name].append(json.loads(answer.stdout))
    medians = {
        name: {what: statistics.median(answer[what] for answer in answers) for what in answers[0]}
        for name, answers in measured.items()
    }
    about = {"date": time.strftime("%Y-%m-%d"), "polars": pl.__version__, "rows": int(chosen.rows)}
    table = pl.DataFrame(
        [
            {**about, "groups": chosen.groups, "query": name, "rounds": chosen.rounds, **median, **machine()}
            for name, median in medians.items()
        ]
    ).with_columns(pl.col("seconds", "megabytes").round_sig_figs(3))
    print(table)
    with RESULTS.open("ab") as file:
        table.write_csv(file, include_header=file.tell() == 0)


if __name__ == "__main__":
    main()
