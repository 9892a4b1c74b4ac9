"""Reports with bounded memory: rows are kept until their states take less memory."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import polars as pl
import polars.selectors as cs

from polars_auc import _native
from polars_auc._frames.batches import collection
from polars_auc._frames.group_states import (
    MOST_COLLECTED_ROWS,
    ROWS_PER_BIN,
    deferred,
    group_states,
    in_collections,
    observe,
)
from polars_auc._frames.inputs import called
from polars_auc._frames.partial_states import PART_BYTES, PartialStates, state_column
from polars_auc._plugin.call import batch_answers, columns_of_batches
from polars_auc._report.batches import ReportInBatches, read_batches
from polars_auc._report.rows import ReportPlan

__all__ = ["BoundedReport"]


@dataclass(frozen=True)
class BoundedReport:
    """A report of groups, each answered from its rows or from a state with fewer bins than rows."""

    in_batches: ReportInBatches
    bins: Mapping[str, Any]
    """How small states are."""
    from_states: Callable[[pl.LazyFrame], pl.DataFrame]
    """From a frame of states to the report."""

    def planned(self, plan: ReportPlan) -> pl.LazyFrame:
        """Return the report, whose rows are read when it is collected."""
        schema = plan.from_rows(self.in_batches.rows).collect_schema()
        return deferred(schema, functools.partial(_collected, self, plan))


@called("report")
def _collected(report: BoundedReport, plan: ReportPlan) -> pl.DataFrame:
    in_batches = report.in_batches
    with read_batches(in_batches.rows, in_batches.height) as read:
        first, second = next(read, None), next(read, None)
        if second is None:
            return plan.from_rows(in_batches.rows if first is None else first.lazy()).collect()
        assert first is not None
        some = iter([first, second])
        nothing = first.clear()
        # Frames with a name stay in memory.
        del first, second
        answer = _read(report, plan, nothing, chain(some, read))
    if isinstance(answer, pl.DataFrame):
        return answer
    most_rows = ROWS_PER_BIN * report.bins["max_bins"] * answer
    if in_batches.rows.select(pl.len()).collect().item() <= most_rows:
        return plan.from_rows(in_batches.rows).collect()
    states = group_states(
        in_batches.rows, in_batches.label, list(in_batches.scores.values()), by=plan.keys, **report.bins
    )
    return report.from_states(states)


def _read(
    report: BoundedReport, plan: ReportPlan, nothing: pl.DataFrame, read: Iterator[pl.DataFrame]
) -> pl.DataFrame | int:
    """Return the report of the rows, or the number of groups if these are too many for a collection.

    The number is 0 or more also if a label is neither 0 nor 1, of which another query of the rows tells.
    """
    in_batches, [summary] = report.in_batches, plan.answers
    states = PartialStates(
        name="report",
        columns=nothing.columns,
        label=in_batches.label,
        scores=list(in_batches.scores),
        by=plan.keys,
        masses={},
        limit=dict(report.bins),
    )
    rows, size = 0, 0.0
    most_rows, most_bytes = MOST_COLLECTED_ROWS, float(PART_BYTES)
    with collection() as number:
        for batch in read:
            if not batch.select(states.added_to(number)).item():
                in_batch: int = batch.select(pl.struct(plan.keys).n_unique()).item()
                return max(in_batch, _native.groups_of_batches(number))
            rows += batch.height
            size += batch.estimated_size()
            observe(batch)
            del batch
            if rows < most_rows and size < most_bytes:
                continue
            if rows > ROWS_PER_BIN * report.bins["max_bins"] * _native.groups_of_batches(number):
                counted = states.states_of_collection(nothing, number)
                whole = states.gathered(chain([counted], in_collections(states, read)))
                assert whole is not None
                del counted
                return report.from_states(
                    whole.rename({state_column(name): name for name in in_batches.scores}).lazy()
                )
            most_rows, most_bytes = 2 * rows, 2 * size
        columns = columns_of_batches(in_batches.scores, in_batches.label)
        limits = {**in_batches.limits, **report.bins}
        answers = nothing.select(batch_answers("roc_summary_bounded", number, plan.keys, columns, **limits))
    keys, summaries = answers.unnest(cs.all())
    table = keys.struct.unnest().with_columns(summaries.alias(summary.meta.output_name()))
    groups, overall = table[:-1], table[-1:].drop(plan.keys)
    return plan.from_answers(lambda by: (groups if by else overall).lazy()).collect()
