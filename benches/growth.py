"""Growth of time and memory with the number of rows, segments, classes or scores.

``python benches/growth.py [--rounds 3] [--only segments scores] [--works compare]`` runs each work with sizes
that double, each size in a separate process. A row of ``benches/results/growth.csv`` has the wall-clock time
and the CPU time of the fastest round, the peak memory beyond the data, the ratio of the CPU time to that of
half the size, and the documented growth. CPU time depends less on other programs than wall-clock time. With
``--check`` the exit code is 1 if a work with documented n log n takes more than ``MOST`` times as long for
twice the size.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl

import polars_auc as pa
from machine import machine
from rows import append

RESULTS = Path(__file__).parent / "results" / "growth.csv"

# n log n gives 2.1 to 2.2; data beyond a cache size cost the rest.
MOST = 2.6

Run: TypeAlias = Callable[[], object]


@dataclass(frozen=True)
class Work:
    """A query for a size."""

    make: Callable[[int], Run]
    sizes: tuple[int, ...]
    order: str = "n log n"
    """The documented growth of time with this size."""


def numbers(n: int, seed: int = 1) -> pl.DataFrame:
    """Return labels, and three scores with higher values for positives."""
    rng = np.random.default_rng(seed)
    label = rng.random(n) < 0.3
    scores = {name: rng.standard_normal(n) + label for name in ("score", "other")}
    return pl.DataFrame({"label": label, **scores, "few": np.round(scores["score"] * 10)})


def select(expression: pl.Expr, frame: pl.DataFrame) -> Run:
    """Return an in-memory query over all rows."""
    plan = frame.lazy().select(expression)
    return lambda: plan.collect(engine="in-memory")


def row_work(expression: pl.Expr) -> Work:
    """Return a work whose size is the number of rows."""
    return Work(lambda n: select(expression, numbers(n)), (125_000, 250_000, 500_000, 1_000_000))


def segmented(segments: int) -> pl.DataFrame:
    """Return 100 rows for each segment, in clusters of 10 and with weights from 1 to 7.

    Each of four kinds of rows has a quarter of the segments.
    """
    rows = pl.int_range(pl.len())
    return numbers(100 * segments).with_columns(
        segment=rows % segments,
        kind=rows % segments % 4,
        period=rows % segments // 4,
        cluster=rows % (10 * segments),
        weight=1 + rows % 7,
    )


SEGMENTS = (2_500, 5_000, 10_000, 20_000)


def segment_work(ask: Callable[[pl.LazyFrame], pl.LazyFrame], sizes: tuple[int, ...] = SEGMENTS) -> Work:
    """Return a work whose size is the number of segments."""

    def make(segments: int) -> Run:
        plan = ask(segmented(segments).lazy())
        return lambda: plan.collect(engine="in-memory")

    return Work(make, sizes)


def segments(versus: object, **options: Any) -> Work:
    """Compare segments."""
    return segment_work(
        lambda frame: pa.compare_segments(frame, "label", "score", "segment", versus=versus, **options)
    )


def key_work(expression: pl.Expr) -> Work:
    """Return a work whose size is the number of keys, with 100 rows each."""
    return Work(lambda keys: select(expression, segmented(keys)), SEGMENTS)


def ordinal(classes: int, *, pairs: bool) -> Run:
    """Return 100 groups of 2000 rows with this number of classes."""
    rows = pl.int_range(pl.len())
    frame = numbers(200_000).with_columns(group=rows // 2000, stage=rows % classes)
    plan = frame.lazy().group_by("group").agg(pa.ordinal_roc_auc("stage", "score", pairs=pairs))
    return lambda: plan.collect(engine="in-memory")


def multiclass(classes: int) -> Run:
    """Return 20,000 rows with a score for each class."""
    rng = np.random.default_rng(1)
    probabilities = {str(k): rng.random(20_000) for k in range(classes)}
    frame = pl.DataFrame({"label": (np.arange(20_000) % classes).astype(str), **probabilities})
    return select(pa.multiclass_roc_auc("label", *probabilities, multi_class="ovo"), frame)


def scores(k: int, rows: int = 1_000) -> pl.DataFrame:
    """Return rows with this number of scores."""
    rng = np.random.default_rng(1)
    label = rng.random(rows) < 0.3
    return pl.DataFrame({"label": label, **{f"s{i}": rng.standard_normal(rows) + label for i in range(k)}})


def compared(k: int, rows: int = 1_000, weight: str | None = None) -> Run:
    """Compare scores of the same rows."""
    frame = scores(k, rows).with_columns(weight=1 + pl.int_range(pl.len()) % 7 / 3)
    return select(pa.compare_scores("label", pl.all().exclude("label", "weight"), weight=weight), frame)


def reported(k: int) -> Run:
    """Report scores of 10,000 rows."""
    plan = pa.report(scores(k, 10_000).lazy(), "label", pl.all().exclude("label"))
    return lambda: plan.collect(engine="in-memory")


def reported_in_memory(k: int) -> Run:
    """Report scores of 10^6 rows in memory."""
    frame = scores(k, 1_000_000)
    return lambda: pa.report(frame, "label", pl.all().exclude("label"))


LS = ("label", "score")
ROWS = {
    "roc_auc": pa.roc_auc(*LS),
    "roc_auc, ties": pa.roc_auc("label", "few"),
    "roc_auc(max_fpr=)": pa.roc_auc(*LS, max_fpr=0.1),
    "roc_auc_ci": pa.roc_auc_ci(*LS),
    "roc_auc_ci(method=bootstrap)": pa.roc_auc_ci(*LS, method="bootstrap"),
    "roc_summary": pa.roc_summary(*LS),
    "average_precision": pa.average_precision(*LS),
    "ks_statistic": pa.ks_statistic(*LS),
    "mann_whitney_u": pa.mann_whitney_u(*LS),
    "brunner_munzel": pa.brunner_munzel(*LS),
    "hodges_lehmann": pa.hodges_lehmann(*LS),
    "hodges_lehmann, ties": pa.hodges_lehmann("label", "few"),
    "kruskal_wallis": pa.kruskal_wallis("label", "score"),
    "rank_agreement": pa.rank_agreement("score", "other"),
    "gini_index": pa.gini_index("other", "score"),
    "concordance_index": pa.concordance_index("score", "label", "other"),
    "concordance_index(method=uno)": pa.concordance_index("score", "label", "other", method="uno"),
    "binormal_roc_auc": pa.binormal_roc_auc(*LS),
    "roc_curve": pa.roc_curve(*LS),
    "roc_curve(drop_intermediate=)": pa.roc_curve(*LS, drop_intermediate=True),
    "roc_curve(max_points=)": pa.roc_curve(*LS, max_points=1000),
    "pr_curve": pa.pr_curve(*LS),
    "roc_convex_hull": pa.roc_convex_hull(*LS),
    "cost_curve": pa.cost_curve(*LS),
    "gains_table": pa.gains_table(*LS, bands=10),
    "operating_point": pa.operating_point(*LS),
    "roc_auc_difference": pa.roc_auc_difference("label", "score", "other"),
    "roc_curve_difference, 20 permutations": pa.roc_curve_difference(
        "label", "score", "other", n_permutations=20
    ),
    "roc_auc_difference_power": pa.roc_auc_difference_power("label", "score", "other"),
    "subgroup_auc": pa.subgroup_auc("label", "score", pl.col("other") > 0),
}

KEYS = {
    "grouped_roc_auc": pa.grouped_roc_auc("label", "score", "segment"),
    "grouped_roc_auc_difference": pa.grouped_roc_auc_difference("label", "score", "other", "segment"),
    "cv_roc_auc": pa.cv_roc_auc("label", "score", "segment"),
    "roc_auc_ci(cluster=)": pa.roc_auc_ci("label", "score", cluster="segment"),
    "roc_auc_ci(cluster=, method=bootstrap)": pa.roc_auc_ci(
        "label", "score", cluster="segment", method="bootstrap"
    ),
    "cv_roc_curve": pa.cv_roc_curve("label", "score", "segment", n_points=11),
    "kruskal_wallis, samples": pa.kruskal_wallis("segment", "score"),
}

# The unit of each size, and its works.
WORKS: dict[str, dict[str, Work]] = {
    "rows": {name: row_work(expression) for name, expression in ROWS.items()},
    "segments": {
        "compare_segments(rest)": segments("rest"),
        "compare_segments(pooled_rest)": segments("pooled_rest"),
        "compare_segments(overall)": segments("overall"),
        "compare_segments(previous)": segments("previous"),
        "compare_segments(previous, along=)": segment_work(
            lambda frame: pa.compare_segments(
                frame, "label", "score", ["period", "kind"], versus="previous", along="period"
            )
        ),
        "compare_segments(a segment)": segments(7),
        "compare_segments(rest, weight=)": segments("rest", weight="weight"),
        "compare_segments(rest, cluster=)": segment_work(
            lambda frame: pa.compare_segments(frame, "label", "score", "segment", cluster="cluster"),
            (500, 1_000, 2_000, 4_000),
        ),
        "report(versus=rest)": segment_work(
            lambda frame: pa.report(frame, "label", "score", by="segment", versus="rest")
        ),
        **{name: key_work(expression) for name, expression in KEYS.items()},
    },
    "classes": {
        "ordinal_roc_auc(pairs=True)": Work(
            lambda k: ordinal(k, pairs=True), (125, 250, 500, 1_000), "n log n + n k + k² log k"
        ),
        "ordinal_roc_auc(pairs=False)": Work(
            lambda k: ordinal(k, pairs=False), (125, 250, 500, 1_000), "n log n + n k + k² log k"
        ),
        "multiclass_roc_auc(ovo)": Work(multiclass, (10, 20, 40, 80), "k n log n + k² log k"),
    },
    "scores": {
        "compare_scores": Work(compared, (200, 400, 800, 1_600), "k n log n + k² n + k³"),
        "compare_scores, 10^5 rows": Work(
            lambda k: compared(k, 100_000), (5, 10, 20, 40), "k n log n + k² n + k³"
        ),
        "compare_scores(weight=), 10^5 rows": Work(
            lambda k: compared(k, 100_000, "weight"), (5, 10, 20, 40), "k n log n + k² n + k³"
        ),
        "report": Work(reported, (50, 100, 200, 400), "k n log n"),
        "report, 10^6 rows in memory": Work(reported_in_memory, (5, 10, 20, 40), "k n log n"),
    },
}


def memory() -> float:
    """Return the peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def alone(counted: str, name: str, size: int, rounds: int) -> dict[str, float]:
    """Measure one size in this process."""
    run = WORKS[counted][name].make(size)
    # The first query of a process starts threads.
    numbers(10).select(pa.roc_auc(*LS))
    before = memory()
    seconds, processor_seconds = [], []
    for _ in range(rounds):
        began, worked = time.perf_counter(), time.process_time()
        run()
        seconds.append(time.perf_counter() - began)
        processor_seconds.append(time.process_time() - worked)
    return {
        "seconds": min(seconds),
        "processor_seconds": min(processor_seconds),
        "megabytes": memory() - before,
    }


