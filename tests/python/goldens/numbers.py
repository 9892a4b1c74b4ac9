"""Areas, whole and partial, and distances: records of one score without inference."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import polars as pl

import polars_auc as pa
from goldens.rows import Answers, Apart, Check, Record, answer, rows, side, tied, weight_of, weighted_rows

R_SERIES = 1e-4
"""R 4.2 truncates Kolmogorov's series too early: large p-values differ by up to 3e-5, and small ones lose
digits compared with scipy.stats.kstwobign, which test_laws compares with ours.
"""

R_SMALLEST = 1e-7
"""R computes exact p-values as 1 minus a distribution, which loses digits for small values."""


def proc_auc(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record)
    ci = answer(used, pa.roc_auc_ci("label", "score", method="delong"))
    missing = used.height - ci["n_pos"] - ci["n_neg"]
    return {"auc": ci["auc"], "n_pos": ci["n_pos"], "n_neg": ci["n_neg"], "n_missing": missing}


def somers(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record)
    n = used.drop_nulls().height
    return {
        "C": answer(used, pa.roc_auc("label", "score")),
        "Dxy": answer(used, pa.gini("label", "score")),
        "n": n,
        "Missing": used.height - n,
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


def sklearn_losses(frame: pl.DataFrame, record: Record) -> Answers | Apart:
    used = rows(frame, record)
    scores = used["score"].drop_nulls()
    if not scores.is_between(0, 1).all():
        return Apart("the score is not a probability")
    log_loss = answer(used, pa.log_loss("label", "score"))["log_loss"]
    return {
        "brier": answer(used, pa.brier_score("label", "score"))["brier_score"],
        "log_loss_clipped": Apart("a certain error is clipped; ours is infinite")
        if log_loss is not None and math.isinf(log_loss)
        else log_loss,
    }


def sklearn_average_precision(frame: pl.DataFrame, record: Record) -> Answers:
    summary = answer(rows(frame, record), pa.roc_summary("label", "score"))
    return {
        "average_precision": summary["average_precision"],
        "prevalence": summary["n_pos"] / (summary["n_pos"] + summary["n_neg"]),
    }


def cut_short(ours: float | None, theirs: Any) -> bool:
    """Return whether R's p-value differs from ours by at most the truncation error of its series."""
    if ours is None or not isinstance(theirs, float):
        return False
    return 1e-9 * abs(theirs) < abs(ours - theirs) <= R_SERIES


def ks(frame: pl.DataFrame, record: Record) -> Answers:
    arguments, is_scipy = record["arguments"], record["function"].startswith("scipy")
    # Their alternative is about the distribution functions: the higher one has the lower scores.
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
    """Return every permutation of the labels, in fractions."""
    used = rows(frame, record)
    answers = {}
    for theirs, alternative in (("two-sided", "two-sided"), ("greater", "less"), ("less", "greater")):
        test = answer(used, pa.ks_statistic("label", "score", alternative=alternative, method="exact"))  # type: ignore[arg-type]
        answers[theirs] = {"statistic": _fraction(test["ks"]), "p_value": _fraction(test["p_value"])}
    return answers


def _fraction(value: float) -> float:
    """Return the simple fraction of a number, up to its last digit."""
    return float(Fraction(value).limit_denominator(10**7))


def proc_partial(frame: pl.DataFrame, record: Record) -> Answers:
    arguments = record["arguments"]
    high, low = arguments["partial.auc"]
    bounds = (
        {"min_fpr": 1 - high, "max_fpr": 1 - low}
        if arguments["partial.auc.focus"] == "specificity"
        else {"min_tpr": low, "max_tpr": high}
    )
    allowed = arguments.get("allow.invalid.partial.auc.correct", False)
    standardized: Any = "always" if allowed else True
    if not arguments["partial.auc.correct"]:
        standardized = False
    area = answer(rows(frame, record), pa.roc_auc("label", "score", **bounds, standardized=standardized))
    return {"value": area}


def sklearn_partial(frame: pl.DataFrame, record: Record) -> Answers:
    max_fpr = record["arguments"]["max_fpr"]
    # The standardized whole area is the area itself.
    options = {} if max_fpr == 1 else {"max_fpr": max_fpr, "standardized": "always"}
    weight = record["arguments"].get("sample_weight")
    used = rows(frame, record, *([weight] if weight else []))
    return {"value": answer(used, pa.roc_auc("label", "score", weight=weight, **options))}


