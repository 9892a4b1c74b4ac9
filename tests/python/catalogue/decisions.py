"""Decisions: their entries of the catalogue."""

from __future__ import annotations

import functools

import polars_auc as pa
from catalogue.entry import COUNTS, Entry, F, with_and_without_weights
from oracles import decisions as oracles

NET_BENEFIT = (
    *("threshold", "net_benefit", "se", "lower", "upper", "treat_all", "standardized"),
    *("interventions_avoided", "tpr", "fpr"),
)
THRESHOLDS = [0.5, 0.3125, 0.75, 0.99]

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
]
