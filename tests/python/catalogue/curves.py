"""The catalogue's entries of curves, tables and fitted curves: what an ``Entry`` is made of."""

from __future__ import annotations

import functools
from fractions import Fraction

import polars_auc as pa
from catalogue.entry import COUNTS, Entry, F, N
from oracles import curves as oracles

GAINS = {"band": N, "highest": F, "lowest": F, "n": N, **COUNTS, "rate": F}
GAINS |= {"cum_n": N, "cum_pos": N, "cum_neg": N}
GAINS |= dict.fromkeys(("gain", "cum_fpr", "lift", "cum_lift", "ks"), F)

CURVES = [
    Entry(
        name="mean_positive_rank",
        make=pa.mean_positive_rank,
        oracle=oracles.mean_positive_rank,
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
    Entry(
        name="roc_binormal",
        make=pa.roc_binormal,
        oracle=oracles.roc_binormal,
        fields={"auc": F, "intercept": F, "slope": F, **COUNTS},
        exact=False,
    ),
    Entry(
        name="roc_binormal",
        make=functools.partial(pa.roc_binormal, method="moments"),
        oracle=oracles.roc_binormal_moments,
        fields={"auc": F, "intercept": F, "slope": F, **COUNTS},
        exact=False,
        by_value=True,
    ),
    *(
        Entry(
            name="binormal_curve",
            make=functools.partial(pa.binormal_curve, **options),
            oracle=functools.partial(oracles.binormal_curve, at_fpr=at_fpr),
            fields={"fpr": F, "tpr": F},
            is_list=True,
            exact=False,
        )
        for options, at_fpr in (
            ({"at_fpr": [0.1, 0.01, 0.9]}, (0.1, 0.01, 0.9)),
            ({"n_points": 5}, (0.0, 0.25, 0.5, 0.75, 1.0)),
        )
    ),
    *(
        Entry(
            name=name,
            make=lambda label, score, make=make, at=at: make(label, score, at, n_resamples=9),
            oracle=functools.partial(oracles.rate_at_rate, at=Fraction(str(at)), wanted=name[:3]),
            fields={name[:3]: F, "se": F, "lower": F, "upper": F, **COUNTS},
            exact=False,
        )
        for name, make, at in (
            ("tpr_at_fpr", pa.tpr_at_fpr, 0.3),
            ("tpr_at_fpr", pa.tpr_at_fpr, 0.0),
            ("fpr_at_tpr", pa.fpr_at_tpr, 0.8),
        )
    ),
]