def nearly(ours: float | None, exact: Record) -> float | None:
    """Return the quotient if ours is within a few units in its last place.

    A partial area is a sum of exact integers and two parts of cut steps, in floats: each operation rounds
    once. A bound is a float here and a decimal there: 0.1 is not exactly one tenth.
    """
    quotient: float = exact["num"] / exact["den"]
    return quotient if ours is not None and math.isclose(ours, quotient, rel_tol=1e-14) else ours


def exact_partial(frame: pl.DataFrame, record: Record) -> Answers:
    arguments, result = record["arguments"], record["result"]
    what = "fpr" if "fpr_range" in arguments else "tpr"
    low, high = arguments.get("fpr_range", arguments.get("sensitivity_range"))
    bounds = {f"min_{what}": low, f"max_{what}": high}
    used = rows(frame, record)
    area, standardized, always = (
        answer(used, pa.roc_auc("label", "score", **bounds, standardized=scaled))
        for scaled in (False, True, "always")
    )
    mcclish = result["mcclish"]
    below = 2 * mcclish["num"] < mcclish["den"]
    assert standardized == (None if below else always), record["id"]
    ours = {
        "pauc": nearly(area, result["pauc"]),
        "mcclish": nearly(always, mcclish),
    }
    if "pauc_over_width" in result:
        width = float(Fraction(str(high)) - Fraction(str(low)))
        ours["pauc_over_width"] = nearly(area / width, result["pauc_over_width"])
    return ours


def rocr_areas(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record)
    partial = {
        f"pauc_fpr_{bound}": answer(used, pa.roc_auc("label", "score", max_fpr=bound))
        for bound in (0.05, 0.1, 0.3)
    }
    precision = Apart("no trapezoid through the points gives it; ours is the step sum")
    return {"auc": answer(used, pa.roc_auc("label", "score")), "aucpr": precision, **partial}


def weighted_auc(frame: pl.DataFrame, record: Record) -> Answers | Apart:
    if "max_fpr" in record["arguments"]:
        return sklearn_partial(frame, record)
    used = weighted_rows(frame, record)
    area = answer(used, pa.roc_auc("label", "score", weight="weight"))
    if weight_of(record) == "freq":
        assert area == answer(replicated(used), pa.roc_auc("label", "score")), record["id"]
    counted = used.drop_nulls().group_by("label").agg(pl.col("weight").sum())
    masses = dict(counted.iter_rows())
    return {"auc": area, "sum_weight_pos": masses.get(True), "sum_weight_neg": masses.get(False)}


def replicated(used: pl.DataFrame) -> pl.DataFrame:
    return used.select(pl.col("label", "score").repeat_by("weight").explode())


def replicated_auc(frame: pl.DataFrame, record: Record) -> Answers:
    used = weighted_rows(frame, record)
    ci = answer(replicated(used), pa.roc_auc_ci("label", "score", method="delong"))
    area = answer(used, pa.roc_auc("label", "score", weight="weight"))
    assert area == ci["auc"], record["id"]
    return {"auc": area, "delong_variance_if_rows_were_independent": ci["se"] ** 2}


def weighted_average_precision(frame: pl.DataFrame, record: Record) -> Answers:
    used = weighted_rows(frame, record)
    return {"average_precision": answer(used, pa.average_precision("label", "score", weight="weight"))}


CHECKS: dict[str, Check] = {
    "pROC::auc": proc_auc,
    "bruteforce.pair_counts": pair_counts,
    "Hmisc::somers2": somers,
    "stats::ks.test": ks,
    "scipy.stats.ks_2samp": ks,
    "bruteforce.exact_permutation_ks": ks_by_counting,
    "sklearn.metrics.roc_auc_score": sklearn_auc,
    "sklearn.metrics.average_precision_score": sklearn_average_precision,
    "sklearn.metrics.brier_score_loss/log_loss": sklearn_losses,
    "pauc pROC::auc": proc_partial,
    "pauc sklearn.metrics.roc_auc_score": sklearn_partial,
    "bruteforce.partial_auc_fpr": exact_partial,
    "bruteforce.partial_auc_sensitivity": exact_partial,
    "pr ROCR::performance": rocr_areas,
    "weighted pROC::auc": replicated_auc,
    "weighted sklearn.metrics.roc_auc_score": weighted_auc,
    "bruteforce.weighted_pair_sum": weighted_auc,
    "weighted sklearn.metrics.average_precision_score": weighted_average_precision,
}
