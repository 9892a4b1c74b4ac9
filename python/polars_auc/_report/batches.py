"""Reports whose rows are read batch by batch; with bounded memory until their states take less of it."""

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
    MOST_COLLECTED_ROWS,
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

# Rows that are read at a time. With fewer, the rows of a group come in more pieces, each of them smaller.
_BATCH_ROWS = 2**20

# From so many rows on, those that are in memory are taken batch by batch as well. To read 2 * 10^7 rows and
# report them takes a fifth less time then, and of 10^8 three tenths less time and two fifths less memory.
# Fewer rows are taken at once: where the memory of an earlier report is used again, that takes less time.
_MANY_ROWS = 2**24

# The column of the only group, where none are asked for.
_ALL = "polars_auc: all rows"


@dataclass(frozen=True)
class ReportInBatches:
    """A report that needs no more than the label and the scores of each row, in any order."""

    rows: Rows
    """Their frame has the columns of groups, the scores and the label, and no others."""
    limits: Mapping[str, Any]
    """How the intervals are made."""

    @classmethod
    def of(cls, rows: Rows, limits: Mapping[str, Any]) -> ReportInBatches | None:
        """Return the columns of a report, or None if it is better made at once."""
        assert rows.label is not None
        # A score may be called as a column of groups is.
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
            counted=rows,
        )
        return cls(columns, limits)

    def planned(self, plan: ReportPlan, bounded: BoundedMemory | None = None) -> pl.LazyFrame:
        """Return the report, whose rows are read when it is collected."""
        schema = plan.from_rows().collect_schema()
        return deferred(schema, functools.partial(_collected, self, plan, bounded))

    def overall(self, answers: Sequence[pl.Expr]) -> pl.DataFrame | None:
        """Return the answers for all rows, which are read for one score after the other.

        They are None if the rows are one batch.
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

        They are None if a label is neither 0 nor 1, which is better said of all rows, or if there are so many
        groups that batches would be mostly keys.
        """
        columns = columns_of_batches(scores, self.label)
        with collection() as number:
            for batch in read:
                nothing = batch.clear()
                if not batch.select(add_batch(number, by or [_ALL], columns)).item():
                    # What was read until here is read once more.
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
        """Read rows in batches, or take them from memory, where there are so many; fewer rows are a frame."""
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
            # What is referred to here would stay in memory.
            first_two = iter(some)
            del some
            yield chain(first_two, batch_iterator)


class _Summaries(NamedTuple):
    """The summaries of groups, in order and beside their keys, and those of all rows."""

    groups: pl.DataFrame | None
    overall: pl.DataFrame

    @classmethod
    def of(cls, answer: pl.DataFrame, by: Sequence[str], name: str) -> _Summaries:
        """Take the answers of a collection of batches apart."""
        if not by:
            return cls(None, answer.select(cs.all().alias(name)))
        keys, summary = answer.unnest(cs.all())
        table = keys.struct.unnest().with_columns(summary.alias(name))
        return cls(table[:-1], table[-1:].select(name))


@dataclass(frozen=True)
class BoundedMemory:
    """What becomes of groups that have more rows than their states have bins."""

    bins: Mapping[str, Any]
    """How small states are."""
    from_states: Callable[[Rows], pl.DataFrame]
    """From states to the report."""


@called("report")
def _collected(report: ReportInBatches, plan: ReportPlan, bounded: BoundedMemory | None) -> pl.DataFrame:
    """Read the rows and answer; all at once if there is one batch, or if there are too many groups."""
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
    """Return the summaries of the rows, or the report of their states if these take less memory.

    It is the number of groups if these are too many for a collection. The number is 0 or more also if a label
    is neither 0 nor 1, of which another query of the rows tells.
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
    most_rows, most_bytes = MOST_COLLECTED_ROWS, float(PART_BYTES)
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
