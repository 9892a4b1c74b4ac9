"""Time of queries with unoptimised crates of Polars, with optimised crates and with a wheel.

``python benches/optimised.py release=A.so optimised=B.so wheel=C.so`` runs nine queries with libraries of one
commit, each in a separate process with a copy of the package. A row of ``benches/results/optimised.csv`` has
the time of a query with one library, relative to the first library. The libraries come from:

- ``release``: ``cargo build --release --lib``, as in a clone;
- ``optimised``: the same with ``--config profile.release.package.NAME.opt-level=3`` for each package that
  ``Cargo.toml`` leaves at 0;
- ``wheel``: ``maturin build --profile wheel``.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl

from rows import append

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "optimised.csv"
ROWS = 2_000_000


def queries() -> dict[str, Callable[[], object]]:
    """Return queries with results or columns of many kinds: groups, lists, records, words."""
    import numpy as np

    import polars_auc as pa

    rng = np.random.default_rng(1)
    label = rng.random(ROWS) < 0.3
    frame = pl.DataFrame(
        {
            "label": label,
            "score": rng.standard_normal(ROWS) + label,
            "many": rng.integers(0, ROWS // 20, ROWS, dtype=np.int32),
            "some": rng.integers(0, 1000, ROWS, dtype=np.int32),
        }
    ).with_columns(
        word=pl.format("segment {}", pl.col("some") % 20), fold=pl.format("fold {}", pl.col("some") % 5)
    )
    lazy = frame.lazy()
    plans = {
        "roc_auc": lazy.select(pa.roc_auc("label", "score")),
        "roc_auc of many groups": lazy.group_by("many").agg(pa.roc_auc("label", "score")),
        "roc_summary of many groups": lazy.group_by("many").agg(pa.roc_summary("label", "score")),
        "roc_curve": lazy.select(pa.roc_curve("label", "score")),
        "roc_curve of groups": lazy.group_by("some").agg(pa.roc_curve("label", "score")),
        "roc_state of groups": lazy.group_by("some").agg(pa.roc_state("label", "score")),
        "cv_roc_auc, words": lazy.select(pa.cv_roc_auc("label", "score", "fold")),
        "compare_segments, words": pa.compare_segments(lazy, "label", "score", "word"),
        "report, words": pa.report(lazy, "label", "score", by="word"),
    }
    return {name: plan.collect for name, plan in plans.items()}


def answer(functions: dict[str, Callable[[], object]]) -> None:
    """Time the queries by name, one on each input line."""
    print("\n".join(functions), "", sep="\n", flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        functions[line.strip()]()
        print(time.perf_counter() - start, flush=True)


class Library:
    """A process with one of the libraries in its package."""

    def __init__(self, path: str, folder: Path, script: str = __file__) -> None:
        shutil.copytree(HERE.parent / "python", folder, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        shutil.copy(path, folder / "polars_auc" / "_native.abi3.so")
        command = [sys.executable, script, "--answer"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(
            command, env={**os.environ, "PYTHONPATH": f"{folder}:{HERE}"}, **pipes
        )  # type: ignore[call-overload]
        self.names = list(iter(self._line, ""))

    def _line(self) -> str:
        return self.process.stdout.readline().strip()  # type: ignore[no-any-return]

    def seconds(self, name: str) -> float:
        """Run one query."""
        self.process.stdin.write(f"{name}\n")
        self.process.stdin.flush()
        return float(self._line())


def main() -> None:
    """Run the libraries alternately, and append the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("libraries", nargs="*", metavar="NAME=PATH")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.answer:
        answer(queries())
        return
    from machine import machine

    order = random.Random(1)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        libraries_by_name = dict(each.split("=", 1) for each in arguments.libraries)
        libraries = {name: Library(path, Path(folder) / name) for name, path in libraries_by_name.items()}
        first = next(iter(libraries))
        for name in libraries[first].names:
            seconds: dict[str, list[float]] = {library: [] for library in libraries}
            for _ in range(arguments.rounds):
                for library in order.sample(list(libraries), len(libraries)):
                    seconds[library].append(libraries[library].seconds(name))
            medians = {library: statistics.median(times) for library, times in seconds.items()}
            rows += [
                {
                    "query": name,
                    "library": library,
                    "library_bytes": Path(libraries_by_name[library]).stat().st_size,
                    "rows": ROWS,
                    "rounds": arguments.rounds,
                    "seconds": round(medians[library], 5),
                    "fastest_s": round(min(seconds[library]), 5),
                    "ratio": round(medians[library] / medians[first], 3),
                    **machine(),
                }
                for library in libraries
            ]
    table = pl.DataFrame(rows)
    with pl.Config(tbl_rows=-1):
        print(table.select("query", "library", "seconds", "fastest_s", "ratio"))
    append(table, RESULTS)


if __name__ == "__main__":
    main()
