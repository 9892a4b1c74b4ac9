"""Thresholds: the counts and rates at given ones, and the best one."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import polars as pl

import polars_auc as pa
from goldens.rows import Answers, Apart, Check, Record, answer, rows

TIE_LOST = Apart("one of several that are equally good; ours is higher, and lost to rounding there")

Merit = Callable[[int, int, int, int], Fraction]
"""How good a threshold is, from tp, fp and the numbers of positives and negatives."""


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
    """Return the lowest score that is not below each threshold, None above all scores."""
    scores: list[float] = used["score"].drop_nulls().unique().sort().to_list()
    at_or_above = (bisect.bisect_left(scores, threshold) for threshold in thresholds)
    return [scores[i] if i < len(scores) else None for i in at_or_above]


def midpoints(used: pl.DataFrame, theirs: Sequence[float], ours: Sequence[float | None]) -> list[float]:
    """Return thresholds as packages write them that put them midway between two scores.

    Ours is the higher of the two scores: theirs lies above the other and not above ours.
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
    given = record["arguments"].get("best.weights", {})
    return {"cost": given.get("cost_fn_over_fp", 1.0), "prevalence": given.get("prevalence", 0.5)}


def ratio_of(record: Record) -> float:
    cost, prevalence = map(float, weights_of(record).values())
    return (1 - prevalence) / (cost * prevalence)


def youden(ratio: Fraction = Fraction(1)) -> Merit:
    return lambda tp, fp, p, n: Fraction(tp, p) - ratio * Fraction(fp, n)


def closest(ratio: Fraction = Fraction(1)) -> Merit:
    return lambda tp, fp, p, n: -((1 - Fraction(tp, p)) ** 2) - ratio * Fraction(fp, n) ** 2


def is_best_of(used: pl.DataFrame, best: Answers, listed: Sequence[float], merit: Merit) -> bool:
    """Compare our best with all those listed, in fractions, and return whether it is one of them.

    It must be better than each, or as good and the highest score; calling nobody must be better.
    """

    def rank(tp: int, fp: int, threshold: float | None) -> tuple[Fraction, bool, float]:
        nobody = threshold is None
        return (
            merit(tp, fp, best["n_pos"], best["n_neg"]),
            not nobody,
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
        # 1 - 0.9 is a little off one tenth, which may be a corner of the curve.
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
    """Check that the corners of our convex hull are among them."""
    hull = answer(used, pa.roc_convex_hull("label", "score"))
    assert {point["threshold"] for point in hull[1:-1]} <= set(observed(used, theirs))


def best_threshold(used: pl.DataFrame, record: Record, theirs: list[float], ours: Answers) -> Any:
    criterion = record["arguments"]["best.method"].replace(".", "_")
    expression = pa.operating_point("label", "score", criterion=criterion, **weights_of(record))
    best = answer(used, expression)
    ratio = Fraction(ratio_of(record)).limit_denominator(10**6)
    merit = {"youden": youden, "closest_topleft": closest}[criterion](ratio)
    there = ours[record["arguments"]["best.method"]][0] - (ratio_of(record) if criterion == "youden" else 0)
    assert math.isclose(best["criterion"], there, rel_tol=1e-9, abs_tol=1e-12), record["id"]
    return theirs if is_best_of(used, best, theirs, merit) else TIE_LOST


def exact_best(frame: pl.DataFrame, record: Record) -> Answers:
    """Compare the best of all, by fractions from its counts, and that it is the highest of those listed."""
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


CHECKS: dict[str, Check] = {
    "pROC::coords": proc_coords,
    "bruteforce.best_thresholds": exact_best,
    "bruteforce.best_thresholds_weighted": exact_best,
}
