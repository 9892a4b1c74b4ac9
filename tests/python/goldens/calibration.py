"""Losses of probabilities and their decompositions, compared with other packages by field."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Mapping
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np
import polars as pl

import polars_auc as pa

Answers: TypeAlias = Mapping[str, Any]
Check: TypeAlias = Callable[[pl.DataFrame, Mapping[str, Any]], Answers | str]
"""Our values of the fields of a record, or the reason for not comparing it."""


_WEIGHTS = {"weight": {"weight": "weight"}, "freq": {"count": "freq"}}


def _answer(
    rows: pl.DataFrame, function: Callable[..., pl.Expr], record: Mapping[str, Any]
) -> dict[str, Any]:
    arguments = record["arguments"]
    weight = _WEIGHTS.get(arguments.get("weight"), {})
    level = arguments.get("level", 0.95)
    [answer] = rows.select(function("label", arguments["score"], level=level, **weight)).to_series()
    return dict(answer)


def brier(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    answer = _answer(rows, pa.brier_score, record)
    return {**answer, "brier": answer["brier_score"], "rows": answer["n_pos"] + answer["n_neg"]}


def log_loss(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    answer = _answer(rows, pa.log_loss, record)
    return {**answer, "rows": answer["n_pos"] + answer["n_neg"]}


def clipped_log_loss(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers | str:
    answer = log_loss(rows, record)
    return "the package clips scores of 0 and 1" if answer["n_infinite"] else answer


def risk_regression(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    arguments = record["arguments"]
    used = rows.drop_nulls([arguments["score"], arguments["score_2"]])
    a, b = (
        brier(used, {**record, "arguments": {**arguments, "score": arguments[score]}})
        for score in ("score", "score_2")
    )
    # Their first model is the constant rate.
    return {
        name: [record["result"][name][0], a[ours], b[ours]]
        for name, ours in (("brier", "brier_score"), ("se", "se"), ("lower", "lower"), ("upper", "upper"))
    } | {"ipa": [0, a["skill"], b["skill"]]}


def skill(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers | str:
    brier_score, loss = (_answer(rows, function, record) for function in (pa.brier_score, pa.log_loss))
    if 0 < (brier_score["uncertainty"] or 0) < 1e-9:
        return "theirs takes the rate from 1, which loses the digits of a rate near 1"
    answer = {
        "brier": brier_score["brier_score"],
        "brier_reference": brier_score["uncertainty"],
        "brier_skill": brier_score["skill"],
        "brier_skill_se": brier_score["skill_se"],
    }
    if loss["n_infinite"]:
        return answer
    return answer | {
        "log_loss": loss["log_loss"],
        "log_loss_reference": loss["uncertainty"],
        "log_loss_skill": loss["skill"],
        "log_loss_skill_se": loss["skill_se"],
        "normalised_entropy": loss["normalized_entropy"],
    }


def clipped_skill(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers | str:
    answer = skill(rows, record)
    if isinstance(answer, str):
        return answer
    return answer if "log_loss" in answer else "the package clips scores of 0 and 1"


def _parts(answer: Mapping[str, Any], name: str) -> dict[str, Any]:
    parts = {part: answer[part] for part in ("miscalibration", "discrimination", "uncertainty")}
    return {"score": answer[name], **parts}


def corp(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    losses = {"brier": (pa.brier_score, "brier_score"), "log_loss": (pa.log_loss, "log_loss")}
    return {
        name: _parts(_answer(rows, function, record), field) for name, (function, field) in losses.items()
    }


def decomposition(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers | str:
    is_log_loss = record["arguments"].get("scoring_function", "").lower() in ("log loss", "logloss")
    if not is_log_loss:
        return _parts(_answer(rows, pa.brier_score, record), "brier_score")
    answer = _answer(rows, pa.log_loss, record)
    return "the package clips scores of 0 and 1" if answer["n_infinite"] else _parts(answer, "log_loss")


def _difference(function: Callable[..., pl.Expr]) -> Check:
    def check(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
        arguments = record["arguments"]
        weight = _WEIGHTS.get(arguments.get("weight"), {})
        test = function("label", arguments["score"], arguments["score_2"], **weight)
        [answer] = rows.select(test).to_series()
        return dict(answer)

    return check


def net_benefit(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    arguments = record["arguments"]
    weight: dict[str, Any] = _WEIGHTS.get(arguments.get("weight"), {})
    curve = pa.net_benefit(
        "label",
        arguments["score"],
        thresholds=arguments["thresholds"],
        prevalence=arguments.get("prevalence"),
        **weight,
    )
    points = rows.select(curve.alias("curve")).explode("curve").unnest("curve")
    answer = {name: points[name].to_list() for name in points.columns}
    return answer | {"standardised": answer["standardized"]}


def _paired(
    rows: pl.DataFrame, function: Callable[..., pl.Expr], record: Mapping[str, Any], *, reverse: bool = False
) -> dict[str, Any]:
    arguments = record["arguments"]
    scores = [arguments["score"], arguments["score_2"]]
    [answer] = rows.select(
        function("label", *(scores[::-1] if reverse else scores), **_weight(record))
    ).to_series()
    # Without an error they do not test equal scores.
    return {**answer, **({"z": None, "p_value": None} if answer["se"] == 0 else {})}


def average_precision_difference(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    answer = _paired(rows, pa.average_precision_difference, record)
    return {**answer, "se_infinitesimal_jackknife": answer["se"]}


def net_benefit_difference(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    arguments = record["arguments"]
    options = {"thresholds": arguments["thresholds"], "level": arguments["level"], **_weight(record)}
    test = pa.net_benefit_difference("label", arguments["score"], arguments["score_2"], **options)
    points = _points(rows, test)
    return {name: points[name].to_list() for name in points.columns}


def discrimination_slope(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    answer = _answer(rows, pa.discrimination_slope, record)
    slope = answer["discrimination_slope"]
    # R's performance returns the absolute value.
    value = abs(slope) if record["function"] == "performance::r2_tjur" else slope
    return {
        **answer,
        "value": value,
        "mean_positive": answer["mean_pos"],
        "mean_negative": answer["mean_neg"],
    }


def discrimination_improvement(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    # Their difference is the second score minus the first.
    answer = _paired(rows, pa.discrimination_slope_difference, record, reverse=True)
    return {
        **answer,
        "idi": answer["difference"],
        "se.idi": answer["se"],
        "z.idi": answer["z"],
        "slope_first": answer["estimate_b"],
        "slope_second": answer["estimate_a"],
    }


def mcnemar(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    arguments = record["arguments"]
    options: dict[str, Any] = {
        "at_a": arguments.get("threshold", 0.5),
        "at_b": arguments.get("threshold_2", 0.5),
    }
    scores = [arguments.get("score", "a"), arguments.get("score_2", "b")]
    if "score" not in arguments:
        only = [arguments[f"only_{which}_right"] for which in ("first", "second")]
        rows = pl.DataFrame(
            # Both are right in one more row.
            {
                "label": True,
                "a": [1.0] * (1 + only[0]) + [0.0] * only[1],
                "b": [1.0] + [0.0] * only[0] + [1.0] * only[1],
            },
            {"label": pl.Boolean, "a": pl.Float64, "b": pl.Float64},
        )
        options["rate"] = "tpr"
    else:
        options["rate"] = {"positives": "tpr", "negatives": "fpr"}.get(
            arguments.get("rows", "all"), "accuracy"
        )
    [answer] = rows.select(pa.mcnemar("label", *scores, **options)).to_series()
    p_values = {}
    for name, method in (("p_exact", "exact"), ("p_mid", "mid_p"), ("p_chi2", "chi_square")):
        test = pa.mcnemar("label", *scores, **{**options, "method": method})
        p_values[name] = rows.select(test).to_series()[0]["p_value"]
    only = [answer["n_only_a"], answer["n_only_b"]]
    # A negative that is predicted positive is wrong.
    sign = -1 if options["rate"] == "fpr" else 1
    return {
        **p_values,
        # Their result is 0 / 0 if the scores differ in no row.
        "p_chi2": p_values["p_chi2"] if sum(only) else record["result"].get("p_chi2"),
        "only_first_right": only[::sign][0],
        "only_second_right": only[::sign][1],
        "difference": None if answer["difference"] is None else sign * answer["difference"],
        "difference_se": answer["se"],
    }


def _rates(
    rows: pl.DataFrame, record: Mapping[str, Any], group: str, reference: str | None = None
) -> Answers:
    arguments = record["arguments"]
    segment = pl.col("segment").cast(pl.String)
    if reference is not None:
        rows = rows.filter(segment.is_in([group, reference]))
    test = pa.subgroup_rate_difference(
        "label", arguments["score"], segment == group, at=arguments["threshold"], rate=arguments["rate"]
    )
    [answer] = rows.select(test).to_series()
    return dict(answer)


def rate_difference(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    arguments = record["arguments"]
    if "rate" in arguments:
        answer = _rates(rows, record, arguments["group"], arguments["reference"])
    else:
        counts = list(zip(arguments["count"], arguments["nobs"], (True, False), strict=True))
        cells = [
            {"label": True, "score": called, "group": group, "count": count if called else whole - count}
            for count, whole, group in counts
            for called in (1, 0)
        ]
        options: dict[str, Any] = {"at": 1, "count": "count"}
        test = pa.subgroup_rate_difference("label", "score", "group", **options)
        answer = dict(pl.DataFrame(cells).select(test).to_series()[0])
    return {
        **answer,
        # They return no result without a success of the reference.
        "ratio": None if answer["ratio"] == math.inf else answer["ratio"],
        "newcombe_lower": answer["difference_lower"],
        "newcombe_upper": answer["difference_upper"],
        "ratio_miettinen_nurminen_lower": answer["ratio_lower"],
        "ratio_miettinen_nurminen_upper": answer["ratio_upper"],
    }


def segment_rates(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    segments = record["result"]["segment"]
    answers = [_rates(rows, record, group) for group in segments]
    sizes = [answer["n_subgroup"] for answer in answers]
    rates = [answer["subgroup_rate"] for answer in answers]
    counts = [0 if rate is None else round(rate * of) for rate, of in zip(rates, sizes, strict=True)]
    return {"segment": segments, "of": sizes, "rate": rates, "count": counts}


def four_fifths(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    segments, reference = record["result"]["segment"], record["result"]["reference"]
    answers = [_rates(rows, record, group, reference) for group in segments if group != reference]
    ratios = [answer["ratio"] for answer in answers]
    passed = [answer["four_fifths"] for answer in answers]
    # The reference has the highest rate, and is compared with itself.
    place = segments.index(reference)
    ratios.insert(place, 1.0)
    passed.insert(place, True)
    return {
        "segment": segments,
        "reference": reference,
        "ratio": ratios,
        "least_ratio": min(ratios),
        "below_four_fifths": [not is_passed for is_passed in passed],
    }


def _numbers(
    rows: pl.DataFrame,
    function: Callable[..., pl.Expr],
    record: Mapping[str, Any],
    options: list[dict[str, Any]],
) -> list[Any]:
    score = record["arguments"]["score"]
    return [rows.select(function("label", score, **one, **_weight(record))).item() for one in options]


def enrichment_factor(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    options = [{"fraction": fraction} for fraction in record["arguments"]["fractions"]]
    factors = _numbers(rows, pa.enrichment_factor, record, options)
    expected_factors = record["result"].get("enrichment", factors)
    # They return no result if the cut is inside the last score.
    return {
        "exact": factors,
        "enrichment": [
            None if expected is None else got for got, expected in zip(factors, expected_factors, strict=True)
        ],
    }


def bedroc(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    alpha = record["arguments"]["alpha"]
    is_list = isinstance(alpha, list)
    answers = _numbers(rows, pa.bedroc, record, [{"alpha": one} for one in (alpha if is_list else [alpha])])
    return {"bedroc": answers if is_list else answers[0]}


def log_auc(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    ranges = record["arguments"]["fpr_range"]
    is_list = isinstance(ranges[0], list)
    options = [{"min_fpr": low, "max_fpr": high} for low, high in (ranges if is_list else [ranges])]
    answers = _numbers(rows, pa.log_auc, record, options)
    return {"value": answers if is_list else answers[0]}


def h_measure(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers | str:
    arguments = record["arguments"]
    used = rows.drop_nulls(["label", arguments["score"]])
    weight = _weight(record)
    mass = pl.col(*weight.values()) if weight else pl.lit(1)
    is_pos = pl.col("label").cast(pl.Boolean)
    n_pos, n_neg = (
        used.filter(of).select(mass.sum() if weight else pl.len()).item() for of in (is_pos, ~is_pos)
    )
    by_ratio: dict[Any, dict[str, Any]] = {
        None: {"severity_ratio": n_pos / n_neg},
        -1: {},
        1: {"severity_ratio": 1},
    }
    if not 1e-6 <= n_pos / n_neg <= 1e6:
        return "severity_ratio is 10^6 at most"
    if "severity.ratio" in arguments:
        if used.select(pa.roc_auc("label", arguments["score"])).item() < 0.5:
            return "the package turns scores round"
        return {"h": _numbers(rows, pa.h_measure, record, [by_ratio[arguments["severity.ratio"]]])[0]}
    ratios = arguments.get("severity_ratio", [None, -1, 1])
    return {"h": _numbers(rows, pa.h_measure, record, [by_ratio[ratio] for ratio in ratios])}


def _weight(record: Mapping[str, Any]) -> dict[str, Any]:
    return dict(_WEIGHTS.get(record["arguments"].get("weight"), {}))


def _points(rows: pl.DataFrame, expression: pl.Expr) -> pl.DataFrame:
    return rows.select(expression.alias("points")).explode("points").unnest("points")


def recalibration(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    answer = _answer(rows, pa.calibration_summary, record)
    models = {"intercept_given_slope_1": "in_the_large", "intercept": "intercept", "slope": "slope"}
    ends = ("", "_se", "_lower", "_upper")
    n = answer["n_pos"] + answer["n_neg"]
    return {
        **{f"{name}{end}": answer[f"{ours}{end}"] for name, ours in models.items() for end in ends},
        "rows": n,
        "observed_over_expected": answer["observed_expected"],
        "mean_difference": answer["rate"] - answer["mean_score"],
    }


def generalised_linear_model(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    answer = dict(recalibration(rows, record))
    if record["arguments"].get("cov_type") == "HC0" and record["arguments"].get("weight") == "weight":
        # Without the factor n / (n - 1).
        factor = math.sqrt((answer["rows"] - 1) / answer["rows"])
        for name in ("intercept_given_slope_1", "intercept", "slope"):
            value, se = answer[name], answer[f"{name}_se"]
            answer[f"{name}_se"] = se * factor
            for end in ("lower", "upper"):
                answer[f"{name}_{end}"] = value + (answer[f"{name}_{end}"] - value) * factor
    return answer


def nested_model(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    answer = recalibration(rows, record)
    return {
        name: {
            "estimate": answer[name],
            **{end: answer[f"{name}_{end}"] for end in ("se", "lower", "upper")},
        }
        for name in ("intercept_given_slope_1", "intercept", "slope")
    }


def observed_expected(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    answer = _answer(rows, pa.calibration_summary, record)
    lower, upper = answer["observed_expected_lower"], answer["observed_expected_upper"]
    se = None
    if lower is not None:
        level = record["arguments"].get("level", 0.95)
        se = math.log(upper / lower) / 2 / NormalDist().inv_cdf(0.5 + level / 2)
    return {
        "ratio": answer["observed_expected"],
        "log_lower": lower,
        "log_upper": upper,
        "log_se": se,
        "p_in_the_large": answer["observed_expected_p_value"],
    }


def spiegelhalter(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    answer = _answer(rows, pa.calibration_summary, record)
    return {"z": answer["spiegelhalter_z"], "p_value": answer["spiegelhalter_p_value"]}


def val_prob(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    answer = _answer(rows, pa.calibration_summary, record)
    values = {
        "S:z": answer["spiegelhalter_z"],
        "S:p": answer["spiegelhalter_p_value"],
        "Brier": _answer(rows, pa.brier_score, record)["brier_score"],
    }
    if answer["n_certain"]:
        # The package skips rows with a score of 0 or 1.
        score = record["arguments"]["score"]
        answer = _answer(
            rows.filter((pl.col(score) > 0) & (pl.col(score) < 1)), pa.calibration_summary, record
        )
    return {**values, "Intercept": answer["intercept"], "Slope": answer["slope"]}


def hosmer_lemeshow(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers | str:
    arguments = record["arguments"]
    if arguments.get("grouping") == "count":
        return "groups of as many rows; ours lie between quantiles"
    if arguments.get("weight") == "weight":
        return "with weights our test is null"
    if record["result"]["statistic"] == "nan":
        return "0 / 0 is NaN; ours counts as 0"
    answers = {}
    for fitted in (False, True):
        test = pa.calibration_summary(
            "label", arguments["score"], bins=arguments["groups"], fitted=fitted, **_weight(record)
        )
        [answer] = rows.select(test).to_series()
        answers[fitted] = answer
    return {
        "statistic": answers[True]["hosmer_lemeshow"],
        "df": answers[True]["hosmer_lemeshow_df"],
        "p_value": answers[True]["hosmer_lemeshow_p_value"],
        "df_external": answers[False]["hosmer_lemeshow_df"],
        "p_value_external": answers[False]["hosmer_lemeshow_p_value"],
        "groups": answers[False]["hosmer_lemeshow_df"],
    }


def _scores(rows: pl.DataFrame, record: Mapping[str, Any]) -> Any:
    arguments = record["arguments"]
    used = rows.drop_nulls(["label", arguments["score"]])
    if arguments.get("weight") == "freq":
        used = used.select(pl.col(arguments["score"]).repeat_by("freq").explode())
    return used[arguments["score"]].to_numpy()


def _bins(rows: pl.DataFrame, record: Mapping[str, Any]) -> dict[str, Any] | str:
    """Return the options of bins; numpy's quantiles as edges if they assign a row to another bin."""
    arguments = record["arguments"]
    if "edges" in arguments:
        return {"edges": [float(edge) for edge in arguments["edges"]]}
    bins, scores = arguments["n_bins"], _scores(rows, record)
    if arguments.get("strategy", "uniform") == "uniform":
        edges = np.linspace(0, 1, bins + 1)
        if arguments.get("closed", "right") == "left" and np.isin(scores, edges[1:]).any():
            return "bins contain their lower edge, and a score lies on an edge"
        return {"method": "uniform", "bins": bins}
    if arguments.get("weight") == "weight":
        return "quantiles of rows; with weights ours are those of the weights"
    edges = np.percentile(scores, np.linspace(0, 1, bins + 1) * 100)
    ours = _points(rows, pa.calibration_curve("label", arguments["score"], bins=bins, **_weight(record)))
    theirs = np.unique(np.searchsorted(edges[1:-1], scores), return_counts=True)[1]
    if ours["n"].to_list() == theirs.tolist():
        return {"bins": bins}
    # Explicit edges must ascend; the lowest score alone is a bin up to the first quantile.
    return {"edges": np.unique([*([0.0] if edges[0] == edges[1] else []), *edges]).tolist()}


