"""Errors of AUC estimates with missing labels, for several missing-data mechanisms.

``python benches/unlabelled.py [--streams 200] [--rows 20000]`` simulates rows with calibrated probabilities,
hides some labels, and compares the estimates with the AUC of the fully labelled rows. The seed is fixed, and
nothing is timed. A row of ``benches/results/unlabelled.csv`` has the mean and the root mean square of the
error of one estimate; for the bounds, their mean width and their coverage.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import polars as pl

import polars_auc as pa
from rows import append

RESULTS = Path(__file__).parent / "results" / "unlabelled.csv"

ESTIMATES = ("auc", "expected_auc", "corrected_auc")


def inverse_logit(x: np.ndarray) -> np.ndarray:
    """Return the probabilities of logits."""
    return np.asarray(1 / (1 + np.exp(-x)))


def ways(rng: np.random.Generator, n: int) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return the labels, the scores, and the hidden labels of each mechanism."""
    logit = 1.2 * rng.standard_normal(n) - 1.5
    label = rng.random(n) < inverse_logit(logit)
    at_random, score = rng.random(n) < 0.2, inverse_logit(logit)
    return {
        "one in a hundred, at random": (label, score, rng.random(n) < 0.01),
        "one in five, at random": (label, score, at_random),
        "one in five, mostly of low scores": (label, score, rng.random(n) < np.where(logit < -2, 0.45, 0.08)),
        "at random, scores too high": (label, inverse_logit(logit + 1), at_random),
        "at random, scores too steep": (label, inverse_logit(2 * logit), at_random),
        "half of the positives, a tenth of the others": (
            label,
            score,
            rng.random(n) < np.where(label, 0.5, 0.1),
        ),
        "mostly positives of low scores": (
            label,
            score,
            rng.random(n) < np.where(label & (logit < -1), 0.6, 0.1),
        ),
    }


def main() -> None:
    """Simulate, print and append."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--rows", type=int, default=20_000)
    chosen = parser.parse_args()
    rng = np.random.default_rng(1)
    measured = []
    for stream in range(chosen.streams):
        for way, (label, score, hidden) in ways(rng, chosen.rows).items():
            frame = pl.DataFrame({"y": label, "s": score, "hidden": hidden})
            observed = pl.when(~pl.col("hidden")).then("y")
            answer = frame.select(pa.unlabelled_roc_auc(observed, "s", assume="calibrated")).unnest("s")
            measured.append(
                answer.with_columns(
                    way=pl.lit(way), stream=stream, truth=frame.select(pa.roc_auc("y", "s")).item()
                )
            )
    replicates = pl.concat(measured)
    tables = []
    for name in ESTIMATES:
        off = pl.col(name) - pl.col("truth")
        tables.append(
            replicates.group_by("way", maintain_order=True).agg(
                estimate=pl.lit(name), mean=off.mean(), root_mean_square=(off**2).mean().sqrt()
            )
        )
    holds = pl.col("truth").is_between("lower", "upper")
    width = pl.col("upper") - pl.col("lower")
    tables.append(
        replicates.group_by("way", maintain_order=True).agg(
            estimate=pl.lit("bounds"), width=width.mean(), holds=holds.mean()
        )
    )
    stamp = {"date": time.strftime("%Y-%m-%d"), "rows": chosen.rows, "streams": chosen.streams}
    table = pl.concat(tables, how="diagonal").select(
        *(pl.lit(value).alias(name) for name, value in stamp.items()),
        "way",
        "estimate",
        pl.col("mean", "root_mean_square", "width", "holds").round_sig_figs(3),
    )
    print(table)
    append(table, RESULTS)


if __name__ == "__main__":
    main()
