"""From the aggregates of groups to the rows of a report."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from polars_auc._frames.groupings import GROUPING, grouped, key_sets
from polars_auc._report.stability import STABILITY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from polars_auc._frames.groupings import Groupings

__all__ = [
    "CHANGES",
    "GAINS",
    "OF_ALL_GROUPS",
    "OF_GROUPS",
    "OF_SUMMARY",
    "RESERVED",
    "Extra",
    "Finish",
    "answer_column",
    "of_aggregates",
    "of_answers",
    "of_bounds",
    "of_clusters",
    "of_comparison",
    "of_folds",
    "one_row_a_score",
    "refuse_clashes",
    "scoped",
    "summary_column",
]

# Fields of `roc_summary` that are columns of a report.
OF_SUMMARY = ["n", "n_pos", "n_missing", "prevalence", "auc", "se", "lower", "upper", "ks", "gini"]

_COLUMNS = [
    "scope",
    "score",
    *OF_SUMMARY,
    "cv_auc",
    "cv_se",
    "cv_lower",
    "cv_upper",
    "n_folds",
    "n_undefined",
    "auc_min",
    "auc_max",
]

# Columns of a comparison, and the fields that they are: null for the first score.
GAINS = {
    "gain": "difference",
    "gain_lower": "lower",
    "gain_upper": "upper",
    "gain_p_value": "p_value",
    "gain_p_adjusted": "p_adjusted",
}

# Columns that only groups have, and columns that only the overall rows have.
OF_GROUPS = ["versus_auc", "difference", "difference_lower", "difference_upper", "p_value", "p_adjusted"]
OF_ALL_GROUPS = ["heterogeneity", "heterogeneity_df", "heterogeneity_p_value"]

# Columns that a report has beside an earlier one.
CHANGES = [
    "previous_n",
    "previous_auc",
    "change",
    "change_lower",
    "change_upper",
    "change_p_value",
    "change_p_adjusted",
]

RESERVED = [*_COLUMNS, *GAINS, *STABILITY, *OF_GROUPS, *OF_ALL_GROUPS, *CHANGES, GROUPING]
"""Names that no column of groups may have."""

Extra: TypeAlias = "Callable[[str], list[pl.Expr]]"
"""From a score's name to further fields of its row, or to others in place of those of its summary."""

Finish: TypeAlias = "Callable[[pl.LazyFrame, Sequence[str]], pl.LazyFrame]"
"""From the rows of groups by some columns to these rows with further columns."""


# A name that no column of a user has.
_ROWS = "polars_auc: rows"


def refuse_clashes(keys: list[str]) -> None:
    clash = next((key for key in keys if key in RESERVED or keys.count(key) > 1), None)
    if clash is not None:
        msg = f"report: the group column {clash!r} has the name of another column of the report; rename it"
        raise ValueError(msg)


def answer_column(answer: str, name: str) -> str:
    """Name an aggregate as no column of a user is named."""
    return f"polars_auc: {answer} of {name}"


def summary_column(name: str) -> str:
    """Name the summary of a score."""
    return answer_column("summary", name)


def of_clusters(name: str) -> list[pl.Expr]:
    limits = pl.col(answer_column("clusters", name)).struct
    return [limits.field(field) for field in ("se", "lower", "upper")]


def of_folds(name: str) -> list[pl.Expr]:
    cv = pl.col(answer_column("folds", name)).struct
    fields = [cv.field(field).alias(f"cv_{field}") for field in ("auc", "se", "lower", "upper")]
    return [*fields, cv.field("n_folds"), cv.field("n_undefined")]


def of_bounds(name: str) -> list[pl.Expr]:
    bounds = pl.col(answer_column("bounds", name)).struct
    return [bounds.field("lower").alias("auc_min"), bounds.field("upper").alias("auc_max")]


def of_comparison(names: list[str], name: str) -> list[pl.Expr]:
    # The first score is the reference, so the others' differences begin at the second; the first has none.
    joint = pl.col(answer_column("comparison", "all")).struct
    differences = joint.field("differences")
    place = names.index(name)
    own = differences.list.get(max(place - 1, 0), null_on_oob=True).struct
    return [
        # A NaN among the scores leaves no list of pairs.
        (
            pl.when(joint.field("chi_square").is_nan()).then(math.nan).otherwise(own.field(field))
            if place
            else pl.lit(None, dtype=pl.Float64)
        ).alias(gain)
        for gain, field in GAINS.items()
    ]


def of_answers(
    rows: pl.LazyFrame,
    scores: Iterable[str],
    answers: list[pl.Expr],
    extras: Mapping[str, Extra],
    keys: list[str],
    groupings: Groupings | None = None,
    segments: Callable[[list[str]], Sequence[pl.LazyFrame]] = lambda _: (),
    finishes: Sequence[Finish] = (),
) -> pl.LazyFrame:
    """Return the report of the answers of each group, and of all rows."""
    return of_aggregates(
        lambda by: rows.group_by(by).agg(*answers),
        rows.select(*answers),
        scores,
        extras,
        keys,
        groupings,
        segments,
        finishes,
    )


