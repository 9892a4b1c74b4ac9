"""Limits and tests with the variance of an area under the tested area."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from scipy.optimize import brentq
from scipy.stats import chi2
from scipy.stats import t as student_t

from oracles.rows import PLAIN, Question, decided

Sizes: TypeAlias = tuple[float, float]
"""The numbers of positives and negatives."""


def effective(weights: Sequence[Any]) -> float:
    """Return Kish's effective number of rows."""
    total = float(sum(weights))
    return total * total / float(sum(weight * weight for weight in weights))


def model_variance(area: float, rows: Sizes) -> float:
    """Return Hanley and McNeil's variance: larger term for the rarer class, mean term for the other."""
    rarer, other = sorted(rows)
    q1, q2 = sorted((area / (2 - area) - area**2, 2 * area**2 / (1 + area) - area**2))
    return (area * (1 - area) + (other - 1) * q2 + (rarer - 1) * (q1 + q2) / 2) / (rarer * other)


class Wilson:
    """An area with its standard error, its number of rows, and its number of independent units."""

    def __init__(self, auc: float, se: float, rows: Sizes, units: Sizes | None = None) -> None:
        self.auc, self.sizes, self.units = auc, rows, units or rows
        self.rows = self.units if auc in (0, 1) else rows
        self.df = min(self.units) + 2
        p, n = self.units
        weight = 4 * auc * (1 - auc) * p * n / (p + n)
        if auc in (0, 1):
            self.ratio = 1.0
        else:
            ratio = se**2 / model_variance(auc, self.rows)
            self.ratio = max(ratio, (weight * ratio + 3) / (weight + 3))

    def variance(self, area: float) -> float:
        return self.ratio * model_variance(area, self.rows)

    def limits(self, level: float) -> dict[str, float]:
        return self.limits_at(float(student_t.isf((1 - level) / 2, self.df)))

    def limits_at(self, t: float) -> dict[str, float]:
        """Return the areas at this number of their standard errors."""

        def beyond(area: float) -> float:
            return (self.auc - area) ** 2 - t * t * self.variance(area)

        def limit(end: float) -> float:
            if self.auc == end:
                return end
            # At an area of 1 or 0 both sides are 0; the limit is the other root.
            near = self.auc + (end - self.auc) * (1e-12 if self.auc in (0, 1) else 0)
            if beyond(near) > 0:
                # Small quantiles converge faster.
                return near
            # Limits near 0 are also compared relatively.
            return float(brentq(beyond, end, near, xtol=1e-300, maxiter=1000))

        return {"lower": limit(0.0), "upper": limit(1.0)}

    def test(self, test: Question = PLAIN) -> dict[str, float | None]:
        def tail(statistic: float) -> float:
            return float(student_t.sf(statistic, self.df))

        def above(value: float) -> float:
            away = self.auc - value
            if away == 0:
                return 0.0
            # An area outside of 0 to 1 is impossible.
            spread = self.variance(min(max(value, 0.0), 1.0))
            return away / math.sqrt(spread) if spread > 0 else math.copysign(math.inf, away)

        # `decided` subtracts scales: with the estimate at 0, the distance from a value is the distance of
        # `above`.
        null = 0.5 if test.null is None else test.null
        return decided(
            None, 1.0, null, test, tail, scale=lambda value: 0.0 if value is None else -above(float(value))
        )


class Difference:
    """Return the difference of two areas with this correlation, by their limits (Zou 2007).

    With a correlation, a limit is at least t standard errors away, with the variances at the mean area.
    """

    def __init__(self, first: Wilson, second: Wilson, correlation: float = 0.0) -> None:
        self.first, self.second, self.value = first, second, first.auc - second.auc
        self.correlation = correlation

        def scale(of: Wilson, area: float) -> float:
            """Return the variance over ``area (1 - area)``."""
            near = min(max(area, 1e-9), 1 - 1e-9)
            return of.variance(near) / (near * (1 - near))

        weights = [1 / scale(of, 0.5) for of in (first, second)]
        mean = (weights[0] * first.auc + weights[1] * second.auc) / sum(weights)
        v, w = scale(first, mean), scale(second, mean)
        self.df = (v + w) ** 2 / (v * v / first.df + w * w / second.df)
        both = v + w - 2 * correlation * math.sqrt(v * w)
        self.least = math.sqrt(max(0.0, mean * (1 - mean) * both)) if correlation != 0 else 0.0

    def limits_at(self, t: float) -> tuple[float, float]:
        first, second = self.first.limits_at(t), self.second.limits_at(t)
        below = self.distance(self.first.auc - first["lower"], second["upper"] - self.second.auc)
        beyond = self.distance(first["upper"] - self.first.auc, self.second.auc - second["lower"])
        return self.value - max(below, t * self.least), self.value + max(beyond, t * self.least)

    def distance(self, a: float, b: float) -> float:
        """Return the distance from the difference to its limit, by the distances of both areas."""
        return math.sqrt(max(0.0, a * a + b * b - 2 * self.correlation * a * b))

    def limits(self, level: float) -> tuple[float, float]:
        lower, upper = self.limits_at(float(student_t.isf((1 - level) / 2, self.df)))
        return max(lower, -1.0), min(upper, 1.0)

    def statistic(self) -> float:
        """Return the distance from 0, as a quantile of Student's t."""
        if self.value == 0:
            return 0.0
        side = 0 if self.value > 0 else 1
        most = 1.0
        while self.limits_at(most)[side] * self.value > 0 and most < 1e6:
            most *= 1.5
        statistic = brentq(lambda t: self.limits_at(t)[side], 1e-12, most, xtol=1e-13)
        return math.copysign(float(statistic), self.value)


def heterogeneity(areas: Sequence[Wilson | None]) -> dict[str, float | None]:
    """Return Cochran's Q of independent areas, with the variances under the mean as the true area.

    The weights of the mean are by the variances under one half.
    """
    used = [area for area in areas if area is not None]
    names = ("heterogeneity", "heterogeneity_df", "heterogeneity_p_value")
    if len(used) < 2:
        return dict.fromkeys(names)

    def mean(variances: list[float]) -> float:
        pairs = list(zip(used, variances, strict=True))
        return math.fsum(area.auc / v for area, v in pairs) / math.fsum(1 / v for _, v in pairs)

    df = len(used) - 1
    if len({area.auc for area in used}) == 1:
        # All areas may be 0 or 1, with zero variances.
        return dict(zip(names, (0.0, df, 1.0), strict=True))
    tested = mean([area.variance(0.5) for area in used])
    variances = [area.variance(tested) for area in used]
    center = mean(variances)
    q = math.fsum((area.auc - center) ** 2 / v for area, v in zip(used, variances, strict=True))
    return dict(zip(names, (q, df, float(chi2.sf(q, df))), strict=True))
