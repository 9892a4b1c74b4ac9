"""What thresholds, curves and areas are, by definition and in fractions, with weights or without."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from oracles import scores

Row: TypeAlias = Sequence[Any]
Point: TypeAlias = tuple[float | None, Fraction, Fraction]
"""Threshold, and the weights of negatives and of positives that reach it."""

SCORE = 1


class Group:
    """The rows that count: (label, score) or (label, score, weight)."""

    def __init__(self, rows: Sequence[Row]) -> None:
        weights = [Fraction(row[2]) if len(row) > 2 else Fraction(1) for row in rows]
        self.weighted = any(len(row) > 2 for row in rows)
        used = [(row[0], row[SCORE], weight) for row, weight in zip(rows, weights, strict=True) if weight]
        self.pos = [(score, weight) for label, score, weight in used if label]
        self.neg = [(score, weight) for label, score, weight in used if not label]
        self.has_nan = any(math.isnan(score) for _, score, _ in used)
        self.counts = {"n_pos": len(self.pos), "n_neg": len(self.neg)}
        self.p = sum((weight for _, weight in self.pos), Fraction())
        self.n = sum((weight for _, weight in self.neg), Fraction())

    @property
    def has_pairs(self) -> bool:
        return bool(self.pos and self.neg)

    def reaching(self, threshold: float) -> tuple[Fraction, Fraction]:
        """Weights of the negatives and positives with this score or a higher one."""
        fp = sum((weight for score, weight in self.neg if score >= threshold), Fraction())
        tp = sum((weight for score, weight in self.pos if score >= threshold), Fraction())
        return fp, tp

    def points(self) -> list[Point]:
        """The curve from (0, 0) on."""
        scores = sorted({score + 0.0 for score, _ in self.pos + self.neg}, reverse=True)
        return [(None, Fraction(), Fraction()), *((score, *self.reaching(score)) for score in scores)]

    def mass(self, weight: Fraction, *, weighted: bool) -> float | int:
        return float(weight) if weighted else int(weight)


def share(part: Fraction, whole: Fraction) -> float | None:
    return float(part / whole) if whole else None


def roc_auc(rows: Sequence[Row]) -> float | None:
    return area(rows, lambda area: area)


def roc_auc_bounds(rows: Sequence[Row]) -> dict[str, Any]:
    auc = roc_auc(rows)
    return {"auc": auc, "lower": auc, "upper": auc, **Group(rows).counts}


def gini(rows: Sequence[Row]) -> float | None:
    return area(rows, lambda area: 2 * area - 1)


def area(rows: Sequence[Row], of: Callable[[Fraction], Fraction]) -> float | None:
    """A function of the exact area."""
    group = Group(rows)
    if group.has_nan:
        return math.nan
    u = sum(
        (
            p[1] * n[1] * (Fraction(p[0] > n[0]) + Fraction(p[0] == n[0]) / 2)
            for p in group.pos
            for n in group.neg
        ),
        Fraction(),
    )
    pairs = group.p * group.n
    return float(of(u / pairs)) if pairs else None


def partial_area(
    rows: Sequence[Row],
    *,
    fpr: tuple[Fraction, Fraction] = (Fraction(0), Fraction(1)),
    min_tpr: Fraction = Fraction(0),
    swapped: bool = False,
    standardized: bool | str = False,
) -> float | None:
    """The area below the curve, above ``min_tpr``, between two fprs; or with the axes swapped."""
    group = Group(rows)
    if group.has_nan:
        return math.nan
    if not group.has_pairs:
        return None
    curve = [(fp / group.n, tp / group.p) for _, fp, tp in group.points()]
    if swapped:
        curve = [(y, 1 - x) for x, y in curve]
    area = Fraction()
    for (x0, y0), (x1, y1) in itertools.pairwise(curve):
        if x0 == x1:
            continue
        cuts = {x0, x1, *(x for x in fpr if x0 < x < x1)}
        if y0 != y1:
            crossing = x0 + (min_tpr - y0) * (x1 - x0) / (y1 - y0)
            cuts |= {crossing} if x0 < crossing < x1 else set()
        height = [(x, max(y0 + (y1 - y0) * (x - x0) / (x1 - x0) - min_tpr, Fraction())) for x in sorted(cuts)]
        for (a, ya), (b, yb) in itertools.pairwise(height):
            if fpr[0] <= a and b <= fpr[1]:
                area += (b - a) * (ya + yb) / 2
    if not standardized:
        return float(area)
    low, high = fpr
    diagonal = (high - low) * ((2 - high - low) if swapped else (high + low)) / 2
    if area < diagonal and standardized != "always":
        return None
    return scores.Rounded((1 + (area - diagonal) / (high - low - diagonal)) / 2)


def average_precision(rows: Sequence[Row]) -> float | None:
    group = Group(rows)
    if group.has_nan:
        return math.nan
    if not group.pos:
        return None
    precision = sum(
        (weight * group.reaching(s)[1] / sum(group.reaching(s)) for s, weight in group.pos), Fraction()
    )
    return float(precision / group.p)


def ks_statistic(rows: Sequence[Row]) -> dict[str, Any]:
    group = Group(rows)
    if group.has_nan or not group.has_pairs:
        nothing = math.nan if group.has_nan else None
        numbers = dict.fromkeys(("ks", "difference", "threshold", "p_value"), nothing)
        return {**numbers, "method": None, **group.counts}
    gaps = [(tp / group.p - fp / group.n, score) for score, fp, tp in group.points()[1:]]
    most = max(abs(gap) for gap, _ in gaps)
    threshold = max(score for gap, score in gaps if abs(gap) == most and score is not None)
    difference = next(gap for gap, score in gaps if score == threshold)
    answer = {"ks": float(most), "difference": float(difference), "threshold": threshold}
    return {**answer, "p_value": None, "method": None, **group.counts}


def roc_auc_ci_weighted(rows: Sequence[Row], z: float) -> dict[str, Any]:
    group = Group(rows)
    area = roc_auc(rows)
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
    return {
        "auc": area,
        "se": se,
        "lower": max(area - z * se, 0.0),
        "upper": min(area + z * se, 1.0),
        **scores.decided(area, se, 0.5, scores.PLAIN),
        **group.counts,
    }


def on_curve(
    rows: Sequence[Row],
    make: Callable[[Group, list[Point], bool], list[dict[str, Any]]],
    *,
    weighted: bool = False,
    needs_negatives: bool = True,
) -> list[dict[str, Any]] | None:
    """The points of a curve, for a group that has one."""
    group = Group(rows)
    defined = group.has_pairs if needs_negatives else group.pos
    return make(group, group.points(), weighted) if defined and not group.has_nan else None


def _told(group: Group, point: Point, *, weighted: bool) -> dict[str, Any]:
    threshold, fp, tp = point
    return {
        "threshold": threshold,
        "fp": group.mass(fp, weighted=weighted),
        "tp": group.mass(tp, weighted=weighted),
        "fpr": float(fp / group.n),
        "tpr": float(tp / group.p),
    }


def whole_curve(group: Group, points: list[Point], weighted: bool) -> list[dict[str, Any]]:
    return [_told(group, point, weighted=weighted) for point in points]


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
    """The points that lie above every line between an earlier and a later point."""
    return [
        b
        for i, b in enumerate(points)
        if all(_turn(a, b, c) < 0 for a in points[:i] for c in points[i + 1 :])
    ]


def convex_hull(group: Group, points: list[Point], weighted: bool) -> list[dict[str, Any]]:
    return whole_curve(group, hull_points(points), weighted)


def thinned(group: Group, points: list[Point], weighted: bool, *, most: int) -> list[dict[str, Any]]:
    left = list(points)
    while len(left) > most:
        areas = [(abs(_turn(left[i - 1], left[i], left[i + 1])), i) for i in range(1, len(left) - 1)]
        left.pop(min(areas)[1])
    curve = whole_curve(group, left, weighted)
    for i, point in enumerate(curve):
        a, b = left[max(i - 1, 0)], left[i]
        between = [p for p in points[points.index(a) + 1 : points.index(b)] if a[1] < b[1]]
        off = [abs(p[2] - a[2] - (b[2] - a[2]) * (p[1] - a[1]) / (b[1] - a[1])) / group.p for p in between]
        point["error"] = scores.Rounded(max(off, default=Fraction()))
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
            answers.append(_told(group, points[here[-1] if what == "fpr" else here[0]], weighted=weighted))
            continue
        after = next(i for i, at in enumerate(reached) if at > rate)
        (x0, y0), (x1, y1) = (
            (fp, tp) if what == "fpr" else (tp, fp) for _, fp, tp in (points[after - 1], points[after])
        )
        other = float((y0 + (Fraction(rate) * whole[along] - x0) / (x1 - x0) * (y1 - y0)) / whole[up])
        rates_told = {"fpr": rate, "tpr": other} if what == "fpr" else {"fpr": other, "tpr": rate}
        answers.append({"threshold": None, "fp": None, "tp": None, **rates_told})
    return answers


def at_thresholds(
    group: Group, _: list[Point], weighted: bool, *, numbers: Sequence[float]
) -> list[dict[str, Any]]:
    answers = []
    for number in numbers:
        fp, tp = group.reaching(number)
        rest = {"tn": group.n - fp, "fn": group.p - tp}
        masses = {name: group.mass(mass, weighted=weighted) for name, mass in rest.items()}
        answers.append({**_told(group, (number, fp, tp), weighted=weighted), **masses})
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
    """Corners of the lower envelope, found as the places where the cheapest line changes."""
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
        # At the end several lines may cost the same: the best is the highest score.
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


def _rates(group: Group, fp: Fraction, tp: Fraction, beta: Fraction) -> dict[str, float | None]:
    tn, fn = group.n - fp, group.p - tp
    square = beta**2
    return {
        "tpr": share(tp, group.p),
        "fpr": share(fp, group.n),
        "precision": share(tp, tp + fp),
        "accuracy": share(tp + tn, group.p + group.n),
        "f": share((1 + square) * tp, (1 + square) * tp + square * fn + fp) if group.p else None,
    }


RATES = ("tpr", "fpr", "precision", "accuracy", "f", "criterion")


def operating_point(
    rows: Sequence[Row],
    *,
    criterion: str,
    ratio: Fraction | None = Fraction(1),
    cost: Fraction = Fraction(1),
    target: float = 0.0,
    beta: Fraction = Fraction(1),
    within: tuple[float, float] = (0.0, 1.0),
    weighted: bool = False,
) -> dict[str, Any]:
    group = Group(rows)
    masses = ("tp", "fp", "tn", "fn")
    nothing = {"threshold": math.nan if group.has_nan else None, **dict.fromkeys(masses, None)}
    nothing |= dict.fromkeys(RATES, math.nan if group.has_nan else None)
    if group.has_nan or not group.has_pairs:
        return {**nothing, **group.counts}
    prevalence = group.p / (group.p + group.n)
    r = (1 - prevalence) / (cost * prevalence) if ratio is None else ratio

    def merit(point: Point) -> tuple[Fraction, ...] | None:
        _, fp, tp = point
        tpr, fpr = tp / group.p, fp / group.n
        if not within[0] <= float(fpr) <= within[1]:
            return None
        rates = _rates(group, fp, tp, beta)
        if criterion in ("youden", "cost"):
            return (tpr - r * fpr,)
        if criterion == "closest_topleft":
            return (-((1 - tpr) ** 2 + r * fpr**2),)
        if criterion == "max_f":
            return (Fraction(rates["f"]),) if rates["f"] is not None else None
        if criterion == "top_p":
            return (-(tp + fp),) if tp + fp >= group.p else None
        if criterion == "target_fpr":
            return (tp, -fp) if float(fpr) <= target else None
        if criterion == "target_tpr":
            return (-fp,) if float(tpr) >= target else None
        precision = rates["precision"]
        return (tp, -fp) if precision is not None and precision >= target else None

    nobody, *scores = group.points()
    best: Point | None = None
    for point in scores:
        value = merit(point)
        if value is not None and (best is None or value > (merit(best) or ())):
            best = point
    alone = merit(nobody)
    if alone is not None and (best is None or alone > (merit(best) or ())):
        best = nobody
    if best is None:
        return {**nothing, **group.counts}
    threshold, fp, tp = best
    rates = _rates(group, fp, tp, beta)
    tpr, fpr = tp / group.p, fp / group.n
    said: Any = {
        "youden": tpr - r * fpr,
        "closest_topleft": (1 - tpr) ** 2 + r * fpr**2,
        "cost": cost * prevalence * (1 - tpr) + (1 - prevalence) * fpr,
        "max_f": rates["f"],
        "target_fpr": rates["fpr"],
        "target_tpr": rates["tpr"],
        "target_precision": rates["precision"],
        "top_p": rates["accuracy"],
    }[criterion]
    counts = dict(zip(masses, (tp, fp, group.n - fp, group.p - tp), strict=True))
    return {
        "threshold": threshold,
        **{name: group.mass(weight, weighted=weighted) for name, weight in counts.items()},
        **rates,
        "criterion": None if said is None else float(said),
        **group.counts,
    }


WITH_LIMITS = (
    "tpr",
    "fpr",
    "precision",
    "npv",
    "positive_likelihood",
    "negative_likelihood",
    "odds_ratio",
)
WITHOUT_LIMITS = ("accuracy", "error", "balanced_accuracy", "f", "mcc", "kappa", "predicted_rate")
CONFUSION = (
    *(f"{name}{limit}" for name in WITH_LIMITS for limit in ("", "_lower", "_upper")),
    *WITHOUT_LIMITS,
)


def wilson(successes: int, trials: int, z: float) -> tuple[float, float]:
    """The roots of ``(share - p)² = z² p (1 - p) / trials``."""
    a, share = 1 + z * z / trials, successes / trials
    b, c = -(2 * share + z * z / trials), share * share
    root = math.sqrt(max(b * b - 4 * a * c, 0.0))
    low = 0.0 if successes == 0 else (-b - root) / (2 * a)
    return low, 1.0 if successes == trials else (-b + root) / (2 * a)


def confusions_at(
    rows: Sequence[Row], *, at: Sequence[float], z: float, weighted: bool = False
) -> list[dict[str, Any]] | None:
    """The same at several thresholds."""
    if Group(rows).has_nan:
        return None
    return [confusion_at(rows, at=one, z=z, weighted=weighted) for one in at]


def confusion_at(
    rows: Sequence[Row], *, at: float, z: float, beta: Fraction = Fraction(1), weighted: bool = False
) -> dict[str, Any]:
    group = Group(rows)
    masses = ("tp", "fp", "tn", "fn")
    if group.has_nan:
        nans = dict.fromkeys(CONFUSION, math.nan)
        return {"threshold": math.nan, **dict.fromkeys(masses, None), **nans, **group.counts}
    fp, tp = group.reaching(at)
    tn, fn = group.n - fp, group.p - tp
    rates = _rates(group, fp, tp, beta)
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    record: dict[str, Any] = {
        **rates,
        "npv": share(tn, tn + fn),
        "error": share(fp + fn, group.p + group.n),
        "balanced_accuracy": float((tp / group.p + 1 - fp / group.n) / 2) if group.has_pairs else None,
        "mcc": float(tp * tn - fp * fn) / math.sqrt(product) if product else None,
        "kappa": share(2 * (tp * tn - fn * fp), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)),
        "predicted_rate": share(tp + fp, group.p + group.n),
    }
    shares = (("tpr", tp, group.p), ("fpr", fp, group.n), ("precision", tp, tp + fp), ("npv", tn, tn + fn))
    for name, part, whole in shares:
        both = wilson(int(part), int(whole), z) if whole and not weighted else (None, None)
        record[f"{name}_lower"], record[f"{name}_upper"] = both
    ratios = {
        "positive_likelihood": (tp * group.n, fp * group.p, (tp, fp), (group.p, group.n)),
        "negative_likelihood": (fn * group.n, tn * group.p, (fn, tn), (group.p, group.n)),
        "odds_ratio": (tp * tn, fp * fn, (tp, fp, tn, fn), ()),
    }
    for name, (above, below, plus, minus) in ratios.items():
        ratio = record[name] = share(above, below)
        lower = upper = None
        if ratio is not None and all(plus) and not weighted:
            variance = sum(1 / Fraction(count) for count in plus) - sum(
                1 / Fraction(count) for count in minus
            )
            factor = math.exp(z * math.sqrt(variance))
            lower, upper = ratio / factor, ratio * factor
        record[f"{name}_lower"], record[f"{name}_upper"] = lower, upper
    counts = dict(zip(masses, (tp, fp, tn, fn), strict=True))
    return {
        "threshold": at,
        **{name: group.mass(weight, weighted=weighted) for name, weight in counts.items()},
        **record,
        **group.counts,
    }
