"""States: their entries of the catalogue."""

from __future__ import annotations

import functools

import polars as pl

import polars_auc as pa
from catalogue.entry import COUNTS, WEIGHTED, Entry, F, N, W, weighted
from oracles import states as oracles

BIN = pl.Struct({"score": F, "pos": N, "neg": N, "tied": pl.Boolean()})
STATE = {"bins": pl.List(BIN), **COUNTS, "n_missing": N, "has_nan": pl.Boolean(), "resolution": N}
STATE |= {"max_bins": N, "scale": W}
WEIGHT = pl.Decimal(38, 18)
SUMS = dict.fromkeys(("pos", "neg", "pos_squares", "neg_squares"), WEIGHT)
WEIGHTED_STATE = {**STATE, "bins": pl.List(pl.Struct(BIN.to_schema() | SUMS))}
LIMITS = [None, 16]

STATES = [
    Entry(
        "roc_auc_bounds",
        pa.roc_auc_bounds,
        oracles.roc_auc_bounds,
        {"auc": F, "lower": F, "upper": F, **COUNTS, "exact": pl.Boolean()},
    ),
    Entry(
        "roc_auc_bounds",
        weighted(pa.roc_auc_bounds),
        oracles.weighted_roc_auc_bounds,
        {"auc": F, "lower": F, "upper": F, **COUNTS, "exact": pl.Boolean()},
        columns=WEIGHTED,
    ),
    *(
        Entry(
            "roc_state",
            functools.partial(pa.roc_state, max_bins=max_bins),
            oracles.roc_state(max_bins),
            STATE,
            by_value=True,
        )
        for max_bins in LIMITS
    ),
    *(
        Entry(
            "roc_state",
            weighted(pa.roc_state, max_bins=max_bins),
            oracles.roc_state(max_bins),
            WEIGHTED_STATE,
            columns=WEIGHTED,
            by_value=True,
        )
        for max_bins in LIMITS
    ),
]
