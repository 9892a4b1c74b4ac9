"""Charts of band coverage."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import polars as pl

from polars_auc._frames.inputs import IntoFrame, called, refuse_keys, rows_of
from polars_auc._plots.layout import (
    REFERENCE,
    altair,
    arranged,
    described,
    layout,
    lines,
    number_tooltip,
    points,
    titled,
)
from polars_auc._plots.names import SCORE, key_label
from polars_auc._plots.points import MAX_POINTS, Drawing, as_drawing, curve_keys
from polars_auc._plugin.options import between_0_and_1

if TYPE_CHECKING:
    import altair as alt

_NAME = "plot_coverage"
_EPSILONS = "epsilons"
_COLUMNS = ("coverage", "epsilon", "n_curves", _EPSILONS)

# Reserved name: no user column has it.
_SHARES = "polars_auc: epsilons"


@called("plot_coverage")
def plot_coverage(
    coverage: IntoFrame,
    *,
    by: str | Iterable[str] | None = None,
    facet: str | Iterable[str] | None = None,
    level: float | None = None,
    columns: int | None = None,
    size: int | None = None,
    x_title: str | None = None,
    y_title: str | None = None,
    tooltip: bool = True,
) -> alt.LayerChart | alt.FacetChart:
    """Return a chart of the share of curves within a band, by the share of points that may be outside.

    This function needs Altair: ``pip install "polars-auc[plot]"``. It computes no statistic: it draws the
    ``epsilons`` of :func:`polars_auc.band_coverage`. A line begins at the share of curves that are entirely
    within the band. It rises at the epsilon of each further curve.

    Parameters
    ----------
    coverage
        The results of :func:`polars_auc.band_coverage`, one row for each band. They are a column of structs,
        as from ``group_by(...).agg(band_coverage(...))``, or the fields as columns. Of several struct columns
        each is one band, and their names become the column ``score``.
    by
        The columns that identify the bands within a panel, such as the method of the band. Each combination
        has a colour. Default: ``score``, if there is such a column.
    facet
        The columns whose combinations define the panels: small charts with the same axes. Default: one chart.
    level
        A share of the curves with a dashed line, such as the level of the bands. A line crosses it at the
        ``epsilon`` of the band at this level.
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
        written by :func:`polars_auc.save_chart`. The epsilon axis ends where all curves are within all bands.

    Notes
    -----
    The containment of Macskassy, Provost and Littman (2003, section 7, figure 9). At each epsilon, it is the
    share of curves with at most the share epsilon of their points outside the band.

    Examples
    --------
    The curves of ten folds and two bands of the same folds:

    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.read_parquet("data/*.parquet").filter(pl.col("dataset") == "digits")
    >>> bands = rows.select(
    ...     pa.roc_band("label", "tree", method=method, fold="fold").alias(method)
    ...     for method in ("vertical", "optimized_radial")
    ... ).unpivot(variable_name="method", value_name="band")
    >>> curves = rows.group_by("fold").agg(curve=pa.roc_curve("label", "tree"))
    >>> held = bands.join(curves, how="cross").group_by("method").agg(pa.band_coverage("band", "curve"))
    >>> chart = pa.plot_coverage(held, by="method", level=0.95)
    >>> chart.description
    'Share of curves within bands. Bands by method: optimized_radial, vertical. The dashed line is at 0.95.'
    """
    altair(_NAME)
    shape = layout(_NAME, facet, columns, size, tooltip)
    if level is not None:
        between_0_and_1(_NAME, "level", level)
    drawing = _drawing(coverage, by, facet)
    axes = _axes()
    layers = [*([] if level is None else [_level(drawing, level)]), lines(_NAME, drawing, axes, "step-after")]
    if tooltip:
        layers.append(points(drawing, axes, [number_tooltip(axis) for axis in _AXES]))
    several = max(len(drawing.curves), len(drawing.panels)) > 1
    what = f"Share of curves within {'bands' if several else 'a band'}"
    marked = "Each line rises to 1." if level is None else f"The dashed line is at {level:g}."
    chart = arranged(layers, drawing, shape, described(what, drawing, marked, "Bands"))
    return titled(_NAME, chart, x_title, y_title)


_AXES = {
    "epsilon": "epsilon: share of a curve's points that may be outside",
    "share": "share of the curves",
}


def _drawing(
    coverage: IntoFrame, by: str | Iterable[str] | None, facet: str | Iterable[str] | None
) -> Drawing:
    """Read epsilons as the points at which lines rise, and validate them."""
    rows = _rows(rows_of(_NAME, coverage).collect())
    keys, panels = curve_keys(rows, by, facet)
    refuse_keys(_NAME, [*keys, *panels], rows.drop(_SHARES).schema, nested=False)
    bands = rows.select(key_label(keys).alias("curve"), key_label(panels).alias("panel"), epsilon=_SHARES)
    bands = bands.filter(pl.col("epsilon").list.len() > 0)
    if bands.is_empty():
        msg = f"{_NAME}: coverage has no epsilon; no curve was compared with a band"
        raise ValueError(msg)
    if bands.select("curve", "panel").is_duplicated().any():
        others = [name for name in rows.columns if name not in {*keys, *panels, *_COLUMNS, _SHARES}]
        hint = f"pass columns that do as by= or facet=, from {others}" if others else "filter the frame"
        msg = (
            f"{_NAME}: coverage has several bands that by={keys} and facet={panels} do not separate. "
            f"Hint: {hint}"
        )
        raise ValueError(msg)
    each = bands.with_columns(n=pl.col("epsilon").list.len()).explode("epsilon")
    invalid = each.filter(~pl.col("epsilon").is_between(0, 1).fill_null(value=False))
    if invalid.height:
        msg = f"{_NAME}: coverage must have epsilons from 0 to 1, got {invalid['epsilon'][0]}"
        raise ValueError(msg)
    # All lines begin at 0 and have a common end.
    end = each["epsilon"].max() or 1.0
    ends = bands.select("curve", "panel", epsilon=pl.lit([0.0, end])).explode("epsilon")
    steps = (
        pl.concat([each, ends], how="diagonal")
        .group_by("curve", "panel", "epsilon", maintain_order=True)
        .agg(pl.col("n").count().alias("further"))
        .sort("curve", "panel", "epsilon")
    )
    further = pl.col("further").cum_sum().over("curve", "panel")
    points = steps.with_columns(share=further / pl.col("further").sum().over("curve", "panel"))
    if points.height > MAX_POINTS:
        msg = (
            f"{_NAME}: there are {points.height:,} points, and a chart takes at most {MAX_POINTS:,}. Hint: "
            "draw fewer bands, or compare them with fewer curves"
        )
        raise ValueError(msg)
    placed = points.drop("further").with_columns(part=pl.lit("curve")).with_row_index("place")
    return as_drawing(placed, rows, placed, keys, panels)


def _rows(table: pl.DataFrame) -> pl.DataFrame:
    """Return one row for each band, with its epsilons in a list column."""
    if isinstance(table.schema.get(_EPSILONS), pl.List):
        return table.with_columns(pl.col(_EPSILONS).cast(pl.List(pl.Float64)).alias(_SHARES))
    answers = [name for name, dtype in table.schema.items() if _is_coverage(dtype)]
    if not answers:
        msg = (
            f"{_NAME}: coverage must have the column {_EPSILONS}, or structs with this field, got the "
            f'columns {table.columns}. Hint: write frame.group_by("method").agg(band_coverage("band", '
            '"curve"))'
        )
        raise ValueError(msg)
    keys = table.drop(answers)
    if len(answers) > 1 and SCORE in keys.columns:
        msg = (
            f"{_NAME}: coverage has several columns of structs, {answers}, whose names become a column "
            f"{SCORE!r}, but there is one already. Hint: rename it"
        )
        raise ValueError(msg)
    return pl.concat(
        keys.with_columns(
            *([pl.lit(name).alias(SCORE)] if len(answers) > 1 else []),
            table[name].struct.field(_EPSILONS).alias(_SHARES),
        )
        for name in answers
    )


def _is_coverage(dtype: pl.DataType) -> bool:
    return isinstance(dtype, pl.Struct) and any(field.name == _EPSILONS for field in dtype.fields)


def _axes() -> dict[str, Any]:
    import altair as alt

    share = alt.Scale(domain=[0, 1], nice=False)
    return {
        "x": alt.X("epsilon:Q", title=_AXES["epsilon"], scale=alt.Scale(domainMin=0, nice=False)),
        "y": alt.Y("share:Q", title=_AXES["share"], scale=share, axis=alt.Axis(format=".1f")),
    }


def _level(drawing: Drawing, level: float) -> alt.Chart:
    import altair as alt

    ends: Any = alt.InlineData(
        values=[{"epsilon": end, "share": level} for end in (0, drawing.points["epsilon"].max())]
    )
    line = alt.Chart(ends).mark_line(color=REFERENCE, strokeDash=[4, 4], strokeWidth=1, aria=False)
    chart: alt.Chart = line.encode(**_axes())
    return chart
