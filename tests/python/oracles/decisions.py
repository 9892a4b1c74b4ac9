"""The utility of decisions by a probability, by definition."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from scipy.stats import beta

from oracles.rows import DIFFERENCE, PLAIN, Group, Iterated, Rounded, WeightedRow, decided, share
from oracles.wilson import effective


def net_benefit(
    rows: Sequence[WeightedRow],
    *,
    thresholds: Sequence[float],
    level: float,
    prevalence: float | None = None,
    band: str | None = None,
) -> list[dict[str, Any]] | None:
    """Return the points. The limits of a band are random, so any numbers are accepted."""
    group = Group(rows)
    total = group.p + group.n
    if group.has_nan or not total or (prevalence is not None and not group.has_pairs):
        return None
    points = [_at(group, threshold, level, prevalence) for threshold in thresholds]
    if band is None:
        return points
    return [point | ({} if point["se"] is None else {"lower": ..., "upper": ...}) for point in points]


def _at(group: Group, threshold: float, level: float, prevalence: float | None) -> dict[str, Any]:
    fp, tp = group.reaching(threshold)
    total, t = group.p + group.n, Fraction(threshold)
    odds = t / (1 - t)
    tpr, fpr = share(tp, group.p), share(fp, group.n)
    rate = group.p / total if prevalence is None else Fraction(prevalence)
    rows = [(w, 1, p >= threshold) for p, w in group.pos] + [(w, 0, p >= threshold) for p, w in group.neg]
    se = None
    if prevalence is None:
        value = (tp - odds * fp) / total
        adds = [(w, (1 if label else -odds) if called else Fraction(0)) for w, label, called in rows]
        if (n := len(rows)) > 1:
            squares = sum((w * (add - value)) ** 2 for w, add in adds)
            se = math.sqrt(squares * Fraction(n, n - 1)) / float(total)
    else:
        value = rate * tp / group.p - (1 - rate) * odds * fp / group.n
        pos_variance = (
            sum((w * (called - tp / group.p)) ** 2 for w, label, called in rows if label) / group.p**2
        )
        neg_variance = sum((w * (called - fp / group.n)) ** 2 for w, label, called in rows if not label)
        se = math.sqrt(rate**2 * pos_variance + ((1 - rate) * odds) ** 2 * neg_variance / group.n**2)
    treat_all = rate - (1 - rate) * odds
    margin = NormalDist().inv_cdf(0.5 + level / 2) * (se or 0.0)
    return {
        "threshold": threshold,
        "net_benefit": Rounded(value),
        "se": None if se is None else Rounded(se),
        "lower": None if se is None else Rounded(float(value) - margin),
        "upper": None if se is None else Rounded(float(value) + margin),
        "treat_all": Rounded(treat_all),
        "standardized": Rounded(value / rate) if rate else None,
        "interventions_avoided": Rounded((value - treat_all) / odds),
        "tpr": tpr,
        "fpr": fpr,
    }


def _expit(x: float) -> float:
    """Return the inverse of the logit, without overflow."""
    return 1 / (1 + math.exp(-x)) if x > 0 else math.exp(x) / (1 + math.exp(x))


def _precision(group: Group) -> tuple[Fraction, list[Fraction]]:
    """Return the average precision, and the influence of each positive and of each negative."""
    reach = {score: group.reaching(score) for score, _ in group.pos + group.neg}
    precision = {score: tp / (tp + fp) for score, (fp, tp) in reach.items()}
    value = sum((w * precision[score] for score, w in group.pos), Fraction()) / group.p
    influences = []
    for label, class_rows in ((1, group.pos), (0, group.neg)):
        for score, weight in class_rows:
            # The derivative by the weight of the row.
            slope = label * (precision[score] - value)
            for lower, w in group.pos:
                if lower <= score:
                    slope += w * (label - precision[lower]) / sum(reach[lower])
            influences.append(weight * slope / group.p)
    return value, influences


def average_precision_ci(
    rows: Sequence[WeightedRow], *, level: float, method: str = "logit"
) -> dict[str, Any]:
    group = Group(rows)
    names = ("average_precision", "se", "lower", "upper")
    if group.has_nan or not group.pos:
        return {**dict.fromkeys(names, math.nan if group.has_nan else None), **group.counts}
    value, influences = _precision(group)
    se = math.sqrt(sum(influence**2 for influence in influences))
    z = NormalDist().inv_cdf(0.5 + level / 2)
    answer: dict[str, Any] = {"average_precision": float(value), "se": Rounded(se)}
    if method == "influence":
        limits = (max(0.0, float(value) - z * se), min(1.0, float(value) + z * se))
    elif value == 1:
        return {**answer, "lower": None, "upper": None, **group.counts}
    else:
        n_pos = effective([w for _, w in group.pos])
        center = math.log(value / (1 - value))
        margin = z / math.sqrt(n_pos * value * (1 - value))
        limits = (_expit(center - margin), _expit(center + margin))
    return {**answer, "lower": Rounded(limits[0]), "upper": Rounded(limits[1]), **group.counts}


def _two_groups(rows: Sequence[Sequence[Any]]) -> tuple[Group, Group]:
    """Return the groups of either score, for rows of a label, two scores, and optionally a weight."""
    return Group([(row[0], row[1], *row[3:]) for row in rows]), Group([(row[0], *row[2:]) for row in rows])


def _paired(
    a: Fraction, b: Fraction, difference: Fraction, variance: Fraction | None, level: float
) -> dict[str, Any]:
    answer: dict[str, Any] = {**dict.fromkeys(DIFFERENCE), "estimate_a": Rounded(a), "estimate_b": Rounded(b)}
    answer["difference"] = Rounded(difference)
    if variance is None:
        return answer
    se = math.sqrt(variance)
    margin = NormalDist().inv_cdf(0.5 + level / 2) * se
    return answer | {
        "se": Rounded(se),
        "lower": Rounded(max(-1.0, float(difference) - margin)),
        "upper": Rounded(min(1.0, float(difference) + margin)),
        **decided(difference, se, 0, PLAIN),
    }


def average_precision_difference_clustered(rows: Sequence[Sequence[Any]], *, level: float) -> dict[str, Any]:
    """Return the difference for rows of a label, two scores, optionally a weight, and a cluster."""
    kept = [row for row in rows if len(row) == 4 or row[3]]
    # Influences are those of positives, then of negatives.
    clusters = [row[-1] for label in (True, False) for row in kept if bool(row[0]) == label]
    return average_precision_difference([row[:-1] for row in rows], level=level, clusters=clusters)


def average_precision_difference(
    rows: Sequence[Sequence[Any]], *, level: float, clusters: Sequence[Any] | None = None
) -> dict[str, Any]:
    group, other = _two_groups(rows)
    if group.has_nan or other.has_nan or not group.pos:
        is_nan = group.has_nan or other.has_nan
        return {**dict.fromkeys(DIFFERENCE, math.nan if is_nan else None), **group.counts}
    (a, influences), (b, other_influences) = _precision(group), _precision(other)
    sums: dict[Any, Fraction] = {}
    differences = (x - y for x, y in zip(influences, other_influences, strict=True))
    for cluster, difference in zip(clusters or range(len(influences)), differences, strict=True):
        sums[cluster] = sums.get(cluster, Fraction()) + difference
    variance: Fraction | None = sum((total**2 for total in sums.values()), Fraction())
    if clusters is not None and len(sums) == 1:
        variance = None
    return {**_paired(a, b, a - b, variance, level), **group.counts}


def net_benefit_difference(
    rows: Sequence[Sequence[Any]],
    *,
    thresholds: Sequence[float],
    level: float,
    prevalence: float | None = None,
) -> list[dict[str, Any]] | None:
    group, other = _two_groups(rows)
    first, second = (
        net_benefit(
            [(row[0], row[score], *row[3:]) for row in rows],
            thresholds=thresholds,
            level=level,
            prevalence=prevalence,
        )
        for score in (1, 2)
    )
    if first is None or second is None:
        return None
    n, total = len(group.pos + group.neg), group.p + group.n
    rate = None if prevalence is None else Fraction(prevalence)
    points = []
    for t, first_point, second_point in zip(thresholds, first, second, strict=True):
        odds = Fraction(t) / (1 - Fraction(t))

        def adds(
            these: list[tuple[Any, Fraction]],
            others: list[tuple[Any, Fraction]],
            gain: Fraction,
            t: float = t,
        ) -> list[tuple[Fraction, Fraction]]:
            """Return the contribution of each row of a class, with its weight."""
            pairs = zip(these, others, strict=True)
            return [(((a >= t) - (b >= t)) * gain, w) for (a, w), (b, _) in pairs]

        pos, neg = adds(group.pos, other.pos, Fraction(1)), adds(group.neg, other.neg, -odds)

        def moments(part: list[tuple[Fraction, Fraction]], whole: Fraction) -> tuple[Fraction, Fraction]:
            mean = sum((w * add for add, w in part), Fraction()) / whole
            return mean, sum(((w * (add - mean)) ** 2 for add, w in part), Fraction()) / whole**2

        variance: Fraction | None
        if rate is None:
            difference, variance = moments(pos + neg, total)
            variance = variance * Fraction(n, n - 1) if n > 1 else None
        else:
            (pos_mean, pos_variance), (neg_mean, neg_variance) = moments(pos, group.p), moments(neg, group.n)
            difference = rate * pos_mean + (1 - rate) * neg_mean
            variance = rate**2 * pos_variance + (1 - rate) ** 2 * neg_variance
        se = None if variance is None else math.sqrt(variance)
        margin = NormalDist().inv_cdf(0.5 + level / 2) * (se or 0.0)
        points.append(
            {
                "threshold": t,
                "net_benefit_a": first_point["net_benefit"],
                "net_benefit_b": second_point["net_benefit"],
                "difference": Rounded(difference),
                "se": None if se is None else Rounded(se),
                "lower": None if se is None else Rounded(float(difference) - margin),
                "upper": None if se is None else Rounded(float(difference) + margin),
                "p_value": None if se is None else decided(difference, se, 0, PLAIN)["p_value"],
                "interventions_avoided_per_100": Rounded(100 * difference / odds),
            }
        )
    return points


def _mean(class_rows: Sequence[tuple[Any, Fraction]]) -> Fraction:
    return sum((w * Fraction(x) for x, w in class_rows), Fraction()) / sum(w for _, w in class_rows)


def _variance_of_mean(class_rows: Sequence[tuple[Any, Fraction]]) -> Fraction:
    n, mean = len(class_rows), _mean(class_rows)
    squares = sum(((w * (Fraction(x) - mean)) ** 2 for x, w in class_rows), Fraction())
    return squares * Fraction(n, n - 1) / sum(w for _, w in class_rows) ** 2


def discrimination_slope(rows: Sequence[WeightedRow], *, level: float) -> dict[str, Any]:
    group = Group(rows)
    names = ("discrimination_slope", "se", "lower", "upper", "mean_pos", "mean_neg")
    answer: dict[str, Any] = dict.fromkeys(names, math.nan if group.has_nan else None)
    if group.has_nan:
        return {**answer, **group.counts}
    means = {name: _mean(of) for name, of in (("mean_pos", group.pos), ("mean_neg", group.neg)) if of}
    answer |= {name: Rounded(mean) for name, mean in means.items()}
    if group.has_pairs:
        slope = means["mean_pos"] - means["mean_neg"]
        answer["discrimination_slope"] = Rounded(slope)
        if len(group.pos) > 1 and len(group.neg) > 1:
            se = math.sqrt(_variance_of_mean(group.pos) + _variance_of_mean(group.neg))
            margin = NormalDist().inv_cdf(0.5 + level / 2) * se
            answer["se"] = Rounded(se)
            answer["lower"] = Rounded(max(-1.0, float(slope) - margin))
            answer["upper"] = Rounded(min(1.0, float(slope) + margin))
    return {**answer, **group.counts}


def discrimination_slope_difference(rows: Sequence[Sequence[Any]], *, level: float) -> dict[str, Any]:
    group, other = _two_groups(rows)
    if group.has_nan or other.has_nan or not group.has_pairs:
        is_nan = group.has_nan or other.has_nan
        return {**dict.fromkeys(DIFFERENCE, math.nan if is_nan else None), **group.counts}
    a, b = (_mean(of.pos) - _mean(of.neg) for of in (group, other))
    variance = None
    if len(group.pos) > 1 and len(group.neg) > 1:
        changes = [
            [(Fraction(x) - Fraction(y), w) for (x, w), (y, _) in zip(these, others, strict=True)]
            for these, others in ((group.pos, other.pos), (group.neg, other.neg))
        ]
        variance = sum(map(_variance_of_mean, changes), Fraction())
    return {**_paired(a, b, a - b, variance, level), **group.counts}


def equal_error_rate(rows: Sequence[WeightedRow]) -> dict[str, Any]:
    group = Group(rows)
    if group.has_nan or not group.has_pairs:
        rate = math.nan if group.has_nan else None
        return {"equal_error_rate": rate, "threshold": rate, **group.counts}
    points = group.points()
    for (_, fp, tp), (threshold, next_fp, next_tp) in itertools.pairwise(points):
        fpr, tpr, next_fpr, next_tpr = fp / group.n, tp / group.p, next_fp / group.n, next_tp / group.p
        if next_fpr + next_tpr >= 1:
            along = (1 - fpr - tpr) / (next_fpr + next_tpr - fpr - tpr)
            rate = Rounded(fpr + along * (next_fpr - fpr))
            return {"equal_error_rate": rate, "threshold": threshold, **group.counts}
    raise AssertionError


def outcome(rate: str, *, label: bool, is_called: bool) -> bool | None:
    """Return whether a row counts for a rate; None for rows outside of its denominator."""
    return {
        "accuracy": label == is_called,
        "tpr": is_called if label else None,
        "fpr": None if label else is_called,
        "ppv": label if is_called else None,
        "selection_rate": is_called,
    }[rate]


def mcnemar(
    rows: Sequence[Sequence[Any]], *, at_a: float, at_b: float, rate: str, method: str, level: float
) -> dict[str, Any]:
    group, other = _two_groups(rows)
    names = ("estimate_a", "estimate_b", "difference", "se", "lower", "upper", "p_value")
    is_nan = group.has_nan or other.has_nan
    answer: dict[str, Any] = dict.fromkeys(names, math.nan if is_nan else None)
    answer |= {"n_only_a": 0, "n_only_b": 0, "n": 0, **group.counts}
    if is_nan:
        return answer
    pairs = [
        (outcome(rate, label=label, is_called=a >= at_a), outcome(rate, label=label, is_called=b >= at_b))
        for label, a, b in rows
    ]
    pairs = [pair for pair in pairs if None not in pair]
    if not (n := len(pairs)):
        return answer
    b, c = pairs.count((True, False)), pairs.count((False, True))

    def tail(k: int) -> Fraction:
        return Fraction(sum(math.comb(b + c, rows) for rows in range(k, b + c + 1)), 2 ** (b + c))

    def error(b: int, c: int, n: int) -> float:
        return math.sqrt(Fraction(b + c, n**2) - Fraction((b - c) ** 2, n**3))

    center = Fraction(b - c, n + 2)
    margin = NormalDist().inv_cdf(0.5 + level / 2) * error(b + 1, c + 1, n + 2)
    most = max(b, c)
    p_value = {
        "exact": min(Fraction(1), 2 * tail(most)),
        "mid_p": 2 * tail(most + 1) + Fraction(math.comb(b + c, most), 2 ** (b + c)) if b != c else 1.0,
        "chi_square": math.erfc(abs(b - c) / math.sqrt(2 * (b + c))) if b + c else 1.0,
    }[method]
    return answer | {
        "estimate_a": float(Fraction(sum(bool(first) for first, _ in pairs), n)),
        "estimate_b": float(Fraction(sum(bool(second) for _, second in pairs), n)),
        "difference": float(Fraction(b - c, n)),
        "se": Rounded(error(b, c, n)),
        "lower": Rounded(max(-1.0, float(center) - margin)),
        "upper": Rounded(min(1.0, float(center) + margin)),
        "p_value": Rounded(p_value),
        "n_only_a": b,
        "n_only_b": c,
        "n": n,
    }


def _ranked(group: Group) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Return each score, in descending order: the weight above, its weight, and its weight of positives."""
    scores = sorted({score for score, _ in group.pos + group.neg}, reverse=True)
    ranked, above = [], Fraction()
    for score in scores:
        pos = sum((w for s, w in group.pos if s == score), Fraction())
        rows = pos + sum((w for s, w in group.neg if s == score), Fraction())
        ranked.append((above, rows, pos))
        above += rows
    return ranked


