"""Losses of probabilities and their decompositions, by definition."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import beta, chi2
from scipy.stats import t as student_t

from oracles.rows import DIFFERENCE, MAYBE, Group, Iterated, Rounded, WeightedRow, normal_tail
from oracles.wilson import effective


def fits(group: Group) -> list[tuple[Any, Fraction, Fraction, Fraction]]:
    """Return each score, in descending order, with its isotonic fit and class weights.

    The fit uses the min-max formula.
    """
    scores = sorted({score for score, _ in group.pos + group.neg}, reverse=True)
    masses = [
        (
            sum((w for s, w in group.pos if s == score), Fraction()),
            sum((w for s, w in group.neg if s == score), Fraction()),
        )
        for score in scores
    ]

    def rate(first: int, last: int) -> Fraction:
        pos = sum((mass[0] for mass in masses[first : last + 1]), Fraction())
        return pos / (pos + sum((mass[1] for mass in masses[first : last + 1]), Fraction()))

    indices = range(len(masses))
    fitted = [
        min(max(rate(first, last) for last in range(at, len(masses))) for first in range(at + 1))
        for at in indices
    ]
    return [(score, fit, *mass) for score, fit, mass in zip(scores, fitted, masses, strict=True)]


def isotonic(group: Group) -> list[tuple[Fraction, Fraction]]:
    """Return the weights of positives and of negatives in each block of equal fits."""
    blocks: dict[Fraction, tuple[Fraction, Fraction]] = {}
    for _, fit, pos, neg in fits(group):
        before = blocks.get(fit, (Fraction(), Fraction()))
        blocks[fit] = (before[0] + pos, before[1] + neg)
    return list(blocks.values())


def _squared(p: float, label: bool) -> Any:
    return (int(label) - Fraction(p)) ** 2


def _squared_of_rate(pos: Fraction, neg: Fraction) -> Any:
    return pos * neg / (pos + neg)


def _logarithmic(p: float, label: bool) -> Any:
    if label:
        return -math.log(p) if p > 0 else math.inf
    return -math.log1p(-p) if p < 1 else math.inf


def _logarithmic_of_rate(pos: Fraction, neg: Fraction) -> Any:
    return -sum(float(part) * math.log(part / (pos + neg)) for part in (pos, neg) if part)


def _mean_loss(
    rows: Sequence[WeightedRow],
    loss: Callable[[float, bool], Any],
    of_rate: Callable[[Fraction, Fraction], Any],
    derivative: Callable[[float], float],
    level: float,
    most: float,
) -> dict[str, Any]:
    group = Group(rows)
    names = ("value", "se", "lower", "upper", "skill", "skill_se")
    parts = ("miscalibration", "discrimination", "uncertainty")
    if group.has_nan:
        return dict.fromkeys((*names, *parts), math.nan)
    labelled = [(p, w, True) for p, w in group.pos] + [(p, w, False) for p, w in group.neg]
    n, total = len(labelled), group.p + group.n
    if not labelled:
        return dict.fromkeys((*names, *parts))
    losses = [(loss(p, label), w, label) for p, w, label in labelled]
    if any(value == math.inf for value, _, _ in losses):
        mean: Any = math.inf
    elif all(isinstance(value, Fraction) for value, _, _ in losses):
        mean = sum((w * value for value, w, _ in losses), Fraction()) / total
    else:
        mean = math.fsum(float(w) * value for value, w, _ in losses) / float(total)
    uncertainty = of_rate(group.p, group.n) / (total if isinstance(mean, Fraction) else float(total))
    fitted = sum(of_rate(pos, neg) for pos, neg in isotonic(group)) / (
        total if isinstance(mean, Fraction) else float(total)
    )
    answer: dict[str, Any] = dict.fromkeys(names)
    answer["value"] = float(mean)
    answer["miscalibration"] = Rounded(mean - fitted) if mean != math.inf else math.inf
    answer["discrimination"] = Rounded(max(0.0, uncertainty - fitted))
    answer["uncertainty"] = Rounded(uncertainty)
    if group.has_pairs:
        answer["skill"] = Rounded(1 - mean / uncertainty) if mean != math.inf else -math.inf
    if n < 2 or mean == math.inf:
        return answer
    factor = n / (n - 1)
    variance = factor * sum(float(w) ** 2 * float(value - mean) ** 2 for value, w, _ in losses)
    se = math.sqrt(variance) / float(total)
    margin = NormalDist().inv_cdf(0.5 + level / 2) * se
    answer["se"] = Rounded(se)
    answer["lower"] = Rounded(max(0.0, float(mean) - margin))
    answer["upper"] = Rounded(min(most, float(mean) + margin))
    if group.has_pairs:
        rate = float(group.p / total)
        by_loss, by_rate = -1 / float(uncertainty), float(mean) / float(uncertainty) ** 2 * derivative(rate)
        squares = sum(
            (float(w) * (by_loss * float(value - mean) + by_rate * (int(label) - rate))) ** 2
            for value, w, label in losses
        )
        answer["skill_se"] = Rounded(math.sqrt(factor * squares) / float(total))
    return answer


def brier_score(rows: Sequence[WeightedRow], *, level: float, weighted: bool) -> dict[str, Any]:
    del weighted
    mean = _mean_loss(rows, _squared, _squared_of_rate, lambda rate: 1 - 2 * rate, level, 1.0)
    return {"brier_score": mean.pop("value"), **mean, **Group(rows).counts}


def log_loss(rows: Sequence[WeightedRow], *, level: float, weighted: bool) -> dict[str, Any]:
    group = Group(rows)
    mean = _mean_loss(
        rows, _logarithmic, _logarithmic_of_rate, lambda rate: math.log((1 - rate) / rate), level, math.inf
    )
    wrong = [w for p, w in group.pos if p == 0] + [w for p, w in group.neg if p == 1]
    skill = mean["skill"]
    return {
        "log_loss": mean.pop("value"),
        "normalized_entropy": None if skill is None else Rounded(1 - skill),
        **mean,
        "n_infinite": group.mass(Fraction() if group.has_nan else sum(wrong, Fraction()), weighted=weighted),
        **group.counts,
    }


def _difference(
    rows: Sequence[Sequence[Any]], loss: Callable[[float, bool], Any], level: float, most: float
) -> dict[str, Any]:
    """Return the result for rows of a label, two scores, and optionally a weight."""
    used = [(row[0], row[1], row[2], Fraction(row[3]) if len(row) > 3 else Fraction(1)) for row in rows]
    used = [row for row in used if row[3]]
    counts = {"n_pos": sum(row[0] for row in used), "n_neg": sum(not row[0] for row in used)}
    answer: dict[str, Any] = dict.fromkeys(DIFFERENCE)
    if any(math.isnan(score) for row in used for score in row[1:3]):
        return {**dict.fromkeys(DIFFERENCE, math.nan), **counts}
    if not used:
        return {**answer, **counts}
    total = float(sum(row[3] for row in used))
    losses = [(float(loss(a, label)), float(loss(b, label)), float(w)) for label, a, b, w in used]
    a, b = (math.fsum(row[2] * row[of] for row in losses) / total for of in (0, 1))
    answer |= {"estimate_a": a, "estimate_b": b}
    if math.inf in (a, b):
        return {**answer, "difference": None if a == b else a - b, **counts}
    difference = math.fsum(w * (x - y) for x, y, w in losses) / total
    answer["difference"] = Rounded(difference)
    if (n := len(used)) > 1:
        squares = math.fsum((w * (x - y - difference)) ** 2 for x, y, w in losses)
        se = math.sqrt(squares * n / (n - 1)) / total
        margin = NormalDist().inv_cdf(0.5 + level / 2) * se
        answer |= {"se": Rounded(se), "lower": Rounded(max(-most, difference - margin))}
        answer["upper"] = Rounded(min(most, difference + margin))
        if se or not difference:
            z = difference / se if se else 0.0
            answer |= {"z": z, "p_value": math.erfc(abs(z) / math.sqrt(2))}
    return {**answer, **counts}


def brier_score_difference(rows: Sequence[Sequence[Any]], *, level: float) -> dict[str, Any]:
    return _difference(rows, _squared, level, 1.0)


def log_loss_difference(rows: Sequence[Sequence[Any]], *, level: float) -> dict[str, Any]:
    return _difference(rows, _logarithmic, level, math.inf)


LOSSES: dict[str, tuple[Callable[[float, bool], Any], float]] = {
    "brier_score": (_squared, 1.0),
    "log_loss": (_logarithmic, math.inf),
}


def compare_losses(rows: Sequence[Sequence[Any]], *, level: float, statistic: str) -> dict[str, Any]:
    """Compare two scores: the joint statistic is the square of their test."""
    loss, most = LOSSES[statistic]
    test = _difference(rows, loss, level, most)
    counts = {key: test[key] for key in ("n_pos", "n_neg")}
    joint: dict[str, Any] = dict.fromkeys(("chi_square", "df", "p_value"))
    if test["estimate_a"] is None or math.isnan(test["estimate_a"]):
        value = None if test["estimate_a"] is None else math.nan
        return {
            **dict.fromkeys(("estimates", "differences")),
            **joint,
            "chi_square": value,
            "p_value": value,
            **counts,
        }
    used = [(row[0], row[1:3], float(row[3]) if len(row) > 3 else 1.0) for row in rows]
    used = [row for row in used if row[2]]
    total, n = math.fsum(row[2] for row in used), len(used)
    means = [test["estimate_a"], test["estimate_b"]]
    distances = [
        [w * (float(loss(scores[k], label)) - means[k]) for label, scores, w in used] for k in range(2)
    ]

    def covariance(a: int, b: int) -> float:
        products = math.fsum(x * y for x, y in zip(distances[a], distances[b], strict=True))
        return products * n / (n - 1) / total**2

    is_defined = n > 1 and math.inf not in means
    estimates = []
    for k, name in enumerate(("probability", "other_probability")):
        estimate: dict[str, Any] = {"score": name, "estimate": means[k]}
        estimate |= dict.fromkeys(("se", "lower", "upper"))
        if n > 1 and math.isfinite(means[k]):
            se = math.sqrt(covariance(k, k))
            margin = NormalDist().inv_cdf(0.5 + level / 2) * se
            estimate |= {"se": Rounded(se), "lower": Rounded(max(0.0, means[k] - margin))}
            estimate["upper"] = Rounded(min(most, means[k] + margin))
        row = [Rounded(covariance(k, other)) for other in range(2)] if is_defined else []
        estimates.append({**estimate, "covariance": row})
    names = ("difference", "se", "lower", "upper", "z", "p_value")
    pair = {key: test[key] for key in names}
    pairs = [
        {"score_a": "probability", "score_b": "other_probability", **pair, "p_adjusted": pair["p_value"]}
    ]
    if test["se"] == 0:
        joint |= {"df": 0, "chi_square": 0.0} if test["difference"] == 0 else {}
    elif test["se"] is not None:
        joint = {"chi_square": test["z"] ** 2, "df": 1, "p_value": test["p_value"]}
    return {"estimates": estimates, "differences": pairs, **joint, **counts}


def _losses_fold_means(rows: Sequence[Sequence[Any]], loss: Callable[[float, bool], Any]) -> list[list[Any]]:
    """Return the losses of each fold of rows (label, score, fold, weight), with their weights."""
    keys = sorted({row[2] for row in rows})
    return [[(float(loss(p, label)), w) for label, p, key, w in rows if key == fold] for fold in keys]


def cv_loss(rows: Sequence[Sequence[Any]], *, level: float, loss: str, method: str) -> dict[str, Any]:
    """Use rows (label, score, fold), optionally with a weight."""
    weighted = [(*row[:3], float(row[3]) if len(row) > 3 else 1.0) for row in rows]
    used = [row for row in weighted if row[3]]
    counts = {"n_pos": sum(row[0] for row in used), "n_neg": sum(not row[0] for row in used)}
    names = ("estimate", "sd", "se", "lower", "upper")
    if any(math.isnan(row[1]) for row in used):
        return {**dict.fromkeys(names, math.nan), "n_folds": 0, **counts}
    row_loss, most = LOSSES[loss]
    folds = _losses_fold_means(used, row_loss)
    k, n = len(folds), len(used)
    answer: dict[str, Any] = {**dict.fromkeys(names), "n_folds": k, **counts}
    if not k:
        return answer
    means = [sum(w * x for x, w in fold) / sum(w for _, w in fold) for fold in folds]
    mean = math.fsum(means) / k
    answer["estimate"] = mean
    if math.isinf(mean):
        return answer
    sd = math.sqrt(math.fsum((x - mean) ** 2 for x in means) / (k - 1)) if k > 1 else None
    answer["sd"] = None if sd is None else Rounded(sd)
    if method == "influence":
        if any(len(fold) < 2 for fold in folds):
            return answer
        squares = [
            math.fsum((x - fold_mean) ** 2 for x, _ in fold) / (len(fold) - 1)
            for fold, fold_mean in zip(folds, means, strict=True)
        ]
        se, quantile = math.sqrt(math.fsum(squares) / k / n), NormalDist().inv_cdf(0.5 + level / 2)
    elif sd is None:
        return answer
    else:
        se, quantile = sd / math.sqrt(k), float(student_t.isf((1 - level) / 2, k - 1))
    limits = max(0.0, mean - quantile * se), min(most, mean + quantile * se)
    return answer | {"se": Rounded(se), "lower": Rounded(limits[0]), "upper": Rounded(limits[1])}


def cv_loss_difference(rows: Sequence[Sequence[Any]], *, level: float, loss: str) -> dict[str, Any]:
    """Use rows (label, first score, second score, fold)."""
    counts = {"n_pos": sum(row[0] for row in rows), "n_neg": sum(not row[0] for row in rows)}
    names = ("estimate_a", "estimate_b", "difference", "se", "lower", "upper", "t", "p_value")
    if any(math.isnan(score) for row in rows for score in row[1:3]):
        return {**dict.fromkeys(names, math.nan), "df": None, "n_folds": 0, **counts}
    row_loss = LOSSES[loss][0]
    first, second = (
        _losses_fold_means([(row[0], row[score], row[3], 1.0) for row in rows], row_loss) for score in (1, 2)
    )
    k = len(first)
    answer: dict[str, Any] = {**dict.fromkeys((*names, "df")), "n_folds": k, **counts}
    if not k:
        return answer
    a, b = ([math.fsum(x for x, _ in fold) / len(fold) for fold in folds] for folds in (first, second))
    answer |= {"estimate_a": math.fsum(a) / k, "estimate_b": math.fsum(b) / k}
    if math.inf in (answer["estimate_a"], answer["estimate_b"]):
        is_equal = answer["estimate_a"] == answer["estimate_b"]
        return answer | {"difference": None if is_equal else answer["estimate_a"] - answer["estimate_b"]}
    differences = [
        math.fsum(x - y for (x, _), (y, _) in zip(*pair, strict=True)) / len(pair[0])
        for pair in zip(first, second, strict=True)
    ]
    mean = math.fsum(differences) / k
    answer["difference"] = Rounded(mean)
    if k < 2:
        return answer
    variance = math.fsum((x - mean) ** 2 for x in differences) / (k - 1)
    se = math.sqrt(variance * (1 / k + 1 / (k - 1)))
    margin = float(student_t.isf((1 - level) / 2, k - 1)) * se
    answer |= {"se": Rounded(se), "df": k - 1}
    answer |= {"lower": Rounded(mean - margin), "upper": Rounded(mean + margin)}
    if se < 1e-12:
        # Equal differences may vary by their rounding.
        return answer | {"t": MAYBE, "p_value": MAYBE}
    p_value = 2 * float(student_t.sf(abs(mean / se), k - 1))
    return answer | {"t": Rounded(mean / se), "p_value": Rounded(p_value)}


class Bin(NamedTuple):
    """A bin with the scores and weights of its positives and negatives."""

    number: int
    lowest: float
    highest: float
    pos: list[tuple[Any, Fraction]]
    neg: list[tuple[Any, Fraction]]

    @property
    def rows(self) -> list[tuple[Any, Fraction]]:
        return self.pos + self.neg

    @property
    def n(self) -> Fraction:
        return sum((w for _, w in self.rows), Fraction())

    @property
    def n_pos(self) -> Fraction:
        return sum((w for _, w in self.pos), Fraction())

    @property
    def rate(self) -> Fraction:
        return self.n_pos / self.n

    @property
    def mean_score(self) -> Fraction:
        return sum((Fraction(score) * w for score, w in self.rows), Fraction()) / self.n

    @property
    def distance(self) -> Fraction:
        return self.rate - self.mean_score


def quantile_edges(group: Group, bins: int, *, weighted: bool) -> list[float]:
    """Return quantiles: type 7 in floats, because rounding matters at edges; with weights the inverse."""
    rows = sorted(group.pos + group.neg)
    if weighted:
        reach = [sum((w for _, w in rows[: place + 1]), Fraction()) for place in range(len(rows))]
        return [
            next(
                score for (score, _), sum_ in zip(rows, reach, strict=True) if sum_ * bins >= reach[-1] * edge
            )
            for edge in range(bins + 1)
        ]
    edges = []
    for edge in range(bins + 1):
        rank, rest = divmod((len(rows) - 1) * edge, bins)
        low, high = (rows[min(rank + place, len(rows) - 1)][0] for place in (0, 1))
        edges.append(low + (high - low) * (rest / bins))
    return edges


def between(group: Group, edges: Sequence[float]) -> list[Bin]:
    """Return the non-empty bins: right-closed; the first also contains its lower edge."""
    bins = []
    for number, (low, high) in enumerate(itertools.pairwise(edges), start=1):
        parts = [
            [(s, w) for s, w in rows if low < s <= high or (number == 1 and s == low)]
            for rows in (group.pos, group.neg)
        ]
        if parts[0] or parts[1]:
            bins.append(Bin(number, low, high, *parts))
    return bins


def _binned(
    group: Group, method: str, bins: int, edges: Sequence[float] | None, *, weighted: bool
) -> list[Bin]:
    if method == "isotonic":
        blocks: dict[Fraction, list[Any]] = {}
        for score, fit, _, _ in reversed(fits(group)):
            blocks.setdefault(fit, []).append(score)
        return [
            Bin(
                number,
                scores[0],
                scores[-1],
                *([(s, w) for s, w in rows if s in scores] for rows in (group.pos, group.neg)),
            )
            for number, scores in enumerate(blocks.values(), start=1)
        ]
    if edges is None and method == "uniform":
        edges = [*(edge * (1 / bins) for edge in range(bins)), 1.0]
    return between(group, quantile_edges(group, bins, weighted=weighted) if edges is None else edges)


def wilson(share: Fraction, n: float, level: float) -> tuple[float, float]:
    """Return the score limits of a share of n rows."""
    z, p = NormalDist().inv_cdf(0.5 + level / 2), float(share)
    center, spread = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    whole = 1 + z * z / n
    return (center - spread) / whole, (center + spread) / whole


MAX_CELLS = 200


def cells(group: Group) -> list[Bin]:
    """The distinct scores, or if they are many, runs of them with about equal numbers of rows."""
    rows = sorted({score for score, _ in group.pos + group.neg})
    parts = [
        Bin(place, score, score, *([(s, w) for s, w in of if s == score] for of in (group.pos, group.neg)))
        for place, score in enumerate(rows)
    ]
    if len(parts) <= MAX_CELLS:
        return parts
    joined: dict[int, list[Bin]] = {}
    before = Fraction()
    for part in parts:
        joined.setdefault(int(before * MAX_CELLS / (len(group.pos) + len(group.neg))), []).append(part)
        before += part.n
    return [
        Bin(
            place,
            of[0].lowest,
            of[-1].highest,
            [row for part in of for row in part.pos],
            [row for part in of for row in part.neg],
        )
        for place, of in enumerate(joined.values())
    ]


def confidence_band(group: Group, blocks: Sequence[Bin], level: float) -> list[tuple[Any, Any]]:
    """The limits of blocks from the limits of Clopper and Pearson of all runs of cells."""
    parts = cells(group)
    tail = (1 - level) / (len(parts) * (len(parts) + 1))
    runs = [
        (parts[first].lowest, parts[last].highest, pos, neg)
        for first in range(len(parts))
        for last, pos, neg in zip(
            range(first, len(parts)),
            itertools.accumulate(len(part.pos) for part in parts[first:]),
            itertools.accumulate(len(part.neg) for part in parts[first:]),
            strict=True,
        )
    ]
    pos, neg = (np.array([run[place] for run in runs]) for place in (2, 3))
    lower = np.where(pos == 0, 0.0, beta.ppf(tail, np.maximum(pos, 1), neg + 1))
    upper = np.where(neg == 0, 1.0, beta.isf(tail, pos + 1, np.maximum(neg, 1)))
    limits = []
    for block in blocks:
        below = [limit for run, limit in zip(runs, lower, strict=True) if run[1] <= block.lowest]
        above = [limit for run, limit in zip(runs, upper, strict=True) if run[0] >= block.highest]
        rate = float(block.rate)
        limits.append((Iterated(min([max([0.0, *below]), rate])), Iterated(max([min([1.0, *above]), rate]))))
    return limits


def calibration_curve(
    rows: Sequence[WeightedRow],
    *,
    level: float,
    weighted: bool,
    method: str = "quantile",
    bins: int = 10,
    edges: Sequence[float] | None = None,
    band: str | None = None,
) -> list[dict[str, Any]] | None:
    group = Group(rows)
    if group.has_nan or not group.pos + group.neg:
        return None
    points = []
    parts = _binned(group, method, bins, edges, weighted=weighted)
    # Of resampled labels no limits are computed here.
    limits: list[tuple[Any, Any]] = [(... if band else None,) * 2] * len(parts)
    if method != "isotonic":
        intervals = [wilson(part.rate, effective([w for _, w in part.rows]), level) for part in parts]
        limits = [(Rounded(lower), Rounded(upper)) for lower, upper in intervals]
    elif band == "confidence":
        limits = confidence_band(group, parts, level)
    for part, (lower, upper) in zip(parts, limits, strict=True):
        points.append(
            {
                "bin": part.number,
                "lowest": part.lowest,
                "highest": part.highest,
                "n": group.mass(part.n, weighted=weighted),
                "n_pos": group.mass(part.n_pos, weighted=weighted),
                "mean_score": float(part.mean_score),
                "rate": float(part.rate),
                "rate_lower": lower,
                "rate_upper": upper,
            }
        )
    return points


def calibration_error(
    rows: Sequence[WeightedRow],
    *,
    weighted: bool,
    method: str = "quantile",
    bins: int = 10,
    edges: Sequence[float] | None = None,
) -> dict[str, Any]:
    group = Group(rows)
    names = ("ece", "mce", "rmsce", "rmsce_debiased")
    if group.has_nan:
        return {**dict.fromkeys(names, math.nan), "n_bins": None, **group.counts}
    parts = _binned(group, method, bins, edges, weighted=weighted) if group.pos or group.neg else []
    if not parts:
        return {**dict.fromkeys(names), "n_bins": 0 if group.pos or group.neg else None, **group.counts}
    n = sum((part.n for part in parts), Fraction())
    debiased = sum(
        (
            part.n * (part.distance**2 - part.rate * (1 - part.rate) / (part.n - 1))
            for part in parts
            if not weighted and part.n > 1
        ),
        Fraction(),
    )
    root: Any = Rounded(math.sqrt(max(debiased / n, Fraction())))
    # The root amplifies the rounding errors of a difference of nearly equal numbers.
    if abs(debiased / n) < 1e-8:
        root = ...
    return {
        "ece": Rounded(sum(part.n * abs(part.distance) for part in parts) / n),
        "mce": Rounded(max(abs(part.distance) for part in parts)),
        "rmsce": Rounded(math.sqrt(sum(part.n * part.distance**2 for part in parts) / n)),
        "rmsce_debiased": None if weighted else root,
        "n_bins": len(parts),
        **group.counts,
    }


ESTIMATES = ("in_the_large", "slope", "intercept")


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def _logit(score: Any) -> Decimal:
    return (Decimal(score) / (1 - Decimal(score))).ln()


def _total(numbers: Iterable[Decimal]) -> Decimal:
    return sum(numbers, Decimal(0))


class _Model:
    """The logistic recalibration with these coefficients, for rows (logit, weight of pos, weight of neg)."""

    def __init__(self, rows: Sequence[tuple[Decimal, Decimal, Decimal]], coefficients: list[Decimal]) -> None:
        self.rows, self.coefficients = rows, coefficients
        linear = [coefficients[0] + coefficients[1] * x for x, _, _ in rows]
        # The probabilities of a positive and of a negative.
        self.fitted = [(1 / (1 + (-at).exp()), 1 / (1 + at.exp())) for at in linear]
        pairs = list(zip(rows, self.fitted, strict=True))
        self.height = _total(pos * p.ln() + neg * q.ln() for (_, pos, neg), (p, q) in pairs)
        residuals = [(x, pos * q - neg * p) for (x, pos, neg), (p, q) in pairs]
        self.gradient = [_total(residual for _, residual in residuals)]
        self.gradient.append(_total(x * residual for x, residual in residuals))
        masses = [(x, (pos + neg) * p * q) for (x, pos, neg), (p, q) in pairs]
        self.information = [
            _total(mass for _, mass in masses),
            _total(x * mass for x, mass in masses),
            _total(x * x * mass for x, mass in masses),
        ]

    def inverse(self, *, with_slope: bool) -> list[list[Decimal]]:
        """Return the inverse information: of both coefficients, or of the intercept alone."""
        a, b, c = self.information
        if not with_slope:
            return [[1 / a, Decimal(0)], [Decimal(0), Decimal(0)]]
        whole = a * c - b * b
        return [[c / whole, -b / whole], [-b / whole, a / whole]]

    def step(self, share: Decimal, *, with_slope: bool) -> _Model:
        """Return the model after Newton's step, or a fraction of it."""
        rows, gradient = self.inverse(with_slope=with_slope), self.gradient
        steps = [row[0] * gradient[0] + row[1] * gradient[1] for row in rows]
        # Limit the change of each logit to 3.
        farthest = max(abs(steps[0] + steps[1] * x) for x, _, _ in self.rows)
        share *= min(Decimal(1), 3 / farthest) if farthest else 1
        return _Model(self.rows, [now + share * by for now, by in zip(self.coefficients, steps, strict=True)])


