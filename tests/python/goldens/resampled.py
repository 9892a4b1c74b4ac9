"""Statistics from random draws: bootstraps, and Venkatraman's permutations."""

from __future__ import annotations

from typing import Any

import polars as pl

import polars_auc as pa
from goldens.rows import Answers, Apart, Check, Record, answer, pairs, rows, side

N_RESAMPLES = 10_000
N_PERMUTATIONS = 4_000
SEED = 1

UNSTRATIFIED = Apart("resamples across the classes; ours within each")
PARTIAL = Apart("the interval of one score's partial area, which is not here")
UNPAIRED = Apart("different rows; ours resamples and permutes the same rows")


def bootstrap_ci(frame: pl.DataFrame, record: Record) -> Answers | Apart:
    arguments = record["arguments"]
    if "partial.auc" in arguments:
        return PARTIAL
    if not arguments["boot.stratified"]:
        return UNSTRATIFIED
    ci = answer(
        rows(frame, record),
        pa.roc_auc_ci(
            "label",
            "score",
            method="bootstrap",
            level=arguments.get("conf.level", 0.95),
            n_resamples=N_RESAMPLES,
            seed=SEED,
        ),
    )
    return {
        "lower": ci["lower"],
        "median": Apart("the median of the resamples, no field of ours"),
        "upper": ci["upper"],
        "variance": ci["se"] ** 2,
        "sd": ci["se"],
    }


def bootstrap_test(frame: pl.DataFrame, record: Record) -> Answers | Apart:
    arguments = record["arguments"]
    if not arguments["paired"]:
        return UNPAIRED
    if arguments.get("boot.stratified") is False:
        return UNSTRATIFIED
    measure: dict[str, Any] = {}
    if "partial.auc" in arguments:
        assert arguments["partial.auc.focus"] == "specificity"
        assert arguments["partial.auc"][0] == 1
        measure = {"max_fpr": round(1 - arguments["partial.auc"][1], 12)}
    elif arguments["method"] == "specificity":
        measure = {"at_fpr": round(1 - arguments["specificity"], 12)}
    elif arguments["method"] == "sensitivity":
        measure = {"at_tpr": arguments["sensitivity"]}
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
    "boot_test pROC::roc.test": bootstrap_test,
    "venkatraman pROC::roc.test": venkatraman,
}
