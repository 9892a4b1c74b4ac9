"""The concordance index: every pair of rows, with weights in exact fractions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Row = tuple[float, bool, float]
"""Time, event and score."""


def is_earlier(a: Row, b: Row) -> bool:
    """Say whether a row had the event, and the other is later for certain."""
    return a[1] and (a[0] < b[0] or (a[0] == b[0] and not b[1]))


def uncensored(rows: Sequence[Row], time: float) -> Fraction:
    """The probability of not being censored before a time, by Kaplan and Meier's product."""
    product = Fraction(1)
    for before in sorted({row[0] for row in rows if row[0] < time}):
        at_risk = sum(row[0] > before or (row[0] == before and not row[1]) for row in rows)
        censored = sum(row[0] == before and not row[1] for row in rows)
        if censored:
            product *= 1 - Fraction(censored, at_risk)
    return product


def concordance_index(rows: Sequence[Row], method: str, z: float, tau: float | None = None) -> dict[str, Any]:
    counts = {"n_events": sum(event for _, event, _ in rows), "n": len(rows)}
    names, pair_names = ("concordance", "se", "lower", "upper"), ("concordant", "discordant", "tied")
    if any(math.isnan(time) or math.isnan(score) for time, _, score in rows):
        return {**dict.fromkeys(names, math.nan), **dict.fromkeys(pair_names, 0), **counts}
    pairs = dict.fromkeys(pair_names, 0)
    concordant = [Fraction(0)] * len(rows)
    weight = [Fraction(0)] * len(rows)
    for first, a in enumerate(rows):
        of_pair = 1 / uncensored(rows, a[0]) ** 2 if method == "uno" and a[1] else Fraction(1)
        if tau is not None and not a[0] < tau:
            continue
        for second, b in enumerate(rows):
            if is_earlier(a, b):
                pairs["concordant" if a[2] > b[2] else "tied" if a[2] == b[2] else "discordant"] += 1
                for row in (first, second):
                    concordant[row] += of_pair * Fraction(2 * (a[2] > b[2]) + (a[2] == b[2]), 2)
                    weight[row] += of_pair
    total = sum(weight, Fraction(0)) / 2
    if not total:
        return {**dict.fromkeys(names), **pairs, **counts}
    index = sum(concordant, Fraction(0)) / 2 / total
    squares = sum(((s - index * n) ** 2 for s, n in zip(concordant, weight, strict=True)), Fraction(0))
    se = math.sqrt(squares) / float(total)
    return {
        "concordance": float(index),
        "se": se,
        "lower": max(0.0, float(index) - z * se),
        "upper": min(1.0, float(index) + z * se),
        **pairs,
        **counts,
    }