def enrichment_factor(rows: Sequence[WeightedRow], *, fraction: float) -> float | None:
    group = Group(rows)
    if group.has_nan or not group.pos:
        return math.nan if group.has_nan else None
    most = Fraction(fraction) * (group.p + group.n)
    # Fill up with rows of the tie, with the average share of positives.
    held = sum(
        (pos * min(Fraction(1), max(Fraction(), most - above) / size) for above, size, pos in _ranked(group)),
        Fraction(),
    )
    return Rounded(held / group.p / Fraction(fraction))


def bedroc(rows: Sequence[WeightedRow], *, alpha: float) -> float | None:
    """Use the equations of Truchon and Bayly; with weights, the mean over a tie is an integral."""
    group = Group(rows)
    if group.has_nan or not group.has_pairs:
        return math.nan if group.has_nan else None
    n, ratio = float(group.p + group.n), float(group.p / (group.p + group.n))

    def mean(above: float, size: float) -> float:
        if group.weighted:
            rate = alpha / n
            return (math.exp(-rate * above) - math.exp(-rate * (above + size))) / (rate * size)
        ranks = range(int(above) + 1, int(above + size) + 1)
        return sum(math.exp(-alpha * rank / n) for rank in ranks) / size

    positives = sum(float(pos) * mean(float(above), float(size)) for above, size, pos in _ranked(group))
    rie = positives / float(group.p) / mean(0.0, n)
    least = (1 - math.exp(alpha * ratio)) / (ratio * (1 - math.exp(alpha)))
    most = (1 - math.exp(-alpha * ratio)) / (ratio * (1 - math.exp(-alpha)))
    return Rounded((rie - least) / (most - least))


