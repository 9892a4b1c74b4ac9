"""Definitions for the folds of a cross-validation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from scipy.stats import norm
from scipy.stats import t as student_t

from oracles.areas import exact_auc
from oracles.rows import (
    MAYBE,
    Rounded,
    classes,
    has_nan,
    logit_limits,
    p_value,
    placements,
    sample_variance,
)


def folds(rows: Sequence[Any]) -> dict[str, list[Any]]:
    return {fold: [row[:-1] for row in rows if row[-1] == fold] for fold in sorted({row[-1] for row in rows})}


def cv_roc_auc(
    rows: Sequence[tuple[bool, float, str]], level: float, method: str, tie: Fraction = Fraction(1, 2)
) -> dict[str, Any]:
    pairs = [row[:2] for row in rows]
    pos, neg = classes(pairs)
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    names = ("auc", "sd", "se", "lower", "upper")
    if has_nan(pairs):
        return {**dict.fromkeys(names, math.nan), "n_folds": 0, "n_undefined": 0, **counts}
    parts = folds(rows)
    defined = [part for part in parts.values() if all(classes(part))]
    k = len(defined)
    answer: dict[str, Any] = {**dict.fromkeys(names), "n_folds": k, "n_undefined": len(parts) - k, **counts}
    if k == 0:
        return answer
    areas = [exact_auc(part) for part in defined]
    mean = sum(areas, Fraction(0)) / k
    answer["auc"] = float(mean)
    sd = math.sqrt(sample_variance(areas)) if k > 1 else None
    answer["sd"] = sd
    if method == "delong":
        return answer | within_folds([[(*row, i) for i, row in enumerate(part)] for part in defined], level)
    if method == "t":
        if sd is None:
            return answer
        se, quantile = sd / math.sqrt(k), float(student_t.isf((1 - level) / 2, k - 1))
    else:
        m, n = (sum(len(classes(part)[one]) for part in defined) for one in (0, 1))
        squares = Fraction(0)
        for part, auc in zip(defined, areas, strict=True):
            pos_placements, neg_placements = placements(part, tie)
            values = [(v - auc) * Fraction(m + n, m) for v in pos_placements]
            values += [(v - auc) * Fraction(m + n, n) for v in neg_placements]
            squares += sum((v * v for v in values), Fraction(0)) / len(part)
        se, quantile = math.sqrt(squares / k / (m + n)), float(norm.isf((1 - level) / 2))
    limits = {"lower": float(mean) - quantile * se, "upper": float(mean) + quantile * se}
    return {**answer, "se": se, **limits}


def within_folds(parts: Sequence[Sequence[Any]], level: float, *, alone: bool = True) -> dict[str, Any]:
    """Use DeLong's variance, for folds of rows (label, score, ..., cluster), by row or by cluster."""
    k = len(parts)
    holding = [
        sum(len({row[-1] for row in part if row[0] == label}) for part in parts) for label in (True, False)
    ]
    if min(holding) <= k:
        return dict.fromkeys(("se", "lower", "upper"))
    factors = [math.sqrt(Fraction(clusters, clusters - k)) for clusters in holding]
    sums: dict[Any, float] = {}
    areas = []
    for fold, part in enumerate(parts):
        pairs = [row[:2] for row in part]
        auc = exact_auc(pairs)
        areas.append(auc)
        fold_weights: dict[tuple[Any, bool], Fraction] = {}
        for label, values in zip((True, False), placements(pairs), strict=True):
            for row, value in zip([row for row in part if row[0] == label], values, strict=True):
                # Without clusters, each row of a class and fold is a unit.
                key = ((fold, label, row[-1]) if alone else row[-1], label)
                fold_weights[key] = fold_weights.get(key, Fraction(0)) + (value - auc) / len(values)
        for (cluster, label), value in fold_weights.items():
            sums[cluster] = sums.get(cluster, 0.0) + factors[not label] * float(value)
    se = math.sqrt(math.fsum(value**2 for value in sums.values())) / k
    mean = float(sum(areas, Fraction(0)) / k)
    errors = float(student_t.isf((1 - level) / 2, min(holding) - k))
    limits, _, _ = logit_limits(mean, se, errors, *holding)
    # Influences of both signs in clusters may cancel up to rounding.
    return {"se": Rounded(se), **{name: Rounded(limit) for name, limit in limits.items()}}


