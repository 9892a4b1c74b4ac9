"""What acting on a probability is worth, by definition."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from oracles.rows import Group, Rounded, WeightedRow, share
from oracles.wilson import effective


def net_benefit(
    rows: Sequence[WeightedRow],
    *,
    thresholds: Sequence[float],
    level: float,
    prevalence: float | None = None,
) -> list[dict[str, Any]] | None:
    group = Group(rows)
    total = group.p + group.n
    if group.has_nan or not total or (prevalence is not None and not group.has_pairs):
        return None
    return [_at(group, threshold, level, prevalence) for threshold in thresholds]


def _at(group: Group, threshold: float, level: float, prevalence: float | None) -> dict[str, Any]:
    fp, tp = group.reaching(threshold)
    total, t = group.p + group.n, Fraction(threshold)
    odds = t / (1 - t)
    tpr, fpr = share(tp, group.p), share(fp, group.n)
    rate = group.p / total if prevalence is None else Fraction(prevalence)
    rows = [(w, 1, p >= threshold) for p, w in group.pos] + [(w, 0, p >= threshold) for p, w in group.neg]
    se = None
    if prevalence is None:
        value = (tp - odds * fp) / total
        adds = [(w, (1 if label else -odds) if called else Fraction(0)) for w, label, called in rows]
        if (n := len(rows)) > 1:
            squares = sum((w * (add - value)) ** 2 for w, add in adds)
            se = math.sqrt(squares * Fraction(n, n - 1)) / float(total)
    else:
        value = rate * tp / group.p - (1 - rate) * odds * fp / group.n
        of_pos = sum((w * (called - tp / group.p)) ** 2 for w, label, called in rows if label) / group.p**2
        of_neg = sum((w * (called - fp / group.n)) ** 2 for w, label, called in rows if not label)
        se = math.sqrt(rate**2 * of_pos + ((1 - rate) * odds) ** 2 * of_neg / group.n**2)
    treat_all = rate - (1 - rate) * odds
    margin = NormalDist().inv_cdf(0.5 + level / 2) * (se or 0.0)
    return {
        "threshold": threshold,
        "net_benefit": Rounded(value),
        "se": None if se is None else Rounded(se),
        "lower": None if se is None else Rounded(float(value) - margin),
        "upper": None if se is None else Rounded(float(value) + margin),
        "treat_all": Rounded(treat_all),
        "standardized": Rounded(value / rate) if rate else None,
        "interventions_avoided": Rounded((value - treat_all) / odds),
        "tpr": tpr,
        "fpr": fpr,
    }


def _expit(x: float) -> float:
    """Return the inverse of the logit, without overflow."""
    return 1 / (1 + math.exp(-x)) if x > 0 else math.exp(x) / (1 + math.exp(x))


def average_precision_ci(
    rows: Sequence[WeightedRow], *, level: float, method: str = "logit"
) -> dict[str, Any]:
    group = Group(rows)
    names = ("average_precision", "se", "lower", "upper")
    if group.has_nan or not group.pos:
        return {**dict.fromkeys(names, math.nan if group.has_nan else None), **group.counts}
    reach = {score: group.reaching(score) for score, _ in group.pos + group.neg}
    precision = {score: tp / (tp + fp) for score, (fp, tp) in reach.items()}
    value = sum((w * precision[score] for score, w in group.pos), Fraction()) / group.p
    variance = Fraction()
    for label, class_rows in ((1, group.pos), (0, group.neg)):
        for score, weight in class_rows:
            # The derivative by the weight of the row.
            slope = label * (precision[score] - value)
            for lower, w in group.pos:
                if lower <= score:
                    slope += w * (label - precision[lower]) / sum(reach[lower])
            variance += (weight * slope / group.p) ** 2
    se, z = math.sqrt(variance), NormalDist().inv_cdf(0.5 + level / 2)
    answer: dict[str, Any] = {"average_precision": float(value), "se": Rounded(se)}
    if method == "influence":
        limits = (max(0.0, float(value) - z * se), min(1.0, float(value) + z * se))
    elif value == 1:
        return {**answer, "lower": None, "upper": None, **group.counts}
    else:
        n_pos = effective([w for _, w in group.pos])
        center = math.log(value / (1 - value))
        margin = z / math.sqrt(n_pos * value * (1 - value))
        limits = (_expit(center - margin), _expit(center + margin))
    return {**answer, "lower": Rounded(limits[0]), "upper": Rounded(limits[1]), **group.counts}


def equal_error_rate(rows: Sequence[WeightedRow]) -> dict[str, Any]:
    group = Group(rows)
    if group.has_nan or not group.has_pairs:
        rate = math.nan if group.has_nan else None
        return {"equal_error_rate": rate, "threshold": rate, **group.counts}
    points = group.points()
    for (_, fp, tp), (threshold, next_fp, next_tp) in itertools.pairwise(points):
        fpr, tpr, next_fpr, next_tpr = fp / group.n, tp / group.p, next_fp / group.n, next_tp / group.p
        if next_fpr + next_tpr >= 1:
            along = (1 - fpr - tpr) / (next_fpr + next_tpr - fpr - tpr)
            rate = Rounded(fpr + along * (next_fpr - fpr))
            return {"equal_error_rate": rate, "threshold": threshold, **group.counts}
    raise AssertionError
