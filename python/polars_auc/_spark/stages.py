"""Functions of Spark workers on the rows and states of a partition."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from polars_auc._expressions.intervals import roc_summaries
from polars_auc._expressions.states import merge_states
from polars_auc._frames.inputs import called
from polars_auc._frames.partial_states import PartialStates, state_column
from polars_auc._report.evaluation import evaluation
from polars_auc._report.plan import one_row_a_score, scoped, summary_column
from polars_auc._report.rows import Rows
from polars_auc._spark.batches import batches_of, frames_of

if TYPE_CHECKING:
    import pyarrow

    from polars_auc._report.options import ReportOptions


@dataclasses.dataclass(frozen=True)
class Stages(PartialStates):
    """The stages from rows to states and reports; each maps the batches of a partition to batches."""

    interval: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    options: ReportOptions | None = None
    """The options of a report that one worker computes from states."""

    def counted(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        """Return a state for each segment and score, from rows."""
        with called(self.name):
            yield from batches_of(self.gathered(map(self.counted_rows, frames_of(batches, self.columns))))

    def merged(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        """Return one merged state for each segment and score."""
        with called(self.name):
            yield from batches_of(self._merged(batches))

    def answered(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        """Return one merged state for each segment and score, with its summary."""
        with called(self.name):
            whole = self._merged(batches)
            yield from batches_of(None if whole is None else self._summarized(whole))

    def finished(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        """Return the report, from the summaries and states of all segments."""
        answers: list[pl.DataFrame] = []
        names = [state_column(score) for score in self.scores]
        summaries = [summary_column(score) for score in self.scores] if self.by else []

        def merge(frame: pl.DataFrame) -> pl.DataFrame:
            if self.by:
                # Only the row of nulls has no summary.
                answers.append(frame.select(*self.by, *summaries).drop_nulls(summaries))
            return frame.select(map(merge_states, names))

        with called(self.name):
            everything = dataclasses.replace(self, by=[])
            whole = everything.gathered(map(merge, frames_of(batches, [*self._state_columns(), *summaries])))
            if whole is None:
                return
            overall = one_row_a_score(everything._summarized(whole).lazy(), self.scores, [])
            table = scoped("overall", overall.cast({pl.UInt64: pl.Int64}))
            if self.by:
                segments = pl.concat(answers).lazy().sort(self.by, nulls_last=True)
                rows = scoped("group", one_row_a_score(segments, self.scores, [], self.by))
                table = pl.concat([rows, table], how="diagonal")
            yield from batches_of(table.collect())

    def evaluated(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        """Return the report, from the states of all segments and folds."""
        assert self.options is not None
        names = {state_column(score): score for score in self.scores}
        with called(self.name):
            # Only the row of nulls has no states.
            states = pl.concat(frames_of(batches, self._state_columns())).drop_nulls(list(names))
            rows = Rows.from_states(states.lazy(), list(self.options.by), names)
            table = evaluation(rows, self.options)
            table = table.drop("auc_min", "auc_max", "exact").with_columns(pl.col("score").replace(names))
            yield from batches_of(table.cast({pl.UInt64: pl.Int64}).collect())

    def _merged(self, batches: Iterator[pyarrow.RecordBatch]) -> pl.DataFrame | None:
        return self.gathered(map(self.merged_states, frames_of(batches, self._state_columns())))

    def _state_columns(self) -> list[str]:
        return [*self.by, *map(state_column, self.scores)]

    def _summarized(self, states: pl.DataFrame) -> pl.DataFrame:
        columns = {score: summary_column(score) for score in self.scores}
        first_states = [pl.col(state_column(score)).first() for score in self.scores]
        answers = [
            roc_summaries([{"state": state_column(score)}], **self.interval).arr.first().alias(column)
            for score, column in columns.items()
        ]
        return self.aggregated(states, [*first_states, *answers])