def cv_roc_auc_clustered(
    rows: Sequence[tuple[bool, float, str, float]], level: float, tie: Fraction, method: str = "influence"
) -> dict[str, Any]:
    """Use rows (label, score, fold, cluster)."""
    answer = cv_roc_auc([row[:3] for row in rows], level, "influence")
    answer["n_clusters"] = len({row[3] for row in rows})
    if has_nan([row[:2] for row in rows]) or answer["auc"] is None:
        return answer
    parts = [[row for row in rows if row[2] == fold] for fold in {row[2] for row in rows}]
    parts = [part for part in parts if all(classes([row[:2] for row in part]))]
    if method == "delong":
        return answer | within_folds(parts, level, alone=False)
    rows = [row for part in parts for row in part]
    clusters = {row[3] for row in rows}
    if len(clusters) < 2:
        return answer | dict.fromkeys(("se", "lower", "upper"))
    m, n = (len(of) for of in classes([row[:2] for row in rows]))
    sums = dict.fromkeys(clusters, 0.0)
    for part in parts:
        pairs = [row[:2] for row in part]
        auc = exact_auc(pairs)
        pos_placements, neg_placements = placements(pairs, tie)
        influence: dict[float, Fraction] = dict.fromkeys(clusters, Fraction(0))
        for label, total, values in ((True, m, pos_placements), (False, n, neg_placements)):
            members = [row[3] for row in part if row[0] == label]
            for cluster, value in zip(members, values, strict=True):
                influence[cluster] += (value - auc) / total
        n_clusters = sum(Fraction(1, sum(row[3] == member[3] for row in rows)) for member in part)
        weight = math.sqrt(len(clusters) / (len(parts) * n_clusters))
        for cluster in clusters:
            sums[cluster] += weight * float(influence[cluster])
    se = math.sqrt(sum(value * value for value in sums.values()))
    margin = float(norm.isf((1 - level) / 2)) * se
    # Influences of both signs may cancel in a cluster, up to rounding.
    answer["se"] = Rounded(se)
    return answer | {"lower": Rounded(answer["auc"] - margin), "upper": Rounded(answer["auc"] + margin)}


def cv_roc_auc_difference(rows: Sequence[Any], level: float) -> dict[str, Any]:
    pairs = [[(row[0], row[1 + k]) for row in rows] for k in range(2)]
    pos, neg = classes(pairs[0])
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    names = ("auc_a", "auc_b", "difference", "se", "lower", "upper", "t", "p_value")
    if any(has_nan(one) for one in pairs):
        return {**dict.fromkeys(names, math.nan), "df": None, "n_folds": 0, "n_undefined": 0, **counts}
    parts = folds(rows)
    defined = [part for part in parts.values() if all(classes([row[:2] for row in part]))]
    k = len(defined)
    answer: dict[str, Any] = {
        **dict.fromkeys((*names, "df")),
        "n_folds": k,
        "n_undefined": len(parts) - k,
        **counts,
    }
    if k == 0:
        return answer
    areas = [[exact_auc([(row[0], row[1 + one]) for row in part]) for part in defined] for one in range(2)]
    differences = [a - b for a, b in zip(*areas, strict=True)]
    a, b, mean = (sum(of, Fraction(0)) / k for of in (*areas, differences))
    answer |= {"auc_a": float(a), "auc_b": float(b), "difference": float(mean)}
    if k < 2:
        return answer
    variance = sample_variance(differences) * (Fraction(1, k) + Fraction(1, k - 1))
    se = math.sqrt(variance)
    margin = float(student_t.isf((1 - level) / 2, k - 1)) * se
    answer |= {"se": se, "df": k - 1, "lower": float(mean) - margin, "upper": float(mean) + margin}
    if variance == 0:
        return answer | ({"t": 0.0, "p_value": 1.0} if mean == 0 else {})
    t = float(mean) / se
    return answer | {"t": t, "p_value": p_value(t, "two-sided", lambda x: float(student_t.sf(x, k - 1)))}


