"""Comparisons of scores on the same rows and on different rows; p-values of many tests."""

from __future__ import annotations

from typing import Any

import polars as pl

import polars_auc as pa
from goldens.intervals import BINORMAL, clustered_rows
from goldens.rows import (
    N_PERMUTATIONS,
    N_RESAMPLES,
    SEED,
    Answers,
    Apart,
    Check,
    Record,
    answer,
    labelled,
    pairs,
    rows,
    side,
)


def obuchowski_difference(frame: pl.DataFrame, record: Record) -> Answers:
    used = pairs(clustered_rows(frame, record), record, "cluster")
    test = answer(used, pa.roc_auc_difference("label", "a", "b", cluster="cluster"))
    var_a, var_b = (
        answer(used, pa.roc_auc_ci("label", score, cluster="cluster", method="delong"))["se"] ** 2
        for score in "ab"
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


UNPAIRED = Apart("different rows; ours resamples and permutes the same rows")


def bootstrap_test(frame: pl.DataFrame, record: Record) -> Answers | Apart:
    arguments = record["arguments"]
    if not arguments["paired"]:
        return UNPAIRED
    measure: dict[str, Any] = {}
    if arguments.get("boot.stratified") is False:
        # Cluster resampling ignores classes; each row is its own cluster.
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
    # pROC breaks ties by row order.
    ranks = pairs(frame, record).with_columns(pl.col("a", "b").rank("ordinal"))
    test = answer(ranks, pa.roc_curve_difference("label", "a", "b", n_permutations=N_PERMUTATIONS, seed=SEED))
    return {"E": test["statistic"], "p_value": test["p_value"]}


def covariance(frame: pl.DataFrame, record: Record) -> Answers | Apart:
    if record["arguments"]["method"] != "delong":
        return BINORMAL
    both = answer(pairs(frame, record), pa.compare_scores("label", "a", "b"))
    (var_a, cov), (_, var_b) = (area["covariance"] for area in both["estimates"])
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
    """Compare two sets of rows as two segments; two scores of the same rows become one column."""
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
        pa.compare_segments(
            used, "label", "score", "segment", versus=second, alternative=hypothesis, method="delong"
        ).row(by_predicate=pl.col("segment") == first, named=True)
        for hypothesis in ("two-sided", alternative)
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
    both = answer(used, pa.compare_scores("label", "a", "b"))

    def test(alternative: Any) -> Any:
        return answer(used, pa.roc_auc_difference("label", "a", "b", alternative=alternative))

    result = test("two-sided")
    return {
        "auc": [area["estimate"] for area in both["estimates"]],
        "covariance": [area["covariance"] for area in both["estimates"]],
        "difference": result["difference"],
        "z": result["z"],
        "p_two_sided": result["p_value"],
        "p_greater": test("greater")["p_value"],
        "p_less": test("less")["p_value"],
        "diff_ci95": [result["lower"], result["upper"]],
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
    test = answer(labelled(frame, record, **scores), pa.compare_scores("label", *names))
    return {
        "auc": [area["estimate"] for area in test["estimates"]],
        "covariance": [area["covariance"] for area in test["estimates"]],
        "chi_square": test["chi_square"],
        "df": test["df"],
        "p_value": test["p_value"],
    }


def risk_regression(frame: pl.DataFrame, record: Record) -> Answers:
    names = record["arguments"]["scores"]
    used = labelled(frame, record, **{name: pl.col(name) for name in names})
    test = answer(used, pa.compare_scores("label", *names))
    areas, differences = (pl.DataFrame(test[part]) for part in ("estimates", "differences"))
    limits = pl.col("lower", "upper")
    ours = {
        "auc": areas.select("se", limits, model="score", AUC="estimate"),
        # Their difference is the later model minus the earlier one, ours the opposite.
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
    result = table.select(**{name: pa.adjust_p_values("p", method=how) for name, how in methods.items()})
    return result.to_dict(as_series=False)


def p_adjust(_: pl.DataFrame, record: Record) -> Answers:
    return adjusted(record["arguments"]["p_values"], list(record["result"]))


CHECKS: dict[str, Check] = {
    "formula: Obuchowski 1997 clustered comparison": obuchowski_difference,
    "bruteforce.obuchowski_1997": obuchowski_difference,
    "boot_test pROC::roc.test": bootstrap_test,
    "venkatraman pROC::roc.test": venkatraman,
    "pROC::cov": covariance,
    "pROC::roc.test": roc_test,
    "bruteforce.delong_paired": delong_paired,
    "Hmisc::rcorrp.cens": rcorrp,
    "formula: DeLong global chi-square of equal AUCs": all_equal,
    "riskRegression::Score": risk_regression,
    "stats::p.adjust": p_adjust,
    "statsmodels.stats.multitest.multipletests": p_adjust,
    "scipy.stats.false_discovery_control": p_adjust,
}
