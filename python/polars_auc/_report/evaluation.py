"""From the rows or states of a report and its options to the query that answers it.

``evaluation`` reads the columns and lists the parts, and a ``ReportPlan`` asks what they need of the rows of
each group and of all rows. What it says of states is in ``evaluation_of_states``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from polars_auc._expressions.states import have_weights
from polars_auc._frames.answers import Answers, are_in_order, are_of_rows
from polars_auc._frames.direction import negated
from polars_auc._frames.group_states import ROWS_PER_BIN, deferred, group_states
from polars_auc._frames.inputs import (
    called,
    column_of,
    keys_of,
    refuse_keys,
    refuse_pattern,
    rows_of,
    scores_of,
)
from polars_auc._frames.runs import Runs
from polars_auc._plugin.errors import OptionError, OptionTypeError
from polars_auc._plugin.options import format_value
from polars_auc._report import parts
from polars_auc._report.batches import ReportInBatches
from polars_auc._report.bounded import BoundedReport
from polars_auc._report.nan import Nans, without_nan
from polars_auc._report.options import ReportOptions
from polars_auc._report.rows import Part, ReportPlan, refuse_clashes
from polars_auc._report.stability import Reference

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polars.datatypes import DataTypeClass

    from polars_auc._frames.inputs import IntoFrame
    from polars_auc._plugin.call import IntoExpr

__all__ = ["CALL", "evaluation", "evaluation_of_states", "nans_of"]

CALL = 'report(frame, "label", "score", {})'
"""A call, for messages that say how to write an option."""

_ROWS = "polars_auc: rows"


@called("report")
def evaluation(
    frame: IntoFrame,
    label: IntoExpr,
    scores: IntoExpr | Iterable[IntoExpr],
    options: ReportOptions,
    runs: Runs | None = None,
    nans: Nans | None = None,
) -> pl.LazyFrame:
    """Return a report, which says nothing of a label without a positive, or of NaN.

    Runs say that rows come group after group, also where ``sorted_by`` does not. ``nans`` are the scores as
    they are, if those of ``scores`` are without NaN already.
    """
    keys = keys_of("report", options.by, CALL.format('by="segment"'))
    for role in ("count", "cluster", "weight", "folds", "stability"):
        refuse_pattern("report", role, getattr(options, role))
    refuse_pattern("report", "label", label)
    if options.memory is not None:
        return _bounded_evaluation(frame, label, scores, keys, options)
    rows = rows_of("report", frame)
    runs = _runs(options, keys) or runs
    refuse_clashes(keys)
    refuse_keys("report", keys, rows.collect_schema(), nested=True)
    columns = scores_of("report", scores, rows, keys)
    _refuse_comparisons(options, columns)
    if options.nan is not None:
        nans = nans_of(rows, label, columns.values(), options) if nans is None else nans
        columns = without_nan(rows, columns)
    if options.low_is_positive:
        columns = negated(rows, columns)
    if options.cluster is not None:
        example = CALL.format('cluster="patient"')
        cluster = column_of("report", "cluster", options.cluster, rows, example)
        options = replace(options, cluster=cluster)
        label = parts.in_cluster(column_of("report", "label", label, rows, example), cluster)
    options = _with_plain_columns(options, rows)
    in_batches = ReportInBatches.of(rows, label, columns, keys, options)
    if in_batches is not None and runs is not None:
        if len(columns) == 1 and not runs.is_claim:
            # Batches take as little memory as runs, and less time.
            runs = None
        else:
            # Of groups that come one after the other, only the overall row needs all rows.
            in_batches = ReportInBatches.of(rows, label, columns, [], options)
    group_report = _summaries_of_groups(rows, label, columns, keys, options) if runs is None else None
    if runs is None and in_batches is not None:
        rows, label, columns = in_batches.rows, in_batches.label, dict(in_batches.scores)
    group_answers = Answers("report", rows)
    plan_parts = []
    if group_report is None:
        plan_parts = _parts(rows, label, columns, keys, options, group_answers, in_runs=runs is not None)
    if options.nan is not None and nans is not None:
        plan_parts.append(Part(finish=nans.add_to))
    plan = ReportPlan(
        list(columns),
        keys,
        options.groupings,
        plan_parts,
        options.adjust,
        group_answers,
        options.axis_of(keys),
    )
    if group_report is not None:
        return plan.from_answers(group_report)
    if runs is None and in_batches is not None:
        return in_batches.planned(plan)
    table = plan.from_rows(rows)
    if runs is None:
        return table
    return deferred(table.collect_schema(), functools.partial(_in_runs, plan, rows, runs, in_batches))


def _with_plain_columns(options: ReportOptions, rows: pl.LazyFrame) -> ReportOptions:
    """Return options whose folds and users are columns; refuse values that make none."""
    columns: dict[str, Any] = {}
    for role in ("folds", "user"):
        if getattr(options, role) is None:
            continue
        column = column_of("report", role, getattr(options, role), rows, CALL.format(f'{role}="{role}"'))
        [dtype] = rows.select(column).collect_schema().dtypes()
        if not _is_plain(dtype):
            raise OptionTypeError("report", role, f"must be a column of plain values, got {dtype}")
        columns[role] = column
    return replace(options, **columns)


def _is_plain(dtype: pl.DataType | DataTypeClass) -> bool:
    if isinstance(dtype, pl.Struct):
        return all(_is_plain(field) for field in dtype.to_schema().values())
    return dtype != pl.Object and not dtype.is_nested()


def _refuse_weights(options: ReportOptions, states: Sequence[str], schema: pl.Schema) -> None:
    """Refuse what states with sums of weights cannot answer."""
    weighted = [state for state in states if have_weights(schema[state])]
    if options.user is not None and weighted:
        reason = f"needs counts of rows, but the state {weighted[0]!r} has sums of weights"
        raise OptionError("report", "user", reason, "leave it out, or make the states without weight")


def _parts(
    rows: pl.LazyFrame,
    label: IntoExpr,
    scores: Mapping[str, pl.Expr],
    keys: list[str],
    options: ReportOptions,
    group_answers: Answers,
    *,
    in_runs: bool,
) -> list[Part]:
    """Return what a report consists of, in the order of its columns."""
    inputs = _score_inputs(label, scores, options)
    with group_answers.reading_lists():
        # Of rows in runs, only the columns of one answer are in memory.
        result = [parts.summaries(inputs, options, apart=in_runs)]
        if options.cluster is not None:
            result.append(parts.intervals_of_clusters(label, scores, options))
        result += _parts_of_keys(inputs, options)
        if options.compare:
            compared = parts.deltas if options.cluster is None else parts.deltas_of_clusters
            result.append(compared(label, scores, options))
    if options.stability is not None:
        # Rows in clusters are not independent, and no p-value knows how much less they say.
        has_p_values = options.cluster is None
        reference = Reference.of(
            options.stability,
            rows,
            scores,
            count=options.count,
            weight=options.weight,
            has_p_values=has_p_values,
        )
        result.append(Part(finish=reference.add_to))
    if options.versus is not None:
        result.append(parts.segments(rows, inputs, keys, options))
    return result


def _summaries_of_groups(
    rows: pl.LazyFrame,
    label: IntoExpr,
    scores: Mapping[str, pl.Expr],
    keys: list[str],
    options: ReportOptions,
) -> Callable[[list[str]], pl.LazyFrame] | None:
    """Return what answers the whole report of groups that are compared, if nothing else is asked for.

    None is returned if a part needs more than a label and a score of each row.
    """
    if options.versus is None or not options.needs_scores_alone:
        return None
    if not are_of_rows((label, *scores.values())):
        return None
    inputs = {name: {"score": score, "label": label} for name, score in scores.items()}
    return parts.summaries_of_groups(rows, inputs, keys, options)


def _score_inputs(label: IntoExpr, scores: Mapping[str, pl.Expr], options: ReportOptions) -> parts.Inputs:
    """Return what the statistics of each score take."""
    shared = {"label": label, "count": options.count}
    if options.cluster is not None:
        # Without a cluster a row lacks more than its label.
        scores = {name: parts.in_cluster(score, options.cluster) for name, score in scores.items()}
    if options.weight is not None:
        shared["weight"] = options.weight
    return {name: {**shared, "score": score} for name, score in scores.items()}


def _parts_of_keys(inputs: parts.Inputs, options: ReportOptions) -> list[Part]:
    """Return the parts about calibration, folds and users, which rows and states answer alike."""
    result = [parts.calibration(inputs, options)] if options.calibration else []
    result += [] if options.folds is None else [parts.folds(inputs, options)]
    return result if options.user is None else [*result, parts.users(inputs, options)]


def _refuse_comparisons(options: ReportOptions, scores: Iterable[str]) -> None:
    """Refuse comparisons that these columns do not allow."""
    if options.compare and len(list(scores)) < 2:
        raise OptionError("report", "compare", "needs two scores or more, got one")
    if options.groupings is not None and options.versus not in (None, "rest", "pooled_rest", "overall"):
        reason = 'with `groupings`, `versus` must be "rest", "pooled_rest" or "overall"'
        reason += f", got {format_value(options.versus)}"
        raise OptionError("report", "", reason)


def _runs(options: ReportOptions, keys: list[str]) -> Runs | None:
    """Return the columns of groups by which rows come sorted."""
    columns = keys_of("report", options.sorted_by, CALL.format('by="segment", sorted_by="segment"'))
    unknown = next((key for key in columns if key not in keys), None)
    if unknown is not None:
        reason = f"has the unknown column {unknown!r}; expected one of `by`: {', '.join(map(repr, keys))}"
        if not keys:
            reason = f"names {unknown!r}, and there is no `by`"
        raise OptionError("report", "sorted_by", reason)
    return Runs(columns, is_claim=True) if columns else None


@called("report")
def _in_runs(
    plan: ReportPlan, rows: pl.LazyFrame, runs: Runs, in_batches: ReportInBatches | None
) -> pl.DataFrame:
    """Answer one group after the other, and then all rows."""
    assert plan.group_answers is not None
    groups = runs.groups(rows, plan.keys, plan.group_answers, plan.answers).sort(plan.keys, nulls_last=True)
    whole = None if in_batches is None else in_batches.overall(plan.answers)
    if whole is None:
        whole = runs.overall(rows, plan.group_answers, plan.answers)
    return plan.from_answers(lambda by: (groups if by else whole).lazy()).collect()


def _bounded_evaluation(
    frame: IntoFrame,
    label: IntoExpr,
    scores: IntoExpr | Iterable[IntoExpr],
    keys: list[str],
    options: ReportOptions,
) -> pl.LazyFrame:
    """Return a report of rows that are read batch by batch."""
    rows = rows_of("report", frame)
    columns = scores_of("report", scores, rows, keys)
    nans = None
    if options.nan is not None:
        nans = nans_of(rows, label, columns.values(), options)
        columns = without_nan(rows, columns)
    if options.low_is_positive:
        columns = negated(rows, columns)
    group_report = _bounded_groups(rows, label, columns, keys, options, nans)
    if group_report is not None:
        return group_report
    score_columns = [column.alias(name) for name, column in columns.items()]
    states = group_states(rows, label, score_columns, by=keys, **options.bins, count=options.count)
    names = [name for name in states.collect_schema().names() if name not in keys]
    schema = evaluation_of_states(states, names, keys, options, nans).collect_schema()
    return deferred(schema, functools.partial(_from_collected_states, states, names, keys, options, nans))


def _bounded_groups(
    rows: pl.LazyFrame,
    label: IntoExpr,
    scores: Mapping[str, pl.Expr],
    keys: list[str],
    options: ReportOptions,
    nans: Nans | None,
) -> pl.LazyFrame | None:
    """Return a report of groups whose rows are kept until their states take less memory.

    None is returned if there are no groups, or if something else is asked for than the numbers of each group
    and comparisons with other groups.
    """
    is_more = not options.needs_scores_alone or not _needs_groups_alone(options)
    if is_more or not keys or not are_in_order(rows, keys) or not are_of_rows((label, *scores.values())):
        return None
    [label_name] = rows.select(label).collect_schema().names()
    if len({*keys, *scores, label_name}) < len(keys) + len(scores) + 1:
        return None
    refuse_clashes(keys)
    in_batches = ReportInBatches.of(rows, label, scores, keys, options)
    if in_batches is not None:
        rows, label, scores = in_batches.rows, in_batches.label, in_batches.scores
    group_answers = Answers("report", rows)
    with group_answers.reading_lists():
        inputs = _score_inputs(label, scores, options)
        parts_of_report = [parts.summaries(inputs, options)]
    if options.versus is not None:
        parts_of_report.append(parts.segments(rows, inputs, keys, options))
    if nans is not None:
        parts_of_report.append(Part(finish=nans.add_to))
    axis = options.axis_of(keys)
    plan = ReportPlan(
        list(scores), keys, options.groupings, parts_of_report, options.adjust, group_answers, axis
    )
    from_states = functools.partial(
        _from_collected_states, names=list(scores), keys=keys, options=options, nans=nans
    )
    if options.groupings is not None or options.versus is not None:
        # Rows that are in several groups or comparisons are read at once, where their states would take more
        # memory.
        score_columns = [column.alias(name) for name, column in scores.items()]
        states = group_states(rows, label, score_columns, by=keys, **options.bins)
        row_report = plan.from_rows(rows)
        return deferred(
            row_report.collect_schema(),
            functools.partial(_from_rows_or_states, rows, keys, options, row_report, from_states, states),
        )
    if in_batches is None:
        return plan.from_rows(rows)
    return BoundedReport(in_batches, options.bins, from_states).planned(plan)


def _needs_groups_alone(options: ReportOptions) -> bool:
    """Whether groups are compared with groups, if at all, and never with the rows of several together."""
    if options.versus is None:
        return True
    pooled = isinstance(options.versus, str) and options.versus in ("overall", "pooled_rest")
    return not pooled and options.groupings is None


def _from_rows_or_states(
    rows: pl.LazyFrame,
    keys: list[str],
    options: ReportOptions,
    row_report: pl.LazyFrame,
    from_states: Callable[[pl.LazyFrame], pl.DataFrame],
    states: pl.LazyFrame,
) -> pl.DataFrame:
    """Return the report of rows, if they take less memory than their states, or else that of the states.

    Comparisons are those of the rows if no group has more of them than bins, so that its state is exact.
    """
    max_bins = options.bins["max_bins"]
    # A key may be called `len`, but not `_ROWS`.
    heights = rows.group_by(keys).agg(pl.len().alias(_ROWS))
    totals = heights.select(pl.sum(_ROWS), pl.len().alias("groups"), pl.max(_ROWS).fill_null(0).alias("most"))
    number, groups, most = totals.collect(engine="streaming").row(0)
    if number <= ROWS_PER_BIN * max_bins * groups and (options.versus is None or most <= max_bins):
        return row_report.collect()
    return from_states(states)


def _from_collected_states(
    states: pl.LazyFrame, names: list[str], keys: list[str], options: ReportOptions, nans: Nans | None
) -> pl.DataFrame:
    """Return a report of states, whose rows are read once, for groups and overall."""
    return evaluation_of_states(states.collect().lazy(), names, keys, options, nans).collect()


@called("report")
def evaluation_of_states(
    rows: pl.LazyFrame,
    states: Sequence[str],
    keys: list[str],
    options: ReportOptions,
    nans: Nans | None = None,
) -> pl.LazyFrame:
    """Return a report of columns of states, each the counted rows of one score.

    Between ``auc_min`` and ``auc_max`` lies the AUC of the rows; both are ``auc`` if the states are exact.
    """
    refuse_clashes(keys)
    _refuse_comparisons(options, states)
    _refuse_weights(options, states, rows.collect_schema())
    options = _with_plain_columns(options, rows)
    inputs = {name: {"state": pl.col(name)} for name in states}
    plan_parts = [parts.summaries(inputs, options), parts.bounds(states), *_parts_of_keys(inputs, options)]
    if options.stability is not None:
        columns = {name: pl.col(name) for name in states}
        reference = Reference.of(options.stability, rows, columns, has_states=True)
        plan_parts.append(Part(finish=reference.add_to))
    if options.versus is not None:
        plan_parts.append(parts.segments(rows, inputs, keys, options))
    if options.nan is not None and nans is not None:
        plan_parts.append(Part(finish=nans.add_to))
    axis = options.axis_of(keys)
    return ReportPlan(states, keys, options.groupings, plan_parts, options.adjust, axis=axis).from_rows(rows)


def nans_of(
    rows: pl.LazyFrame,
    label: IntoExpr,
    scores: IntoExpr | Iterable[IntoExpr],
    options: ReportOptions,
) -> Nans:
    """Return the rows of a report whose scores may be NaN."""
    keys = keys_of("report", options.by, "")
    columns = scores_of("report", scores, rows, keys)
    if options.cluster is not None:
        cluster = column_of("report", "cluster", options.cluster, rows, "")
        label = parts.in_cluster(column_of("report", "label", label, rows, ""), cluster)
    return Nans(rows, label, columns, keys, options.count, options.weight)
