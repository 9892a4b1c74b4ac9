"""Charts of the differences of curves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from polars_auc._frames.inputs import IntoFrame, called
from polars_auc._plots.layout import (
    REFERENCE,
    altair,
    arranged,
    color,
    described,
    layout,
    lines,
    number_tooltip,
    points,
    titled,
)
from polars_auc._plots.points import difference_drawing

if TYPE_CHECKING:
    import altair as alt

__all__ = ["plot_difference"]


@called("plot_difference")
def plot_difference(
    differences: IntoFrame,
    *,
    by: str | Iterable[str] | None = None,
    facet: str | Iterable[str] | None = None,
    columns: int | None = None,
    size: int | None = None,
    x_title: str | None = None,
    y_title: str | None = None,
    tooltip: bool = True,
) -> alt.LayerChart | alt.FacetChart:
    """Return a chart of the differences of two ROC curves, with their bands.

    This function needs Altair: ``pip install "polars-auc[plot]"``. It computes no statistic: it draws the
    points that :func:`polars_auc.roc_difference_band` gives. Where a band is above 0, the first score is
    better.

    Parameters
    ----------
    differences
        The points, as rows or as lists: the long table of :func:`polars_auc.curve_points`, or a frame with
        lists of such points, as ``group_by(...).agg(roc_difference_band(...))`` gives it. Of several columns
        of lists each is one difference, and their names make the column ``score``.
    by
        The columns that tell the differences of one panel apart. Each combination has a colour. The default
        is ``score``, if there is such a column.
    facet
        The columns whose combinations make panels, small charts with the same axes; one chart without it.
    columns
        With ``facet``: the number of panels side by side, 3 by default.
    size
        The width and height of the chart, or of each panel, in pixels: 340, and 200 for panels.
    x_title, y_title
        The titles of the axes. None is what they show, and "" no title.
    tooltip
        Whether the point that is nearest to the pointer is marked, and its numbers are shown.

    Returns
    -------
    altair.LayerChart or altair.FacetChart
        The chart, to go on composing: ``chart.properties(title="...")``, ``chart | other``; and
        for :func:`polars_auc.save_chart`.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.scan_parquet("data/*.parquet")
    >>> bands = pa.curve_points(rows, pa.roc_difference_band("label", "forest", "tree"), by="dataset")
    >>> chart = pa.plot_difference(bands, facet="dataset").properties(title="A forest and a tree")
    >>> chart.description
    'Differences of ROC curves with their bands. Panels by dataset: breast_cancer, digits. The dashed ...'
    """
    name = "plot_difference"
    alt = altair(name)
    shape = layout(name, facet, columns, size, tooltip)
    drawing = difference_drawing(differences, by, facet)
    marks = alt.Chart().mark_area(fillOpacity=0.2, strokeWidth=0)
    band = marks.encode(x=_x(), y=_y("lower:Q"), y2="upper:Q", color=color(drawing), detail="curve:N")
    axes = {"x": _x(), "y": _y("difference:Q")}
    layers = [_no_difference(), band, lines(name, drawing, axes)]
    if tooltip:
        numbers = [number_tooltip(number) for number in _NUMBERS]
        layers.append(points(drawing, axes, numbers))
    several = max(len(drawing.curves), len(drawing.panels)) > 1
    what = (
        "Differences of ROC curves with their bands" if several else "Difference of ROC curves with its band"
    )
    chart = arranged(layers, drawing, shape, described(what, drawing, "The dashed line is no difference."))
    return titled(name, chart, x_title, y_title)


_NUMBERS = ("fpr", "difference", "lower", "upper", "p_value")


def _x() -> alt.X:
    import altair as alt

    axis = alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1], format=".1f", labelFlush=False)
    return alt.X("fpr:Q", title="false positive rate", scale=alt.Scale(domain=[0, 1], nice=False), axis=axis)


def _y(field: str) -> alt.Y:
    import altair as alt

    return alt.Y(field, title="difference of the true positive rates")


def _no_difference() -> alt.Chart:
    import altair as alt

    ends: Any = alt.InlineData(values=[{"fpr": 0, "difference": 0}, {"fpr": 1, "difference": 0}])
    line = alt.Chart(ends).mark_line(color=REFERENCE, strokeDash=[4, 4], strokeWidth=1, aria=False)
    chart: alt.Chart = line.encode(x=_x(), y=_y("difference:Q"))
    return chart
