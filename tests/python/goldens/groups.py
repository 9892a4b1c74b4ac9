"""Segments of the rows."""

from __future__ import annotations

from typing import Any

import polars as pl

import polars_auc as pa
from goldens.rows import Answers, Apart, Check, Record, labelled, rows, signed


def per_segment(frame: pl.DataFrame, record: Record) -> Answers:
    arguments = record["arguments"]
    assert arguments["segment"] == "segment"
    alone = arguments["score2"] is None
    assert alone != ("auc_2" in record["result"][0]), record["id"]
    # A single score is paired with itself; the pair is not used.
    second = signed(arguments, "1" if alone else "2")
    used = labelled(frame, record, "segment", a=signed(arguments, "1"), b=second)
    rest = pa.compare_segments(used, "label", "a", "segment", versus="pooled_rest", method="delong")
    ours = (
        used.drop_nulls()
        .group_by("segment")
        .agg(
            both=pa.compare_scores("label", "a", "b"),
            ci=pa.roc_auc_ci("label", "a", method="delong"),
            difference=pa.roc_auc_difference("label", "a", "b"),
            wilcoxon=pa.mann_whitney_u("label", "a", method="asymptotic"),
        )
        .join(rest, on="segment")
    )
    segments = {row["segment"]: _segment(row) for row in ours.rows(named=True)}
    assert len(segments) == len(record["result"]), record["id"]
    return {"rows": [segments[expected["segment"]] for expected in record["result"]]}


def _segment(row: dict[str, Any]) -> Answers:
    first, second = row["both"]["estimates"]
    return {
        "segment": row["segment"],
        "n_pos": row["both"]["n_pos"],
        "n_neg": row["both"]["n_neg"],
        "auc_1": first["estimate"],
        "var_1": first["covariance"][0],
        "ci95_1": [row["ci"]["lower"], row["ci"]["upper"]],
        "wilcoxon_p_1": row["wilcoxon"]["p_value"],
        "auc_2": second["estimate"],
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
    test = pa.compare_segments(used, "label", "score", "segment", method="delong").row(0, named=True)
    pooled = Apart("the pooled AUC, no field of ours")
    return {
        "pooled_auc": pooled,
        "pooled_se": pooled,
        "Q": test["heterogeneity"],
        "df": test["heterogeneity_df"],
        "p_value": test["heterogeneity_p_value"],
    }


CHECKS: dict[str, Check] = {
    "pROC per segment": per_segment,
    "formula: heterogeneity chi-square across segments": heterogeneity,
}
