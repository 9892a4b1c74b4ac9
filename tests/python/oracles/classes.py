"""The definitions for several classes, subgroups and folds, on plain rows in exact fractions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from scipy.stats import norm
from scipy.stats import t as student_t

from oracles.scores import MAYBE, covariances, exact_auc, folds, has_nan, p_value


def area(pos: Sequence[Any], neg: Sequence[Any]) -> Fraction | None:
    """Compare every positive with every negative; none without either."""
    return exact_auc([(True, p) for p in pos] + [(False, n) for n in neg]) if pos and neg else None


def weighted_mean(values: Iterable[tuple[Fraction | None, int]]) -> float | None:
    defined = [(value, weight) for value, weight in values if value is not None]
    total = sum(weight for _, weight in defined)
    return float(sum((value * weight for value, weight in defined), Fraction(0)) / total) if total else None


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def roc_auc_multiclass(
    rows: Sequence[Any],
    classes: Sequence[str],
    columns: Callable[[Sequence[float]], Sequence[float]],
    multi_class: str,
    average: str | None,
) -> dict[str, Any]:
    """Rows are the class and what the columns, one for each class, are made of."""
    labelled = [(key, dict(zip(classes, columns(scores), strict=True))) for key, *scores in rows]
    present = {key for key, _ in labelled}
    counts = {
        "n_classes": len(present),
        "n_missing": len(set(classes) - present),
        "n": len(labelled),
    }
    if any(math.isnan(value) for _, values in labelled for value in values.values()):
        auc = None if average is None else math.nan
        return {"auc": auc, "classes": None, "pairs": None, **counts}

    def of(column: str, pos: str, negs: Iterable[str]) -> Fraction | None:
        others = set(negs)
        return area(
            [values[column] for key, values in labelled if key == pos],
            [values[column] for key, values in labelled if key in others],
        )

    n = {one: sum(key == one for key, _ in labelled) for one in classes}
    ovr = {one: of(one, one, set(classes) - {one}) for one in classes}
    ovo = {}
    for a, b in combinations(classes, 2):
        a_over_b, b_over_a = of(a, a, b), of(b, b, a)
        ovo[a, b] = None if a_over_b is None or b_over_a is None else (a_over_b + b_over_a) / 2
    cells = [(key == one, value) for key, values in labelled for one, value in values.items()]
    weigh = average == "weighted"
    auc = None
    if average == "micro":
        micro = area([value for own, value in cells if own], [value for own, value in cells if not own])
        auc = _number(micro)
    elif average is not None and multi_class == "ovr":
        auc = weighted_mean((ovr[one], n[one] if weigh else 1) for one in classes)
    elif average is not None:
        auc = weighted_mean((value, n[a] + n[b] if weigh else 1) for (a, b), value in ovo.items())
    pairs = [
        {"class_a": a, "class_b": b, "n": n[a] + n[b], "auc": _number(value)} for (a, b), value in ovo.items()
    ]
    return {
        "auc": auc,
        "classes": [{"class": one, "n": n[one], "auc": _number(ovr[one])} for one in classes],
        "pairs": pairs if multi_class == "ovo" else None,
        **counts,
    }


def roc_auc_ordinal(rows: Sequence[tuple[str, float]], *, listed: bool = True) -> dict[str, Any]:
    classes = sorted({key for key, _ in rows})
    counts = {"n_classes": len(classes), "n": len(rows)}
    if any(math.isnan(score) for _, score in rows):
        return {"auc": math.nan, "concordance": math.nan, "pairs": None, **counts}
    of = {one: [score for key, score in rows if key == one] for one in classes}
    areas = {(a, b): area(of[b], of[a]) for a, b in combinations(classes, 2)}
    pairs = [{"class_a": a, "class_b": b, "auc": _number(value)} for (a, b), value in areas.items()]
    return {
        "auc": weighted_mean((value, 1) for value in areas.values()),
        "concordance": weighted_mean((value, len(of[a]) * len(of[b])) for (a, b), value in areas.items()),
        "pairs": pairs if listed else None,
        **counts,
    }


def _below_half(value: Fraction | None) -> Fraction | None:
    return None if value is None else Fraction(1, 2) - value


def subgroup_auc(rows: Sequence[tuple[bool, float, str]], subgroup: str) -> dict[str, Any]:
    def of(*, label: bool, inside: bool) -> list[float]:
        return [score for is_pos, score, key in rows if is_pos == label and (key == subgroup) == inside]

    pos, neg = of(label=True, inside=True), of(label=False, inside=True)
    other_pos, other_neg = of(label=True, inside=False), of(label=False, inside=False)
    areas = {
        "subgroup_auc": area(pos, neg),
        "bpsn_auc": area(other_pos, neg),
        "bnsp_auc": area(pos, other_neg),
        "background_auc": area(other_pos, other_neg),
        "auc": area(pos + other_pos, neg + other_neg),
        "positive_aeg": _below_half(area(pos, other_pos)),
        "negative_aeg": _below_half(area(neg, other_neg)),
    }
    nan = has_nan([(label, score) for label, score, _ in rows])
    return {
        **{name: math.nan if nan else _number(value) for name, value in areas.items()},
        "n_subgroup_pos": len(pos),
        "n_subgroup_neg": len(neg),
        "n_background_pos": len(other_pos),
        "n_background_neg": len(other_neg),
    }


def mean_with_error(
    values: list[tuple[Fraction, int]], level: float
) -> tuple[float | None, float | None, float | None]:
    """The weighted mean, its standard error, and half the width of its interval."""
    mean = weighted_mean([*values])
    k, total = len(values), sum(weight for _, weight in values)
    if mean is None or k < 2:
        return mean, None, None
    exact = sum((value * weight for value, weight in values), Fraction(0)) / total
    squares = sum(((weight * (value - exact)) ** 2 for value, weight in values), Fraction(0))
    se = math.sqrt(Fraction(k, k - 1) * squares) / total
    return mean, se, float(student_t.isf((1 - level) / 2, k - 1)) * se


def _weight(average: str, n_pos: int, n_neg: int) -> int:
    return {"macro": 1, "rows": n_pos + n_neg, "positives": n_pos, "pairs": n_pos * n_neg}[average]


def grouped_roc_auc_difference(
    rows: Sequence[Any], average: str, alternative: str, level: float
) -> dict[str, Any]:
    names = ("auc_a", "auc_b", "difference", "se", "lower", "upper", "t", "p_value")
    counts = {"n_pos": sum(row[0] for row in rows), "n_neg": sum(not row[0] for row in rows)}
    if any(math.isnan(score) for _, *scores, _ in rows for score in scores):
        return {**dict.fromkeys(names, math.nan), "n_groups": 0, "n_undefined": 0, **counts}
    users = []
    for members in folds(rows).values():
        of = [
            ([row[1 + one] for row in members if row[0]], [row[1 + one] for row in members if not row[0]])
            for one in range(2)
        ]
        a, b = (area(pos, neg) for pos, neg in of)
        users.append((a, b, _weight(average, *map(len, of[0]))))
    defined = [(a, b, weight) for a, b, weight in users if a is not None and b is not None]
    difference, se, half = mean_with_error([(a - b, weight) for a, b, weight in defined], level)
    t = p = None
    if difference is not None and se is not None:
        t = difference / se if se > 0 else 0.0 if difference == 0 else None
    if t is not None:
        p = p_value(t, alternative, lambda x: float(student_t.sf(x, len(defined) - 1)))
    return {
        "auc_a": weighted_mean((a, weight) for a, _, weight in defined),
        "auc_b": weighted_mean((b, weight) for _, b, weight in defined),
        "difference": difference,
        "se": se,
        "lower": None if half is None or difference is None else difference - half,
        "upper": None if half is None or difference is None else difference + half,
        "t": t,
        "p_value": p,
        "n_groups": len(defined),
        "n_undefined": len(users) - len(defined),
        **counts,
    }


def error_within(users: list[tuple[list[Any], list[Any], int]]) -> float | None:
    """The standard error of a weighted mean of AUCs by DeLong's variance of each."""
    total, squares = 0, Fraction(0)
    for pos, neg, weight in users:
        if len(pos) < 2 or len(neg) < 2:
            return None
        rows = [(True, score) for score in pos] + [(False, score) for score in neg]
        squares += weight**2 * covariances(rows, 1)[0][0]
        total += weight
    return math.sqrt(squares) / total if total else None


