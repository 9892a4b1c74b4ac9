"""States: the bins of scores, in integers and fractions; and the bytes of packed states."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from oracles.areas import roc_auc, weighted_roc_auc
from oracles.rows import MAYBE, Group, Row, WeightedRow, classes, has_nan


def roc_auc_bounds(rows: Sequence[Row]) -> dict[str, Any]:
    pos, neg = classes(rows)
    auc = roc_auc(rows)
    return {"auc": auc, "lower": auc, "upper": auc, "n_pos": len(pos), "n_neg": len(neg), "exact": True}


def weighted_roc_auc_bounds(rows: Sequence[WeightedRow]) -> dict[str, Any]:
    auc = weighted_roc_auc(rows)
    return {"auc": auc, "lower": auc, "upper": auc, **Group(rows).counts, "exact": True}


KEYS = {"f64": 64, "i64": 64, "i32": 32, "bool": 32}
"""The bits of the keys of some dtypes."""


def score_of(key: int, dtype: str) -> float | int | bool:
    """Return the score of a key."""
    bits = KEYS[dtype]
    sign = 1 << (bits - 1)
    if dtype == "f64":
        pattern = key ^ sign if key & sign else key ^ ((1 << bits) - 1)
        number: float = struct.unpack("<d", pattern.to_bytes(8, "little"))[0]
        return number
    return bool(key - sign) if dtype == "bool" else key - sign


def highest_key(dtype: str) -> int:
    """Return the key of the highest score of a dtype."""
    if dtype == "f64":
        return int.from_bytes(struct.pack("<d", float("inf")), "little") | 1 << 63
    return (1 << 31) + 1 if dtype == "bool" else (1 << KEYS[dtype]) - 1


def unpacked(packed: bytes) -> dict[str, Any]:
    """Unpack the state from bytes whose bins contain their scores."""
    rest = list(packed[4:])
    assert packed[:4] == b"ROC\x01"

    def number() -> int:
        groups = []
        while True:
            groups.append(rest.pop(0))
            if groups[-1] < 128:
                return sum((group & 127) << 7 * place for place, group in enumerate(groups))

    dtype = bytes(rest.pop(0) for _ in range(rest.pop(0))).decode("ascii")
    flags = rest.pop(0)
    assert not flags & 8
    weights = bool(flags & 16)
    state: dict[str, Any] = {"n_missing": number(), "has_nan": bool(flags & 1)}
    totals = {}
    if state["has_nan"] or weights:
        totals = {"n_pos": number(), "n_neg": number()}
    if state["has_nan"]:
        return {**state, **totals, "bins": []}
    scale = "probability" if flags & 4 else "real"
    state |= {"max_bins": None, "resolution": 0, "scale": None}
    if flags & 2:
        state |= {"max_bins": number(), "resolution": number(), "scale": scale}
    bins: list[dict[str, Any]] = []
    key = highest_key(dtype)
    for _ in range(number()):
        key -= number()
        pos = number()
        one: dict[str, Any] = {
            "score": score_of(key, dtype),
            "pos": pos >> 1,
            "neg": number(),
            "tied": pos % 2 == 0,
        }
        if weights:
            sums = {name: decimal(one[name]) for name in ("pos", "neg")}
            squares = {f"{name}_squares": number() - 1 for name in ("pos", "neg")}
            defined = {name: None if steps < 0 else decimal(steps) for name, steps in squares.items()}
            one |= {**sums, **defined}
        bins.append(one)
    assert not rest
    totals = totals or {
        "n_pos": sum(each["pos"] for each in bins),
        "n_neg": sum(each["neg"] for each in bins),
    }
    return {**state, **totals, "bins": bins}


def decimal(steps: int) -> Decimal:
    """Return this number of steps of 1e-18."""
    return Decimal(steps).scaleb(-18, context=Context(prec=40))


FIRST = 512 * 32


def place(score: float, scale: str) -> tuple[bool, float]:
    """Return the side of a score and its distance from the end, by roots and products of floats."""
    if scale == "probability":
        return score < 0.5, math.sqrt(math.sqrt(score if score < 0.5 else 1 - score))
    root = math.sqrt(math.sqrt(abs(score)))
    return score < 0, root * math.sqrt(root)


def interval(score: float, resolution: int, scale: str) -> object:
    """Return the interval of a score in a partition."""
    low_side, distance = place(score, scale)
    if math.isinf(distance):
        return low_side, distance
    power, turns = divmod(resolution - FIRST, 32)
    lengths = math.floor(Fraction(distance) / Fraction(2) ** power)
    turn = int(f"{lengths // 2 % 32:05b}"[::-1], 2)
    joined = turn < turns
    return low_side, joined, lengths // 2 if joined else lengths


def roc_state(max_bins: int | None = None, scale: str = "real") -> Callable[[Sequence[Row]], dict[str, Any]]:
    """Return the state of rows, in the first partition with few enough intervals.

    Rows of (label, score) are counted; for rows of (label, score, weight) the weights are summed.
    """

    def state(counted: Sequence[Any]) -> dict[str, Any]:
        has_weights = any(len(row) > 2 for row in counted)
        weighed = [(row[0], row[1], Decimal(row[2]) if len(row) > 2 else 1) for row in counted]
        rows: list[Row] = [(label, score) for label, score, weight in weighed if weight]
        pos, neg = classes(rows)

        def total(label: bool, scores: Sequence[float], power: int = 1) -> Decimal | int:
            return sum(
                weight**power
                for row_label, score, weight in weighed
                if row_label == label and score in scores
            )

        def squares(scores: Sequence[float]) -> dict[str, Decimal | int]:
            sums = {"pos_squares": total(True, scores, 2), "neg_squares": total(False, scores, 2)}
            return sums if has_weights else {}

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
                    **squares(each),
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
