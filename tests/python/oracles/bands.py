"""Bands about ROC curves and their difference, by definition, curve by curve."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any, TypeAlias

import numpy as np
from scipy.special import kolmogi
from scipy.stats import beta, norm

from oracles.draws import Stream, resample
from oracles.rows import Rounded, classes, has_nan

Point: TypeAlias = tuple[float, float]
Curve: TypeAlias = tuple[list[float], list[float]]
"""Scores of positives and of negatives."""


def _points(pos: list[float], neg: list[float]) -> list[tuple[Fraction, Fraction]]:
    scores = sorted({*pos, *neg}, reverse=True)
    origin = (Fraction(0), Fraction(0))
    return [
        origin,
        *(
            (Fraction(sum(x >= t for x in neg), len(neg)), Fraction(sum(x >= t for x in pos), len(pos)))
            for t in scores
        ),
    ]


def _exact(rate: float) -> Fraction:
    """Return the simple fraction of a rounded rate."""
    return Fraction(rate).limit_denominator(1000)


def tpr_at(curve: Curve, rate: float | Fraction, *, top: bool = True) -> float:
    """Return the tpr at an fpr; the top or the bottom of a vertical step."""
    points = _points(*curve)
    if rate >= 1 and top:
        return 1.0
    if rate <= 0 and not top:
        return 0.0
    at = Fraction(rate)
    upright = [tpr for fpr, tpr in points if fpr == at]
    if upright:
        return float(max(upright) if top else min(upright))
    (x0, y0), (x1, y1) = next(pair for pair in pairwise(points) if pair[0][0] < at < pair[1][0])
    return float(y0 + (y1 - y0) * (at - x0) / (x1 - x0))


def _distance(curve: Curve, angle: float) -> float:
    """Return the distance from (1, 0) to the curve along a ray."""
    sine, cosine = math.sin(angle), math.cos(angle)
    for (x0, y0), (x1, y1) in pairwise(_points(*curve)):
        before, after = (float(y) * cosine - float(1 - x) * sine for x, y in ((x0, y0), (x1, y1)))
        if after >= 0 and after > before:
            share = -before / (after - before)
            return math.hypot(1 - float(x0) - float(x1 - x0) * share, float(y0) + float(y1 - y0) * share)
    return 1.0


def _spread(scores: list[float], n_points: int) -> list[float]:
    """Select scores from a descending list: both ends, and evenly spaced; halves round to the lower score."""
    if len(scores) <= n_points - 1:
        return scores
    gaps = n_points - 2
    return [
        scores[math.floor(Fraction(step * (len(scores) - 1), gaps) + Fraction(1, 2))]
        for step in range(gaps + 1)
    ]


def _limits(values: Sequence[float], distribution: str, level: float) -> tuple[float, float]:
    if distribution == "empirical":
        low, high = np.quantile(values, [(1 - level) / 2, 1 - (1 - level) / 2])
        return float(low), float(high)
    mean = float(np.mean(values))
    if distribution == "normal":
        half = float(np.std(values, ddof=1))
    else:
        half = math.sqrt(max(0.0, mean * (1 - mean)) / len(values))
    half *= float(norm.isf((1 - level) / 2))
    return mean - half, mean + half


ROUNDING = 1e-12
"""Smaller differences are rounding errors of curves through the same point."""


def _optimized(readings: list[list[float]], level: float) -> list[tuple[float, float]]:
    """Shrink the outermost limits while they contain enough whole curves."""
    n = len(readings)
    places = [sorted(values) for values in zip(*readings, strict=True)]

    def inside(outer: int) -> int:
        return sum(
            all(
                place[outer] - ROUNDING <= value <= place[n - 1 - outer] + ROUNDING
                for place, value in zip(places, curve, strict=True)
            )
            for curve in readings
        )

    fitting = [outer for outer in range((n + 1) // 2) if inside(outer) >= level * n]
    outer = max(fitting)
    return [(place[outer], place[n - 1 - outer]) for place in places]


def _wilson(share: float, n: int, z: float) -> float:
    """Return half the width of Wilson's interval."""
    spread = math.sqrt(max(share * (1 - share), 0.0) / n + z**2 / (4 * n**2))
    return z * spread / (1 + z**2 / n)


