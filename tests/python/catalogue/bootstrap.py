"""Bootstrap intervals of statistics: their entries of the catalogue."""

from __future__ import annotations

import functools
from typing import Any, cast

import polars_auc as pa
from catalogue.entry import Entry, F, N, W
from oracles import curves as curve_oracles
from oracles import points as weighted_oracles
from oracles import scores as oracles
from oracles.bootstrap import bootstrap_ci

FIELDS = {"field": W, "estimate": F, "se": F, "lower": F, "upper": F, "n_undefined": N}

RATES = ["tp", "fp", "tn", "fn", "tpr", "fpr", "precision", "accuracy", "f", "criterion"]
CONFUSION = [
    "threshold",
    *RATES[:7],
    "npv",
    "positive_likelihood",
    "negative_likelihood",
    "odds_ratio",
    "accuracy",
    "error",
    "balanced_accuracy",
    "f",
    "mcc",
    "kappa",
    "predicted_rate",
]

# The statistic, its options, its definition, the names of its numbers, and whether one is a threshold.
STATISTICS: list[tuple[str, dict[str, Any], Any, list[str], bool]] = [
    ("roc_auc", {}, oracles.roc_auc, ["auc"], False),
    ("gini", {}, oracles.gini, ["gini"], False),
    ("average_precision", {}, weighted_oracles.average_precision, ["average_precision"], False),
    ("mean_positive_rank", {}, curve_oracles.mean_positive_rank, ["mean_positive_rank"], False),
    ("ks_statistic", {}, oracles.ks_statistic, ["ks", "difference", "threshold"], True),
    (
        "operating_point",
        {"criterion": "youden"},
        functools.partial(weighted_oracles.operating_point, criterion="youden"),
        ["threshold", *RATES],
        True,
    ),
    (
        "confusion_at",
        {"at": 0.75},
        functools.partial(weighted_oracles.confusion_at, at=0.75, z=1.96),
        CONFUSION,
        True,
    ),
    (
        "roc_summary",
        {},
        functools.partial(oracles.roc_summary, z=1.96),
        ["auc", "gini", "ks", "average_precision", "best_threshold"],
        True,
    ),
]

BOOTSTRAP = [
    Entry(
        name="bootstrap_ci",
        make=functools.partial(
            pa.bootstrap_ci,
            cast("Any", statistic),
            level=0.9,
            n_resamples=12,
            seed=7,
            resample=resample,
            **options,
        ),
        oracle=functools.partial(
            bootstrap_ci,
            of=definition,
            names=names,
            level=0.9,
            n_resamples=12,
            seed=7,
            plain=resample == "plain",
        ),
        fields=FIELDS,
        is_list=True,
        exact=False,
        by_value=by_value,
        plugin=f"{statistic}_bootstrap",
    )
    for statistic, options, definition, names, by_value in STATISTICS
    for resample in ("stratified", "plain")
]
