"""What R and Python packages say of the same data, record by record.

Each record either is checked by the function listed in ``CHECKS`` or stands in ``NOT_HERE`` with the
reason; a record of any other function fails.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import polars_auc as pa

SHIPPED = Path(__file__).parents[1] / "goldens"
FOLDERS = [SHIPPED, *(Path(folder) for folder in [os.environ.get("POLARS_AUC_GOLDENS")] if folder)]
KINDS = ("auc", "delong", "mwu", "ks", "roc_points", "pr", "edge")

Record = dict[str, Any]
Answers = dict[str, Any]

NOT_HERE = {
    "Hmisc::rcorr.cens": "ties in the score are treated by an option of its own",
    "formula: Hanley-McNeil 1982 SE": "another interval method",
    "formula: logit DeLong CI": "another interval method",
    "formula: z test of AUC = 0.5 (DeLong SE)": "a test that is no field of a record",
    "pROC::cov": "compares two scores",
    "pROC::roc.test": "compares two scores",
    "pROC::coords": "an operating point",
    "bruteforce.exact_permutation_ks": "exact; the p-value here is asymptotic",
    "formula: median of all pairwise differences": "a shift, not a test",
    "scipy.stats.ttest_ind": "another test, recorded for comparison",
    "scipy.stats.brunnermunzel": "another test",
    "sklearn.metrics.precision_recall_curve": "a curve that is not here",
    "sklearn.metrics.brier_score_loss/log_loss": "calibration, not ranking",
    "ROCR::performance": "the trapezoid under the precision-recall curve; ours is the step sum",
    "sklearn.metrics.det_curve": "another curve",
}

# R 4.2 cuts Kolmogorov's series after too few terms where sqrt(P N / (P + N)) D lies a little below 1: its
# p-values are off by 3e-6 to 3e-5 there, against scipy.stats.kstwobign, which test_laws holds ours against.
R_SERIES_CUT_SHORT = {"lung.ks.R008", "mtcars.ks.R014", "sleep.ks.R002"}


def only(frame: pl.DataFrame, record: Record, *, drop_nan: bool) -> pl.DataFrame:
    """The rows that a record is about, as label and score."""
    arguments = record["arguments"]
    if "subcase" in arguments:
        frame = frame.filter(pl.col("subcase") == arguments["subcase"])
    sign = -1 if arguments.get("direction") == ">" else 1
    score = pl.col(arguments["score"]) * (sign * arguments.get("sign", 1))
    return frame.select(
        (pl.col("label") == arguments["positive"]).alias("label"),
        (score.fill_nan(None) if drop_nan else score).alias("score"),
    )


def answer(frame: pl.DataFrame, expression: pl.Expr) -> Any:
    return frame.select(expression).to_series().to_list()[0]


def wilcoxon(frame: pl.DataFrame, arguments: Record, correct: bool) -> Answers:
    alternative = arguments.get("alternative", "two-sided").replace(".", "-")
    test = answer(frame, pa.mann_whitney_u("label", "score", alternative=alternative, continuity=correct))
    return {"statistic": test["u_statistic"], "p_value": test["p_value"]}


def curve(frame: pl.DataFrame) -> pl.DataFrame:
    points = frame.select(pa.roc_curve("label", "score").alias("curve")).explode("curve").unnest("curve")
    return points.with_columns(pl.col("threshold").fill_null(math.inf))


def proc_auc(frame: pl.DataFrame, _: Record) -> Answers:
    ci = answer(frame, pa.roc_auc_ci("label", "score"))
    return {
        "auc": ci["auc"],
        "n_pos": ci["n_pos"],
        "n_neg": ci["n_neg"],
        "n_missing": frame.height - ci["n_pos"] - ci["n_neg"],
    }


def proc_roc(frame: pl.DataFrame, record: Record) -> Answers:
    upwards = curve(frame).reverse()
    rates = {"sensitivities": upwards["tpr"].to_list(), "specificities": (1 - upwards["fpr"]).to_list()}
    return {**proc_auc(frame, record), **rates}


def proc_ci(frame: pl.DataFrame, record: Record) -> Answers:
    ci = answer(frame, pa.roc_auc_ci("label", "score", level=record["arguments"]["conf.level"]))
    # pROC blanks the estimate too where there is no interval.
    return {"lower": ci["lower"], "upper": ci["upper"], "auc": ci["auc"] if ci["lower"] is not None else None}


def proc_var(frame: pl.DataFrame, _: Record) -> Answers:
    ci = answer(frame, pa.roc_auc_ci("label", "score"))
    return {"auc": ci["auc"], "se": ci["se"], "variance": None if ci["se"] is None else ci["se"] ** 2}


def somers(frame: pl.DataFrame, _: Record) -> Answers:
    n = answer(frame.drop_nulls(), pl.len())
    return {
        "C": answer(frame, pa.roc_auc("label", "score")),
        "Dxy": answer(frame, pa.gini("label", "score")),
        "n": n,
        "Missing": frame.height - n,
    }


def concordance(frame: pl.DataFrame, _: Record) -> Answers:
    return {"concordance": answer(frame, pa.roc_auc("label", "score"))}


def pair_counts(frame: pl.DataFrame, record: Record) -> Answers:
    u = answer(frame, pa.mann_whitney_u("label", "score"))
    expected = record["result"]
    won = expected["pairs_pos_greater"] + expected["pairs_tied"] / 2
    assert u["u_statistic"] == (won if u["n_pos"] and u["n_neg"] else None)
    auc = expected.get("auc")
    assert u["auc"] == (auc["num"] / auc["den"] if isinstance(auc, dict) else None)
    return {"n_pos": u["n_pos"], "n_neg": u["n_neg"]}


def sklearn_auc(frame: pl.DataFrame, _: Record) -> Answers:
    auc, gini = (answer(frame, make("label", "score")) for make in (pa.roc_auc, pa.gini))
    return {"auc": auc, "gini_2auc_minus_1": gini}


def sklearn_curve(frame: pl.DataFrame, record: Record) -> Answers:
    points = curve(frame)
    columns = {
        "fpr": points["fpr"].to_list(),
        "tpr": points["tpr"].to_list(),
        "thresholds": points["threshold"].to_list(),
    }
    result = record["result"]
    sums = {key: math.fsum(columns[key.removeprefix("sum_")]) for key in result if key.startswith("sum_")}
    ends = {
        key: {name: values[:20] for name, values in columns.items()} for key in result if key == "first_20"
    }
    return {**columns, **sums, **ends, "n_points": points.height}


def sklearn_average_precision(frame: pl.DataFrame, _: Record) -> Answers:
    summary = answer(frame, pa.roc_summary("label", "score"))
    return {
        "average_precision": summary["average_precision"],
        "prevalence": summary["n_pos"] / (summary["n_pos"] + summary["n_neg"]),
    }


CHECKS: dict[str, Callable[[pl.DataFrame, Record], Answers]] = {
    "pROC::auc": proc_auc,
    "pROC::roc": proc_roc,
    "pROC::ci.auc": proc_ci,
    "pROC::var": proc_var,
    "bruteforce.delong": proc_var,
    "bruteforce.delong_midranks": proc_var,
    "bruteforce.pair_counts": pair_counts,
    "Hmisc::somers2": somers,
    "survival::concordance": concordance,
    "stats::wilcox.test": lambda frame, record: wilcoxon(
        frame, record["arguments"], record["arguments"].get("correct", True)
    ),
    "scipy.stats.mannwhitneyu": lambda frame, record: wilcoxon(
        frame, record["arguments"], record["arguments"].get("use_continuity", True)
    ),
    "stats::ks.test": lambda frame, _: _ks(frame),
    "scipy.stats.ks_2samp": lambda frame, _: _ks(frame, ("statistic",)),
    "sklearn.metrics.roc_auc_score": sklearn_auc,
    "sklearn.metrics.roc_curve": sklearn_curve,
    "sklearn.metrics.average_precision_score": sklearn_average_precision,
}


def _ks(frame: pl.DataFrame, names: tuple[str, ...] = ("statistic", "p_value")) -> Answers:
    ks = answer(frame, pa.ks_statistic("label", "score"))
    return {name: ks[{"statistic": "ks", "p_value": "p_value"}[name]] for name in names}


def convention(record: Record) -> str | None:
    """Why a record of a checked function is about something else."""
    function, arguments = record["function"], record["arguments"]
    if record.get("error") is not None or "returned" in (record["result"] or {}):
        return "the package refuses this input"
    if arguments.get("exact") is True or arguments.get("method") == "exact":
        return "exact p-value; ours is asymptotic"
    if function.startswith("pROC") and arguments.get("method", "delong") != "delong":
        return "another variance"
    if arguments.get("direction") == "auto":
        return "a direction picked from the data"
    if "weight" in arguments or "sample_weight" in arguments:
        return "weighted"
    if "ks" in function and arguments.get("alternative", "two-sided") not in ("two-sided", "two.sided"):
        return "one-sided distance"
    if arguments.get("drop_intermediate"):
        return "collinear points dropped"
    if function == "sklearn.metrics.roc_curve" and arguments.get("subcase") == "single_class_pos":
        return "half a curve, with NaN; ours is null"
    if function.endswith("average_precision_score") and "single_class" in arguments.get("subcase", ""):
        return "0 or 1 for a single class; ours is null"
    return None


def records() -> Iterator[tuple[Path, Record]]:
    for folder in FOLDERS:
        for path in sorted((folder / "values").glob("*.json")):
            told = json.loads(path.read_text())
            if told["kind"] in KINDS:
                for record in told["records"]:
                    yield folder / "data" / f"{told['case']}.parquet", record


def close(got: Any, expected: Any, tolerance: Record, name: str) -> bool:
    if isinstance(expected, list):
        return len(got) == len(expected) and all(
            close(*pair, tolerance, name) for pair in zip(got, expected, strict=True)
        )
    if isinstance(expected, dict):
        return all(close(got[key], expected[key], tolerance, key) for key in expected)
    if expected is None or expected == "nan":
        return got is None or math.isnan(got)
    expected = float(expected)
    if got is None or math.isinf(expected):
        return bool(got == expected)
    absolute = tolerance.get("abs_p", 0.0) if name == "p_value" else tolerance.get("abs", 0.0)
    # A record about an interval states a tolerance for its limits only: 1e-9 is what all others state.
    return bool(abs(got - expected) <= max(absolute, tolerance.get("rel", 1e-9) * abs(expected)))


def check(data: Path, record: Record) -> str | None:
    """Compare, or say why not."""
    function = record["function"]
    if function not in CHECKS:
        return NOT_HERE[function]
    reason = convention(record)
    if reason is not None:
        return reason
    # sklearn and scipy refuse or propagate NaN, as we do; the others drop such rows, as fill_nan(None) does.
    frame = only(pl.read_parquet(data), record, drop_nan=not function.startswith(("sklearn", "scipy")))
    got = CHECKS[function](frame, record)
    compared = {key: value for key, value in record["result"].items() if key in got}
    if "thresholds" in compared and function.startswith("pROC"):
        del compared["thresholds"]  # midpoints there, scores here
    if record["id"] in R_SERIES_CUT_SHORT:
        del compared["p_value"]
    assert compared or function == "bruteforce.pair_counts"
    for name, expected in compared.items():
        assert close(got[name], expected, record["tolerance"], name), (
            record["id"],
            name,
            got[name],
            expected,
        )
    return None


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_goldens(folder: Path) -> None:
    reasons: Counter[str] = Counter()
    for data, record in records():
        if data.is_relative_to(folder):
            reasons[check(data, record) or "agrees"] += 1
    print("\n".join(f"{count:5} {reason}" for reason, count in reasons.most_common()))
    assert reasons["agrees"] >= 150, "the goldens are there, and most of them apply"
