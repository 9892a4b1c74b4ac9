"""Areas under the ROC curve, whole and within bounds: all pairs, and exact fractions."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Literal

from oracles.rows import Group, Rounded, Row, WeightedRow, classes, concordance, has_nan


def u_statistic(rows: Sequence[Row]) -> Fraction:
    pos, neg = classes(rows)
    return sum((concordance(p, n) for p in pos for n in neg), Fraction(0))


def roc_auc(rows: Sequence[Row]) -> float | None:
    pos, neg = classes(rows)
    if has_nan(rows):
        return math.nan
    return float(u_statistic(rows) / (len(pos) * len(neg))) if pos and neg else None


def exact_auc(rows: Sequence[Row]) -> Fraction:
    pos, neg = classes(rows)
    return u_statistic(rows) / (len(pos) * len(neg))


def weighted_roc_auc(rows: Sequence[WeightedRow]) -> float | None:
    return area(rows, lambda area: area)


def area(rows: Sequence[WeightedRow], of: Callable[[Fraction], Fraction]) -> float | None:
    """Return a function of the exact area."""
    group = Group(rows)
    if group.has_nan:
        return math.nan
    u = sum(
        (
            p[1] * n[1] * (Fraction(p[0] > n[0]) + Fraction(p[0] == n[0]) / 2)
            for p in group.pos
            for n in group.neg
        ),
        Fraction(),
    )
    pairs = group.p * group.n
    return float(of(u / pairs)) if pairs else None


def partial_area(
    rows: Sequence[WeightedRow],
    *,
    fpr: tuple[Fraction, Fraction] = (Fraction(0), Fraction(1)),
    min_tpr: Fraction = Fraction(0),
    swapped: bool = False,
    standardized: bool | str = False,
) -> float | None:
    """Return the area below the curve, above ``min_tpr``, between two fprs; or with swapped axes."""
    group = Group(rows)
    if group.has_nan:
        return math.nan
    if not group.has_pairs:
        return None
    curve = [(fp / group.n, tp / group.p) for _, fp, tp in group.points()]
    if swapped:
        curve = [(y, 1 - x) for x, y in curve]
    area = Fraction()
    for (x0, y0), (x1, y1) in itertools.pairwise(curve):
        if x0 == x1:
            continue
        cuts = {x0, x1, *(x for x in fpr if x0 < x < x1)}
        if y0 != y1:
            crossing = x0 + (min_tpr - y0) * (x1 - x0) / (y1 - y0)
            cuts |= {crossing} if x0 < crossing < x1 else set()
        height = [(x, max(y0 + (y1 - y0) * (x - x0) / (x1 - x0) - min_tpr, Fraction())) for x in sorted(cuts)]
        for (a, ya), (b, yb) in itertools.pairwise(height):
            if fpr[0] <= a and b <= fpr[1]:
                area += (b - a) * (ya + yb) / 2
    if not standardized:
        return float(area)
    low, high = fpr
    diagonal = (high - low) * ((2 - high - low) if swapped else (high + low)) / 2
    if area < diagonal and standardized != "always":
        return None
    return Rounded((1 + (area - diagonal) / (high - low - diagonal)) / 2)


Bounds = tuple[Literal["fpr", "tpr"], Fraction, Fraction]


def placements_within(rows: Sequence[tuple[bool, Any]], bounds: Bounds) -> list[Fraction]:
    """Return the placement of each row; outside the bounds it is the placement of the nearest bound.

    A tie is a straight segment of the curve, with its rows spread evenly. Over fpr, a negative's placement is
    the height of the curve at its fpr, and a positive's placement is its fpr. Over tpr, classes and axes are
    exchanged.
    """
    axis, low, high = bounds
    bounded = [score for label, score in rows if label == (axis == "tpr")]
    others = [score for label, score in rows if label != (axis == "tpr")]

    def piece(score: Any) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        x = [Fraction(sum(other > score for other in bounded), len(bounded))]
        x.append(x[0] + Fraction(bounded.count(score), len(bounded)))
        y = [Fraction(sum(other > score for other in others), len(others))]
        y.append(y[0] + Fraction(others.count(score), len(others)))
        return x[0], x[1], y[0], y[1]

    pieces = [piece(score) for score in set(bounded) | set(others)]

    def on(piece: tuple[Fraction, ...], x: Fraction) -> Fraction:
        x0, x1, y0, y1 = piece
        return y0 + (y1 - y0) * (x - x0) / (x1 - x0)

    at_low = next((on(it, low) for it in pieces if it[0] <= low < it[1]), Fraction(0))
    at_high = next((on(it, high) for it in pieces if it[0] < high <= it[1]), Fraction(0))

    def of(label: bool, score: Any) -> Fraction:
        x0, x1, y0, y1 = it = piece(score)
        is_bounded = label == (axis == "tpr")
        if x1 <= low:
            return at_low if is_bounded else low
        if x0 >= high:
            return at_high if is_bounded else high
        if x0 == x1:
            return (y0 + y1) / 2 if is_bounded else x0
        left, right = max(x0, low), min(x1, high)
        parts = ((left - x0, left), (right - left, (left + right) / 2), (x1 - right, right))
        mean = sum((width * x for width, x in parts), Fraction(0)) / (x1 - x0)
        return on(it, mean) if is_bounded else mean

    return [of(label, score) for label, score in rows]


def area_within(rows: Sequence[tuple[bool, Any]], bounds: Bounds) -> Fraction:
    """Return the mean weight of the rows of the class without bounds."""
    axis, low, high = bounds
    found = zip(placements_within(rows, bounds), rows, strict=True)
    lengths = [
        placement - low if axis == "tpr" else high - placement
        for placement, (label, _) in found
        if label != (axis == "tpr")
    ]
    return sum(lengths, Fraction(0)) / len(lengths)


def pseudovalues_within(
    rows: Sequence[tuple[bool, Any]], bounds: Bounds
) -> tuple[Sequence[bool], Sequence[Fraction]]:
    """Return labels and the influence of each row: the change of the area without the row.

    Their variance is the jackknife variance.
    """

    @functools.cache
    def without(label: bool, score: Any) -> Fraction:
        rest = list(rows)
        rest.remove((label, score))
        n = sum(other == label for other, _ in rows)
        return (1 - n) * area_within(rest, bounds)

    return [label for label, _ in rows], [without(label, score) for label, score in rows]


def _variance(values: Sequence[Fraction]) -> Fraction:
    mean = sum(values, Fraction(0)) / len(values)
    return sum(((value - mean) ** 2 for value in values), Fraction(0)) / (len(values) - 1) / len(values)


def variances_within(labels: Sequence[bool], values: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """Return the variances of the mean placements of positives and of negatives."""
    both = zip(labels, values, strict=True)
    by_class: dict[bool, list[Fraction]] = {True: [], False: []}
    for label, value in both:
        by_class[label].append(value)
    return _variance(by_class[True]), _variance(by_class[False])
