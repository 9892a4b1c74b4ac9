"""Power by ``roc_auc_difference_power``, compared with the rejection rate of the test.

``python benches/power.py [--replicates 4000] [--dry]`` simulates two correlated normal scores. For each
replicate it computes the power by ``roc_auc_difference_power`` and the p-value of ``roc_auc_difference``. All
seeds are fixed. A row of ``benches/results/power.csv`` has the median power and the rejection rate of one
design. A replicate is a pilot sample with a difference that is large or small by chance, so the powers vary
around the true power.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from statistics import NormalDist

import numpy as np
import polars as pl

import polars_auc as pa

RESULTS = Path(__file__).parent / "results" / "power.csv"

ALPHA = 0.05

DESIGNS = [
    (n_class, better, worse, correlation)
    for n_class in (50, 200)
    for better, worse, correlation in ((1.5, 1.1, 0.9), (1.5, 1.1, 0.5), (1.5, 1.1, 0.0), (1.0, 0.9, 0.5))
]
"""Rows of each class, the shift between the classes in each score, and the correlation of the scores."""


def simulated(
    n_class: int, better: float, worse: float, correlation: float, count: int, seed: int
) -> pl.DataFrame:
    """Return replicates of two scores."""
    rng = np.random.default_rng(seed)
    label = np.tile(np.repeat([False, True], n_class), count)
    one, other = rng.standard_normal((2, label.size))
    other = correlation * one + math.sqrt(1 - correlation**2) * other
    replicate = np.repeat(np.arange(count, dtype=np.int32), 2 * n_class)
    return pl.DataFrame(
        {"replicate": replicate, "label": label, "a": one + better * label, "b": other + worse * label}
    )


def row(n_class: int, better: float, worse: float, correlation: float, count: int) -> dict[str, object]:
    """Compare the reported power with the rejection rate of the test."""
    frame = simulated(n_class, better, worse, correlation, count, seed=n_class)
    answers = (
        frame.lazy()
        .group_by("replicate")
        .agg(
            pa.roc_auc_difference("label", "a", "b").alias("test"),
            pa.roc_auc_difference_power("label", "a", "b").alias("plan"),
            pa.roc_auc_difference_power("label", "b", "a").alias("swapped"),
        )
        .collect()
    )
    test, plan = answers.unnest("test"), answers.unnest("plan")
    rejected = float((test["p_value"] < ALPHA).mean())  # type: ignore[arg-type]
    # The mean difference in mean standard errors: the value without random error.
    z = abs(float(test["difference"].mean())) / math.sqrt(float((test["se"] ** 2).mean()))  # type: ignore[arg-type]
    needed = plan["needed_pos"].drop_nulls()
    return {
        "n_pos": n_class,
        "n_neg": n_class,
        "distance_a": better,
        "distance_b": worse,
        "correlation": correlation,
        "replicates": count,
        "rejected": rejected,
        "rejected_se": math.sqrt(rejected * (1 - rejected) / count),
        "power_of_means": 1 - NormalDist().cdf(NormalDist().inv_cdf(1 - ALPHA / 2) - z),
        "median_power": plan["power"].median(),
        "median_power_swapped": answers.unnest("swapped")["power"].median(),
        "median_needed_pos": needed.median(),
        "version": pa.__version__,
        "polars": pl.__version__,
    }


def main() -> None:
    """Simulate, print and write."""
    parser = argparse.ArgumentParser(description="Compare stated power with rejections.")
    parser.add_argument("--replicates", type=int, default=4000, help="replicates of each design")
    parser.add_argument("--dry", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    table = pl.DataFrame([row(*design, arguments.replicates) for design in DESIGNS])
    with pl.Config(tbl_cols=-1, tbl_rows=-1, tbl_width_chars=200):
        print(table)
    if not arguments.dry:
        table.with_columns(pl.selectors.float().round_sig_figs(5)).write_csv(RESULTS)


if __name__ == "__main__":
    main()