def _recalibration(group: Group, *, weighted: bool, with_slope: bool) -> list[tuple[float, float]]:
    """Return the intercept and the slope with their standard errors, to 60 digits."""
    with localcontext() as context:
        context.prec = 60
        rows = [(_logit(score), _decimal(pos), _decimal(neg)) for score, _, pos, neg in fits(group)]
        model, free = _Model(rows, [Decimal(0), Decimal(1)]), 2 if with_slope else 1
        while max(abs(slope) for slope in model.gradient[:free]) > Decimal("1e-30"):
            share = Decimal(1)
            while (after := model.step(share, with_slope=with_slope)).height < model.height - Decimal(
                "1e-40"
            ):
                share /= 2
            model = after
        # The likelihood is concave, so the gradient is 0 only at its maximum.
        inverse = model.inverse(with_slope=with_slope)
        variances = [inverse[0][0], inverse[1][1]]
        if weighted:
            n = Decimal(len(group.pos) + len(group.neg))
            by_logit = {x: fitted for (x, _, _), fitted in zip(rows, model.fitted, strict=True)}
            residuals = [
                (_logit(score), _decimal(w) * by_logit[_logit(score)][other])
                for other, class_rows in ((1, group.pos), (0, group.neg))
                for score, w in class_rows
            ]
            variances = [
                n / (n - 1) * _total(((row[0] + row[1] * x) * residual) ** 2 for x, residual in residuals)
                for row in inverse
            ]
        return [
            (float(value), float(variance.sqrt()))
            for value, variance in zip(model.coefficients, variances, strict=True)
        ]


