"""Tests of periods: likelihood-ratio mixtures by numerical integration, and all change points one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import lambertw

from oracles.rows import Question

Period = tuple[float | None, float | None, float | None]


class Part(NamedTuple):
    """The sums of weights, of weighted estimates, and of their variances."""

    weights: float
    estimates: float
    variance: float

    @property
    def mean(self) -> float:
        return self.estimates / self.weights

    def above(self, value: float) -> float:
        return self.estimates - self.weights * value


def part(periods: Sequence[Period]) -> Part:
    auc, se, weight = np.array(periods, dtype=float).T
    return Part(weight.sum(), (weight * auc).sum(), ((weight * se) ** 2).sum())


def usable(period: Period) -> bool:
    return None not in period and period[2] != 0


def scale_of(variance: float, alpha: float) -> float:
    """Return the variance with the tightest interval, ``-W(-alpha² / e) - 1`` (Waudby-Smith et al. 2024)."""
    return variance / float(-lambertw(-(alpha**2) / math.e, -1).real - 1)


def evidence(above: float, variance: float, scale: float, sides: int = 2) -> float:
    """Return the mean of ``exp(effect above - effect² variance / 2)`` over normal effects.

    The effects have variance ``1 / scale``. A one-sided mixture uses half of them.
    """
    total = scale + variance
    peak, spread = above / total, 1 / math.sqrt(total)
    low, high = peak - 12 * spread, peak + 12 * spread
    if sides == 1:
        low, high = max(low, 0.0), max(high, 12 * spread)

    nearest = min(max(peak, low), high)
    highest = nearest * above - nearest**2 * total / 2

    def share(effect: float) -> float:
        """Return the density at an effect, scaled by the highest exponent to avoid overflow."""
        exponent = effect * above - effect**2 * total / 2
        return math.sqrt(scale / (2 * math.pi)) * math.exp(exponent - highest)

    mean, _ = quad(share, low, high, points=[peak], epsrel=1e-11, limit=200)
    with np.errstate(over="ignore"):
        return float(np.exp(highest + np.log(mean)) * (2 if sides == 1 else 1))


def for_alternative(now: Part, scale: float, test: Question) -> float:
    null, margin = 0.5 if test.null is None else test.null, test.margin or 0.0
    higher = evidence(now.above(null - margin), now.variance, scale, 1)
    lower = evidence(-now.above(null + margin), now.variance, scale, 1)
    if test.alternative == "two-sided":
        both = evidence(now.above(null), now.variance, scale)
        return both if test.margin is None else min(higher, lower)
    return higher if test.alternative == "greater" else lower


def always_valid(
    periods: Sequence[Period], *, test: Question, level: float, tightest_at: float
) -> list[dict[str, float | None]]:
    answers: list[dict[str, float | None]] = []
    largest = 0.0
    for end in range(1, len(periods) + 1):
        used = [period for period in periods[:end] if usable(period)]
        if not usable(periods[end - 1]) and answers:
            answers.append(answers[-1])
            continue
        answer: dict[str, float | None] = dict.fromkeys(("estimate", "e_value", "p_value"))
        if used:
            now = part(used)
            answer["estimate"] = now.mean
        variances = [part([period]).variance for period in used]
        if any(variances):
            first = next(filter(None, variances))
            e_value = for_alternative(now, scale_of(tightest_at * first, 1 - level), test)
            largest = max(largest, e_value)
            answer |= {"e_value": e_value, "p_value": min(1.0, 1 / largest)}
        answers.append(answer)
    return answers


def change_p_value(before: Part, after: Part, difference: float, scales: tuple[float, float]) -> float:
    """Return the least evidence against both means, if the second exceeds the first by a difference."""

    def both(mean: float) -> float:
        means = (before, mean, scales[0]), (after, mean + difference, scales[1])
        return sum(math.log(evidence(one.above(value), one.variance, scale)) for one, value, scale in means)

    ends = sorted((before.mean, after.mean - difference))
    least = minimize_scalar(both, bounds=(ends[0] - 1e-9, ends[1] + 1e-9), options={"xatol": 1e-12})
    return math.exp(least.fun)


def share(beginning: int) -> float:
    """Return the weight of a change point, counted from 1."""
    return math.log(2) * (1 / math.log(beginning + 1) - 1 / math.log(beginning + 2))


class Change(NamedTuple):
    """A change point with its weight and its evidence."""

    e_value: float
    since: int
    weight: float
    before: Part
    after: Part
    scales: tuple[float, float]


def changes(periods: Sequence[Period], *, baseline: int, level: float, tightest_at: float) -> list[Change]:
    """Return the largest weighted evidence at each period after the baseline; all periods are usable."""
    per_period = part(periods[:baseline]).variance / baseline
    answers = []
    for end in range(baseline + 1, len(periods) + 1):
        candidates = []
        for since in range(baseline, end):
            before, after = part(periods[:since]), part(periods[since:end])
            scales = scale_of(before.variance, 1 - level), scale_of(tightest_at * per_period, 1 - level)
            weight = share(since - baseline + 1)
            e_value = weight * change_p_value(before, after, 0.0, scales)
            candidates.append(Change(e_value, since, weight, before, after, scales))
        answers.append(max(candidates))
    return answers


def with_floor(periods: Sequence[Period], classes: Sequence[tuple[int, int]]) -> list[Period]:
    """Return periods with the standard errors for few positives.

    R is the number of rows of the rarer class in the periods so far. A variance v counts R rows. The larger
    of v and the variance of the exponential model at the pooled area counts 300.
    """
    answers: list[Period] = []
    for end in range(1, len(periods) + 1):
        auc, se, weight = periods[end - 1]
        if auc is None or se is None or not weight:
            answers.append(periods[end - 1])
            continue
        sizes = [(min(classes[row]), period[0]) for row, period in enumerate(periods[:end]) if usable(period)]
        rarer = sum(size for size, _ in sizes)
        area = (sum(size * (auc or 0) for size, auc in sizes) + 0.5) / (rarer + 1)
        larger = max(area, 1 - area)
        n_pos, n_neg = classes[end - 1]
        shared = (n_pos - 1 + n_neg - 1) * larger / (1 + larger)
        model = area * (1 - area) * (1 + shared) / (n_pos * n_neg)
        variance = (rarer * se**2 + 300 * max(se**2, model)) / (rarer + 300)
        answers.append((auc, math.sqrt(variance), weight))
    return answers
