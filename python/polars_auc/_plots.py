"""Charts of curves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from polars_auc._frames import IntoFrame, called
from polars_auc._options import flag, integer
from polars_auc._plot_points import Drawing, drawing

if TYPE_CHECKING:
    import altair as alt

__all__ = ["plot_roc"]

# Four colours that people with any colour vision tell apart, with a contrast of 3 to white and to dark grey.
# Further curves have the same colours with other dashes.
_COLORS = ("#1f77d0", "#d55e00", "#009e73", "#c46ba8")
_DASHES = ((1, 0), (6, 2), (2, 2), (8, 2, 2, 2))
_MOST_CURVES = len(_COLORS) * len(_DASHES)

# A grey with the same contrast.
_REFERENCE = "#808080"

_SIZE, _SIZE_OF_PANEL = 340, 200
_SHOWN_NAMES = 16


@called("plot_roc")
def plot_roc(
    curves: IntoFrame,
    *,
    band: IntoFrame | None = None,
    by: str | Iterable[str] | None = None,
    facet: str | Iterable[str] | None = None,
    columns: int | None = None,
    size: int | None = None,
    tooltip: bool = True,
) -> alt.LayerChart | alt.FacetChart:
    """Return a chart of ROC curves, with confidence bands about them.

    This function needs Altair: ``pip install "polars-auc[plot]"``. It computes no statistic: it draws the
    points that :func:`polars_auc.roc_curve` and :func:`polars_auc.roc_band` give.

    Parameters
    ----------
    curves
        The points of the curves, as rows or as lists:

        - the long table of :func:`polars_auc.curve_points`, or any frame with the columns ``fpr`` and
          ``tpr``, and ``threshold`` if there are thresholds;
        - a frame with lists of such points, as ``group_by(...).agg(roc_curve(...))`` gives it. Of several
          columns of lists each is a curve, and their names make the column ``score``.

        Other curves with these columns can be drawn as well, such as that of
        :func:`polars_auc.average_roc_curve`, and the mean curve of a band.
    band
        The points of the bands about these curves, as rows or as lists of :func:`polars_auc.roc_band`. The
        area between the lower and the upper curve is filled.
    by
        The columns that tell the curves of one panel apart. Each combination has a colour; of more than four,
        also a dash. The default is ``score``, if there is such a column.
    facet
        The columns whose combinations make panels, small charts with the same axes; one chart without it.
    columns
        With ``facet``: the number of panels side by side, 3 by default.
    size
        The width and height of the chart, or of each panel, in pixels: 340, and 200 for panels.
    tooltip
        Whether the point that is nearest to the pointer is marked, and its threshold and rates are shown.
        Pictures that show no tooltips are smaller without.

    Returns
    -------
    altair.LayerChart or altair.FacetChart
        The chart, to go on composing: ``chart.properties(title="...")``, ``chart | other``,
        ``chart.save("roc.html")``. Colours and lines are readable on light and dark backgrounds; the rest
        follows the theme of Altair. The points are in the chart itself.

    Raises
    ------
    ImportError
        If Altair is not installed.
    TypeError
        If a frame is not a frame, or ``by`` or ``facet`` contains anything other than names.
    ValueError
        If the points are not those of curves from (0, 0) to (1, 1), if ``by`` and ``facet`` do not tell the
        curves apart, if a band is about none of the curves; for more than 16 curves in a panel, and for more
        than 50,000 points: ``max_points`` of :func:`polars_auc.roc_curve` draws a curve of any number of rows
        with few of them.
    polars.exceptions.PolarsError
        For columns that the frames lack.

    Examples
    --------
    Two models on two sites, each with its band:

    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame(
    ...     {
    ...         "site": ["a", "a", "b", "b"] * 5,
    ...         "label": [0, 1, 1, 0] * 5,
    ...         "old": [row * 7 % 11 for row in range(20)],
    ...         "new": [row * 3 % 13 for row in range(20)],
    ...     }
    ... )
    >>> models = pl.col("old", "new")
    >>> curves = pa.curve_points(rows, pa.roc_curve("label", models, max_points=1000), "site")
    >>> bands = pa.curve_points(rows, pa.roc_band("label", models, level=0.9), "site")
    >>> chart = pa.plot_roc(curves, band=bands, facet="site").properties(title="Two models")
    >>> chart.description
    'ROC curves with bands. Curves by score: old, new. Panels by site: a, b. The dashed diagonal is chance.'
    """
    name = "plot_roc"
    try:
        import altair as alt
    except ImportError as error:
        msg = f'{name}: charts need Altair; install it: pip install "polars-auc[plot]"'
        raise ImportError(msg) from error
    if columns is not None and facet is None:
        msg = f"{name}: columns is the number of panels side by side; write facet= as well, or leave it out"
        raise ValueError(msg)
    columns = integer(name, "columns", 3 if columns is None else columns, 1, 100)
    default = _SIZE if facet is None else _SIZE_OF_PANEL
    size = integer(name, "size", default if size is None else size, 50, 5000)
    flag(name, "tooltip", tooltip)
    drawn = drawing(curves, band, by, facet)
    if len(drawn.curves) > _MOST_CURVES:
        msg = (
            f"{name}: {', '.join(drawn.by)} makes {len(drawn.curves)} curves, and at most {_MOST_CURVES} can "
            "be told apart in one panel; write facet= in place of by=, or draw fewer curves"
        )
        raise ValueError(msg)
    layers = [_diagonal(), *([] if band is None else [_bands(drawn)]), _lines(drawn)]
    if tooltip:
        layers.append(_points(drawn))
    chart = alt.layer(*layers).properties(width=size, height=size)
    # Of a frame Altair takes at most 5000 rows; and InlineData takes minutes to check as many values.
    data = {"values": drawn.points.to_dicts()}
    described = _described(drawn, bands=band is not None)
    if facet is None:
        return chart.properties(data=data, description=described)
    columns = min(columns, len(drawn.panels))
    panels = alt.Facet("panel:N", title=", ".join(drawn.facet), sort=drawn.panels)
    grid = chart.facet(panels, data=data, columns=columns).properties(description=described)
    # Otherwise the axis of a column is below the last row, also if the column has no panel there.
    return grid.resolve_axis(x="independent") if len(drawn.panels) % columns else grid


def _axes() -> dict[str, Any]:
    import altair as alt

    scale = alt.Scale(domain=[0, 1], nice=False)
    axis = alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1], format=".1f", labelFlush=False)
    return {
        "x": alt.X("fpr:Q", title="false positive rate", scale=scale, axis=axis),
        "y": alt.Y("tpr:Q", title="true positive rate", scale=scale, axis=axis),
    }


def _color(drawn: Drawing) -> Any:
    import altair as alt

    if not drawn.by:
        return alt.value(_COLORS[0])
    colors = [_COLORS[place % len(_COLORS)] for place in range(len(drawn.curves))]
    scale = alt.Scale(domain=drawn.curves, range=colors)
    title = ", ".join(drawn.by)
    # A name is never cut.
    legend = alt.Legend(labelLimit=0, symbolType="stroke", symbolSize=300)
    return alt.Color("curve:N", title=title, scale=scale, legend=legend)


def _diagonal() -> alt.Chart:
    import altair as alt

    ends = alt.InlineData(values=[{"fpr": 0, "tpr": 0}, {"fpr": 1, "tpr": 1}])
    line = alt.Chart(ends).mark_line(color=_REFERENCE, strokeDash=[4, 4], strokeWidth=1, aria=False)
    chart: alt.Chart = line.encode(**_axes())
    return chart


def _bands(drawn: Drawing) -> alt.Chart:
    """Draw each band as a closed line that is filled: its two limits have points at different rates."""
    import altair as alt

    marks = alt.Chart().mark_line(filled=True, interpolate="linear-closed", fillOpacity=0.2, strokeWidth=0)
    chart: alt.Chart = marks.transform_filter("datum.part === 'band'").encode(
        **_axes(), color=_color(drawn), detail="curve:N", order="place:Q"
    )
    return chart


def _lines(drawn: Drawing) -> alt.Chart:
    """Draw straight lines from point to point: tied rows make a diagonal."""
    import altair as alt

    encoded = {**_axes(), "color": _color(drawn)}
    if len(drawn.curves) > len(_COLORS):
        dashes = [list(_DASHES[place // len(_COLORS)]) for place in range(len(drawn.curves))]
        scale = alt.Scale(domain=drawn.curves, range=dashes)
        encoded["strokeDash"] = alt.StrokeDash("curve:N", title=", ".join(drawn.by), scale=scale)
    marks = alt.Chart().mark_line(interpolate="linear", strokeWidth=2, strokeJoin="round")
    chart: alt.Chart = marks.transform_filter("datum.part === 'curve'").encode(
        **encoded, detail="curve:N", order="place:Q"
    )
    return chart


def _points(drawn: Drawing) -> alt.Chart:
    """Mark the point that is nearest to the pointer, and say what it is."""
    import altair as alt

    nearest = alt.selection_point(on="pointerover", clear="pointerout", nearest=True, empty=False)
    names = [alt.Tooltip("panel:N", title=", ".join(drawn.facet))] if drawn.facet else []
    names += [alt.Tooltip("curve:N", title=", ".join(drawn.by))] if drawn.by else []
    rates = [alt.Tooltip(f"{rate}:Q", format=".4f") for rate in ("fpr", "tpr")]
    thresholds = [alt.Tooltip("threshold:N")] if drawn.points["threshold"].count() else []
    marks = alt.Chart().mark_point(filled=True, size=60, aria=False)
    chart: alt.Chart = marks.transform_filter("datum.part === 'curve'").encode(
        **_axes(),
        color=_color(drawn),
        opacity=alt.condition(nearest, alt.value(1), alt.value(0)),
        tooltip=[*names, *thresholds, *rates],
    )
    return chart.add_params(nearest)


def _described(drawn: Drawing, *, bands: bool) -> str:
    """Say what is drawn, for those who do not see it."""
    several = max(len(drawn.curves), len(drawn.panels)) > 1
    parts = [f"ROC curve{'s' if several else ''}{' with bands' if bands else ''}"]
    for what, keys, names in (("Curves", drawn.by, drawn.curves), ("Panels", drawn.facet, drawn.panels)):
        if keys:
            more = f" and {len(names) - _SHOWN_NAMES} more" if len(names) > _SHOWN_NAMES else ""
            parts.append(f"{what} by {', '.join(keys)}: {', '.join(names[:_SHOWN_NAMES])}{more}")
    return ". ".join([*parts, "The dashed diagonal is chance."])
