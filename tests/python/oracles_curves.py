"""The definitions of curves, tables and fitted curves, in exact fractions where there are any."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from oracles import Row, classes, has_nan


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


def _points(rows: Sequence[Row]) -> list[tuple[Any, int, int]] | None:
    """Every threshold from none called positive to all, with the positives and negatives called positive."""
    pos, neg = classes(rows)
    if not pos or not neg or has_nan(rows):
        return None
    thresholds = sorted({score for _, score in rows}, reverse=True)
    return [
        (None, 0, 0),
        *((t, sum(score >= t for score in pos), sum(score >= t for score in neg)) for t in thresholds),
    ]


def det_curve(rows: Sequence[Row]) -> list[dict[str, Any]] | None:
    points = _points(rows)
    if points is None:
        return None
    n_pos, n_neg = (len(of) for of in classes(rows))
    return [
        {"threshold": t, "fp": fp, "fn": n_pos - tp, "fpr": fp / n_neg, "fnr": (n_pos - tp) / n_pos}
        for t, tp, fp in points
    ]


def cap_curve(rows: Sequence[Row]) -> list[dict[str, Any]] | None:
    points = _points(rows)
    if points is None:
        return None
    n_pos = len(classes(rows)[0])
    return [
        {
            "threshold": t,
            "n": tp + fp,
            "tp": tp,
            "population": (tp + fp) / len(rows),
            "captured": tp / n_pos,
        }
        for t, tp, fp in points
    ]


def gains_table(rows: Sequence[Row], bands: int) -> list[dict[str, Any]] | None:
    pos, neg = classes(rows)
    if not pos or not neg or has_nan(rows):
        return None
    scores = [score for _, score in rows]
    band_of = {s: sum(other > s for other in scores) * bands // len(rows) + 1 for s in scores}
    overall = Fraction(len(pos), len(rows))
    table = []
    for band in sorted(set(band_of.values())):
        n_pos, n_neg = (sum(band_of[s] == band for s in of) for of in (pos, neg))
        cum_pos, cum_neg = (sum(band_of[s] <= band for s in of) for of in (pos, neg))
        inside = [score for score in scores if band_of[score] == band]
        rate, cum_rate = Fraction(n_pos, n_pos + n_neg), Fraction(cum_pos, cum_pos + cum_neg)
        gain, cum_fpr = Fraction(cum_pos, len(pos)), Fraction(cum_neg, len(neg))
        table.append(
            {
                "band": band,
                "highest": max(inside),
                "lowest": min(inside),
                "n": n_pos + n_neg,
                "n_pos": n_pos,
                "n_neg": n_neg,
                "rate": float(rate),
                "cum_n": cum_pos + cum_neg,
                "cum_pos": cum_pos,
                "cum_neg": cum_neg,
                "gain": float(gain),
                "cum_fpr": float(cum_fpr),
                "lift": float(rate / overall),
                "cum_lift": float(cum_rate / overall),
                "ks": float(gain - cum_fpr),
            }
        )
    return table
