"""Data of the charts and tables of a page: curves, bands, distributions, gains and thresholds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from polars_auc._expressions.bands import roc_band
from polars_auc._expressions.calibration import calibration_curve
from polars_auc._expressions.curves import gains_table, roc_curve
from polars_auc._expressions.states import have_weights, roc_auc_bounds
from polars_auc._expressions.thresholds import operating_point
from polars_auc._frames.groupings import GROUPING
from polars_auc._plots.curves import score_counts
from polars_auc._plots.points import POINT_COLUMNS
from polars_auc._report.rows import Rows
from polars_auc._report.stability import Reference

if TYPE_CHECKING:
    from polars_auc._plugin.call import IntoExpr

# Bins of the state of all rows. Above the limit the smaller state takes a third of the time: with 10^7
# normal scores 0.5 instead of 1.6 seconds, and its AUC is off by at most 0.0002.
_MAX_ROWS = 2_000_000
_BINS, _BINS_OF_MANY = 2**16, 2**12

# Bins of the state of a group, and the largest number of panels.
_BINS_OF_GROUP = 1024
_PANELS = 12

# Points of a curve, and of a curve in a panel: more are invisible.
_POINTS, _POINTS_OF_PANEL = 500, 150

# Bars of a distribution; the first and the last contain the tails, a two-hundredth of the rows each.
_BARS = 40
_TAILS = 200

# Least average number of bins per bar, if scores are joined in bins.
_BINS_OF_BAR = 16

_RULES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("the largest tpr - fpr (Youden)", {"criterion": "youden"}),
    ("the largest F measure", {"criterion": "max_f"}),
    ("fpr of at most 1 %", {"criterion": "target_fpr", "target": 0.01}),
    ("fpr of at most 5 %", {"criterion": "target_fpr", "target": 0.05}),
    ("fpr of at most 10 %", {"criterion": "target_fpr", "target": 0.1}),
    ("tpr of at least 90 %", {"criterion": "target_tpr", "target": 0.9}),
)


@dataclass(frozen=True)
class Details:
    """Tables with a column ``score``; scores with an undefined statistic have no rows."""

    curves: pl.DataFrame
    bands: pl.DataFrame
    panels: pl.DataFrame
    """The curves of the groups with the most rows."""
    panel_keys: dict[str, str]
    """The panel columns of the report, and their names in the points, which must differ from other fields."""
    bars: pl.DataFrame
    """Distribution of each class in bars of equal width: ``low``, ``high``, ``label``, ``share``, ``n``."""
    gains: pl.DataFrame
    thresholds: pl.DataFrame
    stability: pl.DataFrame
    """Shares of the reference and of the other rows in each band, and its contribution to the index."""
    bins: int
    """Largest number of bins of the underlying states, if adjacent scores are joined in them."""
    error: float
    """Largest error of the AUC of the joined bins."""

    low_is_positive: bool = False
    """Whether thresholds are the highest scores of predicted positives, and bars include their upper ends."""

    weighted: Sequence[str] = ()
    """The scores with states of weighted rows."""

    history: pl.DataFrame = field(default_factory=pl.DataFrame)
    """The rows of all periods: ``group``, ``period``, ``auc``, and the Structs ``mean`` and ``alarm``."""

    with_nan: Sequence[str] = ()
    """The scores with a NaN: they have no curves and tables of all rows."""

    calibration: pl.DataFrame = field(default_factory=pl.DataFrame)
    """The calibration curves of a report with calibration, in quantile bins of all rows."""

    score_counts: pl.DataFrame = field(default_factory=pl.DataFrame)
    """The distribution of scores below these curves."""

    @classmethod
    def nothing(cls) -> Details:
        """Return the details of a report whose rows are not available."""
        empty = pl.DataFrame()
        return cls(empty, empty, empty, {}, empty, empty, empty, empty, 0, 0.0)


def details(rows: Rows, table: pl.DataFrame, level: float, stability: IntoExpr | None = None) -> Details:
    """Compute the details of all rows, and the curve of each group with a panel."""
    n = table.filter(pl.col("scope") == "overall").select(pl.col("n").max()).item() or 0
    bins = _BINS if n <= _MAX_ROWS else _BINS_OF_MANY
    # With several groupings, the panels use the first.
    grouping = table[GROUPING][0] if GROUPING in table.columns else None
    by = rows.by if grouping is None else grouping.split(", ")
    panels: Rows | None = None
    if by:
        first = table.filter(pl.col("scope") == "group", pl.col("score") == table["score"][0])
        if grouping is not None:
            first = first.filter(pl.col(GROUPING) == grouping)
        drawable = first.filter(pl.col("auc").is_not_nan())
        # The stable sort keeps the choice deterministic for groups of equal size.
        largest = drawable.sort("n", descending=True, maintain_order=True).head(_PANELS).select(by)
        in_panels = rows.frame.join(largest.lazy(), on=by, how="semi", nulls_equal=True)
        panels = replace(rows, frame=in_panels)
    keys = _key_columns(by)
    states = _states(rows, panels, keys, bins)
    whole, sizes = states.whole, states.sizes
    gains = whole.points(gains_table)
    calibration, counts = pl.DataFrame(), pl.DataFrame()
    if "brier_score" in table.columns and not rows.user_dtypes:
        # A report with calibration reads all rows at once; these bins are therefore exact, too.
        exact = replace(rows, by=[])
        gains = exact.points(gains_table, calibration=True)
        calibration, counts = pl.collect_all(
            [exact.points(calibration_curve, level=level), exact.points(score_counts)]
        )
    return Details(
        curves=whole.points(roc_curve, max_points=_POINTS).collect(),
        # Bands do not support clusters and weights.
        bands=(
            whole.points(roc_band, level=level).collect()
            if rows.cluster is None and not states.has_weights
            else pl.DataFrame()
        ),
        panels=(
            pl.DataFrame()
            if states.groups is None
            else states.groups.points(roc_curve, max_points=_POINTS_OF_PANEL).collect()
        ),
        panel_keys=keys,
        bars=_bars(whole, sizes),
        gains=gains.collect(),
        thresholds=_thresholds(whole),
        stability=(
            pl.DataFrame()
            if stability is None
            else rows.on_user_scale(Reference.of(stability, rows).bands()).collect()
        ),
        bins=max(number for number, _ in sizes.values()),
        error=states.error,
        low_is_positive=bool(rows.user_dtypes),
        weighted=rows.weighted_states,
        with_nan=states.with_nan,
        calibration=calibration,
        score_counts=counts,
    )


@dataclass(frozen=True)
class _States:
    """States for curves, bands and tables."""

    whole: Rows
    groups: Rows | None
    """The groups that have a panel."""
    sizes: dict[str, tuple[int, bool]]
    """The bins of each score, and whether scores are joined in them."""
    error: float
    has_weights: bool
    with_nan: list[str]


def _states(rows: Rows, panels: Rows | None, keys: dict[str, str], bins: int) -> _States:
    """Build one state of all rows, and one of each group that has a panel."""
    states = rows.merged([], bins)
    groups = None
    if panels is not None:
        merged = panels.merged(list(keys), _BINS_OF_GROUP)
        groups = rows.with_states(merged.rename(keys), list(keys.values()))
    whole = rows.with_states(states, [])
    sizes = {name: _size(states[name]) for name in whole.scores}
    # The bounds of a state with weights can also differ by rounding alone.
    bounds = states.select(whole.each(roc_auc_bounds)).select(name for name in sizes if sizes[name][1])
    half_widths = [
        (limits["upper"] - limits["lower"]) / 2 for [limits] in bounds if limits["upper"] is not None
    ]
    return _States(
        whole,
        groups,
        sizes,
        max((width for width in half_widths if not math.isnan(width)), default=0.0),
        any(map(have_weights, states.dtypes)),
        [name for name in whole.scores if states[name].struct.field("has_nan").item()],
    )


def _key_columns(by: list[str]) -> dict[str, str]:
    """Rename group columns whose names collide with point columns."""
    renamed = {}
    for key in by:
        name = key
        while name in POINT_COLUMNS or (name != key and name in by):
            name += " "
        renamed[key] = name
    return renamed


def _thresholds(whole: Rows) -> pl.DataFrame:
    rows = []
    for rule, options in _RULES:
        points = whole.frame.select(whole.each(operating_point, **options)).collect()
        for column in points:
            point = column.item()
            if point is not None and point["tpr"] is not None and not math.isnan(point["tpr"]):
                threshold = point["threshold"]
                threshold = -threshold if whole.user_dtypes and threshold is not None else threshold
                rows.append({"score": column.name, "rule": rule, **point, "threshold": threshold})
    return pl.DataFrame(
        [{**row, "threshold": None if row["threshold"] is None else str(row["threshold"])} for row in rows],
        infer_schema_length=None,
    )


def _size(state: pl.Series) -> tuple[int, bool]:
    """Return the number of bins of a state, and whether scores are joined in them."""
    bins = state.struct.field("bins").list.len().item()
    return bins or 0, bool(state.struct.field("resolution").item())


def _bars(whole: Rows, sizes: dict[str, tuple[int, bool]]) -> pl.DataFrame:
    """Count each class in bars of equal width."""
    parts = []
    # Bars are computed from the scores in the states, before their sign is restored.
    is_negated, whole = bool(whole.user_dtypes), replace(whole, user_dtypes=())
    fine = whole.points(gains_table, bands=_TAILS).collect()
    for name, (bins, is_joined) in sizes.items():
        edges = _edges(fine.filter(pl.col("score") == name))
        # A bin is never split between bars.
        if not edges or (is_joined and bins < _BINS_OF_BAR * _BARS):
            continue
        inner = edges[1:-1]
        options: dict[str, Any] = {"edges": inner} if inner else {"bands": 1}
        table = whole.only(name).points(gains_table, **options).collect()
        for label, count in (("negative", "n_neg"), ("positive", "n_pos")):
            total = table[count].sum()
            for band, n in table.select("band", count).rows():
                # Bands are numbered from the highest scores.
                place = len(inner) + 1 - band
                low, high = edges[place], edges[place + 1]
                ends = {"is_first": place == 0, "is_last": band == 1}
                held = _range(low, high, **ends)
                if is_negated:
                    low, high = -high, -low
                    held = _range_of_negated(low, high, **ends)
                parts.append(
                    {
                        "score": name,
                        "low": low,
                        "high": high,
                        "range": held,
                        "label": label,
                        "n": n,
                        "share": n / total,
                    }
                )
    return pl.DataFrame(parts, infer_schema_length=None)


def _range(low: float, high: float, *, is_first: bool, is_last: bool) -> str:
    """Describe the range of scores in a bar; the first and the last bar are open-ended."""
    if is_first and is_last:
        return "all"
    if is_first:
        return f"below {high!r}"
    return f"{low!r} and above" if is_last else f"from {low!r} to below {high!r}"


def _range_of_negated(low: float, high: float, *, is_first: bool, is_last: bool) -> str:
    """Describe the range of scores in a bar of negated scores; the first and the last bar are open-ended."""
    if is_first and is_last:
        return "all"
    if is_first:
        return f"above {low!r}"
    return f"{high!r} and below" if is_last else f"above {low!r} up to {high!r}"


def _edges(bins: pl.DataFrame) -> list[float]:
    """Return the edges of the bars: whole numbers for whole scores.

    The list is empty if no score is finite, or if floats are too coarse for bars of equal width.
    """
    whole = bins.schema["lowest"].is_integer() if bins.height else False
    limits = bins.select(
        pl.col("lowest", "highest").cast(pl.Float64, strict=False),
        "band",
    ).filter(pl.col("lowest").is_finite() & pl.col("highest").is_finite())
    if limits.is_empty():
        return []
    inner = limits.filter(pl.col("band").is_between(2, _TAILS - 1))
    kept = inner if inner.height > 1 else limits
    low, high = float(kept["lowest"].min()), float(kept["highest"].max())  # type: ignore[arg-type]
    if whole:
        step = float(max(1, math.ceil((high - low + 1) / _BARS)))
        number = math.ceil((high - low + 1) / step)
    elif low == high:
        low, step, number = low - 0.5, 1.0, 1
    else:
        step, number = (high - low) / _BARS, _BARS
    if not math.isfinite(step):
        return []
    edges = [low + step * place for place in range(number + 1)]
    return edges if all(before < after for before, after in itertools.pairwise(edges)) else []
