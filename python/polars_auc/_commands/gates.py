"""The conditions under which a report fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from polars_auc._cli.refusal import Refusal, flag, worded
from polars_auc._cli.sql import condition
from polars_auc._frames.groupings import GROUPING, group_names
from polars_auc._frames.segments import is_reference
from polars_auc._page.text import counted, readable
from polars_auc._report.rows import ALARMS, CHANGES, DELTAS, OF_ALL_GROUPS, OF_GROUPS
from polars_auc._report.stability import STABILITY

# Names that no column of a user has.
_DECIDED = "polars_auc: decided"
_ALONE = "polars_auc: alone"
_UNTESTED = "polars_auc: untested"

# Without them no period brings a test nearer.
_HAS_AREA = pl.all_horizontal(pl.col("auc", "se").fill_nan(None).is_not_null())


@dataclass(frozen=True)
class Gate:
    """A condition that fails a report.

    A condition that names a column of ``--by`` or of the comparison of groups is about the rows of groups.
    One that names the test of heterogeneity is about the overall rows. Any other is about all rows.

    The report fails if the condition is true in one of these rows, or cannot be decided in one of them: for a
    null, for NaN, because a comparison is missing; or because there is no such row. Only rows that have
    nothing to be compared with by their nature may be undecided: the first score in a condition on how
    scores differ from it, the reference or the first period in a condition on the comparison of groups, a new
    group in one on changes, and a group of nothing but the reference in one on stability. With
    ``--untested pass`` also rows that a condition on the alarm is about before their test begins, if they
    have an AUC with a standard error.
    """

    text: str
    holds: pl.Expr
    by: Sequence[str]
    first_score: str
    versus: object
    along: str | None
    untested: str = "fail"
    """Whether a condition on the alarm fails in a row that is not tested yet, or passes."""

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
        """Read a condition on the columns of a report."""
        holds = condition("fail_if", text, schema, "the report")
        gate = cls(text, holds, by, first_score, versus, along, untested)
        of_groups, of_all_groups = gate._named(by, OF_GROUPS, [GROUPING]), gate._named(OF_ALL_GROUPS)
        if of_groups and of_all_groups:
            raise Refusal(
                f"{flag('fail_if')} {text!r} names {of_groups[0]!r}, which only groups have, and "
                f"{of_all_groups[0]!r}, which only the overall rows have; write a --fail-if for each"
            )
        return gate

    def _named(self, *columns: Sequence[str]) -> list[str]:
        named = set(self.holds.meta.root_names())
        return [name for names in columns for name in names if name in named]

    def check(self, report: pl.DataFrame) -> tuple[bool, str]:
        """Return whether a report passes, and the sentence that says so and of which rows."""
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
        said = f"--fail-if {self.text!r} is about {count} ({which}): it holds in {true.sum() or 'none'}"
        if undecided.any():
            said += f", and cannot be decided in {undecided.sum()}"
        if untested.any():
            said += f"; not tested yet in {untested.sum()}"
            said += ", which --untested pass lets pass" if self.untested == "fail" else ", which pass"
        if untestable.any():
            said += f"; not tested in {untestable.sum()} without an AUC or its standard error"
        if (alone & ~passed & decided.is_null()).all():
            return False, f"{said}, and none of them has anything to be compared with: it cannot be decided"
        failing = about.filter(true | undecided)
        if failing.is_empty():
            return True, said
        return False, f"{said}\n{readable(failing, self._named(report.columns))}"

    def _about(self, report: pl.DataFrame) -> tuple[pl.DataFrame, str]:
        """Return the rows that the condition is about, and what they are called."""
        if self._named(self.by, OF_GROUPS, [GROUPING]):
            # Of several groupings a condition is about those by the columns that it names.
            of_keys = [group_names(report.schema, key) for key in self._named(self.by)]
            return report.filter(pl.col("scope") == "group", *of_keys), "groups"
        if self._named(OF_ALL_GROUPS):
            return report.filter(pl.col("scope") == "overall"), "overall"
        return report, "groups and overall" if self.by else "overall"

    def _alone(self, about: pl.DataFrame) -> pl.Series:
        """Say of each row whether it has nothing to be compared with by its nature."""
        alone = pl.lit(value=False)
        if self._named(tuple(DELTAS)):
            alone |= pl.col("score") == self.first_score
        if self._named(CHANGES):
            alone |= pl.col("previous_n").is_null()
        if self._named(tuple(STABILITY)):
            alone |= pl.col("psi_n").is_null()
        if self._named(OF_GROUPS):
            complete = pl.all_horizontal(pl.col(key).is_not_null() for key in self.by)
            if self.versus == "previous":
                # Groups are in order, those without a period last.
                axis = self.by[0] if self.along is None else self.along
                others = (key for key in self.by if key != axis)
                period = pl.col(axis).is_not_null()
                alone |= period & (period.cum_sum().over("score", *others) == 1)
            elif self.versus not in ("rest", "pooled_rest", "overall"):
                dtypes = {key: about.schema[key] for key in self.by}
                alone |= complete & is_reference(self.versus, dtypes).fill_null(value=False)
        return about.with_columns(alone.alias(_ALONE))[_ALONE]

    def _untested(self, about: pl.DataFrame) -> pl.Series:
        """Say of each row whether the test of its alarm has not begun yet."""
        untested = pl.lit(value=False)
        if self._named(ALARMS):
            untested = pl.col("alarm").is_null() & (pl.col("alarm_periods") <= pl.col("alarm_baseline"))
        return about.with_columns(untested.fill_null(value=False).alias(_UNTESTED))[_UNTESTED]

    def _decided(self, about: pl.DataFrame, alone: pl.Series) -> pl.Series:
        """Return the condition in each row: true, false, or null where it cannot be decided."""
        # Counts are unsigned, where 1 - 2 is a large number; and NaN compares as larger than every number, so
        # that an AUC of NaN would pass "auc < 0.7".
        counts = pl.selectors.unsigned_integer() - pl.selectors.by_name(*self.by)
        plain = about.with_columns(counts.cast(pl.Int64)).with_columns(pl.selectors.float().fill_nan(None))
        with worded():
            decided = plain.select(self.holds.alias(_DECIDED)).to_series()
        if decided.len() == about.height:
            return decided
        if decided.len() != 1:
            said = f"has {decided.len()} answers for {counted(about.height, 'row')}; write one for each row"
            raise Refusal(f"{flag('fail_if')} {self.text!r} {said}, or one for all")
        # One answer for all rows, such as "MIN(auc) < 0.7": it is of no use if it left out a null.
        named = plain.filter(~alone).select(self._named(plain.columns))
        left_out = any(named.null_count().row(0))
        return pl.Series(_DECIDED, [None if left_out else decided.item()], pl.Boolean).new_from_index(
            0, about.height
        )
