"""Make benchmark data: labels and scores in groups, as hive-partitioned Parquet.

``python data/generate.py OUT --rows 1e7 --groups 1000`` writes ``OUT/part=0/rows.parquet`` and so on, each
with the columns ``group`` (Int32), ``label`` (Boolean) and ``score`` (Float64). Everything is seeded.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl

ROWS_PER_FILE = 1_000_000
TIES = ("none", "many", "all")
SIZES = ("even", "skewed")


def rows(
    n: int, groups: int, prevalence: float = 0.3, ties: str = "none", sizes: str = "even", seed: int = 1
) -> pl.DataFrame:
    """Return ``n`` rows: scores are normal, those of positives one standard deviation higher.

    ``ties``: none, many (three decimals of a rank between 0 and 1), all (one score).
    ``sizes``: even, or skewed like 1/rank, so that the largest group holds about a tenth of the rows.
    """
    rng = np.random.default_rng(seed)
    label = rng.random(n) < prevalence
    score = rng.standard_normal(n) + label
    if ties == "many":
        score = np.round(1 / (1 + np.exp(-score)), 3)
    elif ties == "all":
        score = np.full(n, 0.5)
    uniform = rng.random(n)
    group = uniform * groups if sizes == "even" else (groups + 1) ** uniform - 1
    return pl.DataFrame({"group": group.astype(np.int32), "label": label, "score": score})


def bar(done: int, total: int, start: float) -> None:
    """Draw a progress bar on a terminal."""
    if sys.stderr.isatty():
        share = done / total
        end = "\n" if done == total else ""
        filled = "#" * int(40 * share)
        sys.stderr.write(f"\r[{filled:<40}] {share:4.0%} {time.monotonic() - start:.0f} s{end}")
        sys.stderr.flush()


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description="Make benchmark data as hive-partitioned Parquet.")
    parser.add_argument("out", type=Path, help="the folder to make; it must not exist")
    parser.add_argument("--rows", type=float, default=1e7, help="rows in all (default: 1e7)")
    parser.add_argument("--groups", type=int, default=1000, help="groups (default: 1000)")
    parser.add_argument("--prevalence", type=float, default=0.3, help="share of positives (default: 0.3)")
    parser.add_argument("--ties", choices=TIES, default="none")
    parser.add_argument("--sizes", choices=SIZES, default="even")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    total = int(chosen.rows)
    if total < 1 or chosen.groups < 1 or not 0 <= chosen.prevalence <= 1:
        parser.error("rows and groups must be at least 1, and prevalence between 0 and 1")
    if chosen.out.exists():
        parser.error(f"{chosen.out} exists")
    start = time.monotonic()
    for part, first in enumerate(range(0, total, ROWS_PER_FILE)):
        n = min(ROWS_PER_FILE, total - first)
        seed = chosen.seed + part
        frame = rows(n, chosen.groups, chosen.prevalence, chosen.ties, chosen.sizes, seed)
        folder = chosen.out / f"part={part}"
        folder.mkdir(parents=True)
        frame.write_parquet(folder / "rows.parquet")
        bar(first + n, total, start)


if __name__ == "__main__":
    main()