def of_aggregates(
    aggregates: Callable[[list[str]], pl.LazyFrame],
    whole: pl.LazyFrame,
    scores: Iterable[str],
    extras: Mapping[str, Extra],
    keys: list[str],
    groupings: Groupings | None = None,
    segments: Callable[[list[str]], Sequence[pl.LazyFrame]] = lambda _: (),
    finishes: Sequence[Finish] = (),
) -> pl.LazyFrame:
    """Return the report of aggregates: of each group, and of all rows."""
    sets = None if groupings is None else key_sets("report", keys, groupings)

    def finished(table: pl.LazyFrame, by: list[str]) -> pl.LazyFrame:
        return functools.reduce(lambda made, finish: finish(made, by), finishes, table)

    overall = finished(one_row_a_score(whole, scores, extras), [])
    # Columns that are missing or of a wrong dtype are refused here, and not only when rows are read.
    overall.collect_schema()

    def of_groups(by: list[str]) -> pl.LazyFrame:
        # Groups are sorted before they become a row for each score: there are fewer of them.
        groups = aggregates(by).sort(by, nulls_last=True)
        return finished(one_row_a_score(groups, scores, extras, by), by)

    if not keys:
        return scoped("overall", overall)
    if sets is not None:
        compared = bool(segments(sets[0]))

        def of_set(by: list[str]) -> pl.LazyFrame:
            groups = of_groups(by)
            return scoped("group", _beside(groups, scores, by, segments(by)) if compared else groups)

        if compared:
            overall = _without(overall, OF_GROUPS)
        return grouped(sets, of_set, scoped("overall", overall), keys)
    groups, made = of_groups(keys), segments(keys)
    if made:
        groups, overall = _compared(groups, overall, scores, keys, made)
    schema = groups.collect_schema()
    nothing = [pl.lit(None, dtype=schema[key]).alias(key) for key in keys]
    overall = overall.with_columns(nothing).select(schema.names())
    return pl.concat([scoped("group", groups), scoped("overall", overall)])


def one_row_a_score(
    answers: pl.LazyFrame,
    scores: Iterable[str],
    extras: Mapping[str, Extra],
    keys: Sequence[str] = (),
) -> pl.LazyFrame:
    """Turn the aggregates of each group from columns into one row for each score, in the order of both."""
    rows = []
    for name in scores:
        summary = pl.col(summary_column(name)).struct
        fields = {field: summary.field(field) for field in OF_SUMMARY}
        for extra in extras.values():
            fields |= {field.meta.output_name(): field for field in extra(name)}
        rows.append(pl.struct(pl.lit(name).alias("score"), *fields.values()))
    # Arrays of one length are put side by side as columns; lists would be built group by group.
    return answers.select(*keys, pl.concat_arr(rows).alias(_ROWS)).explode(_ROWS).unnest(_ROWS)


def _by_score(scores: Iterable[str], segments: Sequence[pl.LazyFrame]) -> pl.LazyFrame:
    return pl.concat(
        table.with_columns(pl.lit(name).alias("score")) for name, table in zip(scores, segments, strict=True)
    )


def _without(rows: pl.LazyFrame, names: Iterable[str]) -> pl.LazyFrame:
    """Add columns in which nothing stands."""
    return rows.with_columns(
        pl.lit(None, dtype=pl.UInt64 if "df" in name else pl.Float64).alias(name) for name in names
    )


def _beside(
    groups: pl.LazyFrame, scores: Iterable[str], keys: list[str], segments: Sequence[pl.LazyFrame]
) -> pl.LazyFrame:
    """Add the comparison of each group to its row."""
    return groups.join(
        _by_score(scores, segments).select(*keys, "score", *OF_GROUPS),
        on=[*keys, "score"],
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )


def _compared(
    groups: pl.LazyFrame,
    overall: pl.LazyFrame,
    scores: Iterable[str],
    keys: list[str],
    segments: Sequence[pl.LazyFrame],
) -> tuple[pl.LazyFrame, pl.LazyFrame]:
    """Add the comparison of each group to its row, and the test of all groups to the overall rows."""
    groups = _without(_beside(groups, scores, keys, segments), OF_ALL_GROUPS)
    overall = _without(overall, OF_GROUPS).join(
        _by_score(scores, segments).select("score", *OF_ALL_GROUPS).unique("score"),
        on="score",
        how="left",
        maintain_order="left",
    )
    return groups, overall


def scoped(scope: str, rows: pl.LazyFrame) -> pl.LazyFrame:
    """Say whether rows are those of groups or of all rows."""
    return rows.select(pl.lit(scope).alias("scope"), pl.all())
