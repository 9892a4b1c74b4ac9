"""The AUC of each curve of a chart, in its legend or in its panel."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from polars_auc._frames.inputs import IntoFrame, rows_of
from polars_auc._plots.names import SCORE, key_label
from polars_auc._plots.points import Drawing
from polars_auc._plugin.errors import OptionError

if TYPE_CHECKING:
    import altair as alt

__all__ = ["areas_in_panels", "with_areas"]

_NEEDED = ("auc", "lower", "upper")

# Lines of text that a panel has room for, and how far apart they are, as a rate.
_MOST_LINES = 6
_LINE = 0.075


def with_areas(function: str, drawing: Drawing, areas: IntoFrame) -> Drawing:
    """Say the AUC of each curve: beside its name in the legend or, of several panels, in each panel."""
    table = rows_of(function, areas).collect()
    keys = [*drawing.by, *drawing.facet]
    missing = [name for name in (*keys, *_NEEDED) if name not in table.columns]
    if missing:
        reason = f"lacks the column {missing[0]!r}: it must have {', '.join((*keys, *_NEEDED))}"
        raise OptionError(function, "areas", reason, 'write areas=report(frame, "label", "score")')
    if "scope" in table.columns:
        scope = "overall" if set(keys) <= {SCORE} else "group"
        table = table.filter(pl.col("scope") == scope)
    defined = table.select(
        key_label(drawing.by).alias("curve"), key_label(drawing.facet).alias("panel"), *_NEEDED
    ).filter(pl.col("auc").is_not_nan())
    if defined.select("curve", "panel").is_duplicated().any():
        reason = f"has several rows of one curve, which {', '.join(keys) or 'no column'} should tell apart"
        raise OptionError(function, "areas", reason)
    # There may be areas of curves that are not drawn.
    texts = defined.join(drawing.points, on=["curve", "panel"], how="semi").select(
        "curve", "panel", area=_area_text()
    )
    if drawing.by and not drawing.facet:
        area_texts = dict(texts.select("curve", "area").rows())
        labels = {
            name: f"{name}  {area_texts[name]}" if name in area_texts else name for name in drawing.curves
        }
        return replace(drawing, labels=labels)
    if len(drawing.curves) > _MOST_LINES:
        return drawing
    # From the lowest curve of the legend upwards, in the corner that no good curve passes.
    place = {name: 0.05 + _LINE * line for line, name in enumerate(reversed(drawing.curves or [""]))}
    lines = texts.with_columns(
        part=pl.lit("area"),
        fpr=pl.lit(0.96),
        tpr=pl.col("curve").replace_strict(place, return_dtype=pl.Float64),
    )
    return replace(drawing, points=pl.concat([drawing.points, lines], how="diagonal"), has_areas=True)


def areas_in_panels(axes: dict[str, Any], color: Any) -> list[alt.Chart]:
    """Write the areas into the panels, each beside a point in the colour of its curve."""
    import altair as alt

    base = alt.Chart().transform_filter("datum.part === 'area'").encode(**axes)
    text = base.mark_text(align="right", baseline="middle", fontSize=10, dx=-6, aria=False)
    point = base.mark_point(filled=True, opacity=1, size=30, aria=False)
    return [text.encode(text="area:N"), point.encode(color=color)]


def _area_text() -> pl.Expr:
    """Say an AUC with its interval."""
    area, lower, upper = (
        pl.col(name).map_elements("{:.3f}".format, return_dtype=pl.String) for name in _NEEDED
    )
    interval = pl.format(" ({} to {})", lower, upper)
    return area + pl.when(pl.col("lower").is_not_null()).then(interval).otherwise(pl.lit(""))