def grouped_roc_auc(
    rows: Sequence[tuple[bool, float, str]], average: str, error: str, level: float
) -> dict[str, Any]:
    counts = {"n_pos": sum(label for label, *_ in rows), "n_neg": sum(not label for label, *_ in rows)}
    if has_nan([(label, score) for label, score, _ in rows]):
        numbers = dict.fromkeys(("auc", "se", "lower", "upper"), math.nan)
        return {**numbers, "n_groups": 0, "n_undefined": 0, **counts}
    users, scores = [], []
    for members in folds(rows).values():
        pos = [score for label, score, *_ in members if label]
        neg = [score for label, score, *_ in members if not label]
        users.append((area(pos, neg), _weight(average, len(pos), len(neg))))
        if users[-1][0] is not None:
            scores.append((pos, neg, users[-1][1]))
    defined = [(auc, weight) for auc, weight in users if auc is not None]
    auc, se, half = mean_with_error(defined, level)
    if error == "within":
        se = error_within(scores)
        half = None if se is None else float(norm.isf((1 - level) / 2)) * se
    return {
        "auc": auc,
        "se": se,
        "lower": None if half is None or auc is None else max(0.0, auc - half),
        "upper": None if half is None or auc is None else min(1.0, auc + half),
        "n_groups": len(defined),
        "n_undefined": len(users) - len(defined),
        **counts,
    }


