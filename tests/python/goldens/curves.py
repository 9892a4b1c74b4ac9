"""ROC curves and related curves, and the binormal model."""

from __future__ import annotations

import itertools
import math
from statistics import NormalDist
from typing import Any

import polars as pl

import polars_auc as pa
from goldens.numbers import proc_auc
from goldens.rows import Answers, Apart, Check, Record, answer, rows, weighted_rows
from goldens.thresholds import midpoints


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


def sklearn_curve(frame: pl.DataFrame, record: Record) -> Answers:
    points = _curve(frame, record)
    if record["arguments"]["drop_intermediate"]:
        kept = answer(rows(frame, record), pa.roc_curve("label", "score", drop_intermediate=True))
        points = _with_uneven_steps(points, kept)
    return curve_columns(points, record)


def _with_uneven_steps(points: list[dict[str, Any]], kept: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the points that sklearn keeps: all except those between two equal steps.

    sklearn prepends the first point, (0, 0), afterwards, so it also keeps the second one. Our points must be
    among them, and the others on the straight lines between ours.
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


def weighted_curve(frame: pl.DataFrame, record: Record) -> Answers:
    used = weighted_rows(frame, record)
    points = answer(used, pa.roc_curve("label", "score", weight="weight"))
    best = answer(used, pa.operating_point("label", "score", weight="weight"))
    called = answer(used, pa.confusion_at("label", "score", best["threshold"], weight="weight"))
    ks = answer(used, pa.ks_statistic("label", "score", weight="weight"))
    assert {name: best[name] for name in ("tp", "fp", "tpr", "fpr")}.items() <= called.items(), record["id"]
    assert ks["ks"] >= best["criterion"] - 1e-15, record["id"]
    return {
        **curve_columns(points, record),
        "weighted_ks_max_tpr_minus_fpr": best["criterion"],
        "threshold_at_max": best["threshold"],
        "tpr_at_max": best["tpr"],
        "fpr_at_max": best["fpr"],
    }


GRID = Apart("from a grid of 512 points over the observed scores; ours is the formula")


def det_curve(frame: pl.DataFrame, record: Record) -> Answers:
    curve = pa.det_curve("label", "score").alias("curve")
    points = rows(frame, record).select(curve).explode("curve").unnest("curve")
    # Reversed, with only one end point at rates of 0.
    kept = points.slice(points.filter(fp=0).height - 1)
    kept = kept.head(kept.filter(pl.col("fn") > 0).height + 1).reverse()
    columns = {name: kept[name].to_list() for name in ("fpr", "fnr")}
    sums = {f"sum_{name}": math.fsum(column) for name, column in columns.items()}
    thresholds = kept["threshold"].fill_null(math.inf).to_list()
    return {**columns, **sums, "thresholds": thresholds, "n_points": kept.height}


def smooth(frame: pl.DataFrame, record: Record) -> Answers | Apart:
    used = rows(frame, record)
    if record["arguments"]["method"] == "density":
        return Apart("kernel densities on a grid, which are not here")
    if record["arguments"]["method"] == "fitdistr":
        exact = record["result"]["exact_binormal_auc_from_means"]
        auc = answer(used, pa.binormal_roc_auc("label", "score", method="moments"))["auc"]
        # The tolerance of the record is its grid step.
        assert math.isclose(auc, exact, rel_tol=1e-9), record["id"]
        moments = Apart("the moments of a class, no fields of ours")
        grid = dict.fromkeys(("auc", "sensitivities", "specificities"), GRID)
        return {**grid, "exact_binormal_auc_from_means": auc, "controls": moments, "cases": moments}
    fit = answer(used, pa.binormal_roc_auc("label", "score"))
    specificities = record["result"]["specificities"]
    return {
        "auc": fit["auc"],
        "specificities": Apart("an argument, repeated"),
        "sensitivities": _on_chords(used, fit, [1 - specificity for specificity in specificities], record),
        "intercept": fit["intercept"],
        "slope": fit["slope"],
        "formula": Apart("words"),
    }


def _on_chords(used: pl.DataFrame, fit: Answers, at_fpr: list[float], record: Record) -> list[float]:
    """Read our curve as the package does: by linear interpolation at equal distances of tpr."""
    normal, steps = NormalDist(), record["arguments"]["n"] - 1
    curve = answer(used, pa.binormal_roc_curve("label", "score", at_fpr=at_fpr))
    read = []
    for point in curve:
        below = min(math.floor(point["tpr"] * steps), steps - 1)
        ends = [
            1 - normal.cdf(fit["intercept"] + fit["slope"] * normal.inv_cdf(tpr)) if 0 < tpr < 1 else tpr
            for tpr in (below / steps, (below + 1) / steps)
        ]
        low, high = answer(used, pa.binormal_roc_curve("label", "score", at_fpr=ends))
        share = (point["fpr"] - low["fpr"]) / (high["fpr"] - low["fpr"])
        read.append(low["tpr"] + share * (high["tpr"] - low["tpr"]))
    return read


CHECKS: dict[str, Check] = {
    "pROC::roc": proc_roc,
    "sklearn.metrics.roc_curve": sklearn_curve,
    "sklearn.metrics.precision_recall_curve": precision_recall,
    "weighted sklearn.metrics.roc_curve": weighted_curve,
    "sklearn.metrics.det_curve": det_curve,
    "pROC::smooth": smooth,
}
