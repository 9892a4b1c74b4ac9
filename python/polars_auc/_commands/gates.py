"""The conditions under which a report fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from polars_auc._cli.refusal import Refusal, as_refusal, flag
from polars_auc._cli.sql import condition
from polars_auc._frames.groupings import GROUPING, group_names
from polars_auc._frames.segments import is_reference
from polars_auc._page.text import counted, readable
from polars_auc._report.columns import (
    ALARMS,
    CALIBRATION_ALARMS,
    CHANGES,
    DELTAS,
    GROUP_COLUMNS,
    OVERALL_COLUMNS,
    STABILITY,
)

# Reserved names: no user column has them.
_DECIDED = "polars_auc: decided"
_ALONE = "polars_auc: alone"
_UNTESTED = "polars_auc: untested"

# Without an AUC and a standard error, further periods do not start the test.
_HAS_AREA = pl.all_horizontal(pl.col("auc", "se").fill_nan(None).is_not_null())


@dataclass(frozen=True)
class Gate:
    """A condition that fails a report.

    A condition with a column of ``--by`` or of the comparison of groups applies to the rows of groups. A
    condition with the test of heterogeneity applies to the overall rows. Any other condition applies to all
    rows.

    The report fails if the condition is true in one of these rows. Undefined counts as failed: nulls, NaN, a
    missing comparison, or no such row. Exceptions are rows that have no comparison by definition: the first
    score for differences from it; the reference or the first period for comparisons of groups; a new group
    for changes; and a group with only reference rows for stability. With ``--untested pass``, a condition on
    the alarm also passes for rows before their test begins, if they have an AUC with a standard error.
    """

    text: str
    holds: pl.Expr
    by: Sequence[str]
    first_score: str
    versus: object
    along: str | None
    untested: str = "fail"
    """Whether a condition on the alarm fails or passes before the test of a row begins."""

    @classmethod
    def read(
        cls,
        text: str,
        schema: pl.Schema,
        *,
        by: Sequence[str],
        first_score: str,
        versus: object,
        along: str | None,
        untested: str = "fail",
    ) -> Gate:
        """Parse a condition on the columns of a report."""
        holds = condition("fail_if", text, schema, "the report")
        gate = cls(text, holds, by, first_score, versus, along, untested)
        group_columns, overall_columns = (
            gate._used_columns(by, GROUP_COLUMNS, [GROUPING]),
            gate._used_columns(OVERALL_COLUMNS),
        )
        if group_columns and overall_columns:
            raise Refusal(
                f"{flag('fail_if')} {text!r} names {group_columns[0]!r}, which only groups have, and "
                f"{overall_columns[0]!r}, which only the overall rows have. Hint: write a --fail-if for each"
            )
        return gate

    def _used_columns(self, *columns: Sequence[str]) -> list[str]:
        used = set(self.holds.meta.root_names())
        return [name for names in columns for name in names if name in used]

    def check(self, report: pl.DataFrame) -> tuple[bool, str]:
        """Return whether a report passes, and a message with the failing rows."""
        about, which = self._about(report)
        if about.is_empty():
            return (
                False,
                f"--fail-if {self.text!r} is about {which}, and there are none: it cannot be decided",
            )
        alone, untested = self._alone(about), self._untested(about)
        untestable = untested & about.select((~_HAS_AREA).alias(_UNTESTED)).to_series()
        untested &= ~untestable
        passed = untested if self.untested == "pass" else untested & False
        decided = self._decided(about, alone | passed)
        true = decided.fill_null(value=False)
        undecided = decided.is_null() & ~alone & ~passed
        untested &= decided.is_null()
        count = f"{about.height} row" if about.height == 1 else f"{about.height} rows"
        text = f"--fail-if {self.text!r} is about {count} ({which}): it holds in {true.sum() or 'none'}"
        if undecided.any():
            text += f", and cannot be decided in {undecided.sum()}"
        if untested.any():
            text += f"; not tested yet in {untested.sum()}"
            text += ", which --untested pass lets pass" if self.untested == "fail" else ", which pass"
        if untestable.any():
            text += f"; not tested in {untestable.sum()} without an AUC or its standard error"
        if (alone & ~passed & decided.is_null()).all():
            return False, f"{text}, and none of them has anything to be compared with: it cannot be decided"
        failing = about.filter(true | undecided)
        if failing.is_empty():
            return True, text
        return False, f"{text}\n{readable(failing, self._used_columns(report.columns))}"

    def _about(self, report: pl.DataFrame) -> tuple[pl.DataFrame, str]:
        """Return the rows that the condition applies to, and their description."""
        if self._used_columns(self.by, GROUP_COLUMNS, [GROUPING]):
            # With several groupings, the condition applies to the grouping by its columns.
            filters = [group_names(report.schema, key) for key in self._used_columns(self.by)]
            return report.filter(pl.col("scope") == "group", *filters), "groups"
        if self._used_columns(OVERALL_COLUMNS):
            return report.filter(pl.col("scope") == "overall"), "overall"
        return report, "groups and overall" if self.by else "overall"

    def _alone(self, about: pl.DataFrame) -> pl.Series:
        """Return whether each row has no comparison by definition."""
        alone = pl.lit(value=False)
        if self._used_columns(tuple(DELTAS)):
            alone |= pl.col("score") == self.first_score
        if self._used_columns(CHANGES):
            alone |= pl.col("previous_n").is_null()
        if self._used_columns(tuple(STABILITY)):
            alone |= pl.col("psi_n").is_null()
        if self._used_columns(GROUP_COLUMNS):
            complete = pl.all_horizontal(pl.col(key).is_not_null() for key in self.by)
            if self.versus == "previous":
                # Groups are in order; groups with a null period are last.
                axis = self.by[0] if self.along is None else self.along
                others = (key for key in self.by if key != axis)
                period = pl.col(axis).is_not_null()
                alone |= period & (period.cum_sum().over("score", *others) == 1)
            elif self.versus not in ("rest", "pooled_rest", "overall"):
                dtypes = {key: about.schema[key] for key in self.by}
                alone |= complete & is_reference(self.versus, dtypes).fill_null(value=False)
        return about.with_columns(alone.alias(_ALONE))[_ALONE]

    def _untested(self, about: pl.DataFrame) -> pl.Series:
        """Return whether a test over periods has not begun, for each row."""
        untested = pl.lit(value=False)
        if self._used_columns(ALARMS):
            untested = pl.col("alarm").is_null() & (pl.col("alarm_periods") <= pl.col("alarm_baseline"))
        if self._used_columns(list(CALIBRATION_ALARMS)):
            untested |= pl.col("calibration_alarm").is_null()
        return about.with_columns(untested.fill_null(value=False).alias(_UNTESTED))[_UNTESTED]

    def _decided(self, about: pl.DataFrame, alone: pl.Series) -> pl.Series:
        """Evaluate the condition in each row: true, false, or null if undefined."""
        # Counts are unsigned: 1 - 2 would overflow. NaN compares as the largest number, so an AUC of NaN
        # would pass "auc < 0.7".
        counts = pl.selectors.unsigned_integer() - pl.selectors.by_name(*self.by)
        plain = about.with_columns(counts.cast(pl.Int64)).with_columns(pl.selectors.float().fill_nan(None))
        with as_refusal():
            decided = plain.select(self.holds.alias(_DECIDED)).to_series()
        if decided.len() == about.height:
            return decided
        if decided.len() != 1:
            reason = (
                f"has {decided.len()} answers for {counted(about.height, 'row')}. Hint: write one for "
                "each row"
            )
            raise Refusal(f"{flag('fail_if')} {self.text!r} {reason}, or one for all")
        # One result for all rows, such as "MIN(auc) < 0.7", is undefined if it skipped a null.
        used = plain.filter(~alone).select(self._used_columns(plain.columns))
        left_out = any(used.null_count().row(0))
        return pl.Series(_DECIDED, [None if left_out else decided.item()], pl.Boolean).new_from_index(
            0, about.height
        )
