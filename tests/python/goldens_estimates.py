"""Areas, curves and distances: what the records of one score say without any inference."""

from __future__ import annotations

import math

import polars as pl

import polars_auc as pa
from goldens_rows import Answers, Apart, Check, Record, answer, pairs, rows

# R 4.2 cuts Kolmogorov's series after too few terms where sqrt(P N / (P + N)) D lies a little below 1: its
# p-values are off by 3e-6 to 3e-5 there, against scipy.stats.kstwobign, which test_laws holds ours against.
R_SERIES_CUT_SHORT = {"lung.ks.R008", "mtcars.ks.R014", "sleep.ks.R002"}

REPEATED = Apart("an argument, repeated")
JACKKNIFE = Apart("the infinitesimal jackknife, a variance that is not here")


def proc_auc(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record)
    ci = answer(used, pa.roc_auc_ci("label", "score"))
    missing = used.height - ci["n_pos"] - ci["n_neg"]
    return {"auc": ci["auc"], "n_pos": ci["n_pos"], "n_neg": ci["n_neg"], "n_missing": missing}


def _curve(frame: pl.DataFrame, record: Record) -> pl.DataFrame:
    curve = pa.roc_curve("label", "score").alias("curve")
    points = rows(frame, record).select(curve).explode("curve").unnest("curve")
    return points.with_columns(pl.col("threshold").fill_null(math.inf))


def proc_roc(frame: pl.DataFrame, record: Record) -> Answers:
    upwards = _curve(frame, record).reverse()
    return {
        **proc_auc(frame, record),
        "sensitivities": upwards["tpr"].to_list(),
        "specificities": (1 - upwards["fpr"]).to_list(),
        "thresholds": Apart("midpoints between scores; ours are scores"),
    }


def somers(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record)
    n = used.drop_nulls().height
    return {
        "C": answer(used, pa.roc_auc("label", "score")),
        "Dxy": answer(used, pa.gini("label", "score")),
        "n": n,
        "Missing": used.height - n,
    }


def concordance(frame: pl.DataFrame, record: Record) -> Answers:
    if "score1" in record["arguments"]:
        both = pairs(frame, record).drop_nulls()
        c1, c2 = (answer(both, pa.roc_auc("label", score)) for score in "ab")
        return {"c1": c1, "c2": c2, "cov_infinitesimal_jackknife": JACKKNIFE, "z": JACKKNIFE}
    used = rows(frame, record)
    test = answer(used, pa.rank_agreement(pl.col("label").cast(pl.Int8), "score"))
    counts = {
        "concordant": test["concordant"],
        "discordant": test["discordant"],
        "tied.x": test["tied_y"],
        "tied.y": test["tied_x"],
        "tied.xy": test["tied_both"],
    }
    variances = ("var", "cvar", "var_infinitesimal_jackknife", "var_robust_cluster")
    jackknives = dict.fromkeys(variances, JACKKNIFE)
    return {"concordance": answer(used, pa.roc_auc("label", "score")), "counts": counts, **jackknives}


def pair_counts(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record).drop_nulls()
    u = answer(used, pa.mann_whitney_u("label", "score"))
    counts = answer(used, pa.rank_agreement(pl.col("label").cast(pl.Int8), "score"))
    defined = u["n_pos"] > 0 and u["n_neg"] > 0
    won = counts["concordant"] + counts["tied_y"] / 2
    assert u["u_statistic"] == (won if defined else None), record["id"]
    return {
        "n_pos": u["n_pos"],
        "n_neg": u["n_neg"],
        "pairs_pos_greater": counts["concordant"],
        "pairs_tied": counts["tied_y"],
        "pairs_pos_smaller": counts["discordant"],
        "auc": u["auc"],
    }


def sklearn_auc(frame: pl.DataFrame, record: Record) -> Answers:
    used = rows(frame, record)
    auc, gini = (answer(used, make("label", "score")) for make in (pa.roc_auc, pa.gini))
    return {"auc": auc, "gini_2auc_minus_1": gini}


def sklearn_curve(frame: pl.DataFrame, record: Record) -> Answers:
    points = _curve(frame, record)
    columns = {
        "fpr": points["fpr"].to_list(),
        "tpr": points["tpr"].to_list(),
        "thresholds": points["threshold"].to_list(),
    }
    result = record["result"]
    sums = {key: math.fsum(columns[key.removeprefix("sum_")]) for key in result if key.startswith("sum_")}
    ends = {
        key: {name: values[part] for name, values in columns.items()}
        for key, part in (("first_20", slice(20)), ("last_5", slice(-5, None)))
        if key in result
    }
    return {**columns, **sums, **ends, "n_points": points.height}


def sklearn_average_precision(frame: pl.DataFrame, record: Record) -> Answers:
    summary = answer(rows(frame, record), pa.roc_summary("label", "score"))
    return {
        "average_precision": summary["average_precision"],
        "prevalence": summary["n_pos"] / (summary["n_pos"] + summary["n_neg"]),
    }


def ks(frame: pl.DataFrame, record: Record) -> Answers:
    test = answer(rows(frame, record), pa.ks_statistic("label", "score"))
    p: float | Apart = test["p_value"]
    if record["function"].startswith("scipy"):
        p = Apart("scipy's distribution is for so many rows; ours is the limit")
    elif record["id"] in R_SERIES_CUT_SHORT:
        p = Apart("R cuts a series short")
    return {
        "statistic": test["ks"],
        "p_value": p,
        "statistic_location": Apart("the score below the cut; ours is the one above"),
        "statistic_sign": Apart("which distribution lies above, no field of ours"),
    }


CHECKS: dict[str, Check] = {
    "pROC::auc": proc_auc,
    "pROC::roc": proc_roc,
    "bruteforce.pair_counts": pair_counts,
    "Hmisc::somers2": somers,
    "survival::concordance": concordance,
    "stats::ks.test": ks,
    "scipy.stats.ks_2samp": ks,
    "sklearn.metrics.roc_auc_score": sklearn_auc,
    "sklearn.metrics.roc_curve": sklearn_curve,
    "sklearn.metrics.average_precision_score": sklearn_average_precision,
}
