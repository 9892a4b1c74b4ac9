"""Time of inference, relative to other packages.

``python benches/inference.py [--rounds 9] [--share 1.0] [--only paired bootstrap]`` first compares the
results of the contenders, and stops at a difference. Then the contenders of a work alternate in random order.
A row of ``benches/results/inference.csv`` has the medians of both, their ratio and the promised ratio. With
``--check`` the exit code is 1 if a promise is broken. ``--share`` uses a share of the rows and groups.

R with pROC runs in a separate process, with its data in memory; the measured time is one line and its result.
R and numpy compute on one thread. Slow contenders run in three rounds, or with fewer resamples. Their time is
then scaled, and their name shows it.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import NormalDist
from types import TracebackType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl
import scipy.stats

import polars_auc as pa
from machine import machine
from rows import append
from targets import AUC, Promise, Row, Run, Work, grouped, normal, select, timed

RESULTS = Path(__file__).parent / "results" / "inference.csv"

Floats: TypeAlias = npt.NDArray[np.float64]
Labels: TypeAlias = npt.NDArray[np.bool_]

NOTHING = math.inf
"""No promised ratio: the comparison is only reported."""

Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Comparison(Work):
    """A work, with further values of its rows."""

    rows: int = 0
    times: dict[str, float] = field(default_factory=dict)
    """Contenders that do only part of the work, with the factor to the whole."""
    versions: dict[str, str] = field(default_factory=dict)


# The same work in other software.


class R:
    """An R process with pROC, which evaluates lines and returns numbers."""

    SERVER = """
        suppressMessages(library(pROC))
        input <- file("stdin", "r")
        while (length(line <- readLines(input, 1))) {
            answer <- tryCatch(
                sprintf("%.17g", as.numeric(eval(parse(text = line), globalenv()))),
                error = function(e) c("error", gsub("\\n", " ", conditionMessage(e)))
            )
            cat(answer, "\\n")
            flush(stdout())
        }
    """

    def __init__(self, **columns: npt.NDArray[Any]) -> None:
        command = ["Rscript", "--vanilla", "-e", self.SERVER]
        # The locale would change the format of numbers.
        environment = {**os.environ, "LC_ALL": "C"}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)
        for name, values in columns.items():
            with tempfile.NamedTemporaryFile() as file:
                values.astype(np.float64).tofile(file)
                file.flush()
                read = f'{name} <- readBin("{file.name}", "double", {values.size}); length({name})'
                agree(f"rows of {name} in R", self.ask(read), values.size)
        numbers = self.ask('c(unlist(packageVersion("pROC")), unlist(getRversion()))')
        self.version = "pROC {:g}.{:g}.{:g}, R {:g}.{:g}.{:g}".format(*numbers)

    def ask(self, line: str) -> Floats:
        """Evaluate one line in R."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(" ".join(line.split()) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer or answer.startswith("error"):
            sys.exit(f"R: {answer or 'ended'} in {line}")
        return np.array([float(number) for number in answer.split()])

    def asks(self, line: str) -> Callable[[], Floats]:
        """Return a contender from a line."""
        return lambda: self.ask(line)

    def __enter__(self) -> R:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def curve_in_r(score: str) -> str:
    """Return the R code of a score's curve, with explicit levels and direction for pROC."""
    return f'roc(label, {score}, levels = c(0, 1), direction = "<", quiet = TRUE)'


