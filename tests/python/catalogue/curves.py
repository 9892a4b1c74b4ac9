"""Curves and tables: their entries of the catalogue."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import polars as pl

import polars_auc as pa
from catalogue.entry import COUNTS, Entry, F, N, both, with_and_without_weights
from oracles import curves as oracles


def point(mass: pl.DataType) -> dict[str, pl.DataType]:
    return {"threshold": F, "fp": mass, "tp": mass, "fpr": F, "tpr": F}


def curve(make: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return functools.partial(oracles.on_curve, make=functools.partial(make, **options))


def at_rates(what: str) -> dict[str, Any]:
    return {f"at_{what}": [0.0, 0.3, 0.5, 1.0]}


GAINS = {"band": N, "highest": F, "lowest": F, "n": N, **COUNTS, "rate": F}
GAINS |= {"cum_n": N, "cum_pos": N, "cum_neg": N}
GAINS |= dict.fromkeys(("gain", "cum_fpr", "lift", "cum_lift", "ks"), F)

CURVES = [
    *both("roc_curve", pa.roc_curve, curve(oracles.whole_curve), point, is_list=True),
    *both(
        "roc_curve",
        pa.roc_curve,
        curve(oracles.without_intermediate),
        point,
        is_list=True,
        drop_intermediate=True,
    ),
    *both(
        "roc_curve",
        pa.roc_curve,
        curve(oracles.thinned, most=4),
        lambda mass: {**point(mass), "error": F},
        is_list=True,
        variant="RocCurveThinned",
        max_points=4,
    ),
    *(
        entry
        for what in ("fpr", "tpr")
        for entry in both(
            "roc_curve",
            pa.roc_curve,
            curve(oracles.at_rates, what=what, rates=[0.0, 0.3, 0.5, 1.0]),
            point,
            is_list=True,
            variant="RocCurveAt",
            exact=False,
            **at_rates(what),
        )
    ),
    *both(
        "roc_curve",
        pa.roc_curve,
        curve(oracles.at_thresholds, numbers=[2, -1.5, 0.25]),
        lambda mass: {**point(mass), "tn": mass, "fn": mass},
        is_list=True,
        variant="RocCurveAtThreshold",
        by_value=True,
        at_threshold=[2, -1.5, 0.25],
    ),
    *both(
        "pr_curve",
        pa.pr_curve,
        functools.partial(oracles.on_curve, make=oracles.pr_curve, needs_negatives=False),
        lambda mass: {"threshold": F, "fp": mass, "tp": mass, "precision": F, "recall": F},
        is_list=True,
    ),
    *both("roc_convex_hull", pa.roc_convex_hull, curve(oracles.convex_hull), point, is_list=True),
    *both(
        "cost_curve",
        pa.cost_curve,
        curve(oracles.cost_curve),
        lambda _: {"probability_cost": F, "expected_cost": F, "threshold": F, "fpr": F, "tpr": F},
        is_list=True,
    ),
    Entry(
        "roc_curve",
        pa.roc_curve,
        oracles.roc_curve,
        {"threshold": F, "fp": N, "tp": N, "fpr": F, "tpr": F},
        is_list=True,
    ),
    Entry(
        name="det_curve",
        make=pa.det_curve,
        oracle=oracles.det_curve,
        fields={"threshold": F, "fp": N, "fn": N, "fpr": F, "fnr": F},
        is_list=True,
    ),
    Entry(
        name="cap_curve",
        make=pa.cap_curve,
        oracle=oracles.cap_curve,
        fields={"threshold": F, "n": N, "tp": N, "population": F, "captured": F},
        is_list=True,
    ),
    *(
        Entry(
            name="gains_table",
            make=functools.partial(pa.gains_table, bands=bands),
            oracle=functools.partial(oracles.gains_table, bands=bands),
            fields=GAINS,
            is_list=True,
        )
        for bands in (3, 10)
    ),
    Entry(
        name="gains_table",
        make=functools.partial(pa.gains_table, edges=[-1.5, 0, 1.5]),
        oracle=functools.partial(oracles.gains_table, bands=4, edges=(-1.5, 0.0, 1.5)),
        fields=GAINS,
        is_list=True,
        by_value=True,
    ),
    *(
        Entry(
            name="gains_table",
            make=functools.partial(pa.gains_table, bands=4, calibration=True),
            oracle=functools.partial(oracles.gains_table, bands=4, calibration=True),
            fields={**GAINS, "mean_score": F, "expected_positives": F},
            is_list=True,
            by_value=True,
            columns=("label", score),
            variant="CalibratedGainsTable",
        )
        for score in ("score", "probability")
    ),
    *(
        Entry(
            name="binormal_roc_auc",
            make=functools.partial(make, method=method),
            oracle=oracle,
            fields={"auc": F, "intercept": F, "slope": F, **COUNTS},
            exact=False,
            by_value=method == "moments",
            columns=columns,
        )
        for method, oracle in (
            ("least_squares", oracles.binormal_roc_auc),
            ("moments", oracles.roc_binormal_moments),
        )
        for make, columns in with_and_without_weights(pa.binormal_roc_auc)
    ),
    *(
        Entry(
            name="binormal_roc_curve",
            make=functools.partial(make, **options),
            oracle=functools.partial(oracles.binormal_roc_curve, at_fpr=at_fpr),
            fields={"fpr": F, "tpr": F},
            is_list=True,
            exact=False,
            columns=columns,
        )
        for options, at_fpr in (
            ({"at_fpr": [0.1, 0.01, 0.9]}, (0.1, 0.01, 0.9)),
            ({"n_points": 5}, (0.0, 0.25, 0.5, 0.75, 1.0)),
        )
        for make, columns in with_and_without_weights(pa.binormal_roc_curve)
    ),
]
