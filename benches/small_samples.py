"""Coverage of 95 % intervals with few rows, in a small part of a curve, and in clusters.

``python benches/small_samples.py [--only partial] [--when after] [--share 1.0] [--dry]`` simulates samples
with a known truth, and computes the interval of each sample by each method of its case. Scores are normal
with the same spread in both classes, and scores of positives are ``sqrt(2) probit(AUC)`` higher. Rows of a
cluster have a correlation of one half. A sample is a group of one query. All seeds are fixed. A row of
``benches/results/small_samples.csv`` has the share of intervals that contain the truth, the commit, and
whether it was measured before or after a method was corrected. Rows of other methods are kept.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import math
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl

import polars_auc as pa
from polars_auc._plugin import call

RESULTS = Path(__file__).parent / "results" / "small_samples.csv"
NORMAL = NormalDist()
CORRELATION = 0.5
"""The correlation of the rows of a cluster."""

SPREAD = 1.0
"""The standard deviation of the logarithm of weights: a sample of n rows counts as n / e."""

STATISTICS = (
    "roc_auc_ci",
    "tpr_at_fpr",
    "fpr_at_tpr",
    "concordance_index",
    "cv_roc_auc",
    "compare_segments",
)
TIMES = ("before", "after")

BATCHES = 50
"""Groups of one size and seed share their bootstrap resamples, so replicates are divided over this number of
seeds.
"""

Methods = Mapping[str, Callable[..., pl.Expr]]


@dataclass(frozen=True)
class Case:
    """A simulation with its true value."""

    statistic: str
    name: str
    auc: float
    simulated: Callable[[np.random.Generator, float, int], pl.DataFrame]
    truth: float
    methods: Methods
    """Current methods."""
    former: Methods
    """Earlier methods, which can still be selected by name."""
    replicates: int = 4000
    resamples: int | None = None
    fields: tuple[str, str] = ("lower", "upper")
    by_replicate: Callable[[pl.LazyFrame, pl.Expr], pl.LazyFrame] | None = None
    """A function of all replicates, if it is not a record for each."""


def higher(auc: float) -> float:
    """Return the shift of the positives' scores."""
    return math.sqrt(2) * NORMAL.inv_cdf(auc)


def replicate(rows: int, count: int) -> np.ndarray[Any, Any]:
    """Return the replicate number of each row."""
    return np.repeat(np.arange(count, dtype=np.int32), rows)


def class_sampler(n_pos: int, n_neg: int) -> Callable[[np.random.Generator, float, int], pl.DataFrame]:
    """Return a simulation of independent rows of each class."""

    def simulated(rng: np.random.Generator, auc: float, count: int) -> pl.DataFrame:
        label = np.tile(np.repeat([False, True], [n_neg, n_pos]), count)
        score = rng.standard_normal(label.size) + higher(auc) * label
        return pl.DataFrame({"replicate": replicate(n_pos + n_neg, count), "label": label, "score": score})

    return simulated


def in_folds(n_pos: int, n_neg: int, folds: int) -> Callable[[np.random.Generator, float, int], pl.DataFrame]:
    """Return a function that assigns the rows of each class to folds."""

    def simulated(rng: np.random.Generator, auc: float, count: int) -> pl.DataFrame:
        fold = np.concatenate([np.arange(n_neg) % folds, np.arange(n_pos) % folds])
        return class_sampler(n_pos, n_neg)(rng, auc, count).with_columns(fold=pl.Series(np.tile(fold, count)))

    return simulated


def in_clusters(
    clusters: int, size: int, *, prevalence: float, whole: bool, parts: int
) -> Callable[[np.random.Generator, float, int], pl.DataFrame]:
    """Return a simulation of clusters in several parts; whole clusters have one class."""

    def simulated(rng: np.random.Generator, auc: float, count: int) -> pl.DataFrame:
        rows = clusters * size
        shape = (count, clusters, 1 if whole else size)
        label = np.broadcast_to(rng.random(shape) < prevalence, (count, clusters, size)).ravel()
        shared = np.repeat(rng.standard_normal(count * clusters), size)
        residuals = rng.standard_normal(count * rows)
        noise = math.sqrt(CORRELATION) * shared + math.sqrt(1 - CORRELATION) * residuals
        part = np.tile(np.repeat(np.arange(clusters) % parts, size), count)
        return pl.DataFrame(
            {
                "replicate": replicate(rows, count),
                "label": label,
                "score": noise + higher(auc) * label,
                "cluster": np.tile(np.repeat(np.arange(clusters), size), count),
                "fold": part,
                "segment": part,
            }
        )

    return simulated


