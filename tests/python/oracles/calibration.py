"""Losses of probabilities and their parts, by definition."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from oracles.rows import DIFFERENCE, Group, Rounded, WeightedRow


def isotonic(group: Group) -> list[tuple[Fraction, Fraction]]:
    """The weights of positives and of negatives in each block, by the min-max formula."""
    scores = sorted({score for score, _ in group.pos + group.neg}, reverse=True)
    masses = [
        tuple(sum((w for s, w in rows if s == score), Fraction()) for rows in (group.pos, group.neg))
        for score in scores
    ]

    def rate(first: int, last: int) -> Fraction:
        pos = sum((mass[0] for mass in masses[first : last + 1]), Fraction())
        return pos / (pos + sum((mass[1] for mass in masses[first : last + 1]), Fraction()))

    indices = range(len(masses))
    fits = [
        min(max(rate(first, last) for last in range(at, len(masses))) for first in range(at + 1))
        for at in indices
    ]
    blocks: dict[Fraction, tuple[Fraction, Fraction]] = {}
    for fit, (pos, neg) in zip(fits, masses, strict=True):
        before = blocks.get(fit, (Fraction(), Fraction()))
        blocks[fit] = (before[0] + pos, before[1] + neg)
    return list(blocks.values())


def _squared(p: float, label: bool) -> Any:
    return (int(label) - Fraction(p)) ** 2


def _squared_of_rate(pos: Fraction, neg: Fraction) -> Any:
    return pos * neg / (pos + neg)


def _logarithmic(p: float, label: bool) -> Any:
    if label:
        return -math.log(p) if p > 0 else math.inf
    return -math.log1p(-p) if p < 1 else math.inf


def _logarithmic_of_rate(pos: Fraction, neg: Fraction) -> Any:
    return -sum(float(part) * math.log(part / (pos + neg)) for part in (pos, neg) if part)


def _mean_loss(
    rows: Sequence[WeightedRow],
    loss: Callable[[float, bool], Any],
    of_rate: Callable[[Fraction, Fraction], Any],
    derivative: Callable[[float], float],
    level: float,
    most: float,
) -> dict[str, Any]:
    group = Group(rows)
    names = ("value", "se", "lower", "upper", "skill", "skill_se")
    parts = ("miscalibration", "discrimination", "uncertainty")
    if group.has_nan:
        return dict.fromkeys((*names, *parts), math.nan)
    labelled = [(p, w, True) for p, w in group.pos] + [(p, w, False) for p, w in group.neg]
    n, total = len(labelled), group.p + group.n
    if not labelled:
        return dict.fromkeys((*names, *parts))
    losses = [(loss(p, label), w, label) for p, w, label in labelled]
    if any(value == math.inf for value, _, _ in losses):
        mean: Any = math.inf
    elif all(isinstance(value, Fraction) for value, _, _ in losses):
        mean = sum((w * value for value, w, _ in losses), Fraction()) / total
    else:
        mean = math.fsum(float(w) * value for value, w, _ in losses) / float(total)
    uncertainty = of_rate(group.p, group.n) / (total if isinstance(mean, Fraction) else float(total))
    fitted = sum(of_rate(pos, neg) for pos, neg in isotonic(group)) / (
        total if isinstance(mean, Fraction) else float(total)
    )
    answer: dict[str, Any] = dict.fromkeys(names)
    answer["value"] = float(mean)
    answer["miscalibration"] = Rounded(mean - fitted) if mean != math.inf else math.inf
    answer["discrimination"] = Rounded(max(0.0, uncertainty - fitted))
    answer["uncertainty"] = Rounded(uncertainty)
    if group.has_pairs:
        answer["skill"] = Rounded(1 - mean / uncertainty) if mean != math.inf else -math.inf
    if n < 2 or mean == math.inf:
        return answer
    factor = n / (n - 1)
    variance = factor * sum(float(w) ** 2 * float(value - mean) ** 2 for value, w, _ in losses)
    se = math.sqrt(variance) / float(total)
    margin = NormalDist().inv_cdf(0.5 + level / 2) * se
    answer["se"] = Rounded(se)
    answer["lower"] = Rounded(max(0.0, float(mean) - margin))
    answer["upper"] = Rounded(min(most, float(mean) + margin))
    if group.has_pairs:
        rate = float(group.p / total)
        by_loss, by_rate = -1 / float(uncertainty), float(mean) / float(uncertainty) ** 2 * derivative(rate)
        squares = sum(
            (float(w) * (by_loss * float(value - mean) + by_rate * (int(label) - rate))) ** 2
            for value, w, label in losses
        )
        answer["skill_se"] = Rounded(math.sqrt(factor * squares) / float(total))
    return answer


def brier_score(rows: Sequence[WeightedRow], *, level: float, weighted: bool) -> dict[str, Any]:
    del weighted
    mean = _mean_loss(rows, _squared, _squared_of_rate, lambda rate: 1 - 2 * rate, level, 1.0)
    return {"brier_score": mean.pop("value"), **mean, **Group(rows).counts}


def log_loss(rows: Sequence[WeightedRow], *, level: float, weighted: bool) -> dict[str, Any]:
    group = Group(rows)
    mean = _mean_loss(
        rows, _logarithmic, _logarithmic_of_rate, lambda rate: math.log((1 - rate) / rate), level, math.inf
    )
    wrong = [w for p, w in group.pos if p == 0] + [w for p, w in group.neg if p == 1]
    skill = mean["skill"]
    return {
        "log_loss": mean.pop("value"),
        "normalized_entropy": None if skill is None else Rounded(1 - skill),
        **mean,
        "n_infinite": group.mass(Fraction() if group.has_nan else sum(wrong, Fraction()), weighted=weighted),
        **group.counts,
    }


def _difference(
    rows: Sequence[Sequence[Any]], loss: Callable[[float, bool], Any], level: float, most: float
) -> dict[str, Any]:
    """Of rows of a label, two scores, and perhaps a weight."""
    used = [(row[0], row[1], row[2], Fraction(row[3]) if len(row) > 3 else Fraction(1)) for row in rows]
    used = [row for row in used if row[3]]
    counts = {"n_pos": sum(row[0] for row in used), "n_neg": sum(not row[0] for row in used)}
    answer: dict[str, Any] = dict.fromkeys(DIFFERENCE)
    if any(math.isnan(score) for row in used for score in row[1:3]):
        return {**dict.fromkeys(DIFFERENCE, math.nan), **counts}
    if not used:
        return {**answer, **counts}
    total = float(sum(row[3] for row in used))
    losses = [(float(loss(a, label)), float(loss(b, label)), float(w)) for label, a, b, w in used]
    a, b = (math.fsum(row[2] * row[of] for row in losses) / total for of in (0, 1))
    answer |= {"estimate_a": a, "estimate_b": b}
    if math.inf in (a, b):
        return {**answer, "difference": None if a == b else a - b, **counts}
    difference = math.fsum(w * (x - y) for x, y, w in losses) / total
    answer["difference"] = Rounded(difference)
    if (n := len(used)) > 1:
        squares = math.fsum((w * (x - y - difference)) ** 2 for x, y, w in losses)
        se = math.sqrt(squares * n / (n - 1)) / total
        margin = NormalDist().inv_cdf(0.5 + level / 2) * se
        answer |= {"se": Rounded(se), "lower": Rounded(max(-most, difference - margin))}
        answer["upper"] = Rounded(min(most, difference + margin))
        if se or not difference:
            z = difference / se if se else 0.0
            answer |= {"z": z, "p_value": math.erfc(abs(z) / math.sqrt(2))}
    return {**answer, **counts}


def brier_score_difference(rows: Sequence[Sequence[Any]], *, level: float) -> dict[str, Any]:
    return _difference(rows, _squared, level, 1.0)


def log_loss_difference(rows: Sequence[Sequence[Any]], *, level: float) -> dict[str, Any]:
    return _difference(rows, _logarithmic, level, math.inf)
