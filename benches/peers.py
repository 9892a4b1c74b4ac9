"""Time of grouped ROC AUC by this package and by others.

``python benches/peers.py [--rounds 5] [--rows 1e7] [--groups 1 1000 1000000]`` first compares the results of
the contenders with ours. Then the contenders alternate on the same frames, in another order each round. A row
of ``benches/results/peers.csv`` has the median and the fastest seconds of a contender, and the ratio of its
median to ours. A contender whose first run takes more than ``--patience`` seconds runs only once. The loop
with scikit-learn runs on at most 10^4 groups, and its time is scaled to all groups.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import TypeAlias

import duckdb
import polarbearings as pb
import polars as pl
import polars_ds as pds
from sklearn.metrics import roc_auc_score

import polars_auc as pa
from machine import machine
from rows import append

sys.path.insert(0, str(Path(__file__).parents[1] / "data"))
from generate import rows

RESULTS = Path(__file__).parent / "results" / "peers.csv"

LOOPED = 10_000
"""Limit of groups for the loop with scikit-learn; its time is scaled to all."""

Contender: TypeAlias = Callable[[pl.DataFrame], pl.DataFrame]


def rank_formula(label: str, score: str) -> pl.Expr:
    """Return the rank-sum formula in plain Polars."""
    n_pos = pl.col(label).sum().cast(pl.Float64)
    n_neg = pl.len() - n_pos
    return (pl.col(score).rank().filter(pl.col(label)).sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg)


def grouped(expression: pl.Expr, engine: str) -> Contender:
    """Return a grouped query of an expression."""

    def query(frame: pl.DataFrame) -> pl.DataFrame:
        plan = frame.lazy().group_by("group").agg(expression.alias("auc"))
        return plan.collect(engine=engine)  # type: ignore[call-overload,no-any-return]

    return query


def imploded(engine: str) -> Contender:
    """Return the same query with lists of values, the input of the plugin, instead of the AUC."""

    def query(frame: pl.DataFrame) -> pl.DataFrame:
        lists = pl.col("score").implode(), pl.col("label").implode().alias("labels")
        plan = frame.lazy().group_by("group").agg(*lists)
        return plan.collect(engine=engine)  # type: ignore[call-overload,no-any-return]

    return query


DUCKDB_SQL = """
SELECT "group", sum(pos * (coalesce(neg_below, 0) + neg / 2.0)) / (sum(pos) * sum(neg)) AS auc
FROM (
    SELECT *, sum(neg) OVER (
        PARTITION BY "group" ORDER BY score ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS neg_below
    FROM (
        SELECT "group", score, count(*) FILTER (WHERE label) AS pos, count(*) FILTER (WHERE NOT label) AS neg
        FROM frame GROUP BY "group", score
    )
)
GROUP BY "group"
"""


def by_duckdb(frame: pl.DataFrame) -> pl.DataFrame:
    """Count ties and sum over them in SQL."""
    with duckdb.connect() as database:
        database.register("frame", frame)
        answer: pl.DataFrame = database.sql(DUCKDB_SQL).pl()
        return answer


def by_sklearn(frame: pl.DataFrame) -> pl.DataFrame:
    """Loop over groups, as without a grouped function; with very many, over the first ones."""
    groups, answers = [], []
    for part in frame.filter(pl.col("group") < LOOPED).partition_by("group"):
        label = part["label"].to_numpy()
        if label.any() and not label.all():
            groups.append(part["group"][0])
            answers.append(roc_auc_score(label, part["score"].to_numpy()))
    return pl.DataFrame({"group": groups, "auc": answers}, schema={"group": pl.Int32, "auc": pl.Float64})


OURS = "polars-auc"
CONTENDERS: dict[str, Contender] = {
    OURS: grouped(pa.roc_auc("label", "score"), "streaming"),
    "polars-auc, in-memory engine": grouped(pa.roc_auc("label", "score"), "in-memory"),
    "bare implode()": imploded("streaming"),
    "bare implode(), in-memory engine": imploded("in-memory"),
    "polarbearings": grouped(pb.roc_auc("label", "score"), "streaming"),
    "polars-ds": grouped(pds.query_roc_auc("label", "score"), "streaming"),
    "rank formula in Polars": grouped(rank_formula("label", "score"), "streaming"),
    "DuckDB SQL": by_duckdb,
    "scikit-learn": by_sklearn,
}
VERSIONS = {
    "polarbearings": "polarbearings",
    "polars-ds": "polars-ds",
    "DuckDB SQL": "duckdb",
    "scikit-learn": "scikit-learn",
}


def differs(ours: pl.DataFrame, theirs: pl.DataFrame) -> float:
    """Return the largest difference of two contenders' results, where both are numbers."""
    both = ours.join(theirs, on="group", suffix="_theirs").drop_nulls().drop_nans()
    return both.select((pl.col("auc") - pl.col("auc_theirs")).abs().max()).item() if both.height else math.inf


def seconds(contender: Contender, frame: pl.DataFrame) -> tuple[float, pl.DataFrame]:
    """Time one run."""
    start = time.perf_counter()
    answer = contender(frame)
    duration = time.perf_counter() - start
    groups = frame["group"].n_unique()
    share = min(1.0, LOOPED / groups) if contender is by_sklearn else 1.0
    return duration / share, answer


def measure(frame: pl.DataFrame, rounds: int, patience: float) -> dict[str, list[float]]:
    """Time all contenders alternately."""
    times: dict[str, list[float]] = {}
    ours = CONTENDERS[OURS](frame)
    for name, contender in CONTENDERS.items():
        first, answer = seconds(contender, frame)
        if "auc" in answer.columns and not (difference := differs(ours, answer)) < 1e-9:
            sys.exit(f"{name} answers otherwise, by {difference}")
        # The first run is the warm-up; for a slow contender it is the measurement.
        times[name] = [first] if first > patience else []
    order = random.Random(1)
    for _ in range(rounds):
        # A contender affects caches and allocator of the next one, so the order changes.
        for name, contender in order.sample(list(CONTENDERS.items()), len(CONTENDERS)):
            if not times[name] or times[name][0] <= patience:
                times[name].append(seconds(contender, frame)[0])
    return times


def main() -> None:
    """Measure, print and append."""
    parser = argparse.ArgumentParser(description="Time grouped ROC AUC by several packages.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=float, default=1e7)
    parser.add_argument("--groups", type=int, nargs="+", default=[1, 1000, 1_000_000])
    parser.add_argument("--patience", type=float, default=20.0, help="seconds after which one run is enough")
    chosen = parser.parse_args()
    n = int(chosen.rows)
    measured = []
    for groups in chosen.groups:
        times = measure(rows(n, groups), chosen.rounds, chosen.patience)
        ours = statistics.median(times[OURS])
        for name, durations in times.items():
            median = statistics.median(durations)
            measured.append(
                {
                    "date": time.strftime("%Y-%m-%d"),
                    "rows": n,
                    "groups": groups,
                    "contender": name,
                    "version": version(VERSIONS.get(name, "polars-auc" if OURS in name else "polars")),
                    "polars": pl.__version__,
                    "runs": len(durations),
                    "median_s": round(median, 4),
                    "fastest_s": round(min(durations), 4),
                    "times_ours": round(median / ours, 2),
                    **machine(),
                }
            )
            print(f"{groups:>8} groups  {name:<34} {median:8.3f} s  {median / ours:8.2f} x ours", flush=True)
    table = pl.DataFrame(measured)
    RESULTS.parent.mkdir(exist_ok=True)
    append(table, RESULTS)


if __name__ == "__main__":
    main()
