"""The data of a chart of curves: points, each with its curve and its panel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import NormalDist

import polars as pl

from polars_auc._frames.inputs import IntoFrame, keys_of, refuse_keys, rows_of
from polars_auc._plots.kinds import DIFFERENCE, ROC, ROC_BAND, Kind
from polars_auc._plots.names import SCORE, key_label
from polars_auc._plugin.errors import CALLED, OptionError, per_front_end

POINT_COLUMNS = (
    "point",
    "at",
    "threshold",
    "fp",
    "tp",
    "error",
    "tpr_a",
    "tpr_b",
    *ROC.fields,
    *ROC_BAND.fields,
    *DIFFERENCE.fields,
)
"""Columns of points, which are not group columns."""

# Reserved name: no user column has it.
_POINTS = "polars_auc: points"

# Smaller errors are invisible.
_ROUNDING = 1e-9

MAX_POINTS = 50_000
"""Largest number of points that browsers draw without delay."""

# Curves with more points are thinned to at most this number of pixel columns.
_POINTS_OF_CURVE, _PIXELS = 1000, 500

# Tick rates of a symmetric axis of normal deviates, and the offset of rates of 0 below it.
_TICKS = (1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.5)
_OUTSIDE = 0.2

# Possible ends of a probability axis: the smallest above all points is used.
_ENDS = (1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)

# Number of bars of a distribution. The gap above its strips, the height of a strip and of all strips are
# relative to the axis.
_BARS = 40
_GAP, _STRIP, _STRIPS = 0.04, 0.12, 0.36

_EXAMPLES = {
    "band": 'curve_points(frame, roc_band("label", "score"))',
    "folds": 'curve_points(frame, roc_curve("label", "score", max_points=100), "fold")',
    "differences": 'curve_points(frame, roc_difference_band("label", "new", "old"))',
}


@dataclass(frozen=True)
class Drawing:
    """Points in the order of drawing, and the names of curves and panels in the order of display."""

    points: pl.DataFrame
    """The columns part ("curve", "band", "fold", "reference", "step" or "distribution"), curve, panel, place,
    and the fields of the points."""

    by: list[str]
    facet: list[str]
    curves: list[str]
    panels: list[str]
    labels: dict[str, str] = field(default_factory=dict)
    """The legend text of each curve, if it differs from the name."""
    has_areas: bool = False
    """Whether there are points of the part "area", which are texts in panels."""
    kind: Kind = ROC
    references: tuple[str, ...] = ()
    """The names of reference lines that depend on the points; they are last in the legend."""
    ticks: tuple[float, ...] = ()
    """The ticks of axes of normal deviates."""
    end: float = 1.0
    """The end of axes of probabilities."""
    depth: float = 0
    """The depth of the vertical axis below 0 for score distributions, relative to its end."""


def drawing(
    curves: IntoFrame,
    by: str | Iterable[str] | None,
    facet: str | Iterable[str] | None,
    *,
    kind: Kind = ROC,
    band: IntoFrame | None = None,
    folds: IntoFrame | None = None,
    distribution: IntoFrame | bool = False,
) -> Drawing:
    """Read curves, bands and curves of folds, and validate them."""
    what = "differences" if kind is DIFFERENCE else "curves"
    rows = _rows(what, curves, kind)
    keys, panels = curve_keys(rows, by, facet)
    placed = _placed(what, rows, keys, panels, kind)
    if placed.is_empty():
        msg = f"{_name()}: {what} has no point; each needs {kind.needs}"
        raise ValueError(msg)
    limits = ("rate_lower", "rate_upper") if kind.has_error_bars else ("lower", "upper")
    has_limits = kind.has_intervals or kind.has_error_bars
    if has_limits and (crossed := placed.filter(pl.col(limits[0]) > pl.col(limits[1]))).height:
        found = crossed.row(0, named=True)
        msg = f"{_name()}: {what} must have lower limits below upper ones, got {found}"
        raise ValueError(msg)
    ticks = _ticks(placed.select(kind.x.field, kind.y.field)) if kind.x.scale == "deviate" else ()
    lines, references = _positions(placed, kind, ticks)
    parts = [lines.with_columns(part=pl.lit("curve")), *references]
    end, depth = 1.0, 0.0
    number = lines.select("curve", "panel").n_unique()
    if band is not None:
        outer = _placed("band", _rows("band", band, ROC_BAND), keys, panels, ROC_BAND)
        _refuse_unmatched("band", outer, lines)
        parts.append(_outlines(outer).with_columns(part=pl.lit("band")))
    if folds is not None:
        thin = _fold_points(_rows("folds", folds, ROC), keys, panels)
        _refuse_unmatched("folds", thin, lines)
        parts.append(thin.with_columns(part=pl.lit("fold")))
        number += thin.select("curve", "panel", "fold").n_unique()
    if kind.has_error_bars:
        steps = _steps(lines)
        counts = lines if distribution is True else lines.clear()
        if not isinstance(distribution, bool):
            counts = _placed("distribution", _rows("distribution", distribution, kind), keys, panels, kind)
            _refuse_unmatched("distribution", counts, lines)
        upper = [steps["mean_score"], *lines.select("rate", "rate_upper"), counts["mean_score"]]
        end = min(end for end in _ENDS if end == 1 or all((column.max() or 0) <= end for column in upper))
        parts.append(steps)
        if counts.height:
            curve_names = _in_order(rows, keys, lines["curve"])
            bars, depth = _bars(counts, curve_names, end)
            parts.append(bars)
    points = pl.concat(parts, how="diagonal").with_row_index("place")
    if points.height > MAX_POINTS:
        _refuse_many(points.height, number, kind, bands=band is not None)
    names = [name for part in references for name in part["curve"].unique()]
    return replace(
        as_drawing(points, rows, lines, keys, panels),
        kind=kind,
        references=tuple(names),
        ticks=ticks,
        end=end,
        depth=depth,
    )


def _steps(points: pl.DataFrame) -> pl.DataFrame:
    """Return the lines of calibration curves: through bins, and along each isotonic block.

    Bins have limits or common edges. Isotonic blocks have no common edges and rising rates; they have limits
    only with a band.
    """
    keys = ["curve", "panel"]
    has_limits = pl.col("rate_lower").is_not_null().any()
    is_adjacent = (pl.col("lowest") == pl.col("highest").shift()).any()
    is_rising = (pl.col("rate").diff() > 0).all() & (pl.len() > 1)
    is_binned = (is_adjacent.fill_null(value=False) | (has_limits & ~is_rising)).over(keys)
    ends = (
        pl.when(is_binned).then(pl.concat_list("mean_score")).otherwise(pl.concat_list("lowest", "highest"))
    )
    lines = points.select(*keys, "rate", ends.alias("mean_score"), is_binned=is_binned).explode("mean_score")
    return lines.with_columns(part=pl.lit("step"))


def _bars(counts: pl.DataFrame, curves: Sequence[str], end: float) -> tuple[pl.DataFrame, float]:
    """Return the bars of the row counts, a strip below 0 for each curve, and the depth of all strips."""
    names = curves or [""]
    height = min(_STRIP, _STRIPS / len(names))
    base = {name: -end * (_GAP + height * (place + 1)) for place, name in enumerate(names)}
    bar = (pl.col("mean_score") / end * _BARS).floor().clip(0, _BARS - 1)
    bars = counts.group_by("curve", "panel", bar=bar, maintain_order=True).agg(pl.col("n", "n_pos").sum())
    share = pl.col("n") / pl.col("n").max().over("curve", "panel")
    bars = bars.with_columns(
        (pl.col("bar") * end / _BARS).alias("lowest"),
        ((pl.col("bar") + 1) * end / _BARS).alias("highest"),
        base=pl.col("curve").replace_strict(base, return_dtype=pl.Float64),
    )
    bars = bars.with_columns(rate=pl.col("base") + 0.9 * height * end * share, part=pl.lit("distribution"))
    return bars.drop("bar"), _GAP + height * len(names)


def _ticks(rates: pl.DataFrame) -> tuple[float, ...]:
    """Return the ticks of both normal deviate axes, from below the smallest positive rate."""
    [least] = rates.select(pl.min_horizontal(pl.all().filter(pl.all() > _TICKS[0]).min())).to_series()
    first = max(tick for tick in _TICKS if tick <= min(least or 1.0, 0.01))
    lower = [NormalDist().inv_cdf(tick) for tick in _TICKS if tick >= first]
    return (*lower, *(-tick for tick in reversed(lower[:-1])))


def _positions(
    points: pl.DataFrame, kind: Kind, ticks: Sequence[float]
) -> tuple[pl.DataFrame, list[pl.DataFrame]]:
    """Return points with their positions on the axes, and reference lines that depend on the points."""
    keys = ["curve", "panel"]
    if kind.has_bands:
        last = pl.col("cum_n", "cum_fpr").last().over(keys)
        if points.select(last.name.suffix("_last")).filter(pl.col("cum_fpr_last") != 1).height:
            msg = f"{_name()}: curves must have all bands of each table, to its last one"
            raise ValueError(msg)
        points = points.with_columns(population=pl.col("cum_n") / pl.col("cum_n").last().over(keys))
    if kind.y.field == "gain":
        zero = pl.lit(0.0).alias
        starts = points.group_by(keys, maintain_order=True).agg(zero("population"), zero("gain"))
        points = pl.concat([starts, points], how="diagonal")
    if ticks:
        end = ticks[-1] + _OUTSIDE
        # A rate of 0 or 1 has no finite deviate.
        inner = NormalDist().cdf(-end), NormalDist().cdf(end)
        points = points.with_columns(
            pl.col(axis.field)
            .clip(*inner)
            .map_elements(NormalDist().inv_cdf, return_dtype=pl.Float64)
            .alias(axis.column)
            for axis in (kind.x, kind.y)
        )
    references = []
    x, y = kind.x.column, kind.y.column
    if kind.y.field == "precision":
        ends = points.group_by(keys, maintain_order=True).agg(
            pl.lit(pl.Series(x, [0.0, 1.0])), pl.col(y).last()
        )
        references.append(_reference("prevalence", ends.explode(x), x, y))
    if kind.y.scale == "benefit":
        references.append(_reference("treat all", points.drop(y).rename({"treat_all": y}), x, y))
        references.append(_reference("treat none", points.with_columns(pl.lit(0.0).alias(y)), x, y))
    return _thinned(points, kind), references


def _reference(name: str, points: pl.DataFrame, x: str, y: str) -> pl.DataFrame:
    """Return a reference line for each curve; equal lines in a panel are merged."""
    lines = points.select("panel", pl.col("curve").alias("source"), x, y)
    distinct = lines.unique(["panel", x, y], keep="first", maintain_order=True)
    return distinct.with_columns(part=pl.lit("reference"), curve=pl.lit(name))


def _thinned(points: pl.DataFrame, kind: Kind) -> pl.DataFrame:
    """Return the first, last, lowest and highest point of each pixel column: the drawn line is the same.

    Jugel, Jerzak, Hackenbroich and Markl (2014). ROC curves have ``max_points``.
    """
    keys = ["curve", "panel"]
    number = points.select(keys).n_unique()
    if kind is ROC or kind.has_intervals or points.height <= _POINTS_OF_CURVE * number:
        return points
    pixels = max(1, min(_PIXELS, MAX_POINTS // (4 * number)))
    x, y = pl.col(kind.x.column), pl.col(kind.y.column)
    column = ((x - x.min()) / (x.max() - x.min()) * pixels).floor().alias("pixel")
    place = pl.int_range(pl.len())
    ends = (place.first(), place.last(), place.get(y.arg_min()), place.get(y.arg_max()))
    return (
        points.with_columns(column)
        .filter(pl.any_horizontal((place == end).over(*keys, "pixel") for end in ends))
        .drop("pixel")
    )


def _fold_points(rows: pl.DataFrame, by: list[str], facet: list[str]) -> pl.DataFrame:
    """Return the points of several curves for each curve; the other columns identify them."""
    others = [name for name in rows.columns if name not in {*by, *facet, *POINT_COLUMNS, _POINTS}]
    if not others:
        msg = (
            f"{_name()}: folds must have a column of folds, in addition to by={by} and "
            f"facet={facet}, got the columns {rows.drop(_POINTS).columns}. Hint: write {_EXAMPLES['folds']}"
        )
        raise ValueError(msg)
    return _placed("folds", rows, by, facet, ROC, apart=others)


def _name() -> str:
    """Return the name of the public function."""
    return CALLED.get() or "plot_roc"


def curve_keys(
    rows: pl.DataFrame, by: str | Iterable[str] | None, facet: str | Iterable[str] | None
) -> tuple[list[str], list[str]]:
    """Return the columns that identify curves within a panel, and the columns of panels."""
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
    """Sort the names of curves and panels."""
    curves, panel_names = (
        _in_order(rows, columns, lines[name]) for name, columns in (("curve", keys), ("panel", panels))
    )
    return Drawing(points, keys, panels, curves, panel_names)


def _rows(what: str, frame: IntoFrame, kind: Kind) -> pl.DataFrame:
    """Return one row for each point, with its fields in a struct column."""
    table = rows_of(_name(), frame).collect()
    fields = list(kind.fields)
    if set(fields) <= set(table.columns):
        # A database may not keep the order of rows.
        ordered = table.sort("point", maintain_order=True) if "point" in table.columns else table
        return ordered.with_columns(_point(kind, table.columns, pl.col))
    lists = _lists(table.schema, kind)
    if not lists:
        msg = (
            f"{_name()}: {what} must have the columns {', '.join(fields)}, or lists of such points, "
            f"got the columns {table.columns}. Hint: write {_EXAMPLES.get(what, kind.example)}"
        )
        raise ValueError(msg)
    keys = table.drop(lists)
    if len(lists) == 1:
        return _exploded(keys, table[lists[0]], kind)
    if SCORE in keys.columns:
        msg = (
            f"{_name()}: {what} has several columns of lists, {lists}, whose names become a column "
            f"{SCORE!r}, but there is one already. Hint: rename it"
        )
        raise ValueError(msg)
    return pl.concat(
        _exploded(keys.with_columns(pl.lit(name).alias(SCORE)), table[name], kind) for name in lists
    )


def _lists(schema: pl.Schema, kind: Kind) -> list[str]:
    """Return the columns with lists of points with these fields."""
    found = {name: names for name, dtype in schema.items() if set(kind.fields) <= (names := _fields(dtype))}
    # A band contains a mean curve; it is drawn as a curve only if there is no other.
    is_band = kind is ROC_BAND
    return [name for name, names in found.items() if is_band or not names >= set(ROC_BAND.fields)] or list(
        found
    )


def _fields(dtype: pl.DataType) -> set[str]:
    if isinstance(dtype, pl.List) and isinstance(dtype.inner, pl.Struct):
        return {field.name for field in dtype.inner.fields}
    return set()


def _exploded(keys: pl.DataFrame, points: pl.Series, kind: Kind) -> pl.DataFrame:
    rows = keys.with_columns(points.alias(_POINTS)).explode(_POINTS)
    return rows.with_columns(_point(kind, _fields(points.dtype), pl.col(_POINTS).struct.field))


def _point(kind: Kind, existing: Iterable[str], field: Callable[[str], pl.Expr]) -> pl.Expr:
    """Return a point with its threshold as text, which keeps large integers and infinities exact."""
    texts = [
        (field(name).cast(pl.String) if name in existing else pl.lit(None, pl.String)).alias(name)
        for name in kind.texts
    ]
    rates = [field(name).cast(pl.Float64).alias(name) for name in kind.fields]
    return pl.struct(*rates, *texts).alias(_POINTS)


def _placed(
    what: str, rows: pl.DataFrame, by: list[str], facet: list[str], kind: Kind, apart: Sequence[str] = ()
) -> pl.DataFrame:
    """Return the points with the names of their curve and panel; raise for points that form no curve.

    Columns that identify further curves become the column fold.
    """
    refuse_keys(_name(), [*by, *facet, *apart], rows.drop(_POINTS).schema, nested=False)
    keys = {"curve": by, "panel": facet, **({"fold": list(apart)} if apart else {})}
    placed = rows.select(*(key_label(columns).alias(key) for key, columns in keys.items()), _POINTS).unnest(
        _POINTS
    )
    # An undefined curve has no points, a null list, or null numbers.
    placed = placed.filter(~pl.all_horizontal(pl.col(*(kind.defined or kind.fields)).is_null()))
    for name, (least, most) in kind.fields.items():
        inside = pl.col(name).is_between(least - _ROUNDING, most + _ROUNDING) & pl.col(name).is_not_nan()
        if (outside := placed.filter(~inside.fill_null(value=name in kind.nullable))).height:
            found = outside.select(*kind.fields).row(0, named=True)
            msg = f"{_name()}: {what} must contain numbers from {least:g} to {most:g}, got {found}"
            raise ValueError(msg)
    falls = [pl.col(name).diff() < -_ROUNDING for name in kind.monotone]
    falls += [pl.col(name).diff() <= 0 for name in (kind.rising,) if name]
    if placed.select(pl.any_horizontal(each.over(*keys) for each in falls).any()).item():
        ignored = {*by, *facet, *apart, *POINT_COLUMNS, *kind.fields, *kind.texts, *kind.columns, _POINTS}
        others = [name for name in rows.columns if name not in ignored]
        cause = f"by={by} and facet={facet} do not separate" if by or facet else "no column separates"
        hint = f"pass columns that do as by= or facet=, from {others}" if others else "filter the frame"
        hint += f", or sort one curve by {kind.rising or kind.monotone[0]}"
        msg = (
            f"{_name()}: {what} has decreasing points, probably of several curves that {cause}. Hint: {hint}"
        )
        raise ValueError(msg)
    return placed


def _outlines(limits: pl.DataFrame) -> pl.DataFrame:
    """Return the outline of each band: the lower curve, then the upper curve reversed.

    The two curves have different rates: a lower point need not have an upper point above it.
    """
    lower = limits.select("curve", "panel", fpr="lower_fpr", tpr="lower_tpr")
    upper = limits.select("curve", "panel", fpr="upper_fpr", tpr="upper_tpr").reverse()
    return pl.concat([lower, upper])


def _refuse_unmatched(what: str, parts: pl.DataFrame, lines: pl.DataFrame) -> None:
    """Raise for bands or folds without a matching curve."""
    unmatched = parts.join(lines, on=["curve", "panel"], how="anti").select("curve", "panel").unique()
    if unmatched.height:
        names = sorted(", ".join(name for name in row if name) for row in unmatched.rows())
        msg = (
            f"{_name()}: {what} has {names[0]!r}, which is not one of the curves. Hint: "
            "make both of the same scores and the same groups"
        )
        raise ValueError(msg)


def _refuse_many(height: int, number: int, kind: Kind, *, bands: bool) -> None:
    """Raise for more points than a chart supports, with the limit for each curve and band."""
    share = MAX_POINTS // number
    curve_limit, band_limit = min(1000, max(2, share // 2)), min(101, max(3, share // 4))
    fewer = "draw fewer curves"
    if kind is DIFFERENCE:
        fewer = f"write roc_difference_band(..., n_points={share}), or draw fewer differences"
    elif kind is ROC:
        places = per_front_end(
            f"write roc_curve(..., max_points={curve_limit})", f"write `max_points={curve_limit}`"
        )
        if bands:
            # Each place of a band has two points.
            places += per_front_end(
                f" and roc_band(..., n_points={band_limit})", f" and `n_points={band_limit}`"
            )
        fewer = f"{places}, or draw fewer curves"
    reason = f"there are {height:,} points, and a chart takes at most {MAX_POINTS:,}"
    raise OptionError(_name(), "", reason, fewer)


def _in_order(rows: pl.DataFrame, keys: list[str], existing: pl.Series) -> list[str]:
    """Return names in the order of their values; scores in the order of the input."""
    if not keys:
        return []
    first = rows.select(keys).unique(maintain_order=True)
    if SCORE in keys and first[SCORE].dtype == pl.String:
        scores = first[SCORE].drop_nulls().unique(maintain_order=True)
        first = first.with_columns(pl.col(SCORE).cast(pl.Enum(scores)))
    names = first.sort(keys, nulls_last=True).select(key_label(keys)).to_series()
    return names.filter(names.is_in(existing.unique().implode())).unique(maintain_order=True).to_list()