def calibration_curve(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers | str:
    options = _bins(rows, record)
    if isinstance(options, str):
        return options
    score = record["arguments"]["score"]
    points = _points(rows, pa.calibration_curve("label", score, **options, **_weight(record)))
    answer = {name: points[name].to_list() for name in points.columns}
    errors = rows.select(pa.calibration_error("label", score, **options, **_weight(record))).to_series()[0]
    # Their bins are counted from 0, and include empty bins of equal quantiles.
    first = [number - 1 for number in answer["bin"]]
    quantiles = record["arguments"].get("strategy") == "quantile"
    return {
        **errors,
        "bin": record["result"].get("bin") if quantiles else first,
        "rows": record["result"].get("rows") if _weight(record).get("weight") else answer["n"],
        "weight": answer["n"],
        "mean_score": answer["mean_score"],
        "rate": answer["rate"],
        "prob_pred": answer["mean_score"],
        "prob_true": answer["rate"],
        "wilson_lower": answer["rate_lower"],
        "wilson_upper": answer["rate_upper"],
    }


def calibration_error(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers | str:
    options = _bins(rows, record)
    if isinstance(options, str):
        return options
    error = pa.calibration_error("label", record["arguments"]["score"], **options, **_weight(record))
    [answer] = rows.select(error).to_series()
    return {
        **answer,
        "n_bins_used": answer["n_bins"],
        "debiased_rmsce": answer["rmsce_debiased"],
        "ece_plugin": answer["ece"],
        "rmsce_plugin": answer["rmsce"],
        "l1": answer["ece"],
        "l2": answer["rmsce"],
        "max": answer["mce"],
        "ECE": answer["ece"],
        "MCE": answer["mce"],
    }


def left_closed_error(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers | str:
    arguments = {**record["arguments"], "closed": "left"}
    return calibration_error(rows, {**record, "arguments": arguments})


def isotonic_blocks(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    curve = pa.calibration_curve("label", record["arguments"]["score"], method="isotonic", **_weight(record))
    blocks = _points(rows, curve).drop_nulls("bin")
    return {
        "n_blocks": blocks.height,
        "lower": blocks["lowest"].to_list(),
        "upper": blocks["highest"].to_list(),
        "weight": blocks["n"].to_list(),
        "positive": blocks["n_pos"].to_list(),
        "value": blocks["rate"].to_list(),
    }


def isotonic_fit(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    blocks, scores = isotonic_blocks(rows, record), record["result"]["score"]
    # Their scores have 15 digits.
    places = [bisect.bisect_left(blocks["upper"], score * (1 - 1e-14)) for score in scores]
    return {"score": scores, "value": [blocks["value"][place] for place in places]}


def _grades(counts: pl.DataFrame) -> pl.DataFrame:
    """Compute rows (n, defaults, pd) in order, one call for each: grades may share a probability."""
    options: dict[str, Any] = {"adjust": None, "count": "count"}
    return pl.concat(
        _points(
            pl.DataFrame({"label": [True, False], "pd": [pd, pd], "count": [defaults, n - defaults]}),
            pa.calibration_by_grade("label", "pd", **options),
        )
        for n, defaults, pd in counts.select("n", "defaults", "pd").iter_rows()
    )


def grades(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    arguments = record["arguments"]
    if "n" in arguments:
        pd = arguments.get("pd")
        pd = arguments.get("p", pd if isinstance(pd, list) else None)
        n, defaults = arguments["n"], arguments["defaults"]
        counts = pl.DataFrame(
            {
                "pd": pd or [place / 100 for place in range(len(n))],
                "n": n,
                "defaults": defaults,
            },
            schema_overrides={"pd": pl.Float64},
        )
    else:
        used = rows.drop_nulls(["label", "grade", "pd"])
        if (text := str(arguments["pd"])).startswith("mean of "):
            score = text.split()[2]
            used = used.drop_nulls(score).with_columns(pd=pl.col(score).mean().over("grade"))
        sums = (pl.col("pd").first(), pl.len().alias("n"), pl.col("label").sum().alias("defaults"))
        counts = used.group_by("grade").agg(sums).sort("grade").cast({"n": pl.Int64, "defaults": pl.Int64})
        if "portfolio" in arguments:
            portfolio = (pl.lit("portfolio").alias("grade"), pl.col("pd").mean(), *sums[1:])
            counts = pl.concat([counts, used.select(portfolio)], how="vertical_relaxed")
    answer = _grades(counts)
    p_value = "jeffreys_p_value"
    if record["function"] in ("stats::binom.test", "scipy.stats.binomtest"):
        p_value = "binomial_p_value"
    return {
        "grade": counts["grade"].to_list() if "grade" in counts.columns else None,
        "n": answer["n"].to_list(),
        "defaults": answer["n_pos"].to_list(),
        "rate": answer["rate"].to_list(),
        "pd": answer["score"].to_list(),
        "p_value": answer[p_value].to_list(),
        **{f"{prefix}lower": answer["rate_lower"].to_list() for prefix in ("", "jeffreys_")},
        **{f"{prefix}upper": answer["rate_upper"].to_list() for prefix in ("", "jeffreys_")},
    }


def average_precision(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    answer = _answer(rows, pa.average_precision_ci, record)
    return {
        **answer,
        "value": answer["average_precision"],
        "se_infinitesimal_jackknife": answer["se"],
        "logit_lower": answer["lower"],
        "logit_upper": answer["upper"],
    }


def precision_recall_area(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    arguments = record["arguments"]
    weight = _WEIGHTS.get(arguments.get("weight"), {})
    area = pa.average_precision("label", arguments["score"], interpolation="continuous", **weight)
    return dict.fromkeys(("auc.integral", "area_continuous"), rows.select(area).item())


def equal_error_rate(rows: pl.DataFrame, record: Mapping[str, Any]) -> Answers:
    rate = pa.equal_error_rate("label", record["arguments"]["score"], **_weight(record))
    [answer] = rows.select(rate).to_series()
    value = answer["equal_error_rate"]
    is_fraction = isinstance(record["result"]["eer"], Mapping)
    return {"eer": {"value": value} if is_fraction else value, "threshold_at_or_below": answer["threshold"]}


CHECKS: dict[tuple[str, str], Check] = {
    ("recalibration", "formula.recalibration"): recalibration,
    ("recalibration", "statsmodels.genmod.GLM"): generalised_linear_model,
    ("recalibration", "stats::glm"): nested_model,
    ("recalibration", "survey::svyglm"): nested_model,
    ("recalibration", "formula.observed_expected"): observed_expected,
    ("recalibration", "epitools::pois.exact"): observed_expected,
    ("calibration_test", "formula.spiegelhalter"): spiegelhalter,
    ("calibration_test", "rms::val.prob"): val_prob,
    **{
        ("calibration_test", name): hosmer_lemeshow
        for name in (
            *("formula.hosmer_lemeshow", "ResourceSelection::hoslem.test"),
            "performance::performance_hosmer",
        )
    },
    **{
        ("calibration_curve", name): calibration_curve
        for name in (
            *("formula.calibration_curve", "sklearn.calibration.calibration_curve"),
            "polarbearings.calibration_curve",
        )
    },
    **{
        ("calibration_error", name): calibration_error
        for name in (
            *("formula.calibration_error", "polarbearings.expected_calibration_error"),
            "calibration.lower_bound_scaling_ce",
        )
    },
    **{
        ("calibration_error", name): left_closed_error
        for name in ("torchmetrics.functional.classification.binary_calibration_error", "netcal.metrics")
    },
    ("pav", "bruteforce.pav"): isotonic_blocks,
    ("pav", "stats::isoreg"): isotonic_blocks,
    ("pav", "sklearn.isotonic.IsotonicRegression"): isotonic_fit,
    ("pav", "scores.processing.isotonic_fit"): isotonic_fit,
    **{
        ("grades", name): grades
        for name in (
            *("stats::pbeta", "stats::binom.test", "formula.jeffreys", "scipy.stats.binomtest"),
            "statsmodels.stats.proportion.proportion_confint",
        )
    },
    **{
        ("average_precision", name): average_precision
        for name in (
            *("sklearn.metrics.average_precision_score", "polarbearings.average_precision"),
            *("formula.average_precision_ci", "formula.average_precision"),
            "torchmetrics.functional.classification.binary_average_precision",
        )
    },
    ("average_precision", "formula.average_precision_difference"): average_precision_difference,
    ("pr_area", "PRROC::pr.curve"): precision_recall_area,
    ("pr_area", "formula.pr_area"): precision_recall_area,
    ("net_benefit", "formula.net_benefit_difference"): net_benefit_difference,
    ("idi", "performance::r2_tjur"): discrimination_slope,
    ("idi", "formula.tjur"): discrimination_slope,
    ("idi", "Hmisc::improveProb"): discrimination_improvement,
    ("idi", "formula.idi"): discrimination_improvement,
    **{
        ("mcnemar", name): mcnemar
        for name in (
            *("exact2x2::mcnemar.exact, stats::mcnemar.test", "formula.mcnemar"),
            "statsmodels.stats.contingency_tables.mcnemar",
        )
    },
    **{
        ("rate_difference", name): rate_difference
        for name in (
            *("ratesci::scoreci", "formula.rate_difference"),
            "statsmodels.stats.proportion.confint_proportions_2indep",
        )
    },
    ("rate_difference", "bruteforce.rates"): segment_rates,
    ("rate_difference", "formula.four_fifths"): four_fifths,
    ("enrichment", "formula.enrichment_factor"): enrichment_factor,
    ("enrichment", "enrichvs::enrichment_factor"): enrichment_factor,
    ("enrichment", "formula.bedroc"): bedroc,
    ("enrichment", "enrichvs::bedroc"): bedroc,
    ("log_auc", "formula.log_auc"): log_auc,
    ("h_measure", "formula.h_measure"): h_measure,
    ("h_measure", "hmeasure::HMeasure"): h_measure,
    ("h_measure", "hmeasure.h_score"): h_measure,
    ("eer", "formula.eer"): equal_error_rate,
    ("eer", "sklearn.metrics.roc_curve"): equal_error_rate,
    **{
        ("brier", name): brier
        for name in (
            *("survey::svymean", "ModelMetrics::brier", "formula.brier", "sklearn.metrics.brier_score_loss"),
            *("bruteforce.brier_exact", "scoringrules.brier_score", "scores.probability.brier_score"),
            "polarbearings.brier_score",
        )
    },
    ("brier", "riskRegression::Score"): risk_regression,
    ("brier", "formula.brier_difference"): _difference(pa.brier_score_difference),
    ("log_loss", "formula.log_loss_difference"): _difference(pa.log_loss_difference),
    **{("log_loss", name): log_loss for name in ("survey::svymean", "formula.log_loss")},
    **{
        ("log_loss", name): clipped_log_loss
        for name in ("MLmetrics::LogLoss", "sklearn.metrics.log_loss", "polarbearings.log_loss")
    },
    ("skill", "formula.skill"): skill,
    ("skill", "sklearn.metrics.d2_brier_score"): skill,
    ("skill", "sklearn.metrics.d2_log_loss_score"): clipped_skill,
    ("net_benefit", "formula.net_benefit"): net_benefit,
    ("net_benefit", "dcurves.dca"): net_benefit,
    ("net_benefit", "dcurves::dca"): net_benefit,
    ("corp", "formula.corp"): corp,
    ("corp", "reliabilitydiag::summary"): decomposition,
    ("corp", "model_diagnostics.scoring.decompose"): decomposition,
}

# These functions do not support ties, or the scores 0 and 1 of breast_cancer.
NOT_SHIPPED = {
    ("calibration_test", "performance::performance_hosmer"),
    ("idi", "performance::r2_tjur"),
    ("enrichment", "enrichvs::bedroc"),
    *(
        ("recalibration", name)
        for name in ("epitools::pois.exact", "stats::glm", "statsmodels.genmod.GLM", "survey::svyglm")
    ),
}

TOLERANCES = {
    # rms stops before the maximum; formula.recalibration and stats::glm agree to 1e-9.
    ("rms::val.prob", "Intercept"): 1e-6,
}

NOT_COMPARED = {
    ("calibration_error", "calibration.get_ece_em"): "cuts the sorted list; ours are type 7 quantiles",
    ("calibration_error", "calibration.normal_debiased_ce"): "a debiased ece, by simulation",
    ("pav", "isotone::gpava"): "means of tied rows are without their weights",
    ("average_precision", "bruteforce.jackknife"): "agrees to 1/n with the influence of rows",
    ("eer", "pyeer.get_eer_values"): "the middle of an interval; ours is on the ROC line",
    ("eer", "torchmetrics.functional.classification.binary_eer"): (
        "the nearest threshold; ours is on the ROC line"
    ),
    ("eer", "bob.measure.eer_threshold"): "the nearest threshold; ours is on the ROC line",
    ("brier", "verification::brier"): "scores are rounded to the middles of bins first",
    ("log_auc", "torchmetrics.functional.classification.binary_logauc"): (
        "trapezoids on the logarithmic axis; ours is the exact integral"
    ),
    ("enrichment", "rdkit.ML.Scoring.Scoring"): "ties are in the order of the rows",
    ("rate_difference", "fairlearn.metrics"): "numbers of all segments together",
    ("skill", "bruteforce.jackknife"): "a jackknife, which agrees to 1/n with the influence of rows",
}

FIELDS_NOT_COMPARED: dict[str | tuple[str, str], str] = {
    **dict.fromkeys(("observed", "expected"), "the sum of labels, or of scores"),
    **dict.fromkeys(("p", "intercept_given_slope_1_p", "slope_p_of_1"), "a p-value of one coefficient"),
    **dict.fromkeys(
        (
            *("deviance_offset", "deviance_slope", "lr_both", "lr_both_p", "lr_intercept", "lr_intercept_p"),
            *("lr_slope_given_intercept", "lr_slope_given_intercept_p", "U", "U:Chi-sq", "U:p", "Q"),
            *("D", "D:Chi-sq", "D:p", "R2"),
        ),
        "a likelihood ratio, or its parts",
    ),
    "covariance": "of the intercept and the slope",
    "se_hc0_of": "names",
    "why": "text",
    **dict.fromkeys(
        (
            *("log_poisson_lower", "log_poisson_upper", "poisson_exact_lower", "poisson_exact_upper"),
            "z_in_the_large",
        ),
        "other limits of observed over expected",
    ),
    "p_value_overconfident": "one-sided",
    "C (ROC)": "the area under the curve",
    "Dxy": "the area under the curve",
    **dict.fromkeys(("Emax", "E90", "Eavg"), "distances from lowess; ours are from the isotonic fit"),
    "bin_lower": "numpy's quantiles",
    "bin_upper": "numpy's quantiles",
    "debiased_squared": "the square of the root, also below 0",
    "debiased_ece": "a debiased ece",
    "debiased_ece_defined_in_package": "text",
    "ACE": "netcal's bins of equal mass",
    "distinct_scores": "a number of scores",
    "mid_p": "a mid-p-value",
    "normal_z": "by the normal distribution",
    "normal_p": "by the normal distribution",
    "logit_se": "the standard error of the logit",
    **{f"binomial_{name}": "by the normal distribution" for name in ("se", "lower", "upper")},
    **dict.fromkeys(("num", "den"), "the fraction of the value"),
    **dict.fromkeys(
        ("eer_convex_hull", "eer_nearest_point", "nearest_points", "threshold_above"),
        "ours is on the ROC line",
    ),
    "exactly_at_threshold": "whether the curve has a point there",
    "se_hc0": "divides by n where we divide by n - 1",
    "brier_skill_se_hc0": "divides by n where we divide by n - 1",
    "log_loss_skill_se_hc0": "divides by n where we divide by n - 1",
    **dict.fromkeys(
        ("auc.davis.goadrich", "area_unit_steps"),
        "trapezoids between unit steps, which approximate the integral",
    ),
    **{f"area_trapezoid{points}": "trapezoids, biased upwards" for points in ("", "_sklearn_points")},
    "recalibrated": "the score less its miscalibration",
    **{(kind, "rate"): "the share of positives" for kind in ("brier", "log_loss", "skill", "corp")},
    **{
        (kind, "weight"): "the sum of weights"
        for kind in ("brier", "log_loss", "skill", "corp", "recalibration", "net_benefit")
    },
    **{("calibration_test", name): "the groups" for name in ("n", "observed", "expected")},
    **dict.fromkeys(
        (
            *("nri", "se.nri", "z.nri", "nri.ev", "nri.ne", "improveSens", "improveSpec"),
            *("mean_change_positive", "mean_change_negative"),
        ),
        "the net reclassification improvement, or a change of one class",
    ),
    **dict.fromkeys(
        (
            *("p_mid_fagerland", "chi2", "chi2_corrected", "p_chi2_corrected", "both_right", "none_right"),
            *(("mcnemar", "difference_lower"), ("mcnemar", "difference_upper")),
        ),
        "other p-values, and Wald's limits; ours are Bonett and Price's",
    ),
    **dict.fromkeys(
        (
            *("miettinen_nurminen_lower", "miettinen_nurminen_upper", "mee_lower", "mee_upper"),
            *("wald_lower", "wald_upper", "agresti_caffo_lower", "agresti_caffo_upper"),
            *("ratio_koopman_lower", "ratio_koopman_upper", "ratio_log_lower", "ratio_log_upper"),
            *("ratio_log_adjusted_lower", "ratio_log_adjusted_upper"),
        ),
        "other limits; ours are Newcombe's of the difference, and Miettinen and Nurminen's of the ratio",
    ),
    **dict.fromkeys(("prop_test_chi2", "prop_test_p", "score_z", "score_p"), "a score without N / (N - 1)"),
    **dict.fromkeys(
        (("rate_difference", "lower"), ("rate_difference", "upper")), "other limits, by the logarithm"
    ),
    "weighted_rate": "with weights",
    **dict.fromkeys(("ceil", "maximum"), "of a whole number of rows, and the largest possible"),
    **dict.fromkeys(("rie", "rie_min", "rie_max"), "the robust initial enhancement, which is scaled"),
    **dict.fromkeys(("random", "over_random", "trapezoid_in_log"), "of the diagonal, or by trapezoids"),
    **dict.fromkeys(("loss", "loss_max", "auch"), "parts of the number, and the area under the hull"),
    "model": "names",
    "prevalence": "the share of positives",
    "treat_none": "0",
    "tp_rate": "a share of all rows; ours are shares of a class",
    "fp_rate": "a share of all rows; ours are shares of a class",
    "treat_all_se": "the error of predicting all positive",
    "vs_treat_all_se": "the error of a difference from predicting all positive",
    **{
        ("brier", f"difference_{name}"): "a difference of two scores"
        for name in ("second_minus_first", "se", "lower", "upper", "p")
    },
}