def midranks(values: Floats) -> Floats:
    """Return ranks from 1, with mean ranks for ties."""
    order = np.argsort(values)
    ordered = values[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    ends = np.append(starts[1:], values.size)
    ranks = np.empty(values.size)
    ranks[order] = np.repeat((starts + 1 + ends) / 2, ends - starts)
    return ranks


def sun_and_xu(label: Labels, *scores: Floats) -> tuple[Floats, Floats]:
    """Return the areas and their DeLong covariance by the algorithm of Sun and Xu (2014)."""
    n_pos, n_neg = int(label.sum()), int((~label).sum())
    areas, pos_placements, neg_placements = [], [], []
    for score in scores:
        pos, neg = score[label], score[~label]
        among_all = midranks(np.concatenate([pos, neg]))
        pos_placements.append((among_all[:n_pos] - midranks(pos)) / n_neg)
        neg_placements.append(1 - (among_all[n_pos:] - midranks(neg)) / n_pos)
        areas.append(pos_placements[-1].mean())
    covariance = np.cov(pos_placements) / n_pos + np.cov(neg_placements) / n_neg
    return np.array(areas), np.atleast_2d(covariance)


def paired_by_numpy(label: Labels, one: Floats, other: Floats) -> Floats:
    """Return both areas, z and its p-value."""
    areas, covariance = sun_and_xu(label, one, other)
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    z = (areas[0] - areas[1]) / math.sqrt(variance)
    return np.array([*areas, z, 2 * scipy.stats.norm.sf(abs(z))])


def counting_bootstrap(label: Labels, score: Floats, n_resamples: int) -> Floats:
    """Return percentile limits from counts of the rows of each class, as the R package fbroc resamples.

    Both classes are sorted once. A resample is a count for each row. The cumulative counts of negatives below
    the sampled positives give its area.
    """
    rng = np.random.default_rng(1)
    pos, neg = np.sort(score[label]), np.sort(score[~label])
    below, not_above = np.searchsorted(neg, pos, "left"), np.searchsorted(neg, pos, "right")
    distinct = bool(np.array_equal(below, not_above))
    sums = np.zeros(neg.size + 1, np.int64)
    areas = np.empty(n_resamples)
    for replicate in range(n_resamples):
        counts = np.bincount(rng.integers(0, neg.size, neg.size), minlength=neg.size)
        np.cumsum(counts, out=sums[1:])
        # Each sampled positive counts the sampled negatives below it, so positives need no counts.
        sampled = rng.integers(0, pos.size, pos.size)
        wins = 2 * sums[below[sampled]] if distinct else (sums[below] + sums[not_above])[sampled]
        areas[replicate] = wins.sum() / (2 * pos.size * neg.size)
    return np.quantile(areas, [0.025, 0.975])


def venkatraman(label: Labels, one: Floats, other: Floats, n_permutations: int) -> Floats:
    """Return the statistic of Venkatraman and Begg (1996) and its p-value, of scores without ties."""
    rng = np.random.default_rng(1)

    def statistic(a: Floats, b: Floats) -> float:
        orders = np.argsort(a), np.argsort(b)
        missed = [np.cumsum(label[order]) for order in orders]
        # The number of predicted positives is the same, so each missed positive is a false positive.
        return float(2 * np.abs(missed[0] - missed[1]).sum())

    ranks = midranks(one), midranks(other)
    actual = statistic(*ranks)
    no_less = 0
    for _ in range(n_permutations):
        exchanged = rng.random(label.size) < 0.5
        a, b = np.where(exchanged, ranks[1], ranks[0]), np.where(exchanged, ranks[0], ranks[1])
        # The exchange ties two rows, which are ordered randomly.
        no_less += statistic(a + 0.5 * rng.random(a.size), b + 0.5 * rng.random(b.size)) >= actual
    return np.array([actual, no_less / n_permutations])


# Comparisons of results.


def agree(what: str, ours: npt.ArrayLike, theirs: npt.ArrayLike, within: float = 0.0) -> None:
    """Exit if two results differ by more."""
    difference = np.max(np.abs(np.asarray(ours, np.float64) - np.asarray(theirs, np.float64)))
    if not difference <= within:
        sys.exit(f"{what}: the contenders differ by {difference:.3g}, at most {within:.3g} was expected")


def answer(run: Run) -> dict[str, Any]:
    """Return the fields of a query's only Struct."""
    frame = run()
    assert isinstance(frame, pl.DataFrame)
    fields: dict[str, Any] = frame.item()
    return fields


def by_group(run: Run) -> pl.DataFrame:
    """Return a grouped query's results in order of the groups, a Struct as its fields."""
    frame = run()
    assert isinstance(frame, pl.DataFrame)
    frame = frame.sort("group")
    return frame.unnest("score") if frame["score"].dtype == pl.Struct else frame.rename({"score": "auc"})


def arrays(frame: pl.DataFrame, *scores: str) -> tuple[Labels, list[Floats]]:
    """Return labels and scores as numpy arrays."""
    return frame["label"].to_numpy(), [frame[score].to_numpy() for score in scores]


def scores_alike(n: int, count: int) -> pl.DataFrame:
    """Return labels and correlated scores of one AUC: ``score``, ``score_1`` and so on."""
    frame = normal(n)
    rng = np.random.default_rng(2)
    noise = pl.col("score") - pl.col("label")
    others = [
        (0.6 * noise + 0.8 * pl.Series(rng.standard_normal(n)) + pl.col("label")).alias(f"score_{number}")
        for number in range(1, count)
    ]
    return frame.with_columns(others).rechunk()


def even_groups(count: int, size: int, prevalence: float = 0.3) -> pl.DataFrame:
    """Return groups of one size, with shuffled rows."""
    group = np.random.default_rng(3).permutation(count * size) // size
    return normal(count * size, prevalence).with_columns(pl.Series("group", group.astype(np.int32)))


# The works.


def paired(share: float) -> Iterator[Comparison]:
    """DeLong's test of two scores of the same rows."""
    n = int(1e6 * share)
    frame = scores_alike(n, 2)
    label, (one, other) = arrays(frame, "score", "score_1")
    ours = select(frame, pa.roc_auc_difference("label", "score", "score_1"))
    by_numpy = functools.partial(paired_by_numpy, label, one, other)
    with R(label=label, one=one, other=other) as r:
        test = f'roc.test({curve_in_r("one")}, {curve_in_r("other")}, paired = TRUE, method = "delong")'
        by_r = r.asks(f"{{ test <- {test}; c(test$estimate, test$statistic, test$p.value) }}")
        fields = answer(ours)
        answers_here = [fields[name] for name in ("estimate_a", "estimate_b", "z", "p_value")]
        agree("paired DeLong, numpy", answers_here, by_numpy(), 1e-8)
        agree("paired DeLong, pROC", answers_here, by_r(), 1e-8)
        yield Comparison(
            "paired DeLong test",
            {"roc_auc_difference": ours, "pROC": by_r, "Sun and Xu in numpy": by_numpy},
            [
                Promise("roc_auc_difference", "pROC", 1 / 20),
                Promise("roc_auc_difference", "Sun and Xu in numpy", 1 / 5),
            ],
            slow=("pROC",),
            rows=n,
            versions={"pROC": r.version, "Sun and Xu in numpy": f"numpy {np.__version__}"},
        )


def bootstrap(share: float) -> Iterator[Comparison]:
    """Percentile limits from 2000 stratified resamples."""
    n = int(1e5 * share)
    resamples, tenth = 2000, 200
    frame = normal(n)
    label, (score,) = arrays(frame, "score")
    ours = select(frame, pa.roc_auc_ci("label", "score", method="bootstrap", n_resamples=resamples))
    by_numpy = functools.partial(counting_bootstrap, label, score, resamples)
    with R(label=label, score=score) as r:
        options = f'method = "bootstrap", boot.n = {tenth}, boot.stratified = TRUE, progress = "none"'
        by_r = r.asks(f"{{ set.seed(1); as.numeric(ci.auc({curve_in_r('score')}, {options}))[c(1, 3)] }}")
        fields = answer(ours)
        limits = fields["lower"], fields["upper"]
        # The random error of a resampled limit is 2.7 / sqrt(resamples) standard errors of the AUC: four
        # times that.
        halfwidth = 4 * 2.7 * fields["se"]
        agree("bootstrap, numpy", limits, by_numpy(), halfwidth * math.sqrt(2 / resamples))
        agree("bootstrap, pROC", limits, by_r(), halfwidth * math.sqrt(1 / resamples + 1 / tenth))
        by_proc = f"pROC, {tenth} resamples times {resamples // tenth}"
        yield Comparison(
            f"bootstrap of {resamples} resamples",
            {"roc_auc_ci": ours, by_proc: by_r, "counts in numpy": by_numpy},
            [Promise("roc_auc_ci", by_proc, 1 / 30), Promise("roc_auc_ci", "counts in numpy", 1.0)],
            slow=(by_proc,),
            rows=n,
            times={by_proc: resamples / tenth},
            versions={by_proc: r.version, "counts in numpy": f"numpy {np.__version__}"},
        )


def groups(share: float) -> Iterator[Comparison]:
    """Intervals of very many groups."""
    count = int(1e5 * share)
    frame = even_groups(count, 100)
    expressions = {
        "roc_auc": AUC,
        "delong": pa.roc_auc_ci("label", "score", method="delong"),
        "logit": pa.roc_auc_ci("label", "score", method="logit"),
        "hanley_mcneil": pa.roc_auc_ci("label", "score", method="hanley_mcneil"),
    }
    for engine in ("streaming", "in-memory"):
        contenders = {name: grouped(frame, engine, expression) for name, expression in expressions.items()}
        answers = {name: by_group(run) for name, run in contenders.items()}
        for name, answers_of_one in answers.items():
            agree(f"{engine}, {name}", answers_of_one["auc"], answers["roc_auc"]["auc"])
        for group in range(3):
            label, (score,) = arrays(frame.filter(pl.col("group") == group), "score")
            areas, covariance = sun_and_xu(label, score)
            theirs = limits_by_formula(areas[0], math.sqrt(covariance[0, 0]), label)
            for method, limits in theirs.items():
                answers_here = answers[method].row(group, named=True)
                agree(f"{engine}, {method}", (answers_here["lower"], answers_here["upper"]), limits, 1e-9)
        yield Comparison(
            f"{count} groups of 100 rows, {engine}",
            contenders,
            [
                Promise("delong", "roc_auc", 2.0),
                Promise("logit", "roc_auc", NOTHING),
                Promise("hanley_mcneil", "roc_auc", NOTHING),
            ],
            rows=frame.height,
        )


def limits_by_formula(auc: float, se: float, label: Labels) -> dict[str, tuple[float, float]]:
    """Record the limits of each method."""
    n_pos, n_neg = int(label.sum()), int((~label).sum())
    logit, half = math.log(auc / (1 - auc)), Z * se / (auc * (1 - auc))
    q1, q2 = auc / (2 - auc) - auc**2, 2 * auc**2 / (1 + auc) - auc**2
    variance = auc * (1 - auc) + (n_pos - 1) * q1 + (n_neg - 1) * q2
    hanley = Z * math.sqrt(variance / (n_pos * n_neg))
    return {
        "delong": (max(0.0, auc - Z * se), min(1.0, auc + Z * se)),
        "logit": (1 / (1 + math.exp(half - logit)), 1 / (1 + math.exp(-half - logit))),
        "hanley_mcneil": (max(0.0, auc - hanley), min(1.0, auc + hanley)),
    }


def large(share: float) -> Iterator[Comparison]:
    """DeLong's interval of one column."""
    n = int(1e7 * share)
    frame = normal(n)
    interval = pa.roc_auc_ci("label", "score", method="delong")
    contenders = {"roc_auc": select(frame, AUC), "roc_auc_ci": select(frame, interval)}
    label, (score,) = arrays(frame, "score")
    areas, covariance = sun_and_xu(label, score)
    fields = answer(contenders["roc_auc_ci"])
    agree("areas", fields["auc"], areas[0], 1e-9)
    agree("standard errors", fields["se"] / math.sqrt(covariance[0, 0]), 1.0, 1e-6)
    yield Comparison("DeLong interval", contenders, [Promise("roc_auc_ci", "roc_auc", 1.4)], rows=n)


def rank_sum(share: float) -> Iterator[Comparison]:
    """Mann-Whitney tests of very many groups: normal, exact, and exact with ties."""
    test = pa.mann_whitney_u("label", "score")
    # Exact counts take long, especially with ties.
    for most, size, prevalence, decimals in ((1e5, 100, 0.3, None), (1e5, 80, 0.5, None), (1e4, 50, 0.3, 1)):
        count = int(most * share)
        frame = even_groups(count, size, prevalence)
        if decimals is not None:
            frame = frame.with_columns(pl.col("score").round(decimals))
        contenders = {
            "roc_auc": grouped(frame, "in-memory", AUC),
            "mann_whitney_u": grouped(frame, "in-memory", test),
        }
        answers_here = by_group(contenders["mann_whitney_u"])
        agree("areas", answers_here["auc"], by_group(contenders["roc_auc"])["auc"])
        for group in range(20):
            label, (score,) = arrays(frame.filter(pl.col("group") == group), "score")
            fields = answers_here.row(group, named=True)
            # scipy has no exact test with ties.
            if decimals is None:
                theirs = scipy.stats.mannwhitneyu(score[label], score[~label], method=fields["method"])
                agree("p-values", fields["p_value"], theirs.pvalue, 1e-12)
        exact = 100 * answers_here["method"].eq("exact").fill_null(value=False).to_numpy().mean()
        ties = ", ties" if decimals is not None else ""
        yield Comparison(
            f"{count} groups of {size} rows{ties}, {exact:.0f} % exact",
            contenders,
            [Promise("mann_whitney_u", "roc_auc", NOTHING)],
            slow=("mann_whitney_u",) if exact > 0 else (),
            rows=frame.height,
        )


def several(share: float) -> Iterator[Comparison]:
    """Five scores of the same rows."""
    n = int(1e6 * share)
    frame = scores_alike(n, 5)
    names = frame.columns[1:]
    plan = frame.lazy().select(pa.roc_auc("label", name) for name in names)
    label, scores = arrays(frame, *names)
    by_numpy = functools.partial(sun_and_xu, label, *scores)
    ours = select(frame, pa.compare_scores("label", *names))
    areas, covariance = by_numpy()
    answers_here = answer(ours)["estimates"]
    agree("areas", [area["estimate"] for area in answers_here], areas, 1e-10)
    agree("areas, plainly", [area["estimate"] for area in answers_here], plan.collect().row(0))
    # Relative to the variances: covariances are of their size here.
    matrix = np.array([area["covariance"] for area in answers_here])
    agree("covariances", matrix / covariance, 1.0, 1e-6)
    yield Comparison(
        "5 scores",
        {
            "compare_scores": ours,
            "5 roc_auc": lambda: plan.collect(engine="in-memory"),
            "Sun and Xu in numpy": by_numpy,
        },
        [Promise("compare_scores", "5 roc_auc", NOTHING)],
        slow=("Sun and Xu in numpy",),
        rows=n,
        versions={"Sun and Xu in numpy": f"numpy {np.__version__}"},
    )


def segments(share: float) -> Iterator[Comparison]:
    """Twenty segments, each against the rows of all others."""
    n = int(1e6 * share)
    group = pl.Series("group", np.random.default_rng(4).integers(0, 20, n, dtype=np.int32))
    frame = normal(n).with_columns(group)
    plan = pa.compare_segments(frame.lazy(), "label", "score", "group", versus="pooled_rest", method="delong")
    intervals = grouped(frame, "in-memory", pa.roc_auc_ci("label", "score", method="delong"))
    answers_here, theirs = plan.collect(engine="in-memory"), by_group(intervals)
    agree("areas", answers_here["auc"], theirs["auc"])
    for segment in range(20):
        others = frame.filter(pl.col("group") != segment)
        rest = answer(select(others, pa.roc_auc_ci("label", "score", method="delong")))
        fields = answers_here.row(segment, named=True)
        agree("the rest", fields["versus_auc"], rest["auc"], 1e-12)
        statistic = (fields["auc"] - rest["auc"]) / math.hypot(fields["se"], rest["se"])
        agree("statistics", fields["statistic"], statistic, 1e-7)
    yield Comparison(
        "20 segments",
        {
            "compare_segments(pooled_rest)": lambda: plan.collect(engine="in-memory"),
            "grouped roc_auc_ci": intervals,
            "roc_auc of all rows": select(frame, AUC),
        },
        [Promise("compare_segments(pooled_rest)", "grouped roc_auc_ci", NOTHING)],
        rows=n,
    )


def curves(share: float) -> Iterator[Comparison]:
    """Venkatraman's test with 2000 permutations."""
    n = int(1e5 * share)
    permutations, tenth = 2000, 200
    frame = scores_alike(n, 2)
    label, (one, other) = arrays(frame, "score", "score_1")
    ours = select(frame, pa.roc_curve_difference("label", "score", "score_1", n_permutations=permutations))
    by_numpy = functools.partial(venkatraman, label, one, other, tenth)
    fields, (statistic, p_value) = answer(ours), by_numpy()
    agree("statistics", fields["statistic"], statistic)
    # Four standard deviations of a share of permutations, at most.
    agree("p-values", fields["p_value"], p_value, 2 * math.sqrt(1 / permutations + 1 / tenth))
    contender = f"numpy, {tenth} permutations times {permutations // tenth}"
    yield Comparison(
        f"two curves, {permutations} permutations",
        {"roc_curve_difference": ours, contender: by_numpy},
        [Promise("roc_curve_difference", contender, NOTHING)],
        slow=("roc_curve_difference", contender),
        rows=n,
        times={contender: permutations / tenth},
        versions={contender: f"numpy {np.__version__}"},
    )


def shift(share: float) -> Iterator[Comparison]:
    """Find the median of all differences, with its limits."""
    n = int(1e6 * share)
    frame = normal(n)
    label, (score,) = arrays(frame, "score")
    column = frame["score"]
    ours = select(frame, pa.hodges_lehmann("label", "score"))
    fields = answer(ours)
    pos, neg = score[label], np.sort(score[~label])
    pairs = pos.size * neg.size
    deviation = math.sqrt(pairs * (n + 1) / 12)
    for name, away in (("lower", -Z), ("shift", 0.0), ("upper", Z)):
        # The number of smaller differences, as the test counts them.
        smaller = neg.size * pos.size - int(np.searchsorted(neg, pos - fields[name], "left").sum())
        # The limits have a continuity correction; some differences are equal as floats.
        agree(name, (smaller - pairs / 2) / deviation, away, 1e-3)
    yield Comparison(
        "Hodges-Lehmann shift",
        {"hodges_lehmann": ours, "Series.sort()": lambda: column.sort(), "roc_auc": select(frame, AUC)},
        [Promise("hodges_lehmann", "Series.sort()", NOTHING)],
        rows=n,
    )


def agreement(share: float) -> Iterator[Comparison]:
    """Pairs of rows that two scores order alike."""
    n = int(1e6 * share)
    frame = scores_alike(n, 2)
    _, (one, other) = arrays(frame, "score", "score_1")
    ours = select(frame, pa.rank_agreement("score", "score_1"))

    def tau() -> float:
        return float(scipy.stats.kendalltau(one, other, method="asymptotic").statistic)

    agree("Kendall's tau", answer(ours)["tau_b"], tau(), 1e-12)
    yield Comparison(
        "rank agreement",
        {"rank_agreement": ours, "scipy": tau, "Series.sort()": lambda: frame["score"].sort()},
        [Promise("rank_agreement", "scipy", NOTHING)],
        slow=("scipy",),
        rows=n,
        versions={"scipy": f"scipy {scipy.__version__}"},
    )


def exact_distance(share: float) -> Iterator[Comparison]:
    """Compute the exact p-value of the Kolmogorov-Smirnov distance of two samples of equal size."""
    n = int(10_000 * share)
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({"label": np.arange(2 * n) % 2, "score": rng.standard_normal(2 * n)})
    label, [score] = arrays(frame, "score")
    ours = select(frame, pa.ks_statistic("label", "score", method="exact"))

    def theirs() -> float:
        return float(scipy.stats.ks_2samp(score[label == 1], score[label == 0], method="exact").pvalue)

    agree("exact p-value", answer(ours)["p_value"], theirs(), 1e-9)
    yield Comparison(
        f"exact p-value of KS, two times {n} rows",
        {"ks_statistic": ours, "scipy": theirs},
        [Promise("ks_statistic", "scipy", NOTHING)],
        rows=2 * n,
        versions={"scipy": f"scipy {scipy.__version__}"},
    )


WORKS: dict[str, Callable[[float], Iterator[Comparison]]] = {
    "paired": paired,
    "bootstrap": bootstrap,
    "groups": groups,
    "large": large,
    "rank_sum": rank_sum,
    "several": several,
    "segments": segments,
    "curves": curves,
    "shift": shift,
    "agreement": agreement,
    "exact_distance": exact_distance,
}


def compared(work: Comparison, rounds: int) -> Iterator[Row]:
    """Run the contenders alternately; scale the times of partial works."""
    for row in timed(work, rounds):
        ours = row.ours_median * work.times.get(row.ours, 1)
        other = row.other_median * work.times.get(row.other, 1)
        promised = None if row.promised == NOTHING else row.promised
        yield dataclasses.replace(
            row, ours_median=ours, other_median=other, ratio=ours / other, promised=promised
        )


def main() -> int:
    """Measure, print and append."""
    parser = argparse.ArgumentParser(description="Hold the speed of inference against other software.")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--share", type=float, default=1.0, help="this share of the rows and groups")
    parser.add_argument("--only", nargs="+", choices=WORKS, help="these works")
    parser.add_argument("--check", action="store_true", help="fail where a promise is not kept")
    parser.add_argument("--dry", action="store_true", help="append nothing")
    chosen = parser.parse_args()
    table_rows: list[dict[str, Any]] = []
    broken = False
    stamp = {"date": time.strftime("%Y-%m-%d"), "version": pa.__version__, "polars": pl.__version__}
    for name, works in WORKS.items():
        if chosen.only and name not in chosen.only:
            continue
        for work in works(chosen.share):
            for row in compared(work, chosen.rounds):
                kept = row.promised is None or row.ratio <= row.promised
                broken |= not kept
                version = work.versions.get(row.other)
                table_rows.append(
                    {**stamp, "rows": work.rows, **vars(row), "other_version": version, **machine()}
                )
                verdict = "" if row.promised is None else f" (promised {row.promised:.3f})"
                verdict += "" if row.promised is None else "  kept" if kept else "  NOT KEPT"
                medians = f"{row.ours_median:.4g} / {row.other_median:.4g} = {row.ratio:.4g}"
                print(f"{row.work:<40} {row.ours:>22} / {row.other:<34} {medians}{verdict}", flush=True)
    if not chosen.dry:
        schema = {"promised": pl.Float64, "other_version": pl.String}
        table = pl.DataFrame(table_rows, schema_overrides=schema, infer_schema_length=None)
        table = table.with_columns(
            pl.col("ours_median", "other_median", "ratio", "promised").round_sig_figs(4)
        )
        RESULTS.parent.mkdir(exist_ok=True)
        append(table, RESULTS)
    return 1 if chosen.check and broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
