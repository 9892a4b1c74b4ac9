"""Numbers of one score: their entries of the catalogue."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import Any, Literal

import polars as pl

import polars_auc as pa
from catalogue.entry import COUNTS, HALF, WEIGHTED, Entry, F, N, Sided, W, both, weighted
from oracles import areas
from oracles import numbers as oracles

KS_FIELDS = {"ks": F, "difference": F, "threshold": F, "p_value": F, "method": W, **COUNTS}

PARTIAL: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"max_fpr": 0.375}, {"fpr": (Fraction(0), Fraction(3, 8))}),
    ({"min_fpr": 0.25, "max_fpr": 0.625}, {"fpr": (Fraction(1, 4), Fraction(5, 8))}),
    ({"min_tpr": 0.5}, {"fpr": (HALF, Fraction(1)), "swapped": True}),
    (
        {"max_fpr": 0.375, "standardized": True},
        {"fpr": (Fraction(0), Fraction(3, 8)), "standardized": True},
    ),
    (
        {"min_tpr": 0.25, "max_tpr": 0.75, "standardized": True},
        {"fpr": (Fraction(1, 4), Fraction(3, 4)), "swapped": True, "standardized": True},
    ),
    (
        {"min_fpr": 0.25, "max_fpr": 0.75, "standardized": "always"},
        {"fpr": (Fraction(1, 4), Fraction(3, 4)), "standardized": "always"},
    ),
    (
        {"max_fpr": 0.75, "min_tpr": 0.375},
        {"fpr": (Fraction(0), Fraction(3, 4)), "min_tpr": Fraction(3, 8)},
    ),
]

KS_METHODS: list[Literal["auto", "asymptotic"]] = ["auto", "asymptotic"]
ALTERNATIVES: list[Sided] = ["two-sided", "greater", "less"]


def _gini_index(target: pl.Expr, score: pl.Expr, **options: Any) -> pl.Expr:
    return pa.gini_index(target, score, **options)


NUMBERS = [
    Entry("roc_auc", weighted(pa.roc_auc), areas.weighted_roc_auc, columns=WEIGHTED),
    Entry("gini", weighted(pa.gini), oracles.weighted_gini, columns=WEIGHTED),
    Entry(
        "ks_statistic", weighted(pa.ks_statistic), oracles.weighted_ks_statistic, KS_FIELDS, columns=WEIGHTED
    ),
    *both("average_precision", pa.average_precision, oracles.average_precision, None, exact=False),
    *both(
        "average_precision",
        pa.average_precision,
        oracles.precision_recall_area,
        None,
        exact=False,
        interpolation="continuous",
    ),
    *(
        entry
        for options, expected in PARTIAL
        for entry in both(
            "roc_auc",
            pa.roc_auc,
            functools.partial(areas.partial_area, **expected),
            None,
            exact=False,
            **options,
        )
    ),
    Entry("roc_auc", pa.roc_auc, areas.roc_auc),
    Entry("gini", pa.gini, oracles.gini),
    *(
        Entry(
            "ks_statistic",
            functools.partial(pa.ks_statistic, alternative=alternative, method=method),
            functools.partial(oracles.ks_statistic, alternative=alternative, method=method),
            KS_FIELDS,
        )
        for alternative in ALTERNATIVES
        for method in KS_METHODS
    ),
    *(
        Entry(
            "gini_index",
            functools.partial(_gini_index, points=points),
            functools.partial(oracles.gini_index, points=points),
            {
                "gini": F,
                "normalized": F,
                "points": pl.List(pl.Struct(dict.fromkeys(("score", "population", "captured"), F))),
                "total": F,
                "n": N,
            },
            columns=("weight", "score"),
            by_value=True,
        )
        for points in (False, True)
    ),
    Entry(
        name="mean_positive_rank",
        make=pa.mean_positive_rank,
        oracle=oracles.mean_positive_rank,
    ),
]
