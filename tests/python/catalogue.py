"""Every expression, with its definition. Each law of the package runs on each entry."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

import oracles
import polars_auc as pa

Z_90 = 1.6448536269514722


@dataclass(frozen=True)
class Entry:
    """An expression and what it should say of rows of (label, score)."""

    name: str
    make: Callable[..., pl.Expr]
    oracle: Callable[[Sequence[oracles.Row]], Any]
    fields: Mapping[str, pl.DataType] | None = None
    """Fields of the record; None for a number. A threshold's dtype is the score's, here Float64."""
    is_list: bool = False

    @property
    def dtype(self) -> pl.DataType:
        record = pl.Float64() if self.fields is None else pl.Struct(self.fields)
        return pl.List(record) if self.is_list else record

    def __str__(self) -> str:
        return self.name


F: pl.DataType = pl.Float64()
N: pl.DataType = pl.UInt64()
COUNTS = {"n_pos": N, "n_neg": N}
U_FIELDS = {"u_statistic": F, "z": F, "p_value": F, "auc": F, **COUNTS}

TESTS: list[tuple[Literal["two-sided", "greater", "less"], bool]] = [
    ("two-sided", True),
    ("greater", False),
    ("less", True),
]

CATALOGUE = [
    Entry("roc_auc", pa.roc_auc, oracles.roc_auc),
    Entry("gini", pa.gini, oracles.gini),
    Entry(
        "ks_statistic",
        pa.ks_statistic,
        oracles.ks_statistic,
        {"ks": F, "threshold": F, "p_value": F, **COUNTS},
    ),
    *(
        Entry(
            "mann_whitney_u",
            functools.partial(pa.mann_whitney_u, alternative=alternative, continuity=continuity),
            functools.partial(oracles.mann_whitney_u, alternative=alternative, continuity=continuity),
            U_FIELDS,
        )
        for alternative, continuity in TESTS
    ),
    Entry(
        "roc_auc_ci",
        functools.partial(pa.roc_auc_ci, level=0.9),
        functools.partial(oracles.roc_auc_ci, z=Z_90),
        {"auc": F, "se": F, "lower": F, "upper": F, **COUNTS},
    ),
    Entry(
        "roc_summary",
        pa.roc_summary,
        oracles.roc_summary,
        {
            "auc": F,
            "se": F,
            "gini": F,
            "ks": F,
            "average_precision": F,
            "best_threshold": F,
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
