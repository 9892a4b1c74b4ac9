"""The charts of a page."""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from polars_auc._frames.groupings import GROUPING
from polars_auc._page.details import Details
from polars_auc._plots.forest import plot_forest
from polars_auc._plots.layout import ANSWER, MARKED, altair, number_tooltip
from polars_auc._plots.monitoring import monitoring_chart
from polars_auc._plots.names import score_text
from polars_auc._plots.roc import plot_calibration, plot_roc
from polars_auc._plots.stability import plot_stability
from polars_auc._plots.trend import period_of, plot_trend

MAX_CURVES = 8
"""Largest number of scores in a chart: more curves hide each other."""

# Distributions share an axis if the ratio of their highest bars is at most this.
_ALIKE = 4

# Metadata keys that no drawing needs.
_UNREAD = ("$schema", "usermeta", "config")

# Edges keep all digits: their distance may be small relative to their values.
_EDGES = ("low", "high")


# Limits for a part of a chart: groups, and pixels; several parts fit on one printed page.
_GROUPS_OF_PART, _HEIGHT_OF_PART = 24, 330

# Heights and widths in pixels: the header and axis of a panel, a letter of a label, the widest label.
_HEAD, _LETTER, _WIDEST = 50, 6, 280


def charts(
    table: pl.DataFrame, details: Details, level: float, along: str | None = None
) -> dict[str, list[dict[str, Any]]]:
    """Return the charts of a page by name, as Vega-Lite; charts without data are omitted.

    A chart of many panels or groups is split into parts: a printed page can break between them.
    """
    specs: dict[str, Any] = {}
    first = table["score"].unique(maintain_order=True).head(MAX_CURVES).implode()
    few = pl.col("score").is_in(first)
    if details.curves.height:
        bands = details.bands.filter(few) if details.bands.height else None
        specs["curves"] = plot_roc(details.curves.filter(few), band=bands, areas=table)
    if details.panels.height:
        facet = list(details.panel_keys.values())
        areas = _areas(table.filter(few), details.panel_keys)
        specs["panels"] = plot_roc(details.panels.filter(few), areas=areas, facet=facet, columns=4, size=170)
    if details.calibration.height:
        counts = details.score_counts.filter(few)
        specs["calibration"] = plot_calibration(details.calibration.filter(few), distribution=counts)
    groups = table.filter(few, pl.col("scope") == "group", pl.col("auc").is_not_nan())
    if groups.height:
        specs["forest"] = plot_forest(table.filter(few), level=level)
        if (period := period_of(table, along)) is not None:
            specs["trend"] = plot_trend(table.filter(few), period, level)
    if details.history.height:
        specs["history"] = monitoring_chart(
            details.history, "period", ("mean", "alarm"), ["group"], pl.col("group"), level=level
        )
    # Groups without labels have a stability index, and no AUC.
    if "psi" in table.columns and table.filter(few, scope="group")["psi"].is_finite().any():
        specs["stability"] = plot_stability(table.filter(few))
    if details.bars.height:
        specs["distributions"] = _distributions(details.bars.filter(few))
    return {name: _parts(_rounded(chart.to_dict(validate=False))) for name, chart in specs.items()}


def _parts(chart: dict[str, Any]) -> list[dict[str, Any]]:
    """Split a chart into parts with the same axes: by rows of panels, then by groups."""
    if "facet" not in chart:
        return _parts_of_groups(chart)
    names, columns = chart["facet"]["sort"], chart["columns"]
    groups = min(len(_groups_of(chart) or ()), _GROUPS_OF_PART)
    height = groups * chart["spec"]["height"] / len(_groups_of(chart)) if groups else chart["spec"]["height"]
    number = columns * max(1, int(_HEIGHT_OF_PART / (height + _HEAD)))
    field = chart["facet"]["field"]
    parts = []
    for place in range(0, len(names), number):
        some = names[place : place + number]
        changes = {"facet": {**chart["facet"], "sort": some}, "columns": min(columns, len(some))}
        part = _with_rows(chart, field, some) | changes
        parts += _parts_of_groups(part)
    return [parts[0], *map(_continued, parts[1:])]


def _groups_of(chart: dict[str, Any]) -> list[str]:
    """Return the groups on the y axis of a chart."""
    layers = chart.get("spec", chart).get("layer", [])
    axes = [layer["encoding"].get("y", {}) for layer in layers]
    return next((axis["sort"] for axis in axes if axis.get("field") == "group"), [])


