"""Layers of the charts of all curve kinds, in the order of drawing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from polars_auc._expressions.calibration import calibration_curve
from polars_auc._frames.arrays import curves_of_arrays
from polars_auc._frames.inputs import IntoFrame, rows_of
from polars_auc._plots.kinds import Axis, Kind
from polars_auc._plots.layout import (
    REFERENCE,
    altair,
    arranged,
    color,
    dashes,
    described,
    layout,
    lines,
    number_tooltip,
    points,
    titled,
)
from polars_auc._plots.names import SCORE, key_label
from polars_auc._plots.points import Drawing, drawing
from polars_auc._plugin.errors import OptionError

if TYPE_CHECKING:
    import altair as alt

# Largest number of text lines in a panel, and their distance as a rate.
_MAX_LINES = 6
_LINE = 0.075


score_counts = partial(calibration_curve, method="uniform", bins=40_000)
"""The expression of the distribution of scores: its bins are finer than the bars on any axis."""


def curve_chart(
    name: str,
    kind: Kind,
    curves: Any,
    scores: Any = None,
    *,
    areas: IntoFrame | None = None,
    band: IntoFrame | None = None,
    folds: IntoFrame | None = None,
    distribution: IntoFrame | bool = False,
    by: str | Iterable[str] | None = None,
    facet: str | Iterable[str] | None = None,
    columns: int | None = None,
    size: int | None = None,
    x_title: str | None = None,
    y_title: str | None = None,
    tooltip: bool = True,
) -> alt.LayerChart | alt.FacetChart:
    """Return a chart of curves of a kind; with ``scores``, ``curves`` is the label."""
    alt = altair(name)
    shape = layout(name, facet, columns, size, tooltip)
    if scores is not None:
        point_options = {"band": band, "folds": folds, "areas": areas, "by": by, "facet": facet}
        if not isinstance(distribution, bool):
            point_options["distribution"] = distribution
        if option := next((option for option, value in point_options.items() if value is not None), None):
            reason = "is for points of curves, and `scores` are arrays"
            raise OptionError(name, option, reason, "leave it out, or write curves=curve_points(...)")
        label = curves
        curves, areas = curves_of_arrays(name, label, scores, kind.expression, kind.summary, kind.needs)
        if distribution:
            distribution, _ = curves_of_arrays(name, label, scores, score_counts, None, kind.needs)
    elif areas is not None and not kind.numbers:
        reason = f"is for kinds with a number for each curve, and a {kind.name} has none"
        raise OptionError(name, "areas", reason, "leave it out")
    chart_drawing = drawing(curves, by, facet, kind=kind, band=band, folds=folds, distribution=distribution)
    if areas is not None:
        chart_drawing = _with_numbers(name, chart_drawing, areas)
    axes = _axes(chart_drawing)
    layers = [
        _reference(chart_drawing),
        *([] if band is None else [_bands(chart_drawing)]),
        *([_intervals(chart_drawing)] if kind.has_intervals else []),
        *([] if folds is None else [_folds(chart_drawing)]),
        *(_bins(chart_drawing) if kind.has_error_bars else []),
        lines(
            name,
            chart_drawing,
            axes,
            kind.interpolate,
            marks=kind.has_bands or (kind.has_intervals and _has_single_point(chart_drawing)),
            clip=kind.is_clipped,
            part="step" if kind.has_error_bars else "curve",
        ),
        *(_numbers_in_panels(chart_drawing) if chart_drawing.has_areas else []),
    ]
    if tooltip:
        texts = [text for text in kind.texts if chart_drawing.points[text].count()]
        fields = [field for field in kind.fields if field not in ("cum_n", "cum_fpr")]
        # Isotonic curves without a band have no limits.
        fields = [field for field in fields if not kind.has_error_bars or chart_drawing.points[field].count()]
        numbers = [number_tooltip(field, is_integer=field in ("n", "n_pos")) for field in fields]
        if kind.has_bands:
            numbers.insert(0, number_tooltip("population"))
        layers.append(points(chart_drawing, axes, [*(alt.Tooltip(f"{text}:N") for text in texts), *numbers]))
    several = max(len(chart_drawing.curves), len(chart_drawing.panels)) > 1
    what = (kind.plural or f"{kind.name}s") if several else kind.name
    what += "" if band is None else " with bands"
    thin = "" if folds is None else "Thin lines are curves of folds. "
    below = " Bars are the distribution of scores." if chart_drawing.depth else ""
    description = described(what, chart_drawing, thin + kind.reference + below)
    chart = arranged(layers, chart_drawing, shape, description)
    return titled(name, chart, x_title, y_title)


def _has_single_point(drawing: Drawing) -> bool:
    """Return whether a curve is a single point, whose line is invisible."""
    rows = drawing.points.filter(pl.col("part") == "curve")
    return rows.group_by("curve", "panel").len().filter(pl.col("len") == 1).height > 0


def _axes(drawing: Drawing, y: str | None = None) -> dict[str, Any]:
    """Return the axes, the vertical one with this column or the default of the kind."""
    import altair as alt

    x_axis, y_axis = drawing.kind.x, drawing.kind.y
    return {
        "x": alt.X(f"{x_axis.column}:Q", title=x_axis.title, **_scale(drawing, x_axis)),
        "y": alt.Y(f"{y or y_axis.column}:Q", title=y_axis.title, **_scale(drawing, y_axis)),
    }


def _scale(drawing: Drawing, axis: Axis) -> dict[str, Any]:
    """Return the scale and the ticks of an axis."""
    import altair as alt

    if axis.scale == "difference":
        return {}
    if axis.scale == "from_zero":
        return {"scale": alt.Scale(zero=True), "axis": alt.Axis(labelFlush=False)}
    if axis.scale == "benefit":
        return {"scale": alt.Scale(domain=_benefits(drawing), nice=False)}
    if axis.scale == "deviate":
        ticks = drawing.ticks
        label = "format(cumulativeNormal(datum.value), '.4~%')"
        return {
            "scale": alt.Scale(domain=[ticks[0], ticks[-1]], nice=False),
            "axis": alt.Axis(values=list(ticks), labelExpr=label, labelOverlap="greedy"),
        }
    if axis.scale == "probability":
        low = -drawing.depth if axis is drawing.kind.y else 0
        return {
            "scale": alt.Scale(domain=[low * drawing.end, drawing.end], nice=False),
            "axis": alt.Axis(
                values=[float(f"{drawing.end * tick / 5:.6g}") for tick in range(6)],
                format="~g" if drawing.end < 1 else ".1f",
                labelFlush=False,
            ),
        }
    ends = [0, 0.5] if axis.scale == "cost" else [0, 1]
    values = [round(ends[1] * tick / 5, 1) for tick in range(6)]
    return {
        "scale": alt.Scale(domain=ends, nice=False),
        "axis": alt.Axis(values=values, format=".1f", labelFlush=False),
    }


def _benefits(drawing: Drawing) -> list[float]:
    """Return the ends of a net benefit axis: values far below 0 are cut off."""
    curves = drawing.points.filter(part="curve")
    highest = curves.select(pl.max_horizontal("net_benefit", "upper", "treat_all").max()).item()
    most = highest if highest > 0 else 1.0
    return [-most / 5, most * 1.05]


def _reference(drawing: Drawing) -> alt.Chart:
    """Draw the reference line of the kind, or the reference lines in the points."""
    import altair as alt

    kind = drawing.kind
    look: dict[str, Any] = {"strokeWidth": 1, "aria": False, "clip": kind.is_clipped}
    encoded: dict[str, Any] = _axes(drawing)
    if drawing.references:
        marks = alt.Chart().mark_line(**look).transform_filter("datum.part === 'reference'")
        encoded |= {"color": color(drawing), "strokeDash": dashes(drawing)}
        encoded |= {"detail": "source:N", "order": "place:Q"}
    else:
        corners = kind.ends or [(end, end) for end in (drawing.ticks[0], drawing.ticks[-1])]
        if drawing.end < 1:
            corners = [(x * drawing.end, y * drawing.end) for x, y in corners]
        ends = alt.InlineData(values=[{kind.x.column: x, kind.y.column: y} for x, y in corners])
        marks = alt.Chart(ends).mark_line(color=REFERENCE, strokeDash=[4, 4], **look)
    chart: alt.Chart = marks.encode(**encoded)
    return chart


def _intervals(drawing: Drawing) -> alt.Chart:
    """Draw the intervals of the points as an area."""
    import altair as alt

    marks = alt.Chart().mark_area(fillOpacity=0.2, strokeWidth=0, clip=drawing.kind.is_clipped)
    chart: alt.Chart = marks.transform_filter("datum.part === 'curve'").encode(
        **_axes(drawing, "lower"), y2="upper:Q", color=color(drawing), detail="curve:N"
    )
    return chart


def _bins(drawing: Drawing) -> list[alt.Chart]:
    """Draw the bins of a calibration curve with their limits, and the distribution of scores."""
    import altair as alt

    axes = _axes(drawing)
    shared: dict[str, Any] = {"x": axes["x"], "color": color(drawing)}
    limits = alt.Chart().mark_rule(strokeWidth=1.5, opacity=0.6, aria=False)
    marks = alt.Chart().mark_point(filled=True, opacity=1, size=30, aria=False)
    has_limits = "datum.part === 'curve' && isValid(datum.rate_lower)"
    layers: list[alt.Chart] = [
        limits.transform_filter(has_limits).encode(
            y=_axes(drawing, "rate_lower")["y"], y2="rate_upper:Q", **shared
        ),
        marks.transform_filter("datum.part === 'step' && datum.is_binned").encode(y=axes["y"], **shared),
    ]
    if drawing.depth:
        bars = alt.Chart().mark_rect(opacity=0.7, aria=False)
        shared["x"] = alt.X("lowest:Q", title=drawing.kind.x.title, **_scale(drawing, drawing.kind.x))
        encoded = bars.encode(x2="highest:Q", y=axes["y"], y2="base:Q", **shared)
        layers.append(encoded.transform_filter("datum.part === 'distribution'"))
    return layers


def _folds(drawing: Drawing) -> alt.Chart:
    """Draw the curves of folds as thin lines."""
    import altair as alt

    marks = alt.Chart().mark_line(interpolate="linear", strokeWidth=1, opacity=0.45, aria=False)
    chart: alt.Chart = marks.transform_filter("datum.part === 'fold'").encode(
        **_axes(drawing), color=color(drawing), detail=["curve:N", "fold:N"], order="place:Q"
    )
    return chart


def _bands(drawing: Drawing) -> alt.Chart:
    """Draw each band as a filled closed line: its two limits have points at different rates."""
    import altair as alt

    marks = alt.Chart().mark_line(filled=True, interpolate="linear-closed", fillOpacity=0.2, strokeWidth=0)
    chart: alt.Chart = marks.transform_filter("datum.part === 'band'").encode(
        **_axes(drawing), color=color(drawing), detail="curve:N", order="place:Q"
    )
    return chart


def _with_numbers(function: str, drawing: Drawing, areas: IntoFrame) -> Drawing:
    """Add the number of each curve: in the legend or, with several panels, in each panel."""
    table = rows_of(function, areas).collect()
    keys = [*drawing.by, *drawing.facet]
    missing = [name for name in (*keys, *drawing.kind.numbers) if name not in table.columns]
    if missing:
        reason = f"has no column {missing[0]!r}: it must have {', '.join((*keys, *drawing.kind.numbers))}"
        source = 'report(frame, "label", "score")'
        if "average_precision" in missing:
            # A report has no average precision.
            source = 'frame.select(roc_summary("label", "score")).unnest("score")'
        raise OptionError(function, "areas", reason, f"write areas={source}")
    if "scope" in table.columns:
        scope = "overall" if set(keys) <= {SCORE} else "group"
        table = table.filter(pl.col("scope") == scope)
    defined = table.select(
        key_label(drawing.by).alias("curve"), key_label(drawing.facet).alias("panel"), *drawing.kind.numbers
    ).filter(pl.col(drawing.kind.numbers[0]).is_not_nan())
    if defined.select("curve", "panel").is_duplicated().any():
        reason = f"has several rows of one curve, which {', '.join(keys) or 'no column'} should tell apart"
        raise OptionError(function, "areas", reason)
    # Areas of curves that are not drawn are ignored.
    texts = defined.join(drawing.points, on=["curve", "panel"], how="semi").select(
        "curve", "panel", area=_number_text(drawing.kind.numbers)
    )
    if drawing.by and not drawing.facet:
        area_texts = dict(texts.select("curve", "area").rows())
        labels = {
            name: f"{name}  {area_texts[name]}" if name in area_texts else name for name in drawing.curves
        }
        return replace(drawing, labels=labels)
    if len(drawing.curves) > _MAX_LINES:
        return drawing
    # From the lowest curve of the legend upwards, in the corner that good curves avoid.
    place = {
        name: (0.05 + _LINE * line) * drawing.end
        for line, name in enumerate(reversed(drawing.curves or [""]))
    }
    x = 0.04 if drawing.kind.corner == "left" else 0.96
    lines = texts.with_columns(
        pl.lit(x * drawing.end).alias(drawing.kind.x.column),
        pl.col("curve").replace_strict(place, return_dtype=pl.Float64).alias(drawing.kind.y.column),
        part=pl.lit("area"),
    )
    return replace(drawing, points=pl.concat([drawing.points, lines], how="diagonal"), has_areas=True)


def _numbers_in_panels(drawing: Drawing) -> list[alt.Chart]:
    """Write the numbers into the panels, each next to a point in the colour of its curve."""
    import altair as alt

    is_left = drawing.kind.corner == "left"
    base = alt.Chart().transform_filter("datum.part === 'area'").encode(**_axes(drawing))
    text = base.mark_text(
        align="left" if is_left else "right",
        baseline="middle",
        fontSize=10,
        dx=6 if is_left else -6,
        aria=False,
    )
    point = base.mark_point(filled=True, opacity=1, size=30, aria=False)
    return [text.encode(text="area:N"), point.encode(color=color(drawing))]


def _number_text(numbers: Sequence[str]) -> pl.Expr:
    """Format a number with its interval."""
    estimate, *limits = (pl.col(name).map_elements(_short, return_dtype=pl.String) for name in numbers)
    if not limits:
        return estimate
    interval = pl.when(pl.col(numbers[1]).is_not_null()).then(pl.format(" ({} to {})", *limits))
    return estimate + interval.otherwise(pl.lit(""))


def _short(value: float) -> str:
    """Format a number with three decimals, and below 0.001 (Brier scores of rare events) with two digits."""
    return f"{value:.2g}" if 0 < abs(value) < 0.001 else f"{value:.3f}"
