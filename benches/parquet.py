"""Time and memory of reports of many Parquet rows, relative to a sum of the same columns.

``python benches/parquet.py [--rows 1e8] [--groups 200] [--rounds 3] [--queries QUERY ...]`` writes ten files
to a temporary folder; also the same rows sorted by group, and as partitions, if a query needs them. Each
query runs in a separate process, alternately with the others. A row of ``benches/results/parquet.csv`` has
the median seconds without the start of Python, and the median peak memory of the process.
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
from typing import Any, TypeAlias

import numpy as np
import polars as pl

import polars_auc as pa
from machine import machine
from polars_auc._report import batches
from processes import measured, usage
from rows import append

RESULTS = Path(__file__).parent / "results" / "parquet.csv"

Query: TypeAlias = "Callable[[pl.LazyFrame], pl.LazyFrame]"

FOUR = ["score", "score 2", "score 3", "score 4"]


def grouped(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Evaluate each group, without overall rows."""
    return rows.group_by("group").agg(pa.roc_summary("label", "score"))


def report(*scores: str, **options: Any) -> Query:
    """Evaluate scores in a report."""
    return lambda rows: pa.report(rows, "label", scores or "score", by="group", **options)


def in_memory(many_rows: int) -> Query:
    """Evaluate rows in memory, in batches above a number of rows."""

    def from_frame(frame: pl.DataFrame) -> pl.DataFrame:
        batches._MANY_ROWS = many_rows
        return pa.report(frame, "label", "score", by="group")

    columns = pl.col("group", "label", "score")
    return lambda rows: rows.select(columns).map_batches(from_frame, validate_output_schema=False)


# The rows and the query of each benchmark.
QUERIES: dict[str, tuple[str, Query]] = {
    "sum of all columns": ("files", lambda rows: rows.select(pl.col("group", "label", "score").sum())),
    "grouped roc_auc": ("files", lambda rows: rows.group_by("group").agg(pa.roc_auc("label", "score"))),
    "report": ("files", report()),
    "report of rows in memory, at once": ("files", in_memory(2**60)),
    "report of rows in memory, in batches": ("files", in_memory(0)),
    "report, bounded": ("files", report(memory="bounded", max_bins=1024)),
    "all rows, without groups": ("files", lambda rows: rows.select(pa.roc_summary("label", "score"))),
    "groups": ("files", grouped),
    "groups of sorted files": ("sorted", grouped),
    "groups of sorted files, set_sorted": ("sorted", lambda rows: grouped(rows.set_sorted("group"))),
    "groups of partitions": ("partitions", grouped),
    "report of sorted files": ("sorted", report()),
    "report of sorted files, set_sorted": ("sorted", lambda rows: report()(rows.set_sorted("group"))),
    "report of sorted files, sorted_by": ("sorted", report(sorted_by="group")),
    "report of partitions": ("partitions", report()),
    "report of partitions, sorted_by": ("partitions", report(sorted_by="group")),
    "report of 4 scores": ("sorted", report(*FOUR)),
    "report of 4 scores, set_sorted": ("sorted", lambda rows: report(*FOUR)(rows.set_sorted("group"))),
    "report of 4 scores, sorted_by": ("sorted", report(*FOUR, sorted_by="group")),
    "report of 4 scores, partitions": ("partitions", report(*FOUR)),
    "report of 4 scores, partitions, sorted_by": ("partitions", report(*FOUR, sorted_by="group")),
}


def write(folder: Path, rows: int, groups: int, sources: list[str]) -> None:
    """Write labels, groups and distinct normal scores; positives are shifted by one standard deviation."""
    rng = np.random.default_rng(1)
    for name in ("files", "sorted"):
        (folder / name).mkdir()
    for number in range(10):
        label = rng.random(rows // 10) < 0.3
        group = rng.integers(0, groups, label.size).astype(np.int32)
        scores = {score: rng.standard_normal(label.size) + label for score in FOUR}
        frame = pl.DataFrame({"group": group, "label": label, **scores})
        frame.write_parquet(folder / "files" / f"{number}.parquet")
    if sources == ["files"]:
        return
    whole = pl.read_parquet(folder / "files" / "*.parquet").sort("group")
    for place, part in enumerate(whole.iter_slices(-(-whole.height // 10))):
        part.write_parquet(folder / "sorted" / f"{place}.parquet")
    whole.write_parquet(folder / "partitions", partition_by="group", mkdir=True)


def query_plan(query: str, folder: str) -> pl.LazyFrame:
    """Plan a query."""
    source, of = QUERIES[query]
    return of(pl.scan_parquet(f"{folder}/{source}/**/*.parquet", hive_partitioning=source == "partitions"))


def main() -> None:
    """Measure, print and append."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e8)
    parser.add_argument("--groups", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--queries", nargs="*", choices=QUERIES, default=list(QUERIES), metavar="QUERY")
    parser.add_argument("--alone", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--write", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.write:
        sources = sorted({QUERIES[query][0] for query in chosen.queries})
        write(Path(chosen.write), int(chosen.rows), chosen.groups, sources)
        return
    if chosen.alone:
        print(json.dumps(usage(query_plan(*chosen.alone))))
        return
    with tempfile.TemporaryDirectory() as folder:
        # Data in this process would count in the peak memory of its child processes.
        arguments = ["--write", folder, "--rows", str(chosen.rows), "--groups", str(chosen.groups)]
        subprocess.run([sys.executable, __file__, *arguments, "--queries", *chosen.queries], check=True)
        answers = measured(__file__, chosen.queries, chosen.rounds, folder)
    medians = {
        name: {what: statistics.median(answer[what] for answer in each) for what in ("seconds", "megabytes")}
        for name, each in answers.items()
    }
    about = {"date": time.strftime("%Y-%m-%d"), "polars": pl.__version__, "rows": int(chosen.rows)}
    table = pl.DataFrame(
        [
            {**about, "groups": chosen.groups, "query": name, "rounds": chosen.rounds, **median, **machine()}
            for name, median in medians.items()
        ]
    ).with_columns(pl.col("seconds", "megabytes").round_sig_figs(3))
    print(table)
    append(table, RESULTS)


if __name__ == "__main__":
    main()
