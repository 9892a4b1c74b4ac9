"""Definitions for segments, subgroups, users and strata, on plain rows in exact fractions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from scipy.stats import norm
from scipy.stats import t as student_t

from oracles.areas import exact_auc
from oracles.calibration import wilson
from oracles.classes import area, as_float, delong_variance, normal_limits, weighted_mean
from oracles.decisions import outcome
from oracles.folds import folds
from oracles.rows import (
    Iterated,
    Rounded,
    covariances,
    has_nan,
    normal_tail,
    p_value,
    placements,
)


def area_covariance(one: Sequence[Any], other: Sequence[Any]) -> Fraction | None:
    """Return the covariance of two AUCs of rows (label, score, ..., cluster)."""

    def sums(rows: Sequence[Any]) -> list[dict[Any, Fraction]]:
        class_sums: list[dict[Any, Fraction]] = [{}, {}]
        pairs = [row[:2] for row in rows]
        auc = exact_auc(pairs)
        for sums, label, values in zip(class_sums, (True, False), placements(pairs), strict=True):
            for row, value in zip([row for row in rows if row[0] == label], values, strict=True):
                sums[row[-1]] = sums.get(row[-1], Fraction(0)) + (value - auc) / len(values)
        return class_sums

    first_sums, second_sums = sums(one), sums(other)
    if any(len(clusters_of_class) < 2 for clusters_of_class in (*first_sums, *second_sums)):
        return None

    def part(a: int, b: int) -> Fraction:
        x, y = first_sums[a], second_sums[b]
        if a == b:
            clusters = min(len(x), len(y))
        else:
            clusters = min(len({row[-1] for row in rows}) for rows in (one, other))
        return Fraction(clusters, clusters - 1) * sum((x[c] * y[c] for c in x if c in y), Fraction(0))

    return sum((part(a, b) for a in (0, 1) for b in (0, 1)), Fraction(0))


def rest(segment: Sequence[Any], others: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """Return the van Elteren mean of the AUCs of other segments of rows (label, score, ..., cluster).

    Its variance and its covariance with the AUC of a segment are sums over all pairs.
    """
    used = [(rows, area_covariance(rows, rows)) for rows in others if len({row[0] for row in rows}) == 2]
    varying = [rows for rows, variance in used if variance is not None]
    # With fewer than two variances among all segments, the mean is over all others.
    every = [segment, *others]
    defined = [
        rows
        for rows in every
        if len({row[0] for row in rows}) == 2 and area_covariance(rows, rows) is not None
    ]
    is_defined = len(defined) >= 2 or len(varying) == len(used)
    if not is_defined:
        varying = [rows for rows, _ in used]
    counts = [(sum(row[0] for row in rows), sum(not row[0] for row in rows)) for rows in varying]
    if not varying:
        return {"auc": None, "variance": None, "covariance": None, "n_pos": 0, "n_neg": 0}
    weights = [Fraction(m * n, m + n + 1) for m, n in counts]
    shares = [weight / sum(weights) for weight in weights]

    def covariance(a: Sequence[Any], b: Sequence[Any]) -> Fraction:
        both = area_covariance(a, b)
        assert both is not None
        return both

    weighted = list(zip(shares, varying, strict=True))
    if not is_defined:
        auc = sum((share * exact_auc([row[:2] for row in rows]) for share, rows in weighted), Fraction(0))
        return {"auc": auc, "variance": None, "covariance": None, "n_pos": 0, "n_neg": 0}
    has_variance = len({row[0] for row in segment}) == 2 and area_covariance(segment, segment) is not None
    return {
        "auc": sum((share * exact_auc([row[:2] for row in rows]) for share, rows in weighted), Fraction(0)),
        "variance": sum(
            (s * t * covariance(a, b) for s, a in weighted for t, b in weighted),
            Fraction(0),
        ),
        "covariance": sum((share * covariance(segment, rows) for share, rows in weighted), Fraction(0))
        if has_variance
        else None,
        "n_pos": sum(m for m, _ in counts),
        "n_neg": sum(n for _, n in counts),
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
        **{name: math.nan if nan else as_float(value) for name, value in areas.items()},
        "n_subgroup_pos": len(pos),
        "n_subgroup_neg": len(neg),
        "n_background_pos": len(other_pos),
        "n_background_neg": len(other_neg),
    }


def _score(x: int, m: int, y: int, n: int, ratio: Decimal) -> Decimal:
    """Return the score statistic of x of m against a multiple of y of n (Miettinen and Nurminen)."""
    whole, linear = (m + n) * ratio, m * ratio + x + n + y * ratio
    q = (linear - (linear * linear - 4 * whole * (x + y)).sqrt()) / (2 * whole)
    p = ratio * q
    variance = (p * (1 - p) / m + ratio * ratio * q * (1 - q) / n) * (m + n) / (m + n - 1)
    distance = Decimal(x) / m - ratio * y / n
    return distance / variance.sqrt() if distance else Decimal(0)


def _ratio_limits(x: int, m: int, y: int, n: int, level: float) -> tuple[float, float]:
    """Use bisection of the logarithm, with 60 digits."""
    errors = Decimal(NormalDist().inv_cdf(0.5 + level / 2))

    def limit(errors: Decimal) -> float:
        low, high = Decimal(-20), Decimal(20)
        for _ in range(70):
            middle = (low + high) / 2
            # The statistic decreases with the ratio.
            low, high = (middle, high) if _score(x, m, y, n, middle.exp()) > errors else (low, middle)
        return float(low.exp())

    with localcontext() as context:
        context.prec = 60
        return limit(errors) if x else 0.0, limit(-errors) if y else math.inf


def subgroup_rate_difference(
    rows: Sequence[tuple[bool, float, str]], *, subgroup: str, at: float, rate: str, level: float
) -> dict[str, Any]:
    ends = ("", "_lower", "_upper")
    names = (
        "subgroup_rate",
        "background_rate",
        *(f"{it}{end}" for it in ("difference", "ratio") for end in ends),
    )
    counts = {"n_pos": sum(label for label, _, _ in rows), "n_neg": sum(not label for label, _, _ in rows)}
    nan = has_nan([(label, score) for label, score, _ in rows])
    answer: dict[str, Any] = dict.fromkeys((*names, "p_value"), math.nan if nan else None)
    answer |= {"four_fifths": None, "n_subgroup": 0, "n_background": 0, **counts}
    if nan:
        return answer
    outcomes: dict[bool, list[bool]] = {True: [], False: []}
    for label, score, key in rows:
        counted = outcome(rate, label=label, is_called=score >= at)
        if counted is not None:
            outcomes[key == subgroup].append(counted)
    (x, m), (y, n) = ((sum(of), len(of)) for of in (outcomes[True], outcomes[False]))
    answer |= {"n_subgroup": m, "n_background": n}
    answer["subgroup_rate"] = float(Fraction(x, m)) if m else None
    answer["background_rate"] = float(Fraction(y, n)) if n else None
    if not (m and n):
        return answer
    p, q = Fraction(x, m), Fraction(y, n)
    (low, high), (other_low, other_high) = wilson(p, m, level), wilson(q, n, level)
    answer |= {
        "difference": Rounded(p - q),
        "difference_lower": Rounded(float(p - q) - math.hypot(p - low, other_high - q)),
        "difference_upper": Rounded(float(p - q) + math.hypot(high - p, q - other_low)),
        "p_value": Rounded(2 * normal_tail(abs(float(_score(x, m, y, n, Decimal(1)))))),
        "four_fifths": min(p, q) >= Fraction(4, 5) * max(p, q),
    }
    if x or y:
        lower, upper = _ratio_limits(x, m, y, n, level)
        ratio = float(p / q) if y else math.inf
        answer |= {"ratio": ratio, "ratio_lower": Iterated(lower), "ratio_upper": Iterated(upper)}
    return answer


def subgroup_auc_ci(
    rows: Sequence[tuple[bool, float, str]], subgroup: str, level: float
) -> list[dict[str, Any]] | None:
    if has_nan([(label, score) for label, score, _ in rows]):
        return None
    answer = subgroup_auc(rows, subgroup)

    # The rows of each rate, by label and by membership of the subgroup.
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
        sampled_rows = [(sampled(label, key == subgroup), label, score) for label, score, key in rows]
        first, second = (
            [score for side, _, score in sampled_rows if side is place] for place in (True, False)
        )
        variance = delong_variance(first, second)
        least, most = (-0.5, 0.5) if field.endswith("aeg") else (0.0, 1.0)
        record = {
            "field": field,
            "estimate": answer[field],
            **normal_limits(answer[field], variance, level, least, most),
            "n_pos": sum(label for side, label, _ in sampled_rows if side is not None),
            "n_neg": sum(not label for side, label, _ in sampled_rows if side is not None),
        }
        records.append(record)
    return records


def mean_with_error(
    values: Sequence[tuple[Fraction, Fraction | int]], level: float
) -> tuple[float | None, float | None, float | None]:
    """Return the weighted mean, its standard error, and half the width of its interval."""
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
    """Return the standard error of a weighted mean of AUCs by DeLong's variance of each."""
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


def covariate_adjusted_roc_curve(
    rows: Sequence[tuple[bool, float, str]],
) -> list[dict[str, Any]] | None:
    """Return the share of positives whose placement value in their stratum is at most a rate."""
    if has_nan([(label, score) for label, score, _ in rows]):
        return None
    # A positive in a tie has all values between none and all tied negatives being higher.
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