Point = tuple[Fraction, Fraction]


def _rates(rows: Sequence[Any], threshold: float) -> Point:
    """Return fpr and tpr with every score from the threshold up predicted positive."""
    pos = [score for label, score, *_ in rows if label]
    neg = [score for label, score, *_ in rows if not label]
    return (
        Fraction(sum(score >= threshold for score in neg), len(neg)),
        Fraction(sum(score >= threshold for score in pos), len(pos)),
    )


def _tpr_at(rows: Sequence[Any], fpr: Fraction) -> tuple[Fraction, bool]:
    """Return the highest tpr of the curve at an fpr, and whether the curve has a point there."""
    points = [(Fraction(0), Fraction(0))]
    points += [_rates(rows, threshold) for threshold in sorted({row[1] for row in rows}, reverse=True)]
    vertical = [tpr for x, tpr in points if x == fpr]
    if vertical:
        return max(vertical), True
    before = max(point for point in points if point[0] < fpr)
    after = min(point for point in points if point[0] > fpr)
    share = (fpr - before[0]) / (after[0] - before[0])
    return before[1] + share * (after[1] - before[1]), False


def _has_both(rows: Sequence[Any]) -> bool:
    return len({row[0] for row in rows}) == 2


def _mean_and_sd(values: Sequence[Fraction], *, rounded: bool) -> tuple[float, Any]:
    """Return the deviation; for equal rounded values it may be tiny instead of 0."""
    mean = sum(values, Fraction(0)) / len(values)
    if len(values) < 2:
        return float(mean), None
    variance = sum(((value - mean) ** 2 for value in values), Fraction(0)) / (len(values) - 1)
    return float(mean), MAYBE if rounded and variance == 0 else math.sqrt(variance)


def cv_roc_curve(
    rows: Sequence[tuple[bool, float, str]], method: str, n_points: int
) -> list[dict[str, Any]] | None:
    if has_nan([(label, score) for label, score, _ in rows]):
        return None
    parts: list[Sequence[Any]] = list(folds(rows).values())
    n_folds = len(parts)
    if method == "pooled":
        parts = [rows]
    parts = [part for part in parts if _has_both(part)]
    if not parts:
        return None
    points = []
    if method == "threshold":
        scores = sorted({score for _, score, _ in rows}, reverse=True)
        if len(scores) > n_points - 1:
            steps = n_points - 2
            # Evenly spaced from the lowest score, rounded to the nearest; halves round to the higher score.
            lowest = scores[::-1]
            places = [Fraction(step * (len(scores) - 1), steps) for step in range(steps + 1)]
            scores = [lowest[math.floor(place + Fraction(1, 2))] for place in places][::-1]
        for threshold in [None, *scores]:
            nothing = (Fraction(0), Fraction(0))
            at = [nothing if threshold is None else _rates(part, threshold) for part in parts]
            fpr, fpr_sd = _mean_and_sd([point[0] for point in at], rounded=False)
            tpr, tpr_sd = _mean_and_sd([point[1] for point in at], rounded=False)
            point = {"fpr": fpr, "fpr_sd": fpr_sd, "tpr": tpr, "tpr_sd": tpr_sd, "threshold": threshold}
            points.append({**point, "n_folds": len(parts)})
        return points
    for place in range(n_points):
        rate = Fraction(place, n_points - 1)
        reached = [_tpr_at(part, rate) for part in parts]
        rounded = not all(exact for _, exact in reached)
        tpr, tpr_sd = _mean_and_sd([value for value, _ in reached], rounded=rounded)
        point = {"fpr": float(rate), "fpr_sd": None, "tpr": tpr, "tpr_sd": tpr_sd, "threshold": None}
        points.append({**point, "n_folds": n_folds if method == "pooled" else len(parts)})
    return points
