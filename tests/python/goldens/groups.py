"""Segments, samples and folds, and the p-values of many tests."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import polars as pl

import polars_auc as pa
from goldens.estimates import REPEATED
from goldens.ranks import asymptotic_p
from goldens.rows import Answers, Apart, Check, Record, answer, labelled, pairs, rows, signed

ADJUSTMENTS: dict[str, Any] = {
    "none": None,
    "holm": "holm",
    "bonferroni": "bonferroni",
    "BH": "bh",
    "bh": "bh",
    "fdr_bh": "bh",
    "BY": "by",
    "by": "by",
    "fdr_by": "by",
    "hochberg": "hochberg",
    "simes-hochberg": "simes-hochberg",
    "hommel": "hommel",
    "sidak": "sidak",
    "holm-sidak": "holm-sidak",
}


def adjusted(p_values: list[Any], names: list[str]) -> Answers:
    table = pl.DataFrame({"p": p_values}, schema={"p": pl.Float64})
    methods = {name: ADJUSTMENTS[name] for name in names if name in ADJUSTMENTS}
    said = table.select(**{name: pa.adjust_p_values("p", method=how) for name, how in methods.items()})
    return said.to_dict(as_series=False)


def p_adjust(_: pl.DataFrame, record: Record) -> Answers:
    return adjusted(record["arguments"]["p_values"], list(record["result"]))


def per_segment(frame: pl.DataFrame, record: Record) -> Answers:
    arguments = record["arguments"]
    assert arguments["segment"] == "segment"
    alone = arguments["score2"] is None
    assert alone != ("auc_2" in record["result"][0]), record["id"]
    # A single score is paired with itself, and nothing of the pair is asked for.
    second = signed(arguments, "1" if alone else "2")
    used = labelled(frame, record, "segment", a=signed(arguments, "1"), b=second)
    rest = pa.compare_segments(used, "label", "a", "segment", versus="rest").collect()
    ours = (
        used.drop_nulls()
        .group_by("segment")
        .agg(
            both=pa.roc_auc_compare("label", "a", "b"),
            ci=pa.roc_auc_ci("label", "a"),
            difference=pa.roc_auc_difference("label", "a", "b"),
            wilcoxon=pa.mann_whitney_u("label", "a", method="asymptotic"),
        )
        .join(rest, on="segment")
    )
    segments = {row["segment"]: _segment(row) for row in ours.rows(named=True)}
    assert len(segments) == len(record["result"]), record["id"]
    return {"rows": [segments[expected["segment"]] for expected in record["result"]]}


def _segment(row: dict[str, Any]) -> Answers:
    first, second = row["both"]["areas"]
    return {
        "segment": row["segment"],
        "n_pos": row["both"]["n_pos"],
        "n_neg": row["both"]["n_neg"],
        "auc_1": first["auc"],
        "var_1": first["covariance"][0],
        "ci95_1": [row["ci"]["lower"], row["ci"]["upper"]],
        "wilcoxon_p_1": row["wilcoxon"]["p_value"],
        "auc_2": second["auc"],
        "var_2": second["covariance"][1],
        "cov_12": first["covariance"][1],
        "delong_z": row["difference"]["z"],
        "delong_p": row["difference"]["p_value"],
        "vs_rest_d": row["statistic"],
        "vs_rest_df": row["df"],
        "vs_rest_p": row["p_value"],
    }


def heterogeneity(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record, "segment")
    test = pa.compare_segments(used, "label", "score", "segment").collect().row(0, named=True)
    pooled = Apart("the pooled AUC, no field of ours")
    return {
        "pooled_auc": pooled,
        "pooled_se": pooled,
        "Q": test["heterogeneity"],
        "df": test["heterogeneity_df"],
        "p_value": test["heterogeneity_p_value"],
    }


def kruskal(frame: pl.DataFrame, record: Record) -> Answers:
    test = answer(frame, pa.kruskal_wallis("group", "value"))
    drawn = Apart("by permutations; ours by chi-square")
    by_permutations = "approximate" in record["arguments"].get("distribution", "")
    return {
        "statistic": test["statistic"],
        "df": test["df"],
        "p_value": drawn if by_permutations else asymptotic_p(record, test["p_value"]),
        "p_value_99_ci": drawn,
    }


def _every_pair(frame: pl.DataFrame, *, correct: bool) -> list[dict[str, Any]]:
    """Test every pair of samples, the first as negatives."""
    used = frame.drop_nulls()
    ours = []
    for control, case in combinations(sorted(used["group"].unique()), 2):
        two = used.filter(pl.col("group").is_in([control, case]))
        label = pl.col("group") == case
        u = pa.mann_whitney_u(label, "value", method="asymptotic", continuity=correct)
        ci = answer(two, pa.roc_auc_ci(label, "value"))
        ours.append(
            {
                "control": control,
                "case": case,
                "auc": ci["auc"],
                "delong_var": ci["se"] ** 2,
                "wilcoxon_p": answer(two, u)["p_value"],
            }
        )
    return ours


def pairwise_wilcoxon(frame: pl.DataFrame, record: Record) -> Answers:
    arguments, result = record["arguments"], record["result"]
    ours = _every_pair(frame, correct=arguments["correct"])
    how = arguments["p.adjust.method"]
    p = adjusted([pair["wilcoxon_p"] for pair in ours], [how])[how]
    table = {(pair["case"], pair["control"]): value for pair, value in zip(ours, p, strict=True)}
    return {
        "rows": REPEATED,
        "columns": REPEATED,
        "p_value": [[table.get((row, column)) for column in result["columns"]] for row in result["rows"]],
    }


def pairwise_areas(frame: pl.DataFrame, _: Record) -> Answers:
    return {"rows": _every_pair(frame, correct=True)}


def pairwise_mann_whitney(frame: pl.DataFrame, record: Record) -> Answers:
    ours = _every_pair(frame, correct=record["arguments"]["use_continuity"])
    assert record["arguments"]["order"] == [f"{pair['control']} vs {pair['case']}" for pair in ours]
    p = [pair["wilcoxon_p"] for pair in ours]
    return {"p_value": p, **adjusted(p, list(record["result"]))}


def folds(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record, "fold")
    ci95, ci90 = (answer(used, pa.cv_roc_auc("label", "score", "fold", level=level)) for level in (0.95, 0.9))
    each = used.group_by("fold").agg(
        summary=pa.roc_summary("label", "score"), ci=pa.roc_auc_ci("label", "score")
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


CHECKS: dict[str, Check] = {
    "stats::p.adjust": p_adjust,
    "statsmodels.stats.multitest.multipletests": p_adjust,
    "scipy.stats.false_discovery_control": p_adjust,
    "pROC per segment": per_segment,
    "formula: heterogeneity chi-square across segments": heterogeneity,
    "stats::kruskal.test": kruskal,
    "coin::kruskal_test": kruskal,
    "scipy.stats.kruskal": kruskal,
    "stats::pairwise.wilcox.test": pairwise_wilcoxon,
    "kruskal pROC::auc": pairwise_areas,
    "scipy.stats.mannwhitneyu pairwise": pairwise_mann_whitney,
    "pROC::auc per fold + Student t": folds,
    "scipy.stats.t.interval over folds": folds,
    "scipy.stats.ttest_rel over folds": folds_difference,
}