def main() -> int:
    """Measure, print and append."""
    parser = argparse.ArgumentParser(description="Measure how time grows with size.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=WORKS, help="these sizes")
    parser.add_argument("--works", nargs="+", default=[""], help="works whose names contain one of these")
    parser.add_argument("--check", action="store_true", help="fail where n log n is not kept")
    parser.add_argument("--dry", action="store_true", help="append nothing")
    parser.add_argument("--alone", nargs=3, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.alone:
        counted, name, size = chosen.alone
        print(json.dumps(alone(counted, name, int(size), chosen.rounds)))
        return 0
    stamp = {"date": time.strftime("%Y-%m-%d"), "version": pa.__version__, "polars": pl.__version__}
    measured: list[dict[str, Any]] = []
    broken = False
    for counted, works in WORKS.items():
        if chosen.only and counted not in chosen.only:
            continue
        for name, work in works.items():
            if not any(part in name for part in chosen.works):
                continue
            times: list[float] = []
            for size in work.sizes:
                command = [sys.executable, __file__, "--rounds", str(chosen.rounds)]
                command += ["--alone", counted, name, str(size)]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                answer = json.loads(done.stdout)
                ratio = answer["processor_seconds"] / times[-1] if times else None
                times.append(answer["processor_seconds"])
                row = {"work": name, "counted": counted, "size": size, **answer, "ratio": ratio}
                measured.append({**stamp, **row, "says": work.order, "rounds": chosen.rounds, **machine()})
                printed_ratio = "" if ratio is None else f"{ratio:6.2f}"
                cost = f"{answer['processor_seconds']:8.4f} s {answer['megabytes']:7.1f} MB"
                print(f"{name:<40} {size:>8} {counted:<9} {cost} {printed_ratio}", flush=True)
            doubling = (times[-1] / times[0]) ** (1 / (len(times) - 1))
            broken |= work.order == "n log n" and doubling > MOST
    if not chosen.dry:
        table = pl.DataFrame(measured, schema_overrides={"ratio": pl.Float64}, infer_schema_length=None)
        table = table.with_columns(
            pl.col("seconds", "processor_seconds", "megabytes", "ratio").round_sig_figs(4)
        )
        append(table, RESULTS)
    return 1 if chosen.check and broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
