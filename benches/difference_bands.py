"""Coverage and width of bands for the difference of two ROC curves.

``python benches/difference_bands.py [--share 1.0] [--cells equal ...] [--sizes 50+50 ...] [--dry]`` simulates
two scores of the same rows with known ROC curves, and computes the 95 % band of each sample. All seeds are
fixed; ``--share`` runs a share of the samples. Columns of ``benches/results/difference_bands.csv``:

- ``coverage``: the share of bands that contain the whole difference.
- ``found``: the share of bands that exclude 0 at some rate. For equal curves these are false positives.
- ``found_delong``: the share of samples with a significant difference by DeLong's test of the AUCs.
- ``mean_width``: the mean width of the bands.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import norm
from scipy.stats import t as student

import polars_auc as pa

RESULTS = Path(__file__).parent / "results" / "difference_bands.csv"

LEVEL = 0.95
SAMPLES = 400
RESAMPLES = 500

SEEDS = 50
"""Groups of one size and seed share their resamples, so samples are divided over many seeds."""

SIZES = [(10, 10), (50, 50), (100, 100), (500, 500), (500, 5), (20, 2000), (2000, 20)]

Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Score:
    """The distribution of positives' scores, ``shift + spread * noise``; negatives are noise."""

    shift: float
    spread: float = 1
    step: float | None = None
    """The rounding of scores, so that few are distinct."""
    heavy: bool = False
    """Whether noise is t(2) instead of normal."""

    def of(self, noise: Array, label: NDArray[np.bool_]) -> Array:
        """Return scores from normal noise."""
        noise = student.ppf(norm.cdf(noise), 2) if self.heavy else noise
        score = np.where(label, self.shift + self.spread * noise, noise)
        return score if self.step is None else self.step * np.round(score / self.step)

    def tpr(self, fpr: Array) -> Array:
        """Return the tpr of the population's curve."""
        noise = student(2) if self.heavy else norm

        def above(threshold: Array) -> Array:
            return np.asarray(noise.sf((threshold - self.shift) / self.spread), dtype=np.float64)

        if self.step is None:
            return above(noise.isf(fpr))
        edges = np.asarray(self.step * (np.arange(60, -61, -1) - 0.5), dtype=np.float64)
        fprs, tprs = (np.concatenate([[0], of, [1]]) for of in (np.asarray(noise.sf(edges)), above(edges)))
        return np.asarray(np.interp(fpr, fprs, tprs), dtype=np.float64)


@dataclass(frozen=True)
class Pair:
    """Two scores of the same rows, and the correlation of their noise."""

    name: str
    a: Score
    b: Score
    correlation: float


PAIRS = [
    Pair("equal, d' 1", Score(1), Score(1), 0.5),
    Pair("equal, d' 2", Score(2), Score(2), 0.9),
    Pair("equal, d' 3.5", Score(3.5), Score(3.5), 0.5),
    Pair("equal, heavy tails", Score(1.5, heavy=True), Score(1.5, heavy=True), 0.5),
    Pair("equal, rounded to 1.5", Score(1, step=1.5), Score(1, step=1.5), 0.5),
    Pair("one rounded to 0.6", Score(1), Score(1, step=0.6), 0.9),
    Pair("better everywhere, d' 1.5 and 1", Score(1.5), Score(1), 0.8),
    Pair("crossing, equal areas", Score(1), Score(2.5**0.5, spread=2), 0.5),
    Pair("better at the start", Score(1.2, spread=1.6), Score(1), 0.8),
]


def sample(pair: Pair, n_pos: int, n_neg: int, number: int) -> pl.DataFrame:
    """Draw the labels and both scores of a sample."""
    rng = np.random.default_rng([number, n_pos, n_neg])
    label = np.arange(n_pos + n_neg) < n_pos
    shared, noise = rng.normal(size=(2, len(label)))
    other = pair.correlation * shared + (1 - pair.correlation**2) ** 0.5 * noise
    columns = {"label": label, "a": pair.a.of(shared, label), "b": pair.b.of(other, label)}
    return pl.DataFrame(columns).select(pl.lit(number).alias("sample"), pl.all())


def judged(pair: Pair, n_pos: int, n_neg: int, samples: int, judge: Callable[..., pl.Expr]) -> pl.DataFrame:
    """Return the bands of samples with their tests, many samples in one query."""
    parts = []
    for seed in range(SEEDS):
        dealt = range(seed, samples, SEEDS)
        if dealt:
            frame = pl.concat([sample(pair, n_pos, n_neg, number) for number in dealt])
            parts.append(
                frame.group_by("sample").agg(
                    band=judge(seed=seed), p_value=pa.roc_auc_difference("label", "a", "b").struct["p_value"]
                )
            )
    return pl.concat(parts)


def band(seed: int) -> pl.Expr:
    """Return the evaluated band."""
    return pa.roc_difference_band("label", "a", "b", level=LEVEL, n_resamples=RESAMPLES, seed=seed)


def main() -> None:
    """Run the simulation and append its rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument(
        "--cells", nargs="*", default=[""], help="only pairs whose names contain one of these"
    )
    parser.add_argument("--sizes", nargs="*", default=[""], help="only sizes such as 50+50")
    parser.add_argument("--dry", action="store_true", help="do not write the rows")
    options = parser.parse_args()
    for pair in PAIRS:
        for n_pos, n_neg in SIZES:
            is_selected = any(part in pair.name for part in options.cells)
            if not is_selected or not any(size in f"{n_pos}+{n_neg}" for size in options.sizes):
                continue
            found = judged(pair, n_pos, n_neg, int(SAMPLES * options.share), band)
            places = found.select("sample", "band").explode("band").unnest("band")
            rates = places.filter(pl.col("sample") == places["sample"][0])["fpr"].to_numpy()
            truth = pl.DataFrame({"fpr": rates, "true": pair.a.tpr(rates) - pair.b.tpr(rates)})
            whole = (
                places.join(truth, on="fpr")
                .group_by("sample")
                .agg(
                    held=pl.col("true").is_between(pl.col("lower") - 1e-9, pl.col("upper") + 1e-9).all(),
                    found=pl.col("p_value").min() <= 1 - LEVEL,
                    width=(pl.col("upper") - pl.col("lower")).mean(),
                )
            )
            coverage = float(whole.select(pl.col("held").mean()).item())
            row = {
                "pair": pair.name,
                "n_pos": n_pos,
                "n_neg": n_neg,
                "samples": whole.height,
                "resamples": RESAMPLES,
                "coverage": round(coverage, 4),
                "coverage_se": round((coverage * (1 - coverage) / whole.height) ** 0.5, 4),
                "found": round(float(whole.select(pl.col("found").mean()).item()), 4),
                "found_delong": round(
                    float(found.select((pl.col("p_value") <= 1 - LEVEL).fill_null(False).mean()).item()), 4
                ),
                "mean_width": round(float(whole.select(pl.col("width").mean()).item()), 4),
                "version": pa.__version__,
                "polars": pl.__version__,
            }
            print(*row.values(), sep=",", flush=True)
            if not options.dry:
                with RESULTS.open("a", encoding="utf-8") as file:
                    file.write(pl.DataFrame([row]).write_csv(include_header=file.tell() == 0))


if __name__ == "__main__":
    main()
