"""Layout of charts: colours, lines, tooltips and panels."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from polars_auc._plots.numbers import number_format
from polars_auc._plots.points import Drawing
from polars_auc._plugin.errors import OptionError, OptionTypeError, per_front_end
from polars_auc._plugin.options import flag, integer
from polars_auc._plugin.packages import require

if TYPE_CHECKING:
    import altair as alt

# Four colours that are distinct with any colour vision, with a contrast of 3 to white and to dark grey.
# Further curves repeat the colours with other dashes.
COLORS = ("#1f77d0", "#d55e00", "#009e73", "#c46ba8")
_DASHES = ((1, 0), (6, 2), (2, 2), (8, 2, 2, 2))
_MAX_CURVES = len(COLORS) * len(_DASHES)
_REFERENCE_DASHES = ((4, 4), (1, 2))

REFERENCE = "#808080"
"""A grey with the same contrast."""

ANSWER, MARKED = COLORS[:2]
"""The colours of regular and of marked results."""

_SIZE, _SIZE_OF_PANEL = 340, 200
_MAX_NAMES = 16


@dataclass(frozen=True)
class Layout:
    """Size of a chart or of each panel, and the number of panels per row."""

    size: int
    columns: int


def altair(name: str) -> ModuleType:
    """Import Altair, or raise with the install command."""
    require(name, "altair", extra="plot")
    import altair as alt

    return alt


def number_tooltip(name: str, *, title: str | None = None, is_integer: bool = False) -> alt.Tooltip:
    """Return a tooltip line with a number."""
    import altair as alt

    line = alt.Tooltip(f"{name}:Q", format=number_format(name, "altair", is_integer=is_integer))
    return line if title is None else line.title(title)


# Steps for the ends of an AUC axis, and the smallest number of steps on it.
_STEPS, _MIN_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2), 4


def area_scale(values: Iterable[float | None]) -> Any:
    """Return the scale of an AUC axis: it contains these numbers, and stays within 0 to 1.

    Differences of AUCs stay within -1 to 1.
    """
    import altair as alt

    numbers = [number for number in values if number is not None and math.isfinite(number)]
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    step = max(each for each in _STEPS if each <= max((high - low) / _MIN_STEPS, _STEPS[0]))
    # Tolerance for the rounding of the quotient.
    ends = [math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step]
    if ends[0] == ends[1]:
        ends = [ends[0] - step, ends[1] + step]
    least = -1 if low < 0 else 0
    domain = [round(min(max(end, least), 1), 6) for end in ends]
    return alt.Scale(domain=domain, nice=False, zero=False)


def layout(
    name: str, facet: str | Iterable[str] | None, columns: int | None, size: int | None, tooltip: object
) -> Layout:
    """Check the options of a chart."""
    if columns is not None and facet is None:
        msg = (
            f"{name}: columns is the number of panels side by side. Hint: write facet= as well, or leave "
            "it out"
        )
        raise ValueError(msg)
    columns = integer(name, "columns", 3 if columns is None else columns, 1, 100)
    default = _SIZE if facet is None else _SIZE_OF_PANEL
    size = integer(name, "size", default if size is None else size, 50, 5000)
    flag(name, "tooltip", tooltip)
    return Layout(size, columns)


def arranged(
    layers: list[Any], drawing: Drawing, shape: Layout, description: str
) -> alt.LayerChart | alt.FacetChart:
    """Combine layers into one chart, or into a panel for each panel name."""
    import altair as alt

    height = round(shape.size * (1 + drawing.depth))
    chart = alt.layer(*layers).properties(width=shape.size, height=height)
    # Altair limits frames to 5000 rows, and validates InlineData of this size in minutes.
    data = {"values": drawing.points.to_dicts()}
    if not drawing.facet:
        return chart.properties(data=data, description=description)
    columns = min(shape.columns, len(drawing.panels))
    panels = alt.Facet("panel:N", title=", ".join(drawing.facet), sort=drawing.panels)
    grid = chart.facet(panels, data=data, columns=columns).properties(description=description)
    return with_separate_axes(grid) if len(drawing.panels) % columns else grid


def with_separate_axes(grid: alt.FacetChart) -> alt.FacetChart:
    """Draw the horizontal axis of each panel.

    By default each column has one axis below the last row, also if the column has no panel there.
    """
    separate: alt.FacetChart = grid.resolve_axis(x="independent")
    return separate


def titled(
    function: str, chart: alt.LayerChart | alt.FacetChart, x_title: object, y_title: object
) -> alt.LayerChart | alt.FacetChart:
    """Replace the axis titles of a chart; None keeps a title."""
    import altair as alt

    whole: Any = chart
    for axis, title in (("x", x_title), ("y", y_title)):
        if not isinstance(title, str | None):
            raise OptionTypeError(function, f"{axis}_title", f"must be text, got {title!r}")
        for layer in whole.spec.layer if isinstance(chart, alt.FacetChart) else whole.layer:
            channel = getattr(layer.encoding, axis)
            if title is not None and channel is not alt.Undefined:
                channel.title = title
    return chart


def color(drawing: Drawing) -> Any:
    """Return the colour encoding of curves and reference lines."""
    import altair as alt

    if not (drawing.by or drawing.references):
        return alt.value(COLORS[0])
    names = _names(drawing)
    colors = [COLORS[place % len(COLORS)] for place in range(len(names) - len(drawing.references))]
    scale = alt.Scale(domain=names, range=[*colors, *(REFERENCE for _ in drawing.references)])
    return alt.Color("curve:N", title=_legend_title(drawing), scale=scale, legend=_legend(drawing))


def dashes(drawing: Drawing) -> Any:
    """Return the dash encoding of curves and reference lines."""
    import altair as alt

    names = _names(drawing)
    curves = [list(_DASHES[place // len(COLORS)]) for place in range(len(names) - len(drawing.references))]
    references = [list(dash) for dash in _REFERENCE_DASHES[: len(drawing.references)]]
    scale = alt.Scale(domain=names, range=[*curves, *references])
    return alt.StrokeDash("curve:N", title=_legend_title(drawing), scale=scale, legend=_legend(drawing))


def _names(drawing: Drawing) -> list[str]:
    """Return the names with a colour: curves, then reference lines."""
    return [*(drawing.curves or [""]), *drawing.references]


def _legend(drawing: Drawing) -> Any:
    import altair as alt

    # Names are never truncated. JSON is a subset of the expression language.
    labels: dict[str, Any] = {}
    if drawing.labels:
        texts = {**drawing.labels, **{name: name for name in drawing.references}}
        labels["labelExpr"] = f"{json.dumps(texts)}[datum.label]"
    if not drawing.by:
        labels["values"] = list(drawing.references)
    looks: dict[str, Any] = {"symbolSize": 300, "symbolOpacity": 1, "symbolStrokeWidth": 2}
    return alt.Legend(labelLimit=0, symbolType="stroke", **looks, **labels)


def _legend_title(drawing: Drawing) -> str:
    return ", ".join(drawing.by) + (f": {drawing.kind.number_title}" if drawing.labels else "")


def lines(
    name: str,
    drawing: Drawing,
    axes: dict[str, Any],
    interpolate: Literal["linear", "step-after", "step-before"] = "linear",
    *,
    marks: bool = False,
    clip: bool = False,
    part: str = "curve",
) -> alt.Chart:
    """Draw lines between points, straight by default: tied rows are a diagonal."""
    import altair as alt

    if len(drawing.curves) > _MAX_CURVES:
        reason = (
            f"{', '.join(drawing.by)} makes {len(drawing.curves)} curves, and at most {_MAX_CURVES} can "
            "be told apart in one panel"
        )
        hint = per_front_end("write facet= in place of by=, or draw fewer curves", "give fewer `score`")
        raise OptionError(name, "", reason, hint)
    encoded = {**axes, "color": color(drawing)}
    if len(drawing.curves) > len(COLORS) or drawing.references:
        encoded["strokeDash"] = dashes(drawing)
    looks: dict[str, Any] = {"strokeWidth": 2, "strokeJoin": "round"}
    if clip:
        looks["clip"] = True
    if marks:
        looks["point"] = alt.OverlayMarkDef(filled=True, size=25)
    line = alt.Chart().mark_line(interpolate=interpolate, **looks)
    chart: alt.Chart = line.transform_filter(f"datum.part === '{part}'").encode(
        **encoded, detail="curve:N", order="place:Q"
    )
    return chart


def points(drawing: Drawing, axes: dict[str, Any], numbers: list[Any]) -> alt.Chart:
    """Mark the point nearest to the pointer, with a tooltip."""
    import altair as alt

    nearest = alt.selection_point(on="pointerover", clear="pointerout", nearest=True, empty=False)
    names = [alt.Tooltip("panel:N", title=", ".join(drawing.facet))] if drawing.facet else []
    names += [alt.Tooltip("curve:N", title=", ".join(drawing.by))] if drawing.by else []
    looks: dict[str, Any] = {"clip": True} if drawing.kind.is_clipped else {}
    marks = alt.Chart().mark_point(filled=True, size=60, aria=False, **looks)
    chart: alt.Chart = marks.transform_filter("datum.part === 'curve'").encode(
        **axes,
        color=color(drawing),
        opacity=alt.condition(nearest, alt.value(1), alt.value(0)),
        tooltip=[*names, *numbers],
    )
    return chart.add_params(nearest)


def described(what: str, drawing: Drawing, reference: str, lines_are: str = "Curves") -> str:
    """Describe the chart for screen readers."""
    parts = [what]
    for kind, keys, names in (
        (lines_are, drawing.by, drawing.curves),
        ("Panels", drawing.facet, drawing.panels),
    ):
        if keys:
            more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
            parts.append(f"{kind} by {', '.join(keys)}: {', '.join(names[:_MAX_NAMES])}{more}")
    return ". ".join([*parts, reference])