def censored(rows: int, effect: float, censoring: float) -> Callable[..., pl.DataFrame]:
    """Return a simulation of exponential times, by a log hazard ratio, with exponential censoring."""

    def simulated(rng: np.random.Generator, _: float, count: int) -> pl.DataFrame:
        score = rng.standard_normal(rows * count)
        time = rng.exponential(size=score.size) * np.exp(-effect * score)
        end = rng.exponential(size=score.size) * censoring
        return pl.DataFrame(
            {
                "replicate": replicate(rows, count),
                "time": np.minimum(time, end),
                "event": time <= end,
                "score": score,
            }
        )

    return simulated


def population_value(effect: float, censoring: float) -> float:
    """Return the index of two million rows as the population's index."""
    rows = censored(2_000_000, effect, censoring)(np.random.default_rng(1), 0.0, 1)
    answer = rows.select(index=pa.concordance_index("time", "event", "score")).unnest("index")
    return float(answer["concordance"].item())


def area(auc: float, axis: str, low: float, high: float) -> float:
    """Return the population's area between two rates, by the midpoints of narrow strips."""
    steps = 200_000
    width = (high - low) / steps
    rates = (low + (step + 0.5) * width for step in range(steps))
    shift = higher(auc)
    if axis == "fpr":
        return width * math.fsum(NORMAL.cdf(shift + NORMAL.inv_cdf(rate)) for rate in rates)
    return width * math.fsum(1 - NORMAL.cdf(NORMAL.inv_cdf(rate) - shift) for rate in rates)


def partial() -> Iterator[Case]:
    """Yield the parts of a curve."""
    for n_pos, n_neg, axis, bound in (
        (50, 50, "fpr", 0.1),
        (30, 300, "tpr", 0.8),
        (200, 200, "fpr", 0.1),
        (300, 30, "fpr", 0.1),
    ):
        low, high = (0.0, bound) if axis == "fpr" else (bound, 1.0)
        part: dict[str, Any] = {"max_fpr": bound} if axis == "fpr" else {"min_tpr": bound}
        name = f"fpr to {bound:g}" if axis == "fpr" else f"tpr from {bound:g}"

        interval = functools.partial(pa.roc_auc_ci, "label", "score", **part)
        bootstrap = functools.partial(interval, method="bootstrap")
        for auc in (0.6, 0.8, 0.95):
            case = (
                f"{name}, {n_pos} + {n_neg} rows",
                auc,
                class_sampler(n_pos, n_neg),
                area(auc, axis, low, high),
            )
            yield Case(
                "roc_auc_ci",
                *case,
                {"logit": functools.partial(interval, method="logit")},
                {"delong": functools.partial(interval, method="delong")},
            )
            yield Case(
                "roc_auc_ci",
                *case,
                {"bootstrap, bca": functools.partial(bootstrap, interval="bca")},
                {"bootstrap, percentile": functools.partial(bootstrap, interval="percentile")},
                replicates=2000,
                resamples=2000,
            )


def rates() -> Iterator[Case]:
    """Yield the points of a curve."""
    for n_pos, n_neg in ((50, 50), (30, 300), (300, 30), (200, 200)):
        for auc in (0.8, 0.95):
            tpr = NORMAL.cdf(higher(auc) + NORMAL.inv_cdf(0.1))
            for name, truth, expression in (
                ("tpr_at_fpr", tpr, functools.partial(pa.tpr_at_fpr, "label", "score", 0.1)),
                ("fpr_at_tpr", 1 - tpr, functools.partial(pa.fpr_at_tpr, "label", "score", 0.9)),
            ):
                rate = "fpr 0.1" if name == "tpr_at_fpr" else "tpr 0.9"
                case = (name, f"{rate}, {n_pos} + {n_neg} rows", auc, class_sampler(n_pos, n_neg), truth)
                wilson, percentile = (
                    {interval: functools.partial(expression, interval=interval)}
                    for interval in ("wilson", "percentile")
                )
                yield Case(*case, wilson, percentile, replicates=2000, resamples=2000)


def with_weights(
    unweighted: Callable[[np.random.Generator, float, int], pl.DataFrame],
) -> Callable[[np.random.Generator, float, int], pl.DataFrame]:
    """Return a simulation of the same rows with uneven weights."""

    def simulated(rng: np.random.Generator, auc: float, count: int) -> pl.DataFrame:
        rows = unweighted(rng, auc, count)
        return rows.with_columns(weight=pl.Series(rng.lognormal(sigma=SPREAD, size=rows.height)))

    return simulated


