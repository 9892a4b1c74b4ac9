"""Power, and required sample sizes."""

from __future__ import annotations

from typing import Any

import polars as pl

import polars_auc as pa
from goldens.intervals import BINORMAL
from goldens.rows import REPEATED, Answers, Apart, Check, Record, answer, rows, side

FIRST_SCORE_VARIANCE = Apart(
    "pROC takes the variance of the first score for both, so that their order matters"
)


def proc_power(frame: pl.DataFrame, record: Record) -> Answers | Apart:
    arguments = record["arguments"]
    alpha = arguments["sig.level"]
    repeated = {"sig_level": REPEATED}
    if "score1" in arguments:
        return BINORMAL if arguments["method"] != "delong" else FIRST_SCORE_VARIANCE
    if "one_curve" in arguments:
        ci = answer(rows(frame, record), pa.roc_auc_ci("label", "score", method="delong"))
        auc, n_pos, n_neg = ci["auc"], ci["n_pos"], ci["n_neg"]
        sizes = {"ncases": n_pos, "ncontrols": n_neg, "auc": auc}
    elif "auc" not in arguments or alpha is None:
        return _solved(arguments, repeated)
    elif "ncases" in arguments:
        auc, n_pos, n_neg = arguments["auc"], arguments["ncases"], arguments["ncontrols"]
        sizes = dict.fromkeys(("ncases", "ncontrols", "auc"), REPEATED)
    else:
        return (
            _sizes(arguments, side(arguments), alpha)
            | repeated
            | {
                "auc": REPEATED,
                "power": REPEATED,
            }
        )
    power = pa.roc_auc_power(
        pl.lit(auc), pl.lit(n_pos), pl.lit(n_neg), alternative=side(arguments), alpha=alpha
    )
    return {**sizes, **repeated, "power": pl.select(power).item()}


def _solved(arguments: Record, repeated: dict[str, Any]) -> Answers:
    """Return the AUC or the level that the record omits."""
    left_out = pa.roc_auc_power(
        arguments.get("auc"),
        arguments["ncases"],
        arguments["ncontrols"],
        power=arguments["power"],
        alternative=side(arguments),
        alpha=arguments["sig.level"],
    )
    reasons = dict.fromkeys(("ncases", "ncontrols", "power"), REPEATED)
    if "auc" in arguments:
        return {**reasons, "auc": REPEATED, "sig_level": left_out}
    return {**reasons, **repeated, "auc": left_out}


def _sizes(arguments: Record, alternative: Any, alpha: float) -> Answers:
    size = pa.roc_auc_sample_size(
        pl.lit(arguments["auc"]).alias("size"),
        power=arguments["power"],
        ratio=arguments["kappa"],
        alternative=alternative,
        alpha=alpha,
    )
    n_pos, n_neg = pl.select(size).unnest("size").select("n_pos", "n_neg").row(0)
    return {"ncases": n_pos, "ncontrols": n_neg}


def formula_power(_: pl.DataFrame, record: Record) -> Answers:
    arguments = record["arguments"]
    auc, n_pos, n_neg = (pl.lit(arguments[name]) for name in ("auc", "ncases", "ncontrols"))
    # One tail of this level is half of a two-sided test of twice the level.
    power = pa.roc_auc_power(auc, n_pos, n_neg, alpha=2 * arguments["alpha_one_tail"])
    return {"power": pl.select(power).item()}


def formula_sizes(_: pl.DataFrame, record: Record) -> Answers:
    return _sizes(record["arguments"], "greater", record["arguments"]["alpha_one_tail"])


CHECKS: dict[str, Check] = {
    "pROC::power.roc.test": proc_power,
    "formula.one_curve_power": formula_power,
    "formula.one_curve_sample_size": formula_sizes,
}
