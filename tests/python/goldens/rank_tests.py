"""Rank tests of two or more samples, exact and approximate, their shift, and concordance."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

import polars_auc as pa
from goldens.comparisons import adjusted
from goldens.rows import (
    REPEATED,
    Answers,
    Apart,
    Check,
    Record,
    answer,
    pairs,
    rows,
    running_on,
    side,
    tied,
    weighted_rows,
)

IF_NOTHING = Apart("the variance if the score said nothing, no field of ours")


def concordance(frame: pl.DataFrame, record: Record) -> Answers:
    if "score1" in record["arguments"]:
        # The covariances of weighted rows are infinitesimal-jackknife covariances.
        both = pairs(frame, record).drop_nulls().with_columns(weight=1)
        compared = answer(both, pa.compare_scores("label", "a", "b", weight="weight"))
        c1, c2 = compared["estimates"]
        return {
            "c1": c1["estimate"],
            "c2": c2["estimate"],
            "cov_infinitesimal_jackknife": [c1["covariance"], c2["covariance"]],
            "z": compared["differences"][0]["z"],
        }
    if "var_robust_cluster" in record["result"]:
        cluster = record["arguments"]["cluster"]
        used = rows(frame, record, cluster).with_columns(weight=1)
        ci = answer(used, pa.roc_auc_ci("label", "score", weight="weight", cluster=cluster, method="delong"))
        return {"concordance": ci["auc"], "var_robust_cluster": ci["se"] ** 2}
    used = rows(frame, record)
    test = answer(used, pa.rank_agreement(pl.col("label").rank("dense"), "score"))
    counts = {
        "concordant": test["concordant"],
        "discordant": test["discordant"],
        "tied.x": test["tied_y"],
        "tied.y": test["tied_x"],
        "tied.xy": test["tied_both"],
    }
    # The interval of weighted rows is by the infinitesimal jackknife.
    ci = answer(
        used.with_columns(weight=1), pa.roc_auc_ci("label", "score", weight="weight", method="delong")
    )
    # Positives have an early event, and nothing is censored.
    events = used.with_columns(time=-pl.col("label").rank("dense").cast(pl.Int64), event=True)
    index = answer(events, pa.concordance_index("time", "event", "score"))
    auc = answer(used, pa.roc_auc("label", "score"))
    assert index["concordance"] == auc, record["id"]
    return {
        "concordance": auc,
        "counts": counts,
        "var": ci["se"] ** 2,
        "var_infinitesimal_jackknife": index["se"] ** 2,
        "cvar": IF_NOTHING,
    }


def weighted_concordance(frame: pl.DataFrame, record: Record) -> Answers:
    used = weighted_rows(frame, record)
    ci = answer(used, pa.roc_auc_ci("label", "score", weight="weight", method="delong"))
    assert ci["auc"] == answer(used, pa.roc_auc("label", "score", weight="weight")), record["id"]
    return {
        "concordance": ci["auc"],
        "counts": Apart("sums of products of weights, no field of ours"),
        "var": None if ci["se"] is None else ci["se"] ** 2,
    }


FOUR_DIGITS = Apart("R solves for it to four digits")
MIDDLE = Apart("any root between the two middle differences; ours is their mean")
EXACT_TIES = Apart("inverts the exact test given the ties; ours the normal approximation")
MANY_ROWS = Apart("inverts the exact test where told to; ours does below 50 rows of each class")


def asymptotic_p(record: Record, p: float) -> float | Apart:
    """Return an asymptotic p-value, unless coin computed it as 1 minus a rounded probability."""
    if record["function"].startswith("coin") and p < 2**-53 / record["tolerance"]["rel"]:
        return Apart("coin takes it as 1 less a probability, which leaves it too few digits")
    return p


def r_wilcoxon(frame: pl.DataFrame, record: Record) -> Answers:
    arguments = record["arguments"]
    used = rows(frame, record)
    correct = arguments.get("correct", True)
    exact = arguments.get("exact") is True and not tied(used)
    test = answer(
        used,
        pa.mann_whitney_u(
            "label",
            "score",
            alternative=side(arguments),
            method="exact" if exact else "asymptotic",
            two_sided="doubled",
            continuity=correct,
        ),
    )
    words = {
        "exact": "Wilcoxon rank sum exact test",
        "asymptotic": "Wilcoxon rank sum test" + (" with continuity correction" if correct else ""),
        None: "Wilcoxon rank sum test",  # all scores tie, so there is no test and no name
    }
    result = {
        "statistic": test["u_statistic"],
        "p_value": test["p_value"],
        "method": words[test["method"]],
        "alternative": REPEATED,
    }
    return {**result, **_r_interval(used, record, exact)} if arguments.get("conf.int") else result


def _r_interval(used: pl.DataFrame, record: Record, exact: bool) -> Answers:
    arguments = record["arguments"]
    level, alternative = arguments["conf.level"], side(arguments)
    if not exact and "abs_conf_int" not in record["tolerance"]:
        return {"conf_int": FOUR_DIGITS, "estimate": FOUR_DIGITS}
    # A one-sided interval is half of the two-sided one of twice the error.
    both = level if alternative == "two-sided" else 1 - 2 * (1 - level)
    shift = answer(used, pa.hodges_lehmann("label", "score", level=both))
    if exact:
        limits = _one_sided(shift, alternative) if shift["method"] == "exact" else MANY_ROWS
        return {"conf_int": limits, "estimate": shift["shift"]}
    root = record["result"]["estimate"]
    between = _middle(used, root) and abs(root - shift["shift"]) > record["tolerance"]["abs_conf_int"]
    return {"conf_int": _one_sided(shift, alternative), "estimate": MIDDLE if between else shift["shift"]}


def _one_sided(shift: dict[str, Any], alternative: str) -> list[float]:
    lower = -math.inf if alternative == "less" else shift["lower"]
    return [lower, math.inf if alternative == "greater" else shift["upper"]]


def _middle(used: pl.DataFrame, value: float) -> bool:
    """Return whether a value is between the two middle differences of an even number."""
    negatives, positives = (
        used.drop_nulls().filter(pl.col("label") == label)["score"].to_numpy() for label in (False, True)
    )
    differences = np.subtract.outer(positives, negatives).ravel()
    half = len(differences) // 2
    low, high = np.partition(differences, (half - 1, half))[half - 1 : half + 1]
    return len(differences) % 2 == 0 and bool(low < value < high)


def scipy_mann_whitney(frame: pl.DataFrame, record: Record) -> Answers:
    arguments = record["arguments"]
    ties_ignored = arguments["method"] == "exact" and arguments["has_ties"]
    test = answer(
        rows(frame, record),
        pa.mann_whitney_u(
            "label",
            "score",
            alternative=side(arguments),
            method=arguments["method"],
            two_sided="doubled",
            continuity=arguments.get("use_continuity", True),
        ),
    )
    p = Apart("scipy's exact distribution ignores ties") if ties_ignored else test["p_value"]
    return {"statistic": test["u_statistic"], "p_value": p}


def coin_wilcoxon(frame: pl.DataFrame, record: Record) -> Answers:
    arguments = record["arguments"]
    test = answer(
        rows(frame, record),
        pa.mann_whitney_u(
            "label",
            "score",
            alternative=side(arguments),
            method=arguments["distribution"],
            two_sided="deviation",
            continuity=False,
        ),
    )
    n_pos, p = test["n_pos"], test["p_value"]
    exact = arguments["distribution"] == "exact"
    expected = n_pos * test["n_neg"] / 2
    return {
        "z": test["z"],
        "p_value": p if exact else asymptotic_p(record, p),
        "rank_sum_pos": test["u_statistic"] + n_pos * (n_pos + 1) / 2,
        "expectation": Apart("P (n + 1) / 2, no field of ours"),
        "variance": ((test["u_statistic"] - expected) / test["z"]) ** 2,
    }


def exact_with_ties(frame: pl.DataFrame, record: Record) -> Answers:
    arguments = record["arguments"]
    used = rows(frame, record)
    alternative = side(arguments)
    test = answer(used, pa.mann_whitney_u("label", "score", alternative=alternative, method="exact"))
    result = {"statistic": test["u_statistic"], "p_value": test["p_value"]}
    if tied(used):
        return {**result, "conf_int": EXACT_TIES, "hodges_lehmann": EXACT_TIES}
    level = 0.95 if alternative == "two-sided" else 0.9
    shift = answer(used, pa.hodges_lehmann("label", "score", level=level))
    return {**result, "conf_int": _one_sided(shift, alternative), "hodges_lehmann": shift["shift"]}


def every_arrangement(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record)

    def p(alternative: Any, two_sided: Any = "deviation") -> Any:
        test = pa.mann_whitney_u(
            "label", "score", method="exact", alternative=alternative, two_sided=two_sided
        )
        return answer(used, test)["p_value"]

    return {
        "p_greater": p("greater"),
        "p_less": p("less"),
        "p_two_sided_abs_deviation": p("two-sided"),
        "p_two_sided_doubled": p("two-sided", "doubled"),
        "n_arrangements": Apart("n over P, no field of ours"),
        **dict.fromkeys(
            ("p_point", "midp_greater", "midp_less"),
            Apart("a mid-p-value or the step it halves, which are not here"),
        ),
    }


def median_of_differences(frame: pl.DataFrame, record: Record) -> Answers:
    shift = answer(rows(frame, record), pa.hodges_lehmann("label", "score"))
    return {"hodges_lehmann": shift["shift"]}


def scipy_brunner_munzel(frame: pl.DataFrame, record: Record) -> Answers:
    arguments = record["arguments"]
    test = answer(
        rows(frame, record),
        pa.brunner_munzel(
            "label",
            "score",
            alternative=side(arguments),
            distribution=arguments.get("distribution", "t"),
        ),
    )
    statistic = None if test["statistic"] is None else -test["statistic"]
    if test["se"] == 0 and test["auc"] in (0, 1):
        return {"statistic": Apart("infinite; ours is null"), "p_value": test["p_value"]}
    return {"statistic": statistic, "p_value": test["p_value"]}


def statsmodels_brunner_munzel(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record)
    use_t = record["arguments"]["use_t"]

    def test(alternative: Any) -> Any:
        expression = pa.brunner_munzel(
            "label", "score", alternative=alternative, distribution="t" if use_t else "normal"
        )
        result = answer(used, expression)
        return {"statistic": result["statistic"], "p_value": result["p_value"], "df": result["df"]}

    def limits(level: float) -> Any:
        if use_t:
            return Apart("an interval by Student's t; ours is normal")
        ci = answer(used, pa.roc_auc_ci("label", "score", level=level, method="delong"))
        theirs = record["result"][f"conf_int_{100 * level:.0f}"]
        return [running_on(*both) for both in zip((ci["lower"], ci["upper"]), theirs, strict=True)]

    ci = answer(used, pa.roc_auc_ci("label", "score", method="delong"))
    two_sided = test("two-sided")
    return {
        **two_sided,
        "df": two_sided["df"] if use_t else Apart("no degrees of freedom where it takes the normal"),
        "prob1_equals_auc": ci["auc"],
        "var_prob": ci["se"] ** 2,
        "conf_int_95": limits(0.95),
        "conf_int_90": limits(0.90),
        "test_two-sided": two_sided,
        "test_larger": test("greater"),
        "test_smaller": test("less"),
    }


def z_test(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record)

    def test(alternative: Any) -> Any:
        interval = answer(used, pa.roc_auc_ci("label", "score", alternative=alternative, method="delong"))
        same = answer(
            used, pa.brunner_munzel("label", "score", alternative=alternative, distribution="normal")
        )
        assert (interval["z"] is None) == (same["statistic"] is None), record["id"]
        return interval

    return {
        "z": test("two-sided")["z"],
        "p_two_sided": test("two-sided")["p_value"],
        "p_greater": test("greater")["p_value"],
        "p_less": test("less")["p_value"],
    }


def kruskal(frame: pl.DataFrame, record: Record) -> Answers:
    test = answer(frame, pa.kruskal_wallis("group", "value"))
    permutations = Apart("by permutations; ours by chi-square")
    by_permutations = "approximate" in record["arguments"].get("distribution", "")
    return {
        "statistic": test["statistic"],
        "df": test["df"],
        "p_value": permutations if by_permutations else asymptotic_p(record, test["p_value"]),
        "p_value_99_ci": permutations,
    }


def _every_pair(frame: pl.DataFrame, *, correct: bool) -> list[dict[str, Any]]:
    """Test every pair of samples, with the first as negatives."""
    used = frame.drop_nulls()
    ours = []
    for control, case in combinations(sorted(used["group"].unique()), 2):
        two = used.filter(pl.col("group").is_in([control, case]))
        label = pl.col("group") == case
        u = pa.mann_whitney_u(label, "value", method="asymptotic", continuity=correct)
        ci = answer(two, pa.roc_auc_ci(label, "value", method="delong"))
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


CHECKS: dict[str, Check] = {
    "survival::concordance": concordance,
    "weighted survival::concordance": weighted_concordance,
    "stats::wilcox.test": r_wilcoxon,
    "scipy.stats.mannwhitneyu": scipy_mann_whitney,
    "coin::wilcox_test": coin_wilcoxon,
    "exactRankTests::wilcox.exact": exact_with_ties,
    "bruteforce.exact_permutation_rank_sum": every_arrangement,
    "formula: median of all pairwise differences": median_of_differences,
    "scipy.stats.brunnermunzel": scipy_brunner_munzel,
    "statsmodels.stats.nonparametric.rank_compare_2indep": statsmodels_brunner_munzel,
    "formula: z test of AUC = 0.5 (DeLong SE)": z_test,
    "stats::kruskal.test": kruskal,
    "coin::kruskal_test": kruskal,
    "scipy.stats.kruskal": kruskal,
    "stats::pairwise.wilcox.test": pairwise_wilcoxon,
    "kruskal pROC::auc": pairwise_areas,
    "scipy.stats.mannwhitneyu pairwise": pairwise_mann_whitney,
}
