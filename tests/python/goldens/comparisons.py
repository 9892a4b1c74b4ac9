"""Scores compared on the same rows, and on different ones."""

from __future__ import annotations

from typing import Any

import polars as pl

import polars_auc as pa
from goldens.intervals import BINORMAL
from goldens.rows import Answers, Apart, Check, Record, answer, labelled, pairs, rows, side


def covariance(frame: pl.DataFrame, record: Record) -> Answers | Apart:
    if record["arguments"]["method"] != "delong":
        return BINORMAL
    both = answer(pairs(frame, record), pa.roc_auc_compare("label", "a", "b"))
    (var_a, cov), (_, var_b) = (area["covariance"] for area in both["areas"])
    return {"cov": cov, "var1": var_a, "var2": var_b, "n": both["n_pos"] + both["n_neg"]}


def roc_test(frame: pl.DataFrame, record: Record) -> Answers:
    arguments = record["arguments"]
    if not arguments["paired"]:
        return _unpaired(frame, record)
    itself = arguments.get("against") == "itself"
    used = rows(frame, record).select("label", a="score", b="score") if itself else pairs(frame, record)
    level = arguments.get("conf.level", 0.95)
    test = answer(used, pa.roc_auc_difference("label", "a", "b", alternative=side(arguments), level=level))
    return {
        "z": test["z"],
        "p_value": test["p_value"],
        "auc1": test["estimate_a"],
        "auc2": test["estimate_b"],
        "difference": test["difference"],
        "diff_conf_int": [test["lower"], test["upper"]],
    }


def _unpaired(frame: pl.DataFrame, record: Record) -> Answers:
    """Compare two sets of rows as two segments; two scores of the same rows are put into one column."""
    arguments = record["arguments"]
    if "roc1_segment" in arguments:
        first, second = arguments["roc1_segment"], arguments["roc2_segment"]
        used = rows(frame, record, "segment").filter(pl.col("segment").is_in([first, second]))
    else:
        first, second = "a", "b"
        complete = pairs(frame, record).drop_nulls()
        used = complete.unpivot(index="label", variable_name="segment", value_name="score")
    alternative = side(arguments)
    segments = [
        pa.compare_segments(used, "label", "score", "segment", versus=second, alternative=given)
        .collect()
        .row(by_predicate=pl.col("segment") == first, named=True)
        for given in ("two-sided", alternative)
    ]
    test = segments[0]
    return {
        "d": test["statistic"],
        "df": test["df"],
        "p_value": segments[1]["p_value"],
        "auc1": test["auc"],
        "auc2": test["versus_auc"],
        "se_difference": test["difference_se"],
        "formula_ci95_normal": Apart("a normal interval; ours is by Student's t"),
        "formula_ci95_t": [test["difference_lower"], test["difference_upper"]],
    }


def delong_paired(frame: pl.DataFrame, record: Record) -> Answers:
    used = pairs(frame, record)
    both = answer(used, pa.roc_auc_compare("label", "a", "b"))

    def test(alternative: Any) -> Any:
        return answer(used, pa.roc_auc_difference("label", "a", "b", alternative=alternative))

    said = test("two-sided")
    return {
        "auc": [area["auc"] for area in both["areas"]],
        "covariance": [area["covariance"] for area in both["areas"]],
        "difference": said["difference"],
        "z": said["z"],
        "p_two_sided": said["p_value"],
        "p_greater": test("greater")["p_value"],
        "p_less": test("less")["p_value"],
        "diff_ci95": [said["lower"], said["upper"]],
    }


def rcorrp(frame: pl.DataFrame, record: Record) -> Answers:
    both = answer(pairs(frame, record), pa.roc_auc_difference("label", "a", "b"))
    pairwise = Apart("compares the scores pair by pair of rows; ours by their areas")
    return {
        "C X1": both["estimate_a"],
        "C X2": both["estimate_b"],
        "Dxy X1": 2 * both["estimate_a"] - 1,
        "Dxy X2": 2 * both["estimate_b"] - 1,
        "n": both["n_pos"] + both["n_neg"],
        **dict.fromkeys(("Dxy", "S.D.", "x1 more concordant", "x2 more concordant"), pairwise),
    }


def all_equal(frame: pl.DataFrame, record: Record) -> Answers:
    arguments = record["arguments"]
    names = arguments["scores"]
    scores = {name: pl.col(name) * arguments["signs"][name] for name in names}
    test = answer(labelled(frame, record, **scores), pa.roc_auc_compare("label", *names))
    return {
        "auc": [area["auc"] for area in test["areas"]],
        "covariance": [area["covariance"] for area in test["areas"]],
        "chi_square": test["chi_square"],
        "df": test["df"],
        "p_value": test["p_value"],
    }


def risk_regression(frame: pl.DataFrame, record: Record) -> Answers:
    names = record["arguments"]["scores"]
    used = labelled(frame, record, **{name: pl.col(name) for name in names})
    test = answer(used, pa.roc_auc_compare("label", *names))
    areas, differences = (pl.DataFrame(test[part]) for part in ("areas", "differences"))
    limits = pl.col("lower", "upper")
    ours = {
        "auc": areas.select("se", limits, model="score", AUC="auc"),
        # Their difference is the later model minus the earlier one, and ours is the opposite.
        "contrasts": differences.select(
            -pl.col("difference").alias("delta.AUC"),
            "se",
            model="score_b",
            reference="score_a",
            lower=-pl.col("upper"),
            upper=-pl.col("lower"),
            p="p_value",
        ),
    }
    return {part: table.to_dict(as_series=False) for part, table in ours.items()}


CHECKS: dict[str, Check] = {
    "pROC::cov": covariance,
    "pROC::roc.test": roc_test,
    "bruteforce.delong_paired": delong_paired,
    "Hmisc::rcorrp.cens": rcorrp,
    "formula: DeLong global chi-square of equal AUCs": all_equal,
    "riskRegression::Score": risk_regression,
}
