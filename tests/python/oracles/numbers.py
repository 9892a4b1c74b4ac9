"""Numbers of one score, by definition."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from scipy.stats import kstwobign

from oracles.areas import area, u_statistic
from oracles.rows import Group, Rounded, Row, WeightedRow, classes, has_nan


def gini(rows: Sequence[Row]) -> float | None:
    pos, neg = classes(rows)
    if has_nan(rows):
        return math.nan
    return float(2 * u_statistic(rows) / (len(pos) * len(neg)) - 1) if pos and neg else None


def ks_statistic(rows: Sequence[Row], alternative: str = "two-sided", method: str = "auto") -> dict[str, Any]:
    pos, neg = classes(rows)
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    if not pos or not neg or has_nan(rows):
        nothing = math.nan if has_nan(rows) else None
        numbers = dict.fromkeys(("ks", "difference", "threshold", "p_value"), nothing)
        return {**numbers, "method": None, **counts}
    scores = sorted((score for _, score in rows), reverse=True)

    def farthest(of: Sequence[bool]) -> tuple[Fraction, Fraction, Any]:
        """Return the distance if these rows, in the order of their scores, are the positives."""
        best = (Fraction(-1), Fraction(0), None)
        for threshold in sorted(set(scores), reverse=True):
            reached = sum(score >= threshold for score in scores)
            tp = sum(of[:reached])
            difference = Fraction(tp, len(pos)) - Fraction(reached - tp, len(neg))
            distance = {"two-sided": abs(difference), "greater": difference, "less": -difference}[alternative]
            if max(distance, Fraction(0)) > best[0]:
                best = (max(distance, Fraction(0)), difference, threshold)
        return best

    labels = [label for label, _ in sorted(rows, key=lambda row: row[1], reverse=True)]
    ks, difference, threshold = farthest(labels)
    scale = math.sqrt(len(pos) * len(neg) / (len(pos) + len(neg)))
    p_value: Any = float(kstwobign.sf(scale * float(ks)))
    if alternative != "two-sided":
        p_value = math.exp(-2 * (scale * float(ks)) ** 2)
    if method != "asymptotic":
        ways = itertools.combinations(range(len(rows)), len(pos))
        # Enumerate all permutations if they are few; the tests of the package cover more.
        few = math.comb(len(rows), len(pos)) <= 1000
        dealt = [[place in way for place in range(len(rows))] for way in ways] if few else []
        reached = sum(farthest(of)[0] >= ks for of in dealt)
        p_value = float(Fraction(reached, len(dealt))) if few else ...
    answer = {"ks": float(ks), "difference": float(difference) if ks else 0.0, "threshold": threshold}
    return {
        **answer,
        "p_value": p_value,
        "method": "asymptotic" if method == "asymptotic" else "exact",
        **counts,
    }


def gini_index(rows: Sequence[tuple[float, float]], points: bool) -> dict[str, Any]:
    """Return the area in exact fractions, for rows of a target and a score."""
    names = ("gini", "normalized", "total")
    if any(value != value for row in rows for value in row):
        return {**dict.fromkeys(names, math.nan), "points": None, "n": len(rows)}
    exact = [(Fraction(target), score) for target, score in rows]
    total = sum((target for target, _ in exact), Fraction(0))
    answer: dict[str, Any] = {"gini": None, "normalized": None, "points": None, "n": len(rows)}
    answer["total"] = float(total) if rows else None
    if total <= 0:
        return answer

    def curve(by: Sequence[Any]) -> list[tuple[Any, Fraction, Fraction]]:
        found: list[tuple[Any, Fraction, Fraction]] = [(None, Fraction(0), Fraction(0))]
        for score in sorted(set(by), reverse=True):
            reached = [
                target for (target, _), score_value in zip(exact, by, strict=True) if score_value >= score
            ]
            found.append((score, Fraction(len(reached), len(rows)), sum(reached, Fraction(0)) / total))
        return found

    def index(by: Sequence[Any]) -> Fraction:
        steps = itertools.pairwise(curve(by))
        return sum(((x1 - x0) * (y0 + y1) for (_, x0, y0), (_, x1, y1) in steps), Fraction(0)) - 1

    scores = [score for _, score in exact]
    gini, perfect = index(scores), index([target for target, _ in exact])
    answer |= {"gini": Rounded(gini), "normalized": Rounded(gini / perfect) if perfect > 0 else None}
    if points:
        answer["points"] = [
            {"score": score, "population": float(x), "captured": Rounded(y)} for score, x, y in curve(scores)
        ]
    return answer


def weighted_gini(rows: Sequence[WeightedRow]) -> float | None:
    return area(rows, lambda area: 2 * area - 1)


def average_precision(rows: Sequence[WeightedRow]) -> float | None:
    group = Group(rows)
    if group.has_nan:
        return math.nan
    if not group.pos:
        return None
    precision = sum(
        (weight * group.reaching(s)[1] / sum(group.reaching(s)) for s, weight in group.pos), Fraction()
    )
    return float(precision / group.p)


def precision_recall_area(rows: Sequence[WeightedRow]) -> float | None:
    """Return the integral of precision over recall, with false positives linear in true positives."""
    group = Group(rows)
    if group.has_nan:
        return math.nan
    if not group.pos:
        return None
    tp = fp = Fraction()
    area = Decimal()
    # The terms cancel where a score has few of the rows.
    with localcontext() as context:
        context.prec = 60
        for score in sorted({score for score, _ in group.pos + group.neg}, reverse=True):
            pos, neg = (sum((w for s, w in of if s == score), Fraction()) for of in (group.pos, group.neg))
            if pos > 0:
                # tp / (tp + fp) is t / (slope t + offset), and its integral has a logarithm.
                slope = (pos + neg) / pos
                offset = tp + fp - slope * tp
                rest = _decimal((tp + pos + fp + neg) / (tp + fp)).ln() * _decimal(offset) if offset else 0
                area += (_decimal(pos) - rest / _decimal(slope)) / _decimal(slope)
            tp, fp = tp + pos, fp + neg
        return float(area / _decimal(group.p))


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def weighted_ks_statistic(rows: Sequence[WeightedRow]) -> dict[str, Any]:
    group = Group(rows)
    if group.has_nan or not group.has_pairs:
        nothing = math.nan if group.has_nan else None
        numbers = dict.fromkeys(("ks", "difference", "threshold", "p_value"), nothing)
        return {**numbers, "method": None, **group.counts}
    gaps = [(tp / group.p - fp / group.n, score) for score, fp, tp in group.points()[1:]]
    most = max(abs(gap) for gap, _ in gaps)
    threshold = max(score for gap, score in gaps if abs(gap) == most and score is not None)
    difference = next(gap for gap, score in gaps if score == threshold)
    answer = {"ks": float(most), "difference": float(difference), "threshold": threshold}
    return {**answer, "p_value": None, "method": None, **group.counts}


def mean_positive_rank(rows: Sequence[Row]) -> float | None:
    scores = [score for _, score in rows]
    if has_nan(rows):
        return math.nan
    ranks = [
        Fraction(sum(other < score for other in scores) + sum(other <= score for other in scores) + 1, 2)
        for label, score in rows
        if label
    ]
    return float(sum(ranks, Fraction(0)) / len(ranks)) if ranks else None