def _estimate(name: str, value: float, se: float, level: float) -> dict[str, Any]:
    margin = NormalDist().inv_cdf(0.5 + level / 2) * se
    numbers = (value, se, value - margin, value + margin)
    return {
        f"{name}{suffix}": Iterated(number)
        for suffix, number in zip(("", "_se", "_lower", "_upper"), numbers, strict=True)
    }


def _spiegelhalter(group: Group) -> dict[str, Any]:
    rows = [(Fraction(p), w, 1) for p, w in group.pos] + [(Fraction(p), w, 0) for p, w in group.neg]
    variance = sum(w**2 * (1 - 2 * p) ** 2 * p * (1 - p) for p, w, _ in rows)
    if not variance:
        return {"spiegelhalter_z": None, "spiegelhalter_p_value": None}
    z = float(sum(w * (label - p) * (1 - 2 * p) for p, w, label in rows)) / math.sqrt(variance)
    return {"spiegelhalter_z": Rounded(z), "spiegelhalter_p_value": Rounded(2 * normal_tail(abs(z)))}


def _hosmer_lemeshow(group: Group, bins: int, *, fitted: bool) -> dict[str, Any]:
    edges = sorted(set(quantile_edges(group, bins, weighted=False)))
    answer: dict[str, Any] = dict.fromkeys(f"hosmer_lemeshow{end}" for end in ("", "_df", "_p_value"))
    if len(edges) < 2:
        return answer
    parts = between(group, edges)
    statistic: Any = Fraction()
    for part in parts:
        square, mean = (part.n * part.distance) ** 2, part.mean_score
        if square:
            # With zero variance the error is 0.
            statistic += square / (part.n * mean * (1 - mean)) if 0 < mean < 1 else math.inf
    df = max(0, len(parts) - 2 * fitted)
    return {
        "hosmer_lemeshow": Rounded(statistic),
        "hosmer_lemeshow_df": df,
        "hosmer_lemeshow_p_value": Rounded(chi2.sf(float(statistic), df)) if df else None,
    }


