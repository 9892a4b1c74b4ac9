"""Statistics from random draws: bootstraps, and Venkatraman's permutations."""

from __future__ import annotations

from typing import Any

import polars as pl

import polars_auc as pa
from goldens.rows import Answers, Apart, Check, Record, answer, pairs, rows, side

N_RESAMPLES = 10_000
N_PERMUTATIONS = 4_000
SEED = 1

UNPAIRED = Apart("different rows; ours resamples and permutes the same rows")


def bootstrap_ci(frame: pl.DataFrame, record: Record) -> Answers | Apart:
    arguments = record["arguments"]
    options: dict[str, Any] = {
        "level": arguments.get("conf.level", 0.95),
        "n_resamples": N_RESAMPLES,
        "seed": SEED,
    }
    median = Apart("the median of the resamples, no field of ours")
    if "partial.auc" not in arguments and arguments["boot.stratified"]:
        ci = answer(rows(frame, record), pa.roc_auc_ci("label", "score", method="bootstrap", **options))
    else:
        if "partial.auc" in arguments:
            one, end = arguments["partial.auc"]
            assert one == 1
            focus = {"specificity": "max_fpr", "sensitivity": "min_tpr"}[arguments["partial.auc.focus"]]
            options[focus] = round(1 - end, 12) if focus == "max_fpr" else end
            options["standardized"] = arguments.get("partial.auc.correct", False)
        options["resample"] = "stratified" if arguments["boot.stratified"] else "plain"
        [ci] = answer(rows(frame, record), pa.bootstrap_ci("roc_auc", "label", "score", **options))
    return {
        "lower": ci["lower"],
        "median": median,
        "upper": ci["upper"],
        "variance": ci["se"] ** 2,
        "sd": ci["se"],
    }


def _limits(frame: pl.DataFrame, record: Record, statistic: Any, **options: Any) -> dict[str, Answers]:
    """Return the records of a statistic's numbers, by name."""
    arguments = record["arguments"]
    assert arguments["boot.stratified"]
    options |= {"level": arguments["conf.level"], "n_resamples": N_RESAMPLES, "seed": SEED}
    used = rows(frame, record).drop_nulls()
    numbers = answer(used, pa.bootstrap_ci(statistic, "label", "score", **options))
    return {number["field"]: number for number in numbers}


def threshold_intervals(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record).drop_nulls()
    points = [_limits(frame, record, "confusion_at", at=at) for at in record["arguments"]["thresholds"]]
    median = Apart("the median of the resamples, no field of ours")
    return {
        "specificity_lower": [1 - point["fpr"]["upper"] for point in points],
        "specificity_median": median,
        "specificity_upper": [1 - point["fpr"]["lower"] for point in points],
        "sensitivity_lower": [point["tpr"]["lower"] for point in points],
        "sensitivity_median": median,
        "sensitivity_upper": [point["tpr"]["upper"] for point in points],
        # A rate of a resample goes in steps of one row.
        "step": 1 / min(used["label"].value_counts()["count"].to_list()),
    }


def bootstrap_test(frame: pl.DataFrame, record: Record) -> Answers | Apart:
    arguments = record["arguments"]
    if not arguments["paired"]:
        return UNPAIRED
    measure: dict[str, Any] = {}
    if arguments.get("boot.stratified") is False:
        # Resamples of clusters go across the classes; each row is a cluster of its own.
        measure = {"cluster": pl.int_range(pl.len())}
    if "partial.auc" in arguments:
        assert arguments["partial.auc.focus"] == "specificity"
        assert arguments["partial.auc"][0] == 1
        measure |= {"max_fpr": round(1 - arguments["partial.auc"][1], 12)}
    elif arguments["method"] == "specificity":
        measure |= {"at_fpr": round(1 - arguments["specificity"], 12)}
    elif arguments["method"] == "sensitivity":
        measure |= {"at_tpr": arguments["sensitivity"]}
    test = answer(
        pairs(frame, record),
        pa.roc_auc_difference(
            "label",
            "a",
            "b",
            method="bootstrap",
            alternative=side(arguments),
            n_resamples=N_RESAMPLES,
            seed=SEED,
            **measure,
        ),
    )
    return {
        "d": test["z"],
        "p_value": test["p_value"],
        "pauc1": test["estimate_a"],
        "pauc2": test["estimate_b"],
    }


def venkatraman(frame: pl.DataFrame, record: Record) -> Answers | Apart:
    if not record["arguments"]["paired"]:
        return UNPAIRED
    # pROC breaks ties by the order of the rows.
    ranks = pairs(frame, record).with_columns(pl.col("a", "b").rank("ordinal"))
    test = answer(ranks, pa.roc_curve_difference("label", "a", "b", n_permutations=N_PERMUTATIONS, seed=SEED))
    return {"E": test["statistic"], "p_value": test["p_value"]}


def drawn(record: Record) -> int:
    """Return the number of our draws for this record."""
    return N_PERMUTATIONS if record["kind"] == "venkatraman" else N_RESAMPLES


CHECKS: dict[str, Check] = {
    "boot_auc pROC::ci.auc": bootstrap_ci,
    "boot_auc pROC::var": bootstrap_ci,
    "boot_curve pROC::ci.thresholds": threshold_intervals,
    "boot_test pROC::roc.test": bootstrap_test,
    "venkatraman pROC::roc.test": venkatraman,
}
