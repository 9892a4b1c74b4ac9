"""Tests of one score by ranks: their entries of the catalogue."""

from __future__ import annotations

import functools
from typing import Any, Literal

import polars as pl

import polars_auc as pa
from catalogue.entry import COUNTS, Entry, F, N, Sided, W
from oracles import rank_tests as oracles

U_FIELDS = {"u_statistic": F, "z": F, "p_value": F, "method": W, "auc": F, "rank_biserial": F, **COUNTS}
AGREEMENT = ("tau_a", "tau_b", "tau_c", "somers_yx", "somers_xy", "gamma", "consistency", "discriminancy")
PAIR_COUNTS = ("concordant", "discordant", "tied_x", "tied_y", "tied_both")

TESTS: list[tuple[Literal["two-sided", "greater", "less"], bool]] = [
    ("two-sided", True),
    ("greater", False),
    ("less", True),
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


def _concordance_index(time: pl.Expr, event: pl.Expr, score: pl.Expr, **options: Any) -> pl.Expr:
    return pa.concordance_index(time, event, score, level=0.9, **options)


RANK_TESTS = [
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
            "concordance_index",
            functools.partial(_concordance_index, method=method, tau=tau, interval=interval),
            functools.partial(
                oracles.concordance_index, method=method, tau=tau, interval=interval, level=0.9
            ),
            {
                **dict.fromkeys(("concordance", "se", "lower", "upper"), F),
                **dict.fromkeys(("concordant", "discordant", "tied", "n_events", "n"), N),
            },
            columns=("other", "label", "score"),
            by_value=tau is not None,
        )
        for method, tau in CONCORDANCE
        for interval in ("logit", "normal")
    ),
]
