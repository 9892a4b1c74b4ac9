"""Standard errors and intervals of one AUC, with and without clusters, and by bootstrap."""

from __future__ import annotations

from typing import Any

import polars as pl

import polars_auc as pa
from goldens.rows import N_RESAMPLES, SEED, Answers, Apart, Check, Record, answer, rows, running_on

BINORMAL = Apart("the covariance of two binormal fits, which is not here")


def proc_ci(frame: pl.DataFrame, record: Record) -> Answers:
    ci = answer(
        rows(frame, record),
        pa.roc_auc_ci("label", "score", level=record["arguments"]["conf.level"], method="delong"),
    )
    # pROC also omits the estimate if there is no interval.
    return {"lower": ci["lower"], "upper": ci["upper"], "auc": None if ci["lower"] is None else ci["auc"]}


def delong(frame: pl.DataFrame, record: Record) -> Answers:
    ci = answer(
        rows(frame, record),
        pa.roc_auc_ci("label", "score", method=record["arguments"].get("method", "delong")),
    )
    return {"auc": ci["auc"], "se": ci["se"], "variance": None if ci["se"] is None else ci["se"] ** 2}


def logit(frame: pl.DataFrame, record: Record) -> Answers:
    level = record["arguments"]["conf.level"]
    ci = answer(rows(frame, record), pa.roc_auc_ci("label", "score", method="logit", level=level))
    return {name: ci[name] for name in ("lower", "auc", "upper")}


def hanley_mcneil(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record)

    def interval(level: float) -> Any:
        return answer(used, pa.roc_auc_ci("label", "score", method="hanley_mcneil", level=level))

    def limits(name: str, level: float) -> list[float]:
        ours = interval(level)
        return [
            running_on(*both)
            for both in zip((ours["lower"], ours["upper"]), record["result"][name], strict=True)
        ]

    ci = interval(0.95)
    a = ci["auc"]
    return {
        "auc": a,
        "n1": ci["n_pos"],
        "n0": ci["n_neg"],
        "q1": Apart("a step of the formula, no field of ours"),
        "q2": Apart("a step of the formula, no field of ours"),
        "se": ci["se"],
        "ci95": limits("ci95", 0.95),
        "ci90": limits("ci90", 0.9),
    }


def clustered_rows(frame: pl.DataFrame, record: Record) -> pl.DataFrame:
    if record["arguments"]["cluster"] == "cluster":
        return frame
    assert record["arguments"]["cluster"] == "each row its own cluster"
    return frame.drop("cluster").with_row_index("cluster")


def obuchowski(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(clustered_rows(frame, record), record, "cluster")
    ci = answer(used, pa.roc_auc_ci("label", "score", cluster="cluster", method="delong"))
    return {
        "auc": ci["auc"],
        "variance": ci["se"] ** 2,
        "se": ci["se"],
        "ci95": [ci["lower"], ci["upper"]],
        "n_clusters": ci["n_clusters"],
        "n_clusters_with_positive": Apart("clusters counted by class, no field of ours"),
        "n_clusters_with_negative": Apart("clusters counted by class, no field of ours"),
    }


def cluster_bootstrap(frame: pl.DataFrame, record: Record) -> Answers:
    arguments = record["arguments"]
    assert arguments["cluster"] == "cluster"
    used = rows(frame, record, "cluster")
    ci = answer(
        used,
        pa.roc_auc_ci("label", "score", method="bootstrap", cluster="cluster", n_resamples=20_000, seed=1),
    )
    return {
        "observed": ci["auc"],
        "bootstrap_sd": ci["se"],
        "bootstrap_variance": Apart("the square of the standard deviation beside it"),
        "percentile_95": [ci["lower"], ci["upper"]],
        "median": Apart("the median of the resamples, no field of ours"),
    }


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


def resampled_limits(
    frame: pl.DataFrame, record: Record, statistic: Any, **options: Any
) -> dict[str, Answers]:
    """Return the records of a statistic's numbers, by name."""
    arguments = record["arguments"]
    assert arguments["boot.stratified"]
    options |= {"level": arguments["conf.level"], "n_resamples": N_RESAMPLES, "seed": SEED}
    used = rows(frame, record).drop_nulls()
    numbers = answer(used, pa.bootstrap_ci(statistic, "label", "score", **options))
    return {number["field"]: number for number in numbers}


CHECKS: dict[str, Check] = {
    "pROC::ci.auc": proc_ci,
    "pROC::var": delong,
    "bruteforce.delong": delong,
    "bruteforce.delong_midranks": delong,
    "formula: logit DeLong CI": logit,
    "formula: Hanley-McNeil 1982 SE": hanley_mcneil,
    "formula: Obuchowski 1997 clustered variance": obuchowski,
    "bruteforce.cluster_bootstrap": cluster_bootstrap,
    "boot_auc pROC::ci.auc": bootstrap_ci,
    "boot_auc pROC::var": bootstrap_ci,
}
