"""From the answers of groups to the rows of a report."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import polars as pl
import polars.selectors as cs

from polars_auc._expressions.comparisons import adjust_p_values
from polars_auc._frames.groupings import GROUPING, grouped, key_sets
from polars_auc._plugin.errors import OptionError
from polars_auc._plugin.periods import sorted_groups
from polars_auc._report.stability import STABILITY

if TYPE_CHECKING:
    from polars_auc._frames.answers import Answers
    from polars_auc._frames.groupings import Groupings
    from polars_auc._plugin.options import Adjustment

__all__ = [
    "ADJUSTED",
    "ALARMS",
    "CALIBRATION",
    "CHANGES",
    "DELTAS",
    "GROUP_COLUMNS",
    "OVERALL_COLUMNS",
    "RESERVED",
    "SUMMARY_COLUMNS",
    "Fields",
    "Part",
    "ReportPlan",
    "answer_column",
    "one_row_a_score",
    "refuse_clashes",
    "scoped",
    "summary_column",
]

# The fields of a summary, which are columns of a report. Their order is that of the plugin, because Spark
# takes fields by their order.
SUMMARY_COLUMNS = [
    "n",
    "n_pos",
    "n_missing",
    "n_unlabelled",
    "prevalence",
    "auc",
    "se",
    "lower",
    "upper",
    "ks",
    "gini",
    "gini_lower",
    "gini_upper",
]

# Columns of probabilities, with the statistic and the field that each is. P-values are adjusted when those of
# all rows are there.
CALIBRATION = {
    "brier_score": ("brier_score", "brier_score"),
    "log_loss": ("log_loss", "log_loss"),
    "observed_expected": ("calibration_summary", "observed_expected"),
    "observed_expected_lower": ("calibration_summary", "observed_expected_lower"),
    "observed_expected_upper": ("calibration_summary", "observed_expected_upper"),
    "calibration_slope": ("calibration_summary", "slope"),
    "calibration_slope_lower": ("calibration_summary", "slope_lower"),
    "calibration_slope_upper": ("calibration_summary", "slope_upper"),
    "calibration_p_value": ("calibration_summary", "observed_expected_p_value"),
    "calibration_p_adjusted": ("calibration_summary", "observed_expected_p_value"),
}

_COLUMNS = [
    "scope",
    "score",
    *SUMMARY_COLUMNS,
    *CALIBRATION,
    "cv_auc",
    "cv_se",
    "cv_lower",
    "cv_upper",
    "n_folds",
    "n_undefined",
    "user_auc",
    "user_se",
    "user_lower",
    "user_upper",
    "n_users",
    "n_users_undefined",
    "n_nan",
    "auc_min",
    "auc_max",
    "exact",
]

# Columns of a comparison, and the fields that they are: null for the first score. The p-values are adjusted
# when those of all rows are there.
DELTAS = {
    "first_auc": "estimate_b",
    "delta_auc": "difference",
    "delta_auc_lower": "lower",
    "delta_auc_upper": "upper",
    "delta_auc_p_value": "p_value",
    "delta_auc_p_adjusted": "p_value",
}

# Columns that only groups have, and columns that only the overall rows have.
GROUP_COLUMNS = ["versus_auc", "difference", "difference_lower", "difference_upper", "p_value", "p_adjusted"]
OVERALL_COLUMNS = ["within_auc", "heterogeneity", "heterogeneity_df", "heterogeneity_p_value"]

# Columns that a report has beside an earlier one.
CHANGES = [
    "previous_n",
    "previous_auc",
    "change",
    "change_lower",
    "change_upper",
    "change_p_value",
    "change_p_adjusted",
]

# Columns that a report has beside those of earlier periods.
ALARMS = [
    "alarm",
    "alarm_periods",
    "alarm_baseline",
    "alarm_since",
    "alarm_change",
    "alarm_lower",
    "alarm_upper",
    "alarm_p_value",
    "alarm_p_adjusted",
]

ADJUSTED = ("calibration_p_adjusted", "delta_auc_p_adjusted", "p_adjusted")
"""Columns of p-values that are adjusted over all tests of the table, each by itself."""

RESERVED = [*_COLUMNS, *DELTAS, *STABILITY, *GROUP_COLUMNS, *OVERALL_COLUMNS, *CHANGES, *ALARMS, GROUPING]
"""Names that no column of groups may have."""

Fields: TypeAlias = Callable[[str], list[pl.Expr]]
"""From a score's name to fields of its row, or to others in place of those before them."""

# Begins names that no column of a user has.
_OURS = "polars_auc: "
_FIELDS = f"{_OURS}beside"
_SUMMARY = f"{_OURS}summary"


def refuse_clashes(keys: list[str]) -> None:
    """Refuse columns of groups that have the name of a column of the report."""
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise OptionError("report", "by", f"names the column {twice!r} twice", "name each once")
    ours = next((key for key in keys if key.startswith(_OURS)), None)
    if ours is not None:
        reason = f"the group column {ours!r} begins with {_OURS!r}, as columns inside the report do"
        raise OptionError("report", "", reason, "rename it")
    clash = next((key for key in keys if key in RESERVED), None)
    if clash is not None:
        reason = f"the group column {clash!r} has the name of another column of the report"
        raise OptionError("report", "", reason, "rename it")


