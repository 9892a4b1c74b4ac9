"""The query of a report, from rows or states and the options.

``evaluation`` selects the reading strategy: in batches, group by group, or at once. ``_parts`` lists the
parts of the report. A ``ReportPlan`` computes the aggregates of all parts, for each group and overall.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import polars as pl

from polars_auc._frames.answers import Answers, are_in_order, are_of_rows
from polars_auc._frames.group_states import ROWS_PER_BIN, deferred
from polars_auc._frames.inputs import called, column_of, keys_of
from polars_auc._frames.runs import Runs
from polars_auc._frames.scores import dtype_of
from polars_auc._plugin.errors import OptionError, OptionTypeError
from polars_auc._plugin.options import format_value
from polars_auc._report import parts
from polars_auc._report.batches import BoundedMemory, ReportInBatches
from polars_auc._report.options import PLACEMENT_METHODS, ReportOptions
from polars_auc._report.plan import Part, ReportPlan
from polars_auc._report.rows import Rows
from polars_auc._report.stability import Reference

_CALL = 'report(frame, "label", "score", {})'

_ROWS = "polars_auc: rows"


@called("report")
def evaluation(rows: Rows, options: ReportOptions, partitions: Runs | None = None) -> pl.LazyFrame:
    """Return a report, without warnings about NaN or a missing class.

    With ``partitions`` the rows are read group by group, also without ``sorted_by``.
    """
    runs = _runs(options, rows.by) or partitions
    _refuse_comparisons(rows, options)
    options = _with_plain_columns(rows, options)
    if rows.label is None:
        return _plan(rows, options).from_rows()
    if options.memory is not None:
        return _bounded(rows, options)
    if options.versus is not None and _needs_scores_alone(rows, options):
        plan = ReportPlan(rows, options, _nan_parts(rows), Answers("report", rows.frame))
        return plan.from_answers(parts.summaries_of_groups(rows, options))
    in_batches = _in_batches(rows, options)
    if runs is not None and in_batches is not None and len(rows.scores) == 1 and not runs.is_claim:
        # Batches need as little memory as runs, and less time.
        runs = None
    if runs is not None:
        # When groups are read one by one, only the overall row needs all rows.
        overall = _in_batches(replace(rows, by=[]), options)
        plan = _plan(rows, options, in_runs=True)
        schema = plan.from_rows().collect_schema()
        return deferred(schema, functools.partial(_in_runs, plan, runs, overall))
    if in_batches is not None:
        return in_batches.planned(_plan(in_batches.rows, options))
    return _plan(rows, options).from_rows()


def _needs_scores_alone(rows: Rows, options: ReportOptions) -> bool:
    """Return whether the numbers need only the label and the scores of each row, in any order."""
    others = (rows.count, rows.weight, rows.cluster, options.folds, options.user, options.stability)
    is_more = options.compare or options.calibration or any(column is not None for column in others)
    is_alone = not is_more and options.ci in PLACEMENT_METHODS
    return is_alone and rows.label is not None and are_of_rows((rows.label, *rows.scores.values()))


def _in_batches(rows: Rows, options: ReportOptions) -> ReportInBatches | None:
    """Return a report in batches, or None if it needs further columns or all rows at once."""
    if not _needs_scores_alone(rows, options) or options.versus is not None or options.groupings is not None:
        return None
    return ReportInBatches.of(rows, options.limits)


def _plan(rows: Rows, options: ReportOptions, *, in_runs: bool = False) -> ReportPlan:
    """Return the plan of a report."""
    group_answers = Answers("report", rows.frame)
    with group_answers.reading_lists():
        return ReportPlan(rows, options, _parts(rows, options, in_runs=in_runs), group_answers)


def _parts(rows: Rows, options: ReportOptions, *, in_runs: bool = False) -> list[Part]:
    """Return the parts of a report, in the order of its columns."""
    # For rows in runs, only the columns of one aggregate are in memory.
    result = [parts.summaries(rows, options, apart=in_runs)]
    if rows.label is None:
        result.append(parts.bounds(rows.scores))
    if rows.cluster is not None:
        result.append(parts.intervals_of_clusters(rows, options))
    if options.calibration:
        result.append(parts.calibration(rows, options))
    if options.folds is not None:
        result.append(parts.folds(rows, options))
    if options.user is not None:
        result.append(parts.users(rows, options))
    if options.compare:
        compared = parts.deltas if rows.cluster is None else parts.deltas_of_clusters
        result.append(compared(rows, options))
    if options.stability is not None:
        result.append(Part(finish=Reference.of(options.stability, rows).add_to))
    if options.versus is not None:
        result.append(parts.segments(rows, options))
    return result + _nan_parts(rows)


def _nan_parts(rows: Rows) -> list[Part]:
    return [Part(finish=rows.add_nan_counts)] if rows.skips_nan else []


def _with_plain_columns(rows: Rows, options: ReportOptions) -> ReportOptions:
    """Return options whose folds and users are columns; raise for invalid values."""
    columns: dict[str, Any] = {}
    for role in ("folds", "user"):
        if getattr(options, role) is None:
            continue
        example = _CALL.format(f'{role}="{role}"')
        columns[role] = column_of("report", role, getattr(options, role), rows.frame, example)
        dtype = dtype_of(rows.frame, columns[role])
        if not _is_plain(dtype):
            raise OptionTypeError("report", role, f"must be a column of plain values, got {dtype}")
    return replace(options, **columns)


def _is_plain(dtype: Any) -> bool:
    if isinstance(dtype, pl.Struct):
        return all(_is_plain(field) for field in dtype.to_schema().values())
    return dtype != pl.Object and not dtype.is_nested()


def _refuse_comparisons(rows: Rows, options: ReportOptions) -> None:
    """Raise for comparisons that these columns do not support."""
    if options.compare and len(rows.scores) < 2:
        raise OptionError("report", "compare", "needs two scores or more, got one")
    if options.groupings is not None and options.versus not in (None, "rest", "pooled_rest", "overall"):
        reason = 'with `groupings`, `versus` must be "rest", "pooled_rest" or "overall"'
        reason += f", got {format_value(options.versus)}"
        raise OptionError("report", "", reason)


def _runs(options: ReportOptions, keys: list[str]) -> Runs | None:
    """Return the columns of groups by which rows are sorted."""
    columns = keys_of("report", options.sorted_by, _CALL.format('by="segment", sorted_by="segment"'))
    unknown = next((key for key in columns if key not in keys), None)
    if unknown is not None:
        reason = f"has the unknown column {unknown!r}; expected one of `by`: {', '.join(map(repr, keys))}"
        if not keys:
            reason = f"names {unknown!r}, and there is no `by`"
        raise OptionError("report", "sorted_by", reason)
    return Runs(columns, is_claim=True) if columns else None


@called("report")
def _in_runs(plan: ReportPlan, runs: Runs, overall: ReportInBatches | None) -> pl.DataFrame:
    """Evaluate one group after the other, and then all rows."""
    frame, by = plan.rows.frame, plan.rows.by
    groups = runs.groups(frame, by, plan.group_answers, plan.answers).sort(by, nulls_last=True)
    whole = None if overall is None else overall.overall(plan.answers)
    if whole is None:
        whole = runs.overall(frame, plan.group_answers, plan.answers)
    return plan.from_answers(lambda by: (groups if by else whole).lazy()).collect()


def _bounded(rows: Rows, options: ReportOptions) -> pl.LazyFrame:
    """Return a report of states, or of the rows if these need less memory."""
    states = rows.bounded(**options.bins)
    if (
        not rows.by
        or not _compares_groups(options)
        or not _needs_scores_alone(rows, options)
        or not are_in_order(rows.frame, rows.by)
    ):
        schema = evaluation(states, options).collect_schema()
        return deferred(schema, functools.partial(_from_states, options, states))
    in_batches = _in_batches(rows, options)
    if in_batches is not None:
        bounded = BoundedMemory(options.bins, functools.partial(_from_states, options))
        return in_batches.planned(_plan(in_batches.rows, options), bounded)
    report = _plan(rows, options).from_rows()
    if options.groupings is None and options.versus is None:
        return report
    # With groupings or comparisons a row is in several groups. The rows are read at once if their states
    # would need more memory.
    return deferred(
        report.collect_schema(), functools.partial(_from_rows_or_states, rows, options, report, states)
    )


def _compares_groups(options: ReportOptions) -> bool:
    """Return whether groups are compared only with single groups, never with pooled rows."""
    if options.versus is None:
        return True
    pooled = isinstance(options.versus, str) and options.versus in ("overall", "pooled_rest")
    return not pooled and options.groupings is None


def _from_rows_or_states(
    rows: Rows, options: ReportOptions, report: pl.LazyFrame, states: Rows
) -> pl.DataFrame:
    """Return the report of the rows or of their states, whichever need less memory.

    Groups are compared by rows if every group has at most ``max_bins`` rows, so that its state is exact.
    """
    max_bins = options.bins["max_bins"]
    # A key may be named `len`, but not `_ROWS`.
    heights = rows.frame.group_by(rows.by).agg(pl.len().alias(_ROWS))
    totals = heights.select(pl.sum(_ROWS), pl.len().alias("groups"), pl.max(_ROWS).fill_null(0).alias("most"))
    number, groups, most = totals.collect(engine="streaming").row(0)
    if number <= ROWS_PER_BIN * max_bins * groups and (options.versus is None or most <= max_bins):
        return report.collect()
    return _from_states(options, states)


def _from_states(options: ReportOptions, states: Rows) -> pl.DataFrame:
    """Return a report of states; the rows are read once for groups and overall."""
    return evaluation(replace(states, frame=states.frame.collect().lazy()), options).collect()
