"""Comparisons: their entries of the catalogue."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import Any, Literal

import polars as pl

import polars_auc as pa
from catalogue.entry import COUNTS, TWO, WEIGHTED, Z_90, Entry, F, N, Sided, W, weighted
from catalogue.intervals import PARTS
from oracles import comparisons as oracles
from oracles import rows, weights
from oracles.calibration import compare_losses

DIFFERENCE = ("estimate_a", "estimate_b", "difference", "se", "lower", "upper", "z", "p_value")
ESTIMATES = {"score": W, "estimate": F, "se": F, "lower": F, "upper": F, "covariance": pl.List(F)}
PAIRS = {"score_a": W, "score_b": W, **dict.fromkeys(("difference", "se", "lower", "upper", "z"), F)}
PAIRS |= {"p_value": F, "p_adjusted": F}

HYPOTHESES: list[tuple[Sided, float | None, float | None]] = [
    ("two-sided", None, None),
    ("greater", None, None),
    ("less", 0.125, None),
    ("two-sided", None, 0.25),
    ("greater", 0.125, 0.25),
    ("less", None, 0.0625),
]

STABILITY = {"psi": F, "p_value": F, "n_bands": N, **COUNTS}

STABILITIES: list[dict[str, Any]] = [
    {"bands": 3},
    {"empty_share": 0.0001},
    {"edges": [-1.5, 0.0, 1.5], "empty_share": 0.01},
]

LOSSES: list[Literal["brier_score", "log_loss"]] = ["brier_score", "log_loss"]
COMPARED = {
    "estimates": pl.List(pl.Struct(ESTIMATES)),
    "differences": pl.List(pl.Struct(PAIRS)),
    "chi_square": F,
    "df": N,
    "p_value": F,
    **COUNTS,
}


def _compare_weighted(label: pl.Expr, a: pl.Expr, b: pl.Expr, weight: pl.Expr, **options: Any) -> pl.Expr:
    return pa.compare_scores(label, a, b, weight=weight, **options)


COMPARISONS = [
    *(
        Entry(
            "roc_auc_difference",
            functools.partial(
                pa.roc_auc_difference, alternative=alternative, null=null, margin=margin, level=0.9
            ),
            functools.partial(
                oracles.roc_auc_difference, test=rows.Question(alternative, null, margin), z=Z_90
            ),
            {**dict.fromkeys(DIFFERENCE, F), **COUNTS},
            columns=TWO,
        )
        for alternative, null, margin in HYPOTHESES
    ),
    *(
        Entry(
            "roc_auc_difference",
            functools.partial(pa.roc_auc_difference, level=0.9, **options),
            functools.partial(oracles.partial_roc_auc_difference, bounds=bounds, z=Z_90, test=rows.PLAIN),
            {**dict.fromkeys(DIFFERENCE, F), **COUNTS},
            columns=TWO,
            exact=False,
        )
        for options, bounds in PARTS
    ),
    Entry(
        "roc_auc_difference",
        lambda label, a, b, cluster, **options: pa.roc_auc_difference(
            label, a, b, cluster=cluster, level=0.9, **options
        ),
        functools.partial(oracles.roc_auc_difference_clustered, z=Z_90),
        {**dict.fromkeys(DIFFERENCE, F), **COUNTS},
        columns=(*TWO, "key"),
    ),
    *(
        Entry(
            "roc_auc_difference",
            lambda label, a, b, weight, *cluster, **options: pa.roc_auc_difference(
                label, a, b, weight=weight, cluster=cluster[0] if cluster else None, level=0.9, **options
            ),
            functools.partial(weights.roc_auc_difference, z=Z_90, clustered=bool(cluster)),
            {**dict.fromkeys(DIFFERENCE, F), **COUNTS},
            columns=(*TWO, "weight", *cluster),
        )
        for cluster in ((), ("key",))
    ),
    Entry(
        "roc_auc_difference",
        functools.partial(pa.roc_auc_difference, method="bootstrap", max_fpr=0.3, n_resamples=9),
        functools.partial(oracles.partial_area_difference, max_fpr=Fraction(3, 10)),
        {**dict.fromkeys(DIFFERENCE, F), **COUNTS},
        columns=TWO,
    ),
    Entry(
        "compare_scores",
        functools.partial(pa.compare_scores, level=0.9),
        functools.partial(oracles.compare_scores, z=Z_90),
        COMPARED,
        columns=TWO,
    ),
    *(
        Entry(
            "compare_scores",
            functools.partial(make, level=0.9, statistic=statistic),
            functools.partial(compare_losses, level=0.9, statistic=statistic),
            COMPARED,
            columns=("label", "probability", "other_probability", *more),
            by_value=True,
            exact=False,
        )
        for statistic in LOSSES
        for make, more in ((pa.compare_scores, ()), (_compare_weighted, ("weight",)))
    ),
    Entry(
        "roc_curve_difference",
        functools.partial(pa.roc_curve_difference, n_permutations=9),
        oracles.roc_curve_difference,
        {"statistic": F, "p_value": F, **COUNTS},
        columns=TWO,
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
    Entry(
        "population_stability",
        weighted(pa.population_stability, bands=3),
        functools.partial(weights.stability, bands=3),
        STABILITY,
        columns=WEIGHTED,
        exact=False,
    ),
    Entry(
        "population_stability_table",
        weighted(pa.population_stability_table, bands=3),
        functools.partial(weights.stability_table, bands=3),
        {
            "band": N,
            **dict.fromkeys(("highest", "lowest", "n_pos", "n_neg", "pos_share", "neg_share", "psi"), F),
        },
        is_list=True,
        columns=WEIGHTED,
        exact=False,
    ),
    *(
        Entry(
            name="population_stability_table",
            make=functools.partial(pa.population_stability_table, **options),
            oracle=functools.partial(oracles.population_stability_table, **{"bands": 10, **options}),
            fields={"band": N, "highest": F, "lowest": F, **COUNTS, "pos_share": F, "neg_share": F, "psi": F},
            is_list=True,
            by_value="edges" in options,
            exact=False,
        )
        for options in STABILITIES
    ),
]
