"""Thresholds: counts and rates, optima, and their intervals."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import polars as pl

import polars_auc as pa
from goldens.intervals import resampled_limits
from goldens.rows import N_RESAMPLES, SEED, Answers, Apart, Check, Record, answer, rows, running_on

TIE_LOST = Apart("one of several that are equally good; ours is higher, and lost to rounding there")
Merit = Callable[[int, int, int, int], Fraction]
"""The quality of a threshold, by tp, fp and the numbers of positives and negatives."""


def at(used: pl.DataFrame, thresholds: Sequence[float], *, beta: float = 1.0) -> Answers:
    """Return the counts and rates at each threshold, field by field."""
    ours = used.select(
        pa.confusion_at("label", "score", threshold, beta=beta).alias(str(i))
        for i, threshold in enumerate(thresholds)
    )
    fields = ours.unpivot(pl.selectors.all()).unnest("value").drop("variable").to_dict(as_series=False)
    points = answer(used, pa.roc_curve("label", "score", at_threshold=thresholds))
    for field in ("threshold", "tp", "fp", "tn", "fn", "tpr", "fpr"):
        assert [point[field] for point in points] == fields[field]
    return fields


def numbers(values: Sequence[float | str]) -> list[float]:
    return [float(value) for value in values]


def less_1(values: Sequence[float | None]) -> list[float | None]:
    return [None if value is None else 1 - value for value in values]


def observed(used: pl.DataFrame, thresholds: Sequence[float]) -> list[float | None]:
    """Return the lowest score at or above each threshold, None above all scores."""
    scores: list[float] = used["score"].drop_nulls().unique().sort().to_list()
    at_or_above = (bisect.bisect_left(scores, threshold) for threshold in thresholds)
    return [scores[i] if i < len(scores) else None for i in at_or_above]


def midpoints(used: pl.DataFrame, theirs: Sequence[float], ours: Sequence[float | None]) -> list[float]:
    """Return thresholds like packages that use the midpoint of two scores.

    Our threshold is the higher of the two scores. Theirs is above the lower score and at most ours.
    """
    assert observed(used, theirs) == list(ours)
    return list(theirs)


def proc_points(used: pl.DataFrame, record: Record, thresholds: Sequence[float]) -> Answers:
    ours = at(used, thresholds)
    ratio = ratio_of(record)
    rates = list(zip(ours["tpr"], ours["fpr"], strict=True))
    return {
        **{name: ours[name] for name in ("tp", "fp", "tn", "fn", "accuracy", "npv", "fpr")},
        "threshold": list(thresholds),
        "sensitivity": ours["tpr"],
        "specificity": less_1(ours["fpr"]),
        "fnr": less_1(ours["tpr"]),
        "ppv": ours["precision"],
        "fdr": less_1(ours["precision"]),
        "1-accuracy": ours["error"],
        "youden": [tpr + ratio * (1 - fpr) for tpr, fpr in rates],
        "closest.topleft": [(1 - tpr) ** 2 + ratio * fpr**2 for tpr, fpr in rates],
    }


def weights_of(record: Record) -> dict[str, Any]:
    weights = record["arguments"].get("best.weights", {})
    return {"cost": weights.get("cost_fn_over_fp", 1.0), "prevalence": weights.get("prevalence", 0.5)}


def ratio_of(record: Record) -> float:
    cost, prevalence = map(float, weights_of(record).values())
    return (1 - prevalence) / (cost * prevalence)


def youden(ratio: Fraction = Fraction(1)) -> Merit:
    return lambda tp, fp, p, n: Fraction(tp, p) - ratio * Fraction(fp, n)


def closest(ratio: Fraction = Fraction(1)) -> Merit:
    return lambda tp, fp, p, n: -((1 - Fraction(tp, p)) ** 2) - ratio * Fraction(fp, n) ** 2


def is_best_of(used: pl.DataFrame, best: Answers, listed: Sequence[float], merit: Merit) -> bool:
    """Compare our optimum with all listed ones, in fractions, and return whether it is one of them.

    It must be better than each, or equally good with the highest score. A threshold without predicted
    positives must be strictly better than all others.
    """

    def rank(tp: int, fp: int, threshold: float | None) -> tuple[Fraction, bool, float]:
        is_all_negative = threshold is None
        return (
            merit(tp, fp, best["n_pos"], best["n_neg"]),
            not is_all_negative,
            0.0 if threshold is None else threshold,
        )

    result = at(used, listed)
    theirs = [rank(*one) for one in zip(result["tp"], result["fp"], observed(used, listed), strict=True)]
    ours = rank(best["tp"], best["fp"], best["threshold"])
    assert ours >= max(theirs), (best, listed)
    assert ours[0] == max(theirs)[0], (best, listed, "better than all of theirs")
    return ours in theirs


def proc_coords(frame: pl.DataFrame, record: Record) -> Answers:
    arguments = record["arguments"]
    used = rows(frame, record)
    if arguments.get("input", "threshold") != "threshold":
        return at_rates(used, record)
    theirs = numbers(record["result"]["threshold"])
    ours = proc_points(used, record, theirs)
    if arguments["x"] == "all":
        curve = answer(used, pa.roc_curve("label", "score"))
        midpoints(used, theirs, [point["threshold"] for point in reversed(curve)])
    if arguments["x"] == "local maximas":
        check_local_maxima(used, theirs)
    if arguments["x"] == "best":
        ours["threshold"] = best_threshold(used, record, theirs, ours)
    return ours


def at_rates(used: pl.DataFrame, record: Record) -> Answers:
    result, rates = record["result"], record["arguments"]["x"]
    if record["arguments"]["input"] == "sensitivity":
        curve = pa.roc_curve("label", "score", at_tpr=rates)
    else:
        # 1 - 0.9 is slightly different from one tenth, which may be a corner of the curve.
        curve = pa.roc_curve("label", "score", at_fpr=[round(1 - x, 12) for x in rates])
    points = answer(used, curve)
    for theirs, point in zip(result["threshold"], points, strict=True):
        if theirs is not None:
            midpoints(used, [float(theirs)], [point["threshold"]])
    return {
        "threshold": [
            point["threshold"] if theirs is None else theirs
            for theirs, point in zip(result["threshold"], points, strict=True)
        ],
        "sensitivity": [point["tpr"] for point in points],
        "specificity": [1 - point["fpr"] for point in points],
        "ppv": Apart("no field of ours between two points"),
        "npv": Apart("no field of ours between two points"),
    }


def check_local_maxima(used: pl.DataFrame, theirs: list[float]) -> None:
    """Check that they include the corners of our convex hull."""
    hull = answer(used, pa.roc_convex_hull("label", "score"))
    assert {point["threshold"] for point in hull[1:-1]} <= set(observed(used, theirs))


def best_threshold(used: pl.DataFrame, record: Record, theirs: list[float], ours: Answers) -> Any:
    criterion = record["arguments"]["best.method"].replace(".", "_")
    expression = pa.operating_point("label", "score", criterion=criterion, **weights_of(record))
    best = answer(used, expression)
    ratio = Fraction(ratio_of(record)).limit_denominator(10**6)
    merit = {"youden": youden, "closest_topleft": closest}[criterion](ratio)
    optimum = ours[record["arguments"]["best.method"]][0] - (ratio_of(record) if criterion == "youden" else 0)
    assert math.isclose(best["criterion"], optimum, rel_tol=1e-9, abs_tol=1e-12), record["id"]
    return theirs if is_best_of(used, best, theirs, merit) else TIE_LOST


def exact_best(frame: pl.DataFrame, record: Record) -> Answers:
    """Compare the optimum, by fractions from its counts; it must be the highest of the listed ones."""
    used = rows(frame, record)
    ratio = Fraction(ratio_of(record)).limit_denominator(10**6)
    result = record["result"]
    points: Answers = {}
    for criterion, merit, name in (
        ("youden", youden(ratio), "youden"),
        ("closest_topleft", closest(ratio), "closest"),
    ):
        best = answer(used, pa.operating_point("label", "score", criterion=criterion, **weights_of(record)))  # type: ignore[arg-type]
        exact = merit(best["tp"], best["fp"], best["n_pos"], best["n_neg"])
        ours = -best["criterion"] if name == "closest" else best["criterion"]
        assert abs(ours - exact) <= max(Fraction(1), ratio) * Fraction(1e-15), (
            record["id"],
            ours,
            float(exact),
        )
        listed = numbers(result[f"{name}_thresholds_score_ge"])
        highest = max((score for score in listed if score < math.inf), default=None)
        points[f"{name}_thresholds_score_ge"] = listed if best["threshold"] == highest else best["threshold"]
        if name == "closest":
            points |= dict.fromkeys(("closest_topleft", "closest_topleft_dist2"), float(-exact))
        else:
            points |= {"youden_j": float(exact), "youden": float(exact + ratio)}
    return points


NO_CRITERION = Apart("no such criterion here")
NOT_A_RATE = Apart("not a rate here")


def right_calls(tp: int, fp: int, _: int, n: int) -> Fraction:
    return Fraction(tp + n - fp)


def f_measure(tp: int, fp: int, p: int, _: int) -> Fraction:
    return Fraction(2 * tp, p + tp + fp)


NOBODY = Apart("the best is to call nobody positive, which OptimalCutpoints and cutpointr leave out")

CRITERIA: dict[str, tuple[dict[str, Any], Merit]] = {
    "Youden": ({"criterion": "youden"}, youden()),
    "youden": ({"criterion": "youden"}, youden()),
    "sum_sens_spec": ({"criterion": "youden"}, youden()),
    "ROC01": ({"criterion": "closest_topleft"}, closest()),
    "MaxEfficiency": ({"criterion": "cost"}, right_calls),
    "accuracy": ({"criterion": "cost"}, right_calls),
    "CB": ({"criterion": "cost"}, right_calls),
    "MCT": ({"criterion": "cost"}, right_calls),
    "F1_score": ({"criterion": "max_f"}, f_measure),
}
"""Map methods of OptimalCutpoints and metrics of cutpointr to our criteria.