Point = tuple[Fraction, Fraction]


def _rates(rows: Sequence[Any], threshold: float) -> Point:
    """Return fpr and tpr of calling every score from the threshold up positive."""
    pos = [score for label, score, *_ in rows if label]
    neg = [score for label, score, *_ in rows if not label]
    return (
        Fraction(sum(score >= threshold for score in neg), len(neg)),
        Fraction(sum(score >= threshold for score in pos), len(pos)),
    )


def _tpr_at(rows: Sequence[Any], fpr: Fraction) -> tuple[Fraction, bool]:
    """Return the highest tpr of the curve at an fpr, and whether a point of the curve is there."""
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
    """The deviation of equal rounded values, which is 0, may be a tiny number instead."""
    mean = sum(values, Fraction(0)) / len(values)
    if len(values) < 2:
        return float(mean), None
    variance = sum(((value - mean) ** 2 for value in values), Fraction(0)) / (len(values) - 1)
    return float(mean), MAYBE if rounded and variance == 0 else math.sqrt(variance)


def average_roc_curve(
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
            # Evenly from the lowest on, rounded to the nearest, and halves to the higher score.
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


def covariate_adjusted_roc_curve(
    rows: Sequence[tuple[bool, float, str]],
) -> list[dict[str, Any]] | None:
    """The share of positives whose placement value among the negatives of their stratum is at most a rate."""
    if has_nan([(label, score) for label, score, _ in rows]):
        return None
    # A positive that ties with negatives has each value between calling none and all of them higher.
    values = []
    for stratum in folds(rows).values():
        neg = [score for label, score, *_ in stratum if not label]
        for label, score, *_ in stratum:
            if label and neg:
                above, from_here = sum(n > score for n in neg), sum(n >= score for n in neg)
                values.append((Fraction(above, len(neg)), Fraction(from_here, len(neg))))
    if not values:
        return None

    def below(rate: Fraction, low: Fraction, high: Fraction, *, included: bool) -> Fraction:
        if low == high:
            return Fraction(low < rate or (included and low == rate))
        return min(Fraction(1), max(Fraction(0), (rate - low) / (high - low)))

    points = []
    for rate in sorted({Fraction(0), Fraction(1), *(end for value in values for end in value)}):
        ends = [
            sum((below(rate, *value, included=included) for value in values), Fraction(0)) / len(values)
            for included in (False, True)
        ]
        points += [{"fpr": float(rate), "tpr": float(tpr)} for tpr in sorted(set(ends))]
    return points
