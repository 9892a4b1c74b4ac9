"""Rank tests of one score: all pairs, and all permutations."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from scipy.stats import chi2, norm
from scipy.stats import t as student_t

from oracles.areas import roc_auc, u_statistic
from oracles.rows import (
    Row,
    classes,
    has_nan,
    logit_limits,
    normal_tail,
    p_value,
    placements,
    sample_variance,
)


def null_distribution(rows: Sequence[Row]) -> dict[Fraction, Fraction]:
    """Return the probability of each U over all choices of the positives, with ties."""
    n_pos = sum(label for label, _ in rows)
    scores = [score for _, score in rows]
    # ways[number chosen, U], tie by tie from the lowest score.
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
    """Use the normal approximation, or the exact distribution if a two-sided rule is set."""
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
        return {**answer, "p_value": p_value(z, alternative, normal_tail), "method": "asymptotic"}
    null = null_distribution(rows)
    lower = sum((p for value, p in null.items() if value <= u), Fraction(0))
    upper = sum((p for value, p in null.items() if value >= u), Fraction(0))
    far = [p for value, p in null.items() if abs(value - Fraction(pairs, 2)) >= abs(surplus)]
    both = sum(far, Fraction(0)) if two_sided == "deviation" else min(Fraction(1), 2 * min(lower, upper))
    p = {"two-sided": both, "greater": upper, "less": lower}[alternative]
    return {**answer, "p_value": float(p), "method": "exact"}


def brunner_munzel(rows: Sequence[Row], alternative: str, distribution: str) -> dict[str, Any]:
    pos, neg = classes(rows)
    tests = ("statistic", "df", "p_value")
    counts = {"n_pos": len(pos), "n_neg": len(neg)}
    if has_nan(rows):
        return {**dict.fromkeys((*tests, "auc", "se"), math.nan), **counts}
    auc = roc_auc(rows)
    if auc is None or len(pos) < 2 or len(neg) < 2:
        return {**dict.fromkeys((*tests, "se")), "auc": auc, **counts}
    pos_placements, neg_placements = placements(rows)
    v1, v0 = sample_variance(pos_placements) / len(pos), sample_variance(neg_placements) / len(neg)
    answer = {"auc": auc, "se": math.sqrt(v1 + v0), **counts}
    if v1 + v0 == 0:
        return {**answer, **dict.fromkeys(tests)}
    statistic = float(sum(pos_placements, Fraction(0)) / len(pos) - Fraction(1, 2)) / math.sqrt(v1 + v0)
    df = float((v1 + v0) ** 2 / (v1**2 / (len(pos) - 1) + v0**2 / (len(neg) - 1)))
    tail = normal_tail if distribution == "normal" else lambda x: float(student_t.sf(x, df))
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
        # The shifts where U - 1/2 is within the quantile: count the pairs with a higher positive.
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


def orders_with_at_most(discordant: int, n: int) -> Fraction:
    """Return the share of permutations of n items with at most this number of inversions (Mahon 1915)."""
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
    """Return Kendall's test: the variance by its formula, and the exact distribution by enumeration."""
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
        return {"z": z, "p_value": p_value(z, alternative, normal_tail), "method": "asymptotic"}
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


CensoredRow = tuple[float, bool, float]
"""Time, event and score."""


def is_earlier(a: CensoredRow, b: CensoredRow) -> bool:
    """Return whether a row had the event and the other one is certainly later."""
    return a[1] and (a[0] < b[0] or (a[0] == b[0] and not b[1]))


def uncensored(rows: Sequence[CensoredRow], time: float) -> Fraction:
    """Return the probability of no censoring before a time, by the Kaplan-Meier product."""
    product = Fraction(1)
    for before in sorted({row[0] for row in rows if row[0] < time}):
        at_risk = sum(row[0] > before or (row[0] == before and not row[1]) for row in rows)
        censored = sum(row[0] == before and not row[1] for row in rows)
        if censored:
            product *= 1 - Fraction(censored, at_risk)
    return product


def concordance_index(
    rows: Sequence[CensoredRow], method: str, level: float, tau: float | None = None, interval: str = "logit"
) -> dict[str, Any]:
    counts = {"n_events": sum(event for _, event, _ in rows), "n": len(rows)}
    names, pair_names = ("concordance", "se", "lower", "upper"), ("concordant", "discordant", "tied")
    if any(math.isnan(time) or math.isnan(score) for time, _, score in rows):
        return {**dict.fromkeys(names, math.nan), **dict.fromkeys(pair_names, 0), **counts}
    pairs = dict.fromkeys(pair_names, 0)
    concordant = [Fraction(0)] * len(rows)
    weight = [Fraction(0)] * len(rows)
    for first, a in enumerate(rows):
        pair_weight = 1 / uncensored(rows, a[0]) ** 2 if method == "uno" and a[1] else Fraction(1)
        if tau is not None and not a[0] < tau:
            continue
        for second, b in enumerate(rows):
            if is_earlier(a, b):
                pairs["concordant" if a[2] > b[2] else "tied" if a[2] == b[2] else "discordant"] += 1
                for row in (first, second):
                    concordant[row] += pair_weight * Fraction(2 * (a[2] > b[2]) + (a[2] == b[2]), 2)
                    weight[row] += pair_weight
    total = sum(weight, Fraction(0)) / 2
    if not total:
        return {**dict.fromkeys(names), **pairs, **counts}
    index = sum(concordant, Fraction(0)) / 2 / total
    squares = sum(((s - index * n) ** 2 for s, n in zip(concordant, weight, strict=True)), Fraction(0))
    se = math.sqrt(squares) / float(total)
    if interval == "normal":
        margin = float(norm.isf((1 - level) / 2)) * se
        limits = {"lower": max(0.0, float(index) - margin), "upper": min(1.0, float(index) + margin)}
    else:
        used = [a for a in rows if tau is None or a[0] < tau]
        events = sum(any(is_earlier(a, b) for b in rows) for a in used)
        errors = float(student_t.isf((1 - level) / 2, max(events - 1, 1)))
        limits, _, _ = logit_limits(float(index), se, errors, events, len(rows) - 1)
    return {"concordance": float(index), "se": se, **limits, **pairs, **counts}
