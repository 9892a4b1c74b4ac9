"""The definition of states: which scores share a bin, from whole numbers and fractions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from oracles.scores import MAYBE, Row, classes, has_nan

FIRST = 512 * 32


def place(score: float, scale: str) -> tuple[bool, float]:
    """The side of a score, and its distance from that side's end, by roots and products of floats."""
    if scale == "probability":
        return score < 0.5, math.sqrt(math.sqrt(score if score < 0.5 else 1 - score))
    root = math.sqrt(math.sqrt(abs(score)))
    return score < 0, root * math.sqrt(root)


def interval(score: float, resolution: int, scale: str) -> object:
    """The interval of a score in a partition."""
    low_side, distance = place(score, scale)
    if math.isinf(distance):
        return low_side, distance
    power, turns = divmod(resolution - FIRST, 32)
    lengths = math.floor(Fraction(distance) / Fraction(2) ** power)
    turn = int(f"{lengths // 2 % 32:05b}"[::-1], 2)
    joined = turn < turns
    return low_side, joined, lengths // 2 if joined else lengths


def roc_state(max_bins: int | None = None, scale: str = "real") -> Callable[[Sequence[Row]], dict[str, Any]]:
    """The state of rows, by looking for the first partition with few enough intervals.

    Rows of (label, score) are counted, and of (label, score, weight) their weights are added up.
    """

    def state(given: Sequence[Any]) -> dict[str, Any]:
        weighed = [(row[0], row[1], Decimal(row[2]) if len(row) > 2 else 1) for row in given]
        rows: list[Row] = [(label, score) for label, score, weight in weighed if weight]
        pos, neg = classes(rows)

        def total(label: bool, scores: Sequence[float]) -> Decimal | int:
            return sum(weight for own, score, weight in weighed if own == label and score in scores)

        counts = {"n_pos": len(pos), "n_neg": len(neg), "n_missing": MAYBE}
        if has_nan(rows):
            nothing = {"resolution": 0, "max_bins": None, "scale": None}
            return {"bins": [], **counts, "has_nan": True, **nothing}
        scores = sorted({score for _, score in rows}, reverse=True)
        resolution, bins = 0, [[score] for score in scores]
        if max_bins is not None and len(scores) > max_bins:
            low, high = 1, 2 * FIRST
            while low < high:
                middle = (low + high) // 2
                fits = len({interval(score, middle, scale) for score in scores}) <= max_bins
                low, high = (low, middle) if fits else (middle + 1, high)
            resolution, bins = low, []
            for score in scores:
                if bins and interval(bins[-1][0], low, scale) == interval(score, low, scale):
                    bins[-1].append(score)
                else:
                    bins.append([score])
        return {
            "bins": [
                {
                    "score": min(each),
                    "pos": total(True, each),
                    "neg": total(False, each),
                    "tied": len(each) == 1,
                }
                for each in bins
            ],
            **counts,
            "has_nan": False,
            "resolution": resolution,
            "max_bins": max_bins,
            "scale": None if max_bins is None else scale,
        }

    return state
