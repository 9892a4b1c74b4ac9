"""Coverage and width of bands for ROC curves.

``python benches/bands.py [--share 1.0] [--methods likelihood ...] [--cells normal ...] [--dry]`` simulates
samples with a known ROC curve, and computes the 95 % band of each sample by each method, and by the package
rocci. All seeds are fixed; ``--share`` runs a share of the samples. Columns of ``benches/results/bands.csv``:

- ``coverage``: the share of bands that contain the whole curve, at all points of the band.
- ``coverage_between``: the same, also on the straight lines between the points, at 1,000 rates.
- ``mean_width``: the mean, over the fpr, of the upper minus the lower tpr.

Both ends are excluded, because every curve passes through them.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import cauchy, expon, norm
from scipy.stats import t as student

import polars_auc as pa

RESULTS = Path(__file__).parent / "results" / "bands.csv"

LEVEL = 0.95
SAMPLES = 400
RESAMPLES = 500
PLACES = 101

RATES = np.sort(
    np.concatenate(
        [np.geomspace(1e-4, 0.01, 31), 1 - np.geomspace(1e-4, 0.01, 31), np.linspace(0.01, 0.99, 939)]
    )
)
"""The rates where a curve is compared with a band."""

SEEDS = 50
"""Groups of one size and seed share their resamples, so samples are divided over many seeds."""

Array: TypeAlias = NDArray[np.float64]
Draw: TypeAlias = Callable[[np.random.Generator, int], Array]
Tail: TypeAlias = Callable[[Array], Array]
"""Maps a threshold to the share of a class with higher scores."""


@dataclass(frozen=True)
class Shape:
    """The distributions of the scores of both classes."""

    name: str
    pos: Draw
    neg: Draw
    truth: Callable[[Array], Array]
    """Return the tpr of the population's curve at an fpr."""


@dataclass(frozen=True)
class Cell:
    """A shape of scores, and the numbers of rows of a sample."""

    shape: Shape
    n_pos: int
    n_neg: int


def _between(pos: Tail, neg: Tail) -> Callable[[Array], Array]:
    """Return the curve of two continuous distributions; bisection finds each threshold."""

    def truth(fpr: Array) -> Array:
        low, high = np.full_like(fpr, -1e7), np.full_like(fpr, 1e7)
        for _ in range(200):
            middle = 0.5 * (low + high)
            above = neg(middle) > fpr
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return pos(0.5 * (low + high))

    return truth


def _normal(shift: float) -> Shape:
    return Shape(
        f"normal, d' {shift:g}",
        lambda rng, n: rng.normal(shift, 1, n),
        lambda rng, n: rng.normal(0, 1, n),
        lambda fpr: norm.sf(norm.isf(fpr) - shift),
    )


def _rounded(shift: float, step: float) -> Shape:
    """Return rounded normal scores, so that few are distinct; ties are diagonals of the curve."""
    edges = step * (np.arange(60, -61, -1) - 0.5)
    fpr, tpr = (np.concatenate([[0], norm.sf(edges - by), [1]]) for by in (0, shift))
    return Shape(
        f"rounded to {step:g}, d' {shift:g}",
        lambda rng, n: step * np.round(rng.normal(shift, 1, n) / step),
        lambda rng, n: step * np.round(rng.normal(0, 1, n) / step),
        lambda at: np.interp(at, fpr, tpr),
    )


def _mixed(rng: np.random.Generator, n: int, low: float, high: float) -> Array:
    return rng.normal(0, 1, n) + np.where(rng.random(n) < 0.5, low, high)


def _humps(centers: tuple[float, ...], width: float) -> tuple[Draw, Tail]:
    """Return a sampler of a mixture of narrow normal distributions, and its tail."""
    return (
        lambda rng, n: rng.normal(rng.choice(centers, n), width),
        lambda c: np.mean([norm.sf((c - center) / width) for center in centers], axis=0),
    )


def _separate_humps() -> Shape:
    """Return scores whose curve is a staircase with sharp corners."""
    (pos, pos_tail), (neg, neg_tail) = _humps((0, 2, 4), 0.3), _humps((-1, 1, 3), 0.3)
    return Shape("three separate humps", pos, neg, _between(pos_tail, neg_tail))


