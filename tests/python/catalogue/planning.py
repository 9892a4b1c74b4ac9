"""Planning: its entry of the catalogue."""

from __future__ import annotations

import polars_auc as pa
from catalogue.entry import COUNTS, TWO, Entry, F
from oracles import planning as oracles

PLANNING = [
    Entry(
        "roc_auc_difference_power",
        pa.roc_auc_difference_power,
        oracles.roc_auc_difference_power,
        {**dict.fromkeys(("difference", "power", "needed_pos", "needed_neg"), F), **COUNTS},
        columns=TWO,
    ),
]
