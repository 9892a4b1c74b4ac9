"""Shared helpers of the oracles: rows of two classes, with and without weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeAlias

Row = tuple[bool, Any]
MAYBE: Final = object()
"""A placeholder for any number or None."""


class Rounded(float):
    """Differences of rounded numbers of order 1: accurate to 1e-12, also near 0."""

    tolerance = 1e-12


class Iterated(Rounded):
    """Iterative maxima and incomplete beta functions: accurate to 1e-9."""

    tolerance = 1e-9


def concordance(pos: Any, neg: Any, tie: Fraction = Fraction(1, 2)) -> Fraction:
    """Return the concordance of a positive and a negative: 1, 1/2 for a tie, or 0."""
    return Fraction(1 if pos > neg else 0) if pos != neg else tie


def classes(rows: Sequence[Row]) -> tuple[list[Any], list[Any]]:
    return [score for label, score in rows if label], [score for label, score in rows if not label]


def has_nan(rows: Sequence[Row]) -> bool:
    return any(score != score for _, score in rows)


def normal_tail(z: float) -> float:
    return 0.5 * math.erfc(z / math.sqrt(2))


def p_value(statistic: float, alternative: str, upper_tail: Callable[[float], float]) -> float:
    """Return the p-value of a statistic with a distribution symmetric around 0."""
    if alternative == "two-sided":
        return min(1.0, 2 * upper_tail(abs(statistic)))
    return upper_tail(statistic if alternative == "greater" else -statistic)


class Question(NamedTuple):
    """The hypothesis: the alternative, the null value, and the margin."""

    alternative: str = "two-sided"
    null: float | None = None
    margin: float | None = None


PLAIN: Final = Question()
"""Return whether the statistic is 0 on either side."""


def decided(
    estimate: Any,
    se: float,
    usual: Any,
    test: Question,
    tail: Callable[[float], float] | None = None,
    scale: Callable[[Any], float] = float,
) -> dict[str, float | None]:
    """Return the distance of an estimate from the decisive value, in standard errors, and the p-value."""
    tail = tail or normal_tail
    null = usual if test.null is None else test.null

    def distance(value: Any) -> float | None:
        away = scale(estimate) - scale(value)
        return away / se if se > 0 else 0.0 if away == 0 else None

    if test.margin is None:
        z = distance(null)
        return {"z": z, "p_value": None if z is None else p_value(z, test.alternative, tail)}
    lower, upper = distance(float(null) - test.margin), distance(float(null) + test.margin)
    if test.alternative == "less":
        return {"z": upper, "p_value": None if upper is None else tail(-upper)}
    z = lower
    if test.alternative == "two-sided":
        z = None if lower is None or upper is None else min(lower, -upper)
    return {"z": z, "p_value": None if z is None else tail(z)}


def logit(rate: float) -> float:
    held = min(max(rate, 0.0), 1.0)
    return math.log(held / (1 - held)) if 0 < held < 1 else math.copysign(math.inf, held - 0.5)


def hanley_mcneil(auc: float, n_pos: float, n_neg: float) -> float:
    a, p, n = Fraction(auc), Fraction(n_pos), Fraction(n_neg)
    q1, q2 = a / (2 - a), 2 * a * a / (1 + a)
    variance = a * (1 - a) + (p - 1) * (q1 - a * a) + (n - 1) * (q2 - a * a)
    return math.sqrt(max(variance / (p * n), Fraction(0)))


def logit_limits(
    estimate: float, se: float, errors: float, n_pos: float, n_neg: float
) -> tuple[dict[str, float], float, float]:
    """Return the limits, the number for the logit, and the standard error of the logit.

    For 0 or 1, the number is computed with half a row of the rarer class ranked wrongly.
    """
    center, spread = estimate, se
    if estimate in (0, 1):
        center = abs(estimate - 0.5 / min(n_pos, n_neg))
        spread = hanley_mcneil(center, n_pos, n_neg)
    spread /= center * (1 - center)
    odds = math.log(center / (1 - center))
    limits = {
        "lower": 0.0 if estimate == 0 else 1 / (1 + math.exp(errors * spread - odds)),
        "upper": 1.0 if estimate == 1 else 1 / (1 + math.exp(-odds - errors * spread)),
    }
    return limits, center, spread


def placements(rows: Sequence[Row], tie: Fraction = Fraction(1, 2)) -> tuple[list[Fraction], list[Fraction]]:
    """Return the share of negatives below each positive, and the share of positives above each negative."""
    pos, neg = classes(rows)
    pos_placements = [sum((concordance(p, n, tie) for n in neg), Fraction(0)) / len(neg) for p in pos]
    neg_placements = [sum((concordance(p, n, tie) for p in pos), Fraction(0)) / len(pos) for n in neg]
    return pos_placements, neg_placements


def is_defined(value: Any) -> bool:
    return value is not None and not math.isnan(value)


def _covariance(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    """Return the sum of products of deviations."""
    mean_a, mean_b = sum(a, Fraction(0)) / len(a), sum(b, Fraction(0)) / len(b)
    return sum(((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True)), Fraction(0))


def covariances(rows: Sequence[Any], scores: int) -> list[list[Fraction]]:
    """Return DeLong's covariance, for rows (label, score, score, ...)."""
    of = [placements([(row[0], row[1 + k]) for row in rows]) for k in range(scores)]
    m, n = len(of[0][0]), len(of[0][1])

    def covariance(a: int, b: int) -> Fraction:
        pos_covariance, neg_covariance = _covariance(of[a][0], of[b][0]), _covariance(of[a][1], of[b][1])
        return pos_covariance / (m * (m - 1)) + neg_covariance / (n * (n - 1))

    return [[covariance(a, b) for b in range(scores)] for a in range(scores)]


