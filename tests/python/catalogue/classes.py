"""Expressions of several classes, subgroups and folds, with their definitions; part of the catalogue."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Literal

import polars as pl

import polars_auc as pa
from catalogue.entry import COUNTS, Entry, F, N, W
from oracles import classes as oracles

KEYED = ("label", "score", "key")
PAIR = {"class_a": W, "class_b": W}
MULTICLASS = {
    "auc": F,
    "classes": pl.List(pl.Struct({"class": W, "n": N, "auc": F})),
    "pairs": pl.List(pl.Struct({**PAIR, "n": N, "auc": F})),
    "n_classes": N,
    "n_missing": N,
    "n": N,
}
LIMITS = dict.fromkeys(("se", "lower", "upper"), F)
MULTICLASS_CI = {
    "auc": F,
    **LIMITS,
    "classes": pl.List(pl.Struct({"class": W, "n": N, "auc": F, **LIMITS})),
    "pairs": pl.List(pl.Struct({**PAIR, "n": N, "auc": F, **LIMITS})),
    "n_classes": N,
    "n_missing": N,
    "n": N,
}
ORDINAL_CI = {
    "auc": F,
    **LIMITS,
    "concordance": F,
    **{f"concordance_{name}": dtype for name, dtype in LIMITS.items()},
    "pairs": pl.List(pl.Struct({**PAIR, "auc": F, **LIMITS})),
    "n_classes": N,
    "n": N,
}
SUBGROUP = {
    **dict.fromkeys(("subgroup_auc", "bpsn_auc", "bnsp_auc", "background_auc", "auc"), F),
    **dict.fromkeys(("positive_aeg", "negative_aeg"), F),
    **dict.fromkeys(("n_subgroup_pos", "n_subgroup_neg", "n_background_pos", "n_background_neg"), N),
}

# Keys in an order of their own; the frames of the laws have three or four of them.
NAMES = ("c", "a", "d", "b")
AVERAGES: list[tuple[Literal["ovr", "ovo"], Literal["macro", "weighted", "micro"] | None]] = [
    ("ovr", "macro"),
    ("ovr", "weighted"),
    ("ovr", "micro"),
    ("ovr", None),
    ("ovo", "macro"),
    ("ovo", "weighted"),
    ("ovo", None),
]
WEIGHTS: list[Literal["macro", "rows", "positives", "pairs"]] = ["macro", "rows", "positives", "pairs"]
ERRORS: list[Literal["between", "within"]] = ["between", "within"]
ALTERNATIVES: list[Literal["two-sided", "greater", "less"]] = ["two-sided", "greater", "less"]
CURVES: list[tuple[Literal["vertical", "threshold", "pooled"], int]] = [
    ("vertical", 6),
    ("threshold", 5),
    ("threshold", 101),
    ("pooled", 6),
]


def _four(scores: Sequence[Any]) -> list[Any]:
    """Make four columns of two."""
    return [*scores, *(-score for score in scores)]


def _multiclass(*columns: pl.Expr, **options: Any) -> pl.Expr:
    label, *scores = columns
    return pa.roc_auc_multiclass(label, *_four(scores), classes=NAMES, **options)


def _weighted_multiclass(*columns: pl.Expr, **options: Any) -> pl.Expr:
    *others, weight = columns
    return _multiclass(*others, weight=weight, **options)


def _multiclass_ci(*columns: pl.Expr, **options: Any) -> pl.Expr:
    label, *scores = columns
    return pa.roc_auc_multiclass_ci(label, *_four(scores), classes=NAMES, **options)


def _subgroup_ci(label: pl.Expr, score: pl.Expr, key: pl.Expr, **options: Any) -> pl.Expr:
    return pa.subgroup_auc_ci(label, score, key == "a", **options)


def _subgroup(label: pl.Expr, score: pl.Expr, key: pl.Expr, **options: Any) -> pl.Expr:
    return pa.subgroup_auc(label, score, key == "a", **options)


CLASSES = [
    *(
        Entry(
            "roc_auc_multiclass",
            functools.partial(_multiclass, multi_class=multi_class, average=average),
            functools.partial(
                oracles.roc_auc_multiclass,
                classes=NAMES,
                columns=_four,
                multi_class=multi_class,
                average=average,
            ),
            MULTICLASS,
            columns=("key", "score", "other"),
            by_value=average == "micro",
            exact=False,
        )
        for multi_class, average in AVERAGES
    ),
    *(
        Entry(
            "roc_auc_multiclass",
            functools.partial(_weighted_multiclass, multi_class=multi_class, average=average),
            functools.partial(
                oracles.roc_auc_multiclass,
                classes=NAMES,
                columns=_four,
                multi_class=multi_class,
                average=average,
                weighted=True,
            ),
            MULTICLASS,
            columns=("key", "score", "other", "weight"),
            by_value=average == "micro",
            exact=False,
        )
        for multi_class, average in AVERAGES
        if average is not None
    ),
    *(
        Entry(
            "roc_auc_multiclass_ci",
            functools.partial(_multiclass_ci, multi_class=multi_class, average=average, level=0.9),
            functools.partial(
                oracles.roc_auc_multiclass_ci,
                classes=NAMES,
                columns=_four,
                multi_class=multi_class,
                average=average,
                level=0.9,
            ),
            MULTICLASS_CI,
            columns=("key", "score", "other"),
            exact=False,
        )
        for multi_class, average in AVERAGES
        if average != "micro"
    ),
    *(
        Entry(
            "roc_auc_ordinal_ci",
            functools.partial(pa.roc_auc_ordinal_ci, pairs=pairs, level=0.9),
            functools.partial(oracles.roc_auc_ordinal_ci, listed=pairs, level=0.9),
            ORDINAL_CI,
            columns=("key", "score"),
            exact=False,
        )
        for pairs in (True, False)
    ),
    Entry(
        "subgroup_auc_ci",
        functools.partial(_subgroup_ci, level=0.9),
        functools.partial(oracles.subgroup_auc_ci, subgroup="a", level=0.9),
        {"field": W, "estimate": F, **LIMITS, **COUNTS},
        is_list=True,
        columns=KEYED,
    ),
    *(
        Entry(
            "roc_auc_ordinal",
            functools.partial(pa.roc_auc_ordinal, pairs=pairs),
            functools.partial(oracles.roc_auc_ordinal, listed=pairs),
            {
                "auc": F,
                "concordance": F,
                "pairs": pl.List(pl.Struct({**PAIR, "auc": F})),
                "n_classes": N,
                "n": N,
            },
            columns=("key", "score"),
            exact=False,
        )
        for pairs in (True, False)
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
    *(
        Entry(
            "average_roc_curve",
            functools.partial(pa.average_roc_curve, method=method, n_points=n_points),
            functools.partial(oracles.average_roc_curve, method=method, n_points=n_points),
            {**dict.fromkeys(("fpr", "fpr_sd", "tpr", "tpr_sd", "threshold"), F), "n_folds": N},
            is_list=True,
            columns=KEYED,
            exact=False,
        )
        for method, n_points in CURVES
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
