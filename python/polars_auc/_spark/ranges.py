"""Reports of many rows, computed by ranges of the score, so that no worker needs all scores.

A sample of the scores defines the range borders in advance. Each partition counts its rows by segment and
range, and one worker merges each range. The sums of ranges give the numbers of segments and of all rows. The
sums are exact integers, so the result does not depend on the borders.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from polars_auc._expressions.states import merge_states, roc_state
from polars_auc._frames.inputs import called
from polars_auc._frames.partial_states import state_column
from polars_auc._plugin.call import IntoExpr, columnwise
from polars_auc._report.columns import SUMMARY_COLUMNS
from polars_auc._spark.batches import batches_of, frames_of
from polars_auc._spark.stages import Stages

if TYPE_CHECKING:
    import pyarrow

RANGE_ROWS = 2**20
"""The approximate number of rows of a range."""

SAMPLE_RATIO = 2**10
"""The approximate number of rows for each row of the sample."""

# Reserved names: no user column has them.
_SCORE = "polars_auc: place of the score"
_RANGE = "polars_auc: range"
_IS_OVERALL = "polars_auc: overall"
_SUMS = "polars_auc: sums"


def range_sums(state: IntoExpr) -> pl.Expr:
    """Return the contribution of each state, of one group and range, to the numbers of the group.

    The result is bytes, which only the same version of the plugin can read.
    """
    return columnwise("range_sums", {"state": state}, elementwise=True)


def summary_of_ranges(ranges: IntoExpr, **limits: Any) -> pl.Expr:
    """Return the summary of each list of :func:`range_sums`, with the range of the highest scores first.

    The numbers equal those of :func:`polars_auc.roc_summary` in a report, bit for bit.
    """
    return columnwise("summary_of_ranges", {"ranges": ranges}, elementwise=True, **limits)


def borders_of(sample: pl.DataFrame) -> list[pl.Series] | None:
    """Return the range borders of each score, from a sample; None if one range is enough."""
    ranges = math.ceil(sample.height * SAMPLE_RATIO / RANGE_ROWS)
    return [_borders(sample[score], ranges) for score in sample.columns] if ranges > 1 else None


def _borders(scores: pl.Series, ranges: int) -> pl.Series:
    """Split scores into ranges of about equal size. Equal scores are in the same range."""
    defined = scores.drop_nulls()
    defined = (defined.drop_nans() if defined.dtype.is_float() else defined).sort()
    begins = [defined.len() * place // ranges for place in range(ranges)]
    return defined.gather(begins if defined.len() > 0 else []).unique(maintain_order=True)[1:]


@dataclasses.dataclass(frozen=True)
class RangeStages(Stages):
    """The stages from rows to a report; each maps the batches of a partition to batches."""

    keys: list[str] = dataclasses.field(default_factory=list)
    """The columns of segments, last in ``by``: states are also by score and range."""
    borders: Sequence[pl.Series] = ()
    """The borders of the ranges of each score, in ascending order."""

    @classmethod
    def of(cls, stages: Stages, borders: Sequence[pl.Series]) -> RangeStages:
        """Return the stages of the same report, by ranges."""
        fields = {field.name: getattr(stages, field.name) for field in dataclasses.fields(Stages)}
        return cls(**{**fields, "by": [_SCORE, _RANGE, *stages.by]}, keys=stages.by, borders=borders)

    def counted_rows(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return a state for each score, range and segment, from rows."""
        parts = []
        for place, (score, borders) in enumerate(zip(self.scores, self.borders, strict=True)):
            # A null is in no range; as a missing row it is counted in the first one.
            score_ranges = pl.Series(_RANGE, borders.search_sorted(rows[score], side="right")).fill_null(0)
            cut = rows.with_columns(pl.lit(place, dtype=pl.Int32).alias(_SCORE), score_ranges.cast(pl.Int32))
            state = roc_state(self.label, score, **self.masses)
            parts.append(self.aggregated(cut, [state.alias(state_column(score))]))
        return pl.concat(parts, how="diagonal").select(self._state_columns())

    def summed(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        """Return the sums of each range, by segment and overall, from all states of some ranges."""
        with called(self.name):
            states = self._merged(batches)
            if states is None:
                return
            no_keys = [pl.lit(None, dtype=states.schema[key]).alias(key) for key in self.keys]
            for place, score in enumerate(self.scores):
                state = state_column(score)
                score_states = states.filter(pl.col(_SCORE) == place)
                whole = (
                    score_states.group_by(_SCORE, _RANGE).agg(merge_states(state))
                    if self.keys
                    else score_states
                )
                overall = whole.with_columns(no_keys)
                for is_overall, ranges in [(True, overall), (False, score_states)][: 2 if self.keys else 1]:
                    sums = range_sums(state).alias(_SUMS)
                    columns = [pl.lit(is_overall).alias(_IS_OVERALL), *self.keys, _SCORE, _RANGE, sums]
                    yield from batches_of(ranges.select(columns))

    def answered(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        """Return the summaries of segments and of all rows, from all their sums."""
        names = [_IS_OVERALL, *self.keys, _SCORE, _RANGE, _SUMS]
        with called(self.name):
            if some := list(frames_of(batches, names)):
                sums = pl.concat(some).sort(_RANGE, descending=True)
                lists = sums.group_by(names[:-2], maintain_order=True).agg(_SUMS)
                yield from batches_of(self._answers(lists))

    def finished(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        """Return the report, from the summaries of segments and of all rows."""
        names = [_IS_OVERALL, *self.keys, _SCORE, *SUMMARY_COLUMNS]
        with called(self.name):
            # Only the row of nulls has no score.
            answers = pl.concat(frames_of(batches, names)).drop_nulls(_SCORE)
            if answers.is_empty():
                answers = self._answers_without_rows(answers.schema)
            in_order = answers.sort(_IS_OVERALL, *self.keys, _SCORE, nulls_last=True)
            scope = pl.when(_IS_OVERALL).then(pl.lit("overall")).otherwise(pl.lit("group"))
            score = pl.lit(pl.Series(self.scores)).gather(_SCORE)
            yield from batches_of(in_order.select(scope, *self.keys, score.alias("score"), *SUMMARY_COLUMNS))

    def _answers(self, lists: pl.DataFrame) -> pl.DataFrame:
        answer = summary_of_ranges(_SUMS, **self.interval).struct
        # One field at a time: Spark matches fields by position.
        return lists.select(
            _IS_OVERALL, *self.keys, _SCORE, *(answer.field(field) for field in SUMMARY_COLUMNS)
        )

    def _answers_without_rows(self, schema: pl.Schema) -> pl.DataFrame:
        """Return overall results without rows, for example if rows were deleted after sampling."""
        places = pl.Series(_SCORE, range(len(self.scores)), dtype=pl.Int32)
        no_keys = [pl.lit(None, dtype=schema[key]).alias(key) for key in self.keys]
        nothing = pl.lit(None, dtype=pl.List(pl.Binary)).alias(_SUMS)
        answers = self._answers(
            places.to_frame().with_columns(pl.lit(True).alias(_IS_OVERALL), *no_keys, nothing)
        )
        return answers.cast({pl.UInt64: pl.Int64})
