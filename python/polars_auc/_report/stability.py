"""The stability of scores: the population stability index of each group against a reference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from polars_auc._expressions.comparisons import (
    population_stability,
    population_stability_reference,
    population_stability_table,
)
from polars_auc._expressions.states import merge_states, roc_state
from polars_auc._frames.curve_points import curve_points
from polars_auc._frames.inputs import column_of
from polars_auc._frames.scores import dtype_of
from polars_auc._plugin.errors import CALLED, OptionError
from polars_auc._report.columns import STABILITY

if TYPE_CHECKING:
    from polars_auc._plugin.call import IntoExpr
    from polars_auc._report.rows import Rows

# Number of bands of the index.
_NUMBER = 10

# Reserved names: no user column has them.
_REFERENCE = "polars_auc: reference"
_OUTSIDE = "polars_auc: outside of the reference"
_MASS = "polars_auc: count or weight"
_BANDS = "polars_auc: bands"
_SIZE = "polars_auc: size"

_EXAMPLE = 'stability=pl.col("year") < 2016'


def _column(name: str) -> str:
    return f"polars_auc: stability of {name}"


@dataclass(frozen=True)
class Reference:
    """The reference sample of the stability, and the rows compared with it."""

    rows: pl.LazyFrame
    """All rows, with their scores, their counts or weights, and the reference column."""
    condition_columns: Sequence[str]
    """The columns of the condition. Groups that differ only in these columns share a reference."""
    scores: Sequence[str]
    mass: Literal["count", "weight"] | None
    """Whether the rows have counts or weights."""
    has_p_values: bool
    has_states: bool = False
    """Whether scores are columns of states, each of either reference rows or other rows."""

    @classmethod
    def of(cls, stability: IntoExpr, rows: Rows) -> Reference:
        """Check the condition, and evaluate it for each row."""
        function = CALLED.get() or "report"
        if isinstance(stability, str) and stability not in rows.frame.collect_schema():
            msg = (
                f"{function}: stability has the unknown column {stability!r}; for a "
                f"condition write {_EXAMPLE}"
            )
            raise pl.exceptions.ColumnNotFoundError(msg)
        condition = column_of(function, "stability", stability, rows.frame, _EXAMPLE)
        dtype = dtype_of(rows.frame, condition)
        if dtype != pl.Boolean:
            reason = f"must be true or false in each row, got {dtype}"
            raise OptionError(function, "stability", reason, f"write {_EXAMPLE}")
        role: Literal["count", "weight"] = "count" if rows.weight is None else "weight"
        mass = rows.count if rows.weight is None else rows.weight
        # Evaluate expressions over several rows, such as the first year or a rank, over all rows. Their value
        # must be the same for a group and for the reference.
        marked = rows.frame.with_columns(
            condition.alias(_REFERENCE),
            condition.not_().fill_null(value=True).alias(_OUTSIDE),
            (pl.lit(1, dtype=pl.Int64) if mass is None else mass).alias(_MASS),
            *(score.alias(_column(name)) for name, score in rows.scores.items()),
        )
        return cls(
            marked,
            condition.meta.root_names(),
            list(rows.scores),
            None if mass is None else role,
            # Rows in clusters are not independent, and no p-value is implemented for them.
            rows.cluster is None,
            rows.label is None,
        )

    def add_to(self, report: pl.LazyFrame, by: Sequence[str]) -> pl.LazyFrame:
        """Add the stability of each group and score to its row."""
        shared = [key for key in by if key not in self.condition_columns]
        if len(shared) == len(by):
            # No grouping column is in the condition: each group contains its reference.
            rows, mass = self.rows, self.mass
        elif self.mass == "weight":
            return self._in_states(list(by)).add_to(report, by)
        else:
            rows, mass = self._against_bands(list(by), shared), "count"
        answers = _grouped(rows, list(by), [*self._answers(mass), _has_others()])
        table = pl.concat(
            answers.select(*by, pl.lit(name).alias("score"), *self._fields(name)) for name in self.scores
        )
        return report.join(
            table, on=[*by, "score"], how="left", nulls_equal=True, maintain_order="left", validate="1:1"
        )

    def bands(self) -> pl.LazyFrame:
        """Plan the bands of all rows: size in both samples, and contribution to the index."""
        tables = [
            population_stability_table(_REFERENCE, **self._inputs(name, self.mass), bands=_NUMBER).alias(name)
            for name in self.scores
        ]
        return curve_points(self.rows, tables)

    def _inputs(self, name: str, mass: str | None) -> dict[str, Any]:
        """Return the score with counts or weights, or the state."""
        if self.has_states:
            return {"state": _column(name)}
        return {"score": _column(name)} | ({} if mass is None else {mass: _MASS})

    def _answers(self, mass: str | None) -> list[pl.Expr]:
        return [
            population_stability(_REFERENCE, **self._inputs(name, mass), bands=_NUMBER)
            for name in self.scores
        ]

    def _fields(self, name: str) -> list[pl.Expr]:
        answer = pl.col(_column(name)).struct
        fields = {column: answer.field(field).alias(column) for column, field in STABILITY.items()}
        if not self.has_p_values:
            fields["psi_p_value"] = pl.lit(None, dtype=pl.Float64).alias("psi_p_value")
        # Without rows outside of the reference there is no comparison.
        fields["psi_n"] = pl.when(pl.col(_OUTSIDE)).then(fields["psi_n"]).alias("psi_n")
        return list(fields.values())

    def _against_bands(self, by: list[str], shared: list[str]) -> pl.LazyFrame:
        """Return the rows outside of the reference, and for each group its shared reference.

        The state of a shared reference is copied to each group. For rows, the index depends only on the band
        of each score, so a few rows for each band represent the reference. A full copy of the reference for
        each group would need too much time and memory.
        """
        is_reference = pl.col(_REFERENCE)
        # Rows of the reference have a null label here, so that their groups remain.
        others = self.rows.select(*by, _REFERENCE, _OUTSIDE, _MASS, *map(_column, self.scores)).with_columns(
            pl.when(is_reference.not_()).then(is_reference).alias(_REFERENCE),
            pl.col(_MASS).cast(pl.Int64),
        )
        groups = others.select(by).unique()
        parts = [others]
        for name in self.scores:
            bands = (self._merged if self.has_states else self._bands)(shared, name)
            shared_bands = (
                groups.join(bands, on=shared, how="inner", nulls_equal=True)
                if shared
                else groups.join(bands, how="cross")
            )
            parts.append(shared_bands.with_columns(pl.lit(value=False).alias(_OUTSIDE)))
        return pl.concat(parts, how="diagonal")

    def _in_states(self, by: list[str]) -> Reference:
        """Return the reference with states of each group; sums of weights by band would be rounded."""
        states = (
            roc_state(_REFERENCE, _column(name), weight=_MASS).alias(_column(name)) for name in self.scores
        )
        rows = self.rows.group_by(*by, _REFERENCE, _OUTSIDE).agg(*states, pl.lit(1).alias(_MASS))
        return replace(self, rows=rows, mass=None, has_states=True)

    def _merged(self, shared: list[str], name: str) -> pl.LazyFrame:
        """Return the merged state of the reference."""
        column = _column(name)
        reference = _grouped(self.rows.filter(_REFERENCE), shared, [merge_states(column)])
        # Spark stores counts as Int64 in the state.
        merged = pl.col(column).cast(self.rows.collect_schema()[column])
        return reference.select(*shared, pl.lit(value=True).alias(_REFERENCE), merged)

    def _bands(self, shared: list[str], name: str) -> pl.LazyFrame:
        """Return representative scores of the reference, with their numbers of rows."""
        column = _column(name)
        reference = self.rows.filter(_REFERENCE).select(*shared, _REFERENCE, _MASS, column)
        inputs = self._inputs(name, self.mass)
        size = population_stability(_REFERENCE, **inputs).alias(_SIZE)
        bands = population_stability_reference(label=_REFERENCE, **inputs, bands=_NUMBER).alias(_BANDS)
        answers = _grouped(reference, shared, [bands, size])
        is_nan = pl.col(_SIZE).struct.field("psi").is_nan()
        return answers.explode(_BANDS).select(
            *shared,
            pl.lit(value=True).alias(_REFERENCE),
            # A NaN gives no bands, and makes every comparison NaN.
            pl.when(is_nan)
            .then(_nan(self.rows, column))
            .otherwise(pl.col(_BANDS).struct.field("score"))
            .alias(column),
            pl.when(is_nan)
            .then(pl.col(_SIZE).struct.field("n_pos"))
            .otherwise(pl.col(_BANDS).struct.field("n"))
            .cast(pl.Int64)
            .alias(_MASS),
        )


def _nan(rows: pl.LazyFrame, column: str) -> pl.Expr:
    dtype = rows.collect_schema()[column]
    return pl.lit(math.nan if dtype.is_float() else None).cast(dtype)


def _has_others() -> pl.Expr:
    """Return whether a group has rows outside of the reference."""
    return pl.col(_OUTSIDE).any()


def _grouped(rows: pl.LazyFrame, by: list[str], answers: list[pl.Expr]) -> pl.LazyFrame:
    return rows.group_by(by).agg(answers) if by else rows.select(answers)
