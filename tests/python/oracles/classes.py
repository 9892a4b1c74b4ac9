"""The definitions for several classes, subgroups and folds, on plain rows in exact fractions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from scipy.stats import norm
from scipy.stats import t as student_t

from oracles.scores import MAYBE, Rounded, concordance, covariances, exact_auc, folds, has_nan, p_value


def area(pos: Sequence[Any], neg: Sequence[Any]) -> Fraction | None:
    """Compare every positive with every negative; none without either."""
    return exact_auc([(True, p) for p in pos] + [(False, n) for n in neg]) if pos and neg else None


def weighted_area(
    pos: Sequence[tuple[Any, Fraction]], neg: Sequence[tuple[Any, Fraction]]
) -> Fraction | None:
    """Compare every positive with every negative, each pair by the product of its weights."""
    pairs = [(p[1] * n[1], concordance(p[0], n[0])) for p in pos for n in neg]
    total = sum((weight for weight, _ in pairs), Fraction(0))
    return sum((weight * right for weight, right in pairs), Fraction(0)) / total if total else None


def weighted_mean(values: Iterable[tuple[Fraction | None, Fraction | int]]) -> float | None:
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
    *,
    weighted: bool = False,
) -> dict[str, Any]:
    """Rows are the class, what the columns, one for each class, are made of, and perhaps a weight."""
    weights = [Fraction(row[-1]) if weighted else Fraction(1) for row in rows]
    if weighted:
        rows, weights = (
            [row[:-1] for row in rows if row[-1] > 0],
            [weight for weight in weights if weight > 0],
        )
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

    weighed = [(key, values, weight) for (key, values), weight in zip(labelled, weights, strict=True)]

    def of(column: str, pos: str, negs: Iterable[str]) -> Fraction | None:
        others = set(negs)
        return weighted_area(
            [(values[column], weight) for key, values, weight in weighed if key == pos],
            [(values[column], weight) for key, values, weight in weighed if key in others],
        )

    n = {one: sum(key == one for key, _ in labelled) for one in classes}
    mass = {one: sum((weight for key, _, weight in weighed if key == one), Fraction(0)) for one in classes}
    ovr = {one: of(one, one, set(classes) - {one}) for one in classes}
    ovo = {}
    for a, b in combinations(classes, 2):
        a_over_b, b_over_a = of(a, a, b), of(b, b, a)
        ovo[a, b] = None if a_over_b is None or b_over_a is None else (a_over_b + b_over_a) / 2
    weigh = average == "weighted"
    auc = None
    if average == "micro":
        cells = [(key == one, value, w) for key, values, w in weighed for one, value in values.items()]
        pos, neg = ([(value, w) for own, value, w in cells if own is which] for which in (True, False))
        auc = _number(weighted_area(pos, neg))
    elif average is not None and multi_class == "ovr":
        auc = weighted_mean((ovr[one], mass[one] if weigh else 1) for one in classes)
    elif average is not None:
        auc = weighted_mean((value, mass[a] + mass[b] if weigh else 1) for (a, b), value in ovo.items())
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


def _sampled(components: Iterable[Sequence[Fraction]]) -> Fraction | None:
    """Return the variance of a sum of means, each of a sample; none if one is a single value."""
    total = Fraction(0)
    for values in components:
        if len(values) < 2:
            return None
        mean = sum(values, Fraction(0)) / len(values)
        squares = sum(((value - mean) ** 2 for value in values), Fraction(0))
        total += squares / (len(values) - 1) / len(values)
    return total


LIMITS = ("se", "lower", "upper")


def _limits(
    estimate: float | None, variance: Fraction | None, level: float, least: float = 0.0, most: float = 1.0
) -> dict[str, Any]:
    if estimate is None or variance is None:
        return dict.fromkeys(LIMITS)
    se = math.sqrt(variance)
    half = float(norm.isf((1 - level) / 2)) * se
    limits = (se, max(least, estimate - half), min(most, estimate + half))
    return dict(zip(LIMITS, map(Rounded, limits), strict=True))


def _delong(pos: Sequence[Any], neg: Sequence[Any]) -> Fraction | None:
    if len(pos) < 2 or len(neg) < 2:
        return None
    return covariances([(True, score) for score in pos] + [(False, score) for score in neg], 1)[0][0]


def roc_auc_multiclass_ci(
    rows: Sequence[Any],
    classes: Sequence[str],
    columns: Callable[[Sequence[float]], Sequence[float]],
    multi_class: str,
    average: str | None,
    level: float,
) -> dict[str, Any]:
    answer = roc_auc_multiclass(rows, classes, columns, multi_class, average)
    if answer["classes"] is None:
        return {**answer, **dict.fromkeys(LIMITS, answer["auc"])}
    of: dict[str, list[dict[str, float]]] = {one: [] for one in classes}
    for key, *scores in rows:
        of[key].append(dict(zip(classes, columns(scores), strict=True)))
    n = {one: len(of[one]) for one in classes}
    present = [one for one in classes if n[one]]

    def placement(row: dict[str, float], own: str, column: str, others: str) -> Fraction:
        """Return how much of another class a row is right against: above by its own column, or below."""
        right = (
            concordance(row[column], other[column])
            if own == column
            else concordance(other[column], row[column])
            for other in of[others]
        )
        return sum(right, Fraction(0)) / n[others]

    def share(own: str, other: str) -> Fraction:
        """Return the weight of the area of a class against another in the average, but for a factor."""
        if multi_class == "ovr":
            return Fraction(n[other], len(rows) - n[own]) * (n[own] if average == "weighted" else 1)
        return Fraction(n[own] + n[other] if average == "weighted" else 1, 2)

    total = sum((share(a, b) for a in present for b in present if a != b), Fraction(0))

    def component(row: dict[str, float], own: str, others: Sequence[str]) -> Fraction:
        parts = (
            share(own, other) * placement(row, own, own, other)
            + share(other, own) * placement(row, own, other, other)
            for other in others
        )
        return sum(parts, Fraction(0)) / total

    variance = None
    if total:
        variance = _sampled(
            [component(row, own, [one for one in present if one != own]) for row in of[own]]
            for own in present
        )
    for one in answer["classes"]:
        name = one["class"]
        pos = [row[name] for row in of[name]]
        neg = [row[name] for other in classes if other != name for row in of[other]]
        one.update(_limits(one["auc"], _delong(pos, neg), level))
    for pair in answer["pairs"] or []:
        a, b = pair["class_a"], pair["class_b"]
        pair_variance = None
        if n[a] and n[b]:
            pair_variance = _sampled(
                [(placement(row, own, own, other) + placement(row, own, other, other)) / 2 for row in of[own]]
                for own, other in ((a, b), (b, a))
            )
        pair.update(_limits(pair["auc"], pair_variance, level))
    return {**answer, **_limits(answer["auc"], variance, level)}


def roc_auc_ordinal_ci(rows: Sequence[tuple[str, float]], level: float, *, listed: bool) -> dict[str, Any]:
    answer = roc_auc_ordinal(rows, listed=listed)
    names = [f"concordance_{name}" for name in LIMITS]
    if answer["auc"] is not None and math.isnan(answer["auc"]):
        return {**answer, **dict.fromkeys((*LIMITS, *names), math.nan)}
    of: dict[str, list[float]] = {}
    for key, score in rows:
        of.setdefault(key, []).append(score)

    def placement(score: float, own: str, other: str) -> Fraction:
        right = (
            concordance(score, against) if own > other else concordance(against, score)
            for against in of[other]
        )
        return sum(right, Fraction(0)) / len(of[other])

    def limits(estimate: float | None, weight: Callable[[str, str], int]) -> dict[str, Any]:
        total = sum(weight(a, b) for a, b in combinations(of, 2))
        components = (
            [
                sum(
                    (weight(own, other) * placement(score, own, other) for other in of if other != own),
                    Fraction(0),
                )
                / total
                for score in of[own]
            ]
            for own in of
        )
        return _limits(estimate, _sampled(components) if total else None, level)

    of_concordance = limits(answer["concordance"], lambda a, b: len(of[a]) * len(of[b]))
    for pair in answer["pairs"] or []:
        pair.update(_limits(pair["auc"], _delong(of[pair["class_b"]], of[pair["class_a"]]), level))
    return {
        **answer,
        **limits(answer["auc"], lambda *_: 1),
        **dict(zip(names, of_concordance.values(), strict=True)),
    }


def subgroup_auc_ci(
    rows: Sequence[tuple[bool, float, str]], subgroup: str, level: float
) -> list[dict[str, Any]] | None:
    if has_nan([(label, score) for label, score, _ in rows]):
        return None
    answer = subgroup_auc(rows, subgroup)

    # Which rows a number is made of, by their label and by whether they are of the subgroup.
    samples: dict[str, Callable[[bool, bool], bool | None]] = {
        "subgroup_auc": lambda label, inside: label if inside else None,
        "bpsn_auc": lambda label, inside: label if label != inside else None,
        "bnsp_auc": lambda label, inside: label if label == inside else None,
        "background_auc": lambda label, inside: None if inside else label,
        "auc": lambda label, _: label,
        "positive_aeg": lambda label, inside: inside if label else None,
        "negative_aeg": lambda label, inside: None if label else inside,
    }
    records = []
    for field, sampled in samples.items():
        taken = [(sampled(label, key == subgroup), label, score) for label, score, key in rows]
        first, second = ([score for side, _, score in taken if side is place] for place in (True, False))
        variance = _delong(first, second)
        least, most = (-0.5, 0.5) if field.endswith("aeg") else (0.0, 1.0)
        record = {
            "field": field,
            "estimate": answer[field],
            **_limits(answer[field], variance, level, least, most),
            "n_pos": sum(label for side, label, _ in taken if side is not None),
            "n_neg": sum(not label for side, label, _ in taken if side is not None),
        }
        records.append(record)
    return records


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
