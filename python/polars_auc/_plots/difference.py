"""Charts of differences of curves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from polars_auc._frames.inputs import IntoFrame, called
from polars_auc._plots.curves import curve_chart
from polars_auc._plots.kinds import DIFFERENCE

if TYPE_CHECKING:
    import altair as alt


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
    points of :func:`polars_auc.roc_difference_band`. Where a band is above 0, the first score is better.

    Parameters
    ----------
    differences
        The points, as rows or as lists: the long table of :func:`polars_auc.curve_points`, or a frame with
        lists of such points, as from ``group_by(...).agg(roc_difference_band(...))``. Of several list columns
        each is one difference, and their names become the column ``score``.
    by
        The columns that identify the differences within a panel. Each combination has a colour. Default:
        ``score``, if there is such a column.
    facet
        The columns whose combinations define the panels: small charts with the same axes. Default: one chart.
    columns
        With ``facet``: the number of panels per row; default 3.
    size
        The width and height of the chart, or of each panel, in pixels. Default: 340, and 200 for panels.
    x_title, y_title
        The titles of the axes. Default: the quantities on the axes; "" is no title.
    tooltip
        Whether the point nearest to the pointer is marked and its numbers are displayed.

    Returns
    -------
    altair.LayerChart or altair.FacetChart
        The chart. It can be extended, as in ``chart.properties(title="...")`` or ``chart | other``, and
        written by :func:`polars_auc.save_chart`.

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
    return curve_chart(
        "plot_difference",
        DIFFERENCE,
        differences,
        by=by,
        facet=facet,
        columns=columns,
        size=size,
        x_title=x_title,
        y_title=y_title,
        tooltip=tooltip,
    )
