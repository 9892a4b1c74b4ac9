"""Folds of a cross-validation: their entries of the catalogue."""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

import polars as pl

import polars_auc as pa
from catalogue.entry import COUNTS, KEYED, TWO, Entry, F, N
from oracles import folds as oracles
from oracles import weights
from oracles.calibration import cv_loss, cv_loss_difference

TIES: list[tuple[Literal["half", "zero"], Fraction]] = [("half", Fraction(1, 2)), ("zero", Fraction(0))]
FOLD_METHODS: list[Literal["t", "influence", "delong"]] = ["t", "influence", "delong"]

AVERAGED_CURVES: list[tuple[Literal["vertical", "threshold", "pooled"], int]] = [
    ("vertical", 6),
    ("threshold", 5),
    ("threshold", 101),
    ("pooled", 6),
]

LOSSES: list[Literal["brier_score", "log_loss"]] = ["brier_score", "log_loss"]


def _weighted_loss(label: pl.Expr, score: pl.Expr, fold: pl.Expr, weight: pl.Expr, **options: Any) -> pl.Expr:
    return pa.cv_loss(label, score, fold, weight=weight, **options)


LOSSES_OF_FOLDS: list[tuple[Callable[..., pl.Expr], tuple[str, ...], Literal["t", "influence"]]] = [
    (pa.cv_loss, (), "t"),
    (pa.cv_loss, (), "influence"),
    (_weighted_loss, ("weight",), "t"),
]

FOLDS = [
    *(
        Entry(
            "cv_roc_auc",
            functools.partial(pa.cv_roc_auc, level=0.9, method=method),
            functools.partial(oracles.cv_roc_auc, level=0.9, method=method),
            {
                **dict.fromkeys(("auc", "sd", "se", "lower", "upper"), F),
                "n_folds": N,
                "n_undefined": N,
                **COUNTS,
            },
            columns=KEYED,
            exact=False,
        )
        for method in FOLD_METHODS
    ),
    Entry(
        "cv_roc_auc",
        functools.partial(pa.cv_roc_auc, level=0.9, method="influence", ties="zero"),
        functools.partial(oracles.cv_roc_auc, level=0.9, method="influence", tie=Fraction(0)),
        {
            **dict.fromkeys(("auc", "sd", "se", "lower", "upper"), F),
            "n_folds": N,
            "n_undefined": N,
            **COUNTS,
        },
        columns=KEYED,
        exact=False,
    ),
    *(
        Entry(
            "cv_roc_auc",
            lambda label, score, fold, cluster, ties=ties, **options: pa.cv_roc_auc(
                label, score, fold, cluster=cluster, method="influence", level=0.9, ties=ties, **options
            ),
            functools.partial(oracles.cv_roc_auc_clustered, level=0.9, tie=tie),
            {
                **dict.fromkeys(("auc", "sd", "se", "lower", "upper"), F),
                "n_folds": N,
                "n_undefined": N,
                **COUNTS,
                "n_clusters": N,
            },
            columns=(*KEYED, "weight"),
            variant="CvRocAucClustered",
            exact=False,
        )
        for ties, tie in TIES
    ),
    Entry(
        "cv_roc_auc",
        lambda label, score, fold, cluster, **options: pa.cv_roc_auc(
            label, score, fold, cluster=cluster, method="delong", level=0.9, **options
        ),
        functools.partial(oracles.cv_roc_auc_clustered, level=0.9, tie=Fraction(1, 2), method="delong"),
        {
            **dict.fromkeys(("auc", "sd", "se", "lower", "upper"), F),
            "n_folds": N,
            "n_undefined": N,
            **COUNTS,
            "n_clusters": N,
        },
        columns=(*KEYED, "weight"),
        variant="CvRocAucClustered",
        exact=False,
    ),
    Entry(
        "cv_roc_auc",
        lambda label, score, fold, weight, **options: pa.cv_roc_auc(
            label, score, fold, weight=weight, level=0.9, **options
        ),
        functools.partial(weights.cv_roc_auc, level=0.9),
        {
            **dict.fromkeys(("auc", "sd", "se", "lower", "upper"), F),
            "n_folds": N,
            "n_undefined": N,
            **COUNTS,
        },
        columns=(*KEYED, "weight"),
        exact=False,
    ),
    Entry(
        "cv_roc_auc_difference",
        functools.partial(pa.cv_roc_auc_difference, level=0.9),
        functools.partial(oracles.cv_roc_auc_difference, level=0.9),
        {
            **dict.fromkeys(("auc_a", "auc_b", "difference", "se", "lower", "upper", "t"), F),
            "df": N,
            "p_value": F,
            "n_folds": N,
            "n_undefined": N,
            **COUNTS,
        },
        columns=(*TWO, "key"),
        exact=False,
    ),
    *(
        Entry(
            "cv_loss",
            functools.partial(make, level=0.9, loss=loss, method=method),
            functools.partial(cv_loss, level=0.9, loss=loss, method=method),
            {**dict.fromkeys(("estimate", "sd", "se", "lower", "upper"), F), "n_folds": N, **COUNTS},
            columns=("label", "probability", "key", *more),
            by_value=True,
            exact=False,
        )
        for make, more, method in LOSSES_OF_FOLDS
        for loss in LOSSES
    ),
    *(
        Entry(
            "cv_loss_difference",
            functools.partial(pa.cv_loss_difference, level=0.9, loss=loss),
            functools.partial(cv_loss_difference, level=0.9, loss=loss),
            {
                **dict.fromkeys(("estimate_a", "estimate_b", "difference", "se", "lower", "upper", "t"), F),
                "df": N,
                "p_value": F,
                "n_folds": N,
                **COUNTS,
            },
            columns=("label", "probability", "other_probability", "key"),
            by_value=True,
            exact=False,
        )
        for loss in LOSSES
    ),
    *(
        Entry(
            "cv_roc_curve",
            functools.partial(pa.cv_roc_curve, method=method, n_points=n_points),
            functools.partial(oracles.cv_roc_curve, method=method, n_points=n_points),
            {**dict.fromkeys(("fpr", "fpr_sd", "tpr", "tpr_sd", "threshold"), F), "n_folds": N},
            is_list=True,
            columns=KEYED,
            exact=False,
        )
        for method, n_points in AVERAGED_CURVES
    ),
]
