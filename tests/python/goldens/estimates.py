"""Areas, curves and distances: what the records of one score say without any inference."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import polars as pl

import polars_auc as pa
from goldens.points import midpoints
from goldens.rows import Answers, Apart, Check, Record, answer, pairs, rows, side, tied

R_SERIES = 1e-4
"""R 4.2 cuts Kolmogorov's series after too few terms: large p-values are off by up to 3e-5, and small ones
lose their digits, against scipy.stats.kstwobign, which test_laws holds ours against."""

R_SMALLEST = 1e-7
"""R's exact p-values are 1 less a distribution, and lose digits as they become small."""

REPEATED = Apart("an argument, repeated")
JACKKNIFE = Apart("the infinitesimal jackknife of a difference, which is not here")
CLUSTERS = Apart("the infinitesimal jackknife of clusters, without Obuchowski's factors")
IF_NOTHING = Apart("the variance if the score said nothing, no field of ours")


def proc_auc(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record)
    ci = answer(used, pa.roc_auc_ci("label", "score"))
    missing = used.height - ci["n_pos"] - ci["n_neg"]
    return {"auc": ci["auc"], "n_pos": ci["n_pos"], "n_neg": ci["n_neg"], "n_missing": missing}


def _curve(frame: pl.DataFrame, record: Record) -> list[dict[str, Any]]:
    points: list[dict[str, Any]] = answer(rows(frame, record), pa.roc_curve("label", "score"))
    return points


def proc_roc(frame: pl.DataFrame, record: Record) -> Answers:
    upwards = _curve(frame, record)[::-1]
    theirs = [float(threshold) for threshold in record["result"]["thresholds"]]
    ours = [point["threshold"] for point in upwards]
    return {
        **proc_auc(frame, record),
        "sensitivities": [point["tpr"] for point in upwards],
        "specificities": [1 - point["fpr"] for point in upwards],
        "thresholds": midpoints(rows(frame, record), theirs, ours),
    }


def somers(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record)
    n = used.drop_nulls().height
    return {
        "C": answer(used, pa.roc_auc("label", "score")),
        "Dxy": answer(used, pa.gini("label", "score")),
        "n": n,
        "Missing": used.height - n,
    }


def concordance(frame: pl.DataFrame, record: Record) -> Answers:
    if "score1" in record["arguments"]:
        both = pairs(frame, record).drop_nulls()
        c1, c2 = (answer(both, pa.roc_auc("label", score)) for score in "ab")
        return {"c1": c1, "c2": c2, "cov_infinitesimal_jackknife": JACKKNIFE, "z": JACKKNIFE}
    used = rows(frame, record)
    test = answer(used, pa.rank_agreement(pl.col("label").rank("dense"), "score"))
    counts = {
        "concordant": test["concordant"],
        "discordant": test["discordant"],
        "tied.x": test["tied_y"],
        "tied.y": test["tied_x"],
        "tied.xy": test["tied_both"],
    }
    # The interval of weighted rows is by the infinitesimal jackknife.
    ci = answer(used.with_columns(weight=1), pa.roc_auc_ci("label", "score", weight="weight"))
    # Positives have an event first, and nothing is censored.
    events = used.with_columns(time=-pl.col("label").rank("dense").cast(pl.Int64), event=True)
    index = answer(events, pa.concordance_index("time", "event", "score"))
    auc = answer(used, pa.roc_auc("label", "score"))
    assert index["concordance"] == auc, record["id"]
    return {
        "concordance": auc,
        "counts": counts,
        "var": ci["se"] ** 2,
        "var_infinitesimal_jackknife": index["se"] ** 2,
        "cvar": IF_NOTHING,
        "var_robust_cluster": CLUSTERS,
    }


def pair_counts(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record).drop_nulls()
    u = answer(used, pa.mann_whitney_u("label", "score"))
    counts = answer(used, pa.rank_agreement(pl.col("label").rank("dense"), "score"))
    defined = u["n_pos"] > 0 and u["n_neg"] > 0
    expected_u = counts["concordant"] + counts["tied_y"] / 2
    assert u["u_statistic"] == (expected_u if defined else None), record["id"]
    return {
        "n_pos": u["n_pos"],
        "n_neg": u["n_neg"],
        "pairs_pos_greater": counts["concordant"],
        "pairs_tied": counts["tied_y"],
        "pairs_pos_smaller": counts["discordant"],
        "auc": u["auc"],
    }


def sklearn_auc(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record)
    auc, gini = (answer(used, make("label", "score")) for make in (pa.roc_auc, pa.gini))
    return {"auc": auc, "gini_2auc_minus_1": gini}


def sklearn_curve(frame: pl.DataFrame, record: Record) -> Answers:
    points = _curve(frame, record)
    if record["arguments"]["drop_intermediate"]:
        kept = answer(rows(frame, record), pa.roc_curve("label", "score", drop_intermediate=True))
        points = _with_uneven_steps(points, kept)
    return curve_columns(points, record)


