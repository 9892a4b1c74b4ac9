"""The catalogue's entries of curves, tables and fitted curves: what an ``Entry`` is made of."""

from __future__ import annotations

import functools
from typing import Any

import polars as pl

import oracles_curves
import polars_auc as pa

F: pl.DataType = pl.Float64()
N: pl.DataType = pl.UInt64()
COUNTS = {"n_pos": N, "n_neg": N}

GAINS = {"band": N, "highest": F, "lowest": F, "n": N, **COUNTS, "rate": F}
GAINS |= {"cum_n": N, "cum_pos": N, "cum_neg": N}
GAINS |= dict.fromkeys(("gain", "cum_fpr", "lift", "cum_lift", "ks"), F)

ENTRIES: list[dict[str, Any]] = [
    {
        "name": "mean_positive_rank",
        "make": pa.mean_positive_rank,
        "oracle": oracles_curves.mean_positive_rank,
    },
    {
        "name": "det_curve",
        "make": pa.det_curve,
        "oracle": oracles_curves.det_curve,
        "fields": {"threshold": F, "fp": N, "fn": N, "fpr": F, "fnr": F},
        "is_list": True,
    },
    {
        "name": "cap_curve",
        "make": pa.cap_curve,
        "oracle": oracles_curves.cap_curve,
        "fields": {"threshold": F, "n": N, "tp": N, "population": F, "captured": F},
        "is_list": True,
    },
    *(
        {
            "name": "gains_table",
            "make": functools.partial(pa.gains_table, bands=bands),
            "oracle": functools.partial(oracles_curves.gains_table, bands=bands),
            "fields": GAINS,
            "is_list": True,
        }
        for bands in (3, 10)
    ),
]