def _parts_of_groups(chart: dict[str, Any]) -> list[dict[str, Any]]:
    groups = _groups_of(chart)
    number = math.ceil(len(groups) / _GROUPS_OF_PART)
    if number < 2:
        return [chart]
    size = math.ceil(len(groups) / number)
    extent = min(_WIDEST, _LETTER * max(map(len, groups)) + 10)
    plot = chart.get("spec", chart)
    parts = []
    for place in range(0, len(groups), size):
        some = groups[place : place + size]
        layers = [_with_groups(layer, some, extent) for layer in plot["layer"]]
        changes = {"layer": layers, "height": plot["height"] * len(some) / len(groups)}
        part = _with_rows(chart, "group", some)
        parts.append(part | ({"spec": plot | changes} if "spec" in chart else changes))
    return parts


def _with_groups(layer: dict[str, Any], groups: list[str], extent: int) -> dict[str, Any]:
    axis = layer["encoding"].get("y", {})
    if axis.get("field") != "group":
        return layer
    encoding = axis | {"sort": groups, "axis": axis.get("axis", {}) | {"minExtent": extent}}
    return layer | {"encoding": layer["encoding"] | {"y": encoding}}


def _with_rows(chart: dict[str, Any], field: str, values: list[str]) -> dict[str, Any]:
    """Return a chart whose data is restricted to rows with one of these values."""
    name, kept = chart["data"]["name"], set(values)
    rows = [row for row in chart["datasets"][name] if row.get(field) in kept]
    return chart | {"datasets": {**chart["datasets"], name: rows}}


def _continued(chart: dict[str, Any]) -> dict[str, Any]:
    """Return a later part of a chart, without title and legend: the first part has them."""

    def without_legend(layer: dict[str, Any]) -> dict[str, Any]:
        encoding = {
            name: {**channel, "legend": None}
            if name in ("color", "strokeDash") and "field" in channel
            else channel
            for name, channel in layer.get("encoding", {}).items()
        }
        return layer | ({"encoding": encoding} if encoding else {})

    if "spec" not in chart:
        return chart
    plot = without_legend(chart["spec"])
    if "layer" in plot:
        plot = plot | {"layer": [without_legend(layer) for layer in plot["layer"]]}
    return chart | {"facet": {**chart["facet"], "title": None}, "spec": plot}


def _areas(table: pl.DataFrame, keys: dict[str, str]) -> pl.DataFrame:
    """Return the areas of the groups by these columns, renamed to the columns of the panels."""
    rows = table.filter(pl.col("scope") == "group")
    if GROUPING in table.columns:
        rows = rows.filter(pl.col(GROUPING) == ", ".join(keys))
    renamed = [pl.col(key).alias(name) for key, name in keys.items()]
    return rows.select(*renamed, "score", "auc", "lower", "upper")


def _rounded(value: Any) -> Any:
    """Round all numbers of a chart to six significant digits: more are invisible and enlarge the page.

    NaN and infinity become null, because JSON has neither; no mark is drawn for them.
    """
    if isinstance(value, dict):
        return {
            name: inner if name in _EDGES else _rounded(inner)
            for name, inner in value.items()
            if name not in _UNREAD
        }
    if isinstance(value, list):
        return [_rounded(inner) for inner in value]
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


def _distributions(bars: pl.DataFrame) -> Any:
    """Draw the distribution of both classes in bars of equal width."""
    alt = altair("report")
    scale = alt.Scale(domain=["negative", "positive"], range=[ANSWER, MARKED])
    marks = alt.Chart().mark_bar(opacity=0.5, binSpacing=0)
    chart = marks.encode(
        x=alt.X("low:Q", title="score", bin="binned", scale=alt.Scale(zero=False, nice=False)),
        x2="high:Q",
        y=alt.Y("share:Q", title="share of the class", axis=alt.Axis(format="%"), stack=None),
        color=alt.Color("label:N", title="label", scale=scale),
        tooltip=[
            alt.Tooltip("label:N"),
            alt.Tooltip("range:N", title="score"),
            number_tooltip("n", title="rows", is_integer=True),
            alt.Tooltip("share:Q", format=".2%"),
        ],
    ).properties(width=260, height=150)
    bars = bars.with_columns(score_text())
    scores = bars["score"].unique(maintain_order=True).to_list()
    facet = alt.Facet("score:N", title=None, sort=scores)
    # Each score has its own x axis. On a shared y axis, a score with few values flattens the bars of others.
    highest = bars.group_by("score").agg(pl.col("share").max())["share"].to_list()
    is_alike = max(highest) <= _ALIKE * min(highest)
    return (
        chart.facet(facet, data={"values": bars.to_dicts()}, columns=3)
        .resolve_scale(x="independent", y="shared" if is_alike else "independent")
        .properties(description=f"How the scores of both classes are distributed: {', '.join(scores)}.")
    )
