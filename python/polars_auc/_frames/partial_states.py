"""States of parts of the rows, by segment, and one state of all parts: what every engine does with them."""

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
"""About how many bytes are counted, merged or handed on at once, so that not everything need be in memory."""


def state_column(name: str) -> str:
    """Name the states of a score as no column of a user is named."""
    return f"polars_auc: state of {name}"


@dataclasses.dataclass(frozen=True)
class PartialStates:
    """How rows with these columns become states, one for each segment and score."""

    name: str
    columns: list[str]
    label: str
    scores: list[str]
    by: list[str]
    masses: Mapping[str, Any]
    """The column of weights or of counts, by its role, if there is one."""
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
        """Return whether rows, which have no weights or counts, were added to a collection of batches."""
        return add_batch(collection, self.by, columns_of_batches(self.scores, self.label))

    def states_of_collection(self, rows: pl.DataFrame, collection: int) -> pl.DataFrame:
        """Return a state for each segment and score, from a collection; of the rows only dtypes are read."""
        columns = columns_of_batches(self.scores, self.label)
        # A score may be called as the keys are.
        by_place = {role: column.alias(role) for role, column in columns.items()}
        answer = batch_answers("roc_state", collection, self.by, by_place, **self.limit)
        keys, *states = rows.select(answer).unnest(cs.all())
        pairs = zip(states, self.scores, strict=True)
        return keys.struct.unnest().with_columns(state.alias(state_column(score)) for state, score in pairs)

    def merged_states(self, states: pl.DataFrame) -> pl.DataFrame:
        """Return one state for each segment and score, from states."""
        return self.aggregated(states, [merge_states(state_column(score)) for score in self.scores])

    def aggregated(self, frame: pl.DataFrame, answers: list[pl.Expr]) -> pl.DataFrame:
        """Return the answers for each segment."""
        return frame.group_by(self.by).agg(answers) if self.by else frame.select(answers)

    def gathered(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame | None:
        """Merge the states of parts, whenever the new ones are as large as those that were merged before."""
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