With equal error costs and the group's prevalence, the minimum cost is the maximum accuracy.
"""


def cutpoints(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record)
    arguments, result = record["arguments"], record["result"]
    method = arguments.get("methods", arguments.get("metric"))
    listed = numbers(result["cutoff" if "cutoff" in result else "cutpoint"])
    ours = at(used, listed)
    auc = answer(used, pa.roc_auc_ci("label", "score", method="delong"))
    auc_ci = [auc["auc"], auc["lower"]]
    if "methods" in arguments:
        auc_ci.append(running_on(auc["upper"], result["auc"][2]))
    cutoff: Any = NO_CRITERION
    value: Any = NO_CRITERION
    if method in CRITERIA:
        options, merit = CRITERIA[method]
        best = answer(used, pa.operating_point("label", "score", **options))
        is_all_negative = best["threshold"] is None
        cutoff = NOBODY if is_all_negative else listed if is_best_of(used, best, listed, merit) else TIE_LOST
        value = {
            "sum_sens_spec": best["criterion"] + 1,
            "MaxEfficiency": best["accuracy"],
            "accuracy": best["accuracy"],
            "CB": Apart("the ratio r of costs and prevalence, an argument here"),
        }.get(method, best["criterion"])
        value = NOBODY if is_all_negative else value
    elif method in ("MaxKappa", "cohens_kappa"):
        assert len(set(ours["kappa"])) == 1, record["id"]
        value = ours["kappa"][0]
    return {
        "cutoff": cutoff,
        "cutpoint": cutoff,
        "sensitivity": ours["tpr"],
        "specificity": less_1(ours["fpr"]),
        "accuracy": ours["accuracy"],
        "optimal_criterion_rounded": value,
        "metric_value": value if isinstance(value, Apart) else [value] * len(listed),
        "auc": auc["auc"] if "metric" in arguments else auc_ci,
    }


def rocr_points(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record)
    cutoffs = numbers(record["result"]["cutoff"])
    ours = at(used, cutoffs)
    assert observed(used, cutoffs) == [None, *cutoffs[1:]]
    # Without a predicted positive, ROCR has no precision and no F. Our F is 2 tp / (2 tp + fp + fn), so 0.
    assert ours["f"][0] == 0
    return {
        "cutoff": cutoffs,
        "acc": ours["accuracy"],
        "err": ours["error"],
        "fpr": ours["fpr"],
        "tpr": ours["tpr"],
        "fnr": less_1(ours["tpr"]),
        "tnr": less_1(ours["fpr"]),
        "ppv": ours["precision"],
        "npv": ours["npv"],
        "pcfall": less_1(ours["precision"]),
        "pcmiss": less_1(ours["npv"]),
        "rpp": ours["predicted_rate"],
        "rnp": less_1(ours["predicted_rate"]),
        "phi": ours["mcc"],
        "f": [None, *ours["f"][1:]],
        "lift": NOT_A_RATE,
        "odds": NOT_A_RATE,
        "mi": NOT_A_RATE,
        "sar": NOT_A_RATE,
    }


def sklearn_points(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record)
    listed = [row["threshold"] for row in record["result"]]
    ours = at(used, listed)
    names = {"recall": "tpr", "f1": "f", "cohen_kappa": "kappa"}
    columns = {
        name: ours[names.get(name, name)] for name in record["result"][0] if name not in ("f2", "jaccard")
    }
    called_negative = [tn + fn for tn, fn in zip(ours["tn"], ours["fn"], strict=True)]
    columns["f2"] = at(used, listed, beta=2.0)["f"]
    # sklearn returns 0 for 0 / 0, where every row is predicted positive.
    columns["mcc"] = [
        0.0 if negative == 0 else mcc for mcc, negative in zip(ours["mcc"], called_negative, strict=True)
    ]
    # Our record does not have this rate, but the F measure determines it.
    columns["jaccard"] = [f / (2 - f) for f in ours["f"]]
    return {"rows": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]}


MEDIAN = Apart("the median of the resamples; ours is the rate itself")


def rate_intervals(frame: pl.DataFrame, record: Record) -> Answers:
    arguments = record["arguments"]
    assert arguments["boot.stratified"]
    options: dict[str, Any] = {"level": arguments["conf.level"], "n_resamples": N_RESAMPLES, "seed": SEED}
    options["interval"] = "percentile"
    used = rows(frame, record).drop_nulls()
    if "specificities" in arguments:
        rates = [round(1 - specificity, 12) for specificity in arguments["specificities"]]
        points = [answer(used, pa.tpr_at_fpr("label", "score", fpr, **options)) for fpr in rates]
        lower, upper = ([point[limit] for point in points] for limit in ("lower", "upper"))
        step = 1 / points[0]["n_pos"]
    else:
        rates = arguments["sensitivities"]
        points = [answer(used, pa.fpr_at_tpr("label", "score", tpr, **options)) for tpr in rates]
        lower, upper = ([1 - point[limit] for point in points] for limit in ("upper", "lower"))
        step = 1 / points[0]["n_neg"]
    return {"lower": lower, "median": MEDIAN, "upper": upper, "step": step}


def threshold_intervals(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record).drop_nulls()
    points = [
        resampled_limits(frame, record, "confusion_at", at=at) for at in record["arguments"]["thresholds"]
    ]
    median = Apart("the median of the resamples, no field of ours")
    return {
        "specificity_lower": [1 - point["fpr"]["upper"] for point in points],
        "specificity_median": median,
        "specificity_upper": [1 - point["fpr"]["lower"] for point in points],
        "sensitivity_lower": [point["tpr"]["lower"] for point in points],
        "sensitivity_median": median,
        "sensitivity_upper": [point["tpr"]["upper"] for point in points],
        # A resampled rate is a multiple of one row.
        "step": 1 / min(used["label"].value_counts()["count"].to_list()),
    }


CHECKS: dict[str, Check] = {
    "pROC::coords": proc_coords,
    "bruteforce.best_thresholds": exact_best,
    "bruteforce.best_thresholds_weighted": exact_best,
    "OptimalCutpoints::optimal.cutpoints": cutpoints,
    "cutpointr::cutpointr": cutpoints,
    "coords_all ROCR::performance": rocr_points,
    "sklearn.metrics confusion-matrix metrics": sklearn_points,
    "boot_curve pROC::ci.se": rate_intervals,
    "boot_curve pROC::ci.sp": rate_intervals,
    "boot_curve pROC::ci.thresholds": threshold_intervals,
}
