"""The definitions in their simplest form: all pairs, and exact fractions."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.stats import chi2, kstwobign, norm
from scipy.stats import t as student_t

Row = tuple[bool, Any]

MAYBE: Final = object()
"""Stands for any number, or none."""


class Rounded(float):
    """A difference of rounded numbers of the size of 1: right to 1e-12, also where it is near 0."""


def concordance(pos: Any, neg: Any, tie: Fraction = Fraction(1, 2)) -> Fraction:
    """The concordance of a positive and a negative: 1, or 1/2 for a tie, or 0."""
    return Fraction(1 if pos > neg else 0) if pos != neg else tie


def classes(rows: Sequence[Row]) -> tuple[list[Any], list[Any]]:
    return [score for label, score in rows if label], [score for label, score in rows if not label]


def has_nan(rows: Sequence[Row]) -> bool:
    return any(score != score for _, score in rows)


def u_statistic(rows: Sequence[Row]) -> Fraction:
    pos, neg = classes(rows)
    return sum((concordance(p, n) for p in pos for n in neg), Fraction(0))


def roc_auc(rows: Sequence[Row]) -> float | None:
    pos, neg = classes(rows)
    if has_nan(rows):
        return math.nan
    return float(u_statistic(rows) / (len(pos) * len(neg))) if pos and neg else None


def roc_auc_bounds(rows: Sequence[Row]) -> dict[str, Any]:
    pos, neg = classes(rows)
    auc = roc_auc(rows)
    return {"auc": auc, "lower": auc, "upper": auc, "n_pos": len(pos), "n_neg": len(neg)}


def gini(rows: Sequence[Row]) -> float | None:
    pos, neg = classes(rows)
    if has_nan(rows):
        return math.nan
    return float(2 * u_statistic(rows) / (len(pos) * len(neg)) - 1) if pos and neg else None


def ks_statistic(rows: Sequence[Row], alternative: str = "two-sided", method: str = "auto") -> dict[str, Any]:
    pos, neg = classes(rows)
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    if not pos or not neg or has_nan(rows):
        nothing = math.nan if has_nan(rows) else None
        numbers = dict.fromkeys(("ks", "difference", "threshold", "p_value"), nothing)
        return {**numbers, "method": None, **counts}
    scores = sorted((score for _, score in rows), reverse=True)

    def farthest(of: Sequence[bool]) -> tuple[Fraction, Fraction, Any]:
        """Return the distance if these rows, in the order of their scores, are the positives."""
        best = (Fraction(-1), Fraction(0), None)
        for threshold in sorted(set(scores), reverse=True):
            reached = sum(score >= threshold for score in scores)
            tp = sum(of[:reached])
            difference = Fraction(tp, len(pos)) - Fraction(reached - tp, len(neg))
            distance = {"two-sided": abs(difference), "greater": difference, "less": -difference}[alternative]
            if max(distance, Fraction(0)) > best[0]:
                best = (max(distance, Fraction(0)), difference, threshold)
        return best

    labels = [label for label, _ in sorted(rows, key=lambda row: row[1], reverse=True)]
    ks, difference, threshold = farthest(labels)
    scale = math.sqrt(len(pos) * len(neg) / (len(pos) + len(neg)))
    p_value: Any = float(kstwobign.sf(scale * float(ks)))
    if alternative != "two-sided":
        p_value = math.exp(-2 * (scale * float(ks)) ** 2)
    if method != "asymptotic":
        ways = itertools.combinations(range(len(rows)), len(pos))
        # All ways are counted if they are few; of more, the tests of the package count.
        few = math.comb(len(rows), len(pos)) <= 1000
        dealt = [[place in way for place in range(len(rows))] for way in ways] if few else []
        reached = sum(farthest(of)[0] >= ks for of in dealt)
        p_value = float(Fraction(reached, len(dealt))) if few else ...
    answer = {"ks": float(ks), "difference": float(difference) if ks else 0.0, "threshold": threshold}
    return {
        **answer,
        "p_value": p_value,
        "method": "asymptotic" if method == "asymptotic" else "exact",
        **counts,
    }


def _normal_tail(z: float) -> float:
    return 0.5 * math.erfc(z / math.sqrt(2))


def p_value(statistic: float, alternative: str, upper_tail: Callable[[float], float]) -> float:
    """The p-value of a statistic whose distribution is symmetric around 0."""
    if alternative == "two-sided":
        return min(1.0, 2 * upper_tail(abs(statistic)))
    return upper_tail(statistic if alternative == "greater" else -statistic)


class Question(NamedTuple):
    """What is tested: the alternative, the value, and the margin."""

    alternative: str = "two-sided"
    null: float | None = None
    margin: float | None = None


PLAIN: Final = Question()
"""Whether there is nothing to see, on either side."""


def decided(
    estimate: Any,
    se: float,
    usual: Any,
    test: Question,
    tail: Callable[[float], float] | None = None,
    scale: Callable[[Any], float] = float,
) -> dict[str, float | None]:
    """The distance of an estimate from the value that decides, in standard errors, and the p-value."""
    tail = tail or _normal_tail
    null = usual if test.null is None else test.null

    def distance(value: Any) -> float | None:
        away = scale(estimate) - scale(value)
        return away / se if se > 0 else 0.0 if away == 0 else None

    if test.margin is None:
        z = distance(null)
        return {"z": z, "p_value": None if z is None else p_value(z, test.alternative, tail)}
    lower, upper = distance(float(null) - test.margin), distance(float(null) + test.margin)
    if test.alternative == "less":
        return {"z": upper, "p_value": None if upper is None else tail(-upper)}
    z = lower
    if test.alternative == "two-sided":
        z = None if lower is None or upper is None else min(lower, -upper)
    return {"z": z, "p_value": None if z is None else tail(z)}


def null_distribution(rows: Sequence[Row]) -> dict[Fraction, Fraction]:
    """The probability of each U over all choices of the positives, given the ties."""
    n_pos = sum(label for label, _ in rows)
    scores = [score for _, score in rows]
    # ways[chosen so far, U so far], taking one tie after the other from the lowest score up.
    ways: dict[tuple[int, Fraction], int] = {(0, Fraction(0)): 1}
    below = 0
    for score in sorted(set(scores)):
        tied = scores.count(score)
        more: dict[tuple[int, Fraction], int] = {}
        for (chosen, u), count in ways.items():
            for pos in range(min(tied, n_pos - chosen) + 1):
                neg_below = below - chosen
                key = (chosen + pos, u + pos * (neg_below + Fraction(tied - pos, 2)))
                more[key] = more.get(key, 0) + count * math.comb(tied, pos)
        ways = more
        below += tied
    total = math.comb(len(rows), n_pos)
    return {u: Fraction(count, total) for (chosen, u), count in ways.items() if chosen == n_pos}


def mann_whitney_u(
    rows: Sequence[Row], alternative: str, continuity: bool, two_sided: str | None = None
) -> dict[str, Any]:
    """By the normal approximation, or by the exact distribution if a two-sided rule is given."""
    pos, neg = classes(rows)
    names = ("u_statistic", "z", "p_value", "auc", "rank_biserial")
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    if has_nan(rows):
        return {**dict.fromkeys(names, math.nan), "method": None, **counts}
    if not pos or not neg:
        return {**dict.fromkeys(names), "method": None, **counts}
    u, pairs, n = u_statistic(rows), len(pos) * len(neg), len(rows)
    scores = [score for _, score in rows]
    ties = [scores.count(score) for score in set(scores)]
    variance = Fraction(pairs, 12) * (n + 1 - Fraction(sum(t**3 - t for t in ties), n * (n - 1)))
    answer: dict[str, Any] = {"u_statistic": float(u), "auc": float(u / pairs), **counts}
    answer["rank_biserial"] = float(2 * u / pairs - 1)
    if variance == 0:
        return {**answer, "z": None, "p_value": None, "method": None}
    surplus = u - Fraction(pairs, 2)
    sign = {"two-sided": -((surplus > 0) - (surplus < 0)), "greater": -1, "less": 1}[alternative]
    z = float(surplus + Fraction(sign * continuity, 2)) / math.sqrt(variance)
    answer["z"] = z
    if two_sided is None:
        return {**answer, "p_value": p_value(z, alternative, _normal_tail), "method": "asymptotic"}
    null = null_distribution(rows)
    lower = sum((p for value, p in null.items() if value <= u), Fraction(0))
    upper = sum((p for value, p in null.items() if value >= u), Fraction(0))
    far = [p for value, p in null.items() if abs(value - Fraction(pairs, 2)) >= abs(surplus)]
    both = sum(far, Fraction(0)) if two_sided == "deviation" else min(Fraction(1), 2 * min(lower, upper))
    p = {"two-sided": both, "greater": upper, "less": lower}[alternative]
    return {**answer, "p_value": float(p), "method": "exact"}


def placements(rows: Sequence[Row], tie: Fraction = Fraction(1, 2)) -> tuple[list[Fraction], list[Fraction]]:
    """For each positive the share of negatives below, and for each negative the share of positives above."""
    pos, neg = classes(rows)
    of_pos = [sum((concordance(p, n, tie) for n in neg), Fraction(0)) / len(neg) for p in pos]
    of_neg = [sum((concordance(p, n, tie) for p in pos), Fraction(0)) / len(pos) for n in neg]
    return of_pos, of_neg


def brunner_munzel(rows: Sequence[Row], alternative: str, distribution: str) -> dict[str, Any]:
    pos, neg = classes(rows)
    tests = ("statistic", "df", "p_value")
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    if has_nan(rows):
        return {**dict.fromkeys((*tests, "auc", "se"), math.nan), **counts}
    auc = roc_auc(rows)
    if auc is None or len(pos) < 2 or len(neg) < 2:
        return {**dict.fromkeys((*tests, "se")), "auc": auc, **counts}
    of_pos, of_neg = placements(rows)
    v1, v0 = _variance(of_pos) / len(pos), _variance(of_neg) / len(neg)
    answer = {"auc": auc, "se": math.sqrt(v1 + v0), **counts}
    if v1 + v0 == 0:
        return {**answer, **dict.fromkeys(tests)}
    statistic = float(sum(of_pos, Fraction(0)) / len(pos) - Fraction(1, 2)) / math.sqrt(v1 + v0)
    df = float((v1 + v0) ** 2 / (v1**2 / (len(pos) - 1) + v0**2 / (len(neg) - 1)))
    tail = _normal_tail if distribution == "normal" else lambda x: float(student_t.sf(x, df))
    return {**answer, "statistic": statistic, "df": df, "p_value": p_value(statistic, alternative, tail)}


def hodges_lehmann(rows: Sequence[Row], level: float) -> dict[str, Any]:
    pos, neg = classes(rows)
    names = ("shift", "lower", "upper")
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    if has_nan(rows):
        return {**dict.fromkeys(names, math.nan), "method": None, **counts}
    if not pos or not neg:
        return {**dict.fromkeys(names), "method": None, **counts}
    differences = sorted(p - n for p in pos for n in neg)
    if any(math.isnan(difference) for difference in differences):
        return {**dict.fromkeys(names, math.nan), "method": None, **counts}
    tail = 0.5 * (1 - level)
    scores = [score for _, score in rows]
    exact = len(set(scores)) == len(scores)
    if exact:
        null = null_distribution(rows)
        first = next(k for k in range(len(differences) + 1) if sum(null[u] for u in null if u <= k) >= tail)
    else:
        m, n = len(pos), len(neg)
        ties = [one.count(score) for one in (pos, neg) for score in set(one)]
        variance = m * n / 12 * (m + n + 1 - sum(t**3 - t for t in ties) / ((m + n) * (m + n - 1)))
        # The shifts for which U - 1/2 stays within the quantile: count the pairs with a higher positive.
        most = m * n / 2 + 0.5 + float(norm.isf(tail)) * math.sqrt(variance)
        first = next((k for k in range(1, m * n + 1) if m * n - k < most), m * n)
        first = first if m * n - (first - 1) >= most else 0
    limits = (
        {"lower": -math.inf, "upper": math.inf}
        if first == 0
        else {"lower": differences[first - 1], "upper": differences[-first]}
    )
    half = len(differences) // 2
    odd = len(differences) % 2 == 1
    low, high = differences[half if odd else half - 1], differences[half]
    shift = (
        low
        if low == high
        else low + high
        if math.isinf(low + high) and math.isinf(max(-low, high))
        else 0.5 * low + 0.5 * high
    )
    method = "exact" if exact else "asymptotic"
    return {"shift": shift, **limits, "method": method, **counts}


def kruskal_wallis(rows: Sequence[tuple[str, float]]) -> dict[str, Any]:
    samples = sorted({sample for sample, _ in rows})
    counts = {"n_samples": len(samples), "n": len(rows)}
    scores = [score for _, score in rows]
    n = len(scores)
    if any(score != score for score in scores):
        return {"statistic": math.nan, "df": None, "p_value": math.nan, **counts}
    if len(samples) < 2 or len(set(scores)) < 2:
        return {"statistic": None, "df": None, "p_value": None, **counts}
    rank = {s: Fraction(sum(o < s for o in scores) + sum(o <= s for o in scores) + 1, 2) for s in scores}
    between = Fraction(0)
    for name in samples:
        ranks = [rank[score] for sample, score in rows if sample == name]
        between += sum(ranks, Fraction(0)) ** 2 / len(ranks)
    ties = sum(scores.count(score) ** 3 - scores.count(score) for score in set(scores))
    h = (Fraction(12, n * (n + 1)) * between - 3 * (n + 1)) / (1 - Fraction(ties, n**3 - n))
    df = len(samples) - 1
    return {"statistic": float(h), "df": df, "p_value": float(chi2.sf(float(h), df)), **counts}


def gini_index(rows: Sequence[tuple[float, float]], points: bool) -> dict[str, Any]:
    """The area in exact fractions, of rows of a target and a score."""
    names = ("gini", "normalized", "total")
    if any(value != value for row in rows for value in row):
        return {**dict.fromkeys(names, math.nan), "points": None, "n": len(rows)}
    exact = [(Fraction(target), score) for target, score in rows]
    total = sum((target for target, _ in exact), Fraction(0))
    answer: dict[str, Any] = {"gini": None, "normalized": None, "points": None, "n": len(rows)}
    answer["total"] = float(total) if rows else None
    if total <= 0:
        return answer

    def curve(by: Sequence[Any]) -> list[tuple[Any, Fraction, Fraction]]:
        found: list[tuple[Any, Fraction, Fraction]] = [(None, Fraction(0), Fraction(0))]
        for score in sorted(set(by), reverse=True):
            reached = [target for (target, _), own in zip(exact, by, strict=True) if own >= score]
            found.append((score, Fraction(len(reached), len(rows)), sum(reached, Fraction(0)) / total))
        return found

    def index(by: Sequence[Any]) -> Fraction:
        steps = itertools.pairwise(curve(by))
        return sum(((x1 - x0) * (y0 + y1) for (_, x0, y0), (_, x1, y1) in steps), Fraction(0)) - 1

    of_score = [score for _, score in exact]
    gini, perfect = index(of_score), index([target for target, _ in exact])
    answer |= {"gini": Rounded(gini), "normalized": Rounded(gini / perfect) if perfect > 0 else None}
    if points:
        answer["points"] = [
            {"score": score, "population": float(x), "captured": Rounded(y)}
            for score, x, y in curve(of_score)
        ]
    return answer


def orders_with_at_most(discordant: int, n: int) -> Fraction:
    """The share of the orders of n things with so few pairs out of order, by counting them (Mahon 1915)."""
    counts = [1]
    for k in range(2, n + 1):
        longer = [0] * (len(counts) + k - 1)
        for place, count in enumerate(counts):
            for step in range(k):
                longer[place + step] += count
        counts = longer
    return Fraction(sum(counts[: discordant + 1]), sum(counts))


def kendall_test(
    rows: Sequence[tuple[float, float]], concordant: int, discordant: int, alternative: str, method: str
) -> dict[str, Any]:
    """Kendall's test: the variance by its formula, and the exact distribution by counting."""
    n = len(rows)
    ties = [list(Counter(row[column] for row in rows).values()) for column in range(2)]
    if min(map(len, ties)) < 2:
        return {"z": None, "p_value": None, "method": None}

    def over_ties(column: int, of: Callable[[int], int]) -> int:
        return sum(of(t) for t in ties[column])

    pairs = n * (n - 1)
    spread = [over_ties(column, lambda t: t * (t - 1) * (2 * t + 5)) for column in range(2)]
    tied = [over_ties(column, lambda t: t * (t - 1)) for column in range(2)]
    triples = [over_ties(column, lambda t: t * (t - 1) * (t - 2)) for column in range(2)]
    variance = Fraction(pairs * (2 * n + 5) - sum(spread), 18) + Fraction(tied[0] * tied[1], 2 * pairs)
    if n > 2:
        variance += Fraction(triples[0] * triples[1], 9 * pairs * (n - 2))
    z = (concordant - discordant) / math.sqrt(variance)
    countable = not any(tied)
    if method == "exact" and not countable:
        return {"z": z, "p_value": None, "method": None}
    if method == "asymptotic" or not countable or n >= 50:
        return {"z": z, "p_value": p_value(z, alternative, _normal_tail), "method": "asymptotic"}
    greater, less = orders_with_at_most(discordant, n), orders_with_at_most(concordant, n)
    both = min(Fraction(1), 2 * min(greater, less))
    p = {"greater": greater, "less": less, "two-sided": both}[alternative]
    return {"z": z, "p_value": float(p), "method": "exact"}


