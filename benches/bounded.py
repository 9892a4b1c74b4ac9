"""Time and memory of reports with ``memory="bounded"``, relative to ordinary reports.

``python benches/bounded.py [--rounds 3] [--shapes SHAPE ...]`` writes the rows of each shape to temporary
Parquet files, and runs each report in a separate process, alternately. A row of
``benches/results/bounded.csv`` has the median seconds of the query, the median peak memory of the
process in megabytes, and the ratios of both to the ordinary report.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import polars_auc as pa
from machine import machine
from processes import measured, usage
from rows import append

RESULTS = Path(__file__).parent / "results" / "bounded.csv"

# Rows, scores, groups.
SHAPES = {
    "many scores": (500_000, 50, 2_000),
    "many groups": (10_000_000, 3, 1_000_000),
    "few groups": (20_000_000, 3, 100),
    "many groups, versus": (3_000_000, 3, 300_000),
}
VERSUS = {"many groups, versus": "rest"}
"""The argument ``versus`` of a shape."""

ORDINARY = "ordinary"
OPTIONS: dict[str, dict[str, Any]] = {
    ORDINARY: {},
    "bounded": {"memory": "bounded"},
    "bounded, 256 bins": {"memory": "bounded", "max_bins": 256},
}

FILES = 10


def write(folder: Path, shape: str) -> None:
    """Write labels, groups and distinct normal scores; positives are shifted by one standard deviation."""
    rows, scores, groups = SHAPES[shape]
    rng = np.random.default_rng(1)
    for number in range(FILES):
        label = rng.random(rows // FILES) < 0.3
        group = rng.integers(0, groups, label.size).astype(np.int32)
        columns = {f"s{score}": rng.standard_normal(label.size) + label for score in range(scores)}
        pl.DataFrame({"group": group, "label": label, **columns}).write_parquet(folder / f"{number}.parquet")


def query(options: str, folder: str, shape: str) -> pl.LazyFrame:
    """Plan a report of the rows of a folder."""
    rows = pl.scan_parquet(f"{folder}/*.parquet")
    scores = pl.all().exclude("group", "label")
    return pa.report(rows, "label", scores, by="group", versus=VERSUS.get(shape), **OPTIONS[options])


def main() -> None:
    """Measure the reports, print the results, and append them to the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES), metavar="SHAPE")
    parser.add_argument("--dry", action="store_true", help="do not append the results to the file")
    parser.add_argument("--alone", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--write", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.write:
        folder, shape = arguments.write
        write(Path(folder), shape)
        return
    if arguments.alone:
        print(json.dumps(usage(query(*arguments.alone))))
        return
    for shape in arguments.shapes:
        with tempfile.TemporaryDirectory() as folder:
            # Data in this process would count in the peak memory of its child processes.
            subprocess.run([sys.executable, __file__, "--write", folder, shape], check=True)
            results = measured(__file__, list(OPTIONS), arguments.rounds, folder, shape)
        medians = {
            name: {what: statistics.median(run[what] for run in runs) for what in ("seconds", "megabytes")}
            for name, runs in results.items()
        }
        sizes = dict(zip(("rows", "scores", "groups"), SHAPES[shape], strict=True))
        about = {"date": time.strftime("%Y-%m-%d"), "polars": pl.__version__, "shape": shape, **sizes}
        table = pl.DataFrame(
            {
                **about,
                "report": name,
                "rounds": arguments.rounds,
                **median,
                **{f"{what}_ratio": value / medians[ORDINARY][what] for what, value in median.items()},
                **machine(),
            }
            for name, median in medians.items()
        ).with_columns(pl.col("seconds", "megabytes", "seconds_ratio", "megabytes_ratio").round_sig_figs(3))
        with pl.Config(tbl_cols=-1, tbl_width_chars=200):
            print(table.drop("date", "polars", "cpu", "cores", "system"), flush=True)
        if not arguments.dry:
            append(table, RESULTS)


if __name__ == "__main__":
    main()
