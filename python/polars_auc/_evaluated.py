"""What a command evaluates: rows with a label and scores, or states."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from polars_auc._curve_points import curve_points
from polars_auc._group_states import group_states
from polars_auc._report_clusters import label_of_clusters
from polars_auc._rows import Files, Scored
from polars_auc._state_options import refuse_of_rows, state_columns
from polars_auc._states import merge_states, roc_state

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

    @classmethod
    def of_rows(
        cls,
        scored: Scored,
        chosen: argparse.Namespace,
        *,
        cluster: pl.Expr | None = None,
        weight: pl.Expr | None = None,
    ) -> Evaluated:
        """Evaluate rows, weighted if they have weights; with clusters those that are in one."""
        label = scored.label if cluster is None else label_of_clusters(scored.label, cluster)
        given = {"label": label, "count": scored.count}
        if weight is not None:
            given["weight"] = weight
        scores = zip(chosen.scores, scored.scores, strict=True)
        taken = {text: {**given, "score": score} for text, score in scores}
        return cls(scored.rows, chosen.by, taken, scored.names, [])

    @classmethod
    def of_states(cls, files: Files, chosen: argparse.Namespace, refused: tuple[str, ...]) -> Evaluated:
        """Evaluate states, and refuse options that need rows."""
        refuse_of_rows(chosen, refused)
        columns = state_columns(files, chosen.scores)
        keys = files.keys(chosen.by)
        return cls._states(files.rows, keys, columns, [*keys, *columns])

    @classmethod
    def _states(cls, rows: pl.LazyFrame, keys: list[str], columns: list[str], read: list[str]) -> Evaluated:
        taken = {name: {"state": pl.col(name)} for name in columns}
        return cls(rows, keys, taken, read, [merge_states(name) for name in columns])

    @property
    def has_states(self) -> bool:
        """Whether these are states."""
        return bool(self.states)

    def bounded(self, max_bins: int | None, scale: Any) -> Evaluated:
        """Make the states of rows, which are read batch by batch."""
        named = [taken["score"].alias(name) for name, taken in self.scores.items()]
        given = next(iter(self.scores.values()))
        rows = group_states(
            self.rows,
            given["label"],
            named,
            by=self.by,
            max_bins=4096 if max_bins is None else max_bins,
            scale=scale,
            weight=given.get("weight"),
            count=given["count"],
        )
        return self._states(rows, self.by, list(self.scores), self.read)

    def each(self, function: Callable[..., pl.Expr], **options: Any) -> list[pl.Expr]:
        """Ask a function of every score."""
        return [function(**taken, **options).alias(name) for name, taken in self.scores.items()]

    def points(self, function: Callable[..., pl.Expr], **options: Any) -> pl.LazyFrame:
        """Plan the points of the curves of all groups and scores."""
        return curve_points(self.rows, self.each(function, **options), self.by)

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
        return self._states(rows.lazy(), by, list(self.scores), self.read)
