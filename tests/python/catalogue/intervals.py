"""Intervals: their entries of the catalogue."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import Any, Literal, cast

import polars as pl

import polars_auc as pa
from catalogue.entry import COUNTS, KEYED, WEIGHTED, Z_90, Entry, F, N, W, weighted
from oracles import areas, numbers, rows, thresholds, weights
from oracles import intervals as oracles
from oracles.intervals import bootstrap_ci

CI_FIELDS = {**dict.fromkeys(("auc", "se", "lower", "upper", "z", "p_value"), F), **COUNTS}

PARTS: list[tuple[dict[str, Any], areas.Bounds]] = [
    ({"max_fpr": 0.25}, ("fpr", Fraction(0), Fraction(1, 4))),
    ({"min_fpr": 0.125, "max_fpr": 0.5}, ("fpr", Fraction(1, 8), Fraction(1, 2))),
    ({"min_tpr": 0.375}, ("tpr", Fraction(3, 8), Fraction(1))),
    ({"min_tpr": 0.25, "max_tpr": 0.75}, ("tpr", Fraction(1, 4), Fraction(3, 4))),
]

PARTIAL_METHODS: list[Literal["delong"] | None] = ["delong", None]
CLUSTERED_METHODS: list[Literal["delong"] | None] = [None, "delong"]
BOOTSTRAP_LIMITS: list[Literal["percentile", "bca"]] = ["percentile", "bca"]
BOOTSTRAP_FIELDS = {"field": W, "estimate": F, "se": F, "lower": F, "upper": F, "n_undefined": N}
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
    ("roc_auc", {}, areas.roc_auc, ["auc"], False),
    ("gini", {}, numbers.gini, ["gini"], False),
    ("average_precision", {}, numbers.average_precision, ["average_precision"], False),
    ("mean_positive_rank", {}, numbers.mean_positive_rank, ["mean_positive_rank"], False),
    ("ks_statistic", {}, numbers.ks_statistic, ["ks", "difference", "threshold"], True),
    (
        "operating_point",
        {"criterion": "youden"},
        functools.partial(thresholds.operating_point, criterion="youden"),
        ["threshold", *RATES],
        True,
    ),
    (
        "confusion_at",
        {"at": 0.75},
        functools.partial(thresholds.confusion_at, at=0.75, z=1.96),
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


def _clustered(label: pl.Expr, score: pl.Expr, cluster: pl.Expr, **options: Any) -> pl.Expr:
    return pa.roc_auc_ci(label, score, cluster=cluster, **options)


def _weighted_clustered(
    label: pl.Expr, score: pl.Expr, weight: pl.Expr, cluster: pl.Expr, **options: Any
) -> pl.Expr:
    return pa.roc_auc_ci(label, score, weight=weight, cluster=cluster, **options)


INTERVALS = [
    Entry(
        "roc_auc_ci",
        weighted(pa.roc_auc_ci, level=0.9),
        functools.partial(oracles.weighted_roc_auc_ci, z=Z_90, method="wilson"),
        CI_FIELDS,
        columns=WEIGHTED,
    ),
    Entry(
        "roc_auc_ci",
        weighted(pa.roc_auc_ci, level=0.9, method="delong"),
        functools.partial(oracles.weighted_roc_auc_ci, z=Z_90),
        CI_FIELDS,
        columns=WEIGHTED,
    ),
    Entry(
        "roc_auc_ci",
        functools.partial(pa.roc_auc_ci, level=0.9),
        functools.partial(oracles.roc_auc_ci, z=Z_90, method="wilson"),
        CI_FIELDS,
    ),
    Entry(
        "roc_auc_ci",
        functools.partial(pa.roc_auc_ci, level=0.9, method="wilson", margin=0.2, null=0.6),
        functools.partial(
            oracles.roc_auc_ci, z=Z_90, method="wilson", test=rows.Question(null=0.6, margin=0.2)
        ),
        CI_FIELDS,
    ),
    Entry(
        "roc_auc_ci",
        functools.partial(pa.roc_auc_ci, level=0.9, method="delong"),
        functools.partial(oracles.roc_auc_ci, z=Z_90),
        CI_FIELDS,
    ),
    Entry(
        "roc_auc_ci",
        functools.partial(pa.roc_auc_ci, level=0.9, method="logit", alternative="greater", null=0.6),
        functools.partial(oracles.roc_auc_ci, z=Z_90, method="logit", test=rows.Question("greater", 0.6)),
        CI_FIELDS,
    ),
    Entry(
        "roc_auc_ci",
        functools.partial(pa.roc_auc_ci, level=0.9, method="hanley_mcneil", margin=0.2),
        functools.partial(oracles.roc_auc_ci, z=Z_90, method="hanley_mcneil", test=rows.Question(margin=0.2)),
        CI_FIELDS,
    ),
    Entry(
        "roc_auc_ci",
        functools.partial(pa.roc_auc_ci, level=0.9, method="obuchowski"),
        functools.partial(oracles.roc_auc_ci, z=Z_90, method="obuchowski"),
        CI_FIELDS,
        exact=False,
    ),
    *(
        Entry(
            "roc_auc_ci",
            functools.partial(pa.roc_auc_ci, method="bootstrap", interval=interval, n_resamples=9),
            oracles.roc_auc_bootstrap,
            CI_FIELDS,
        )
        for interval in BOOTSTRAP_LIMITS
    ),
    *(
        Entry(
            "roc_auc_ci",
            functools.partial(_clustered, level=0.9, alternative="less", null=0.7, margin=0.1, method=method),
            functools.partial(
                oracles.roc_auc_ci_clustered,
                z=Z_90,
                test=rows.Question("less", 0.7, 0.1),
                method=method or "wilson",
            ),
            {**CI_FIELDS, "n_clusters": N},
            columns=KEYED,
            variant="RocAucCiClustered",
        )
        for method in CLUSTERED_METHODS
    ),
    *(
        Entry(
            "roc_auc_ci",
            functools.partial(_weighted_clustered, level=0.9, method=method),
            functools.partial(weights.roc_auc_ci_clustered, z=Z_90, method=method or "wilson"),
            {**CI_FIELDS, "n_clusters": N},
            columns=(*WEIGHTED, "key"),
            variant="RocAucCiClustered",
        )
        for method in CLUSTERED_METHODS
    ),
    *(
        Entry(
            "roc_auc_ci",
            functools.partial(pa.roc_auc_ci, level=0.9, standardized=standardized, method=method, **options),
            functools.partial(
                oracles.partial_roc_auc_ci,
                bounds=bounds,
                standardized=standardized,
                level=0.9,
                test=rows.PLAIN,
                method=method or "logit",
            ),
            CI_FIELDS,
            variant="RocAucCiPartial",
            exact=False,
        )
        for options, bounds in PARTS
        for standardized in (False, True, "always")
        for method in PARTIAL_METHODS
    ),
    Entry(
        "roc_summary",
        functools.partial(pa.roc_summary, level=0.9),
        functools.partial(oracles.roc_summary, z=Z_90),
        {
            "auc": F,
            "se": F,
            "lower": F,
            "upper": F,
            "gini": F,
            "gini_lower": F,
            "gini_upper": F,
            "ks": F,
            "average_precision": F,
            "best_threshold": F,
            "prevalence": F,
            "n": N,
            "n_missing": N,
            "n_unlabelled": N,
            **COUNTS,
        },
    ),
    *[
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
            fields=BOOTSTRAP_FIELDS,
            is_list=True,
            exact=False,
            by_value=by_value,
            variant="Bootstrap" + statistic.title().replace("_", ""),
        )
        for statistic, options, definition, names, by_value in STATISTICS
        for resample in ("stratified", "plain")
    ],
]
