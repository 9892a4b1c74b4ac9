"""The power of tests, and the rows of a test or an interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from scipy.stats import norm

from oracles.comparisons import roc_auc_difference
from oracles.rows import normal_tail


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
    power = normal_tail(critical - difference / se)
    if difference == 0:
        return {**counts, "power": power, "needed_pos": None, "needed_neg": None}
    times = ((critical + wanted) * se / difference) ** 2
    needed = {"needed_pos": times * counts["n_pos"], "needed_neg": times * counts["n_neg"]}
    return {**counts, "power": power, **needed}


def _variance(auc: float, ratio: float) -> float:
    """Return the variance of the AUC, times the positives: Obuchowski's binormal approximation."""
    square = (1.414 * float(norm.ppf(auc))) ** 2
    return 0.0099 * math.exp(-square / 2) * ((5 * square + 8) + (square + 8) / ratio)


def roc_auc_power(auc: float, n_pos: float, n_neg: float, null: float, tail: float) -> float:
    """Return the power of a test of one AUC that rejects beyond the quantile of ``tail``."""
    ratio = n_neg / n_pos
    surplus = math.sqrt(n_pos) * abs(auc - null) - float(norm.isf(tail)) * math.sqrt(_variance(null, ratio))
    return normal_tail(-surplus / math.sqrt(_variance(auc, ratio)))


def roc_auc_sample_size_of_width(auc: float, width: float, ratio: float, alpha: float) -> float:
    """Return the positives with which a normal interval has this width."""
    return _variance(auc, ratio) * (2 * float(norm.isf(alpha / 2)) / width) ** 2
