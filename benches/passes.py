"""Time and memory of the exact AUC of rows that do not fit into memory.

``python benches/passes.py [--rows 1e8] [--rounds 3]`` writes files of a label and a score to a temporary
folder. Each query runs in a separate process, alternately with the others. ``--without-memory`` omits the
query that needs all rows in memory. A row of ``benches/results/passes.csv`` has the median seconds without
the start of Python, the median peak memory of the process, and the number of passes.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl

import polars_auc as pa
from machine import machine
from processes import measured, usage
from rows import append

RESULTS = Path(__file__).parent / "results" / "passes.csv"

Query: TypeAlias = "Callable[[pl.LazyFrame], pl.LazyFrame]"

IN_MEMORY = "roc_auc"

QUERIES: dict[str, Query] = {
    "sum of both columns": lambda rows: rows.select(pl.col("label", "score").sum()),
    IN_MEMORY: lambda rows: rows.select(auc=pa.roc_auc("label", "score")),
    "roc_auc_in_passes": lambda rows: pa.roc_auc_in_passes(rows, "label", "score"),
    "roc_auc_in_passes, tolerance 1e-5": lambda rows: pa.roc_auc_in_passes(
        rows, "label", "score", tolerance=1e-5
    ),
}

_FILE_ROWS = 10_000_000


def write(folder: Path, rows: int) -> None:
    """Write labels and distinct normal scores; positives are shifted by one standard deviation."""
    rng = np.random.default_rng(1)
    for number in range(-(-rows // _FILE_ROWS)):
        label = rng.random(min(_FILE_ROWS, rows)) < 0.3
        frame = pl.DataFrame({"label": label, "score": rng.standard_normal(label.size) + label})
        frame.write_parquet(folder / f"{number}.parquet")


def main() -> None:
    """Measure, print and append."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--without-memory", action="store_true")
    parser.add_argument("--alone", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--write", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.write:
        write(Path(chosen.write), int(chosen.rows))
        return
    if chosen.alone:
        name, folder = chosen.alone
        print(json.dumps(usage(QUERIES[name](pl.scan_parquet(f"{folder}/*.parquet")))))
        return
    names = [name for name in QUERIES if name != IN_MEMORY or not chosen.without_memory]
    with tempfile.TemporaryDirectory() as folder:
        # Data in this process would count in the peak memory of its child processes.
        subprocess.run([sys.executable, __file__, "--write", folder, "--rows", str(chosen.rows)], check=True)
        answers = measured(__file__, names, chosen.rounds, folder)
    exact = {answer["auc"] for name in (IN_MEMORY, "roc_auc_in_passes") for answer in answers.get(name, [])}
    assert len(exact) == 1, exact
    about = {"date": time.strftime("%Y-%m-%d"), "polars": pl.__version__, "rows": int(chosen.rows)}
    table = pl.DataFrame(
        [
            {
                **about,
                "query": name,
                "rounds": chosen.rounds,
                "seconds": statistics.median(answer["seconds"] for answer in each),
                "megabytes": statistics.median(answer["megabytes"] for answer in each),
                "n_passes": each[0].get("n_passes"),
                **machine(),
            }
            for name, each in answers.items()
        ]
    ).with_columns(pl.col("seconds", "megabytes").round_sig_figs(3))
    print(table)
    append(table, RESULTS)


if __name__ == "__main__":
    main()
