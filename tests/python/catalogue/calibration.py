"""Calibration: their entries of the catalogue."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import polars as pl

import polars_auc as pa
from catalogue.entry import COUNTS, Entry, F, both
from oracles import calibration as oracles
from oracles.rows import DIFFERENCE as NUMBERS

LOSS = dict.fromkeys(("se", "lower", "upper", "skill", "skill_se"), F)
PARTS = dict.fromkeys(("miscalibration", "discrimination", "uncertainty"), F)


def brier_score(_: pl.DataType) -> dict[str, pl.DataType]:
    return {"brier_score": F, **LOSS, **PARTS, **COUNTS}


def log_loss(mass: pl.DataType) -> dict[str, pl.DataType]:
    names = ("log_loss", "se", "lower", "upper", "normalized_entropy", "skill", "skill_se")
    return {**dict.fromkeys(names, F), **PARTS, "n_infinite": mass, **COUNTS}


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