def rank_agreement(
    rows: Sequence[tuple[float, float]], alternative: str = "two-sided", method: str = "auto"
) -> dict[str, Any]:
    names = (
        "tau_a",
        "tau_b",
        "tau_c",
        "somers_yx",
        "somers_xy",
        "gamma",
        "consistency",
        "discriminancy",
        "z",
    )
    pairs = dict.fromkeys(("concordant", "discordant", "tied_x", "tied_y", "tied_both"), 0)
    if any(value != value for row in rows for value in row):
        numbers = dict.fromkeys((*names, "p_value"), math.nan)
        return {**pairs, **numbers, "method": None, "n": len(rows)}
    for (x1, y1), (x2, y2) in itertools.combinations(rows, 2):
        if x1 == x2 or y1 == y2:
            pairs["tied_both" if x1 == x2 and y1 == y2 else "tied_x" if x1 == x2 else "tied_y"] += 1
        else:
            pairs["concordant" if (x1 > x2) == (y1 > y2) else "discordant"] += 1
    c, d, x, y, _ = pairs.values()

    def share(of: int, among: int) -> float | None:
        return of / among if among else None

    fewest = min(len({x for x, _ in rows}), len({y for _, y in rows}))
    tau_b = (c - d) / math.sqrt((c + d + x) * (c + d + y)) if (c + d + x) * (c + d + y) else None
    measures = {
        "tau_a": share(c - d, sum(pairs.values())),
        "tau_b": tau_b,
        "tau_c": share(2 * fewest * (c - d), len(rows) ** 2 * (fewest - 1)),
        "somers_yx": share(c - d, c + d + y),
        "somers_xy": share(c - d, c + d + x),
        "gamma": share(c - d, c + d),
        "consistency": share(c, c + d),
        "discriminancy": share(y, x),
    }
    return {**pairs, **measures, **kendall_test(rows, c, d, alternative, method), "n": len(rows)}


