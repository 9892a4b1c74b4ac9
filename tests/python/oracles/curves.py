"""The definitions of curves, tables and fitted curves, in exact fractions where there are any."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from scipy.stats import chi2, norm

from oracles.points import Group
from oracles.scores import MAYBE, Rounded, Row, classes, has_nan


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


def gains_table(
    rows: Sequence[Row], bands: int, edges: Sequence[float] | None = None
) -> list[dict[str, Any]] | None:
    pos, neg = classes(rows)
    if not pos or not neg or has_nan(rows):
        return None
    scores = [score for _, score in rows]
    band_of = {s: sum(other > s for other in scores) * bands // len(rows) + 1 for s in scores}
    if edges is not None:
        band_of = {s: sum(edge > s for edge in edges) + 1 for s in scores}
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


def population_stability(
    rows: Sequence[Row], bands: int, edges: Sequence[float] | None = None, empty_share: float = 0.0
) -> dict[str, Any]:
    pos, neg = classes(rows)
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    if has_nan(rows):
        return {"psi": math.nan, "p_value": math.nan, "n_bands": None, **counts}
    if not pos or not neg:
        return {"psi": None, "p_value": None, "n_bands": None, **counts}

    def band_of(score: Any) -> int:
        if edges is not None:
            return sum(edge > score for edge in edges)
        # A score that the reference lacks goes with its next higher one, or else with its highest.
        own = min((p for p in pos if p >= score), default=max(pos))
        return int(sum(p > own for p in pos)) * bands // len(pos)

    psi, used = 0.0, {band_of(score) for _, score in rows}
    for band in used:
        shares = [sum(band_of(s) == band for s in of) / len(of) or empty_share for of in (pos, neg)]
        if 0 in shares:
            psi = math.inf
        else:
            psi += (shares[0] - shares[1]) * math.log(shares[0] / shares[1])
    scale = 1 / len(pos) + 1 / len(neg)
    p_value = float(chi2.sf(psi / scale, len(used) - 1)) if len(used) > 1 and psi < math.inf else None
    return {"psi": psi, "p_value": p_value, "n_bands": len(used), **counts}


def _quantile(share: Fraction) -> float:
    """The normal quantile, so that of a share and of the rest it is the same but for the sign."""
    return float(norm.ppf(float(share))) if share <= Fraction(1, 2) else -_quantile(1 - share)


def _line(group: Group) -> tuple[float, float] | None:
    """Intercept and slope of the normal quantile of specificity on that of sensitivity."""
    if not group.has_pairs or group.has_nan:
        return None
    finite = [(tp, fp) for _, fp, tp in group.points() if 0 < tp < group.p and 0 < fp < group.n]
    if len({tp for tp, _ in finite}) < 2:
        return None
    x = [_quantile(tp / group.p) for tp, _ in finite]
    y = [_quantile(1 - fp / group.n) for _, fp in finite]
    mean_x, mean_y = math.fsum(x) / len(x), math.fsum(y) / len(y)
    products = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    flat = len({fp for _, fp in finite}) == 1
    slope = 0.0 if flat else products / math.fsum((a - mean_x) ** 2 for a in x)
    return (y[0] if flat else mean_y - slope * mean_x), slope


def roc_binormal(rows: Sequence[Any]) -> dict[str, Any]:
    group = Group(rows)
    names = ("auc", "intercept", "slope")
    if group.has_nan:
        return {**dict.fromkeys(names, math.nan), **group.counts}
    line = _line(group)
    if line is None:
        return {**dict.fromkeys(names), **group.counts}
    intercept, slope = line
    auc = float(norm.cdf(intercept / math.sqrt(1 + slope**2)))
    # Quantiles of both signs cancel.
    return {"auc": auc, "intercept": Rounded(intercept), "slope": Rounded(slope), **group.counts}


def roc_binormal_moments(rows: Sequence[Any]) -> dict[str, Any]:
    group = Group(rows)
    pos, neg, counts = group.pos, group.neg, group.counts
    names = ("auc", "intercept", "slope")
    if group.has_nan:
        return {**dict.fromkeys(names, math.nan), **counts}
    if len(pos) < 2 or len(neg) < 2 or any(math.isinf(score) for score, _ in pos + neg):
        return {**dict.fromkeys(names), **counts}
    (m1, v1), (m0, v0) = ((_mean(of), _variance(of)) for of in (pos, neg))
    if v1 + v0 == 0:
        return {**dict.fromkeys(names), **counts}
    # A mean or a deviation that is small beside the scores has few digits in floats.
    scale = max(abs(Fraction(score)) for score, _ in pos + neg)
    small = [distance for distance in (abs(m1 - m0), *map(_root, (v1, v0))) if 0 < distance * 100 < scale]
    if small or not Fraction(10) ** -100 < scale < Fraction(10) ** 100 or m1 == m0:
        return {"auc": ..., "intercept": MAYBE, "slope": MAYBE, **counts}
    answer = {"auc": float(norm.cdf(float(m1 - m0) / math.sqrt(v0 + v1))), "intercept": None, "slope": None}
    if v0 > 0:
        answer |= {"intercept": float(m1 - m0) / math.sqrt(v0), "slope": -math.sqrt(v1 / v0)}
    return {**answer, **counts}


def _mean(of: Sequence[tuple[float | Fraction, Fraction]]) -> Fraction:
    weights = sum((weight for _, weight in of), Fraction(0))
    return sum((Fraction(score) * weight for score, weight in of), Fraction(0)) / weights


def _variance(of: Sequence[tuple[float | Fraction, Fraction]]) -> Fraction:
    mean = _mean(of)
    return _mean([((Fraction(score) - mean) ** 2, weight) for score, weight in of])


def _root(square: Fraction) -> Fraction:
    """The square root to thirty bits or more, of numbers of any size."""
    shift = 4000
    return Fraction(math.isqrt(square.numerator * 4**shift // square.denominator), 2**shift)


def binormal_curve(rows: Sequence[Any], at_fpr: Sequence[float]) -> list[dict[str, Any]] | None:
    line = _line(Group(rows))
    if line is None:
        return None
    intercept, slope = line

    def tpr(fpr: float) -> Any:
        if fpr in (0, 1):
            return float(fpr)
        surplus = intercept + float(norm.ppf(fpr))
        if slope == 0:
            return ... if abs(surplus) < 1e-12 else 1.0 if surplus > 0 else 0.0
        value = float(norm.cdf(surplus / -slope))
        return value if value > 1e-20 else ...

    return [{"fpr": fpr, "tpr": tpr(fpr)} for fpr in at_fpr]


def _interpolated(points: Sequence[tuple[Fraction, Fraction]], at: Fraction) -> Fraction:
    """The highest y at x of straight lines between points in order of x."""
    heights = [y for x, y in points if x == at]
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x0 < at < x1:
            heights.append(y0 + (y1 - y0) * (at - x0) / (x1 - x0))
    return max(heights)


def rate_at_rate(rows: Sequence[Any], at: Fraction, *, wanted: str) -> dict[str, Any]:
    """The tpr at an fpr or the fpr at a tpr; standard error and limits are drawn at random."""
    group = Group(rows)
    names = ("se", "lower", "upper")
    if group.has_nan:
        return {**dict.fromkeys((wanted, *names), math.nan), **group.counts}
    if not group.has_pairs:
        return {**dict.fromkeys((wanted, *names)), **group.counts}
    curve = [(fp / group.n, tp / group.p) for _, fp, tp in group.points()]
    if wanted == "tpr":
        rate = _interpolated(curve, at)
    else:
        # The curve turned about the other diagonal: the lowest fpr is the highest specificity.
        rate = 1 - _interpolated([(y, 1 - x) for x, y in curve], at)
    drawn = ... if len(group.pos) > 1 and len(group.neg) > 1 and not group.weighted else None
    return {wanted: float(rate), **dict.fromkeys(names, drawn), **group.counts}
