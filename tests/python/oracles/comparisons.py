"""Comparisons of two scores or two samples, by their placements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from scipy.stats import chi2

from oracles.areas import Bounds, area_within, exact_auc, placements_within, variances_within
from oracles.curves import score_bands
from oracles.intervals import roc_auc_ci
from oracles.rows import (
    DIFFERENCE,
    MAYBE,
    PLAIN,
    Question,
    Row,
    classes,
    clustered_covariances,
    covariances,
    decided,
    has_nan,
    is_defined,
)


def roc_auc_difference(
    rows: Sequence[Any], z: float, test: Question = PLAIN, clustered: bool = False
) -> dict[str, Any]:
    pairs = [[(row[0], row[1 + k]) for row in rows] for k in range(2)]
    pos, neg = classes(pairs[0])
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    if any(has_nan(one) for one in pairs):
        return {**dict.fromkeys(DIFFERENCE, math.nan), **counts}
    answer: dict[str, Any] = {**dict.fromkeys(DIFFERENCE), **counts}
    if not pos or not neg:
        return answer
    a, b = map(exact_auc, pairs)
    answer |= {"estimate_a": float(a), "estimate_b": float(b), "difference": float(a - b)}
    matrix = (
        clustered_covariances(rows, 2)
        if clustered
        else covariances(rows, 2)
        if len(pos) > 1 and len(neg) > 1
        else None
    )
    if matrix is None:
        return answer
    variance = max(Fraction(0), matrix[0][0] + matrix[1][1] - 2 * matrix[0][1])
    se = math.sqrt(variance)
    answer |= {"se": se, "lower": float(a - b) - z * se, "upper": float(a - b) + z * se}
    return answer | decided(a - b, se, Fraction(0), test)


def roc_auc_difference_clustered(rows: Sequence[Any], z: float) -> dict[str, Any]:
    return roc_auc_difference(rows, z, clustered=True)


def partial_area(rows: Sequence[Row], max_fpr: Fraction) -> Fraction:
    """Return the partial area up to an fpr: for each negative below it, the tpr above the negative."""
    pos, neg = classes(rows)
    thresholds = sorted({score for _, score in rows}, reverse=True)
    x0, y0, area = Fraction(0), Fraction(0), Fraction(0)
    for threshold in thresholds:
        x1 = Fraction(sum(score >= threshold for score in neg), len(neg))
        y1 = Fraction(sum(score >= threshold for score in pos), len(pos))
        if x1 > x0 and x0 < max_fpr:
            right = min(x1, max_fpr)
            height = y0 + (y1 - y0) * (right - x0) / (x1 - x0)
            area += (right - x0) * (y0 + height) / 2
        x0, y0 = x1, y1
    return area


def partial_area_difference(rows: Sequence[Any], max_fpr: Fraction) -> dict[str, Any]:
    pairs = [[(row[0], row[1 + k]) for row in rows] for k in range(2)]
    whole = roc_auc_difference(rows, z=1.0)
    if not is_defined(whole["difference"]):
        return whole
    a, b = (partial_area(one, max_fpr) for one in pairs)
    answer = whole | {"estimate_a": float(a), "estimate_b": float(b), "difference": ...}
    resampled = dict.fromkeys(("se", "lower", "upper"), ...) if whole["se"] is not None else {}
    # With a standard error of 0 the statistic is undefined, and whether it is 0 depends on the random
    # numbers.
    return answer | resampled | {"z": MAYBE, "p_value": MAYBE} if resampled else answer


def compare_scores(rows: Sequence[Any], z: float) -> dict[str, Any]:
    """Compare two scores, named score and other: the joint statistic is the square of their test."""
    test = roc_auc_difference(rows, z)
    counts = {key: test[key] for key in ("n_pos", "n_neg")}
    if test["difference"] is None or math.isnan(test["difference"]):
        nothing = None if test["difference"] is None else math.nan
        lists = {"estimates": None, "differences": None}
        return {**lists, "chi_square": nothing, "df": None, "p_value": nothing, **counts}
    matrix = covariances(rows, 2) if test["se"] is not None else None
    estimates = []
    for k, name in enumerate(("score", "other")):
        ci = roc_auc_ci([(row[0], row[1 + k]) for row in rows], z)
        area = {"estimate": ci["auc"]} | {key: ci[key] for key in ("se", "lower", "upper")}
        covariance = [float(value) for value in matrix[k]] if matrix else []
        estimates.append({"score": name, **area, "covariance": covariance})
    pair = {key: test[key] for key in ("difference", "se", "lower", "upper", "z", "p_value")}
    pairs = [{"score_a": "score", "score_b": "other", **pair, "p_adjusted": pair["p_value"]}]
    joint: dict[str, Any] = dict.fromkeys(("chi_square", "df", "p_value"))
    if test["se"] == 0:
        joint |= {"df": 0, "chi_square": 0.0} if test["difference"] == 0 else {}
    elif test["se"] is not None:
        joint = {"chi_square": test["z"] ** 2, "df": 1, "p_value": test["p_value"]}
    return {"estimates": estimates, "differences": pairs, **joint, **counts}


def roc_curve_difference(rows: Sequence[Any]) -> dict[str, Any]:
    """Return whether the test is defined. Its value is random, so any number is accepted."""
    test = roc_auc_difference(rows, z=1.0)
    counts = {key: test[key] for key in ("n_pos", "n_neg")}
    difference = test["difference"]
    return {
        **dict.fromkeys(("statistic", "p_value"), ... if is_defined(difference) else difference),
        **counts,
    }


def partial_roc_auc_difference(
    rows: Sequence[Any], bounds: Bounds, z: float, test: Question
) -> dict[str, Any]:
    pairs = [[(row[0], row[1 + k]) for row in rows] for k in range(2)]
    pos, neg = classes(pairs[0])
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    if any(has_nan(one) for one in pairs):
        return {**dict.fromkeys(DIFFERENCE, math.nan), **counts}
    none: dict[str, Any] = {**dict.fromkeys(DIFFERENCE), **counts}
    if not pos or not neg:
        return none
    a, b = (area_within(one, bounds) for one in pairs)
    estimates = {"estimate_a": float(a), "estimate_b": float(b), "difference": float(a - b)}
    if len(pos) < 2 or len(neg) < 2:
        return none | estimates
    differences = [x - y for x, y in zip(*(placements_within(one, bounds) for one in pairs), strict=True)]
    se = math.sqrt(sum(variances_within([row[0] for row in rows], differences)))
    limits = {"lower": float(a - b) - z * se, "upper": float(a - b) + z * se}
    return {**estimates, "se": se, **limits, **decided(a - b, se, Fraction(0), test), **counts}


def population_stability_table(
    rows: Sequence[Row], bands: int, edges: Sequence[float] | None = None, empty_share: float = 0.0
) -> list[dict[str, Any]] | None:
    pos, neg = classes(rows)
    if has_nan(rows) or not pos or not neg:
        return None
    if edges is None:
        band_of = score_bands(rows, bands, by_positives=True)
    else:
        band_of = {score: sum(edge > score for edge in edges) + 1 for _, score in rows}
    table: list[dict[str, Any]] = []
    for band in sorted(set(band_of.values())):
        inside = [score for score in band_of if band_of[score] == band]
        n_pos, n_neg = (sum(band_of[score] == band for score in of) for of in (pos, neg))
        shares = n_pos / len(pos), n_neg / len(neg)
        e, a = (share or empty_share for share in shares)
        psi = math.inf if 0 in (e, a) else (e - a) * math.log(e / a)
        table.append(
            {
                "band": band,
                "highest": max(inside),
                "lowest": min(inside),
                "n_pos": n_pos,
                "n_neg": n_neg,
                "pos_share": shares[0],
                "neg_share": shares[1],
                "psi": psi,
            }
        )
    if len(table) == 1:
        table[0]["psi"] = None
    return table


def population_stability(
    rows: Sequence[Row], bands: int, edges: Sequence[float] | None = None, empty_share: float = 0.0
) -> dict[str, Any]:
    pos, neg = classes(rows)
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    if has_nan(rows):
        return {"psi": math.nan, "p_value": math.nan, "n_bands": None, **counts}
    table = population_stability_table(rows, bands, edges, empty_share)
    if table is None:
        return {"psi": None, "p_value": None, "n_bands": None, **counts}
    if len(table) == 1:
        return {"psi": None, "p_value": None, "n_bands": 1, **counts}
    psi = sum(band["psi"] for band in table)
    scale = 1 / len(pos) + 1 / len(neg)
    p_value = float(chi2.sf(psi / scale, len(table) - 1)) if psi < math.inf else None
    return {"psi": psi, "p_value": p_value, "n_bands": len(table), **counts}
