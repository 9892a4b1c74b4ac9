"""The interval of a partial area: placements within the bounds, in exact fractions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

from oracles.scores import DIFFERENCE, Question, Rounded, classes, decided, has_nan

Bounds = tuple[Literal["fpr", "tpr"], Fraction, Fraction]


def placements(rows: Sequence[tuple[bool, Any]], bounds: Bounds) -> list[Fraction]:
    """Return each row's placement, of a row outside the bounds that of the next bound.

    A tie is a straight piece of the curve with its rows spread evenly along it. Over fpr a negative has the
    height of the curve at its own fpr, and a positive its fpr; over tpr the classes and axes are exchanged.
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


def area(rows: Sequence[tuple[bool, Any]], bounds: Bounds) -> Fraction:
    """The mean length that a row of the class without bounds counts for."""
    axis, low, high = bounds
    found = zip(placements(rows, bounds), rows, strict=True)
    lengths = [
        placement - low if axis == "tpr" else high - placement
        for placement, (label, _) in found
        if label != (axis == "tpr")
    ]
    return sum(lengths, Fraction(0)) / len(lengths)


def _variance(values: Sequence[Fraction]) -> Fraction:
    mean = sum(values, Fraction(0)) / len(values)
    return sum(((value - mean) ** 2 for value in values), Fraction(0)) / (len(values) - 1) / len(values)


def variance(labels: Sequence[bool], values: Sequence[Fraction]) -> Fraction:
    """The sum of the variances of both classes' mean placements."""
    both = zip(labels, values, strict=True)
    of_class: dict[bool, list[Fraction]] = {True: [], False: []}
    for label, value in both:
        of_class[label].append(value)
    return _variance(of_class[True]) + _variance(of_class[False])


def roc_auc_ci(
    rows: Sequence[tuple[bool, Any]], bounds: Bounds, z: float, *, standardized: bool | str, test: Question
) -> dict[str, Any]:
    pos, neg = classes(rows)
    names = ("auc", "se", "lower", "upper", "z", "p_value")
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    if has_nan(rows):
        return {**dict.fromkeys(names, math.nan), **counts}
    none: dict[str, Any] = {**dict.fromkeys(names), **counts}
    if not pos or not neg:
        return none
    axis, low, high = bounds
    full = high - low
    diagonal = full * ((high + low) if axis == "fpr" else (2 - high - low)) / 2
    exact = area(rows, bounds)
    unit = 1 / (full - diagonal) / 2 if standardized else Fraction(1)
    if standardized is True and exact < diagonal:
        return none
    auc = Fraction(1, 2) + (exact - diagonal) * unit if standardized else exact
    if len(pos) < 2 or len(neg) < 2:
        return {**none, "auc": Rounded(auc)}
    se = float(unit) * math.sqrt(variance([label for label, _ in rows], placements(rows, bounds)))
    usual, most = (Fraction(1, 2), 1.0) if standardized else (diagonal, float(full))
    least = float(usual - unit * diagonal) if standardized == "always" else 0.0
    limits = {"lower": max(least, float(auc) - z * se), "upper": min(most, float(auc) + z * se)}
    # Below the diagonal, standardized numbers may be near 0, or the same as the least one.
    close = {"auc": Rounded(auc), **{name: Rounded(limit) for name, limit in limits.items()}}
    return {**close, "se": se, **decided(auc, se, usual, test), **counts}


def roc_auc_difference(rows: Sequence[Any], bounds: Bounds, z: float, test: Question) -> dict[str, Any]:
    pairs = [[(row[0], row[1 + k]) for row in rows] for k in range(2)]
    pos, neg = classes(pairs[0])
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    if any(has_nan(one) for one in pairs):
        return {**dict.fromkeys(DIFFERENCE, math.nan), **counts}
    none: dict[str, Any] = {**dict.fromkeys(DIFFERENCE), **counts}
    if not pos or not neg:
        return none
    a, b = (area(one, bounds) for one in pairs)
    estimates = {"estimate_a": float(a), "estimate_b": float(b), "difference": float(a - b)}
    if len(pos) < 2 or len(neg) < 2:
        return none | estimates
    differences = [x - y for x, y in zip(*(placements(one, bounds) for one in pairs), strict=True)]
    se = math.sqrt(variance([row[0] for row in rows], differences))
    limits = {"lower": float(a - b) - z * se, "upper": float(a - b) + z * se}
    return {**estimates, "se": se, **limits, **decided(a - b, se, Fraction(0), test), **counts}
