"""Scores that are NaN: how many there are, and the report without them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from polars_auc._plots.names import key_text
from polars_auc._plugin.errors import OptionError, for_front_end, per_front_end

if TYPE_CHECKING:
    from polars_auc._plugin.call import IntoExpr

__all__ = ["SKIP", "Nans", "nan_messages", "refuse_nan", "skipped_message", "without_nan"]

SKIP = "skip"
"""The value of the option ``nan`` that takes NaN for missing."""

# More groups than these are not named one by one.
_MOST_NAMES = 10


def refuse_nan(function: str, nan: object) -> None:
    """Refuse a value that the option does not have."""
    if nan not in (None, SKIP):
        raise OptionError(function, "nan", f"must be {SKIP!r}, or be left out, got {nan!r}")


def without_nan(rows: pl.LazyFrame, scores: Mapping[str, pl.Expr]) -> dict[str, pl.Expr]:
    """Return scores that are null where they are NaN."""
    return {
        name: score.fill_nan(None) if _may_be_nan(rows, score) else score for name, score in scores.items()
    }


def _may_be_nan(rows: pl.LazyFrame, score: pl.Expr) -> bool:
    [dtype] = rows.select(score).collect_schema().dtypes()
    return dtype.is_float()


def _column(column: IntoExpr) -> pl.Expr:
    return column if isinstance(column, pl.Expr) else pl.col(str(column))


@dataclass(frozen=True)
class Nans:
    """The rows whose scores may be NaN, or the states of such rows."""

    rows: pl.LazyFrame
    label: IntoExpr | None
    """None if the scores are columns of states."""
    scores: Mapping[str, pl.Expr]
    by: Sequence[str]
    count: IntoExpr | None = None
    weight: IntoExpr | None = None

    @classmethod
    def from_states(cls, rows: pl.LazyFrame, columns: Iterable[str], by: Sequence[str]) -> Nans:
        """Ask columns of states, which know that a score was NaN, and not in how many rows."""
        return cls(rows, None, {name: pl.col(name) for name in columns}, by)

    def counts(self, by: Sequence[str]) -> pl.LazyFrame:
        """Plan the number of rows of each group and score that have a label, and NaN as the score.

        Of states it is null if it is not 0.
        """
        answers = [self._count(score).alias(name) for name, score in self.scores.items()]
        # A score may have the name of a column of groups.
        both = pl.struct(answers).alias("polars_auc: nan")
        table = self.rows.group_by(by, maintain_order=True).agg(both) if by else self.rows.select(both)
        each = pl.col("polars_auc: nan").struct
        return pl.concat(
            table.select(*by, pl.lit(name).alias("score"), each.field(name).alias("n_nan"))
            for name in self.scores
        )

    def _count(self, score: pl.Expr) -> pl.Expr:
        none = pl.lit(0, dtype=pl.UInt64)
        if self.label is None:
            return pl.when(~score.struct.field("has_nan").any()).then(none)
        if not _may_be_nan(self.rows, score):
            return none
        is_used = _column(self.label).is_not_null()
        if self.weight is not None:
            is_used &= (_column(self.weight) > 0).fill_null(value=False)
        number = pl.lit(1) if self.count is None else _column(self.count)
        return pl.when(score.is_nan() & is_used).then(number).otherwise(0).sum().cast(pl.UInt64)

    def add_to(self, report: pl.LazyFrame, by: Sequence[str]) -> pl.LazyFrame:
        """Add the number of rows that were skipped for NaN to the rows of a report."""
        keys = [*by, "score"]
        return report.join(
            self.counts(by), on=keys, how="left", nulls_equal=True, maintain_order="left", validate="1:1"
        )

    def found(self) -> pl.DataFrame:
        """Return the groups and scores with NaN, in order, and their numbers of rows."""
        table = self.counts(self.by).filter(pl.col("n_nan").ne_missing(0)).collect()
        return table.sort(self.by, nulls_last=True) if self.by else table

    def messages(self) -> list[str]:
        """Say which groups and scores have NaN, and what to write; nothing if none has."""
        return nan_messages(self.found(), are_states=self.label is None)

    def skipped_messages(self) -> list[str]:
        """Say how many rows of each score are skipped for NaN."""
        table = self.counts([]).filter(pl.col("n_nan") > 0).collect()
        return [skipped_message(score, number) for score, number in table.rows()]


def nan_messages(found: pl.DataFrame, *, are_states: bool = False) -> list[str]:
    """Say how many rows of each score and group are NaN, and what to write; a null number is not known."""
    if found.is_empty():
        return []
    by = [name for name in found.columns if name not in ("score", "n_nan")]
    lines = []
    displayed = found.head(_MOST_NAMES).with_columns(key_text(key, joined=True) for key in by)
    for row in displayed.iter_rows(named=True):
        group = f" of the group {', '.join(f'{key}={row[key]}' for key in by)}" if by else ""
        number = "some rows" if row["n_nan"] is None else _counted(row["n_nan"])
        lines.append(f"the score {row['score']!r} is NaN in {number}{group}")
    if found.height > _MOST_NAMES:
        lines.append(f"and {found.height - _MOST_NAMES} more groups and scores have NaN")
    skip = for_front_end(per_front_end('nan="skip"', "--nan skip"))
    hint = f"make states with {skip}, which" if are_states else skip
    return [*lines, f"NaN is a fault, and such results are NaN or left out; {hint} takes NaN for missing"]


def skipped_message(score: str, number: int) -> str:
    """Say how many rows of a score are skipped for NaN."""
    return f"{score}: {_counted(number)} skipped because the score is NaN"


def _counted(number: int) -> str:
    return f"{number} {'row' if number == 1 else 'rows'}"