def _with_uneven_steps(points: list[dict[str, Any]], kept: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the points that sklearn keeps: all but those with the same step before them as after them.

    It puts the first point, (0, 0), before the others afterwards, so it keeps the second one, too.
    Ours must be among them, and the others on the straight lines between ours.
    """
    at = [(point["fp"], point["tp"]) for point in points]
    even = {
        i
        for i in range(2, len(at) - 1)
        if all(at[i][k] - at[i - 1][k] == at[i + 1][k] - at[i][k] for k in (0, 1))
    }
    theirs = [point for i, point in enumerate(points) if i not in even]
    assert all(point in theirs for point in kept)
    for a, b in itertools.pairwise(kept):
        for point in points[points.index(a) + 1 : points.index(b)]:
            x, y = point["fp"] - a["fp"], point["tp"] - a["tp"]
            assert x * (b["tp"] - a["tp"]) == y * (b["fp"] - a["fp"])
    return theirs


def curve_columns(points: list[dict[str, Any]], record: Record) -> Answers:
    columns = {
        "fpr": [point["fpr"] for point in points],
        "tpr": [point["tpr"] for point in points],
        "thresholds": [math.inf, *(point["threshold"] for point in points[1:])],
    }
    result = record["result"]
    sums = {key: math.fsum(columns[key.removeprefix("sum_")]) for key in result if key.startswith("sum_")}
    ends = {
        key: {name: values[part] for name, values in columns.items()}
        for key, part in (("first_20", slice(20)), ("last_5", slice(-5, None)))
        if key in result
    }
    return {**columns, **sums, **ends, "n_points": len(points)}


def sklearn_average_precision(frame: pl.DataFrame, record: Record) -> Answers:
    summary = answer(rows(frame, record), pa.roc_summary("label", "score"))
    return {
        "average_precision": summary["average_precision"],
        "prevalence": summary["n_pos"] / (summary["n_pos"] + summary["n_neg"]),
    }


def cut_short(ours: float | None, theirs: Any) -> bool:
    """Say whether R's p-value differs from ours by no more than the end of its series."""
    if ours is None or not isinstance(theirs, float):
        return False
    return 1e-9 * abs(theirs) < abs(ours - theirs) <= R_SERIES


def ks(frame: pl.DataFrame, record: Record) -> Answers:
    arguments, is_scipy = record["arguments"], record["function"].startswith("scipy")
    # Theirs says whose distribution function lies above: that of the lower scores.
    alternative: Any = {"greater": "less", "less": "greater"}.get(side(arguments), "two-sided")
    is_exact = arguments.get("exact") is True or arguments.get("method") == "exact"
    used = rows(frame, record)
    method: Any = "exact" if is_exact else "asymptotic"
    test = answer(used, pa.ks_statistic("label", "score", alternative=alternative, method=method))
    p: float | Apart = test["p_value"]
    if is_scipy and not is_exact:
        p = Apart("scipy's distribution is for so many rows; ours is the limit")
    elif is_scipy and tied(used):
        p = Apart("scipy's exact distribution ignores ties")
    elif is_exact and tied(used) and alternative == "greater":
        p = Apart("R takes the ties from the wrong end on one side; ours is what permutations give")
    elif is_exact and not is_scipy and test["p_value"] < R_SMALLEST:
        p = Apart("R subtracts the distribution from 1")
    elif cut_short(test["p_value"], record["result"].get("p_value")):
        p = Apart("R cuts a series short")
    return {
        "statistic": test["ks"],
        "p_value": p,
        "statistic_location": Apart("the score below the cut; ours is the one above"),
        "statistic_sign": Apart("of two places at one distance, the lower score; ours is the higher"),
    }


def ks_by_counting(frame: pl.DataFrame, record: Record) -> Answers:
    """Every way of dealing the labels, in fractions."""
    used = rows(frame, record)
    answers = {}
    for theirs, alternative in (("two-sided", "two-sided"), ("greater", "less"), ("less", "greater")):
        test = answer(used, pa.ks_statistic("label", "score", alternative=alternative, method="exact"))  # type: ignore[arg-type]
        answers[theirs] = {"statistic": _fraction(test["ks"]), "p_value": _fraction(test["p_value"])}
    return answers


def _fraction(value: float) -> float:
    """Return the simple fraction that a number is, but for its last digit."""
    return float(Fraction(value).limit_denominator(10**7))


CHECKS: dict[str, Check] = {
    "pROC::auc": proc_auc,
    "pROC::roc": proc_roc,
    "bruteforce.pair_counts": pair_counts,
    "Hmisc::somers2": somers,
    "survival::concordance": concordance,
    "stats::ks.test": ks,
    "scipy.stats.ks_2samp": ks,
    "bruteforce.exact_permutation_ks": ks_by_counting,
    "sklearn.metrics.roc_auc_score": sklearn_auc,
    "sklearn.metrics.roc_curve": sklearn_curve,
    "sklearn.metrics.average_precision_score": sklearn_average_precision,
}