def clustered_covariances(rows: Sequence[Any], scores: int) -> list[list[Fraction]] | None:
    """Return Obuchowski's covariance, for rows (label, score, ..., cluster)."""
    pos_rows, neg_rows = [row for row in rows if row[0]], [row for row in rows if not row[0]]
    m, n = len(pos_rows), len(neg_rows)
    clusters = sorted({row[-1] for row in rows})
    with_pos, with_neg = len({row[-1] for row in pos_rows}), len({row[-1] for row in neg_rows})
    if with_pos < 2 or with_neg < 2:
        return None
    residuals = []
    for k in range(scores):
        pos_placements, neg_placements = placements([(row[0], row[1 + k]) for row in rows])
        auc = sum(pos_placements, Fraction(0)) / m
        sums = []
        for cluster in clusters:
            pos_deviations = [
                v - auc for v, row in zip(pos_placements, pos_rows, strict=True) if row[-1] == cluster
            ]
            neg_deviations = [
                v - auc for v, row in zip(neg_placements, neg_rows, strict=True) if row[-1] == cluster
            ]
            sums.append((sum(pos_deviations, Fraction(0)), sum(neg_deviations, Fraction(0))))
        residuals.append(sums)

    def covariance(a: int, b: int) -> Fraction:
        pairs = list(zip(residuals[a], residuals[b], strict=True))
        s10 = Fraction(with_pos, with_pos - 1) * sum(x[0] * y[0] for x, y in pairs)
        s01 = Fraction(with_neg, with_neg - 1) * sum(x[1] * y[1] for x, y in pairs)
        across = Fraction(len(clusters), len(clusters) - 1) * sum(x[0] * y[1] + x[1] * y[0] for x, y in pairs)
        return s10 / m**2 + s01 / n**2 + across / (m * n)

    return [[covariance(a, b) for b in range(scores)] for a in range(scores)]


DIFFERENCE = ("estimate_a", "estimate_b", "difference", "se", "lower", "upper", "z", "p_value")


def sample_variance(values: Sequence[Fraction]) -> Fraction:
    mean = sum(values, Fraction(0)) / len(values)
    return sum(((value - mean) ** 2 for value in values), Fraction(0)) / (len(values) - 1)


WeightedRow: TypeAlias = Sequence[Any]
Point: TypeAlias = tuple[float | None, Fraction, Fraction]
"""A threshold, with the weights of negatives and of positives at or above it."""

SCORE = 1


class Group:
    """Return the rows that count: (label, score) or (label, score, weight)."""

    def __init__(self, rows: Sequence[WeightedRow]) -> None:
        weights = [Fraction(row[2]) if len(row) > 2 else Fraction(1) for row in rows]
        self.weighted = any(len(row) > 2 for row in rows)
        used = [(row[0], row[SCORE], weight) for row, weight in zip(rows, weights, strict=True) if weight]
        self.pos = [(score, weight) for label, score, weight in used if label]
        self.neg = [(score, weight) for label, score, weight in used if not label]
        self.has_nan = any(math.isnan(score) for _, score, _ in used)
        self.counts = {"n_pos": len(self.pos), "n_neg": len(self.neg)}
        self.p = sum((weight for _, weight in self.pos), Fraction())
        self.n = sum((weight for _, weight in self.neg), Fraction())

    @property
    def has_pairs(self) -> bool:
        return bool(self.pos and self.neg)

    def reaching(self, threshold: float) -> tuple[Fraction, Fraction]:
        """Return the weights of the negatives and positives with this score or a higher one."""
        fp = sum((weight for score, weight in self.neg if score >= threshold), Fraction())
        tp = sum((weight for score, weight in self.pos if score >= threshold), Fraction())
        return fp, tp

    def points(self) -> list[Point]:
        """Return the curve from (0, 0)."""
        scores = sorted({score + 0.0 for score, _ in self.pos + self.neg}, reverse=True)
        return [(None, Fraction(), Fraction()), *((score, *self.reaching(score)) for score in scores)]

    def mass(self, weight: Fraction, *, weighted: bool) -> float | int:
        return float(weight) if weighted else int(weight)


def share(part: Fraction, whole: Fraction) -> float | None:
    return float(part / whole) if whole else None
