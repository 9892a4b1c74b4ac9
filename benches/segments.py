"""False alarms and power of ``compare_segments``.

``python benches/segments.py [--books 1000] [--dry]`` simulates books of six segments of 1,500 rows. All seeds
are fixed. A score is the true probability of a positive, given a number that is normal in both classes of a
segment. The AUC of a segment thus depends only on the distance of the two normal distributions, not on the
rate of positives. If all segments have the same AUC, each finding is a false alarm. If the first segment has
another AUC, ``lower`` and ``gate`` are the power for this segment. Columns of
``benches/results/segments.csv``:

- ``gate``: the share of books with a segment of ``difference < 0 AND p_adjusted < 0.05``, after Holm.
- ``flagged``: the mean number of such segments in a book.
- ``lower``, ``higher``, ``both``: the shares of tests with ``p_value < 0.05``, without adjustment, and a
  difference below 0, above 0, or either.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from statistics import NormalDist

import numpy as np
import polars as pl

import polars_auc as pa
from polars_auc._plugin import call

RESULTS = Path(__file__).parent / "results" / "segments.csv"

ALPHA = 0.05

SEGMENTS = 6
ROWS = 1500

# The number of books in a batch.
BATCH = 100

RATES = {
    "20 %": np.full(SEGMENTS, 0.2),
    "4 to 40 %": np.geomspace(0.04, 0.4, SEGMENTS),
    "1 to 60 %": np.geomspace(0.01, 0.6, SEGMENTS),
}
"""The rates of positives of the segments."""

DESIGNS = [
    *((rates, auc, auc) for rates in RATES for auc in (0.7, 0.8, 0.9)),
    *(("20 %", auc, auc - 0.05) for auc in (0.7, 0.8, 0.9)),
]
"""The rates, the AUC of all segments, and the AUC of the first segment."""

VERSUS = ("rest", "pooled_rest")


def books(rng: np.random.Generator, rates: np.ndarray, areas: list[float]) -> pl.DataFrame:
    """Return a batch of books, one after the other."""
    shape = (BATCH, SEGMENTS, ROWS)
    rate = rates[None, :, None]
    distance = np.array([math.sqrt(2) * NormalDist().inv_cdf(area) for area in areas])[None, :, None]
    label = rng.random(shape) < rate
    normal = rng.standard_normal(shape) + distance * label
    log_odds = np.log(rate / (1 - rate)) + distance * normal - distance**2 / 2
    book, segment, _ = np.indices(shape)
    return pl.DataFrame(
        {
            "book": book.ravel(),
            "segment": segment.ravel(),
            "label": label.ravel(),
            "score": 1 / (1 + np.exp(-log_odds.ravel())),
        }
    )


def compared(frame: pl.DataFrame, versus: str) -> pl.DataFrame:
    """Compare the segments of each book, with the plugin call of ``compare_segments``."""
    columns = {name: pl.col(name) for name in ("score", "label")}
    answer = call.expression(
        "compare_segments",
        {**columns, "count": None, "by": pl.struct("segment")},
        versus=versus,
        adjust="holm",
        level=0.95,
        alternative="two-sided",
    )
    each = frame.lazy().group_by("book", maintain_order=True).agg(answer=answer).explode("answer")
    return each.unnest("answer").with_columns(pl.col("segment").struct.unnest()).collect()


def row(rates: str, auc: float, first: float, count: int) -> list[dict[str, object]]:
    """Count the findings of either comparison in the same books."""
    areas = [first, *[auc] * (SEGMENTS - 1)]
    found: dict[str, list[pl.DataFrame]] = {versus: [] for versus in VERSUS}
    for batch in range(count // BATCH):
        frame = books(np.random.default_rng([7, batch]), RATES[rates], areas)
        for versus in VERSUS:
            table = compared(frame, versus).with_columns(book=pl.col("book") + BATCH * batch)
            found[versus].append(table)
    rows = []
    for versus, tables in found.items():
        table = pl.concat(tables)
        tests = table if first == auc else table.filter(segment=0)
        below = pl.col("difference") < 0
        flagged = below & (pl.col("p_adjusted") < ALPHA)
        rejected = pl.col("p_value") < ALPHA
        per_book = tests.group_by("book").agg(flagged=flagged.sum())["flagged"]
        gate = float((per_book > 0).mean())  # type: ignore[arg-type]
        lower, higher = (float(tests.select((rejected & side).mean()).item()) for side in (below, ~below))
        differs = table.group_by("book").agg(pl.col("heterogeneity_p_value").first() < ALPHA)
        rows.append(
            {
                "rates": rates,
                "auc": auc,
                "auc_of_first": first,
                "versus": versus,
                "books": count,
                "gate": gate,
                "gate_se": math.sqrt(gate * (1 - gate) / count),
                "flagged": float(per_book.mean()),  # type: ignore[arg-type]
                "lower": lower,
                "higher": higher,
                "both": lower + higher,
                "both_se": math.sqrt((lower + higher) * (1 - lower - higher) / tests.height),
                "heterogeneity": float(differs["heterogeneity_p_value"].mean()),  # type: ignore[arg-type]
                "version": pa.__version__,
                "polars": pl.__version__,
            }
        )
    return rows


def main() -> None:
    """Simulate, print and write."""
    parser = argparse.ArgumentParser(description="Count segments that are found to differ from the rest.")
    parser.add_argument("--books", type=int, default=1000, help="books of each design, a multiple of 100")
    parser.add_argument("--dry", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    measured = []
    for design in DESIGNS:
        measured += row(*design, arguments.books)
        print(*measured[-2:], sep="\n", flush=True)
    if not arguments.dry:
        pl.DataFrame(measured).with_columns(pl.selectors.float().round_sig_figs(5)).write_csv(RESULTS)


if __name__ == "__main__":
    main()
