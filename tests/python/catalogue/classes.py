"""Several classes: their entries of the catalogue."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Literal

import polars as pl

import polars_auc as pa
from catalogue.entry import Entry, F, N, W
from oracles import classes as oracles

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

# Keys in a custom order; the frames of the laws have three or four of them.
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


def _four(scores: Sequence[Any]) -> list[Any]:
    """Return four columns from two."""
    return [*scores, *(-score for score in scores)]


def _multiclass(*columns: pl.Expr, **options: Any) -> pl.Expr:
    label, *scores = columns
    return pa.multiclass_roc_auc(label, *_four(scores), classes=NAMES, **options)


def _weighted_multiclass(*columns: pl.Expr, **options: Any) -> pl.Expr:
    *others, weight = columns
    return _multiclass(*others, weight=weight, **options)


def _multiclass_ci(*columns: pl.Expr, **options: Any) -> pl.Expr:
    label, *scores = columns
    return pa.multiclass_roc_auc_ci(label, *_four(scores), classes=NAMES, **options)


CLASSES = [
    *(
        Entry(
            "multiclass_roc_auc",
            functools.partial(_multiclass, multi_class=multi_class, average=average),
            functools.partial(
                oracles.multiclass_roc_auc,
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
            "multiclass_roc_auc",
            functools.partial(_weighted_multiclass, multi_class=multi_class, average=average),
            functools.partial(
                oracles.multiclass_roc_auc,
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
            "multiclass_roc_auc_ci",
            functools.partial(_multiclass_ci, multi_class=multi_class, average=average, level=0.9),
            functools.partial(
                oracles.multiclass_roc_auc_ci,
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
            "ordinal_roc_auc_ci",
            functools.partial(pa.ordinal_roc_auc_ci, pairs=pairs, level=0.9),
            functools.partial(oracles.ordinal_roc_auc_ci, listed=pairs, level=0.9),
            ORDINAL_CI,
            columns=("key", "score"),
            exact=False,
        )
        for pairs in (True, False)
    ),
    *(
        Entry(
            "ordinal_roc_auc",
            functools.partial(pa.ordinal_roc_auc, pairs=pairs),
            functools.partial(oracles.ordinal_roc_auc, listed=pairs),
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
]