def weights() -> Iterator[Case]:
    """Yield rows with uneven weights: few of them dominate."""
    methods = {
        method: functools.partial(pa.roc_auc_ci, "label", "score", weight="weight", method=method)
        for method in ("wilson", "logit", "delong")
    }
    former = {"delong": methods.pop("delong")}
    for n_pos, n_neg in ((30, 300), (100, 100), (300, 3000)):
        for auc in (0.8, 0.95):
            name = f"weights of spread {SPREAD:g}, {n_pos} + {n_neg} rows"
            rows = with_weights(class_sampler(n_pos, n_neg))
            yield Case("roc_auc_ci", name, auc, rows, auc, methods, former)


def survival() -> Iterator[Case]:
    """Yield censored times, with the log hazard ratio as the parameter instead of an AUC."""
    logit, normal = (
        {interval: functools.partial(pa.concordance_index, "time", "event", "score", interval=interval)}
        for interval in ("logit", "normal")
    )
    for rows, effect, censoring, share in (
        (40, 1.0, 0.25, 76),
        (40, 2.0, 0.3, 68),
        (40, 1.0, 0.5, 64),
        (100, 1.0, 0.25, 76),
    ):
        yield Case(
            "concordance_index",
            f"{rows} rows, {share} % censored",
            effect,
            censored(rows, effect, censoring),
            population_value(effect, censoring),
            logit,
            normal,
            replicates=10_000,
        )


def folds() -> Iterator[Case]:
    """Yield folds of independent rows and of clusters."""
    mean = functools.partial(pa.cv_roc_auc, "label", "score", "fold")
    cluster_mean = functools.partial(mean, cluster="cluster")
    now, before = ({method: functools.partial(mean, method=method)} for method in ("delong", "influence"))
    for n_pos, n_neg, k, areas in (
        (30, 70, 5, (0.8, 0.9)),
        (50, 50, 10, (0.8, 0.9, 0.95)),
        (30, 300, 10, (0.8, 0.95)),
        (300, 300, 10, (0.8, 0.95)),
    ):
        for auc in areas:
            name = f"{k} folds, {n_pos} + {n_neg} rows"
            yield Case("cv_roc_auc", name, auc, in_folds(n_pos, n_neg, k), auc, now, before)
    now, before = (
        {f"{method}, cluster": functools.partial(cluster_mean, method=method)}
        for method in ("delong", "influence")
    )
    for clusters, size, k, whole in (
        (40, 5, 5, False),
        (40, 5, 5, True),
        (100, 4, 10, False),
        (100, 4, 10, True),
    ):
        for auc in (0.8, 0.9):
            rows = in_clusters(clusters, size, prevalence=0.3, whole=whole, parts=k)
            kind = "of one class" if whole else "of both classes"
            name = f"{k} folds, {clusters} clusters of {size} rows {kind}"
            yield Case("cv_roc_auc", name, auc, rows, auc, now, before)


def segments() -> Iterator[Case]:
    """Yield segments of equal AUCs, each a third or a sixth of the clusters, compared with the rest.

    The earlier method, the normal distribution, is no longer available.
    """
    methods = {
        "wilson": functools.partial(comparison, "wilson", "rest"),
        "delong": functools.partial(comparison, "delong", "rest"),
        "delong, pooled rest": functools.partial(comparison, "delong", "pooled_rest"),
    }
    for clusters, size, parts in ((60, 6, 3), (60, 12, 6), (120, 6, 3)):
        for auc in (0.8, 0.9):
            rows = in_clusters(clusters, size, prevalence=0.2, whole=False, parts=parts)
            name = f"{clusters} clusters of {size} rows in {parts} segments"
            yield segment_case(name, auc, rows, methods, {})


def weighted_segments() -> Iterator[Case]:
    """Yield segments of clusters whose rows have uneven weights.

    Earlier, weights and clusters were mutually exclusive.
    """
    former = {
        "wilson, no clusters": functools.partial(comparison, "wilson", "rest", weight="weight", cluster=None)
    }
    methods = {
        method: functools.partial(comparison, method, "rest", weight="weight")
        for method in ("wilson", "delong")
    }
    for whole in (False, True):
        for auc in (0.8, 0.9):
            rows = with_weights(in_clusters(120, 6, prevalence=0.3, whole=whole, parts=3))
            kind = "of one class" if whole else "of both classes"
            name = f"weights of spread {SPREAD:g}, 3 segments, 120 clusters of 6 rows {kind}"
            yield segment_case(name, auc, rows, methods, former)


def segment_case(
    name: str,
    auc: float,
    rows: Callable[[np.random.Generator, float, int], pl.DataFrame],
    methods: Methods,
    former: Methods,
) -> Case:
    """Return the comparison of the first segment of each replicate with the others."""
    return Case(
        "compare_segments",
        name,
        auc,
        rows,
        0.0,
        methods,
        former,
        fields=("difference_lower", "difference_upper"),
        by_replicate=first_segments,
    )


