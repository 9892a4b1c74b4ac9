"""Time of queries with the library before and after a change of the kernel.

``python benches/versions.py before=A.so now=B.so [--rounds 11] [--rows 1e7] [--only roc_auc]`` runs queries
of one column, of groups, of weights and of states. Each library runs in a separate process, on the same rows.
A row of ``benches/results/versions.csv`` has the time of a query with one library, relative to the first one.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

import polars as pl

import optimised
from rows import append

RESULTS = Path(__file__).parent / "results" / "versions.csv"


def queries() -> dict[str, Callable[[], object]]:
    """Return queries of one column, of groups, of weights and of states."""
    import numpy as np

    import polars_auc as pa

    n = int(os.environ["BENCH_ROWS"])
    rng = np.random.default_rng(1)
    label = rng.random(n) < 0.3
    score = rng.standard_normal(n) + label
    rows = pl.DataFrame(
        {
            "label": label,
            "score": score,
            "other": score + rng.standard_normal(n),
            "half": np.where(rng.random(n) < 0.5, 0.5, score),
            "decimals": np.round(score, 3),
            "weight": rng.random(n) + 0.1,
            "ten": rng.integers(0, n // 10, n, dtype=np.int32),
            "many": rng.integers(0, n // 10_000, n, dtype=np.int32),
            "day": np.arange(n, dtype=np.int64) // (n // 365 + 1),
        }
    )
    frame = rows.lazy()
    days = pa.group_states(frame, "label", "decimals", by="day").collect().lazy()
    ls = ("label", "score")
    plans = {
        "roc_auc": frame.select(pa.roc_auc(*ls)),
        "roc_auc_ci": frame.select(pa.roc_auc_ci(*ls)),
        "roc_summary": frame.select(pa.roc_summary(*ls)),
        "average_precision": frame.select(pa.average_precision(*ls)),
        "ks_statistic": frame.select(pa.ks_statistic(*ls)),
        "mann_whitney_u": frame.select(pa.mann_whitney_u(*ls)),
        "roc_auc, half ties": frame.select(pa.roc_auc("label", "half")),
        "roc_auc, three decimals": frame.select(pa.roc_auc("label", "decimals")),
        "roc_auc(weight=)": frame.select(pa.roc_auc(*ls, weight="weight")),
        "roc_curve(max_points=)": frame.select(pa.roc_curve(*ls, max_points=1000).list.len()),
        "roc_auc_difference": frame.select(pa.roc_auc_difference("label", "score", "other")),
        "roc_state": frame.select(pa.roc_state(*ls).struct.field("n_pos")),
        "merge_states of 365 days": days.select(pa.merge_states("decimals").struct.field("n_pos")),
        "rolling_merge_states of 28 days": days.sort("day").select(
            pa.rolling_merge_states("decimals", "day", window=28).struct.field("n_pos")
        ),
        "roc_auc, groups of 10": frame.group_by("ten").agg(pa.roc_auc(*ls)),
        "roc_auc_ci, groups of 10": frame.group_by("ten").agg(pa.roc_auc_ci(*ls)),
        "roc_auc, groups of 10^4": frame.group_by("many").agg(pa.roc_auc(*ls)),
        "roc_summary, groups of 10^4": frame.group_by("many").agg(pa.roc_summary(*ls)),
        "compare_segments, groups of 10^4": pa.compare_segments(frame, *ls, "many"),
        "report, groups of 10^4": pa.report(frame, *ls, by="many"),
    }
    return {name: plan.collect for name, plan in plans.items()}


def main() -> None:
    """Run the libraries alternately, and append the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("libraries", nargs="*", metavar="NAME=PATH")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--rows", type=float, default=1e7)
    parser.add_argument("--only", nargs="+", default=[""], help="queries whose names contain one of these")
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.answer:
        optimised.answer(queries())
        return
    from machine import machine

    os.environ["BENCH_ROWS"] = str(int(arguments.rows))
    order = random.Random(1)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        libraries_by_name = dict(each.split("=", 1) for each in arguments.libraries)
        libraries = {
            name: optimised.Library(path, Path(folder) / name, __file__)
            for name, path in libraries_by_name.items()
        }
        first = next(iter(libraries))
        for query in libraries[first].names:
            if not any(word in query for word in arguments.only):
                continue
            seconds: dict[str, list[float]] = {name: [] for name in libraries}
            for _ in range(arguments.rounds):
                for name in order.sample(list(libraries), len(libraries)):
                    seconds[name].append(libraries[name].seconds(query))
            base = seconds[first]
            for name, times in seconds.items():
                rows.append(
                    {
                        "query": query,
                        "library": name,
                        "rows": int(arguments.rows),
                        "rounds": arguments.rounds,
                        "median_s": round(statistics.median(times), 5),
                        "fastest_s": round(min(times), 5),
                        "ratio": round(statistics.median(times) / statistics.median(base), 3),
                        "fastest_ratio": round(min(times) / min(base), 3),
                        **machine(),
                    }
                )
                print(*list(rows[-1].values())[:8], sep=", ", flush=True)
    append(pl.DataFrame(rows), RESULTS)


if __name__ == "__main__":
    main()
