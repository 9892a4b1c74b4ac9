"""Calibration: their entries of the catalogue."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import polars as pl

import polars_auc as pa
from catalogue.entry import COUNTS, Entry, F, N, both
from oracles import calibration as oracles
from oracles.rows import DIFFERENCE as NUMBERS

LOSS = dict.fromkeys(("se", "lower", "upper", "skill", "skill_se"), F)
PARTS = dict.fromkeys(("miscalibration", "discrimination", "uncertainty"), F)


def brier_score(_: pl.DataType) -> dict[str, pl.DataType]:
    return {"brier_score": F, **LOSS, **PARTS, **COUNTS}


def log_loss(mass: pl.DataType) -> dict[str, pl.DataType]:
    names = ("log_loss", "se", "lower", "upper", "normalized_entropy", "skill", "skill_se")
    return {**dict.fromkeys(names, F), **PARTS, "n_infinite": mass, **COUNTS}


def calibration_summary(mass: pl.DataType) -> dict[str, pl.DataType]:
    ends = ("", "_se", "_lower", "_upper")
    return {
        **dict.fromkeys(
            ("mean_score", "rate", *(f"observed_expected{end}" for end in ends if end != "_se")), F
        ),
        **{f"observed_minus_expected{end}": F for end in ends},
        "observed_expected_p_value": F,
        **{f"{name}{end}": F for name in oracles.ESTIMATES for end in ends},
        **dict.fromkeys(("spiegelhalter_z", "spiegelhalter_p_value", "hosmer_lemeshow"), F),
        "hosmer_lemeshow_df": N,
        **dict.fromkeys(("hosmer_lemeshow_p_value", "ici", "e50", "e90", "emax"), F),
        "n_certain": mass,
        **COUNTS,
    }


def calibration_curve(mass: pl.DataType) -> dict[str, pl.DataType]:
    rates = dict.fromkeys(("mean_score", "rate", "rate_lower", "rate_upper"), F)
    return {"bin": N, "lowest": F, "highest": F, "n": mass, "n_pos": mass, **rates}


def calibration_error(_: pl.DataType) -> dict[str, pl.DataType]:
    return {**dict.fromkeys(("ece", "mce", "rmsce", "rmsce_debiased"), F), "n_bins": N, **COUNTS}


GRADE: dict[str, pl.DataType] = {
    "score": F,
    "n": N,
    "n_pos": N,
    **dict.fromkeys(("expected", "rate", "rate_lower", "rate_upper"), F),
    **dict.fromkeys(("jeffreys_p_value", "binomial_p_value", "p_adjusted"), F),
}
ADJUSTMENTS: list[Any] = ["holm", "bonferroni", None]
BINS: list[dict[str, Any]] = [{}, {"bins": 3}, {"method": "uniform"}, {"edges": [0.25, 0.5, 0.75]}]
BANDS: list[tuple[Any, dict[str, Any]]] = [("confidence", {}), ("consistency", {"n_resamples": 9, "seed": 3})]


def _with_weight(function: Callable[..., pl.Expr]) -> Callable[..., pl.Expr]:
    def of(label: pl.Expr, a: pl.Expr, b: pl.Expr, weight: pl.Expr, **options: Any) -> pl.Expr:
        return function(label, a, b, weight=weight, **options)

    return of


DIFFERENCE = {**dict.fromkeys(NUMBERS, F), **COUNTS}

CALIBRATION = [
    # Scores of these are probabilities.
    *(
        replace(entry, columns=tuple("probability" if it == "score" else it for it in entry.columns))
        for name, function, oracle, fields in (
            ("brier_score", pa.brier_score, functools.partial(oracles.brier_score, level=0.9), brier_score),
            ("log_loss", pa.log_loss, functools.partial(oracles.log_loss, level=0.9), log_loss),
        )
        for entry in both(name, function, oracle, fields, by_value=True, exact=False, level=0.9)
    ),
    *(
        replace(entry, columns=tuple("probability" if it == "score" else it for it in entry.columns))
        for name, function, oracle, fields, is_list, variants in (
            (
                *("calibration_summary", pa.calibration_summary, oracles.calibration_summary),
                *(calibration_summary, False),
                [{"level": 0.9}, {"level": 0.8, "bins": 3, "fitted": True}],
            ),
            (
                *("calibration_curve", pa.calibration_curve, oracles.calibration_curve),
                *(calibration_curve, True),
                [{**options, "level": 0.9} for options in [*BINS, {"method": "isotonic"}]],
            ),
            (
                *("calibration_error", pa.calibration_error, oracles.calibration_error),
                *(calibration_error, False, BINS),
            ),
        )
        for options in variants
        for entry in both(
            name,
            function,
            functools.partial(oracle, **options),
            fields,
            is_list=is_list,
            by_value=True,
            exact=False,
            **options,
        )
    ),
    *(
        Entry(
            "calibration_curve",
            functools.partial(pa.calibration_curve, method="isotonic", band=band, level=0.9, **options),
            functools.partial(
                oracles.calibration_curve, method="isotonic", band=band, level=0.9, weighted=False
            ),
            calibration_curve(N),
            is_list=True,
            columns=("label", "probability"),
            by_value=True,
            exact=False,
        )
        for band, options in BANDS
    ),
    *(
        Entry(
            "calibration_by_grade",
            functools.partial(pa.calibration_by_grade, level=0.9, adjust=adjust),
            functools.partial(oracles.calibration_by_grade, level=0.9, adjust=adjust),
            GRADE,
            is_list=True,
            columns=("label", "grade"),
            by_value=True,
            exact=False,
        )
        for adjust in ADJUSTMENTS
    ),
    *(
        Entry(
            name,
            functools.partial(make, level=0.9),
            functools.partial(oracle, level=0.9),
            DIFFERENCE,
            columns=("label", "probability", "other_probability", *columns[2:]),
            by_value=True,
            exact=False,
        )
        for name, function, oracle in (
            ("brier_score_difference", pa.brier_score_difference, oracles.brier_score_difference),
            ("log_loss_difference", pa.log_loss_difference, oracles.log_loss_difference),
        )
        for make, columns in (
            (function, ("label", "score")),
            (_with_weight(function), ("label", "score", "weight")),
        )
    ),
]
