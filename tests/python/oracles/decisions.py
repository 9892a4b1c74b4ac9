"""What acting on a probability is worth, by definition."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from oracles.rows import Group, Rounded, WeightedRow, share


def net_benefit(
    rows: Sequence[WeightedRow],
    *,
    thresholds: Sequence[float],
    level: float,
    prevalence: float | None = None,
) -> list[dict[str, Any]] | None:
    group = Group(rows)
    total = group.p + group.n
    if group.has_nan or not total or (prevalence is not None and not group.has_pairs):
        return None
    return [_at(group, threshold, level, prevalence) for threshold in thresholds]


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
        of_pos = sum((w * (called - tp / group.p)) ** 2 for w, label, called in rows if label) / group.p**2
        of_neg = sum((w * (called - fp / group.n)) ** 2 for w, label, called in rows if not label)
        se = math.sqrt(rate**2 * of_pos + ((1 - rate) * odds) ** 2 * of_neg / group.n**2)
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
