"""Time of bands for ROC curves, relative to rocci and to single steps.

``python benches/band_speed.py [--rounds 5] [--dry]`` runs each band and its contender alternately, in random
order. A row of ``benches/results/band_speed.csv`` has the median seconds of both, and their ratio. Bands use
2,000 resamples unless the row has another number.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl

import polars_auc as pa
from machine import machine

RESULTS = Path(__file__).parent / "results" / "band_speed.csv"

Work: TypeAlias = Callable[[], object]


def rows(n: int, groups: int = 1) -> pl.DataFrame:
    """Return normal scores, half of them of positives, which are one deviation higher."""
    rng = np.random.default_rng(n)
    label = rng.random(n) < 0.5
    return pl.DataFrame({"group": np.arange(n) % groups, "label": label, "score": rng.normal(size=n) + label})


def contenders() -> dict[tuple[str, str], tuple[Work, Work]]:
    """Return our work and the contender of each comparison."""
    import rocci  # type: ignore[import-not-found,import-untyped,unused-ignore]

    def ours(
        frame: pl.DataFrame, n_resamples: int = 2000, points: int = 101, method: Any = "likelihood"
    ) -> Work:
        band = pa.roc_band("label", "score", method=method, n_resamples=n_resamples, n_points=points)
        return lambda: frame.select(band)

    def theirs(frame: pl.DataFrame) -> Work:
        label, score = frame["label"].cast(pl.Float64).to_numpy(), frame["score"].to_numpy()
        return lambda: rocci.roc_band(label, score, n_boot=2000, random_state=1)

    small, middle, large = rows(1000), rows(10_000), rows(1_000_000)
    many = rows(100_000, groups=100)
    parts = [theirs(part) for part in many.partition_by("group")]
    state = large.select(state=pa.roc_state("label", "score", max_bins=4096))
    found: dict[tuple[str, str], tuple[Work, Work]] = {}
    methods: tuple[Any, ...] = ("likelihood", "vertical")
    for method in methods:
        for name, frame in (("10^3 rows", small), ("10^6 rows", large)):
            found[f"roc_band, {method}, {name}", "rocci envelope"] = (
                ours(frame, method=method),
                theirs(frame),
            )
        band = pa.roc_band("label", "score", method=method)
        found[f"roc_band, {method}, 10^2 groups of 10^3 rows", "rocci envelope, one by one"] = (
            lambda band=band: many.group_by("group").agg(band),  # type: ignore[misc]
            lambda: [part() for part in parts],
        )
        found[f"roc_band, {method}, 10^6 rows, 1000 resamples, 100 points", "roc_auc"] = (
            ours(large, 1000, 100, method),
            lambda: large.select(pa.roc_auc("label", "score")),
        )
        stated = pa.roc_band(state="state", method=method, n_resamples=1000)
        found[f"roc_band, {method}, state of 4096 bins, 1000 resamples", "roc_auc of its 10^6 rows"] = (
            lambda stated=stated: state.select(stated),  # type: ignore[misc]
            lambda: large.select(pa.roc_auc("label", "score")),
        )
    points = [pa.tpr_at_fpr("label", "score", place / 100).alias(str(place)) for place in range(1, 100)]
    found["roc_band, vertical, 10^4 rows, 99 rates", "99 times tpr_at_fpr"] = (
        ours(middle, method="vertical"),
        lambda: middle.select(points),
    )
    return found


def seconds(work: Work) -> float:
    """Return the time of a work."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Measure and append the rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--dry", action="store_true", help="do not write the rows")
    options = parser.parse_args()
    bands = []
    for (ours, other), works in contenders().items():
        for work in works:
            work()
        durations: tuple[list[float], list[float]] = ([], [])
        for _ in range(options.rounds):
            for place in random.sample((0, 1), 2):
                durations[place].append(seconds(works[place]))
        medians = [statistics.median(times) for times in durations]
        row = {
            "ours": ours,
            "other": other,
            "ours_s": round(medians[0], 5),
            "other_s": round(medians[1], 5),
            "ratio": round(medians[0] / medians[1], 4),
            "rounds": options.rounds,
            "version": pa.__version__,
            "polars": pl.__version__,
            **machine(),
        }
        print(*list(row.values())[:5], sep=", ", flush=True)
        bands.append(row)
    if not options.dry:
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(pl.DataFrame(bands).write_csv(include_header=file.tell() == 0))


if __name__ == "__main__":
    main()
