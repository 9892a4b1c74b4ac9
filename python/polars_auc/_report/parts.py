"""The parts of a report: each defines aggregates of the rows of a group, and columns from their results."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import polars as pl

from polars_auc._expressions.calibration import brier_score, calibration_summary, log_loss
from polars_auc._expressions.comparisons import compare_scores, roc_auc_difference
from polars_auc._expressions.folds import cv_roc_auc
from polars_auc._expressions.groups import grouped_roc_auc
from polars_auc._expressions.intervals import roc_auc_ci, roc_summaries
from polars_auc._expressions.states import roc_auc_bounds
from polars_auc._frames.groupings import key_sets
from polars_auc._frames.segments import IS_SEGMENT, compare_segments, summaries_of_segments
from polars_auc._plugin.errors import option_called
from polars_auc._report.columns import (
    CALIBRATION,
    DELTAS,
    GROUP_COLUMNS,
    OVERALL_COLUMNS,
    SUMMARY_COLUMNS,
)
from polars_auc._report.plan import Part, answer_column, summary_column

if TYPE_CHECKING:
    from polars_auc._report.options import ReportOptions
    from polars_auc._report.rows import Rows


def summaries(rows: Rows, options: ReportOptions, *, apart: bool = False) -> Part:
    """Compute the summary of each score. With clusters, another part computes the intervals.

    With ``apart``, each score is a separate aggregate. With bounded memory the numbers of rows are those of
    their states, with the bounds of the AUC.
    """
    limits = options.limits if rows.cluster is None else {"level": options.level}
    if apart:
        return Part(
            [
                roc_summaries([columns], **limits).alias(summary_column(name))
                for name, columns in rows.inputs.items()
            ]
        )
    bins = options.bins if options.memory is not None and rows.label is not None else None
    return Part([roc_summaries(list(rows.inputs.values()), bins, **limits).alias(summary_column("all"))])


def bounds(states: Iterable[str]) -> Part:
    """Compute the bounds of the AUC of each state's rows, and whether the state is exact."""

    def fields(name: str) -> list[pl.Expr]:
        between = pl.col(answer_column("bounds", name)).struct
        limits = [between.field("lower").alias("auc_min"), between.field("upper").alias("auc_max")]
        return [*limits, between.field("exact")]

    return Part([roc_auc_bounds(state=name).alias(answer_column("bounds", name)) for name in states], fields)


def intervals_of_clusters(rows: Rows, options: ReportOptions) -> Part:
    """Compute the intervals of rows in clusters, which replace the intervals of the summaries."""
    limits = options.limits
    method = limits.pop("ci")
    with option_called("ci", "method"):
        answers = [
            roc_auc_ci(
                rows.label,
                score,
                method=method,
                cluster=rows.cluster,
                weight=rows.weight,
                count=rows.count,
                **limits,
            ).alias(answer_column("clusters", name))
            for name, score in rows.scores.items()
        ]

    def fields(name: str) -> list[pl.Expr]:
        interval = pl.col(answer_column("clusters", name)).struct
        # The Gini coefficient and its limits are `2 AUC - 1`.
        limits_of_gini = [
            (2 * interval.field(limit) - 1).alias(f"gini_{limit}") for limit in ("lower", "upper")
        ]
        return [*(interval.field(field) for field in ("se", "lower", "upper")), *limits_of_gini]

    return Part(answers, fields)


def calibration(rows: Rows, options: ReportOptions) -> Part:
    """Compute the calibration of each score."""
    statistics = {
        "brier_score": brier_score,
        "log_loss": log_loss,
        "calibration_summary": calibration_summary,
    }
    answers = [
        statistic(**columns, level=options.level).alias(answer_column(statistic_name, name))
        for name, columns in rows.inputs.items()
        for statistic_name, statistic in statistics.items()
    ]

    def fields(name: str) -> list[pl.Expr]:
        columns = [
            pl.col(answer_column(statistic, name)).struct.field(field).alias(column)
            for column, (statistic, field) in CALIBRATION.items()
        ]
        if rows.label is not None:
            return columns
        # The value of a bin with several scores is not their mean.
        exact = pl.col(answer_column("bounds", name)).struct.field("exact")
        return [pl.when(exact).then(column).alias(column.meta.output_name()) for column in columns]

    return Part(answers, fields)


def folds(rows: Rows, options: ReportOptions) -> Part:
    """Compute the mean AUC of the folds."""
    answers = [
        cv_roc_auc(**columns, fold=options.folds, level=options.level).alias(answer_column("folds", name))
        for name, columns in rows.inputs.items()
    ]

    def fields(name: str) -> list[pl.Expr]:
        cv = pl.col(answer_column("folds", name)).struct
        columns = [cv.field(field).alias(f"cv_{field}") for field in ("auc", "se", "lower", "upper")]
        return [*columns, cv.field("n_folds"), cv.field("n_undefined")]

    return Part(answers, fields)


def users(rows: Rows, options: ReportOptions) -> Part:
    """Compute the mean AUC of the users."""
    average = options.user_average or "macro"
    with option_called("user_average", "average"):
        answers = [
            grouped_roc_auc(**columns, by=options.user, average=average, level=options.level).alias(
                answer_column("users", name)
            )
            for name, columns in rows.inputs.items()
        ]

    def fields(name: str) -> list[pl.Expr]:
        mean = pl.col(answer_column("users", name)).struct
        columns = [mean.field(field).alias(f"user_{field}") for field in ("auc", "se", "lower", "upper")]
        numbers = {"n_groups": "n_users", "n_undefined": "n_users_undefined"}
        return [*columns, *(mean.field(field).alias(column) for field, column in numbers.items())]

    return Part(answers, fields)