def comparison(
    method: str, versus: str, weight: str | None = None, cluster: str | None = "cluster"
) -> pl.Expr:
    """Return the result of ``compare_segments`` for the clusters of a replicate."""
    columns = {"score": "score", "label": "label", "cluster": cluster, "weight": weight, "count": None}
    return call.expression(
        "compare_segments",
        {**columns, "by": pl.struct("segment")},
        versus=versus,
        method=method,
        adjust=None,
        level=0.95,
        alternative="two-sided",
    )


def first_segments(rows: pl.LazyFrame, compared: pl.Expr) -> pl.LazyFrame:
    """Return the first segment of every replicate, compared with its other segments."""
    each = rows.group_by("replicate").agg(answer=compared)
    return each.select(pl.col("answer").list.first()).unnest("answer")


FAMILIES: dict[str, Callable[[], Iterator[Case]]] = {
    "partial": partial,
    "rates": rates,
    "weights": weights,
    "survival": survival,
    "folds": folds,
    "segments": segments,
    "weighted_segments": weighted_segments,
}


def answers(case: Case, expression: Callable[..., pl.Expr], rows: pl.DataFrame, count: int) -> pl.DataFrame:
    """Return the interval of every replicate."""
    if case.by_replicate is not None:
        return case.by_replicate(rows.lazy(), expression()).collect()
    if case.resamples is None:
        return rows.lazy().group_by("replicate").agg(answer=expression()).collect().unnest("answer")
    each = rows.height // count
    ends = [each * (count * batch // BATCHES) for batch in range(BATCHES + 1)]
    plans = [
        rows[start:end]
        .lazy()
        .group_by("replicate")
        .agg(answer=expression(n_resamples=case.resamples, seed=seed))
        for seed, (start, end) in enumerate(itertools.pairwise(ends))
    ]
    return pl.concat(plans).collect(engine="in-memory").unnest("answer")


def coverage(case: Case, method: str, answered: pl.DataFrame) -> dict[str, object]:
    """Count the intervals that contain the truth."""
    defined = answered.drop_nulls(case.fields)
    lower, upper = (defined[name].to_numpy() for name in case.fields)
    # The population's number is accurate only to some digits.
    below, above = float(np.mean(upper < case.truth - 1e-9)), float(np.mean(lower > case.truth + 1e-9))
    covered = 1 - below - above
    return {
        "statistic": case.statistic,
        "method": method,
        "case": case.name,
        "auc": case.auc,
        "truth": case.truth,
        "replicates": answered.height,
        "resamples": case.resamples,
        "coverage": covered,
        "coverage_se": math.sqrt(covered * (1 - covered) / defined.height),
        "wholly_below": below,
        "wholly_above": above,
        "mean_width": float(np.mean(upper - lower)),
        "undefined": answered.height - defined.height,
    }


def main() -> None:
    """Simulate, print and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--only", nargs="+", default=list(FAMILIES), choices=list(FAMILIES))
    parser.add_argument("--when", default="after", choices=TIMES)
    parser.add_argument("--share", type=float, default=1.0, help="this share of the replicates")
    parser.add_argument("--dry", action="store_true", help="write nothing")
    chosen = parser.parse_args()
    git = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    stamp = {"measured": chosen.when, "commit": commit, "version": pa.__version__, "polars": pl.__version__}
    for family in chosen.only:
        measured = []
        for case in FAMILIES[family]():
            methods = case.methods if chosen.when == "after" else case.former
            count = max(BATCHES, round(chosen.share * case.replicates))
            rows = case.simulated(np.random.default_rng(7), case.auc, count)
            for method, expression in methods.items():
                row = coverage(case, method, answers(case, expression, rows, count))
                measured.append({**row, **stamp})
                print(
                    f"{case.statistic:<18} {method:<22} {case.name:<52} {case.auc:<5} {row['coverage']:.4f}",
                    flush=True,
                )
        if measured and not chosen.dry:
            write(pl.DataFrame(measured, infer_schema_length=None))


def write(table: pl.DataFrame) -> None:
    """Replace the rows of the same case and method."""
    keys = ["measured", "statistic", "method", "case", "auc"]
    numbers = ["truth", "coverage", "coverage_se", "wholly_below", "wholly_above", "mean_width"]
    table = table.with_columns(pl.col(numbers).round_sig_figs(5), pl.col("resamples").cast(pl.Int64))
    if RESULTS.exists():
        kept = pl.read_csv(RESULTS, schema_overrides=table.schema).join(table, on=keys, how="anti")
        table = pl.concat([kept, table])
    order = [pl.col("statistic").cast(pl.Enum(STATISTICS)), pl.col("measured").cast(pl.Enum(TIMES))]
    table.sort(order, maintain_order=True).write_csv(RESULTS)


if __name__ == "__main__":
    main()
