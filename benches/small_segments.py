"""Error rates of intervals and comparisons of AUCs with few positives.

``python benches/small_segments.py [--share 1.0] [--only intervals alarms] [--dry]`` simulates samples with a
known AUC. Scores of negatives are normal; scores of positives are normal with a spread of 1 or 2, shifted to
the AUC. Negatives between two positives are one row with a count, so samples have few rows. The kinds of rows
in ``benches/results/small_segments.csv``:

- ``intervals``: how often the 95 % interval of ``roc_auc_ci`` is completely below or above the AUC.
- ``pairs``: how often ``compare_segments`` of two equal segments has p < 0.05, in either direction.
- ``alarms``: how often a book of 50 equal segments has a segment with p < 0.05 after Holm's adjustment, in
  either direction; how often a single segment has p < 0.05 without adjustment; and how often the test of
  heterogeneity has p < 0.05.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl
from scipy.special import ndtr

import polars_auc as pa
from polars_auc._plugin.call import expression

RESULTS = Path(__file__).parent / "results" / "small_segments.csv"

AREAS = (0.6, 0.8, 0.95, 0.99)
POSITIVES = (3, 5, 10, 20, 50)
NEGATIVES = (30, 200, 2000)
SPREADS = (1.0, 2.0)
METHODS = ("wilson", "delong")
SEGMENTS = 50
RATES = ("below", "above", "any", "single_below", "single_above", "heterogeneity")
REPLICATES = {"intervals": 10_000, "pairs": 4_000, "alarms": 300}


def simulated(auc: float, spread: float, n_pos: int, n_neg: int, samples: int, seed: int) -> pl.DataFrame:
    """Return samples with these numbers of positives and negatives: sample, label, score and count."""
    rng = np.random.default_rng(seed)
    shift = NormalDist().inv_cdf(auc) * np.sqrt(1 + spread**2)
    scores = np.sort(shift + spread * rng.standard_normal((samples, n_pos)), axis=1)
    below = ndtr(scores)
    # The numbers of negatives between consecutive positives.
    left, before = np.full(samples, n_neg), np.zeros(samples)
    counts = np.empty((samples, n_pos + 1), dtype=np.int64)
    for gap in range(n_pos):
        chance = np.clip((below[:, gap] - before) / np.maximum(1 - before, 1e-300), 0, 1)
        counts[:, gap] = rng.binomial(left, chance)
        left, before = left - counts[:, gap], below[:, gap]
    counts[:, n_pos] = left
    # Positives have odd ranks, negatives even ones.
    sample = np.arange(samples)
    positives = pl.DataFrame(
        {"sample": np.repeat(sample, n_pos), "score": np.tile(2 * np.arange(n_pos) + 1, samples)}
    ).with_columns(label=True, count=pl.lit(1, pl.Int64))
    negatives = pl.DataFrame(
        {
            "sample": np.repeat(sample, n_pos + 1),
            "score": np.tile(2 * np.arange(n_pos + 1), samples),
            "count": counts.ravel(),
        }
    ).with_columns(label=False)
    columns = ("sample", "label", "score", "count")
    return pl.concat([positives.select(columns), negatives.filter(pl.col("count") > 0).select(columns)])


def intervals(frame: pl.DataFrame, method: str, auc: float) -> dict[str, float]:
    """Return how often the interval misses the AUC, on each side."""
    ci = pa.roc_auc_ci("label", "score", count="count", method=method)  # type: ignore[arg-type]
    limits = frame.group_by("sample").agg(ci).unnest("score")
    missed = {"below": pl.col("upper") < auc, "above": pl.col("lower") > auc}
    return limits.select(**missed).mean().row(0, named=True)


def compared(frame: pl.DataFrame, method: str, size: int, **options: Any) -> pl.DataFrame:
    """Return the comparison of books, with samples as segments, in one call."""
    books = frame.with_columns(book=pl.col("sample") // size, segment=pl.struct(pl.col("sample") % size))
    columns = {"score": "score", "label": "label", "count": "count", "by": "segment"}
    test = {"adjust": "holm", "level": 0.95, "alternative": "two-sided", "null": None, "margin": None}
    chosen = {"versus": "rest", "reference": None, "method": method, **test, **options}
    table = books.group_by("book").agg(expression("compare_segments", columns, **chosen).alias("segments"))
    return table.explode("segments").unnest("segments")


def alarms(frame: pl.DataFrame, method: str) -> dict[str, float]:
    """Return the alarm rates of a book and of a single segment, in each direction."""
    table = compared(frame, method, SEGMENTS)
    low, high = pl.col("difference") < 0, pl.col("difference") > 0
    alarm = pl.col("p_adjusted") < 0.05
    books = table.group_by("book").agg(below=(alarm & low).any(), above=(alarm & high).any(), any=alarm.any())
    single = pl.col("p_value") < 0.05
    alone = table.select(single_below=(single & low).mean(), single_above=(single & high).mean())
    means = books.select(pl.col("below", "above", "any").mean())
    tests = table.group_by("book").agg(pl.col("heterogeneity_p_value").first() < 0.05)
    differ = tests["heterogeneity_p_value"].fill_null(value=False).mean()
    return {**means.row(0, named=True), **alone.row(0, named=True), "heterogeneity": differ}


def pairs(frame: pl.DataFrame, method: str) -> dict[str, float]:
    """Return how often one of two equal segments is worse, or better, than the other."""
    # Each is the rest of the other, so one of them is enough.
    table = compared(frame, method, 2).group_by("book").first()
    alarm = pl.col("p_value") < 0.05
    fields = {"below": alarm & (pl.col("difference") < 0), "above": alarm & (pl.col("difference") > 0)}
    rates = table.select(**{name: field.fill_null(value=False).mean() for name, field in fields.items()})
    return rates.row(0, named=True)


def cells(share: float, kinds: list[str]) -> Iterator[dict[str, Any]]:
    """Simulate every cell."""
    for number, (spread, auc, n_pos, n_neg) in enumerate(
        itertools.product(SPREADS, AREAS, POSITIVES, NEGATIVES)
    ):
        for kind in kinds:
            replicates = max(2, int(share * REPLICATES[kind]))
            samples = replicates * {"intervals": 1, "pairs": 2, "alarms": SEGMENTS}[kind]
            frame = simulated(auc, spread, n_pos, n_neg, samples, seed=number)
            for method in METHODS:
                if kind == "intervals":
                    rates = intervals(frame, method, auc)
                else:
                    rates = (pairs if kind == "pairs" else alarms)(frame, method)
                cell = {"auc": auc, "spread": spread, "n_pos": n_pos, "n_neg": n_neg}
                yield {"kind": kind, "method": method, **cell, "replicates": replicates, **rates}


def main() -> None:
    """Simulate, print and write."""
    parser = argparse.ArgumentParser(description="Simulate intervals and comparisons of few positives.")
    parser.add_argument("--share", type=float, default=1.0, help="this share of the replicates")
    parser.add_argument("--only", nargs="+", default=list(REPLICATES), choices=list(REPLICATES))
    parser.add_argument("--dry", action="store_true", help="write nothing")
    chosen = parser.parse_args()
    rows = []
    for row in cells(chosen.share, chosen.only):
        rows.append(row)
        print(*(f"{value:.4f}" if isinstance(value, float) else value for value in row.values()), flush=True)
    if not chosen.dry:
        stamp = {"version": pa.__version__, "polars": pl.__version__}
        table = pl.DataFrame([{**row, **stamp} for row in rows], infer_schema_length=None)
        rates = [name for name in RATES if name in table.columns]
        table.with_columns(pl.col(rates).round(5)).write_csv(RESULTS)


if __name__ == "__main__":
    main()
