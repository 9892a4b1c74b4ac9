"""What a chart of ROC curves or of their differences draws: points, each with its curve and its panel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import polars as pl

from polars_auc._frames.inputs import IntoFrame, keys_of, refuse_keys, rows_of
from polars_auc._plots.names import SCORE, key_label
from polars_auc._plugin.errors import CALLED, OptionError, either

__all__ = [
    "MOST_POINTS",
    "POINT_COLUMNS",
    "Drawing",
    "as_drawing",
    "curve_keys",
    "difference_drawing",
    "drawing",
]

_CURVE = ("fpr", "tpr")
_BAND = ("lower_fpr", "lower_tpr", "upper_fpr", "upper_tpr")
_DIFFERENCE = ("fpr", "difference", "lower", "upper", "p_value")

POINT_COLUMNS = (
    "point",
    "at",
    "threshold",
    "fp",
    "tp",
    "error",
    "tpr_a",
    "tpr_b",
    *_CURVE,
    *_BAND,
    *_DIFFERENCE,
)
"""Columns of points, which make no groups."""

# A name that no column of a user has.
_POINTS = "polars_auc: points"

# What is off by less cannot be seen.
_ROUNDING = 1e-9

MOST_POINTS = 50_000
"""A browser draws as many at once."""

_EXAMPLES = {
    "curves": 'curve_points(frame, roc_curve("label", "score"))',
    "band": 'curve_points(frame, roc_band("label", "score"))',
    "folds": 'curve_points(frame, roc_curve("label", "score", max_points=100), "fold")',
    "differences": 'curve_points(frame, roc_difference_band("label", "new", "old"))',
}


@dataclass(frozen=True)
class Drawing:
    """Points in the order of drawing, and the names of curves and panels in the order of showing."""

    points: pl.DataFrame
    """The columns part ("curve", "band" or "fold"), curve, panel, place, and those of points."""

    by: list[str]
    facet: list[str]
    curves: list[str]
    panels: list[str]
    labels: dict[str, str] = field(default_factory=dict)
    """What the legend says of each curve, if that is more than its name."""
    has_areas: bool = False
    """Whether there are points of the part "area", which are texts in panels."""


def drawing(
    curves: IntoFrame,
    band: IntoFrame | None,
    by: str | Iterable[str] | None,
    facet: str | Iterable[str] | None,
    folds: IntoFrame | None = None,
) -> Drawing:
    """Read curves, bands and the curves of folds, and refuse what would be drawn wrong."""
    rows = _rows("curves", curves, _CURVE)
    keys, panels = curve_keys(rows, by, facet)
    lines = _placed("curves", rows, keys, panels)
    if lines.is_empty():
        msg = f"{_name()}: curves has no point; a curve is undefined without positives or without negatives"
        raise ValueError(msg)
    parts = [lines.with_columns(part=pl.lit("curve"))]
    number = lines.select("curve", "panel").n_unique()
    if band is not None:
        limits = _placed("band", _rows("band", band, _BAND), keys, panels)
        _refuse_unmatched("band", limits, lines)
        parts.append(_outlines(limits).with_columns(part=pl.lit("band")))
    if folds is not None:
        thin = _fold_points(_rows("folds", folds, _CURVE), keys, panels)
        _refuse_unmatched("folds", thin, lines)
        parts.append(thin.with_columns(part=pl.lit("fold")))
        number += thin.select("curve", "panel", "fold").n_unique()
    points = pl.concat(parts, how="diagonal").with_row_index("place")
    if points.height > MOST_POINTS:
        _refuse_many(points.height, number, bands=band is not None)
    return as_drawing(points, rows, lines, keys, panels)


def difference_drawing(
    differences: IntoFrame, by: str | Iterable[str] | None, facet: str | Iterable[str] | None
) -> Drawing:
    """Read the differences of curves with their bands, and refuse what would be drawn wrong."""
    rows = _rows("differences", differences, _DIFFERENCE)
    keys, panels = curve_keys(rows, by, facet)
    placed = _placed("differences", rows, keys, panels, least=-1, rising="fpr")
    crossed = placed.filter((pl.col("lower") > pl.col("upper")) | (pl.min_horizontal("fpr", "p_value") < 0))
    if crossed.height:
        msg = (
            f"{_name()}: differences must have lower limits below upper ones, and rates and p-values from 0 "
            f"to 1, got {crossed.row(0, named=True)}"
        )
        raise ValueError(msg)
    points = placed.with_columns(part=pl.lit("curve")).with_row_index("place")
    if points.is_empty():
        msg = f"{_name()}: differences has no point; without positives or without negatives there is none"
        raise ValueError(msg)
    if points.height > MOST_POINTS:
        number = points.select("curve", "panel").n_unique()
        msg = (
            f"{_name()}: there are {points.height:,} points, and a chart takes at most {MOST_POINTS:,}; "
            f"write roc_difference_band(..., n_points={MOST_POINTS // number}), or draw fewer differences"
        )
        raise ValueError(msg)
    return as_drawing(points, rows, points, keys, panels)


def _fold_points(rows: pl.DataFrame, by: list[str], facet: list[str]) -> pl.DataFrame:
    """Return the points of several curves for each curve; the other columns tell them apart."""
    others = [name for name in rows.columns if name not in {*by, *facet, *POINT_COLUMNS, _POINTS}]
    if not others:
        msg = (
            f"{_name()}: folds must have a column that tells the folds apart, beside by={by} and "
            f"facet={facet}, got the columns {rows.drop(_POINTS).columns}; write {_EXAMPLES['folds']}"
        )
        raise ValueError(msg)
    return _placed("folds", rows, by, facet, apart=others)


def _name() -> str:
    """Return the function that the user called."""
    return CALLED.get() or "plot_roc"


def curve_keys(
    rows: pl.DataFrame, by: str | Iterable[str] | None, facet: str | Iterable[str] | None
) -> tuple[list[str], list[str]]:
    """Return the columns that tell the curves of a panel apart, and those that make panels."""
    panels = [] if facet is None else keys_of(_name(), facet, 'facet="segment"')
    if by is not None:
        keys = keys_of(_name(), by, 'by="segment"')
    else:
        keys = [SCORE] if SCORE in rows.columns and SCORE not in panels else []
    if len({*keys, *panels}) < len(keys) + len(panels):
        msg = f"{_name()}: by and facet must name every column once, got by={keys} and facet={panels}"
        raise ValueError(msg)
    return keys, panels


def as_drawing(
    points: pl.DataFrame, rows: pl.DataFrame, lines: pl.DataFrame, keys: list[str], panels: list[str]
) -> Drawing:
    """Put the names of curves and panels in order."""
    curves, panel_names = (
        _in_order(rows, columns, lines[name]) for name, columns in (("curve", keys), ("panel", panels))
    )
    return Drawing(points, keys, panels, curves, panel_names)


def _rows(what: str, frame: IntoFrame, fields: Sequence[str]) -> pl.DataFrame:
    """Return one row for each point, with its fields in a column of structs."""
    table = rows_of(_name(), frame).collect()
    if set(fields) <= set(table.columns):
        # A database may have lost the order of the rows.
        ordered = table.sort("point", maintain_order=True) if "point" in table.columns else table
        return ordered.with_columns(_point(fields, table.columns, pl.col))
    lists = _lists(table.schema, fields)
    if not lists:
        msg = (
            f"{_name()}: {what} must have the columns {', '.join(fields)}, or lists of such points, "
            f"got the columns {table.columns}; write {_EXAMPLES[what]}"
        )
        raise ValueError(msg)
    keys = table.drop(lists)
    if len(lists) == 1:
        return _exploded(keys, table[lists[0]], fields)
    if SCORE in keys.columns:
        msg = (
            f"{_name()}: {what} has several columns of lists, {lists}, whose names become a column "
            f"{SCORE!r}, but there is one already; rename it"
        )
        raise ValueError(msg)
    return pl.concat(
        _exploded(keys.with_columns(pl.lit(name).alias(SCORE)), table[name], fields) for name in lists
    )


def _lists(schema: pl.Schema, fields: Sequence[str]) -> list[str]:
    """Return the columns that hold lists of points with these fields."""
    found = {name: names for name, dtype in schema.items() if set(fields) <= (names := _fields(dtype))}
    # A band has a mean curve, which is drawn as a curve only if there is no other.
    return [name for name, names in found.items() if fields == _BAND or not names >= set(_BAND)] or list(
        found
    )


def _fields(dtype: pl.DataType) -> set[str]:
    if isinstance(dtype, pl.List) and isinstance(dtype.inner, pl.Struct):
        return {field.name for field in dtype.inner.fields}
    return set()


def _exploded(keys: pl.DataFrame, points: pl.Series, fields: Sequence[str]) -> pl.DataFrame:
    rows = keys.with_columns(points.alias(_POINTS)).explode(_POINTS)
    return rows.with_columns(_point(fields, _fields(points.dtype), pl.col(_POINTS).struct.field))


def _point(fields: Sequence[str], existing: Iterable[str], field: Callable[[str], pl.Expr]) -> pl.Expr:
    """Return a point; its threshold as text, which shows large integers and infinities as they are."""
    threshold = field("threshold").cast(pl.String) if "threshold" in existing else pl.lit(None, pl.String)
    rates = [field(name).cast(pl.Float64).alias(name) for name in fields]
    return pl.struct(*rates, threshold.alias("threshold")).alias(_POINTS)


def _placed(
    what: str,
    rows: pl.DataFrame,
    by: list[str],
    facet: list[str],
    *,
    least: float = 0,
    rising: str | None = None,
    apart: Sequence[str] = (),
) -> pl.DataFrame:
    """Return the points with the names of their curve and panel; refuse points that are no curve.

    Rates are not below the least one, and never fall; if one is named, it rises and the others may fall.
    Columns that tell further curves apart make the column fold.
    """
    refuse_keys(_name(), [*by, *facet, *apart], rows.drop(_POINTS).schema, nested=False)
    keys = {"curve": by, "panel": facet, **({"fold": list(apart)} if apart else {})}
    placed = rows.select(*(key_label(columns).alias(key) for key, columns in keys.items()), _POINTS).unnest(
        _POINTS
    )
    rates = pl.selectors.float()
    # An undefined curve has no points, or a null in place of its list.
    placed = placed.filter(~pl.all_horizontal(rates.is_null()))
    outside = placed.filter(
        pl.any_horizontal(~rates.is_between(least - _ROUNDING, 1 + _ROUNDING).fill_null(value=False))
    )
    if outside.height:
        found = outside.select(rates).row(0, named=True)
        msg = f"{_name()}: {what} must hold numbers from {least:g} to 1, got {found}"
        raise ValueError(msg)
    falls = rates.diff() < -_ROUNDING if rising is None else pl.col(rising).diff() <= 0
    if placed.select(pl.any_horizontal(falls.over(*keys)).any()).item():
        others = [name for name in rows.columns if name not in {*by, *facet, *apart, *POINT_COLUMNS, _POINTS}]
        cause = f"by={by} and facet={facet} do not tell" if by or facet else "nothing tells"
        hint = f"write the columns that do as by= or facet=, of {others}" if others else "filter the frame"
        hint += ", or sort one curve by fpr"
        msg = (
            f"{_name()}: {what} has points that fall, as those of several curves do that {cause} apart; "
            f"{hint}"
        )
        raise ValueError(msg)
    return placed


def _outlines(limits: pl.DataFrame) -> pl.DataFrame:
    """Return the outline of each band: the lower curve, and the upper curve back.

    Both curves have rates of their own, so that no lower point need lie below an upper one.
    """
    lower = limits.select("curve", "panel", fpr="lower_fpr", tpr="lower_tpr")
    upper = limits.select("curve", "panel", fpr="upper_fpr", tpr="upper_tpr").reverse()
    return pl.concat([lower, upper])


def _refuse_unmatched(what: str, parts: pl.DataFrame, lines: pl.DataFrame) -> None:
    """Refuse bands about no curve, and folds of none."""
    unmatched = parts.join(lines, on=["curve", "panel"], how="anti").select("curve", "panel").unique()
    if unmatched.height:
        names = sorted(", ".join(name for name in row if name) for row in unmatched.rows())
        msg = (
            f"{_name()}: {what} has {names[0]!r}, which is not one of the curves; "
            "make both of the same scores and the same groups"
        )
        raise ValueError(msg)


def _refuse_many(height: int, number: int, *, bands: bool) -> None:
    """Refuse more points than a chart takes, and say how many each curve and band may have."""
    share = MOST_POINTS // number
    curve_limit, band_limit = min(1000, max(2, share // 2)), min(101, max(3, share // 4))
    fewer = either(f"write roc_curve(..., max_points={curve_limit})", f"write `max_points={curve_limit}`")
    if bands:
        # A place of a band is two points.
        fewer += either(f" and roc_band(..., n_points={band_limit})", f" and `n_points={band_limit}`")
    reason = f"there are {height:,} points, and a chart takes at most {MOST_POINTS:,}"
    raise OptionError(_name(), "", reason, f"{fewer}, or draw fewer curves")


def _in_order(rows: pl.DataFrame, keys: list[str], existing: pl.Series) -> list[str]:
    """Return names in the order of their values; scores as they were written."""
    if not keys:
        return []
    first = rows.select(keys).unique(maintain_order=True)
    if SCORE in keys and first[SCORE].dtype == pl.String:
        scores = first[SCORE].drop_nulls().unique(maintain_order=True)
        first = first.with_columns(pl.col(SCORE).cast(pl.Enum(scores)))
    names = first.sort(keys, nulls_last=True).select(key_label(keys)).to_series()
    return names.filter(names.is_in(existing.unique().implode())).unique(maintain_order=True).to_list()
