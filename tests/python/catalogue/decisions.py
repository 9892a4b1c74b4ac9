"""Decisions: their entries of the catalogue."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal

import polars as pl

import polars_auc as pa
from catalogue.entry import COUNTS, TWO, Entry, F, N, with_and_without_weights
from oracles import decisions as oracles
from oracles.rows import DIFFERENCE

NET_BENEFIT = (
    *("threshold", "net_benefit", "se", "lower", "upper", "treat_all", "standardized"),
    *("interventions_avoided", "tpr", "fpr"),
)
NET_BENEFIT_DIFFERENCE = (
    *("threshold", "net_benefit_a", "net_benefit_b", "difference", "se", "lower", "upper", "p_value"),
    "interventions_avoided_per_100",
)
SLOPE = ("discrimination_slope", "se", "lower", "upper", "mean_pos", "mean_neg")
MCNEMAR = {
    **dict.fromkeys(("estimate_a", "estimate_b", "difference", "se", "lower", "upper", "p_value"), F),
    **dict.fromkeys(("n_only_a", "n_only_b", "n"), N),
    **COUNTS,
}
PAIRED_RATES: list[Literal["accuracy", "tpr", "fpr", "selection_rate"]] = [
    *("accuracy", "tpr", "fpr", "selection_rate")
]
METHODS: list[Literal["exact", "mid_p", "chi_square"]] = ["exact", "mid_p", "chi_square"]
THRESHOLDS = [0.5, 0.3125, 0.75, 0.99]
NUMBERS: list[tuple[str, Callable[..., pl.Expr], Callable[..., Any], dict[str, Any]]] = [
    ("enrichment_factor", pa.enrichment_factor, oracles.enrichment_factor, {"fraction": 0.3}),
    ("bedroc", pa.bedroc, oracles.bedroc, {"alpha": 5.0}),
    ("log_auc", pa.log_auc, oracles.log_auc, {"min_fpr": 0.01, "max_fpr": 0.5}),
    ("h_measure", pa.h_measure, oracles.h_measure, {}),
    ("h_measure", pa.h_measure, oracles.h_measure, {"severity_ratio": 0.5}),
]


def two_scores(
    function: Callable[..., pl.Expr], score: str
) -> list[tuple[Callable[..., pl.Expr], tuple[str, ...]]]:
    """Return a function of two scores, and optionally weights, with its columns."""

    def weighted(label: pl.Expr, a: pl.Expr, b: pl.Expr, weight: pl.Expr, **options: Any) -> pl.Expr:
        return function(label, a, b, weight=weight, **options)

    columns = ("label", "score", "other")
    if score == "probability":
        columns = ("label", "probability", "other_probability")
    return [(function, columns), (weighted, (*columns, "weight"))]


DECISIONS = [
    *(
        Entry(
            "net_benefit",
            functools.partial(make, thresholds=THRESHOLDS, level=0.9, prevalence=prevalence),
            functools.partial(oracles.net_benefit, thresholds=THRESHOLDS, level=0.9, prevalence=prevalence),
            dict.fromkeys(NET_BENEFIT, F),
            is_list=True,
            # The score is a probability.
            columns=tuple("probability" if it == "score" else it for it in columns),
            by_value=True,
            exact=False,
        )
        for make, columns in with_and_without_weights(pa.net_benefit)
        for prevalence in (None, 0.25)
    ),
    *(
        Entry(
            "net_benefit",
            functools.partial(
                make, thresholds=THRESHOLDS, prevalence=prevalence, band="simultaneous", n_resamples=9
            ),
            functools.partial(
                oracles.net_benefit,
                thresholds=THRESHOLDS,
                level=0.95,
                prevalence=prevalence,
                band="simultaneous",
            ),
            dict.fromkeys(NET_BENEFIT, F),
            is_list=True,
            columns=tuple("probability" if it == "score" else it for it in columns),
            by_value=True,
            exact=False,
        )
        for make, columns in with_and_without_weights(pa.net_benefit)
        for prevalence in (None, 0.25)
    ),
    *(
        Entry(
            "average_precision_ci",
            functools.partial(make, level=0.9, method=method),
            functools.partial(oracles.average_precision_ci, level=0.9, method=method),
            {**dict.fromkeys(("average_precision", "se", "lower", "upper"), F), **COUNTS},
            columns=columns,
            exact=False,
        )
        for make, columns in with_and_without_weights(pa.average_precision_ci)
        for method in ("logit", "influence")
    ),
    *(
        Entry(
            "equal_error_rate",
            make,
            oracles.equal_error_rate,
            {"equal_error_rate": F, "threshold": F, **COUNTS},
            columns=columns,
            exact=False,
        )
        for make, columns in with_and_without_weights(pa.equal_error_rate)
    ),
    *(
        Entry(
            "average_precision_difference",
            functools.partial(make, level=0.9),
            functools.partial(oracles.average_precision_difference, level=0.9),
            {**dict.fromkeys(DIFFERENCE, F), **COUNTS},
            columns=columns,
            exact=False,
        )
        for make, columns in two_scores(pa.average_precision_difference, "score")
    ),
    *(
        Entry(
            "average_precision_difference",
            lambda label, a, b, *weight_and_cluster, **options: pa.average_precision_difference(
                label,
                a,
                b,
                weight=weight_and_cluster[0] if len(weight_and_cluster) == 2 else None,
                cluster=weight_and_cluster[-1],
                level=0.9,
                **options,
            ),
            functools.partial(oracles.average_precision_difference_clustered, level=0.9),
            {**dict.fromkeys(DIFFERENCE, F), **COUNTS},
            columns=("label", "score", "other", *columns),
            exact=False,
        )
        for columns in (("key",), ("weight", "key"))
    ),
    *(
        Entry(
            "net_benefit_difference",
            functools.partial(make, thresholds=THRESHOLDS, level=0.9, prevalence=prevalence),
            functools.partial(
                oracles.net_benefit_difference, thresholds=THRESHOLDS, level=0.9, prevalence=prevalence
            ),
            dict.fromkeys(NET_BENEFIT_DIFFERENCE, F),
            is_list=True,
            columns=columns,
            by_value=True,
            exact=False,
        )
        for make, columns in two_scores(pa.net_benefit_difference, "probability")
        for prevalence in (None, 0.25)
    ),
    *(
        Entry(
            "discrimination_slope",
            functools.partial(make, level=0.9),
            functools.partial(oracles.discrimination_slope, level=0.9),
            {**dict.fromkeys(SLOPE, F), **COUNTS},
            columns=tuple("probability" if it == "score" else it for it in columns),
            by_value=True,
            exact=False,
        )
        for make, columns in with_and_without_weights(pa.discrimination_slope)
    ),
    *(
        Entry(
            "discrimination_slope_difference",
            functools.partial(make, level=0.9),
            functools.partial(oracles.discrimination_slope_difference, level=0.9),
            {**dict.fromkeys(DIFFERENCE, F), **COUNTS},
            columns=columns,
            by_value=True,
            exact=False,
        )
        for make, columns in two_scores(pa.discrimination_slope_difference, "probability")
    ),
    *(
        Entry(
            "mcnemar",
            functools.partial(pa.mcnemar, at_a=0.5, at_b=1.0, rate=rate, method=method, level=0.9),
            functools.partial(oracles.mcnemar, at_a=0.5, at_b=1.0, rate=rate, method=method, level=0.9),
            MCNEMAR,
            columns=TWO,
            by_value=True,
        )
        for rate in PAIRED_RATES
        for method in METHODS
    ),
    *(
        Entry(
            name,
            functools.partial(make, **options),
            functools.partial(oracle, **options),
            columns=columns,
            exact=False,
        )
        for name, function, oracle, options in NUMBERS
        for make, columns in with_and_without_weights(function)
    ),
]
