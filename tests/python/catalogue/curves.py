"""The catalogue's entries of curves, tables and fitted curves: what an ``Entry`` is made of."""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import polars as pl

import polars_auc as pa
from catalogue.entry import COUNTS, Entry, F, N
from catalogue.points import WEIGHTED
from oracles import bands, difference_bands
from oracles import curves as oracles

GAINS = {"band": N, "highest": F, "lowest": F, "n": N, **COUNTS, "rate": F}
GAINS |= {"cum_n": N, "cum_pos": N, "cum_neg": N}
GAINS |= dict.fromkeys(("gain", "cum_fpr", "lift", "cum_lift", "ks"), F)

STABILITY = {"psi": F, "p_value": F, "n_bands": N, **COUNTS}
STABILITIES: list[dict[str, Any]] = [
    {"bands": 3},
    {"empty_share": 0.0001},
    {"edges": [-1.5, 0.0, 1.5], "empty_share": 0.01},
]


def with_and_without_weights(
    function: Callable[..., pl.Expr],
) -> list[tuple[Callable[..., pl.Expr], tuple[str, ...]]]:
    """The function of labels and scores, and of weights besides, each with the columns that it takes."""

    def of_weights(label: pl.Expr, score: pl.Expr, weight: pl.Expr, **options: Any) -> pl.Expr:
        return function(label, score, weight=weight, **options)

    return [(function, ("label", "score")), (of_weights, WEIGHTED)]


RATES = ("fpr", "tpr", "lower_fpr", "lower_tpr", "upper_fpr", "upper_tpr")
BAND = dict.fromkeys(("at", "threshold", *RATES), F)
DRAWN: dict[str, Any] = {"points": 5, "n_resamples": 9, "seed": 3, "level": 0.8}
BANDS: list[dict[str, Any]] = [
    {"method": "likelihood", **DRAWN},
    {"method": "vertical", **DRAWN},
    {"method": "vertical", "distribution": "normal", **DRAWN},
    {"method": "vertical", "distribution": "binomial", "resample": "plain", **DRAWN},
    {"method": "threshold", "distribution": "normal", **DRAWN},
    {"method": "threshold_box", "resample": "plain", **DRAWN},
    {"method": "radial", "distribution": "normal", **DRAWN},
    {"method": "optimized_radial", **DRAWN},
    {"method": "threshold_ellipse", **DRAWN},
    {"method": "central_region", "resample": "plain", **DRAWN},
    {"method": "envelope", **DRAWN},
    {"method": "smoothed_bootstrap", **DRAWN},
    {"method": "regional", "max_fpr": 0.5, **DRAWN},
    {"method": "order_statistics", "points": 6, "level": 0.8},
    {"method": "fixed_width", "points": 6},
    {"method": "working_hotelling", "points": 6},
]
BANDS_OF_FOLDS: list[dict[str, Any]] = [
    {"method": "vertical", "points": 5},
    {"method": "threshold_box", "distribution": "normal", "points": 4},
    {"method": "threshold_ellipse", "points": 4, "level": 0.8},
    {"method": "optimized_radial", "points": 5, "level": 0.5},
    {"method": "central_region", "points": 5, "level": 0.5},
]


def _band_of_folds(label: pl.Expr, score: pl.Expr, key: pl.Expr, **options: Any) -> pl.Expr:
    return pa.roc_band(label, score, fold=key, **options)


DIFFERENCE_BAND = dict.fromkeys(("fpr", "tpr_a", "tpr_b", "difference", "lower", "upper", "p_value"), F)


def _difference_band_of_clusters(
    label: pl.Expr, a: pl.Expr, b: pl.Expr, key: pl.Expr, **options: Any
) -> pl.Expr:
    return pa.roc_difference_band(label, a, b, cluster=key, **DRAWN, **options)


