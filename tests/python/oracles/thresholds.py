"""Statistics at a threshold, by definition in fractions, with or without weights."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.stats import t as student_t

from oracles.draws import resample
from oracles.intervals import quantile
from oracles.rows import Group, Point, Rounded, WeightedRow, share


def _rates(group: Group, fp: Fraction, tp: Fraction, beta: Fraction) -> dict[str, float | None]:
    tn, fn = group.n - fp, group.p - tp
    square = beta**2
    return {
        "tpr": share(tp, group.p),
        "fpr": share(fp, group.n),
        "precision": share(tp, tp + fp),
        "accuracy": share(tp + tn, group.p + group.n),
        "f": share((1 + square) * tp, (1 + square) * tp + square * fn + fp) if group.p else None,
    }


RATES = ("tpr", "fpr", "precision", "accuracy", "f", "criterion")


def operating_point(
    rows: Sequence[WeightedRow],
    *,
    criterion: str,
    ratio: Fraction | None = Fraction(1),
    cost: Fraction = Fraction(1),
    target: float = 0.0,
    beta: Fraction = Fraction(1),
    within: tuple[float, float] = (0.0, 1.0),
    weighted: bool = False,
) -> dict[str, Any]:
    group = Group(rows)
    masses = ("tp", "fp", "tn", "fn")
    nothing = {"threshold": math.nan if group.has_nan else None, **dict.fromkeys(masses, None)}
    nothing |= dict.fromkeys(RATES, math.nan if group.has_nan else None)
    if group.has_nan or not group.has_pairs:
        return {**nothing, **group.counts}
    prevalence = group.p / (group.p + group.n)
    r = (1 - prevalence) / (cost * prevalence) if ratio is None else ratio

    def merit(point: Point) -> tuple[Fraction, ...] | None:
        _, fp, tp = point
        tpr, fpr = tp / group.p, fp / group.n
        if not within[0] <= float(fpr) <= within[1]:
            return None
        rates = _rates(group, fp, tp, beta)
        if criterion in ("youden", "cost"):
            return (tpr - r * fpr,)
        if criterion == "closest_topleft":
            return (-((1 - tpr) ** 2 + r * fpr**2),)
        if criterion == "max_f":
            return (Fraction(rates["f"]),) if rates["f"] is not None else None
        if criterion == "top_p":
            return (-(tp + fp),) if tp + fp >= group.p else None
        if criterion == "target_fpr":
            return (tp,) if float(fpr) <= target else None
        if criterion == "target_tpr":
            return (-fp,) if float(tpr) >= target else None
        precision = rates["precision"]
        return (tp,) if precision is not None and precision >= target else None

    nobody, *scores = group.points()
    best: Point | None = None
    for point in scores:
        value = merit(point)
        if value is not None and (best is None or value > (merit(best) or ())):
            best = point
    alone = merit(nobody)
    if alone is not None and (best is None or alone > (merit(best) or ())):
        best = nobody
    if best is None:
        return {**nothing, **group.counts}
    threshold, fp, tp = best
    rates = _rates(group, fp, tp, beta)
    tpr, fpr = tp / group.p, fp / group.n
    result: Any = {
        "youden": tpr - r * fpr,
        "closest_topleft": (1 - tpr) ** 2 + r * fpr**2,
        "cost": cost * prevalence * (1 - tpr) + (1 - prevalence) * fpr,
        "max_f": rates["f"],
        "target_fpr": rates["fpr"],
        "target_tpr": rates["tpr"],
        "target_precision": rates["precision"],
        "top_p": rates["accuracy"],
    }[criterion]
    counts = dict(zip(masses, (tp, fp, group.n - fp, group.p - tp), strict=True))
    return {
        "threshold": threshold,
        **{name: group.mass(weight, weighted=weighted) for name, weight in counts.items()},
        **rates,
        "criterion": None if result is None else float(result),
        **group.counts,
    }


WITH_LIMITS = (
    "tpr",
    "fpr",
    "precision",
    "npv",
    "positive_likelihood",
    "negative_likelihood",
    "odds_ratio",
)

WITHOUT_LIMITS = ("accuracy", "error", "balanced_accuracy", "f", "mcc", "kappa", "predicted_rate")

CONFUSION = (
    *(f"{name}{limit}" for name in WITH_LIMITS for limit in ("", "_lower", "_upper")),
    *WITHOUT_LIMITS,
)


def wilson(successes: float, trials: float, z: float) -> tuple[float, float]:
    """Return the roots of ``(share - p)² = z² p (1 - p) / trials``."""
    a, share = 1 + z * z / trials, successes / trials
    b, c = -(2 * share + z * z / trials), share * share
    root = math.sqrt(max(b * b - 4 * a * c, 0.0))
    low = 0.0 if successes == 0 else (-b - root) / (2 * a)
    return low, 1.0 if successes == trials else (-b + root) / (2 * a)


def confusions_at(
    rows: Sequence[WeightedRow], *, at: Sequence[float], z: float, weighted: bool = False
) -> list[dict[str, Any]] | None:
    """Return the results at several thresholds."""
    if Group(rows).has_nan:
        return None
    return [confusion_at(rows, at=one, z=z, weighted=weighted) for one in at]


def confusion_at(
    rows: Sequence[WeightedRow], *, at: float, z: float, beta: Fraction = Fraction(1), weighted: bool = False
) -> dict[str, Any]:
    group = Group(rows)
    masses = ("tp", "fp", "tn", "fn")
    if group.has_nan:
        nans = dict.fromkeys(CONFUSION, math.nan)
        return {"threshold": math.nan, **dict.fromkeys(masses, None), **nans, **group.counts}
    fp, tp = group.reaching(at)
    tn, fn = group.n - fp, group.p - tp
    rates = _rates(group, fp, tp, beta)
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    record: dict[str, Any] = {
        **rates,
        "npv": share(tn, tn + fn),
        "error": share(fp + fn, group.p + group.n),
        "balanced_accuracy": float((tp / group.p + 1 - fp / group.n) / 2) if group.has_pairs else None,
        "mcc": float(tp * tn - fp * fn) / math.sqrt(product) if product else None,
        "kappa": share(2 * (tp * tn - fn * fp), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)),
        "predicted_rate": share(tp + fp, group.p + group.n),
    }
    shares = (("tpr", tp, group.p), ("fpr", fp, group.n), ("precision", tp, tp + fp), ("npv", tn, tn + fn))
    for name, part, whole in shares:
        both = wilson(int(part), int(whole), z) if whole and not weighted else (None, None)
        record[f"{name}_lower"], record[f"{name}_upper"] = both
    ratios = {
        "positive_likelihood": (tp * group.n, fp * group.p, (tp, fp), (group.p, group.n)),
        "negative_likelihood": (fn * group.n, tn * group.p, (fn, tn), (group.p, group.n)),
        "odds_ratio": (tp * tn, fp * fn, (tp, fp, tn, fn), ()),
    }
    for name, (above, below, plus, minus) in ratios.items():
        ratio = record[name] = share(above, below)
        lower = upper = None
        if ratio is not None and all(plus) and not weighted:
            variance = sum(1 / Fraction(count) for count in plus) - sum(
                1 / Fraction(count) for count in minus
            )
            factor = math.exp(z * math.sqrt(variance))
            lower, upper = ratio / factor, ratio * factor
        record[f"{name}_lower"], record[f"{name}_upper"] = lower, upper
    counts = dict(zip(masses, (tp, fp, tn, fn), strict=True))
    return {
        "threshold": at,
        **{name: group.mass(weight, weighted=weighted) for name, weight in counts.items()},
        **record,
        **group.counts,
    }


def _interpolated(points: Sequence[tuple[Fraction, Fraction]], at: Fraction) -> Fraction:
    """Return the highest y at x of straight lines between points in order of x."""
    heights = [y for x, y in points if x == at]
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x0 < at < x1:
            heights.append(y0 + (y1 - y0) * (at - x0) / (x1 - x0))
    return max(heights)


def _rate(rows: Sequence[Any], at: Fraction, wanted: str) -> Fraction:
    group = Group(rows)
    curve = [(fp / group.n, tp / group.p) for _, fp, tp in group.points()]
    if wanted == "tpr":
        return _interpolated(curve, at)
    # The curve reflected about the other diagonal: the lowest fpr is the highest specificity.
    return 1 - _interpolated([(y, 1 - x) for x, y in curve], at)


def rates_at_rates(
    rows: Sequence[Any], at: Sequence[float], *, wanted: str, fixed: str, **options: Any
) -> list[dict[str, Any]] | None:
    """Return the results at several rates."""
    if Group(rows).has_nan:
        return None
    return [{fixed: one, **rate_at_rate(rows, Fraction(str(one)), wanted=wanted, **options)} for one in at]


def rate_at_rate(
    rows: Sequence[Any], at: Fraction, *, wanted: str, interval: str, level: float, n_resamples: int
) -> dict[str, Any]:
    """Return the tpr at an fpr or the fpr at a tpr, with a bootstrap interval."""
    group = Group(rows)
    names = ("se", "lower", "upper")
    if group.has_nan:
        return {**dict.fromkeys((wanted, *names), math.nan), **group.counts}
    if not group.has_pairs:
        return {**dict.fromkeys((wanted, *names)), **group.counts}
    rate = float(_rate(rows, at, wanted))
    if len(group.pos) < 2 or len(group.neg) < 2 or group.weighted:
        return {wanted: rate, **dict.fromkeys(names), **group.counts}
    pos, neg = ([score for score, _ in scores] for scores in (group.pos, group.neg))
    resampled = []
    for replicate in range(n_resamples):
        some_pos, some_neg = resample(pos, neg, 0, replicate, plain=False)
        some = [(True, score) for score in some_pos] + [(False, score) for score in some_neg]
        resampled.append(float(_rate(some, at, wanted)))
    resampled.sort()
    tail = (1 - level) / 2
    limits = quantile(resampled, tail), quantile(resampled, 1 - tail)
    se = float(np.std(resampled, ddof=1))
    if interval == "wilson":
        most = len(pos) if wanted == "tpr" else len(neg)
        varies = 0 < rate < 1 and resampled[0] < resampled[-1]
        effective = min(rate * (1 - rate) / se**2, most) if varies else most
        share_variance = rate * (1 - rate) / most
        threshold_variance = max(se**2 - share_variance, 0.0) if resampled[0] < resampled[-1] else 0.0
        others = len(neg) if wanted == "tpr" else len(pos)
        df = most - 1.0
        if threshold_variance > 0:
            beyond = max(others * float(min(at, 1 - at)), 1.0)
            df = (share_variance + threshold_variance) ** 2 / (
                share_variance**2 / (most - 1) + threshold_variance**2 / beyond
            )
        limits = wilson(rate * effective, effective, float(student_t.isf(tail, df)))
    close = {"se": Rounded(se), "lower": Rounded(limits[0]), "upper": Rounded(limits[1])}
    return {wanted: rate, **close, **group.counts}