def log_auc(rows: Sequence[WeightedRow], *, min_fpr: float, max_fpr: float) -> float | None:
    group = Group(rows)
    if group.has_nan or not group.has_pairs:
        return math.nan if group.has_nan else None
    area = 0.0
    for (_, fp, tp), (_, next_fp, next_tp) in itertools.pairwise(group.points()):
        x, y, next_x, next_y = (
            float(part) for part in (fp / group.n, tp / group.p, next_fp / group.n, next_tp / group.p)
        )
        low, high = max(x, min_fpr), min(next_x, max_fpr)
        if low < high:
            # The integral of a linear function over the logarithm.
            slope = (next_y - y) / (next_x - x)
            area += (y - slope * x) * math.log(high / low) + slope * (high - low)
    return Rounded(area / math.log(max_fpr / min_fpr))


def h_measure(rows: Sequence[WeightedRow], *, severity_ratio: float | None = None) -> float | None:
    """Return the minimum loss over all thresholds, integrated between the costs where the optimum changes."""
    group = Group(rows)
    if group.has_nan or not group.has_pairs:
        return math.nan if group.has_nan else None
    points = [(fp, group.p - tp) for _, fp, tp in group.points()]
    rate = float(group.p / (group.p + group.n))
    a, b = (1 + rate, 2 - rate) if severity_ratio is None else (2.0, 1 + 1 / severity_ratio)

    def expected(points: Sequence[tuple[Fraction, Fraction]]) -> float:
        costs = {Fraction(), Fraction(1)}
        for (fp, fn), (other_fp, other_fn) in itertools.combinations(points, 2):
            # The cost c with equal c fp + (1 - c) fn for both.
            if (turn := (fp - other_fp) - (fn - other_fn)) and 0 < (cost := (other_fn - fn) / turn) < 1:
                costs.add(cost)
        loss = 0.0
        for low, high in itertools.pairwise(sorted(costs)):
            ends = float(low), float(high)
            middle = (low + high) / 2
            fp, fn = min(points, key=lambda point: middle * point[0] + (1 - middle) * point[1])
            mass = beta.cdf(ends[1], a + 1, b) - beta.cdf(ends[0], a + 1, b)
            other_mass = beta.cdf(ends[1], a, b + 1) - beta.cdf(ends[0], a, b + 1)
            loss += float(fp) * a / (a + b) * mass + float(fn) * b / (a + b) * other_mass
        return loss

    return Iterated(1 - expected(points) / expected([points[0], points[-1]]))