def _distances(group: Group) -> dict[str, Any]:
    distances = sorted((abs(Fraction(score) - fit), pos + neg) for score, fit, pos, neg in fits(group))
    total = group.p + group.n

    def quantile(share: Fraction) -> Rounded:
        reach = Fraction()
        for distance, mass in distances:
            reach += mass
            if reach >= share * total:
                return Rounded(distance)
        raise AssertionError

    return {
        "ici": Rounded(sum(distance * mass for distance, mass in distances) / total),
        "e50": quantile(Fraction(1, 2)),
        "e90": quantile(Fraction(9, 10)),
        "emax": quantile(Fraction(1)),
    }


def calibration_summary(
    rows: Sequence[WeightedRow], *, level: float, weighted: bool, bins: int = 10, fitted: bool = False
) -> dict[str, Any]:
    group = Group(rows)
    ends = ("", "_se", "_lower", "_upper")
    names = (
        *("mean_score", "rate", "observed_expected", "observed_expected_lower", "observed_expected_upper"),
        *(f"observed_minus_expected{end}" for end in ends),
        "observed_expected_p_value",
        *(f"{name}{end}" for name in ESTIMATES for end in ends),
        *("spiegelhalter_z", "spiegelhalter_p_value", "hosmer_lemeshow", "hosmer_lemeshow_df"),
        *("hosmer_lemeshow_p_value", "ici", "e50", "e90", "emax"),
    )
    answer: dict[str, Any] = dict.fromkeys(names, math.nan if group.has_nan else None)
    answer |= {"n_certain": group.mass(Fraction(), weighted=weighted), **group.counts}
    if group.has_nan:
        return {**answer, "hosmer_lemeshow_df": None}
    labelled = [(p, w, True) for p, w in group.pos] + [(p, w, False) for p, w in group.neg]
    if not labelled:
        return answer
    total, certain = group.p + group.n, sum((w for p, w, _ in labelled if p in (0, 1)), Fraction())
    expected, rate = sum(w * Fraction(p) for p, w, _ in labelled), group.p / total
    answer |= {
        "mean_score": float(expected / total),
        "rate": float(rate),
        "n_certain": group.mass(certain, weighted=weighted),
    }
    if expected:
        answer["observed_expected"] = float(group.p / expected)
    score_variance = sum(w**2 * Fraction(p) * (1 - Fraction(p)) for p, w, _ in labelled)
    minus = (group.p - expected) / total
    answer["observed_minus_expected"] = Rounded(minus)
    if (n := len(labelled)) > 1:
        squares = sum((w * (label - Fraction(p) - minus)) ** 2 for p, w, label in labelled)
        variance, rarer = squares * Fraction(n, n - 1), min(len(group.pos), len(group.neg))
        variance = (rarer * variance + 5 * max(variance, score_variance)) / (rarer + 5)
        se = math.sqrt(variance) / float(total)
        margin = NormalDist().inv_cdf(0.5 + level / 2) * se
        answer["observed_minus_expected_se"] = Rounded(se)
        answer["observed_minus_expected_lower"] = Rounded(max(-1.0, float(minus) - margin))
        answer["observed_minus_expected_upper"] = Rounded(min(1.0, float(minus) + margin))
    if score_variance:
        z = float(group.p - expected) / math.sqrt(score_variance)
        answer["observed_expected_p_value"] = Rounded(2 * normal_tail(abs(z)))
    if expected and group.p:
        variance = sum((w * (label - rate)) ** 2 for _, w, label in labelled) / total**2
        margin = NormalDist().inv_cdf(0.5 + level / 2) * math.sqrt(variance) / float(rate)
        answer["observed_expected_lower"] = float(group.p / expected) * math.exp(-margin)
        answer["observed_expected_upper"] = float(group.p / expected) * math.exp(margin)
    if group.has_pairs and not certain:
        [one, _] = _recalibration(group, weighted=weighted, with_slope=False)
        answer |= _estimate("in_the_large", *one, level)
        pos, neg = [p for p, _ in group.pos], [p for p, _ in group.neg]
        if max(neg) > min(pos) and max(pos) > min(neg):
            one, two = _recalibration(group, weighted=weighted, with_slope=True)
            answer |= _estimate("intercept", *one, level) | _estimate("slope", *two, level)
    if not weighted:
        answer |= _hosmer_lemeshow(group, bins, fitted=fitted)
    return answer | _spiegelhalter(group) | _distances(group)


