"""A chart of the mean AUC up to each period, with its always-valid interval."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import polars as pl

from polars_auc._frames.inputs import IntoFrame, called, keys_of, refuse_pattern, rows_of
from polars_auc._plots.layout import (
    ANSWER,
    MARKED,
    REFERENCE,
    altair,
    area_scale,
    number_tooltip,
    titled,
    with_separate_axes,
)
from polars_auc._plots.names import key_label, key_text
from polars_auc._plugin.options import between_0_and_1, integer, is_number
from polars_auc._plugin.periods import period_dtype

if TYPE_CHECKING:
    import altair as alt

_NAME = "plot_monitoring"
_LIMITS = ("estimate", "lower", "upper")

# The width of a panel and of a single chart, and the height.
_WIDTHS, _HEIGHT = (260, 520), 160

# Largest number of rows that browsers draw without delay.
_MAX_ROWS = 50_000


@called(_NAME)
def plot_monitoring(
    periods: IntoFrame,
    period: str,
    mean: str,
    *,
    alarm: str | None = None,
    facet: str | Iterable[str] | None = None,
    reference: float | None = None,
    level: float = 0.95,
    columns: int = 3,
    width: int | None = None,
    x_title: str | None = None,
    y_title: str | None = None,
) -> alt.LayerChart | alt.FacetChart:
    """Return a chart of the mean AUC up to each period, with its interval that is valid at all periods.

    This function needs Altair: ``pip install "polars-auc[plot]"``. It computes no statistic: it draws the
    results of :func:`polars_auc.always_valid`.

    Parameters
    ----------
    periods
        A frame with one row for each period, or for each combination of ``facet`` and period.
    period
        The column of periods, which the chart sorts.
    mean
        The Struct column from :func:`polars_auc.always_valid`.
    alarm
        The Struct column of the test that raises the alarm, such as from
        :func:`polars_auc.always_valid_change`; ``mean`` by default.
    facet
        The columns whose combinations define the panels, such as segments. Default: one chart. All panels
        share one AUC axis, and intervals beyond it are clipped.
    reference
        An AUC with a dashed line.
    level
        The level of the test: the first period at which its p-value is at most ``1 - level`` is marked.
    columns
        The number of panels per row, from 1 to 100.
    width
        The width of the chart, or of each panel, in pixels. Default: 520, and 260 for panels.
    x_title, y_title
        The titles of the axes. Default: the quantities on the axes; "" is no title.

    Returns
    -------
    altair.LayerChart or altair.FacetChart
        The chart: a line of the mean, with its interval as an area. If the frame has a column ``auc``, the
        AUCs of single periods are pale points.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> nights = pl.DataFrame({"night": [1, 2, 3], "auc": [0.75, 0.74, 0.73], "se": [0.01, 0.01, 0.01]})
    >>> nights = nights.with_columns(mean=pa.always_valid("auc", "se", null=0.8, alternative="less"))
    >>> chart = pa.plot_monitoring(nights, "night", "mean", reference=0.8)
    >>> chart.description
    'The mean AUC so far by night, and its interval. The mark is the first alarm at level 0.05.'
    """
    altair(_NAME)
    between_0_and_1(_NAME, "level", level)
    columns = integer(_NAME, "columns", columns, 1, 100)
    keys = [] if facet is None else keys_of(_NAME, facet, 'facet="segment"')
    width = integer(_NAME, "width", _WIDTHS[not keys] if width is None else width, 50, 5000)
    if reference is not None and not (is_number(reference) and -1 <= reference <= 1):
        msg = f"{_NAME}: reference must be a number from -1 to 1, got {reference}. Hint: write reference=0.8"
        raise ValueError(msg)
    answers = (mean, mean if alarm is None else alarm)
    table = _checked(rows_of(_NAME, periods), period, answers, keys)
    chart: alt.LayerChart | alt.FacetChart = monitoring_chart(
        table,
        period,
        answers,
        keys,
        key_label(keys),
        reference=reference,
        level=level,
        columns=columns,
        width=width,
    )
    return titled(_NAME, chart, x_title, y_title)


def monitoring_chart(
    table: pl.DataFrame,
    period: str,
    answers: tuple[str, str],
    keys: list[str],
    panel: pl.Expr,
    *,
    reference: float | None = None,
    level: float,
    columns: int = 3,
    width: int = _WIDTHS[0],
) -> Any:
    """Draw sorted periods in panels with these names; ``answers`` are the columns of means and tests."""
    import altair as alt

    mean, alarm = answers
    rejected = (pl.col("p_value") <= 1 - level).fill_null(value=False)
    rows = table.select(
        panel.alias("panel"),
        key_text(period).alias("period"),
        *([pl.col("auc").cast(pl.Float64)] if "auc" in table.columns else []),
        *(pl.col(mean).struct.field(name).fill_nan(None) for name in _LIMITS),
        pl.col(alarm).struct.field("p_value").fill_nan(None),
        pl.lit(None if reference is None else float(reference), pl.Float64).alias("reference"),
    ).with_columns(alarm=rejected & (rejected.cum_sum().over("panel") == 1))
    # A panel may lack periods of other panels.
    in_order = table.sort(period, nulls_last=True).select(key_text(period)).to_series()
    order = in_order.unique(maintain_order=True).to_list()
    panels = rows["panel"].unique(maintain_order=True).to_list()
    data = {"values": rows.to_dicts()}
    # Wide intervals of the first periods of small groups would flatten the lines in all panels.
    last = rows.group_by("panel").agg(pl.col("lower", "upper").drop_nulls().last())
    points = [name for name in ("auc", "estimate") if name in rows.columns]
    seen = [
        *rows.select(*points, pl.lit(reference, pl.Float64).alias("reference")),
        *last.select("lower", "upper"),
    ]
    scale = area_scale([number for column in seen for number in column])
    chart = _layers(alt, order, period, rows.columns, scale=scale, has_reference=reference is not None)
    chart = chart.properties(width=width, height=_HEIGHT)
    by = f", a panel for each {', '.join(keys)}" if keys else ""
    none = "Not tested yet." if rows["alarm"].is_null().all() else "No alarm."
    marks = f"The mark is the first alarm at level {1 - level:.6g}." if rows["alarm"].any() else none
    description = f"The mean AUC so far by {period}, and its interval{by}. {marks}"
    if not keys:
        return chart.properties(data=data, description=description)
    facet = alt.Facet("panel:N", title=", ".join(keys), sort=panels)
    grid = chart.facet(facet, data=data, columns=columns).properties(description=description)
    return with_separate_axes(grid) if len(panels) % columns else grid


def _checked(frame: pl.LazyFrame, period: str, answers: tuple[str, str], keys: list[str]) -> pl.DataFrame:
    """Return the rows sorted by panel and period; raise if a column is not a result for periods."""
    for role, column in (("period", period), ("mean", answers[0]), ("alarm", answers[1])):
        refuse_pattern(_NAME, role, column)
    schema = frame.collect_schema()
    if missing := [name for name in dict.fromkeys((period, *answers, *keys)) if name not in schema]:
        msg = (
            f"{_NAME}: the frame has no column {', '.join(map(repr, missing))}, expected one of "
            f"{', '.join(schema)}"
        )
        raise ValueError(msg)
    mean, alarm = answers
    for name, needed in ((mean, _LIMITS), (alarm, ("p_value",))):
        dtype = schema[name]
        fields = {field.name for field in dtype.fields} if isinstance(dtype, pl.Struct) else set()
        if not fields.issuperset(needed):
            msg = (
                f"{_NAME}: {name!r} has dtype {dtype}, expected an answer of always_valid. Hint: write "
                f'frame.with_columns({name}=always_valid("auc", "se").over(...))'
            )
            raise ValueError(msg)
    table = frame.collect()
    try:
        table = table.cast({period: period_dtype(table[period])})
    except ValueError as error:
        msg = f"{_NAME}: {period!r} has periods without an order: {error}; or cast it to an Enum"
        raise ValueError(msg) from error
    table = table.sort(*keys, period, nulls_last=True, maintain_order=True)
    if table.is_empty() or table.height > _MAX_ROWS:
        msg = f"{_NAME}: a chart takes from 1 to {_MAX_ROWS:,} rows, got {table.height:,}"
        raise ValueError(msg)
    if table.select(pl.struct(*keys, period).is_duplicated().any()).item():
        msg = (
            f"{_NAME}: {period!r} has two rows of one value in a panel. Hint: name what tells them apart "
            "in facet="
        )
        raise ValueError(msg)
    return table


def _layers(
    alt: Any, order: list[str], title: str, columns: list[str], *, scale: Any, has_reference: bool
) -> Any:
    x = alt.X(
        "period:O",
        sort=order,
        title=title,
        scale=alt.Scale(domain=order),
        axis=alt.Axis(labelAngle=0, labelOverlap=True, labelSeparation=6, ticks=False),
    )

    def y(field: str) -> Any:
        return alt.Y(f"{field}:Q", title="AUC", scale=scale)

    base = alt.Chart().encode(x=x)
    numbers = [name for name in ("auc", *_LIMITS, "p_value") if name in columns]
    tooltip = [
        alt.Tooltip("period:N", title=title),
        *(number_tooltip(name) for name in numbers),
    ]
    band = base.mark_area(opacity=0.2, color=ANSWER, clip=True).encode(y=y("lower"), y2="upper:Q")
    line = base.mark_line(strokeWidth=2, color=ANSWER).encode(y=y("estimate"))
    layers = [band, line]
    if "auc" in columns:
        points = base.mark_point(filled=True, size=14, opacity=0.5, color=REFERENCE)
        layers.append(points.encode(y=y("auc"), tooltip=tooltip))
    if has_reference:
        rule = alt.Chart().mark_rule(color=REFERENCE, strokeDash=[4, 4], aria=False)
        layers.append(rule.encode(y="min(reference):Q"))
    alarm = base.transform_filter("datum.alarm")
    layers.append(alarm.mark_rule(color=MARKED, strokeWidth=1).encode())
    mark = alarm.mark_point(filled=True, opacity=1, size=110, shape="diamond", color=MARKED)
    return alt.layer(*layers, mark.encode(y=y("estimate"), tooltip=tooltip))
