"""False-alarm rates of tests on nights with few positives.

``python benches/few_positives.py [--streams 500] [--dry]`` simulates streams of 365 nights with the same AUC,
and runs the tests of ``always_valid`` and ``always_valid_change``. All seeds are fixed. ``reference`` is
``always_valid_change`` with the truth as reference, and ``change`` is without a reference, after a baseline
of 3 nights, or of 28 without counts. Columns of ``benches/results/few_positives.csv``:

- ``alarmed``: the share of streams with an alarm at 0.05.
- ``alarmed_of_ten``: the share of groups of ten such streams with an alarm after Holm's adjustment. It
  follows from the share of streams at 0.005.
- ``counts``: whether the test has ``n_pos`` and ``n_neg``.
- ``shape``: ``binormal``, or ``mixed``, in which some positives have scores like negatives.
- ``auc_sd``: the standard deviation of the true AUC between nights, over the standard error of a night.
"""

from __future__ import annotations

import argparse
import itertools
import math
import subprocess
from collections.abc import Iterator
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl
from scipy.special import ndtr

import polars_auc as pa

RESULTS = Path(__file__).parent / "results" / "few_positives.csv"
NORMAL = NormalDist()
NIGHTS = 365
ALPHA = 0.05
SEGMENTS = 10
AUCS = (0.6, 0.8, 0.95, 0.99)
POSITIVES = (2, 3, 5, 10, 20, 50)


def areas(
    rng: np.random.Generator, auc: np.ndarray, n_pos: int, n_neg: int, shape: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return the area of each night and its standard error by DeLong."""
    unlike = np.zeros(len(auc)) if shape == "binormal" else 1.5 * (1 - auc)
    other_auc = (auc - unlike / 2) / (1 - unlike)
    shift = math.sqrt(2) * np.vectorize(NORMAL.inv_cdf)(other_auc)[:, None]
    is_unlike = rng.random((len(auc), n_pos)) < unlike[:, None]
    score = rng.standard_normal((len(auc), n_pos)) + np.where(is_unlike, 0.0, shift)
    ranks = np.sort(ndtr(score), axis=1)
    gaps = np.diff(ranks, axis=1, prepend=0, append=1)
    between = rng.multinomial(n_neg, gaps / gaps.sum(axis=1, keepdims=True))
    placements = between.cumsum(axis=1)[:, :-1] / n_neg
    area = placements.mean(axis=1)
    above = (n_pos - np.arange(n_pos + 1)) / n_pos
    neg_variance = (between * (above - area[:, None]) ** 2).sum(axis=1) / (n_neg - 1)
    return area, np.sqrt(placements.var(axis=1, ddof=1) / n_pos + neg_variance / n_neg)


def streams_of(
    rng: np.random.Generator, auc: float, n_pos: int, n_neg: int, shape: str, auc_sd: float, streams: int
) -> pl.DataFrame:
    """Return streams of nights with the columns of a test."""
    truth = np.full(streams * NIGHTS, auc)
    if auc_sd:
        _, se = areas(rng, truth[:NIGHTS], n_pos, n_neg, shape)
        sd = auc_sd * math.sqrt((se**2).mean())
        truth += rng.uniform(-1, 1, len(truth)) * math.sqrt(3) * sd
    parts = [areas(rng, part, n_pos, n_neg, shape) for part in np.array_split(truth, streams // 100)]
    area, se = (np.concatenate(column) for column in zip(*parts, strict=True))
    stream = np.repeat(np.arange(streams), NIGHTS)
    return pl.DataFrame({"stream": stream, "auc": area, "se": se}).with_columns(n_pos=n_pos, n_neg=n_neg)


def tests(truth: float, *, counts: bool) -> dict[str, pl.Expr]:
    """Return the p-values of each test."""
    columns: dict[str, Any] = {"n_pos": "n_pos", "n_neg": "n_neg"} if counts else {}
    less: dict[str, Any] = {**columns, "alternative": "less"}
    return {
        "interval": pa.always_valid("auc", "se", null=truth, **columns),
        "greater": pa.always_valid("auc", "se", null=truth, alternative="greater", **columns),
        "less": pa.always_valid("auc", "se", null=truth, **less),
        "reference": pa.always_valid_change("auc", "se", reference=truth, **columns),
        "reference, less": pa.always_valid_change("auc", "se", reference=truth, **less),
        "change": pa.always_valid_change("auc", "se", **columns),
        "change, less": pa.always_valid_change("auc", "se", **less),
    }


def measured(streams: pl.DataFrame, truth: float, *, counts: bool) -> Iterator[dict[str, Any]]:
    """Yield the alarm rates of each test."""
    least = {name: test.struct.field("p_value").min() for name, test in tests(truth, counts=counts).items()}
    p_values = streams.lazy().group_by("stream").agg(**least).collect()
    for name in least:
        # Without a test there is no alarm.
        p_value = p_values[name].fill_null(1.0)
        at_first = (p_value <= ALPHA / SEGMENTS).mean()
        assert isinstance(at_first, float)
        yield {
            "test": name,
            "streams": p_values.height,
            "alarmed": (p_value <= ALPHA).mean(),
            "alarmed_of_ten": 1 - (1 - at_first) ** SEGMENTS,
        }


def cells() -> Iterator[dict[str, Any]]:
    """Yield the cases."""
    for ratio, n_pos, auc in itertools.product((100, 10, 500), POSITIVES, AUCS):
        case = {"n_pos": n_pos, "n_neg": n_pos * ratio, "auc": auc}
        plain = {**case, "shape": "binormal", "auc_sd": 0.0, "counts": True}
        is_usual = auc in (0.8, 0.95)
        if ratio == 100 or (n_pos in (2, 5, 20) and is_usual):
            yield plain
        if ratio == 100 and n_pos in (2, 5, 20) and is_usual:
            yield {**plain, "shape": "mixed"}
        if ratio == 100 and n_pos in (2, 20) and is_usual:
            yield {**plain, "counts": False}
        if ratio == 100 and auc == 0.8 and n_pos in (5, 20, 50):
            yield {**plain, "auc_sd": 1.0}


def main() -> None:
    """Simulate, print and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--dry", action="store_true", help="write nothing")
    parser.add_argument("--cells", type=int, help="only so many cells")
    chosen = parser.parse_args()
    git = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    stamp = {"commit": commit, "version": pa.__version__, "polars": pl.__version__}
    rows: list[dict[str, Any]] = []
    for case in list(cells())[: chosen.cells]:
        how = {name: case[name] for name in ("n_pos", "n_neg", "auc", "shape", "auc_sd")}
        rng = np.random.default_rng([case["n_pos"], case["n_neg"], round(100 * case["auc"])])
        streams = streams_of(rng, streams=chosen.streams, **how)
        answers = measured(streams, case["auc"], counts=case["counts"])
        rows += [{**case, "nights": NIGHTS, **row, **stamp} for row in answers]
        printed = " ".join(
            f"{row['test']} {100 * row['alarmed']:.1f}/{100 * row['alarmed_of_ten']:.1f}"
            for row in rows[-len(tests(0.5, counts=True)) :]
        )
        print(*case.values(), printed, flush=True)
        if not chosen.dry:
            pl.DataFrame(rows).write_csv(RESULTS)


if __name__ == "__main__":
    main()
