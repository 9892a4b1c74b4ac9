"""Subgroups, users and strata: their entries of the catalogue."""

from __future__ import annotations

import functools
from typing import Any, Literal

import polars as pl

import polars_auc as pa
from catalogue.classes import LIMITS
from catalogue.entry import COUNTS, KEYED, Entry, F, N, W
from oracles import groups as oracles
from oracles import weights

SUBGROUP = {
    **dict.fromkeys(("subgroup_auc", "bpsn_auc", "bnsp_auc", "background_auc", "auc"), F),
    **dict.fromkeys(("positive_aeg", "negative_aeg"), F),
    **dict.fromkeys(("n_subgroup_pos", "n_subgroup_neg", "n_background_pos", "n_background_neg"), N),
}

WEIGHTS: list[Literal["macro", "rows", "positives", "pairs"]] = ["macro", "rows", "positives", "pairs"]
ERRORS: list[Literal["between", "within"]] = ["between", "within"]
ALTERNATIVES: list[Literal["two-sided", "greater", "less"]] = ["two-sided", "greater", "less"]


def _subgroup_ci(label: pl.Expr, score: pl.Expr, key: pl.Expr, **options: Any) -> pl.Expr:
    return pa.subgroup_auc_ci(label, score, key == "a", **options)


def _subgroup(label: pl.Expr, score: pl.Expr, key: pl.Expr, **options: Any) -> pl.Expr:
    return pa.subgroup_auc(label, score, key == "a", **options)


def _rate(label: pl.Expr, score: pl.Expr, key: pl.Expr, **options: Any) -> pl.Expr:
    return pa.subgroup_rate_difference(label, score, key == "a", **options)


def _weighted(label: pl.Expr, score: pl.Expr, key: pl.Expr, weight: pl.Expr, **options: Any) -> pl.Expr:
    return pa.grouped_roc_auc(label, score, key, weight=weight, **options)


RATES: list[Literal["tpr", "fpr", "ppv", "selection_rate", "accuracy"]] = [
    *("tpr", "fpr", "ppv", "selection_rate", "accuracy")
]
RATE = {
    **dict.fromkeys(("subgroup_rate", "background_rate"), F),
    **{f"{name}{end}": F for name in ("difference", "ratio") for end in ("", "_lower", "_upper")},
    "p_value": F,
    "four_fifths": pl.Boolean(),
    "n_subgroup": N,
    "n_background": N,
    **COUNTS,
}

GROUPS = [
    *(
        Entry(
            "subgroup_rate_difference",
            functools.partial(_rate, at=0.5, rate=rate, level=0.9),
            functools.partial(oracles.subgroup_rate_difference, subgroup="a", at=0.5, rate=rate, level=0.9),
            RATE,
            columns=KEYED,
            by_value=True,
        )
        for rate in RATES
    ),
    Entry(
        "subgroup_auc_ci",
        functools.partial(_subgroup_ci, level=0.9),
        functools.partial(oracles.subgroup_auc_ci, subgroup="a", level=0.9),
        {"field": W, "estimate": F, **LIMITS, **COUNTS},
        is_list=True,
        columns=KEYED,
    ),
    Entry(
        "subgroup_auc",
        _subgroup,
        functools.partial(oracles.subgroup_auc, subgroup="a"),
        SUBGROUP,
        columns=KEYED,
    ),
    *(
        Entry(
            "grouped_roc_auc",
            functools.partial(pa.grouped_roc_auc, average=average, error=error, level=0.9),
            functools.partial(oracles.grouped_roc_auc, average=average, error=error, level=0.9),
            {
                **dict.fromkeys(("auc", "se", "lower", "upper"), F),
                "n_groups": N,
                "n_undefined": N,
                **COUNTS,
            },
            columns=KEYED,
            exact=False,
        )
        for average in WEIGHTS
        for error in ERRORS
    ),
    *(
        Entry(
            "grouped_roc_auc",
            functools.partial(_weighted, average=average, error=error, level=0.9),
            functools.partial(weights.grouped_roc_auc, average=average, error=error, level=0.9),
            {
                **dict.fromkeys(("auc", "se", "lower", "upper"), F),
                "n_groups": N,
                "n_undefined": N,
                **COUNTS,
            },
            columns=(*KEYED, "weight"),
            exact=False,
        )
        for average in WEIGHTS
        for error in ERRORS
    ),
    *(
        Entry(
            "grouped_roc_auc_difference",
            functools.partial(
                pa.grouped_roc_auc_difference, average=average, alternative=alternative, level=0.9
            ),
            functools.partial(
                oracles.grouped_roc_auc_difference, average=average, alternative=alternative, level=0.9
            ),
            {
                **dict.fromkeys(("auc_a", "auc_b", "difference", "se", "lower", "upper", "t", "p_value"), F),
                "n_groups": N,
                "n_undefined": N,
                **COUNTS,
            },
            columns=("label", "score", "other", "key"),
            exact=False,
        )
        for average, alternative in zip(WEIGHTS, [*ALTERNATIVES, ALTERNATIVES[0]], strict=True)
    ),
    Entry(
        "covariate_adjusted_roc_curve",
        pa.covariate_adjusted_roc_curve,
        oracles.covariate_adjusted_roc_curve,
        {"fpr": F, "tpr": F},
        is_list=True,
        columns=KEYED,
        exact=False,
    ),
]
