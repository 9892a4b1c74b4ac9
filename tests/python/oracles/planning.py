"""The power of a comparison."""

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
