"""A chart of the population stability index of the groups of a report."""

from __future__ import annotations

from typing import Any

import polars as pl

from polars_auc._plots.forest import group_name
from polars_auc._plots.layout import ANSWER, MARKED, REFERENCE, altair, number_tooltip
from polars_auc._plots.names import score_text

# Largest number of groups in the chart.
_MAX_BARS = 40

# Pixels of a bar with its padding, and the width of a panel.
_LINE = 16
_WIDTH = 260

# Usual rules of thumb: an index to examine, and a shift.
_LINES = {"look": (0.1, REFERENCE), "shift": (0.25, MARKED)}

_COLUMNS = ("score", "psi", "psi_p_value", "psi_n", "psi_reference_n")


def plot_stability(report: pl.DataFrame) -> Any:
    """Draw the index of each group of a report as a bar, a panel for each score, in descending order.

    An infinite index has no bar.
    """
    alt = altair("report")
    report = report.with_columns(score_text())
    keys = report.columns[1 : report.columns.index("score")]
    groups = report.filter(pl.col("scope") == "group", pl.col("psi").is_finite())
    bars = groups.select(group_name(keys, report.schema).alias("group"), *_COLUMNS).sort(
        "psi", descending=True, maintain_order=True
    )
    order = bars["group"].unique(maintain_order=True).to_list()
    displayed = order[:_MAX_BARS]
    # A faceted chart can read constants only from its rows.
    rows = bars.filter(pl.col("group").is_in(displayed)).with_columns(
        pl.lit(at).alias(name) for name, (at, _) in _LINES.items()
    )
    base = alt.Chart()
    bar = base.mark_bar(color=ANSWER, height={"band": 0.7}).encode(
        y=alt.Y("group:N", sort=displayed, axis=alt.Axis(labelLimit=280, labelOverlap=False, title=None)),
        x=alt.X("psi:Q", title="psi", scale=alt.Scale(domain=[0, rows["psi"].max()], nice=True)),
        tooltip=[
            alt.Tooltip("group:N"),
            alt.Tooltip("score:N"),
            number_tooltip("psi"),
            number_tooltip("psi_p_value", title="p-value"),
            number_tooltip("psi_n", title="rows", is_integer=True),
            number_tooltip("psi_reference_n", title="rows of the reference", is_integer=True),
        ],
    )
    lines = [
        base.mark_rule(color=color, strokeDash=[4, 4], aria=False).encode(x=f"min({name}):Q")
        for name, (_, color) in _LINES.items()
    ]
    few = "" if len(displayed) == len(order) else f" of the {len(displayed)} groups that have moved most"
    scores = report["score"].unique(maintain_order=True).to_list()
    panels = alt.Facet("score:N", title=None, sort=scores)
    chart = alt.layer(bar, *lines).properties(width=_WIDTH, height=_LINE * len(displayed))
    return chart.facet(panels, data={"values": rows.to_dicts()}, columns=3).properties(
        description=f"The population stability index{few}, the highest first."
    )
