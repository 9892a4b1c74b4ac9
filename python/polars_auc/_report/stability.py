"""The stability of scores in a report: how far those of each group have moved from a reference."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from polars_auc._expressions.score_bands import gains_table, population_stability, population_stability_table
from polars_auc._expressions.states import merge_states
from polars_auc._frames.curve_points import curve_points
from polars_auc._frames.inputs import column_of
from polars_auc._plugin.errors import CALLED, OptionError

if TYPE_CHECKING:
    from polars_auc._plugin.call import IntoExpr

__all__ = ["STABILITY", "Reference"]

STABILITY = {"psi": "psi", "psi_p_value": "p_value", "psi_n": "n_neg", "psi_reference_n": "n_pos"}
"""Columns of the stability, and the fields that they are."""

# Bands of the index.
_NUMBER = 10

# Names that no column of a user has.
_REFERENCE = "polars_auc: reference"
_OUTSIDE = "polars_auc: outside of the reference"
_COUNT = "polars_auc: count"
_BANDS = "polars_auc: bands"
_SIZE = "polars_auc: size"

_EXAMPLE = 'stability=pl.col("year") < 2016'


def _column(name: str) -> str:
    return f"polars_auc: stability of {name}"


@dataclass(frozen=True)
class Reference:
    """Which rows the scores of each group are held against, and how."""

    rows: pl.LazyFrame
    """All rows, with their scores and counts, and a column that says which are the reference."""
    named: Sequence[str]
    """The columns that say it: over their values the reference is the same for all groups."""
    scores: Sequence[str]
    has_counts: bool
    has_p_values: bool
    of_states: bool = False
    """Whether scores are columns of states, each of the reference or of other rows as a whole."""

    @classmethod
    def of(
        cls,
        stability: IntoExpr,
        rows: pl.LazyFrame,
        scores: Mapping[str, pl.Expr],
        *,
        count: IntoExpr | None = None,
        has_p_values: bool = True,
        of_states: bool = False,
    ) -> Reference:
        """Check the condition, and say of each row whether it meets it."""
        function = CALLED.get() or "report"
        if isinstance(stability, str) and stability not in rows.collect_schema():
            msg = (
                f"{function}: stability names the column {stability!r}, which the frame lacks; for a "
                f"condition write {_EXAMPLE}"
            )
            raise pl.exceptions.ColumnNotFoundError(msg)
        condition = column_of(function, "stability", stability, rows, _EXAMPLE)
        [dtype] = rows.select(condition).collect_schema().dtypes()
        if dtype != pl.Boolean:
            said = f"must be true or false in each row, got {dtype}"
            raise OptionError(function, "stability", said, f"write {_EXAMPLE}")
        counts = pl.lit(1, dtype=pl.Int64)
        if count is not None:
            counts = column_of(function, "count", count, rows, 'report(frame, "label", "score", count="n")')
        # What an expression makes of several rows, such as the first year or a rank, it makes of all rows:
        # it must be the same for a group and for the reference.
        marked = rows.with_columns(
            condition.alias(_REFERENCE),
            condition.not_().fill_null(value=True).alias(_OUTSIDE),
            counts.alias(_COUNT),
            *(score.alias(_column(name)) for name, score in scores.items()),
        )
        named = condition.meta.root_names()
        return cls(marked, named, list(scores), count is not None, has_p_values, of_states)

    def beside(self, report: pl.LazyFrame, by: Sequence[str]) -> pl.LazyFrame:
        """Add the stability of each group and score to its row."""
        shared = [key for key in by if key not in self.named]
        if len(shared) == len(by):
            # Whatever the groups, the reference is in them.
            rows, counted = self.rows, self.has_counts
        else:
            rows, counted = self._against_bands(list(by), shared), True
        answers = _grouped(rows, list(by), [*self._answers(counted=counted), _has_others()])
        table = pl.concat(
            answers.select(*by, pl.lit(name).alias("score"), *self._fields(name)) for name in self.scores
        )
        return report.join(
            table, on=[*by, "score"], how="left", nulls_equal=True, maintain_order="left", validate="1:1"
        )

    def bands(self) -> pl.LazyFrame:
        """Plan the bands of all rows: what each holds of both samples, and adds to the index."""
        tables = [
            population_stability_table(
                _REFERENCE, **self._taken(name, counted=self.has_counts), bands=_NUMBER
            ).alias(name)
            for name in self.scores
        ]
        return curve_points(self.rows, tables)

    def _taken(self, name: str, *, counted: bool) -> dict[str, Any]:
        """Return the score of the rows, with what they count; or the state."""
        if self.of_states:
            return {"state": _column(name)}
        return {"score": _column(name), "count": _COUNT if counted else None}

    def _answers(self, *, counted: bool) -> list[pl.Expr]:
        return [
            population_stability(_REFERENCE, **self._taken(name, counted=counted), bands=_NUMBER)
            for name in self.scores
        ]

    def _fields(self, name: str) -> list[pl.Expr]:
        answer = pl.col(_column(name)).struct
        fields = {column: answer.field(field).alias(column) for column, field in STABILITY.items()}
        if not self.has_p_values:
            fields["psi_p_value"] = pl.lit(None, dtype=pl.Float64).alias("psi_p_value")
        # Where all rows are of the reference there is nothing to hold against it.
        fields["psi_n"] = pl.when(pl.col(_OUTSIDE)).then(fields["psi_n"]).alias("psi_n")
        return list(fields.values())

    def _against_bands(self, by: list[str], shared: list[str]) -> pl.LazyFrame:
        """Return the rows that are not of the reference, and in each group the reference that it shares.

        A state of it is shared as it is. Of rows, the index asks only in which band of the reference a score
        is, so that one row for each band stands for the rows of the reference: its highest score, and how
        many they are. As many rows as the reference has, in each of the groups, would take too much time and
        memory.
        """
        is_reference = pl.col(_REFERENCE)
        # Rows of the reference count nowhere, but groups of nothing else do not go missing.
        others = self.rows.select(*by, _REFERENCE, _OUTSIDE, _COUNT, *map(_column, self.scores)).with_columns(
            pl.when(is_reference.not_()).then(is_reference).alias(_REFERENCE),
            pl.col(_COUNT).cast(pl.Int64),
        )
        groups = others.select(by).unique()
        parts = [others]
        for name in self.scores:
            bands = (self._merged if self.of_states else self._bands)(shared, name)
            shared_bands = (
                groups.join(bands, on=shared, how="inner", nulls_equal=True)
                if shared
                else groups.join(bands, how="cross")
            )
            parts.append(shared_bands.with_columns(pl.lit(value=False).alias(_OUTSIDE)))
        return pl.concat(parts, how="diagonal")

    def _merged(self, shared: list[str], name: str) -> pl.LazyFrame:
        """Return the state of the reference."""
        column = _column(name)
        reference = _grouped(self.rows.filter(_REFERENCE), shared, [merge_states(column)])
        return reference.select(*shared, pl.lit(value=True).alias(_REFERENCE), column)

    def _bands(self, shared: list[str], name: str) -> pl.LazyFrame:
        """Return the bands of the reference: the highest score of each, and how many rows it holds."""
        column = _column(name)
        reference = self.rows.filter(_REFERENCE).select(*shared, _REFERENCE, _COUNT, column)
        # A table of bands needs both classes. Each row is in it once as a positive and once as a negative,
        # which leaves the bands of the positives as they are.
        twice = pl.concat([reference, reference.with_columns(pl.col(_REFERENCE).not_())])
        count = _COUNT if self.has_counts else None
        size = population_stability(_REFERENCE, column, count=count).alias(_SIZE)
        bands = gains_table(_REFERENCE, column, bands=_NUMBER, count=count).alias(_BANDS)
        answers = _grouped(twice, shared, [bands, size])
        is_nan = pl.col(_SIZE).struct.field("psi").is_nan()
        return answers.explode(_BANDS).select(
            *shared,
            pl.lit(value=True).alias(_REFERENCE),
            # A NaN leaves no bands, and makes every comparison NaN.
            pl.when(is_nan)
            .then(_nan(self.rows, column))
            .otherwise(pl.col(_BANDS).struct.field("highest"))
            .alias(column),
            pl.when(is_nan)
            .then(pl.col(_SIZE).struct.field("n_pos"))
            .otherwise(pl.col(_BANDS).struct.field("n_pos"))
            .cast(pl.Int64)
            .alias(_COUNT),
        )


def _nan(rows: pl.LazyFrame, column: str) -> pl.Expr:
    dtype = rows.collect_schema()[column]
    return pl.lit(math.nan if dtype.is_float() else None).cast(dtype)


def _has_others() -> pl.Expr:
    """Whether a group has rows that are not of the reference: a group without has nothing to hold."""
    return pl.col(_OUTSIDE).any()


def _grouped(rows: pl.LazyFrame, by: list[str], answers: list[pl.Expr]) -> pl.LazyFrame:
    return rows.group_by(by).agg(answers) if by else rows.select(answers)
