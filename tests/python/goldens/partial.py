"""Partial areas, and precision over recall."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import polars as pl

import polars_auc as pa
from goldens.rows import Answers, Apart, Check, Record, answer, rows


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

    A partial area is a sum of exact integers and of two parts of a step that a bound cuts, in floats: each of
    these operations rounds once. And a bound is a float here and a decimal there: 0.1 is not quite one tenth.
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


def trapezoid(points: list[dict[str, Any]]) -> float:
    return math.fsum(
        (b["recall"] - a["recall"]) * (a["precision"] + b["precision"]) / 2
        for a, b in itertools.pairwise(points)
    )


def precision_recall(frame: pl.DataFrame, record: Record) -> Answers:
    points = answer(rows(frame, record), pa.pr_curve("label", "score"))
    upwards = points[::-1]
    return {
        "n_points": len(points),
        "trapezoid_area_auc(recall,precision)": trapezoid(points),
        "precision": [point["precision"] for point in upwards],
        "recall": [point["recall"] for point in upwards],
        "thresholds": [point["threshold"] for point in upwards[:-1]],
    }


def rocr_areas(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record)
    partial = {
        f"pauc_fpr_{bound}": answer(used, pa.roc_auc("label", "score", max_fpr=bound))
        for bound in (0.05, 0.1, 0.3)
    }
    precision = Apart("no trapezoid through the points gives it; ours is the step sum")
    return {"auc": answer(used, pa.roc_auc("label", "score")), "aucpr": precision, **partial}


CHECKS: dict[str, Check] = {
    "pauc pROC::auc": proc_partial,
    "pauc sklearn.metrics.roc_auc_score": sklearn_partial,
    "bruteforce.partial_auc_fpr": exact_partial,
    "bruteforce.partial_auc_sensitivity": exact_partial,
    "sklearn.metrics.precision_recall_curve": precision_recall,
    "pr ROCR::performance": rocr_areas,
}
