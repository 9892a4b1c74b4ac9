"""Evaluate groups of consecutive rows: only a few groups are in memory at a time."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass

import polars as pl

from polars_auc._frames.answers import Answers
from polars_auc._frames.batches import batches
from polars_auc._plugin.errors import OptionError

# Rows of a batch: with fewer, a core waits for the next ones.
_BATCH_ROWS = 1_000_000


class _Scattered(Exception):
    """Rows with equal values are not consecutive."""


@dataclass(frozen=True)
class Runs:
    """Columns with consecutive equal values, as in sorted files and in partitions."""

    columns: list[str]
    is_claim: bool
    """Whether the user claims it: then a violation raises. Otherwise a violation makes it read all rows."""

    def groups(
        self, rows: pl.LazyFrame, keys: Sequence[str], group_answers: Answers, answers: Sequence[pl.Expr]
    ) -> pl.DataFrame:
        """Return the results for each group; raise ComputeError if claimed runs are not consecutive."""
        try:
            # Each group is in one part: an aggregation of the part contains all of its rows.
            with closing(self._parts(rows.select(_read(rows, keys, group_answers.columns())))) as parts:
                tables = [group_answers.collected(part.lazy(), keys, answers) for part in parts]
        except _Scattered as scattered:
            if self.is_claim:
                raise pl.exceptions.ComputeError(str(scattered)) from None
            tables = [group_answers.collected(rows, keys, answers)]
        return pl.concat(tables) if tables else group_answers.collected(rows.clear(), keys, answers)

    def _parts(self, rows: pl.LazyFrame) -> Generator[pl.DataFrame]:
        """Split the rows at the ends of runs, and raise for values that recur."""
        seen = rows.clear().select(self.columns).collect()
        last = seen
        pending: list[pl.DataFrame] = []
        with batches(rows, _BATCH_ROWS, maintain_order=True) as read:
            for batch in read:
                starts = self._starts(last, batch)
                begun = batch.select(self.columns)[starts]
                self._check(seen, begun)
                seen = pl.concat([seen, begun])
                last = batch.select(self.columns).tail(1)
                if starts.is_empty():
                    pending.append(batch)
                    continue
                end = starts[-1]
                if ended := [part for part in (*pending, batch[:end]) if part.height]:
                    yield pl.concat(ended)
                pending = [batch[end:]]
        if pending:
            yield pl.concat(pending)

    def _starts(self, last: pl.DataFrame, batch: pl.DataFrame) -> pl.Series:
        """Return the indices in a batch at which runs begin, given the last values before it."""
        values = pl.concat([last, batch.select(self.columns)])
        differs = pl.any_horizontal(pl.col(key).ne_missing(pl.col(key).shift(1)) for key in self.columns)
        # The first row of all begins a run with any value.
        begins = values.select(differs | (pl.int_range(pl.len()) == 0)).to_series()
        return begins.slice(last.height).arg_true()

    def _check(self, seen: pl.DataFrame, begun: pl.DataFrame) -> None:
        again = begun.filter(begun.is_duplicated())
        if again.is_empty():
            again = begun.join(seen, on=self.columns, how="semi", nulls_equal=True)
        if not again.is_empty():
            value = ", ".join(str(value) for value in again.row(0))
            reason = f"is {self.columns}, but rows of {value!r} come again after other rows"
            raise _Scattered(
                OptionError("report", "sorted_by", reason, "leave `sorted_by` out, or sort the rows")
            )

    @staticmethod
    def overall(rows: pl.LazyFrame, group_answers: Answers, answers: Sequence[pl.Expr]) -> pl.DataFrame:
        """Return the results for all rows, one at a time: only the columns of one are in memory."""
        return pl.concat(
            [group_answers.collected(rows, (), [answer]) for answer in answers], how="horizontal"
        )


def _read(rows: pl.LazyFrame, keys: Sequence[str], columns: Sequence[pl.Expr]) -> list[str] | pl.Expr:
    """Return the required columns; all columns if an expression has unknown inputs."""
    # A selector, such as pl.nth(1), would select other columns from a subset.
    if any(column.meta.has_multiple_outputs() for column in columns):
        return pl.all()
    names = list(dict.fromkeys([*keys, *(name for column in columns for name in column.meta.root_names())]))
    return names if set(names) <= set(rows.collect_schema()) else pl.all()
