"""The band for the difference of two ROC curves, as it is defined: row by row, resample by resample."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from scipy.stats import norm

from oracles.bands import tpr_at
from oracles.draws import Stream
from oracles.scores import Rounded, has_nan

Ranks: TypeAlias = dict[float, tuple[int, int, float, float]]
"""For each score: its first rank, its number of rows, its normal score, and ranks by normal score there."""


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
    """The score that a row takes, of all scores in ascending order."""
    first, rows, _, density = ranks[score]
    to = abs(first + rows * within + density * distance)
    to = 2 * len(scores) - to if to > len(scores) else to
    return scores[min(int(to), len(scores) - 1)]


def roc_difference_band(
    rows: Sequence[Any], level: float, points: int, n_resamples: int, seed: int, clustered: bool = False
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
        of_class = [(ranks[0][row[1]][2], ranks[1][row[2]][2]) for row in rows if row[0] == label]
        correlations.append(_correlation(of_class))
        shares.append(0.4 * size**-0.2)

    def drawn(stream: Stream) -> list[Any]:
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
            taken = []
            for _ in clusters:
                cluster = clusters[stream.index(len(clusters))]
                taken += [moved(row) for row in rows if row[3] == cluster]
            return taken
        taken = []
        for first, size in ((0, sizes[0]), (sizes[0], sizes[1])):
            taken += [moved(rows[first + stream.index(size)]) for _ in range(size)]
        return taken

    rates = [Fraction(place + 1, points + 1) for place in range(points)]

    def curves(rows: Sequence[Any]) -> list[list[float]]:
        classes = [
            ([row[k] for row in rows if row[0]], [row[k] for row in rows if not row[0]]) for k in (1, 2)
        ]
        return [[tpr_at(curve, rate) for rate in rates] for curve in classes]

    differences = []
    for replicate in range(n_resamples):
        taken = drawn(Stream(seed, replicate))
        if len({row[0] for row in taken}) == 2:
            a, b = curves(taken)
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
            # Rounding decides.
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