def deltas(rows: Rows, options: ReportOptions) -> Part:
    """Compare each score with the first."""
    assert rows.label is not None
    joint = compare_scores(
        rows.label,
        *rows.scores.values(),
        reference=0,
        adjust=None,
        level=options.level,
        weight=rows.weight,
        count=rows.count,
    )
    names = list(rows.scores)
    answer = pl.col(answer_column("comparison", "all")).struct
    first_auc = answer.field("estimates").list.get(0, null_on_oob=True).struct.field("estimate")
    # With a NaN among the scores the list of pairs is empty.
    is_nan = answer.field("chi_square").is_nan()

    def fields(name: str) -> list[pl.Expr]:
        # The first score is the reference, so the differences begin at the second.
        place = names.index(name)
        if place == 0:
            return [pl.lit(None, dtype=pl.Float64).alias(delta) for delta in DELTAS]
        pair = answer.field("differences").list.get(place - 1, null_on_oob=True).struct
        fields = {delta: pair.field(field) for delta, field in DELTAS.items() if delta != "first_auc"}
        return [
            pl.when(is_nan).then(math.nan).otherwise(field).alias(delta)
            for delta, field in {"first_auc": first_auc, **fields}.items()
        ]

    return Part([joint.alias(answer_column("comparison", "all"))], fields)


def deltas_of_clusters(rows: Rows, options: ReportOptions) -> Part:
    """Compare each score of rows in clusters with the first, on the rows in which no score is missing."""
    first, *others = rows.scores.values()
    complete = pl.all_horizontal(score.is_not_null() for score in rows.scores.values())
    # A null label excludes the row.
    used = pl.when(complete).then(rows.label)
    columns = {name: answer_column("difference", name) for name in list(rows.scores)[1:]}
    answers = [
        roc_auc_difference(
            used,
            score,
            first,
            cluster=rows.cluster,
            level=options.level,
            weight=rows.weight,
            count=rows.count,
        ).alias(column)
        for column, score in zip(columns.values(), others, strict=True)
    ]

    def fields(name: str) -> list[pl.Expr]:
        if name not in columns:
            return [pl.lit(None, dtype=pl.Float64).alias(delta) for delta in DELTAS]
        # As without clusters, a NaN score makes every comparison NaN.
        differences = (pl.col(column).struct.field("difference") for column in columns.values())
        is_nan = pl.any_horizontal(difference.is_nan() for difference in differences)
        answer = pl.col(columns[name]).struct
        return [
            pl.when(is_nan).then(math.nan).otherwise(answer.field(field)).alias(delta)
            for delta, field in DELTAS.items()
        ]

    return Part(answers, fields)


def summaries_of_groups(rows: Rows, options: ReportOptions) -> Callable[[list[str]], pl.LazyFrame]:
    """Return a function that computes :func:`summaries` and :func:`segments`, by any columns and overall.

    The rows are ranked once for both.
    """
    columns = [*SUMMARY_COLUMNS, *GROUP_COLUMNS, *([] if options.groupings is not None else OVERALL_COLUMNS)]
    first = rows.by if options.groupings is None else key_sets("report", rows.by, options.groupings)[0]
    # A score may share its name with a column of groups.
    summaries = {
        summary_column(name): {"score": score, "label": rows.label} for name, score in rows.scores.items()
    }
    fields = [pl.struct(pl.col(name).struct.field(*columns)).alias(name) for name in summaries]

    @functools.cache
    def compared(*by: str) -> pl.LazyFrame:
        limits = {**options.limits, "method": options.comparison}
        return summaries_of_segments(rows.frame, summaries, by, options.versus, options.along, limits)

    def answered(by: list[str]) -> pl.LazyFrame:
        if by:
            return compared(*by).filter(IS_SEGMENT).select(*by, *fields).sort(by, nulls_last=True)
        return compared(*first).filter(~pl.col(IS_SEGMENT)).select(fields)

    return answered


def segments(rows: Rows, options: ReportOptions) -> Part:
    """Compare each group with others; with one grouping also test for heterogeneity."""

    @functools.cache
    def compared(*by: str) -> pl.LazyFrame:
        tables = [
            compare_segments(
                rows.frame,
                **score_inputs,
                by=by,
                versus=options.versus,
                method=options.comparison,
                along=options.along,
                # The adjustment is over all tests of the table.
                adjust=None,
                level=options.level,
                cluster=rows.cluster,
            ).with_columns(pl.lit(name).alias("score"))
            for name, score_inputs in rows.inputs.items()
        ]
        return pl.concat(tables)

    def finish(table: pl.LazyFrame, by: list[str]) -> pl.LazyFrame:
        if by:
            comparisons = compared(*by).select(*by, "score", *GROUP_COLUMNS)
            table = table.join(
                comparisons, on=[*by, "score"], how="left", nulls_equal=True, maintain_order="left"
            )
            return table if options.groupings is not None else _with_nulls(table, OVERALL_COLUMNS)
        table = _with_nulls(table, GROUP_COLUMNS)
        if options.groupings is not None:
            return table
        tests = compared(*rows.by).select("score", *OVERALL_COLUMNS).unique("score")
        return table.join(tests, on="score", how="left", maintain_order="left")

    return Part(finish=finish)


def _with_nulls(rows: pl.LazyFrame, names: Sequence[str]) -> pl.LazyFrame:
    return rows.with_columns(
        pl.lit(None, dtype=pl.UInt64 if "df" in name else pl.Float64).alias(name) for name in names
    )
