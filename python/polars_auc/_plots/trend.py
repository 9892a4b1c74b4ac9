"""A chart of the AUC of a score over periods."""

from __future__ import annotations

from typing import Any

import polars as pl

from polars_auc._frames.groupings import group_names
from polars_auc._plots.forest import group_name
from polars_auc._plots.layout import ANSWER, COLORS, MARKED, altair, area_scale, number_tooltip
from polars_auc._plots.names import key_text, score_text
from polars_auc._plots.numbers import after_adjustment
from polars_auc._plugin.periods import period_dtype

# Smallest number of periods of a line.
_LEAST = 3

# Largest number of panels of groups, and their size.
_MAX_PANELS = 12
_WIDTH, _HEIGHT = 260, 130

_PERIOD = r"^\d{4}-(\d{1,2}|[QWH]\d{1,2})(-\d{1,2})?$"


def period_of(table: pl.DataFrame, along: str | None, least: int = _LEAST) -> str | None:
    """Return the period column of a report: the selected one, or one of dates or months."""
    keys = table.columns[1 : table.columns.index("score")]
    groups = table.filter(pl.col("scope") == "group")
    for key in keys if along is None else [along]:
        values = groups[key].drop_nulls()
        is_text = table.schema[key] == pl.String and values.str.contains(_PERIOD).all()
        is_period = along is not None or table.schema[key] in (pl.Date, pl.Datetime) or is_text
        if is_period and values.n_unique() >= least and _has_order(values):
            return key
    return None


def _has_order(values: pl.Series) -> bool:
    try:
        period_dtype(values)
    except ValueError:
        return False
    return True


def plot_trend(report: pl.DataFrame, period: str, level: float) -> Any:
    """Draw the AUC of each score over the periods of a report, with its limits; other groups have panels."""
    alt = altair("report")
    report = report.with_columns(score_text())
    keys = report.columns[1 : report.columns.index("score")]
    others = [key for key in keys if key != period]
    groups = report.filter(
        pl.col("scope") == "group",
        group_names(report.schema, period),
        pl.col(period).is_not_null(),
        pl.col("auc").is_not_nan(),
    )
    tested = "p_adjusted" in report.columns
    differs = (pl.col("p_adjusted") <= 1 - level).fill_null(value=False) if tested else pl.lit(value=False)
    rest = group_name(others, report.schema) if others else pl.lit("")
    rows = groups.sort(pl.col(period).cast(period_dtype(groups[period])), maintain_order=True).select(
        rest.alias("panel"),
        key_text(period).alias("period")
        if report.schema[period] == pl.String
        else pl.col(period).cast(pl.String).alias("period"),
        "score",
        "n",
        "auc",
        "lower",
        "upper",
        differs=differs,
    )
    periods = rows["period"].unique(maintain_order=True).to_list()
    sizes = (
        rows.group_by("panel", maintain_order=True)
        .agg(pl.col("n").sum())
        .sort("n", descending=True, maintain_order=True)
    )
    rows = rows.filter(pl.col("panel").is_in(sizes["panel"].head(_MAX_PANELS).implode()))
    displayed = set(rows["panel"])
    panels = [
        name for name in groups.select(rest).to_series().unique(maintain_order=True) if name in displayed
    ]
    scores = report["score"].unique(maintain_order=True).to_list()
    scale = area_scale(number for name in ("auc", "lower", "upper") for number in rows[name])
    chart = _layers(alt, periods, scores, period, scale).properties(
        width=_WIDTH * 2 if len(panels) == 1 else _WIDTH, height=_HEIGHT
    )
    few = f" of the {len(panels)} groups with the most rows" if len(panels) < sizes.height else ""
    description = f"The AUC{few} by {period}, and its interval as the area about it."
    if rows["differs"].any():
        adjusted = after_adjustment(report, "p_adjusted")
        description += f" Diamonds are significantly different at level {1 - level:.6g}{adjusted}."
    data = {"values": rows.to_dicts()}
    if len(panels) == 1:
        return chart.properties(data=data, description=description)
    facet = alt.Facet("panel:N", title=", ".join(others), sort=panels)
    return chart.facet(facet, data=data, columns=3).properties(description=description)


def _layers(alt: Any, periods: list[str], scores: list[str], title: str, scale: Any) -> Any:
    base = alt.Chart()
    axis = alt.Axis(labelAngle=0, labelOverlap=True)
    x = alt.X("period:O", sort=periods, title=title, axis=axis, scale=alt.Scale(domain=periods))
    color = alt.value(ANSWER)
    point_color = alt.condition("datum.differs", alt.value(MARKED), color)
    if len(scores) > 1:
        colors = [COLORS[place % len(COLORS)] for place in range(len(scores))]
        # Legend symbols are opaque strokes: the area around a line is pale.
        legend = alt.Legend(symbolType="stroke", symbolOpacity=1, symbolStrokeWidth=2)
        color = alt.Color("score:N", sort=scores, scale=alt.Scale(domain=scores, range=colors), legend=legend)
        point_color = color
    band = base.mark_area(opacity=0.2).encode(
        x=x, y=alt.Y("lower:Q", title="AUC", scale=scale), y2="upper:Q", color=color
    )
    line = base.mark_line(strokeWidth=2).encode(x=x, y=alt.Y("auc:Q", title="AUC", scale=scale), color=color)
    numbers = [number_tooltip(name) for name in ("auc", "lower", "upper")]
    point = base.mark_point(filled=True, opacity=1).encode(
        x=x,
        y=alt.Y("auc:Q", title="AUC", scale=scale),
        color=point_color,
        shape=alt.condition("datum.differs", alt.value("diamond"), alt.value("circle")),
        size=alt.condition("datum.differs", alt.value(110), alt.value(30)),
        tooltip=[
            alt.Tooltip("period:N", title=title),
            "score:N",
            number_tooltip("n", is_integer=True),
            *numbers,
        ],
    )
    return alt.layer(band, line, point)