CURVES = [
    Entry(
        name="mean_positive_rank",
        make=pa.mean_positive_rank,
        oracle=oracles.mean_positive_rank,
    ),
    Entry(
        name="det_curve",
        make=pa.det_curve,
        oracle=oracles.det_curve,
        fields={"threshold": F, "fp": N, "fn": N, "fpr": F, "fnr": F},
        is_list=True,
    ),
    Entry(
        name="cap_curve",
        make=pa.cap_curve,
        oracle=oracles.cap_curve,
        fields={"threshold": F, "n": N, "tp": N, "population": F, "captured": F},
        is_list=True,
    ),
    *(
        Entry(
            name="gains_table",
            make=functools.partial(pa.gains_table, bands=bands),
            oracle=functools.partial(oracles.gains_table, bands=bands),
            fields=GAINS,
            is_list=True,
        )
        for bands in (3, 10)
    ),
    Entry(
        name="gains_table",
        make=functools.partial(pa.gains_table, edges=[-1.5, 0, 1.5]),
        oracle=functools.partial(oracles.gains_table, bands=4, edges=(-1.5, 0.0, 1.5)),
        fields=GAINS,
        is_list=True,
        by_value=True,
    ),
    *(
        Entry(
            name="population_stability",
            make=functools.partial(pa.population_stability, **options),
            oracle=functools.partial(oracles.population_stability, **{"bands": 10, **options}),
            fields=STABILITY,
            by_value="edges" in options,
            exact=False,
        )
        for options in STABILITIES
    ),
    *(
        Entry(
            name="roc_binormal",
            make=functools.partial(make, method=method),
            oracle=oracle,
            fields={"auc": F, "intercept": F, "slope": F, **COUNTS},
            exact=False,
            by_value=method == "moments",
            columns=columns,
        )
        for method, oracle in (
            ("least_squares", oracles.roc_binormal),
            ("moments", oracles.roc_binormal_moments),
        )
        for make, columns in with_and_without_weights(pa.roc_binormal)
    ),
    *(
        Entry(
            name="binormal_curve",
            make=functools.partial(make, **options),
            oracle=functools.partial(oracles.binormal_curve, at_fpr=at_fpr),
            fields={"fpr": F, "tpr": F},
            is_list=True,
            exact=False,
            columns=columns,
        )
        for options, at_fpr in (
            ({"at_fpr": [0.1, 0.01, 0.9]}, (0.1, 0.01, 0.9)),
            ({"n_points": 5}, (0.0, 0.25, 0.5, 0.75, 1.0)),
        )
        for make, columns in with_and_without_weights(pa.binormal_curve)
    ),
    *(
        Entry(
            name=name,
            make=functools.partial(make, n_resamples=9, **{given: at}),
            oracle=functools.partial(oracles.rate_at_rate, at=Fraction(str(at)), wanted=name[:3]),
            fields={name[:3]: F, "se": F, "lower": F, "upper": F, **COUNTS},
            exact=False,
            columns=columns,
        )
        for name, function, given, at in (
            ("tpr_at_fpr", pa.tpr_at_fpr, "fpr", 0.3),
            ("tpr_at_fpr", pa.tpr_at_fpr, "fpr", 0.0),
            ("fpr_at_tpr", pa.fpr_at_tpr, "tpr", 0.8),
        )
        for make, columns in with_and_without_weights(function)
    ),
    *(
        Entry(
            name="roc_band",
            make=functools.partial(pa.roc_band, **options),
            oracle=functools.partial(bands.roc_band, **options),
            fields=BAND,
            is_list=True,
            exact=False,
            by_value=options["method"] == "working_hotelling",
        )
        for options in BANDS
    ),
    *(
        Entry(
            name="roc_band",
            make=functools.partial(_band_of_folds, **options),
            oracle=functools.partial(bands.roc_band_of_folds, **options),
            fields=BAND,
            is_list=True,
            columns=("label", "score", "key"),
            plugin="roc_band_of_folds",
            exact=False,
        )
        for options in BANDS_OF_FOLDS
    ),
    Entry(
        name="roc_difference_band",
        make=functools.partial(pa.roc_difference_band, **DRAWN),
        oracle=functools.partial(difference_bands.roc_difference_band, **DRAWN),
        fields=DIFFERENCE_BAND,
        is_list=True,
        columns=("label", "score", "other"),
        exact=False,
    ),
    Entry(
        name="roc_difference_band",
        make=_difference_band_of_clusters,
        oracle=functools.partial(difference_bands.roc_difference_band, **DRAWN, clustered=True),
        fields=DIFFERENCE_BAND,
        is_list=True,
        columns=("label", "score", "other", "key"),
        exact=False,
    ),
]