BY_COUNTS = ("hanley_mcneil", "obuchowski")
"""The methods that need no variance within a class."""


def roc_auc_ci(
    rows: Sequence[Row], z: float, method: str = "delong", test: Question = PLAIN
) -> dict[str, Any]:
    """The interval with the normal quantile ``z``."""
    pos, neg = classes(rows)
    names = ("auc", "se", "lower", "upper", "z", "p_value")
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    if has_nan(rows):
        return {**dict.fromkeys(names, math.nan), **counts}
    auc = roc_auc(rows)
    if auc is None or ((len(pos) < 2 or len(neg) < 2) and method not in BY_COUNTS):
        return {**dict.fromkeys(names), "auc": auc, **counts}
    if method == "hanley_mcneil":
        se = hanley_mcneil(auc, len(pos), len(neg))
    elif method == "obuchowski":
        fitted = binormal_error(rows)
        if fitted is None:
            return {**dict.fromkeys(names), "auc": auc, **counts}
        se = fitted
    else:
        of_pos, of_neg = placements(rows)
        se = math.sqrt(_variance(of_pos) / len(pos) + _variance(of_neg) / len(neg))
    said = decided(auc, se, 0.5, test)
    if method == "logit":
        half = 0.5 / min(len(pos), len(neg))
        center = auc if 0 < auc < 1 else abs(auc - half)
        spread = se if 0 < auc < 1 else hanley_mcneil(center, len(pos), len(neg))
        odds = math.log(center / (1 - center))
        margin = z * spread / (center * (1 - center))
        limits = {
            "lower": 0.0 if auc == 0 else 1 / (1 + math.exp(margin - odds)),
            "upper": 1.0 if auc == 1 else 1 / (1 + math.exp(-odds - margin)),
        }
        said = decided(center, spread / (center * (1 - center)), 0.5, test, scale=_logit)
    else:
        limits = {"lower": max(0.0, auc - z * se), "upper": min(1.0, auc + z * se)}
    return {"auc": auc, "se": se, **limits, **said, **counts}


