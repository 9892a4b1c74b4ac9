"""Areas of several classes, with one score for each class or one for all."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations
from typing import Any

import polars as pl

import polars_auc as pa
from goldens.rows import Answers, Check, Record, answer, signed


def _areas(frame: pl.DataFrame, record: Record, **options: Any) -> Any:
    arguments = record["arguments"]
    classes = (
        arguments.get("classes") or arguments.get("labels") or classes_of_columns(arguments["probabilities"])
    )
    return answer(
        frame, pa.multiclass_roc_auc("label", *arguments["probabilities"], classes=classes, **options)
    )


def classes_of_columns(columns: list[str]) -> list[str]:
    """Return the classes by column name, such as lr_setosa."""
    return [column.split("_", 1)[1] for column in columns]


def averaged(frame: pl.DataFrame, record: Record) -> Answers:
    arguments = record["arguments"]
    weight, multi_class = arguments.get("sample_weight"), arguments.get("multi_class", "ovr")
    areas = _areas(frame, record, weight=weight, multi_class=multi_class, average=arguments["average"])
    if weight is not None:
        assert math.isclose(areas["auc"], one_hot(frame, record, pa.roc_auc), rel_tol=1e-14), record["id"]
        return {"auc": areas["auc"]}
    return {"auc": areas["auc"], "auc_per_class": [one["auc"] for one in areas["classes"]]}


def one_hot(frame: pl.DataFrame, record: Record, measure: Callable[..., pl.Expr]) -> float:
    """Average a measure of each class against the rest, as a query over the classes' rows."""
    arguments = record["arguments"]
    columns = arguments["probabilities"]
    weight = pl.col(arguments["sample_weight"]) if "sample_weight" in arguments else pl.lit(1.0)
    rows = pl.concat(
        frame.with_row_index("row").select(
            "row", label=pl.col("label") == name, score=column, weight=weight, of=pl.lit(name)
        )
        for name, column in zip(classes_of_columns(columns), columns, strict=True)
    )
    measured = measure("label", "score", weight="weight").alias("said")
    if arguments["average"] == "micro":
        return float(rows.select(measured).item())
    by = "row" if arguments["average"] == "samples" else "of"
    share = (pl.col("weight") * pl.col("label")).sum() if arguments["average"] == "weighted" else pl.lit(1.0)
    each = rows.group_by(by).agg(measured, share.alias("share"))
    return float(each.select((pl.col("said") * pl.col("share")).sum() / pl.col("share").sum()).item())


def average_precision(frame: pl.DataFrame, record: Record) -> Answers:
    return {"average_precision": one_hot(frame, record, pa.average_precision)}


def _reference_pairs(frame: pl.DataFrame, record: Record) -> dict[tuple[str, str], float]:
    """Return A(i | j): rows of two classes, scored by the column of the first."""
    arguments = record["arguments"]
    column = dict(zip(arguments["classes"], arguments["probabilities"], strict=True))
    return {
        (i, j): answer(
            frame.filter(pl.col("label").is_in([i, j])), pa.roc_auc(pl.col("label") == i, column[i])
        )
        for i in column
        for j in column
        if i != j
    }


def hand_till(frame: pl.DataFrame, record: Record) -> Answers:
    """Compare the mean; our pairs are the means of both directions, which are compared separately."""
    classes = record["arguments"]["classes"]
    areas = _areas(frame, record, multi_class="ovo")
    pairs = _reference_pairs(frame, record)
    for pair in areas["pairs"]:
        forth, back = (pair["class_a"], pair["class_b"]), (pair["class_b"], pair["class_a"])
        assert math.isclose(pair["auc"], (pairs[forth] + pairs[back]) / 2, rel_tol=1e-15), record["id"]
    assert len(areas["pairs"]) == len(classes) * (len(classes) - 1) / 2
    return {
        "auc": areas["auc"],
        "hand_till_M": areas["auc"],
        "A_i_given_j": [[pairs.get((i, j), 0.0) for j in classes] for i in classes],
        "pairs": [
            {"pair": f"{i}/{j}", "auc_i_given_j": pairs[i, j], "auc_j_given_i": pairs[j, i]}
            for i, j in combinations(classes, 2)
        ],
    }


def multiclass_roc(frame: pl.DataFrame, record: Record) -> Answers:
    arguments = record["arguments"]
    if "probabilities" in arguments:
        return hand_till(frame, record)
    areas = answer(frame, pa.ordinal_roc_auc("label", signed(arguments)))
    direction = arguments["direction"]
    pairs = [
        {"levels": [pair["class_a"], pair["class_b"]], "direction": direction, "auc": pair["auc"]}
        for pair in areas["pairs"]
    ]
    return {"auc": areas["auc"], "pairs": pairs}


def one_vs_rest(frame: pl.DataFrame, record: Record) -> Answers:
    arguments = record["arguments"]
    classes, columns = arguments["classes"], arguments["probabilities"]
    areas = answer(frame, pa.multiclass_roc_auc_ci("label", *columns, classes=classes))
    ours = []
    for one, column in zip(areas["classes"], columns, strict=True):
        ci = answer(frame, pa.roc_auc_ci(pl.col("label") == one["class"], column, method="delong"))
        assert all(one[name] == ci[name] for name in ("auc", "se", "lower", "upper"))
        limits = [one["lower"], one["upper"]]
        ours.append({**one, "delong_var": one["se"] ** 2, "ci95": limits})
    return {"rows": ours}


def ordinal_concordance(frame: pl.DataFrame, record: Record) -> Answers:
    score = record["arguments"]["score"]
    # Classes may be strings in alphabetical order, as R's factors.
    label = pl.col("label").rank("dense")
    test = answer(frame, pa.rank_agreement(label, score))
    # With classes as uncensored times, a lower score is concordant with a later time.
    frame = frame.with_columns(seen=True)
    return {
        "concordance": answer(frame, pa.ordinal_roc_auc(label, score))["concordance"],
        "counts": {
            "concordant": test["concordant"],
            "discordant": test["discordant"],
            "tied.x": test["tied_y"],
            "tied.y": test["tied_x"],
            "tied.xy": test["tied_both"],
        },
        "var": answer(frame, pa.concordance_index(label, "seen", -pl.col(score)))["se"] ** 2,
    }


def kruskal(frame: pl.DataFrame, record: Record) -> Answers:
    arguments = record["arguments"]
    test = answer(frame, pa.kruskal_wallis(arguments["group"], arguments["value"]))
    return {"statistic": test["statistic"], "p_value": test["p_value"]}


CHECKS: dict[str, Check] = {
    "multiclass sklearn.metrics.roc_auc_score": averaged,
    "multiclass sklearn.metrics.average_precision_score": average_precision,
    "bruteforce.hand_till": hand_till,
    "pROC::multiclass.roc": multiclass_roc,
    "pROC one-vs-rest": one_vs_rest,
    "multiclass survival::concordance": ordinal_concordance,
    "multiclass scipy.stats.kruskal": kruskal,
}
