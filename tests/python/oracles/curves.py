"""Curves, tables and fitted curves, in exact fractions where possible."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from scipy.stats import norm

from oracles.rows import MAYBE, Group, Point, Rounded, Row, WeightedRow, classes, has_nan


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


def on_curve(
    rows: Sequence[WeightedRow],
    make: Callable[[Group, list[Point], bool], list[dict[str, Any]]],
    *,
    weighted: bool = False,
    needs_negatives: bool = True,
) -> list[dict[str, Any]] | None:
    """Return the points of the curve of a group, if it has one."""
    group = Group(rows)
    defined = group.has_pairs if needs_negatives else group.pos
    return make(group, group.points(), weighted) if defined and not group.has_nan else None


def _fields(group: Group, point: Point, *, weighted: bool) -> dict[str, Any]:
    threshold, fp, tp = point
    return {
        "threshold": threshold,
        "fp": group.mass(fp, weighted=weighted),
        "tp": group.mass(tp, weighted=weighted),
        "fpr": float(fp / group.n),
        "tpr": float(tp / group.p),
    }


def whole_curve(group: Group, points: list[Point], weighted: bool) -> list[dict[str, Any]]:
    return [_fields(group, point, weighted=weighted) for point in points]


def _turn(a: Point, b: Point, c: Point) -> Fraction:
    return (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1])


def without_intermediate(group: Group, points: list[Point], weighted: bool) -> list[dict[str, Any]]:
    kept: list[Point] = []
    for point in points:
        while len(kept) > 1 and _turn(kept[-2], kept[-1], point) == 0:
            kept.pop()
        kept.append(point)
    return whole_curve(group, kept, weighted)


def hull_points(points: list[Point]) -> list[Point]:
    """Return the points above every line between an earlier and a later point."""
    return [
        b
        for i, b in enumerate(points)
        if all(_turn(a, b, c) < 0 for a in points[:i] for c in points[i + 1 :])
    ]


def convex_hull(group: Group, points: list[Point], weighted: bool) -> list[dict[str, Any]]:
    return whole_curve(group, hull_points(points), weighted)


def thinned(group: Group, points: list[Point], weighted: bool, *, most: int) -> list[dict[str, Any]]:
    rest = list(points)
    while len(rest) > most:
        areas = [(abs(_turn(rest[i - 1], rest[i], rest[i + 1])), i) for i in range(1, len(rest) - 1)]
        rest.pop(min(areas)[1])
    curve = whole_curve(group, rest, weighted)
    for i, point in enumerate(curve):
        a, b = rest[max(i - 1, 0)], rest[i]
        between = [p for p in points[points.index(a) + 1 : points.index(b)] if a[1] < b[1]]
        off = [abs(p[2] - a[2] - (b[2] - a[2]) * (p[1] - a[1]) / (b[1] - a[1])) / group.p for p in between]
        point["error"] = Rounded(max(off, default=Fraction()))
    return curve


def at_rates(
    group: Group, points: list[Point], weighted: bool, *, what: str, rates: Sequence[float]
) -> list[dict[str, Any]]:
    along, up = (1, 2) if what == "fpr" else (2, 1)
    whole = {1: group.n, 2: group.p}
    answers = []
    for rate in rates:
        reached = [float((fp, tp)[along - 1] / whole[along]) for _, fp, tp in points]
        here = [i for i, at in enumerate(reached) if at == rate]
        if here:
            answers.append(_fields(group, points[here[-1] if what == "fpr" else here[0]], weighted=weighted))
            continue
        after = next(i for i, at in enumerate(reached) if at > rate)
        (x0, y0), (x1, y1) = (
            (fp, tp) if what == "fpr" else (tp, fp) for _, fp, tp in (points[after - 1], points[after])
        )
        other = float((y0 + (Fraction(rate) * whole[along] - x0) / (x1 - x0) * (y1 - y0)) / whole[up])
        pair = {"fpr": rate, "tpr": other} if what == "fpr" else {"fpr": other, "tpr": rate}
        answers.append({"threshold": None, "fp": None, "tp": None, **pair})
    return answers


def at_thresholds(
    group: Group, _: list[Point], weighted: bool, *, numbers: Sequence[float]
) -> list[dict[str, Any]]:
    answers = []
    for number in numbers:
        fp, tp = group.reaching(number)
        rest = {"tn": group.n - fp, "fn": group.p - tp}
        masses = {name: group.mass(mass, weighted=weighted) for name, mass in rest.items()}
        answers.append({**_fields(group, (number, fp, tp), weighted=weighted), **masses})
    return answers


def pr_curve(group: Group, points: list[Point], weighted: bool) -> list[dict[str, Any]]:
    return [
        {
            "threshold": threshold,
            "fp": group.mass(fp, weighted=weighted),
            "tp": group.mass(tp, weighted=weighted),
            "precision": float(tp / (tp + fp)) if tp + fp else 1.0,
            "recall": float(tp / group.p),
        }
        for threshold, fp, tp in points
    ]


def cost_curve(group: Group, points: list[Point], _: bool) -> list[dict[str, Any]]:
    """Return corners of the lower envelope, where the cheapest line changes."""
    lines = [(fp / group.n, tp / group.p, score) for score, fp, tp in points]

    def cost(line: tuple[Fraction, Fraction, float | None], pc: Fraction) -> Fraction:
        return (1 - line[1]) * pc + line[0] * (1 - pc)

    crossings = {Fraction(0), Fraction(1)}
    for a in lines:
        for b in lines:
            slope = (1 - a[1] - a[0]) - (1 - b[1] - b[0])
            if slope != 0 and 0 < (crossing := (b[0] - a[0]) / slope) < 1:
                crossings.add(crossing)
    at = sorted(crossings)
    corners: list[tuple[Fraction, tuple[Fraction, Fraction, float | None]]] = []
    for here, after in zip(at, [*at[1:], None], strict=True):
        middle = (here + after) / 2 if after is not None else here
        best = min(cost(line, middle) for line in lines)
        # At the end several lines may have the same cost: the best is the highest score.
        line = next(line for line in lines if cost(line, middle) == best)
        if corners and after is not None and corners[-1][1] == line:
            continue
        corners.append((here, line))
    return [
        {
            "probability_cost": float(pc),
            "expected_cost": float(cost(line, pc)),
            "threshold": line[2],
            "fpr": float(line[0]),
            "tpr": float(line[1]),
        }
        for pc, line in corners
    ]


def _points(rows: Sequence[Row]) -> list[tuple[Any, int, int]] | None:
    """Return every threshold with its true and false positives, from no predicted positive to all."""
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


def score_bands(rows: Sequence[Row], bands: int, *, by_positives: bool) -> dict[float, int]:
    """Return the band of each score: the band of the middle of its rows, or of its positives."""
    pos, _ = classes(rows)
    counted = pos if by_positives else [score for _, score in rows]
    half = Fraction(bands, 2)

    def middle(score: float) -> Fraction:
        twice = 2 * sum(other > score for other in counted) + sum(other == score for other in counted)
        return Fraction(twice * bands, 2 * len(counted))

    def place(score: float) -> Fraction:
        """Return the middle of the band, or the border in the middle of all bands."""
        at = middle(score)
        if at.denominator > 1:
            return math.floor(at) + Fraction(1, 2)
        return at if at == half else at + Fraction(1 if at > half else -1, 2)

    places = {score: place(score) for score in set(counted)}
    other_mass: dict[float, Fraction] = {}
    between: dict[float, tuple[Fraction, Fraction]] = {}
    for score in {score for _, score in rows} - set(counted):
        upper = [places[min(other for other in counted if other > score)]] if max(counted) > score else []
        lower = [places[max(other for other in counted if other < score)]] if min(counted) < score else []
        u, v = (upper or lower)[0], (lower or upper)[0]
        at, border = middle(score), (u + v) / 2
        if u == v or (at, border) < (border, half):
            other_mass[score] = u
        elif (at, border) > (border, half):
            other_mass[score] = v
        else:
            between[score] = (u, v)
    places |= other_mass

    def size(at: Fraction) -> tuple[int, int]:
        inside = [row for row in rows if places.get(row[1]) == at]
        n_pos = sum(label for label, _ in inside)
        return (n_pos, len(inside) - n_pos) if by_positives else (len(inside), n_pos)

    on_border = {score for score, at in places.items() if at == half and bands % 2 == 0}
    sides = {score: (half - Fraction(1, 2), half + Fraction(1, 2)) for score in on_border} | between
    places |= {score: u if size(u) <= size(v) else v for score, (u, v) in sides.items()}
    return {score: int(at + Fraction(1, 2)) for score, at in places.items()}


def gains_table(
    rows: Sequence[Row], bands: int, edges: Sequence[float] | None = None, *, calibration: bool = False
) -> list[dict[str, Any]] | None:
    pos, neg = classes(rows)
    if not pos or not neg or has_nan(rows):
        return None
    scores = [score for _, score in rows]
    band_of = score_bands(rows, bands, by_positives=False)
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
        if calibration:
            table[-1] |= _calibration(inside, scores)
    if len(table) == 1:
        table[0] |= {"lift": None, "cum_lift": None, "ks": None}
    return table


def _calibration(inside: Sequence[float], scores: Sequence[float]) -> dict[str, float | None]:
    """Return the mean and the sum of the scores of a band; the sum is that of probabilities."""
    if any(map(math.isinf, inside)):
        mean = sum(inside)
        return {"mean_score": None if math.isnan(mean) else mean, "expected_positives": None}
    total = sum(map(Fraction, inside), Fraction())
    are_probabilities = all(0 <= score <= 1 for score in scores)
    return {
        "mean_score": float(total / len(inside)),
        "expected_positives": float(total) if are_probabilities else None,
    }


def _quantile(share: Fraction) -> float:
    """Return the normal quantile, symmetric for a share and its complement."""
    return float(norm.ppf(float(share))) if share <= Fraction(1, 2) else -_quantile(1 - share)


def _line(group: Group) -> tuple[float, float] | None:
    """Return intercept and slope of the normal quantile of specificity on the quantile of sensitivity."""
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


def binormal_roc_auc(rows: Sequence[Any]) -> dict[str, Any]:
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
    # Means or deviations that are small relative to the scores have few digits in floats.
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
    """Return the square root to thirty bits or more, of numbers of any size."""
    shift = 4000
    return Fraction(math.isqrt(square.numerator * 4**shift // square.denominator), 2**shift)


def binormal_roc_curve(rows: Sequence[Any], at_fpr: Sequence[float]) -> list[dict[str, Any]] | None:
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
