"""Losses of probabilities and their parts, compared with other packages field by field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import polars as pl

import polars_auc as pa

Answers: TypeAlias = Mapping[str, Any]
Check: TypeAlias = Callable[[pl.DataFrame, Mapping[str, Any]], Answers | str]
"""Our values of the fields of a record; or why the record is not compared."""


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
    # The first model of theirs is the rate.
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


CHECKS: dict[tuple[str, str], Check] = {
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

NOT_COMPARED = {
    ("brier", "verification::brier"): "scores are rounded to the middles of bins first",
    ("net_benefit", "formula.net_benefit_difference"): "a difference of two scores",
    ("skill", "bruteforce.jackknife"): "a jackknife, which agrees to 1/n with the influence of rows",
}

FIELDS_NOT_COMPARED = {
    "se_hc0": "divides by n where we divide by n - 1",
    "brier_skill_se_hc0": "divides by n where we divide by n - 1",
    "log_loss_skill_se_hc0": "divides by n where we divide by n - 1",
    "recalibrated": "the score less its miscalibration",
    "rate": "the share of positives",
    "weight": "the sum of weights",
    "model": "names",
    "prevalence": "the share of positives",
    "treat_none": "0",
    "tp_rate": "a share of all rows; ours are shares of a class",
    "fp_rate": "a share of all rows; ours are shares of a class",
    "treat_all_se": "the error of calling all positive",
    "vs_treat_all_se": "the error of a difference from calling all positive",
    **{
        f"difference_{name}": "a difference of two scores"
        for name in ("second_minus_first", "se", "lower", "upper", "p")
    },
}
