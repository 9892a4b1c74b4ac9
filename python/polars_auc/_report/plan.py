"""The rows of a report, from the results of groups."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import polars as pl
import polars.selectors as cs

from polars_auc._expressions.comparisons import adjust_p_values
from polars_auc._frames.groupings import grouped, key_sets
from polars_auc._plugin.periods import sorted_groups
from polars_auc._report.columns import ADJUSTED, OURS, SUMMARY_COLUMNS

if TYPE_CHECKING:
    from polars_auc._frames.answers import Answers
    from polars_auc._report.options import ReportOptions
    from polars_auc._report.rows import Rows

Fields: TypeAlias = Callable[[str], list[pl.Expr]]
"""Map the name of a score to fields of its row. A field replaces an earlier one of the same name."""

_FIELDS = f"{OURS}beside"
_SUMMARY = f"{OURS}summary"


def answer_column(answer: str, name: str) -> str:
    """Return a reserved name for an aggregate."""
    return f"{OURS}{answer} of {name}"


def summary_column(name: str) -> str:
    """Return the column name of a score's summary, or of an array of all summaries."""
    return answer_column("summary", name)


def _no_fields(_: str) -> list[pl.Expr]:
    return []


def _unchanged(rows: pl.LazyFrame, _: list[str]) -> pl.LazyFrame:
    return rows


@dataclass(frozen=True)
class Part:
    """A part of a report: its aggregates for each group, and its columns from their results."""

    answers: Sequence[pl.Expr] = ()
    fields: Fields = _no_fields
    finish: Callable[[pl.LazyFrame, list[str]], pl.LazyFrame] = _unchanged
    """Add columns to the rows of groups by these columns, or to the overall rows if there are none."""


@dataclass(frozen=True)
class ReportPlan:
    """The parts of a report of some rows or states."""

    rows: Rows
    options: ReportOptions
    parts: Sequence[Part]
    group_answers: Answers
    """The source of the lists that the aggregates read."""

    @property
    def answers(self) -> list[pl.Expr]:
        """The aggregates that are evaluated for each group."""
        return [answer for part in self.parts for answer in part.answers]

    def from_rows(self, frame: pl.LazyFrame | None = None) -> pl.LazyFrame:
        """Return the report of the rows, or of a frame with their columns."""
        frame = self.rows.frame if frame is None else frame
        return self.from_answers(lambda by: self.group_answers.of(frame, by, self.answers))

    def from_answers(self, answered: Callable[[list[str]], pl.LazyFrame]) -> pl.LazyFrame:
        """Return the report of the results by any columns, or of the overall results without columns.

        The results of groups are in order. P-values are adjusted over all tests in their column.
        """
        table = self._table(lambda by: self._in_order(answered(by), by))
        columns = [name for name in ADJUSTED if name in table.collect_schema()]
        return table.with_columns(adjust_p_values(name, method=self.options.adjust) for name in columns)

    def _in_order(self, groups: pl.LazyFrame, by: list[str]) -> pl.LazyFrame:
        """Sort groups by period where periods are texts, whose sort order may differ."""
        axis = self.options.axis_of(self.rows.by)
        return sorted_groups(groups, by, axis) if by and axis is not None else groups

    def _table(self, answered: Callable[[list[str]], pl.LazyFrame]) -> pl.LazyFrame:
        """Return the rows of groups and the overall rows, with unadjusted p-values."""
        overall = self._rows(answered, [])
        # Raise for missing columns and wrong dtypes now, before rows are read.
        overall.collect_schema()
        keys, groupings = self.rows.by, self.options.groupings
        if groupings is not None:
            sets = key_sets("report", keys, groupings)
            return grouped(sets, lambda by: self._rows(answered, by), overall, keys)
        if not keys:
            return overall
        groups = self._rows(answered, keys)
        schema = groups.collect_schema()
        nothing = [pl.lit(None, dtype=schema[key]).alias(key) for key in keys]
        return pl.concat([groups, overall.with_columns(nothing).select(schema.names())])

    def _rows(self, answered: Callable[[list[str]], pl.LazyFrame], by: list[str]) -> pl.LazyFrame:
        """Return a row for each group and score, groups in order."""
        rows = one_row_a_score(answered(by), self.rows.scores, [part.fields for part in self.parts], by)
        rows = functools.reduce(lambda table, part: part.finish(table, by), self.parts, rows)
        return scoped("group" if by else "overall", rows)


def one_row_a_score(
    answers: pl.LazyFrame, scores: Iterable[str], fields: Sequence[Fields], by: Sequence[str] = ()
) -> pl.LazyFrame:
    """Reshape the results of each group from columns to one row for each score, in the order of both.

    Summaries are one column for each score, in this order, or one array. Other fields may replace fields of
    summaries.
    """
    names = list(scores)
    # Arrays of equal length are concatenated column by column; lists would be built group by group.
    columns = {"score": pl.lit(pl.Series([names], dtype=pl.Array(pl.String, len(names)))).first()}
    summaries = cs.starts_with(_SUMMARY)
    dtype, *others = answers.select(summaries).collect_schema().dtypes()
    is_array = isinstance(dtype, pl.Array) and not others
    columns[_SUMMARY] = summaries if is_array else pl.concat_arr(summaries)
    score_fields = [
        {field.meta.output_name(): field for each in fields for field in each(name)} for name in names
    ]
    replaced = {f"{OURS}{field}": field for field in SUMMARY_COLUMNS if field in score_fields[0]}
    if score_fields[0]:
        new_names = {field: name for name, field in replaced.items()}
        rows = (
            # One struct needs less planning than separate fields.
            pl.struct(field.alias(new_names.get(name, name)) for name, field in each.items())
            for each in score_fields
        )
        columns[_FIELDS] = pl.concat_arr(rows)
    table = answers.select(*by, *(column.alias(name) for name, column in columns.items()))
    table = table.explode(*columns).unnest(*list(columns)[1:])
    if not replaced:
        return table
    return table.with_columns(pl.col(name).alias(field) for name, field in replaced.items()).drop(*replaced)


def scoped(scope: str, rows: pl.LazyFrame) -> pl.LazyFrame:
    """Add the column ``scope``."""
    return rows.select(pl.lit(scope).alias("scope"), pl.all())