def calibration_by_grade(
    rows: Sequence[WeightedRow], *, level: float, adjust: str | None = "holm"
) -> list[dict[str, Any]] | None:
    group = Group(rows)
    if group.has_nan or not group.pos + group.neg:
        return None
    grades = []
    for score in sorted({p + 0.0 for p, _ in group.pos + group.neg}):
        n_pos = sum(p == score for p, _ in group.pos)
        n = n_pos + sum(p == score for p, _ in group.neg)
        posterior, p = beta(n_pos + 0.5, n - n_pos + 0.5), Fraction(score)
        tail = sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n_pos, n + 1))
        grades.append(
            {
                "score": score,
                "n": n,
                "n_pos": n_pos,
                "expected": float(n * p),
                "rate": float(Fraction(n_pos, n)),
                "rate_lower": Iterated(posterior.ppf((1 - level) / 2)),
                "rate_upper": Iterated(posterior.ppf((1 + level) / 2)),
                "jeffreys_p_value": Iterated(posterior.cdf(score)),
                "binomial_p_value": float(tail),
            }
        )
    p_values = [grade["jeffreys_p_value"] for grade in grades]
    for grade in grades:
        p_value = grade["jeffreys_p_value"]
        smaller = [p for p in p_values if p <= p_value]
        steps = [p * sum(other >= p for other in p_values) for p in smaller]
        adjusted = {"holm": max(steps), "bonferroni": p_value * len(grades), None: p_value}[adjust]
        grade["p_adjusted"] = Iterated(min(1.0, adjusted))
    return grades
