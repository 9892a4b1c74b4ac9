"""Charts of curves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from polars_auc._frames.arrays import curves_of_arrays
from polars_auc._frames.inputs import IntoFrame, called
from polars_auc._plots.areas import areas_in_panels, with_areas
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
from polars_auc._plots.points import Drawing, drawing
from polars_auc._plugin.errors import OptionError

if TYPE_CHECKING:
    import altair as alt

__all__ = ["plot_roc"]


@called("plot_roc")
def plot_roc(
    curves: IntoFrame | Iterable[Any],
    scores: Mapping[str, Iterable[Any]] | Iterable[Any] | None = None,
    *,
    band: IntoFrame | None = None,
    folds: IntoFrame | None = None,
    areas: IntoFrame | None = None,
    by: str | Iterable[str] | None = None,
    facet: str | Iterable[str] | None = None,
    columns: int | None = None,
    size: int | None = None,
    x_title: str | None = None,
    y_title: str | None = None,
    tooltip: bool = True,
) -> alt.LayerChart | alt.FacetChart:
    """Return a chart of ROC curves, with confidence bands about them.

    This function needs Altair: ``pip install "polars-auc[plot]"``. It draws the points that
    :func:`polars_auc.roc_curve` and :func:`polars_auc.roc_band` give; or, of a label and scores that are
    arrays, their curves, with the AUC of each and its interval of :func:`polars_auc.roc_auc_ci`.

    Parameters
    ----------
    curves
        With ``scores``: the label, as :func:`polars_auc.evaluate` takes it. Otherwise the points of the
        curves, as rows or as lists:

        - the long table of :func:`polars_auc.curve_points`, or any frame with the columns ``fpr`` and
          ``tpr``, and ``threshold`` if there are thresholds;
        - a frame with lists of such points, as ``group_by(...).agg(roc_curve(...))`` gives it. Of several
          columns of lists each is a curve, and their names make the column ``score``.

        Other curves with these columns can be drawn as well, such as that of
        :func:`polars_auc.cv_roc_curve`, and the mean curve of a band.
    scores
        Scores by name, such as ``{"forest": p, "tree": q}``: arrays, lists or Series of as many values as
        there are labels, as :func:`polars_auc.evaluate` takes them; or one of them; or a frame of them.
        ``band``, ``folds``, ``areas``, ``by`` and ``facet`` are for points.
    band
        The points of the bands about these curves, as rows or as lists of :func:`polars_auc.roc_band`. The
        area between the lower and the upper curve is filled.
    folds
        The points of further curves for each of these curves, such as those of the folds of
        cross-validation, as rows or as lists of :func:`polars_auc.roc_curve`. The columns beside ``by`` and
        ``facet`` tell them apart. They are thin lines in the colour of their curve.
    areas
        The AUC of each curve, which is then said with its interval: in the legend or, with ``facet``, in each
        panel of at most six curves. A frame with the columns of ``by`` and ``facet``, and ``auc``, ``lower``
        and ``upper``, such as :func:`polars_auc.report` gives it.
    by
        The columns that tell the curves of one panel apart. Each combination has a colour; of more than four,
        also a dash. The default is ``score``, if there is such a column.
    facet
        The columns whose combinations make panels, small charts with the same axes; one chart without it.
    columns
        With ``facet``: the number of panels side by side, 3 by default.
    size
        The width and height of the chart, or of each panel, in pixels: 340, and 200 for panels.
    x_title, y_title
        The titles of the axes. None is what they show, and "" no title.
    tooltip
        Whether the point that is nearest to the pointer is marked, and its threshold and rates are shown.
        Pictures that show no tooltips are smaller without.

    Returns
    -------
    altair.LayerChart or altair.FacetChart
        The chart, to go on composing: ``chart.properties(title="...")``, ``chart | other``; and
        for :func:`polars_auc.save_chart`. Colours and lines are readable on light and dark backgrounds; the
        rest follows the theme of Altair. The points are in the chart itself.

    Examples
    --------
    Of arrays:

    >>> import polars_auc as pa
    >>> ill, old, new = [0, 0, 1, 1, 0, 1], [1, 4, 3, 8, 2, 5], [2, 3, 5, 6, 1, 4]
    >>> chart = pa.plot_roc(ill, {"old": old, "new": new}, x_title="1 - specificity", y_title="sensitivity")
    >>> chart.description
    'ROC curves. Curves by score: old, new. The dashed diagonal is chance.'

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

    The AUC of each curve in the legend:

    >>> whole = pa.curve_points(rows, pa.roc_curve("label", models))
    >>> chart = pa.plot_roc(whole, areas=pa.report(rows, "label", models))

    The curves of folds with their mean:

    >>> held_out = rows.with_row_index().with_columns(fold=pl.col("index") // 7)
    >>> mean = pa.curve_points(held_out, pa.cv_roc_curve("label", "new", "fold"))
    >>> folds = pa.curve_points(held_out, pa.roc_curve("label", "new", max_points=100), "fold")
    >>> pa.plot_roc(mean, folds=folds).description
    'ROC curve. Thin lines are curves of folds. The dashed diagonal is chance.'
    """
    name = "plot_roc"
    alt = altair(name)
    shape = layout(name, facet, columns, size, tooltip)
    if scores is not None:
        point_options = {"band": band, "folds": folds, "areas": areas, "by": by, "facet": facet}
        if option := next((option for option, value in point_options.items() if value is not None), None):
            reason = "is for points of curves, and `scores` are arrays"
            raise OptionError(name, option, reason, "leave it out, or write curves=curve_points(...)")
        curves, areas = curves_of_arrays(name, curves, scores)
    points_of: Any = curves
    chart_drawing = drawing(points_of, band, by, facet, folds)
    if areas is not None:
        chart_drawing = with_areas(name, chart_drawing, areas)
    behind = [
        *([] if band is None else [_bands(chart_drawing)]),
        *([] if folds is None else [_folds(chart_drawing)]),
    ]
    layers = [_diagonal(), *behind, lines(name, chart_drawing, _axes())]
    if chart_drawing.has_areas:
        layers += areas_in_panels(_axes(), color(chart_drawing))
    if tooltip:
        rates = [number_tooltip(rate) for rate in ("fpr", "tpr")]
        thresholds = [alt.Tooltip("threshold:N")] if chart_drawing.points["threshold"].count() else []
        layers.append(points(chart_drawing, _axes(), [*thresholds, *rates]))
    several = max(len(chart_drawing.curves), len(chart_drawing.panels)) > 1
    what = f"ROC curve{'s' if several else ''}{'' if band is None else ' with bands'}"
    thin = "" if folds is None else "Thin lines are curves of folds. "
    chart = arranged(
        layers, chart_drawing, shape, described(what, chart_drawing, f"{thin}The dashed diagonal is chance.")
    )
    return titled(name, chart, x_title, y_title)


def _axes() -> dict[str, Any]:
    import altair as alt

    scale = alt.Scale(domain=[0, 1], nice=False)
    axis = alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1], format=".1f", labelFlush=False)
    return {
        "x": alt.X("fpr:Q", title="false positive rate", scale=scale, axis=axis),
        "y": alt.Y("tpr:Q", title="true positive rate", scale=scale, axis=axis),
    }


def _diagonal() -> alt.Chart:
    import altair as alt

    ends = alt.InlineData(values=[{"fpr": 0, "tpr": 0}, {"fpr": 1, "tpr": 1}])
    line = alt.Chart(ends).mark_line(color=REFERENCE, strokeDash=[4, 4], strokeWidth=1, aria=False)
    chart: alt.Chart = line.encode(**_axes())
    return chart


def _folds(drawing: Drawing) -> alt.Chart:
    """Draw the curves of folds as thin lines."""
    import altair as alt

    marks = alt.Chart().mark_line(interpolate="linear", strokeWidth=1, opacity=0.45, aria=False)
    chart: alt.Chart = marks.transform_filter("datum.part === 'fold'").encode(
        **_axes(), color=color(drawing), detail=["curve:N", "fold:N"], order="place:Q"
    )
    return chart


def _bands(drawing: Drawing) -> alt.Chart:
    """Draw each band as a closed line that is filled: its two limits have points at different rates."""
    import altair as alt

    marks = alt.Chart().mark_line(filled=True, interpolate="linear-closed", fillOpacity=0.2, strokeWidth=0)
    chart: alt.Chart = marks.transform_filter("datum.part === 'band'").encode(
        **_axes(), color=color(drawing), detail="curve:N", order="place:Q"
    )
    return chart
