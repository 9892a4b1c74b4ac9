"""Statistics of weighted rows."""

from __future__ import annotations

import polars as pl

import polars_auc as pa
from goldens.estimates import curve_columns
from goldens.partial import sklearn_partial
from goldens.rows import Answers, Apart, Check, Record, answer, rows, weight_of


def weighted_rows(frame: pl.DataFrame, record: Record) -> pl.DataFrame:
    """Return label, score and the weight by that name."""
    name = weight_of(record)
    assert name is not None
    return rows(frame, record, name).rename({name: "weight"})


def auc(frame: pl.DataFrame, record: Record) -> Answers | Apart:
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
    ci = answer(replicated(used), pa.roc_auc_ci("label", "score"))
    area = answer(used, pa.roc_auc("label", "score", weight="weight"))
    assert area == ci["auc"], record["id"]
    return {"auc": area, "delong_variance_if_rows_were_independent": ci["se"] ** 2}


def concordance(frame: pl.DataFrame, record: Record) -> Answers:
    used = weighted_rows(frame, record)
    ci = answer(used, pa.roc_auc_ci("label", "score", weight="weight"))
    assert ci["auc"] == answer(used, pa.roc_auc("label", "score", weight="weight")), record["id"]
    return {
        "concordance": ci["auc"],
        "counts": Apart("sums of products of weights, no field of ours"),
        "var": None if ci["se"] is None else ci["se"] ** 2,
    }


def average_precision(frame: pl.DataFrame, record: Record) -> Answers:
    used = weighted_rows(frame, record)
    return {"average_precision": answer(used, pa.average_precision("label", "score", weight="weight"))}


def curve(frame: pl.DataFrame, record: Record) -> Answers:
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


CHECKS: dict[str, Check] = {
    "weighted pROC::auc": replicated_auc,
    "weighted sklearn.metrics.roc_auc_score": auc,
    "bruteforce.weighted_pair_sum": auc,
    "weighted survival::concordance": concordance,
    "weighted sklearn.metrics.average_precision_score": average_precision,
    "weighted sklearn.metrics.roc_curve": curve,
}
