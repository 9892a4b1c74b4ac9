"""Coverage of the 95 % intervals of ``roc_auc_ci``.

``python benches/coverage.py [--share 1.0] [--only delong] [--dry]`` simulates samples with a known AUC:
scores are normal with the same spread in both classes, and scores of positives are ``sqrt(2) probit(AUC)``
higher. A sample is a group of one query. All seeds are fixed. A row of ``benches/results/coverage.csv`` has
the share of intervals of one method that contain the AUC. ``--share`` runs a share of the samples. ``--only``
runs the methods whose names contain one of the words, and keeps the rows of the others.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl

import polars_auc as pa

RESULTS = Path(__file__).parent / "results" / "coverage.csv"

AREAS = (0.6, 0.8, 0.95)
LEVEL = 0.95
TOLERATED = (0.935, 0.965)

CORRELATION = 0.5
"""The correlation of the two rows of a cluster."""

SEEDS = 100
"""Groups of one size and seed share their bootstrap resamples, whose random error would not average out over
replicates: the coverage with 2000 resamples has a standard deviation of 0.6 % between seeds. So replicates
are divided over this number of seeds.
"""


@dataclass(frozen=True)
class Method:
    """A method of an interval."""

    name: str
    options: dict[str, Any]
    resamples: int = 0
    clustered: bool = False

    def truth(self, auc: float) -> float:
        """Return the true area, under the whole curve or a part of it."""
        if "max_fpr" not in self.options:
            return auc
        normal, steps = NormalDist(), 200_000
        width: float = self.options["max_fpr"] / steps
        # The midpoints of narrow strips.
        rates = ((step + 0.5) * width for step in range(steps))
        shift = math.sqrt(2) * normal.inv_cdf(auc)
        return width * math.fsum(normal.cdf(shift + normal.inv_cdf(rate)) for rate in rates)

    def interval(self, seed: int) -> pl.Expr:
        """Return the expression of the interval."""
        options = {**self.options, "level": LEVEL, "cluster": "cluster" if self.clustered else None}
        if self.resamples:
            options |= {"n_resamples": self.resamples, "seed": seed}
        return pa.roc_auc_ci("label", "score", **options)


METHODS = [
    Method("wilson", {"method": "wilson"}),
    Method("wilson, clusters of 2", {"method": "wilson"}, clustered=True),
    Method("delong", {"method": "delong"}),
    Method("logit", {"method": "logit"}),
    Method("hanley_mcneil", {"method": "hanley_mcneil"}),
    Method("bootstrap, percentile", {"method": "bootstrap", "interval": "percentile"}, resamples=2000),
    Method("bootstrap, bca", {"method": "bootstrap", "interval": "bca"}, resamples=2000),
    Method("delong, clusters of 2", {"method": "delong"}, clustered=True),
    Method("delong, clusters ignored", {"method": "delong"}),
    Method("delong, fpr to 0.2", {"method": "delong", "max_fpr": 0.2}),
    Method("obuchowski", {"method": "obuchowski"}),
]


def replicates(method: Method, n_class: int) -> int:
    """Return the number of replicates of a method: the bootstrap costs a thousand times as much."""
    if not method.resamples:
        return 20_000
    return 10_000 if n_class <= 50 else 4000


def simulated(auc: float, n_class: int, count: int, *, clusters: bool, seed: int) -> pl.DataFrame:
    """Return replicates with these numbers of rows; clusters are two rows of one class."""
    rng = np.random.default_rng(seed)
    label = np.tile(np.repeat([False, True], n_class), count)
    noise = rng.standard_normal(label.size)
    if clusters:
        shared = np.repeat(rng.standard_normal(label.size // 2), 2)
        noise = math.sqrt(CORRELATION) * shared + math.sqrt(1 - CORRELATION) * noise
    higher = math.sqrt(2) * NormalDist().inv_cdf(auc)
    replicate = np.repeat(np.arange(count, dtype=np.int32), 2 * n_class)
    pairs = np.arange(label.size, dtype=np.int32) // 2
    return pl.DataFrame(
        {"replicate": replicate, "label": label, "score": noise + higher * label, "cluster": pairs}
    )


def intervals(method: Method, frame: pl.DataFrame, count: int, n_class: int) -> pl.DataFrame:
    """Return the interval of each of the first replicates."""
    seeds = SEEDS if method.resamples else 1
    ends = [2 * n_class * (count * seed // seeds) for seed in range(seeds + 1)]
    plans = [
        frame[start:end].lazy().group_by("replicate").agg(method.interval(seed))
        for seed, (start, end) in enumerate(itertools.pairwise(ends))
    ]
    return pl.concat(plans).collect(engine="in-memory").unnest("score")


def coverage(method: Method, answers: pl.DataFrame, auc: float, n_class: int) -> dict[str, object]:
    """Count the intervals that contain the true AUC."""
    defined = answers.drop_nulls("lower")
    lower, upper = defined["lower"].to_numpy(), defined["upper"].to_numpy()
    truth = method.truth(auc)
    below, above = float(np.mean(upper < truth)), float(np.mean(lower > truth))
    covered = 1 - below - above
    return {
        "method": method.name,
        "auc": auc,
        "n_pos": n_class,
        "n_neg": n_class,
        "replicates": answers.height,
        "resamples": method.resamples or None,
        "coverage": covered,
        "coverage_se": math.sqrt(covered * (1 - covered) / defined.height),
        "wholly_below": below,
        "wholly_above": above,
        "mean_width": float(np.mean(upper - lower)),
        "undefined": answers.height - defined.height,
    }


def cells(share: float, methods: list[Method]) -> Iterator[dict[str, object]]:
    """Simulate every AUC and size."""
    for n_class in (50, 500):
        for number, auc in enumerate(AREAS):
            for clusters in (False, True):
                selected = [method for method in methods if ("clusters" in method.name) == clusters]
                if not selected:
                    continue
                counts = {
                    method.name: max(SEEDS, round(share * replicates(method, n_class))) for method in selected
                }
                seed = 1000 * n_class + 10 * number + clusters
                frame = simulated(auc, n_class, max(counts.values()), clusters=clusters, seed=seed)
                for method in selected:
                    answers = intervals(method, frame, counts[method.name], n_class)
                    yield coverage(method, answers, auc, n_class)


def markdown(rows: list[dict[str, Any]]) -> None:
    """Print a table."""
    print(
        "| method | AUC | rows of each class | replicates | coverage, % | wholly below, % | wholly above, % "
        "| mean width | undefined |\n|---|---|---|---|---|---|---|---|---|"
    )
    for row in rows:
        inside = TOLERATED[0] <= row["coverage"] <= TOLERATED[1]
        covered = f"{100 * row['coverage']:.2f} ± {100 * row['coverage_se']:.2f}"
        print(
            f"| {row['method']} | {row['auc']} | {row['n_pos']} | {row['replicates']} "
            f"| {covered if inside else f'**{covered}**'} | {100 * row['wholly_below']:.2f} "
            f"| {100 * row['wholly_above']:.2f} | {row['mean_width']:.4f} | {row['undefined']} |"
        )


def main() -> None:
    """Simulate, print and write."""
    parser = argparse.ArgumentParser(description="Simulate how often intervals cover the true AUC.")
    parser.add_argument("--share", type=float, default=1.0, help="this share of the replicates")
    parser.add_argument("--only", nargs="+", default=[""], help="methods whose names contain one of these")
    parser.add_argument("--dry", action="store_true", help="write nothing")
    chosen = parser.parse_args()
    table_rows: list[dict[str, Any]] = []
    methods = [method for method in METHODS if any(word in method.name for word in chosen.only)]
    for row in cells(chosen.share, methods):
        table_rows.append(row)
        print(f"{row['method']:<26} {row['auc']:<5} {row['n_pos']:>4} {row['coverage']:.4f}", flush=True)
    table_rows.sort(key=lambda row: [method.name for method in METHODS].index(row["method"]))
    print()
    markdown(table_rows)
    low, high = TOLERATED
    outside = [
        f"{row['method']} at AUC {row['auc']} with {row['n_pos']} rows of each class: "
        f"{100 * row['coverage']:.2f} %"
        for row in table_rows
        if not low <= row["coverage"] <= high
    ]
    print(
        f"\nOutside {100 * low:g} % to {100 * high:g} %: {len(outside)} of {len(table_rows)}",
        *outside,
        sep="\n- ",
    )
    if not chosen.dry:
        stamp = {"version": pa.__version__, "polars": pl.__version__}
        table = pl.DataFrame([{**row, **stamp} for row in table_rows], infer_schema_length=None)
        table = table.with_columns(
            pl.col("coverage", "coverage_se", "wholly_below", "wholly_above", "mean_width").round_sig_figs(5)
        )
        others = [method.name for method in METHODS if method not in methods]
        if others:
            kept = pl.read_csv(RESULTS).filter(pl.col("method").is_in(others))
            table = pl.concat([kept, table], how="vertical_relaxed")
            order = pl.Enum([method.name for method in METHODS])
            table = table.sort(pl.col("method").cast(order), maintain_order=True)
        RESULTS.parent.mkdir(exist_ok=True)
        table.write_csv(RESULTS)


if __name__ == "__main__":
    main()
