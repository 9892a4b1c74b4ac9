"""Folds of a cross-validation."""

from __future__ import annotations

import math

import polars as pl

import polars_auc as pa
from goldens.classes import classes_of_columns
from goldens.rows import Answers, Check, Record, answer, pairs, rows


def folds(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record, "fold")
    ci95, ci90 = (answer(used, pa.cv_roc_auc("label", "score", "fold", level=level)) for level in (0.95, 0.9))
    each = used.group_by("fold").agg(
        summary=pa.roc_summary("label", "score"), ci=pa.roc_auc_ci("label", "score", method="delong")
    )
    each = each.sort("fold").select("fold", "ci", pl.col("summary").struct.field("average_precision"))
    each = each.unnest("ci")
    areas = each["auc"].to_list()
    mean_se = math.sqrt(math.fsum(se**2 for se in each["se"])) / each.height
    return {
        "fold": each["fold"].to_list(),
        "n_pos": each["n_pos"].to_list(),
        "n_neg": each["n_neg"].to_list(),
        "auc": areas,
        "auc_per_fold": areas,
        "average_precision_per_fold": each["average_precision"].to_list(),
        "mean": ci95["auc"],
        "sd": ci95["sd"],
        "sd_ddof1": ci95["sd"],
        "se": ci95["se"],
        "ci95": [ci95["lower"], ci95["upper"]],
        "ci90": [ci90["lower"], ci90["upper"]],
        "pooled_auc_all_rows": answer(used, pa.roc_auc("label", "score")),
        "mean_of_folds_delong_se": mean_se,
    }


def folds_difference(frame: pl.DataFrame, record: Record) -> Answers:
    used = pairs(frame, record, "fold")
    plain, corrected = (
        answer(used, pa.cv_roc_auc_difference("label", "a", "b", "fold", test_train_ratio=ratio))
        for ratio in (0, None)
    )
    return {
        "mean_difference": plain["difference"],
        "sd": plain["se"] * math.sqrt(plain["n_folds"]),
        "t": plain["t"],
        "df": plain["df"],
        "p_two_sided": plain["p_value"],
        "ci95": [plain["lower"], plain["upper"]],
        "nadeau_bengio": {
            "formula": record["result"]["nadeau_bengio"]["formula"],
            "t": corrected["t"],
            "p_two_sided": corrected["p_value"],
        },
    }


def per_fold(frame: pl.DataFrame, record: Record) -> Answers:
    arguments = record["arguments"]
    columns = arguments["probabilities"]
    areas = pa.multiclass_roc_auc(
        "label",
        *columns,
        classes=classes_of_columns(columns),
        multi_class=arguments["multi_class"],
        average=arguments["average"],
    )
    ours = frame.group_by(arguments["fold"]).agg(areas.struct.field("auc").alias("auc"))
    each = ours.sort(arguments["fold"])["auc"]
    # Student's t with four degrees of freedom.
    assert len(each) == 5
    mean, margin = each.mean(), 2.7764451051977987 * each.std() / math.sqrt(5)  # type: ignore[operator]
    return {"per_fold": each.to_list(), "mean": mean, "ci95": [mean - margin, mean + margin]}  # type: ignore[operator]


CHECKS: dict[str, Check] = {
    "pROC::auc per fold + Student t": folds,
    "scipy.stats.t.interval over folds": folds,
    "scipy.stats.ttest_rel over folds": folds_difference,
    "sklearn.metrics.roc_auc_score per fold": per_fold,
}