def _envelope(readings: list[list[float]], level: float, n_pos: int) -> list[tuple[float, float]]:
    """Return mean plus or minus the standard deviations that contain enough curves and one more."""
    z = float(norm.isf((1 - level) / 2))
    places = list(zip(*readings, strict=True))
    means = [float(np.mean(values)) for values in places]
    spreads = [
        max(float(np.std(values, ddof=1)), _wilson(mean, n_pos, z) / z)
        for values, mean in zip(places, means, strict=True)
    ]
    reaches = sorted(
        max(abs(value - mean) / spread for value, mean, spread in zip(curve, means, spreads, strict=True))
        for curve in readings
    )
    reach = reaches[min(math.ceil(level * (len(reaches) + 1)), len(reaches)) - 1]
    limits = [
        (mean - reach * spread, mean + reach * spread) for mean, spread in zip(means, spreads, strict=True)
    ]
    # The curve of a population without steps begins and ends in the corners.
    return [(0.0, limits[0][1]), *limits[1:-1], (limits[-1][0], 1.0)]


def _central_region(readings: list[list[float]], level: float) -> list[tuple[float, float]]:
    """Return the range of the curves that are between the most pairs of curves, pair by pair."""
    places = list(zip(*readings, strict=True))

    def is_between(value: float, pair: tuple[float, float]) -> bool:
        return min(pair) <= value + ROUNDING and value - ROUNDING <= max(pair)

    def depth(curve: list[float]) -> int:
        return sum(
            is_between(value, pair)
            for value, values in zip(curve, places, strict=True)
            for pair in combinations(values, 2)
        )

    depths = [depth(curve) for curve in readings]
    least = sorted(depths, reverse=True)[math.ceil(level * len(readings)) - 1]
    kept = [curve for curve, deep in zip(readings, depths, strict=True) if deep >= least]
    return [(min(values), max(values)) for values in zip(*kept, strict=True)]


def _ellipses(
    fpr: list[list[float]], tpr: list[list[float]], level: float
) -> tuple[list[Point], list[Point]]:
    """Return lower and upper points of the ellipses of both rates, perpendicular to the curve."""
    x, y = np.mean(fpr, axis=0), np.mean(tpr, axis=0)
    lower, upper = [], []
    for place in range(len(x)):
        before, after = max(place - 1, 0), min(place + 1, len(x) - 1)
        along, up = x[after] - x[before], y[after] - y[before]
        across = np.array([up, -along]) if max(along, up) > ROUNDING else np.array([1.0, -1.0])
        spread = np.cov([row[place] for row in fpr], [row[place] for row in tpr])
        length = across @ spread @ across
        reach = math.sqrt(-2 * math.log(1 - level))
        moved = reach * (spread @ across) / math.sqrt(length) if length > 0 else np.zeros(2)
        right, down = max(moved[0], 0.0), max(-moved[1], 0.0)
        lower.append((float(x[place] + right), float(y[place] - down)))
        upper.append((float(x[place] - right), float(y[place] + down)))

    def highest(rates: list[float]) -> list[float]:
        return [min(max(rates[: place + 1]), 1.0) for place in range(len(rates))]

    def lowest(rates: list[float]) -> list[float]:
        return [max(min(rates[place:]), 0.0) for place in range(len(rates))]

    (lower_x, lower_y), (upper_x, upper_y) = (
        (list(axis) for axis in zip(*points, strict=True)) for points in (lower, upper)
    )
    return (
        list(zip(highest(lower_x), lowest(lower_y), strict=True)),
        list(zip(lowest(upper_x), highest(upper_y), strict=True)),
    )


def _rising(limits: list[float]) -> list[float]:
    return [max(0.0, *limits[: place + 1]) for place in range(len(limits))]


def _falling(limits: list[float]) -> list[float]:
    return [min(1.0, *limits[place:]) for place in range(len(limits))]


def _records(
    at: list[Any], threshold: list[Any], mean: list[Point], lower: list[Point], upper: list[Point]
) -> Any:
    def rounded(names: tuple[str, str], point: Point) -> dict[str, Rounded]:
        return {name: Rounded(rate) for name, rate in zip(names, point, strict=True)}

    return [
        {
            "at": a,
            "threshold": t,
            **rounded(("fpr", "tpr"), m),
            **rounded(("lower_fpr", "lower_tpr"), low),
            **rounded(("upper_fpr", "upper_tpr"), high),
        }
        for a, t, m, low, high in zip(at, threshold, mean, lower, upper, strict=True)
    ]


