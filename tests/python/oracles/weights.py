"""Areas of weighted rows by definition, with infinitesimal-jackknife covariances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from scipy.stats import norm
from scipy.stats import t as student_t

from oracles.comparisons import population_stability, population_stability_table
from oracles.groups import mean_with_error
from oracles.rows import (
    DIFFERENCE,
    PLAIN,
    Group,
    Question,
    Rounded,
    concordance,
    decided,
    sample_variance,
)
from oracles.wilson import Wilson, effective


def used(rows: Sequence[Any], weight: int) -> list[Any]:
    """Return the rows with positive weight."""
    return [row for row in rows if row[weight] != 0]


def area(rows: Sequence[Any], score: int, weight: int) -> Fraction | None:
    """Return the weighted share of the pairs in which the positive scores higher."""
    pos, neg = [row for row in rows if row[0]], [row for row in rows if not row[0]]
    pairs = [
        (Fraction(p[weight]) * Fraction(n[weight]), concordance(p[score], n[score])) for p in pos for n in neg
    ]
    whole = sum((mass for mass, _ in pairs), Fraction())
    return sum((mass * wins for mass, wins in pairs), Fraction()) / whole if pairs else None


def influences(rows: Sequence[Any], score: int, weight: int) -> list[Fraction]:
    """Return the derivative of the area by the weight of each row, times the weight."""
    auc = area(rows, score, weight)
    assert auc is not None
    values = []
    for row in rows:
        others = [other for other in rows if other[0] != row[0]]
        class_weight = sum(Fraction(other[weight]) for other in rows if other[0] == row[0])
        wins = sum(
            Fraction(other[weight])
            * (concordance(row[score], other[score]) if row[0] else concordance(other[score], row[score]))
            for other in others
        )
        placement = Fraction(wins) / sum(Fraction(other[weight]) for other in others)
        values.append(Fraction(row[weight]) * (placement - auc) / class_weight)
    return values


def variance(rows: Sequence[Any], values: Sequence[Fraction], cluster: int | None) -> Fraction | None:
    """Return the sum of squares of the values, by row or by cluster."""
    clusters = [row[cluster] if cluster is not None else place for place, row in enumerate(rows)]
    for label in (True, False):
        if len({of for row, of in zip(rows, clusters, strict=True) if row[0] == label}) < 2:
            return None
    return sum((value**2 for value in cluster_sums(clusters, values).values()), Fraction())


def cluster_sums(clusters: Sequence[Any], values: Sequence[Fraction]) -> dict[Any, Fraction]:
    """Return the sum of the values of each cluster."""
    sums = dict.fromkeys(clusters, Fraction())
    for cluster, value in zip(clusters, values, strict=True):
        sums[cluster] += value
    return sums


def roc_auc_difference(
    rows: Sequence[Any], z: float, test: Question = PLAIN, *, clustered: bool = False
) -> dict[str, Any]:
    """Use rows (label, score, score, weight) or (label, score, score, weight, cluster)."""
    rows = used(rows, 3)
    counts = {"n_pos": sum(row[0] for row in rows), "n_neg": sum(not row[0] for row in rows)}
    if any(math.isnan(row[1]) or math.isnan(row[2]) for row in rows):
        return {**dict.fromkeys(DIFFERENCE, math.nan), **counts}
    answer: dict[str, Any] = {**dict.fromkeys(DIFFERENCE), **counts}
    a, b = (area(rows, score, 3) for score in (1, 2))
    if a is None or b is None:
        return answer
    answer |= {"estimate_a": float(a), "estimate_b": float(b), "difference": float(a - b)}
    pairs = zip(influences(rows, 1, 3), influences(rows, 2, 3), strict=True)
    difference_variance = variance(
        rows, [a_influence - b_influence for a_influence, b_influence in pairs], 4 if clustered else None
    )
    if difference_variance is None:
        return answer
    se = math.sqrt(difference_variance)
    limits = {"lower": Rounded(float(a - b) - z * se), "upper": Rounded(float(a - b) + z * se)}
    return {**answer, "se": se, **limits, **decided(a - b, se, 0, test)}


def roc_auc_ci_clustered(rows: Sequence[Any], z: float, method: str = "delong") -> dict[str, Any]:
    """Use rows (label, score, weight, cluster)."""
    rows = used(rows, 2)
    counts = {"n_pos": sum(row[0] for row in rows), "n_neg": sum(not row[0] for row in rows)}
    counts["n_clusters"] = len({row[3] for row in rows})
    names = ("auc", "se", "lower", "upper", "z", "p_value")
    if any(math.isnan(row[1]) for row in rows):
        return {**dict.fromkeys(names, math.nan), **counts}
    answer: dict[str, Any] = {**dict.fromkeys(names), **counts}
    auc = area(rows, 1, 2)
    if auc is None:
        return answer
    answer["auc"] = float(auc)
    area_variance = variance(rows, influences(rows, 1, 2), 3)
    if area_variance is None:
        return answer
    se = math.sqrt(area_variance)
    if method == "wilson":
        classes = [[row for row in rows if row[0] == label] for label in (True, False)]
        sizes = [effective([row[2] for row in class_rows]) for class_rows in classes]
        clusters = [len({row[3] for row in class_rows}) for class_rows in classes]
        wilson = Wilson(float(auc), se, (sizes[0], sizes[1]), (clusters[0], clusters[1]))
        level = 2 * float(norm.cdf(z)) - 1
        return {**answer, "se": se, **wilson.limits(level), **wilson.test()}
    limits = {"lower": max(float(auc) - z * se, 0.0), "upper": min(float(auc) + z * se, 1.0)}
    return {**answer, "se": se, **limits, **decided(auc, se, 0.5, PLAIN)}


def cv_roc_auc(rows: Sequence[Any], level: float) -> dict[str, Any]:
    """Use rows (label, score, fold, weight)."""
    rows = used(rows, 3)
    counts = {"n_pos": sum(row[0] for row in rows), "n_neg": sum(not row[0] for row in rows)}
    names = ("auc", "sd", "se", "lower", "upper")
    if any(math.isnan(row[1]) for row in rows):
        return {**dict.fromkeys(names, math.nan), "n_folds": 0, "n_undefined": 0, **counts}
    folds = {row[2] for row in rows}
    areas = [area([row for row in rows if row[2] == fold], 1, 3) for fold in folds]
    defined = [auc for auc in areas if auc is not None]
    k = len(defined)
    answer: dict[str, Any] = {**dict.fromkeys(names), "n_folds": k, "n_undefined": len(folds) - k, **counts}
    if k > 0:
        answer["auc"] = float(sum(defined, Fraction()) / k)
    if k > 1:
        sd = math.sqrt(sample_variance(defined))
        half = float(student_t.isf((1 - level) / 2, k - 1)) * sd / math.sqrt(k)
        limits = {"lower": answer["auc"] - half, "upper": answer["auc"] + half}
        answer |= {"sd": sd, "se": sd / math.sqrt(k), **limits}
    return answer


def grouped_roc_auc(rows: Sequence[Any], average: str, error: str, level: float) -> dict[str, Any]:
    """Use rows (label, score, user, weight)."""
    rows = used(rows, 3)
    counts = {"n_pos": sum(row[0] for row in rows), "n_neg": sum(not row[0] for row in rows)}
    names = ("auc", "se", "lower", "upper")
    if any(math.isnan(row[1]) for row in rows):
        return {**dict.fromkeys(names, math.nan), "n_groups": 0, "n_undefined": 0, **counts}
    defined: list[tuple[Fraction, Fraction]] = []
    variances: list[Fraction | None] = []
    names_of_users = {row[2] for row in rows}
    for user in names_of_users:
        user_rows = [row for row in rows if row[2] == user]
        auc = area(user_rows, 1, 3)
        if auc is None:
            continue
        pos, neg = (sum(Fraction(row[3]) for row in user_rows if row[0] is label) for label in (True, False))
        weight = {"macro": Fraction(1), "rows": pos + neg, "positives": pos, "pairs": pos * neg}[average]
        defined.append((auc, Fraction(weight)))
        variances.append(variance(user_rows, influences(user_rows, 1, 3), None))
    mean, se, half = mean_with_error(defined, level)
    if error == "within":
        se = half = None
        if variances and None not in variances:
            squares = sum(
                (weight**2 * (of or 0) for (_, weight), of in zip(defined, variances, strict=True)),
                Fraction(),
            )
            se = math.sqrt(squares) / float(sum(weight for _, weight in defined))
            half = float(norm.isf((1 - level) / 2)) * se
    return {
        "auc": mean,
        "se": se,
        "lower": None if half is None or mean is None else max(0.0, mean - half),
        "upper": None if half is None or mean is None else min(1.0, mean + half),
        "n_groups": len(defined),
        "n_undefined": len(names_of_users) - len(defined),
        **counts,
    }


def repeated(rows: Sequence[Any]) -> list[tuple[bool, float]]:
    """Repeat each row for every quarter of its weight: all weights are multiples of it."""
    return [row[:2] for row in rows for _ in range(int(4 * Fraction(row[2])))]


def stability(rows: Sequence[Any], bands: int) -> dict[str, Any]:
    """Return the result of the repeated rows, without a p-value."""
    group = Group(used(rows, 2))
    answer = population_stability(repeated(rows), bands)
    return {**answer, **group.counts, "p_value": math.nan if group.has_nan else None}


def stability_table(rows: Sequence[Any], bands: int) -> list[dict[str, Any]] | None:
    """Return the result of the repeated rows, with sums of weights for counts."""
    table = population_stability_table(repeated(rows), bands)
    if table is None:
        return None
    return [{**band, "n_pos": band["n_pos"] / 4, "n_neg": band["n_neg"] / 4} for band in table]
