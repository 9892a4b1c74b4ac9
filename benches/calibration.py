"""Time of calibration and decision statistics, relative to ``roc_auc`` and ``roc_summary``.

``python benches/calibration.py [--rows 1000000]`` runs each expression alternately with ``roc_auc``, for one
column and for 100,000 groups. A row of ``benches/results/calibration.csv`` has the ratio of the medians.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

import polars_auc as pa

RESULTS = Path(__file__).parent / "results" / "calibration.csv"
ROUNDS = 7
TENTHS = [each / 10 for each in range(1, 10)]
EXPRESSIONS = {
    "roc_summary": pa.roc_summary("y", "p"),
    "brier_score": pa.brier_score("y", "p"),
    "log_loss": pa.log_loss("y", "p"),
    "net_benefit": pa.net_benefit("y", "p"),
    "calibration_curve": pa.calibration_curve("y", "p"),
    "calibration_curve isotonic": pa.calibration_curve("y", "p", method="isotonic"),
    "calibration_error": pa.calibration_error("y", "p"),
    "calibration_summary": pa.calibration_summary("y", "p"),
    "average_precision_ci": pa.average_precision_ci("y", "p"),
    "equal_error_rate": pa.equal_error_rate("y", "p"),
    "discrimination_slope": pa.discrimination_slope("y", "p"),
    "h_measure": pa.h_measure("y", "p"),
    "log_auc": pa.log_auc("y", "p"),
    "bedroc": pa.bedroc("y", "p"),
    "enrichment_factor": pa.enrichment_factor("y", "p"),
    "average_precision_difference": pa.average_precision_difference("y", "p", "q"),
    "net_benefit_difference, 9 thresholds": pa.net_benefit_difference("y", "p", "q", thresholds=TENTHS),
    "mcnemar": pa.mcnemar("y", "p", "q", at_a=0.5, at_b=0.5),
    "subgroup_rate_difference": pa.subgroup_rate_difference("y", "p", "s", at=0.5, rate="tpr"),
}


def seconds(query: Callable[[], object]) -> float:
    start = time.perf_counter()
    query()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    n = parser.parse_args().rows
    rng = np.random.default_rng(1)
    p = 1 / (1 + np.exp(-rng.normal(size=n)))
    rows = pl.DataFrame({"y": rng.random(n) < p, "p": p, "q": np.clip(p + rng.normal(0, 0.1, n), 0, 1)})
    rows = rows.with_columns(s=pl.Series(rng.random(n) < 0.3), g=pl.Series(rng.integers(0, n // 10, n)))
    results = []
    for shape in ("one column", "groups of 10"):

        def query(expression: pl.Expr, shape: str = shape) -> object:
            if shape == "one column":
                return rows.select(expression)
            return rows.group_by("g").agg(expression)

        for name, expression in EXPRESSIONS.items():
            ratios = []
            for _ in range(ROUNDS):
                base = seconds(lambda: query(pa.roc_auc("y", "p")))
                ratios.append(seconds(lambda one=expression: query(one)) / base)  # type: ignore[misc]
            results.append(
                {
                    "statistic": name,
                    "shape": shape,
                    "rows": n,
                    "rounds": ROUNDS,
                    "ratio_to_roc_auc": round(statistics.median(ratios), 2),
                }
            )
            print(results[-1], flush=True)
    pl.DataFrame(results).write_csv(RESULTS)


if __name__ == "__main__":
    main()
