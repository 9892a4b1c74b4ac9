"""Number of instructions of the kernel, relative to a committed baseline.

``python benches/instructions.py`` builds ``benches/kernel.rs``, and counts the instructions of each work with
``valgrind --tool=callgrind``. Unlike a time, the count does not depend on the load of the machine. The exit
code is 1 if a work has more than 1.05 times the instructions in ``benches/results/instructions.csv``.
``--accept`` writes the counts as the new baseline. The same compiler and processor features give the same
counts; with another compiler, first make a baseline from the commit before the change.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BASELINE = Path(__file__).parent / "results" / "instructions.csv"
ALLOWED = 1.05

WORKS = [
    (shape, group_rows, what, way)
    for shape, group_rows, way in [
        ("normal", "10", "fitting"),
        ("normal", "100", "fitting"),
        ("normal", "10000", "fitting"),
        ("normal", "10000", "shards"),
        ("three decimals", "10000", "counted"),
        ("log-uniform", "10000", "fitting"),
    ]
    for what in (
        "roc_auc",
        "ks_statistic",
        "average_precision",
        "roc_auc_ci",
        "mann_whitney_u",
        "roc_summary",
    )
]


def built() -> Path:
    """Build the benchmark and return the program."""
    command = ["cargo", "bench", "--locked", "--no-default-features", "--bench", "kernel", "--no-run"]
    lines = subprocess.run(
        [*command, "--message-format=json"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    programs = [json.loads(line).get("executable") for line in lines if '"kernel"' in line]
    return Path(next(program for program in programs if program))


def instructions(program: Path, *arguments: str) -> int:
    """Count the instructions of one run on one thread."""
    with tempfile.TemporaryDirectory() as folder:
        tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
        run = subprocess.run(
            [*tool, program, "rounds=1", *arguments],
            check=True,
            capture_output=True,
            text=True,
            env={"RAYON_NUM_THREADS": "1", "PATH": "/usr/bin:/bin"},
        )
    counted = re.search(r"Collected : (\d+)", run.stderr)
    if counted is None:
        sys.exit(f"valgrind counted nothing: {run.stderr}")
    return int(counted[1])


def main() -> int:
    """Count, compare and print."""
    parser = argparse.ArgumentParser(description="Count the kernel's instructions.")
    parser.add_argument("--accept", action="store_true", help="make these counts the baseline")
    chosen = parser.parse_args()
    program = built()
    counts = {}
    if BASELINE.exists():
        with BASELINE.open() as file:
            counts = {tuple(row[:4]): float(row[4]) for row in list(csv.reader(file))[1:]}
    rows, slower = [], 0
    for work in WORKS:
        shape, group_rows, what, way = work
        arguments = [f"shape={shape}", f"group_rows={group_rows}", f"way={way}"]
        # The instructions of data generation are counted separately and subtracted.
        idle = instructions(program, *arguments, "what=nothing")
        count = (instructions(program, *arguments, f"what={what}") - idle) / 2**20
        ratio = count / counts.get(work, count)
        slower += ratio > ALLOWED
        mark = "  MORE" if ratio > ALLOWED else ""
        print(
            f"{shape:<16} {group_rows:>6} {way:<8} {what:<16} {count:8.2f} a row  x {ratio:.3f}{mark}",
            flush=True,
        )
        rows.append([*work, f"{count:.3f}"])
    if chosen.accept:
        with BASELINE.open("w", newline="") as file:
            csv.writer(file).writerows(
                [["shape", "group_rows", "what", "way", "instructions_per_row"], *rows]
            )
    return 1 if slower and not chosen.accept else 0


if __name__ == "__main__":
    raise SystemExit(main())