SHAPES = [
    *(_normal(shift) for shift in (0.5, 1, 2)),
    _rounded(1, 0.6),
    _rounded(1, 1.5),
    Shape(
        "skewed",
        lambda rng, n: rng.exponential(3, n),
        lambda rng, n: rng.exponential(1, n),
        _between(lambda c: expon.sf(c / 3), expon.sf),
    ),
    Shape(
        "heavy tails",
        lambda rng, n: 1.5 + rng.standard_cauchy(n),
        lambda rng, n: rng.standard_cauchy(n),
        _between(lambda c: cauchy.sf(c - 1.5), cauchy.sf),
    ),
    Shape(
        "heavy tails, t(2)",
        lambda rng, n: 1 + rng.standard_t(2, n),
        lambda rng, n: rng.standard_t(2, n),
        _between(lambda c: student.sf(c - 1, 2), lambda c: student.sf(c, 2)),
    ),
    Shape(
        "two humps of positives",
        lambda rng, n: _mixed(rng, n, 0, 3),
        lambda rng, n: rng.normal(0, 1, n),
        _between(lambda c: 0.5 * (norm.sf(c) + norm.sf(c - 3)), norm.sf),
    ),
    Shape(
        "two humps of negatives",
        lambda rng, n: rng.normal(2, 1, n),
        lambda rng, n: _mixed(rng, n, 0, 4),
        _between(lambda c: norm.sf(c - 2), lambda c: 0.5 * (norm.sf(c) + norm.sf(c - 4))),
    ),
    Shape(
        "no difference",
        lambda rng, n: rng.normal(0, 1, n),
        lambda rng, n: rng.normal(0, 1, n),
        lambda fpr: fpr,
    ),
    _separate_humps(),
]

SIZES = [(50, 50), (100, 100), (500, 500), (20, 2000)]

METHODS: dict[str, dict[str, Any]] = {
    "likelihood": {"method": "likelihood"},
    "envelope": {"method": "envelope"},
    "smoothed_bootstrap": {"method": "smoothed_bootstrap"},
    "regional": {"method": "regional"},
    "regional, 0.1 to 0.9": {"method": "regional", "min_fpr": 0.1, "max_fpr": 0.9},
    "optimized_radial": {"method": "optimized_radial"},
    "radial": {"method": "radial"},
    "vertical": {"method": "vertical"},
    "vertical, normal": {"method": "vertical", "distribution": "normal"},
    "vertical, binomial": {"method": "vertical", "distribution": "binomial"},
    "threshold": {"method": "threshold"},
    "threshold_box": {"method": "threshold_box"},
    "threshold_ellipse": {"method": "threshold_ellipse"},
    "central_region": {"method": "central_region"},
    "order_statistics": {"method": "order_statistics"},
    "fixed_width": {"method": "fixed_width"},
    "working_hotelling": {"method": "working_hotelling"},
}


def sample(cell: Cell, number: int) -> tuple[NDArray[np.bool_], Array]:
    """Simulate the labels and scores of a sample."""
    rng = np.random.default_rng([number, cell.n_pos, cell.n_neg])
    label = np.arange(cell.n_pos + cell.n_neg) < cell.n_pos
    return label, np.concatenate([cell.shape.pos(rng, cell.n_pos), cell.shape.neg(rng, cell.n_neg)])


Held: TypeAlias = tuple[bool, bool, float]
"""Return whether a band contains the whole curve, at its points and between them, and its width."""


def held(truth: Callable[[Array], Array], lower: tuple[Array, Array], upper: tuple[Array, Array]) -> Held:
    """Compare a curve with a lower and an upper limit, each by fpr and tpr."""

    def surplus(curve: tuple[Array, Array]) -> Array:
        # Rounding may move points off the axis.
        inner = (curve[0] > 1e-9) & (curve[0] < 1 - 1e-9)
        difference: Array = curve[1][inner] - truth(curve[0][inner])
        return difference

    at_places = bool((surplus(lower) <= 1e-9).all() and (surplus(upper) >= -1e-9).all())
    # A regional band has limits only in its region; other bands cover 0 to 1.
    first, last = lower[0].min(), lower[0].max()
    rates = RATES[(first <= RATES) & (last >= RATES)]
    low, high = np.interp(rates, *lower), np.interp(rates, *upper)
    tpr = truth(rates)
    inside = bool(((low - 1e-9 <= tpr) & (tpr <= high + 1e-9)).all())
    return at_places, at_places and inside, float(np.trapezoid(high - low, rates) / (last - first))