def answer_column(answer: str, name: str) -> str:
    """Name an aggregate as no column of a user is named."""
    return f"{_OURS}{answer} of {name}"


def summary_column(name: str) -> str:
    """Name the summary of a score, or an array of those of all scores."""
    return answer_column("summary", name)


def _no_fields(_: str) -> list[pl.Expr]:
    return []


def _unchanged(rows: pl.LazyFrame, _: list[str]) -> pl.LazyFrame:
    return rows


@dataclass(frozen=True)
class Part:
    """A part of a report: what it asks of the rows of each group, and what it makes of the answers."""

    answers: Sequence[pl.Expr] = ()
    fields: Fields = _no_fields
    finish: Callable[[pl.LazyFrame, list[str]], pl.LazyFrame] = _unchanged
    """From the rows of groups by some columns (of all rows if there are none) to these with more columns."""


@dataclass(frozen=True)
class ReportPlan:
    """The parts of a report of some scores, by some columns."""

    scores: Sequence[str]
    keys: list[str]
    groupings: Groupings | None
    parts: Sequence[Part]
    adjust: Adjustment | None
    group_answers: Answers | None = None
    """What makes the lists that the answers read, unless they make their own."""
    axis: str | None = None
    """The column of periods, if each group is compared with the previous one."""

    @property
    def answers(self) -> list[pl.Expr]:
        """What is asked of the rows of each group."""
        return [answer for part in self.parts for answer in part.answers]

    def from_rows(self, rows: pl.LazyFrame) -> pl.LazyFrame:
        """Return the report of rows."""
        return self.from_answers(lambda by: self.answered(rows, by, self.answers))

    def answered(self, rows: pl.LazyFrame, by: list[str], answers: Sequence[pl.Expr]) -> pl.LazyFrame:
        """Return some of the answers for each group, in order, or for all rows."""
        if self.group_answers is not None:
            return self.group_answers.of(rows, by, answers)
        if not by:
            return rows.select(answers)
        return rows.group_by(by).agg(answers).sort(by, nulls_last=True)

    def from_answers(self, answered: Callable[[list[str]], pl.LazyFrame]) -> pl.LazyFrame:
        """Return the report of the answers by any columns, which are those of all rows if there are none.

        The answers of groups are in order.

        P-values are adjusted for the number of all tests in their column, which a reader sees together.
        """
        table = self._table(lambda by: self._in_order(answered(by), by))
        columns = [name for name in ADJUSTED if name in table.collect_schema()]
        return table.with_columns(adjust_p_values(name, method=self.adjust) for name in columns)

    def _in_order(self, groups: pl.LazyFrame, by: list[str]) -> pl.LazyFrame:
        """Sort groups once more if their periods are texts, whose order may be another one."""
        return sorted_groups(groups, by, self.axis) if by and self.axis is not None else groups

    def _table(self, answered: Callable[[list[str]], pl.LazyFrame]) -> pl.LazyFrame:
        """Return the rows of groups and those of all rows, with p-values as they are."""
        overall = self._rows(answered, [])
        # Columns that are missing or of a wrong dtype are refused here, and not only when rows are read.
        overall.collect_schema()
        if self.groupings is not None:
            sets = key_sets("report", self.keys, self.groupings)
            return grouped(sets, lambda by: self._rows(answered, by), overall, self.keys)
        if not self.keys:
            return overall
        groups = self._rows(answered, self.keys)
        schema = groups.collect_schema()
        nothing = [pl.lit(None, dtype=schema[key]).alias(key) for key in self.keys]
        return pl.concat([groups, overall.with_columns(nothing).select(schema.names())])

    def _rows(self, answered: Callable[[list[str]], pl.LazyFrame], by: list[str]) -> pl.LazyFrame:
        """Return a row for each group and score, groups in order."""
        rows = one_row_a_score(answered(by), self.scores, [part.fields for part in self.parts], by)
        rows = functools.reduce(lambda table, part: part.finish(table, by), self.parts, rows)
        return scoped("group" if by else "overall", rows)


def one_row_a_score(
    answers: pl.LazyFrame, scores: Iterable[str], fields: Sequence[Fields], by: Sequence[str] = ()
) -> pl.LazyFrame:
    """Turn the answers of each group from columns into one row for each score, in the order of both.

    Summaries are a column of each score, in this order, or one array. Other fields may stand in place of
    theirs.
    """
    names = list(scores)
    # Arrays of one length are put side by side as columns; lists would be built group by group.
    columns = {"score": pl.lit(pl.Series([names], dtype=pl.Array(pl.String, len(names)))).first()}
    summaries = cs.starts_with(_SUMMARY)
    is_array = isinstance(answers.select(summaries).collect_schema().dtypes()[0], pl.Array)
    columns[_SUMMARY] = summaries if is_array else pl.concat_arr(summaries)
    score_fields = [
        {field.meta.output_name(): field for each in fields for field in each(name)} for name in names
    ]
    replaced = {f"{_OURS}{field}": field for field in SUMMARY_COLUMNS if field in score_fields[0]}
    if score_fields[0]:
        new_names = {field: name for name, field in replaced.items()}
        rows = (
            # As one struct it is less to plan than field by field.
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
    """Say whether rows are those of groups or of all rows."""
    return rows.select(pl.lit(scope).alias("scope"), pl.all())
