"""Reports that read rows batch by batch, with optional bounded memory."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, NamedTuple

import polars as pl
import polars.selectors as cs

from polars_auc import _native
from polars_auc._frames.answers import are_in_order
from polars_auc._frames.batches import batches, collection
from polars_auc._frames.group_states import (
    MAX_COLLECTED_ROWS,
    ROWS_PER_BIN,
    deferred,
    in_collections,
    observe,
)
from polars_auc._frames.inputs import called
from polars_auc._frames.partial_states import PART_BYTES, PartialStates, state_column
from polars_auc._plugin.call import add_batch, batch_answers, columns_of_batches
from polars_auc._report.plan import ReportPlan
from polars_auc._report.rows import Rows

# Batch size in rows. Smaller batches split each group into more pieces.
_BATCH_ROWS = 2**20

# Above this height, rows in memory are also processed in batches. At 2 * 10^7 rows this saves a fifth of the
# time. At 10^8 rows it saves three tenths of the time and two fifths of the memory. A smaller frame is
# processed at once, which is faster when the memory of an earlier report is reused.
_MANY_ROWS = 2**24

# The key column of the single group of a report without groups.
_ALL = "polars_auc: all rows"


@dataclass(frozen=True)
class ReportInBatches:
    """A report that needs only the label and the scores of each row, in any order."""

    rows: Rows
    """The frame has only the columns of groups, the scores and the label."""
    limits: Mapping[str, Any]
    """The options of the intervals."""

    @classmethod
    def of(cls, rows: Rows, limits: Mapping[str, Any]) -> ReportInBatches | None:
        """Return a report in batches, or None if a report at once is better."""
        assert rows.label is not None
        # A score may share its name with a column of groups.
        names = {*rows.by, *rows.scores}
        [label] = rows.frame.select(rows.label).collect_schema().names()
        is_clear = len(names) == len(rows.by) + len(rows.scores) and label not in names
        if not is_clear or not are_in_order(rows.frame, rows.by):
            return None
        if rows.height is not None and (rows.height <= _MANY_ROWS or not rows.by):
            return None
        scores = [column.alias(score) for score, column in rows.scores.items()]
        by = list(map(pl.col, rows.by)) or [pl.lit(value=True).alias(_ALL)]
        columns = replace(
            rows,
            frame=rows.frame.select(*by, *scores, rows.label),
            label=pl.col(label),
            scores={score: pl.col(score) for score in rows.scores},
            source=rows,
        )
        return cls(columns, limits)

    def planned(self, plan: ReportPlan, bounded: BoundedMemory | None = None) -> pl.LazyFrame:
        """Return the lazy report; the rows are read on collection."""
        schema = plan.from_rows().collect_schema()
        return deferred(schema, functools.partial(_collected, self, plan, bounded))

    def overall(self, answers: Sequence[pl.Expr]) -> pl.DataFrame | None:
        """Return the overall results, computed score by score.

        None if the rows fit in one batch.
        """
        found = []
        for score, answer in zip(self.rows.scores, answers, strict=True):
            columns = self.rows.frame.select(_ALL, score, self.label)
            name = answer.meta.output_name()
            with self.read(columns) as read:
                summary = None if isinstance(read, pl.DataFrame) else self.summaries([score], (), name, read)
            if summary is None:
                return None
            found.append(summary.overall)
        return pl.concat(found, how="horizontal")

    def summaries(
        self, scores: Iterable[str], by: Sequence[str], name: str, read: Iterable[pl.DataFrame]
    ) -> _Summaries | None:
        """Return the summaries of scores in a column of this name.

        None if a label is neither 0 nor 1, because a query over all rows raises a better error. Also None if
        there are too many groups for a collection.
        """
        columns = columns_of_batches(scores, self.label)
        with collection() as number:
            for batch in read:
                nothing = batch.clear()
                if not batch.select(add_batch(number, by or [_ALL], columns)).item():
                    # The caller reads these rows again.
                    return None
            answer = nothing.select(batch_answers("roc_summary", number, by, columns, **self.limits))
        return _Summaries.of(answer, by, name)

    @property
    def label(self) -> str:
        """The name of the label."""
        assert self.rows.label is not None
        return self.rows.label.meta.output_name()

    @contextmanager
    def read(self, frame: pl.LazyFrame) -> Iterator[pl.DataFrame | Iterator[pl.DataFrame]]:
        """Yield batches of rows, or one frame if there are few rows."""
        starts = range(0, self.rows.height or 0, _BATCH_ROWS)
        in_memory = (frame.slice(start, _BATCH_ROWS).collect() for start in starts)
        opened: AbstractContextManager[Iterator[pl.DataFrame]] = nullcontext(in_memory)
        if self.rows.height is None:
            opened = batches(frame, _BATCH_ROWS, maintain_order=False)
        with opened as batch_iterator:
            some = list(islice(batch_iterator, 2))
            if len(some) < 2:
                yield some[0] if some else frame.collect_schema().to_frame()
                return
            # A remaining reference would keep the batches in memory.
            first_two = iter(some)
            del some
            yield chain(first_two, batch_iterator)


class _Summaries(NamedTuple):
    """The summaries of groups with their keys, in order, and the overall summaries."""

    groups: pl.DataFrame | None
    overall: pl.DataFrame

    @classmethod
    def of(cls, answer: pl.DataFrame, by: Sequence[str], name: str) -> _Summaries:
        """Split the results of a batch collection into groups and overall."""
        if not by:
            return cls(None, answer.select(cs.all().alias(name)))
        keys, summary = answer.unnest(cs.all())
        table = keys.struct.unnest().with_columns(summary.alias(name))
        return cls(table[:-1], table[-1:].select(name))


@dataclass(frozen=True)
class BoundedMemory:
    """The options of states for groups with more rows than bins."""

    bins: Mapping[str, Any]
    """The number of bins and the scale of states."""
    from_states: Callable[[Rows], pl.DataFrame]
    """Return the report of states."""


@called("report")
def _collected(report: ReportInBatches, plan: ReportPlan, bounded: BoundedMemory | None) -> pl.DataFrame:
    """Read the rows and compute the report; without batches if there is one batch or too many groups."""
    rows, [summary] = plan.rows, plan.answers
    name = summary.meta.output_name()
    with report.read(rows.frame) as read:
        if isinstance(read, pl.DataFrame):
            return plan.from_rows(read.lazy()).collect()
        found: _Summaries | pl.DataFrame | int | None
        if bounded is None:
            found = report.summaries(rows.scores, rows.by, name, read)
        else:
            found = _bounded(report, bounded, name, read)
    if isinstance(found, pl.DataFrame):
        return found
    if isinstance(found, _Summaries):
        groups, overall = found
        return plan.from_answers(
            lambda by: (groups if by and groups is not None else overall).lazy()
        ).collect()
    if bounded is None or found is None:
        return plan.from_rows().collect()
    most_rows = ROWS_PER_BIN * bounded.bins["max_bins"] * found
    if rows.frame.select(pl.len()).collect().item() <= most_rows:
        return plan.from_rows().collect()
    return bounded.from_states(rows.bounded(**bounded.bins))


def _bounded(
    report: ReportInBatches, bounded: BoundedMemory, name: str, read: Iterator[pl.DataFrame]
) -> _Summaries | pl.DataFrame | int:
    """Return the summaries of the rows, or the report of their states if states need less memory.

    The number of groups if there are too many groups for a collection. Also a number if a label is neither 0
    nor 1: another query of the rows then raises the error.
    """
    rows = report.rows
    states = PartialStates(
        name="report",
        columns=rows.frame.collect_schema().names(),
        label=report.label,
        scores=list(rows.scores),
        by=rows.by,
        masses={},
        limit=dict(bounded.bins),
    )
    height, size = 0, 0.0
    most_rows, most_bytes = MAX_COLLECTED_ROWS, float(PART_BYTES)
    with collection() as number:
        for batch in read:
            nothing = batch.clear()
            if not batch.select(states.added_to(number)).item():
                in_batch: int = batch.select(pl.struct(rows.by).n_unique()).item()
                return max(in_batch, _native.groups_of_batches(number))
            height += batch.height
            size += batch.estimated_size()
            observe(batch)
            del batch
            if height < most_rows and size < most_bytes:
                continue
            if height > ROWS_PER_BIN * bounded.bins["max_bins"] * _native.groups_of_batches(number):
                counted = states.states_of_collection(nothing, number)
                whole = states.gathered(chain([counted], in_collections(states, read)))
                assert whole is not None
                del counted
                names = {state_column(score): score for score in rows.scores}
                return bounded.from_states(rows.with_states(whole.rename(names), rows.by))
            most_rows, most_bytes = 2 * height, 2 * size
        columns = columns_of_batches(rows.scores, report.label)
        limits = {**report.limits, **bounded.bins}
        answer = nothing.select(batch_answers("roc_summary_bounded", number, rows.by, columns, **limits))
    return _Summaries.of(answer, rows.by, name)
