"""Definitions for several classes, on plain rows in exact fractions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from scipy.stats import norm

from oracles.areas import exact_auc
from oracles.rows import Rounded, concordance, covariances


def area(pos: Sequence[Any], neg: Sequence[Any]) -> Fraction | None:
    """Compare every positive with every negative; None without a positive or a negative."""
    return exact_auc([(True, p) for p in pos] + [(False, n) for n in neg]) if pos and neg else None


def weighted_area(
    pos: Sequence[tuple[Any, Fraction]], neg: Sequence[tuple[Any, Fraction]]
) -> Fraction | None:
    """Compare every positive with every negative, each pair weighted by the product of its weights."""
    pairs = [(p[1] * n[1], concordance(p[0], n[0])) for p in pos for n in neg]
    total = sum((weight for weight, _ in pairs), Fraction(0))
    return sum((weight * right for weight, right in pairs), Fraction(0)) / total if total else None


def weighted_mean(values: Iterable[tuple[Fraction | None, Fraction | int]]) -> float | None:
    defined = [(value, weight) for value, weight in values if value is not None]
    total = sum(weight for _, weight in defined)
    return float(sum((value * weight for value, weight in defined), Fraction(0)) / total) if total else None


def as_float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def multiclass_roc_auc(
    rows: Sequence[Any],
    classes: Sequence[str],
    columns: Callable[[Sequence[float]], Sequence[float]],
    multi_class: str,
    average: str | None,
    *,
    weighted: bool = False,
) -> dict[str, Any]:
    """Rows of the class, one value for each column of a class, and optionally a weight."""
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
        pos, neg = (
            [(value, w) for row_class, value, w in cells if row_class is which] for which in (True, False)
        )
        auc = as_float(weighted_area(pos, neg))
    elif average is not None and multi_class == "ovr":
        auc = weighted_mean((ovr[one], mass[one] if weigh else 1) for one in classes)
    elif average is not None:
        auc = weighted_mean((value, mass[a] + mass[b] if weigh else 1) for (a, b), value in ovo.items())
    pairs = [
        {"class_a": a, "class_b": b, "n": n[a] + n[b], "auc": as_float(value)}
        for (a, b), value in ovo.items()
    ]
    return {
        "auc": auc,
        "classes": [{"class": one, "n": n[one], "auc": as_float(ovr[one])} for one in classes],
        "pairs": pairs if multi_class == "ovo" else None,
        **counts,
    }


def ordinal_roc_auc(rows: Sequence[tuple[str, float]], *, listed: bool = True) -> dict[str, Any]:
    classes = sorted({key for key, _ in rows})
    counts = {"n_classes": len(classes), "n": len(rows)}
    if any(math.isnan(score) for _, score in rows):
        return {"auc": math.nan, "concordance": math.nan, "pairs": None, **counts}
    of = {one: [score for key, score in rows if key == one] for one in classes}
    areas = {(a, b): area(of[b], of[a]) for a, b in combinations(classes, 2)}
    pairs = [{"class_a": a, "class_b": b, "auc": as_float(value)} for (a, b), value in areas.items()]
    return {
        "auc": weighted_mean((value, 1) for value in areas.values()),
        "concordance": weighted_mean((value, len(of[a]) * len(of[b])) for (a, b), value in areas.items()),
        "pairs": pairs if listed else None,
        **counts,
    }


def _sampled(components: Iterable[Sequence[Fraction]]) -> Fraction | None:
    """Return the variance of a sum of sample means; None if a sample is a single value."""
    total = Fraction(0)
    for values in components:
        if len(values) < 2:
            return None
        mean = sum(values, Fraction(0)) / len(values)
        squares = sum(((value - mean) ** 2 for value in values), Fraction(0))
        total += squares / (len(values) - 1) / len(values)
    return total


LIMITS = ("se", "lower", "upper")


def normal_limits(
    estimate: float | None, variance: Fraction | None, level: float, least: float = 0.0, most: float = 1.0
) -> dict[str, Any]:
    if estimate is None or variance is None:
        return dict.fromkeys(LIMITS)
    se = math.sqrt(variance)
    half = float(norm.isf((1 - level) / 2)) * se
    limits = (se, max(least, estimate - half), min(most, estimate + half))
    return dict(zip(LIMITS, map(Rounded, limits), strict=True))


def delong_variance(pos: Sequence[Any], neg: Sequence[Any]) -> Fraction | None:
    if len(pos) < 2 or len(neg) < 2:
        return None
    return covariances([(True, score) for score in pos] + [(False, score) for score in neg], 1)[0][0]


def multiclass_roc_auc_ci(
    rows: Sequence[Any],
    classes: Sequence[str],
    columns: Callable[[Sequence[float]], Sequence[float]],
    multi_class: str,
    average: str | None,
    level: float,
) -> dict[str, Any]:
    answer = multiclass_roc_auc(rows, classes, columns, multi_class, average)
    if answer["classes"] is None:
        return {**answer, **dict.fromkeys(LIMITS, answer["auc"])}
    of: dict[str, list[dict[str, float]]] = {one: [] for one in classes}
    for key, *scores in rows:
        of[key].append(dict(zip(classes, columns(scores), strict=True)))
    n = {one: len(of[one]) for one in classes}
    present = [one for one in classes if n[one]]

    def placement(row: dict[str, float], class_name: str, column: str, others: str) -> Fraction:
        """Return the weight of the other class that a row ranks correctly: above or below it."""
        right = (
            concordance(row[column], other[column])
            if class_name == column
            else concordance(other[column], row[column])
            for other in of[others]
        )
        return sum(right, Fraction(0)) / n[others]

    def share(class_name: str, other: str) -> Fraction:
        """Return the weight of the area of two classes in the average, up to a factor."""
        if multi_class == "ovr":
            return Fraction(n[other], len(rows) - n[class_name]) * (
                n[class_name] if average == "weighted" else 1
            )
        return Fraction(n[class_name] + n[other] if average == "weighted" else 1, 2)

    total = sum((share(a, b) for a in present for b in present if a != b), Fraction(0))

    def component(row: dict[str, float], class_name: str, others: Sequence[str]) -> Fraction:
        parts = (
            share(class_name, other) * placement(row, class_name, class_name, other)
            + share(other, class_name) * placement(row, class_name, other, other)
            for other in others
        )
        return sum(parts, Fraction(0)) / total

    variance = None
    if total:
        variance = _sampled(
            [
                component(row, label_class, [one for one in present if one != label_class])
                for row in of[label_class]
            ]
            for label_class in present
        )
    for one in answer["classes"]:
        name = one["class"]
        pos = [row[name] for row in of[name]]
        neg = [row[name] for other in classes if other != name for row in of[other]]
        one.update(normal_limits(one["auc"], delong_variance(pos, neg), level))
    for pair in answer["pairs"] or []:
        a, b = pair["class_a"], pair["class_b"]
        pair_variance = None
        if n[a] and n[b]:
            pair_variance = _sampled(
                [
                    (
                        placement(row, label_class, label_class, other)
                        + placement(row, label_class, other, other)
                    )
                    / 2
                    for row in of[label_class]
                ]
                for label_class, other in ((a, b), (b, a))
            )
        pair.update(normal_limits(pair["auc"], pair_variance, level))
    return {**answer, **normal_limits(answer["auc"], variance, level)}


def ordinal_roc_auc_ci(rows: Sequence[tuple[str, float]], level: float, *, listed: bool) -> dict[str, Any]:
    answer = ordinal_roc_auc(rows, listed=listed)
    names = [f"concordance_{name}" for name in LIMITS]
    if answer["auc"] is not None and math.isnan(answer["auc"]):
        return {**answer, **dict.fromkeys((*LIMITS, *names), math.nan)}
    of: dict[str, list[float]] = {}
    for key, score in rows:
        of.setdefault(key, []).append(score)

    def placement(score: float, class_name: str, other: str) -> Fraction:
        right = (
            concordance(score, against) if class_name > other else concordance(against, score)
            for against in of[other]
        )
        return sum(right, Fraction(0)) / len(of[other])

    def limits(estimate: float | None, weight: Callable[[str, str], int]) -> dict[str, Any]:
        total = sum(weight(a, b) for a, b in combinations(of, 2))
        components = (
            [
                sum(
                    (
                        weight(class_name, other) * placement(score, class_name, other)
                        for other in of
                        if other != class_name
                    ),
                    Fraction(0),
                )
                / total
                for score in of[class_name]
            ]
            for class_name in of
        )
        return normal_limits(estimate, _sampled(components) if total else None, level)

    concordance_limits = limits(answer["concordance"], lambda a, b: len(of[a]) * len(of[b]))
    for pair in answer["pairs"] or []:
        pair.update(
            normal_limits(pair["auc"], delong_variance(of[pair["class_b"]], of[pair["class_a"]]), level)
        )
    return {
        **answer,
        **limits(answer["auc"], lambda *_: 1),
        **dict(zip(names, concordance_limits.values(), strict=True)),
    }
