"""Intervals: for areas by placements, and for any number by resampling row by row."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student_t

from oracles.areas import (
    Bounds,
    area_within,
    placements_within,
    pseudovalues_within,
    roc_auc,
    variances_within,
    weighted_roc_auc,
)
from oracles.draws import resample
from oracles.numbers import gini, ks_statistic
from oracles.rows import (
    MAYBE,
    PLAIN,
    Group,
    Question,
    Rounded,
    Row,
    WeightedRow,
    classes,
    clustered_covariances,
    decided,
    hanley_mcneil,
    has_nan,
    is_defined,
    logit,
    logit_limits,
    placements,
    sample_variance,
)
from oracles.wilson import Wilson, effective

BY_COUNTS = ("hanley_mcneil", "obuchowski")
"""The methods that do not need a variance within a class."""


def roc_auc_ci(
    rows: Sequence[Row], z: float, method: str = "delong", test: Question = PLAIN
) -> dict[str, Any]:
    """Return the interval with the normal quantile ``z``."""
    pos, neg = classes(rows)
    names = ("auc", "se", "lower", "upper", "z", "p_value")
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    if has_nan(rows):
        return {**dict.fromkeys(names, math.nan), **counts}
    auc = roc_auc(rows)
    if auc is None or ((len(pos) < 2 or len(neg) < 2) and method not in BY_COUNTS):
        return {**dict.fromkeys(names), "auc": auc, **counts}
    if method == "hanley_mcneil":
        se = hanley_mcneil(auc, len(pos), len(neg))
    elif method == "obuchowski":
        fitted = binormal_error(rows)
        if fitted is None:
            return {**dict.fromkeys(names), "auc": auc, **counts}
        se = fitted
    else:
        pos_placements, neg_placements = placements(rows)
        se = math.sqrt(
            sample_variance(pos_placements) / len(pos) + sample_variance(neg_placements) / len(neg)
        )
    if method == "wilson":
        wilson = Wilson(float(auc), se, (len(pos), len(neg)))
        level = 2 * float(norm.cdf(z)) - 1
        return {"auc": auc, "se": se, **wilson.limits(level), **wilson.test(test), **counts}
    tested = decided(auc, se, 0.5, test)
    if method == "logit":
        limits, center, spread = logit_limits(auc, se, z, len(pos), len(neg))
        tested = decided(center, spread, 0.5, test, scale=logit)
    else:
        limits = {"lower": max(0.0, auc - z * se), "upper": min(1.0, auc + z * se)}
    return {"auc": auc, "se": se, **limits, **tested, **counts}


def binormal_error(rows: Sequence[Row]) -> float | None:
    """Return the standard error of the area under the line fitted to the normal quantiles of the points."""
    pos, neg = classes(rows)
    points = []
    for threshold in {*pos, *neg}:
        tp, fp = sum(score >= threshold for score in pos), sum(score >= threshold for score in neg)
        if 0 < tp < len(pos) and 0 < fp < len(neg):
            points.append((norm.ppf(tp / len(pos)), norm.ppf(1 - fp / len(neg))))
    if len({x for x, _ in points}) < 2:
        return None
    slope, a = np.polyfit([x for x, _ in points], [y for _, y in points], 1)
    b = -min(float(slope), 0.0)
    p, n = len(pos), len(neg)
    spread = 1 + b * b
    density = math.exp(-a * a / (2 * spread)) / math.sqrt(2 * math.pi * spread)
    var_a = (n * (a * a + 2) + 2 * p * b * b) / (2 * p * n)
    var_b = (p + n) * b * b / (2 * p * n)
    return math.sqrt(density**2 * var_a + (density * a * b / spread) ** 2 * var_b)


def roc_auc_bootstrap(rows: Sequence[Row]) -> dict[str, Any]:
    """Return whether a bootstrap is defined. Its value is random, so any number is accepted."""
    resampled = {"se": ..., "lower": ..., "upper": ..., "z": MAYBE, "p_value": MAYBE}
    answer = roc_auc_ci(rows, z=1.0)
    return answer | {key: any_number for key, any_number in resampled.items() if is_defined(answer["se"])}


def roc_auc_ci_clustered(
    rows: Sequence[tuple[bool, float, str]], z: float, test: Question = PLAIN, method: str = "delong"
) -> dict[str, Any]:
    pairs = [(label, score) for label, score, _ in rows]
    clusters = {"n_clusters": len({cluster for _, _, cluster in rows})}
    answer = roc_auc_ci(pairs, z)
    if has_nan(pairs) or answer["auc"] is None:
        return {**answer, **clusters}
    matrix = clustered_covariances(rows, 1)
    auc = answer["auc"]
    if matrix is None:
        return {**answer, **dict.fromkeys(("se", "lower", "upper", "z", "p_value")), **clusters}
    se = math.sqrt(max(Fraction(0), matrix[0][0]))
    if method == "wilson":
        n_clusters = [len({row[2] for row in rows if row[0] == label}) for label in (True, False)]
        wilson = Wilson(float(auc), se, (answer["n_pos"], answer["n_neg"]), (n_clusters[0], n_clusters[1]))
        level = 2 * float(norm.cdf(z)) - 1
        return {**answer, "se": se, **wilson.limits(level), **wilson.test(test), **clusters}
    limits = {"lower": max(0.0, auc - z * se), "upper": min(1.0, auc + z * se)}
    return {**answer, "se": se, **limits, **decided(auc, se, 0.5, test), **clusters}


def weighted_roc_auc_ci(rows: Sequence[WeightedRow], z: float, method: str = "delong") -> dict[str, Any]:
    group = Group(rows)
    area = weighted_roc_auc(rows)
    names = ("se", "lower", "upper", "z", "p_value")
    if area is None or group.has_nan:
        return {**dict.fromkeys(("auc", *names), area), **group.counts}
    if len(group.pos) < 2 or len(group.neg) < 2:
        return {"auc": area, **dict.fromkeys(names, None), **group.counts}

    def wins(high: float, low: float) -> Fraction:
        return Fraction(high > low) + Fraction(high == low) / 2

    exact = sum((p[1] * n[1] * wins(p[0], n[0]) for p in group.pos for n in group.neg), Fraction())
    exact /= group.p * group.n
    variance = Fraction()
    for score, weight in group.pos:
        placement = sum((n[1] * wins(score, n[0]) for n in group.neg), Fraction()) / group.n
        variance += (weight * (placement - exact) / group.p) ** 2
    for score, weight in group.neg:
        placement = sum((p[1] * wins(p[0], score) for p in group.pos), Fraction()) / group.p
        variance += (weight * (placement - exact) / group.n) ** 2
    se = math.sqrt(variance)
    if method == "wilson":
        sizes = [effective([weight for _, weight in class_rows]) for class_rows in (group.pos, group.neg)]
        wilson = Wilson(float(area), se, (sizes[0], sizes[1]))
        level = 2 * float(norm.cdf(z)) - 1
        return {"auc": area, "se": se, **wilson.limits(level), **wilson.test(), **group.counts}
    return {
        "auc": area,
        "se": se,
        "lower": max(area - z * se, 0.0),
        "upper": min(area + z * se, 1.0),
        **decided(area, se, 0.5, PLAIN),
        **group.counts,
    }


def partial_roc_auc_ci(
    rows: Sequence[tuple[bool, Any]],
    bounds: Bounds,
    level: float,
    *,
    standardized: bool | str,
    test: Question,
    method: str,
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
    exact = area_within(rows, bounds)
    unit = 1 / (full - diagonal) / 2 if standardized else Fraction(1)
    if standardized is True and exact < diagonal:
        return none
    auc = Fraction(1, 2) + (exact - diagonal) * unit if standardized else exact
    if len(pos) < 2 or len(neg) < 2:
        return {**none, "auc": Rounded(auc)}
    usual, most = (Fraction(1, 2), 1.0) if standardized else (diagonal, float(full))
    least = float(usual - unit * diagonal) if standardized == "always" else 0.0
    labels = [label for label, _ in rows]
    if method == "delong":
        se = float(unit) * math.sqrt(sum(variances_within(labels, placements_within(rows, bounds))))
        errors = float(norm.isf((1 - level) / 2))
        limits = {"lower": float(auc) - errors * se, "upper": float(auc) + errors * se}
        tested = decided(auc, se, usual, test)
    else:
        class_variances = variances_within(*pseudovalues_within(rows, bounds))
        se = float(unit) * math.sqrt(sum(class_variances))
        rows_of = [len(neg), len(pos)] if axis == "fpr" else [len(pos), len(neg)]
        within = max(rows_of[0] * full, Fraction(1))
        v, w = class_variances[::-1] if axis == "fpr" else class_variances
        freedom = [max(within, Fraction(2)) - 1, Fraction(rows_of[1] - 1)]
        df = float((v + w) ** 2 / (v**2 / freedom[0] + w**2 / freedom[1]) if v + w else min(freedom))
        errors = float(student_t.isf((1 - level) / 2, df))
        shares, center, spread = logit_limits(
            float(exact / full), se / float(unit * full), errors, float(within), rows_of[1]
        )
        limits = {
            name: float(usual + unit * (Fraction(share) * full - diagonal)) for name, share in shares.items()
        }

        def scale(value: Any) -> float:
            share = ((Fraction(value) - usual) / unit + diagonal) / full
            return logit(float(share))

        here = usual + unit * (Fraction(center) * full - diagonal)
        tested = decided(here, spread, usual, test, lambda t: float(student_t.sf(t, df)), scale)
    limits = {"lower": max(least, limits["lower"]), "upper": min(most, limits["upper"])}
    # Below the diagonal, standardized numbers may be near 0, or equal to the minimum.
    close = {"auc": Rounded(auc), **{name: Rounded(limit) for name, limit in limits.items()}}
    return {**close, "se": se, **tested, **counts}


def quantile(values: Sequence[float], probability: float) -> float:
    """Return quantiles of type 7 of Hyndman and Fan; infinity is not interpolated."""
    place = probability * (len(values) - 1)
    below = math.floor(place)
    low, high = values[below], values[min(below + 1, len(values) - 1)]
    if low == high or place == below or math.isinf(low) or math.isinf(high):
        return low if place == below or math.isinf(low) else high
    return float(Fraction(low) + Fraction(place - below) * (Fraction(high) - Fraction(low)))


def deviation(values: Sequence[float]) -> Rounded | None:
    """Return the standard deviation, if the sum of squares is a finite float."""
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
    """Return the numbers of these names with their intervals; a single number has one name."""

    def numbers(rows: Sequence[Row]) -> list[float | None]:
        answer = of(rows)
        return [answer[name] for name in names] if isinstance(answer, dict) else [answer]

    if has_nan(rows):
        return None
    pos, neg = classes(rows)
    resampled: list[list[float | None]] = []
    if len(pos) > 1 and len(neg) > 1:
        for replicate in range(n_resamples):
            some_pos, some_neg = resample(pos, neg, seed, replicate, plain=plain)
            resampled.append(numbers([(True, s) for s in some_pos] + [(False, s) for s in some_neg]))
    records = []
    for place, (name, estimate) in enumerate(zip(names, numbers(rows), strict=True)):
        values = sorted(float(each[place]) for each in resampled if each[place] is not None)  # type: ignore[arg-type]
        undefined: dict[str, Any] = {"se": None, "lower": None, "upper": None}
        if len(values) > 1:
            tail = (1 - level) / 2
            lower, upper = quantile(values, tail), quantile(values, 1 - tail)
            undefined = {
                "se": deviation(values),
                "lower": Rounded(lower),
                "upper": Rounded(upper),
            }
        n_undefined = sum(each[place] is None for each in resampled)
        records.append({"field": name, "estimate": estimate, **undefined, "n_undefined": n_undefined})
    return records


def roc_summary(rows: Sequence[Row], z: float) -> dict[str, Any]:
    pos, neg = classes(rows)
    ci = roc_auc_ci(rows, z=z, method="wilson")
    record = {name: ci[name] for name in ("auc", "se", "lower", "upper")}
    limits = {f"gini_{name}": None if ci[name] is None else 2 * ci[name] - 1 for name in ("lower", "upper")}
    record |= {"gini": gini(rows), **limits, "ks": ks_statistic(rows)["ks"]}
    counts = {
        "prevalence": len(pos) / len(rows) if rows else None,
        "n": len(rows),
        "n_missing": MAYBE,  # an oracle sees the rows that are used
        "n_unlabelled": MAYBE,
        "n_pos": len(pos),
        "n_neg": len(neg),
    }
    if has_nan(rows):
        return {**record, "average_precision": math.nan, "best_threshold": math.nan, **counts}
    if not pos or not neg:
        return {**record, "average_precision": 1.0 if pos else None, "best_threshold": None, **counts}
    precisions, best = Fraction(0), (Fraction(-2), None)
    for threshold in sorted(set(pos), reverse=True):
        tp, fp = sum(score >= threshold for score in pos), sum(score >= threshold for score in neg)
        precisions += pos.count(threshold) * Fraction(tp, tp + fp)
        youden = Fraction(tp, len(pos)) - Fraction(fp, len(neg))
        if youden > best[0]:
            best = youden, threshold
    average_precision = float(precisions / len(pos))
    return {**record, "average_precision": average_precision, "best_threshold": best[1], **counts}
