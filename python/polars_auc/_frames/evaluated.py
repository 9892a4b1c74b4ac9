"""What is evaluated: rows with a label and scores, or states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from polars_auc._expressions.states import have_weights, merge_states, roc_state
from polars_auc._frames.curve_points import curve_points
from polars_auc._frames.direction import on_their_scale
from polars_auc._frames.group_states import group_states

__all__ = ["Evaluated"]


@dataclass(frozen=True)
class Evaluated:
    """Rows, the columns that make groups, and what a function of a label and a score takes."""

    rows: pl.LazyFrame
    by: list[str]
    scores: dict[str, dict[str, Any]]
    """For each name the label, the score, the count and, if there is one, the weight; or the state."""
    read: list[str]
    """The columns of the files that are read."""
    states: list[pl.Expr]
    """What must be asked of each file of states, to say which of them is wrong."""
    negated: Sequence[pl.DataType] = ()
    """The dtypes of the scores before they were negated, if they were."""

    @classmethod
    def from_states(cls, rows: pl.LazyFrame, by: list[str], columns: list[str], read: list[str]) -> Evaluated:
        """Evaluate columns of states."""
        scores = {name: {"state": pl.col(name)} for name in columns}
        return cls(rows, by, scores, read, [merge_states(name) for name in columns])

    @property
    def has_states(self) -> bool:
        """Whether these are states."""
        return bool(self.states)

    @property
    def weighted_states(self) -> list[str]:
        """The scores whose states are of rows with weights."""
        schema = self.rows.collect_schema() if self.has_states else {}
        return [name for name in self.scores if name in schema and have_weights(schema[name])]

    def bounded(self, max_bins: int | None, scale: Any) -> Evaluated:
        """Make the states of rows, which are read batch by batch."""
        scores = [inputs["score"].alias(name) for name, inputs in self.scores.items()]
        first = next(iter(self.scores.values()))
        rows = group_states(
            self.rows,
            first["label"],
            scores,
            by=self.by,
            max_bins=4096 if max_bins is None else max_bins,
            scale=scale,
            weight=first.get("weight"),
            count=first["count"],
        )
        states = self.from_states(rows, self.by, list(self.scores), self.read)
        return replace(states, negated=self.negated)

    def each(self, function: Callable[..., pl.Expr], **options: Any) -> list[pl.Expr]:
        """Ask a function of every score."""
        return [function(**inputs, **options).alias(name) for name, inputs in self.scores.items()]

    def points(self, function: Callable[..., pl.Expr], **options: Any) -> pl.LazyFrame:
        """Plan the points of the curves of all groups and scores."""
        return self.on_their_scale(curve_points(self.rows, self.each(function, **options), self.by))

    def on_their_scale(self, points: pl.LazyFrame) -> pl.LazyFrame:
        """Return points with thresholds and bands on the scale of the user."""
        return on_their_scale(points, self.negated) if self.negated else points

    def number_of_groups(self) -> pl.LazyFrame:
        """Plan the number of groups, which is one without columns that make groups."""
        return self.rows.select(self.by or pl.lit(0)).unique().select(pl.len())

    def merged(self, by: list[str], max_bins: int) -> pl.DataFrame:
        """Return a state of each group, of at most so many bins; without groups, rows are read in batches."""
        if not by and not self.has_states:
            return replace(self, by=by).bounded(max_bins, None).rows.collect()
        # What an expression makes of a group, such as its mean, is not what it makes of all rows.
        answers = self.each(merge_states if self.has_states else roc_state, max_bins=max_bins)
        return (self.rows.group_by(by).agg(answers) if by else self.rows.select(answers)).collect()

    def only(self, name: str) -> Evaluated:
        """Evaluate one score."""
        return replace(self, scores={name: self.scores[name]})

    def with_states(self, rows: pl.DataFrame, by: list[str]) -> Evaluated:
        """Evaluate states of the same scores."""
        states = self.from_states(rows.lazy(), by, list(self.scores), self.read)
        return replace(states, negated=self.negated)