def _logit(rate: float) -> float:
    held = min(max(rate, 0.0), 1.0)
    return math.log(held / (1 - held)) if 0 < held < 1 else math.copysign(math.inf, held - 0.5)


def hanley_mcneil(auc: float, n_pos: int, n_neg: int) -> float:
    a = Fraction(auc)
    q1, q2 = a / (2 - a), 2 * a * a / (1 + a)
    variance = a * (1 - a) + (n_pos - 1) * (q1 - a * a) + (n_neg - 1) * (q2 - a * a)
    return math.sqrt(variance / (n_pos * n_neg))


def binormal_error(rows: Sequence[Row]) -> float | None:
    """The standard error of the area under the line that is fitted to the normal quantiles of the points."""
    pos, neg = classes(rows)
    points = []
    for threshold in {*pos, *neg}:
        tp, fp = sum(score >= threshold for score in pos), sum(score >= threshold for score in neg)
        if 0 < tp < len(pos) and 0 < fp < len(neg):
            points.append((norm.ppf(tp / len(pos)), norm.ppf(1 - fp / len(neg))))
    if len({x for x, _ in points}) < 2:
        return None
    slope, a = np.polyfit([x for x, _ in points], [y for _, y in points], 1)
    b = -min(float(slope), 0.0)
    p, n = len(pos), len(neg)
    spread = 1 + b * b
    density = math.exp(-a * a / (2 * spread)) / math.sqrt(2 * math.pi * spread)
    var_a = (n * (a * a + 2) + 2 * p * b * b) / (2 * p * n)
    var_b = (p + n) * b * b / (2 * p * n)
    return math.sqrt(density**2 * var_a + (density * a * b / spread) ** 2 * var_b)


