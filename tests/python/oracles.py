"""The definitions, too simple to be wrong: all pairs, exact fractions, no sorting of one's own device."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from scipy.stats import kstwobign

Row = tuple[bool, Any]


def won(pos: Any, neg: Any) -> Fraction:
    """What a positive gets from a pair: 1, 1/2 or 0."""
    return Fraction(1 if pos > neg else 0) if pos != neg else Fraction(1, 2)


def classes(rows: Sequence[Row]) -> tuple[list[Any], list[Any]]:
    return [score for label, score in rows if label], [score for label, score in rows if not label]


def has_nan(rows: Sequence[Row]) -> bool:
    return any(score != score for _, score in rows)


def u_statistic(rows: Sequence[Row]) -> Fraction:
    pos, neg = classes(rows)
    return sum((won(p, n) for p in pos for n in neg), Fraction(0))


def roc_auc(rows: Sequence[Row]) -> float | None:
    pos, neg = classes(rows)
    if has_nan(rows):
        return math.nan
    return float(u_statistic(rows) / (len(pos) * len(neg))) if pos and neg else None


def gini(rows: Sequence[Row]) -> float | None:
    pos, neg = classes(rows)
    if has_nan(rows):
        return math.nan
    return float(2 * u_statistic(rows) / (len(pos) * len(neg)) - 1) if pos and neg else None


def ks_statistic(rows: Sequence[Row]) -> dict[str, Any]:
    pos, neg = classes(rows)
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    if has_nan(rows):
        return {"ks": math.nan, "threshold": math.nan, "p_value": math.nan, **counts}
    if not pos or not neg:
        return {"ks": None, "threshold": None, "p_value": None, **counts}
    best, best_at = Fraction(-1), None
    for threshold in sorted({score for _, score in rows}, reverse=True):
        tpr = Fraction(sum(score >= threshold for score in pos), len(pos))
        fpr = Fraction(sum(score >= threshold for score in neg), len(neg))
        if abs(tpr - fpr) > best:
            best, best_at = abs(tpr - fpr), threshold
    scale = math.sqrt(len(pos) * len(neg) / (len(pos) + len(neg)))
    p_value = float(kstwobign.sf(scale * float(best)))
    return {"ks": float(best), "threshold": best_at, "p_value": p_value, **counts}


def mann_whitney_u(rows: Sequence[Row], alternative: str, continuity: bool) -> dict[str, Any]:
    pos, neg = classes(rows)
    names = ("u_statistic", "z", "p_value", "auc")
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    if has_nan(rows):
        return {**dict.fromkeys(names, math.nan), **counts}
    if not pos or not neg:
        return {**dict.fromkeys(names), **counts}
    u, pairs, n = u_statistic(rows), len(pos) * len(neg), len(rows)
    scores = [score for _, score in rows]
    ties = [scores.count(score) for score in set(scores)]
    variance = Fraction(pairs, 12) * (n + 1 - Fraction(sum(t**3 - t for t in ties), n * (n - 1)))
    answer: dict[str, Any] = {"u_statistic": float(u), "auc": float(u / pairs), **counts}
    if variance == 0:
        return {**answer, "z": None, "p_value": None}
    surplus = u - Fraction(pairs, 2)
    sign = {"two-sided": -((surplus > 0) - (surplus < 0)), "greater": -1, "less": 1}[alternative]
    z = float(surplus + Fraction(sign * continuity, 2)) / math.sqrt(variance)
    tail = {"two-sided": math.erfc(abs(z) / math.sqrt(2)), "greater": 0.5 * math.erfc(z / math.sqrt(2))}
    p_value = tail.get(alternative, 0.5 * math.erfc(-z / math.sqrt(2)))
    return {**answer, "z": z, "p_value": p_value}


def roc_auc_ci(rows: Sequence[Row], z: float) -> dict[str, Any]:
    """DeLong's interval with the normal quantile ``z``."""
    pos, neg = classes(rows)
    names = ("auc", "se", "lower", "upper")
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    if has_nan(rows):
        return {**dict.fromkeys(names, math.nan), **counts}
    auc = roc_auc(rows)
    if auc is None or len(pos) < 2 or len(neg) < 2:
        return {**dict.fromkeys(names), "auc": auc, **counts}
    of_pos = [sum((won(p, n) for n in neg), Fraction(0)) / len(neg) for p in pos]
    of_neg = [sum((won(p, n) for p in pos), Fraction(0)) / len(pos) for n in neg]
    se = math.sqrt(_variance(of_pos) / len(pos) + _variance(of_neg) / len(neg))
    limits = {"lower": max(0.0, auc - z * se), "upper": min(1.0, auc + z * se)}
    return {"auc": auc, "se": se, **limits, **counts}


def _variance(values: Sequence[Fraction]) -> Fraction:
    mean = sum(values, Fraction(0)) / len(values)
    return sum(((value - mean) ** 2 for value in values), Fraction(0)) / (len(values) - 1)


def roc_summary(rows: Sequence[Row]) -> dict[str, Any]:
    pos, neg = classes(rows)
    ci = roc_auc_ci(rows, z=1.0)
    record = {"auc": ci["auc"], "se": ci["se"], "gini": gini(rows), "ks": ks_statistic(rows)["ks"]}
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    if has_nan(rows):
        return {**record, "average_precision": math.nan, "best_threshold": math.nan, **counts}
    if not pos or not neg:
        return {**record, "average_precision": None, "best_threshold": None, **counts}
    precisions, best = Fraction(0), (Fraction(-2), None)
    for threshold in sorted(set(pos), reverse=True):
        tp, fp = sum(score >= threshold for score in pos), sum(score >= threshold for score in neg)
        precisions += pos.count(threshold) * Fraction(tp, tp + fp)
        youden = Fraction(tp, len(pos)) - Fraction(fp, len(neg))
        if youden > best[0]:
            best = youden, threshold
    average_precision = float(precisions / len(pos))
    return {**record, "average_precision": average_precision, "best_threshold": best[1], **counts}


def roc_curve(rows: Sequence[Row]) -> list[dict[str, Any]] | None:
    pos, neg = classes(rows)
    if has_nan(rows) or not pos or not neg:
        return None
    points: list[dict[str, Any]] = [{"threshold": None, "fp": 0, "tp": 0, "fpr": 0.0, "tpr": 0.0}]
    for threshold in sorted({score for _, score in rows}, reverse=True):
        tp, fp = sum(score >= threshold for score in pos), sum(score >= threshold for score in neg)
        points.append(
            {"threshold": threshold, "fp": fp, "tp": tp, "fpr": fp / len(neg), "tpr": tp / len(pos)}
        )
    return points
