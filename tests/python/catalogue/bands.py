"""Bands about curves: their entries of the catalogue."""

from __future__ import annotations

import functools
from typing import Any

import polars as pl

import polars_auc as pa
from catalogue.entry import Entry, F
from oracles import bands as oracles

RATES = ("fpr", "tpr", "lower_fpr", "lower_tpr", "upper_fpr", "upper_tpr")
BAND = dict.fromkeys(("at", "threshold", *RATES), F)
BAND_OPTIONS: dict[str, Any] = {"n_points": 5, "n_resamples": 9, "seed": 3, "level": 0.8}

METHODS: list[dict[str, Any]] = [
    {"method": "likelihood", **BAND_OPTIONS},
    {"method": "vertical", **BAND_OPTIONS},
    {"method": "vertical", "distribution": "normal", **BAND_OPTIONS},
    {"method": "vertical", "distribution": "binomial", "resample": "plain", **BAND_OPTIONS},
    {"method": "threshold", "distribution": "normal", **BAND_OPTIONS},
    {"method": "threshold_box", "resample": "plain", **BAND_OPTIONS},
    {"method": "radial", "distribution": "normal", **BAND_OPTIONS},
    {"method": "optimized_radial", **BAND_OPTIONS},
    {"method": "threshold_ellipse", **BAND_OPTIONS},
    {"method": "central_region", "resample": "plain", **BAND_OPTIONS},
    {"method": "envelope", **BAND_OPTIONS},
    {"method": "smoothed_bootstrap", **BAND_OPTIONS},
    {"method": "regional", "max_fpr": 0.5, **BAND_OPTIONS},
    {"method": "order_statistics", "n_points": 6, "level": 0.8},
    {"method": "fixed_width", "n_points": 6},
    {"method": "working_hotelling", "n_points": 6},
]

BANDS_OF_FOLDS: list[dict[str, Any]] = [
    {"method": "vertical", "n_points": 5},
    {"method": "threshold_box", "distribution": "normal", "n_points": 4},
    {"method": "threshold_ellipse", "n_points": 4, "level": 0.8},
    {"method": "optimized_radial", "n_points": 5, "level": 0.5},
    {"method": "central_region", "n_points": 5, "level": 0.5},
]


def _band_of_folds(label: pl.Expr, score: pl.Expr, key: pl.Expr, **options: Any) -> pl.Expr:
    return pa.roc_band(label, score, fold=key, **options)


DIFFERENCE_BAND = dict.fromkeys(("fpr", "tpr_a", "tpr_b", "difference", "lower", "upper", "p_value"), F)


def _difference_band_of_clusters(
    label: pl.Expr, a: pl.Expr, b: pl.Expr, key: pl.Expr, **options: Any
) -> pl.Expr:
    return pa.roc_difference_band(label, a, b, cluster=key, **BAND_OPTIONS, **options)


BANDS = [
    *(
        Entry(
            name="roc_band",
            make=functools.partial(pa.roc_band, **options),
            oracle=functools.partial(oracles.roc_band, **options),
            fields=BAND,
            is_list=True,
            exact=False,
            by_value=options["method"] == "working_hotelling",
        )
        for options in METHODS
    ),
    *(
        Entry(
            name="roc_band",
            make=functools.partial(_band_of_folds, **options),
            oracle=functools.partial(oracles.roc_band_of_folds, **options),
            fields=BAND,
            is_list=True,
            columns=("label", "score", "key"),
            variant="RocBandOfFolds",
            exact=False,
        )
        for options in BANDS_OF_FOLDS
    ),
    Entry(
        name="roc_difference_band",
        make=functools.partial(pa.roc_difference_band, **BAND_OPTIONS),
        oracle=functools.partial(oracles.roc_difference_band, **BAND_OPTIONS),
        fields=DIFFERENCE_BAND,
        is_list=True,
        columns=("label", "score", "other"),
        exact=False,
    ),
    Entry(
        name="roc_difference_band",
        make=_difference_band_of_clusters,
        oracle=functools.partial(oracles.roc_difference_band, **BAND_OPTIONS, clustered=True),
        fields=DIFFERENCE_BAND,
        is_list=True,
        columns=("label", "score", "other", "key"),
        exact=False,
    ),
]