def package_bands(options: dict[str, Any], cell: Cell, numbers: range) -> Iterator[Held]:
    """Yield the coverage of bands, many samples in one query."""
    is_resampled = options["method"] not in ("order_statistics", "fixed_width", "working_hotelling")
    for seed in range(SEEDS):
        dealt = [number for number in numbers if number % SEEDS == seed]
        if not dealt:
            continue
        parts = [sample(cell, number) for number in dealt]
        frame = pl.DataFrame(
            {
                "sample": np.repeat(dealt, cell.n_pos + cell.n_neg),
                "label": np.concatenate([label for label, _ in parts]),
                "score": np.concatenate([score for _, score in parts]),
            }
        )
        chance: dict[str, Any] = {"n_resamples": RESAMPLES, "seed": seed} if is_resampled else {}
        band = pa.roc_band("label", "score", level=LEVEL, n_points=PLACES, **options, **chance)
        for bands in frame.group_by("sample").agg(band=band)["band"]:
            if bands is None:
                continue
            places = bands.struct.unnest()
            lower, upper = (
                (places[f"{end}_fpr"].to_numpy(), places[f"{end}_tpr"].to_numpy())
                for end in ("lower", "upper")
            )
            yield held(cell.shape.truth, lower, upper)


def rocci_bands(method: str, cell: Cell, numbers: range) -> Iterator[Held]:
    """Yield the coverage of rocci's bands, sample by sample."""
    import rocci  # type: ignore[import-not-found,import-untyped,unused-ignore]

    for number in numbers:
        label, score = sample(cell, number)
        with warnings.catch_warnings():
            # rocci warns of ties and of few rows.
            warnings.simplefilter("ignore")
            band = rocci.roc_band(
                label.astype(float),
                score,
                normal=method == "working_hotelling",
                n_boot=RESAMPLES,
                random_state=number,
            )
        yield held(cell.shape.truth, (band.fpr, band.lower), (band.fpr, band.upper))


def main() -> None:
    """Run the simulation and append its rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument(
        "--methods", nargs="*", default=[*METHODS, "rocci envelope", "rocci working_hotelling"]
    )
    parser.add_argument(
        "--cells", nargs="*", default=[""], help="only shapes whose names contain one of these"
    )
    parser.add_argument("--sizes", nargs="*", default=[""], help="only sizes such as 50+50")
    parser.add_argument("--dry", action="store_true", help="do not write the rows")
    options = parser.parse_args()
    rows = []
    for shape in SHAPES:
        for n_pos, n_neg in SIZES:
            is_selected = any(part in shape.name for part in options.cells)
            if not is_selected or not any(size in f"{n_pos}+{n_neg}" for size in options.sizes):
                continue
            cell = Cell(shape, n_pos, n_neg)
            for method in options.methods:
                ours = method in METHODS
                # rocci supports one curve at a time.
                samples = range(int((SAMPLES if ours else SAMPLES // 4) * options.share))
                found = list(
                    package_bands(METHODS[method], cell, samples)
                    if ours
                    else rocci_bands(method.removeprefix("rocci "), cell, samples)
                )
                coverage, between = (sum(each[place] for each in found) / len(found) for place in (0, 1))
                row = {
                    "method": method,
                    "shape": shape.name,
                    "n_pos": n_pos,
                    "n_neg": n_neg,
                    "samples": len(found),
                    "resamples": RESAMPLES,
                    "coverage": round(coverage, 4),
                    "coverage_se": round((coverage * (1 - coverage) / len(found)) ** 0.5, 4),
                    "coverage_between": round(between, 4),
                    "mean_width": round(float(np.mean([width for _, _, width in found])), 4),
                    "version": pa.__version__,
                    "polars": pl.__version__,
                }
                print(*row.values(), sep=",", flush=True)
                rows.append(row)
                if not options.dry:
                    with RESULTS.open("a", encoding="utf-8") as file:
                        file.write(pl.DataFrame([row]).write_csv(include_header=file.tell() == 0))


if __name__ == "__main__":
    main()
