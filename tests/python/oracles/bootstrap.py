"""Bootstrap intervals as they are defined: resamples drawn row by row, and the definition asked of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from oracles.draws import resample
from oracles.scores import Rounded, Row, classes, has_nan


def quantile(values: Sequence[float], probability: float) -> float:
    """Type 7 of Hyndman and Fan; nothing is between infinity and another value."""
    place = probability * (len(values) - 1)
    below = math.floor(place)
    low, high = values[below], values[min(below + 1, len(values) - 1)]
    if low == high or place == below or math.isinf(low) or math.isinf(high):
        return low if place == below or math.isinf(low) else high
    return float(Fraction(low) + Fraction(place - below) * (Fraction(high) - Fraction(low)))


def deviation(values: Sequence[float]) -> Rounded | None:
    """The standard deviation, if floats can hold the sum of squares."""
    try:
        mean = sum(map(Fraction, values)) / len(values)
        return Rounded(
            math.sqrt(float(sum((Fraction(value) - mean) ** 2 for value in values)) / (len(values) - 1))
        )
    except OverflowError:
        return None


def bootstrap_ci(
    rows: Sequence[Row],
    of: Callable[[Sequence[Row]], Any],
    names: Sequence[str],
    *,
    level: float,
    n_resamples: int,
    seed: int,
    plain: bool = False,
) -> list[dict[str, Any]] | None:
    """Return the numbers of these names with their intervals; a number alone has one name."""

    def numbers(rows: Sequence[Row]) -> list[float | None]:
        answer = of(rows)
        return [answer[name] for name in names] if isinstance(answer, dict) else [answer]

    if has_nan(rows):
        return None
    pos, neg = classes(rows)
    drawn: list[list[float | None]] = []
    if len(pos) > 1 and len(neg) > 1:
        for replicate in range(n_resamples):
            some_pos, some_neg = resample(pos, neg, seed, replicate, plain=plain)
            drawn.append(numbers([(True, s) for s in some_pos] + [(False, s) for s in some_neg]))
    records = []
    for place, (name, estimate) in enumerate(zip(names, numbers(rows), strict=True)):
        values = sorted(float(each[place]) for each in drawn if each[place] is not None)  # type: ignore[arg-type]
        undefined: dict[str, Any] = {"se": None, "lower": None, "upper": None}
        if len(values) > 1:
            tail = (1 - level) / 2
            lower, upper = quantile(values, tail), quantile(values, 1 - tail)
            undefined = {
                "se": deviation(values),
                "lower": Rounded(lower),
                "upper": Rounded(upper),
            }
        n_undefined = sum(each[place] is None for each in drawn)
        records.append({"field": name, "estimate": estimate, **undefined, "n_undefined": n_undefined})
    return records
