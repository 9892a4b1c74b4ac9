"""Thresholds, curves and areas, with weights and without: their entries of the catalogue."""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import polars as pl

import polars_auc as pa
from catalogue.entry import COUNTS, Entry, F, N, W
from oracles import points as oracles

Z_90 = 1.6448536269514722
WEIGHTED = ("label", "score", "weight")
HALF = Fraction(1, 2)


def weighted(function: Callable[..., pl.Expr], **options: Any) -> Callable[..., pl.Expr]:
    return lambda label, score, weight: function(label, score, weight=weight, **options)


def both(
    name: str,
    function: Callable[..., pl.Expr],
    oracle: Callable[..., Any],
    fields: Callable[[pl.DataType], dict[str, pl.DataType]] | None,
    *,
    plugin: str | None = None,
    is_list: bool = False,
    by_value: bool = False,
    exact: bool = True,
    **options: Any,
) -> list[Entry]:
    """The entries without and with weights: masses are counts, and with weights sums of weights."""
    plain, heavy = (None, None) if fields is None else (fields(N), fields(F))
    common: dict[str, Any] = {} if fields is None else {"weighted": False}
    heavier: dict[str, Any] = {} if fields is None else {"weighted": True}
    of_plain, of_heavy = functools.partial(oracle, **common), functools.partial(oracle, **heavier)
    return [
        Entry(
            name,
            functools.partial(function, **options),
            of_plain,
            plain,
            is_list,
            by_value=by_value,
            plugin=plugin,
            exact=exact,
        ),
        Entry(
            name, weighted(function, **options), of_heavy, heavy, is_list, WEIGHTED, by_value, plugin, exact
        ),
    ]


def point(mass: pl.DataType) -> dict[str, pl.DataType]:
    return {"threshold": F, "fp": mass, "tp": mass, "fpr": F, "tpr": F}


def counted(mass: pl.DataType) -> dict[str, pl.DataType]:
    rates = dict.fromkeys(oracles.RATES, F)
    return {"threshold": F, **dict.fromkeys(("tp", "fp", "tn", "fn"), mass), **rates, **COUNTS}


def confusion(mass: pl.DataType) -> dict[str, pl.DataType]:
    rates = dict.fromkeys(oracles.CONFUSION, F)
    return {"threshold": F, **dict.fromkeys(("tp", "fp", "tn", "fn"), mass), **rates, **COUNTS}


def curve(make: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return functools.partial(oracles.on_curve, make=functools.partial(make, **options))


def at_rates(what: str) -> dict[str, Any]:
    return {f"at_{what}": [0.0, 0.3, 0.5, 1.0]}


KS = {"ks": F, "difference": F, "threshold": F, "p_value": F, "method": W, **COUNTS}
CI = {**dict.fromkeys(("auc", "se", "lower", "upper", "z", "p_value"), F), **COUNTS}

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

CRITERIA: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("youden", {}, {}),
    ("youden", {"cost": 2.0, "prevalence": 0.3}, {"ratio": Fraction(7, 6)}),
    ("closest_topleft", {}, {}),
    ("closest_topleft", {"cost": 0.5}, {"ratio": Fraction(2)}),
    ("cost", {"cost": 2.0}, {"ratio": None, "cost": Fraction(2)}),
    ("max_f", {"beta": 2.0}, {"beta": Fraction(2)}),
    ("target_fpr", {"target": 0.25}, {"target": 0.25}),
    ("target_tpr", {"target": 0.6}, {"target": 0.6}),
    ("target_precision", {"target": 0.7}, {"target": 0.7}),
    ("top_p", {}, {}),
    ("youden", {"max_fpr": 0.5}, {"within": (0.0, 0.5)}),
    ("closest_topleft", {"min_fpr": 0.25}, {"within": (0.25, 1.0)}),
    (
        "cost",
        {"cost": 2.0, "min_fpr": 0.25, "max_fpr": 0.75},
        {"ratio": None, "cost": Fraction(2), "within": (0.25, 0.75)},
    ),
    ("max_f", {"min_fpr": 0.125, "max_fpr": 0.5}, {"within": (0.125, 0.5)}),
    ("target_tpr", {"target": 0.6, "max_fpr": 0.5}, {"target": 0.6, "within": (0.0, 0.5)}),
    ("target_precision", {"target": 0.5, "min_fpr": 0.25}, {"target": 0.5, "within": (0.25, 1.0)}),
]

POINTS = [
    Entry("roc_auc", weighted(pa.roc_auc), oracles.roc_auc, columns=WEIGHTED),
    Entry("gini", weighted(pa.gini), oracles.gini, columns=WEIGHTED),
    Entry("ks_statistic", weighted(pa.ks_statistic), oracles.ks_statistic, KS, columns=WEIGHTED),
    Entry(
        "roc_auc_ci",
        weighted(pa.roc_auc_ci, level=0.9),
        functools.partial(oracles.roc_auc_ci_weighted, z=Z_90),
        CI,
        columns=WEIGHTED,
    ),
    *both("average_precision", pa.average_precision, oracles.average_precision, None, exact=False),
    *(
        entry
        for options, expected in PARTIAL
        for entry in both(
            "roc_auc",
            pa.roc_auc,
            functools.partial(oracles.partial_area, **expected),
            None,
            exact=False,
            **options,
        )
    ),
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
        plugin="roc_curve_thinned",
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
            plugin="roc_curve_at",
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
        plugin="roc_curve_at_threshold",
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
    *(
        entry
        for criterion, options, expected in CRITERIA
        for entry in both(
            "operating_point",
            pa.operating_point,
            functools.partial(oracles.operating_point, criterion=criterion, **expected),
            counted,
            criterion=criterion,
            **options,
        )
    ),
    *both(
        "confusion_at",
        functools.partial(pa.confusion_at, at=0.75, level=0.9, beta=0.5),
        functools.partial(oracles.confusion_at, at=0.75, z=Z_90, beta=HALF),
        confusion,
        by_value=True,
    ),
    *both(
        "confusion_at",
        functools.partial(pa.confusion_at, at=[0.75, -1.0, 5.0], level=0.9),
        functools.partial(oracles.confusions_at, at=[0.75, -1.0, 5.0], z=Z_90),
        confusion,
        by_value=True,
        is_list=True,
        plugin="confusion_at_several",
    ),
]
