"""Standard errors and intervals of one AUC, with and without clusters."""

from __future__ import annotations

from typing import Any

import polars as pl

import polars_auc as pa
from goldens.rows import Answers, Apart, Check, Record, answer, pairs, rows, running_on

BINORMAL = Apart("the covariance of two binormal fits, which is not here")


def proc_ci(frame: pl.DataFrame, record: Record) -> Answers:
    ci = answer(rows(frame, record), pa.roc_auc_ci("label", "score", level=record["arguments"]["conf.level"]))
    # pROC blanks the estimate too where there is no interval.
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


def _clustered(frame: pl.DataFrame, record: Record) -> pl.DataFrame:
    if record["arguments"]["cluster"] == "cluster":
        return frame
    assert record["arguments"]["cluster"] == "each row its own cluster"
    return frame.drop("cluster").with_row_index("cluster")


def obuchowski(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(_clustered(frame, record), record, "cluster")
    ci = answer(used, pa.roc_auc_ci("label", "score", cluster="cluster"))
    return {
        "auc": ci["auc"],
        "variance": ci["se"] ** 2,
        "se": ci["se"],
        "ci95": [ci["lower"], ci["upper"]],
        "n_clusters": ci["n_clusters"],
        "n_clusters_with_positive": Apart("clusters counted by class, no field of ours"),
        "n_clusters_with_negative": Apart("clusters counted by class, no field of ours"),
    }


def obuchowski_difference(frame: pl.DataFrame, record: Record) -> Answers:
    used = pairs(_clustered(frame, record), record, "cluster")
    test = answer(used, pa.roc_auc_difference("label", "a", "b", cluster="cluster"))
    var_a, var_b = (
        answer(used, pa.roc_auc_ci("label", score, cluster="cluster"))["se"] ** 2 for score in "ab"
    )
    cov = (var_a + var_b - test["se"] ** 2) / 2
    return {
        "auc": [test["estimate_a"], test["estimate_b"]],
        "covariance": [[var_a, cov], [cov, var_b]],
        "difference": test["difference"],
        "se": test["se"],
        "z": test["z"],
        "p_two_sided": test["p_value"],
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


CHECKS: dict[str, Check] = {
    "pROC::ci.auc": proc_ci,
    "pROC::var": delong,
    "bruteforce.delong": delong,
    "bruteforce.delong_midranks": delong,
    "formula: logit DeLong CI": logit,
    "formula: Hanley-McNeil 1982 SE": hanley_mcneil,
    "formula: Obuchowski 1997 clustered variance": obuchowski,
    "formula: Obuchowski 1997 clustered comparison": obuchowski_difference,
    "bruteforce.obuchowski_1997": obuchowski_difference,
    "bruteforce.cluster_bootstrap": cluster_bootstrap,
}
