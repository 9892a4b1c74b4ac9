"""Thresholds of packages that list the best by many criteria, and measures of every threshold."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import polars as pl

import polars_auc as pa
from goldens.points import TIE_LOST, Merit, at, closest, is_best_of, less_1, numbers, observed, youden
from goldens.rows import Answers, Apart, Check, Record, answer, rows, running_on

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
"""Methods of OptimalCutpoints and metrics of cutpointr as criteria of ours.

Where both errors cost the same and the prevalence is the group's, the fewest wrong calls cost least, and are
the most accurate.
"""


def cutpoints(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record)
    arguments, result = record["arguments"], record["result"]
    method = arguments.get("methods", arguments.get("metric"))
    listed = numbers(result["cutoff" if "cutoff" in result else "cutpoint"])
    ours = at(used, listed)
    auc = answer(used, pa.roc_auc_ci("label", "score"))
    auc_ci = [auc["auc"], auc["lower"]]
    if "methods" in arguments:
        auc_ci.append(running_on(auc["upper"], result["auc"][2]))
    cutoff: Any = NO_CRITERION
    value: Any = NO_CRITERION
    if method in CRITERIA:
        options, merit = CRITERIA[method]
        best = answer(used, pa.operating_point("label", "score", **options))
        nobody = best["threshold"] is None
        cutoff = NOBODY if nobody else listed if is_best_of(used, best, listed, merit) else TIE_LOST
        value = {
            "sum_sens_spec": best["criterion"] + 1,
            "MaxEfficiency": best["accuracy"],
            "accuracy": best["accuracy"],
            "CB": Apart("the ratio r of costs and prevalence, an argument here"),
        }.get(method, best["criterion"])
        value = NOBODY if nobody else value
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
    # Where no row is called positive, ROCR has no precision and no F. Our F is 2 tp / (2 tp + fp + fn), so 0.
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
    # sklearn has 0 for 0 / 0, where every row is called positive.
    columns["mcc"] = [
        0.0 if negative == 0 else mcc for mcc, negative in zip(ours["mcc"], called_negative, strict=True)
    ]
    # This rate is not in our record, but it follows from the F measure.
    columns["jaccard"] = [f / (2 - f) for f in ours["f"]]
    return {"rows": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]}


CHECKS: dict[str, Check] = {
    "OptimalCutpoints::optimal.cutpoints": cutpoints,
    "cutpointr::cutpointr": cutpoints,
    "coords_all ROCR::performance": rocr_points,
    "sklearn.metrics confusion-matrix metrics": sklearn_points,
}