def roc_auc_bootstrap(rows: Sequence[Row]) -> dict[str, Any]:
    """Whether a bootstrap has an answer. Its value depends on the random draws, so any number is accepted."""
    drawn = {"se": ..., "lower": ..., "upper": ..., "z": MAYBE, "p_value": MAYBE}
    answer = roc_auc_ci(rows, z=1.0)
    return answer | {key: any_number for key, any_number in drawn.items() if _defined(answer["se"])}


def _defined(value: Any) -> bool:
    return value is not None and not math.isnan(value)


def _covariance(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    """Sum of products of deviations."""
    mean_a, mean_b = sum(a, Fraction(0)) / len(a), sum(b, Fraction(0)) / len(b)
    return sum(((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True)), Fraction(0))


def covariances(rows: Sequence[Any], scores: int) -> list[list[Fraction]]:
    """DeLong's covariance, of rows (label, score, score, ...)."""
    of = [placements([(row[0], row[1 + k]) for row in rows]) for k in range(scores)]
    m, n = len(of[0][0]), len(of[0][1])

    def covariance(a: int, b: int) -> Fraction:
        of_pos, of_neg = _covariance(of[a][0], of[b][0]), _covariance(of[a][1], of[b][1])
        return of_pos / (m * (m - 1)) + of_neg / (n * (n - 1))

    return [[covariance(a, b) for b in range(scores)] for a in range(scores)]


def clustered_covariances(rows: Sequence[Any], scores: int) -> list[list[Fraction]] | None:
    """Obuchowski's covariance, of rows (label, score, ..., cluster)."""
    pos_rows, neg_rows = [row for row in rows if row[0]], [row for row in rows if not row[0]]
    m, n = len(pos_rows), len(neg_rows)
    clusters = sorted({row[-1] for row in rows})
    with_pos, with_neg = len({row[-1] for row in pos_rows}), len({row[-1] for row in neg_rows})
    if with_pos < 2 or with_neg < 2:
        return None
    residuals = []
    for k in range(scores):
        of_pos, of_neg = placements([(row[0], row[1 + k]) for row in rows])
        auc = sum(of_pos, Fraction(0)) / m
        sums = []
        for cluster in clusters:
            of_one = [v - auc for v, row in zip(of_pos, pos_rows, strict=True) if row[-1] == cluster]
            of_other = [v - auc for v, row in zip(of_neg, neg_rows, strict=True) if row[-1] == cluster]
            sums.append((sum(of_one, Fraction(0)), sum(of_other, Fraction(0))))
        residuals.append(sums)

    def covariance(a: int, b: int) -> Fraction:
        pairs = list(zip(residuals[a], residuals[b], strict=True))
        s10 = Fraction(with_pos, with_pos - 1) * sum(x[0] * y[0] for x, y in pairs)
        s01 = Fraction(with_neg, with_neg - 1) * sum(x[1] * y[1] for x, y in pairs)
        across = Fraction(len(clusters), len(clusters) - 1) * sum(x[0] * y[1] + x[1] * y[0] for x, y in pairs)
        return s10 / m**2 + s01 / n**2 + across / (m * n)

    return [[covariance(a, b) for b in range(scores)] for a in range(scores)]


def roc_auc_ci_clustered(
    rows: Sequence[tuple[bool, float, str]], z: float, test: Question = PLAIN
) -> dict[str, Any]:
    pairs = [(label, score) for label, score, _ in rows]
    clusters = {"n_clusters": len({cluster for _, _, cluster in rows})}
    answer = roc_auc_ci(pairs, z)
    if has_nan(pairs) or answer["auc"] is None:
        return {**answer, **clusters}
    matrix = clustered_covariances(rows, 1)
    auc = answer["auc"]
    if matrix is None:
        return {**answer, **dict.fromkeys(("se", "lower", "upper", "z", "p_value")), **clusters}
    se = math.sqrt(max(Fraction(0), matrix[0][0]))
    limits = {"lower": max(0.0, auc - z * se), "upper": min(1.0, auc + z * se)}
    return {**answer, "se": se, **limits, **decided(auc, se, 0.5, test), **clusters}


def exact_auc(rows: Sequence[Row]) -> Fraction:
    pos, neg = classes(rows)
    return u_statistic(rows) / (len(pos) * len(neg))


DIFFERENCE = ("estimate_a", "estimate_b", "difference", "se", "lower", "upper", "z", "p_value")


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
    """Under the curve up to an fpr: for each negative called positive so far, the tpr above it."""
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
    if not _defined(whole["difference"]):
        return whole
    a, b = (partial_area(one, max_fpr) for one in pairs)
    answer = whole | {"estimate_a": float(a), "estimate_b": float(b), "difference": ...}
    drawn = dict.fromkeys(("se", "lower", "upper"), ...) if whole["se"] is not None else {}
    # With a standard error of 0 the statistic is undefined, and whether it is 0 depends on the random draws.
    return answer | drawn | {"z": MAYBE, "p_value": MAYBE} if drawn else answer


def roc_auc_difference_power(rows: Sequence[Any]) -> dict[str, Any]:
    test = roc_auc_difference(rows, z=1.0)
    names = ("power", "needed_pos", "needed_neg")
    counts = {key: test[key] for key in ("n_pos", "n_neg", "difference")}
    if test["difference"] is not None and math.isnan(test["difference"]):
        return {**counts, **dict.fromkeys(names, math.nan)}
    if test["se"] is None or test["se"] == 0:
        return {**counts, **dict.fromkeys(names)}
    difference, se = abs(test["difference"]), test["se"]
    critical, wanted = float(norm.isf(0.025)), float(norm.isf(0.2))
    power = _normal_tail(critical - difference / se)
    if difference == 0:
        return {**counts, "power": power, "needed_pos": None, "needed_neg": None}
    times = ((critical + wanted) * se / difference) ** 2
    needed = {"needed_pos": times * counts["n_pos"], "needed_neg": times * counts["n_neg"]}
    return {**counts, "power": power, **needed}


def roc_auc_compare(rows: Sequence[Any], z: float) -> dict[str, Any]:
    """Of two scores, named score and other: the joint test is that of their difference, squared."""
    test = roc_auc_difference(rows, z)
    counts = {key: test[key] for key in ("n_pos", "n_neg")}
    if test["difference"] is None or math.isnan(test["difference"]):
        nothing = None if test["difference"] is None else math.nan
        lists = {"areas": None, "differences": None}
        return {**lists, "chi_square": nothing, "df": None, "p_value": nothing, **counts}
    matrix = covariances(rows, 2) if test["se"] is not None else None
    areas = []
    for k, name in enumerate(("score", "other")):
        ci = roc_auc_ci([(row[0], row[1 + k]) for row in rows], z)
        of_one = {key: ci[key] for key in ("auc", "se", "lower", "upper")}
        covariance = [float(value) for value in matrix[k]] if matrix else []
        areas.append({"score": name, **of_one, "covariance": covariance})
    pair = {key: test[key] for key in ("difference", "se", "lower", "upper", "z", "p_value")}
    pairs = [{"score_a": "score", "score_b": "other", **pair, "p_adjusted": pair["p_value"]}]
    joint: dict[str, Any] = dict.fromkeys(("chi_square", "df", "p_value"))
    if test["se"] == 0:
        joint |= {"df": 0, "chi_square": 0.0} if test["difference"] == 0 else {}
    elif test["se"] is not None:
        joint = {"chi_square": test["z"] ** 2, "df": 1, "p_value": test["p_value"]}
    return {"areas": areas, "differences": pairs, **joint, **counts}


def roc_curve_difference(rows: Sequence[Any]) -> dict[str, Any]:
    """Whether the test has an answer. Its value depends on the random draws, so any number is accepted."""
    test = roc_auc_difference(rows, z=1.0)
    counts = {key: test[key] for key in ("n_pos", "n_neg")}
    difference = test["difference"]
    return {**dict.fromkeys(("statistic", "p_value"), ... if _defined(difference) else difference), **counts}


def folds(rows: Sequence[Any]) -> dict[str, list[Any]]:
    return {fold: [row[:-1] for row in rows if row[-1] == fold] for fold in sorted({row[-1] for row in rows})}


def cv_roc_auc(
    rows: Sequence[tuple[bool, float, str]], level: float, method: str, tie: Fraction = Fraction(1, 2)
) -> dict[str, Any]:
    pairs = [row[:2] for row in rows]
    pos, neg = classes(pairs)
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    names = ("auc", "sd", "se", "lower", "upper")
    if has_nan(pairs):
        return {**dict.fromkeys(names, math.nan), "n_folds": 0, "n_undefined": 0, **counts}
    parts = folds(rows)
    defined = [part for part in parts.values() if all(classes(part))]
    k = len(defined)
    answer: dict[str, Any] = {**dict.fromkeys(names), "n_folds": k, "n_undefined": len(parts) - k, **counts}
    if k == 0:
        return answer
    areas = [exact_auc(part) for part in defined]
    mean = sum(areas, Fraction(0)) / k
    answer["auc"] = float(mean)
    sd = math.sqrt(_variance(areas)) if k > 1 else None
    answer["sd"] = sd
    if method == "t":
        if sd is None:
            return answer
        se, quantile = sd / math.sqrt(k), float(student_t.isf((1 - level) / 2, k - 1))
    else:
        m, n = (sum(len(classes(part)[one]) for part in defined) for one in (0, 1))
        squares = Fraction(0)
        for part, auc in zip(defined, areas, strict=True):
            of_pos, of_neg = placements(part, tie)
            values = [(v - auc) * Fraction(m + n, m) for v in of_pos]
            values += [(v - auc) * Fraction(m + n, n) for v in of_neg]
            squares += sum((v * v for v in values), Fraction(0)) / len(part)
        se, quantile = math.sqrt(squares / k / (m + n)), float(norm.isf((1 - level) / 2))
    limits = {"lower": float(mean) - quantile * se, "upper": float(mean) + quantile * se}
    return {**answer, "se": se, **limits}


def cv_roc_auc_clustered(
    rows: Sequence[tuple[bool, float, str, float]], level: float, tie: Fraction
) -> dict[str, Any]:
    """By influence, of rows (label, score, fold, cluster)."""
    answer = cv_roc_auc([row[:3] for row in rows], level, "influence")
    answer["n_clusters"] = len({row[3] for row in rows})
    if has_nan([row[:2] for row in rows]) or answer["auc"] is None:
        return answer
    parts = [[row for row in rows if row[2] == fold] for fold in {row[2] for row in rows}]
    parts = [part for part in parts if all(classes([row[:2] for row in part]))]
    rows = [row for part in parts for row in part]
    clusters = {row[3] for row in rows}
    if len(clusters) < 2:
        return answer | dict.fromkeys(("se", "lower", "upper"))
    m, n = (len(of) for of in classes([row[:2] for row in rows]))
    sums = dict.fromkeys(clusters, 0.0)
    for part in parts:
        pairs = [row[:2] for row in part]
        auc = exact_auc(pairs)
        of_pos, of_neg = placements(pairs, tie)
        influence: dict[float, Fraction] = dict.fromkeys(clusters, Fraction(0))
        for label, total, values in ((True, m, of_pos), (False, n, of_neg)):
            members = [row[3] for row in part if row[0] == label]
            for cluster, value in zip(members, values, strict=True):
                influence[cluster] += (value - auc) / total
        of_fold = sum(Fraction(1, sum(row[3] == own[3] for row in rows)) for own in part)
        weight = math.sqrt(len(clusters) / (len(parts) * of_fold))
        for cluster in clusters:
            sums[cluster] += weight * float(influence[cluster])
    se = math.sqrt(sum(value * value for value in sums.values()))
    margin = float(norm.isf((1 - level) / 2)) * se
    # Influences of either sign may cancel in a cluster, but for their rounding.
    answer["se"] = Rounded(se)
    return answer | {"lower": Rounded(answer["auc"] - margin), "upper": Rounded(answer["auc"] + margin)}


def cv_roc_auc_difference(rows: Sequence[Any], level: float) -> dict[str, Any]:
    pairs = [[(row[0], row[1 + k]) for row in rows] for k in range(2)]
    pos, neg = classes(pairs[0])
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    names = ("auc_a", "auc_b", "difference", "se", "lower", "upper", "t", "p_value")
    if any(has_nan(one) for one in pairs):
        return {**dict.fromkeys(names, math.nan), "df": None, "n_folds": 0, "n_undefined": 0, **counts}
    parts = folds(rows)
    defined = [part for part in parts.values() if all(classes([row[:2] for row in part]))]
    k = len(defined)
    answer: dict[str, Any] = {
        **dict.fromkeys((*names, "df")),
        "n_folds": k,
        "n_undefined": len(parts) - k,
        **counts,
    }
    if k == 0:
        return answer
    areas = [[exact_auc([(row[0], row[1 + one]) for row in part]) for part in defined] for one in range(2)]
    differences = [a - b for a, b in zip(*areas, strict=True)]
    a, b, mean = (sum(of, Fraction(0)) / k for of in (*areas, differences))
    answer |= {"auc_a": float(a), "auc_b": float(b), "difference": float(mean)}
    if k < 2:
        return answer
    variance = _variance(differences) * (Fraction(1, k) + Fraction(1, k - 1))
    se = math.sqrt(variance)
    margin = float(student_t.isf((1 - level) / 2, k - 1)) * se
    answer |= {"se": se, "df": k - 1, "lower": float(mean) - margin, "upper": float(mean) + margin}
    if variance == 0:
        return answer | ({"t": 0.0, "p_value": 1.0} if mean == 0 else {})
    t = float(mean) / se
    return answer | {"t": t, "p_value": p_value(t, "two-sided", lambda x: float(student_t.sf(x, k - 1)))}


def _variance(values: Sequence[Fraction]) -> Fraction:
    mean = sum(values, Fraction(0)) / len(values)
    return sum(((value - mean) ** 2 for value in values), Fraction(0)) / (len(values) - 1)


def roc_summary(rows: Sequence[Row], z: float) -> dict[str, Any]:
    pos, neg = classes(rows)
    ci = roc_auc_ci(rows, z=z)
    record = {name: ci[name] for name in ("auc", "se", "lower", "upper")}
    record |= {"gini": gini(rows), "ks": ks_statistic(rows)["ks"]}
    counts = {
        "prevalence": len(pos) / len(rows) if rows else None,
        "n": len(rows),
        "n_missing": MAYBE,  # an oracle sees the rows that are used
        "n_pos": len(pos),
        "n_neg": len(neg),
    }
    if has_nan(rows):
        return {**record, "average_precision": math.nan, "best_threshold": math.nan, **counts}
    if not pos or not neg:
        return {**record, "average_precision": 1.0 if pos else None, "best_threshold": None, **counts}
    precisions, best = Fraction(0), (Fraction(-2), None)
    for threshold in sorted(set(pos), reverse=True):
        tp, fp = sum(score >= threshold for score in pos), sum(score >= threshold for score in neg)
        precisions += pos.count(threshold) * Fraction(tp, tp + fp)
        youden = Fraction(tp, len(pos)) - Fraction(fp, len(neg))
        if youden > best[0]:
            best = youden, threshold
    average_precision = float(precisions / len(pos))
    return {**record, "average_precision": average_precision, "best_threshold": best[1], **counts}


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


def area_covariance(one: Sequence[Any], other: Sequence[Any]) -> Fraction | None:
    """The covariance of two AUCs, each of its own rows (label, score, ..., cluster)."""

    def sums(rows: Sequence[Any]) -> list[dict[Any, Fraction]]:
        of_classes: list[dict[Any, Fraction]] = [{}, {}]
        pairs = [row[:2] for row in rows]
        auc = exact_auc(pairs)
        for sums, label, values in zip(of_classes, (True, False), placements(pairs), strict=True):
            for row, value in zip([row for row in rows if row[0] == label], values, strict=True):
                sums[row[-1]] = sums.get(row[-1], Fraction(0)) + (value - auc) / len(values)
        return of_classes

    of_one, of_other = sums(one), sums(other)
    if any(len(of_class) < 2 for of_class in (*of_one, *of_other)):
        return None

    def part(a: int, b: int) -> Fraction:
        x, y = of_one[a], of_other[b]
        if a == b:
            clusters = min(len(x), len(y))
        else:
            clusters = min(len({row[-1] for row in rows}) for rows in (one, other))
        return Fraction(clusters, clusters - 1) * sum((x[c] * y[c] for c in x if c in y), Fraction(0))

    return sum((part(a, b) for a in (0, 1) for b in (0, 1)), Fraction(0))
