"""Partial states by segment, and their merge into one state: shared by all engines."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl
import polars.selectors as cs

from polars_auc._expressions.states import merge_states, roc_state
from polars_auc._frames.answers import Answers
from polars_auc._plugin.call import add_batch, batch_answers, columns_of_batches

PART_BYTES = 2**27
"""Approximate number of bytes that are counted, merged or passed on at once, to limit memory."""


def state_column(name: str) -> str:
    """Return a reserved name for the state column of a score: no user column has it."""
    return f"polars_auc: state of {name}"


@dataclasses.dataclass(frozen=True)
class PartialStates:
    """Conversion of rows with these columns to states, one for each segment and score."""

    name: str
    columns: list[str]
    label: str
    scores: list[str]
    by: list[str]
    masses: Mapping[str, Any]
    """The weight or count column by role; empty without one."""
    limit: dict[str, Any]

    def counted_rows(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return a state for each segment and score, from rows."""
        frame = rows.lazy()
        group_answers = Answers(self.name, frame)
        with group_answers.reading_lists():
            answers = [
                roc_state(self.label, score, **self.masses, **self.limit).alias(state_column(score))
                for score in self.scores
            ]
        return group_answers.collected(frame, self.by, answers)

    def added_to(self, collection: int) -> pl.Expr:
        """Return whether rows without weights or counts were added to a collection of batches."""
        return add_batch(collection, self.by, columns_of_batches(self.scores, self.label))

    def states_of_collection(self, rows: pl.DataFrame, collection: int) -> pl.DataFrame:
        """Return a state for each segment and score, from a collection; of ``rows`` only dtypes are read."""
        columns = columns_of_batches(self.scores, self.label)
        # A score may have the name of a key.
        by_place = {role: column.alias(role) for role, column in columns.items()}
        answer = batch_answers("roc_state", collection, self.by, by_place, **self.limit)
        keys, *states = rows.select(answer).unnest(cs.all())
        pairs = zip(states, self.scores, strict=True)
        return keys.struct.unnest().with_columns(state.alias(state_column(score)) for state, score in pairs)

    def merged_states(self, states: pl.DataFrame) -> pl.DataFrame:
        """Return one state for each segment and score, from states."""
        return self.aggregated(states, [merge_states(state_column(score)) for score in self.scores])

    def aggregated(self, frame: pl.DataFrame, answers: list[pl.Expr]) -> pl.DataFrame:
        """Return the results for each segment."""
        return frame.group_by(self.by).agg(answers) if self.by else frame.select(answers)

    def gathered(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame | None:
        """Merge the states of parts, each time the new ones become larger than the merged ones."""
        whole: list[pl.DataFrame] = []
        new: list[pl.DataFrame] = []
        merged_size = new_size = 0.0
        for part in parts:
            new.append(part)
            new_size += part.estimated_size()
            if new_size > max(merged_size, PART_BYTES):
                whole, new = [self.merged_states(pl.concat([*whole, *new]))], []
                merged_size, new_size = whole[0].estimated_size(), 0.0
        if new:
            whole = [self.merged_states(pl.concat([*whole, *new]))] if whole or len(new) > 1 else new
        return whole[0] if whole else None
