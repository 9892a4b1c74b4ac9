"""Thresholds: their entries of the catalogue."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import Any

import polars as pl

import polars_auc as pa
from catalogue.entry import COUNTS, HALF, Z_90, Entry, F, both, with_and_without_weights
from oracles import thresholds as oracles


def counted(mass: pl.DataType) -> dict[str, pl.DataType]:
    rates = dict.fromkeys(oracles.RATES, F)
    return {"threshold": F, **dict.fromkeys(("tp", "fp", "tn", "fn"), mass), **rates, **COUNTS}


def confusion(mass: pl.DataType) -> dict[str, pl.DataType]:
    rates = dict.fromkeys(oracles.CONFUSION, F)
    return {"threshold": F, **dict.fromkeys(("tp", "fp", "tn", "fn"), mass), **rates, **COUNTS}


CRITERIA: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("youden", {}, {}),
    ("youden", {"cost": 2.0, "prevalence": 0.3}, {"ratio": Fraction(7, 6)}),
    ("closest_topleft", {}, {}),
    ("closest_topleft", {"cost": 0.5}, {"ratio": Fraction(2)}),
    ("cost", {"cost": 2.0}, {"ratio": None, "cost": Fraction(2)}),
    ("max_f", {"beta": 2.0}, {"beta": Fraction(2)}),
    ("target_fpr", {"target": 0.25}, {"target": 0.25}),
    ("target_tpr", {"target": 0.6}, {"target": 0.6}),
    ("target_precision", {"target": 0.7}, {"target": 0.7}),
    ("top_p", {}, {}),
    ("youden", {"max_fpr": 0.5}, {"within": (0.0, 0.5)}),
    ("closest_topleft", {"min_fpr": 0.25}, {"within": (0.25, 1.0)}),
    (
        "cost",
        {"cost": 2.0, "min_fpr": 0.25, "max_fpr": 0.75},
        {"ratio": None, "cost": Fraction(2), "within": (0.25, 0.75)},
    ),
    ("max_f", {"min_fpr": 0.125, "max_fpr": 0.5}, {"within": (0.125, 0.5)}),
    ("target_tpr", {"target": 0.6, "max_fpr": 0.5}, {"target": 0.6, "within": (0.0, 0.5)}),
    ("target_precision", {"target": 0.5, "min_fpr": 0.25}, {"target": 0.5, "within": (0.25, 1.0)}),
]

THRESHOLDS = [
    *(
        entry
        for criterion, options, expected in CRITERIA
        for entry in both(
            "operating_point",
            pa.operating_point,
            functools.partial(oracles.operating_point, criterion=criterion, **expected),
            counted,
            criterion=criterion,
            **options,
        )
    ),
    *both(
        "confusion_at",
        functools.partial(pa.confusion_at, at=0.75, level=0.9, beta=0.5),
        functools.partial(oracles.confusion_at, at=0.75, z=Z_90, beta=HALF),
        confusion,
        by_value=True,
    ),
    *both(
        "confusion_at",
        functools.partial(pa.confusion_at, at=[0.75, -1.0, 5.0], level=0.9),
        functools.partial(oracles.confusions_at, at=[0.75, -1.0, 5.0], z=Z_90),
        confusion,
        by_value=True,
        is_list=True,
        variant="ConfusionsAt",
    ),
    *(
        Entry(
            name=name,
            make=functools.partial(make, n_resamples=9, level=0.9, interval=interval, **{arguments: at}),
            oracle=functools.partial(
                oracles.rate_at_rate,
                at=Fraction(str(at)),
                wanted=name[:3],
                interval=interval,
                level=0.9,
                n_resamples=9,
            ),
            fields={name[:3]: F, "se": F, "lower": F, "upper": F, **COUNTS},
            exact=False,
            columns=columns,
        )
        for name, function, arguments, at in (
            ("tpr_at_fpr", pa.tpr_at_fpr, "fpr", 0.3),
            ("tpr_at_fpr", pa.tpr_at_fpr, "fpr", 0.0),
            ("fpr_at_tpr", pa.fpr_at_tpr, "tpr", 0.8),
        )
        for make, columns in with_and_without_weights(function)
        for interval in ("wilson", "percentile")
    ),
    *(
        Entry(
            name=name,
            make=functools.partial(make, n_resamples=9, level=0.9, **{fixed: at}),
            oracle=functools.partial(
                oracles.rates_at_rates,
                at=at,
                wanted=name[:3],
                fixed=fixed,
                interval="wilson",
                level=0.9,
                n_resamples=9,
            ),
            fields={fixed: F, name[:3]: F, "se": F, "lower": F, "upper": F, **COUNTS},
            is_list=True,
            exact=False,
            columns=columns,
            variant=name.title().replace("_", "") + "s",
        )
        for name, function, fixed, at in (
            ("tpr_at_fpr", pa.tpr_at_fpr, "fpr", [0.3, 0.0, 0.3]),
            ("fpr_at_tpr", pa.fpr_at_tpr, "tpr", [0.8, 1.0]),
        )
        for make, columns in with_and_without_weights(function)
    ),
]
