"""A forest plot of the groups of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from polars_auc._frames.groupings import GROUPING, group_names
from polars_auc._frames.inputs import IntoFrame, called, rows_of
from polars_auc._plots.layout import ANSWER, MARKED, REFERENCE, altair, area_scale, number_tooltip, titled
from polars_auc._plots.names import key_label, key_text, score_text
from polars_auc._plots.numbers import after_adjustment
from polars_auc._plugin.options import between_0_and_1, integer

if TYPE_CHECKING:
    import altair as alt

FEW_ROWS = 10
"""With fewer rows in a class, intervals are wide, and DeLong intervals too short."""

_NAME = "plot_forest"
_NEEDED = ("scope", "score", "n", "auc", "lower", "upper")

_AREAS = ("auc", "lower", "upper", "overall")

# The column of the dashed line, and its description.
_WITHIN = ("within_auc", "the mean AUC within groups")
_ALL_ROWS = ("auc", "the AUC of all rows, which also ranks rows of different groups against each other")

# Height of a line and width of a panel, in pixels.
_LINE = 16
_WIDTH = 260

# Panels per row.
_COLUMNS = 3


@called(_NAME)
def plot_forest(
    report: IntoFrame,
    *,
    limit: int = 60,
    level: float = 0.95,
    width: int = _WIDTH,
    x_title: str | None = None,
) -> alt.LayerChart | alt.FacetChart:
    """Return a forest plot of a report: the AUC of each group with its interval, in ascending order.

    This function needs Altair: ``pip install "polars-auc[plot]"``. It computes no statistic: it draws the
    numbers of :func:`polars_auc.report`.

    Parameters
    ----------
    report
        A report with groups, from :func:`polars_auc.report` with ``by``. Each score has a panel, and the
        first score determines the order of the groups.
    limit
        The largest number of groups, from 2 to 500. If the report has more, significantly different groups
        (``versus``) are selected first, in ascending order of p-values, and then the groups with the most
        rows.
    level
        The level of the report, between 0 and 1. If the report compares groups (``versus``), groups with
        ``p_adjusted`` of at most ``1 - level`` are marked.
    width
        The width of each panel in pixels, from 50 to 5000.
    x_title
        The title of the AUC axis. Default "AUC".

    Returns
    -------
    altair.LayerChart or altair.FacetChart
        The chart. Each group has a line from the lower to the upper limit of its interval, and a point at its
        AUC. The dashed line is the mean AUC within groups, if the report has it (``versus``). Otherwise it is
        the AUC of all rows, which also ranks rows of different groups against each other. Groups without an
        AUC are omitted, and points of groups with fewer than 10 rows in a class are pale.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame(
    ...     {"site": ["a"] * 20 + ["b"] * 20, "ill": [0, 1] * 20, "risk": [row * 7 % 11 for row in range(40)]}
    ... )
    >>> chart = pa.plot_forest(pa.report(rows, "ill", "risk", by="site", versus="rest"))
    >>> for sentence in chart.description.split(". "):
    ...     print(sentence)
    AUC of 2 groups by site, with intervals, the lowest first
    The dashed line is the mean AUC within groups
    No displayed group is significantly different at level 0.05.
    """
    integer(_NAME, "limit", limit, 2, 500)
    integer(_NAME, "width", width, 50, 5000)
    between_0_and_1(_NAME, "level", level)
    altair(_NAME)
    import altair as alt

    table = rows_of(_NAME, report).collect()
    keys = _keys(table)
    table = table.with_columns(score_text())
    groups = table.filter(pl.col("scope") == "group", pl.col("auc").is_not_nan())
    if groups.is_empty():
        msg = f"{_NAME}: no group has an AUC, which requires a positive row, a negative row and no NaN score"
        raise ValueError(msg)
    differs = pl.col("p_adjusted") <= 1 - level if "p_adjusted" in table.columns else pl.lit(value=False)
    dashed, meaning = _WITHIN if _WITHIN[0] in table.columns else _ALL_ROWS
    overall = table.filter(pl.col("scope") == "overall").select(
        "score", overall=pl.col(dashed).fill_nan(None)
    )
    rows = groups.select(
        group_name(keys, table.schema).alias("group"),
        *(name for name in (*_NEEDED[1:], "p_adjusted") if name in table.columns),
        differs=differs.fill_null(value=False),
        few=has_few_rows(table.schema),
    ).join(overall, on="score", how="left", maintain_order="left")
    scores = rows["score"].unique(maintain_order=True).to_list()
    # A group without an AUC for the first score is ordered by the next score that has one.
    first = rows.sort(pl.col("score").cast(pl.Enum(scores)), "auc", maintain_order=True).unique(
        "group", keep="first", maintain_order=True
    )
    order = first["group"].to_list()
    ranked, which = _ranked(rows, limit)
    displayed = [group for group in order if group in ranked]
    lines = rows.filter(pl.col("group").is_in(displayed))
    has_overall = lines["overall"].count() > 0
    chart = _layers(
        alt,
        displayed,
        marked="p_adjusted" in table.columns,
        has_overall=has_overall,
        scale=area_scale(number for name in _AREAS for number in lines[name]),
    ).properties(width=width, height=_LINE * len(displayed))
    count = f"{len(displayed):,} group{'' if len(displayed) == 1 else 's'}"
    if which:
        count = f"{len(displayed):,} of {len(order):,} groups"
    suffix = "" if len(scores) == 1 else f" of {scores[0]}"
    intervals = ", with intervals" if lines["lower"].count() else ""
    description = f"AUC of {count} by {', '.join(keys)}{intervals}, the lowest{suffix} first{which}. "
    if has_overall:
        description += f"The dashed line is {meaning}. "
    if "p_adjusted" in table.columns:
        adjusted = after_adjustment(table, "p_adjusted")
        what = "Orange diamonds are" if lines["differs"].any() else "No displayed group is"
        description += f"{what} significantly different at level {1 - level:.6g}{adjusted}. "
    if lines["few"].any():
        description += f"Pale points are of groups with fewer than {FEW_ROWS} rows in a class."
    description = description.rstrip()
    data = {"values": lines.to_dicts()}
    if len(scores) == 1:
        whole: alt.LayerChart = chart.properties(data=data, description=description)
        return titled(_NAME, whole, x_title, None)
    panels = alt.Facet("score:N", title=None, sort=scores)
    grid: alt.FacetChart = chart.facet(panels, data=data, columns=_COLUMNS).properties(
        description=description
    )
    return titled(_NAME, grid, x_title, None)


def _ranked(groups: pl.DataFrame, limit: int) -> tuple[set[str], str]:
    """Return the selected groups and a description of the selection: significant ones, then the largest.

    Small groups would dominate a selection by AUC: their AUCs are extreme by chance.
    """
    p_value = pl.col("p_adjusted") if "p_adjusted" in groups.columns else pl.lit(None, dtype=pl.Float64)
    each = groups.group_by("group", maintain_order=True).agg(
        p=pl.when("differs").then(p_value).min(), differs=pl.col("differs").any(), n=pl.col("n").max()
    )
    if each.height <= limit:
        return set(each["group"]), ""
    ranked = each.sort("p", "n", descending=[False, True], nulls_last=True, maintain_order=True).head(limit)
    differing, all_differing = ranked["differs"].sum(), each["differs"].sum()
    verb = "differs" if all_differing == 1 else "differ"
    parts = [f"the {all_differing:,} that {verb} significantly"] if differing else []
    if differing < all_differing:
        parts = [f"the {differing:,} most significant of {all_differing:,}"]
    if differing < limit:
        parts.append(f"the {limit - differing:,} {'other ' if differing else ''}groups with the most rows")
    return set(ranked["group"]), f": {' and '.join(parts)}"


def group_name(keys: list[str], schema: pl.Schema) -> pl.Expr:
    """Return the name of a group: its values, with column names if there are several groupings."""
    if GROUPING not in schema:
        return key_label(keys)
    parts = [
        pl.when(group_names(schema, key)).then(pl.lit(f"{key} = ") + key_text(key, joined=True))
        for key in keys
    ]
    return pl.concat_str(parts, separator=", ", ignore_nulls=True)


def has_few_rows(schema: pl.Schema) -> pl.Expr:
    """Return whether an AUC of a report has few positives or few negatives."""
    if "n_pos" not in schema:
        return pl.lit(value=False)
    return (pl.min_horizontal("n_pos", pl.col("n") - pl.col("n_pos")) < FEW_ROWS) & pl.col(
        "auc"
    ).is_not_null()


def _keys(table: pl.DataFrame) -> list[str]:
    missing = [name for name in _NEEDED if name not in table.columns]
    if missing:
        msg = (
            f"{_NAME}: a report has the columns {', '.join(_NEEDED)}, and this frame lacks "
            f'{", ".join(missing)}. Hint: write report(frame, "label", "score", by="segment")'
        )
        raise ValueError(msg)
    keys = table.columns[table.columns.index("scope") + 1 : table.columns.index("score")]
    if not keys:
        msg = f'{_NAME}: the report has no groups. Hint: write report(frame, "label", "score", by="segment")'
        raise ValueError(msg)
    return keys


def _layers(alt: Any, order: list[str], *, marked: bool, has_overall: bool, scale: Any) -> Any:
    axis = alt.Axis(labelLimit=280, labelOverlap=False, title=None)
    group = alt.Y("group:N", sort=order, axis=axis)
    area = alt.X(
        "auc:Q", title="AUC", scale=scale, axis=alt.Axis(format=".3~f", tickCount=5, labelSeparation=8)
    )
    numbers = ["auc", "lower", "upper", *(["p_adjusted"] if marked else [])]
    tooltip = [
        alt.Tooltip("group:N"),
        alt.Tooltip("score:N"),
        number_tooltip("n", is_integer=True),
        *(number_tooltip(name) for name in numbers),
    ]
    color = alt.condition("datum.differs", alt.value(MARKED), alt.value(ANSWER))
    base = alt.Chart()
    reference = base.mark_rule(color=REFERENCE, strokeDash=[4, 4], aria=False).encode(x="min(overall):Q")
    interval = base.mark_rule(strokeWidth=2).encode(
        y=group, x=alt.X("lower:Q", title="AUC", scale=scale), x2="upper:Q", color=color, tooltip=tooltip
    )
    pale = alt.condition("datum.few", alt.value(0.4), alt.value(1))
    point = base.mark_point(filled=True, size=50).encode(
        y=group, x=area, color=color, opacity=pale, tooltip=tooltip
    )
    if marked:
        shape = alt.condition("datum.differs", alt.value("diamond"), alt.value("circle"))
        point = point.encode(shape=shape)
    return alt.layer(*([reference] if has_overall else []), interval, point)