def _vertical(rates: list[float], mean: list[float], lower: list[float], upper: list[float]) -> Any:
    def points(values: list[float]) -> list[Point]:
        return list(zip(rates, values, strict=True))

    # A mean may be outside of the curves of the limits; the band includes it.
    low = [min(pair) for pair in zip(_rising(lower), mean, strict=True)]
    high = [max(pair) for pair in zip(_falling(upper), mean, strict=True)]
    return _records(rates, [None] * len(rates), points(mean), points(low), points(high))


def _clipped(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def _radial(angles: list[float], mean: list[float], lower: list[float], upper: list[float]) -> Any:
    """Return the limits of each ray, tightened by other rays: a curve increases monotonically."""
    sines, cosines = [math.sin(a) for a in angles], [math.cos(a) for a in angles]
    sines[0] = cosines[-1] = 0.0
    longest = [1 / max(sine, cosine) for sine, cosine in zip(sines, cosines, strict=True)]
    lower = [_clipped(value, 0, most) for value, most in zip(lower, longest, strict=True)]
    upper = [_clipped(value, 0, most) for value, most in zip(upper, longest, strict=True)]
    last = len(angles) - 1

    def least(ray: int) -> float:
        earlier = [lower[k] * sines[k] / sines[ray] for k in range(ray)]
        later = [lower[k] * cosines[k] / cosines[ray] for k in range(ray + 1, last + 1)] if ray < last else []
        return max(lower[ray], *earlier, *later)

    def most(ray: int) -> float:
        earlier = [upper[k] * cosines[k] / cosines[ray] for k in range(ray)]
        later = [upper[k] * sines[k] / sines[ray] for k in range(ray + 1, last + 1)]
        return min(upper[ray], *earlier, *later)

    # The mean of equal numbers may be rounded outside of them.
    low = [min(least(ray) if ray > 0 else lower[ray], mean[ray]) for ray in range(last + 1)]
    high = [max(most(ray) if 0 < ray < last else upper[ray], mean[ray]) for ray in range(last + 1)]

    def points(distances: list[float]) -> list[Point]:
        return [(1 - d * cosine, d * sine) for d, cosine, sine in zip(distances, cosines, sines, strict=True)]

    return _records(angles, [None] * len(angles), points(mean), points(low), points(high))


def _fold_band(
    curves: list[Curve],
    scores: list[float],
    method: str,
    distribution: str | None,
    level: float,
    n_points: int,
    n_pos: int = 0,
) -> Any:
    if len(curves) < 2:
        return None
    distribution = distribution or "empirical"

    def read(places: Sequence[float | None], reading: Callable[[Curve, Any], float]) -> list[list[float]]:
        return [[reading(curve, place) for place in places] for curve in curves]

    def limited(readings: list[list[float]]) -> tuple[list[float], list[float], list[float]]:
        mean = [float(np.mean(values)) for values in zip(*readings, strict=True)]
        if method == "optimized_radial":
            limits = _optimized(readings, level)
        elif method == "envelope":
            limits = _envelope(readings, level, n_pos)
        elif method == "central_region":
            limits = _central_region(readings, level)
        else:
            limits = [_limits(values, distribution, level) for values in zip(*readings, strict=True)]
        return mean, [low for low, _ in limits], [high for _, high in limits]

    if method in ("vertical", "envelope", "central_region"):
        rates = [place / (n_points - 1) for place in range(n_points)]
        return _vertical(rates, *limited(read(rates, lambda curve, rate: tpr_at(curve, _exact(rate)))))
    if method in ("radial", "optimized_radial"):
        angles = [math.pi / 2 * place / (n_points - 1) for place in range(n_points)]

        def distance(curve: Curve, angle: float) -> float:
            return 1.0 if angle in (angles[0], angles[-1]) else _distance(curve, angle)

        return _radial(angles, *limited(read(angles, distance)))
    thresholds: list[float | None] = [None, *_spread(scores, n_points)]

    def rate(of: int) -> Callable[[Curve, Any], float]:
        def reading(curve: Curve, threshold: float | None) -> float:
            return 0.0 if threshold is None else sum(x >= threshold for x in curve[of]) / len(curve[of])

        return reading

    if method == "threshold_ellipse":
        fpr_reader, tpr_reader = read(thresholds, rate(1)), read(thresholds, rate(0))
        means = [
            (float(np.mean(x)), float(np.mean(y)))
            for x, y in zip(zip(*fpr_reader, strict=True), zip(*tpr_reader, strict=True), strict=True)
        ]
        return _records(
            [None] * len(thresholds), thresholds, means, *_ellipses(fpr_reader, tpr_reader, level)
        )
    fpr, low_fpr, high_fpr = limited(read(thresholds, rate(1)))
    tpr, low_tpr, high_tpr = limited(read(thresholds, rate(0)))
    low_fpr, high_fpr = (_rising(low_fpr), _falling(high_fpr)) if method == "threshold_box" else (fpr, fpr)
    return _records(
        [None] * len(thresholds),
        thresholds,
        list(zip(fpr, tpr, strict=True)),
        list(zip(high_fpr, _rising(low_tpr), strict=True)),
        list(zip(low_fpr, _falling(high_tpr), strict=True)),
    )


def _along(curve: Curve, steps: int) -> list[Point]:
    """Return both ends and points that are denser near the ends; the highest point of each fpr."""
    corners = [(float(x), float(y)) for x, y in _points(*curve)]
    rates = [0.0]
    for step in range(1, steps):
        along = 2 * math.sin(math.pi / 2 * (step / steps)) ** 2
        (x0, y0), (x1, y1) = next(
            (pair for pair in pairwise(corners) if sum(pair[1]) >= along), (corners[-2], corners[-1])
        )
        share = (along - x0 - y0) / (x1 + y1 - x0 - y0)
        rates.append(x0 + (x1 - x0) * min(max(share, 0.0), 1.0))

    def tpr(rate: float) -> float:
        upright = [y for x, y in corners if x == rate]
        if upright:
            return max(upright)
        (x0, y0), (x1, y1) = next(pair for pair in pairwise(corners) if pair[0][0] < rate < pair[1][0])
        return y0 + (y1 - y0) * ((rate - x0) / (x1 - x0))

    return [(rate, tpr(rate)) for rate in dict.fromkeys([*rates, 1.0])]


def _fixed_width(curve: Curve, level: float, rates: list[float]) -> Any:
    def reach(n: int) -> float:
        return float(kolmogi(1 - math.sqrt(level))) / (math.sqrt(n) + 0.12 + 0.11 / math.sqrt(n))

    height, width = reach(len(curve[0])), reach(len(curve[1]))
    upper = [tpr_at(curve, rate + width) + height for rate in rates]
    lower = [tpr_at(curve, rate - width, top=False) - height for rate in rates]
    return _vertical(rates, [tpr_at(curve, _exact(rate)) for rate in rates], lower, upper)


def _order_statistics(curve: Curve, level: float, rates: list[float]) -> Any:
    """Return beta quantiles of the order statistics of both classes."""
    pos, neg = curve[0], sorted(curve[1], reverse=True)
    sure = math.sqrt((1 + level) / 2)

    def above(j: int, rate: float) -> float:
        """Return the probability of a share at most ``rate`` above the j-th highest negative."""
        return float(beta.cdf(rate, j, len(neg) - j + 1))

    def lower(rate: float) -> float:
        under = [j for j in range(1, len(neg) + 1) if above(j, rate) >= sure]
        if not under and rate < 1:
            return 0.0
        tp = len(pos) if rate >= 1 else sum(score > neg[under[-1] - 1] for score in pos)
        return float(beta.ppf(1 - sure, tp, len(pos) - tp + 1)) if tp else 0.0

    def upper(rate: float) -> float:
        over = [j for j in range(1, len(neg) + 1) if above(j, rate) <= 1 - sure]
        tp = sum(score >= neg[over[0] - 1] for score in pos) if over else len(pos)
        return float(beta.ppf(sure, tp + 1, len(pos) - tp)) if tp < len(pos) else 1.0

    means = [tpr_at(curve, _exact(rate)) for rate in rates]
    return _vertical(rates, means, [lower(rate) for rate in rates], [upper(rate) for rate in rates])


def _moments(scores: list[float]) -> tuple[Fraction, Fraction]:
    """Return the mean and the variance, divided by n."""
    exact = [Fraction(score) for score in scores]
    mean = sum(exact, Fraction()) / len(exact)
    return mean, sum(((score - mean) ** 2 for score in exact), Fraction()) / len(exact)


def _root(number: Fraction) -> float:
    """Return the square root of a fraction beyond the float range."""
    if not number:
        return 0.0
    half = (number.numerator.bit_length() - number.denominator.bit_length()) // 2
    return math.sqrt(number / Fraction(4) ** half) * 2.0**half if half < 1000 else math.inf


def _working_hotelling(curve: Curve, level: float, rates: list[float]) -> Any:
    pos, neg = curve
    if not all(map(math.isfinite, (*pos, *neg))) or len(set(pos)) < 2 or len(set(neg)) < 2:
        return None
    (m1, v1), (m0, v0) = (_moments(scores) for scores in (pos, neg))
    a, b, n1, n0 = _root((m1 - m0) ** 2 / v1), _root(v0 / v1), len(pos), len(neg)
    if math.inf in (a * a, b * b) or b * b < sys.float_info.min:
        return None
    a = math.copysign(a, m1 - m0)
    var_a = 1 / n1 + b**2 / n0 + a**2 / (2 * n1)
    var_b, covariance = b**2 * (1 / (2 * n1) + 1 / (2 * n0)), a * b / (2 * n1)
    found = []
    for rate in rates:
        z = float(norm.ppf(rate)) if 0 < rate < 1 else 0.0
        half = math.sqrt(-2 * math.log(1 - level) * (var_a + 2 * z * covariance + z * z * var_b))
        inner = [float(norm.cdf(a + b * z + moved)) for moved in (0, -half, half)]
        found.append(inner if 0 < rate < 1 else [rate] * 3)
    return _vertical(rates, *(list(column) for column in zip(*found, strict=True)))


def roc_band(
    rows: Sequence[Any],
    method: str,
    n_points: int,
    level: float = 0.95,
    distribution: str | None = None,
    n_resamples: int = 0,
    seed: int = 0,
    resample: str = "stratified",
    max_fpr: float = 1.0,
) -> Any:
    pos, neg = classes(rows)
    if has_nan(rows) or len(pos) < 2 or len(neg) < 2:
        return None
    rates = [max_fpr * place / (n_points - 1) for place in range(n_points)]
    if method in ("likelihood", "smoothed_bootstrap", "regional"):
        # A smooth curve defines the half-width: test_bands tests the limits.
        places = (
            _along((pos, neg), n_points - 1)
            if method == "likelihood"
            else [(rate, tpr_at((pos, neg), _exact(rate))) for rate in rates]
        )
        return [
            {**place, "lower_tpr": ..., "upper_tpr": ...}
            for place in _vertical(
                [rate for rate, _ in places], [tpr for _, tpr in places], *[[0.5] * len(places)] * 2
            )
        ]
    if method == "order_statistics":
        return _order_statistics((pos, neg), level, rates)
    if method == "fixed_width":
        return _fixed_width((pos, neg), level, rates)
    if method == "working_hotelling":
        return _working_hotelling((pos, neg), level, rates)
    plain = resample == "plain"
    curves = [_resample(pos, neg, seed, replicate, plain=plain) for replicate in range(n_resamples)]
    scores = sorted({*pos, *neg}, reverse=True)
    defined = [curve for curve in curves if all(curve)]
    return _fold_band(defined, scores, method, distribution, level, n_points, len(pos))


_resample = resample


def roc_band_of_folds(
    rows: Sequence[Any], method: str, n_points: int, level: float = 0.95, distribution: str | None = None
) -> Any:
    if has_nan([(label, score) for label, score, _ in rows]):
        return None
    folds: dict[Any, list[Any]] = {}
    for row in rows:
        folds.setdefault(row[2], []).append(row[:2])
    curves = [classes(part) for part in folds.values()]
    scores = sorted({row[1] for row in rows}, reverse=True)
    return _fold_band(
        [curve for curve in curves if all(curve)], scores, method, distribution, level, n_points
    )


Ranks: TypeAlias = dict[float, tuple[int, int, float, float]]
"""Return for each score its first rank, number of rows, normal score, and ranks by normal score."""


def _ranks(scores: list[float]) -> Ranks:
    ranks = {}
    for score in set(scores):
        first, rows = sum(other < score for other in scores), scores.count(score)
        normal = float(norm.ppf((first + rows / 2) / len(scores)))
        ranks[score] = first, rows, normal, len(scores) * float(norm.pdf(normal))
    return ranks


def _correlation(pairs: list[tuple[float, float]]) -> float:
    a, b = zip(*pairs, strict=True)
    if len(set(a)) == 1 or len(set(b)) == 1:
        return 0.0
    return min(1.0, max(-1.0, float(np.corrcoef(a, b)[0, 1])))


def _moved(scores: list[float], ranks: Ranks, score: float, within: float, distance: float) -> float:
    """Return the score of a row, from all scores in ascending order."""
    first, rows, _, density = ranks[score]
    to = abs(first + rows * within + density * distance)
    to = 2 * len(scores) - to if to > len(scores) else to
    return scores[min(int(to), len(scores) - 1)]


def roc_difference_band(
    rows: Sequence[Any], level: float, n_points: int, n_resamples: int, seed: int, clustered: bool = False
) -> list[dict[str, Any]] | None:
    sizes = [sum(row[0] == label for row in rows) for label in (False, True)]
    sources = [
        {row[3:] if clustered else place for place, row in enumerate(rows) if row[0] == label}
        for label in (False, True)
    ]
    if min(map(len, sources)) < 2 or any(has_nan([(row[0], row[k]) for row in rows]) for k in (1, 2)):
        return None
    rows = sorted(rows)
    scores = [sorted(row[k] for row in rows) for k in (1, 2)]
    ranks = [_ranks(one) for one in scores]
    correlations, shares = [], []
    for label, size in enumerate(sizes):
        class_ranks = [(ranks[0][row[1]][2], ranks[1][row[2]][2]) for row in rows if row[0] == label]
        correlations.append(_correlation(class_ranks))
        shares.append(0.4 * size**-0.2)

    def resampled(stream: Stream) -> list[Any]:
        def moved(row: Any) -> tuple[bool, float, float]:
            bits = stream.bits()
            within, one, other = ((bits >> 21 * part) % 2**21 / 2**21 for part in range(3))
            one, other = (math.sqrt(3) * (2 * uniform - 1) for uniform in (one, other))
            r = correlations[row[0]]
            distances = one, r * one + math.sqrt(1 - r * r) * other
            a, b = (
                _moved(scores[k], ranks[k], row[1 + k], within, shares[row[0]] * distances[k]) for k in (0, 1)
            )
            return row[0], a, b

        if clustered:
            clusters = sorted({row[3] for row in rows})
            sample = []
            for _ in clusters:
                cluster = clusters[stream.index(len(clusters))]
                sample += [moved(row) for row in rows if row[3] == cluster]
            return sample
        sample = []
        for first, size in ((0, sizes[0]), (sizes[0], sizes[1])):
            sample += [moved(rows[first + stream.index(size)]) for _ in range(size)]
        return sample

    rates = [Fraction(place + 1, n_points + 1) for place in range(n_points)]

    def curves(rows: Sequence[Any]) -> list[list[float]]:
        classes = [
            ([row[k] for row in rows if row[0]], [row[k] for row in rows if not row[0]]) for k in (1, 2)
        ]
        return [[tpr_at(curve, rate) for rate in rates] for curve in classes]

    differences = []
    for replicate in range(n_resamples):
        resample_rows = resampled(Stream(seed, replicate))
        if len({row[0] for row in resample_rows}) == 2:
            a, b = curves(resample_rows)
            differences.append(np.subtract(a, b))
    if len(differences) < 2:
        return None
    center = np.mean(differences, axis=0)
    spread = np.hypot(np.std(differences, axis=0, ddof=1), math.hypot(2 / sizes[0], 2 / sizes[1]))
    reaches = sorted(float(np.max(np.abs(one - center) / spread)) for one in differences)
    inside = math.ceil(level * (len(reaches) + 1))
    reach = max(reaches[inside - 1] if inside <= len(reaches) else math.inf, float(norm.isf((1 - level) / 2)))
    tpr_a, tpr_b = curves(rows)

    def p_value(at: float) -> Any:
        if any(abs(other - at) < 1e-9 and other != at for other in reaches):
            # Rounding determines the result.
            return ...
        share = (sum(other >= at for other in reaches) + 1) / (len(reaches) + 1)
        return max(share, 2 * float(norm.sf(at)))

    return [
        {
            "fpr": float(rate),
            "tpr_a": Rounded(a),
            "tpr_b": Rounded(b),
            "difference": Rounded(a - b),
            "lower": Rounded(max(-1.0, a - b - reach * s)),
            "upper": Rounded(min(1.0, a - b + reach * s)),
            "p_value": p_value(abs(a - b) / float(s)),
        }
        for rate, a, b, s in zip(rates, tpr_a, tpr_b, spread, strict=True)
    ]
