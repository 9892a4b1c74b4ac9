"""Curves beside the ROC curve, the binormal model, and intervals of single points."""

from __future__ import annotations

import math
from statistics import NormalDist

import polars as pl

import polars_auc as pa
from goldens.rows import Answers, Apart, Check, Record, answer, rows

N_RESAMPLES = 10_000
SEED = 1

GRID = Apart("from a grid of 512 points over the observed scores; ours is the formula")
MEDIAN = Apart("the median of the resamples; ours is the rate itself")


def det_curve(frame: pl.DataFrame, record: Record) -> Answers:
    curve = pa.det_curve("label", "score").alias("curve")
    points = rows(frame, record).select(curve).explode("curve").unnest("curve")
    # The other way round, and without all points but one at either end where a rate is 0.
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
        auc = answer(used, pa.roc_binormal("label", "score", method="moments"))["auc"]
        # The record's tolerance is that of its grid.
        assert math.isclose(auc, exact, rel_tol=1e-9), record["id"]
        moments = Apart("the moments of a class, no fields of ours")
        grid = dict.fromkeys(("auc", "sensitivities", "specificities"), GRID)
        return {**grid, "exact_binormal_auc_from_means": auc, "controls": moments, "cases": moments}
    fit = answer(used, pa.roc_binormal("label", "score"))
    given = record["result"]["specificities"]
    return {
        "auc": fit["auc"],
        "specificities": Apart("an argument, repeated"),
        "sensitivities": _on_chords(used, fit, [1 - specificity for specificity in given], record),
        "intercept": fit["intercept"],
        "slope": fit["slope"],
        "formula": Apart("words"),
    }


def _on_chords(used: pl.DataFrame, fit: Answers, at_fpr: list[float], record: Record) -> list[float]:
    """Read our curve as the package does: by straight lines between points at equal distances of tpr."""
    normal, steps = NormalDist(), record["arguments"]["n"] - 1
    curve = answer(used, pa.binormal_curve("label", "score", at_fpr=at_fpr))
    read = []
    for point in curve:
        below = min(math.floor(point["tpr"] * steps), steps - 1)
        ends = [
            1 - normal.cdf(fit["intercept"] + fit["slope"] * normal.inv_cdf(tpr)) if 0 < tpr < 1 else tpr
            for tpr in (below / steps, (below + 1) / steps)
        ]
        low, high = answer(used, pa.binormal_curve("label", "score", at_fpr=ends))
        share = (point["fpr"] - low["fpr"]) / (high["fpr"] - low["fpr"])
        read.append(low["tpr"] + share * (high["tpr"] - low["tpr"]))
    return read


def rate_intervals(frame: pl.DataFrame, record: Record) -> Answers:
    arguments = record["arguments"]
    assert arguments["boot.stratified"]
    options = {"level": arguments["conf.level"], "n_resamples": N_RESAMPLES, "seed": SEED}
    used = rows(frame, record).drop_nulls()
    if "specificities" in arguments:
        rates = [round(1 - specificity, 12) for specificity in arguments["specificities"]]
        points = [answer(used, pa.tpr_at_fpr("label", "score", fpr, **options)) for fpr in rates]
        lower, upper = ([point[limit] for point in points] for limit in ("lower", "upper"))
        step = 1 / points[0]["n_pos"]
    else:
        rates = arguments["sensitivities"]
        points = [answer(used, pa.fpr_at_tpr("label", "score", tpr, **options)) for tpr in rates]
        lower, upper = ([1 - point[limit] for point in points] for limit in ("upper", "lower"))
        step = 1 / points[0]["n_neg"]
    return {"lower": lower, "median": MEDIAN, "upper": upper, "step": step}


CHECKS: dict[str, Check] = {
    "sklearn.metrics.det_curve": det_curve,
    "pROC::smooth": smooth,
    "boot_curve pROC::ci.se": rate_intervals,
    "boot_curve pROC::ci.sp": rate_intervals,
}
