"""Numbers of one score, tests, intervals and comparisons: their entries of the catalogue."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import polars as pl

import polars_auc as pa
from catalogue.entry import COUNTS, Entry, F, N, W
from catalogue.points import WEIGHTED, weighted
from oracles import concordance, partial, points, states
from oracles import scores as oracles

Z_90 = 1.6448536269514722


U_FIELDS = {"u_statistic": F, "z": F, "p_value": F, "method": W, "auc": F, "rank_biserial": F, **COUNTS}
KS_FIELDS = {"ks": F, "difference": F, "threshold": F, "p_value": F, "method": W, **COUNTS}
KS_METHODS: list[Literal["auto", "asymptotic"]] = ["auto", "asymptotic"]
CI_FIELDS = {**dict.fromkeys(("auc", "se", "lower", "upper", "z", "p_value"), F), **COUNTS}
DIFFERENCE = ("estimate_a", "estimate_b", "difference", "se", "lower", "upper", "z", "p_value")
AREAS = {"score": W, "auc": F, "se": F, "lower": F, "upper": F, "covariance": pl.List(F)}
PAIRS = {"score_a": W, "score_b": W, **dict.fromkeys(("difference", "se", "lower", "upper", "z"), F)}
PAIRS |= {"p_value": F, "p_adjusted": F}
AGREEMENT = ("tau_a", "tau_b", "tau_c", "somers_yx", "somers_xy", "gamma", "consistency", "discriminancy")
PAIR_COUNTS = ("concordant", "discordant", "tied_x", "tied_y", "tied_both")
TWO = ("label", "score", "other")
KEYED = ("label", "score", "key")

PARTS: list[tuple[dict[str, Any], partial.Bounds]] = [
    ({"max_fpr": 0.25}, ("fpr", Fraction(0), Fraction(1, 4))),
    ({"min_fpr": 0.125, "max_fpr": 0.5}, ("fpr", Fraction(1, 8), Fraction(1, 2))),
    ({"min_tpr": 0.375}, ("tpr", Fraction(3, 8), Fraction(1))),
    ({"min_tpr": 0.25, "max_tpr": 0.75}, ("tpr", Fraction(1, 4), Fraction(3, 4))),
]
TESTS: list[tuple[Literal["two-sided", "greater", "less"], bool]] = [
    ("two-sided", True),
    ("greater", False),
    ("less", True),
]

Sided: TypeAlias = Literal["two-sided", "greater", "less"]
ALTERNATIVES: list[Sided] = ["two-sided", "greater", "less"]
HYPOTHESES: list[tuple[Sided, float | None, float | None]] = [
    ("two-sided", None, None),
    ("greater", None, None),
    ("less", 0.125, None),
    ("two-sided", None, 0.25),
    ("greater", 0.125, 0.25),
    ("less", None, 0.0625),
]
EXACT: list[tuple[Sided, Literal["deviation", "doubled"]]] = [
    ("two-sided", "deviation"),
    ("two-sided", "doubled"),
    ("greater", "deviation"),
    ("less", "deviation"),
]
BRUNNER: list[tuple[Sided, Literal["t", "normal"]]] = [
    ("two-sided", "t"),
    ("greater", "normal"),
    ("less", "t"),
]
BOOTSTRAP: list[Literal["percentile", "bca"]] = ["percentile", "bca"]
TIES: list[tuple[Literal["half", "zero"], Fraction]] = [("half", Fraction(1, 2)), ("zero", Fraction(0))]
FOLD_METHODS: list[Literal["t", "influence"]] = ["t", "influence"]

BIN = pl.Struct({"score": F, "pos": N, "neg": N, "tied": pl.Boolean()})
STATE = {"bins": pl.List(BIN), **COUNTS, "n_missing": N, "has_nan": pl.Boolean(), "resolution": N}
STATE |= {"max_bins": N, "scale": W}
WEIGHT = pl.Decimal(38, 18)
WEIGHTED_STATE = {**STATE, "bins": pl.List(pl.Struct({**BIN.to_schema(), "pos": WEIGHT, "neg": WEIGHT}))}
LIMITS = [None, 16]

KENDALL: list[tuple[Sided, Literal["auto", "exact", "asymptotic"]]] = [
    ("two-sided", "auto"),
    ("greater", "exact"),
    ("less", "auto"),
    ("less", "asymptotic"),
]
CONCORDANCE: list[tuple[Literal["harrell", "uno"], float | None]] = [
    ("harrell", None),
    ("uno", None),
    ("uno", 1.0),
]


def _gini_index(target: pl.Expr, score: pl.Expr, **options: Any) -> pl.Expr:
    return pa.gini_index(target, score, **options)


def _concordance_index(time: pl.Expr, event: pl.Expr, score: pl.Expr, **options: Any) -> pl.Expr:
    return pa.concordance_index(time, event, score, level=0.9, **options)


SCORES = [
    Entry("roc_auc", pa.roc_auc, oracles.roc_auc),
    Entry("gini", pa.gini, oracles.gini),
    Entry(
        "roc_auc_bounds",
        pa.roc_auc_bounds,
        oracles.roc_auc_bounds,
        {"auc": F, "lower": F, "upper": F, **COUNTS},
    ),
    Entry(
        "roc_auc_bounds",
        weighted(pa.roc_auc_bounds),
        points.roc_auc_bounds,
        {"auc": F, "lower": F, "upper": F, **COUNTS},
        columns=WEIGHTED,
    ),
    *(
        Entry(
            "roc_state",
            functools.partial(pa.roc_state, max_bins=max_bins),
            states.roc_state(max_bins),
            STATE,
            by_value=True,
        )
        for max_bins in LIMITS
    ),
    *(
        Entry(
            "roc_state",
            weighted(pa.roc_state, max_bins=max_bins),
            states.roc_state(max_bins),
            WEIGHTED_STATE,
            columns=WEIGHTED,
            by_value=True,
        )
        for max_bins in LIMITS
    ),
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
            "mann_whitney_u",
            functools.partial(
                pa.mann_whitney_u, alternative=alternative, continuity=continuity, method="asymptotic"
            ),
            functools.partial(oracles.mann_whitney_u, alternative=alternative, continuity=continuity),
            U_FIELDS,
        )
        for alternative, continuity in TESTS
    ),
    *(
        Entry(
            "mann_whitney_u",
            functools.partial(pa.mann_whitney_u, alternative=alternative, two_sided=two_sided),
            functools.partial(
                oracles.mann_whitney_u, alternative=alternative, continuity=True, two_sided=two_sided
            ),
            U_FIELDS,
        )
        for alternative, two_sided in EXACT
    ),
    *(
        Entry(
            "brunner_munzel",
            functools.partial(pa.brunner_munzel, alternative=alternative, distribution=distribution),
            functools.partial(oracles.brunner_munzel, alternative=alternative, distribution=distribution),
            {"statistic": F, "df": F, "p_value": F, "auc": F, "se": F, **COUNTS},
        )
        for alternative, distribution in BRUNNER
    ),
    Entry(
        "hodges_lehmann",
        functools.partial(pa.hodges_lehmann, level=0.9),
        functools.partial(oracles.hodges_lehmann, level=0.9),
        {"shift": F, "lower": F, "upper": F, "method": W, **COUNTS},
        by_value=True,
    ),
    Entry(
        "kruskal_wallis",
        pa.kruskal_wallis,
        oracles.kruskal_wallis,
        {"statistic": F, "df": N, "p_value": F, "n_samples": N, "n": N},
        columns=("key", "score"),
    ),
    *(
        Entry(
            "rank_agreement",
            functools.partial(pa.rank_agreement, alternative=alternative, method=method),
            functools.partial(oracles.rank_agreement, alternative=alternative, method=method),
            {
                **dict.fromkeys(PAIR_COUNTS, N),
                **dict.fromkeys((*AGREEMENT, "z", "p_value"), F),
                "method": W,
                "n": N,
            },
            columns=("score", "other"),
        )
        for alternative, method in KENDALL
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
    *(
        Entry(
            "concordance_index",
            functools.partial(_concordance_index, method=method, tau=tau),
            functools.partial(concordance.concordance_index, method=method, tau=tau, z=Z_90),
            {
                **dict.fromkeys(("concordance", "se", "lower", "upper"), F),
                **dict.fromkeys(("concordant", "discordant", "tied", "n_events", "n"), N),
            },
            columns=("other", "label", "score"),
            by_value=tau is not None,
        )
        for method, tau in CONCORDANCE
    ),
    Entry(
        "roc_auc_ci",
        functools.partial(pa.roc_auc_ci, level=0.9),
        functools.partial(oracles.roc_auc_ci, z=Z_90),
        CI_FIELDS,
    ),
    Entry(
        "roc_auc_ci",
        functools.partial(pa.roc_auc_ci, level=0.9, method="logit", alternative="greater", null=0.6),
        functools.partial(oracles.roc_auc_ci, z=Z_90, method="logit", test=oracles.Question("greater", 0.6)),
        CI_FIELDS,
    ),
    Entry(
        "roc_auc_ci",
        functools.partial(pa.roc_auc_ci, level=0.9, method="hanley_mcneil", margin=0.2),
        functools.partial(
            oracles.roc_auc_ci, z=Z_90, method="hanley_mcneil", test=oracles.Question(margin=0.2)
        ),
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
        for interval in BOOTSTRAP
    ),
    Entry(
        "roc_auc_ci",
        lambda label, score, cluster, **options: pa.roc_auc_ci(
            label, score, cluster=cluster, level=0.9, alternative="less", null=0.7, margin=0.1, **options
        ),
        functools.partial(oracles.roc_auc_ci_clustered, z=Z_90, test=oracles.Question("less", 0.7, 0.1)),
        {**CI_FIELDS, "n_clusters": N},
        columns=KEYED,
        plugin="roc_auc_ci_clustered",
    ),
    *(
        Entry(
            "roc_auc_difference",
            functools.partial(
                pa.roc_auc_difference, alternative=alternative, null=null, margin=margin, level=0.9
            ),
            functools.partial(
                oracles.roc_auc_difference, test=oracles.Question(alternative, null, margin), z=Z_90
            ),
            {**dict.fromkeys(DIFFERENCE, F), **COUNTS},
            columns=TWO,
        )
        for alternative, null, margin in HYPOTHESES
    ),
    *(
        Entry(
            "roc_auc_ci",
            functools.partial(pa.roc_auc_ci, level=0.9, standardized=standardized, **options),
            functools.partial(
                partial.roc_auc_ci, bounds=bounds, standardized=standardized, z=Z_90, test=oracles.PLAIN
            ),
            CI_FIELDS,
            plugin="roc_auc_ci_partial",
            exact=False,
        )
        for options, bounds in PARTS
        for standardized in (False, True, "always")
    ),
    *(
        Entry(
            "roc_auc_difference",
            functools.partial(pa.roc_auc_difference, level=0.9, **options),
            functools.partial(partial.roc_auc_difference, bounds=bounds, z=Z_90, test=oracles.PLAIN),
            {**dict.fromkeys(DIFFERENCE, F), **COUNTS},
            columns=TWO,
            exact=False,
        )
        for options, bounds in PARTS
    ),
    Entry(
        "roc_auc_difference",
        lambda label, a, b, cluster, **options: pa.roc_auc_difference(
            label, a, b, cluster=cluster, level=0.9, **options
        ),
        functools.partial(oracles.roc_auc_difference_clustered, z=Z_90),
        {**dict.fromkeys(DIFFERENCE, F), **COUNTS},
        columns=(*TWO, "key"),
    ),
    Entry(
        "roc_auc_difference",
        functools.partial(pa.roc_auc_difference, method="bootstrap", max_fpr=0.3, n_resamples=9),
        functools.partial(oracles.partial_area_difference, max_fpr=Fraction(3, 10)),
        {**dict.fromkeys(DIFFERENCE, F), **COUNTS},
        columns=TWO,
    ),
    Entry(
        "roc_auc_difference_power",
        pa.roc_auc_difference_power,
        oracles.roc_auc_difference_power,
        {**dict.fromkeys(("difference", "power", "needed_pos", "needed_neg"), F), **COUNTS},
        columns=TWO,
    ),
    Entry(
        "roc_auc_compare",
        functools.partial(pa.roc_auc_compare, level=0.9),
        functools.partial(oracles.roc_auc_compare, z=Z_90),
        {
            "areas": pl.List(pl.Struct(AREAS)),
            "differences": pl.List(pl.Struct(PAIRS)),
            "chi_square": F,
            "df": N,
            "p_value": F,
            **COUNTS,
        },
        columns=TWO,
    ),
    Entry(
        "roc_curve_difference",
        functools.partial(pa.roc_curve_difference, n_permutations=9),
        oracles.roc_curve_difference,
        {"statistic": F, "p_value": F, **COUNTS},
        columns=TWO,
    ),
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
            plugin="cv_roc_auc_clustered",
            exact=False,
        )
        for ties, tie in TIES
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
            "ks": F,
            "average_precision": F,
            "best_threshold": F,
            "prevalence": F,
            "n": N,
            "n_missing": N,
            **COUNTS,
        },
    ),
    Entry(
        "roc_curve",
        pa.roc_curve,
        oracles.roc_curve,
        {"threshold": F, "fp": N, "tp": N, "fpr": F, "tpr": F},
        is_list=True,
    ),
]
